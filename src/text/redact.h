/* SPDX-License-Identifier: Apache-2.0
 *
 * URLs in texts that people paste into tickets: what may open something is hidden.
 */
#ifndef TEXT_REDACT_H
#define TEXT_REDACT_H

#include "base/arena.h"
#include "base/buf.h"

/* Appends `text`, which is a URL or a sentence with URLs in it. In place of user information and of the values of members
 * such as token=, code= or sig= stands [hidden]. Too much hidden is better than too little. */
void add_redacted(struct buf *out, struct pap_str text);
/* The URL with nothing hidden in it is the URL itself. p NULL: out of memory. */
struct pap_str url_redacted(struct arena *a, struct pap_str url) PAP_MUST;
/* A value for a sentence: utf8_visible() of the text, of which a URL is redacted before anything is cut. */
struct pap_str redacted_visible(struct arena *a, struct pap_str s, size_t max, const char *quote) PAP_MUST;
/* A piece of a document, whose bytes keep their places: user information of URLs becomes stars. Slashes may be escaped as in
 * JSON. */
void mask_users(char *text, size_t n);

#endif
