/* SPDX-License-Identifier: Apache-2.0
 *
 * pap_publish(): what comes out passes every check, what must not come out is refused with file, line and rule.
 */
#include <sys/stat.h>

#include "crypto/digest.h"
#include "lib/script.h"
#include "publish/project.h"
#include "publish_unit.h"

#define INDEX "dist/.well-known/agent-skills/index.json"

static void garden(void)
{
    put_skill("water-plants", "", "Water them. See [amounts](references/amounts.md).");
    put("skills/water-plants/references/amounts.md", "# Amounts\n");
    put("skills/water-plants/.env", "TOKEN=1\n");
    put("skills/water-plants/draft.tmp", "draft\n");
    put("skills/water-plants/.skillignore", "*.tmp\n!.env\nSKILL.md\n");
    put_skill("cut-grass", "license: MIT\n", "Cut it.");
}

static void what_comes_out_passes_every_check(void **state)
{
    (void)state;
    garden();
    put("skills/no-skill/README.md", "x");
    struct published p = publish((struct pap_publish_options){0});
    assert_published(p);
    assert_int_equal(p.counts.skills, 2);
    assert_int_equal(p.counts.files, 3);
    assert_int_equal(p.counts.fresh, 2);
    assert_int_equal(p.left_out, 4); /* .env, draft.tmp, .skillignore, no-skill */
    assert_int_equal(p.outputs, 3);
    assert_clean("dist");
    assert_int_equal(file_type_of(in_project("dist/.papaver-staging")), FILE_NONE);
    for (int zip = 0; zip < 2; zip++)
        for (int archive = 0; archive < 2; archive++) {
            const char *out = in_project(zip ? archive ? "a" : "b" : archive ? "c" : "d");
            p = publish((struct pap_publish_options){
                .out = out, .zip = zip, .archive = archive, .base_url = zip ? "/" : "https://shop.example/"});
            assert_published(p);
            struct pap_counts counts;
            int status;
            assert_ok(pap_check(&(struct pap_check_options){.offline = true, .finding = show_finding}, &out, 1, &counts,
                                &status, NULL));
            assert_int_equal(counts.errors + counts.warnings, 0);
        }
}

static void the_index_is_that_of_remote_skills(void **state)
{
    (void)state;
    const char *cases = getenv("PAPAVER_CASES");
    char folder[300];
    struct arena a;
    static const char *const digests[] = {"sha256:a63e76e79a3fec5579b968e8beeac58eade777f4c6017bc81a19e52b35983870",
                                          "sha256:9471550cbdbe90819fdea8ff5513af0e9cdecbc3d7f315a30aaa64edb6699d77"};
    if (!cases) {
        print_message("PAPAVER_CASES is not set: the indexes of Remote Skills are not compared\n");
        return;
    }
    (void)snprintf(folder, sizeof folder, "%s/remote-skills/publisher/source", cases);
    arena_init(&a, NULL);
    for (int zip = 0; zip < 2; zip++) {
        struct pap_publish_options o = {.folder = folder, .out = in_project(zip ? "z" : "t"), .zip = zip};
        struct pap_publish_counts counts;
        struct digest d;
        char text[DIGEST_TEXT + 1];
        int status;
        assert_ok(pap_publish(&o, &counts, &status, NULL));
        assert_int_equal(status, 0);
        struct pap_str index =
            get(&a, zip ? "z/.well-known/agent-skills/index.json" : "t/.well-known/agent-skills/index.json");
        assert_ok(digest_sha256(&index, 1, &d, NULL));
        digest_text(&d, text);
        assert_string_equal(text, digests[zip]);
    }
    arena_fini(&a);
}

static void no_skill_is_an_empty_index(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    assert_int_equal(publish((struct pap_publish_options){0}).result.code, PAP_USAGE); /* no folder of skills */
    assert_ok(folder_make(in_project("skills"), NULL));
    assert_published(publish((struct pap_publish_options){0}));
    assert_str(
        get(&a, INDEX),
        "{\n  \"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\n  \"skills\": []\n}\n");
    arena_fini(&a);
}

/* ---- refusals ---- */

#define KEY       \
    "-----BEGIN " \
    "PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v4Pp6rTq\n"

static void what_must_not_come_out_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *file, *text; /* beside a good SKILL.md; or SKILL.md itself */
        const char *rule, *where;
    } rows[] = {
        {"SKILL.md", "---\nname: other\ndescription: x\n---\n", "skill.name.folder", "skills/s/SKILL.md:2"},
        {"SKILL.md", "---\nname: s\ndescription: a: b\n---\n", "yaml.colon", "skills/s/SKILL.md:3"},
        {"SKILL.md", "---\nname: s\ndescription: x\norigin: y\n---\n", "skill.unknown-key", "skills/s/SKILL.md:4"},
        {"SKILL.md", "---\nname: s\ndescription: x\nmetadata:\n  a: 1.0\n---\n", "skill.scalar", "skills/s/SKILL.md:5"},
        {"SKILL.md", "---\nname: s\ndescription: x\nmetadata:\n  version: \"1.0\"\n---\n", "publish.version",
         "skills/s/SKILL.md:5"},
        {"SKILL.md", "---\nname: s\ndescription: x\n---\nSee [x](gone.md).\n", "skill.reference",
         "skills/s/SKILL.md:5"},
        {"SKILL.md", "---\nname: s\ndescription: x\n---\nSee [x](../t/x.md).\n", "skill.reference",
         "skills/s/SKILL.md:5"},
        {"SKILL.md", "---\nname: s\ndescription: x\n---\n\nGet https://raw.githubusercontent.com/a/b/main/c.\n",
         "publish.url.mutable", "skills/s/SKILL.md:6"},
        {"SKILL.md", "\xef\xbb\xbf---\nname: s\ndescription: x\n---\n", "text.bom", "skills/s/SKILL.md:1"},
        {"SKILL.md", "no front matter\n", "skill.front-matter", "skills/s/SKILL.md:1"},
        {"SKILL.md", "---\nname: s\ndescription: x\n---\n\xff\n", "text.utf8", "skills/s/SKILL.md:5"},
        {"a/key.txt", "x\n" KEY, "publish.secret", "skills/s/a/key.txt:2"},
        {"aux.md", "x", "archive.name", "skills/s/aux.md:0"},
        {"a\\b", "x", "archive.name", "skills/s/a\\b:0"},
        {"skill.MD", "x", "archive.collision", "skills/s/skill.MD:0"},
        {"a\x1b[2Jb", "x", "archive.name", "skills/s/a\\x1B[2Jb:0"},
        {"\xff.md", "x", "archive.name", "skills/s/\\xFF.md:0"},
        {"\xe2\x80\xae.md/x\n", "x", "archive.name", "skills/s/\\u{202E}.md/x\\x0A:0"},
        {".skillignore", "\xff", "text.utf8", "skills/s/.skillignore:1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char below[100];
        put_skill("s", "", "Do it.");
        (void)snprintf(below, sizeof below, "skills/s/%s", rows[i].file);
        put(below, rows[i].text);
        assert_refused(publish((struct pap_publish_options){0}), rows[i].rule, rows[i].where);
        assert_int_equal(file_type_of(in_project("dist")), FILE_NONE);
        assert_int_equal(unlink(in_project(below)), 0);
    }
    put_skill("s", "", "Do it.");
    assert_published(publish((struct pap_publish_options){0}));
}

