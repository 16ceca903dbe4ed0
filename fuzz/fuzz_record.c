/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a record of the store: what is read can be written again, reads back as the same, and every format writes a
 * report of it.
 */
#include <stdint.h>
#include <stdlib.h>

#include "report/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void holds(bool fact)
{
    if (!fact)
        abort();
}

/* A body's name is the body, but of one that is not kept. */
static pap_result look_up(void *ctx, struct pap_str name, struct pap_str *ret_body, struct pap_err *err)
{
    (void)ctx;
    (void)err;
    *ret_body = str_is(name, "gone") ? str(NULL, 0) : name;
    return OK;
}

static pap_result keep(void *ctx, struct pap_str body, struct pap_str *ret_name, struct pap_err *err)
{
    (void)ctx;
    (void)err;
    *ret_name = body;
    return OK;
}

static void write(const struct report_target *t, enum pap_format format, uint32_t width)
{
    struct report r;
    report_init(&r, NULL);
    r.format = format;
    r.exchanges = true;
    r.many = width & 1;
    r.width = width;
    report_begin(&r);
    report_target(&r, t);
    report_end(&r, &(struct report_total){.exit = 1});
    holds(is_ok(report_result(&r, NULL)));
    report_fini(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct buf once, twice;
    struct record *record, *again;
    arena_init(&a, NULL);
    buf_init(&once, NULL, LIMIT_REPORT);
    buf_init(&twice, NULL, LIMIT_REPORT);
    if (is_ok(record_read(&a, str((const char *)data, size), look_up, NULL, &record, NULL))) {
        holds(is_ok(record_write(&once, &record->target, keep, NULL, NULL)));
        holds(is_ok(record_read(&a, buf_str(&once), look_up, NULL, &again, NULL)));
        holds(is_ok(record_write(&twice, &again->target, keep, NULL, NULL)));
        holds(str_eq(buf_str(&once), buf_str(&twice)));
        for (enum pap_format f = PAP_TEXT; f <= PAP_MARKDOWN; f++)
            if (f != PAP_SARIF || size % 16 == 0) /* most of it is the list of rules */
                write(&again->target, f, data[0]);
    }
    buf_fini(&once);
    buf_fini(&twice);
    arena_fini(&a);
    return 0;
}
