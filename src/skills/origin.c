/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/origin.h"

#include "base/limits.h"
#include "text/host.h"
#include "text/httpval.h"

enum { LABEL_MOST = 63 };

static const char index_path[] = "/.well-known/agent-skills/index.json";

static pap_result at_field(pap_result r, struct pap_str field, struct pap_skill_err *err)
{
    err_set(err, SKILL_KEY_FIELD, field);
    return r;
}

/* `field` may be a header field's name; the format takes the value, and why. */
#define WRONG(field, fmt, value, why) \
    at_field(refuse(err, SKILL_CONFIGURATION_INVALID, fmt, PSTR(str_take((value), LIMIT_QUOTE)), (why)), (field), err)

static pap_result no_memory(struct pap_skill_err *err)
{
    return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
}

/* ---- the place ---- */

static struct pap_str lower(struct arena *a, struct pap_str s)
{
    struct pap_str kept = arena_str(a, s);
    for (size_t i = 0; kept.p && i < kept.n; i++)
        ((char *)(uintptr_t)kept.p)[i] = ascii_lower(kept.p[i]);
    return kept;
}

static pap_result read_url(struct arena *a, bool insecure_http, struct origin *o, struct pap_skill_err *err)
{
    struct uri u;
    size_t at = 0;
    const char *why = NULL;
    if (!uri_parse(o->place, &u, &at, &why) || !uri_is_web(&u, &why))
        return WRONG(S("url"), "\"%.*s\" is no URL that can be asked: it has %s", o->place, why);
    bool https = str_eq_nocase(u.scheme, S("https"));
    if (!https && !(insecure_http && host_is_loopback(u.host)))
        return WRONG(S("url"), "%.*s is not https%s", o->place, insecure_http ? ", and its host is not loopback" : "");
    if (u.query.p || u.fragment.p)
        return WRONG(S("url"), "%.*s has %s, which the URL of an index has not", o->place,
                     u.query.p ? "a query" : "a fragment");
    struct pap_str origin = uri_origin(a, &u);
    if (!origin.p)
        return no_memory(err);
    o->authority = str_skip(origin, str_find(origin, S("://")) + 3);
    o->kind = u.path.n > 1 ? ORIGIN_INDEX : ORIGIN_DOMAIN;
    /* Plain http has no poppy.json: nothing of what it says could be believed. */
    o->named_index |= !https;
    o->url = o->kind == ORIGIN_INDEX ? arena_str(a, o->place) : arena_fmt(a, "%.*s%s", PSTR(origin), index_path);
    return o->url.p ? OK : no_memory(err);
}

static pap_result read_domain(struct arena *a, struct origin *o, struct pap_skill_err *err)
{
    const char *why = "a port that is no number from 1 to 65535";
    uint64_t port = 443;
    size_t user = str_rfind_char(o->place, '@');
    if (user < o->place.n) /* what stands before it is never repeated */
        return WRONG(S("url"), "\"[hidden]%.*s\" is no domain: it has %s", str_skip(o->place, user), "a user name");
    if (str_find_char(o->place, '/') < o->place.n)
        return WRONG(S("url"), "\"%.*s\" is no domain: it has %s", o->place,
                     "a path; a URL begins with https://, a folder with ./");
    size_t colon = str_find_char(o->place, ':');
    struct pap_str host = str_take(o->place, colon);
    if (colon < o->place.n && (!str_to_u64(str_skip(o->place, colon + 1), &port) || port < 1 || port > 65535))
        return WRONG(S("url"), "\"%.*s\" is no domain: it has %s", o->place, why);
    if (!host_is_name(host, &why))
        return WRONG(S("url"), "\"%.*s\" is no domain: it has %s", o->place, why);
    if (str_find_char(host, '.') == host.n && !str_eq_nocase(host, S("localhost")))
        return WRONG(S("url"), "\"%.*s\" is no domain: it has no dot%s", o->place,
                     "; a folder is written ./ before it");
    o->kind = ORIGIN_DOMAIN;
    o->authority = lower(a, port == 443 ? host : o->place);
    o->url = arena_fmt(a, "https://%.*s%s", PSTR(o->authority), index_path);
    return o->authority.p && o->url.p ? OK : no_memory(err);
}

bool origin_is_folder(struct pap_str p)
{
    return p.n && str_find(p, S("://")) == p.n &&
           (p.p[0] == '.' || p.p[0] == '/' || p.p[0] == '~' || p.p[p.n - 1] == '/');
}

bool pap_skill_place_is_folder(const char *place)
{
    return origin_is_folder(str_c(place));
}

