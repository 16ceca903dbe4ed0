/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the tree of a server comes from: a project is published as its settings say, an artifact outlives the list that named
 * it, and a change that takes a list away is told from one that is whole.
 */
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

#include "app/source.h"
#include "host/access.h"
#include "host/answer.h"
#include "host/token.h"
#include "sys/file.h"
#include "sys/stage.h"

#define INDEX "/.well-known/agent-skills/index.json"
#define POPPY "/.well-known/poppy.json"
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define TOKEN "kCrZwQ8x3vNfTb6yHm2LpS9d"

struct project {
    struct arena arena;
    char folder[64];
    struct pap_serve_options o;
    struct pap_serve_site site;
    struct source source;
};

static void run(struct project *p, const char *command)
{
    struct pap_str text = arena_fmt(&p->arena, "cd %s && { %s; }", p->folder, command);
    assert_int_equal(system(text.p), 0);
}

static void skill(struct project *p, const char *root, const char *name, const char *words)
{
    struct pap_str make = arena_fmt(&p->arena, "mkdir -p %s/%s", root, name);
    struct pap_str path = arena_fmt(&p->arena, "%s/%s/%s/SKILL.md", p->folder, root, name);
    run(p, make.p);
    struct pap_str text = arena_fmt(&p->arena,
                                    "---\nname: %s\ndescription: Say when the shop is open. Use when somebody asks.\n"
                                    "---\n\nThis file grants nothing.\n\n%s\n",
                                    name, words);
    assert_ok(file_write_atomic(path.p, text, NULL));
}

static void begin(struct project *p)
{
    *p = (struct project){0};
    arena_init(&p->arena, NULL);
    assert_ok(folder_temporary(p->folder, NULL));
    p->site.folder = p->folder;
}

static void end(struct project *p)
{
    assert_ok(folder_remove(p->folder, NULL));
    arena_fini(&p->arena);
}

static struct generation *load(struct project *p, const struct generation *before)
{
    struct generation *g;
    struct pap_err err = {.text = ""};
    if (!is_ok(source_load(&p->source, before, &g, &err)))
        unit_fail("%s", err.text);
    return g;
}

static void open_source(struct project *p)
{
    assert_ok(source_init(&p->source, &p->arena, &p->o, &p->site, NULL, NULL));
}

static void what_is_served_is_what_is_published(void **state)
{
    (void)state;
    struct project p;
    begin(&p);
    skill(&p, "team", "hours", "Open.");
    skill(&p, "more", "refund", "Read [it](it.md).");
    run(&p, "echo it >more/refund/it.md; mkdir site");
    run(&p,
        "echo '{\"protocol_version\": \"0.1\", \"organization\": {\"name\": \"Shop\", \"domain\": \"shop.example\"}, "
        "\"web\": {}}' >site/poppy.json; cp site/poppy.json poppy.before");
    struct pap_publish_options o = {
        .folder = p.folder,
        .roots = LIST("team", "more"),
        .zip = true,
        .out = arena_fmt(&p.arena, "%s/dist", p.folder).p,
        .poppy = arena_fmt(&p.arena, "%s/site/poppy.json", p.folder).p,
    };
    p.site.publish = &o;
    open_source(&p);
    assert_true(p.source.is_project);
    assert_string_equal(p.source.watched[0], "team");
    assert_string_equal(p.source.watched[1], "more");
    assert_string_equal(p.source.watched[2], o.poppy);
    assert_null(p.source.watched[3]);
    struct generation *g = load(&p, NULL), *published;
    run(&p, "cmp site/poppy.json poppy.before"); /* it is not ours to write */

    struct pap_publish_counts counts;
    int status;
    assert_ok(pap_publish(&o, &counts, &status, NULL));
    assert_int_equal(status, 0);
    run(&p, "cp site/poppy.json dist/.well-known/");
    struct generation_options as = {.max_age = 300, .now = 4102444800};
    assert_ok(generation_load(o.out, &as, &published, NULL));
    assert_true(generation_same(g, published));
    assert_non_null(generation_find(g, S(POPPY)));
    generation_drop(published);
    generation_drop(g);
    end(&p);
}

