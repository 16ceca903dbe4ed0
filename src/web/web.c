/* SPDX-License-Identifier: Apache-2.0 */
#include "web/web.h"

#include "crypto/digest.h"
#include "text/uri.h"
#include "web/inside.h"
#include "web/readers.h"

enum { CHECKS_PER_HOUR = 60 };

/* What every page of the program alone depends on: the program, its style, script and options. */
static pap_result make_tag(struct web *w, struct pap_err *err)
{
    const struct pap_str parts[] = {str_c(PAP_VERSION),       str_c(site_style_hash), str_c(site_script_hash),
                                    str_c(site_openapi_hash), str_c(w->o.origin),     S("\n"),
                                    str_c(w->o.contact)};
    struct digest d;
    char text[DIGEST_TEXT + 1];
    TRY(digest_sha256(parts, sizeof parts / sizeof parts[0], &d, err));
    digest_text(&d, text);
    w->tag = arena_fmt(&w->arena, "\"p-%.16s\"", text + 7);
    return w->tag.p ? OK : fail_memory(err);
}

static pap_result make_host(struct web *w, struct pap_err *err)
{
    struct uri u;
    size_t at;
    const char *why = "not a URL";
    struct pap_str origin = str_c(w->o.origin);
    if (!origin.p || !uri_parse(origin, &u, &at, &why) || !u.scheme.p || !uri_is_web(&u, &why) || u.path.n ||
        u.query.p || u.fragment.p)
        return fail(err, PAP_USAGE, "%s: the origin of the site is written like https://check.example.com (%s)",
                    origin.p ? origin.p : "", why);
    w->host = u.host;
    return OK;
}

static pap_result make(struct web *w, struct pap_err *err)
{
    const struct limiter_rule checks = {w->o.checks_per_hour ? w->o.checks_per_hour : CHECKS_PER_HOUR,
                                        w->o.checks_per_hour ? w->o.checks_per_hour : CHECKS_PER_HOUR};
    TRY(make_host(w, err));
    TRY(make_tag(w, err));
    if (w->o.database)
        TRY(readers_new(w->o.alloc, w->o.database, &w->readers, err));
    return limiter_new(w->o.alloc, checks, &w->visitors, err);
}

pap_result web_new(const struct web_options *o, struct web **ret, struct pap_err *err)
{
    struct web *w = alloc_resize(o->alloc, NULL, 0, sizeof *w);
    if (!w)
        return fail_memory(err);
    *w = (struct web){.o = *o};
    arena_init(&w->arena, o->alloc);
    pap_result r = make(w, err);
    if (is_ok(r))
        *ret = w;
    else
        web_free(w);
    return r;
}

void web_free(struct web *w)
{
    if (!w)
        return;
    readers_free(w->readers);
    limiter_free(w->visitors);
    arena_fini(&w->arena);
    (void)alloc_resize(w->o.alloc, w, sizeof *w, 0);
}
