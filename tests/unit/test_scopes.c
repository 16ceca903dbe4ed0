/* SPDX-License-Identifier: Apache-2.0
 *
 * Scopes without a socket: which rules are taken, who is known, what of a tree is whose, and what happens when a name is a
 * slip, a document is missing or memory runs out. Whole answers are in tests/http/scopes.http.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "unit.h"

#include "host/answer.h"
#include "host/token.h"
#include "pack/gunzip.h"
#include "sys/file.h"
#include "sys/stage.h"
#include "text/json.h"

#define TREE TESTS_FOLDER "/http/scoped"
#define INDEX "/.well-known/agent-skills/index.json"
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define TOKEN "k7Rw2-Zq9xTb4-Lm8vYc3-Hf6p"

static const struct generation_options now = {.max_age = 300, .now = 4102444800};

static const char *hash_of(const char *token)
{
    static char room[4][DIGEST_TEXT + 1];
    static unsigned n;
    char *text = room[n++ % 4];
    assert_ok(token_hash(str_c(token), text, NULL));
    return text;
}

/* ---- rules ---- */

static void rules_that_are_refused(void **state)
{
    (void)state;
    static char long_name[LIMIT_SCOPE_NAME + 2], long_skill[LIMIT_SKILL_NAME + 2];
    memset(long_name, 'a', sizeof long_name - 1);
    memset(long_skill, 'a', sizeof long_skill - 1);
    const struct {
        struct pap_serve_scope scope;
        const char *why;
    } rows[] = {
        {{.name = "", .skills = LIST("a"), .anybody = true}, "no name of a scope"},
        {{.name = "a,b", .skills = LIST("a"), .anybody = true}, "no name of a scope"},
        {{.name = "a b", .skills = LIST("a"), .anybody = true}, "no name of a scope"},
        {{.name = "\xc3\xa4", .skills = LIST("a"), .anybody = true}, "no name of a scope"},
        {{.name = long_name, .skills = LIST("a"), .anybody = true}, "no name of a scope"},
        {{.name = "s", .anybody = true}, "has no skills"},
        {{.name = "s", .skills = LIST(NULL), .anybody = true}, "has no skills"},
        {{.name = "s", .skills = LIST("a")}, "nobody may see"},
        {{.name = "s", .skills = LIST("a"), .tokens = LIST(NULL)}, "nobody may see"},
        {{.name = "s", .skills = LIST(""), .anybody = true}, "no name of a skill"},
        {{.name = "s", .skills = LIST("A"), .anybody = true}, "no name of a skill"},
        {{.name = "s", .skills = LIST("a?"), .anybody = true}, "no name of a skill"},
        {{.name = "s", .skills = LIST(long_skill), .anybody = true}, "no name of a skill"},
        {{.name = "s", .skills = LIST("a"), .tokens = LIST(TOKEN)}, "64 lower-case hex digits"},
        {{.name = "s", .skills = LIST("a"), .tokens = LIST("sha256:00")}, "64 lower-case hex digits"},
    };
    struct arena a;
    arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct access *access = NULL;
        struct pap_err err = {.text = ""};
        struct pap_serve_site site = {.scopes = &rows[i].scope, .n_scopes = 1};
        assert_int_equal(access_make(&a, &site, &access, &err).code, PAP_USAGE);
        if (str_find(str_c(err.text), str_c(rows[i].why)) == strlen(err.text))
            unit_fail("%zu: %s", i, err.text);
        assert_null(access);
    }
    struct access *access;
    static struct pap_serve_scope many[LIMIT_HOST_SCOPES + 1];
    static char names[LIMIT_HOST_SCOPES + 1][8];
    const char *const *all = LIST("*");
    for (unsigned i = 0; i <= LIMIT_HOST_SCOPES; i++) {
        (void)snprintf(names[i], sizeof names[i], "s%u", i);
        many[i] = (struct pap_serve_scope){.name = names[i], .skills = all, .anybody = true};
    }
    struct pap_serve_site site = {.scopes = many, .n_scopes = LIMIT_HOST_SCOPES + 1};
    assert_int_equal(access_make(&a, &site, &access, NULL).code, PAP_USAGE);
    site.n_scopes--;
    assert_ok(access_make(&a, &site, &access, NULL));
    assert_true(access_scopes_of(access, S("x")) == UINT64_MAX && access->anybody == UINT64_MAX);
    assert_true(access_scope(access, S("s63")) == (scope_set)1 << 63);
    many[5].name = many[4].name;
    assert_int_equal(access_make(&a, &site, &access, NULL).code, PAP_USAGE);
    arena_fini(&a);
}

