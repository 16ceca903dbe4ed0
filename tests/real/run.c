/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents of other people, judged as files: every SKILL.md gets the findings that its table names, every poppy.json the
 * exit status of its table, and hostile JSON and YAML end soon. They are found where PAPAVER_CASES points; without it
 * nothing is run, and that is said.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/case.h"
#include "sys/file.h"

enum { MOST = 200, FILE_MOST = 16 << 20, SLOW_MS = 1000 };

static unsigned run, wrong, skipped;

struct outcome {
    char ids[MOST][64], places[MOST][128];
    size_t n;
    bool error;
};

static void note(void *ctx, const struct pap_finding *f)
{
    struct outcome *o = ctx;
    if (o->n < MOST) {
        snprintf(o->places[o->n], sizeof o->places[0], "%.*s", PSTR(f->at));
        snprintf(o->ids[o->n++], sizeof o->ids[0], "%s", f->id);
    }
    o->error |= f->severity == PAP_ERROR;
}

static void complain(struct pap_str file, const char *what, struct pap_str which)
{
    wrong++;
    printf("FAIL %.*s: %s%s%.*s\n", PSTR(file), what, which.n ? " " : "", PSTR(which));
}

static struct pap_str read_file(struct arena *a, const char *path)
{
    struct pap_str text = {0};
    struct pap_err err = {0};
    if (!is_ok(file_read(a, path, FILE_MOST, &text, NULL, &err))) {
        printf("%s\n", err.text);
        exit(1);
    }
    return text;
}

/* ---- skillmd ---- */

/* What a tag of the table is to be found as. A tag that ends in ':' stands for all that begin so, an id that ends in '.'
 * too; NULL: nothing is wrong with it. The first row that fits counts. */
static const struct {
    const char *tag, *id;
} tags[] = {
    {"bom", "text.bom"},
    {"crlf", "text.line-ends"},
    {"no-open-fence", "skill.front-matter"},
    {"starts-with-html-comment", "skill.front-matter"},
    {"no-close-fence", "skill.front-matter.closed"},
    {"pyyaml-error:", "yaml."},
    {"filename:", "skill.file"},
    {"no-name", "skill.name"},
    {"name-charset:", "skill.name"},
    {"dir-mismatch", "skill.name.folder"},
    {"no-description", "skill.description"},
    {"desc>1024", "skill.description"},
    {"compat-type:", "skill.compatibility"},
    {"metadata-nested", "skill.metadata"},
    {"metadata-nonstring:dict", "skill.metadata"},
    {"metadata-nonstring:", "skill.scalar"},
    {"allowed-tools:list", "skill.allowed-tools"},
    {"allowed-tools:str:comma", "skill.allowed-tools"},
    {"extra:", "skill.unknown-key"},
    {"lines>500", "skill.lines"},
    {"allowed-tools:str", NULL},
    {"metadata:dict", NULL},
    {"block-scalar", NULL},
    {"desc-multiline", NULL},
    {"comment", NULL},
};

static bool fits(struct pap_str word, const char *pattern, char open_end)
{
    struct pap_str p = str_c(pattern);
    return p.p[p.n - 1] == open_end ? str_starts(word, p) : str_eq(word, p);
}

/* `key`: the member that it must be about; empty: any. */
static bool found(const struct outcome *o, const char *id, struct pap_str key)
{
    for (size_t i = 0; i < o->n; i++)
        if (fits(str_c(o->ids[i]), id, '.') && (!key.n || str_eq(str_skip(str_c(o->places[i]), 1), key)))
            return true;
    return false;
}

static void judge_tag(struct pap_str file, struct pap_str tag, bool whole, const struct outcome *o)
{
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        struct pap_str key = str_starts(tag, S("extra:")) ? str_skip(tag, 6) : S("");
        if (!fits(tag, tags[i].tag, ':'))
            continue;
        if (!whole && strcmp(tags[i].tag, "lines>500") == 0) {
            skipped++;
            printf("skipped %.*s: %s, since the front matter alone is stored\n", PSTR(file), tags[i].tag);
        } else if (tags[i].id && !found(o, tags[i].id, key)) {
            complain(file, "nothing is said of", tag);
        }
        return;
    }
    complain(file, "no row for the tag", tag);
}

/* Column `n` of a line of tab-separated values. */
static struct pap_str column(struct pap_str line, unsigned n)
{
    struct pap_str part = {0};
    for (unsigned i = 0; i <= n; i++)
        if (!str_next(&line, '\t', &part))
            return S("");
    return part;
}

/* Copies the file to where its own folder has its own name; the path of the copy. */
static const char *stage(struct arena *a, const char *tmp, struct pap_str bytes, struct pap_str path)
{
    size_t slash = str_rfind_char(path, '/');
    struct pap_str parent = str_take(path, slash);
    parent = str_skip(parent, str_rfind_char(parent, '/') < parent.n ? str_rfind_char(parent, '/') + 1 : 0);
    struct pap_str folder = arena_fmt(a, "%s/%.*s", tmp, PSTR(parent));
    struct pap_str file = arena_fmt(a, "%.*s%.*s", PSTR(folder), PSTR(str_skip(path, slash)));
    FILE *f = folder.p && file.p && mkdir(folder.p, 0777) == 0 ? fopen(file.p, "wb") : NULL;
    if (!f || fwrite(bytes.p, 1, bytes.n, f) != bytes.n || fclose(f) != 0) {
        printf("cannot write below %s\n", tmp);
        exit(1);
    }
    return file.p;
}

