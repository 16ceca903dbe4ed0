/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_skills write FOLDER N [FIRST]: makes FOLDER/NAME/SKILL.md for N skills of about 4.4 kB, no two alike, with front
 * matter, headings, lists, links, code spans and fenced code about as often as published ones have them (per 1,000
 * characters: 29 lines, 19 backticks, 3 code fences, 1 character that is not ASCII); each twentieth has a link that leads
 * nowhere, the others are right. The same numbers make the same files.
 * bench_skills read FOLDER...: opens and reads every FOLDER/NAME/SKILL.md, which is the yardstick.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 4400, SECTION = 500, PATH_MOST = 4096 };

struct text {
    char p[SIZE + 4 * SECTION];
    size_t n;
    uint32_t seed;
};

#define PICK(t, list) ((list)[next(t) % (sizeof(list) / sizeof((list)[0]))])

static uint32_t next(struct text *t)
{
    t->seed = t->seed * 1664525U + 1013904223U;
    return t->seed >> 8;
}

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->p + t->n, sizeof t->p - t->n, fmt, ap);
    va_end(ap);
    if (n > 0)
        t->n += (size_t)n < sizeof t->p - t->n ? (size_t)n : sizeof t->p - t->n - 1;
}

static const char *const verbs[] = {"change", "cancel", "track", "renew", "return", "book", "pause", "compare"};
static const char *const things[] = {"order", "delivery", "booking", "invoice", "box", "ticket", "policy", "plan"};
static const char *const words[] = {"the",    "customer", "asks",  "for",    "a",     "date",  "which", "address",
                                    "before", "once",     "price", "is",     "shown", "so",    "them",  "with",
                                    "when",   "it",       "be",    "cannot", "any",   "again", "of",    "confirm"};

static void add_sentence(struct text *t)
{
    unsigned n = 5 + next(t) % 9;
    add(t, "Then");
    while (n--)
        add(t, " %s", PICK(t, words));
    if (next(t) % 2 == 0)
        add(t, " `%s_%s`", PICK(t, verbs), PICK(t, things));
    if (next(t) % 24 == 0)
        add(t, " (see [%s](https://docs.example/%s/%u))", PICK(t, things), PICK(t, things), next(t) % 1000);
    add(t, next(t) % 12 == 0 ? " \xe2\x80\x93 so stop." : ".");
}

static void add_list(struct text *t)
{
    for (unsigned n = 2 + next(t) % 4; n--;) {
        add(t, "- **%s**: ", PICK(t, things));
        add_sentence(t);
        add(t, "\n");
    }
}

static void add_section(struct text *t)
{
    add(t, "\n## How to %s the %s\n\n", PICK(t, verbs), PICK(t, things));
    for (unsigned n = 1 + next(t) % 3; n--;) {
        add_sentence(t);
        add(t, "\n");
    }
    add(t, "\n");
    add_list(t);
    if (next(t) % 3 > 0)
        add(t, "\n```sh\ncurl -s https://api.shop.example/%ss/%u |\n    jq .%s\n```\n", PICK(t, things), next(t) % 1000,
            PICK(t, things));
    if (next(t) % 4 == 0)
        add(t, "\n| call | what for |\n| --- | --- |\n| `GET /%ss/{id}` | the %s |\n", PICK(t, things),
            PICK(t, things));
}

static void make_skill(struct text *t, const char *name, unsigned i)
{
    t->seed = i * 2654435761U + 1;
    t->n = 0;
    add(t, "---\nname: %s\ndescription: %s a %s for somebody, and tell what it costs. ", name, PICK(t, verbs),
        PICK(t, things));
    add(t, "Use when a %s must be looked at, moved or given back%s.\n", PICK(t, things),
        next(t) % 2 ? ", also in \"quoted\" words" : "");
    if (next(t) % 2)
        add(t, "license: Apache-2.0\n");
    if (next(t) % 3 == 0)
        add(t, "metadata:\n  author: shop-example\n  version: \"1.%u\"\n", next(t) % 10);
    if (next(t) % 4 == 0)
        add(t, "allowed-tools: %s_%s Read\n", PICK(t, verbs), PICK(t, things));
    add(t, "---\n\n# %s\n", name);
    if (i % 20 == 7)
        add(t, "\nAll states stand in [the list](references/states.md).\n");
    while (t->n < SIZE - SECTION / 2)
        add_section(t);
}

static void give_up(const char *what)
{
    perror(what);
    exit(2);
}

static void write_all(const char *folder, unsigned n, unsigned from)
{
    static struct text t;
    char path[PATH_MOST], name[64];
    if (mkdir(folder, 0755) != 0)
        give_up(folder);
    for (unsigned i = from; i < from + n; i++) {
        snprintf(name, sizeof name, "%s-%s-%u", verbs[i % 8], things[i / 8 % 8], i);
        make_skill(&t, name, i);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (mkdir(path, 0755) != 0)
            give_up(path);
        snprintf(path, sizeof path, "%s/%s/SKILL.md", folder, name);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(t.p, 1, t.n, f) != t.n || fclose(f) != 0)
            give_up(path);
    }
}

static void read_all(const char *folder)
{
    static char bytes[1 << 16];
    char path[PATH_MOST];
    DIR *d = opendir(folder);
    if (!d)
        give_up(folder);
    for (const struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s/SKILL.md", folder, e->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            give_up(path);
        while (read(fd, bytes, sizeof bytes) > 0)
            continue;
        (void)close(fd);
    }
    (void)closedir(d);
}

int main(int argc, char **argv)
{
    bool writes = argc >= 4 && strcmp(argv[1], "write") == 0, reads = argc >= 3 && strcmp(argv[1], "read") == 0;
    if (writes)
        write_all(argv[2], (unsigned)atoi(argv[3]), argc > 4 ? (unsigned)atoi(argv[4]) : 0);
    for (int i = 2; reads && i < argc; i++)
        read_all(argv[i]);
    return writes || reads ? 0 : 2;
}
