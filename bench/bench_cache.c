/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_cache FOLDER: a skill of 5 kB and an artifact of 2 MB taken out of the cache in FOLDER, verified, held and let go;
 * CPU of this thread, the median of many. The yardstick opens the same file, reads and hashes it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "crypto/digest.h"
#include "skills/cache.h"

enum { SMALL = 5000, LARGE = 2 << 20, ROUNDS = 1000, NOW = 1800000000 };

static void give_up(const char *what)
{
    fprintf(stderr, "bench_cache: %s\n", what);
    exit(1);
}

static double cpu_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v)
{
    qsort(v, ROUNDS, sizeof *v, by_value);
    return v[ROUNDS / 2];
}

static double gets(struct cache *c, struct pap_str bytes, const char *digest)
{
    static double v[ROUNDS];
    const struct cache_place p = {.origin = S("https://b.example/"), .url = S("https://b.example/a"), .scope = S("")};
    enum cache_state state;
    struct cache_object *o = NULL;
    if (cache_object_new(c, &o, NULL).code != PAP_OK || cache_object_add(o, bytes, NULL).code != PAP_OK ||
        cache_object_seal(o, NULL).code != PAP_OK ||
        cache_object_keep(c, o, &p, PACK_UNKNOWN, NOW, NULL).code != PAP_OK)
        give_up("cannot keep it");
    cache_object_free(o);
    for (unsigned i = 0; i < ROUNDS; i++) {
        double from = cpu_us();
        o = NULL;
        if (cache_object_get(c, &p, str_c(digest), false, NOW, &o, &state, NULL).code != PAP_OK || !o)
            give_up("cannot get it");
        cache_object_free(o);
        v[i] = cpu_us() - from;
    }
    return median(v);
}

static double reads(const char *folder, const char *digest)
{
    static double v[ROUNDS];
    static char bytes[LARGE + 1];
    char path[1000];
    (void)snprintf(path, sizeof path, "%s/v1/object-%s.md", folder, digest + 7);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct stat st;
        struct digest d;
        double from = cpu_us();
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 || fstat(fd, &st) < 0 ? -1 : read(fd, bytes, sizeof bytes);
        struct pap_str s = {bytes, n > 0 ? (size_t)n : 0};
        if (n < 0 || digest_sha256(&s, 1, &d, NULL).code != PAP_OK)
            give_up(path);
        (void)close(fd);
        v[i] = cpu_us() - from;
    }
    return median(v);
}

int main(int argc, char **argv)
{
    static char text[LARGE];
    const size_t sizes[] = {SMALL, LARGE};
    struct cache *c = NULL;
    uint32_t x = 1;
    for (size_t i = 0; i < LARGE; i++, x = x * 1664525U + 1013904223U)
        text[i] = (char)(x >> 24);
    if (argc != 2 || cache_open(&(struct cache_options){.folder = argv[1]}, &c, NULL).code != PAP_OK)
        give_up("a new folder for the cache is the one argument");
    for (size_t i = 0; i < 2; i++) {
        struct pap_str bytes = {text, sizes[i]};
        struct digest d;
        char digest[DIGEST_TEXT + 1];
        if (digest_sha256(&bytes, 1, &d, NULL).code != PAP_OK)
            give_up("no libcrypto");
        digest_text(&d, digest);
        printf("get-%zu %.1f\n", sizes[i], gets(c, bytes, digest));
        printf("read-%zu %.1f\n", sizes[i], reads(argv[1], digest));
    }
    cache_free(c);
    return 0;
}
