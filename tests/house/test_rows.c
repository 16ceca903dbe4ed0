/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of checks as a whole: every row is well formed, and every row has a good and a bad case below tests/checks,
 * and nothing else has. Runs in the source folder.
 */
#include <dirent.h>
#include <stdio.h>

#include "../unit/unit.h"
#include "proto/check.h"
#include "sys/file.h"

/* Counts what is wrong instead of stopping at the first row: whoever adds rows wants the whole list. */
static unsigned faults;

static void blame(const char *id, const char *what)
{
    print_message("%s: %s\n", id, what);
    faults++;
}

static bool is_filled(const char *s)
{
    return s && str_trim(str_c(s)).n > 0;
}

/* a-z, 0-9 and single inner hyphens in at least two parts with points between. */
static bool is_id(const char *id)
{
    unsigned points = 0;
    for (const char *p = id; *p; p++) {
        bool inner = p > id && ascii_is_alnum(p[-1]) && ascii_is_alnum(p[1]);
        points += *p == '.';
        if (!(*p >= 'a' && *p <= 'z') && !ascii_is_digit(*p) && !((*p == '-' || *p == '.') && inner))
            return false;
    }
    return points > 0;
}

static void ids_are_unique_and_of_one_form(void **state)
{
    (void)state;
    const struct check *c;
    faults = 0;
    for (size_t i = 0; (c = check_at(i)) != NULL; i++) {
        if (!c->id || !is_id(c->id))
            blame(c->id ? c->id : "(none)", "not of the form word.word-word");
        else if (check_find(str_c(c->id)) != c)
            blame(c->id, "another row has this id");
    }
    assert_null(check_at((size_t)-1));
    assert_int_equal(faults, 0);
}

static void texts_are_there(void **state)
{
    (void)state;
    const struct check *c;
    faults = 0;
    for (size_t i = 0; (c = check_at(i)) != NULL; i++) {
        if ((c->spec == SPEC_SKILLS || c->spec == SPEC_DISCOVERY) && !*c->section)
            blame(c->id, "names no section");
        if (!is_filled(c->title) || !is_filled(c->why) || !is_filled(c->mend))
            blame(c->id, "title, why or mend is empty");
        if (!c->covers)
            blame(c->id, "covers is NULL; write \"\" where no number asks for it");
        if (c->spec >= SPEC_COUNT || !is_filled(spec_name(c->spec)) || !is_filled(level_name(c->level)))
            blame(c->id, "specification or level is none");
    }
    assert_int_equal(faults, 0);
}

static void provisional_rows_are_infos(void **state)
{
    (void)state;
    const struct check *c;
    faults = 0;
    for (size_t i = 0; (c = check_at(i)) != NULL; i++) {
        if (c->severity < PAP_INFO || c->severity > PAP_ERROR)
            blame(c->id, "no severity");
        if (!c->sure && c->severity != PAP_INFO)
            blame(c->id, "stated in no version, so its severity is info");
        if (!(c->sure | c->maybe) || ((c->sure | c->maybe) & ~(unsigned)V_ALL))
            blame(c->id, "holds for no version, or for one that there is not");
        if (c->sure & c->maybe)
            blame(c->id, "both certain and provisional in one version");
        if (c->strict && c->severity != PAP_WARNING)
            blame(c->id, "strict, but no warning that could become an error");
    }
    assert_int_equal(faults, 0);
}

static void field_is_right(const struct check *c, const struct field *f)
{
    if (f->path[0] && f->path[0] != '/')
        blame(c->id, "a field path is no JSON pointer");
    if (!f->types || f->types > T_ANY)
        blame(c->id, "a field has no type");
    if (f->format >= FORMAT_COUNT || (f->format && !is_filled(format_noun(f->format))))
        blame(c->id, "a field has a format without a name");
    if ((f->format || f->max) && !(f->types & T_STRING))
        blame(c->id, "a field that is no string has a format or a length");
}

