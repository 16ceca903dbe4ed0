/* SPDX-License-Identifier: Apache-2.0
 *
 * Each request and answer, hop by hop, as text: so that a person sees the challenge page, the wrong host or the missing
 * header, instead of believing the checker.
 */
#include "report/format.h"

static void connection(struct report *r, const struct hop *h)
{
    buf_add(&r->out, S("    * "));
    text_add(&r->out, h->address.n ? h->address : S("not connected"));
    if (h->tls_version.n) {
        buf_add(&r->out, S(", "));
        text_add(&r->out, h->tls_version);
    }
    if (h->not_after) {
        buf_add(&r->out, S(", certificate until "));
        add_date(&r->out, h->not_after);
    }
    buf_add(&r->out, S(", "));
    add_time(&r->out, h->ms);
    buf_char(&r->out, '\n');
}

static void hop(struct report *r, const struct hop *h)
{
    struct pap_str url = shown_url(r, h->url);
    buf_add(&r->out, S("    > "));
    text_add(&r->out, h->method);
    buf_char(&r->out, ' ');
    text_add(&r->out, url);
    buf_char(&r->out, '\n');
    connection(r, h);
    if (!h->status)
        return;
    buf_fmt(&r->out, "    < %d\n", h->status);
    for (size_t i = 0; i < h->n_headers; i++) {
        struct pap_str value = shown_header(r, &h->headers[i]);
        buf_add(&r->out, S("    < "));
        text_add(&r->out, h->headers[i].name);
        buf_add(&r->out, S(": "));
        text_add(&r->out, value);
        buf_char(&r->out, '\n');
    }
}

static void body(struct report *r, const struct exchange *x)
{
    struct pap_str shown = shown_body(x), rest = shown, line;
    while (str_next(&rest, '\n', &line) && (rest.p || line.n)) {
        buf_add(&r->out, S("    | "));
        text_add(&r->out, str_ends(line, S("\r")) ? str_take(line, line.n - 1) : line);
        buf_char(&r->out, '\n');
    }
    if (shown.n < x->body.n || x->body_cut) {
        buf_fmt(&r->out, "    (the first %zu of ", shown.n);
        add_size(&r->out, x->body.n);
        buf_add(&r->out, x->body_cut ? S(" read; more would have come)\n") : S(")\n"));
    }
}

void text_exchange(struct report *r, const struct exchange *x)
{
    struct pap_str url = shown_url(r, x->url);
    buf_add(&r->out, S("  "));
    text_add(&r->out, x->method);
    buf_char(&r->out, ' ');
    text_add(&r->out, url);
    buf_add(&r->out, S("  "));
    add_time(&r->out, x->ms);
    buf_char(&r->out, '\n');
    for (size_t i = 0; i < x->n_hops; i++)
        hop(r, &x->hops[i]);
    body(r, x);
    if (x->fault) {
        buf_fmt(&r->out, "    ! %s: ", fault_word(x->fault));
        text_add(&r->out, x->fault_text);
        buf_char(&r->out, '\n');
    }
    buf_char(&r->out, '\n');
}
