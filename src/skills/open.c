/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/open.h"

#include "skills/folder.h"
#include "skills/legacy.h"

static void finish(struct opening *o, pap_result r)
{
    o->result = r;
    o->done = true;
}

static void no_memory(struct opening *o)
{
    finish(o, failure_tell((pap_result){PAP_NO_MEMORY}, NULL, &o->err));
}

static void refuse_answer(struct opening *o, const struct exchange *x)
{
    finish(o, line_tell(&o->line, x, "catalog_bytes", &o->err));
}

/* ---- the list ---- */

static bool is_html(struct pap_str body)
{
    body = str_trim(str_starts(body, S("\xef\xbb\xbf")) ? str_skip(body, 3) : body);
    return str_starts(body, S("<"));
}

static void note_facts(struct opening *o, const struct exchange *x, bool poppy)
{
    struct pap_skill_session *s = o->session;
    const struct line_answer *how = line_answer_of(&o->line, x->url);
    s->facts.source = poppy ? PAP_SKILL_FROM_POPPY : PAP_SKILL_FROM_INDEX;
    s->facts.url = arena_str(&s->arena, x->final_url);
    s->facts.from_cache = how && how->from_cache;
    s->facts.stale = how && how->stale;
    s->validated = how ? how->validated : 0;
}

static void read_list(struct opening *o, const struct exchange *x, bool poppy)
{
    struct pap_skill_session *s = o->session;
    const struct pap_skill_client *c = s->client;
    struct skill_fault fault = {0};
    const struct catalog_source from = {.bytes = x->body,
                                        .base = x->final_url,
                                        .alias = s->origin.label,
                                        .poppy = poppy,
                                        .strict = c->o.strict,
                                        .max_bytes = c->o.most_catalog_bytes};
    pap_result r = catalog_read(&s->arena, &from, &s->catalog, &fault);
    if (!is_ok(r)) {
        no_memory(o);
        return;
    }
    if (fault.code != SKILL_FINE) {
        r = fault_tell(&fault, &o->err);
        line_forget(&o->line, poppy ? LINE_DOCUMENT : LINE_LIST, x->url);
        if (is_html(x->body))
            err_more(&o->err, "; %.*s answers with a page for people, so there is probably no list",
                     PSTR(str_take(x->final_url, LIMIT_QUOTE)));
        finish(o, r);
        return;
    }
    note_facts(o, x, poppy);
    finish(o, s->facts.url.p ? session_ready(s, &o->err) : failure_tell((pap_result){PAP_NO_MEMORY}, NULL, &o->err));
}

/* ---- the layout before 0.2.0 ---- */

static void legacy_came(void *ctx, const struct exchange *x)
{
    struct opening *o = ctx;
    struct pap_skill_session *s = o->session;
    bool is_list = false;
    if (x->fault != FAULT_NONE || exchange_status(x) != 200) {
        refuse_answer(o, x);
        return;
    }
    s->facts.note =
        S("this is a list of the layout before 0.2.0: it has no digests, so that nothing of it can be verified, "
          "and none of its skills is fetched");
    if (!is_ok(legacy_read(&s->arena, x->body, x->final_url, &s->catalog, &is_list))) {
        no_memory(o);
    } else if (!is_list) {
        pap_result r = refuse(&o->err, SKILL_CATALOG_INVALID, "%.*s is no list of the layout before 0.2.0",
                              PSTR(str_take(x->final_url, LIMIT_QUOTE)));
        err_set(&o->err, SKILL_KEY_ORIGIN_ALIAS, s->origin.label);
        finish(o, r);
    } else {
        note_facts(o, x, false);
        s->facts.source = PAP_SKILL_FROM_LEGACY;
        finish(o,
               s->facts.url.p ? session_ready(s, &o->err) : failure_tell((pap_result){PAP_NO_MEMORY}, NULL, &o->err));
    }
}

/* Only where the origin says that there is nothing else, and only when it was asked for. */
static bool ask_legacy(struct opening *o, const struct exchange *x)
{
    const struct pap_skill_session *s = o->session;
    int status = exchange_status(x);
    if (!s->client->o.legacy || s->origin.kind != ORIGIN_DOMAIN || x->fault != FAULT_NONE ||
        (status != 404 && status != 410))
        return false;
    struct pap_str root = str_take(s->origin.url, str_find(s->origin.url, S("/.well-known/")));
    const struct request r = {.method = "GET",
                              .url = arena_fmt(&o->arena, "%.*s/.well-known/skills/index.json", PSTR(root)),
                              .accept = "application/json",
                              .cap = s->client->o.most_catalog_bytes,
                              .redirects = LIMIT_REDIRECTS};
    if (!r.url.p || !is_ok(line_ask(&o->line, LINE_LIST, &o->arena, &r, NULL, legacy_came, o)))
        no_memory(o);
    return true;
}

/* ---- the index ---- */

static void index_came(void *ctx, const struct exchange *x)
{
    struct opening *o = ctx;
    const struct line_answer *how = line_answer_of(&o->line, x->url);
    if (ask_legacy(o, x))
        return;
    if (x->fault != FAULT_NONE || exchange_status(x) != 200 || (how && how->unconfirmed))
        refuse_answer(o, x);
    else
        read_list(o, x, false);
}

static void ask_index(struct opening *o)
{
    const struct pap_skill_client *c = o->session->client;
    const struct request r = {.method = "GET",
                              .url = o->session->origin.url,
                              .accept = "application/json",
                              .cap = c->o.most_catalog_bytes,
                              .redirects = LIMIT_REDIRECTS};
    pap_result begun = line_ask(&o->line, LINE_LIST, &o->arena, &r, NULL, index_came, o);
    if (!is_ok(begun))
        no_memory(o);
}

