/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of strangers, made safe to show. What passes through here can neither move a cursor nor hide or turn round what
 * stands beside it: control, bidirectional, zero-width and other invisible characters are written out.
 */
#ifndef PAPAVER_TEXT_H
#define PAPAVER_TEXT_H

#include <papaver/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes pieces of a text, in order. */
typedef void pap_text_fn(void *ctx, const char *piece, size_t n);

/* For people: such characters as \xNN or \u{NNNN}, bytes that are no UTF-8 as \xNN. `lines`: LF and TAB stay, and CR before
 * LF goes. */
PAP_PUBLIC void pap_text_visible(struct pap_str text, bool lines, pap_text_fn *write, void *ctx);
/* A JSON string with its quotation marks: such characters as \u escapes, bytes that are no UTF-8 as U+FFFD. */
PAP_PUBLIC void pap_text_json(struct pap_str text, pap_text_fn *write, void *ctx);
/* A URL, or a sentence with URLs in it, to show to people: in place of user information and of the values of members such as
 * token= stands [hidden]. */
PAP_PUBLIC void pap_text_redacted(struct pap_str text, pap_text_fn *write, void *ctx);
/* How many bytes of it fit so many columns of a terminal, and how many columns they take. */
PAP_PUBLIC size_t pap_text_fit(struct pap_str text, size_t columns, size_t *ret_columns);

#ifdef __cplusplus
}
#endif

#endif
