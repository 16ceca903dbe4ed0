/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/activate.h"

#include "skills/download.h"
#include "skills/folder.h"
#include "skills/open.h"
#include "skills/skill.h"

/* One activation under way. */
struct activation {
    struct pap_skill_session *session;
    struct arena arena;
    const struct catalog_entry *entry;
    const struct catalog_release *release;
    struct pap_skill_session *later; /* the list asked for again after a mismatch; entry and release are then its */
    bool alone;                      /* there is no list to ask again, and nobody knows here whether there was one */
    bool unasked;                    /* nobody asked for this release rather than the current one (decision 20) */
    struct pap_skill_err *err;
};

static pap_result out_of_memory(struct activation *x)
{
    return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, x->err);
}

/* What faults of the pure parts do not know. */
static pap_result add_context(struct activation *x, pap_result r)
{
    if (r.code == PAP_REFUSED) {
        err_set(x->err, SKILL_KEY_ORIGIN_ALIAS, x->session->origin.label);
        err_set(x->err, SKILL_KEY_SKILL_NAME, x->entry->name);
    }
    return r;
}

static struct artifact_want want_of(const struct activation *x, struct pap_str type)
{
    const struct pap_skill_options *o = &x->session->client->o;
    const struct catalog_entry *e = x->entry;
    return (struct artifact_want){.alias = x->session->origin.label,
                                  .name = e->name,
                                  .description = x->release == e->current ? e->description : str(NULL, 0),
                                  .type = x->release->type,
                                  .digest = x->release->digest,
                                  .url = x->release->url,
                                  .content_type = type,
                                  .strict = o->strict,
                                  .limits = {.archive = o->most_archive_bytes,
                                             .unpacked = o->most_unpacked_bytes,
                                             .file = o->most_file_bytes,
                                             .files = o->most_files}};
}

static struct cache_place place_of(const struct activation *x)
{
    const struct origin *o = &x->session->origin;
    return (struct cache_place){.origin = o->kind == ORIGIN_DOMAIN ? o->authority : o->url,
                                .url = x->release->url,
                                .scope = o->scope.p ? o->scope : S(""),
                                .memory = !o->scope.p && (o->n_headers || o->n_bound)};
}

/* Whoever asks for no version gets another release than clients that know none. */
static bool say_other(struct pap_skill *k, const struct activation *x)
{
    struct pap_skill_facts *f = &k->facts;
    const struct catalog_release *current = x->entry->current;
    if (!current || current == x->release)
        return true;
    f->warning =
        arena_fmt(&k->arena,
                  "%.*s%sthis is release %.*s, the highest that is stable and not deprecated; the list "
                  "itself offers %.*s",
                  PSTR(f->warning), f->warning.n ? "; " : "", PSTR(x->release->version), PSTR(current->version));
    return f->warning.p != NULL;
}

/* Where redirects led. */
static bool note_hops(struct pap_skill *k, const struct exchange *came)
{
    size_t n = came ? came->n_hops : 1;
    const char **urls = arena_new_array(&k->arena, n, const char *);
    bool ok = urls != NULL;
    for (size_t i = 1; ok && i < n; i++)
        ok = (urls[i - 1] = arena_cstr(&k->arena, came->hops[i].url)) != NULL;
    k->led_to = urls;
    return ok;
}

/* Out of bytes that have the digest. `came`: how, NULL where nothing was asked. Keeps them in the cache once the skill is
 * good. */
