/* SPDX-License-Identifier: Apache-2.0
 *
 * skill://LABEL/NAME/PATH (the skills extension, "Resource Mapping"): written with everything encoded that is not unreserved, and
 * read back to the very path.
 */
#include "mcp/call.h"
#include "text/utf8.h"

static const char hex[] = "0123456789ABCDEF";

static bool is_plain(char c)
{
    return ascii_is_alnum(c) || memchr("-._~/!$&'()*+,;=:@", c, 18);
}

struct pap_str skill_uri_text(struct arena *a, const struct mcp_skill *s, struct pap_str path)
{
    size_t n = S("skill:///").n + s->label.n + s->name.n + 3 * path.n + 1;
    char *start = arena_text(a, n + 1), *p = start;
    if (!start)
        return str(NULL, 0);
    p = mempcpy(p, "skill://", 8);
    p = mempcpy(p, s->label.p, s->label.n);
    *p++ = '/';
    p = mempcpy(p, s->name.p, s->name.n);
    if (path.n)
        *p++ = '/';
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];
        if (is_plain(path.p[i])) {
            *p++ = path.p[i];
        } else {
            *p++ = '%';
            *p++ = hex[c >> 4];
            *p++ = hex[c & 15];
        }
    }
    return str(start, (size_t)(p - start));
}

static bool decode(struct arena *a, struct pap_str s, struct pap_str *ret)
{
    char *p = arena_text(a, s.n + 1);
    size_t n = 0;
    if (!p)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        int high = s.p[i] == '%' && i + 2 < s.n ? ascii_hex(s.p[i + 1]) : -1;
        int low = high >= 0 ? ascii_hex(s.p[i + 2]) : -1;
        if (s.p[i] != '%') {
            p[n++] = s.p[i];
            continue;
        }
        if (low < 0 || (high == 0 && low == 0) || (high << 4 | low) == '/')
            return false; /* no NUL, and no second way to write a folder */
        p[n++] = (char)(high << 4 | low);
        i += 2;
    }
    *ret = str(p, n);
    return utf8_check(*ret) == n;
}

bool skill_uri_parse(struct arena *a, struct pap_str text, struct skill_uri *ret)
{
    struct pap_str rest = str_skip(text, 8);
    if (!str_starts(text, S("skill://")) || text.n > LIMIT_URL)
        return false;
    size_t slash = str_find_char(rest, '/');
    ret->label = str_take(rest, slash);
    rest = str_skip(rest, slash + 1);
    slash = str_find_char(rest, '/');
    ret->name = str_take(rest, slash);
    bool has_path = slash < rest.n;
    rest = str_skip(rest, slash + 1);
    if (!ret->label.n || !ret->name.n || (has_path && (!rest.n || rest.p[rest.n - 1] == '/')))
        return false;
    for (size_t i = 0; i < ret->name.n; i++)
        if (!ascii_is_alnum(ret->name.p[i]) && ret->name.p[i] != '-')
            return false;
    return decode(a, rest, &ret->path);
}
