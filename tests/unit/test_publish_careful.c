/* SPDX-License-Identifier: Apache-2.0
 *
 * pap_publish() where something else than skills is in the way, or would be lost without a word: old files that somebody
 * still names, other publishers, names that not every system has.
 */
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "publish_unit.h"
#include "sys/tree.h"

#define POPPY "dist/.well-known/poppy.json"
#define ARTIFACTS "dist/.well-known/agent-skills/artifacts"

enum { DAY = 24 * 60 * 60 };
static const int64_t late = 4000000000; /* later than any file of the test */

static size_t count_files(const char *below)
{
    struct arena a;
    struct tree t = {0};
    arena_init(&a, NULL);
    assert_ok(tree_names(&a, in_project(below), 1000, &t, NULL));
    size_t n = t.n;
    arena_fini(&a);
    return n;
}

static void a_tree_with_poppy(void)
{
    put(POPPY,
        "{\"protocol_version\": \"0.3\", \"organization\": {\"name\": \"Shop\", \"domain\": \"shop.example\"}}\n");
    put_skill("cut-grass", "", "Cut it.");
}

/* A run without --poppy leaves the old skill_index where it is, and what that names. */
static void what_poppy_json_names_stays(void **state)
{
    (void)state;
    a_tree_with_poppy();
    const char *poppy = in_project(POPPY), *base = "https://shop.example";
    assert_published(publish((struct pap_publish_options){.poppy = poppy, .now = late}));
    put_skill("cut-grass", "", "Cut it well.");
    assert_published(publish((struct pap_publish_options){.base_url = base, .now = late}));
    put_skill("cut-grass", "", "Cut it very well.");
    assert_published(publish((struct pap_publish_options){.base_url = base, .now = late + 31 * DAY}));
    assert_published(publish((struct pap_publish_options){.base_url = base, .now = late + 90 * DAY}));
    assert_int_equal(count_files(ARTIFACTS), 2); /* the second one is gone */
    assert_published(publish((struct pap_publish_options){.poppy = poppy, .now = late + 90 * DAY}));
    assert_published(publish((struct pap_publish_options){.poppy = poppy, .now = late + 119 * DAY}));
    assert_int_equal(count_files(ARTIFACTS), 2);
    assert_published(publish((struct pap_publish_options){.poppy = poppy, .now = late + 120 * DAY}));
    assert_int_equal(count_files(ARTIFACTS), 1);
}

/* A folder whose SKILL.md is no file is not passed over as if it was no skill. */
static void a_skill_file_is_a_file(void **state)
{
    (void)state;
    put("skills/pipe/a.md", "x");
    assert_int_equal(mkfifo(in_project("skills/pipe/SKILL.md"), 0644), 0);
    put("skills/folder/SKILL.md/a.md", "x");
    put("skills/link/a.md", "x");
    assert_int_equal(symlink("nowhere", in_project("skills/link/SKILL.md")), 0);
    struct published p = publish((struct pap_publish_options){0});
    assert_refused(p, "archive.link", "skills/pipe/SKILL.md:0");
    assert_refused(p, "skill.file", "skills/folder/SKILL.md:0");
    assert_refused(p, "archive.link", "skills/link/SKILL.md:0");
    assert_int_equal(p.n_rules, 3);
}

/* What cannot be looked into may be a skill: nobody knows. */
static void a_folder_that_may_not_be_entered(void **state)
{
    (void)state;
    put("skills/locked/SKILL.md", "x");
    assert_int_equal(chmod(project, 0755), 0);
    assert_int_equal(chmod(in_project("skills/locked"), 0700), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool barred = geteuid() == 0 ? seteuid(65534) == 0 : chmod(in_project("skills/locked"), 0) == 0;
        struct published p = publish((struct pap_publish_options){.mode = PAP_PUBLISH_DRY_RUN});
        _exit(!barred || p.result.code != PAP_IO || !strstr(p.err.text, "locked/SKILL.md: Permission denied"));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(in_project("skills/locked"), 0700), 0);
}

static void says(struct published p, enum pap_code code, const char *words)
{
    if (p.result.code != code || !strstr(p.err.text, words))
        unit_fail("not %d with \"%s\", but %d: %s", (int)code, words, (int)p.result.code, p.err.text);
}

static void base_urls(void **state)
{
    (void)state;
    static const struct {
        const char *url, *words; /* NULL: it is a good one */
    } rows[] = {
        {"https://shop.example/a/../b", "a dot segment"},
        {"https://shop.example/.", "a dot segment"},
        {"/a/..", "a dot segment"},
        {"/a/%2E%2e/b", "a dot segment"},
        {"https://192.0.2.7/", "an IP address"},
        {"https://[2001:db8::1]:8443/x", "an IP address"},
        {"https://127.0.0.1:8443", NULL},
        {"https://shop.example/a..b/...", NULL},
        {"/pub", NULL},
    };
    put_skill("cut-grass", "", "Cut it.");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct published p = publish((struct pap_publish_options){.base_url = rows[i].url});
        if (rows[i].words)
            says(p, PAP_USAGE, rows[i].words);
        else
            assert_published(p);
    }
}