static void links_and_special_files_are_refused(void **state)
{
    (void)state;
    put_skill("s", "", "Do it.");
    put("other.md", "x");
    assert_int_equal(symlink("/etc/passwd", in_project("skills/s/l")), 0);
    assert_refused(publish((struct pap_publish_options){0}), "archive.link", "skills/s/l:0");
    assert_int_equal(rename(in_project("skills/s/l"), in_project("skills/s/.env")), 0); /* even where it is left out */
    assert_refused(publish((struct pap_publish_options){0}), "archive.link", "skills/s/.env:0");
    (void)unlink(in_project("skills/s/.env"));
    assert_int_equal(link(in_project("other.md"), in_project("skills/s/h.md")), 0);
    assert_refused(publish((struct pap_publish_options){0}), "archive.link", "skills/s/h.md:0");
    (void)unlink(in_project("skills/s/h.md"));
    assert_int_equal(mkfifo(in_project("skills/s/f"), 0600), 0);
    assert_refused(publish((struct pap_publish_options){0}), "archive.link", "skills/s/f:0");
    (void)unlink(in_project("skills/s/f"));
    assert_int_equal(symlink("s", in_project("skills/t")), 0);
    assert_refused(publish((struct pap_publish_options){0}), "archive.link", "skills/t:0");
    (void)unlink(in_project("skills/t"));
    put("elsewhere/x", "x");
    assert_int_equal(symlink("elsewhere", in_project("dist")), 0); /* the tree itself may be one, what is in it not */
    assert_published(publish((struct pap_publish_options){0}));
    (void)unlink(in_project("dist"));
    assert_ok(folder_make(in_project("dist"), NULL));
    assert_int_equal(symlink("../elsewhere", in_project("dist/.well-known")), 0);
    assert_int_equal(publish((struct pap_publish_options){.prior = in_project("elsewhere")}).result.code, PAP_IO);
}

/* An allocator that writes to a file whenever it is asked, as somebody who cannot wait. */
static void *restless(void *ctx, void *old, size_t old_size, size_t new_size)
{
    (void)old_size;
    FILE *f = fopen(ctx, "a");
    if (f) {
        (void)fputc('x', f);
        (void)fclose(f);
    }
    if (new_size)
        return realloc(old, new_size);
    free(old);
    return NULL;
}

static bool take_second_away(void *ctx, const struct pap_progress *now)
{
    (void)ctx;
    if (now->done == 1)
        (void)unlink(in_project("skills/t/SKILL.md"));
    return true;
}

static void what_changes_meanwhile_is_refused(void **state)
{
    (void)state;
    static char long_text[300000]; /* it needs memory of its own, after the file was opened */
    char path[300];
    put_skill("s", "", "Do it.");
    memset(long_text, 'x', sizeof long_text - 1);
    put("skills/s/log", long_text);
    (void)snprintf(path, sizeof path, "%s", in_project("skills/s/log"));
    struct pap_alloc alloc = {.fn = restless, .ctx = path};
    assert_refused(publish((struct pap_publish_options){.alloc = &alloc}), "publish.changed", "skills/s/log:0");
    put_skill("t", "", "Do that.");
    assert_refused(publish((struct pap_publish_options){.jobs = 1, .progress = take_second_away}), "publish.changed",
                   "skills/t:0");
    assert_int_equal(file_type_of(in_project("dist")), FILE_NONE);
}

static void limits_roots_and_names(void **state)
{
    (void)state;
    put_skill("s", "", "Do it.");
    put("skills/s/b", "12345");
    assert_refused(publish((struct pap_publish_options){.most_file_bytes = 4}), "archive.limits", "skills/s/b:0");
    assert_refused(publish((struct pap_publish_options){.most_unpacked_bytes = 50}), "archive.limits", "skills/s:0");
    assert_refused(publish((struct pap_publish_options){.most_files = 1}), "archive.limits", "skills/s:0");
    assert_refused(publish((struct pap_publish_options){.most_archive_bytes = 20}), "archive.limits", "skills/s:0");
    assert_refused(publish((struct pap_publish_options){.most_index_bytes = 100}), "publish.size",
                   ".well-known/agent-skills/index.json:0");
    assert_int_equal(publish((struct pap_publish_options){.out = in_project("skills/x")}).result.code, PAP_USAGE);
    assert_int_equal(publish((struct pap_publish_options){.out = in_project("SKILLS/x")}).result.code, PAP_USAGE);
    assert_int_equal(publish((struct pap_publish_options){.out = project}).result.code, PAP_USAGE);
    assert_int_equal(publish((struct pap_publish_options){.base_url = "http://shop.example"}).result.code, PAP_USAGE);
    assert_int_equal(publish((struct pap_publish_options){.base_url = "https://shop.example/?x"}).result.code,
                     PAP_USAGE);
    const char *twice[] = {"skills", "./skills/", NULL}, *a_skill[] = {"skills/s", NULL},
               *one_gone[] = {"gone", "skills", NULL};
    assert_published(publish((struct pap_publish_options){.roots = twice, .mode = PAP_PUBLISH_DRY_RUN}));
    assert_string_equal(publish((struct pap_publish_options){.roots = one_gone, .mode = PAP_PUBLISH_DRY_RUN}).note,
                        "gone: there is no such folder");
    struct published refused = publish((struct pap_publish_options){.roots = a_skill});
    assert_int_equal(refused.result.code, PAP_USAGE);
    assert_non_null(strstr(refused.err.text, "is a skill"));
    put("more/s/SKILL.md", "---\nname: s\ndescription: x\n---\n");
    const char *roots[] = {"skills", "more", "gone", NULL};
    assert_refused(publish((struct pap_publish_options){.roots = roots}), "index.name.duplicate", "skills/s:0");
    put("skills/t/skill.md", "x");
    assert_refused(publish((struct pap_publish_options){0}), "skill.file", "skills/t:0");
    put("skills/s/key", KEY);
    (void)unlink(in_project("skills/t/skill.md"));
    const char *allowed[] = {"s/key", NULL};
    assert_refused(publish((struct pap_publish_options){0}), "publish.secret", "skills/s/key:1");
    assert_published(publish((struct pap_publish_options){.allow_secret = allowed}));
}

static bool put_meanwhile(void *ctx, const struct pap_progress *now)
{
    (void)ctx;
    (void)now;
    put("a/b/mine.txt", "mine");
    put("a/b/sub/mine.txt", "mine");
    return true;
}

/* What a refused run made is taken away, and nothing else. */
static void a_refused_run_leaves_no_trace(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    put("skills/s/SKILL.md", "no front matter\n");
    const char *out = in_project("a/b/c//d/");
    assert_refused(publish((struct pap_publish_options){.out = out}), "skill.front-matter", "skills/s/SKILL.md:1");
    assert_int_equal(file_type_of(in_project("a")), FILE_NONE);
    assert_ok(folder_make(in_project("a"), NULL));
    assert_refused(publish((struct pap_publish_options){.out = out}), "skill.front-matter", "skills/s/SKILL.md:1");
    assert_int_equal(file_type_of(in_project("a/b")), FILE_NONE);
    assert_int_equal(file_type_of(in_project("a")), FILE_FOLDER);
    assert_refused(publish((struct pap_publish_options){.out = in_project("a/b"), .progress = put_meanwhile}),
                   "skill.front-matter", "skills/s/SKILL.md:1");
    assert_str(get(&a, "a/b/mine.txt"), "mine");
    assert_str(get(&a, "a/b/sub/mine.txt"), "mine");
    arena_fini(&a);
}

static void warnings_refuse_only_when_strict(void **state)
{
    (void)state;
    char lines[512];
    memset(lines, '\n', sizeof lines - 1);
    lines[sizeof lines - 1] = '\0';
    put_skill("s", "", lines);
    assert_refused(publish((struct pap_publish_options){.strict = true}), "skill.lines", "skills/s/SKILL.md:0");
    struct published p = publish((struct pap_publish_options){0});
    assert_published(p);
    assert_int_equal(p.counts.warnings, 1);
    assert_string_equal(p.rules[0], "skill.lines");
}

/* What the folder allows is not what the archive holds. */
static void scripts_are_judged_as_they_are_packed(void **state)
{
    (void)state;
    put_skill("roll-dice", "", "```sh\n./scripts/roll.sh\n```");
    put("skills/roll-dice/scripts/roll.sh", "#!/bin/sh\necho 4\n");
    assert_int_equal(chmod(in_project("skills/roll-dice/scripts/roll.sh"), 0755), 0);
    assert_refused(publish((struct pap_publish_options){.strict = true}), "skill.script",
                   "skills/roll-dice/SKILL.md:6");
    struct published p = publish((struct pap_publish_options){.strict = true, .executable = true});
    assert_published(p);
    assert_int_equal(p.n_rules, 0);
    assert_clean("dist");
}

/* ---- again and again ---- */

static size_t count_artifacts(void)
{
    char command[200];
    size_t n = 0;
    (void)snprintf(command, sizeof command, "ls %s/dist/.well-known/agent-skills/artifacts | wc -l", project);
    FILE *f = popen(command, "r");
    assert_int_equal(fscanf(f, "%zu", &n), 1);
    (void)pclose(f);
    return n;
}

