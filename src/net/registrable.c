/* SPDX-License-Identifier: Apache-2.0 */
#include "net/registrable.h"

#include <libpsl.h>
#include <pthread.h>

#include "sys/library.h"

/* libpsl with the list that is compiled into it, once opened. */
static struct {
    pthread_once_t once;
    pap_result result;
    struct pap_err err;
    __typeof__(&psl_builtin) builtin;
    __typeof__(&psl_registrable_domain) registrable;
    const psl_ctx_t *list;
} psl = {.once = PTHREAD_ONCE_INIT};

static void open_psl(void)
{
    const struct library_symbol symbols[] = {
        {"psl_builtin", &psl.builtin}, {"psl_registrable_domain", &psl.registrable}, {NULL, NULL}};
    psl.result = library_open("libpsl.so.5", "libpsl5", symbols, &psl.err);
    if (!is_ok(psl.result))
        return;
    psl.list = psl.builtin();
    if (!psl.list)
        psl.result = fail(&psl.err, PAP_UNAVAILABLE, "libpsl.so.5 has no list of public suffixes");
}

pap_result registrable_domain(struct arena *a, struct pap_str name, struct pap_str *ret, struct pap_err *err)
{
    if (pthread_once(&psl.once, open_psl) != 0)
        return fail(err, PAP_UNAVAILABLE, "libpsl.so.5 cannot be opened");
    if (!is_ok(psl.result))
        return fail(err, psl.result.code, "%s", psl.err.text);
    const char *text = arena_cstr(a, name);
    if (!text)
        return fail_memory(err);
    const char *at = psl.registrable(psl.list, text); /* inside `text`, or NULL: a public suffix */
    *ret = at ? str_skip(name, (size_t)(at - text)) : name;
    return OK;
}
