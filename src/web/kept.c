/* SPDX-License-Identifier: Apache-2.0 */
#include "web/kept.h"

#include "base/limits.h"
#include "crypto/digest.h"
#include "net/registrable.h"

enum { HEX = 2 * CENSUS_DIGEST, HEX_AT = 7 /* behind "sha256:" */ };

/* ---- into the store ---- */

struct keeping {
    struct arena *arena;
    struct census_body *bodies;
    size_t n, cap;
};

static pap_result digest_of(struct pap_str bytes, struct census_digest *ret, struct pap_str *ret_name, struct arena *a,
                            struct pap_err *err)
{
    struct digest d;
    char text[DIGEST_TEXT + 1];
    TRY(digest_sha256(&bytes, 1, &d, err));
    digest_text(&d, text);
    memcpy(ret->b, d.b, sizeof ret->b);
    *ret_name = arena_str(a, str_c(text + HEX_AT));
    return ret_name->p ? OK : fail_memory(err);
}

static pap_result keep(void *ctx, struct pap_str body, struct pap_str *ret_name, struct pap_err *err)
{
    struct keeping *k = ctx;
    struct census_body b = {.bytes = body};
    TRY(digest_of(body, &b.digest, ret_name, k->arena, err));
    for (size_t i = 0; i < k->n; i++)
        if (memcmp(&k->bodies[i].digest, &b.digest, sizeof b.digest) == 0)
            return OK;
    if (body.n > LIMIT_DOCUMENT)
        return OK;
    if (k->n == k->cap) {
        size_t cap = k->cap ? 2 * k->cap : 32;
        struct census_body *more = arena_new_array(k->arena, cap, struct census_body);
        if (!more)
            return fail_memory(err);
        if (k->n)
            memcpy(more, k->bodies, k->n * sizeof *more);
        k->bodies = more;
        k->cap = cap;
    }
    k->bodies[k->n++] = b;
    return OK;
}

static enum census_outcome outcome_of(const struct report_target *t, bool published)
{
    static const enum census_outcome faults[] = {
        [FAULT_DNS] = CENSUS_NO_NAME,
        [FAULT_REFUSED] = CENSUS_UNREACHABLE,
        [FAULT_BLOCKED] = CENSUS_BLOCKED,
        [FAULT_TIMEOUT] = CENSUS_TIMEOUT,
        [FAULT_TLS] = CENSUS_TLS,
        [FAULT_TOO_LARGE] = CENSUS_TOO_LARGE,
        [FAULT_REDIRECTS] = CENSUS_REDIRECTS,
        [FAULT_REDIRECT_TARGET] = CENSUS_REDIRECTS,
    };
    const struct doc *first = t->bundle ? t->bundle->first : NULL;
    const struct exchange *x = first ? first->exchange : NULL;
    int status = exchange_status(x);
    if (published)
        return CENSUS_PUBLISHES;
    if (x && x->fault && x->fault < sizeof faults / sizeof faults[0] && faults[x->fault])
        return faults[x->fault];
    return status == 404 || status == 410 ? CENSUS_ABSENT
           : status == 200                ? CENSUS_OTHER_DOCUMENT
           : status                       ? CENSUS_STATUS
                                          : CENSUS_FAILED;
}

static void summarise(const struct report_target *t, struct census_summary *ret)
{
    *ret = (struct census_summary){.version = S("")};
    if (t->bundle && t->bundle->version && t->bundle->version_stated)
        ret->version = str_c(t->bundle->version->text);
    for (size_t i = 0; i < t->n_findings; i++) {
        ret->errors += t->findings[i].severity == PAP_ERROR;
        ret->warnings += t->findings[i].severity == PAP_WARNING;
        ret->infos += t->findings[i].severity == PAP_INFO;
    }
}

