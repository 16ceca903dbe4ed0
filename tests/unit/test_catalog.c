/* SPDX-License-Identifier: Apache-2.0
 *
 * Indexes as a client reads them: what is offered, what is left out with which fault, what refuses the whole list, and which
 * release a range chooses. The rows below pin them; where PAPAVER_CASES points, the cases of Remote Skills are read too.
 */
#include "skill_unit.h"
#include "skills/catalog.h"
#include "url_cases.h"

#define BASE "https://skills.example.test/.well-known/agent-skills/index.json"
#define HEAD "{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\"skills\":["
#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define WORDS "\"description\":\"Does a thing.\""
#define WHERE(url) "\"type\":\"archive\",\"url\":\"" url "\",\"digest\":\"sha256:" A64 "\""
#define ENTRY(name) "{\"name\":\"" name "\"," WORDS "," WHERE("a.zip") "}"
#define RELEASE(version, url) "{\"version\":\"" version "\"," WHERE(url) "}"
#define VERSIONED(version, releases, more)                                                     \
    "{\"name\":\"a\"," WORDS "," WHERE("a.zip") ",\"x-remote-skills\":{\"version\":\"" version \
                                                "\",\"releases\":[" releases "]" more "}}"

static struct catalog read_list(struct arena *a, struct pap_str bytes, bool strict, struct skill_fault *ret_fault)
{
    struct catalog_source from = {.bytes = bytes, .base = S(BASE), .alias = S("acme"), .strict = strict};
    struct catalog c;
    assert_ok(catalog_read(a, &from, &c, ret_fault));
    if (ret_fault->code)
        assert_true(!c.n_entries && !c.n_skipped);
    return c;
}

/* ---- faults ---- */

