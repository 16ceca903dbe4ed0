/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON of our own static text (rules, versions) and of what is published. Reports are written by the library.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

/* One member `"key": "text"`, with the comma that separates it from the one before (`*first` then becomes false). */
void json_member(FILE *out, bool *first, const char *key, const char *text);
/* The same of text that need not end with NUL; it must be UTF-8. */
void json_member_text(FILE *out, bool *first, const char *key, const char *text, size_t n);

#endif
