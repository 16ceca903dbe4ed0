/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader against cJSON, both in this run: reading and freeing, process CPU time, best of several rounds that
 * take turns. Then how the cost grows, and inputs made to be slow. Ends with 1 when a target is missed.
 * Files named as arguments are compared too.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "text/json.h"

enum { ROUNDS = 7, TEXT_MAX = 64 << 20, MANY = 100 * 1000 };

static bool missed;

static void judge(bool good, const char *target)
{
    printf("   %s: %s\n", target, good ? "yes" : "NO");
    missed |= !good;
}

static double cpu_seconds(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void read_ours(struct arena *a, struct pap_str text, bool good)
{
    struct notes notes = {0};
    struct json *root = NULL;
    if (!is_ok(json_read(a, text, &root, &notes)) || (root != NULL) != good)
        abort();
}

static void read_cjson(struct pap_str text)
{
    cJSON *root = cJSON_ParseWithLength(text.p, text.n);
    if (!root)
        abort();
    cJSON_Delete(root);
}

/* Best seconds of one reading; the arena is used again and again, as a check of many documents does. */
static void measure(struct pap_str text, unsigned times, double *ret_ours, double *ret_cjson)
{
    struct arena a;
    arena_init(&a, NULL);
    *ret_ours = *ret_cjson = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = cpu_seconds();
        for (unsigned i = 0; i < times; i++) {
            read_ours(&a, text, true);
            arena_reset(&a);
        }
        double middle = cpu_seconds();
        for (unsigned i = 0; i < times; i++)
            read_cjson(text);
        double end = cpu_seconds();
        if (middle - start < *ret_ours * times)
            *ret_ours = (middle - start) / times;
        if (end - middle < *ret_cjson * times)
            *ret_cjson = (end - middle) / times;
    }
    arena_fini(&a);
}

/* What a tree takes of a fresh arena, and what the arena took of the allocator for it. */
static void print_memory(struct pap_str text)
{
    struct arena a;
    arena_init(&a, NULL);
    read_ours(&a, text, true);
    double used = (double)(a.total - (size_t)(a.end - a.at)) / (double)text.n;
    printf("   arena bytes / document bytes: %.2f used, %.2f allocated\n", used, (double)a.total / (double)text.n);
    judge(used <= 2, "at most 2 used");
    arena_fini(&a);
}

static void compare(const char *name, struct pap_str text, unsigned times)
{
    double ours, cjson, mb = (double)text.n / 1e6;
    measure(text, times, &ours, &cjson);
    printf("%s, %zu bytes: %.0f MB/s; cJSON %.0f MB/s; ratio %.2f\n", name, text.n, mb / ours, mb / cjson,
           cjson / ours);
    judge(cjson / ours >= 2, "at least 2 times cJSON");
    print_memory(text);
}

/* ---- documents ---------------------------------------------------------------------------------------------------- */

static struct pap_str poppy(struct buf *b)
{
    buf_reset(b);
    buf_add(
        b,
        S("{\n  \"protocol_version\": \"0.1\",\n  \"organization\": {\n    \"name\": \"Bl\xc3\xbctenhaus \\u0026 "
          "S\xc3\xb6hne\",\n    \"domain\": \"flowers.example\"\n  },\n  \"auth\": {\n    \"issuer\": "
          "\"https://auth.flowers.example\",\n    \"direct\": { \"scopes\": [\"poppy:read\", \"poppy:write\"] }\n  },\n"
          "  \"apis\": ["));
    for (int i = 0; i < 19; i++)
        buf_fmt(b,
                "%s\n    {\n      \"type\": \"openapi\",\n      \"url\": "
                "\"https://api.flowers.example/v%d/openapi.json\",\n"
                "      \"scopes\": [\"poppy:read\", \"orders:%d\"],\n      \"stable\": %s,\n"
                "      \"description\": \"Orders, returns and \\\"same day\\\" delivery \xe2\x80\x93 Gr\xc3\xbc\xc3\x9f"
                "e, part %d\"\n    }",
                i ? "," : "", i, i, i % 2 ? "true" : "false", i);
    buf_add(b, S("\n  ],\n  \"extensions\": { \"operations\": { \"version\": 1 } }\n}\n"));
    return buf_str(b);
}

