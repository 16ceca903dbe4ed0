/* SPDX-License-Identifier: Apache-2.0 */
#include "web/difference.h"

enum { LINES_MOST = 2000, EDITS_MOST = 400, AROUND = 3 };

/* ---- findings ---- */

static bool same_finding(const struct pap_finding *a, const struct pap_finding *b)
{
    return str_eq(str_c(a->id), str_c(b->id)) && str_eq(a->where, b->where) && str_eq(a->at, b->at);
}

/* Those of `a` that `b` does not have. */
static size_t list_only(struct asked *k, const char *title, const struct record *a, const struct record *b)
{
    size_t n = 0;
    for (size_t i = 0; a && i < a->target.n_findings; i++) {
        const struct pap_finding *f = &a->target.findings[i];
        bool there = false;
        for (size_t j = 0; b && j < b->target.n_findings && !there; j++)
            there = same_finding(f, &b->target.findings[j]);
        if (there)
            continue;
        if (!n++)
            buf_fmt(&k->out, "<h2>%s</h2>\n<ul class=\"rules\">\n", title);
        const char *word = severity_word(f->severity);
        buf_fmt(&k->out, "<li><span class=\"pill %s\">%s</span> <a href=\"/explain/%s\"><code>%s</code></a><br>", word,
                word, f->id, f->id);
        words(k, f->message);
        html(k, "</li>\n");
    }
    html(k, n ? "</ul>\n" : "");
    return n;
}

/* ---- lines: the shortest edit by Myers' greedy walk, given up when too far ---- */

struct lines {
    struct pap_str *at;
    size_t n;
};

static bool split(struct asked *k, struct pap_str text, struct lines *ret)
{
    struct pap_str line;
    ret->n = 0;
    ret->at = arena_new_array(k->arena, LINES_MOST, struct pap_str);
    text.n -= str_ends(text, S("\n"));
    while (ret->at && ret->n < LINES_MOST && str_next(&text, '\n', &line))
        ret->at[ret->n++] = line;
    return ret->at && !text.p;
}

struct walk_of_edits {
    const struct lines *a, *b;
    int *reach; /* row d: how far diagonals -d ... d come; EDITS_MOST + 1 rows of 2 * EDITS_MOST + 1 */
    int edits;
};

enum { ROW = 2 * EDITS_MOST + 1 };

static int *reach_of(const struct walk_of_edits *w, int d, int diagonal)
{
    return &w->reach[d * ROW + diagonal + EDITS_MOST];
}

static int best_start(const struct walk_of_edits *w, int d, int diagonal)
{
    if (d == 0)
        return 0;
    bool down =
        diagonal == -d || (diagonal != d && *reach_of(w, d - 1, diagonal - 1) < *reach_of(w, d - 1, diagonal + 1));
    return down ? *reach_of(w, d - 1, diagonal + 1) : *reach_of(w, d - 1, diagonal - 1) + 1;
}

/* False: they differ in too many lines, or there is no memory. */
static bool find_edits(struct asked *k, struct walk_of_edits *w)
{
    int na = (int)w->a->n, nb = (int)w->b->n;
    w->reach = arena_new_array(k->arena, (size_t)(EDITS_MOST + 1) * ROW, int);
    for (int d = 0; w->reach && d <= EDITS_MOST; d++)
        for (int diagonal = -d; diagonal <= d; diagonal += 2) {
            int x = best_start(w, d, diagonal), y = x - diagonal;
            while (x >= 0 && y >= 0 && x < na && y < nb && str_eq(w->a->at[x], w->b->at[y]))
                x++, y++;
            *reach_of(w, d, diagonal) = x;
            if (x >= na && y >= nb) {
                w->edits = d;
                return true;
            }
        }
    return false;
}

enum mark { MARK_SAME, MARK_GONE, MARK_NEW };
struct marked {
    enum mark mark;
    struct pap_str line;
};

/* Walks back from the end; the lines come out last first. */
static struct marked *walk_back(struct asked *k, const struct walk_of_edits *w, size_t *ret_n)
{
    int x = (int)w->a->n, y = (int)w->b->n;
    struct marked *all = arena_new_array(k->arena, w->a->n + w->b->n + 1, struct marked);
    size_t n = 0;
    for (int d = w->edits; all && (x > 0 || y > 0); d--) {
        int diagonal = x - y, start = best_start(w, d, diagonal);
        while (x > start && x > 0 && y > 0)
            all[n++] = (struct marked){MARK_SAME, w->a->at[x-- - 1]}, y--;
        if (d == 0)
            break;
        bool down =
            diagonal == -d || (diagonal != d && *reach_of(w, d - 1, diagonal - 1) < *reach_of(w, d - 1, diagonal + 1));
        if (down)
            all[n++] = (struct marked){MARK_NEW, w->b->at[--y]};
        else
            all[n++] = (struct marked){MARK_GONE, w->a->at[--x]};
    }
    *ret_n = n;
    return all;
}

