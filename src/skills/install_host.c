/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an artifact may come from when nobody is asked: a lock is changed in a pull request as easily as code is, and a URL
 * of another host is the part of it that a reader passes over.
 */
#include <stdlib.h>

#include "skills/installing.h"
#include "text/uri.h"

/* "host[:port]" of an origin, its host without "www."; false for a folder. */
static bool origin_host(struct pap_str origin, struct pap_str *ret_host, uint32_t *ret_port)
{
    struct uri u;
    size_t at;
    const char *why;
    if (str_find(origin, S("://")) < origin.n) {
        if (!uri_parse(origin, &u, &at, &why) || !u.host.n)
            return false;
        *ret_host = host_bare(u.host);
        *ret_port = uri_port(&u);
        return true;
    }
    if (!origin.n || str_find_char(origin, '/') < origin.n || origin.p[0] == '.' || origin.p[0] == '~')
        return false;
    uint64_t port = 443;
    size_t colon = str_find_char(origin, ':');
    if (colon < origin.n && (!str_to_u64(str_skip(origin, colon + 1), &port) || port > 65535))
        return false;
    *ret_host = host_bare(str_take(origin, colon));
    *ret_port = (uint32_t)port;
    return true;
}

bool install_is_folder(struct pap_str origin)
{
    struct pap_str host;
    uint32_t port;
    return !origin_host(origin, &host, &port) && str_find(origin, S("://")) == origin.n;
}

static bool is_at(const struct uri *u, struct pap_str host_port)
{
    struct pap_str host;
    uint32_t port;
    return origin_host(host_port, &host, &port) && str_eq_nocase(host, host_bare(u->host)) && port == uri_port(u);
}

/* A folder's files are where the folder is; nothing is fetched. */
static bool allowed(const struct lock_skill *s, const struct uri *u)
{
    struct pap_str host;
    uint32_t port;
    if (!origin_host(s->origin, &host, &port))
        return install_is_folder(s->origin);
    if (str_eq_nocase(host, host_bare(u->host)) && port == uri_port(u))
        return true;
    for (const char *const *h = s->artifact_hosts; *h; h++)
        if (is_at(u, str_c(*h)))
            return true;
    return false;
}

pap_result install_judge_url(const struct lock_skill *s, const char *shown, struct pap_skill_err *err)
{
    struct uri u;
    size_t at;
    const char *why = "it is no URL";
    if (install_is_folder(s->origin))
        return str_find(s->url, S("://")) == s->url.n
                   ? OK
                   : refuse(err, SKILL_LOCK_MISMATCH, "%s: the url of %s leads out of its folder: %s", shown, s->name.p,
                            s->url.p);
    bool web = uri_parse(s->url, &u, &at, &why) && uri_is_web(&u, &why);
    bool safe = web && (str_is(u.scheme, "https") || host_is_loopback(u.host));
    if (safe && allowed(s, &u))
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

/* The hosts of the lock before, and that of the URL if it is none of them. */
pap_result install_settle_hosts(struct arena *a, const struct lock_skill *before, struct lock_skill *after,
                                struct pap_skill_err *err)
{
    struct uri u;
    size_t at, n = 0;
    const char *why;
    const char *const *had = before ? before->artifact_hosts : after->artifact_hosts;
    after->artifact_hosts = had;
    if (install_is_folder(after->origin) || !uri_parse(after->url, &u, &at, &why) || allowed(after, &u))
        return OK;
    while (had[n])
        n++;
    const char **more = arena_new_array(a, n + 2, const char *);
    struct pap_str host = uri_port(&u) == 443 ? u.host : arena_fmt(a, "%.*s:%u", PSTR(u.host), uri_port(&u));
    if (!more || !host.p || !(more[n] = arena_cstr(a, host)))
        return install_tell(fail_memory(NULL), NULL, err);
    if (n)
        memcpy(more, had, n * sizeof *more);
    qsort(more, n + 1, sizeof *more, by_text);
    after->artifact_hosts = more;
    return OK;
}
