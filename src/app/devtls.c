/* SPDX-License-Identifier: Apache-2.0 */
#include "app/devtls.h"

#include <stdio.h>
#include <string.h>

#include "crypto/digest.h"
#include "net/devcert.h"
#include "sys/file.h"
#include "sys/stage.h"

enum { NAME_MOST = 200, NAMES_MOST = 16 * 1024, PEM_MOST = 64 * 1024 };

/* One folder name of all hosts; of many, the beginning and a digest of all. */
static pap_result name_folder(char *ret, size_t n, const char *state, const char *const *hosts, struct pap_err *err)
{
    struct buf name;
    struct digest digest;
    char text[DIGEST_TEXT + 1] = "";
    buf_init(&name, NULL, NAMES_MOST);
    for (const char *const *host = hosts; host && *host; host++)
        buf_fmt(&name, "%s%s", name.n ? "," : "", *host);
    if (name.n == 0)
        buf_add(&name, S("localhost"));
    struct pap_str all = buf_str(&name), begin = str_take(all, NAME_MOST);
    pap_result r = buf_result(&name, err);
    if (is_ok(r) && all.n > begin.n) {
        r = digest_sha256(&all, 1, &digest, err);
        if (is_ok(r))
            digest_text(&digest, text);
    }
    struct pap_str hex = str_take(str_skip(str_c(text), S("sha256:").n), 16);
    int got = snprintf(ret, n, "%s/dev-tls/%.*s%s%.*s", state, PSTR(begin), hex.n ? "," : "", PSTR(hex));
    buf_fini(&name);
    return !is_ok(r) || (got > 0 && (size_t)got < n) ? r : fail(err, PAP_IO, "the path is too long: %s", state);
}

/* Reads both; not both there: n is 0 in one of them. */
static pap_result read_both(const struct devtls *d, struct arena *a, struct devcert *ret, struct pap_err *err)
{
    *ret = (struct devcert){0};
    pap_result r = file_read(a, d->authority, PEM_MOST, &ret->authority, NULL, err);
    if (is_ok(r) && file_is_private(d->leaf))
        r = file_read(a, d->leaf, PEM_MOST, &ret->leaf, NULL, err);
    return r.code == PAP_NO_MEMORY ? r : OK;
}

static pap_result fits(const struct devtls *d, const struct devcert_wish *wish, struct arena *a, bool *ret,
                       struct pap_err *err)
{
    struct devcert c;
    TRY(read_both(d, a, &c, err));
    pap_result r = devcert_fits(&c, wish, DEVTLS_RENEW_SECONDS, ret, err);
    if (c.leaf.n)
        explicit_bzero((char *)c.leaf.p, c.leaf.n);
    return r;
}

static pap_result make(const struct devtls *d, const struct devcert_wish *wish, struct arena *a, struct pap_err *err)
{
    struct devcert c;
    TRY(devcert_new(a, wish, &c, err));
    pap_result r = file_write_atomic(d->authority, c.authority, err);
    if (is_ok(r))
        r = file_write_private(d->leaf, c.leaf, err);
    explicit_bzero((char *)c.leaf.p, c.leaf.n);
    return r;
}

static pap_result ready(const char *folder, const struct devcert_wish *wish, struct arena *a, struct devtls *d,
                        struct pap_err *err)
{
    bool there;
    int lock = -1;
    TRY(folder_make(folder, err));
    TRY(folder_lock(folder, &lock, err));
    pap_result r = fits(d, wish, a, &there, err);
    d->is_new = is_ok(r) && !there;
    if (d->is_new)
        r = make(d, wish, a, err);
    folder_unlock(&lock);
    return r;
}

pap_result devtls_ready(const char *state, const char *const *hosts, int64_t now, const struct pap_alloc *alloc,
                        struct devtls *ret, struct pap_err *err)
{
    char folder[DEVTLS_PATH - 16];
    struct devtls d;
    struct arena a;
    const struct devcert_wish wish = {hosts, now};
    TRY(devcert_check(&wish, err));
    TRY(name_folder(folder, sizeof folder, state, hosts, err));
    (void)snprintf(d.authority, sizeof d.authority, "%s/ca.pem", folder);
    (void)snprintf(d.leaf, sizeof d.leaf, "%s/leaf.pem", folder);
    arena_init(&a, alloc);
    pap_result r = ready(folder, &wish, &a, &d, err);
    arena_fini(&a);
    if (is_ok(r))
        *ret = d;
    return r;
}
