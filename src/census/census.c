/* SPDX-License-Identifier: Apache-2.0 */
#include "census/inside.h"
#include "sys/process.h"

static void fini(struct pap_census *c)
{
    census_close(c->store);
    arena_fini(&c->arena);
    (void)alloc_resize(c->o.alloc, c, sizeof *c, 0);
}

static pap_result init(struct pap_census *c, struct pap_err *err)
{
    struct db_options o = {
        .alloc = c->o.alloc, .where = c->o.database, .read_only = c->o.read_only, .waits = c->o.waits, .ctx = c->o.ctx};
    struct pap_str process = process_name(&c->arena);
    if (!process.p)
        return fail_memory(err);
    /* Two of one process are two workers. */
    c->owner = arena_fmt(&c->arena, "%.*s/%llx", PSTR(process), (unsigned long long)(uintptr_t)c);
    return c->owner.p ? census_open(&o, &c->store, err) : fail_memory(err);
}

pap_result pap_census_open(const struct pap_census_options *options, struct pap_census **ret, struct pap_err *err)
{
    struct pap_census *c = alloc_resize(options->alloc, NULL, 0, sizeof *c);
    if (!c)
        return fail_memory(err);
    *c = (struct pap_census){.o = *options, .clock = clock_system};
    arena_init(&c->arena, options->alloc);
    pap_result r = init(c, err);
    if (is_ok(r))
        *ret = c;
    else
        fini(c);
    return r;
}

void pap_census_close(struct pap_census *census)
{
    if (census)
        fini(census);
}

pap_result pap_census_prune(struct pap_census *census, int64_t before, struct pap_census_pruned *ret,
                            struct pap_err *err)
{
    struct census_pruned p;
    TRY(census_prune(census->store, before, &p, err));
    *ret = (struct pap_census_pruned){.observations = p.observations, .bodies = p.bodies, .bytes = p.bytes};
    return OK;
}
