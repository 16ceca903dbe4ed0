/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON of our own static text (rules, versions), of what is published and what strangers list. Reports are written by the
 * library.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

#include <papaver/base.h>

/* One member `"key": "text"`, with the comma that separates it from the one before (`*first` then becomes false). */
void json_member(FILE *out, bool *first, const char *key, const char *text);
/* The same of text that need not end with NUL; it must be UTF-8. */
void json_member_text(FILE *out, bool *first, const char *key, const char *text, size_t n);

/* A whole document, commas and indentation by themselves; a key is NULL within an array. */
struct json_out {
    FILE *f;
    unsigned depth;
    bool first[16];
};

void json_begin(struct json_out *j, const char *key, char bracket); /* '{' or '[' */
void json_end(struct json_out *j, char bracket);                    /* '}' or ']'; behind the last one a line ends */
void json_text(struct json_out *j, const char *key, struct pap_str text);
void json_c(struct json_out *j, const char *key, const char *text);
/* What a stranger says, as people would see it: invisible characters written out. Empty: no member. */
void json_words(struct json_out *j, const char *key, struct pap_str text);
/* Empty: no member. */
void json_if(struct json_out *j, const char *key, struct pap_str text);
void json_number(struct json_out *j, const char *key, uint64_t n);
void json_bool(struct json_out *j, const char *key, bool b);
/* A value that is JSON already. */
void json_raw(struct json_out *j, const char *key, struct pap_str value);

#endif