static pap_result make(struct activation *x, struct cache_object *object, struct pap_str type,
                       const struct exchange *came, struct pap_skill **ret)
{
    struct pap_skill_session *s = x->session;
    const struct artifact_want want = want_of(x, type);
    const struct cache_place place = place_of(x);
    struct pack_source from;
    struct pap_skill_release release;
    struct pap_skill *k;
    pap_result told = client_progress(s->client, PAP_SKILL_VERIFYING, 0, cache_object_size(object), x->err);
    if (!is_ok(told)) {
        cache_object_free(object);
        return told;
    }
    session_release(x->entry, x->release, &release);
    cache_object_source(object, &from);
    TRY(add_context(x, skill_make(s, &want, &from, object, &release, &k, x->err)));
    k->facts.from_cache = !came && s->origin.kind != ORIGIN_FOLDER;
    bool kept = note_hops(k, came) && (!x->unasked || say_other(k, x));
    if (kept && came)
        kept = is_ok(
            cache_object_keep(s->client->cache, object, &place, k->read.format, client_now(s->client) / 1000, NULL));
    if (!kept) {
        skill_drop(k);
        return out_of_memory(x);
    }
    *ret = k;
    return OK;
}

static struct pap_str type_of(enum pack_format f)
{
    return f == PACK_ZIP ? S("application/zip") : f == PACK_TAR_GZ ? S("application/gzip") : S("text/markdown");
}

/* What the cache has. *ret NULL: nothing, and it may be asked for. */
static pap_result from_cache(struct activation *x, struct pap_skill **ret)
{
    struct pap_skill_client *c = x->session->client;
    const struct cache_place place = place_of(x);
    struct cache_object *object = NULL;
    enum cache_state state = CACHE_MISS;
    struct pap_err why = {0};
    pap_result r = cache_object_get(c->cache, &place, x->release->digest, x->release->type == ARTIFACT_ARCHIVE,
                                    client_now(c) / 1000, &object, &state, &why);
    *ret = NULL;
    if (!is_ok(r))
        return failure_tell(r, &why, x->err);
    if (state == CACHE_FOUND)
        return make(x, object, type_of(cache_object_format(object)), NULL, ret);
    if (!c->o.offline)
        return OK;
    if (state == CACHE_CORRUPT) {
        r = refuse(x->err, SKILL_CACHE_CORRUPT,
                   "the cache held other bytes under %.*s, and offline no others are asked for",
                   PSTR(x->release->digest));
        err_set(x->err, SKILL_KEY_EXPECTED_DIGEST, x->release->digest);
    } else {
        r = refuse(x->err, SKILL_OFFLINE_MISS,
                   "%.*s was not asked: no request is made offline, and it is not in the cache",
                   PSTR(str_take(x->release->url, LIMIT_QUOTE)));
    }
    return add_context(x, r);
}

/* ---- a digest that is another one (decision 16) ---- */

static bool is_right(const struct activation *x, const struct download *d)
{
    return str_is(x->release->digest, cache_object_digest(d->object));
}

static pap_result mismatch(struct activation *x, const struct download *d)
{
    const char *cause = download_cause(&x->arena, x->later ? x->later : x->session, x->entry, x->release, d);
    pap_result r =
        refuse(x->err, SKILL_DIGEST_MISMATCH, "%.*s from %.*s has the digest %s, and %s %.*s: %s", PSTR(x->entry->name),
               PSTR(str_take(x->release->url, LIMIT_QUOTE)), cache_object_digest(d->object),
               x->alone ? "what is wanted has" : "the list says", PSTR(x->release->digest),
               cause      ? cause
               : x->alone ? "the file was changed since that was written down"
                          : "most likely the file was changed and the list was not made again, or one of the "
                            "two is an old copy");
    err_set_rule(x->err, "links.digest");
    err_set(x->err, SKILL_KEY_EXPECTED_DIGEST, x->release->digest);
    return add_context(x, r);
}

/* The list once more, past all copies on the way: the same release of it. False: there is none, and the refusal stands. */
static pap_result ask_list_again(struct activation *x, bool *ret_found)
{
    struct pap_skill_session *s;
    *ret_found = false;
    TRY(session_new(x->session->client, &s, x->err));
    s->origin = x->session->origin; /* its strings live longer */
    pap_result r = session_open(s, true, x->err);
    if (!is_ok(r) || s->facts.source != x->session->facts.source) {
        session_discard(s);
        return r.code == PAP_REFUSED ? OK : r;
    }
    x->later = s;
    const struct catalog_entry *e = catalog_find(&s->catalog, x->entry->name);
    const struct catalog_release *now = e && x->release->version.p ? catalog_release_find(e, x->release->version)
                                        : e                        ? e->current
                                                                   : NULL;
    if (!now || (x->release->version.p != NULL) != (now->version.p != NULL))
        return OK;
    x->entry = e;
    x->release = now;
    *ret_found = true;
    return OK;
}

