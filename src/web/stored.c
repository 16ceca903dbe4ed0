/* SPDX-License-Identifier: Apache-2.0 */
#include "web/stored.h"

bool asked_store(struct asked *k)
{
    struct pap_err err = {.text = ""};
    if (k->store)
        return true;
    if (k->web->readers && is_ok(readers_take(k->web->readers, &k->store, &err)))
        return true;
    k->store = NULL;
    asked_store_failed(k, &err);
    return false;
}

void asked_store_failed(struct asked *k, const struct pap_err *err)
{
    if (err->code == PAP_NO_MEMORY) {
        asked_no_memory(k);
        return;
    }
    if (k->web->o.trouble)
        k->web->o.trouble(k->web->o.trouble_ctx, err->text);
    asked_field(k, "Retry-After", S("30"));
    asked_fail(k, 503, "Not just now", S("What is kept cannot be read at the moment. Try again in half a minute."));
}
