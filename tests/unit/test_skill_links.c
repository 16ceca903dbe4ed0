/* SPDX-License-Identifier: Apache-2.0
 *
 * Skills against their index and against what the company offers, beyond the cases in tests/checks: the cause of a digest
 * that does not match, the name that was meant, hostile sizes, memory that runs out.
 */
#include "base/buf.h"
#include "crypto/digest.h"
#include "judged.h"

#define HEX "73331f715bc6c816fbc4be668b3b3f13273cf7d825d5c13837fb37fa07a93bc5"
#define FRONT "---\nname: a\ndescription: Move a booking.\n---\n"

static pap_result add_artifact(struct judged *j, struct pap_str index, struct pap_str bytes, enum kind kind)
{
    const struct doc *d = NULL;
    TRY(judged_add(
        j, (struct doc){.kind = KIND_INDEX, .role = ROLE_WELL_KNOWN, .name = S("index.json"), .bytes = index}, &d));
    return judged_add(j,
                      (struct doc){.kind = kind,
                                   .role = ROLE_ARTIFACT,
                                   .name = S("a/SKILL.md"),
                                   .bytes = bytes,
                                   .from = d,
                                   .from_node = json_at(d->root, "/skills/0")},
                      NULL);
}

/* An index whose digest is that of `hashed`, with the artifact `served`. */
static pap_result judge_pair(struct judged *j, struct pap_str hashed, struct pap_str served)
{
    struct digest sum;
    char text[DIGEST_TEXT + 1];
    TRY(digest_sha256(&hashed, 1, &sum, NULL));
    digest_text(&sum, text);
    struct pap_str index = arena_fmt(
        &j->arena,
        "{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\"skills\":[{\"name\":\"a\","
        "\"type\":\"skill-md\",\"description\":\"Move a booking.\",\"url\":\"/a\",\"digest\":\"%s\"}]}",
        text);
    if (!index.p)
        return fail_memory(NULL);
    TRY(add_artifact(j, index, served, KIND_SKILL));
    return judged_run(j);
}

static const struct {
    struct pap_str hashed, served;
    const char *cause;
} pairs[] = {
    {S_INIT(FRONT "x\n"), S_INIT(FRONT "y\n"), ""},
    {S_INIT("a\nb\n"), S_INIT("a\r\nb\r\n"), "with LF line ends the digest is right; what is served has CR LF"},
    {S_INIT("a\r\nb\r\n"), S_INIT("a\nb\n"), "with CR LF line ends the digest is right; what is served has LF"},
    {S_INIT("a\n"),
     S_INIT("\xef\xbb\xbf"
            "a\n"),
     "without the byte order mark at its beginning"},
    {S_INIT("\xef\xbb\xbf"
            "a\n"),
     S_INIT("a\n"), "with a byte order mark in front of it"},
    {S_INIT("a"), S_INIT("a\r\n\n\n"), "without the line end at its end"},
    {S_INIT("a\n"), S_INIT("a"), "with a further line end"},
    {S_INIT(""), S_INIT("\n"), "without the line end at its end"},
};

static void the_cause_of_a_digest_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct judged j;
        judged_begin(&j, NULL);
        assert_ok(judge_pair(&j, pairs[i].hashed, pairs[i].served));
        judged_assert(&j, "links.digest", pairs[i].cause);
        struct pap_str message = judged_find(&j, "links.digest")->message;
        if (!*pairs[i].cause) /* none is invented */
            assert_int_equal(str_find(message, S("it is the digest")), message.n);
        judged_end(&j);
    }
}

static void equal_bytes_match(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct judged j;
        judged_begin(&j, NULL);
        assert_ok(judge_pair(&j, pairs[i].served, pairs[i].served));
        assert_null(judged_find(&j, "links.digest"));
        judged_end(&j);
    }
}

/* Two indexes name it; its own faults are said once, the digest of each. */
static void one_file_of_two_indexes_is_judged_once(void **state)
{
    (void)state;
    struct judged j;
    unsigned line_ends = 0, digests = 0;
    judged_begin(&j, NULL);
    for (int i = 0; i < 2; i++)
        assert_ok(add_artifact(&j, S("{\"skills\":[{\"digest\":\"sha256:" HEX "\"}]}"), S("---\r\nname: a\r\n---\r\n"),
                               KIND_SKILL));
    assert_ok(judged_run(&j));
    for (size_t i = 0; i < j.found.n; i++) {
        line_ends += strcmp(j.found.items[i].id, "text.line-ends") == 0;
        digests += strcmp(j.found.items[i].id, "links.digest") == 0;
    }
    assert_int_equal(line_ends, 1);
    assert_int_equal(digests, 2);
    judged_end(&j);
}

