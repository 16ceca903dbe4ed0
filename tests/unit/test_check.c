/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole check, from targets to report, with answers from a script: what is asked, what is counted, which exit status,
 * and that every failing allocation ends as a failure.
 */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "check/checker.h"
#include "lib/script.h"
#include "sys/file.h"

static const char site[] =
    "> GET https://shop.example/.well-known/poppy.json\n"
    "< 200\n"
    "< Content-Type: application/json\n"
    "< Cache-Control: max-age=60\n"
    "{ \"protocol_version\": \"0.1\", \"organization\": { \"name\": \"S\", \"domain\": \"shop.example\" },\n"
    "  \"auth\": { \"issuer\": \"https://id.shop.example/t\" },\n"
    "  \"apis\": [ { \"type\": \"openapi\", \"url\": \"https://api.shop.example/openapi.json\", \"description\": \"x\" "
    "},\n"
    "            { \"type\": \"mcp\", \"url\": \"https://mcp.shop.example/mcp\", \"description\": \"y\" } ],\n"
    "  \"skill_index\": { \"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", \"skills\": [\n"
    "    { \"name\": \"change-booking\", \"description\": \"d\", \"type\": \"skill-md\", \"url\": \"/s/SKILL.md\",\n"
    "      \"digest\": \"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\" } ] } }\n"
    "> GET https://id.shop.example/.well-known/oauth-authorization-server/t\n"
    "< 200\n"
    "< Content-Type: application/json\n"
    "{ \"issuer\": \"https://id.shop.example/t/\", \"poppy_domains\": [\"other.example\"] }\n"
    "> GET https://shop.example/s/SKILL.md\n"
    "< 200\n"
    "< Content-Type: text/markdown\n"
    "---\n"
    "name: change-booking\n"
    "description: d\n"
    "---\n"
    "See [the list](references/list.md) and `orders:write`.\n"
    "> GET https://mcp.shop.example/mcp\n"
    "< 401\n"
    "< WWW-Authenticate: Bearer resource_metadata=\"https://mcp.shop.example/meta\"\n"
    "> GET https://www.shop.example/.well-known/poppy.json\n"
    "! dns\n";

struct sink {
    char ids[64][64];
    size_t n, bytes;
};

static void note(void *ctx, const struct pap_finding *f)
{
    struct sink *s = ctx;
    if (s->n < 64)
        snprintf(s->ids[s->n++], 64, "%s", f->id);
}

static bool swallow(void *ctx, const char *bytes, size_t n)
{
    struct sink *s = ctx;
    (void)bytes;
    s->bytes += n;
    return true;
}

static bool gave(const struct sink *s, const char *id)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->ids[i], id) == 0)
            return true;
    return false;
}

static struct script *make_script(struct arena *a)
{
    struct script *s;
    struct pap_err err;
    assert_ok(script_parse(a, str_c(site), ".", &s, &err));
    return s;
}

static struct pap_check_options with(struct sink *s)
{
    return (struct pap_check_options){.now = 1796040000, .finding = note, .write = swallow, .ctx = s};
}

static const char *const shop[] = {"shop.example"};

static void a_company_is_walked(void **state)
{
    (void)state;
    struct arena a;
    struct sink s = {.n = 0};
    struct pap_counts counts;
    int status = -1;
    arena_init(&a, NULL);
    struct script *script = make_script(&a);
    struct pap_check_options o = with(&s);
    assert_ok(checker_run(&o, script_transport(script), shop, 1, &counts, &status, NULL));
    assert_int_equal(status, 1);
    assert_true(gave(&s, "links.issuer"));
    assert_true(gave(&s, "links.poppy-domains"));
    assert_true(gave(&s, "links.digest"));
    assert_true(gave(&s, "skill.reference"));
    assert_true(gave(&s, "openapi.http.status"));
    assert_int_equal(script_count(script, "GET", "https://mcp.shop.example/meta"), 1);
    assert_int_equal(script_count(script, "GET", "https://shop.example/.well-known/poppy.json"), 1);
    assert_int_equal(script_count(script, "GET", "https://shop.example/s/SKILL.md"), 1);
    assert_true(counts.errors >= 4);
    assert_int_equal(counts.targets, 1);
    assert_true(counts.requests >= 7);
    arena_fini(&a);
}

