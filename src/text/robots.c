/* SPDX-License-Identifier: Apache-2.0 */
#include "text/robots.h"

#include "base/limits.h"

/* A rule in the text for robots_allow() is a line: A or D, then the pattern as add_normal() leaves it. */

/* ---- lines ---- */

/* CR, LF or both end a line (section 2.2). Without its comment and the blanks around it. */
static bool next_line(struct pap_str *rest, struct pap_str *ret)
{
    size_t n = 0;
    if (!rest->n)
        return false;
    while (n < rest->n && rest->p[n] != '\n' && rest->p[n] != '\r')
        n++;
    struct pap_str line = str_take(*rest, n);
    *rest = str_skip(*rest, n + 1);
    *ret = str_trim(str_take(line, str_find_char(line, '#')));
    return true;
}

enum said { SAYS_NOTHING, SAYS_AGENT, SAYS_ALLOW, SAYS_DISALLOW };

static enum said read_line(struct pap_str line, struct pap_str *ret_value)
{
    static const struct {
        struct pap_str key;
        enum said says;
    } keys[] = {{S_INIT("user-agent"), SAYS_AGENT}, {S_INIT("allow"), SAYS_ALLOW}, {S_INIT("disallow"), SAYS_DISALLOW}};
    size_t colon = str_find_char(line, ':');
    *ret_value = str_trim(str_skip(line, colon + 1));
    for (size_t i = 0; colon < line.n && i < sizeof keys / sizeof keys[0]; i++)
        if (str_eq_nocase(str_trim(str_take(line, colon)), keys[i].key))
            return keys[i].says;
    return SAYS_NOTHING;
}

/* ---- one form for patterns and paths (section 2.2.2) ---- */

static bool is_unreserved(unsigned char c)
{
    return ascii_is_alnum((char)c) || (c && memchr("-._~", c, 4));
}

/* Unreserved characters are themselves, what no URI holds is %XX. In a pattern * and a $ at its end keep their meaning. */
static void add_normal(struct buf *out, struct pap_str s, bool pattern)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        int high = c == '%' && i + 2 < s.n ? ascii_hex(s.p[i + 1]) : -1;
        int low = high >= 0 ? ascii_hex(s.p[i + 2]) : -1;
        bool special = pattern && (c == '*' || (c == '$' && i + 1 == s.n));
        if (low >= 0) {
            c = (unsigned char)(high << 4 | low);
            i += 2;
        }
        if (low >= 0 ? is_unreserved(c) : special || (c > ' ' && c < 0x7f && !memchr("%*$", c, 3)))
            buf_char(out, (char)c);
        else
            buf_fmt(out, "%%%02X", c);
    }
}

/* ---- groups ---- */

struct group {
    bool in_agents; /* the line before was one of user-agent: another one belongs to the same group */
    bool named, everybody;
};

/* The token ends where its letters do: "papaver/1.0" is papaver. */
static bool is_product(struct pap_str agent, struct pap_str product)
{
    size_t n = 0;
    while (n < agent.n && (ascii_is_alpha(agent.p[n]) || agent.p[n] == '-' || agent.p[n] == '_'))
        n++;
    return str_eq_nocase(str_take(agent, n), product);
}

static void add_agent(struct group *g, struct pap_str agent, struct pap_str product)
{
    if (!g->in_agents)
        *g = (struct group){.in_agents = true};
    g->named |= is_product(agent, product);
    g->everybody |= str_is(agent, "*");
}

static bool names(struct pap_str file, struct pap_str product)
{
    struct pap_str line, agent;
    while (next_line(&file, &line))
        if (read_line(line, &agent) == SAYS_AGENT && is_product(agent, product))
            return true;
    return false;
}

void robots_read(struct pap_str file, struct pap_str product, struct buf *out)
{
    struct pap_str line, value;
    struct group g = {0};
    size_t before = out->n, n = 0;
    if (str_starts(file, S("\xef\xbb\xbf")))
        file = str_skip(file, 3);
    bool named = names(file, product);
    while (next_line(&file, &line)) {
        enum said says = read_line(line, &value);
        if (says == SAYS_AGENT)
            add_agent(&g, value, product);
        if (says != SAYS_ALLOW && says != SAYS_DISALLOW)
            continue;
        g.in_agents = false;
        if (!(named ? g.named : g.everybody) || !value.n || (value.p[0] != '/' && value.p[0] != '*'))
            continue;
        if (n++ == LIMIT_ROBOTS_RULES) {
            out->n = before;
            buf_add(out, ROBOTS_NONE);
            return;
        }
        buf_char(out, says == SAYS_ALLOW ? 'A' : 'D');
        add_normal(out, value, true);
        buf_char(out, '\n');
    }
}

/* ---- rules ---- */

/* Each piece between two stars at its first place behind the one before. */
static bool fits(struct pap_str path, struct pap_str pattern)
{
    bool to_end = str_ends(pattern, S("$"));
    pattern.n -= to_end;
    for (bool first = true;; first = false) {
        size_t star = str_find_char(pattern, '*');
        struct pap_str piece = str_take(pattern, star);
        bool last = star == pattern.n;
        if (last && to_end && !first)
            return str_ends(path, piece);
        size_t at = first ? 0 : str_find(path, piece);
        if (first ? !str_starts(path, piece) : piece.n && at == path.n)
            return false;
        path = str_skip(path, at + piece.n);
        if (last)
            return !to_end || !path.n;
        pattern = str_skip(pattern, star + 1);
    }
}

bool robots_allow(struct pap_str rules, struct pap_str target)
{
    char room[3 * LIMIT_URL];
    struct buf path;
    struct pap_str rule;
    size_t longest = 0;
    bool allowed = true;
    buf_on(&path, room, sizeof room);
    add_normal(&path, target.n && target.p[0] == '/' ? S("") : S("/"), false);
    add_normal(&path, target, false);
    if (!buf_ok(&path))
        return false;
    while (str_next(&rules, '\n', &rule)) {
        struct pap_str pattern = str_skip(rule, 1);
        bool allows = str_starts(rule, S("A"));
        if (pattern.n < longest || !pattern.n || (pattern.n == longest && !allows) || !fits(buf_str(&path), pattern))
            continue;
        longest = pattern.n;
        allowed = allows;
    }
    return allowed;
}
