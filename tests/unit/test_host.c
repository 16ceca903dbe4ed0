/* SPDX-License-Identifier: Apache-2.0
 *
 * The skill host without a socket: which trees are taken, what is kept of them, what is shown to people. Answers are in
 * tests/http.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "crypto/digest.h"
#include "host/answer.h"
#include "pack/gunzip.h"
#include "sys/file.h"

#define TREE TESTS_FOLDER "/http/tree"
#define INDEX "/.well-known/agent-skills/index.json"
#define SKILL "---\nname: help\ndescription: Say when the shop is open. Use when asked.\n---\n\nOpen.\n"

static const struct generation_options now = {.max_age = 300, .now = 4102444800};

struct site {
    struct arena arena;
    char folder[32];
};

static void site_new(struct site *s)
{
    arena_init(&s->arena, NULL);
    snprintf(s->folder, sizeof s->folder, "/tmp/papaver-host-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
}

static void site_end(struct site *s)
{
    struct pap_str tidy = arena_fmt(&s->arena, "rm -rf %s", s->folder);
    assert_int_equal(system(tidy.p), 0);
    arena_fini(&s->arena);
}

static const char *site_path(struct site *s, const char *path)
{
    return arena_fmt(&s->arena, "%s%s", s->folder, path).p;
}

static void site_put(struct site *s, const char *path, const char *text)
{
    struct pap_str make = arena_fmt(&s->arena, "mkdir -p %s/.well-known/agent-skills/help", s->folder);
    assert_int_equal(system(make.p), 0);
    assert_ok(file_write_atomic(site_path(s, path), str_c(text), NULL));
}

/* An index with one entry. */
static void site_index(struct site *s, const char *url, const char *digest, const char *description)
{
    struct pap_str text =
        arena_fmt(&s->arena,
                  "{\"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", "
                  "\"skills\": [{\"name\": \"help\", \"type\": \"skill-md\", \"description\": \"%s\", "
                  "\"url\": \"%s\", \"digest\": \"%s\"}]}",
                  description, url, digest);
    site_put(s, INDEX, text.p);
}

#define HELP "Say when the shop is open. Use when asked."

static const char *digest_of(struct site *s, const char *text)
{
    char hash[DIGEST_TEXT + 1];
    struct digest d;
    struct pap_str bytes = str_c(text);
    assert_ok(digest_sha256(&bytes, 1, &d, NULL));
    digest_text(&d, hash);
    return arena_cstr(&s->arena, str_c(hash));
}

static void site_right(struct site *s)
{
    site_put(s, "/.well-known/agent-skills/help/SKILL.md", SKILL);
    site_index(s, "help/SKILL.md", digest_of(s, SKILL), HELP);
}

static void refused(struct site *s, enum pap_code code, const char *why)
{
    struct generation *g = NULL;
    struct pap_err err = {0};
    pap_result r = generation_load(s->folder, &now, &g, &err);
    if (r.code != code || str_find(str_c(err.text), str_c(why)) == strlen(err.text))
        unit_fail("code %d, \"%s\"; want \"%s\"", r.code, err.text, why);
    assert_null(g);
}

static void test_tree(void **state)
{
    (void)state;
    struct generation *g;
    assert_ok(generation_load(TREE "/", &now, &g, NULL));
    assert_int_equal(generation_skills(g), 2);
    assert_int_equal(generation_count(g), 8); /* the page among them, what is hidden not */
    for (size_t i = 1; i < generation_count(g); i++)
        assert_true(str_cmp(generation_at(g, i - 1)->path, generation_at(g, i)->path) < 0);
    for (size_t i = 0; i < generation_count(g); i++)
        assert_int_equal(generation_at(g, i)->gzip.bytes.p != NULL, str_is(generation_at(g, i)->path, INDEX));
    generation_drop(g);
}