/* The entries inside "skills"; `lenient` NULL: the same fault as the strict one, "" the entry is taken. */
static const struct {
    const char *entries, *strict, *lenient;
} bad_entries[] = {
    {"7", "skills[0]", NULL},
    {"null", "skills[0]", NULL},
    {"{}", "skills[0].name", NULL},
    {"{\"name\":7}", "skills[0].name", NULL},
    {"{\"name\":\"\"}", "skills[0].name", NULL},
    {"{\"name\":\"A\"}", "skills[0].name", NULL},
    {"{\"name\":\"a--b\"}", "skills[0].name", NULL},
    {"{\"name\":\"a\"}", "skills[0].description", NULL},
    {"{\"name\":\"a\",\"description\":\"\"}", "skills[0].description", NULL},
    {"{\"name\":\"a\",\"description\":\" \"}", "skills[0].description", NULL},
    {"{\"name\":\"a\",\"description\":[]}", "skills[0].description", NULL},
    {"{\"name\":\"a\"," WORDS "}", "skills[0].type", NULL},
    {"{\"name\":\"a\"," WORDS ",\"type\":1}", "skills[0].type", NULL},
    {"{\"name\":\"a\"," WORDS ",\"type\":\"archive\"}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS ",\"type\":\"archive\",\"url\":\"a.zip\"}", "skills[0].digest", NULL},
    {"{\"name\":\"a\"," WORDS ",\"type\":\"archive\",\"url\":\"a.zip\",\"digest\":\"" A64 "\"}", "skills[0].digest",
     NULL},
    {"{\"name\":\"a\"," WORDS ",\"type\":\"archive\",\"url\":\"a.zip\",\"digest\":\"sha256:A" A64 "\"}",
     "skills[0].digest", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("index.json") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("?v=2") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("a b.zip") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("a\\\\b.zip") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("a\\tb.zip") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE(" a.zip") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("https:a.zip") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("https:///a.zip") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("///a.zip") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("https://u@h.example/a.zip") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("data:text/plain,x") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("file:///etc/passwd") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("https://127.1/a.zip") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("%2E%2e/a.zip") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("a.zip?it's") "}", "skills[0].url", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("a.zip#x") "}", "skills[0].url", ""},
    {ENTRY("a") "," ENTRY("b") "," ENTRY("a"), "skills[2].name", "skills[0].name"},
    /* versions */
    {"{\"name\":\"a\"," WORDS "," WHERE("a.zip") ",\"x-remote-skills\":null}", "skills[0].x-remote-skills", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("a.zip") ",\"x-remote-skills\":{}}", "skills[0].x-remote-skills.version", NULL},
    {VERSIONED("1.0.0", RELEASE("1.0.0", "a.zip"), ",\"x\":1"), "skills[0].x-remote-skills", NULL},
    {VERSIONED("1.0", RELEASE("1.0.0", "a.zip"), ""), "skills[0].x-remote-skills.version", NULL},
    {"{\"name\":\"a\"," WORDS "," WHERE("a.zip") ",\"x-remote-skills\":{\"version\":\"1.0.0\"}}",
     "skills[0].x-remote-skills.releases", NULL},
    {VERSIONED("1.0.0", "", ""), "skills[0].x-remote-skills.releases", NULL},
    {VERSIONED("1.0.0", "7", ""), "skills[0].x-remote-skills.releases[0]", NULL},
    {VERSIONED("1.0.0", "{\"version\":\"1.0.0\"}", ""), "skills[0].x-remote-skills.releases[0]", NULL},
    {VERSIONED("1.0.0", "{\"version\":\"1.0.0\"," WHERE("a.zip") ",\"x\":1}", ""),
     "skills[0].x-remote-skills.releases[0]", NULL},
    {VERSIONED("2.0.0", RELEASE("2.0.0", "a.zip") "," RELEASE("1.0.0-01", "b.zip"), ""),
     "skills[0].x-remote-skills.releases[1].version", NULL},
    {VERSIONED("2.0.0", RELEASE("2.0.0", "a.zip") "," RELEASE("2.0.0", "a.zip"), ""),
     "skills[0].x-remote-skills.releases[1].version", NULL},
    {VERSIONED("2.0.0",
               RELEASE("2.0.0", "a.zip") ",{\"version\":\"1.0.0\",\"type\":\"tool\",\"url\":\"b\",\"digest\":\"\"}",
               ""),
     "skills[0].x-remote-skills.releases[1].type", NULL},
    {VERSIONED("2.0.0", RELEASE("2.0.0", "a.zip") "," RELEASE("1.0.0", "http:b"), ""),
     "skills[0].x-remote-skills.releases[1].url", NULL},
    {VERSIONED("2.0.0", RELEASE("1.0.0", "b.zip") "," RELEASE("2.0.0", "a.zip"), ""),
     "skills[0].x-remote-skills.releases.order", NULL},
    {VERSIONED("1.0.0+b", RELEASE("1.0.0+b", "a.zip") "," RELEASE("1.0.0+a", "a.zip"), ""),
     "skills[0].x-remote-skills.releases.order", NULL},
    {VERSIONED("2.0.0", RELEASE("1.0.0", "a.zip"), ""), "skills[0].x-remote-skills.releases.current", NULL},
    {VERSIONED("2.0.0", RELEASE("2.0.0", "./a.zip"), ""), "skills[0].x-remote-skills.releases.current", NULL},
};

static void assert_field(struct arena *a, const struct skill_fault *f, const char *entries, const char *field)
{
    struct pap_str want = arena_fmt(a, "catalog_invalid field=%s origin_alias=acme", field);
    struct pap_str got = fault_line(a, f);
    if (!str_eq(got, want))
        unit_fail("%s: %.*s (%.*s), want %.*s", entries, PSTR(got), PSTR(f->text), PSTR(want));
    assert_true(str_starts(f->text, str_c(field)));
}

/* Strict: the list is refused at the first bad entry. Leniently: a good one beside it stays, the bad one is told. */
static void bad_entries_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_entries / sizeof *bad_entries; i++) {
        struct arena a;
        struct skill_fault f;
        arena_init(&a, NULL);
        const char *entries = bad_entries[i].entries, *field = bad_entries[i].lenient;
        bool taken = field && !*field;
        field = field ? field : bad_entries[i].strict;
        struct pap_str list = arena_fmt(&a, HEAD "%s]}", entries);
        (void)read_list(&a, list, true, &f);
        assert_field(&a, &f, entries, bad_entries[i].strict);
        list = arena_fmt(&a, HEAD "%s," ENTRY("good") "]}", entries);
        struct catalog c = read_list(&a, list, false, &f);
        assert_str(fault_line(&a, &f), "fine");
        assert_non_null(catalog_find(&c, S("good")));
        if (taken) {
            assert_int_equal(c.n_skipped, 0);
        } else {
            assert_true(c.n_skipped > 0 && c.skipped[0].bad);
            assert_field(&a, &c.skipped[0].fault, entries, field);
        }
        arena_fini(&a);
    }
}

