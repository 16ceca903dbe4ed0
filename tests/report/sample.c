/* SPDX-License-Identifier: Apache-2.0
 *
 * `sample NAME FORMAT [exchanges] [color]` writes a made-up report to standard output, for validate.py and for looking
 * at; without arguments it lists the names.
 */
#include <stdio.h>

#include "../unit/report_sample.h"
#include "base/base.h"

int main(int argc, char **argv)
{
    if (argc < 3) {
        for (size_t i = 0; i < SAMPLES; i++)
            puts(samples[i].name);
        return 0;
    }
    enum pap_format format;
    const struct sample *s = NULL;
    bool exchanges = false, color = false;
    for (size_t i = 0; i < SAMPLES; i++)
        if (str_is(str_c(argv[1]), samples[i].name))
            s = &samples[i];
    for (int i = 3; i < argc; i++) {
        exchanges |= str_is(str_c(argv[i]), "exchanges");
        color |= str_is(str_c(argv[i]), "color");
    }
    if (!s || !pap_format_find(argv[2], &format))
        return 2;
    struct buf out;
    buf_init(&out, NULL, LIMIT_REPORT);
    bool ok = is_ok(sample_write(s, format, exchanges, color, 100, NULL, &out)) &&
              fwrite(out.p, 1, out.n, stdout) == out.n && fflush(stdout) == 0;
    buf_fini(&out);
    return ok ? 0 : 1;
}
