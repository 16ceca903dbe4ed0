/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/download.h"

#include "pack/gunzip.h"
#include "pack/unpack.h"

enum { TOLD_EVERY = 64 * 1024, DECODED_MOST = 8 << 20 };

struct receiving {
    struct pap_skill_session *session;
    struct cache_object *object;
    uint64_t got, told;
    bool done, barred;
    const struct exchange *x;
    pap_result failed; /* of ours, or cancelled */
    struct pap_skill_err *err;
};

static bool on_piece(void *ctx, const char *p, size_t n)
{
    struct receiving *g = ctx;
    struct pap_err why = {0};
    pap_result r = cache_object_add(g->object, str(p, n), &why);
    g->got += n;
    if (!is_ok(r)) {
        g->failed = failure_tell(r, &why, g->err);
    } else if (g->got - g->told >= TOLD_EVERY) {
        g->told = g->got;
        g->failed = client_progress(g->session->client, PAP_SKILL_FETCHING, g->got, 0, g->err);
    }
    return is_ok(g->failed);
}

static bool may_follow(void *ctx, const struct uri *to)
{
    struct receiving *g = ctx;
    const struct pap_skill_session *s = g->session;
    g->barred = s->hosts && !origin_allows(s->origin.place, s->hosts, to);
    return !g->barred;
}

static void again(void *ctx)
{
    struct receiving *g = ctx;
    struct pap_err why = {0};
    cache_object_free(g->object);
    g->object = NULL;
    g->got = g->told = 0;
    pap_result r = cache_object_new(g->session->client->cache, &g->object, &why);
    if (!is_ok(r))
        g->failed = failure_tell(r, &why, g->err);
}

static void came(void *ctx, const struct exchange *x)
{
    struct receiving *g = ctx;
    g->x = x;
    g->done = true;
}

/* R-NET-9. */
static const char *accept_of(const struct catalog_release *r)
{
    return r->type == ARTIFACT_SKILL_MD                 ? "text/markdown"
           : artifact_format(S(""), r->url) == PACK_ZIP ? "application/zip"
                                                        : "application/gzip";
}

static pap_result receive(struct receiving *g, struct line *l, struct arena *a, const struct catalog_release *r)
{
    const struct request q = {.method = "GET",
                              .url = r->url,
                              .accept = accept_of(r),
                              .may = may_follow,
                              .sink = on_piece,
                              .each_ctx = g,
                              .cap = g->session->client->o.most_archive_bytes,
                              .redirects = LIMIT_REDIRECTS};
    again(g);
    if (!is_ok(g->failed))
        return g->failed;
    pap_result begun = line_ask(l, LINE_ARTIFACT, a, &q, again, came, g);
    if (!is_ok(begun))
        return failure_tell(begun, NULL, g->err);
    TRY(line_run(l, &g->done, PAP_SKILL_FETCHING, &g->got, 0, g->err));
    if (!is_ok(g->failed))
        return g->failed;
    if (g->barred)
        return refuse(g->err, SKILL_LOCK_MISMATCH,
                      "%.*s: where nobody is asked, only the origin's host and those of \"artifact_hosts\" are",
                      PSTR(g->x->fault_text));
    if (g->x->fault != FAULT_NONE || exchange_status(g->x) != 200)
        return line_tell(l, g->x, "archive_bytes", g->err);
    struct pap_err why = {0};
    pap_result sealed = cache_object_seal(g->object, &why);
    return is_ok(sealed) ? OK : failure_tell(sealed, &why, g->err);
}

pap_result download(struct pap_skill_session *s, struct arena *a, const struct catalog_release *r, bool no_cache,
                    struct download *ret, struct pap_skill_err *err)
{
    struct line l;
    struct transport *below;
    struct receiving g = {.session = s, .failed = OK, .err = err};
    TRY(client_take(s->client, &below, err));
    line_init(&l, s->client, below, &s->origin, a);
    l.no_cache = no_cache;
    pap_result got = receive(&g, &l, a, r);
    client_give(s->client, below, got);
    if (!is_ok(got)) {
        cache_object_free(g.object);
        return got;
    }
    const struct hop *h = exchange_last(g.x);
    struct pap_str coding = hop_header(h, "Content-Encoding");
    *ret = (struct download){.object = g.object,
                             .x = g.x,
                             .type = hop_header(h, "Content-Type"),
                             .coded = coding.n && !str_eq_nocase(coding, S("identity"))};
    return OK;
}

struct pap_str download_bytes(struct arena *a, struct cache_object *o, uint64_t most)
{
    struct pack_source from;
    struct pap_str all;
    if (cache_object_size(o) > most)
        return str(NULL, 0);
    cache_object_source(o, &from);
    return is_ok(pack_source_read(a, &from, most, &all, NULL)) ? all : str(NULL, 0);
}

pap_result download_decode(struct pap_skill_session *s, struct arena *a, struct pap_str digest, struct download *d,
                           struct pap_skill_err *err)
{
    struct pap_str raw = d->coded ? download_bytes(a, d->object, DECODED_MOST) : str(NULL, 0);
    struct buf plain __attribute__((cleanup(buf_fini)));
    struct cache_object *o = NULL;
    struct pap_err why = {0};
    const char *bad = NULL;
    buf_init(&plain, s->client->alloc, SIZE_MAX);
    if (!raw.p || !is_ok(gunzip(raw, DECODED_MOST, &plain, &bad, NULL)) || bad || plain.n > DECODED_MOST)
        return OK;
    pap_result r = cache_object_of(s->client->cache, buf_str(&plain), &o, &why);
    if (is_ok(r) && str_is(digest, cache_object_digest(o))) {
        cache_object_free(d->object);
        d->object = o;
        return OK;
    }
    cache_object_free(o);
    return is_ok(r) ? OK : failure_tell(r, &why, err);
}