/* Whole lists: the fault in both modes. */
static const struct {
    const char *list, *want;
} bad_lists[] = {
    {"", "catalog_invalid field=$document origin_alias=acme"},
    {"[]", "catalog_invalid field=$document origin_alias=acme"},
    {"<!doctype html><p>", "catalog_invalid field=$document origin_alias=acme"},
    {"{\"a\":1", "catalog_invalid field=$document origin_alias=acme"},
    {"{}\xff", "catalog_invalid field=$document origin_alias=acme"},
    {"{}", "unsupported_schema origin_alias=acme"},
    {"{\"$schema\":null,\"skills\":[]}", "unsupported_schema origin_alias=acme"},
    {"{\"$schema\":\"https://agentskills.io/schemas/v0.2.0/index.json\",\"skills\":[]}",
     "unsupported_schema origin_alias=acme"},
    {"{\"$schema\":\"https://schemas.agentskills.io/discovery/0.1/schema.json\"}",
     "unsupported_schema origin_alias=acme schema=https://schemas.agentskills.io/discovery/0.1/schema.json"},
    {"{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\"}",
     "catalog_invalid field=skills origin_alias=acme"},
    {"{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\"skills\":{}}",
     "catalog_invalid field=skills origin_alias=acme"},
    {"{\"skills\":[],\"skills\":[]}", "catalog_invalid field=$document origin_alias=acme"},
    {"{\"$schema\":\"x\",\"\\u0024schema\":\"x\"}", "catalog_invalid field=$document origin_alias=acme"},
    {HEAD "{\"name\":\"a\",\"name\":\"a\"}]}", "catalog_invalid field=$document origin_alias=acme"},
    {HEAD ENTRY("b") ",{\"type\":\"tool\",\"url\":1,\"url\":2}]}", "catalog_invalid field=$document origin_alias=acme"},
    {HEAD "{\"x-remote-skills\":{\"version\":1,\"version\":1}}]}", "catalog_invalid field=$document origin_alias=acme"},
    {HEAD "{\"x-remote-skills\":{\"releases\":[{\"url\":1,\"\\u0075rl\":1}]}}]}",
     "catalog_invalid field=$document origin_alias=acme"},
};

static void bad_lists_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof bad_lists / sizeof *bad_lists; i++) {
        struct arena a;
        struct skill_fault f;
        arena_init(&a, NULL);
        (void)read_list(&a, str_c(bad_lists[i / 2].list), i % 2, &f);
        struct pap_str got = fault_line(&a, &f);
        if (!str_is(got, bad_lists[i / 2].want))
            unit_fail("%s: %.*s, want %s", bad_lists[i / 2].list, PSTR(got), bad_lists[i / 2].want);
        arena_fini(&a);
    }
}

