/* SPDX-License-Identifier: Apache-2.0
 *
 * How the cost of judging grows with the document, for documents made of what could cost most: each is judged by every row
 * at one size and at four times that, in turn; process CPU time, the best of several rounds. Something quadratic takes
 * sixteen times as long. Ends with 1 when a target is missed.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "proto/check.h"

enum { ROUNDS = 3, TEXT_MAX = 16 << 20, STEPS = 4, MOST = 8 };

#define SCHEMA "{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\"skills\":["
#define FRONT "---\nname: a\ndescription: Move a booking.\n---\n"
#define LONG "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* A document: `head`, `n` times `item` with its @ replaced by a number, `tail`; and one that is judged with it. To add one:
 * a row. */
static const struct {
    enum kind kind, with;
    const char *head, *item, *tail;
    size_t n;
} rows[] = {
    {KIND_INDEX, KIND_NONE, SCHEMA, "{},", "0]}", 80000},
    {KIND_INDEX, KIND_NONE, SCHEMA, "0,", "0]}", 120000},
    {KIND_INDEX, KIND_NONE, SCHEMA, "{\"url\":\"\"},", "0]}", 24000},
    {KIND_INDEX, KIND_NONE, SCHEMA, "{\"name\":\"a\"},", "0]}", 20000},
    {KIND_INDEX, KIND_NONE, SCHEMA, "{\"url\":\"http://a\\u0000\",\"digest\":\"\"},", "0]}", 8000},
    {KIND_INDEX, KIND_NONE, SCHEMA, "{\"description\":\"<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<\"},", "0]}", 4000},
    {KIND_INDEX, KIND_NONE, "{\"skills\":[", "{\"files\":[]},", "0]}", 20000},
    {KIND_INDEX, KIND_NONE, "{\"skills\":[", "{\"path\":\"\"},", "0]}", 22000},
    {KIND_JWKS, KIND_NONE, "{\"keys\":[", "{\"kid\":\"a\"},", "0]}", 20000},
    {KIND_JWKS, KIND_NONE, "{\"keys\":[", "{\"kty\":\"EC\",\"crv\":\"P-256\"},", "0]}", 7500},
    {KIND_OPENAPI, KIND_NONE, "{\"openapi\":\"3.1.0\",\"paths\":{", "\"/@\":{\"get\":{\"operationId\":\"a\"}},",
     "\"/\":{}}}", 37500},
    {KIND_OPENAPI, KIND_NONE, "{\"openapi\":\"3.1.0\",\"paths\":{", "\"/@\":{\"get\":{},\"put\":1},", "\"/\":{}}}",
     37500},
    {KIND_CLIENT, KIND_NONE, "{\"client_id\":\"https://a.example/c\",\"redirect_uris\":[", "\"https://b.example/\",",
     "0]}", 10000},
    {KIND_METADATA, KIND_NONE, "{\"poppy_domains\":[", "\"a b\",", "0]}", 25000},
    {KIND_RESOURCE, KIND_NONE, "{\"bearer_methods_supported\":[", "\"query\",", "0]}", 22500},
    {KIND_SKILL, KIND_NONE, "", "\n", "", 250000},
    {KIND_SKILL, KIND_NONE, FRONT, "[a](@.md) ", "", 20000},
    {KIND_SKILL, KIND_NONE, FRONT, "https://raw.githubusercontent.com/a/b/main/@ ", "", 5000},
    {KIND_SKILL, KIND_OPENAPI, FRONT, "`GET /" LONG "/@` ", "", 4000},
    {KIND_SKILL, KIND_OPENAPI, FRONT, "`" LONG "_@` ", "", 4000},
    {KIND_SKILL, KIND_OPENAPI, FRONT, "`orders:" LONG "@` ", "", 4000},
    {KIND_SKILL, KIND_OPENAPI, FRONT, "call `a_@` ", "", 20000},
};

