/* SPDX-License-Identifier: Apache-2.0
 *
 * Indexes as a client reads them: the first byte says how strictly, and whether the index is inside a poppy.json. What a
 * strict reader takes a lenient one takes too, and whatever is offered is whole.
 */
#include <stdlib.h>

#include "skills/catalog.h"
#include "text/uri.h"

static void check(int holds)
{
    if (!holds)
        abort();
}

static void check_release(const struct catalog_release *r)
{
    struct uri u;
    size_t at;
    const char *why;
    check(uri_parse(r->url, &u, &at, &why) && uri_is_web(&u, &why) && !u.fragment.p && r->digest.n == 71);
    check(r->type == ARTIFACT_ARCHIVE || r->type == ARTIFACT_SKILL_MD);
}

static void check_catalog(struct arena *a, const struct catalog *c)
{
    struct catalog_choice choice;
    struct skill_fault f;
    for (size_t i = 0; i < c->n_entries; i++) {
        const struct catalog_entry *e = &c->entries[i];
        check(catalog_find(c, e->name) == e && e->n_releases && e->current);
        check(i == 0 || str_cmp(e[-1].name, e->name) < 0);
        for (size_t k = 0; k < e->n_releases; k++) {
            check_release(&e->releases[k]);
            check(k == 0 || semver_history_cmp(&e->releases[k - 1].semver, &e->releases[k].semver) < 0);
        }
        check(is_ok(catalog_select(a, c, S("x"), e->name, str(NULL, 0), &choice, &f)));
        check(f.code ? f.code == SKILL_VERSION_UNAVAILABLE : choice.entry == e);
        if (e->current->version.p) {
            check(is_ok(catalog_select(a, c, S("x"), e->name, e->current->version, &choice, &f)));
            check(!f.code && semver_cmp(&choice.release->semver, &e->current->semver) == 0);
        }
    }
    for (size_t i = 0; i < c->n_skipped; i++)
        check(c->skipped[i].fault.code && c->skipped[i].fault.text.n);
}

static size_t read_it(struct pap_str bytes, bool strict, bool poppy)
{
    struct arena a;
    struct catalog c;
    struct skill_fault f;
    struct catalog_source from = {
        .bytes = bytes, .base = S("https://a.example/x/i.json"), .strict = strict, .poppy = poppy};
    arena_init(&a, NULL);
    check(is_ok(catalog_read(&a, &from, &c, &f)));
    check(!f.code || (f.text.n && !c.n_entries));
    check_catalog(&a, &c);
    size_t n = c.n_entries;
    arena_fini(&a);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 1 << 16)
        return 0;
    struct pap_str bytes = str((const char *)data + 1, size - 1);
    check(read_it(bytes, false, data[0] & 1) >= read_it(bytes, true, data[0] & 1));
    return 0;
}