/* What others may add, and what is bad only when nothing else is there (decision 15). */
static void what_does_not_refuse_a_list(void **state)
{
    (void)state;
    struct arena a;
    struct skill_fault f;
    arena_init(&a, NULL);
    struct catalog c =
        read_list(&a, S("\xef\xbb\xbf" HEAD "],\"x\":1,\"x\":2,\"y\":[{\"url\":1,\"url\":2}]}"), true, &f);
    assert_true(!f.code && !c.n_entries && !c.n_skipped);
    c = read_list(&a, S(HEAD "{\"name\":\"a\"," WORDS ",\"type\":\"tool\",\"digest\":7}," ENTRY("a") "]}"), true, &f);
    assert_true(!f.code && c.n_entries == 1 && c.n_skipped == 1 && !c.skipped[0].bad);
    assert_str(fault_line(&a, &c.skipped[0].fault),
               "artifact_unsupported artifact_type=tool origin_alias=acme skill_name=a");
    c = read_list(&a, S(HEAD "{\"name\":\"a\"," WORDS ",\"type\":\"tool\"}]}"), false, &f);
    assert_true(!f.code && !c.n_entries && c.n_skipped == 1);
    (void)read_list(&a, S(HEAD "{\"name\":\"a\"," WORDS ",\"type\":\"tool\"},{\"name\":\"b\"},{}]}"), false, &f);
    assert_str(fault_line(&a, &f), "catalog_invalid field=skills[1].description origin_alias=acme");
    /* A name that stands three times is nobody's. */
    c = read_list(&a, S(HEAD ENTRY("a") "," ENTRY("b") "," ENTRY("a") "," ENTRY("a") "]}"), false, &f);
    assert_true(!f.code && c.n_entries == 1 && c.n_skipped == 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(c.skipped[i].place, i ? i + 1 : 0);
    arena_fini(&a);
}

static void a_list_has_a_size(void **state)
{
    (void)state;
    struct arena a;
    struct skill_fault f;
    struct catalog c;
    struct catalog_source from = {.bytes = S(HEAD "]}"), .base = S(BASE), .max_bytes = sizeof HEAD + 1};
    arena_init(&a, NULL);
    assert_ok(catalog_read(&a, &from, &c, &f));
    assert_str(fault_line(&a, &f), "fine");
    from.max_bytes--;
    assert_ok(catalog_read(&a, &from, &c, &f));
    assert_str(fault_line(&a, &f), "limit_exceeded limit=catalog_bytes");
    arena_fini(&a);
}

/* ---- what is offered ---- */

static void entries_are_whole(void **state)
{
    (void)state;
    struct arena a;
    struct skill_fault f;
    arena_init(&a, NULL);
    static char text[] = HEAD ENTRY("b") ",{\"name\":\"a\"," WORDS "," WHERE(
        "//CDN.example:443/x/../a.zip?v=1#f") ",\"x-papaver\":{\"deprecated\":{\"1.0.0\":\"unversioned\"}},\"more\":[]}]}";
    struct catalog c = read_list(&a, str_c(text), false, &f);
    memset(text, 'x', sizeof text); /* nothing points into it */
    assert_true(!f.code && c.n_entries == 2);
    const struct catalog_entry *e = catalog_find(&c, S("a"));
    assert_non_null(e);
    assert_int_equal(e->place, 1);
    assert_str(e->name, "a");
    assert_str(e->description, "Does a thing.");
    assert_str(e->current->url, "https://cdn.example/a.zip?v=1");
    assert_str(e->current->written_url, "//CDN.example:443/x/../a.zip?v=1#f");
    assert_str(e->current->digest, "sha256:" A64);
    assert_int_equal(e->current->type, ARTIFACT_ARCHIVE);
    assert_true(e->n_releases == 1 && e->current == e->releases && !e->current->version.p && !e->current->deprecated.p);
    assert_str(catalog_find(&c, S("b"))->current->url, "https://skills.example.test/.well-known/agent-skills/a.zip");
    assert_null(catalog_find(&c, S("")));
    assert_null(catalog_find(&c, S("c")));
    assert_null(catalog_release_find(e, str(NULL, 0)));
    arena_fini(&a);
}

/* http stays http where the list came by http; the policy of the network decides (R-CAT-10). */
static void http_is_left_to_the_policy(void **state)
{
    (void)state;
    struct arena a;
    struct skill_fault f;
    struct catalog c;
    struct catalog_source from = {.bytes = S(HEAD ENTRY("a") "]}"), .base = S("http://127.0.0.1:8080/x/index.json")};
    arena_init(&a, NULL);
    assert_ok(catalog_read(&a, &from, &c, &f));
    assert_str(c.entries[0].current->url, "http://127.0.0.1:8080/x/a.zip");
    from.base = S("x/index.json"); /* no base at all */
    assert_ok(catalog_read(&a, &from, &c, &f));
    assert_str(fault_line(&a, &f), "catalog_invalid field=skills[0].url");
    arena_fini(&a);
}

static void poppy_has_an_index_inside(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
        bool found;
    } rows[] = {
        {"{\"protocol_version\":\"0.3\",\"skill_index\":" HEAD ENTRY("a") "]}}", "fine", true},
        {"{\"protocol_version\":\"0.3\"}", "fine", false},
        {"{\"skill_index\":null}", "catalog_invalid field=skill_index", false},
        {"{\"skill_index\":[]}", "catalog_invalid field=skill_index", false},
        {"{\"skill_index\":{},\"skill_index\":{}}", "catalog_invalid field=$document", false},
        {"{\"skill_index\":{}}", "unsupported_schema", false},
        {"{\"skill_index\":" HEAD "7]}}", "catalog_invalid field=skills[0]", false},
        {"[]", "catalog_invalid field=$document", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena a;
        struct skill_fault f;
        struct catalog c;
        struct catalog_source from = {
            .bytes = str_c(rows[i].text), .base = S("https://a.example/p.json"), .poppy = true};
        arena_init(&a, NULL);
        assert_ok(catalog_read(&a, &from, &c, &f));
        assert_str(fault_line(&a, &f), rows[i].want);
        assert_int_equal(c.n_entries, rows[i].found);
        arena_fini(&a);
    }
}

/* ---- choosing (R-SEL, decision 20) ---- */

#define HISTORY(deprecated)                                                                                                                                         \
    HEAD                                                                                                                                                            \
        "{\"name\":\"a\"," WORDS                                                                                                                                    \
        "," WHERE("2.zip") ",\"x-remote-skills\":{\"version\":\"2.0.0\",\"releases\":[" RELEASE("3.0.0", "3.zip") "," RELEASE(                                      \
            "2.1.0-rc.1",                                                                                                                                           \
            "rc.zip") "," RELEASE("2.0.0",                                                                                                                          \
                                  "2.zip") "," RELEASE("1.4.0+b",                                                                                                   \
                                                       "1b.zip") "," RELEASE("1.4.0+c",                                                                             \
                                                                             "1c.zip") "," RELEASE("1.3.0",                                                         \
                                                                                                   "13.zip") "]}"                                                   \
                                                                                                             ",\"x-papaver\":{\"deprecated\":{" deprecated          \
                                                                                                             "}}}," ENTRY("plain") ",{\"name\":\"broken\"}," ENTRY( \
                                                                                                                 "change-order") "]}"

static const struct {
    const char *deprecated, *name, *range, *want; /* range NULL: none; want: the version, "-" for none, or the fault */
    const char *part;                             /* of the sentence */
} choices[] = {
    {"", "a", NULL, "3.0.0", NULL},
    {"", "a", "*", "3.0.0", NULL},
    {"", "a", "2.x", "2.0.0", NULL},
    {"", "a", "2.1.0-rc.1", "2.1.0-rc.1", NULL},
    {"", "a", "1.x", "1.4.0+b", NULL},
    {"", "a", "1.4.0+c", "1.4.0+b", NULL},
    {"", "a", "4.x", "version_unavailable requested_range=4.x skill_name=a", "there are 6, 1.3.0 to 3.0.0"},
    {"", "a", "", "version_unavailable requested_range= skill_name=a", "is no range"},
    {"", "a", "1", "version_unavailable requested_range=1 skill_name=a", "is no range"},
    {"\"3.0.0\":\"It loses orders.\"", "a", NULL, "2.0.0", NULL},
    {"\"3.0.0\":\"It loses orders.\"", "a", ">=2.0.0", "2.0.0", NULL},
    {"\"3.0.0\":\"It loses orders.\"", "a", "3.x", "version_unavailable requested_range=3.x skill_name=a",
     "It loses orders."},
    {"\"3.0.0\":\"It loses orders.\"", "a", "3.0.0", "3.0.0", NULL},
    {"\"1.4.0+b\":\"\"", "a", "1.x", "1.4.0+c", NULL},
    {"\"1.4.0+b\":7,\"9.9.9\":\"x\"", "a", "1.x", "1.4.0+b", NULL},
    {"", "plain", NULL, "-", NULL},
    {"", "plain", "*", "-", NULL},
    {"", "plain", "1.x", "version_unavailable requested_range=1.x skill_name=plain", "has no versions"},
    {"", "nobody-has-this", NULL, "skill_not_found skill_name=nobody-has-this", "there is no skill"},
    {"", "broken", NULL, "skill_not_found skill_name=broken", "skills[2].description is missing"},
    {"", "chagne-order", NULL, "skill_not_found skill_name=chagne-order", "did you mean change-order?"},
    {"", "a\033", NULL, "skill_not_found skill_name=a\033", "a\\x1B"},
};

static void releases_are_chosen(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct arena a;
        struct skill_fault f;
        struct catalog_choice choice = {0};
        arena_init(&a, NULL);
        struct pap_str text = arena_fmt(&a, HISTORY("%s"), choices[i].deprecated);
        struct catalog c = read_list(&a, text, false, &f);
        assert_true(!f.code && c.n_skipped == 1);
        assert_ok(catalog_select(&a, &c, str(NULL, 0), str_c(choices[i].name), str_c(choices[i].range), &choice, &f));
        struct pap_str got = f.code ? fault_line(&a, &f) : choice.release->version;
        if (!str_is(got.p ? got : S("-"), choices[i].want))
            unit_fail("%s@%s: %.*s, want %s", choices[i].name, choices[i].range, PSTR(got), choices[i].want);
        if (choices[i].part && str_find(f.text, str_c(choices[i].part)) == f.text.n)
            unit_fail("\"%.*s\" does not say \"%s\"", PSTR(f.text), choices[i].part);
        if (!f.code)
            assert_int_equal(choice.is_current, !got.p || str_is(got, "2.0.0"));
        arena_fini(&a);
    }
}

