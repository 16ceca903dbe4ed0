/* SPDX-License-Identifier: Apache-2.0 */
#include "text/ignore.h"

static bool has_escape_before(struct pap_str s, size_t i)
{
    size_t n = 0;
    while (i > n && s.p[i - n - 1] == '\\')
        n++;
    return n % 2 == 1;
}

/* Blanks at the end do not count unless a backslash stands before them. */
static struct pap_str without_blanks(struct pap_str s)
{
    if (s.n && s.p[s.n - 1] == '\r')
        s.n--;
    while (s.n && s.p[s.n - 1] == ' ' && !has_escape_before(s, s.n - 1))
        s.n--;
    return s;
}

/* false: the line holds no pattern. */
static bool read_line(struct pap_str line, struct ignore_pattern *ret)
{
    struct ignore_pattern p = {.text = without_blanks(line)};
    if (p.text.n == 0 || p.text.p[0] == '#')
        return false;
    if (p.text.p[0] == '!') {
        p.negated = true;
        p.text = str_skip(p.text, 1);
    }
    if (p.text.n && p.text.p[p.text.n - 1] == '/') {
        p.folders_only = true;
        p.text.n--;
    }
    p.anchored = str_find_char(p.text, '/') < p.text.n;
    if (p.text.n && p.text.p[0] == '/')
        p.text = str_skip(p.text, 1);
    *ret = p;
    return p.text.n > 0;
}

pap_result ignore_read(struct arena *a, struct pap_str text, struct ignore *ret)
{
    size_t lines = 1;
    struct ignore r = {0};
    /* A byte order mark, which some editors write, is no part of the first pattern; git reads past it, too. */
    struct pap_str mark = S("\xef\xbb\xbf"), rest = str_skip(text, str_starts(text, mark) ? mark.n : 0), line;
    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    r.patterns = arena_new_array(a, lines, struct ignore_pattern);
    if (!r.patterns)
        return fail_memory(NULL);
    while (str_next(&rest, '\n', &line))
        r.n += read_line(line, &r.patterns[r.n]);
    *ret = r;
    return OK;
}

/* ---- one part of a path ---- */

static const struct {
    const char *name;
    const char *ranges; /* pairs: first and last */
} classes[] = {
    {"[:alpha:]", "azAZ"}, {"[:digit:]", "09"},      {"[:alnum:]", "azAZ09"}, {"[:upper:]", "AZ"},
    {"[:lower:]", "az"},   {"[:xdigit:]", "09afAF"}, {"[:space:]", "\t\r  "}, {"[:punct:]", "!/:@[`{~"},
};

static bool in_ranges(const char *ranges, char c)
{
    for (; *ranges; ranges += 2)
        if (c >= ranges[0] && c <= ranges[1])
            return true;
    return false;
}

/* Takes "[:name:]" off *p when it stands there. */
static bool take_class(struct pap_str *p, char c, bool *hit)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (str_starts(*p, str_c(classes[i].name))) {
            *hit |= in_ranges(classes[i].ranges, c);
            *p = str_skip(*p, strlen(classes[i].name));
            return true;
        }
    return false;
}

static char take_char(struct pap_str *p)
{
    if (p->p[0] == '\\' && p->n > 1)
        *p = str_skip(*p, 1);
    char c = p->p[0];
    *p = str_skip(*p, 1);
    return c;
}

/* A set in brackets, *p behind its "[". false: it is not closed, so that nothing matches. */
static bool take_set(struct pap_str *p, char c, bool *ret_hit)
{
    bool negated = p->n && (p->p[0] == '!' || p->p[0] == '^'), hit = false;
    if (negated)
        *p = str_skip(*p, 1);
    for (bool first = true; p->n && (first || p->p[0] != ']'); first = false) {
        if (take_class(p, c, &hit))
            continue;
        char low = take_char(p), high = low;
        if (p->n > 1 && p->p[0] == '-' && p->p[1] != ']') {
            *p = str_skip(*p, 1);
            high = take_char(p);
        }
        hit |= (unsigned char)c >= (unsigned char)low && (unsigned char)c <= (unsigned char)high;
    }
    *ret_hit = hit != negated;
    bool closed = p->n > 0;
    *p = str_skip(*p, 1);
    return closed;
}

/* Whether the pattern's next element takes the character `c`; *p behind it. */
static bool takes(struct pap_str *p, char c)
{
    bool hit = false;
    if (p->p[0] == '?') {
        *p = str_skip(*p, 1);
        return true;
    }
    if (p->p[0] == '[') {
        *p = str_skip(*p, 1);
        return take_set(p, c, &hit) && hit;
    }
    if (p->p[0] == '\\' && p->n == 1)
        return false;
    return take_char(p) == c;
}

/* A part of a path against a part of a pattern. Only the last "*" needs to be tried again. */
static bool part_matches(struct pap_str p, struct pap_str s)
{
    struct pap_str star = {0}, from = {0};
    while (s.n) {
        struct pap_str next = p;
        if (p.n && p.p[0] == '*') {
            star = p = str_skip(p, 1);
            from = s;
        } else if (p.n && takes(&next, s.p[0])) {
            p = next;
            s = str_skip(s, 1);
        } else if (star.p) {
            p = star;
            s = from = str_skip(from, 1);
        } else {
            return false;
        }
    }
    while (p.n && p.p[0] == '*')
        p = str_skip(p, 1);
    return p.n == 0;
}

/* ---- a path ---- */

static bool take_part(struct pap_str *rest, struct pap_str *ret)
{
    return rest->p && str_next(rest, '/', ret);
}

/* The same over parts, with "**" for any number of them: at the end for one at least. */
static bool path_matches(struct pap_str p, struct pap_str s)
{
    struct pap_str star = {0}, from = {0}, pattern, part;
    while (s.p) {
        struct pap_str p_rest = p, s_rest = s;
        bool more = take_part(&p_rest, &pattern);
        if (more && str_is(pattern, "**")) {
            if (!p_rest.p)
                return true;
            star = p = p_rest;
            from = s;
        } else if (more && take_part(&s_rest, &part) && part_matches(pattern, part)) {
            p = p_rest;
            s = s_rest;
        } else if (star.p && take_part(&from, &part)) {
            p = star;
            s = from;
        } else {
            return false;
        }
    }
    return !p.p;
}

static struct pap_str last_part(struct pap_str path)
{
    size_t slash = str_rfind_char(path, '/');
    return slash < path.n ? str_skip(path, slash + 1) : path;
}

/* Most patterns begin with a letter that the name does not have. */
static bool may_begin(const struct ignore_pattern *p, char c)
{
    return p->text.p[0] == c || memchr("*?[\\", p->text.p[0], 4);
}

const struct ignore_pattern *ignore_match(const struct ignore *ignore, struct pap_str path, bool folder)
{
    struct pap_str name = last_part(path);
    for (size_t i = ignore->n; i > 0; i--) {
        const struct ignore_pattern *p = &ignore->patterns[i - 1];
        if ((p->folders_only && !folder) || (!p->anchored && name.n && !may_begin(p, name.p[0])))
            continue;
        if (p->anchored ? path_matches(p->text, path) : part_matches(p->text, name))
            return p->negated ? NULL : p;
    }
    return NULL;
}
