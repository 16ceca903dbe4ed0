/* SPDX-License-Identifier: Apache-2.0
 *
 * SKILL.md files of 4.4 kB, each in a folder of its own: one pap_check() of all against only reading them, process CPU
 * time, best of several rounds that take turns. Then ten times as many: the time is to grow with them, the memory is not.
 * Ends with 1 when a target is missed. The argument is an empty folder for the files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <papaver/check.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "sys/file.h"

enum { ROUNDS = 7, SIZE = 4400, PATH_MOST = 4096 };

static bool missed;

static void judge(bool good, const char *target)
{
    printf("   %s: %s\n", target, good ? "yes" : "NO");
    missed |= !good;
}

static double cpu_ms(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- the files ---- */

static void put_skill(struct buf *b, const char *name)
{
    buf_reset(b);
    buf_fmt(
        b,
        "---\nname: %s\ndescription: Move a table booking to another time and tell the person what it costs. Use when "
        "a booking has to change.\nlicense: Apache-2.0\nmetadata:\n  author: Shop Example\n  version: \"1.2\"\n"
        "allowed-tools: Bash(git add *) Read\n---\n\n# Change a booking\n\n",
        name);
    for (int i = 1; b->n < SIZE - 420; i++) {
        buf_fmt(b,
                "## Step %d\n\nAsk for the free times with `GET /bookings/%d/times`, and show them to the person with "
                "their prices. Never\nchoose one yourself; see [the help](https://shop.example/help/%d) for what they "
                "mean.\n\n- Offer three times at most.\n- **Say** what each costs more or less than the booking "
                "now.\n\n",
                i, i, i);
        if (i % 3 == 0)
            buf_add(b, S("```sh\ncurl https://shop.example/bookings?from=today\n```\n\n"));
    }
    while (b->n < SIZE)
        buf_char(b, b->n % 100 == 99 || b->n == SIZE - 1 ? '\n' : 'x');
}

static void make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0)
        abort();
}

/* `root`/NN/skill-N/SKILL.md */
static void make(const char *root, unsigned n)
{
    struct buf b;
    char path[PATH_MOST], name[32];
    buf_init(&b, NULL, 2 * SIZE);
    make_folder(root);
    for (unsigned i = 0; i < n; i++) {
        if (i % 100 == 0) {
            snprintf(path, sizeof path, "%s/%u", root, i / 100);
            make_folder(path);
        }
        snprintf(name, sizeof name, "skill-%u", i);
        snprintf(path, sizeof path, "%s/%u/%s", root, i / 100, name);
        make_folder(path);
        snprintf(path, sizeof path, "%s/%u/%s/SKILL.md", root, i / 100, name);
        put_skill(&b, name);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(b.p, 1, b.n, f) != b.n || fclose(f) != 0)
            abort();
    }
    buf_fini(&b);
}

/* ---- what is measured ---- */

static pap_result read_one(void *ctx, const char *path, struct pap_err *err)
{
    struct arena *a = ctx;
    struct pap_str bytes;
    arena_reset(a);
    return file_read(a, path, 1 << 20, &bytes, NULL, err);
}

static void read_all(const char *root)
{
    struct arena a;
    arena_init(&a, NULL);
    if (!is_ok(folder_walk(root, 8, read_one, &a, NULL)))
        abort();
    arena_fini(&a);
}

struct memory {
    size_t now, most;
};

static void *counted(void *ctx, void *old, size_t old_size, size_t new_size)
{
    struct memory *m = ctx;
    m->now += new_size - old_size;
    m->most = m->now > m->most ? m->now : m->most;
    return alloc_resize(NULL, old, old_size, new_size);
}

static bool swallow(void *ctx, const char *p, size_t n)
{
    (void)ctx, (void)p, (void)n;
    return true;
}

/* The most bytes that were held at once. */
static size_t check_all(const char *root, unsigned n)
{
    struct memory m = {0, 0};
    struct pap_alloc alloc = {counted, &m};
    struct pap_check_options o = {.alloc = &alloc, .write = swallow};
    struct pap_counts counts = {0};
    char target[PATH_MOST];
    const char *word = target;
    int status;
    snprintf(target, sizeof target, "%s/", root);
    if (!is_ok(pap_check(&o, &word, 1, &counts, &status, NULL)) || status != 0 || counts.targets != n || counts.infos)
        abort();
    return m.most;
}

static double measure(const char *root, unsigned n, double *ret_read, size_t *ret_most)
{
    double check = 1e9;
    *ret_read = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = cpu_ms();
        read_all(root);
        double middle = cpu_ms();
        *ret_most = check_all(root, n);
        double end = cpu_ms();
        *ret_read = middle - start < *ret_read ? middle - start : *ret_read;
        check = end - middle < check ? end - middle : check;
    }
    printf("%u files: %.1f ms, reading %.1f ms, ratio %.2f; %zu kB held\n", n, check, *ret_read, check / *ret_read,
           *ret_most / 1024);
    return check;
}

int main(int argc, char **argv)
{
    char few[PATH_MOST], many[PATH_MOST];
    double read;
    size_t few_most, many_most;
    if (argc < 2)
        return 2;
    snprintf(few, sizeof few, "%s/few", argv[1]);
    snprintf(many, sizeof many, "%s/many", argv[1]);
    make(few, 1000);
    make(many, 10000);
    double one = measure(few, 1000, &read, &few_most);
    judge(one / read <= 3, "at most 3 times reading");
    double ten = measure(many, 10000, &read, &many_most);
    judge(ten / one < 12, "10 times the files, below 12 times the time");
    judge(many_most < few_most + few_most / 4, "no more memory");
    return missed;
}
