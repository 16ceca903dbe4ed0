/* SPDX-License-Identifier: Apache-2.0
 *
 * The one JSON writer. Strings are escaped so that the output is plain JSON that is safe inside <script> and on a
 * terminal too (<, >, & and all that utf8_is_unsafe names as \u escapes); invalid UTF-8 becomes U+FFFD. Commas and
 * indentation come by themselves. Failures stay in the buffer (deeper than JSON_WRITE_DEPTH: PAP_LIMIT).
 */
#ifndef TEXT_JSON_WRITE_H
#define TEXT_JSON_WRITE_H

#include "base/buf.h"
#include "base/limits.h"
#include "text/json.h"

enum { JSON_WRITE_DEPTH = LIMIT_JSON_DEPTH + 16 }; /* room for any tree inside a document of ours */

struct json_writer {
    struct buf *out;
    unsigned indent; /* blanks per level; 0: all on one line */
    unsigned depth;
    bool first[JSON_WRITE_DEPTH]; /* nothing stands yet at this level */
    bool after_key;               /* a value has to come */
};

void json_writer_init(struct json_writer *w, struct buf *out, unsigned indent);
void json_object_begin(struct json_writer *w);
void json_object_end(struct json_writer *w);
void json_array_begin(struct json_writer *w);
void json_array_end(struct json_writer *w);
void json_write_key(struct json_writer *w, const char *key);
void json_write_key_str(struct json_writer *w, struct pap_str key);
void json_write_str(struct json_writer *w, struct pap_str s);
void json_write_cstr(struct json_writer *w, const char *s); /* NULL writes null */
void json_write_int(struct json_writer *w, int64_t v);
void json_write_bool(struct json_writer *w, bool v);
void json_write_null(struct json_writer *w);
/* A number of YAML is written as JSON has it; one too large for that, and what JSON has not (.inf), as a string. */
void json_write_tree(struct json_writer *w, const struct json *j); /* numbers keep their text */
void json_write_raw(struct json_writer *w, struct pap_str json);   /* a value that is JSON already */

/* The quoted, escaped text of one string, appended to out. */
void json_escape(struct buf *out, struct pap_str s);

#endif