/* ---- poppy.json ---- */

static void ask_index_instead(struct opening *o, const char *why)
{
    struct pap_skill_session *s = o->session;
    s->facts.note =
        arena_fmt(&s->arena, "the poppy.json of %.*s %s: this is its well-known index", PSTR(s->origin.authority), why);
    if (s->facts.note.p)
        ask_index(o);
    else
        no_memory(o);
}

static void refuse_company(struct opening *o, const struct pap_finding *f)
{
    pap_result r = refuse(&o->err, SKILL_COMPANY_REFUSED, "%.*s is not used: %.*s (%.*s%s%.*s)",
                          PSTR(o->session->origin.authority), PSTR(f->message), PSTR(str_take(f->where, LIMIT_QUOTE)),
                          f->at.n ? " at " : "", PSTR(str_take(f->at, LIMIT_QUOTE)));
    err_set_rule(&o->err, f->id);
    err_set(&o->err, SKILL_KEY_ORIGIN_ALIAS, o->session->origin.label);
    finish(o, r);
}

static const struct doc *poppy_of(const struct opening *o)
{
    return o->bundle.first ? o->bundle.first : bundle_any(&o->bundle, KIND_POPPY, ROLE_MAIN);
}

/* Everything that says whether the company may be believed is there. */
static void company_came(void *ctx, struct crawl *crawl)
{
    struct opening *o = ctx;
    const struct pap_finding *wrong;
    struct pap_err why = {0};
    const struct doc *d = poppy_of(o);
    if (crawl_failed(crawl)) {
        no_memory(o);
        return;
    }
    for (const struct doc *m = o->bundle.docs; m; m = m->next) {
        const struct line_answer *how = m->exchange ? line_answer_of(&o->line, m->exchange->url) : NULL;
        if (how && how->missed) {
            refuse_answer(o, m->exchange);
            return;
        }
    }
    pap_result r = company_judge(&o->arena, &o->bundle, client_now(o->session->client) / 1000, &wrong, &why);
    if (!is_ok(r))
        finish(o, failure_tell(r, &why, &o->err));
    else if (wrong)
        refuse_company(o, wrong);
    else
        read_list(o, d->exchange, true);
}

static const struct crawl_options company = {.kinds = OF(KIND_POPPY) | OF(KIND_METADATA)};

static void poppy_came(void *ctx, struct crawl *crawl)
{
    struct opening *o = ctx;
    const struct doc *d = poppy_of(o);
    if (crawl_failed(crawl) || !d) {
        no_memory(o);
        return;
    }
    const struct exchange *x = d->exchange;
    int status = exchange_status(x);
    if (x->fault == FAULT_NONE && (status == 404 || status == 410))
        ask_index_instead(o, status == 404 ? "is not there (404)" : "is gone (410)");
    else if (x->fault != FAULT_NONE || status != 200)
        refuse_answer(o, x);
    else if (json_is(d->root, JSON_OBJECT) && !json_get_c(d->root, "skill_index"))
        ask_index_instead(o, "has no skill_index");
    else if (!is_ok(crawl_documents(&o->arena, &o->line.base, &o->budget, &company, &o->bundle, company_came, o,
                                    &o->crawl)))
        no_memory(o);
}

static void ask_poppy(struct opening *o)
{
    static const struct crawl_options alone = {.kinds = OF(KIND_POPPY)};
    if (!is_ok(crawl_domain(&o->arena, &o->line.base, &o->budget, &alone, o->session->origin.authority, &o->bundle,
                            poppy_came, o, &o->crawl)))
        no_memory(o);
}

/* ---- an opening ---- */

void opening_begin(struct opening *o, struct pap_skill_session *s, struct transport *below, bool no_cache)
{
    *o = (struct opening){.session = s};
    arena_init(&o->arena, s->client->alloc);
    line_init(&o->line, s->client, below, &s->origin, &o->arena);
    o->line.no_cache = no_cache;
    if (s->origin.implied_index)
        s->facts.note = S("with a scope or header fields poppy.json is not asked: this is the well-known index");
    if (s->origin.kind == ORIGIN_FOLDER)
        finish(o, folder_open(s, &o->err));
    else if (s->origin.kind == ORIGIN_DOMAIN && !s->origin.named_index)
        ask_poppy(o);
    else
        ask_index(o);
}

void opening_fini(struct opening *o)
{
    arena_fini(&o->arena);
}

pap_result session_open(struct pap_skill_session *s, bool no_cache, struct pap_skill_err *err)
{
    struct transport *below = NULL;
    struct opening o;
    if (s->origin.kind != ORIGIN_FOLDER)
        TRY(client_take(s->client, &below, err));
    opening_begin(&o, s, below, no_cache);
    pap_result r = line_run(&o.line, &o.done, PAP_SKILL_LISTING, NULL, 0, err);
    if (below)
        client_give(s->client, below, r);
    if (is_ok(r) && !is_ok(o.result) && err)
        *err = o.err;
    r = is_ok(r) ? o.result : r;
    opening_fini(&o);
    return r;
}

pap_result pap_skill_session_open(struct pap_skill_client *client, const struct pap_skill_origin *origin,
                                  struct pap_skill_session **ret, struct pap_skill_err *err)
{
    struct pap_skill_session *s;
    TRY(session_new(client, &s, err));
    pap_result r = origin_read(&s->arena, origin, client->o.insecure_http, &s->origin, err);
    if (is_ok(r))
        r = session_open(s, false, err);
    if (!is_ok(r)) {
        session_discard(s);
        return r;
    }
    *ret = s;
    return OK;
}
