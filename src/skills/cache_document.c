/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "skills/cache_inside.h"

pap_result cache_document_get(struct cache *c, struct arena *a, struct pap_str url, struct pap_str scope, int64_t now,
                              struct cache_document *ret, bool *ret_found, struct pap_err *err)
{
    char key[CACHE_KEY];
    struct pap_str bytes;
    struct cache_document d;
    *ret_found = false;
    TRY(cache_key("document", S(""), url, scope, key, err));
    TRY(value_get(c, a, key, LIMIT_ARTIFACT + LIMIT_CACHE_HEAD, now, &bytes, err));
    if (!bytes.p || !cache_document_read(a, bytes, url, scope, &d))
        return OK;
    d.validated = d.validated < now ? d.validated : now;
    *ret = d;
    *ret_found = true;
    return OK;
}

pap_result cache_document_put(struct cache *c, struct pap_str url, struct pap_str scope, bool memory, int64_t now,
                              const struct cache_document *d, struct pap_err *err)
{
    char key[CACHE_KEY];
    struct buf b __attribute__((cleanup(buf_fini)));
    struct arena scratch __attribute__((cleanup(arena_fini)));
    arena_init(&scratch, &c->alloc);
    buf_init(&b, &c->alloc, d->body.n + LIMIT_CACHE_HEAD);
    TRY(cache_key("document", S(""), url, scope, key, err));
    cache_document_write(&b, url, scope, d);
    if (b.code == PAP_LIMIT) { /* URLs of a length that nobody keeps */
        value_remove(c, key);
        return OK;
    }
    TRY(buf_result(&b, err));
    memory = memory || cache_url_is_secret(&scratch, url) || cache_url_is_secret(&scratch, d->url) ||
             cache_body_is_secret(&scratch, d->body);
    return value_put(c, key, buf_str(&b), memory, now, err);
}

void cache_document_delete(struct cache *c, struct pap_str url, struct pap_str scope)
{
    char key[CACHE_KEY];
    if (is_ok(cache_key("document", S(""), url, scope, key, NULL)))
        value_remove(c, key);
}
