/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/diff.h"

#include <string.h>

#include "cli/skill_run.h"

enum { LINES_MOST = 2500, CONTEXT = 3 };

struct lines {
    struct pap_str *at;
    size_t n;
};

/* How each line of both goes on: kept, only before, only after. */
struct edit {
    char sign; /* ' ', '-', '+' */
    struct pap_str line;
};

static bool split(struct cli *cli, struct pap_str s, struct lines *ret)
{
    size_t n = 1;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\n';
    ret->at = cli_alloc(cli, n * sizeof *ret->at);
    ret->n = 0;
    while (ret->at && s.n) {
        const char *end = memchr(s.p, '\n', s.n);
        size_t line = end ? (size_t)(end - s.p) : s.n, whole = end ? line + 1 : line;
        ret->at[ret->n++] = (struct pap_str){s.p, line};
        s = (struct pap_str){s.p + whole, s.n - whole};
    }
    return ret->at != NULL;
}

static bool same(struct pap_str a, struct pap_str b)
{
    return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

/* The longest common subsequence by the table of its lengths, for what differs between equal beginnings and ends. */
static uint16_t *lengths(struct cli *cli, const struct lines *a, const struct lines *b)
{
    size_t width = b->n + 1;
    uint16_t *t = cli_alloc(cli, (a->n + 1) * width * sizeof *t);
    for (size_t i = a->n; t && i--;)
        for (size_t k = b->n; k--;) {
            uint16_t down = t[(i + 1) * width + k], right = t[i * width + k + 1];
            t[i * width + k] = same(a->at[i], b->at[k]) ? (uint16_t)(t[(i + 1) * width + k + 1] + 1)
                               : down > right           ? down
                                                        : right;
        }
    return t;
}

static size_t walk(const struct lines *a, const struct lines *b, const uint16_t *t, struct edit *ret)
{
    size_t i = 0, k = 0, n = 0, width = b->n + 1;
    while (i < a->n || k < b->n) {
        bool equal = i < a->n && k < b->n && same(a->at[i], b->at[k]);
        bool gone = !equal && i < a->n && (k == b->n || t[(i + 1) * width + k] >= t[i * width + k + 1]);
        ret[n++] = (struct edit){equal ? ' ' : gone ? '-' : '+', equal || gone ? a->at[i] : b->at[k]};
        i += equal || gone;
        k += !gone;
    }
    return n;
}

/* Whether a change is near enough for the line to be shown. */
static bool is_near(const struct edit *e, size_t n, size_t i)
{
    size_t from = i > CONTEXT ? i - CONTEXT : 0, to = i + CONTEXT < n ? i + CONTEXT : n - 1;
    for (; from <= to; from++)
        if (e[from].sign != ' ')
            return true;
    return false;
}

/* "@@ -3,7 +3,8 @@": where the lines that follow stand, and how many there are of each. Where there are none, the line before. */
static void print_head(FILE *out, const struct edit *e, size_t n, size_t i, size_t before, size_t after)
{
    size_t old = 0, new = 0;
    for (; i < n && is_near(e, n, i); i++) {
        old += e[i].sign != '+';
        new += e[i].sign != '-';
    }
    (void)fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", before - !old, old, after - !new, new);
}

static void print(FILE *out, const struct edit *e, size_t n)
{
    size_t before = 1, after = 1;
    bool shown = false;
    for (size_t i = 0; i < n; i++) {
        bool is = is_near(e, n, i);
        if (is && !shown)
            print_head(out, e, n, i, before, after);
        if (is) {
            (void)fputc(e[i].sign, out);
            skill_words(out, e[i].line);
            (void)fputc('\n', out);
        }
        shown = is;
        before += e[i].sign != '+';
        after += e[i].sign != '-';
    }
}

bool diff_print(struct cli *cli, FILE *out, struct pap_str before, struct pap_str after)
{
    struct lines a, b;
    if (!split(cli, before, &a) || !split(cli, after, &b))
        return false;
    if (a.n > LINES_MOST || b.n > LINES_MOST) {
        (void)fprintf(out, "(%zu lines become %zu; too many to compare here)\n", a.n, b.n);
        return true;
    }
    uint16_t *t = lengths(cli, &a, &b);
    struct edit *e = cli_alloc(cli, (a.n + b.n + 1) * sizeof *e);
    if (!t || !e)
        return false;
    print(out, e, walk(&a, &b, t, e));
    return true;
}
