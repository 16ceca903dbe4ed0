/* SPDX-License-Identifier: Apache-2.0
 *
 * Records and surveys. Every script of tests/checks is surveyed, written as a record and read back: each format gives the same
 * bytes from the record as from the judged target. Damaged records, bytes that are no text, failing allocations, and what a
 * survey asks of those who publish nothing.
 */
#include <dirent.h>
#include <stdlib.h>

#include "check/survey.h"
#include "lib/script.h"
#include "report/record.h"
#include "sys/file.h"
#include "unit.h"

enum { NOON = 1796040000 /* 2026-11-30T12:00:00Z */ };

/* ---- a store of bodies ---- */

struct bodies {
    struct arena *arena;
    struct pap_str at[4096];
    size_t n;
};

static pap_result keep(void *ctx, struct pap_str body, struct pap_str *ret_name, struct pap_err *err)
{
    struct bodies *b = ctx;
    size_t i = 0;
    (void)err;
    while (i < b->n && !str_eq(b->at[i], body))
        i++;
    assert_true(i < sizeof b->at / sizeof *b->at);
    if (i == b->n)
        b->at[b->n++] = arena_str(b->arena, body);
    *ret_name = arena_fmt(b->arena, "body %zu", i);
    return b->at[i].p && ret_name->p ? OK : fail_memory(err);
}

static pap_result look_up(void *ctx, struct pap_str name, struct pap_str *ret_body, struct pap_err *err)
{
    struct bodies *b = ctx;
    uint64_t i;
    (void)err;
    *ret_body = str(NULL, 0);
    if (str_starts(name, S("body ")) && str_to_u64(str_skip(name, 5), &i) && i < b->n)
        *ret_body = b->at[i];
    return OK;
}

/* ---- formats ---- */

static void write_report(const struct report_target *t, enum pap_format format, struct report *r)
{
    struct report_total total = {.counts = {.targets = 1, .requests = 3}, .fail_on = PAP_ERROR};
    report_init(r, NULL);
    r->format = format;
    r->exchanges = true;
    r->width = 100;
    r->now = NOON;
    report_begin(r);
    report_target(r, t);
    report_end(r, &total);
    assert_ok(report_result(r, NULL));
}

static void same_reports(const char *name, const struct report_target *t, const struct report_target *back)
{
    for (enum pap_format f = PAP_TEXT; f <= PAP_MARKDOWN; f++) {
        struct report one, other;
        write_report(t, f, &one);
        write_report(back, f, &other);
        struct pap_str a = buf_str(&one.out), b = buf_str(&other.out);
        if (!str_eq(a, b)) {
            size_t at = str_first_difference(a, b);
            unit_fail("%s, format %d: at %zu \"%.*s\", from the record \"%.*s\"", name, f, at,
                      PSTR(str_take(str_skip(a, at), 80)), PSTR(str_take(str_skip(b, at), 80)));
        }
        report_fini(&one);
        report_fini(&other);
    }
}

/* ---- every script ---- */

struct trip {
    const char *name;
    unsigned ended, documents;
    bool published;
};

static pap_result round_trip(void *ctx, const struct surveyed *s, struct pap_err *err)
{
    struct trip *t = ctx;
    struct arena a;
    struct buf text, again;
    struct record *back;
    (void)err;
    arena_init(&a, NULL);
    struct bodies *bodies = arena_new(&a, struct bodies);
    bodies->arena = &a;
    buf_init(&text, NULL, LIMIT_REPORT);
    buf_init(&again, NULL, LIMIT_REPORT);
    assert_ok(record_write(&text, s->target, keep, bodies, NULL));
    assert_ok(record_read(&a, buf_str(&text), look_up, bodies, &back, NULL));
    same_reports(t->name, s->target, &back->target);
    assert_ok(record_write(&again, &back->target, keep, bodies, NULL));
    assert_true(str_eq(buf_str(&text), buf_str(&again)));
    t->ended++;
    t->documents = (unsigned)back->bundle.n_docs;
    t->published = s->published;
    buf_fini(&text);
    buf_fini(&again);
    arena_fini(&a);
    return OK;
}

static struct script *script_of(struct arena *a, const char *path, struct pap_str *ret_target)
{
    struct pap_str text, line;
    struct script *script;
    struct pap_err err;
    assert_ok(file_read(a, path, 1 << 22, &text, NULL, NULL));
    if (!str_next(&text, '\n', &line) || !str_starts(line, S("# target: ")))
        return NULL;
    *ret_target = str_trim(str_skip(line, 10));
    if (str_find(*ret_target, S("://")) < ret_target->n)
        return NULL; /* a URL is not for surveys */
    assert_ok(script_read(a, path, &script, &err));
    return script;
}

