/* SPDX-License-Identifier: Apache-2.0
 *
 * Installs: what comes to lie where, what is refused, and that nothing of anybody else's is touched.
 */
#include <sys/wait.h>

#include "fail_alloc.h"
#include "install_unit.h"

#define PLANTS ".agents/skills/water-plants"
#define NOTHING ((struct pap_install_add){0})

static bool verifies(const char *name)
{
    struct pap_install *in;
    struct pap_skill_err err = {0};
    size_t i = 0;
    bool good = false;
    assert_ok(open_at(NULL, &in, &err));
    assert_true(pap_install_find(in, name, &i));
    assert_ok(pap_install_verify(in, i, false, NULL, NULL, &good, &err));
    pap_install_close(in);
    return good;
}

static void new_update_remove(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct stat st;
    assert_ok(install(&plants_1, NOTHING, &err));
    assert_true(has(PLANTS "/SKILL.md", "water them\n") && has(PLANTS "/a/how.md", "much\n"));
    assert_int_equal(stat(at(PLANTS "/run.sh"), &st), 0);
    assert_false(st.st_mode & 0111); /* nobody asked for it */
    assert_true(verifies("water-plants"));
    assert_false(is_there(".agents/.papaver-staging"));

    assert_ok(install(&plants_2, NOTHING, &err));
    assert_true(has(PLANTS "/SKILL.md", "water them well\n") && has(PLANTS "/b/how.md", "a lot\n"));
    assert_false(is_there(PLANTS "/a"));
    assert_true(verifies("water-plants"));
    assert_ok(install(&birds, NOTHING, &err));

    assert_ok(uninstall("water-plants", NULL, NULL, &err));
    assert_false(is_there(PLANTS));
    assert_true(verifies("feed-birds"));
    assert_false(is_there(".agents/.papaver-staging") || is_there(".agents/papaver-kept"));
    assert_int_equal(uninstall("water-plants", NULL, NULL, &err).code, PAP_REFUSED);
    assert_int_equal(err.code, PAP_SKILL_SKILL_NOT_FOUND);
}

/* Executable only when asked for; an update keeps it for that file, and gives it to no other. */
static void executable_bits(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct stat st;
    static const struct release more = {
        "water-plants",
        "shop.example",
        "1.2.0",
        {{"SKILL.md", "x\n", false}, {"new.sh", "echo\n", true}, {"run.sh", "echo 3\n", true}}};
    assert_ok(install(&plants_1, (struct pap_install_add){.executable = true}, &err));
    assert_int_equal(stat(at(PLANTS "/run.sh"), &st), 0);
    assert_true(st.st_mode & 0100);
    assert_true(verifies("water-plants"));
    assert_ok(install(&more, NOTHING, &err));
    assert_int_equal(stat(at(PLANTS "/run.sh"), &st), 0);
    assert_true(st.st_mode & 0100);
    assert_int_equal(stat(at(PLANTS "/new.sh"), &st), 0);
    assert_false(st.st_mode & 0111);
    assert_int_equal(chmod(at(PLANTS "/new.sh"), 0755), 0);
    assert_false(verifies("water-plants"));
}

static enum pap_install_kind kind_of(const struct release *r, struct pap_install_add add)
{
    struct pap_install *in;
    struct pap_skill_err err = {0};
    struct pap_install_change change;
    assert_ok(open_at(NULL, &in, &err));
    assert_ok(plan(in, r, add, &err));
    pap_install_change_at(in, 0, &change);
    enum pap_install_kind kind = change.kind;
    pap_install_close(in);
    return kind;
}

static void what_a_change_is(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    assert_int_equal(kind_of(&plants_1, NOTHING), PAP_INSTALL_NEW);
    assert_ok(install(&plants_1, NOTHING, &err));
    assert_int_equal(kind_of(&plants_1, NOTHING), PAP_INSTALL_KEEP);
    assert_int_equal(kind_of(&plants_2, NOTHING), PAP_INSTALL_UPDATE);
    assert_int_equal(kind_of(&plants_1, (struct pap_install_add){.agents = CLAUDE}), PAP_INSTALL_UPDATE);
    assert_int_equal(unlink(at(PLANTS "/a/how.md")), 0);
    assert_int_equal(kind_of(&plants_1, NOTHING), PAP_INSTALL_MEND);
    assert_false(verifies("water-plants"));
    assert_ok(install(&plants_1, NOTHING, &err));
    assert_true(verifies("water-plants"));
    assert_true(has(PLANTS "/a/how.md", "much\n"));
}

static void links_for_agents(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    char target[100];
    assert_ok(install(&plants_1, (struct pap_install_add){.agents = CLAUDE}, &err));
    assert_true(readlink(at(".claude/skills/water-plants"), target, sizeof target) > 0);
    assert_memory_equal(target, "../../" PLANTS, sizeof "../../" PLANTS - 1);
    assert_int_equal(access(at(".claude/skills/water-plants/SKILL.md"), R_OK), 0);
    assert_true(verifies("water-plants"));
    assert_ok(install(&plants_2, NOTHING, &err)); /* the agents of the lock stay */
    assert_true(verifies("water-plants"));
    assert_int_equal(unlink(at(".claude/skills/water-plants")), 0);
    assert_false(verifies("water-plants"));
    assert_ok(install(&plants_2, NOTHING, &err));
    assert_true(verifies("water-plants"));

    /* to copies, and back */
    assert_ok(install(&plants_2, (struct pap_install_add){.agents = CLAUDE, .copy = true}, &err));
    assert_true(has(".claude/skills/water-plants/b/how.md", "a lot\n") && verifies("water-plants"));
    assert_ok(install(&plants_1, ((struct pap_install_add){.lower = true}), &err));
    assert_true(has(".claude/skills/water-plants/a/how.md", "much\n") && verifies("water-plants"));
    assert_ok(install(&plants_1, (struct pap_install_add){.agents = CLAUDE}, &err));
    assert_true(readlink(at(".claude/skills/water-plants"), target, sizeof target) > 0 && verifies("water-plants"));
    assert_ok(install(&plants_1, (struct pap_install_add){.agents = CLAUDE, .copy = true}, &err));
    assert_ok(uninstall("water-plants", NULL, NULL, &err));
    assert_false(is_there(".claude/skills/water-plants") || is_there(PLANTS));

    static const char *const nobody[] = {"claude", "nobody", NULL};
    assert_int_equal(install(&plants_1, (struct pap_install_add){.agents = nobody}, &err).code, PAP_REFUSED);
    assert_int_equal(err.code, PAP_SKILL_CONFIGURATION_INVALID);
}

