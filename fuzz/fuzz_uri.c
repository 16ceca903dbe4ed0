/* SPDX-License-Identifier: Apache-2.0
 *
 * A base on the first line, a reference on the rest: components stay inside the text, what resolves parses again, has no
 * dot segments left and resolves to itself; hosts have one reading.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/limits.h"
#include "text/uri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void holds(bool fact)
{
    if (!fact)
        abort();
}

static bool parse(struct pap_str text, struct uri *u)
{
    size_t at = SIZE_MAX;
    const char *why = NULL;
    if (!uri_parse(text, u, &at, &why)) {
        holds(at <= text.n && why);
        return false;
    }
    struct pap_str parts[] = {u->scheme, u->userinfo, u->host, u->path, u->query, u->fragment};
    const char *from = u->text.p;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!parts[i].p)
            continue;
        holds(parts[i].p >= from && parts[i].p + parts[i].n <= u->text.p + u->text.n);
        from = parts[i].p + parts[i].n;
    }
    holds(from == u->text.p + u->text.n);
    return true;
}

static void resolve(struct arena *a, const struct uri *base, const struct uri *ref)
{
    struct pap_str text = uri_resolve(a, base, ref), rest, segment;
    struct uri u, again;
    holds(text.p != NULL);
    if (!parse(text, &u)) { /* "///x" against https, or grown too long */
        holds(text.n > LIMIT_URL || (ref->has_authority && ref->host.n == 0));
        return;
    }
    const struct uri *from = ref->scheme.p || ref->has_authority ? ref : base;
    holds(str_eq(u.host, from->host) && u.has_authority == from->has_authority);
    for (rest = u.path; u.has_authority && str_next(&rest, '/', &segment);)
        holds(!str_is(segment, ".") && !str_is(segment, ".."));
    holds(parse(text, &again) && str_eq(uri_resolve(a, base, &again), text));
    const char *why = NULL;
    if (uri_is_web(&u, &why)) {
        struct uri origin;
        holds(parse(uri_origin(a, &u), &origin) && uri_same_origin(&origin, &u));
        holds(parse(uri_well_known(a, &u, "x"), &origin) || text.n > LIMIT_URL - 64);
        holds(parse(uri_appended(a, &u, "x"), &origin) || text.n > LIMIT_URL - 64);
        holds(!host_is_odd_ipv4(u.host) && (u.host_is_ip || str_find_char(u.host, '%') == u.host.n));
    } else {
        holds(why != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pap_str all = str((const char *)data, size);
    size_t line = str_find_char(all, '\n');
    struct uri base, ref;
    struct arena a;
    const char *why;
    arena_init(&a, NULL);
    (void)host_is_name(all, &why);
    (void)host_is_within(all, host_bare(all));
    if (parse(str_take(all, line), &base) && base.scheme.p && parse(str_skip(all, line + 1), &ref))
        resolve(&a, &base, &ref);
    arena_fini(&a);
    return 0;
}
