/* SPDX-License-Identifier: Apache-2.0
 *
 * One page that needs nothing else: no script, no image, no font, and a policy that would not let any load. The counts
 * stand at the top, so targets wait in r->body and the list of them in r->more until the end. With r->rules_url only what
 * stands inside its <main> is written, for a page of somebody else's.
 */
#include <stdio.h>

#include "report/html.h"

static void pills(struct buf *out, const uint32_t counts[PAP_ERROR + 1], uint32_t known)
{
    for (unsigned s = PAP_ERROR; s >= PAP_INFO; s--)
        if (counts[s]) {
            const char *word = severity_word((enum pap_severity)s);
            buf_fmt(out, " <span class=\"pill %s\">", word);
            add_count(out, counts[s], word);
            buf_add(out, S("</span>"));
        }
    if (known)
        buf_fmt(out, " <span class=\"pill\">%u known</span>", known);
}

/* An entry of the list at the side; its pills follow, then the caller ends it. */
static void contents(struct report *r, const char *id, struct pap_str text)
{
    buf_fmt(&r->more, "<li><a href=\"#%s\">", id);
    add_escaped(&r->more, text, escape_markup);
    buf_add(&r->more, S("</a>"));
}

static void contents_end(struct report *r)
{
    buf_add(&r->more, S("</li>\n"));
}

static void documents(struct report *r, const struct report_target *t, unsigned level)
{
    buf_fmt(&r->body, "<section class=\"docs\">\n<h%u>%s</h%u>\n<ul>\n", level,
            was_fetched(t) ? "Fetched and judged" : "Judged", level);
    for (const struct doc *d = t->bundle->docs; d; d = d->next) {
        markup(r, "<li><strong>");
        words(r, str_c(kind_title(d->kind)));
        markup(r, "</strong> <span><code>");
        words(r, d->name);
        markup(r, d->prefix.n ? "</code> at <code>" : "");
        words(r, d->prefix);
        markup(r, "</code></span> <span class=\"outcome\">");
        add_outcome(report_scratch(r), d);
        scratch_words(r);
        markup(r, "</span></li>\n");
    }
    markup(r, "</ul>\n</section>\n");
}

static size_t same_before(const struct report_target *t, const struct groups *g, uint32_t first, uint32_t k)
{
    const struct pap_finding *f = &t->findings[k];
    size_t n = 0;
    for (uint32_t i = first; i != k; i = g->next[i])
        n += t->findings[i].id == f->id && str_eq(t->findings[i].at, f->at);
    return n;
}

static void findings(struct report *r, const struct report_target *t, const struct groups *g, size_t i, unsigned level)
{
    uint32_t first = g->items[i].first;
    for (uint32_t k = first; k != GROUP_END; k = g->next[k])
        html_finding(r, t, &t->findings[k], same_before(t, g, first, k), level);
}

static void group(struct report *r, const struct report_target *t, const struct groups *g, size_t i,
                  const struct doc *d, unsigned level)
{
    const struct group *of = &g->items[i];
    struct pap_str title = d ? str_c(kind_title(d->kind)) : S("Document");
    char id[48];
    (void)snprintf(id, sizeof id, "t%zu-d%zu", r->n_targets + 1, i + 1);
    buf_fmt(&r->body, "<section aria-labelledby=\"%s\">\n<h%u id=\"%s\">%zu. ", id, level, id, i + 1);
    words(r, title);
    pills(&r->body, of->counts, of->known);
    buf_fmt(&r->body, "</h%u>\n<p class=\"where\"><code>", level);
    words(r, of->key);
    markup(r, "</code></p>\n");
    if (!r->many) {
        contents(r, id, title);
        pills(&r->more, of->counts, of->known);
        contents_end(r);
    }
    findings(r, t, g, i, level + 1);
    markup(r, "</section>\n");
}

static void tallied(const struct report *r, const struct report_target *t, uint32_t counts[PAP_ERROR + 1],
                    uint32_t *known)
{
    struct tally y = tally(r, t);
    for (unsigned s = PAP_INFO; s <= PAP_ERROR; s++)
        counts[s] = (uint32_t)y.by[s];
    *known = (uint32_t)y.known;
}