static void only_what_is_needed_is_asked(void **state)
{
    (void)state;
    struct arena a;
    struct sink s = {.n = 0};
    int status = -1;
    static const char *const only[][2] = {{"poppy.auth", NULL}, {"poppy", NULL}};
    for (int i = 0; i < 2; i++) {
        s.n = 0;
        arena_init(&a, NULL);
        struct script *script = make_script(&a);
        struct pap_check_options o = with(&s);
        o.only = only[i];
        assert_ok(checker_run(&o, script_transport(script), shop, 1, NULL, &status, NULL));
        assert_int_equal(script_asked_count(script), 1);
        assert_int_equal(status, 0);
        arena_fini(&a);
    }
}

static void nothing_is_posted_unless_asked_for(void **state)
{
    (void)state;
    for (int mcp = 0; mcp < 2; mcp++) {
        struct arena a;
        struct sink s = {.n = 0};
        int status;
        unsigned posts = 0;
        arena_init(&a, NULL);
        struct script *script = make_script(&a);
        struct pap_check_options o = with(&s);
        o.mcp = mcp;
        assert_ok(checker_run(&o, script_transport(script), shop, 1, NULL, &status, NULL));
        for (size_t i = 0; i < script_asked_count(script); i++)
            posts +=
                !str_is(script_asked(script, i)->method, "GET") && !str_is(script_asked(script, i)->method, "HEAD");
        assert_int_equal(posts, mcp);
        arena_fini(&a);
    }
}

/* A transport that sends the first request only when nothing else is left to do. */
struct late {
    struct transport base; /* first */
    struct transport *inner;
    struct arena *arena;
    struct request request;
    struct budget *budget;
    request_done *done;
    void *ctx;
    bool seen, held;
};

static struct late *late_of(const struct transport *t)
{
    return (struct late *)(uintptr_t)t;
}

static pap_result late_start(struct transport *t, struct arena *a, const struct request *r, struct budget *b,
                             request_done *done, void *ctx)
{
    struct late *l = late_of(t);
    if (l->seen)
        return l->inner->start(l->inner, a, r, b, done, ctx);
    l->seen = l->held = true;
    l->arena = a;
    l->request = *r;
    l->budget = b;
    l->done = done;
    l->ctx = ctx;
    return OK;
}

static size_t late_pending(const struct transport *t)
{
    return late_of(t)->inner->pending(late_of(t)->inner) + late_of(t)->held;
}

static pap_result late_step(struct transport *t, int timeout_ms, struct pap_err *err)
{
    struct late *l = late_of(t);
    if (l->held && l->inner->pending(l->inner) == 0) {
        l->held = false;
        TRY(l->inner->start(l->inner, l->arena, &l->request, l->budget, l->done, l->ctx));
    }
    return l->inner->step(l->inner, timeout_ms, err);
}

static void late_free(struct transport *t)
{
    (void)t;
}

/* An index with more skills than a check makes requests must not starve what poppy.json names. */
static void what_poppy_names_is_asked_before_artifacts(void **state)
{
    (void)state;
    struct arena a;
    struct sink s = {.n = 0};
    struct script *script;
    struct pap_err err;
    int status;
    arena_init(&a, NULL);
    struct pap_str text =
        S("> GET https://shop.example/.well-known/poppy.json\n< 200\n"
          "{ \"protocol_version\": \"0.1\", \"auth\": { \"issuer\": \"https://id.shop.example\" } }\n"
          "> GET https://shop.example/.well-known/agent-skills/index.json\n< 200\n{ \"skills\": [ {}");
    for (int i = 0; i < 300; i++)
        text = arena_fmt(&a, "%.*s, { \"type\": \"skill-md\", \"url\": \"/s/%d/SKILL.md\" }", PSTR(text), i);
    text = arena_fmt(&a, "%.*s ] }\n", PSTR(text));
    assert_ok(script_parse(&a, text, ".", &script, &err));
    struct pap_check_options o = with(&s);
    struct late late = {.base = {late_start, late_step, late_pending, late_free}, .inner = script_transport(script)};
    assert_ok(checker_run(&o, &late.base, shop, 1, NULL, &status, NULL));
    assert_int_equal(script_count(script, "GET", "https://id.shop.example/.well-known/oauth-authorization-server"), 1);
    assert_int_equal(script_count(script, "GET", "https://shop.example/s/0/SKILL.md"), 1);
    assert_int_equal(script_asked_count(script), LIMIT_REQUESTS);
    arena_fini(&a);
}