/* Those that read .agents/skills need nothing more. */
static void most_agents_need_nothing(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    static const char *const many[] = {"codex", "cursor", "copilot", "gemini", "opencode", "goose", "amp", NULL};
    assert_ok(install(&birds, (struct pap_install_add){.agents = many}, &err));
    assert_true(has(".agents/skills/feed-birds/SKILL.md", "feed them\n"));
    assert_false(is_there(".claude") || is_there(".codex") || is_there(".config"));
}

static void of_a_person(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct pap_install *in;
    static const char *const both[] = {"claude", "amp", NULL};
    char config[100];
    (void)snprintf(config, sizeof config, "%s/etc//conf/", project);
    struct pap_install_options o = {.home = project, .config_home = config};
    assert_ok(pap_install_open(&o, &in, &err));
    assert_ok(plan(in, &birds, (struct pap_install_add){.agents = both}, &err));
    assert_ok(pap_install_apply(in, NULL, NULL, &err));
    pap_install_close(in);
    assert_true(is_there(".agents/papaver-skills.lock"));
    assert_int_equal(access(at(".claude/skills/feed-birds/SKILL.md"), R_OK), 0);
    assert_int_equal(access(at("etc/conf/agents/skills/feed-birds/SKILL.md"), R_OK), 0);
    o.config_home = "/elsewhere";
    assert_int_equal(pap_install_open(&o, &in, &err).code, PAP_USAGE);
    (void)snprintf(config, sizeof config, "%sx/conf", project); /* begins like it, and is another */
    o.config_home = config;
    assert_int_equal(pap_install_open(&o, &in, &err).code, PAP_USAGE);
}

static void of_person_at(const char *claude, const struct release *r, struct pap_install_add add)
{
    struct pap_skill_err err = {0};
    struct pap_install *in;
    char folder[100];
    (void)snprintf(folder, sizeof folder, "%s/%s", project, claude);
    struct pap_install_options o = {.home = project, .claude_home = claude ? folder : NULL};
    assert_ok(pap_install_open(&o, &in, &err));
    assert_ok(r ? plan(in, r, add, &err) : pap_install_plan_remove(in, "feed-birds", &err));
    assert_ok(pap_install_apply(in, NULL, NULL, &err));
    for (size_t i = 0; i < pap_install_count(in); i++) {
        bool good = false;
        assert_ok(pap_install_verify(in, i, false, NULL, NULL, &good, &err));
        assert_true(good);
    }
    pap_install_close(in);
}

/* Where Claude's folder was when a skill was installed is known to every later command, whatever is said today. */
static void a_person_moves(void **state)
{
    (void)state;
    for (unsigned copy = 0; copy < 2; copy++) {
        empty_project();
        struct pap_install_add claude = {.agents = CLAUDE, .copy = copy};
        of_person_at("work/claude", &birds, claude);
        assert_true(is_there("work/claude/skills/feed-birds") && !is_there(".claude/skills/feed-birds"));
        of_person_at(NULL, &birds, NOTHING); /* an update: it stays where it is */
        assert_true(is_there("work/claude/skills/feed-birds") && !is_there(".claude/skills/feed-birds"));
        of_person_at("other", NULL, NOTHING);
        assert_false(is_there("work/claude/skills/feed-birds") || is_there("other/skills/feed-birds") ||
                     is_there(".claude/skills/feed-birds"));

        of_person_at(NULL, &birds, claude);
        assert_true(is_there(".claude/skills/feed-birds"));
        of_person_at("other", &birds, claude); /* asked for again: it moves */
        assert_true(is_there("other/skills/feed-birds") && !is_there(".claude/skills/feed-birds"));
        of_person_at(NULL, NULL, NOTHING);
        assert_false(is_there("other/skills/feed-birds") || is_there(".agents/skills/feed-birds"));
    }
}

/* ---- what is somebody else's ---- */

static void refused(const struct release *r, struct pap_install_add add, enum pap_skill_code code, const char *says)
{
    struct pap_skill_err err = {0};
    assert_int_equal(install(r, add, &err).code, PAP_REFUSED);
    if (err.code != code || !strstr(err.text, says))
        unit_fail("%s: %s, not %s: %s", pap_skill_code_name(err.code), err.text, pap_skill_code_name(code), says);
    assert_false(is_there(".agents/.papaver-staging"));
}

static void what_is_not_ours_stays(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    put(PLANTS "/SKILL.md", "mine\n");
    refused(&plants_1, NOTHING, PAP_SKILL_LOCK_MISMATCH, PLANTS "/SKILL.md is not the lock's");
    assert_true(has(PLANTS "/SKILL.md", "mine\n") && !is_there("papaver-skills.lock"));
    empty_project();

    /* the same files by chance, or from a copy of the repository without its lock: taken over */
    put(PLANTS "/SKILL.md", "water them\n");
    put(PLANTS "/a/how.md", "much\n");
    assert_ok(install(&plants_1, NOTHING, &err));
    assert_true(verifies("water-plants"));

    put(PLANTS "/SKILL.md", "mine\n");
    refused(&plants_2, NOTHING, PAP_SKILL_LOCK_MISMATCH, PLANTS "/SKILL.md was changed since");
    refused(&plants_1, NOTHING, PAP_SKILL_LOCK_MISMATCH, PLANTS "/SKILL.md was changed since");
    put(PLANTS "/SKILL.md", "water them\n");
    put(PLANTS "/deep/er/notes.txt", "mine\n");
    refused(&plants_2, NOTHING, PAP_SKILL_LOCK_MISMATCH, PLANTS "/deep/er/notes.txt is not the lock's");
    put(".claude/skills/water-plants/x", "mine\n");
    refused(&plants_1, (struct pap_install_add){.agents = CLAUDE}, PAP_SKILL_LOCK_MISMATCH, "water-plants");
    assert_true(has(PLANTS "/deep/er/notes.txt", "mine\n") && has(".claude/skills/water-plants/x", "mine\n"));
}

