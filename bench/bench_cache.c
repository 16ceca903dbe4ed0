/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_cache FOLDER: a skill of 5 kB, as a SKILL.md and as a tar.gz, activated from a cache in FOLDER (which must be new)
 * through the public functions, and taken out of the cache alone; CPU of this thread, the median of many. The yardstick is a
 * program that opens the same file, reads it and hashes it. Every session is a new one; its list is answered by a hook, and
 * its opening is not counted.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <papaver/skill.h>

#include "crypto/digest.h"
#include "pack/write.h"
#include "skills/cache.h"

enum { SIZE = 5000, ROUNDS = 3000, NOW = 1800000000 };

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

/* ---- What the origin answers ---- */

struct web {
    char list[1000], digest[DIGEST_TEXT + 1];
    struct pap_str artifact;
    const char *type, *media, *url;
    unsigned artifacts;
};

static pap_result fetch(void *ctx, const struct pap_skill_request *request, const struct pap_skill_answer *answer,
                        struct pap_err *err)
{
    struct web *w = ctx;
    bool list = strstr(request->url, "index.json") != NULL;
    const struct pap_skill_header headers[] = {{"Content-Type", list ? "application/json" : w->media}};
    struct pap_str body = list ? (struct pap_str){w->list, strlen(w->list)} : w->artifact;
    (void)err;
    w->artifacts += !list;
    if (answer->head(answer->ctx, 200, headers, 1))
        (void)answer->body(answer->ctx, body.p, body.n);
    return (pap_result){PAP_OK};
}

static void publish(struct web *w, const char *type, const char *media, const char *url, struct pap_str artifact)
{
    struct digest d;
    if (digest_sha256(&artifact, 1, &d, NULL).code != PAP_OK)
        give_up("no libcrypto");
    digest_text(&d, w->digest);
    *w = (struct web){.artifact = artifact, .type = type, .media = media, .url = url};
    digest_text(&d, w->digest);
    (void)snprintf(
        w->list, sizeof w->list,
        "{\"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", \"skills\": [{\"name\": "
        "\"water-plants\", \"type\": \"%s\", \"description\": \"Water them.\", \"url\": \"%s\", \"digest\": "
        "\"%s\"}]}",
        type, url, w->digest);
}

/* ---- Measuring ---- */

static double activations(struct pap_skill_client *client, struct web *w)
{
    static double v[ROUNDS];
    const struct pap_skill_origin origin = {.place = "https://shop.example/skills/index.json"};
    struct pap_skill_err err = {.text = ""};
    for (unsigned i = 0; i < ROUNDS + 1; i++) {
        struct pap_skill_session *s = NULL;
        struct pap_skill *k = NULL;
        if (pap_skill_session_open(client, &origin, &s, &err).code != PAP_OK)
            give_up(err.text);
        double from = cpu_us();
        if (pap_skill_activate(s, "water-plants", NULL, &k, &err).code != PAP_OK)
            give_up(err.text);
        pap_skill_free(k);
        if (i)
            v[i - 1] = cpu_us() - from;
        pap_skill_session_close(s);
    }
    if (w->artifacts != 1)
        give_up("the artifact did not come from the cache");
    return median(v);
}

static double gets(const char *folder, struct pap_str bytes, const char *digest)
{
    static double v[ROUNDS];
    const struct cache_place p = {.origin = S("https://b.example/"), .url = S("https://b.example/a"), .scope = S("")};
    struct cache *c = NULL;
    struct cache_object *o = NULL;
    enum cache_state state;
    if (cache_open(&(struct cache_options){.folder = folder}, &c, NULL).code != PAP_OK ||
        cache_object_new(c, &o, NULL).code != PAP_OK || cache_object_add(o, bytes, NULL).code != PAP_OK ||
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
    cache_free(c);
    return median(v);
}

static double reads(const char *folder, const char *digest)
{
    static double v[ROUNDS];
    static char bytes[SIZE * 2];
    char path[1000];
    (void)snprintf(path, sizeof path, "%s/v1/object-%s.md", folder, digest + 7);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct stat st;
        struct digest d;
        double from = cpu_us();
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &st) < 0)
            give_up(path);
        struct pap_str s = {bytes, 0};
        ssize_t n = read(fd, bytes, sizeof bytes);
        s.n = n > 0 ? (size_t)n : 0;
        if (digest_sha256(&s, 1, &d, NULL).code != PAP_OK)
            give_up("no libcrypto");
        (void)close(fd);
        v[i] = cpu_us() - from;
    }
    return median(v);
}

int main(int argc, char **argv)
{
    static char text[SIZE];
    static struct web web;
    struct pap_skill_err err = {.text = ""};
    struct pap_skill_client *client = NULL;
    struct packer *packer = NULL;
    struct buf archive;
    struct pap_str md = {text, SIZE};
    if (argc != 2)
        return 2;
    int head = snprintf(text, sizeof text, "---\nname: water-plants\ndescription: Water them.\n---\n# Water\n");
    uint32_t x = 1;
    for (size_t i = (size_t)head; i < SIZE; i++, x = x * 1664525U + 1013904223U)
        text[i] = i % 60 == 59 ? '\n' : (char)('a' + (x >> 24) % 26);
    const struct pack_file file = {.name = S("SKILL.md"), .data = md};
    buf_init(&archive, NULL, 1 << 20);
    if (packer_new(NULL, &packer, NULL).code != PAP_OK ||
        pack_write(packer, PACK_TAR_GZ, &file, 1, &archive, NULL).code != PAP_OK)
        give_up("cannot pack it");
    const struct pap_skill_options options = {.cache = argv[1], .fetch = fetch, .ctx = &web};
    if (pap_skill_client_new(&options, &client, &err).code != PAP_OK)
        give_up(err.text);
    publish(&web, "skill-md", "text/markdown", "a.md", md);
    printf("skill-md %.1f\n", activations(client, &web));
    printf("get %.1f\n", gets(argv[1], md, web.digest));
    printf("read %.1f\n", reads(argv[1], web.digest));
    publish(&web, "archive", "application/gzip", "a.tar.gz", buf_str(&archive));
    printf("archive %.1f\n", activations(client, &web));
    pap_skill_client_free(client);
    buf_fini(&archive);
    packer_free(packer);
    return 0;
}