/* The artifact that the index of a generation names first. */
static struct pap_str artifact_of(struct project *p, const struct generation *g)
{
    struct pap_str index = generation_find(g, S(INDEX))->plain.bytes;
    struct pap_str rest = str_skip(index, str_find(index, S("artifacts/")));
    return arena_fmt(&p->arena, "/.well-known/agent-skills/%.*s", PSTR(str_take(rest, str_find_char(rest, '"'))));
}

static void old_artifacts_stay_for_a_day(void **state)
{
    (void)state;
    struct project p;
    struct pap_str paths[4];
    struct generation *g = NULL, *next;
    begin(&p);
    skill(&p, "skills", "hours", "Open.");
    open_source(&p);
    for (unsigned i = 0; i < 4; i++) {
        skill(&p, "skills", "hours", i == 0 ? "Nine." : i == 1 ? "Ten." : i == 2 ? "Eleven." : "Nine.");
        next = load(&p, g);
        assert_false(g && generation_same(g, next));
        generation_drop(g);
        g = next;
        paths[i] = artifact_of(&p, g);
        for (unsigned k = 0; k <= i; k++)
            assert_non_null(generation_find(g, paths[k]));
        assert_int_equal(generation_find(g, paths[i])->until, 0);
    }
    assert_true(str_eq(paths[0], paths[3]));
    assert_true(generation_find(g, paths[1])->until > 0);
    assert_int_equal(generation_count(g), 5); /* index, page, three artifacts */
    next = load(&p, g);
    assert_true(generation_same(g, next)); /* nothing has changed */
    generation_drop(next);

    /* Later, whatever was kept is gone; what was current until now begins its day. */
    const struct host_file *kept = generation_find(g, paths[2]);
    skill(&p, "skills", "hours", "Twelve.");
    assert_ok(folder_make(arena_fmt(&p.arena, "%s/later", p.folder).p, NULL));
    struct pap_publish_options o = {.folder = p.folder, .out = arena_fmt(&p.arena, "%s/later", p.folder).p};
    struct pap_publish_counts counts;
    int status;
    assert_ok(pap_publish(&o, &counts, &status, NULL));
    struct generation_options as = {.max_age = 300, .now = kept->until, .before = g};
    assert_ok(generation_load(o.out, &as, &next, NULL));
    assert_null(generation_find(next, paths[1]));
    assert_null(generation_find(next, paths[2]));
    assert_non_null(generation_find(next, paths[3]));
    generation_drop(g);
    generation_drop(next);
    end(&p);
}

/* A tree has its own old artifacts; what is taken from it is meant to be gone. */
static void a_tree_keeps_what_it_has(void **state)
{
    (void)state;
    struct project p;
    begin(&p);
    skill(&p, "skills", "hours", "Open.");
    struct pap_publish_options o = {.folder = p.folder, .out = p.folder};
    struct pap_publish_counts counts;
    int status;
    assert_int_equal(pap_publish(&o, &counts, &status, NULL).code, PAP_USAGE);
    o.out = arena_fmt(&p.arena, "%s/dist", p.folder).p;
    assert_ok(pap_publish(&o, &counts, &status, NULL));
    p.site.folder = o.out;
    open_source(&p);
    assert_false(p.source.is_project);
    struct generation *g = load(&p, NULL);
    struct pap_str old = artifact_of(&p, g);
    skill(&p, "skills", "hours", "Closed.");
    assert_ok(pap_publish(&o, &counts, &status, NULL));
    struct pap_str remove = arena_fmt(&p.arena, "rm dist%.*s", PSTR(old));
    run(&p, remove.p);
    struct generation *next = load(&p, g);
    assert_null(generation_find(next, old));
    generation_drop(next);
    generation_drop(g);
    end(&p);
}

static int status_of(struct project *p, struct generation *g, struct pap_str path, const char *token)
{
    struct header h = {S("Authorization"), token ? arena_fmt(&p->arena, "Bearer %s", token) : S("")};
    struct http_request q = {.method = S("GET"), .path = path, .headers = &h, .n_headers = token ? 1 : 0};
    struct http_response r = {.arena = &p->arena};
    host_answer(g, &q, &r);
    for (size_t i = 0; i < r.n_headers; i++)
        if (token && str_is(r.headers[i].name, "Cache-Control"))
            assert_str(r.headers[i].value, "no-store");
    return r.status;
}

