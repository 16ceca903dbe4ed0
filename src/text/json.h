/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree: JSON (RFC 8259) and YAML front matter read into the same nodes, each with its place in the bytes. Strict
 * reader: UTF-8, numbers, depth and trailing text are checked; duplicates are kept and noted. Trees live in an arena,
 * point into the source where they can, and are never changed after reading.
 */
#ifndef TEXT_JSON_H
#define TEXT_JSON_H

#include "base/arena.h"
#include "base/result.h"
#include "text/note.h"

enum json_type { JSON_NULL = 0, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

enum json_flag {
    JSON_HAS_KEY = 1,   /* member of an object: `key` is set (may be empty text) */
    JSON_DUPLICATE = 2, /* an earlier member of the same object has this name */
    JSON_PLAIN = 4,     /* YAML only: an unquoted scalar */
    JSON_FLOW = 8,      /* YAML only: flow collection */
    JSON_BLOCK = 16     /* YAML only: | or > scalar */
};

/* 48 bytes on 64-bit machines: a tree of a discovery document takes less than twice its text. */
struct json {
    struct json *next;     /* next element or member */
    struct json *child;    /* first element or member, in document order */
    const char *p;         /* string: decoded text; number (and YAML scalar): its source text */
    const char *key;       /* member name, decoded */
    uint32_t n;            /* string, number: bytes of p; array, object: how many children */
    uint32_t off, key_off; /* byte offset of the value and of its member name in the source */
    uint16_t key_n;        /* bytes of key: at most LIMIT_JSON_KEY */
    unsigned char type;    /* enum json_type */
    unsigned char flags;   /* enum json_flag */
};

/* Reads `text` (which must outlive the tree). Syntax faults are notes, not errors: *ret_root is NULL when a fatal note
 * says why; the failure result is for out of memory only. Texts over UINT32_MAX bytes and member names over
 * LIMIT_JSON_KEY give NOTE_TOO_LONG, and so do more than LIMIT_JSON_VALUES values (a few more are read). */
pap_result json_read(struct arena *a, struct pap_str text, struct json **ret_root, struct notes *notes) PAP_MUST;

static inline bool json_is(const struct json *j, enum json_type t)
{
    return j && j->type == t;
}

/* Text of a string or number; {NULL,0} for other types and for NULL. */
struct pap_str json_str(const struct json *j);

static inline struct pap_str json_key(const struct json *j)
{
    return str(j->key, j->key_n);
}

/* The first member of that name; NULL when there is none or `j` is no object (or NULL). */
const struct json *json_get(const struct json *j, struct pap_str name);
const struct json *json_get_c(const struct json *j, const char *name);

/* Whether `j` is an array with that string in it. */
bool json_has(const struct json *j, const char *text);

/* Follows an RFC 6901 pointer such as "/auth/issuer"; NULL when it leads nowhere. */
const struct json *json_at(const struct json *root, const char *pointer);

/* The RFC 6901 pointer of `node` inside `root`, "" for the root itself; {NULL,0} when out of memory or not inside. */
struct pap_str json_pointer(struct arena *a, const struct json *root, const struct json *node) PAP_MUST;

/* Behind the value that begins at `at` in a text that was read without a fatal note. */
size_t json_value_end(struct pap_str text, size_t at);

/* "a string", "an object" ... for sentences. */
const char *json_type_name(const struct json *j);

/* For readers: flags every member of `object` that has the name of an earlier one, and notes each with `code` (off: its
 * name's place, other: the first one's, detail: the name), in document order. n log n. False when out of memory. */
bool json_note_duplicates(struct arena *a, struct json *object, enum note_code code, struct notes *notes) PAP_MUST;

#define json_each(child_var, parent) \
    for (const struct json *child_var = (parent) ? (parent)->child : NULL; child_var; child_var = child_var->next)

#endif
