/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json.h"

#include <string.h>

static void quoted(FILE *out, const char *text, size_t n)
{
    (void)fputc('"', out);
    for (const char *p = text; p < text + n; p++) {
        if (*p == '"' || *p == '\\')
            (void)fprintf(out, "\\%c", *p);
        else if ((unsigned char)*p < 0x20)
            (void)fprintf(out, "\\u%04x", (unsigned)*p);
        else
            (void)fputc(*p, out);
    }
    (void)fputc('"', out);
}

void json_member_text(FILE *out, bool *first, const char *key, const char *text, size_t n)
{
    (void)fprintf(out, "%s\"%s\": ", *first ? "" : ", ", key);
    quoted(out, text, n);
    *first = false;
}

void json_member(FILE *out, bool *first, const char *key, const char *text)
{
    json_member_text(out, first, key, text, strlen(text));
}