static pap_result read_place(struct arena *a, bool insecure_http, struct origin *o, struct pap_skill_err *err)
{
    struct pap_str p = o->place;
    if (!p.n || p.n > LIMIT_URL || str_find_char(p, '\0') < p.n)
        return WRONG(S("url"), "an origin is a domain, a URL or a folder, not \"%.*s\"%s", p, "");
    if (str_find(p, S("://")) < p.n)
        return read_url(a, insecure_http, o, err);
    if (origin_is_folder(p)) {
        o->kind = ORIGIN_FOLDER;
        o->path = p.p;
        o->authority = o->url = S("");
        return OK;
    }
    return read_domain(a, o, err);
}

/* ---- the rest ---- */

static pap_result read_label(struct arena *a, const char *label, struct origin *o, struct pap_skill_err *err)
{
    struct pap_str s = str_c(label);
    if (!label) {
        o->label = o->kind == ORIGIN_FOLDER ? S("folder") : arena_str(a, o->host);
        return o->label.p ? OK : no_memory(err);
    }
    bool good = s.n > 0 && s.n <= LABEL_MOST && s.p[0] >= 'a' && s.p[0] <= 'z';
    for (size_t i = 0; good && i < s.n; i++)
        good = (s.p[i] >= 'a' && s.p[i] <= 'z') || ascii_is_digit(s.p[i]) || memchr("._-", s.p[i], 3);
    if (!good)
        return WRONG(S("label"),
                     "\"%.*s\" is no label: a small letter, then at most 62 of a-z, 0-9, '.', '_' and '-'%s", s, "");
    o->label = arena_str(a, s);
    return o->label.p ? OK : no_memory(err);
}

bool origin_is_scope(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x21 || s.p[i] > 0x7e || s.p[i] == ',')
            return false;
    return s.n > 0 && s.n <= LIMIT_SCOPE_NAME;
}

static pap_result read_scope(struct arena *a, const char *scope, struct origin *o, struct pap_skill_err *err)
{
    struct pap_str s = str_c(scope);
    if (!scope)
        return OK;
    if (!origin_is_scope(s))
        return WRONG(S("scope"), "\"%.*s\" is no scope: 1 to 128 visible ASCII characters without a comma%s", s, "");
    if (o->kind == ORIGIN_FOLDER)
        return WRONG(S("scope"), "the scope \"%.*s\" has no meaning for a folder%s", s, "");
    o->scope = arena_str(a, s);
    return o->scope.p ? OK : no_memory(err);
}

static bool is_token(struct pap_str s)
{
    bool good = s.n > 0;
    for (size_t i = 0; good && i < s.n; i++)
        good = http_is_token_char(s.p[i]);
    return good;
}

/* Fields that are not the caller's to set: of the message, of the scope, and what decides which bytes come. */
static bool is_ours(struct pap_str name)
{
    static const char *const names[] = {"connection",
                                        "content-length",
                                        "host",
                                        "transfer-encoding",
                                        "remote-skills-scope",
                                        "accept",
                                        "accept-encoding",
                                        "if-none-match",
                                        "if-modified-since",
                                        "range",
                                        "user-agent",
                                        "te",
                                        NULL};
    for (const char *const *n = names; *n; n++)
        if (str_eq_nocase(name, str_c(*n)))
            return true;
    return false;
}

/* Who gets it; p NULL: the host of the index. */
static pap_result read_header_host(struct arena *a, const struct pap_skill_header *from, const struct origin *o,
                                   struct bound_header *ret, struct pap_skill_err *err)
{
    struct uri u;
    size_t at;
    const char *why;
    ret->host = str(NULL, 0);
    if (!from->host)
        return OK;
    struct pap_str url = arena_fmt(a, "https://%s/", from->host);
    if (!url.p)
        return no_memory(err);
    if (!uri_parse(url, &u, &at, &why) || !uri_is_web(&u, &why) || u.path.n != 1 || u.query.p || u.fragment.p)
        return WRONG(str_c(from->name), "the header field %.*s is for %s", str_c(from->name),
                     "what is no host, with or without a port");
    if (str_eq_nocase(u.host, o->host) && uri_port(&u) == o->port)
        return OK;
    ret->host = u.host;
    ret->port = uri_port(&u);
    return OK;
}

