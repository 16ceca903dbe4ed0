/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of installs share: a project in a temporary folder, and skills whose bytes are given here.
 */
#ifndef TESTS_INSTALL_UNIT_H
#define TESTS_INSTALL_UNIT_H

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crypto/digest.h"
#include "skills/installing.h"
#include "sys/stage.h"
#include "unit.h"

enum { MOST_FILES = 8 };

/* One release: files, and what the lock says of it. */
struct release {
    const char *name, *origin, *version;
    struct {
        const char *path, *text;
        bool executable;
    } files[MOST_FILES];
};

static char project[64];

static inline const char *at(const char *below)
{
    static char paths[8][400];
    static unsigned next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", project, below);
    return path;
}

static inline void put(const char *below, const char *text)
{
    char folder[400];
    const char *path = at(below);
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    assert_ok(folder_make(folder, NULL));
    FILE *f = fopen(path, "we"); /* which syncs nothing: the disk may be busy */
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
}

static inline bool has(const char *below, const char *text)
{
    struct arena a;
    struct pap_str s = {0};
    struct stat st;
    arena_init(&a, NULL);
    bool there = lstat(at(below), &st) == 0 && S_ISREG(st.st_mode) &&
                 is_ok(file_read(&a, at(below), 1 << 20, &s, NULL, NULL)) && str_is(s, text);
    arena_fini(&a);
    return there;
}

static inline bool is_there(const char *below)
{
    struct stat st;
    return lstat(at(below), &st) == 0;
}

static inline void empty_project(void)
{
    assert_ok(folder_remove(project, NULL));
    assert_int_equal(mkdir(project, 0700), 0);
}

static inline int project_setup(void **state)
{
    (void)state;
    assert_ok(folder_temporary(project, NULL));
    return 0;
}

static inline int project_teardown(void **state)
{
    (void)state;
    assert_ok(folder_remove(project, NULL));
    return 0;
}

#define install_test(f) cmocka_unit_test_setup_teardown(f, project_setup, project_teardown)

static inline pap_result release_read(void *ctx, const char *path, struct pap_str *ret, struct pap_skill_err *err)
{
    const struct release *r = ctx;
    (void)err;
    for (size_t i = 0; i < MOST_FILES && r->files[i].path; i++)
        if (strcmp(r->files[i].path, path) == 0) {
            *ret = str_c(r->files[i].text);
            return OK;
        }
    return (pap_result){PAP_IO};
}

static inline void release_done(void *ctx, struct pap_str bytes)
{
    (void)ctx;
    (void)bytes;
}

static inline struct pap_str digest_of(struct arena *a, const char *text)
{
    struct digest d;
    char hex[DIGEST_TEXT + 1];
    assert_ok(digest_sha256(&(struct pap_str){text, strlen(text)}, 1, &d, NULL));
    digest_text(&d, hex);
    struct pap_str s = arena_str(a, str(hex, DIGEST_TEXT));
    assert_non_null(s.p);
    return s;
}

/* The release as a lock names it; its digest is that of all its texts. PAP_NO_MEMORY never. */
static inline struct lock_skill *as_locked(struct arena *a, const struct release *r)
{
    static const char *const none[] = {NULL};
    struct lock_skill *s = arena_new(a, struct lock_skill);
    char all[2000] = "";
    assert_non_null(s);
    *s = (struct lock_skill){.name = str_c(r->name),
                             .origin = str_c(r->origin),
                             .version = r->version ? str_c(r->version) : S(""),
                             .range = S(""),
                             .scope = S(""),
                             .claude_home = S(""),
                             .config_home = S(""),
                             .type = S("archive"),
                             .url = arena_fmt(a, "https://%s/%s.tar.gz", r->origin, r->name),
                             .agent_names = none,
                             .artifact_hosts = none,
                             .files = arena_new_array(a, MOST_FILES, struct lock_file)};
    for (; s->n_files < MOST_FILES && r->files[s->n_files].path; s->n_files++) {
        const char *text = r->files[s->n_files].text;
        s->files[s->n_files] = (struct lock_file){.path = str_c(r->files[s->n_files].path),
                                                  .digest = digest_of(a, text),
                                                  .size = strlen(text),
                                                  .executable = r->files[s->n_files].executable};
        (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s\n", text);
    }
    s->digest = digest_of(a, all);
    return s;
}

static inline pap_result open_at(const struct pap_alloc *alloc, struct pap_install **ret, struct pap_skill_err *err)
{
    struct pap_install_options o = {.alloc = alloc, .lock = at("papaver-skills.lock")};
    return pap_install_open(&o, ret, err);
}

static inline pap_result plan(struct pap_install *in, const struct release *r, struct pap_install_add add,
                              struct pap_skill_err *err)
{
    struct install_source from = {(void *)(uintptr_t)r, release_read, release_done, NULL};
    return install_plan(in, &add, as_locked(&in->arena, r), &from, err);
}

/* Opens, plans, applies, closes. */
static inline pap_result install(const struct release *r, struct pap_install_add add, struct pap_skill_err *err)
{
    struct pap_install *in = NULL;
    pap_result result = open_at(NULL, &in, err);
    if (is_ok(result))
        result = plan(in, r, add, err);
    if (is_ok(result))
        result = pap_install_apply(in, NULL, NULL, err);
    pap_install_close(in);
    return result;
}

static inline pap_result uninstall(const char *name, pap_install_state_fn *kept, void *ctx, struct pap_skill_err *err)
{
    struct pap_install *in = NULL;
    pap_result result = open_at(NULL, &in, err);
    if (is_ok(result))
        result = pap_install_plan_remove(in, name, err);
    if (is_ok(result))
        result = pap_install_apply(in, kept, ctx, err);
    pap_install_close(in);
    return result;
}

#define CLAUDE ((const char *const[]){"claude", NULL})

static const struct release plants_1 = {
    "water-plants",
    "shop.example",
    "1.0.0",
    {{"SKILL.md", "water them\n", false}, {"a/how.md", "much\n", false}, {"run.sh", "echo 1\n", true}}};
static const struct release plants_2 = {
    "water-plants",
    "shop.example",
    "1.1.0",
    {{"SKILL.md", "water them well\n", false}, {"b/how.md", "a lot\n", false}, {"run.sh", "echo 2\n", true}}};
static const struct release birds = {"feed-birds", "shop.example", NULL, {{"SKILL.md", "feed them\n", false}}};

#endif
