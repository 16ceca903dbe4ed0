/* SPDX-License-Identifier: Apache-2.0
 *
 * Repairs of what is mechanical in a SKILL.md: byte order mark, CRLF, a plain value with a colon, values of metadata that
 * are no text for every parser, a name that is not the folder's. The parser says what is wrong and where, one thing at a time, so that what
 * only looks wrong (in quotes, in a block scalar, in the body) is left alone. No line is added or taken away.
 */
#include "base/limits.h"
#include "proto/skill.h"
#include "publish/project.h"
#include "sys/file.h"
#include "text/scan.h"
#include "text/skillmd.h"

/* Each is followed by a new look at the block, which is 64 KiB at most. */
enum { MOST_EDITS = 256 };

/* Bytes of the text and what they become. */
struct edit {
    size_t at, n;
    struct pap_str text;
    bool quote;
};

static bool is_plain(struct pap_str value)
{
    return value.n && !memchr("\"'|>[]{}&*!%@`#", value.p[0], 15);
}

static void add_quoted(struct buf *out, struct pap_str value)
{
    buf_char(out, '"');
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == '"' || value.p[i] == '\\')
            buf_char(out, '\\');
        buf_char(out, value.p[i]);
    }
    buf_char(out, '"');
}

/* The value of "key: value"; false: the line is something else. */
static bool value_of_line(struct pap_str line, struct pap_str *ret)
{
    struct pap_str rest = str_skip(line, blanks(line));
    size_t colon = str_find_char(rest, ':');
    if (colon == rest.n || colon == 0 || (colon + 1 < rest.n && rest.p[colon + 1] != ' ') ||
        memchr("#-\"'?[{", rest.p[0], 7))
        return false;
    *ret = str_trim(str_skip(rest, colon + 1));
    return true;
}

/* The colon that the parser stumbled over stands in a value of one line, all of which can go into quotes. */
static bool find_colon(struct pap_str text, const struct note *fault, struct edit *ret)
{
    struct pap_str value;
    size_t next;
    if (!fault || !fault->fatal || fault->code != NOTE_YAML_COLON || fault->off >= text.n ||
        !value_of_line(text_line(text, text_line_start(text, fault->off), &next), &value) || !is_plain(value) ||
        str_find(value, S(" #")) < value.n || text.p + fault->off < value.p)
        return false;
    *ret = (struct edit){.at = (size_t)(value.p - text.p), .n = value.n, .text = value, .quote = true};
    return true;
}

/* A value without quotes that stands in the text as it was read: on one line. */
static bool is_plain_scalar(struct pap_str text, const struct json *j)
{
    return j && (j->flags & JSON_PLAIN) && j->n && j->off <= text.n && j->n <= text.n - j->off &&
           memcmp(text.p + j->off, j->p, j->n) == 0;
}

static bool find_name(struct pap_str text, const struct json *root, struct pap_str folder, struct edit *ret)
{
    const struct json *name = json_get_c(root, "name");
    const char *why;
    if (!is_plain_scalar(text, name) || !folder.n || !format_holds(FORMAT_SKILL_NAME, folder, &why))
        return false;
    bool same = str_eq(str(name->p, name->n), folder);
    *ret = (struct edit){.at = name->off, .n = name->n, .text = folder, .quote = same};
    return !same || name->type != JSON_STRING; /* a folder may be called 2024 */
}

static bool find_metadata(struct pap_str text, const struct json *root, struct edit *ret)
{
    json_each (j, json_get_c(root, "metadata")) {
        if (!(j->flags & JSON_HAS_KEY) || !is_plain_scalar(text, j) || (j->type == JSON_STRING && !skill_ambiguous(j)))
            continue;
        *ret = (struct edit){.at = j->off, .n = j->n, .text = str(j->p, j->n), .quote = true};
        return true;
    }
    return false;
}

static pap_result apply(struct arena *a, struct pap_str *text, const struct edit *e)
{
    struct buf out;
    buf_init(&out, a->alloc, 2 * text->n + 64 * 1024);
    buf_add(&out, str_take(*text, e->at));
    if (e->quote)
        add_quoted(&out, e->text);
    else
        buf_add(&out, e->text);
    buf_add(&out, str_skip(*text, e->at + e->n));
    *text = buf_ok(&out) ? arena_str(a, buf_str(&out)) : str(NULL, 0);
    buf_fini(&out);
    return text->p ? OK : fail_memory(NULL);
}

/* One look of the parser, and one edit. *ret_done: nothing is left to do; *ret_sound: what is there can be read. */
static pap_result fix_next(struct arena *a, struct arena *scratch, struct pap_str *head, struct pap_str folder,
                           bool *ret_done, bool *ret_sound)
{
    struct skillmd md;
    struct notes notes = {.n = 0};
    struct edit e;
    TRY(skillmd_read(scratch, *head, &md, &notes));
    bool found = md.root ? find_name(*head, md.root, folder, &e) || find_metadata(*head, md.root, &e)
                         : find_colon(*head, notes.last, &e);
    *ret_done = !found;
    *ret_sound = md.root != NULL;
    return found ? apply(a, head, &e) : OK;
}

/* Front matter and its fences. What still cannot be read after all is left as it was. */
static pap_result fix_head(struct arena *a, struct pap_str *head, struct pap_str folder)
{
    struct pap_str text = *head;
    bool done = false, sound = false;
    pap_result r = OK;
    for (unsigned i = 0; i < MOST_EDITS && !done && is_ok(r); i++) {
        struct arena scratch;
        arena_init(&scratch, a->alloc);
        r = fix_next(a, &scratch, &text, folder, &done, &sound);
        arena_fini(&scratch);
    }
    if (is_ok(r) && done && sound)
        *head = text;
    return r;
}

