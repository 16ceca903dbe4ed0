/* SPDX-License-Identifier: Apache-2.0
 *
 * The cases of every check: tests/checks/<id>/good* and bad*. A case is a file, a folder, a script of answers (*.site,
 * see tests/lib/script.h and case.h) or a project to publish (*.project, see tests/lib/project.h). A good case gives no finding of that id and none
 * of warning or error at all; a bad one gives exactly that id, at the place that the folder's file `expect` names:
 *
 *     CASE | PLACE | LINE:COLUMN | also: ID ID | options: --as 0.3 --kind index --mcp | says: WORDS
 *
 * PLACE is the JSON pointer, "header NAME" or "entry NAME"; "-" stands for none. `also` lists other ids that the case must
 * give too (an id with ? behind it may be given or not). Infos of other ids are not looked at. `says` is a part of the
 * sentence or of how to mend it. Good cases have a line only when they need options or `also`.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "lib/case.h"
#include "sys/file.h"

enum { MOST = 512 };

struct expectation {
    struct pap_str place, position, also, options, says;
};

struct seen {
    char id[80], at[300], position[32], message[600], mend[600];
    enum pap_severity severity;
};

struct outcome {
    struct seen items[MOST];
    size_t n;
};

static unsigned passed, failed;

static void note(void *ctx, const struct pap_finding *f)
{
    struct outcome *o = ctx;
    if (o->n == MOST)
        return;
    struct seen *s = &o->items[o->n++];
    snprintf(s->id, sizeof s->id, "%s", f->id);
    snprintf(s->at, sizeof s->at, "%.*s", PSTR(f->at));
    snprintf(s->message, sizeof s->message, "%.*s", PSTR(f->message));
    snprintf(s->mend, sizeof s->mend, "%.*s", PSTR(f->mend));
    if (f->line)
        snprintf(s->position, sizeof s->position, "%u:%u", f->line, f->column);
    else
        snprintf(s->position, sizeof s->position, "-");
    s->severity = f->severity;
}

static struct pap_str field_after(struct pap_str line, struct pap_str word)
{
    size_t at = str_find(line, word);
    if (at == line.n)
        return S("");
    struct pap_str rest = str_skip(line, at + word.n);
    return str_trim(str_take(rest, str_find_char(rest, '|')));
}

static bool find_expectation(struct pap_str file, const char *name, struct expectation *ret)
{
    struct pap_str line, part;
    *ret = (struct expectation){S("-"), S("-"), S(""), S(""), S("")};
    while (str_next(&file, '\n', &line)) {
        struct pap_str rest = line;
        if (!str_next(&rest, '|', &part) || !str_is(str_trim(part), name))
            continue;
        if (str_next(&rest, '|', &part))
            ret->place = str_trim(part);
        if (str_next(&rest, '|', &part))
            ret->position = str_trim(part);
        ret->also = field_after(line, S("also:"));
        ret->options = field_after(line, S("options:"));
        ret->says = field_after(line, S("says:"));
        return true;
    }
    return false;
}

/* "a b? c": whether the id is in the list. */
static bool listed(struct pap_str list, const char *id)
{
    struct pap_str word;
    while (str_next(&list, ' ', &word)) {
        if (str_ends(word, S("?")))
            word.n--;
        if (str_is(word, id))
            return true;
    }
    return false;
}

static bool gave(const struct outcome *o, struct pap_str id)
{
    for (size_t i = 0; i < o->n; i++)
        if (str_is(id, o->items[i].id))
            return true;
    return false;
}

static void complain(const char *id, const char *name, const char *what, const struct outcome *o)
{
    failed++;
    printf("FAIL %s/%s: %s\n", id, name, what);
    for (size_t i = 0; o && i < o->n; i++)
        printf("     %d %s at \"%s\" %s: %s\n", o->items[i].severity, o->items[i].id, o->items[i].at,
               o->items[i].position, o->items[i].message);
}