static void rows_can_find_something(void **state)
{
    (void)state;
    const struct check *c;
    faults = 0;
    for (size_t i = 0; (c = check_at(i)) != NULL; i++) {
        bool is_document = c->kind > KIND_NONE && c->kind < KIND_COUNT;
        if (!is_document && c->kind != KIND_TEXT && c->kind != KIND_EXCHANGE && c->kind != KIND_LINKS &&
            c->kind != KIND_PUBLISH)
            blame(c->id, "no kind");
        if (!is_document && c->kind != KIND_PUBLISH && !c->of)
            blame(c->id, "names no document kind in `of`");
        if (c->kind == KIND_PUBLISH && (c->fields || c->fn || !c->publish_only))
            blame(c->id, "the publisher decides, so nothing here can");
        if (!c->fields && !c->fn && !(c->kind == KIND_TEXT && c->note) && c->kind != KIND_PUBLISH)
            blame(c->id, "neither fields nor a function nor a note");
        for (const struct field *f = c->fields; f && f->path; f++)
            field_is_right(c, f);
    }
    assert_int_equal(faults, 0);
}

static void every_note_has_a_row(void **state)
{
    (void)state;
    const struct check *c;
    unsigned rows[NOTE_COUNT] = {0};
    for (size_t i = 0; (c = check_at(i)) != NULL; i++)
        if (c->kind == KIND_TEXT && c->note < NOTE_COUNT)
            rows[c->note]++;
    faults = 0;
    for (int n = NOTE_NONE + 1; n < NOTE_COUNT; n++) {
        if (!rows[n]) {
            char what[32];
            snprintf(what, sizeof what, "note %d has no row", n);
            blame("text_checks.c", what);
        }
    }
    assert_int_equal(faults, 0);
}

/* Whether the folder has an entry that begins so. */
static bool has_case(const char *folder, const char *prefix)
{
    DIR *d = opendir(folder);
    bool found = false;
    for (struct dirent *e; d && !found && (e = readdir(d)) != NULL;)
        found = str_starts(str_c(e->d_name), str_c(prefix));
    if (d)
        closedir(d);
    return found;
}

/* What cannot be data: the folder's file `unit` names a test of tests/unit, "FILE FUNCTION", that says the id. */
static bool has_unit(const char *folder, const char *id)
{
    struct arena a;
    struct pap_str unit, file, function, text;
    char path[300];
    arena_init(&a, NULL);
    snprintf(path, sizeof path, "%s/unit", folder);
    bool found = is_ok(file_read(&a, path, 4096, &unit, NULL, NULL));
    unit = found ? str_trim(unit) : S("");
    found = found && str_next(&unit, ' ', &file) && str_next(&unit, ' ', &function);
    if (found)
        snprintf(path, sizeof path, "tests/unit/%.*s", PSTR(file));
    found = found && is_ok(file_read(&a, path, 1 << 20, &text, NULL, NULL));
    if (found) {
        struct pap_str body = str_skip(text, str_find(text, arena_fmt(&a, "static void %.*s(", PSTR(function))));
        body = str_take(body, str_find(body, S("\n}\n")));
        found = str_find(body, arena_fmt(&a, "\"%s\"", id)) < body.n;
    }
    arena_fini(&a);
    return found;
}

static void every_row_has_a_good_and_a_bad_case(void **state)
{
    (void)state;
    const struct check *c;
    faults = 0;
    for (size_t i = 0; (c = check_at(i)) != NULL; i++) {
        char folder[256];
        snprintf(folder, sizeof folder, "tests/checks/%s", c->id);
        if (has_unit(folder, c->id))
            continue;
        if (!has_case(folder, "good"))
            blame(c->id, "no good case below tests/checks");
        if (!has_case(folder, "bad"))
            blame(c->id, "no bad case below tests/checks");
    }
    assert_int_equal(faults, 0);
}

static void every_case_has_a_row(void **state)
{
    (void)state;
    DIR *d = opendir("tests/checks");
    faults = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.' && e->d_type == DT_DIR && !check_find(str_c(e->d_name)))
            blame(e->d_name, "a folder of cases, but no row");
    if (d)
        closedir(d);
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_unique_and_of_one_form), cmocka_unit_test(texts_are_there),
        cmocka_unit_test(provisional_rows_are_infos),     cmocka_unit_test(rows_can_find_something),
        cmocka_unit_test(every_note_has_a_row),           cmocka_unit_test(every_row_has_a_good_and_a_bad_case),
        cmocka_unit_test(every_case_has_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
