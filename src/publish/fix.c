/* SPDX-License-Identifier: Apache-2.0
 *
 * Repairs of what is mechanical in a SKILL.md: byte order mark, CRLF, a plain value with a colon, values of metadata that
 * are no text, a name that is not the folder's. Line by line, so that the difference is what a person would have typed.
 */
#include "base/limits.h"
#include "publish/project.h"
#include "sys/file.h"
#include "sys/stage.h"

struct fixer {
    struct buf out;
    struct pap_str folder;
    bool in_block, ended, in_metadata;
};

/* What YAML's core schema takes for a number, a truth value or nothing. */
static bool is_no_text(struct pap_str s)
{
    static const char *const words[] = {"true", "True", "TRUE", "false", "False", "FALSE", "null",
                                        "Null", "NULL", "~",    "yes",   "no",    "on",    "off"};
    size_t digits = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_is(s, words[i]))
            return true;
    for (size_t i = 0; i < s.n; i++) {
        digits += ascii_is_digit(s.p[i]);
        if (!ascii_is_digit(s.p[i]) && !memchr("+-.eE:_", s.p[i], 7))
            return false;
    }
    size_t dots = 0;
    for (size_t i = 0; i < s.n; i++)
        dots += s.p[i] == '.';
    return s.n == 0 || (digits > 0 && dots < 2);
}

static bool is_plain(struct pap_str value)
{
    return value.n && !memchr("\"'|>[]{}&*!%@`#", value.p[0], 15);
}

static bool has_colon(struct pap_str value)
{
    return str_find(value, S(": ")) < value.n || str_ends(value, S(":"));
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

/* "key: value" with `indent` blanks in front; false: the line is something else. */
static bool split_line(struct pap_str line, size_t *ret_indent, struct pap_str *ret_key, struct pap_str *ret_value)
{
    size_t indent = 0;
    while (indent < line.n && line.p[indent] == ' ')
        indent++;
    struct pap_str rest = str_skip(line, indent);
    size_t colon = str_find_char(rest, ':');
    if (colon == rest.n || colon == 0 || (colon + 1 < rest.n && rest.p[colon + 1] != ' ') || rest.p[0] == '#' ||
        rest.p[0] == '-')
        return false;
    *ret_indent = indent;
    *ret_key = str_take(rest, colon);
    *ret_value = str_trim(str_skip(rest, colon + 1));
    return true;
}

static void fix_block_line(struct fixer *f, struct pap_str line)
{
    size_t indent;
    struct pap_str key, value;
    const char *why;
    if (!split_line(line, &indent, &key, &value)) {
        buf_add(&f->out, line);
        return;
    }
    if (indent == 0)
        f->in_metadata = str_is(key, "metadata");
    bool top = indent == 0, comment = str_find(value, S(" #")) < value.n;
    if (top && str_is(key, "name") && f->folder.n && is_plain(value) && !comment && !str_eq(value, f->folder) &&
        format_holds(FORMAT_SKILL_NAME, f->folder, &why)) {
        buf_add(&f->out, S("name: "));
        buf_add(&f->out, f->folder);
    } else if (is_plain(value) && !comment && (top || f->in_metadata) &&
               (has_colon(value) || (f->in_metadata && !top && is_no_text(value)))) {
        buf_add(&f->out, str_take(line, indent));
        buf_add(&f->out, key);
        buf_add(&f->out, S(": "));
        add_quoted(&f->out, value);
    } else {
        buf_add(&f->out, line);
    }
}

static void fix_line(struct fixer *f, struct pap_str line, bool first)
{
    bool fence = str_is(line, "---");
    if (first) {
        f->in_block = fence;
    } else if (f->in_block && fence) {
        f->in_block = false;
    } else if (f->in_block) {
        fix_block_line(f, line);
        return;
    }
    buf_add(&f->out, line);
}

static pap_result fix_text(struct arena *a, struct pap_str text, struct pap_str folder, struct pap_str *ret)
{
    struct fixer f = {.folder = folder};
    struct pap_str rest = str_starts(text, S("\xef\xbb\xbf")) ? str_skip(text, 3) : text, line;
    buf_init(&f.out, a->alloc, 2 * text.n + 64 * 1024);
    for (bool first = true; str_next(&rest, '\n', &line); first = false) {
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        fix_line(&f, line, first);
        if (rest.p)
            buf_char(&f.out, '\n');
    }
    *ret = buf_ok(&f.out) ? arena_str(a, buf_str(&f.out)) : str(NULL, 0);
    buf_fini(&f.out);
    return ret->p ? OK : fail_memory(NULL);
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
    if (!r.path.p || !shown.p)
        return fail_memory(err);
    TRY(file_read(a, r.path.p, LIMIT_DOCUMENT, &r.old, NULL, err));
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

static pap_result write_repair(struct arena *a, const struct repair *r, struct pap_err *err)
{
    file_clear_beside(r->path.p);
    if (!file_is(a, r->path.p, r->old))
        return fail(err, PAP_IO, "%s was changed meanwhile and is left as it is", r->path.p);
    return file_write_atomic(r->path.p, r->new, err);
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
        r = write_repair(&p.arena, one, err);
    arena_fini(&p.arena);
    if (is_ok(r)) {
        *ret_files = all.n;
        *ret_written = writes;
    }
    return r;
}