static void prereleases_alone_are_none(void **state)
{
    (void)state;
    struct arena a;
    struct skill_fault f;
    struct catalog_choice choice;
    arena_init(&a, NULL);
    struct catalog c = read_list(&a, S(HEAD VERSIONED("1.0.0-b", RELEASE("1.0.0-b", "a.zip"), "") "]}"), true, &f);
    assert_ok(catalog_select(&a, &c, S("acme"), S("a"), str(NULL, 0), &choice, &f));
    assert_str(fault_line(&a, &f), "version_unavailable origin_alias=acme skill_name=a");
    assert_true(str_find(f.text, S("1.0.0-b")) < f.text.n);
    arena_fini(&a);
}

/* ---- size, memory, cuts ---- */

static void ten_thousand_entries(void **state)
{
    (void)state;
    struct arena a;
    struct buf b;
    struct skill_fault f;
    struct catalog c;
    arena_init(&a, NULL);
    buf_init(&b, NULL, 8 << 20);
    buf_add(&b, S(HEAD));
    for (unsigned i = 0; i < 10000; i++)
        buf_fmt(&b, "%s{\"name\":\"s-%u\"," WORDS "," WHERE("a.zip") "}", i ? "," : "", i * 7919 % 10000);
    buf_add(&b, S("]}"));
    struct catalog_source from = {.bytes = buf_str(&b), .base = S(BASE), .strict = true, .max_bytes = 8 << 20};
    assert_ok(catalog_read(&a, &from, &c, &f));
    buf_fini(&b);
    assert_true(!f.code && c.n_entries == 10000);
    for (unsigned i = 0; i < 10000; i++) {
        char name[16];
        snprintf(name, sizeof name, "s-%u", i);
        const struct catalog_entry *e = catalog_find(&c, str_c(name));
        assert_non_null(e);
        assert_int_equal(e->place * 7919 % 10000, i);
    }
    arena_fini(&a);
}