static void what_is_wrong_with_the_domain_is_said(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"\"shop.example:8443\"", "it has a port"},
        {"\"b\u00fccher.example\"", "xn--"},
        {"\"\"", "has no organization.domain"},
        {"\"https://shop.example\"", "it has a"},
    };
    put_skill("cut-grass", "", "Cut it.");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, "{\"organization\": {\"domain\": %s}}", rows[i][0]);
        put("poppy.json", text);
        says(publish((struct pap_publish_options){.poppy = in_project("poppy.json")}), PAP_USAGE, rows[i][1]);
    }
}

static void put_version(const char *version)
{
    char more[60];
    (void)snprintf(more, sizeof more, "metadata:\n  version: \"%s\"\n", version);
    put_skill("cut-grass", more, version);
}

/* The bytes of an old release cannot be made again: to publish is a failure, to compare finds a difference. */
static void a_lost_release_is_a_difference(void **state)
{
    (void)state;
    char command[200];
    put_version("1.0.0");
    assert_published(publish((struct pap_publish_options){0}));
    (void)snprintf(command, sizeof command, "rm %s/*", in_project(ARTIFACTS));
    put_version("1.1.0");
    assert_published(publish((struct pap_publish_options){.out = in_project("other"), .prior = in_project("dist")}));
    assert_int_equal(system(command), 0);
    struct published p = publish((struct pap_publish_options){.mode = PAP_PUBLISH_CHECK});
    assert_ok(p.result);
    assert_int_equal(p.exit, 1);
    assert_non_null(strstr(p.note, "cut-grass 1.0.0"));
    assert_non_null(strstr(p.note, "missing or damaged"));
    says(publish((struct pap_publish_options){0}), PAP_SYNTAX, "missing or damaged");
}

/* Said for the run that does it, and for that alone. */
static void an_older_version_is_said(void **state)
{
    (void)state;
    put_version("1.0.0");
    assert_published(publish((struct pap_publish_options){0}));
    put_version("0.9.0");
    struct published p = publish((struct pap_publish_options){.strict = true});
    assert_refused(p, "publish.version.older", "skills/cut-grass/SKILL.md:0");
    p = publish((struct pap_publish_options){0});
    assert_published(p);
    assert_int_equal(p.counts.warnings, 1);
    p = publish((struct pap_publish_options){0});
    assert_published(p);
    assert_int_equal(p.counts.warnings, 0);
    put_version("1.1.0");
    assert_int_equal(publish((struct pap_publish_options){.strict = true}).counts.warnings, 0);
}

static void hand_made_members_are_said(void **state)
{
    (void)state;
    static const char index[] = "dist/.well-known/agent-skills/index.json";
    put_skill("cut-grass", "", "Cut it.");
    put(index, "{\"skills\": [], \"x-ours\": {\"note\": 1}}");
    struct published p = publish((struct pap_publish_options){0});
    assert_published(p);
    assert_non_null(strstr(p.note, "x-ours"));
    p = publish((struct pap_publish_options){.archive = true});
    assert_published(p);
    assert_string_equal(p.note, "");
    static const char *const more[] = {"\"price\": 3", "\"x-papaver\": {\"price\": 3}",
                                       "\"x-remote-skills\": {\"version\": \"1.0.0\", \"releases\": [], \"price\": 3}"};
    for (size_t i = 0; i < 3; i++) {
        char text[600], digest[65] = {0};
        memset(digest, 'a', 64);
        (void)snprintf(text, sizeof text,
                       "{\"skills\": [{\"name\": \"cut-grass\", \"type\": \"skill-md\", \"url\": \"a\", "
                       "\"digest\": \"sha256:%s\", %s}]}",
                       digest, more[i]);
        put(index, text);
        p = publish((struct pap_publish_options){0});
        assert_published(p);
        assert_non_null(strstr(p.note, "price"));
    }
    put_version("1.0.0");
    assert_published(publish((struct pap_publish_options){0}));
    put_version("1.1.0");
    p = publish((struct pap_publish_options){.deprecate = (const char *[]){"cut-grass@1.0.0=It cuts too deep.", NULL}});
    assert_published(p);
    assert_string_equal(publish((struct pap_publish_options){0}).note, ""); /* all of this is ours */
}

/* Whatever somebody put into the staging folder goes; what a link in it leads to does not. */
static void a_folder_in_staging_is_cleared(void **state)
{
    (void)state;
    put_skill("cut-grass", "", "Cut it.");
    put("dist/.papaver-staging/a/b/c", "x");
    put("mine/keep", "x");
    assert_int_equal(symlink("../../../mine", in_project("dist/.papaver-staging/a/link")), 0);
    assert_published(publish((struct pap_publish_options){0}));
    assert_int_equal(file_type_of(in_project("dist/.papaver-staging")), FILE_NONE);
    assert_int_equal(file_type_of(in_project("mine/keep")), FILE_REGULAR);
}

