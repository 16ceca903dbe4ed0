/* SPDX-License-Identifier: Apache-2.0
 *
 * A request with all its hops and the beginning of the answer, folded.
 */
#include "report/html.h"

static void hop(struct report *r, const struct hop *h)
{
    markup(r, "<li>\n<p><strong>");
    words(r, h->method);
    markup(r, "</strong> <code>");
    words(r, shown_url(r, h->url));
    markup(r, "</code></p>\n<p class=\"via\">");
    if (h->status)
        buf_fmt(&r->body, "<strong>%d</strong> ", h->status);
    markup(r, h->address.n ? "from " : "not connected");
    words(r, h->address);
    markup(r, h->tls_version.n ? " over " : "");
    words(r, h->tls_version);
    if (h->not_after) {
        markup(r, ", certificate until ");
        add_date(&r->body, h->not_after);
    }
    markup(r, ", ");
    add_time(&r->body, h->ms);
    markup(r, h->n_headers ? "</p>\n<dl>\n" : "</p>\n");
    for (size_t i = 0; i < h->n_headers; i++) {
        markup(r, "<div><dt>");
        words(r, h->headers[i].name);
        markup(r, "</dt><dd>");
        words(r, shown_header(r, &h->headers[i]));
        markup(r, "</dd></div>\n");
    }
    markup(r, h->n_headers ? "</dl>\n</li>\n" : "</li>\n");
}

static void body(struct report *r, const struct exchange *x)
{
    struct pap_str shown = shown_body(x);
    if (!shown.n)
        return;
    markup(r, "<p class=\"label\">");
    if (shown.n < x->body.n || x->body_cut) {
        buf_fmt(&r->body, "The first %zu of ", shown.n);
        add_size(&r->body, x->body.n);
        markup(r, x->body_cut ? " that were read; more would have come" : "");
    } else {
        markup(r, "Body, ");
        add_size(&r->body, x->body.n);
    }
    markup(r, "</p>\n<pre>");
    html_lines(r, shown);
    markup(r, "</pre>\n");
}

void html_exchange(struct report *r, const struct exchange *x)
{
    int status = exchange_status(x);
    markup(r, "<details class=\"exchange\">\n<summary><strong>");
    words(r, x->method);
    markup(r, "</strong> <code>");
    words(r, shown_url(r, x->url));
    markup(r, "</code> <span class=\"outcome\">");
    if (x->n_hops > 1)
        buf_fmt(&r->body, "%zu hops, ", x->n_hops);
    if (status)
        buf_fmt(&r->body, "%d, ", status);
    if (x->fault)
        buf_fmt(&r->body, "%s, ", fault_word(x->fault));
    add_time(&r->body, x->ms);
    markup(r, "</span></summary>\n");
    if (x->fault) {
        markup(r, "<p class=\"fault\">");
        words(r, x->fault_text);
        markup(r, "</p>\n");
    }
    markup(r, x->n_hops ? "<ol>\n" : "");
    for (size_t i = 0; i < x->n_hops; i++)
        hop(r, &x->hops[i]);
    markup(r, x->n_hops ? "</ol>\n" : "");
    body(r, x);
    markup(r, "</details>\n");
}