static struct {
    unsigned changed, foreign;
} kept;

static void count_kept(void *ctx, struct pap_str path, enum pap_install_state state)
{
    assert_null(ctx);
    assert_true(path.n > 0);
    kept.changed += state == PAP_INSTALL_CHANGED;
    kept.foreign += state == PAP_INSTALL_FOREIGN;
}

static void removal_leaves_what_changed(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    assert_ok(install(&plants_1, (struct pap_install_add){.agents = CLAUDE}, &err));
    put(PLANTS "/a/how.md", "my own words\n");
    put(PLANTS "/notes/mine.txt", "mine\n");
    assert_int_equal(unlink(at(".claude/skills/water-plants")), 0);
    assert_int_equal(symlink("/elsewhere", at(".claude/skills/water-plants")), 0);
    kept.changed = kept.foreign = 0;
    assert_ok(uninstall("water-plants", count_kept, NULL, &err));
    assert_int_equal(kept.changed, 1);
    assert_int_equal(kept.foreign, 2);
    assert_true(has(PLANTS "/a/how.md", "my own words\n") && has(PLANTS "/notes/mine.txt", "mine\n"));
    assert_true(is_there(".claude/skills/water-plants"));
    assert_false(is_there(PLANTS "/SKILL.md") || is_there(PLANTS "/run.sh"));
}

/* More than can be listed: what is ours goes, and the change comes to its end. */
static void removal_beside_a_deep_tree(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    char deep[300] = PLANTS "/d";
    for (int i = 0; i < 70; i++)
        (void)snprintf(deep + strlen(deep), sizeof deep - strlen(deep), "/d");
    assert_ok(install(&plants_1, NOTHING, &err));
    assert_ok(folder_make(at(deep), NULL));
    kept.changed = kept.foreign = 0;
    assert_ok(uninstall("water-plants", count_kept, NULL, &err));
    assert_int_equal(kept.foreign, 1);
    assert_true(is_there(deep) && !is_there(PLANTS "/SKILL.md") && !is_there(".agents/.papaver-staging"));
    assert_ok(install(&birds, NOTHING, &err));
    assert_true(verifies("feed-birds"));
    assert_int_equal(install(&plants_1, NOTHING, &err).code, PAP_REFUSED); /* the folder is not the lock's */
}

/* What the person put where a folder of the skill was stays, and the change comes to its end. */
static void removal_where_a_folder_is_none(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    for (int kind = 0; kind < 2; kind++) {
        assert_ok(install(&plants_1, NOTHING, &err));
        assert_int_equal(unlink(at(PLANTS "/a/how.md")), 0);
        assert_int_equal(rmdir(at(PLANTS "/a")), 0);
        if (kind == 0)
            put(PLANTS "/a", "mine\n");
        else
            assert_int_equal(symlink("/", at(PLANTS "/a")), 0);
        kept.changed = kept.foreign = 0;
        assert_ok(uninstall("water-plants", count_kept, NULL, &err));
        assert_int_equal(kept.foreign, 1);
        assert_true(!is_there(PLANTS "/SKILL.md") && !is_there(".agents/.papaver-staging"));
        assert_int_equal(unlink(at(PLANTS "/a")), 0);
        assert_int_equal(rmdir(at(PLANTS)), 0);
    }
}

static void links_are_refused(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    char outside[64], beyond[80];
    assert_ok(folder_temporary(outside, NULL));
    assert_int_equal(symlink(outside, at(".agents")), 0);
    assert_int_equal(install(&plants_1, NOTHING, &err).code, PAP_REFUSED);
    assert_int_equal(err.code, PAP_SKILL_POLICY_DENIED);
    assert_non_null(strstr(err.text, "symbolic link"));
    assert_int_equal(rmdir(outside), 0); /* nothing was made there */
    empty_project();

    assert_ok(folder_temporary(outside, NULL));
    assert_int_equal(mkdir(at(".agents"), 0755), 0);
    assert_int_equal(symlink(outside, at(".agents/skills")), 0);
    assert_int_equal(install(&plants_1, NOTHING, &err).code, PAP_REFUSED);
    assert_int_equal(rmdir(outside), 0);
    empty_project();

    assert_ok(folder_temporary(outside, NULL));
    assert_int_equal(symlink(outside, at(".claude")), 0);
    assert_int_equal(install(&plants_1, (struct pap_install_add){.agents = CLAUDE}, &err).code, PAP_REFUSED);
    assert_int_equal(rmdir(outside), 0);
    empty_project();

    /* a folder of the skill became a link after it was installed */
    assert_ok(folder_temporary(outside, NULL));
    assert_ok(install(&plants_1, NOTHING, &err));
    assert_int_equal(rename(at(PLANTS "/a"), at("moved")), 0);
    assert_int_equal(symlink(outside, at(PLANTS "/a")), 0);
    refused(&plants_2, NOTHING, PAP_SKILL_LOCK_MISMATCH, PLANTS "/a is not the lock's");
    (void)snprintf(beyond, sizeof beyond, "%s/how.md", outside);
    assert_int_equal(rename(at("moved/how.md"), beyond), 0);
    assert_ok(uninstall("water-plants", NULL, NULL, &err));
    assert_true(is_there(PLANTS "/a"));
    assert_int_equal(unlink(beyond), 0); /* nothing was taken away through it */
    assert_int_equal(rmdir(outside), 0);
    empty_project();

    assert_int_equal(symlink("elsewhere", at("papaver-skills.lock")), 0);
    assert_int_equal(install(&plants_1, NOTHING, &err).code, PAP_REFUSED);
}

static void two_origins_of_one_name(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct pap_install *in;
    static const struct release other = {"water-plants", "stall.example", NULL, {{"SKILL.md", "no\n", false}}};
    assert_ok(install(&plants_1, NOTHING, &err));
    refused(&other, NOTHING, PAP_SKILL_CONFIGURATION_INVALID, "installed from shop.example already");
    assert_true(has(PLANTS "/SKILL.md", "water them\n"));
    empty_project();
    assert_ok(open_at(NULL, &in, &err));
    assert_ok(plan(in, &plants_1, NOTHING, &err));
    assert_int_equal(plan(in, &other, NOTHING, &err).code, PAP_REFUSED);
    pap_install_close(in);
}

