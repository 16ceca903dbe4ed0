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

/* So many lines are missing here: "3 lines lost" in the place of the request; {"time": ..., "lost": 3}. */
void access_log_common_lost(struct buf *out, int64_t unix_seconds, uint64_t lines);
void access_log_json_lost(struct buf *out, int64_t unix_seconds, uint64_t lines);

#endif
