/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the HTML report share: the page (html.c), a finding (html_finding.c), an exchange (html_exchange.c),
 * the style sheet (page.css). Everything but the head is collected in r->body.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "report/format.h"

/* Markup of ours. */
static inline void markup(struct report *r, const char *html)
{
    buf_add(&r->body, str_c(html));
}

/* Text of anybody. */
static inline void words(struct report *r, struct pap_str s)
{
    add_escaped(&r->body, s, escape_markup);
}

/* What was put into the scratch buffer, as text. */
static inline void scratch_words(struct report *r)
{
    words(r, buf_str(&r->scratch));
}

/* Text of several lines, inside <pre>: line ends are kept, everything else that is invisible is shown. */
void html_lines(struct report *r, struct pap_str s);
/* `nth`: how many findings of the same rule at the same place stand before it. */
void html_finding(struct report *r, const struct report_target *t, const struct pap_finding *f, size_t nth,
                  unsigned level);
void html_exchange(struct report *r, const struct exchange *x);

/* page.css as tools/embed puts it into the program, and the base64 of its SHA-256 for the page's policy. */
extern const char html_style[], html_style_hash[];

#endif