static void verdict(struct report *r, const struct report_target *t)
{
    struct tally y = tally(r, t);
    bool bad = t->failure.p || y.by[PAP_ERROR];
    uint32_t counts[PAP_ERROR + 1] = {0}, known;
    tallied(r, t, counts, &known);
    struct buf *s = report_scratch(r);
    add_verdict(s, r, t);
    if (s->n && s->p[0] >= 'a' && s->p[0] <= 'z')
        s->p[0] = (char)(s->p[0] - 32);
    markup(r, bad              ? "<p class=\"verdict bad\">"
              : y.at_threshold ? "<p class=\"verdict fair\">"
                               : "<p class=\"verdict good\">");
    scratch_words(r);
    markup(r, "</p>\n");
    if (t->n_findings && !r->many) {
        markup(r, "<p class=\"counts\">");
        pills(&r->body, counts, known);
        markup(r, "</p>\n");
    }
    s = report_scratch(r);
    add_version(s, t);
    if (s->n) {
        markup(r, "<p class=\"judged\">");
        scratch_words(r);
        markup(r, ".</p>\n");
    }
    if (proxy_note(r, t).n) {
        markup(r, "<p class=\"judged\">");
        words(r, proxy_note(r, t));
        markup(r, "</p>\n");
    }
}

static void exchanges(struct report *r, const struct report_target *t, unsigned level)
{
    const struct doc *d = next_exchange(t, NULL);
    char id[32];
    if (!d)
        return;
    (void)snprintf(id, sizeof id, "t%zu-x", r->n_targets + 1);
    buf_fmt(&r->body, "<section aria-labelledby=\"%s\">\n<h%u id=\"%s\">Requests and answers</h%u>\n", id, level, id,
            level);
    markup(r, "<p class=\"note\">As they were sent and came. Cookies, keys and tokens are hidden.</p>\n");
    for (; d; d = next_exchange(t, d))
        html_exchange(r, d->exchange);
    markup(r, "</section>\n");
    if (!r->many) {
        contents(r, id, S("Requests and answers"));
        contents_end(r);
    }
}

/* The head and the top of the page, up to its main part. */
static void open_page(struct report *r, struct pap_str title)
{
    struct buf *out = &r->out;
    if (r->rules_url)
        return;
    buf_add(out, S("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-"));
    buf_add(out, str_c(html_style_hash));
    buf_add(out, S("'; base-uri 'none'; form-action 'none'\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<meta name=\"referrer\" content=\"no-referrer\">\n<title>"));
    add_escaped(out, title, escape_markup);
    buf_add(out, S(" &ndash; papaver check</title>\n<style>"));
    buf_add(out, str_c(html_style));
    buf_add(out, S("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#findings\">Skip to the findings</a>\n"
                   "<header>\n<p class=\"brand\"><svg viewBox=\"0 0 32 32\" width=\"28\" height=\"28\" "
                   "aria-hidden=\"true\"><g class=\"petal\"><circle cx=\"16\" cy=\"9\" r=\"8\"/>"
                   "<circle cx=\"9\" cy=\"17\" r=\"8\"/><circle cx=\"23\" cy=\"17\" r=\"8\"/>"
                   "<circle cx=\"16\" cy=\"23\" r=\"8\"/></g><circle class=\"heart\" cx=\"16\" cy=\"16\" r=\"4.5\"/>"
                   "</svg> papaver check</p>\n<p class=\"meta\">"));
    add_date(out, r->now);
    buf_fmt(out, ", version %s</p>\n</header>\n<main class=\"report\">\n", PAP_VERSION);
}

/* A single target opens the page: its name and what was found come before the list at the side. */
static void open_single(struct report *r, const struct report_target *t)
{
    open_page(r, t->target);
    markup(r, "<div class=\"hero\">\n<h1>");
    words(r, t->target);
    markup(r, "</h1>\n");
    verdict(r, t);
    markup(r, "</div>\n");
    buf_add(&r->out, buf_str(&r->body));
    r->body.n = 0;
}

static void open_section(struct report *r, const struct report_target *t)
{
    uint32_t counts[PAP_ERROR + 1] = {0}, known;
    char id[32];
    (void)snprintf(id, sizeof id, "t%zu", r->n_targets + 1);
    tallied(r, t, counts, &known);
    contents(r, id, t->target);
    pills(&r->more, counts, known);
    buf_add(&r->more, t->failure.p ? S(" <span class=\"pill error\">not judged</span>") : S(""));
    contents_end(r);
    buf_fmt(&r->body, "<section class=\"target\" aria-labelledby=\"%s\">\n<h2 id=\"%s\">", id, id);
    words(r, t->target);
    pills(&r->body, counts, known);
    markup(r, "</h2>\n");
}

static void html_begin(struct report *r)
{
    (void)r;
}