static void tokens_that_could_be_guessed(void **state)
{
    (void)state;
    static const struct {
        struct pap_str token;
        bool good;
    } rows[] = {
        {S_INIT(""), false},
        {S_INIT("secret"), false},
        {S_INIT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), false},
        {S_INIT("01230123012301230123012301230123"), false},
        {S_INIT("abcdefghijklmnopqrstuvw"), false}, /* 23 */
        {S_INIT("abcdefghijklmnopqrstuvwx"), false},
        {S_INIT("correct-horse-battery-staple"), false},
        {S_INIT("Correct.Horse.Battery.Staple.2026!"), false},
        {S_INIT("CorrectHorseBatteryStaple123456"), false},
        {S_INIT("my-secret-token-for-the-partners"),
         true}, /* seven words: more than can be tried, and no dictionary here */
        {S_INIT("secretSecretSECRETsecretSecretSECRETsecret"), false},
        {S_INIT("qwertyuiopasdfghjklzxcvbnm123456"), false},
        {S_INIT("2026-11-30-2026-11-30-2026-11-30-abc"), false},
        {S_INIT("MnQ8vR2xK7zT4wY9bL3pJ6hD"), true},
        {S_INIT("3f9a1c7e5b2d8046e1f3a59c7d2b6084"), true},     /* 128 bits in hex */
        {S_INIT("0b6f1c1e-7a53-4be1-9d0a-2f4c8e6b7d19"), true}, /* a UUID */
        {S_INIT("JBSWY3DPEHPK3PXPK5XXE3DEIFBEGRCF"), true},     /* base32 */
        {S_INIT("abcdefghijkl mnopqrstuvwx"), false},
        {S_INIT("abcdefghijkl\nmnopqrstuvwx"), false},
        {S_INIT("abcdefghijkl\0mnopqrstuvwx"), false},
        {S_INIT("abcdefghijklmnopqrstuvw\xc3\xa4"), false},
        {S_INIT("q1LcP0pYQm2mVbN6cQkXb1r8m7c5b0Qy4m8tqg0JH7E="), true},
    };
    static char longest[LIMIT_TOKEN + 1];
    char hash[DIGEST_TEXT + 1];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_ok(token_hash(rows[i].token, hash, NULL)) != rows[i].good)
            unit_fail("%zu", i);
    for (size_t i = 0; i < sizeof longest; i++)
        longest[i] = "k7Rw2-Zq9xTb4-Lm8vYc3"[i % 21];
    assert_ok(token_hash(str(longest, LIMIT_TOKEN), hash, NULL));
    assert_int_equal(token_hash(str(longest, LIMIT_TOKEN + 1), hash, NULL).code, PAP_USAGE);
    assert_ok(pap_serve_hash_token("MnQ8vR2xK7zT4wY9bL3pJ6hD", 24, hash, NULL));
    assert_string_equal(hash, hash_of("MnQ8vR2xK7zT4wY9bL3pJ6hD"));
    for (unsigned i = 0; i < 10000; i++) { /* whatever comes out is good, and never the same */
        char token[2][PAP_SERVE_TOKEN];
        assert_ok(pap_serve_make_token(token[0], NULL));
        assert_ok(pap_serve_make_token(token[1], NULL));
        assert_int_equal(strlen(token[0]), PAP_SERVE_TOKEN - 1);
        assert_ok(token_hash(str_c(token[0]), hash, NULL));
        assert_string_not_equal(token[0], token[1]);
    }
}

