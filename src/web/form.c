/* SPDX-License-Identifier: Apache-2.0 */
#include "web/form.h"

static struct pap_str decode(struct arena *a, struct pap_str s, bool plus)
{
    char *p = arena_text(a, s.n + 1);
    size_t n = 0;
    if (!p)
        return str(NULL, 0);
    for (size_t i = 0; i < s.n; i++) {
        int high = s.p[i] == '%' && i + 2 < s.n ? ascii_hex(s.p[i + 1]) : -1;
        int low = high >= 0 ? ascii_hex(s.p[i + 2]) : -1;
        if (low >= 0) {
            p[n++] = (char)(high << 4 | low);
            i += 2;
        } else {
            p[n++] = plus && s.p[i] == '+' ? ' ' : s.p[i];
        }
    }
    p[n] = '\0';
    return str(p, n);
}

struct pap_str form_decoded(struct arena *a, struct pap_str s)
{
    return decode(a, s, false);
}

struct pap_str form_value(struct arena *a, struct pap_str fields, const char *name)
{
    struct pap_str part, wanted = str_c(name);
    while (str_next(&fields, '&', &part)) {
        size_t equals = str_find_char(part, '=');
        struct pap_str key = decode(a, str_take(part, equals), true);
        if (!key.p)
            return key;
        if (str_eq(key, wanted))
            return decode(a, str_skip(part, equals + 1), true);
    }
    return str(NULL, 0);
}

void form_encode(struct buf *out, struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (ascii_is_alnum(s.p[i]) || memchr("-._~", s.p[i], 4))
            buf_char(out, s.p[i]);
        else
            buf_fmt(out, "%%%02X", (unsigned char)s.p[i]);
    }
}