static void publishing_again(void **state)
{
    (void)state;
    enum { DAY = 24 * 60 * 60 };
    int64_t now = 1800000000;
    garden();
    assert_published(publish((struct pap_publish_options){.now = now}));
    struct published p = publish((struct pap_publish_options){.now = now});
    assert_published(p);
    assert_int_equal(p.counts.written, 0);
    assert_int_equal(p.counts.same, 2);
    assert_int_equal(publish((struct pap_publish_options){.mode = PAP_PUBLISH_CHECK}).exit, 0);
    put_skill("cut-grass", "", "Cut it shorter.");
    p = publish((struct pap_publish_options){.mode = PAP_PUBLISH_CHECK});
    assert_int_equal(p.exit, 1);
    assert_int_equal(p.outputs, 2);
    assert_int_equal(publish((struct pap_publish_options){.mode = PAP_PUBLISH_DRY_RUN}).exit, 0);
    assert_int_equal(count_artifacts(), 2);
    p = publish((struct pap_publish_options){.now = now});
    assert_published(p);
    assert_int_equal(p.counts.changed, 1);
    assert_int_equal(count_artifacts(), 3); /* the old one stays for readers of the old index */
    put("dist/.well-known/agent-skills/artifacts/README", "not ours");
    assert_published(publish((struct pap_publish_options){.now = now + 29 * DAY}));
    assert_int_equal(count_artifacts(), 4);
    p = publish((struct pap_publish_options){.now = now + 31 * DAY});
    assert_published(p);
    assert_int_equal(p.counts.written, 1);
    assert_int_equal(count_artifacts(), 3);
    assert_clean("dist");
}

static void damage_in_the_tree_is_repaired(void **state)
{
    (void)state;
    char command[200];
    garden();
    assert_published(publish((struct pap_publish_options){0}));
    (void)snprintf(command, sizeof command,
                   "for f in %s/dist/.well-known/agent-skills/artifacts/*.md; do echo x >>$f; done", project);
    assert_int_equal(system(command), 0);
    assert_int_equal(publish((struct pap_publish_options){.mode = PAP_PUBLISH_CHECK}).exit, 1);
    assert_published(publish((struct pap_publish_options){0}));
    assert_clean("dist");
    put("dist/.papaver-staging/sha256-0.md", "what a killed run left");
    assert_published(publish((struct pap_publish_options){0}));
    assert_int_equal(file_type_of(in_project("dist/.papaver-staging")), FILE_NONE);
    put(INDEX, "{");
    assert_int_equal(publish((struct pap_publish_options){0}).result.code, PAP_SYNTAX);
}

static void nothing_vanishes_unnoticed(void **state)
{
    (void)state;
    garden();
    assert_published(publish((struct pap_publish_options){0}));
    (void)unlink(in_project("skills/cut-grass/SKILL.md"));
    char where[300];
    (void)snprintf(where, sizeof where, "%s:0", in_project(INDEX));
    assert_refused(publish((struct pap_publish_options){0}), "publish.removal", where);
    const char *other[] = {"cut-gras", "cut-grass@1.0.0", NULL}, *right[] = {"cut-grass", NULL};
    assert_refused(publish((struct pap_publish_options){.allow_removal = other}), "publish.removal", where);
    struct published p = publish((struct pap_publish_options){.allow_removal = right});
    assert_published(p);
    assert_int_equal(p.counts.removed, 1);
    assert_clean("dist");
}

/* ---- what is remembered ---- */

static struct published again(bool zip)
{
    static char folder[300];
    (void)snprintf(folder, sizeof folder, "%s", in_project("memory"));
    struct published p = publish((struct pap_publish_options){.memory = folder, .zip = zip});
    assert_published(p);
    return p;
}

static const char *memory_file(char ret[300])
{
    char command[200], name[64] = "";
    (void)snprintf(command, sizeof command, "ls %s/memory | head -n 1", project);
    FILE *f = popen(command, "r");
    assert_int_equal(fscanf(f, "%63s", name), 1);
    (void)pclose(f);
    (void)snprintf(ret, 300, "%s/memory/%s", project, name);
    return ret;
}

static void damaged_memory_is_no_memory(void)
{
    char path[300];
    struct arena a;
    struct pap_str good, bad;
    arena_init(&a, NULL);
    assert_ok(file_read(&a, memory_file(path), 1 << 20, &good, NULL, NULL));
    for (size_t i = 0; i < good.n; i += 1 + good.n / 40) {
        bad = arena_str(&a, good);
        ((char *)bad.p)[i] ^= 1;
        assert_ok(file_write_atomic(path, bad, NULL));
        assert_int_equal(again(false).counts.remembered, 0);
        assert_ok(file_write_atomic(path, str_take(good, i), NULL));
        assert_int_equal(again(false).counts.remembered, 0);
    }
    assert_ok(file_write_atomic(path, good, NULL));
    assert_int_equal(again(false).counts.remembered, 2);
    arena_fini(&a);
}

static void unchanged_folders_are_not_read(void **state)
{
    (void)state;
    char command[300];
    garden();
    assert_int_equal(again(false).counts.remembered, 0);
    assert_int_equal(again(false).counts.remembered, 0); /* too new: they could change and look the same */
    (void)sleep(3);
    assert_int_equal(again(false).counts.remembered, 0);
    struct published p = again(false);
    assert_int_equal(p.counts.remembered, 2);
    assert_int_equal(p.counts.written, 0);
    assert_int_equal(p.counts.same, 2);
    assert_int_equal(p.counts.files, 3);
    assert_int_equal(p.left_out, 3);
    damaged_memory_is_no_memory();
    /* The same size and time of change: the time of the inode tells. */
    (void)snprintf(
        command, sizeof command,
        "cd %s/skills/cut-grass && touch -r SKILL.md ../../t && sed -i 's/Cut it/Eat it/' SKILL.md && touch -r ../../t SKILL.md",
        project);
    assert_int_equal(system(command), 0);
    p = again(false);
    assert_int_equal(p.counts.remembered, 1);
    assert_int_equal(p.counts.changed, 1);
    (void)snprintf(command, sizeof command,
                   "for f in %s/dist/.well-known/agent-skills/artifacts/*.tar.gz; do echo x >>$f; done", project);
    assert_int_equal(system(command), 0);
    p = again(false);
    assert_int_equal(p.counts.remembered, 0);
    assert_int_equal(p.counts.written, 1);
    assert_int_equal(again(true).counts.remembered, 0);
    assert_clean("dist");
}

/* ---- releases ---- */

static bool index_has(const char *text)
{
    struct arena a;
    arena_init(&a, NULL);
    struct pap_str index = get(&a, INDEX);
    bool has = str_find(index, str_c(text)) < index.n;
    arena_fini(&a);
    return has;
}

static void put_version(const char *version)
{
    char more[100], body[100];
    (void)snprintf(more, sizeof more, "metadata:\n  version: \"%s\"\n", version);
    (void)snprintf(body, sizeof body, "This is %s.", version);
    put_skill("s", more, body);
}