static void survey_one(struct script *script, struct pap_str domain, bool first_only, struct trip *t)
{
    struct pap_check_options check = {.now = NOON};
    struct survey_options o = {
        .check = &check, .first_only = first_only, .transport = script_transport(script), .done = round_trip, .ctx = t};
    struct survey *s;
    assert_ok(survey_new(&o, &s, NULL));
    assert_ok(survey_start(s, domain, t, NULL));
    while (survey_under_way(s))
        assert_ok(survey_step(s, 0, NULL));
    assert_int_equal(t->ended, 1);
    survey_free(s);
}

static unsigned scripts_in(const char *folder)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        struct arena a;
        struct pap_str domain;
        arena_init(&a, NULL);
        struct pap_str path = arena_fmt(&a, "%s/%s", folder, e->d_name);
        struct script *script = str_ends(path, S(".site")) ? script_of(&a, path.p, &domain) : NULL;
        if (script) {
            struct trip t = {.name = path.p};
            survey_one(script, domain, false, &t);
            n++;
        }
        arena_fini(&a);
    }
    closedir(d);
    return n;
}

static void every_format_is_the_same_from_the_record(void **state)
{
    unsigned n = 0;
    DIR *d = opendir(TESTS_FOLDER "/checks");
    (void)state;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char folder[512];
        if (e->d_name[0] == '.' || !strchr(e->d_name, '.') || strcmp(e->d_name, "meson.build") == 0)
            continue;
        snprintf(folder, sizeof folder, TESTS_FOLDER "/checks/%s", e->d_name);
        if (file_type_of(folder) == FILE_FOLDER)
            n += scripts_in(folder);
    }
    closedir(d);
    assert_true(n > 250);
}

/* ---- texts that are none, and what is dropped ---- */

static void bytes_come_back(void **state)
{
    (void)state;
    static struct header headers[] = {{S_INIT("X-Odd"), S_INIT("a\xff\0b")},
                                      {S_INIT("Set-Cookie"), S_INIT("id=s3cr3t")},
                                      {S_INIT("X-Empty"), S_INIT("")}};
    struct hop hop = {
        .method = S("GET"), .url = S("https://a.example/\xc3"), .status = 200, .headers = headers, .n_headers = 3};
    struct exchange x = {.method = S("GET"),
                         .url = hop.url,
                         .final_url = hop.url,
                         .hops = &hop,
                         .n_hops = 1,
                         .body = S("\0\xff"),
                         .fault = FAULT_TLS,
                         .fault_text = S("\x1b[31m <b> \xe2\x80\xae")};
    struct doc docs[2] = {{.next = &docs[1], .kind = KIND_POPPY, .name = hop.url, .exchange = &x, .bytes = S("")},
                          {.kind = KIND_INDEX, .role = ROLE_LEGACY, .name = S("n"), .exchange = &x}};
    struct bundle bundle = {.docs = docs, .last = &docs[1], .n_docs = 2};
    struct pap_finding f[3];
    for (int i = 0; i < 3; i++)
        f[i] = (struct pap_finding){.id = i < 2 ? "gone.rule" : "poppy.auth.issuer",
                                    .severity = PAP_WARNING,
                                    .specification = "<s>",
                                    .section = "",
                                    .title = "&",
                                    .where = hop.url,
                                    .at = S("/a\xff"),
                                    .line = UINT32_MAX,
                                    .message = S("\xff"),
                                    .mend = S("")};
    struct report_target t = {.target = S("a\n.example"), .bundle = &bundle, .findings = f, .n_findings = 3};
    struct arena a;
    struct buf out;
    struct record *back;
    arena_init(&a, NULL);
    buf_init(&out, NULL, LIMIT_REPORT);
    struct bodies *bodies = arena_new(&a, struct bodies);
    bodies->arena = &a;
    assert_ok(record_write(&out, &t, keep, bodies, NULL));
    struct pap_str text = buf_str(&out);
    assert_int_equal(str_find(text, S("s3cr3t")), text.n);
    assert_int_equal(str_find_char(text, '\n'), text.n);
    assert_ok(record_read(&a, text, look_up, bodies, &back, NULL));
    same_reports("odd bytes", &t, &back->target);
    const struct exchange *y = back->bundle.docs->exchange;
    assert_true(y == back->bundle.docs->next->exchange);
    assert_true(str_eq(y->body, S("\0\xff")));
    assert_true(str_eq(y->hops[0].headers[0].value, S("a\xff\0b")));
    assert_true(back->target.findings[0].id == back->target.findings[1].id);
    assert_true(back->target.findings[2].id == check_find(S("poppy.auth.issuer"))->id);
    buf_fini(&out);

    t = (struct report_target){.target = S("a.example"), .failure = S("name not found"), .ms = 12};
    buf_init(&out, NULL, LIMIT_REPORT);
    assert_ok(record_write(&out, &t, keep, bodies, NULL));
    assert_ok(record_read(&a, buf_str(&out), look_up, bodies, &back, NULL));
    same_reports("a failure", &t, &back->target);
    /* cut anywhere it is none, and no byte more is looked at */
    for (size_t n = 0; n < out.n; n++) {
        char *cut = malloc(n ? n : 1);
        struct record *none = NULL;
        memcpy(cut, out.p, n);
        assert_int_equal(record_read(&a, str(cut, n), look_up, bodies, &none, NULL).code, PAP_SYNTAX);
        free(cut);
    }
    buf_fini(&out);
    arena_fini(&a);
}

