/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/json.h"

static void quoted(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\')
            (void)fprintf(out, "\\%c", *p);
        else if ((unsigned char)*p < 0x20)
            (void)fprintf(out, "\\u%04x", (unsigned)*p);
        else
            (void)fputc(*p, out);
    }
    (void)fputc('"', out);
}

void json_member(FILE *out, bool *first, const char *key, const char *text)
{
    (void)fprintf(out, "%s\"%s\": ", *first ? "" : ", ", key);
    quoted(out, text);
    *first = false;
}