static void test_find(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool there;
    } cases[] = {
        {"/.well-known/poppy.json", true},
        {"/.well-known/%70oppy.json", true},
        {"/.well-known/a%20b.txt", true},
        {"/.well-known/a b.txt", true},
        {"/.well-known/a%2520b.txt", false},
        {"/.well-known%2fpoppy.json", false},
        {"/.well-known/poppy.json%00", false},
        {"/.well-known/poppy.json%", false},
        {"/.well-known/poppy.json%7", false},
        {"/.well-known/poppy.jso%6E", true},
        {"/.well-known/poppy.jso%6g", false},
        {"/.well-known/.secret", false},
        {"", false},
        {"*", false},
        {"/", true},
    };
    struct generation *g;
    assert_ok(generation_load(TREE, &now, &g, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if ((generation_find(g, str_c(cases[i].path)) != NULL) != cases[i].there)
            unit_fail("%s", cases[i].path);
    char longest[8192];
    memset(longest, 'a', sizeof longest);
    memcpy(longest, "/%61", 4);
    assert_null(generation_find(g, str(longest, sizeof longest)));
    generation_drop(g);
}

static void test_gzip_is_the_index(void **state)
{
    (void)state;
    struct generation *g;
    assert_ok(generation_load(TREE, &now, &g, NULL));
    const struct host_file *f = generation_find(g, S(INDEX));
    assert_non_null(f);
    struct buf again;
    const char *why;
    buf_init(&again, NULL, LIMIT_DOCUMENT);
    assert_ok(gunzip(f->gzip.bytes, LIMIT_DOCUMENT, &again, &why, NULL));
    assert_null(why);
    assert_true(str_eq(buf_str(&again), f->plain.bytes));
    buf_fini(&again);
    assert_true(f->gzip.bytes.n < f->plain.bytes.n);
    assert_false(str_eq(f->gzip.validator.etag, f->plain.validator.etag));
    generation_drop(g);
}

static void count_finding(void *ctx, const struct pap_finding *f)
{
    if (strcmp(f->id, "links.digest") == 0)
        ++*(size_t *)ctx;
}

static void test_refused(void **state)
{
    (void)state;
    struct site s;
    site_new(&s);
    refused(&s, PAP_IO, "there is no folder");
    site_right(&s);
    struct generation *g;
    assert_ok(generation_load(s.folder, &now, &g, NULL));
    generation_drop(g);

    size_t found = 0;
    struct generation_options o = now;
    o.finding = count_finding;
    o.ctx = &found;
    site_put(&s, "/.well-known/agent-skills/help/SKILL.md", SKILL "More.\n");
    refused(&s, PAP_SYNTAX, "links.digest");
    assert_int_equal(generation_load(s.folder, &o, &g, NULL).code, PAP_SYNTAX);
    assert_int_equal(found, 1);

    site_right(&s);
    site_index(&s, "help/SKILLS.md", digest_of(&s, SKILL), HELP);
    refused(&s, PAP_SYNTAX, "which is not in");
    site_index(&s, "https://elsewhere.example/SKILL.md", digest_of(&s, SKILL), HELP);
    assert_ok(generation_load(s.folder, &now, &g, NULL));
    generation_drop(g);
    /* With a name of its own, a URL is as good as a path. */
    site_index(&s, "https://Shop.example:443/.well-known/gone.md", digest_of(&s, SKILL), HELP);
    assert_ok(generation_load(s.folder, &now, &g, NULL));
    generation_drop(g);
    o.domain = "shop.example";
    assert_int_equal(generation_load(s.folder, &o, &g, NULL).code, PAP_SYNTAX);
    o.domain = "florist.example";
    assert_ok(generation_load(s.folder, &o, &g, NULL));
    generation_drop(g);
    o.aliases = (const char *const[]){"www.florist.example", "shop.example", NULL};
    assert_int_equal(generation_load(s.folder, &o, &g, NULL).code, PAP_SYNTAX);
    site_index(&s, "https://shop.example:8443/.well-known/gone.md", digest_of(&s, SKILL), HELP);
    assert_ok(generation_load(s.folder, &o, &g, NULL));
    generation_drop(g);
    site_index(&s, "javascript:alert(1)", digest_of(&s, SKILL), HELP);
    refused(&s, PAP_SYNTAX, "error");
    site_put(&s, INDEX, "{\"skills\": [");
    refused(&s, PAP_SYNTAX, "error");
    site_end(&s);
}

#define RELEASE "{\"version\": \"%s\", \"type\": \"skill-md\", \"url\": \"help/%s\", \"digest\": \"%s\"}"

/* A release that is not the current one any more is on offer all the same. */
static void test_old_releases(void **state)
{
    (void)state;
    struct site s;
    struct generation *g;
    site_new(&s);
    site_put(&s, "/.well-known/agent-skills/help/SKILL.md", SKILL);
    site_put(&s, "/.well-known/agent-skills/help/old.md", SKILL "Old.\n");
    const char *is = digest_of(&s, SKILL), *was = digest_of(&s, SKILL "Old.\n");
    struct pap_str text =
        arena_fmt(&s.arena,
                  "{\"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", \"skills\": [{"
                  "\"name\": \"help\", \"type\": \"skill-md\", \"description\": \"" HELP "\", \"url\": "
                  "\"help/SKILL.md\", \"digest\": \"%s\", \"x-remote-skills\": {\"version\": \"1.1.0\", "
                  "\"releases\": [" RELEASE ", " RELEASE "]}}]}",
                  is, "1.1.0", "SKILL.md", is, "1.0.0", "old.md", was);
    site_put(&s, INDEX, text.p);
    assert_ok(generation_load(s.folder, &now, &g, NULL));
    generation_drop(g);
    site_put(&s, "/.well-known/agent-skills/help/old.md", SKILL "Older.\n");
    refused(&s, PAP_SYNTAX, "links.digest");
    assert_int_equal(unlink(site_path(&s, "/.well-known/agent-skills/help/old.md")), 0);
    refused(&s, PAP_SYNTAX, "names help/old.md, which is not in");
    site_end(&s);
}

static void test_links_out(void **state)
{
    (void)state;
    struct site s;
    site_new(&s);
    site_right(&s);
    assert_int_equal(symlink("/etc/passwd", site_path(&s, "/.well-known/users.txt")), 0);
    refused(&s, PAP_SYNTAX, "leads out of");
    assert_int_equal(unlink(site_path(&s, "/.well-known/users.txt")), 0);
    assert_int_equal(symlink("agent-skills/index.json", site_path(&s, "/.well-known/same.json")), 0);
    struct generation *g;
    assert_ok(generation_load(s.folder, &now, &g, NULL));
    assert_non_null(generation_find(g, S("/.well-known/same.json")));
    generation_drop(g);
    site_end(&s);
}

static void test_page_is_text(void **state)
{
    (void)state;
    struct site s;
    struct generation *g;
    site_new(&s);
    site_right(&s);
    site_index(&s, "https://elsewhere.example/a?x=%22'&amp", digest_of(&s, SKILL),
               "<b onclick='x'>&\\u202e Use it when asked.");
    struct pap_err err = {0};
    pap_result r = generation_load(s.folder, &now, &g, &err);
    if (!is_ok(r))
        unit_fail("%s", err.text);
    struct pap_str page = generation_find(g, S("/"))->plain.bytes;
    assert_true(str_find(page, S("&lt;b onclick=&#39;x&#39;&gt;&amp;")) < page.n);
    assert_true(str_find(page, S("href=\"https://elsewhere.example/a?x=%22&#39;&amp;amp\"")) < page.n);
    assert_true(str_find(page, S("\xe2\x80\xae")) == page.n);
    assert_true(str_find(page, S("<script")) == page.n);
    generation_drop(g);
    site_end(&s);
}

static void test_same_and_kept(void **state)
{
    (void)state;
    struct site s;
    struct generation *a, *b, *c;
    site_new(&s);
    site_right(&s);
    assert_ok(generation_load(s.folder, &now, &a, NULL));
    assert_ok(generation_load(s.folder, &now, &b, NULL));
    assert_true(generation_same(a, b));
    site_put(&s, "/.well-known/security.txt", "Contact: mailto:a@shop.example\n");
    assert_ok(generation_load(s.folder, &now, &c, NULL));
    assert_false(generation_same(a, c));
    assert_ptr_equal(generation_keep(a), a);
    generation_drop(a);
    assert_non_null(generation_find(a, S(INDEX))); /* still kept once */
    generation_drop(a);
    generation_drop(b);
    generation_drop(c);
    generation_drop(NULL);
    site_end(&s);
}

/* Fields that the head of a request may have once only are doubled here by hand. */
static void test_doubled(void **state)
{
    (void)state;
    static const struct validator v = {S_INIT("\"x\""), 1000, true};
    struct header twice[2] = {{S("If-None-Match"), S("*")}, {S("If-None-Match"), S("*")}};
    struct http_request q = {.method = S("GET"), .headers = twice, .n_headers = 2};
    struct byte_range ranges[LIMIT_HOST_RANGES];
    size_t n;
    assert_int_equal(condition_of(&q, &v), CONDITION_HOLDS);
    twice[0].value = S("\"x\"");
    assert_int_equal(condition_of(&q, &v), CONDITION_NOT_MODIFIED);
    twice[0] = twice[1] = (struct header){S("Range"), S("bytes=0-1")};
    assert_int_equal(range_of(&q, &v, 10, ranges, &n), RANGE_WHOLE);
    q.n_headers = 1;
    assert_int_equal(range_of(&q, &v, 10, ranges, &n), RANGE_PARTS);
    twice[1] = (struct header){S("If-Range"), S("Thu, 01 Jan 1970 00:16:40 GMT")};
    q.n_headers = 2;
    assert_int_equal(range_of(&q, &v, 10, ranges, &n), RANGE_PARTS);
    struct validator weak = v;
    weak.modified_is_strong = false;
    assert_int_equal(range_of(&q, &weak, 10, ranges, &n), RANGE_WHOLE);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct fail_alloc f = {0};
    for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
        struct generation *g = NULL;
        struct generation_options o = now;
        fail_alloc_init(&f, n);
        o.alloc = &f.alloc;
        pap_result r = generation_load(TREE, &o, &g, NULL);
        generation_drop(g);
        assert_int_equal(f.live, 0);
        if (is_ok(r)) {
            assert_true(n > 5);
            return;
        }
        assert_int_equal(r.code, PAP_NO_MEMORY);
    }
    unit_fail("never enough memory");
}

static void test_answer_without_memory(void **state)
{
    (void)state;
    static const char *const asked[] = {"bytes=0-1", "bytes=0-1,4-5", "bytes=99-"};
    struct generation *g;
    assert_ok(generation_load(TREE, &now, &g, NULL));
    for (size_t i = 0; i < 3; i++) {
        struct fail_alloc f;
        struct arena a;
        struct header range = {S("Range"), str_c(asked[i])};
        struct http_request q = {
            .method = S("GET"), .path = S("/.well-known/a%20b.txt"), .headers = &range, .n_headers = 1};
        fail_alloc_init(&f, 1);
        arena_init(&a, &f.alloc);
        struct http_response r = {.arena = &a};
        host_answer(g, &q, &r);
        assert_int_equal(r.status, 500);
        arena_fini(&a);
    }
    generation_drop(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_old_releases),
        cmocka_unit_test(test_links_out),
        cmocka_unit_test(test_page_is_text),
        cmocka_unit_test(test_same_and_kept),
        cmocka_unit_test(test_doubled),
        cmocka_unit_test(test_gzip_is_the_index),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_answer_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
