/* SPDX-License-Identifier: Apache-2.0
 *
 * Skill indexes and archives that were really published, and hostile archives, judged as files: each gets the verdict of
 * its table, and each fault that the table lists is found as often as it is there. The documents are other people's: they
 * are found where PAPAVER_CASES points, and without it nothing is read.
 */
#include <dirent.h>
#include <stdlib.h>

#include <papaver/check.h>

#include "sys/file.h"
#include "unit.h"

enum { MOST = 200 };

struct seen {
    struct {
        char id[64], at[160], message[300];
        enum pap_severity severity;
    } items[MOST];
    size_t n;
};

static void note(void *ctx, const struct pap_finding *f)
{
    struct seen *s = ctx;
    assert_true(s->n < MOST);
    snprintf(s->items[s->n].id, sizeof s->items[0].id, "%s", f->id);
    snprintf(s->items[s->n].at, sizeof s->items[0].at, "%.*s", PSTR(f->at));
    snprintf(s->items[s->n].message, sizeof s->items[0].message, "%.*s", PSTR(f->message));
    s->items[s->n++].severity = f->severity;
}

/* Counts findings of an id whose place ends so. */
static size_t count(const struct seen *s, const char *id, const char *place)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += strcmp(s->items[i].id, id) == 0 && str_ends(str_c(s->items[i].at), str_c(place));
    return n;
}

static size_t errors(const struct seen *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += s->items[i].severity == PAP_ERROR;
    return n;
}

static void blame(const struct seen *s, struct pap_str file, const char *what)
{
    for (size_t i = 0; i < s->n; i++)
        print_message("  %d %s at %s: %s\n", s->items[i].severity, s->items[i].id, s->items[i].at, s->items[i].message);
    unit_fail("%.*s: %s", PSTR(file), what);
}

static void judge_file(const char *folder, struct pap_str name, const char *kind, struct seen *ret)
{
    char path[4096];
    const char *targets[] = {path};
    struct pap_check_options o = {.offline = true, .kind = kind, .finding = note, .ctx = ret};
    struct pap_err err = {0};
    int status = 0;
    ret->n = 0;
    snprintf(path, sizeof path, "%s/%s/%.*s", getenv("PAPAVER_CASES"), folder, PSTR(name));
    assert_ok(pap_check(&o, targets, 1, NULL, &status, &err));
    if (status > 1)
        unit_fail("%s: exit status %d", path, status);
}

static bool has_cases(void)
{
    if (getenv("PAPAVER_CASES"))
        return true;
    print_message("PAPAVER_CASES is not set: real and hostile documents were not judged\n");
    return false;
}

/* ---- indexes ---- */

/* How the table words a fault, and what is to be found. To follow the table: a row. */
static const struct {
    const char *word, *id, *place;
} faults[] = {
    {"schema-absent", "index.schema", "/$schema"},
    {"schema-unrecognised", "index.schema", "/$schema"},
    {"name", "index.name", "/name"},
    {"type=None", "index.entry", "/type"},
    {"type='tool'", "index.type", "/type"},
    {"digest-missing", "index.entry", "/digest"},
    {"digest-missing(sha256 key)", "index.entry", "/digest"},
    {"url-missing", "index.entry", "/url"},
};

/* "url-missingx3" -> "url-missing", 3 */
static struct pap_str cut_count(struct pap_str word, size_t *ret_n)
{
    size_t x = str_rfind_char(word, 'x');
    uint64_t n;
    *ret_n = 1;
    if (x == word.n || !str_to_u64(str_skip(word, x + 1), &n))
        return word;
    *ret_n = (size_t)n;
    return str_take(word, x);
}

static void assert_fault(const struct seen *s, struct pap_str file, struct pap_str word)
{
    size_t n;
    word = cut_count(word, &n);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (!str_is(word, faults[i].word))
            continue;
        if (count(s, faults[i].id, faults[i].place) != n)
            blame(s, file, faults[i].word);
        return;
    }
    unit_fail("%.*s: the fault \"%.*s\" is not known here", PSTR(file), PSTR(word));
}

/* "schema-absent extra-top:a,b entry-faults:namex1;type=Nonex1" */
static void assert_faults(const struct seen *s, struct pap_str file, struct pap_str list)
{
    struct pap_str part, word;
    size_t entries = str_find(list, S("entry-faults:"));
    struct pap_str rest = str_take(list, entries);
    while (str_next(&rest, ' ', &part))
        if (part.n && !str_starts(part, S("extra-top:")))
            assert_fault(s, file, part);
    rest = str_skip(list, entries + 13);
    while (rest.n && str_next(&rest, ';', &word))
        assert_fault(s, file, word);
}