/* ---- what is asked of those who publish nothing, and of those who do ---- */

static void first_documents_only(void **state)
{
    (void)state;
#define POPPY "> GET https://a.example/.well-known/poppy.json\n"
#define INDEX "> GET https://a.example/.well-known/agent-skills/index.json\n"
#define JSON "< 200\n< Content-Type: application/json\n"
    static const struct {
        const char *site;
        size_t asked;
        bool published;
    } rows[] = {
        {POPPY "! dns\n", 1, false},
        {POPPY "! timeout\n", 1, false},
        {POPPY "! blocked\n", 1, false},
        {POPPY "! tls\n", 1, false},
        {POPPY "< 404\n", 2, false},
        {POPPY "< 503\n" INDEX "< 503\n", 2, false},
        {POPPY "< 200\n<!doctype html><p>Home\n%%\n" INDEX "< 200\n<!doctype html><p>Home\n", 2, false},
        {POPPY JSON "{}\n%%\n" INDEX JSON "[1]\n", 2, false},
        {POPPY JSON "{\"openapi\": \"3.1.0\"}\n%%\n" INDEX JSON "{\"keys\": []}\n", 2, false},
        {POPPY JSON "[{\"protocol_version\": \"0.1\"}]\n", 2, false},
        {POPPY "< 301\n< Location: http://a.example/\n", 2, false},
        /* these go on: to the twin, and to what they name */
        {POPPY JSON "{\"protocol_version\": 1}\n", 4, true},
        {POPPY JSON "{\"organization\": {}, \"auth\": {\"issuer\": \"https://id.example\"}}\n", 5, true},
        {POPPY "< 404\n" INDEX JSON "{\"skills\": [{\"type\": \"skill-md\", \"url\": \"/s/SKILL.md\"}]}\n", 5, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena a;
        struct script *script;
        struct trip t = {.name = "first"};
        arena_init(&a, NULL);
        assert_ok(script_parse(&a, str_c(rows[i].site), ".", &script, NULL));
        survey_one(script, S("a.example"), true, &t);
        if (script_asked_count(script) != rows[i].asked || t.published != rows[i].published)
            unit_fail("row %zu: %zu asked, %d", i, script_asked_count(script), t.published);
        arena_fini(&a);
    }
}

/* ---- without memory ---- */

static pap_result write_and_read(void *ctx, const struct surveyed *s, struct pap_err *err)
{
    struct fail_alloc *f = ctx;
    struct arena a, kept;
    struct buf out;
    struct record *back;
    arena_init(&a, &f->alloc);
    arena_init(&kept, NULL);
    buf_init(&out, &f->alloc, LIMIT_REPORT);
    struct bodies *bodies = arena_new(&kept, struct bodies);
    bodies->arena = &kept;
    pap_result r = record_write(&out, s->target, keep, bodies, err);
    if (is_ok(r))
        r = record_read(&a, buf_str(&out), look_up, bodies, &back, err);
    buf_fini(&out);
    arena_fini(&a);
    arena_fini(&kept);
    return r;
}

static void without_memory(void **state)
{
    (void)state;
    static const char site[] = POPPY JSON "{\"organization\": {}, \"auth\": {\"issuer\": \"https://id.example\"}}\n";
    unsigned n = 1;
    for (; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        struct arena a;
        struct script *script;
        struct survey *s;
        arena_init(&a, NULL);
        assert_ok(script_parse(&a, str(site, sizeof site - 1), ".", &script, NULL));
        fail_alloc_init(&f, n);
        struct pap_check_options check = {.alloc = &f.alloc, .now = NOON};
        struct survey_options o = {.check = &check,
                                   .first_only = true,
                                   .transport = script_transport(script),
                                   .done = write_and_read,
                                   .ctx = &f};
        pap_result r = survey_new(&o, &s, NULL);
        if (is_ok(r)) {
            r = survey_start(s, S("a.example"), NULL, NULL);
            while (is_ok(r) && survey_under_way(s))
                r = survey_step(s, 0, NULL);
            survey_free(s);
        }
        arena_fini(&a);
        assert_int_equal(f.live, 0);
        if (is_ok(r))
            break;
        assert_int_equal(r.code, PAP_NO_MEMORY);
    }
    assert_true(n > 10 && n < FAIL_ALLOC_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_the_same_from_the_record),
        cmocka_unit_test(bytes_come_back),
        cmocka_unit_test(first_documents_only),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