/* Each entry is judged; the file is read and judged once. */
static void a_file_that_many_entries_name_is_one_document(void **state)
{
    (void)state;
    struct arena a;
    struct sink s = {.n = 0};
    struct script *script;
    struct pap_err err;
    struct pap_counts counts;
    int status;
    static const char *const index[] = {"https://shop.example/index.json"};
    arena_init(&a, NULL);
    struct pap_str text =
        S("> GET https://shop.example/s/SKILL.md\n< 200\n---\nname: a\ndescription: d\n---\n[x](no.md)\n%%\n"
          "> GET https://shop.example/index.json\n< 200\n{ \"skills\": [ {}");
    for (int i = 0; i < 3; i++)
        text = arena_fmt(&a,
                         "%.*s, { \"name\": \"n%d\", \"type\": \"skill-md\", \"url\": \"/s/SKILL.md\", \"digest\": "
                         "\"sha256:%d123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\" }",
                         PSTR(text), i, i);
    text = arena_fmt(&a, "%.*s ] }\n", PSTR(text));
    assert_ok(script_parse(&a, text, ".", &script, &err));
    struct pap_check_options o = with(&s);
    static const char *const only[] = {"links.digest", "links.skill-name", "skill.reference", NULL};
    o.only = only;
    assert_ok(checker_run(&o, script_transport(script), index, 1, &counts, &status, NULL));
    assert_int_equal(counts.documents, 2);
    size_t digests = 0, names = 0, references = 0;
    for (size_t i = 0; i < s.n; i++) {
        digests += strcmp(s.ids[i], "links.digest") == 0;
        names += strcmp(s.ids[i], "links.skill-name") == 0;
        references += strcmp(s.ids[i], "skill.reference") == 0;
    }
    assert_int_equal(digests, 3);
    assert_int_equal(names, 3);
    assert_int_equal(references, 1);
    arena_fini(&a);
}

static void the_answer_of_an_event_stream_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        bool right;
    } rows[] = {
        {"< 200\n< Content-Type: text/event-stream\n"
         ": ping\n\nid: 1\ndata: {\"jsonrpc\": \"2.0\", \"method\": \"notifications/message\"}\n\n"
         "event: message\ndata: {\"jsonrpc\": \"2.0\", \"id\": 1,\ndata: \"result\": {\"protocolVersion\": \"1\",\n"
         "data:\"capabilities\": {}, \"serverInfo\": {\"name\": \"x\"}}}\n\n",
         true},
        {"< 200\n< Content-Type: text/event-stream\n: ping\n\n", false},
        {"< 202\n@none\n", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arena a;
        struct sink s = {.n = 0};
        struct script *script;
        struct pap_err err;
        int status;
        arena_init(&a, NULL);
        struct pap_str text =
            arena_fmt(&a,
                      "> GET https://shop.example/.well-known/poppy.json\n< 200\n{ \"protocol_version\": \"0.1\", "
                      "\"apis\": [ { \"type\": \"mcp\", \"url\": \"https://shop.example/mcp\" } ] }\n"
                      "> GET https://shop.example/mcp\n< 405\n> POST https://shop.example/mcp\n%s",
                      rows[i].answer);
        assert_ok(script_parse(&a, text, ".", &script, &err));
        struct pap_check_options o = with(&s);
        static const char *const only[] = {"mcp.initialize", "text", "json", NULL};
        o.only = only;
        o.mcp = true;
        assert_ok(checker_run(&o, script_transport(script), shop, 1, NULL, &status, NULL));
        assert_int_equal(status, !rows[i].right);
        arena_fini(&a);
    }
}

