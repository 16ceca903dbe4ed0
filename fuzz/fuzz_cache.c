/* SPDX-License-Identifier: Apache-2.0
 *
 * What the cache reads of what it has written, which may be anybody's: a record that reads is written and read again as the
 * same; of a document nothing goes back into a request that may not stand there; a name that is ours has one meaning.
 */
#include <stdlib.h>

#include "skills/cache_record.h"
#include "text/uri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void holds(bool fact)
{
    if (!fact)
        abort();
}

static void check_validator(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        holds(s.p[i] >= 0x20 && s.p[i] < 0x7f);
}

static void check_record(struct arena *a, struct pap_str text)
{
    struct cache_record r, again;
    struct buf b;
    char key[CACHE_KEY];
    if (!cache_record_read(a, text, &r))
        return;
    holds(cache_object_key(r.digest, r.format, key));
    holds(cache_kind_of(str_c(key)) == CACHE_OBJECT && cache_format_of(str_c(key)) == r.format);
    buf_init(&b, NULL, 1 << 20);
    cache_record_write(&b, &r);
    holds(cache_record_read(a, buf_str(&b), &again));
    holds(str_eq(r.origin, again.origin) && str_eq(r.url, again.url) && str_eq(r.scope, again.scope));
    holds(str_eq(r.digest, again.digest) && r.format == again.format);
    buf_fini(&b);
}

static void check_document(struct arena *a, struct pap_str text)
{
    const struct pap_str asked = S("https://shop.example/index.json");
    struct cache_document d, again;
    struct buf b;
    if (!cache_document_read(a, text, asked, S(""), &d))
        return;
    struct uri u;
    size_t at;
    const char *why;
    holds(uri_parse(d.url, &u, &at, &why) && uri_is_web(&u, &why));
    check_validator(d.etag);
    check_validator(d.last_modified);
    holds(d.body.n <= text.n && d.validated >= 0);
    buf_init(&b, NULL, 2 << 20);
    cache_document_write(&b, asked, S(""), &d);
    holds(cache_document_read(a, buf_str(&b), asked, S(""), &again));
    holds(str_eq(d.body, again.body) && str_eq(d.url, again.url) && str_eq(d.etag, again.etag));
    holds(d.validated == again.validated);
    buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pap_str all = str((const char *)data, size), inner;
    struct digest d;
    struct arena a;
    arena_init(&a, NULL);
    check_record(&a, all);
    check_document(&a, all);
    if (cache_seal_read(all, &inner, &d))
        holds(inner.n + CACHE_SEAL == all.n);
    enum cache_kind kind = cache_kind_of(all);
    holds((kind != CACHE_OBJECT && kind != CACHE_RECORD && kind != CACHE_DOCUMENT) || all.n < CACHE_KEY);
    (void)cache_url_is_secret(&a, all);
    (void)cache_body_is_secret(&a, all);
    arena_fini(&a);
    return 0;
}
