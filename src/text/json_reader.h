/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the JSON reader: its state, and the functions that its files give each other. Readers return false when
 * reading ends here: a fatal note has been added (`stopped`), or there is no memory.
 */
#ifndef TEXT_JSON_READER_H
#define TEXT_JSON_READER_H

#include "base/limits.h"
#include "text/json.h"

struct json_level {
    struct json *owner;
    struct json **tail; /* where the next child is linked */
};

struct json_reader {
    struct arena *a;
    struct notes *notes;
    const char *start, *p, *end;
    struct json *spare, *spare_end; /* nodes not yet used */
    size_t n_values;                /* that room was made for */
    bool stopped;                   /* the fatal note is there */
    unsigned depth;
    struct json_level levels[LIMIT_JSON_DEPTH + 1]; /* [0] is the root's: it has no owner */
};

/* json_fault.c: what is noted. `at` is a place in the text. */
bool json_note(struct json_reader *r, enum note_code code, const char *at, struct pap_str detail) PAP_MUST;
/* Adds the fatal note; always false, whether or not there was memory for it (detail.p NULL: there was none). */
bool json_stop(struct json_reader *r, enum note_code code, const char *at, struct pap_str detail) PAP_MUST;
/* The text ends inside the thing that began at `began`. */
bool json_stop_at_end(struct json_reader *r, const char *what, const char *began) PAP_MUST;
/* The bytes at `at` are no character. */
bool json_stop_utf8(struct json_reader *r, const char *at) PAP_MUST;
/* Something else than `expected` stands at `at`, or nothing more. */
bool json_stop_expected(struct json_reader *r, enum note_code code, const char *at, const char *expected) PAP_MUST;
bool json_stop_syntax(struct json_reader *r, const char *at, const char *expected) PAP_MUST;

/* json_scalar.c: the string (p is at its opening quote) or the number (p is at its first byte), passed over. */
bool json_read_string(struct json_reader *r, struct pap_str *ret) PAP_MUST;
bool json_read_number(struct json_reader *r, struct pap_str *ret) PAP_MUST;

#endif
