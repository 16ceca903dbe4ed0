/* SPDX-License-Identifier: Apache-2.0
 *
 * Origins as a lock names them. And where an artifact may come from when nobody is asked: a lock is changed in a pull request as easily as code is, and a URL
 * of another host is the part of it that a reader passes over.
 */
#include <stdlib.h>

#include "skills/installing.h"
#include "skills/origin.h"
#include "sys/stage.h"
#include "text/uri.h"

/* ---- folders ---- */

static bool is_relative(struct pap_str place)
{
    return origin_is_folder(place) && place.p[0] != '/';
}

struct pap_str install_place_from_lock(struct pap_install *in, struct pap_str origin)
{
    struct pap_str folder = str_c(in->folder);
    if (!is_relative(origin) || str_is(folder, "."))
        return origin;
    /* "lib/./skills" would be a domain */
    return arena_fmt(&in->arena, "%s%.*s/%.*s", str_find_char(S("./"), folder.p[0]) < 2 ? "" : "./", PSTR(folder),
                     PSTR(origin));
}

/* From folder to folder, both absolute and without links: "./skills", "../shared/skills". */
static struct pap_str relative(struct arena *a, struct pap_str from, struct pap_str to)
{
    struct pap_str part, other, rest, way = S("./");
    for (rest = to; str_next(&from, '/', &part);) {
        struct pap_str before = rest;
        if (way.n == 2 && str_next(&rest, '/', &other) && str_eq(part, other))
            continue;
        rest = before;
        way = arena_fmt(a, "%s../", way.n == 2 ? "" : way.p);
        if (!way.p)
            return way;
    }
    return arena_fmt(a, "%.*s%.*s", PSTR(way), PSTR(rest));
}

struct pap_str install_place_to_lock(struct pap_install *in, struct pap_str place, const struct lock_skill *had)
{
    struct arena *a = &in->arena;
    const char *now = arena_cstr(a, place);
    if (!now || !origin_is_folder(place))
        return arena_str(a, place);
    struct pap_str real = path_real(a, now), root = path_real(a, in->folder);
    struct pap_str was = had && origin_is_folder(had->origin) ? path_real(a, had->place.p) : S("");
    if (!real.p || !root.p || !was.p)
        return str(NULL, 0);
    if (was.n && str_eq(was, real))
        return had->origin;
    return is_relative(place) && !str_is(str_c(in->folder), ".") ? relative(a, root, real) : arena_str(a, place);
}

/* ---- hosts ---- */

pap_result install_judge_url(const struct lock_skill *s, const char *shown, struct pap_skill_err *err)
{
    struct uri u;
    size_t at;
    const char *why = "it is no URL";
    if (origin_is_folder(s->origin))
        return str_find(s->url, S("://")) == s->url.n
                   ? OK
                   : refuse(err, SKILL_LOCK_MISMATCH, "%s: the url of %s leads out of its folder: %s", shown, s->name.p,
                            s->url.p);
    bool web = uri_parse(s->url, &u, &at, &why) && uri_is_web(&u, &why);
    bool safe = web && (str_is(u.scheme, "https") || host_is_loopback(u.host));
    if (safe && origin_allows(s->origin, s->artifact_hosts, &u))
        return OK;
    (void)refuse(err, SKILL_LOCK_MISMATCH,
                 "%s: %s is of %s, but its url is %s%s; only that host and those of \"artifact_hosts\" are asked",
                 shown, s->name.p, s->origin.p, s->url.p, safe ? "" : ", which is not https");
    err_set(err, SKILL_KEY_SKILL_NAME, s->name);
    return (pap_result){PAP_REFUSED};
}

pap_result pap_install_url_allowed(const struct pap_install *in, size_t i, struct pap_skill_err *err)
{
    return install_judge_url(&in->lock.skills[i], in->shown, err);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The host of the URL, if it is one more. */
static pap_result add_host(struct arena *a, struct lock_skill *s, struct pap_str url, struct pap_skill_err *err)
{
    struct uri u;
    size_t at, n = 0;
    const char *why;
    if (origin_is_folder(s->origin) || !uri_parse(url, &u, &at, &why) ||
        origin_allows(s->origin, s->artifact_hosts, &u))
        return OK;
    while (s->artifact_hosts[n])
        n++;
    const char **more = arena_new_array(a, n + 2, const char *);
    struct pap_str host = uri_port(&u) == 443 ? u.host : arena_fmt(a, "%.*s:%u", PSTR(u.host), uri_port(&u));
    if (!more || !host.p || !(more[n] = arena_cstr(a, host)))
        return install_tell(fail_memory(NULL), NULL, err);
    if (n)
        memcpy(more, s->artifact_hosts, n * sizeof *more);
    qsort(more, n + 1, sizeof *more, by_text);
    s->artifact_hosts = more;
    return OK;
}

pap_result install_settle_hosts(struct arena *a, const struct lock_skill *before, struct lock_skill *after,
                                const char *const *led_to, struct pap_skill_err *err)
{
    if (before)
        after->artifact_hosts = before->artifact_hosts;
    TRY(add_host(a, after, after->url, err));
    for (; led_to && *led_to; led_to++)
        TRY(add_host(a, after, str_c(*led_to), err));
    return OK;
}
