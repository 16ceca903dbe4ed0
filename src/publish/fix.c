/* SPDX-License-Identifier: Apache-2.0
 *
 * Repairs of what is mechanical in a SKILL.md: byte order mark, CRLF, a plain value with a colon, values of metadata that
 * are no text, a name that is not the folder's. Line by line, so that the difference is what a person would have typed.
 */
#include "base/limits.h"
#include "publish/project.h"
#include "sys/file.h"

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

/* Lines correspond one to one. */
static void tell_lines(struct pap_str path, struct pap_str old, struct pap_str new, pap_publish_fix_fn *change,
                       void *ctx)
{
    struct pap_str a = old, b = new, x, y;
    for (uint32_t line = 1; str_next(&a, '\n', &x) && str_next(&b, '\n', &y); line++)
        if (!str_eq(x, y) && change)
            change(ctx, path, line, skip_shown(x), y,
                   line == 1 && str_starts(x, S("\xef\xbb\xbf")) ? "byte order mark"
                   : str_eq(skip_shown(x), y)                    ? "CRLF"
                                                                 : "");
}

static pap_result fix_skill(const struct skill *s, bool apply, pap_publish_fix_fn *change, void *ctx, size_t *changed,
                            struct pap_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct pap_str old, new;
    arena_init(&a, s->arena.alloc);
    struct pap_str path = arena_fmt(&a, "%s/SKILL.md", s->full), shown = arena_fmt(&a, "%.*s/SKILL.md", PSTR(s->path));
    if (!path.p || !shown.p)
        return fail_memory(err);
    TRY(file_read(&a, path.p, LIMIT_DOCUMENT, &old, NULL, err));
    if (!is_ok(fix_text(&a, old, s->name, &new)))
        return fail_memory(err);
    if (str_eq(old, new))
        return OK;
    ++*changed;
    tell_lines(shown, old, new, change, ctx);
    return apply ? file_write_atomic(path.p, new, err) : OK;
}

pap_result pap_publish_fix(const struct pap_publish_options *options, bool apply, pap_publish_fix_fn *change,
                           size_t *ret_files, struct pap_err *err)
{
    struct project p = {.o = options};
    size_t changed = 0;
    arena_init(&p.arena, options->alloc);
    pap_result r = project_open(&p, err);
    for (size_t i = 0; is_ok(r) && i < p.n_skills; i++) {
        arena_init(&p.skills[i].arena, options->alloc);
        r = fix_skill(&p.skills[i], apply, change, options->ctx, &changed, err);
    }
    arena_fini(&p.arena);
    if (is_ok(r))
        *ret_files = changed;
    return r;
}