static void what_is_kept_stays_hidden(void **state)
{
    (void)state;
    struct project p;
    char hash[DIGEST_TEXT + 1];
    struct access *access;
    begin(&p);
    assert_ok(token_hash(S(TOKEN), hash, NULL));
    const struct pap_serve_scope scope = {.name = "staff", .skills = LIST("hours"), .tokens = LIST(hash)};
    p.site.scopes = &scope;
    p.site.n_scopes = 1;
    assert_ok(access_make(&p.arena, &p.site, &access, NULL));
    skill(&p, "skills", "hours", "Open.");
    assert_ok(source_init(&p.source, &p.arena, &p.o, &p.site, access, NULL));
    struct generation *g = load(&p, NULL);
    struct pap_str name = {0};
    for (size_t i = 0; i < generation_count(g); i++)
        if (str_ends(generation_at(g, i)->path, S(".md")))
            name = arena_str(&p.arena, generation_at(g, i)->path);
    skill(&p, "skills", "hours", "Closed.");
    struct generation *next = load(&p, g);
    assert_true(generation_find(next, name)->until > 0);
    assert_int_equal(status_of(&p, next, name, NULL), 401);
    assert_int_equal(status_of(&p, next, name, TOKEN), 200);
    generation_drop(g);
    generation_drop(next);
    end(&p);
}

static void half_of_a_change(void **state)
{
    (void)state;
    static const struct {
        const char *command, *lost;
    } rows[] = {
        {"true", NULL},
        {"rm .well-known/security.txt", NULL},
        {"rm .well-known/agent-skills/index.json", INDEX " is"},
        {"rm .well-known/poppy.json", POPPY " is"},
        {"rm -r .well-known/*", INDEX " is"},
        {"rm -r .well-known/skills", NULL}, /* publish takes it away where it is no longer wanted */
        {"sed -i '/\"skills\": \\[/,$d' .well-known/agent-skills/index.json && "
         "echo '\"skills\": []}' >>.well-known/agent-skills/index.json",
         "every skill is"},
    };
    const struct generation_options as = {.max_age = 300, .now = 4102444800};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct project p;
        struct generation *before, *after;
        begin(&p);
        run(&p, "cp -r " TESTS_FOLDER "/http/scoped/.well-known .");
        assert_ok(generation_load(p.folder, &as, &before, NULL));
        run(&p, rows[i].command);
        assert_ok(generation_load(p.folder, &as, &after, NULL));
        const char *lost = generation_lost(after, before);
        if (rows[i].lost ? !lost || strcmp(lost, rows[i].lost) != 0 : lost != NULL)
            unit_fail("%s: %s", rows[i].command, lost ? lost : "nothing");
        assert_null(generation_lost(before, after));
        generation_drop(before);
        generation_drop(after);
        end(&p);
    }
}

static void nothing_to_serve(void **state)
{
    (void)state;
    struct project p;
    struct generation *g;
    struct pap_err err = {.text = ""};
    begin(&p);
    open_source(&p);
    assert_int_equal(source_load(&p.source, NULL, &g, &err).code, PAP_IO);
    assert_true(str_find(str_c(err.text), S("papaver publish")) < strlen(err.text));
    assert_true(str_find(str_c(err.text), S("papaver skill new")) < strlen(err.text));
    p.site.folder = "/none/such";
    open_source(&p);
    assert_int_equal(source_load(&p.source, NULL, &g, &err).code, PAP_IO);
    assert_true(str_find(str_c(err.text), S("there is no folder /none/such")) < strlen(err.text));
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_served_is_what_is_published),
        cmocka_unit_test(old_artifacts_stay_for_a_day),
        cmocka_unit_test(a_tree_keeps_what_it_has),
        cmocka_unit_test(what_is_kept_stays_hidden),
        cmocka_unit_test(half_of_a_change),
        cmocka_unit_test(nothing_to_serve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