/* A failure behind the index does not read as if nothing was public. */
static void what_is_public_is_said(void **state)
{
    (void)state;
    put_skill("cut-grass", "", "Cut it.");
    put("dist/.well-known/skills", "in the way");
    struct published p = publish((struct pap_publish_options){.legacy = true});
    says(p, PAP_IO, "the new index is public; mend this and run papaver publish again: cannot write into");
    assert_int_equal(file_type_of(in_project("dist/.well-known/agent-skills/index.json")), FILE_REGULAR);
    put_skill("cut-grass", "", "Cut it well.");
    put("poppy.json", "{\"organization\": {\"domain\": \"shop.example\"}}");
    p = publish((struct pap_publish_options){.legacy = true, .poppy = in_project("poppy.json")});
    says(p, PAP_IO, "the new index and poppy.json are public; mend this and run papaver publish again: ");
    p = publish((struct pap_publish_options){.legacy = true, .poppy = in_project("poppy.json")});
    assert_null(strstr(p.err.text, "public")); /* nothing of this run is */
}

static void each_allocation_fails(struct pap_publish_options o, int exit)
{
    struct published p = {.result = {PAP_NO_MEMORY}};
    unsigned n = 1;
    for (; n < FAIL_ALLOC_MOST && p.result.code == PAP_NO_MEMORY; n++) {
        struct fail_alloc f;
        fail_alloc_init(&f, n);
        o.alloc = &f.alloc;
        p = publish(o);
        assert_int_equal(f.live, 0);
    }
    assert_true(n > 2);
    assert_int_equal(p.exit, exit);
}

static void failing_allocations(void **state)
{
    (void)state;
    char command[300];
    put_version("1.0.0");
    put("skills/cut-grass/Notes/\xc3\x84.md", "x");
    assert_published(publish((struct pap_publish_options){0}));
    put_version("0.9.0");
    (void)snprintf(command, sizeof command, "rm %s/* && sed -i 's/\"skills\"/\"x\": 1, \"skills\"/' %s/../index.json",
                   in_project(ARTIFACTS), in_project(ARTIFACTS));
    assert_int_equal(system(command), 0);
    each_allocation_fails((struct pap_publish_options){.mode = PAP_PUBLISH_CHECK}, 1);
    put("skills/cut-grass/Notes/.skillignore", "x");
    put(".SkillIgnore", "x");
    each_allocation_fails((struct pap_publish_options){.mode = PAP_PUBLISH_CHECK}, 1);
    put("poppy.json", "{\"organization\": {\"domain\": \"a:1\"}}");
    each_allocation_fails((struct pap_publish_options){.mode = PAP_PUBLISH_CHECK, .poppy = in_project("poppy.json")},
                          -1);
}

/* ---- waiting ---- */

struct waiting {
    int to_holder;
    unsigned told;
};

static void let_go(void *ctx, const struct pap_publish_event *e)
{
    struct waiting *w = ctx;
    if (e->what != PAP_PUBLISH_WAIT)
        return;
    w->told++;
    assert_true(str_ends(e->path, S("/dist")));
    assert_int_equal(write(w->to_holder, "x", 1), 1);
}

/* Holds the tree until it is told to let go. */
static void hold(int from, int to)
{
    int lock = -1;
    char c;
    (void)alarm(60);
    bool held = is_ok(folder_lock(in_project("dist"), &lock, NULL)) && write(to, "x", 1) == 1;
    _exit(held && read(from, &c, 1) == 1 ? 0 : 1);
}

static void who_waits_is_told(void **state)
{
    (void)state;
    int there[2], back[2], status;
    char c;
    put_skill("cut-grass", "", "Cut it.");
    put("dist/a", "x");
    assert_int_equal(pipe(there), 0);
    assert_int_equal(pipe(back), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        hold(there[0], back[1]);
    assert_int_equal(read(back[0], &c, 1), 1);
    struct waiting w = {.to_holder = there[1]};
    struct pap_publish_counts counts;
    struct pap_publish_options o = {.folder = project, .event = let_go, .ctx = &w};
    assert_ok(pap_publish(&o, &counts, &status, NULL));
    assert_int_equal(status, 0);
    assert_int_equal(w.told, 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    for (unsigned i = 0; i < 2; i++) {
        (void)close(there[i]);
        (void)close(back[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        publish_test(what_poppy_json_names_stays),
        publish_test(a_skill_file_is_a_file),
        publish_test(a_folder_that_may_not_be_entered),
        publish_test(base_urls),
        publish_test(what_is_wrong_with_the_domain_is_said),
        publish_test(a_lost_release_is_a_difference),
        publish_test(an_older_version_is_said),
        publish_test(hand_made_members_are_said),
        publish_test(a_folder_in_staging_is_cleared),
        publish_test(what_is_public_is_said),
        publish_test(failing_allocations),
        publish_test(who_waits_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
