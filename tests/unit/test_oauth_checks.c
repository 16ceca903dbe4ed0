/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of OAuth documents, keys and API descriptions beyond their cases in tests/checks: nothing of a private key gets
 * out, whatever is broken; hostile sizes cost little; memory that runs out is a failure.
 */
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "check/checker.h"
#include "lib/script.h"
#include "proto/check.h"
#include "unit.h"

/* Judges one document of that kind by all rows. */
static pap_result judge_text(struct arena *a, enum kind kind, const char *name, struct pap_str bytes,
                             struct findings *ret)
{
    static struct plan plan;
    struct bundle b = {.domain = S("")};
    struct doc d = {.kind = kind, .name = str_c(name), .bytes = bytes};
    TRY(plan_make(a, PROFILE_CHECK, NULL, NULL, &plan, NULL));
    TRY(doc_read(a, &d));
    if (!bundle_add(&b, a, d))
        return fail_memory(NULL);
    bundle_choose_version(&b, NULL);
    return judge(a, &plan, &b, ret, NULL);
}

static bool has(const struct findings *f, const char *id)
{
    for (size_t i = 0; i < f->n; i++)
        if (str_is(str_c(f->items[i].id), id))
            return true;
    return false;
}

/* ---- secrets ---- */

/* Six bytes of it in a row are too much. */
#define SECRET "Zq7Xw0Kv9Jm2Rb5Hc8Ld1Ng4Tf6Ys3Pu0aA"

static bool leaks(struct pap_str s)
{
    for (size_t i = 0; i + 6 <= sizeof SECRET - 1; i++)
        if (str_find(s, str(&SECRET[i], 6)) < s.n)
            return true;
    return false;
}

static void assert_no_leak(struct pap_str text, const struct findings *f)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct pap_finding *x = &f->items[i];
        if (leaks(x->message) || leaks(x->mend) || leaks(x->excerpt) || leaks(x->at))
            unit_fail("%s: \"%.*s\" shows the secret of %.*s", x->id, PSTR(x->excerpt.n ? x->excerpt : x->message),
                      PSTR(text));
    }
}

static const struct {
    enum kind kind;
    const char *id, *text;
} secrets[] = {
    {KIND_JWKS, "jwks.private", "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"" SECRET "\",\"x\":1}]}"},
    {KIND_JWKS, "jwks.private", "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQ\",\"e\":\"AQAB\",\"p\":\"" SECRET "\"}]}"},
    {KIND_JWKS, "jwks.symmetric",
     "{\"keys\":[{\"kty\":\"oct\",\"k\":\"" SECRET "\"},{\"kty\":\"oct\",\"k\":\"" SECRET "\"}]}"},
    {KIND_JWKS, "jwks.private",
     "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"" SECRET "\",\"d\":\"" SECRET "\"}]}"},
    /* the secret where a public value belongs */
    {KIND_JWKS, "jwks.key",
     "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"" SECRET "\",\"y\":\"" SECRET "!\"}]}"},
    {KIND_JWKS, "jwks.json-object", "[{\"kty\":\"EC\",\"d\":\"" SECRET "\"}]"},
    {KIND_CLIENT, "client.inline-jwks",
     "{\"jwks\":{\"keys\":[{\"kty\":\"EC\",\"d\":\"" SECRET "\"}]},\"client_name\":7}"},
    {KIND_CLIENT, "client.secret",
     "{\"client_id\":\"http://a.example\",\"client_secret\":\"" SECRET "\",\"client_secret\":\"" SECRET "\"}"},
    /* a key where none belongs */
    {KIND_METADATA, "metadata.issuer", "{\"issuer\":7,\"kid\":{\"kty\":\"EC\",\"d\":\"" SECRET "\"}}"},
    /* member names written with escapes */
    {KIND_METADATA, "metadata.issuer", "{\"issuer\":7,\"kid\":{\"\\u006bty\":\"EC\",\"d\":\"" SECRET "\"}}"},
};