#define ALL                                   \
    HEAD ENTRY("b") ",{\"name\":\"t\"," WORDS \
                    ",\"type\":\"tool\"},7," VERSIONED("1.0.0", RELEASE("1.0.0", "a.zip"), "") "]}"

static void every_cut_is_refused(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof ALL - 1; n++) {
        struct arena a;
        struct skill_fault f;
        char *cut = malloc(n + 1);
        arena_init(&a, NULL);
        assert_non_null(cut);
        memcpy(cut, ALL, n);
        (void)read_list(&a, str(cut, n), n % 2, &f);
        assert_str(fault_line(&a, &f), "catalog_invalid field=$document origin_alias=acme");
        free(cut);
        arena_fini(&a);
    }
}

static pap_result read_and_choose(struct arena *a, bool strict)
{
    struct catalog_source from = {.bytes = S(ALL), .base = S(BASE), .alias = S("acme"), .strict = strict};
    struct catalog c;
    struct skill_fault f;
    struct catalog_choice choice;
    TRY(catalog_read(a, &from, &c, &f));
    assert_int_equal(f.code, strict ? SKILL_CATALOG_INVALID : SKILL_FINE);
    static const char *const names[] = {"a", "t", "bb", "b"};
    for (size_t i = 0; i < 4 && !strict; i++)
        TRY(catalog_select(a, &c, S("acme"), str_c(names[i]), i == 3 ? S("1.x") : S("*"), &choice, &f));
    return OK;
}

