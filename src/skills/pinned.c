/* SPDX-License-Identifier: Apache-2.0
 *
 * A release that a lock names: its digest is known, so that no list is asked.
 */
#include "skills/activate.h"
#include "text/json.h"

static pap_result wrong(struct pap_skill_err *err, const char *field, struct pap_str value)
{
    pap_result r = refuse(err, SKILL_CONFIGURATION_INVALID, "\"%.*s\" is no %s of a release",
                          PSTR(str_take(value, LIMIT_QUOTE)), field);
    err_set(err, SKILL_KEY_FIELD, str_c(field));
    return r;
}

/* The URL of a lock is somebody's word like any other: https, or http where the origin itself is plain http. */
static bool is_good_url(const struct origin *o, struct pap_str url, const char *const *hosts)
{
    struct uri u;
    size_t at;
    const char *why;
    if (o->kind == ORIGIN_FOLDER)
        return url.n > 0;
    return uri_parse(url, &u, &at, &why) && uri_is_web(&u, &why) && !u.fragment.p &&
           (str_eq_nocase(u.scheme, S("https")) || str_starts(o->url, S("http:"))) &&
           (!hosts || origin_allows(o->place, hosts, &u));
}

static pap_result read_pin(struct arena *a, const struct origin *o, const struct pap_skill_pin *pin,
                           struct catalog_entry *e, struct catalog_release *r, struct pap_skill_err *err)
{
    struct pap_str name = str_c(pin->name ? pin->name : ""), type = str_c(pin->type ? pin->type : "");
    struct digest parsed;
    struct pap_str url = str_c(pin->url ? pin->url : ""), digest = str_c(pin->digest ? pin->digest : "");
    if (!name.n || name.n > LIMIT_SKILL_NAME)
        return wrong(err, "name", name);
    if (!str_is(type, "skill-md") && !str_is(type, "archive"))
        return wrong(err, "type", type);
    if (!is_good_url(o, url, pin->hosts))
        return wrong(err, "url", url);
    if (!digest_parse(digest, &parsed))
        return wrong(err, "digest", digest);
    *r = (struct catalog_release){.type = str_is(type, "archive") ? ARTIFACT_ARCHIVE : ARTIFACT_SKILL_MD,
                                  .url = arena_str(a, url),
                                  .digest = arena_str(a, digest)};
    if (pin->version) {
        r->version = arena_str(a, str_c(pin->version));
        if (!r->version.p || !semver_parse(r->version, &r->semver))
            return wrong(err, "version", str_c(pin->version));
    }
    /* It is not the current one of any list, so that no description is compared. */
    *e = (struct catalog_entry){.name = arena_str(a, name), .description = S(""), .releases = r, .n_releases = 1};
    return r->url.p && r->digest.p && e->name.p ? OK : failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
}

/* What SKILL.md says of its version, where it says something. */
static pap_result check_version(const struct pap_skill *k, const struct catalog_release *r, struct pap_skill_err *err)
{
    struct pap_str said = json_str(json_get_c(json_get_c(k->read.front, "metadata"), "version"));
    if (!r->version.p || !said.p || str_eq(said, r->version))
        return OK;
    pap_result refused =
        refuse(err, SKILL_LOCK_MISMATCH, "%.*s says that it is version \"%.*s\", and the lock says %.*s",
               PSTR(k->read.name), PSTR(str_take(said, LIMIT_QUOTE)), PSTR(r->version));
    err_set(err, SKILL_KEY_SKILL_NAME, k->read.name);
    return refused;
}

static pap_result activate(struct pap_skill_session *s, const struct pap_skill_origin *origin,
                           const struct pap_skill_pin *pin, struct pap_skill **ret, struct pap_skill_err *err)
{
    struct catalog_entry *e = arena_new(&s->arena, struct catalog_entry);
    struct catalog_release *r = arena_new(&s->arena, struct catalog_release);
    struct pap_skill *k;
    if (!e || !r)
        return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
    TRY(origin_read(&s->arena, origin, s->client->o.insecure_http, &s->origin, err));
    TRY(read_pin(&s->arena, &s->origin, pin, e, r, err));
    s->hosts = pin->hosts;
    TRY(activate_release(s, e, r, ACTIVATE_ALONE, &k, err));
    pap_result checked = check_version(k, r, err);
    if (!is_ok(checked)) {
        skill_drop(k);
        return checked;
    }
    *ret = k;
    return OK;
}

pap_result pap_skill_activate_pinned(struct pap_skill_client *client, const struct pap_skill_origin *origin,
                                     const struct pap_skill_pin *pin, struct pap_skill **ret, struct pap_skill_err *err)
{
    struct pap_skill_session *s;
    TRY(session_new(client, &s, err));
    pap_result r = activate(s, origin, pin, ret, err);
    session_drop(s); /* the skill holds it */
    return r;
}