static pap_result put(struct census *c, struct arena *a, struct buf *text, struct pap_str name,
                      const struct report_target *t, bool published, int64_t at, struct pap_err *err)
{
    struct keeping k = {.arena = a};
    struct census_body record = {0};
    struct pap_str unused;
    TRY(record_write(text, t, keep, &k, err));
    TRY(buf_result(text, err));
    record.bytes = buf_str(text);
    TRY(digest_of(record.bytes, &record.digest, &unused, a, err));
    struct census_report r = {.name = name,
                              .at = at,
                              .outcome = outcome_of(t, published),
                              .rules = S(PAP_VERSION),
                              .record = &record,
                              .bodies = k.bodies,
                              .n_bodies = k.n};
    summarise(t, &r.summary);
    TRY(census_report_put(c, &r, err));
    if (!published)
        return OK;
    struct census_name site = {.name = name, .source = S("web")};
    struct census_added added;
    TRY(registrable_domain(a, name, &site.registrable, err));
    return census_add(c, &site, 1, at, &added, err);
}

pap_result kept_put(struct census *c, struct arena *a, struct pap_str name, const struct report_target *t,
                    bool published, int64_t at, struct pap_err *err)
{
    struct buf text;
    buf_init(&text, a->alloc, LIMIT_WEB_PAGE);
    pap_result r = put(c, a, &text, name, t, published, at, err);
    buf_fini(&text);
    return r;
}

/* ---- and back ---- */

pap_result kept_observed(struct census *c, struct arena *a, const struct census_observation *o, bool *ret_found,
                         struct kept *ret, struct pap_err *err)
{
    struct kept k = {.name = o->name, .at = o->last_at, .digest = o->record};
    if (o->has_record)
        TRY(census_body(c, a, &o->record, &k.text, err));
    *ret_found = k.text.p != NULL;
    if (*ret_found)
        *ret = k;
    return OK;
}

pap_result kept_find(struct census *c, struct arena *a, struct pap_str name, bool *ret_found, struct kept *ret,
                     struct pap_err *err)
{
    struct census_report r = {0};
    struct census_site site;
    struct census_observation o;
    struct kept seen;
    bool has_report = false, is_site = false, observed = false, has_seen = false;
    TRY(census_report_get(c, a, name, &has_report, &r, err));
    TRY(census_site(c, a, name, &is_site, &site, err));
    if (is_site && site.observation && (!has_report || site.last_seen > r.at))
        TRY(census_observation(c, a, site.observation, &observed, &o, err));
    if (observed)
        TRY(kept_observed(c, a, &o, &has_seen, &seen, err));
    *ret_found = has_report || has_seen;
    if (has_seen)
        *ret = seen;
    else if (has_report)
        *ret = (struct kept){.name = name, .at = r.at, .digest = r.record->digest, .text = r.record->bytes};
    return OK;
}

struct finding_bodies {
    struct census *census;
    struct arena *arena;
    struct kept *kept;
};

static bool digest_read(struct pap_str hex, struct census_digest *ret)
{
    if (hex.n != HEX)
        return false;
    for (size_t i = 0; i < CENSUS_DIGEST; i++) {
        int high = ascii_hex(hex.p[2 * i]), low = ascii_hex(hex.p[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        ret->b[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

static pap_result find_body(void *ctx, struct pap_str name, struct pap_str *ret, struct pap_err *err)
{
    struct finding_bodies *f = ctx;
    struct kept *k = f->kept;
    struct census_digest d;
    struct pap_str bytes = str(NULL, 0);
    for (size_t i = 0; i < k->n_bodies; i++)
        if (str_eq(k->bodies[i].name, name)) {
            *ret = k->bodies[i].bytes;
            return OK;
        }
    if (digest_read(name, &d))
        TRY(census_body(f->census, f->arena, &d, &bytes, err));
    if (k->n_bodies == k->cap_bodies) {
        size_t cap = k->cap_bodies ? 2 * k->cap_bodies : 32;
        struct kept_body *more = arena_new_array(f->arena, cap, struct kept_body);
        if (!more)
            return fail_memory(err);
        if (k->n_bodies)
            memcpy(more, k->bodies, k->n_bodies * sizeof *more);
        k->bodies = more;
        k->cap_bodies = cap;
    }
    k->bodies[k->n_bodies++] = (struct kept_body){name, bytes};
    *ret = bytes;
    return OK;
}

pap_result kept_read(struct census *c, struct arena *a, struct kept *kept, struct pap_err *err)
{
    struct finding_bodies f = {c, a, kept};
    return record_read(a, kept->text, find_body, &f, &kept->record, err);
}
