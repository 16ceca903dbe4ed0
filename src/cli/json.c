/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json.h"

#include <stdlib.h>
#include <string.h>

#include <papaver/text.h>

static void put(void *out, const char *piece, size_t n)
{
    (void)fwrite(piece, 1, n, out);
}

void json_member_text(FILE *out, bool *first, const char *key, const char *text, size_t n)
{
    (void)fprintf(out, "%s\"%s\": ", *first ? "" : ", ", key);
    pap_text_json((struct pap_str){text, n}, put, out);
    *first = false;
}

void json_member(FILE *out, bool *first, const char *key, const char *text)
{
    json_member_text(out, first, key, text, strlen(text));
}

/* ---- documents ---------------------------------------------------------------------------------------------------- */

static void next(struct json_out *j, const char *key)
{
    if (j->depth)
        (void)fprintf(j->f, "%s\n%*s", j->first[j->depth] ? "" : ",", (int)(2 * j->depth), "");
    j->first[j->depth] = false;
    if (!key)
        return;
    pap_text_json((struct pap_str){key, strlen(key)}, put, j->f);
    (void)fputs(": ", j->f);
}

void json_begin(struct json_out *j, const char *key, char bracket)
{
    next(j, key);
    (void)fputc(bracket, j->f);
    if (j->depth + 1 < sizeof j->first)
        j->depth++;
    j->first[j->depth] = true;
}

void json_end(struct json_out *j, char bracket)
{
    bool empty = j->first[j->depth];
    j->depth -= j->depth > 0;
    if (!empty)
        (void)fprintf(j->f, "\n%*s", (int)(2 * j->depth), "");
    (void)fputc(bracket, j->f);
    if (!j->depth)
        (void)fputc('\n', j->f);
}

void json_text(struct json_out *j, const char *key, struct pap_str text)
{
    next(j, key);
    pap_text_json(text, put, j->f);
}

void json_c(struct json_out *j, const char *key, const char *text)
{
    json_text(j, key, (struct pap_str){text, strlen(text)});
}

void json_if(struct json_out *j, const char *key, struct pap_str text)
{
    if (text.n)
        json_text(j, key, text);
}

/* What is visible now holds nothing that JSON escapes but quotation marks and backslashes, so pieces can be joined. */
static void put_visible(void *out, const char *piece, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (piece[i] == '"' || piece[i] == '\\')
            (void)fputc('\\', out);
        (void)fputc(piece[i], out);
    }
}

void json_words(struct json_out *j, const char *key, struct pap_str text)
{
    if (!text.n)
        return;
    next(j, key);
    (void)fputc('"', j->f);
    pap_text_visible(text, false, put_visible, j->f);
    (void)fputc('"', j->f);
}

void json_number(struct json_out *j, const char *key, uint64_t n)
{
    next(j, key);
    (void)fprintf(j->f, "%llu", (unsigned long long)n);
}

void json_bool(struct json_out *j, const char *key, bool b)
{
    next(j, key);
    (void)fputs(b ? "true" : "false", j->f);
}

void json_raw(struct json_out *j, const char *key, struct pap_str value)
{
    next(j, key);
    (void)fwrite(value.p, 1, value.n, j->f);
}
