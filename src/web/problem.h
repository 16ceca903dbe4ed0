/* SPDX-License-Identifier: Apache-2.0
 *
 * A fault as programs get it: application/problem+json (RFC 9457).
 */
#ifndef WEB_PROBLEM_H
#define WEB_PROBLEM_H

#include "text/json_write.h"

static inline void write_problem(struct buf *out, int status, const char *title, struct pap_str sentence)
{
    struct json_writer w;
    json_writer_init(&w, out, 0);
    json_object_begin(&w);
    json_write_key(&w, "status");
    json_write_int(&w, status);
    json_write_key(&w, "title");
    json_write_cstr(&w, title);
    json_write_key(&w, "detail");
    json_write_str(&w, sentence);
    json_object_end(&w);
    buf_char(out, '\n');
}

#endif