static void releases_go_on(void **state)
{
    (void)state;
    static const char *const versions[] = {"1.0.0-rc.1", "1.0.0", "1.10.0", "1.9.0"};
    for (size_t i = 0; i < 4; i++) {
        put_version(versions[i]);
        assert_published(publish((struct pap_publish_options){0}));
        assert_clean("dist");
    }
    struct arena a;
    arena_init(&a, NULL);
    struct pap_str index = get(&a, INDEX);
    size_t last = 0;
    static const char *const order[] = {"\"releases\"", "\"version\": \"1.10.0\"", "\"version\": \"1.9.0\"",
                                        "\"version\": \"1.0.0\"", "\"version\": \"1.0.0-rc.1\""};
    for (size_t i = 0; i < 5; i++) {
        size_t at = last + str_find(str_skip(index, last), str_c(order[i]));
        assert_true(at < index.n);
        last = at + 1;
    }
    arena_fini(&a);
    assert_int_equal(count_artifacts(), 4);
    put_skill("s", "metadata:\n  version: \"1.9.0\"\n", "Changed.");
    assert_refused(publish((struct pap_publish_options){0}), "publish.release", "skills/s/SKILL.md:0");
    put_version("1.9.0");
    const char *prune[] = {"s@1.0.0-rc.1", "s@7.7.7", NULL}, *deprecate[] = {"s@1.0.0=forgets the \"cactus\"", NULL};
    struct published p = publish((struct pap_publish_options){.prune = prune, .deprecate = deprecate});
    assert_published(p);
    assert_int_equal(p.counts.removed, 1);
    assert_true(index_has(
        "\"x-papaver\": {\n        \"deprecated\": {\n          \"1.0.0\": \"forgets the \\\"cactus\\\"\"\n"));
    assert_false(index_has("rc.1"));
    assert_published(publish((struct pap_publish_options){0}));
    assert_true(index_has("forgets the"));
    assert_clean("dist");
    const char *now[] = {"s@1.9.0", NULL}, *none[] = {"s@7.7.7", NULL}, *nobody[] = {"t@1.0.0=x", NULL};
    assert_int_equal(publish((struct pap_publish_options){.prune = now}).result.code, PAP_USAGE);
    assert_string_equal(publish((struct pap_publish_options){.prune = none}).note,
                        "--prune s@7.7.7: nothing of that name is public");
    assert_string_equal(publish((struct pap_publish_options){.allow_removal = none}).note,
                        "--allow-removal s@7.7.7: nothing of that name is public");
    assert_string_equal(publish((struct pap_publish_options){.deprecate = nobody}).note,
                        "--deprecate t@1.0.0=x: there is no such release");
    assert_string_equal(publish((struct pap_publish_options){.allow_secret = none}).note,
                        "--allow-secret s@7.7.7: no such file becomes public");
    put_skill("s", "", "No version any more.");
    char where[300];
    (void)snprintf(where, sizeof where, "%s:0", in_project(INDEX));
    assert_refused(publish((struct pap_publish_options){0}), "publish.removal", where);
}

static void releases_come_from_another_tree(void **state)
{
    (void)state;
    char command[300];
    put_version("1.0.0");
    assert_published(publish((struct pap_publish_options){.out = in_project("live")}));
    put_version("1.1.0");
    assert_published(publish((struct pap_publish_options){.prior = in_project("live")}));
    assert_true(index_has("\"1.0.0\""));
    assert_int_equal(count_artifacts(), 2);
    assert_clean("dist");
    (void)snprintf(command, sizeof command,
                   "for f in %s/live/.well-known/agent-skills/artifacts/*; do echo x >>$f; done", project);
    assert_int_equal(system(command), 0);
    assert_published(publish((struct pap_publish_options){.prior = in_project("live")})); /* the tree has a copy */
    (void)snprintf(command, sizeof command,
                   "for f in %s/dist/.well-known/agent-skills/artifacts/*; do echo x >>$f; done", project);
    assert_int_equal(system(command), 0);
    assert_int_equal(publish((struct pap_publish_options){.prior = in_project("live")}).result.code, PAP_SYNTAX);
    assert_int_equal(publish((struct pap_publish_options){.prior = in_project("gone")}).result.code, PAP_IO);
}

static const char *file_named(const char *below)
{
    static char where[300];
    (void)snprintf(where, sizeof where, "%s:0", in_project(below));
    return where;
}

/* What the tree itself stands for goes on as well. */
static void two_histories_are_one(void **state)
{
    (void)state;
    char live[100], other[100];
    (void)snprintf(live, sizeof live, "%s/live", project);
    (void)snprintf(other, sizeof other, "%s/other", project);
    struct pap_publish_options o = {.prior = live};
    const char *deprecate[] = {"s@1.1.0=wrong", NULL}, *prune[] = {"s@1.0.0", NULL}, *gone[] = {"t", NULL};
    put_version("1.0.0");
    assert_published(publish((struct pap_publish_options){.out = live}));
    put_version("1.1.0");
    put_skill("t", "", "Only here.");
    assert_published(publish((struct pap_publish_options){.deprecate = deprecate}));
    put_version("1.2.0");
    (void)unlink(in_project("skills/t/SKILL.md"));
    assert_refused(publish(o), "publish.removal", file_named(INDEX));
    o.allow_removal = gone;
    assert_published(publish(o));
    assert_true(index_has("\"1.0.0\"") && index_has("\"1.1.0\"") && index_has("\"1.1.0\": \"wrong\""));
    assert_int_equal(count_artifacts(), 4);
    assert_clean("dist");
    put_skill("s", "metadata:\n  version: \"1.1.0\"\n", "Another 1.1.0.");
    assert_refused(publish(o), "publish.release", "skills/s/SKILL.md:0");

    /* They contradict each other. */
    put_skill("s", "metadata:\n  version: \"1.0.0\"\n", "Another 1.0.0.");
    assert_published(publish((struct pap_publish_options){.out = other}));
    put_version("1.3.0");
    o.prior = other;
    assert_refused(publish(o), "publish.release", file_named(INDEX));
    o.prune = prune;
    assert_published(publish(o));
    assert_false(index_has("\"1.0.0\""));
    assert_true(index_has("\"1.1.0\"") && index_has("\"1.2.0\""));
    put(INDEX, "{");
    o = (struct pap_publish_options){.prior = live};
    assert_int_equal(publish(o).result.code, PAP_SYNTAX); /* who knows what it stood for */
}

/* A check looks at the files of older releases as a publication does. */
static void old_releases_are_compared_too(void **state)
{
    (void)state;
    char command[300], live[100];
    (void)snprintf(live, sizeof live, "%s/live", project);
    struct pap_publish_options o = {.prior = live};
    put_version("1.0.0");
    assert_published(publish((struct pap_publish_options){.out = live}));
    put_version("1.1.0");
    o.mode = PAP_PUBLISH_CHECK;
    assert_int_equal(publish(o).outputs, 3); /* both artifacts, the index */
    o.mode = PAP_PUBLISH_WRITE;
    struct published p = publish(o);
    assert_published(p);
    assert_int_equal(p.outputs, 3);
    for (int round = 0; round < 2; round++) {
        (void)snprintf(command, sizeof command,
                       "cd %s && for f in live/.well-known/agent-skills/artifacts/*; do %s dist/${f#live/}; done",
                       project, round ? "echo x >>" : "rm");
        assert_int_equal(system(command), 0);
        for (enum pap_publish_mode mode = PAP_PUBLISH_DRY_RUN; mode <= PAP_PUBLISH_CHECK; mode++) {
            o.mode = mode;
            p = publish(o);
            assert_int_equal(p.outputs, 1);
            assert_int_equal(p.exit, mode == PAP_PUBLISH_CHECK);
            assert_int_equal(p.state, round ? PAP_PUBLISH_CHANGED : PAP_PUBLISH_NEW);
        }
        o.mode = PAP_PUBLISH_WRITE;
        p = publish(o);
        assert_published(p);
        assert_int_equal(p.outputs, 1);
        assert_int_equal(p.state, round ? PAP_PUBLISH_CHANGED : PAP_PUBLISH_NEW);
        assert_clean("dist");
    }
}

/* ---- releases of the live origin ---- */

#define OLD_SKILL "---\nname: s\ndescription: Old.\nmetadata:\n  version: \"1.0.0\"\n---\nOld.\n"

/* An index at the origin with one skill of one release, its file somewhere else. */
static const char *origin_site(const char *file, const char *status)
{
    static char text[3000];
    struct pap_str bytes = S(OLD_SKILL);
    struct digest d;
    char digest[DIGEST_TEXT + 1];
    assert_ok(digest_sha256(&bytes, 1, &d, NULL));
    digest_text(&d, digest);
    (void)snprintf(
        text, sizeof text,
        "> GET https://shop.example/.well-known/agent-skills/index.json\n< 301\n< Location: https://www.shop.example/a/index.json\n"
        "> GET https://www.shop.example/a/index.json\n< %s\n< Content-Type: application/json\n"
        "{\"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", \"skills\": [{\"name\": \"s\", \"description\": \"Old.\",\n"
        "\"type\": \"skill-md\", \"url\": \"s/SKILL.md?x\", \"digest\": \"%s\", \"x-remote-skills\": {\"version\": \"1.0.0\", \"releases\":\n"
        "[{\"version\": \"1.0.0\", \"type\": \"skill-md\", \"url\": \"s/SKILL.md?x\", \"digest\": \"%s\"}]}}]}\n"
        "%%%%\n> GET https://www.shop.example/a/s/SKILL.md?x\n< 200\n%s",
        status, digest, digest, file);
    return text;
}