static struct pap_str skill_index(struct buf *b, unsigned entries)
{
    buf_reset(b);
    buf_add(b, S("{\n  \"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\n  \"skills\": ["));
    for (unsigned i = 0; i < entries; i++)
        buf_fmt(
            b,
            "%s\n    {\n      \"name\": \"change-flower-delivery-%u\",\n      \"type\": \"skill-md\",\n"
            "      \"description\": \"Change the date, the address or the card of delivery %u. Use when a person asks "
            "to move an order, to send it elsewhere or to change what the card says.\",\n"
            "      \"url\": \"https://flowers.example/.well-known/agent-skills/change-flower-delivery-%u/SKILL.md\",\n"
            "      \"digest\": \"sha256:%064x\"\n    }",
            i ? "," : "", i, i, i, i * 2654435761U);
    buf_add(b, S("\n  ]\n}\n"));
    return buf_str(b);
}

static struct pap_str members(struct buf *b, unsigned distinct)
{
    buf_reset(b);
    for (unsigned i = 0; i < MANY; i++)
        buf_fmt(b, "%c\"member-%u\":%u", i ? ',' : '{', i % distinct, i);
    buf_char(b, '}');
    return buf_str(b);
}

static struct pap_str repeated(struct buf *b, const char *before, const char *what, const char *after)
{
    buf_reset(b);
    buf_add(b, str_c(before));
    while (b->n < 1 << 20)
        buf_add(b, str_c(what));
    buf_add(b, str_c(after));
    return buf_str(b);
}

/* ---- growth and hostile inputs ------------------------------------------------------------------------------------ */

static double seconds_of(struct pap_str text, bool good)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        struct arena a;
        arena_init(&a, NULL);
        double start = cpu_seconds();
        read_ours(&a, text, good);
        arena_fini(&a);
        double took = cpu_seconds() - start;
        best = took < best ? took : best;
    }
    return best;
}

/* Freed memory is kept from here on: how long the kernel takes for new pages is not the reader's growth. */
static void growth(struct buf *b)
{
    (void)mallopt(M_MMAP_THRESHOLD, TEXT_MAX);
    (void)mallopt(M_TRIM_THRESHOLD, 2 * TEXT_MAX);
    double few = seconds_of(skill_index(b, 1040), true), more = seconds_of(skill_index(b, 10400), true);
    double most = seconds_of(skill_index(b, 104000), true);
    printf("1,040, 10,400 and 104,000 entries: %.2f, %.2f and %.2f ms; ratios %.1f and %.1f\n", few * 1e3, more * 1e3,
           most * 1e3, more / few, most / more);
    judge(more / few < 15 && most / more < 15, "10 times the entries, below 15 times the time");
}

static void hostile(const char *name, struct pap_str text, bool good)
{
    double ms = seconds_of(text, good) * 1e3;
    printf("%s, %zu bytes: %.2f ms\n", name, text.n, ms);
    judge(ms < 100, "below 100 ms");
}

static void compare_file(struct buf *b, const char *path)
{
    buf_reset(b);
    FILE *f = fopen(path, "rb");
    char *room = buf_room(b, TEXT_MAX);
    if (!f || !room)
        abort();
    buf_grew(b, fread(room, 1, TEXT_MAX, f));
    (void)fclose(f);
    compare(path, buf_str(b), b->n < 100000 ? 2000 : 2);
}

int main(int argc, char **argv)
{
    struct buf b;
    buf_init(&b, NULL, TEXT_MAX);
    compare("poppy.json", poppy(&b), 2000);
    compare("skill index", skill_index(&b, 10400), 2);
    growth(&b);
    hostile("1 MB of [", repeated(&b, "", "[", ""), false);
    hostile("1 MB of {\"\":", repeated(&b, "", "{\"\":", ""), false);
    hostile("1 MB of [],", repeated(&b, "[", "[],", "0]"), true);
    hostile("1 MB of \\u0000", repeated(&b, "\"", "\\u0000", "\""), true);
    hostile("1 MB of digits", repeated(&b, "0.", "1", ""), true);
    hostile("1 MB of 1e309,", repeated(&b, "[", "1e309,", "0]"), true);
    hostile("100,000 members of one name", members(&b, 1), true);
    hostile("100,000 members of 50,000 names", members(&b, MANY / 2), true);
    hostile("100,000 distinct members", members(&b, MANY), true);
    for (int i = 1; i < argc; i++)
        compare_file(&b, argv[i]);
    buf_fini(&b);
    return missed;
}
