/* SPDX-License-Identifier: Apache-2.0
 *
 * The one loop behind every encoder but JSON's: invisible and control characters become visible, the few characters
 * that mean something to a format become what its table says. All those are ASCII, so a run between two of them never
 * splits a character.
 */
#include "report/format.h"
#include "text/utf8.h"

const struct escape escape_markup[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"},
                                       {'"', "&quot;"}, {'\'', "&#39;"}, {0}};

static const char *escape_of(char c, const struct escape *table)
{
    for (; table->c; table++)
        if (table->c == c)
            return table->as;
    return NULL;
}

void add_escaped(struct buf *out, struct pap_str s, const struct escape *table)
{
    size_t from = 0;
    for (size_t i = 0; i < s.n; i++) {
        const char *as = escape_of(s.p[i], table);
        if (!as)
            continue;
        struct pap_str run = str(s.p + from, i - from);
        utf8_add_visible(out, run, run.n);
        buf_add(out, str_c(as));
        from = i + 1;
    }
    utf8_add_visible(out, str_skip(s, from), s.n - from);
}