static struct published publish_over(const char *site, const char *const *allow_removal)
{
    struct arena a;
    struct script *script;
    struct published p = {.exit = -1};
    arena_init(&a, NULL);
    struct pap_publish_options o = {.folder = project,
                                    .prior = "https://shop.example",
                                    .allow_removal = allow_removal,
                                    .finding = keep_finding,
                                    .event = keep_event,
                                    .ctx = &p};
    if (!is_ok(script_parse(&a, str_c(site), ".", &script, &p.err)))
        unit_fail("%s", p.err.text);
    p.result = publish_run(&o, script_transport(script), &p.counts, &p.exit, &p.err);
    arena_fini(&a);
    return p;
}

/* What an origin can say that is not right, and what must not come out of it. */
static void a_hostile_origin(void **state)
{
    (void)state;
#define ENTRY(more)                                                                                           \
    "> GET https://shop.example/.well-known/agent-skills/index.json\n< 200\n{\"skills\": [{\"name\": \"s\", " \
    "\"description\": \"x\", \"type\": \"skill-md\", \"url\": \"a\", \"digest\": \"sha256:" ZEROS "\"" more   \
    "}]}\n%%\n"
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define RELEASE(version, url) \
    "{\"version\": \"" version "\", \"type\": \"skill-md\", \"url\": \"" url "\", \"digest\": \"sha256:" ZEROS "\"}"
#define RELEASES(list) ENTRY(", \"x-remote-skills\": {\"version\": \"1.0.0\", \"releases\": [" list "]}")
    static const struct {
        const char *site, *says;
        enum pap_code code;
    } rows[] = {
        {RELEASES(RELEASE("1.0.0", "a") ", " RELEASE("1.0.0", "b")), "a release stands twice: 1.0.0", PAP_SYNTAX},
        {RELEASES(RELEASE("1.0", "a")), "a release has no version", PAP_SYNTAX},
        {RELEASES("7"), "a release has no version", PAP_SYNTAX},
        {ENTRY(
             "}, {\"name\": \"s\", \"description\": \"y\", \"type\": \"skill-md\", \"url\": \"b\", \"digest\": \"sha256:" ZEROS
             "\""),
         "a skill stands twice: s", PAP_SYNTAX},
        {ENTRY(", \"x-remote-skills\": 7"), "no list", PAP_SYNTAX},
        {RELEASES(RELEASE("1.0.0", "\\u001b[2J")), "url that is none", PAP_SYNTAX},
        {RELEASES(RELEASE("1.0.0", "http://shop.example/a")), "not https", PAP_UNREACHABLE},
        {RELEASES(RELEASE("1.0.0", "a")) "> GET https://shop.example/.well-known/agent-skills/a\n< 200\nx\n",
         "--prune s@1.0.0", PAP_SYNTAX},
        {RELEASES(RELEASE("1.0.0", "a")) "> GET https://shop.example/.well-known/agent-skills/a\n< 302\n< Location: "
                                         "http://shop.example/a\n",
         "not https", PAP_UNREACHABLE},
        {RELEASES(RELEASE("1.0.0", "a")), "answers 404", PAP_UNREACHABLE},
        {"> GET https://shop.example/.well-known/agent-skills/index.json\n< 200\n@repeat 1100000 x\n", "1048576",
         PAP_UNREACHABLE},
    };
    put_version("1.1.0");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct published p = publish_over(rows[i].site, NULL);
        if (p.result.code != rows[i].code || !strstr(p.err.text, rows[i].says))
            unit_fail("origin %zu: %d, %s", i, p.result.code, p.err.text);
        assert_int_equal(file_type_of(in_project("dist")), FILE_NONE);
    }
}

static void releases_come_from_the_live_origin(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    put_version("1.1.0");
    assert_int_equal(publish_over(origin_site(OLD_SKILL, "500"), NULL).result.code, PAP_UNREACHABLE);
    assert_int_equal(publish_over(origin_site("another file\n", "200"), NULL).result.code, PAP_SYNTAX);
    assert_int_equal(
        publish_over("> GET https://shop.example/.well-known/agent-skills/index.json\n! dns\n", NULL).result.code,
        PAP_UNREACHABLE);
    assert_int_equal(publish_over("> GET https://shop.example/.well-known/agent-skills/index.json\n< 200\nHello\n",
                                  NULL)
                         .result.code,
                     PAP_SYNTAX);
    assert_null(get(&a, INDEX).p);
    assert_published(publish_over(origin_site(OLD_SKILL, "200"), NULL));
    assert_true(index_has("\"version\": \"1.0.0\""));
    assert_int_equal(count_artifacts(), 2);
    assert_clean("dist");
    assert_published(publish_over(origin_site("gone\n", "200"), NULL)); /* the tree has the file by now */
    put_skill("s", "metadata:\n  version: \"1.0.0\"\n", "Not what 1.0.0 is.");
    assert_refused(publish_over(origin_site(OLD_SKILL, "200"), NULL), "publish.release", "skills/s/SKILL.md:0");
    put_skill("t", "", "Another.");
    (void)unlink(in_project("skills/s/SKILL.md"));
    const char *allowed[] = {"s", NULL};
    assert_refused(publish_over(origin_site(OLD_SKILL, "200"), NULL), "publish.removal", "https://shop.example:0");
    assert_published(publish_over(origin_site(OLD_SKILL, "200"), allowed));
    struct published p = publish_over("> GET https://shop.example/.well-known/agent-skills/index.json\n< 404\n", NULL);
    assert_int_equal(p.result.code, PAP_UNREACHABLE); /* a slip in the address looks like a first publication */
    assert_non_null(strstr(p.err.text, "leave --prior away when you publish for the first time"));
    arena_fini(&a);
}

/* ---- poppy.json ---- */

#define POPPY "dist/.well-known/poppy.json"

/* What is written before and behind the index. */
static void assert_spliced(const char *before, const char *head, const char *tail)
{
    struct arena a;
    char path[300];
    (void)snprintf(path, sizeof path, "%s", in_project(POPPY));
    arena_init(&a, NULL);
    put(POPPY, before);
    assert_published(publish((struct pap_publish_options){.poppy = path}));
    struct pap_str after = get(&a, POPPY);
    if (!str_starts(after, str_c(head)) || !str_ends(after, str_c(tail)))
        unit_fail("%s became %.*s", before, PSTR(after));
    struct published again = publish((struct pap_publish_options){.poppy = path});
    assert_published(again);
    assert_int_equal(again.counts.written, 0);
    arena_fini(&a);
}

static void poppy_json_changes_in_one_place(void **state)
{
    (void)state;
    static const char org[] = "\"organization\": {\"name\": \"S \\\"}{ \",\n \"domain\":\"shop.example\"}";
    static const struct {
        const char *before, *head, *tail; /* % is `org` */
    } rows[] = {
        {"{\n  %\n}\n", "{\n  %,\n  \"skill_index\": {\n    \"$schema\"", "\n    ]\n  }\n}\n"},
        {"{\n\t%,\n\t\"x\" : [ 1,2 ]  \n\n}", "{\n\t%,\n\t\"x\" : [ 1,2 ],\n\t\"skill_index\": {\n\t\t\"$schema\"",
         "\n\t\t]\n\t}  \n\n}"},
        {"{\r\n    %\r\n}", "{\r\n    %,\r\n    \"skill_index\": {\r\n        \"$schema\"",
         "\r\n        ]\r\n    }\r\n}"},
        {"{%,\"y\":null}", "{%,\"y\":null,\"skill_index\":{\"$schema\"", "]}}"},
        {"{\n  \"skill_index\" :  {\"skills\":[\"]}\"]}  ,\n  %, \"z\": 1.50\n}\n",
         "{\n  \"skill_index\" :  {\n    \"$schema\"", "\n    ]\n  }  ,\n  %, \"z\": 1.50\n}\n"},
        {"{\n  \"skill_index\": 7,\n  %}", "{\n  \"skill_index\": {\n", "\n  },\n  %}"},
        {"{\n  %,\n  \"skill_index\": \"a\\\\\"}", "{\n  %,\n  \"skill_index\": {\n", "\n  }}"},
    };
    garden();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[3][1000];
        const char *parts[] = {rows[i].before, rows[i].head, rows[i].tail};
        for (int k = 0; k < 3; k++) {
            const char *mark = strchr(parts[k], '%');
            (void)snprintf(text[k], sizeof text[k], "%.*s%s%s", mark ? (int)(mark - parts[k]) : (int)strlen(parts[k]),
                           parts[k], mark ? org : "", mark ? mark + 1 : "");
        }
        assert_spliced(text[0], text[1], text[2]);
    }
    assert_true(index_has("\"url\": \"https://shop.example/.well-known/agent-skills/artifacts/sha256-"));
}