static pap_result fetch(struct activation *x, bool no_cache, struct download *d)
{
    TRY(add_context(x, download(x->session, &x->arena, x->release, no_cache, d, x->err)));
    if (is_right(x, d) || x->session->client->o.strict)
        return OK;
    pap_result r = download_decode(x->session, &x->arena, x->release->digest, d, x->err);
    if (!is_ok(r))
        cache_object_free(d->object);
    return r;
}

/* Whatever differs may be a copy on the way that is older than the other one: both are asked for once more. */
static pap_result fetch_again(struct activation *x, struct download *d)
{
    bool found = false;
    struct download second;
    struct pap_str url = x->release->url;
    pap_result r = ask_list_again(x, &found);
    if (is_ok(r) && found && is_right(x, d) && str_eq(x->release->url, url))
        return OK; /* it was the list */
    if (is_ok(r) && found) {
        r = fetch(x, true, &second);
        if (is_ok(r)) {
            cache_object_free(d->object);
            *d = second;
            return OK;
        }
    }
    if (is_ok(r) || r.code == PAP_REFUSED)
        return OK; /* `d` stands */
    cache_object_free(d->object);
    return r;
}

static pap_result from_network(struct activation *x, struct pap_skill **ret)
{
    struct download d;
    TRY(fetch(x, false, &d));
    if (!is_right(x, &d) && !x->session->client->o.strict && !x->alone)
        TRY(fetch_again(x, &d));
    if (is_right(x, &d))
        return make(x, d.object, d.type, d.x, ret);
    pap_result r = mismatch(x, &d);
    cache_object_free(d.object);
    return r;
}

static pap_result from_folder(struct activation *x, struct pap_skill **ret)
{
    struct pap_str bytes;
    struct download d = {0};
    struct pap_err why = {0};
    TRY(add_context(x, folder_artifact(x->session, &x->arena, x->release->url, &bytes, x->err)));
    pap_result r = cache_object_of(x->session->client->cache, bytes, &d.object, &why);
    if (!is_ok(r))
        r = failure_tell(r, &why, x->err);
    else if (!is_right(x, &d))
        r = mismatch(x, &d);
    else
        return make(x, d.object, type_of(pack_sniff(bytes)), NULL, ret);
    cache_object_free(d.object);
    return r;
}

static pap_result run(struct activation *x, struct pap_skill **ret)
{
    if (!x->release->digest.n)
        return add_context(
            x, refuse(x->err, SKILL_ARTIFACT_UNSUPPORTED,
                      "%.*s is listed without a digest, as the layout before 0.2.0 has it: nothing says which "
                      "bytes are right, so that none are used; whoever publishes it has to list it by 0.2.0",
                      PSTR(x->entry->name)));
    if (x->session->origin.kind == ORIGIN_FOLDER)
        return from_folder(x, ret);
    TRY(from_cache(x, ret));
    return *ret ? OK : from_network(x, ret);
}

pap_result activate_release(struct pap_skill_session *s, const struct catalog_entry *e,
                            const struct catalog_release *release, enum activate_how how, struct pap_skill **ret,
                            struct pap_skill_err *err)
{
    struct pap_skill_err own = {0};
    struct activation x = {.session = s,
                           .entry = e,
                           .release = release,
                           .alone = how == ACTIVATE_ALONE,
                           .unasked = how == ACTIVATE_ANY,
                           .err = err ? err : &own};
    arena_init(&x.arena, s->client->alloc);
    pap_result r = run(&x, ret);
    if (x.later)
        session_discard(x.later);
    arena_fini(&x.arena);
    return r;
}
