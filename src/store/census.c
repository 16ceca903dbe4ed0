/* SPDX-License-Identifier: Apache-2.0 */
#include "store/census.h"

#include "base/alloc.h"
#include "store/census_inside.h"
#include "store/migrate.h"
#include "text/host.h"

enum { MOST_AT_ONCE = 10000 };

pap_result census_open(const struct db_options *options, struct census **ret, struct pap_err *err)
{
    struct census *c = alloc_resize(options->alloc, NULL, 0, sizeof *c);
    if (!c)
        return fail_memory(err);
    *c = (struct census){.alloc = options->alloc};
    arena_init(&c->scratch, options->alloc);
    struct db_options o = *options;
    o.schema = "papaver_census";
    pap_result r = db_open(&o, &c->db, err);
    if (is_ok(r))
        r = migrate(c->db, census_migrations, 0, err);
    if (is_ok(r))
        *ret = c;
    else
        census_close(c);
    return r;
}

void census_close(struct census *c)
{
    if (!c)
        return;
    db_close(c->db);
    packer_free(c->packer);
    arena_fini(&c->scratch);
    (void)alloc_resize(c->alloc, c, sizeof *c, 0);
}

void census_closep(struct census **c)
{
    census_close(*c);
}

enum db_trouble census_trouble(const struct census *c)
{
    return db_trouble(c->db);
}

pap_result census_transact(struct census *c, enum db_mode mode, const char *doing, db_fn *fn, void *ctx,
                           struct pap_err *err)
{
    pap_result r = db_transact(c->db, mode, doing, fn, ctx, err);
    arena_reset(&c->scratch);
    return r;
}

void *census_list_add(struct census_list *l, size_t size)
{
    if (l->n == l->room) {
        size_t room = l->room ? l->room * 2 : 32;
        char *more = arena_array(l->arena, room, size);
        if (!more)
            return NULL;
        if (l->n)
            memcpy(more, l->items, l->n * size);
        l->items = more;
        l->room = room;
    }
    return (char *)l->items + l->n++ * size;
}

pap_result census_take_int(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    *(int64_t *)ctx = db_row_int(row, 0);
    return OK;
}

struct adding {
    struct census *census;
    const struct census_name *names;
    size_t n;
    int64_t now;
    struct db_value *args;
    unsigned char *new_one;
    struct census_added added;
};

enum { NAME_VALUES = 5 };

static pap_result take_opted_out(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)row, (void)err;
    struct adding *a = ctx;
    a->added.opted_out++;
    return OK;
}

static pap_result add_all(struct db *d, void *ctx, struct pap_err *err)
{
    struct adding *a = ctx;
    a->added = (struct census_added){0};
    TRY(db_many(d,
                "INSERT INTO domain (name, registrable, source, rank, added_at, due_at) VALUES ($1, $2, $3, $4, $5, $5)"
                " ON CONFLICT (name) DO NOTHING",
                a->args, NAME_VALUES, a->n, NULL, NULL, a->new_one, err));
    size_t old = 0;
    struct db_value *names = arena_new_array(&a->census->scratch, a->n, struct db_value);
    if (!names)
        return fail_memory(err);
    for (size_t i = 0; i < a->n; i++)
        if (!a->new_one[i])
            names[old++] = db_text(a->names[i].name);
    TRY(db_many(d, "SELECT id FROM domain WHERE name = $1 AND opted_out IS NOT NULL", names, 1, old, take_opted_out, a,
                NULL, err));
    a->added.added = a->n - old;
    a->added.known = old - a->added.opted_out;
    return OK;
}

pap_result census_check_name(const struct census_name *name, struct pap_err *err)
{
    const char *why = NULL;
    if (host_is_name(name->name, &why) && (!name->registrable.n || host_is_within(name->name, name->registrable))) {
        size_t i = 0;
        while (i < name->name.n && ascii_lower(name->name.p[i]) == name->name.p[i])
            i++;
        if (i == name->name.n)
            return OK;
        why = "a capital letter";
    }
    return fail(err, PAP_USAGE, "no name of a domain: it holds %s", why ? why : "no such registrable domain");
}

pap_result census_add(struct census *c, const struct census_name *names, size_t n, int64_t now,
                      struct census_added *ret, struct pap_err *err)
{
    if (n > MOST_AT_ONCE)
        return fail(err, PAP_LIMIT, "more than %d names at once", MOST_AT_ONCE);
    struct arena args __attribute__((cleanup(arena_fini)));
    arena_init(&args, c->alloc);
    struct adding a = {.census = c, .names = names, .n = n, .now = now};
    a.args = arena_array(&args, n, NAME_VALUES * sizeof *a.args);
    a.new_one = arena_new_array(&args, n, unsigned char);
    if (!a.args || !a.new_one)
        return fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        TRY(census_check_name(&names[i], err));
        struct db_value *v = &a.args[i * NAME_VALUES];
        bool same = !names[i].registrable.n || str_eq(names[i].registrable, names[i].name);
        struct pap_str source = census_text(&args, names[i].source);
        if (!source.p)
            return fail_memory(err);
        v[0] = db_text(names[i].name);
        v[1] = same ? db_null(DB_TEXT) : db_text(names[i].registrable);
        v[2] = source.n ? db_text(source) : db_null(DB_TEXT);
        v[3] = db_int_or_null(names[i].rank);
        v[4] = db_int(now);
    }
    TRY(census_transact(c, DB_WRITE, "add domains", add_all, &a, err));
    *ret = a.added;
    return OK;
}