static void html_target(struct report *r, const struct report_target *t)
{
    const struct doc *cursor = NULL;
    unsigned level = r->many ? 3 : 2;
    if (r->many && !t->n_findings && !t->failure.p && !was_fetched(t))
        return;
    r->n_items++;
    if (r->many)
        open_section(r, t);
    else
        open_single(r, t);
    struct groups g = group_findings(r, t, group_by_where);
    bool is_file = !was_fetched(t) && !t->failure.p && g.n == 1; /* then the target's name says it all */
    if (r->many && is_file) {
        findings(r, t, &g, 0, level);
    } else {
        if (r->many)
            verdict(r, t);
        for (size_t i = 0; i < g.n; i++)
            group(r, t, &g, i, doc_named(t->bundle, g.items[i].key, &cursor), level);
        if (t->bundle && t->bundle->docs)
            documents(r, t, level);
        exchanges(r, t, level);
    }
    markup(r, r->many ? "</section>\n" : "");
}

/* What several targets come to. */
static void summary(struct report *r, const struct report_total *total)
{
    const struct pap_counts *c = &total->counts;
    size_t clean = r->n_targets - r->n_items;
    uint32_t counts[PAP_ERROR + 1] = {0, (uint32_t)c->infos, (uint32_t)c->warnings, (uint32_t)c->errors};
    struct buf *title = report_scratch(r);
    add_count(title, c->targets, "target");
    open_page(r, report_kept(r));
    buf_add(&r->out, S("<div class=\"hero\">\n<h1>"));
    add_count(&r->out, c->targets, "target");
    buf_fmt(&r->out, "</h1>\n<p class=\"verdict %s\">", total->exit ? "bad" : "good");
    if (total->exit == 0)
        buf_fmt(&r->out, "Nothing at or above %s", severity_word(threshold(r)));
    else
        buf_add(&r->out, total->exit == 3 ? S("Not every target could be judged") : S("There is something to mend"));
    buf_add(&r->out, S("</p>\n<p class=\"counts\">"));
    pills(&r->out, counts, (uint32_t)c->known);
    buf_add(&r->out, S("</p>\n"));
    if (clean) {
        buf_add(&r->out, S("<p class=\"judged\">"));
        add_count(&r->out, clean, "target");
        buf_add(&r->out, clean == 1 ? S(" has nothing to report and is not listed.</p>\n")
                                    : S(" have nothing to report and are not listed.</p>\n"));
    }
    buf_add(&r->out, S("</div>\n"));
}

static void stale(struct report *r, const struct report_total *total)
{
    if (!total->n_stale)
        return;
    buf_add(&r->out,
            S("<section>\n<h2>Stale baseline entries</h2>\n<p>What they name is mended or was not looked at: take "
              "them out of the baseline.</p>\n<ul>\n"));
    for (size_t i = 0; i < total->n_stale; i++) {
        buf_add(&r->out, S("<li><code>"));
        add_escaped(&r->out, total->stale[i], escape_markup);
        buf_add(&r->out, S("</code></li>\n"));
    }
    buf_add(&r->out, S("</ul>\n</section>\n"));
}

static void close_page(struct report *r, const struct report_total *total)
{
    buf_add(&r->out, S("</main>\n<footer>\n<p>"));
    add_count(&r->out, total->counts.documents, "document");
    buf_add(&r->out, S(", "));
    add_count(&r->out, total->counts.requests, "request");
    buf_add(&r->out,
            S(". <code>papaver explain ID</code> says more about a rule. What is invisible in a text of others is "
              "written out, such as <code>\\x1B</code>.</p>\n</footer>\n</body>\n</html>\n"));
}

static void html_end(struct report *r, const struct report_total *total)
{
    if (r->many || r->n_targets == 0)
        summary(r, total);
    if (r->more.n) {
        buf_fmt(&r->out, "<nav class=\"contents\" aria-label=\"%s\">\n<ul>\n", r->many ? "Targets" : "On this page");
        buf_add(&r->out, buf_str(&r->more));
        buf_add(&r->out, S("</ul>\n</nav>\n"));
    }
    buf_add(&r->out, S("<div id=\"findings\" class=\"findings\" tabindex=\"-1\">\n"));
    buf_add(&r->out, buf_str(&r->body));
    stale(r, total);
    buf_add(&r->out, S("</div>\n"));
    if (!r->rules_url)
        close_page(r, total);
}

const struct report_format format_html = {"html", html_begin, html_target, html_end};