static void an_unreachable_company_is_a_failure(void **state)
{
    (void)state;
    static const char *const faults[] = {"dns", "refused", "blocked", "timeout", "tls"};
    for (size_t i = 0; i < 5; i++) {
        struct arena a;
        struct sink s = {.n = 0};
        struct script *script;
        struct pap_err err;
        int status;
        arena_init(&a, NULL);
        struct pap_str text = arena_fmt(&a, "> GET https://shop.example/.well-known/poppy.json\n! %s\n", faults[i]);
        assert_ok(script_parse(&a, text, ".", &script, &err));
        struct pap_check_options o = with(&s);
        assert_ok(checker_run(&o, script_transport(script), shop, 1, NULL, &status, NULL));
        assert_int_equal(status, i < 4 ? 3 : 1);
        assert_int_equal(gave(&s, "poppy.http.status"), i == 4);
        arena_fini(&a);
    }
}

static void a_baseline_accepts_and_goes_stale(void **state)
{
    (void)state;
    char path[] = "/tmp/papaver-baseline-XXXXXX";
    struct arena a;
    struct sink s = {.n = 0};
    struct pap_counts counts;
    int status;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    arena_init(&a, NULL);
    struct pap_check_options o = with(&s);
    o.write_baseline = path;
    assert_ok(checker_run(&o, script_transport(make_script(&a)), shop, 1, NULL, &status, NULL));
    o.write_baseline = NULL;
    o.baseline = path;
    assert_ok(checker_run(&o, script_transport(make_script(&a)), shop, 1, &counts, &status, NULL));
    assert_int_equal(status, 0);
    assert_int_equal(counts.errors, 0);
    assert_true(counts.known > 5);
    const char *const only[] = {"poppy.auth", NULL};
    o.only = only;
    assert_ok(checker_run(&o, script_transport(make_script(&a)), shop, 1, &counts, &status, NULL));
    assert_int_equal(status, 1);
    assert_true(counts.stale_baseline > 5);
    unlink(path);
    arena_fini(&a);
}

static void words_mean_targets(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        enum pap_code code;
        enum target_type type;
        bool insecure_http;
    } rows[] = {
        {"shop.example", PAP_OK, TARGET_DOMAIN},
        {"shop.example:8443", PAP_OK, TARGET_DOMAIN},
        {"https://shop.example", PAP_OK, TARGET_DOMAIN},
        {"https://shop.example/", PAP_OK, TARGET_DOMAIN},
        {"https://shop.example/a.json", PAP_OK, TARGET_URL},
        {"http://shop.example/a", PAP_USAGE, TARGET_URL},
        {"http://127.0.0.1:8080", PAP_USAGE, TARGET_URL},
        {"http://127.0.0.1:8080", PAP_OK, TARGET_DOMAIN, true},
        {"http://127.0.0.1:8080/", PAP_OK, TARGET_DOMAIN, true},
        {"http://127.0.0.1:8080/a", PAP_OK, TARGET_URL, true},
        {"https://u:p@shop.example/a", PAP_USAGE, TARGET_URL},
        {"-", PAP_OK, TARGET_STDIN},
        {"./nothing-here", PAP_IO, TARGET_FILE},
        {"/", PAP_OK, TARGET_FOLDER},
        {".", PAP_OK, TARGET_FOLDER},
        {"shop", PAP_USAGE, TARGET_DOMAIN},
        {"", PAP_USAGE, TARGET_DOMAIN},
        {"shop example.com", PAP_USAGE, TARGET_DOMAIN},
        {"localhost:8443", PAP_OK, TARGET_DOMAIN},
        {"shop.example:0", PAP_USAGE, TARGET_DOMAIN},
        {"/dev/null", PAP_IO, TARGET_FILE},
        {"ftp://shop.example/", PAP_USAGE, TARGET_URL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum target_type type = rows[i].type;
        struct pap_err err;
        pap_result r = target_classify(rows[i].word, rows[i].insecure_http, &type, &err);
        if (r.code != rows[i].code || type != rows[i].type)
            unit_fail("%s: code %d, type %d", rows[i].word, r.code, type);
    }
}

