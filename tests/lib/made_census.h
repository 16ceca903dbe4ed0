/* SPDX-License-Identifier: Apache-2.0
 *
 * A census of some sites, made up and written into a database: three days, a document that changes, hostile text in every
 * field of the first one. For unit tests, browsers and benchmarks.
 */
#ifndef TESTS_MADE_CENSUS_H
#define TESTS_MADE_CENSUS_H

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "crypto/digest.h"
#include "report/record.h"
#include "store/census.h"

#define must(good)                                                     \
    do {                                                               \
        if (!(good)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #good); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

struct made_census {
    struct arena arena;
    char database[160];
    struct census *census;
};

#define DAY_1 1795132800 /* 2026-11-20 00:00:00 UTC */
#define HOSTILE "=cmd|'/C_calc'!A0<script>x</script>\"\x1b[31m\xe2\x80\xae"

struct made {
    struct census_body record, bodies[2];
    size_t n_bodies;
    struct arena *arena;
};

static inline struct census_digest made_digest(struct pap_str bytes, char text[DIGEST_TEXT + 1])
{
    struct digest d;
    struct census_digest ret;
    must(is_ok(digest_sha256(&bytes, 1, &d, NULL)));
    digest_text(&d, text);
    memcpy(ret.b, d.b, sizeof ret.b);
    return ret;
}

static inline pap_result made_keep(void *ctx, struct pap_str body, struct pap_str *ret_name, struct pap_err *err)
{
    struct made *m = ctx;
    char text[DIGEST_TEXT + 1];
    (void)err;
    must(m->n_bodies < 2);
    m->bodies[m->n_bodies++] = (struct census_body){made_digest(body, text), body};
    *ret_name = arena_str(m->arena, str_c(text + 7));
    return OK;
}

/* The report of a site: a document with `line` in it, one finding of a rule at a place. */
static inline void made_record(struct arena *a, const char *name, const char *line, const char *rule, struct made *ret)
{
    struct bundle b = {.domain = str_c(name)};
    struct pap_finding f = {.id = rule,
                            .severity = PAP_ERROR,
                            .specification = "",
                            .section = "",
                            .title = "",
                            .where = S("poppy.json"),
                            .at = S("/a"),
                            .message = S(HOSTILE)};
    struct report_target t = {.target = str_c(name), .bundle = &b, .findings = &f, .n_findings = 1};
    struct buf text;
    char hex[DIGEST_TEXT + 1];
    *ret = (struct made){.arena = a};
    struct pap_str document = arena_fmt(a, "{\n  \"same\": true,\n%s\n  \"%s\": 0\n}\n", line, "<script>x");
    must(bundle_add(&b, a, (struct doc){.kind = KIND_POPPY, .name = S("poppy.json"), .bytes = document}));
    bundle_choose_version(&b, NULL);
    buf_init(&text, NULL, 1 << 20);
    must(is_ok(record_write(&text, &t, made_keep, ret, NULL)));
    ret->record.bytes = arena_str(a, buf_str(&text));
    ret->record.digest = made_digest(ret->record.bytes, hex);
    buf_fini(&text);
}

/* One round of the census: every site is good, and every tenth of them is another one than the day before. */
static inline void sites_round(struct made_census *f, size_t n, unsigned day)
{
    struct census_batch batch;
    struct census_finished done;
    int64_t now = DAY_1 + (int64_t)day * CENSUS_DAY;
    must(is_ok(census_claim(f->census, &f->arena, S("test"), now, now + 3600, n, &batch, NULL)));
    must(batch.n == n);
    struct census_result *results = arena_new_array(&f->arena, n, struct census_result);
    struct made *made = arena_new_array(&f->arena, n, struct made);
    for (size_t i = 0; i < n; i++) {
        const struct census_due *d = &batch.due[i];
        uint64_t nth = 0;
        must(str_to_u64(str_take(str_skip(d->name, 4), d->name.n - 12), &nth));
        struct census_result *r = &results[i];
        *r = (struct census_result){.id = d->id,
                                    .lease = d->lease,
                                    .at = now,
                                    .due_at = now + CENSUS_DAY,
                                    .outcome = CENSUS_PUBLISHES,
                                    .standing = CENSUS_GOOD,
                                    .rules = S("1")};
        struct pap_str *words = arena_new_array(&f->arena, 3, struct pap_str);
        words[0] = nth % 3 == 0 ? S("api") : S("web");
        words[1] = S("device");
        words[2] = nth == 0 ? S(HOSTILE) : S("direct");
        r->summary = (struct census_summary){.version = nth == 0  ? S(HOSTILE)
                                                        : nth % 2 ? S("0.1")
                                                                  : S("0.2"),
                                             .channels = {words, 1},
                                             .sign_in = {nth % 5 == 0 ? &words[1] : &words[2], 1},
                                             .skills = (uint32_t)(nth % 4),
                                             .skills_where = nth % 4 ? CENSUS_SKILLS_EMBEDDED : CENSUS_NO_SKILLS,
                                             .errors = (uint32_t)(nth % 7)};
        r->fingerprint[0] = (unsigned char)(day + 1);
        memcpy(r->fingerprint + 1, &nth, sizeof nth);
        struct census_finding *finding = arena_new(&f->arena, struct census_finding);
        *finding = (struct census_finding){nth == 0 ? S(HOSTILE) : S("poppy.auth.issuer"), CENSUS_FINDING_ERROR, 1};
        r->findings = finding;
        r->n_findings = 1;
        made_record(&f->arena, arena_cstr(&f->arena, d->name), day ? "  \"a\": 2," : "  \"a\": 1,",
                    day ? "poppy.auth.issuer" : "poppy.auth", &made[i]);
        r->record = &made[i].record;
        r->bodies = made[i].bodies;
        r->n_bodies = made[i].n_bodies;
    }
    must(is_ok(census_finish(f->census, results, n, &done, NULL)));
    must(done.taken == n);
    must(is_ok(census_snapshot(f->census, now, NULL)));
}

/* Three days of a census of n sites, in a new database. */
static inline void sites_fill(struct made_census *f, size_t n)
{
    struct pap_err err = {.text = ""};
    struct census_added added;
    struct db_options o = {.where = f->database};
    must(is_ok(census_open(&o, &f->census, &err)));
    struct census_name *names = arena_new_array(&f->arena, n, struct census_name);
    for (size_t i = 0; i < n; i++)
        names[i].name = arena_fmt(&f->arena, "shop%zu.example", i);
    must(is_ok(census_add(f->census, names, n, DAY_1, &added, NULL)));
    sites_round(f, n, 0);
    sites_round(f, n, 2);
    sites_round(f, n, 4);
}

#endif