/* ---- what skills name ---- */

static const char poppy[] =
    "{\"protocol_version\":\"0.1\",\"organization\":{\"name\":\"S\",\"domain\":\"shop.example\"},\"auth\":{\"issuer\":"
    "\"https://id.shop.example\",\"direct\":{\"scopes\":[\"orders:read\",\"orders:write\"]}},\"apis\":[{\"type\":"
    "\"openapi\",\"url\":\"https://api.shop.example/openapi.json\",\"description\":\"Orders\"}]}";
static const char openapi[] =
    "{\"openapi\":\"3.1.0\",\"servers\":[{\"url\":\"https://api.shop.example/poppy/\"},{\"url\":\"/v2\"}],\"paths\":{"
    "\"/orders\":{\"get\":{\"operationId\":\"my_orders\"},\"POST\":{}},\"/orders/{id}/"
    "items\":{\"get\":{\"operationId\":"
    "\"order_items\"}},\"/by/{ref}\":{\"$ref\":\"#/x\"}}}";

static pap_result judge_skill(struct judged *j, const char *api, struct pap_str skill)
{
    TRY(judged_add(j, (struct doc){.kind = KIND_POPPY, .name = S("poppy.json"), .bytes = str_c(poppy)}, NULL));
    TRY(judged_add(j, (struct doc){.kind = KIND_OPENAPI, .name = S("openapi.json"), .bytes = str_c(api)}, NULL));
    TRY(judged_add(j, (struct doc){.kind = KIND_SKILL, .name = S("SKILL.md"), .bytes = skill}, NULL));
    return judged_run(j);
}

static const struct {
    const char *body, *id, *part; /* id NULL: none of links.skill-* */
} bodies[] = {
    {"`GET /poppy/orders`, `GET /orders?x=1`, `GET /v2/orders/7/items`, `POST /orders`", NULL, ""},
    {"`GET /by/7`, `DELETE /poppy/by/x`", NULL, ""},
    {"`GET /poppy/order`", "links.skill-paths", "Did you mean `GET /poppy/orders`?"},
    {"`GET /poppy/orders/`", "links.skill-paths", "no API description has this path"},
    {"`DELETE /orders`", "links.skill-paths", "other methods only: GET, POST"},
    {"`get /nothing`, `GET`, `GET nothing`, `GET /a b`", NULL, ""},
    {"`orders:read`, `card:text`, `node:fs`, `localhost:8080`, `urn:a:b`, `a:`, `:b`", NULL, ""},
    {"`order:write`", "links.skill-scopes", "Did you mean `orders:write`?"},
    {"`orders:reed`", "links.skill-scopes", "Did you mean `orders:read`?"},
    {"`refunds:manage`", "links.skill-scopes", "neither poppy.json nor an API description"},
    {"call `my_orders`; the `price_difference`, `new_total`, `cardMessage`, `approval_required`, `out_of_stock`", NULL,
     ""},
    {"see `my_order` there", "links.skill-tools", "Did you mean `my_orders`?"},
    {"Call `cancel_order`.", "links.skill-tools", "\"cancel_order\""},
    {"**Call** **`cancelOrder`**.", "links.skill-tools", "\"cancelOrder\""},
    {"the `undo_all` tool", "links.skill-tools", "\"undo_all\""},
    {"`list_all` (`GET /orders`)", "links.skill-tools", "\"list_all\""},
    {"recall `cancel_order`, `undo_all` toolbox, `list_all` (`orders`)", NULL, ""},
    {"call `Cancel_order`, `_cancel`, `cancel_`, `cancel-order`, `CANCEL_ORDER`, `2_a`", NULL, ""},
};

