/* SPDX-License-Identifier: Apache-2.0
 *
 * A request as one line of a log. What strangers sent is escaped, so that a line is one line and each part is where it is.
 */
#ifndef APP_ACCESS_LOG_H
#define APP_ACCESS_LOG_H

#include "base/buf.h"
#include "net/talk.h"

/* Common Log Format, with the time in UTC. */
void access_log_common(struct buf *out, const struct http_access *a);
/* A JSON object; with the milliseconds, which the other form has no place for. */
void access_log_json(struct buf *out, const struct http_access *a);

#endif
