/* SPDX-License-Identifier: Apache-2.0
 *
 * The header fields of a representation, made once when its generation is loaded: an answer then costs no more than to
 * point at them.
 */
#include <assert.h>

#include "base/limits.h"
#include "host/inside.h"
#include "text/base64.h"
#include "text/httpval.h"

static void add(struct representation *r, const char *name, struct pap_str value)
{
    assert(r->n_fields < FIELDS_MOST);
    r->fields[r->n_fields++] = (struct header){str_c(name), value};
}

/* RFC 9530 section 2: "sha-256=:" base64 ":". */
static struct pap_str digest_value(struct arena *a, const struct digest *d)
{
    char text[64];
    struct buf b;
    buf_init(&b, a->alloc, sizeof text);
    buf_add(&b, S("sha-256=:"));
    base64_add(&b, str((const char *)d->b, sizeof d->b));
    buf_char(&b, ':');
    struct pap_str value = buf_ok(&b) ? arena_str(a, buf_str(&b)) : str(NULL, 0);
    buf_fini(&b);
    return value;
}

/* A strong tag: the digest, and for a scope something of its name, since one list may be that of two scopes. */
static struct pap_str tag_of(struct arena *a, const char *digest, struct pap_str scope, struct pap_err *err)
{
    struct digest d;
    char hash[DIGEST_TEXT + 1] = "";
    if (scope.p && !is_ok(digest_sha256(&scope, 1, &d, err)))
        return str(NULL, 0);
    if (scope.p)
        digest_text(&d, hash);
    return arena_fmt(a, "\"%s%s%.16s\"", digest, scope.p ? "-" : "", scope.p ? hash + 7 : "");
}

bool is_addressed_by_content(struct pap_str path, struct pap_str digest_hex)
{
    struct pap_str name = str_skip(path, str_rfind_char(path, '/') + 1);
    return str_find(name, digest_hex) < name.n;
}

pap_result represent(struct arena *a, const struct generation_options *o, const struct representing *as,
                     struct representation *ret, struct pap_err *err)
{
    struct digest d;
    char hash[DIGEST_TEXT + 1], date[HTTP_DATE_TEXT + 1];
    TRY(digest_sha256(&as->bytes, 1, &d, err));
    digest_text(&d, hash);
    bool is_dated = as->modified != MODIFIED_NEVER;
    http_date_write(is_dated ? as->modified : 0, date);
    struct pap_str digest = digest_value(a, &d), etag = tag_of(a, hash, as->scope, err),
                   modified = arena_str(a, str_c(date));
    struct pap_str cache = as->closed ? S("no-store")
                           : is_addressed_by_content(as->path, str_c(hash + 7))
                               ? S("public, max-age=31536000, immutable")
                               : arena_fmt(a, "public, max-age=%u, must-revalidate", o->max_age);
    if (!digest.p || !etag.p || !modified.p || !cache.p)
        return fail_memory(err);
    struct representation r = {.bytes = as->bytes};
    /* Read more than a second after it was changed: what was read is the last of that second. */
    r.validator = (struct validator){etag, as->modified, is_dated && o->now > as->modified + 1};
    add(&r, "Content-Digest", digest);
    add(&r, "Content-Type", str_c(as->media));
    assert(r.n_fields == FIELD_DESCRIBING);
    add(&r, "Repr-Digest", digest);
    if (as->coding)
        add(&r, "Content-Encoding", str_c(as->coding));
    if (as->policy)
        add(&r, "Content-Security-Policy", str_c(as->policy));
    if (is_dated)
        add(&r, "Last-Modified", modified);
    add(&r, "Accept-Ranges", S("bytes"));
    add(&r, "X-Content-Type-Options", S("nosniff"));
    r.not_modified = r.n_fields;
    add(&r, "ETag", etag);
    add(&r, "Cache-Control", cache);
    add(&r, "Access-Control-Allow-Origin", S("*"));
    add(&r, "Access-Control-Expose-Headers",
        as->scope.p ? S("ETag, Content-Digest, Repr-Digest, Content-Range, Remote-Skills-Scope")
                    : S("ETag, Content-Digest, Repr-Digest, Content-Range"));
    if (as->vary)
        add(&r, "Vary", str_c(as->vary));
    if (as->scope.p)
        add(&r, "Remote-Skills-Scope", as->scope);
    *ret = r;
    return OK;
}
