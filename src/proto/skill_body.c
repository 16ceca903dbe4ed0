/* SPDX-License-Identifier: Apache-2.0
 *
 * What the body of a SKILL.md refers to: files of the skill, and scripts that are called.
 */
#include "base/limits.h"
#include "proto/skill.h"

/* "references/{topic}.md". In an image a brace behind a letter is one of the name: "a{b}.png". */
static bool has_gap(struct pap_str target, bool image)
{
    for (size_t i = 0; i < target.n; i++) {
        bool glued = image && i > 0 && ascii_is_alnum(target.p[i - 1]);
        if (memchr("<>$*|", target.p[i], 5) ||
            (target.p[i] == '{' && !glued && str_find_char(str_skip(target, i), '}') < target.n - i))
            return true;
    }
    return false;
}

/* The ending of the file's name, which a sentence has not: "my file.md". */
static bool has_ending(struct pap_str path)
{
    struct pap_str name = skill_file_name(path);
    size_t dot = str_rfind_char(name, '.');
    for (size_t i = dot + 1; i < name.n; i++)
        if (!ascii_is_alnum(name.p[i]))
            return false;
    return dot + 1 < name.n;
}

/* Without what is no part of the path. */
static struct pap_str without_query(struct pap_str target)
{
    target = str_take(target, str_find_char(target, '#'));
    return str_take(target, str_find_char(target, '?'));
}

/* A word alone is a file only if everybody calls that file so: [text](url). */
static bool is_word(struct pap_str path)
{
    static const char *const files[] = {"LICENSE",   "LICENCE",      "COPYING", "NOTICE",   "README",
                                        "CHANGELOG", "CONTRIBUTING", "AUTHORS", "Makefile", "Dockerfile"};
    for (size_t i = 0; i < path.n; i++)
        if (memchr("/.%", path.p[i], 3))
            return false;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (str_is(path, files[i]))
            return false;
    return true;
}

/* A reference to a file of the skill: no scheme, host or fragment alone, nothing that is to be filled in. */
static bool is_local(struct pap_str target, bool image)
{
    struct pap_str path = without_query(target);
    if (!path.n || str_starts(target, S("//")) || str_is(target, "...") || has_gap(target, image) || is_word(path) ||
        (str_find_char(path, ' ') < path.n && !has_ending(path)))
        return false;
    /* mailto:x and https://... are no files of the skill */
    return str_find_char(target, ':') >= str_find_char(target, '/');
}

/* "file:///x", "C:\x": wherever the skill goes, that file does not. */
static bool is_on_one_machine(struct pap_str target)
{
    return (target.n > 2 && ascii_is_alnum(target.p[0]) && !ascii_is_digit(target.p[0]) && target.p[1] == ':' &&
            (target.p[2] == '/' || target.p[2] == '\\')) ||
           str_eq_nocase(str_take(target, 5), S("file:"));
}

static int hex_digit(char c)
{
    return ascii_is_digit(c)                                ? c - '0'
           : ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f' ? ascii_lower(c) - 'a' + 10
                                                            : -1;
}

static int hex_byte(const char *p)
{
    return hex_digit(p[0]) < 0 || hex_digit(p[1]) < 0 ? -1 : hex_digit(p[0]) * 16 + hex_digit(p[1]);
}

/* Undoes %XX, and \ in front of punctuation, as Markdown does (CommonMark 2.4). */
static size_t unescape(struct pap_str s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        int byte = s.p[i] == '%' && s.n - i > 2 ? hex_byte(s.p + i + 1) : -1;
        if (byte >= 0)
            i += 2;
        else if (s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] > 0x20 && !ascii_is_alnum(s.p[i + 1]))
            i++;
        out[n++] = byte >= 0 ? (char)byte : s.p[i];
    }
    return n;
}

/* The path below the skill's folder that a reference means; false when it leaves the folder. */
static bool path_of(struct run *r, struct pap_str target, struct pap_str *ret)
{
    struct pap_str rest = without_query(target), part;
    char *out = arena_text(r->arena, rest.n + 1);
    size_t n = 0;
    if (!out) {
        r->no_memory = true;
        return true;
    }
    rest.n = unescape(rest, out);
    rest.p = out;
    if (str_starts(rest, S("/")))
        return false;
    while (str_next(&rest, '/', &part)) {
        if (part.n == 0 || str_is(part, "."))
            continue;
        if (str_is(part, "..")) {
            if (n == 0)
                return false;
            while (n > 0 && out[--n] != '/')
                ;
            continue;
        }
        if (n)
            out[n++] = '/';
        memmove(out + n, part.p, part.n); /* never ahead of what is still to be read */
        n += part.n;
    }
    *ret = str(out, n);
    return true;
}

static enum has_file has(const struct doc *d, struct pap_str path)
{
    if (d->has_file)
        return d->has_file(d, path);
    /* A SKILL.md that came alone has no other file; of one given as text nothing is known. */
    return d->role == ROLE_ARTIFACT ? HAS_NOT : HAS_UNKNOWN;
}

static void judge_link(struct run *r, const struct span *s, unsigned *looked_up)
{
    struct pap_str path = S("");
    if (is_on_one_machine(s->text)) {
        find_offset(r, s->off, "the reference %s names a file of one computer, not of the skill", q(r, s->text));
        return;
    }
    if (!is_local(s->text, s->image))
        return;
    if (!path_of(r, s->text, &path)) {
        find_offset(r, s->off, "the reference %s leads out of the skill's folder", q(r, s->text));
        return;
    }
    if (!path.n || ++*looked_up > LIMIT_SKILL_FILES || has(r->doc, path) != HAS_NOT)
        return;
    find_offset(r, s->off, "the reference %s names a file that the skill does not have", q(r, s->text));
    if (r->doc->role == ROLE_ARTIFACT)
        mend(
            r,
            "A skill of type skill-md is its SKILL.md alone; publish the skill as an archive when it has other files.");
}

void references_are_there(struct run *r)
{
    unsigned looked_up = 0;
    for (const struct span *s = r->doc->spans; s; s = s->next)
        if (s->type == SPAN_LINK)
            judge_link(r, s, &looked_up);
}

void references_are_files(struct run *r)
{
    unsigned looked_up = 0;
    struct pap_str path = S("");
    for (const struct span *s = r->doc->spans; s; s = s->next)
        if (s->type == SPAN_LINK && path_of(r, s->text, &path) && path.n && ++looked_up <= LIMIT_SKILL_FILES &&
            has(r->doc, path) == HAS_FOLDER)
            find_offset(r, s->off, "the reference %s names a folder, and agents ask for files", q(r, s->text));
}

/* By its ending; a listing of other files in a code block calls none of them. */
static bool is_script(struct pap_str path)
{
    static const char *const endings[] = {"sh", "bash", "zsh", "py", "rb", "pl", "js", "mjs", "ts", "php", "lua"};
    struct pap_str name = skill_file_name(path);
    struct pap_str ending = str_skip(name, str_rfind_char(name, '.') + 1);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (str_is(ending, endings[i]))
            return true;
    return str_find_char(name, '.') == name.n;
}

void scripts_can_run(struct run *r)
{
    struct pap_str path = S("");
    unsigned looked_up = 0;
    for (const struct span *s = r->doc->spans; s; s = s->next)
        if (s->type == SPAN_COMMAND && path_of(r, s->text, &path) && is_script(path) &&
            ++looked_up <= LIMIT_SKILL_FILES && has(r->doc, path) == HAS_PLAIN)
            find_offset(r, s->off, "the script %s is called by itself, but its executable bit is not set",
                        q(r, s->text));
}