/* ---- who ---- */

static enum verdict yes(void *ctx, const struct question *q)
{
    ++*(unsigned *)ctx;
    assert_true(q->scopes != 0 && q->scopes < 8 && q->credential.n > 0);
    return str_is(q->credential, "Basic who") ? VERDICT_NOBODY : VERDICT_YES;
}

static enum verdict check(const struct access *a, scope_set scopes, struct pap_str credential, const enum verdict *told)
{
    struct header h[] = {{S("X"), S("y")}, {S("aUTHORIZATION"), credential}};
    struct http_request q = {.method = S("GET"), .headers = h, .n_headers = credential.p ? 2 : 1};
    struct http_response r = {0};
    return access_check(a, scopes, &(struct asking){NULL, &q, &r, told});
}

static void who_is_known(void **state)
{
    (void)state;
    struct arena a;
    unsigned asked = 0;
    struct access *access;
    const char *first = hash_of(TOKEN "1"), *second = hash_of(TOKEN "2");
    struct pap_serve_scope scopes[] = {{.name = "a", .skills = LIST("x"), .tokens = LIST(first)},
                                       {.name = "b", .skills = LIST("x", "y"), .tokens = LIST(second, first)},
                                       {.name = "c", .skills = LIST("z"), .tokens = LIST(second)}};
    struct pap_serve_site site = {.scopes = scopes, .n_scopes = 3};
    arena_init(&a, NULL);
    assert_ok(access_make(&a, &site, &access, NULL));
    assert_int_equal(access->n_tokens, 2);
    assert_int_equal(access_scope(access, S("b")), 2);
    assert_int_equal(access_scope(access, S("B")), 0);
    assert_int_equal(access_scopes_of(access, S("x")), 3);
    assert_int_equal(access_scopes_of(access, S("none")), 0);
    assert_true(access_is_open(access, S("none")) && !access_is_open(access, S("z")));
    const struct {
        scope_set scopes;
        struct pap_str credential;
        enum verdict want;
    } rows[] = {
        {1, S_INIT("Bearer " TOKEN "1"), VERDICT_YES},
        {2, S_INIT("Bearer " TOKEN "1"), VERDICT_YES},
        {4, S_INIT("Bearer " TOKEN "1"), VERDICT_NOT_YOU},
        {4, S_INIT("bearer \t " TOKEN "2"), VERDICT_NOBODY},
        {4, S_INIT("bearer   " TOKEN "2 "), VERDICT_YES},
        {5, S_INIT("Bearer " TOKEN "1"), VERDICT_YES},
        {0, S_INIT("Bearer " TOKEN "1"), VERDICT_NOT_YOU},
        {0, S_INIT("Bearer " TOKEN), VERDICT_NOBODY},
        {1, S_INIT("Bearer " TOKEN "2"), VERDICT_NOT_YOU},
        {1, S_INIT("Bearer"), VERDICT_NOBODY},
        {1, S_INIT("Bearer "), VERDICT_NOBODY},
        {1, S_INIT("Bearer" TOKEN "1"), VERDICT_NOBODY},
        {1, S_INIT("Basic " TOKEN "1"), VERDICT_NOBODY},
        {1, S_INIT("Bearer " TOKEN "1\x80"), VERDICT_NOBODY},
        {1, S_INIT("Bearer " TOKEN "1," TOKEN "1"), VERDICT_NOBODY},
        {1, S_INIT(""), VERDICT_NOBODY},
        {1, {NULL, 0}, VERDICT_NOBODY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (check(access, rows[i].scopes, rows[i].credential, NULL) != rows[i].want)
            unit_fail("%zu", i);
    /* Who is asked gets what is no token, and nothing else. */
    access->ask = yes;
    access->ask_ctx = &asked;
    assert_int_equal(check(access, 1, S("Bearer " TOKEN "1"), NULL), VERDICT_YES);
    assert_int_equal(check(access, 4, S("Bearer " TOKEN "1"), NULL), VERDICT_NOT_YOU);
    assert_int_equal(check(access, 1, S("Bearer \xff"), NULL), VERDICT_NOBODY);
    assert_int_equal(asked, 0);
    /* So that a scope that does not exist cannot be told from one that is for others. */
    assert_int_equal(check(access, 0, S("Bearer other"), NULL), VERDICT_NOT_YOU);
    assert_int_equal(check(access, 0, S("Basic who"), NULL), VERDICT_NOBODY);
    assert_int_equal(asked, 2);
    assert_int_equal(check(access, 1, S("Bearer other"), NULL), VERDICT_YES);
    assert_int_equal(check(access, 1, S("Basic who"), NULL), VERDICT_NOBODY);
    assert_int_equal(asked, 4);
    enum verdict told = VERDICT_NOT_YOU;
    assert_int_equal(check(access, 1, S("Bearer other"), &told), VERDICT_NOT_YOU);
    told = VERDICT_YES;
    assert_int_equal(check(access, 1, S("Bearer other"), &told), VERDICT_YES);
    assert_int_equal(check(access, 0, S("Bearer other"), &told), VERDICT_NOT_YOU);
    assert_int_equal(asked, 4);
    arena_fini(&a);
}

/* Two fields are two credentials (the server refuses them before). */
static void two_credentials_are_none(void **state)
{
    (void)state;
    struct arena a;
    struct access *access;
    const char *hash = hash_of(TOKEN);
    struct pap_serve_scope scope = {.name = "a", .skills = LIST("x"), .tokens = LIST(hash)};
    struct pap_serve_site site = {.scopes = &scope, .n_scopes = 1};
    struct header h[] = {{S("Authorization"), S("Bearer " TOKEN)}, {S("authorization"), S("Bearer " TOKEN)}};
    struct http_request q = {.headers = h, .n_headers = 2};
    arena_init(&a, NULL);
    assert_ok(access_make(&a, &site, &access, NULL));
    assert_int_equal(access_check(access, 1, &(struct asking){NULL, &q, NULL, NULL}), VERDICT_NOBODY);
    q.n_headers = 1;
    assert_int_equal(access_check(access, 1, &(struct asking){NULL, &q, NULL, NULL}), VERDICT_YES);
    arena_fini(&a);
}

/* ---- trees ---- */

struct scoped {
    struct arena arena;
    struct generation_options o;
    char folder[64];
};

/* A copy of the tree of tests/http, with two scopes. */
static void begin(struct scoped *s, const char *const *first, const char *const *open)
{
    static const char *const refund[] = {"refund-order", NULL};
    struct pap_serve_scope scopes[] = {{.name = "one", .skills = first, .tokens = LIST(hash_of(TOKEN))},
                                       {.name = "two", .skills = refund, .anybody = true}};
    struct pap_serve_site site = {.scopes = scopes, .n_scopes = 2, .open = open};
    struct access *access;
    arena_init(&s->arena, NULL);
    assert_ok(access_make(&s->arena, &site, &access, NULL));
    s->o = now;
    s->o.access = access;
    assert_ok(folder_temporary(s->folder, NULL));
    struct pap_str copy = arena_fmt(&s->arena, "cp -r " TREE "/.well-known %s/", s->folder);
    assert_int_equal(system(copy.p), 0);
}

static void end(struct scoped *s)
{
    assert_ok(folder_remove(s->folder, NULL));
    arena_fini(&s->arena);
}

static void run(struct scoped *s, const char *command)
{
    struct pap_str text = arena_fmt(&s->arena, "cd %s/.well-known && %s", s->folder, command);
    assert_int_equal(system(text.p), 0);
}

/* The names in the list that a request gets; "-" and the status when it gets none. */
static const char *names(struct scoped *s, struct generation *g, const char *path, const char *scope, bool gzip)
{
    struct header h[] = {{S("Authorization"), S("Bearer " TOKEN)},
                         {S("Accept-Encoding"), gzip ? S("gzip") : S("identity")},
                         {S("Remote-Skills-Scope"), str_c(scope)}};
    struct http_request q = {.method = S("GET"), .path = str_c(path), .headers = h, .n_headers = scope ? 3 : 2};
    struct http_response r = {.arena = &s->arena};
    host_answer(g, &q, &r);
    if (r.status != 200)
        return arena_fmt(&s->arena, "-%d", r.status).p;
    struct pap_str text = r.body;
    struct buf plain;
    const char *why;
    buf_init(&plain, NULL, LIMIT_DOCUMENT);
    if (gzip && str_is(str_c(path), INDEX)) {
        assert_ok(gunzip(text, LIMIT_DOCUMENT, &plain, &why, NULL));
        text = arena_str(&s->arena, buf_str(&plain));
    }
    buf_fini(&plain);
    struct json *root;
    struct notes notes = {0};
    assert_ok(json_read(&s->arena, text, &root, &notes));
    assert_non_null(root);
    const struct json *skills = json_get_c(root, "skills");
    skills = skills ? skills : json_at(root, "/skill_index/skills");
    const char *all = "";
    json_each (entry, skills)
        all = arena_fmt(&s->arena, "%s%s%.*s", all, *all ? " " : "", PSTR(json_str(json_get_c(entry, "name")))).p;
    return all;
}

static void lists_are_cut_alike(void **state)
{
    (void)state;
    const struct {
        const char *const *first, *const *open;
        const char *everybody, *one;
    } rows[] = {
        {LIST("deploy-*"), NULL, "opening-hours partner-offer", "deploy-shop"},
        {LIST("*"), NULL, "", "deploy-shop opening-hours partner-offer refund-order"},
        {LIST("*"), LIST(NULL), "", "deploy-shop opening-hours partner-offer refund-order"},
        {LIST("*"), LIST("*"), "deploy-shop opening-hours partner-offer refund-order",
         "deploy-shop opening-hours partner-offer refund-order"},
        {LIST("*-o*"), LIST("deploy-shop"), "deploy-shop", "partner-offer refund-order"},
        {LIST("opening-hours", "deploy-shop"), LIST("refund-order", "partner-offer"), "partner-offer refund-order",
         "deploy-shop opening-hours"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scoped s;
        struct generation *g;
        struct pap_err err = {.text = ""};
        begin(&s, rows[i].first, rows[i].open);
        if (!is_ok(generation_load(s.folder, &s.o, &g, &err)))
            unit_fail("%zu: %s", i, err.text);
        for (unsigned gzip = 0; gzip < 2; gzip++) {
            assert_string_equal(names(&s, g, INDEX, NULL, gzip), rows[i].everybody);
            assert_string_equal(names(&s, g, "/.well-known/poppy.json", NULL, gzip), rows[i].everybody);
            assert_string_equal(names(&s, g, "/.well-known/skills/index.json", NULL, gzip), rows[i].everybody);
            assert_string_equal(names(&s, g, INDEX, "one", gzip), rows[i].one);
            assert_string_equal(names(&s, g, INDEX, "two", gzip), "refund-order");
            assert_string_equal(names(&s, g, INDEX, "three", gzip), "-403");
        }
        struct pap_str page = generation_find(g, S("/"))->plain.bytes;
        assert_int_equal(str_find(page, S("deploy-shop")) < page.n,
                         str_find(str_c(rows[i].everybody), S("deploy-shop")) < strlen(rows[i].everybody));
        generation_drop(g);
        end(&s);
    }
}

/* Whatever is open in one place is open in all, and nothing of a hidden skill is in what everybody can get. */
static void nothing_hidden_is_open(void **state)
{
    (void)state;
    struct scoped s;
    struct generation *g;
    begin(&s, LIST("deploy-*"), NULL);
    assert_ok(generation_load(s.folder, &s.o, &g, NULL));
    size_t open = 0, closed = 0;
    for (size_t i = 0; i < generation_count(g); i++) {
        const struct host_file *f = generation_at(g, i);
        struct http_request q = {.method = S("GET"), .path = f->path};
        struct http_response r = {.arena = &s.arena};
        host_answer(g, &q, &r);
        open += r.status == 200;
        closed += r.status == 401 || r.status == 404;
        for (size_t k = 0; k < r.n_headers; k++)
            assert_true(!str_eq_nocase(r.headers[k].name, S("Remote-Skills-Scope")));
        assert_true(str_find(r.body, S("deploy")) == r.body.n);
        assert_true(str_find(r.body, S("Deploy")) == r.body.n);
    }
    /* Two releases and the file of 0.1 of deploy-shop; what nobody names. refund-order is in a scope for anybody. */
    assert_int_equal(closed, 4);
    assert_int_equal(open, generation_count(g) - 4);
    generation_drop(g);
    end(&s);
}

static void refused(struct scoped *s, const char *why)
{
    struct generation *g = NULL;
    struct pap_err err = {.text = ""};
    pap_result r = generation_load(s->folder, &s->o, &g, &err);
    if (r.code != PAP_SYNTAX || str_find(str_c(err.text), str_c(why)) == strlen(err.text))
        unit_fail("code %d, \"%s\"; want \"%s\"", r.code, err.text, why);
}

#define UNCUT "/.well-known/skills/index.json: \"skills\" is not an array"

static void slips_refuse_the_tree(void **state)
{
    (void)state;
    const struct {
        const char *const *first, *const *open;
        const char *command, *why;
    } rows[] = {
        {LIST("deploy-shop", "deply"), NULL, "true", "one names \"deply\", but there is no such skill"},
        {LIST("x*"), NULL, "true", "one names \"x*\""},
        {LIST("*"), LIST("help"), "true", "\"open\" names \"help\""},
        {LIST("*"), NULL, "rm agent-skills/index.json", "scopes are parts of /.well-known/agent-skills/index.json"},
        {LIST("*"), NULL, "echo '{\"skills\": {\"deploy-shop\": {}}}' >skills/index.json", UNCUT},
        {LIST("*"), NULL, "echo '{\"deploy-shop\": []}' >skills/index.json", UNCUT},
        {LIST("*"), NULL, "echo '[\"deploy-shop\"]' >skills/index.json", "/.well-known/skills/index.json: "},
        {LIST("*"), NULL, "echo 'deploy-shop' >skills/index.json", "/.well-known/skills/index.json: "},
        {LIST("*"), NULL, "echo '{\"skills\": [], \"skills\": [\"deploy-shop\"]}' >skills/index.json",
         "/.well-known/skills/index.json: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scoped s;
        begin(&s, rows[i].first, rows[i].open);
        run(&s, rows[i].command);
        refused(&s, rows[i].why);
        end(&s);
    }
}

static void what_the_index_lacks_is_nobodys(void **state)
{
    (void)state;
    struct scoped s;
    struct generation *g;
    begin(&s, LIST("deploy-*"), NULL);
    run(&s, "sed -i 's/\"partner-offer\"/\"offer-of-old\"/' skills/index.json");
    /* poppy.json has a skill, and its file, that no scope names because the index has not got it any more. */
    run(&s, "cp agent-skills/artifacts/sha256-81c87078*.md agent-skills/artifacts/of-old.md");
    run(&s, "sed -i '/\"opening-hours\"/s//\"hours-of-old\"/; /\"hours-of-old\"/,/}/s/sha256-[0-9a-f]*.md/of-old.md/' "
            "poppy.json");
    run(&s, "sed -i 's/^name: .*/name: hours-of-old/' agent-skills/artifacts/of-old.md");
    run(&s, "sed -i \"/hours-of-old/,/}/s/sha256:[0-9a-f]*/sha256:$(sha256sum agent-skills/artifacts/of-old.md | "
            "cut -c-64)/\" poppy.json");
    assert_ok(generation_load(s.folder, &s.o, &g, NULL));
    assert_string_equal(names(&s, g, INDEX, NULL, false), "opening-hours partner-offer");
    assert_string_equal(names(&s, g, "/.well-known/skills/index.json", NULL, false), "opening-hours");
    assert_string_equal(names(&s, g, "/.well-known/poppy.json", NULL, false), "partner-offer");
    const struct host_file *old = generation_find(g, S("/.well-known/agent-skills/artifacts/of-old.md"));
    assert_true(old && old->closed && !old->scopes);
    generation_drop(g);
    end(&s);
}

static void fewer_documents_are_fine(void **state)
{
    (void)state;
    struct scoped s;
    struct generation *g;
    begin(&s, LIST("*"), LIST("opening-hours"));
    run(&s, "rm -r poppy.json skills agent-skills/artifacts/yesterday.md");
    assert_ok(generation_load(s.folder, &s.o, &g, NULL));
    assert_string_equal(names(&s, g, INDEX, NULL, false), "opening-hours");
    assert_string_equal(names(&s, g, "/.well-known/poppy.json", NULL, false), "-404");
    generation_drop(g);
    end(&s);
}

/* A change that only a scope shows is one. */
static void a_hidden_change_is_one(void **state)
{
    (void)state;
    struct scoped s;
    struct generation *a, *b;
    begin(&s, LIST("deploy-*"), LIST("opening-hours"));
    assert_ok(generation_load(s.folder, &s.o, &a, NULL));
    assert_ok(generation_load(s.folder, &s.o, &b, NULL));
    assert_true(generation_same(a, b));
    generation_drop(b);
    run(&s, "rm -r skills poppy.json");
    assert_ok(generation_load(s.folder, &s.o, &b, NULL));
    assert_false(generation_same(a, b));
    generation_drop(a);
    run(&s, "sed -i '0,/\"type\"/s//\"x-note\": 1, \"type\"/' agent-skills/index.json");
    assert_ok(generation_load(s.folder, &s.o, &a, NULL));
    const struct host_file *of_a = generation_find(a, S(INDEX)), *of_b = generation_find(b, S(INDEX));
    assert_true(str_eq(of_a->plain.validator.etag, of_b->plain.validator.etag));
    assert_false(generation_same(a, b));
    generation_drop(a);
    generation_drop(b);
    end(&s);
}

static void every_failing_allocation(void **state)
{
    (void)state;
    struct scoped s;
    unsigned n = 1;
    begin(&s, LIST("deploy-*"), NULL);
    for (; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        struct generation *g = NULL;
        struct pap_err err = {.text = ""};
        fail_alloc_init(&f, n);
        s.o.alloc = &f.alloc;
        pap_result r = generation_load(s.folder, &s.o, &g, &err);
        generation_drop(g);
        assert_int_equal(f.live, 0);
        if (f.calls < n)
            break;
        if (r.code != PAP_NO_MEMORY)
            unit_fail("%u: %d %s", n, r.code, err.text);
    }
    assert_in_range(n, 20, FAIL_ALLOC_MOST - 1);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_that_are_refused),
        cmocka_unit_test(tokens_that_could_be_guessed),
        cmocka_unit_test(who_is_known),
        cmocka_unit_test(two_credentials_are_none),
        cmocka_unit_test(lists_are_cut_alike),
        cmocka_unit_test(nothing_hidden_is_open),
        cmocka_unit_test(slips_refuse_the_tree),
        cmocka_unit_test(what_the_index_lacks_is_nobodys),
        cmocka_unit_test(fewer_documents_are_fine),
        cmocka_unit_test(a_hidden_change_is_one),
        cmocka_unit_test(every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