static double cpu_seconds(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct pap_str make(struct buf *b, const char *head, const char *item, size_t n, const char *tail)
{
    struct pap_str all = str_c(item);
    size_t at = str_find_char(all, '@');
    buf_reset(b);
    buf_add(b, str_c(head));
    for (size_t i = 0; i < n; i++) {
        buf_add(b, str_take(all, at));
        if (at < all.n)
            buf_fmt(b, "%zu", i);
        buf_add(b, str_skip(all, at + 1));
    }
    buf_add(b, str_c(tail));
    if (!buf_ok(b))
        abort();
    return buf_str(b);
}

/* What a skill is compared with: as many operations as fit, none of them the one that is named. */
static struct pap_str make_api(struct buf *b, size_t n)
{
    return make(b, "{\"openapi\":\"3.1.0\",\"paths\":{",
                "\"/" LONG "/b@\":{\"get\":{\"operationId\":\"" LONG "_b\",\"x\":\"orders:b" LONG "\"}},", n,
                "\"/\":{}}}");
}

static void add(struct arena *a, struct bundle *b, enum kind kind, struct pap_str text)
{
    struct doc d = {.kind = kind, .name = S("x"), .bytes = text};
    if (!is_ok(doc_read(a, &d)) || !bundle_add(b, a, d))
        abort();
}

static const char poppy[] =
    "{\"protocol_version\":\"0.3\",\"organization\":{\"name\":\"Shop\",\"domain\":\"shop.example\"},"
    "\"auth\":{\"issuer\":\"https://shop.example\",\"direct\":{\"scopes\":[\"orders:read\"]}},\"apis\":[{\"type\":"
    "\"openapi\",\"url\":\"https://shop.example/openapi.json\",\"description\":\"Orders.\"}]}";

static bool has_link(const struct findings *found)
{
    for (size_t i = 0; i < found->n; i++)
        if (str_starts(str_c(found->items[i].id), S("links.skill-")))
            return true;
    return false;
}

static double judge_once(enum kind kind, struct pap_str text, struct pap_str api)
{
    static struct plan plan;
    struct arena a;
    struct findings found = {0};
    struct bundle b = {.domain = S("")};
    double begin = cpu_seconds();
    arena_init(&a, NULL);
    add(&a, &b, kind, text);
    if (api.p) {
        add(&a, &b, KIND_POPPY, str_c(poppy));
        add(&a, &b, KIND_OPENAPI, api);
    }
    bundle_choose_version(&b, NULL);
    if (!is_ok(plan_make(&a, PROFILE_PUBLISH, NULL, NULL, &plan, NULL)) || !is_ok(judge(&a, &plan, &b, &found, NULL)) ||
        !found.n || (api.p && !has_link(&found)))
        abort();
    arena_fini(&a);
    return cpu_seconds() - begin;
}

static double measure(size_t row, size_t times, struct buf text[static 2])
{
    struct pap_str doc = make(&text[0], rows[row].head, rows[row].item, times * rows[row].n, rows[row].tail);
    struct pap_str api = rows[row].with ? make_api(&text[1], times * 2500) : str(NULL, 0);
    return judge_once(rows[row].kind, doc, api);
}

int main(void)
{
    struct buf text[2];
    double worst = 0;
    /* Freed memory is kept: how long the kernel takes for new pages is nobody's growth. */
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 30);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
    for (int i = 0; i < 2; i++)
        buf_init(&text[i], NULL, TEXT_MAX);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        double few = 1e9, many = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            double x = measure(row, 1, text), y = measure(row, STEPS, text);
            few = x < few ? x : few;
            many = y < many ? y : many;
        }
        printf("%.40s: %.1f and %.1f ms, ratio %.1f\n", rows[row].item[0] == '\n' ? "line ends" : rows[row].item,
               few * 1e3, many * 1e3, many / few);
        worst = many / few > worst ? many / few : worst;
    }
    for (int i = 0; i < 2; i++)
        buf_fini(&text[i]);
    printf("   %d times the document, below %d times the time: %s\n", STEPS, MOST, worst < MOST ? "yes" : "NO");
    return worst >= MOST;
}