static void both_copies_are_right(void **state)
{
    (void)state;
    char path[300];
    garden();
    put(POPPY,
        "{\n  \"protocol_version\": \"0.3\",\n  \"organization\": {\"name\": \"Shop\", \"domain\": \"shop.example\"},\n"
        "  \"web\": {}\n}\n");
    (void)snprintf(path, sizeof path, "%s", in_project(POPPY));
    assert_published(publish((struct pap_publish_options){.poppy = path}));
    assert_clean("dist");
    assert_int_equal(publish((struct pap_publish_options){.poppy = path, .base_url = "/"}).result.code, PAP_USAGE);
    assert_published(publish((struct pap_publish_options){.poppy = path, .base_url = "https://cdn.example/x"}));
    assert_true(index_has("https://cdn.example/x/.well-known/"));
    static const char *const bad[] = {"", "[]", "{\"skill_index\":1,\"skill_index\":2}", "{",
                                      "{\"organization\":{\"domain\":1}}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(POPPY, bad[i]);
        enum pap_code code = publish((struct pap_publish_options){.poppy = path}).result.code;
        assert_int_equal(code, i == 4 ? PAP_USAGE : PAP_SYNTAX);
        struct arena a;
        arena_init(&a, NULL);
        assert_str(get(&a, POPPY), bad[i]);
        arena_fini(&a);
    }
    (void)unlink(path);
    assert_int_equal(publish((struct pap_publish_options){.poppy = path}).result.code, PAP_IO);
}

static void edit_poppy(void *ctx, const struct pap_publish_event *e)
{
    keep_event(ctx, e);
    if (e->what == PAP_PUBLISH_SKILL || e->what == PAP_PUBLISH_OUTPUT)
        put(POPPY, "{\"organization\": {\"domain\": \"edited.example\"}}");
}

static bool edit_early(void *ctx, const struct pap_progress *now)
{
    (void)ctx;
    (void)now;
    put(POPPY, "{\"organization\": {\"domain\": \"edited.example\"}}");
    return true;
}

/* People save the file while the run goes on: at any moment of it their version stays. */
static void an_edit_of_poppy_json_is_not_lost(void **state)
{
    (void)state;
    char path[300];
    struct arena a;
    arena_init(&a, NULL);
    garden();
    (void)snprintf(path, sizeof path, "%s", in_project(POPPY));
    for (int i = 0; i < 3; i++) {
        struct published p = {.exit = -1};
        if (i == 2) { /* a link stays one, and what it leads to is compared */
            (void)unlink(path);
            put("real.json", "");
            assert_int_equal(symlink("../../real.json", path), 0);
        }
        put(POPPY, "{\"organization\": {\"domain\": \"shop.example\"}}");
        struct pap_publish_options o = {.folder = project, .poppy = path, .ctx = &p};
        o.event = i != 1 ? edit_poppy : NULL;
        o.progress = i == 1 ? edit_early : NULL;
        p.result = pap_publish(&o, &p.counts, &p.exit, &p.err);
        assert_int_equal(p.result.code, PAP_IO);
        assert_non_null(strstr(p.err.text, "changed meanwhile"));
        assert_str(get(&a, POPPY), "{\"organization\": {\"domain\": \"edited.example\"}}");
        o.event = NULL;
        o.progress = NULL;
        assert_ok(pap_publish(&o, &p.counts, &p.exit, &p.err));
        assert_true(index_has("https://edited.example/"));
    }
    arena_fini(&a);
}

/* ---- the 0.1 layout ---- */

static void the_old_layout_too(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    garden();
    put_skill("cut-grass", "", "Cut it.");
    assert_published(publish((struct pap_publish_options){.legacy = true}));
    assert_str(
        get(&a, "dist/.well-known/skills/index.json"),
        "{\n  \"skills\": [\n    {\n      \"name\": \"cut-grass\",\n      \"description\": \"Does what cut-grass says, when asked.\",\n"
        "      \"files\": [\n        \"SKILL.md\"\n      ]\n    },\n    {\n      \"name\": \"water-plants\",\n"
        "      \"description\": \"Does what water-plants says, when asked.\",\n      \"files\": [\n        \"SKILL.md\",\n"
        "        \"references/amounts.md\"\n      ]\n    }\n  ]\n}\n");
    assert_str(get(&a, "dist/.well-known/skills/water-plants/references/amounts.md"), "# Amounts\n");
    assert_int_equal(publish((struct pap_publish_options){.legacy = true}).counts.written, 0);
    (void)unlink(in_project("skills/water-plants/references/amounts.md"));
    put_skill("water-plants", "", "Water them.");
    struct published p = publish((struct pap_publish_options){.legacy = true, .mode = PAP_PUBLISH_CHECK});
    assert_int_equal(p.outputs, 5); /* artifact, index, SKILL.md, index of 0.1, and amounts.md that goes */
    p = publish((struct pap_publish_options){.legacy = true});
    assert_published(p);
    assert_int_equal(p.outputs, 5);
    assert_null(get(&a, "dist/.well-known/skills/water-plants/references/amounts.md").p);
    put("skills/water-plants/a[1].md", "x");
    assert_refused(publish((struct pap_publish_options){.legacy = true}), "publish.legacy",
                   "skills/water-plants/a[1].md:0");
    arena_fini(&a);
}

/* What an earlier run made and this one does not stand for goes; what it did not make stays, and is said. */
static void nothing_of_the_old_layout_stays_unnoticed(void **state)
{
    (void)state;
    const char *gone[] = {"water-plants", NULL}, layout[] = "dist/.well-known/skills";
    garden();
    put_skill("cut-grass", "", "Cut it.");
    assert_published(publish((struct pap_publish_options){.legacy = true}));
    put("dist/.well-known/skills/water-plants/notes.txt", "somebody's");
    put("dist/.well-known/skills/README", "somebody's");
    (void)unlink(in_project("skills/water-plants/SKILL.md"));
    struct published p =
        publish((struct pap_publish_options){.legacy = true, .allow_removal = gone, .mode = PAP_PUBLISH_CHECK});
    assert_int_equal(p.exit, 1);
    assert_int_equal(p.outputs, 4); /* both indexes, and two files of the skill */
    p = publish((struct pap_publish_options){.legacy = true, .allow_removal = gone});
    assert_published(p);
    assert_int_equal(p.outputs, 4);
    assert_non_null(strstr(p.note, "2 files there are not papaver publish's"));
    assert_int_equal(file_type_of(in_project("dist/.well-known/skills/water-plants/SKILL.md")), FILE_NONE);
    assert_int_equal(file_type_of(in_project("dist/.well-known/skills/water-plants/references")), FILE_NONE);
    assert_int_equal(file_type_of(in_project("dist/.well-known/skills/water-plants/notes.txt")), FILE_REGULAR);
    assert_int_equal(publish((struct pap_publish_options){.legacy = true}).counts.written, 0);
    (void)unlink(in_project("dist/.well-known/skills/water-plants/notes.txt"));
    p = publish((struct pap_publish_options){.legacy = true});
    assert_string_equal(p.note, ".well-known/skills/README: papaver publish did not write it, and leaves it as it is");
    (void)unlink(in_project("dist/.well-known/skills/README"));
    (void)rmdir(in_project("dist/.well-known/skills/water-plants"));

    /* Without --legacy the whole layout is stale. */
    p = publish((struct pap_publish_options){.mode = PAP_PUBLISH_CHECK});
    assert_int_equal(p.exit, 1);
    assert_int_equal(p.outputs, 2);
    assert_non_null(strstr(p.note, "without --legacy it is taken away"));
    assert_int_equal(file_type_of(in_project(layout)), FILE_FOLDER);
    assert_published(publish((struct pap_publish_options){0}));
    assert_int_equal(file_type_of(in_project(layout)), FILE_NONE);
    assert_int_equal(publish((struct pap_publish_options){.mode = PAP_PUBLISH_CHECK}).exit, 0);
}