static bool others_fit(const char *id, const struct expectation *e, const struct outcome *o)
{
    struct pap_str also = e->also, word;
    for (size_t i = 0; i < o->n; i++)
        if (o->items[i].severity > PAP_INFO && strcmp(o->items[i].id, id) != 0 && !listed(e->also, o->items[i].id))
            return false;
    while (str_next(&also, ' ', &word))
        if (word.n && !str_ends(word, S("?")) && !gave(o, word))
            return false;
    return true;
}

static bool says(const struct seen *s, struct pap_str words)
{
    struct pap_str message = str_c(s->message), mend = str_c(s->mend);
    return !words.n || str_find(message, words) < message.n || str_find(mend, words) < mend.n;
}

static void judge_case(const char *id, const char *name, bool good, bool has_line, const struct expectation *e,
                       const struct outcome *o)
{
    bool hit = false, here = false;
    for (size_t i = 0; i < o->n; i++) {
        if (strcmp(o->items[i].id, id) != 0)
            continue;
        hit = true;
        here |= str_is(str_is(e->place, "-") ? S("") : e->place, o->items[i].at) &&
                str_is(e->position, o->items[i].position) && says(&o->items[i], e->says);
    }
    if (good && hit)
        complain(id, name, "a good case gives the finding", o);
    else if (!others_fit(id, e, o))
        complain(id, name, "other findings than those expected", o);
    else if (!good && !has_line)
        complain(id, name, "no line in `expect`", o);
    else if (!good && !hit)
        complain(id, name, "a bad case does not give the finding", o);
    else if (!good && !here)
        complain(id, name, "the finding is at another place or says something else", o);
    else
        passed++;
}

/* ---- running cases ---- */

static void try_case(const char *folder, const char *id, const char *name, struct pap_str expect)
{
    static struct outcome o;
    struct arena a;
    struct pap_err err = {0};
    struct expectation e;
    char path[4096];
    arena_init(&a, NULL);
    o.n = 0;
    snprintf(path, sizeof path, "%s/%s/%s", folder, id, name);
    bool has_line = find_expectation(expect, name, &e);
    if (case_run(&a, path, e.options, note, &o, NULL, &err))
        judge_case(id, name, str_starts(str_c(name), S("good")), has_line, &e, &o);
    else
        complain(id, name, err.text, NULL);
    arena_fini(&a);
}

static void try_folder(const char *folder, const char *id)
{
    struct arena a;
    struct pap_str expect = {0};
    struct dirent **names;
    char path[4096];
    arena_init(&a, NULL);
    snprintf(path, sizeof path, "%s/%s/expect", folder, id);
    if (file_type_of(path) == FILE_REGULAR && !is_ok(file_read(&a, path, 1 << 20, &expect, NULL, NULL)))
        complain(id, "expect", "cannot be read", NULL);
    snprintf(path, sizeof path, "%s/%s", folder, id);
    int n = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        struct pap_str name = str_c(names[i]->d_name);
        if (str_starts(name, S("good")) || str_starts(name, S("bad")))
            try_case(folder, id, names[i]->d_name, expect);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    arena_fini(&a);
}

int main(int argc, char **argv)
{
    struct dirent **ids;
    if (argc < 2)
        return 2;
    int n = scandir(argv[1], &ids, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        bool chosen = argc < 3 || strcmp(argv[2], ids[i]->d_name) == 0;
        if (ids[i]->d_name[0] != '.' && chosen && strchr(ids[i]->d_name, '.') && strcmp(ids[i]->d_name, "run.c") != 0 &&
            strcmp(ids[i]->d_name, "meson.build") != 0)
            try_folder(argv[1], ids[i]->d_name);
        free(ids[i]);
    }
    if (n >= 0)
        free(ids);
    printf("%u cases as expected, %u not\n", passed, failed);
    return failed || !passed;
}
