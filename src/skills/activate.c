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
    bool alone;                      /* there is no list to ask again */
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
                                .memory = !o->scope.p && o->n_headers};
}

/* Out of bytes that have the digest. Keeps them in the cache once the skill is good. */
static pap_result make(struct activation *x, struct cache_object *object, struct pap_str type, bool fetched,
                       struct pap_skill **ret)
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
    k->facts.from_cache = !fetched && s->origin.kind != ORIGIN_FOLDER;
    if (fetched && !is_ok(cache_object_keep(s->client->cache, object, &place, k->read.format,
                                            client_now(s->client) / 1000, NULL))) {
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
        return make(x, object, type_of(cache_object_format(object)), false, ret);
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
    pap_result r = refuse(x->err, SKILL_DIGEST_MISMATCH, "%.*s from %.*s has the digest %s, and the list says %.*s: %s",
                          PSTR(x->entry->name), PSTR(str_take(x->release->url, LIMIT_QUOTE)),
                          cache_object_digest(d->object), PSTR(x->release->digest), cause);
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
    pap_result r = ask_list_again(x, &found);
    if (is_ok(r) && found) {
        r = fetch(x, true, &second);
        if (is_ok(r)) {
            cache_object_free(d->object);
            *d = second;
            return OK;
        }
    }
    if (is_ok(r))
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
        return make(x, d.object, d.type, true, ret);
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
    pap_result r = cache_object_new(x->session->client->cache, &d.object, &why);
    r = is_ok(r) ? cache_object_add(d.object, bytes, &why) : r;
    r = is_ok(r) ? cache_object_seal(d.object, &why) : r;
    if (!is_ok(r))
        r = failure_tell(r, &why, x->err);
    else if (!is_right(x, &d))
        r = mismatch(x, &d);
    else
        return make(x, d.object, type_of(pack_sniff(bytes)), false, ret);
    cache_object_free(d.object);
    return r;
}

static pap_result run(struct activation *x, struct pap_skill **ret)
{
    if (!x->release->digest.n)
        return add_context(
            x, refuse(x->err, SKILL_ARTIFACT_UNSUPPORTED,
                      "%.*s is listed without a digest, as the layout before 0.2.0 has it: nothing says which "
                      "bytes are right, so that none are used",
                      PSTR(x->entry->name)));
    if (x->session->origin.kind == ORIGIN_FOLDER)
        return from_folder(x, ret);
    TRY(from_cache(x, ret));
    return *ret ? OK : from_network(x, ret);
}

pap_result activate_release(struct pap_skill_session *s, const struct catalog_entry *e,
                            const struct catalog_release *release, bool alone, struct pap_skill **ret,
                            struct pap_skill_err *err)
{
    struct pap_skill_err own = {0};
    struct activation x = {.session = s, .entry = e, .release = release, .alone = alone, .err = err ? err : &own};
    arena_init(&x.arena, s->client->alloc);
    pap_result r = run(&x, ret);
    if (x.later)
        session_discard(x.later);
    arena_fini(&x.arena);
    return r;
}

/* ---- one release a name, one download at a time ---- */

static struct pin *find_pin(const struct pap_skill_session *s, struct pap_str name)
{
    struct pin *p = s->pins;
    while (p && !str_eq(p->name, name))
        p = p->next;
    return p;
}

static void free_pin(struct pap_skill_session *s, struct pin *p)
{
    (void)alloc_resize(s->client->alloc, p, sizeof *p, 0);
}

static void take_out(struct pap_skill_session *s, const struct pin *p)
{
    struct pin **at = &s->pins;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
}

/* Waits for whoever is at it. With the lock held. */
static pap_result join(struct pap_skill_session *s, struct pin *p, struct pap_skill **ret, struct pap_skill_err *err)
{
    p->waiting++;
    while (!p->skill && !p->failed)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    p->waiting--;
    if (!p->failed) {
        p->skill->refs++;
        *ret = p->skill;
        return OK;
    }
    pap_result r = p->result;
    if (err)
        *err = p->err;
    if (!p->waiting)
        free_pin(s, p);
    return r;
}

/* With the lock held: what came of it, for everybody who waits. */
static void settle(struct pap_skill_session *s, struct pin *p, pap_result r, struct pap_skill *k)
{
    if (is_ok(r)) {
        k->refs++; /* the session's */
        p->skill = k;
    } else {
        p->result = r;
        p->failed = true;
        take_out(s, p);
    }
    (void)pthread_cond_broadcast(&s->changed);
    if (p->failed && !p->waiting)
        free_pin(s, p);
}

/* *ret_gone: the name was being activated, and that failed just now; who chose nothing of his own has to choose. */
static pap_result pinned(struct pap_skill_session *s, const struct catalog_choice *choice, struct pap_skill **ret,
                         bool *ret_gone, struct pap_skill_err *err)
{
    struct pin *mine = alloc_resize(s->client->alloc, NULL, 0, sizeof *mine);
    if (!mine)
        return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
    *mine = (struct pin){.name = choice->entry->name};
    (void)pthread_mutex_lock(&s->lock);
    struct pin *p = find_pin(s, mine->name);
    *ret_gone = !p && !choice->release;
    if (!p && choice->release)
        mine->next = s->pins, s->pins = mine;
    pap_result r = p ? join(s, p, ret, err) : OK;
    (void)pthread_mutex_unlock(&s->lock);
    if (p || *ret_gone) {
        free_pin(s, mine);
        return r;
    }
    struct pap_skill *k = NULL;
    r = activate_release(s, choice->entry, choice->release, false, &k, &mine->err);
    if (!is_ok(r) && err)
        *err = mine->err;
    (void)pthread_mutex_lock(&s->lock);
    settle(s, mine, r, k);
    (void)pthread_mutex_unlock(&s->lock);
    if (is_ok(r))
        *ret = k;
    return r;
}

/* A name that was activated before keeps its release, whatever range is asked for (R-ACT-5). */
static pap_result choose(struct pap_skill_session *s, const char *name, const char *range, struct catalog_choice *ret,
                         struct pap_skill_err *err)
{
    struct arena a;
    struct skill_fault fault = {0};
    (void)pthread_mutex_lock(&s->lock);
    bool known = find_pin(s, str_c(name)) != NULL;
    (void)pthread_mutex_unlock(&s->lock);
    if (known) {
        *ret = (struct catalog_choice){.entry = catalog_find(&s->catalog, str_c(name))};
        return OK;
    }
    arena_init(&a, s->client->alloc);
    pap_result r = catalog_select(&a, &s->catalog, s->origin.label, str_c(name), str_c(range), ret, &fault);
    if (!is_ok(r))
        r = failure_tell(r, NULL, err);
    else if (fault.code != SKILL_FINE)
        r = fault_tell(&fault, err);
    arena_fini(&a);
    return r;
}

pap_result pap_skill_activate(struct pap_skill_session *session, const char *name, const char *range,
                              struct pap_skill **ret, struct pap_skill_err *err)
{
    struct catalog_choice choice = {0};
    bool gone = true;
    TRY(session_enter(session, err));
    pap_result r = OK;
    while (is_ok(r) && gone) {
        r = choose(session, name ? name : "", range, &choice, err);
        if (is_ok(r))
            r = pinned(session, &choice, ret, &gone, err);
    }
    session_leave(session);
    return r;
}