static void a_layout_of_others_is_left_alone(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    put_skill("s", "", "Do it.");
    put("dist/.well-known/skills/s/SKILL.md", "somebody's");
    put("dist/.well-known/skills/index.json", "{\"skills\": []}");
    for (int check = 0; check < 2; check++) {
        struct published p = publish(
            (struct pap_publish_options){.legacy = true, .mode = check ? PAP_PUBLISH_CHECK : PAP_PUBLISH_WRITE});
        assert_int_equal(p.result.code, PAP_IO);
        assert_non_null(strstr(p.err.text, "s/SKILL.md is another file"));
    }
    assert_null(get(&a, INDEX).p);
    struct published p = publish((struct pap_publish_options){0});
    assert_published(p);
    assert_string_equal(p.note, ".well-known/skills: papaver publish did not make it, and leaves it as it is");
    assert_str(get(&a, "dist/.well-known/skills/s/SKILL.md"), "somebody's");
    (void)unlink(in_project("dist/.well-known/skills/s/SKILL.md"));
    p = publish((struct pap_publish_options){.legacy = true});
    assert_non_null(strstr(p.err.text, "skills/index.json is another file"));
    assert_str(get(&a, "dist/.well-known/skills/index.json"), "{\"skills\": []}");
    (void)unlink(in_project("dist/.well-known/skills/index.json"));
    assert_published(publish((struct pap_publish_options){.legacy = true}));

    /* A list that says more, and links, lead nowhere else. */
    put("dist/secret", "kept");
    put("elsewhere/SKILL.md", "kept");
    put("dist/.well-known/skills/.papaver-files", "../../secret\n/etc/passwd\nindex.json\ns/SKILL.md\nt/SKILL.md\n");
    assert_int_equal(symlink("../../../elsewhere", in_project("dist/.well-known/skills/t")), 0);
    assert_published(publish((struct pap_publish_options){0}));
    assert_str(get(&a, "dist/secret"), "kept");
    assert_str(get(&a, "elsewhere/SKILL.md"), "kept");
    assert_int_equal(file_type_of(in_project("dist/.well-known/skills/s")), FILE_NONE);
    arena_fini(&a);
}

/* A file becomes a folder, and a folder a file. */
static void the_old_layout_changes_its_shape(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    for (int i = 0; i < 3; i++) {
        put_skill("s", "", "Do it.");
        put(i % 2 ? "skills/s/a" : "skills/s/a/b", "x");
        put(i % 2 ? "skills/s/c/d" : "skills/s/c", "x");
        assert_published(publish((struct pap_publish_options){.legacy = true}));
        assert_str(get(&a, i % 2 ? "dist/.well-known/skills/s/a" : "dist/.well-known/skills/s/a/b"), "x");
        assert_int_equal(publish((struct pap_publish_options){.legacy = true}).counts.written, 0);
        char command[100];
        (void)snprintf(command, sizeof command, "rm -r %s/skills/s", project);
        assert_int_equal(system(command), 0);
    }
    arena_fini(&a);
}

/* ---- repairs, and what another publisher's file says ---- */

static void count_change(void *ctx, struct pap_str path, uint32_t line, uint32_t last, struct pap_str old_line,
                         struct pap_str new_line, const char *why)
{
    assert_str(path, "skills/s/SKILL.md");
    assert_true(line > 0 && last >= line && (*why || !str_eq(old_line, new_line)));
    *(unsigned *)ctx += last - line + 1;
}

static bool say_no(void *ctx, size_t files)
{
    (void)ctx;
    assert_true(files > 0);
    return false;
}

static bool say_yes(void *ctx, size_t files)
{
    (void)ctx;
    assert_true(files > 0);
    return true;
}

/* Says yes when the file is another one by now. */
static bool say_yes_late(void *ctx, size_t files)
{
    (void)ctx;
    put("skills/s/SKILL.md", "changed\n");
    return files > 0;
}

static void what_is_mechanical_is_repaired(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
        unsigned lines;
    } rows[] = {
        {"---\nname: s\ndescription: x\n---\nname: y: z\n", NULL, 0},
        {"\xef\xbb\xbf---\r\nname: s\r\ndescription: x\r\n---\r\nBody\r\n", "---\nname: s\ndescription: x\n---\nBody\n",
         5},
        {"---\nname: other\ndescription: Use it: \"now\" \\ then\n---\n",
         "---\nname: s\ndescription: \"Use it: \\\"now\\\" \\\\ then\"\n---\n", 2},
        {"---\nname: s\ndescription: x\nmetadata:\n  v: 1.0\n  a: true\n  b: 1.0.0\n  c: \"1\"\n  d: text\n---\n",
         "---\nname: s\ndescription: x\nmetadata:\n  v: \"1.0\"\n  a: \"true\"\n  b: 1.0.0\n  c: \"1\"\n  d: text\n---\n",
         2},
        /* what only some parsers take for something else */
        {"---\nname: s\ndescription: x\nmetadata:\n  a: yes\n  b: On\n  c: 2024-01-31\n  d: 0o17\n  e: 12:30\n  f: 1_000\n"
         "  g: yes!\n  h: 'no'\n  i: null\n---\n",
         "---\nname: s\ndescription: x\nmetadata:\n  a: \"yes\"\n  b: \"On\"\n  c: \"2024-01-31\"\n  d: \"0o17\"\n"
         "  e: \"12:30\"\n  f: \"1_000\"\n  g: yes!\n  h: 'no'\n  i: \"null\"\n---\n",
         7},
        {"---\nname: s\ndescription: |\n  a: b: c\nlicense: MIT\n---\n", NULL, 0},
        {"---\nname: s # the name\ndescription: 'x: y'\n---", NULL, 0},
        {"no front matter\nname: a: b\n", NULL, 0},
        {"", NULL, 0},
        /* what only looks wrong */
        {"---\nname: s\ndescription: x\nmetadata:\n  k: \"line one\n    two: three: four\n    v: 1.0\"\n---\n", NULL,
         0},
        {"---\nname: s\ndescription: x\nmetadata:\n  notes: |\n    see: this: and\n    v: 1.0\n---\n", NULL, 0},
        {"---\nname: s\ndescription: x\n--- \nname: y: z\nmetadata:\n  v: 1.0\n---\n", NULL, 0},
        {"---\nname: s\ndescription: x\n---\t\nname: y: z\n", NULL, 0},
        /* beside what is wrong */
        {"---\nname: s\ndescription: Use: it\nmetadata:\n  notes: |\n    see: this: and\n  v: 2 # b\n--- \na: b: c\n",
         "---\nname: s\ndescription: \"Use: it\"\nmetadata:\n  notes: |\n    see: this: and\n  v: \"2\" # b\n--- \na: b: c\n",
         2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned lines = 0;
        size_t files;
        bool written;
        struct arena a;
        arena_init(&a, NULL);
        struct pap_publish_options o = {.folder = project, .ctx = &lines};
        put("skills/s/SKILL.md", rows[i].before);
        assert_ok(pap_publish_fix(&o, count_change, NULL, &files, &written, NULL));
        assert_false(written);
        assert_int_equal(files, rows[i].after != NULL);
        assert_int_equal(lines, rows[i].lines);
        assert_str(get(&a, "skills/s/SKILL.md"), rows[i].before);
        assert_ok(pap_publish_fix(&o, count_change, say_no, &files, &written, NULL));
        assert_str(get(&a, "skills/s/SKILL.md"), rows[i].before);
        assert_ok(pap_publish_fix(&o, count_change, say_yes, &files, &written, NULL));
        assert_int_equal(written, rows[i].after != NULL);
        assert_str(get(&a, "skills/s/SKILL.md"), rows[i].after ? rows[i].after : rows[i].before);
        assert_ok(pap_publish_fix(&o, count_change, say_yes, &files, &written, NULL));
        assert_int_equal(files, 0);
        if (rows[i].after)
            assert_published(publish((struct pap_publish_options){.mode = PAP_PUBLISH_DRY_RUN}));
        arena_fini(&a);
    }
    struct arena a;
    unsigned lines = 0;
    size_t files;
    bool written;
    arena_init(&a, NULL);
    put("skills/s/SKILL.md", rows[1].before);
    assert_int_equal(pap_publish_fix(&(struct pap_publish_options){.folder = project, .ctx = &lines}, count_change,
                                     say_yes_late, &files, &written, NULL)
                         .code,
                     PAP_IO);
    assert_str(get(&a, "skills/s/SKILL.md"), "changed\n"); /* what was not shown is not written over */
    put("elsewhere.md", rows[1].before);
    (void)unlink(in_project("skills/s/SKILL.md"));
    assert_int_equal(symlink("../../elsewhere.md", in_project("skills/s/SKILL.md")), 0);
    struct pap_err err = {.text = ""};
    assert_int_equal(pap_publish_fix(&(struct pap_publish_options){.folder = project, .ctx = &lines}, count_change,
                                     say_yes, &files, &written, &err)
                         .code,
                     PAP_IO);
    assert_non_null(strstr(err.text, "skills/s/SKILL.md is a symbolic link"));
    assert_str(get(&a, "elsewhere.md"), rows[1].before);
    arena_fini(&a);
}