static bool is_near_change(const struct marked *all, size_t n, size_t i)
{
    size_t from = i > AROUND ? i - AROUND : 0, to = i + AROUND < n ? i + AROUND : n - 1;
    for (size_t j = from; j <= to; j++)
        if (all[j].mark != MARK_SAME)
            return true;
    return false;
}

static void write_lines(struct asked *k, const struct marked *all, size_t n)
{
    static const char *const open[] = {"<span>  ", "<del>- ", "<ins>+ "};
    static const char *const close[] = {"</span>", "</del>", "</ins>"};
    bool gap = false;
    html(k, "<pre class=\"diff\" tabindex=\"0\">");
    for (size_t i = n; i-- > 0;) {
        if (!is_near_change(all, n, i)) {
            html(k, gap ? "" : "<span>&hellip;</span>");
            gap = true;
            continue;
        }
        gap = false;
        html(k, open[all[i].mark]);
        words(k, all[i].line);
        html(k, close[all[i].mark]);
    }
    html(k, "</pre>\n");
}

static void document_lines(struct asked *k, struct pap_str before, struct pap_str after)
{
    struct lines a, b;
    struct walk_of_edits w = {.a = &a, .b = &b};
    size_t n = 0;
    bool shown = split(k, before, &a) && split(k, after, &b) && find_edits(k, &w);
    struct marked *all = shown ? walk_back(k, &w, &n) : NULL;
    if (all)
        write_lines(k, all, n);
    else
        html(k, "<p class=\"note\">Too much of it is different to be shown line by line.</p>\n");
}

/* ---- documents ---- */

static const struct doc *same_doc(const struct record *r, const struct doc *d)
{
    const struct doc *e = r ? r->bundle.docs : NULL;
    while (e && !(e->kind == d->kind && e->role == d->role && str_eq(e->name, d->name) && str_eq(e->prefix, d->prefix)))
        e = e->next;
    return e;
}

static void doc_title(struct asked *k, const struct doc *d, const char *what)
{
    html(k, "<h3>");
    words(k, str_c(kind_title(d->kind)));
    buf_fmt(&k->out, " %s</h3>\n<p class=\"where\"><code>", what);
    words(k, d->name);
    html(k, "</code></p>\n");
}

static size_t documents(struct asked *k, const struct record *before, const struct record *after)
{
    size_t n = 0;
    for (const struct doc *d = before ? before->bundle.docs : NULL; d; d = d->next) {
        const struct doc *e = same_doc(after, d);
        if (d->prefix.n || (e && str_eq(e->bytes, d->bytes)))
            continue;
        html(k, n++ ? "" : "<h2>Documents</h2>\n");
        doc_title(k, d, e ? "changed" : "went");
        if (e && (doc_may_hold_secret(d) || doc_may_hold_secret(e) || kind_row(d->kind)->reader == READ_PACK))
            html(k, "<p class=\"note\">Its bytes are others.</p>\n");
        else if (e)
            document_lines(k, d->bytes, e->bytes);
    }
    for (const struct doc *d = after ? after->bundle.docs : NULL; d; d = d->next)
        if (!d->prefix.n && !same_doc(before, d)) {
            html(k, n++ ? "" : "<h2>Documents</h2>\n");
            doc_title(k, d, "came");
        }
    return n;
}

void difference_add(struct asked *k, const struct record *before, const struct record *after)
{
    if (!before || !after) {
        html(k, before  ? "<p class=\"verdict bad\">At the second day nothing was published</p>\n"
                : after ? "<p class=\"verdict good\">At the first day nothing was published</p>\n"
                        : "<p class=\"note\">At neither day anything is known to have been published.</p>\n");
        return;
    }
    size_t n = list_only(k, "New faults", after, before);
    n += list_only(k, "Faults that went", before, after);
    n += documents(k, before, after);
    if (!n)
        html(k, "<p class=\"verdict good\">Nothing changed</p>\n");
}