static void nothing_secret_is_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        struct pap_str text = str_c(secrets[i].text);
        /* whole, and cut anywhere: then the rows of syntax speak */
        for (size_t n = text.n; n > 0; n--) {
            struct arena a;
            struct findings f = {0};
            arena_init(&a, NULL);
            assert_ok(judge_text(&a, secrets[i].kind, "x", str_take(text, n), &f));
            assert_no_leak(text, &f);
            if (n == text.n && !has(&f, secrets[i].id))
                unit_fail("%s does not find %s", secrets[i].text, secrets[i].id);
            arena_fini(&a);
        }
    }
}

static bool collect(void *ctx, const char *bytes, size_t n)
{
    buf_add(ctx, str(bytes, n));
    return true;
}

/* In every format, with every exchange shown. */
static void no_report_shows_a_key(void **state)
{
    (void)state;
    static const char site[] =
        "> GET https://agent.example/client.json\n< 200\n< Content-Type: application/json\n"
        "{ \"client_id\": \"https://agent.example/client.json\", \"client_secret\": \"" SECRET "\",\n"
        "  \"jwks_uri\": \"https://agent.example/jwks.json\" }\n%%\n"
        "> GET https://agent.example/jwks.json\n< 200\n< Content-Type: application/json\n"
        "{ \"keys\": [ { \"kty\": \"EC\", \"crv\": \"P-256\", \"d\": \"" SECRET "\", \"d\": \"" SECRET "\" } ] }\n";
    const char *target = "https://agent.example/client.json";
    for (enum pap_format format = PAP_TEXT; format <= PAP_MARKDOWN; format++) {
        struct arena a;
        struct script *script;
        struct pap_err err;
        struct buf out;
        int status;
        arena_init(&a, NULL);
        buf_init(&out, NULL, 1 << 20);
        assert_ok(script_parse(&a, str_c(site), ".", &script, &err));
        struct pap_check_options o = {
            .format = format, .exchanges = true, .write = collect, .ctx = &out, .now = 1796040000};
        assert_ok(checker_run(&o, script_transport(script), &target, 1, NULL, &status, &err));
        assert_int_equal(status, 1);
        assert_true(buf_ok(&out) && str_find(buf_str(&out), S("jwks.private")) < out.n);
        if (leaks(buf_str(&out)))
            unit_fail("format %d shows the secret", format);
        buf_fini(&out);
        arena_fini(&a);
    }
}

static void public_documents_are_shown(void **state)
{
    (void)state;
    struct arena a;
    struct findings f = {0};
    arena_init(&a, NULL);
    assert_ok(judge_text(&a, KIND_METADATA, "x", S("{\"issuer\": 7}"), &f));
    assert_true(f.n > 0);
    for (size_t i = 0; i < f.n; i++)
        if (str_is(str_c(f.items[i].id), "metadata.issuer")) {
            assert_str(f.items[i].excerpt, "{\"issuer\": 7}");
            assert_int_equal(f.items[i].excerpt_column, 12);
        }
    arena_fini(&a);
}

/* ---- YAML ---- */