static void no_memory_is_told(void **state)
{
    (void)state;
    unsigned n[2] = {0};
    for (unsigned strict = 0; strict < 2; strict++)
        for (n[strict] = 1; n[strict] < FAIL_ALLOC_MOST; n[strict]++) {
            struct fail_alloc f;
            struct arena a;
            fail_alloc_init(&f, n[strict]);
            arena_init(&a, &f.alloc);
            pap_result r = read_and_choose(&a, strict);
            arena_fini(&a);
            assert_int_equal(f.live, 0);
            if (is_ok(r))
                break;
            assert_int_equal(r.code, PAP_NO_MEMORY);
        }
    assert_true(n[0] > 3 && n[1] > 1 && n[0] < FAIL_ALLOC_MOST && n[1] < FAIL_ALLOC_MOST);
}

/* ---- the cases of Remote Skills ---- */

/* Files that are not in the folder, made anew from what their results say. */
static const struct {
    const char *name, *versions; /* each with the letter that its digest is made of */
} rebuilt[] = {
    {"valid-versioned-large-numeric.json", "9007199254740993.0.0=d 9007199254740992.0.0=c 1.0.0-9007199254740993=b "
                                           "1.0.0-9007199254740992=a"},
    {"invalid-version-historical-semver.json", "2.0.0=d 1.5=c"},
    {"invalid-version-order.json", "1.5.1=c 2.0.0=d"},
    {"invalid-version-over-limit.json", NULL},
};

static void add_artifact(struct buf *b, char letter)
{
    char hex[65] = {0};
    memset(hex, letter, 64);
    buf_fmt(b, "\"type\":\"archive\",\"url\":\"artifacts/sha256-%s.tar.gz\",\"digest\":\"sha256:%s\"", hex, hex);
}

/* `current` is the index of the entry's own release. */
static struct pap_str build_history(struct arena *a, struct pap_str versions, size_t current)
{
    struct buf b;
    struct pap_str part, parts[200];
    size_t n = 0;
    while (str_next(&versions, ' ', &part))
        parts[n++] = part;
    buf_init(&b, NULL, 1 << 20);
    buf_add(&b, S(HEAD "{\"name\":\"code-review\"," WORDS ","));
    add_artifact(&b, parts[current].p[parts[current].n - 1]);
    buf_fmt(&b, ",\"x-remote-skills\":{\"version\":\"%.*s\",\"releases\":[", (int)parts[current].n - 2,
            parts[current].p);
    for (size_t i = 0; i < n; i++) {
        buf_fmt(&b, "%s{\"version\":\"%.*s\",", i ? "," : "", (int)parts[i].n - 2, parts[i].p);
        add_artifact(&b, parts[i].p[parts[i].n - 1]);
        buf_char(&b, '}');
    }
    buf_add(&b, S("]}}]}"));
    struct pap_str text = arena_str(a, buf_str(&b));
    buf_fini(&b);
    return text;
}

static struct pap_str case_list(struct arena *a, const char *name)
{
    struct pap_str text = case_file(a, "catalog", name), many = {0};
    for (size_t i = 0; i < sizeof rebuilt / sizeof *rebuilt && !text.p; i++) {
        if (strcmp(rebuilt[i].name, name) != 0)
            continue;
        for (unsigned v = 101; v > 0 && !rebuilt[i].versions; v--)
            many = arena_fmt(a, "%.*s%s1.0.%u=a", PSTR(many), many.n ? " " : "", v);
        text = build_history(a, rebuilt[i].versions ? str_c(rebuilt[i].versions) : many, 0);
    }
    if (!text.p)
        unit_fail("%s is not there, and not made anew", name);
    return text;
}