static void indexes_get_their_verdicts(void **state)
{
    (void)state;
    struct arena a;
    struct pap_str table, line, file, verdict, list;
    char path[4096];
    size_t n = 0;
    if (!has_cases())
        return;
    arena_init(&a, NULL);
    snprintf(path, sizeof path, "%s/indexes/VERDICTS.tsv", getenv("PAPAVER_CASES"));
    assert_ok(file_read(&a, path, 1 << 20, &table, NULL, NULL));
    assert_true(str_next(&table, '\n', &line)); /* names of columns */
    while (str_next(&table, '\n', &line)) {
        static struct seen s;
        if (!line.n)
            continue;
        assert_true(str_next(&line, '\t', &file) && str_next(&line, '\t', &verdict));
        list = line.p ? str_trim(line) : S("");
        judge_file("indexes", file, "index", &s);
        if (str_is(verdict, "conformant-0.2.0") && s.n > 0)
            blame(&s, file, "there is nothing to say about it");
        if (str_is(verdict, "legacy-0.1") && (s.n != 1 || count(&s, "index.legacy", "") != 1))
            blame(&s, file, "an older layout is one finding");
        if (str_is(verdict, "broken") && !errors(&s))
            blame(&s, file, "it is broken, and no error tells");
        if (str_is(verdict, "broken"))
            assert_faults(&s, file, list);
        n++;
    }
    print_message("%zu published indexes\n", n);
    assert_true(n > 20);
    arena_fini(&a);
}

/* ---- archives ---- */

static void archives_get_their_verdicts(void **state)
{
    (void)state;
    static struct seen s;
    if (!has_cases())
        return;
    struct pap_str good = S("01-good-dot-slash-entries.novu-manage-subscribers.tar.gz");
    struct pap_str bad = S("03-bad-wrapper-directory.web-design-guidelines.zip");
    judge_file("archives", good, NULL, &s);
    if (errors(&s) || count(&s, "archive.portable", "./SKILL.md") != 1)
        blame(&s, good, "names that begin with ./ are a warning, and nothing is an error");
    judge_file("archives", bad, NULL, &s);
    if (count(&s, "archive.root", "web-design-guidelines") != 1 || errors(&s) != 1)
        blame(&s, bad, "the wrapper directory is the one error");
}

/* What each hostile archive does, by its name. They hold no SKILL.md, so archive.root is an error beside. */
static const struct {
    const char *prefix, *id; /* "": whole and safe */
} hostile[] = {
    {"abs.", "archive.name"},
    {"aftereof.", "archive.damaged"},
    {"backslash.", "archive.name"},
    {"badutf8.", "archive.name"},
    {"bomb.", "archive.limits"},
    {"case.", "archive.collision"},
    {"cdname.", "archive.damaged"},
    {"cksum.", "archive.damaged"},
    {"crc.", "archive.damaged"},
    {"dev.", "archive.link"},
    {"dotdot.", "archive.name"},
    {"dup.", "archive.collision"},
    {"fifo.", "archive.link"},
    {"gzcat.", "archive.damaged"},
    {"gzcrc.", "archive.damaged"},
    {"gzisize.", "archive.damaged"},
    {"gztrail.", "archive.damaged"},
    {"gztrunc.", "archive.damaged"},
    {"hard.", "archive.link"},
    {"hiddenlocal.", "archive.damaged"},
    {"noeof.", "archive.end"},
    {"nul.", "archive.name"},
    {"ok.", ""},
    {"overlap.", "archive.damaged"},
    {"prefix.", "archive.damaged"},
    {"suid.", "archive.mode"},
    {"sym.", "archive.link"},
    {"trail.", "archive.damaged"},
};

static const char *expected(const char *name)
{
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++)
        if (str_starts(str_c(name), str_c(hostile[i].prefix)))
            return hostile[i].id;
    unit_fail("%s is not known here", name);
    return "";
}

static void hostile_archives_are_refused(void **state)
{
    (void)state;
    char path[4096];
    size_t n = 0;
    if (!has_cases())
        return;
    snprintf(path, sizeof path, "%s/hostile/archives", getenv("PAPAVER_CASES"));
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        static struct seen s;
        if (e->d_name[0] == '.')
            continue;
        const char *id = expected(e->d_name);
        judge_file("hostile/archives", str_c(e->d_name), NULL, &s);
        if (!errors(&s) || (*id && !count(&s, id, "")))
            blame(&s, str_c(e->d_name), "the fault it was made for is not found");
        if (!*id && (errors(&s) != 1 || !count(&s, "archive.root", "")))
            blame(&s, str_c(e->d_name), "it is whole and safe; it lacks SKILL.md only");
        n++;
    }
    closedir(d);
    print_message("%zu hostile archives\n", n);
    assert_true(n > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes_get_their_verdicts),
        cmocka_unit_test(archives_get_their_verdicts),
        cmocka_unit_test(hostile_archives_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