static void yaml_is_told_apart(void **state)
{
    (void)state;
    static const struct header type = {S_INIT("Content-Type"), S_INIT("application/yaml")};
    struct hop hop = {.status = 200, .headers = (struct header *)&type, .n_headers = 1};
    struct exchange typed = {.hops = &hop, .n_hops = 1};
    static const struct {
        const char *name, *bytes;
        bool typed, yaml;
    } cases[] = {
        {"a.json", "openapi: 3.1.0", false, true},
        {"a.json", "\xef\xbb\xbf# x\nopenapi: 3", false, true},
        {"a.yaml", "info:\n", false, true},
        {"a.yml?v=1", "info:\n", false, true},
        {"a", "info:\n", true, true},
        {"a", "info:\n", false, false},
        {"a.yaml", " {\"openapi\": 1}", true, false},
        {"a.yaml", "<html>", true, false},
        {"a.yaml", "", true, false},
        {"a", "---\nopenapi: 3.1.0", false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct doc d = {.kind = KIND_OPENAPI, .name = str_c(cases[i].name), .bytes = str_c(cases[i].bytes)};
        d.exchange = cases[i].typed ? &typed : NULL;
        if (doc_is_yaml(&d) != cases[i].yaml)
            unit_fail("case %zu", i);
    }
}

/* ---- hostile sizes: that they end, and what memory they take; how the time grows is measured by bench/growth.sh ---- */

/* `n` times `item`, its @ replaced by a number, with commas between when `tail` begins with a bracket. */
static struct pap_str many(struct arena *a, const char *head, const char *item, size_t n, const char *tail)
{
    bool list = strchr("]}", tail[0]) && tail[0];
    struct pap_str all = str_c(item);
    size_t at = str_find_char(all, '@');
    struct buf b;
    buf_init(&b, NULL, 8 << 20);
    buf_add(&b, str_c(head));
    for (size_t i = 0; i < n; i++) {
        buf_add(&b, i && list ? S(",") : S(""));
        buf_add(&b, str_take(all, at));
        if (at < all.n)
            buf_fmt(&b, "%zu", i);
        buf_add(&b, str_skip(all, at + 1));
    }
    buf_add(&b, str_c(tail));
    assert_true(buf_ok(&b));
    struct pap_str s = arena_str(a, buf_str(&b));
    buf_fini(&b);
    return s;
}

static void many_of_anything_cost_little(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        const char *head, *item, *tail;
        size_t n;
    } cases[] = {
        {KIND_JWKS, "{\"keys\":[", "{\"kid\":\"a\"}", "]}", 80000},
        {KIND_JWKS, "{\"keys\":[", "{\"kty\":\"EC\",\"crv\":\"P-256\"}", "]}", 30000},
        {KIND_OPENAPI, "{\"openapi\":\"3.1.0\",\"paths\":{", "\"/@\":{\"get\":{\"operationId\":\"a\"}}", "}}", 150000},
        {KIND_OPENAPI, "{\"openapi\":\"3.1.0\",\"paths\":{", "\"/@\":{\"get\":{},\"put\":1}", "}}", 150000},
        {KIND_CLIENT, "{\"client_id\":\"https://a.example/c\",\"redirect_uris\":[", "\"https://b.example/\"", "]}",
         40000},
        {KIND_METADATA, "{\"poppy_domains\":[", "\"a b\"", "]}", 100000},
        {KIND_RESOURCE, "{\"bearer_methods_supported\":[", "\"query\"", "]}", 90000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena a;
        struct findings f = {0};
        arena_init(&a, NULL);
        struct pap_str text = many(&a, cases[i].head, cases[i].item, cases[i].n, cases[i].tail);
        assert_ok(judge_text(&a, cases[i].kind, "x", text, &f));
        assert_true(f.n > 0);
        assert_true(f.n < 1000 && a.total < 64 * text.n);
        arena_fini(&a);
    }
}

/* A url of a server that would grow without end when its variables are put in. */
static void server_variables_do_not_grow(void **state)
{
    (void)state;
    struct arena a;
    struct findings f = {0};
    arena_init(&a, NULL);
    struct pap_str url = many(&a, "{\"openapi\":\"3.1.0\",\"paths\":{},\"servers\":[{\"url\":\"https://", "{v}", 100000,
                              ""),
                   text;
    struct pap_str value = many(&a, "\",\"variables\":{\"v\":{\"default\":\"", "x", 100000, "\"}}}]}");
    text = arena_fmt(&a, "%.*s%.*s", PSTR(url), PSTR(value));
    size_t before = a.total;
    assert_ok(judge_text(&a, KIND_OPENAPI, "x", text, &f));
    assert_true(has(&f, "openapi.server"));
    assert_true(a.total - before < 8 * text.n + (1 << 20));
    arena_fini(&a);
}

/* ---- what is proposed for a member that is missing ---- */

static void a_member_with_a_meaning_is_not_proposed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *mend;
    } cases[] = {
        {"{\"revocaton_endpoint\":\"https://a.example/r\"}", "spell it \"revocation_endpoint\""},
        {"{\"authorization_endpoint\":\"https://a.example/a\"}", "Add \"revocation_endpoint\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena a;
        struct findings f = {0};
        arena_init(&a, NULL);
        assert_ok(judge_text(&a, KIND_METADATA, "x", str_c(cases[i].text), &f));
        const struct pap_finding *found = NULL;
        for (size_t k = 0; k < f.n; k++)
            if (str_is(str_c(f.items[k].id), "metadata.revocation-endpoint"))
                found = &f.items[k];
        assert_non_null(found);
        if (str_find(found->mend, str_c(cases[i].mend)) == found->mend.n)
            unit_fail("proposed is: %.*s", PSTR(found->mend));
        arena_fini(&a);
    }
}