static void bad_options_are_told(void **state)
{
    (void)state;
    struct pap_err err;
    int status;
    const char *const none[] = {"poppy.auht.issuer", NULL};
    struct pap_check_options o = {.as_version = "0.9"};
    assert_int_equal(checker_run(&o, NULL, shop, 0, NULL, &status, &err).code, PAP_USAGE);
    o = (struct pap_check_options){.kind = "popy"};
    assert_int_equal(checker_run(&o, NULL, shop, 0, NULL, &status, &err).code, PAP_USAGE);
    o = (struct pap_check_options){.only = none};
    assert_int_equal(checker_run(&o, NULL, shop, 0, NULL, &status, &err).code, PAP_USAGE);
    assert_non_null(strstr(err.text, "poppy.auth.issuer"));
    o = (struct pap_check_options){.baseline = "/nonexistent/b.json"};
    assert_int_equal(checker_run(&o, NULL, shop, 0, NULL, &status, &err).code, PAP_IO);
}

static bool refuse(void *ctx, const char *bytes, size_t n)
{
    (void)ctx;
    (void)bytes;
    (void)n;
    return false;
}

static bool cancel(void *ctx, const struct pap_progress *p)
{
    (void)ctx;
    (void)p;
    return false;
}

static void a_closed_sink_and_a_cancel_stop_the_run(void **state)
{
    (void)state;
    struct arena a;
    struct sink s = {.n = 0};
    int status;
    arena_init(&a, NULL);
    struct pap_check_options o = with(&s);
    o.write = refuse;
    assert_int_equal(checker_run(&o, script_transport(make_script(&a)), shop, 1, NULL, &status, NULL).code, PAP_IO);
    o = with(&s);
    o.progress = cancel;
    assert_int_equal(checker_run(&o, script_transport(make_script(&a)), shop, 1, NULL, &status, NULL).code,
                     PAP_CANCELLED);
    arena_fini(&a);
}

/* Every allocation in turn: the run either succeeds or says that memory ran out, and nothing is left over. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (enum pap_format format = PAP_TEXT; format <= PAP_MARKDOWN; format++) {
        for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            struct arena a;
            struct sink s = {.n = 0};
            int status;
            fail_alloc_init(&f, n);
            arena_init(&a, NULL);
            struct pap_check_options o = with(&s);
            o.alloc = &f.alloc;
            o.format = format;
            o.exchanges = true;
            pap_result r = checker_run(&o, script_transport(make_script(&a)), shop, 1, NULL, &status, NULL);
            arena_fini(&a);
            assert_int_equal(f.live, 0);
            if (is_ok(r) && f.calls < n)
                break;
            if (!is_ok(r))
                assert_int_equal(r.code, PAP_NO_MEMORY);
            else
                unit_fail("format %d: allocation %u failed and nobody said so", format, n);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_company_is_walked),
        cmocka_unit_test(only_what_is_needed_is_asked),
        cmocka_unit_test(nothing_is_posted_unless_asked_for),
        cmocka_unit_test(what_poppy_names_is_asked_before_artifacts),
        cmocka_unit_test(a_file_that_many_entries_name_is_one_document),
        cmocka_unit_test(the_answer_of_an_event_stream_is_found),
        cmocka_unit_test(an_unreachable_company_is_a_failure),
        cmocka_unit_test(a_baseline_accepts_and_goes_stale),
        cmocka_unit_test(words_mean_targets),
        cmocka_unit_test(bad_options_are_told),
        cmocka_unit_test(a_closed_sink_and_a_cancel_stop_the_run),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