static pap_result read_header(struct arena *a, const struct pap_skill_header *from, const struct origin *o,
                              struct bound_header *ret, struct pap_skill_err *err)
{
    struct pap_str name = str_c(from->name), value = str_c(from->value);
    if (!is_token(name) || !http_is_value(value) || name.n > LIMIT_QUOTE || value.n > LIMIT_URL)
        return WRONG(str_take(name, LIMIT_QUOTE), "\"%.*s\" is no header field, or its value is none%s", name, "");
    if (is_ours(name))
        return WRONG(name, "the header field %.*s is not the caller's to set%s", name, "");
    TRY(read_header_host(a, from, o, ret, err));
    ret->header = (struct header){arena_str(a, name), arena_str(a, str_trim(value))};
    return ret->header.name.p && ret->header.value.p ? OK : no_memory(err);
}

static pap_result read_headers(struct arena *a, const struct pap_skill_origin *from, struct origin *o,
                               struct pap_skill_err *err)
{
    struct header *own = arena_new_array(a, from->n_headers, struct header);
    struct bound_header *bound = arena_new_array(a, from->n_headers, struct bound_header), h = {.port = 0};
    if (!own || !bound)
        return no_memory(err);
    o->headers = own;
    o->bound = bound;
    for (size_t i = 0; i < from->n_headers; i++) {
        bool twice = false;
        TRY(read_header(a, &from->headers[i], o, &h, err));
        for (size_t j = 0; !h.host.p && j < o->n_headers; j++)
            twice |= str_eq_nocase(own[j].name, h.header.name);
        for (size_t j = 0; h.host.p && j < o->n_bound; j++)
            twice |= str_eq_nocase(bound[j].header.name, h.header.name) && str_eq_nocase(bound[j].host, h.host) &&
                     bound[j].port == h.port;
        if (twice)
            return WRONG(h.header.name, "the header field %.*s is there twice%s", h.header.name, "");
        if (h.host.p)
            bound[o->n_bound++] = h;
        else
            own[o->n_headers++] = h.header;
    }
    return OK;
}

pap_result origin_read(struct arena *a, const struct pap_skill_origin *from, bool insecure_http, struct origin *ret,
                       struct pap_skill_err *err)
{
    struct origin o = {.named_index = from->index, .stale_s = from->stale_s, .fresh = from->fresh};
    struct uri u;
    size_t at;
    const char *why;
    o.place = arena_str(a, str_c(from->place ? from->place : ""));
    if (!o.place.p)
        return no_memory(err);
    TRY(read_place(a, insecure_http, &o, err));
    if (o.kind != ORIGIN_FOLDER && uri_parse(o.url, &u, &at, &why))
        o.host = u.host, o.port = uri_port(&u);
    TRY(read_label(a, from->label, &o, err));
    TRY(read_scope(a, from->scope, &o, err));
    TRY(read_headers(a, from, &o, err));
    /* Whoever is known to the host has agreed with it on an index; poppy.json is for strangers (decision 18). */
    o.implied_index = o.kind == ORIGIN_DOMAIN && !o.named_index && (o.scope.p || o.n_headers);
    o.named_index |= o.implied_index;
    if (o.kind == ORIGIN_FOLDER || (o.kind == ORIGIN_DOMAIN && !o.named_index)) /* poppy.json's get no credential */
        o.n_bound = 0;
    *ret = o;
    return OK;
}

bool origin_owns(const struct origin *o, const struct uri *u)
{
    return o->kind != ORIGIN_FOLDER && str_eq_nocase(o->host, u->host) && o->port == uri_port(u);
}

/* "host[:port]" of an origin or of itself, without "www."; false for a folder. */
static bool host_of(struct pap_str place, struct pap_str *ret_host, uint32_t *ret_port)
{
    struct uri u;
    size_t at;
    const char *why;
    if (str_find(place, S("://")) < place.n) {
        if (!uri_parse(place, &u, &at, &why) || !u.host.n)
            return false;
        *ret_host = host_bare(u.host);
        *ret_port = uri_port(&u);
        return true;
    }
    uint64_t port = 443;
    size_t colon = str_find_char(place, ':');
    if (!place.n || origin_is_folder(place) ||
        (colon < place.n && (!str_to_u64(str_skip(place, colon + 1), &port) || port > 65535)))
        return false;
    *ret_host = host_bare(str_take(place, colon));
    *ret_port = (uint32_t)port;
    return true;
}

static bool is_at(struct pap_str place, const struct uri *u)
{
    struct pap_str host;
    uint32_t port;
    return host_of(place, &host, &port) && str_eq_nocase(host, host_bare(u->host)) && port == uri_port(u);
}

bool origin_allows(struct pap_str place, const char *const *hosts, const struct uri *u)
{
    if (is_at(place, u))
        return true;
    for (; *hosts; hosts++)
        if (is_at(str_c(*hosts), u))
            return true;
    return false;
}