/* Without byte order mark and CRLF. */
static pap_result fix_invisible(struct arena *a, struct pap_str text, struct pap_str *ret)
{
    struct pap_str rest = str_starts(text, S("\xef\xbb\xbf")) ? str_skip(text, 3) : text, line;
    struct buf out;
    buf_init(&out, a->alloc, text.n + 1);
    while (str_next(&rest, '\n', &line)) {
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        buf_add(&out, line);
        if (rest.p)
            buf_char(&out, '\n');
    }
    *ret = buf_ok(&out) ? arena_str(a, buf_str(&out)) : str(NULL, 0);
    buf_fini(&out);
    return ret->p ? OK : fail_memory(NULL);
}

static pap_result fix_text(struct arena *a, struct pap_str text, struct pap_str folder, struct pap_str *ret)
{
    struct skillmd md;
    struct notes notes = {.n = 0};
    TRY(fix_invisible(a, text, ret));
    TRY(skillmd_read(a, *ret, &md, &notes));
    if (!md.block.p)
        return OK;
    struct pap_str head = str_take(*ret, md.body_off), was = head;
    TRY(fix_head(a, &head, folder));
    if (str_eq(head, was))
        return OK;
    return apply(a, ret, &(struct edit){.n = was.n, .text = head});
}

static struct pap_str skip_shown(struct pap_str line)
{
    return line.n && line.p[line.n - 1] == '\r' ? str_take(line, line.n - 1) : line;
}

/* What of a line cannot be seen; "" when nothing else changes. */
static const char *invisible_change(uint32_t line, struct pap_str old, struct pap_str new)
{
    bool mark = line == 1 && str_starts(old, S("\xef\xbb\xbf"));
    if (!str_eq(skip_shown(mark ? str_skip(old, 3) : old), new))
        return "";
    return mark ? "byte order mark" : "CRLF";
}

/* Lines correspond one to one. */
static void tell_lines(struct pap_str path, struct pap_str old, struct pap_str new, pap_publish_fix_fn *change,
                       void *ctx)
{
    struct pap_str a = old, b = new, x, y;
    uint32_t first = 0; /* of a run of lines that lose their CR */
    for (uint32_t line = 1; str_next(&a, '\n', &x) && str_next(&b, '\n', &y); line++) {
        const char *why = str_eq(x, y) ? NULL : invisible_change(line, x, y);
        bool only_cr = why && strcmp(why, "CRLF") == 0;
        if (first && !only_cr)
            change(ctx, path, first, line - 1, S(""), S(""), "CRLF");
        first = !only_cr ? 0 : first ? first : line;
        if (why && !only_cr)
            change(ctx, path, line, line, skip_shown(x), y, why);
        if (first && (!a.p || !b.p))
            change(ctx, path, first, line, S(""), S(""), "CRLF");
    }
}

/* What a file was and becomes. */
struct repair {
    struct repair *next;
    struct pap_str path, old, new;
    bool link;
};

struct repairs {
    struct repair *first, **end;
    size_t n;
};

static pap_result find_repair(struct arena *a, const struct skill *s, pap_publish_fix_fn *change, void *ctx,
                              struct repairs *all, struct pap_err *err)
{
    struct repair r = {.path = arena_fmt(a, "%s/SKILL.md", s->full)}, *to;
    struct pap_str shown = arena_fmt(a, "%.*s/SKILL.md", PSTR(s->path));
    struct tree_entry e;
    if (!r.path.p || !shown.p)
        return fail_memory(err);
    TRY(file_read(a, r.path.p, LIMIT_DOCUMENT, &r.old, NULL, err));
    r.link = tree_stat(r.path.p, &e) && e.type == TREE_LINK;
    if (!is_ok(fix_text(a, r.old, s->name, &r.new)) || !(to = arena_new(a, struct repair)))
        return fail_memory(err);
    if (str_eq(r.old, r.new))
        return OK;
    *to = r;
    *all->end = to;
    all->end = &to->next;
    all->n++;
    if (change)
        tell_lines(shown, r.old, r.new, change, ctx);
    return OK;
}

/* What a link leads to may be no part of the project; nothing that is one becomes public either. */
static pap_result write_repair(const struct repair *r, struct pap_err *err)
{
    if (r->link)
        return fail(err, PAP_IO, "%s is a symbolic link, through which nothing is written", r->path.p);
    file_clear_beside(r->path.p);
    return file_replace(r->path.p, r->old, r->new, err);
}

pap_result pap_publish_fix(const struct pap_publish_options *options, pap_publish_fix_fn *change,
                           pap_publish_ask_fn *ask, size_t *ret_files, bool *ret_written, struct pap_err *err)
{
    struct project p = {.o = options};
    struct repairs all = {.end = &all.first};
    arena_init(&p.arena, options->alloc);
    pap_result r = project_open(&p, err);
    for (size_t i = 0; is_ok(r) && i < p.n_skills; i++)
        r = find_repair(&p.arena, &p.skills[i], change, options->ctx, &all, err);
    bool writes = is_ok(r) && all.n && ask && ask(options->ctx, all.n);
    for (const struct repair *one = all.first; one && writes && is_ok(r); one = one->next)
        r = write_repair(one, err);
    arena_fini(&p.arena);
    if (is_ok(r)) {
        *ret_files = all.n;
        *ret_written = writes;
    }
    return r;
}
