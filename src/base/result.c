/* SPDX-License-Identifier: Apache-2.0 */
#include "base/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

pap_result fail(struct pap_err *err, enum pap_code code, const char *fmt, ...)
{
    if (err) {
        err->code = code;
        va_list ap;
        va_start(ap, fmt);
        if (vsnprintf(err->text, sizeof err->text, fmt, ap) < 0)
            err->text[0] = '\0';
        va_end(ap);
        for (char *p = err->text; *p; p++)
            if ((unsigned char)*p < 0x20 || *p == 0x7f)
                *p = '?';
    }
    return (pap_result){code};
}

pap_result fail_memory(struct pap_err *err)
{
    return fail(err, PAP_NO_MEMORY, "out of memory");
}