/* ---- versions whose text is not public ---- */

static void provisional_findings_are_infos(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        bool sure;
    } cases[] = {{"0.1", true}, {"0.2", true}, {"0.3", true}, {"0.4", false}, {"1.0", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena a;
        struct findings f = {0};
        size_t lowered = 0, errors = 0;
        arena_init(&a, NULL);
        assert_ok(judge_text(
            &a, KIND_POPPY, "x",
            arena_fmt(&a,
                      "{\"protocol_version\":\"%s\",\"auth\":{\"issuer\":\"http://a\",\"direct\":{\"scopes\":1}},"
                      "\"agent\":{\"protocols\":[1]},\"apis\":[{}],\"web\":1,\"extensions\":{\"x y\":{}}}",
                      cases[i].version),
            &f));
        for (size_t k = 0; k < f.n; k++) {
            const struct check *c = check_find(str_c(f.items[k].id));
            assert_int_equal(f.items[k].severity, f.items[k].provisional ? PAP_INFO : c->severity);
            lowered += f.items[k].provisional && c->severity == PAP_ERROR;
            errors += f.items[k].severity == PAP_ERROR;
        }
        assert_true((cases[i].sure ? errors : lowered) >= 5);
        if (i == 0)
            assert_int_equal(lowered, 0);
        arena_fini(&a);
    }
}

/* ---- out of memory ---- */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        const char *text;
    } cases[] = {
        {KIND_OPENAPI,
         "{\"openapi\":\"3.1.0\",\"servers\":[{\"url\":\"http://{a}\",\"variables\":{\"a\":{\"default\":\"b\"}}}],"
         "\"paths\":{\"/a\":{\"get\":{\"operationId\":\"x\"},\"put\":{\"operationId\":\"x\"},\"post\":{}}}}"},
        {KIND_JWKS, "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":1,\"kid\":\"k\"},{\"kid\":\"k\"}]}"},
        {KIND_CLIENT,
         "{\"client_id\":\"https://a.example\",\"jwks\":1,\"client_secret\":2,\"redirect_uris\":[\"http://b\"]}"},
        {KIND_METADATA, "{\"issuer\":1,\"grant_types_supported\":[1]}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned n = 1;
        for (bool done = false; !done && n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc fa;
            struct arena a;
            struct findings f = {0};
            fail_alloc_init(&fa, n);
            arena_init(&a, &fa.alloc);
            pap_result r = judge_text(&a, cases[i].kind, "x", str_c(cases[i].text), &f);
            done = fa.calls < n;
            assert_int_equal(r.code, done ? PAP_OK : PAP_NO_MEMORY);
            arena_fini(&a);
            assert_int_equal(fa.live, 0);
        }
        assert_true(n > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_secret_is_shown),        cmocka_unit_test(no_report_shows_a_key),
        cmocka_unit_test(public_documents_are_shown),     cmocka_unit_test(yaml_is_told_apart),
        cmocka_unit_test(many_of_anything_cost_little),   cmocka_unit_test(server_variables_do_not_grow),
        cmocka_unit_test(every_allocation_may_fail),      cmocka_unit_test(a_member_with_a_meaning_is_not_proposed),
        cmocka_unit_test(provisional_findings_are_infos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
