/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_store FILE|URL BYTES-COMMAND: the store of a census. Claims and finished results a second, what a domain that never
 * publishes takes after ten answers that differ each time, and pages of a list of 10,000 sites. The database is empty before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store/census.h"

enum { DOMAINS = 10000, SITES = 10000, BATCH = 500, ANSWERS = 10, ROUNDS = 20 };

static struct pap_err err;
static struct arena arena;
static int missed;

static void must(pap_result r)
{
    if (r.code == PAP_OK)
        return;
    fprintf(stderr, "bench_store: %s\n", err.text);
    exit(2);
}

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void judge(const char *what, double got, const char *unit, double most)
{
    bool good = got < most;
    missed += !good;
    printf("%-60s %9.2f %s (below %g): %s\n", what, got, unit, most, good ? "yes" : "NO");
}

static void add(struct census *c, size_t n, const char *kind)
{
    struct census_name names[BATCH];
    struct census_added added;
    double start = now_ms();
    for (size_t at = 0; at < n; at += BATCH) {
        arena_reset(&arena);
        for (size_t i = 0; i < BATCH; i++)
            names[i] = (struct census_name){.name = arena_fmt(&arena, "%s-%06zu.example", kind, at + i)};
        must(census_add(c, names, BATCH, 1, &added, &err));
    }
    printf("%-60s %9.0f a second\n", "domains added", (double)n / (now_ms() - start) * 1e3);
}

/* All domains are asked once, at time `at`; due again then. */
static void ask_all(struct census *c, int64_t at, int nth, bool sites)
{
    static struct census_result r[BATCH];
    static struct pap_str channels[] = {S_INIT("api"), S_INIT("mcp"), S_INIT("web")};
    static struct census_finding findings[] = {{S_INIT("poppy.operations"), 3, 1}, {S_INIT("http.type"), 2, 2}};
    struct census_batch b;
    struct census_finished f;
    do {
        arena_reset(&arena);
        must(census_claim(c, &arena, S("bench"), at, at + 300, BATCH, &b, &err));
        for (size_t i = 0; i < b.n; i++) {
            unsigned n = (unsigned)b.due[i].id;
            r[i] = (struct census_result){
                .id = b.due[i].id,
                .lease = b.due[i].lease,
                .at = at,
                .due_at = at + CENSUS_DAY,
                .outcome = sites ? CENSUS_PUBLISHES : (enum census_outcome)(CENSUS_ABSENT + nth % 3 * 2),
                .standing = sites ? CENSUS_GOOD : CENSUS_SHAKY,
                .rules = S("0.1.0"),
                .summary = {.version = n % 7 ? S("0.3") : S("1.0"),
                            .channels = {channels + n % 3, 1},
                            .skills = n % 40,
                            .errors = n % 11 < 8 ? 0 : n % 11},
                .findings = findings,
                .n_findings = n % 3,
            };
        }
        must(census_finish(c, r, b.n, &f, &err));
    } while (b.n == BATCH);
}

static double best_of_page(struct census *c, const struct census_query *q)
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        struct census_sites s;
        double start = now_ms();
        arena_reset(&arena);
        must(census_sites(c, &arena, q, &s, &err));
        double took = now_ms() - start;
        best = took < best ? took : best;
    }
    return best;
}

static double bytes_of(const char *command)
{
    FILE *f = popen(command, "r");
    double bytes = 0;
    if (!f || fscanf(f, "%lf", &bytes) != 1)
        fprintf(stderr, "bench_store: cannot tell the size of the database\n");
    if (f)
        (void)pclose(f);
    return bytes;
}

static void queue(struct census *c, const char *command)
{
    add(c, DOMAINS, "quiet");
    double start = now_ms();
    double bytes = 0, upkeep = 0;
    for (int nth = 0; nth < ANSWERS; nth++) {
        ask_all(c, 1 + nth * (int64_t)CENSUS_DAY, nth, false);
        double began = now_ms();
        bytes = bytes_of(command) / DOMAINS; /* with what PostgreSQL does by itself in the day between */
        upkeep += now_ms() - began;
    }
    printf("%-60s %9.0f a second\n", "domains claimed and finished, 500 at once",
           DOMAINS * (double)ANSWERS / (now_ms() - start - upkeep) * 1e3);
    judge("a domain without a document, ten answers, each another", bytes, "bytes", 1024);
    struct census_status s;
    start = now_ms();
    must(census_status(c, S("bench"), 1, &s, &err));
    printf("%-60s %9.2f ms\n", "status of 10,000 domains", now_ms() - start);
}

static void pages(struct census *c, const char *command)
{
    static const struct {
        const char *what;
        struct census_query q;
    } rows[] = {
        {"first page of 10,000 sites", {0}},
        {"last page", {.skip = SITES - CENSUS_PAGE}},
        {"by last change, newest first", {.sort = CENSUS_BY_CHANGED, .descending = true}},
        {"by errors, last page", {.sort = CENSUS_BY_ERRORS, .descending = true, .skip = SITES - CENSUS_PAGE}},
        {"search that finds one", {.search = S_INIT("site-009999")}},
        {"search that finds all", {.search = S_INIT("example"), .skip = 5000}},
        {"channel and version, by skills",
         {.channel = S_INIT("mcp"), .version = S_INIT("1.0"), .sort = CENSUS_BY_SKILLS}},
        {"everything, on the list or not", {.unlisted = true, .gone = true}},
    };
    add(c, SITES, "site");
    double start = now_ms();
    for (int day = 0; day < 2; day++)
        ask_all(c, 1 + (ANSWERS + day) * (int64_t)CENSUS_DAY, 0, true);
    printf("%-60s %9.0f a second\n", "sites claimed and finished", SITES * 2 / (now_ms() - start) * 1e3);
    (void)bytes_of(command);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        judge(rows[i].what, best_of_page(c, &rows[i].q), "ms", 5);
    struct census_counts counts;
    start = now_ms();
    must(census_tally(c, &arena, true, &counts, &err));
    printf("%-60s %9.2f ms\n", "counts of all sites", now_ms() - start);
}

int main(int argc, char **argv)
{
    struct db_options o = {.where = argc > 2 ? argv[1] : ""};
    struct census *c = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: bench_store FILE|URL BYTES-COMMAND\n");
        return 2;
    }
    arena_init(&arena, NULL);
    must(census_open(&o, &c, &err));
    queue(c, argv[2]);
    pages(c, argv[2]);
    census_close(c);
    arena_fini(&arena);
    return missed > 0;
}