static void compare_entries(const struct catalog *c, const struct json *want)
{
    size_t n = 0;
    json_each (e, json_get_c(want, "entries")) {
        const struct catalog_entry *own = catalog_find(c, member(e, "name"));
        assert_non_null(own);
        assert_true(str_eq(own->description, member(e, "description")));
        assert_str(member(e, "artifact_type"), artifact_type_name(own->current->type));
        assert_true(str_eq(own->current->url, member(e, "url")));
        assert_true(str_eq(own->current->digest, member(e, "digest")));
        n++;
    }
    assert_int_equal(n, c->n_entries);
}

static void compare_choice(const struct catalog_choice *c, const struct json *want)
{
    struct pap_str version = member(want, "selected_version");
    assert_true(str_eq(c->release->version, version) && !c->release->version.p == !version.p);
    assert_str(member(want, "artifact_type"), artifact_type_name(c->release->type));
    assert_true(str_eq(c->release->url, member(want, "url")));
    assert_true(str_eq(c->release->digest, member(want, "digest")));
}

/* Reads one case strictly, and chooses where its result is a choice. True when all is as it should be. */
static bool run_case(struct arena *a, const struct json *one, const struct json *want)
{
    struct skill_fault f;
    struct catalog_choice choice = {0};
    struct pap_str name = member(one, "skill_name");
    struct catalog c = read_list(a, case_list(a, arena_cstr(a, member(one, "input"))), true, &f);
    bool chooses = str_starts(member(want, "outcome"), S("version_selection"));
    if (!f.code && chooses)
        assert_ok(catalog_select(a, &c, S("acme"), name.p ? name : S("code-review"), member(one, "requested_range"),
                                 &choice, &f));
    struct pap_str got = fault_line(a, &f), wanted = error_line(a, json_get_c(want, "error"));
    if (!str_eq(got, wanted)) {
        print_error("%.*s: %.*s (%.*s), want %.*s\n", PSTR(member(one, "id")), PSTR(got), PSTR(f.text), PSTR(wanted));
        return false;
    }
    if (!f.code && chooses)
        compare_choice(&choice, want);
    else if (!f.code)
        compare_entries(&c, want);
    return true;
}

static void the_cases_of_remote_skills(void **state)
{
    (void)state;
    static const struct {
        const char *cases, *results;
        unsigned n;
    } files[] = {{"catalog-cases.json", "catalog-results.json", 6},
                 {"scope-version-cases.json", "scope-version-catalog-results.json", 22}};
    if (!has_cases("the catalog cases of Remote Skills"))
        return;
    for (size_t i = 0; i < 2; i++) {
        struct arena a;
        unsigned n = 0, good = 0;
        arena_init(&a, NULL);
        const struct json *results = case_json(&a, "expected-results", files[i].results);
        json_each (one, case_json(&a, "catalog", files[i].cases)) {
            n++;
            good += run_case(&a, one, case_result(results, member(one, "id")));
        }
        print_message("%u of %u cases of %s\n", good, n, files[i].cases);
        assert_true(good == n && n == files[i].n);
        arena_fini(&a);
    }
}

/* Decision 17: equal, or refused. */
static struct pap_str asked_for(struct arena *a, struct pap_str ref, struct pap_str base)
{
    struct pap_str url = {0};
    const char *why;
    assert_ok(catalog_url(a, base.p ? base : S(BASE), ref, true, &url, &why));
    assert_int_equal(url.p == NULL, why != NULL);
    return url;
}

static void urls_are_equal_or_refused(void **state)
{
    (void)state;
    struct url_count n = url_cases(asked_for);
    if (n.seen)
        print_message("%u URL cases, %u equal, the others refused\n", n.seen, n.equal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_entries_are_told),        cmocka_unit_test(bad_lists_are_refused),
        cmocka_unit_test(what_does_not_refuse_a_list), cmocka_unit_test(a_list_has_a_size),
        cmocka_unit_test(entries_are_whole),           cmocka_unit_test(http_is_left_to_the_policy),
        cmocka_unit_test(poppy_has_an_index_inside),   cmocka_unit_test(releases_are_chosen),
        cmocka_unit_test(prereleases_alone_are_none),  cmocka_unit_test(ten_thousand_entries),
        cmocka_unit_test(every_cut_is_refused),        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(the_cases_of_remote_skills),  cmocka_unit_test(urls_are_equal_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