/* What could not be read afterwards either stays as it is, apart from what cannot be seen. */
static void what_cannot_be_repaired_is_left_alone(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
    } rows[] = {
        {"---\nname: other\ndescription: Use: it\n  and more\n---\n", NULL},
        {"---\nname: other\ndescription: Use: it\nlicense: [\n---\n", NULL},
        {"---\nname: other\ndescription: one\n  two: three: four\n---\n", NULL},
        {"---\nname: other\ndescription: Use: it # now\n---\n", NULL},
        {"---\nname: other\n\"a: b\": c: d\n---\n", NULL},
        {"---\nname: other\ndescription: Use: it\n", NULL},
        {"---\r\nname: other\ndescription: Use: it\r\n  and more\n---\n",
         "---\nname: other\ndescription: Use: it\n  and more\n---\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned lines = 0;
        size_t files;
        bool written;
        struct arena a;
        arena_init(&a, NULL);
        struct pap_publish_options o = {.folder = project, .ctx = &lines};
        put("skills/s/SKILL.md", rows[i].before);
        assert_ok(pap_publish_fix(&o, count_change, say_yes, &files, &written, NULL));
        assert_int_equal(written, rows[i].after != NULL);
        assert_str(get(&a, "skills/s/SKILL.md"), rows[i].after ? rows[i].after : rows[i].before);
        arena_fini(&a);
    }
}

static void another_publishers_file(void **state)
{
    (void)state;
    struct pap_publish_options o;
    struct pap_remote_config *c = NULL;
    struct pap_err err;
    put("r.json",
        "{\"$schema\": \"https://remote-skills.dev/schemas/config/0.0.1.json\", \"sourceRoots\": [\"a\", \"b/c\"], \"outDir\": \"public\",\n"
        " \"format\": \"zip\", \"strict\": true, \"limits\": {\"files\": 7, \"catalogBytes\": 1000}, \"dev\": {\"port\": 1}}");
    assert_ok(pap_remote_config_read(NULL, in_project("r.json"), &o, &c, NULL));
    assert_string_equal(o.roots[0], "a");
    assert_string_equal(o.roots[1], "b/c");
    assert_null(o.roots[2]);
    assert_string_equal(o.out, "public");
    assert_true(o.zip && o.strict);
    assert_int_equal(o.most_files, 7);
    assert_int_equal(o.most_index_bytes, 1000);
    pap_remote_config_free(c);
    pap_remote_config_free(NULL);
    static const char *const bad[] = {"",
                                      "[]",
                                      "{\"x\": 1}",
                                      "{\"outDir\": \"../x\"}",
                                      "{\"outDir\": \"/x\"}",
                                      "{\"outDir\": \"\"}",
                                      "{\"sourceRoots\": []}",
                                      "{\"sourceRoots\": [1]}",
                                      "{\"format\": \"rar\"}",
                                      "{\"strict\": 1}",
                                      "{\"limits\": {\"files\": 0}}",
                                      "{\"limits\": {\"files\": -1}}",
                                      "{\"limits\": {\"x\": 1}}",
                                      "{\"limits\": 1}",
                                      "{\"dev\": 1}",
                                      "{\"$schema\": \"x\"}",
                                      "{\"strict\": true, \"strict\": true}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("r.json", bad[i]);
        if (pap_remote_config_read(NULL, in_project("r.json"), &o, &c, &err).code != PAP_SYNTAX)
            unit_fail("%s is taken", bad[i]);
    }
    put("r.json", "{\"sourceRoots\": [\"a\"], \"outDir\": \"b\"}");
    for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        fail_alloc_init(&f, n);
        pap_result r = pap_remote_config_read(&f.alloc, in_project("r.json"), &o, &c, NULL);
        if (is_ok(r)) {
            pap_remote_config_free(c);
            assert_int_equal(f.live, 0);
            break;
        }
        assert_int_equal(r.code, PAP_NO_MEMORY);
        assert_int_equal(f.live, 0);
    }
}

/* ---- failures of ours ---- */

static void failing_allocations(void **state)
{
    (void)state;
    char live[100];
    (void)snprintf(live, sizeof live, "%s/live", project);
    garden();
    put_version("1.0.0");
    assert_published(publish((struct pap_publish_options){.out = live}));
    put_version("1.0.1");
    assert_published(publish((struct pap_publish_options){.legacy = true}));
    put("dist/.well-known/skills/README", "somebody's");
    put_version("1.1.0");
    for (int legacy = 0; legacy < 2; legacy++) {
        struct pap_publish_options o = {.mode = PAP_PUBLISH_DRY_RUN, .prior = live, .legacy = legacy};
        struct published p = {.result = {PAP_NO_MEMORY}};
        unsigned n = 1;
        for (; n < FAIL_ALLOC_MOST && !is_ok(p.result); n++) {
            struct fail_alloc f;
            fail_alloc_init(&f, n);
            o.alloc = &f.alloc;
            p = publish(o);
            assert_int_equal(f.live, 0);
            assert_true(is_ok(p.result) || p.result.code == PAP_NO_MEMORY);
        }
        assert_published(p);
        assert_true(n > 8);
    }
}

static bool cancel(void *ctx, const struct pap_progress *p)
{
    (void)ctx;
    return p->done < 1;
}

static void cancelled(void **state)
{
    (void)state;
    garden();
    struct pap_publish_options o = {.progress = cancel};
    assert_int_equal(publish(o).result.code, PAP_CANCELLED);
    assert_int_equal(file_type_of(in_project(INDEX)), FILE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        publish_test(what_comes_out_passes_every_check),
        publish_test(the_index_is_that_of_remote_skills),
        publish_test(no_skill_is_an_empty_index),
        publish_test(what_must_not_come_out_is_refused),
        publish_test(links_and_special_files_are_refused),
        publish_test(what_changes_meanwhile_is_refused),
        publish_test(limits_roots_and_names),
        publish_test(a_refused_run_leaves_no_trace),
        publish_test(warnings_refuse_only_when_strict),
        publish_test(scripts_are_judged_as_they_are_packed),
        publish_test(publishing_again),
        publish_test(damage_in_the_tree_is_repaired),
        publish_test(nothing_vanishes_unnoticed),
        publish_test(unchanged_folders_are_not_read),
        publish_test(releases_go_on),
        publish_test(releases_come_from_another_tree),
        publish_test(old_releases_are_compared_too),
        publish_test(two_histories_are_one),
        publish_test(a_hostile_origin),
        publish_test(releases_come_from_the_live_origin),
        publish_test(poppy_json_changes_in_one_place),
        publish_test(both_copies_are_right),
        publish_test(an_edit_of_poppy_json_is_not_lost),
        publish_test(the_old_layout_too),
        publish_test(nothing_of_the_old_layout_stays_unnoticed),
        publish_test(a_layout_of_others_is_left_alone),
        publish_test(the_old_layout_changes_its_shape),
        publish_test(what_is_mechanical_is_repaired),
        publish_test(what_cannot_be_repaired_is_left_alone),
        publish_test(another_publishers_file),
        publish_test(failing_allocations),
        publish_test(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
