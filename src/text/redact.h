/* SPDX-License-Identifier: Apache-2.0
 *
 * URLs in texts that people paste into tickets: what may open something is hidden.
 */
#ifndef TEXT_REDACT_H
#define TEXT_REDACT_H

#include "base/buf.h"

/* Appends `text`, which is a URL or a sentence with URLs in it. In place of user information and of the values of members
 * such as token=, code= or sig= stands [hidden]. Too much hidden is better than too little. */
void add_redacted(struct buf *out, struct pap_str text);

#endif