static void what_was_meant_is_proposed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        struct judged j;
        judged_begin(&j, NULL);
        struct pap_str skill = arena_fmt(&j.arena, FRONT "%s", bodies[i].body);
        assert_ok(judge_skill(&j, openapi, skill));
        unsigned n = 0;
        for (size_t k = 0; k < j.found.n; k++)
            n += str_starts(str_c(j.found.items[k].id), S("links.skill-"));
        if (n != (bodies[i].id ? 1 : 0)) {
            judged_show(&j);
            unit_fail("%s: %u findings", bodies[i].body, n);
        }
        if (bodies[i].id)
            judged_assert(&j, bodies[i].id, bodies[i].part);
        judged_end(&j);
    }
}

/* What an API description that could not be read may have is not called unknown. */
static void nothing_is_said_without_the_descriptions(void **state)
{
    (void)state;
    static const char *const apis[] = {"", "{", "openapi: 3.1.0\npaths: {}\n", "{\"openapi\":\"3.1.0\"}", "[]"};
    for (size_t i = 0; i < sizeof apis / sizeof apis[0]; i++) {
        struct judged j;
        judged_begin(&j, NULL);
        assert_ok(judge_skill(&j, apis[i], S(FRONT "Call `cancel_order` (`GET /nothing`).")));
        assert_null(judged_find(&j, "links.skill-paths"));
        assert_null(judged_find(&j, "links.skill-tools"));
        judged_end(&j);
    }
}

/* A skill and a description of the largest sizes that are read, made of what costs most. How the time grows is measured by
 * bench/growth.sh. */
static void hostile_sizes_cost_little(void **state)
{
    (void)state;
    static const char *const spans[] = {
        "`GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/",
        "`aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_",
        "`orders:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "call `a_",
    };
    struct buf api;
    buf_init(&api, NULL, 8 << 20);
    buf_add(&api, S("{\"openapi\":\"3.1.0\",\"paths\":{"));
    for (unsigned i = 0; api.n < 3000000; i++)
        buf_fmt(&api,
                "\"/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/b%u\":{\"get\":{\"operationId\":"
                "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_b%u\",\"x\":\"orders:baaaaaaaaaaaaaaaaaa%u\"}},",
                i, i, i);
    buf_add(&api, S("\"/\":{}}}"));
    buf_char(&api, '\0');
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        struct buf skill;
        struct judged j;
        buf_init(&skill, NULL, 2 << 20);
        buf_add(&skill, S(FRONT));
        for (unsigned k = 0; skill.n < 1000000; k++)
            buf_fmt(&skill, "%s%u` ", spans[i], k);
        judged_begin(&j, NULL);
        assert_ok(judge_skill(&j, api.p, buf_str(&skill)));
        assert_true(j.found.n < 1000 && j.arena.total < 100u << 20);
        judged_end(&j);
        buf_fini(&skill);
    }
    buf_fini(&api);
}

static void line_ends_without_end_cost_little(void **state)
{
    (void)state;
    struct buf b;
    struct judged j;
    buf_init(&b, NULL, 2 << 20);
    for (size_t i = 0; i < 1000000; i++)
        buf_char(&b, '\n');
    judged_begin(&j, NULL);
    assert_ok(judge_pair(&j, S("a"), buf_str(&b)));
    assert_true(j.found.n < 1000 && j.arena.total < 100u << 20);
    judged_end(&j);
    buf_fini(&b);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        bool done = false;
        for (unsigned n = 1; !done && n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            struct judged j;
            char skill[300];
            fail_alloc_init(&f, n);
            judged_begin(&j, &f.alloc);
            snprintf(skill, sizeof skill, FRONT "%s", bodies[i].body);
            pap_result r = judge_skill(&j, openapi, str_c(skill));
            if (is_ok(r))
                r = judge_pair(&j, S("a\nb"), S("a\r\nb"));
            done = is_ok(r);
            if (!done)
                assert_int_equal(r.code, PAP_NO_MEMORY);
            judged_end(&j);
            assert_int_equal(f.live, 0);
        }
        assert_true(done);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cause_of_a_digest_is_named),           cmocka_unit_test(equal_bytes_match),
        cmocka_unit_test(one_file_of_two_indexes_is_judged_once),   cmocka_unit_test(what_was_meant_is_proposed),
        cmocka_unit_test(nothing_is_said_without_the_descriptions), cmocka_unit_test(hostile_sizes_cost_little),
        cmocka_unit_test(line_ends_without_end_cost_little),        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