static void frozen_is_what_the_lock_says(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    char command[200];
    refused(&plants_1, (struct pap_install_add){.frozen = true}, PAP_SKILL_LOCK_MISMATCH, "not what the lock says");
    assert_ok(install(&plants_1, (struct pap_install_add){.agents = CLAUDE, .executable = true}, &err));
    (void)snprintf(command, sizeof command, "rm -r %s/.agents %s/.claude", project, project);
    assert_int_equal(system(command), 0);
    refused(&plants_2, (struct pap_install_add){.frozen = true}, PAP_SKILL_LOCK_MISMATCH, "not what the lock says");
    assert_ok(install(&plants_1, (struct pap_install_add){.frozen = true}, &err));
    assert_true(verifies("water-plants") && is_there(".claude/skills/water-plants"));
}

/* The lock with one text in the place of another, which is there once. */
static void change_lock(const char *from, const char *to)
{
    char command[300];
    (void)snprintf(command, sizeof command, "grep -q '%s' %s && sed -i 's/%s/%s/' %s", from, at("papaver-skills.lock"),
                   from, to, at("papaver-skills.lock"));
    assert_int_equal(system(command), 0);
}

/* Whatever is wrong in a lock is refused with both values, and the lock is never written, not even more beautifully. */
static void frozen_writes_no_lock(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    static const struct release ranged = {
        "water-plants", "shop.example", "1.0.0", {{"SKILL.md", "water them\n", false}, {"a/how.md", "much\n", false}}};
    const struct pap_install_add frozen = {.frozen = true, .range = "^2.0.0"};
    struct stat before, after;
    assert_ok(install(&ranged, NOTHING, &err));
    change_lock("\"size\": 5", "\"size\": 6");
    refused(&ranged, (struct pap_install_add){.frozen = true}, PAP_SKILL_LOCK_MISMATCH,
            "size of a/how.md of water-plants is \"6\" there, and \"5\" would be installed");
    change_lock("\"size\": 6", "\"size\": 5");
    change_lock("\"type\"", "\"range\": \"^2.0.0\", \"type\"");
    assert_int_equal(stat(at("papaver-skills.lock"), &before), 0);
    struct pap_install *in;
    assert_ok(open_at(NULL, &in, &err));
    struct lock_skill *l = as_locked(&in->arena, &ranged);
    struct install_source from = {.ctx = (void *)(uintptr_t)&ranged, .read = release_read, .done = release_done};
    l->range = S("^2.0.0");
    assert_int_equal(install_plan(in, &frozen, l, &from, &err).code, PAP_REFUSED);
    assert_non_null(strstr(err.text, "locked at \"1.0.0\", which is not in its range \"^2.0.0\""));
    pap_install_close(in);

    change_lock("\"range\": \"^2.0.0\", ", "  ");
    assert_int_equal(unlink(at(PLANTS "/SKILL.md")), 0);
    assert_int_equal(stat(at("papaver-skills.lock"), &before), 0);
    assert_ok(install(&ranged, (struct pap_install_add){.frozen = true}, &err));
    assert_true(verifies("water-plants"));
    assert_int_equal(stat(at("papaver-skills.lock"), &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
    assert_false(is_there(".agents/.papaver-staging"));
}

/* ---- folders ---- */

/* A folder is named from the lock's own, wherever the program runs. */
static void folders_are_named_from_the_lock(void **state)
{
    (void)state;
    static const struct {
        const char *folder, *origin, *place; /* of the project; of the lock; from here */
    } from_lock[] = {
        {".", "./skills", "./skills"},
        {"lib/shop", "./skills", "./lib/shop/./skills"},
        {"../shop", "skills/", "../shop/skills/"},
        {"/srv/shop", "../skills", "/srv/shop/../skills"},
        {"lib/shop", "/srv/skills", "/srv/skills"},
        {"lib/shop", "shop.example", "shop.example"},
        {"lib/shop", "https://shop.example/a/", "https://shop.example/a/"},
    };
    struct pap_install in = {.root = -1};
    arena_init(&in.arena, NULL);
    for (size_t i = 0; i < sizeof from_lock / sizeof *from_lock; i++) {
        in.folder = from_lock[i].folder;
        struct pap_str place = install_place_from_lock(&in, str_c(from_lock[i].origin));
        if (!str_is(place, from_lock[i].place))
            unit_fail("%s in %s is %.*s", from_lock[i].origin, in.folder, PSTR(place));
    }
    static const struct {
        const char *place, *origin;
    } to_lock[] = {
        {"./a/b/skills/", "./skills"},
        {"./a/b", "./"},
        {"./a/b/", "./"},
        {"a/", "../"},
        {"./a/c/skills", "../c/skills"},
        {"../x", "../../../x"},
        {"./skills", "../../skills"},
        {"/a/b/skills", "/a/b/skills"},
        {"shop.example", "shop.example"},
    };
    char was[300];
    assert_non_null(getcwd(was, sizeof was));
    assert_int_equal(chdir(project), 0);
    in.folder = "a/b";
    put("a/b/skills/x", "");
    for (size_t i = 0; i < sizeof to_lock / sizeof *to_lock; i++) {
        struct pap_str origin = install_place_to_lock(&in, str_c(to_lock[i].place), NULL);
        if (!str_is(origin, to_lock[i].origin))
            unit_fail("%s is %.*s", to_lock[i].place, PSTR(origin));
    }
    /* the words of the lock stay while they mean the same */
    const struct lock_skill had = {.origin = S("././skills/"), .place = S("./a/b/././skills/")};
    assert_true(str_eq(install_place_to_lock(&in, S("a/b/skills/"), &had), had.origin));
    assert_int_equal(chdir(was), 0);
    arena_fini(&in.arena);
}

static void others_change_the_lock_meanwhile(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct pap_install *in;
    assert_ok(open_at(NULL, &in, &err));
    assert_ok(plan(in, &plants_1, NOTHING, &err));
    assert_ok(install(&birds, NOTHING, &err)); /* another skill: both stay */
    assert_ok(pap_install_apply(in, NULL, NULL, &err));
    assert_int_equal(pap_install_count(in), 2);
    assert_ok(plan(in, &plants_2, NOTHING, &err));
    assert_ok(uninstall("water-plants", NULL, NULL, &err)); /* the same: nothing is done */
    assert_int_equal(pap_install_apply(in, NULL, NULL, &err).code, PAP_REFUSED);
    assert_int_equal(err.code, PAP_SKILL_LOCK_MISMATCH);
    assert_false(is_there(PLANTS) || is_there(".agents/.papaver-staging"));
    pap_install_close(in);
}

/* The lock says what it said, but what the plan saw has gone. */
static void others_come_and_go_meanwhile(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct pap_install *in;
    assert_ok(open_at(NULL, &in, &err));
    assert_ok(install(&birds, NOTHING, &err));
    assert_ok(plan(in, &birds, NOTHING, &err)); /* the files are there */
    assert_ok(uninstall("feed-birds", NULL, NULL, &err));
    assert_ok(pap_install_apply(in, NULL, NULL, &err));
    pap_install_close(in);
    assert_true(verifies("feed-birds"));
}

/* ---- hosts ---- */

static void hosts_of_a_lock(void **state)
{
    (void)state;
    static const struct {
        const char *origin, *url, *host;
        bool good;
    } rows[] = {
        {"shop.example", "https://shop.example/a", NULL, true},
        {"shop.example", "https://www.shop.example/a", NULL, true},
        {"https://www.shop.example/x/index.json", "https://shop.example/a", NULL, true},
        {"shop.example", "https://SHOP.example:443/a", NULL, true},
        {"shop.example", "http://shop.example/a", NULL, false},
        {"shop.example", "https://shop.example:8443/a", NULL, false},
        {"shop.example:8443", "https://shop.example:8443/a", NULL, true},
        {"shop.example", "https://cdn.example/a", NULL, false},
        {"shop.example", "https://cdn.example/a", "cdn.example", true},
        {"shop.example", "https://cdn.example:444/a", "cdn.example", false},
        {"shop.example", "https://cdn.example:444/a", "cdn.example:444", true},
        {"shop.example", "https://shop.example@cdn.example/a", NULL, false},
        {"shop.example", "https://shop.example.evil.example/a", NULL, false},
        {"shop.example", "https://evil-shop.example/a", NULL, false},
        {"shop.example", "/etc/passwd", NULL, false},
        {"shop.example", "file:///etc/passwd", NULL, false},
        {"http://127.0.0.1:8080", "http://127.0.0.1:8080/a", NULL, true},
        {"http://127.0.0.1:8080", "http://127.0.0.2:8080/a", NULL, false},
        {"./skills/", "water-plants/SKILL.md", NULL, true},
        {"./skills/", "https://shop.example/a", NULL, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *hosts[] = {rows[i].host, NULL};
        struct pap_skill_err err = {0};
        struct lock_skill s = {
            .name = S("a"), .origin = str_c(rows[i].origin), .url = str_c(rows[i].url), .artifact_hosts = hosts};
        pap_result r = install_judge_url(&s, "L", &err);
        if (is_ok(r) != rows[i].good)
            unit_fail("%s from %s", rows[i].url, rows[i].origin);
        assert_true(is_ok(r) || (err.code == PAP_SKILL_LOCK_MISMATCH && strncmp(err.text, "L: ", 3) == 0));
    }
}

static void another_host_is_written_down(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct pap_install *in;
    struct pap_install_skill s;
    assert_ok(open_at(NULL, &in, &err));
    struct lock_skill *l = as_locked(&in->arena, &birds);
    static const char *const led_to[] = {"https://shop.example/b", "https://files.example:444/c?token=1", NULL};
    struct install_source from = {(void *)(uintptr_t)&birds, release_read, release_done, led_to};
    l->url = S("https://cdn.example/a");
    assert_ok(install_plan(in, &(struct pap_install_add){0}, l, &from, &err));
    assert_ok(pap_install_apply(in, NULL, NULL, &err));
    pap_install_at(in, 0, &s);
    assert_string_equal(s.artifact_hosts[0], "cdn.example");
    assert_string_equal(s.artifact_hosts[1], "files.example:444");
    assert_null(s.artifact_hosts[2]);
    assert_ok(pap_install_url_allowed(in, 0, &err));
    pap_install_close(in);
}

/* ---- more than one lock ---- */

static const char *lock_named(struct arena *a, const char *name)
{
    const char *path = arena_cstr(a, str_c(at(name)));
    assert_non_null(path);
    return path;
}

static pap_result install_by(const char *lock, const struct release *r, struct pap_skill_err *err)
{
    struct arena a;
    struct pap_install *in = NULL;
    arena_init(&a, NULL);
    struct pap_install_options o = {.lock = lock_named(&a, lock)};
    pap_result result = pap_install_open(&o, &in, err);
    if (is_ok(result))
        result = plan(in, r, NOTHING, err);
    if (is_ok(result))
        result = pap_install_apply(in, NULL, NULL, err);
    pap_install_close(in);
    arena_fini(&a);
    return result;
}

/* One skill, one lock: the very same files, too. */
static void a_skill_belongs_to_one_lock(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct pap_install *in, *late;
    struct pap_install_options person = {.home = project};
    put("not-a.lock", "{");
    put("package.json", "{\"skills\": {}}");
    assert_int_equal(symlink("papaver-skills.lock", at("link.lock")), 0);
    assert_ok(install_by("garden.lock", &birds, &err));
    assert_int_equal(install(&birds, NOTHING, &err).code, PAP_REFUSED);
    assert_int_equal(err.code, PAP_SKILL_LOCK_MISMATCH);
    assert_non_null(strstr(err.text, "feed-birds belongs to the lock "));
    assert_non_null(strstr(err.text, "/garden.lock"));
    assert_ok(install(&plants_1, NOTHING, &err));
    assert_ok(install(&plants_2, NOTHING, &err)); /* its own */
    assert_int_equal(install_by("garden.lock", &plants_2, &err).code, PAP_REFUSED);

    /* of a person, and of a project in the home folder */
    assert_ok(pap_install_open(&person, &in, &err));
    assert_int_equal(plan(in, &birds, NOTHING, &err).code, PAP_REFUSED);
    pap_install_close(in);
    empty_project();
    assert_ok(open_at(NULL, &late, &err)); /* planned before, made after */
    assert_ok(plan(late, &birds, NOTHING, &err));
    assert_ok(pap_install_open(&person, &in, &err));
    assert_ok(plan(in, &birds, NOTHING, &err));
    assert_ok(pap_install_apply(in, NULL, NULL, &err));
    pap_install_close(in);
    assert_int_equal(pap_install_apply(late, NULL, NULL, &err).code, PAP_REFUSED);
    assert_non_null(strstr(err.text, "/.agents/papaver-skills.lock"));
    pap_install_close(late);
    assert_false(is_there("papaver-skills.lock"));
}

/* ---- failures of ours ---- */

static void each_allocation_fails(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    unsigned n = 1;
    for (; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        struct pap_install *in = NULL;
        empty_project();
        assert_ok(install(&plants_1, NOTHING, &err));
        fail_alloc_init(&f, n);
        pap_result r = open_at(&f.alloc, &in, &err);
        if (is_ok(r)) {
            f.fail_at = 0; /* what the test itself takes */
            struct lock_skill *l = as_locked(&in->arena, &plants_2);
            f.fail_at = n > f.calls ? n : f.calls + 1 + n % 7;
            struct install_source from = {(void *)(uintptr_t)&plants_2, release_read, release_done, NULL};
            r = install_plan(in, &(struct pap_install_add){.agents = CLAUDE}, l, &from, &err);
        }
        if (is_ok(r))
            r = pap_install_apply(in, NULL, NULL, &err);
        bool done = is_ok(r) && f.calls < f.fail_at;
        pap_install_close(in);
        assert_int_equal(f.live, 0);
        assert_true(verifies("water-plants"));
        assert_false(is_there(".agents/.papaver-staging"));
        if (done)
            break;
        if (!is_ok(r))
            assert_int_equal(r.code, PAP_NO_MEMORY);
    }
    assert_in_range(n, 5, 2000);
    assert_true(has(PLANTS "/SKILL.md", "water them well\n"));
}

/* ---- a change that was cut off ---- */

#define STAGING ".agents/.papaver-staging"

/* As if killed as soon as the change was decided, in the lock of that name. */
static void cut_off(const char *lock, const struct release *r)
{
    struct pap_skill_err err = {0};
    struct arena a;
    struct pap_str old, file;
    arena_init(&a, NULL);
    struct pap_install_options o = {.lock = lock_named(&a, lock)};
    struct pap_install *in;
    struct lock now, next;
    struct buf out;
    assert_ok(pap_install_open(&o, &in, &err));
    assert_ok(install_read_lock(in, &a, in->lock_path, &now, &old, &err));
    assert_ok(lock_change(&a, &now, str_c(r->name), as_locked(&a, r), &next, NULL));
    buf_init(&out, NULL, 1 << 20);
    lock_write(&out, &next);
    for (size_t i = 0; i < MOST_FILES && r->files[i].path; i++) {
        file = arena_fmt(&a, "%s/%s", install_staged(&a, 0, str_c(r->name)), r->files[i].path);
        assert_ok(beneath_write(in->root, file.p, str_c(r->files[i].text), r->files[i].executable, NULL));
    }
    assert_ok(install_journal_write(in, old, buf_str(&out), &err));
    pap_install_close(in);
    buf_fini(&out);
    arena_fini(&a);
}

/* Opens the lock, to read alone or to write; nothing or the refusal. */
static pap_result open_lock(const char *lock, bool reads, struct pap_skill_err *err)
{
    struct arena a;
    arena_init(&a, NULL);
    struct pap_install_options o = {.lock = lock_named(&a, lock), .refuse_unfinished = reads};
    struct pap_install *in = NULL;
    pap_result r = pap_install_open(&o, &in, err);
    pap_install_close(in);
    arena_fini(&a);
    return r;
}

static void opening_says(const char *lock, bool reads, const char *says)
{
    struct pap_skill_err err = {0};
    assert_int_equal(open_lock(lock, reads, &err).code, PAP_REFUSED);
    assert_int_equal(err.code, PAP_SKILL_LOCK_MISMATCH);
    if (!strstr(err.text, says))
        unit_fail("%s, not: %s", err.text, says);
}

/* Who reads does not finish it, and says so; who writes does. */
static void a_change_cut_off_is_finished_by_who_writes(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    assert_ok(install(&plants_1, NOTHING, &err));
    cut_off("papaver-skills.lock", &plants_2);
    opening_says("papaver-skills.lock", true, "finishes it");
    assert_true(has(PLANTS "/SKILL.md", "water them\n") && is_there(STAGING "/journal"));
    assert_ok(open_lock("papaver-skills.lock", false, &err));
    assert_true(has(PLANTS "/SKILL.md", "water them well\n") && !is_there(STAGING));
    assert_true(verifies("water-plants"));
    assert_ok(open_lock("papaver-skills.lock", true, &err));

    /* what was never decided is read past by the one, and cleared by the other */
    put(STAGING "/0/water-plants/SKILL.md", "half\n");
    assert_ok(open_lock("papaver-skills.lock", true, &err));
    assert_true(is_there(STAGING));
    assert_ok(open_lock("papaver-skills.lock", false, &err));
    assert_false(is_there(STAGING));
}

/* .agents may serve more than one lock: of a home folder, and of a project in it. */
static void a_change_belongs_to_its_lock(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct pap_install *in;
    struct pap_install_options person = {.home = project};
    assert_ok(install(&plants_1, NOTHING, &err));
    cut_off("other.lock", &birds);
    opening_says("papaver-skills.lock", true, "papaver skill update --lock ");
    opening_says("papaver-skills.lock", false, "/other.lock");
    assert_int_equal(pap_install_open(&person, &in, &err).code, PAP_REFUSED);
    assert_true(has(PLANTS "/SKILL.md", "water them\n") && is_there(STAGING "/journal"));
    assert_false(is_there("other.lock"));
    assert_ok(open_lock("other.lock", false, &err));
    assert_true(is_there("other.lock") && has(".agents/skills/feed-birds/SKILL.md", "feed them\n"));
    assert_true(verifies("water-plants"));
}
static void a_lock_that_moved_on_is_left_alone(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    assert_ok(install(&plants_1, NOTHING, &err));
    cut_off("papaver-skills.lock", &plants_2);
    assert_int_equal(rename(at("papaver-skills.lock"), at("was")), 0);
    put("papaver-skills.lock", "{\"lock_version\": 1, \"skills\": {}}\n");
    opening_says("papaver-skills.lock", false, "bring the lock back");
    opening_says("papaver-skills.lock", true, "bring the lock back");
    assert_int_equal(rename(at("was"), at("papaver-skills.lock")), 0);
    assert_int_equal(rename(at(STAGING "/lock.json"), at("next")), 0);
    put(STAGING "/lock.json", "{\"lock_version\": 1, \"skills\": {}}\n");
    opening_says("papaver-skills.lock", false, "bring the lock back");
    assert_true(has(PLANTS "/SKILL.md", "water them\n"));
    assert_int_equal(rename(at("next"), at(STAGING "/lock.json")), 0);
    assert_ok(open_lock("papaver-skills.lock", false, &err));
    assert_true(verifies("water-plants") && has(PLANTS "/SKILL.md", "water them well\n"));
}

/* A staging folder that came with a repository, byte for byte one of ours, decides nothing. */
static void staging_of_a_stranger(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    char command[300];
    assert_ok(install(&plants_1, NOTHING, &err));
    cut_off("papaver-skills.lock", &plants_2);
    (void)snprintf(command, sizeof command, "cp -a %s/" STAGING " %s/copy && rm -r %s/" STAGING, project, project,
                   project);
    assert_int_equal(system(command), 0);
    assert_int_equal(rename(at("copy"), at(STAGING)), 0);
    for (int reads = 0; reads < 2; reads++) {
        opening_says("papaver-skills.lock", reads, "did not leave it here");
        assert_true(has(PLANTS "/SKILL.md", "water them\n") && !is_there(PLANTS "/b"));
    }
    put(STAGING "/journal", "anything");
    opening_says("papaver-skills.lock", false, "did not leave it here");
    put(STAGING "/journal", "");
    opening_says("papaver-skills.lock", false, "did not leave it here");
    assert_ok(folder_remove(at(STAGING), NULL));
    assert_ok(open_lock("papaver-skills.lock", false, &err));

    if (geteuid() == 0) { /* another user's */
        cut_off("papaver-skills.lock", &plants_2);
        assert_int_equal(chown(at(STAGING), 1234, 1234), 0);
        opening_says("papaver-skills.lock", false, "another user's");
    }
}

/* Every byte of a journal counts. */
static void a_journal_cut_at_every_byte(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct arena a;
    struct pap_str whole;
    char cut[400];
    assert_ok(install(&plants_1, NOTHING, &err));
    cut_off("papaver-skills.lock", &plants_2);
    arena_init(&a, NULL);
    assert_ok(file_read(&a, at(STAGING "/journal"), sizeof cut - 1, &whole, NULL, NULL));
    for (size_t n = 0; n < whole.n; n++) {
        memcpy(cut, whole.p, n);
        cut[n] = '\0';
        put(STAGING "/journal", cut);
        assert_int_equal(open_lock("papaver-skills.lock", false, &err).code, PAP_REFUSED);
        assert_true(has(PLANTS "/SKILL.md", "water them\n"));
    }
    memcpy(cut, whole.p, whole.n);
    cut[whole.n] = '\0';
    put(STAGING "/journal", cut);
    assert_ok(open_lock("papaver-skills.lock", false, &err));
    assert_true(verifies("water-plants") && has(PLANTS "/SKILL.md", "water them well\n"));
    arena_fini(&a);
}

static void what_was_shown_is_installed(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct pap_install *in;
    struct release moving = birds;
    assert_ok(open_at(NULL, &in, &err));
    assert_ok(plan(in, &moving, NOTHING, &err));
    moving.files[0].text = "other text";
    assert_int_equal(pap_install_apply(in, NULL, NULL, &err).code, PAP_REFUSED);
    assert_int_equal(err.code, PAP_SKILL_LOCK_MISMATCH);
    assert_false(is_there(".agents/skills") || is_there("papaver-skills.lock"));
    pap_install_close(in);
}

static void installed_files_are_read(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    struct pap_install *in;
    struct pap_str s;
    assert_ok(install(&plants_1, NOTHING, &err));
    assert_ok(open_at(NULL, &in, &err));
    assert_ok(pap_install_read(in, 0, "SKILL.md", &s, &err));
    assert_true(str_eq(s, S("water them\n")));
    assert_int_equal(unlink(at(PLANTS "/SKILL.md")), 0);
    assert_ok(pap_install_read(in, 0, "SKILL.md", &s, &err));
    assert_null(s.p);
    assert_int_equal(pap_install_read(in, 0, "../../../papaver-skills.lock", &s, &err).code, PAP_REFUSED);
    pap_install_close(in);
    struct pap_install_options o = {.lock = at("no/such/papaver-skills.lock")};
    assert_int_equal(pap_install_open(&o, &in, &err).code, PAP_IO);
    o.lock = at("");
    assert_int_equal(pap_install_open(&o, &in, &err).code, PAP_USAGE);
}

/* ---- a folder of the caller's choice ---- */

struct opened {
    struct pap_skill_client *client;
    struct pap_skill_session *session;
};

static struct pap_skill *of_folder(struct opened *o, const char *name)
{
    struct pap_skill *skill = NULL;
    struct pap_skill_err err = {0};
    struct pap_skill_options options = {0};
    struct pap_skill_origin origin = {.place = at("skills")};
    if (!o->client && (!is_ok(pap_skill_client_new(&options, &o->client, &err)) ||
                       !is_ok(pap_skill_session_open(o->client, &origin, &o->session, &err))))
        unit_fail("%s", err.text);
    if (!is_ok(pap_skill_activate(o->session, name, NULL, &skill, &err)))
        unit_fail("%s", err.text);
    return skill;
}

static void close_folder(struct opened *o)
{
    pap_skill_session_close(o->session);
    pap_skill_client_free(o->client);
}

#define FOLDER_SKILL "---\nname: plants\ndescription: Waters plants, when asked.\n---\n\nWater.\n"

static unsigned count_below(const char *below)
{
    struct arena a;
    struct tree t;
    arena_init(&a, NULL);
    assert_ok(tree_list(&a, at(below), 1000, 10, NULL, NULL, &t, NULL));
    unsigned n = (unsigned)t.n;
    arena_fini(&a);
    return n;
}

/* Several write to one folder: one does all of it, the others say that they did not. */
static void unpacked_by_one_of_many(void **state)
{
    (void)state;
    enum { MANY = 3, ROUNDS = 4 };
    put("skills/plants/SKILL.md", FOLDER_SKILL);
    put("skills/plants/a/b/c.md", "c\n");
    put("skills/plants/d.md", "d\n");
    struct opened o = {0};
    struct pap_skill *skill = of_folder(&o, "plants");
    for (int round = 0; round < ROUNDS; round++) {
        pid_t pids[MANY];
        int done = 0;
        (void)mkdir(at("out"), 0755);
        if (round % 2)
            assert_int_equal(mkdir(at("out/plants"), 0755), 0);
        put("out/.plants.papaver/mine", "mine\n"); /* not ours, whatever its name */
        for (int i = 0; i < MANY; i++) {
            pids[i] = fork();
            assert_true(pids[i] >= 0);
            if (pids[i] == 0) {
                struct pap_skill_err err = {0};
                pap_result r = pap_install_unpack(skill, at("out/plants"), false, &err);
                bool told = r.code == PAP_REFUSED && err.code == PAP_SKILL_POLICY_DENIED &&
                            strstr(err.text, "is there, and it is not empty");
                if (!is_ok(r) && !told)
                    (void)fprintf(stderr, "%s\n", err.text);
                (void)fprintf(stderr, "%d %s\n", (int)r.code, err.text);
                _exit(is_ok(r) ? 0 : told ? 1 : 2);
            }
        }
        for (int i = 0; i < MANY; i++) {
            int status;
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
            done += WEXITSTATUS(status) == 0;
        }
        assert_int_equal(done, 1);
        assert_true(has("out/plants/SKILL.md", FOLDER_SKILL) && has("out/plants/a/b/c.md", "c\n") &&
                    has("out/plants/d.md", "d\n"));
        assert_true(has("out/.plants.papaver/mine", "mine\n"));
        assert_int_equal(count_below("out"), 8); /* and nothing else */
        assert_ok(folder_remove(at("out"), NULL));
    }
    pap_skill_free(skill);
    close_folder(&o);
}

static void unpacked_nowhere_else(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    char path[400];
    put("skills/plants/SKILL.md", FOLDER_SKILL);
    put("skills/birds/SKILL.md", "---\nname: birds\ndescription: Feeds birds, when asked.\n---\n\nFeed.\n");
    put("skills/birds/a\xe2\x80\xaegnp.md", "x\n");
    struct opened o = {0};
    struct pap_skill *plants = of_folder(&o, "plants"), *birds_too = of_folder(&o, "birds");
    static const char *const none[] = {"/", "//", ".", "..", "a/..", ""};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(pap_install_unpack(plants, none[i], false, &err).code, PAP_REFUSED);
        (void)snprintf(path, sizeof path, "\"%s\" names no folder", none[i]);
        assert_int_equal(err.code, PAP_SKILL_CONFIGURATION_INVALID);
        assert_non_null(strstr(err.text, path));
    }
    put("file", "mine\n");
    assert_int_equal(pap_install_unpack(plants, at("file"), false, &err).code, PAP_REFUSED);
    assert_true(has("file", "mine\n"));
    assert_int_equal(symlink("elsewhere", at("link")), 0);
    assert_int_equal(mkdir(at("elsewhere"), 0755), 0);
    assert_int_equal(pap_install_unpack(plants, at("link"), false, &err).code, PAP_REFUSED);
    assert_int_equal(count_below("elsewhere"), 0);

    /* a name that people read in another order than it stands there */
    struct pap_install *in;
    struct pap_install_add add = {.skill = birds_too};
    assert_int_equal(pap_install_unpack(birds_too, at("out"), false, &err).code, PAP_REFUSED);
    assert_int_equal(err.code, PAP_SKILL_ARCHIVE_UNSAFE);
    assert_non_null(strstr(err.text, "\\u{202E}"));
    assert_false(is_there("out"));
    assert_ok(open_at(NULL, &in, &err));
    assert_int_equal(pap_install_plan_add(in, &add, &err).code, PAP_REFUSED);
    assert_int_equal(err.code, PAP_SKILL_ARCHIVE_UNSAFE);
    pap_install_close(in);
    pap_skill_free(plants);
    pap_skill_free(birds_too);
    close_folder(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        install_test(new_update_remove),
        install_test(executable_bits),
        install_test(what_a_change_is),
        install_test(links_for_agents),
        install_test(most_agents_need_nothing),
        install_test(of_a_person),
        install_test(a_person_moves),
        install_test(what_is_not_ours_stays),
        install_test(removal_leaves_what_changed),
        install_test(removal_beside_a_deep_tree),
        install_test(removal_where_a_folder_is_none),
        install_test(links_are_refused),
        install_test(two_origins_of_one_name),
        install_test(frozen_is_what_the_lock_says),
        install_test(frozen_writes_no_lock),
        install_test(folders_are_named_from_the_lock),
        install_test(others_change_the_lock_meanwhile),
        install_test(others_come_and_go_meanwhile),
        cmocka_unit_test(hosts_of_a_lock),
        install_test(another_host_is_written_down),
        install_test(a_skill_belongs_to_one_lock),
        install_test(each_allocation_fails),
        install_test(a_change_cut_off_is_finished_by_who_writes),
        install_test(a_change_belongs_to_its_lock),
        install_test(a_lock_that_moved_on_is_left_alone),
        install_test(staging_of_a_stranger),
        install_test(a_journal_cut_at_every_byte),
        install_test(what_was_shown_is_installed),
        install_test(installed_files_are_read),
        install_test(unpacked_by_one_of_many),
        install_test(unpacked_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