static void unstage(struct arena *a, const char *file)
{
    const char *folder = arena_cstr(a, str_take(str_c(file), str_rfind_char(str_c(file), '/')));
    if (unlink(file) != 0 || rmdir(folder) != 0)
        printf("%s is left behind\n", file);
}

static void judge_skill(const char *cases, const char *tmp, struct pap_str line)
{
    static struct outcome o;
    struct arena a;
    struct pap_err err = {0};
    struct pap_str name = column(line, 0), rest = column(line, 11), tag;
    arena_init(&a, NULL);
    o = (struct outcome){.n = 0};
    struct pap_str source = arena_fmt(&a, "%s/skillmd/%.*s", cases, PSTR(name));
    const char *file = stage(&a, tmp, read_file(&a, source.p), column(line, 4));
    run++;
    if (!case_run(&a, file, S(""), note, &o, NULL, &err))
        complain(name, err.text, S(""));
    if (str_is(column(line, 9), "VALID") && o.error)
        complain(name, "an error in a file that is valid", S(""));
    while (rest.n && str_next(&rest, str_starts(rest, S("pyyaml-error:")) ? '\t' : ' ', &tag))
        if (tag.n)
            judge_tag(name, tag, str_is(column(line, 8), "full"), &o);
    unstage(&a, file);
    arena_fini(&a);
}

static void judge_skills(const char *cases, const char *tmp)
{
    struct arena a;
    struct pap_str line;
    arena_init(&a, NULL);
    struct pap_str table = read_file(&a, arena_fmt(&a, "%s/skillmd/PROVENANCE.tsv", cases).p);
    (void)str_next(&table, '\n', &line); /* the names of the columns */
    while (str_next(&table, '\n', &line))
        if (line.n)
            judge_skill(cases, tmp, line);
    arena_fini(&a);
}

/* ---- poppy ---- */

static void judge_poppies(const char *cases)
{
    static struct outcome o;
    struct arena a;
    struct pap_str line;
    arena_init(&a, NULL);
    struct pap_str table = read_file(&a, arena_fmt(&a, "%s/poppy/VERDICTS.tsv", cases).p);
    (void)str_next(&table, '\n', &line);
    while (str_next(&table, '\n', &line)) {
        struct pap_err err = {0};
        struct pap_str name = column(line, 0);
        uint64_t want = 0;
        int status = -1;
        if (!name.n || !str_to_u64(column(line, 1), &want))
            continue;
        run++;
        if (!case_run(&a, arena_fmt(&a, "%s/poppy/%.*s", cases, PSTR(name)).p, S("--offline"), note, &o, &status, &err))
            complain(name, err.text, S(""));
        else if (status != (int)want)
            complain(name, "another exit status than", column(line, 1));
    }
    arena_fini(&a);
}

/* ---- hostile ---- */

static uint64_t cpu_ms(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The file as a document of these kinds; the ones of YAML as the front matter of a skill. */
static void judge_hostile_file(struct arena *a, const char *path, const char *tmp, bool yaml)
{
    static struct outcome o;
    static const char *const options[] = {"--kind poppy", "--kind index", "--kind openapi", "--kind metadata",
                                          "--kind skill"};
    struct pap_err err = {0};
    const char *file = path;
    if (yaml) {
        struct pap_str bytes = read_file(a, path);
        char *p = arena_text(a, bytes.n + 9);
        if (!p)
            exit(1);
        memcpy(p, "---\n", 4);
        memcpy(p + 4, bytes.p, bytes.n);
        memcpy(p + 4 + bytes.n, "\n---\n", 5);
        file = stage(a, tmp, str(p, bytes.n + 9), S("hostile/SKILL.md"));
    }
    for (size_t i = yaml ? 4 : 0; i < sizeof options / sizeof options[0]; i++) {
        uint64_t start = cpu_ms();
        run++;
        o.n = 0;
        if (!case_run(a, file, str_c(options[i]), note, &o, NULL, &err))
            complain(str_c(path), err.text, S(""));
        else if (cpu_ms() - start > SLOW_MS)
            complain(str_c(path), "takes too long as", str_c(options[i]));
    }
    if (yaml)
        unstage(a, file);
}

static void judge_hostile(const char *cases, const char *tmp, const char *which)
{
    struct arena a;
    struct dirent **names;
    arena_init(&a, NULL);
    const char *folder = arena_fmt(&a, "%s/hostile/%s", cases, which).p;
    int n = scandir(folder, &names, NULL, alphasort);
    if (n < 3)
        complain(str_c(folder), "nothing is there", S(""));
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.')
            judge_hostile_file(&a, arena_fmt(&a, "%s/%s", folder, names[i]->d_name).p, tmp, strcmp(which, "yaml") == 0);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    arena_fini(&a);
}

int main(void)
{
    const char *cases = getenv("PAPAVER_CASES");
    char tmp[] = "/tmp/papaver-real-XXXXXX";
    if (!cases || !*cases) {
        printf("0 cases as expected, 0 not; all skipped: PAPAVER_CASES is not set\n");
        return 0;
    }
    if (!mkdtemp(tmp)) {
        perror(tmp);
        return 1;
    }
    judge_skills(cases, tmp);
    judge_poppies(cases);
    judge_hostile(cases, tmp, "json");
    judge_hostile(cases, tmp, "yaml");
    (void)rmdir(tmp);
    printf("%u cases as expected, %u complaints; %u tags skipped\n", run - (wrong < run ? wrong : run), wrong, skipped);
    return wrong != 0 || run == 0;
}
