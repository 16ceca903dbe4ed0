/* SPDX-License-Identifier: Apache-2.0
 *
 * What pap_mcp() was asked for, judged before anything of it happens. A sentence repeats nothing that may hold a secret.
 */
#include <papaver/mcp.h>

#include "base/arena.h"
#include "base/result.h"
#include "net/server.h"
#include "sys/file.h"

enum { LABEL_MOST = 63, TOKEN_LEAST = 16 /* characters */ };

static bool is_label(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!(s.p[i] >= 'a' && s.p[i] <= 'z') && (i == 0 || (!ascii_is_digit(s.p[i]) && !memchr("._-", s.p[i], 3))))
            return false;
    return s.n > 0 && s.n <= LABEL_MOST;
}

static pap_result check_labels(const struct pap_mcp_options *o, struct pap_err *err)
{
    for (size_t i = 0; i < o->n_origins; i++) {
        struct pap_str label = str_c(o->origins[i].label ? o->origins[i].label : "");
        if (!is_label(label))
            return fail(err, PAP_USAGE,
                        "\"%.*s\" is no label: a letter from a to z, then at most %d of a-z, 0-9, '.', '_', '-'",
                        PSTR(str_take(label, LABEL_MOST + 1)), LABEL_MOST - 1);
        for (size_t k = 0; k < i; k++)
            if (str_is(label, o->origins[k].label))
                return fail(err, PAP_USAGE, "two origins have the label \"%.*s\"; one can be given as LABEL=ORIGIN",
                            PSTR(label));
    }
    return OK;
}

static bool is_folder(struct pap_str place)
{
    return place.n &&
           (memchr("./~", place.p[0], 3) || (place.p[place.n - 1] == '/' && str_find(place, S("://")) == place.n));
}

/* A name or a password before the host, in a URL or where a domain stands. */
static bool has_userinfo(struct pap_str place)
{
    size_t scheme = str_find(place, S("://")), n = 0;
    struct pap_str host = scheme < place.n ? str_skip(place, scheme + 3) : place;
    while (n < host.n && !memchr("/?#\\", host.p[n], 4))
        n++;
    return !is_folder(place) && str_find_char(host, '@') < n;
}

/* Whether it could be asked at all: the client says so, and offline it asks nobody. */
static pap_result check_asked(const struct pap_mcp_options *o, size_t i, struct pap_err *err)
{
    const struct pap_skill_origin *origin = &o->origins[i];
    struct pap_skill_options offline = {.offline = true};
    struct pap_skill_client *client;
    struct pap_skill_session *session = NULL;
    struct pap_skill_err why = {0};
    if (o->skills) {
        offline.alloc = o->skills->alloc;
        offline.insecure_http = o->skills->insecure_http;
    }
    pap_result r = pap_skill_client_new(&offline, &client, &why);
    if (!is_ok(r))
        return fail(err, r.code, "%s", why.text);
    r = pap_skill_session_open(client, origin, &session, &why);
    if (is_ok(r))
        pap_skill_session_close(session);
    pap_skill_client_free(client);
    if (r.code == PAP_NO_MEMORY)
        return fail_memory(err);
    if (is_ok(r) || why.code != PAP_SKILL_CONFIGURATION_INVALID)
        return OK;
    struct pap_str place = str_c(origin->place);
    bool at = str_find_char(place, '@') < place.n;
    if (at || str_find_char(place, '?') < place.n || str_find_char(place, '#') < place.n)
        return fail(err, PAP_USAGE,
                    "origin %zu is no domain, https URL of an index or folder: it has %s; it is not repeated here",
                    i + 1, at ? "an '@'" : "a query or a fragment");
    return fail(err, PAP_USAGE, "%s", why.text);
}

static pap_result check_place(const struct pap_mcp_options *o, size_t i, struct pap_err *err)
{
    const struct pap_skill_origin *origin = &o->origins[i];
    struct pap_str place = str_c(origin->place ? origin->place : "");
    if (!place.n)
        return fail(err, PAP_USAGE, "origin %zu is a domain, an https URL or a folder, and cannot be empty", i + 1);
    if (has_userinfo(place))
        return fail(err, PAP_USAGE,
                    "origin %zu has a name or a password before an '@', which is not repeated here: an origin is given "
                    "without; a folder is written ./ before it",
                    i + 1);
    if (!is_folder(place))
        return check_asked(o, i, err);
    if (file_type_of(origin->place) == FILE_FOLDER)
        return OK;
    return fail(err, PAP_USAGE, "%s: there is no such folder; an origin is a domain, an https URL or a folder",
                origin->place);
}

static pap_result check_load(const struct pap_mcp_options *o, struct pap_err *err)
{
    for (const char *const *what = o->load; what && *what; what++) {
        struct pap_str label = str_take(str_c(*what), str_find_char(str_c(*what), '/'));
        size_t i = 0;
        while (i < o->n_origins && !str_eq(label, str_c(o->origins[i].label)))
            i++;
        if (i == o->n_origins || str_c(*what).n < label.n + 2)
            return fail(err, PAP_USAGE, "\"%s\" is not LABEL/NAME or LABEL/NAME@RANGE with a label of an origin%s%s%s",
                        *what, o->n_origins ? ", such as " : "", o->n_origins ? o->origins[0].label : "",
                        o->n_origins ? "/NAME" : "");
    }
    return OK;
}

static pap_result check_http(const struct pap_mcp_options *o, struct pap_err *err)
{
    if ((o->tls_cert == NULL) != (o->tls_key == NULL))
        return fail(err, PAP_USAGE, "a certificate needs its key, and a key its certificate");
    if (!o->listen)
        return OK;
    TRY(server_check(str_c(o->listen), err));
    if (!server_is_local(str_c(o->listen)) && !o->tls_cert)
        return fail(err, PAP_USAGE, "%s: other machines than this one are served with a certificate only", o->listen);
    if (!server_is_local(str_c(o->listen)) && o->no_token)
        return fail(err, PAP_USAGE, "%s: without a token only this machine is served", o->listen);
    if (o->token && str_c(o->token).n < TOKEN_LEAST)
        return fail(err, PAP_USAGE, "a token has at least %d characters", TOKEN_LEAST);
    for (const char *const *origin = o->allow_origins; origin && *origin; origin++)
        if (str_is(str_c(*origin), "null") || str_is(str_c(*origin), "*"))
            return fail(err, PAP_USAGE, "the origin \"%s\" could be any page, and is never allowed", *origin);
    return OK;
}

pap_result pap_mcp_check(const struct pap_mcp_options *options, struct pap_err *err)
{
    for (size_t i = 0; i < options->n_origins; i++) /* first: a label may be a part of what stands before an '@' */
        TRY(check_place(options, i, err));
    TRY(check_labels(options, err));
    TRY(check_load(options, err));
    return check_http(options, err);
}
