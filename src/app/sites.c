/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sites.h"

#include <stdlib.h>

#include "sys/clock.h"
#include "text/host.h"

/* ---- names ---- */

enum { NAME_MOST = 254 };

/* In lower case, without a port and a dot at the end; p NULL when it is too long for a name. */
static struct pap_str name_of(struct pap_str authority, char room[static NAME_MOST])
{
    size_t colon = str_rfind_char(authority, ':');
    bool is_ipv6 = str_starts(authority, S("["));
    struct pap_str host = is_ipv6 ? str_take(authority, str_find_char(authority, ']') + 1) : str_take(authority, colon);
    if (str_ends(host, S(".")))
        host = str_take(host, host.n - 1);
    if (host.n > NAME_MOST)
        return str(NULL, 0);
    for (size_t i = 0; i < host.n; i++)
        room[i] = ascii_lower(host.p[i]);
    return str(room, host.n);
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct site_name *)a)->name, ((const struct site_name *)b)->name);
}

/* The site of "host[:port]", or of a name from TLS; NULL when there is none. */
static struct site *find_site(const struct sites *s, struct pap_str authority)
{
    char room[NAME_MOST];
    const struct site_name key = {.name = name_of(authority, room)};
    const struct site_name *found = key.name.n ? bsearch(&key, s->names, s->n_names, sizeof key, by_name) : NULL;
    return found ? found->site : NULL;
}

const void *sites_named(const struct sites *s, struct pap_str name)
{
    const struct site *site = find_site(s, name);
    return site ? site : s->fallback ? s->fallback : (const void *)s;
}

struct site *sites_choose(const struct sites *s, const struct http_request *q)
{
    struct site *site = find_site(s, q->authority);
    site = site ? site : s->fallback;
    return q->named && q->named != site ? NULL : site;
}

/* ---- made ---- */

static pap_result add_name(struct sites *s, struct site *site, const char *name, struct pap_err *err)
{
    char room[NAME_MOST];
    const char *why;
    if (!host_is_name(str_c(name), &why))
        return fail(err, PAP_USAGE, "\"%s\" is no domain: it holds %s", name, why);
    struct pap_str lower = arena_str(&s->arena, name_of(str_c(name), room));
    if (!lower.p)
        return fail_memory(err);
    for (size_t i = 0; i < s->n_names; i++)
        if (str_eq(s->names[i].name, lower))
            return fail(err, PAP_USAGE, "%s is the name of two sites", name);
    s->names[s->n_names++] = (struct site_name){lower, site};
    return OK;
}

static pap_result add_names(struct sites *s, struct site *site, struct pap_err *err)
{
    if (!site->o->domain || !*site->o->domain)
        return fail(err, PAP_USAGE, "a site has no domain");
    TRY(add_name(s, site, site->o->domain, err));
    for (const char *const *alias = site->o->aliases; alias && *alias; alias++)
        TRY(add_name(s, site, *alias, err));
    return OK;
}

static pap_result open_site(struct sites *s, struct site *site, const struct pap_serve_options *o, struct asker *asker,
                            struct pap_err *err)
{
    const struct pap_serve_site *so = site->o;
    if ((so->open || so->ask) && !so->n_scopes)
        return fail(err, PAP_USAGE, "what is open, and who is asked, needs scopes");
    if (so->n_scopes)
        TRY(access_make(&s->arena, so, &site->access, err));
    if (so->ask) {
        TRY(asker_check_url(so->ask, err));
        site->asked = (struct asked){asker, so->ask};
        site->access->ask = asker_ask;
        site->access->ask_ctx = &site->asked;
    }
    return source_init(&site->source, &s->arena, o, so, site->access, err);
}

static pap_result open_all(struct sites *s, const struct pap_serve_options *o, const struct pap_serve_site *sites,
                           size_t n, struct asker *asker, struct pap_err *err)
{
    size_t names = 0;
    for (size_t i = 0; i < n; i++) {
        names++;
        for (const char *const *alias = sites[i].aliases; alias && *alias; alias++)
            names++;
    }
    s->at = arena_new_array(&s->arena, n, struct site);
    s->names = arena_new_array(&s->arena, names, struct site_name);
    if (!s->at || !s->names)
        return fail_memory(err);
    for (; s->n < n; s->n++) {
        struct site *site = &s->at[s->n];
        site->o = &sites[s->n];
        site->watch.fd = -1;
        if (o->n_sites)
            TRY(add_names(s, site, err));
        TRY(open_site(s, site, o, asker, err));
    }
    qsort(s->names, s->n_names, sizeof *s->names, by_name);
    return OK;
}

pap_result sites_open(struct sites *s, const struct pap_serve_options *o, struct asker *asker, struct pap_err *err)
{
    *s = (struct sites){.only = {.domain = o->domain,
                                 .folder = o->folder,
                                 .scopes = o->scopes,
                                 .n_scopes = o->n_scopes,
                                 .open = o->open,
                                 .ask = o->ask,
                                 .publish = o->publish}};
    arena_init(&s->arena, o->alloc);
    if (o->n_sites > LIMIT_HOST_SITES)
        return fail(err, PAP_USAGE, "a server can have %d sites", LIMIT_HOST_SITES);
    if (o->fallback && !o->n_sites)
        return fail(err, PAP_USAGE, "without sites every name is answered; nothing falls back to %s", o->fallback);
    TRY(open_all(s, o, o->n_sites ? o->sites : &s->only, o->n_sites ? o->n_sites : 1, asker, err));
    s->fallback = o->fallback ? find_site(s, str_c(o->fallback)) : NULL;
    return o->fallback && !s->fallback ? fail(err, PAP_USAGE, "%s is the domain of no site", o->fallback) : OK;
}

bool sites_ask(const struct pap_serve_options *o)
{
    bool any = o->ask != NULL;
    for (size_t i = 0; i < o->n_sites; i++)
        any = any || o->sites[i].ask;
    return any;
}

static pap_result load_site(struct site *site, const struct pap_serve_options *o, struct pap_err *err)
{
    struct generation *first;
    /* Watched before it is read, so that no change falls between. */
    TRY(watch_open(&site->watch, o->no_watch ? NULL : site->source.folder, site->source.watched, o->control, err));
    TRY(source_load(&site->source, NULL, &first, err));
    host_init(&site->host, first);
    site->runs = true;
    atomic_store(&site->loaded, clock_system.unix_seconds(&clock_system));
    return OK;
}

pap_result sites_load(struct sites *s, const struct pap_serve_options *o, struct pap_err *err)
{
    for (size_t i = 0; i < s->n; i++) {
        struct pap_err why = {.text = ""};
        pap_result r = load_site(&s->at[i], o, &why);
        if (!is_ok(r))
            return s->n_names ? fail(err, r.code, "%s: %s", s->at[i].o->domain, why.text)
                              : fail(err, r.code, "%s", why.text);
    }
    return OK;
}

void sites_close(struct sites *s)
{
    for (size_t i = 0; i < s->n; i++) {
        watch_close(&s->at[i].watch);
        if (s->at[i].runs)
            host_fini(&s->at[i].host);
    }
    arena_fini(&s->arena);
}
