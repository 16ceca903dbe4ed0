/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeping the folder small (R-CACHE-6, R-CACHE-7). How much is in it stands in the file `usage`, which is changed in its
 * place: a number that is wrong after a crash is put right by the next counting, a day later at most.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "skills/cache_inside.h"

enum { DIGITS = 20, LEDGER = 2 * DIGITS + 2, DAY = 24 * 60 * 60 };

static const char ledger_name[] = "usage";

/* "bytes time\n", both with leading zeros. */
static bool read_ledger(const struct shelf_file *f, uint64_t *ret_bytes, int64_t *ret_tidied)
{
    char text[LEDGER];
    uint64_t tidied;
    if (!shelf_read(f, 0, text, LEDGER) || text[DIGITS] != ' ' || text[LEDGER - 1] != '\n' ||
        !str_to_u64(str(text, DIGITS), ret_bytes) || !str_to_u64(str(text + DIGITS + 1, DIGITS), &tidied) ||
        tidied > INT64_MAX || *ret_bytes > INT64_MAX)
        return false;
    *ret_tidied = (int64_t)tidied;
    return true;
}

static bool write_ledger(const struct shelf_file *f, uint64_t bytes, int64_t tidied)
{
    char text[LEDGER + 1];
    (void)snprintf(text, sizeof text, "%0*llu %0*lld\n", DIGITS, (unsigned long long)bytes, DIGITS,
                   (long long)(tidied > 0 ? tidied : 0));
    return shelf_ledger_write(f, str(text, LEDGER));
}

/* Notes the bytes; true when it is time to count. Who finds it so says at once that it is being done, so that it is done
 * once. */
static bool is_due(struct cache *c, uint64_t bytes, int64_t now, uint64_t *ret_down_to)
{
    struct shelf_file f __attribute__((cleanup(shelf_file_close))) = {.fd = -1};
    uint64_t total = 0;
    int64_t tidied = 0;
    if (!shelf_ledger(&c->shelf, ledger_name, &f))
        return false;
    bool known = read_ledger(&f, &total, &tidied);
    total += bytes;
    bool full = total > c->bytes, due = !known || full || tidied > now || now - tidied >= DAY;
    *ret_down_to = full ? c->bytes / 8 * 7 : c->bytes; /* with some room, or every new one would count again */
    return (!due || write_ledger(&f, full ? *ret_down_to : total, now)) && (due || write_ledger(&f, total, tidied)) &&
           due;
}

void cache_account(struct cache *c, uint64_t bytes, int64_t now)
{
    uint64_t down_to, objects, removed;
    if (!is_due(c, bytes, now, &down_to))
        return;
    struct cache_bounds b = {.bytes = down_to, .days = c->days, .now = now};
    (void)is_ok(cache_tidy(&c->shelf, &c->alloc, &b, &objects, &removed, NULL)); /* or else tomorrow */
}

/* ---- What is there ---- */

struct collecting {
    const struct shelf *s;
    struct arena *a;
    struct cache_item *items;
    size_t n, cap;
    bool no_memory;
};

static bool room_for_one(struct collecting *c)
{
    if (c->n < c->cap)
        return true;
    size_t cap = c->cap ? c->cap * 2 : 64;
    struct cache_item *more = arena_new_array(c->a, cap, struct cache_item);
    if (!more)
        return false;
    if (c->n)
        memcpy(more, c->items, c->n * sizeof *more);
    c->items = more;
    c->cap = cap;
    return true;
}

static bool collect_one(void *ctx, const char *name)
{
    struct collecting *c = ctx;
    struct cache_item item = {.kind = cache_kind_of(str_c(name))};
    if (item.kind == CACHE_FOREIGN || shelf_look(c->s, name, &item.file) == SHELF_NONE)
        return true;
    item.name = arena_str(c->a, str_c(name));
    if (!item.name.p || !room_for_one(c)) {
        c->no_memory = true;
        return false;
    }
    c->items[c->n++] = item;
    return c->n < LIMIT_WALK_FILES;
}

pap_result cache_collect(const struct shelf *s, struct arena *a, struct cache_item **ret, size_t *ret_n,
                         struct pap_err *err)
{
    struct collecting c = {.s = s, .a = a};
    bool read = shelf_each(s, collect_one, &c);
    if (c.no_memory)
        return fail_memory(err);
    if (!read)
        return fail(err, PAP_IO, "cannot read the folder of the cache");
    *ret = c.items;
    *ret_n = c.n;
    return OK;
}

bool cache_record_of(const struct shelf *s, struct arena *a, const char *name, struct cache_record *ret)
{
    struct shelf_file f __attribute__((cleanup(shelf_file_close))) = {.fd = -1};
    struct pap_str inner;
    struct digest seal;
    if (shelf_get(s, name, &f) != SHELF_FILE || f.size > LIMIT_CACHE_HEAD + CACHE_SEAL)
        return false;
    char *p = arena_text(a, (size_t)f.size);
    return p && shelf_read(&f, 0, p, (size_t)f.size) && cache_seal_read(str(p, (size_t)f.size), &inner, &seal) &&
           cache_record_read(a, inner, ret);
}

/* ---- Taking away ---- */

static int by_use(const void *a, const void *b)
{
    const struct cache_item *x = a, *y = b;
    return x->file.used != y->file.used ? (x->file.used < y->file.used ? -1 : 1) : str_cmp(x->name, y->name);
}

/* False: somebody holds it. */
static bool remove_idle(const struct shelf *s, const struct cache_item *item)
{
    struct shelf_file f __attribute__((cleanup(shelf_file_close))) = {.fd = -1};
    switch (shelf_get(s, item->name.p, &f)) {
    case SHELF_NONE:
        return true;
    case SHELF_ODD:
        shelf_remove(s, item->name.p);
        return true;
    case SHELF_FILE:
        break;
    }
    if (!shelf_hold_alone(&f, true))
        return false;
    shelf_remove_file(s, item->name.p, &f);
    return true;
}

/* Records are looked at last: one whose object has just come is not seen before it, and stays. */
static void remove_orphan(const struct shelf *s, const struct pap_alloc *alloc, const struct cache_item *item)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct cache_record r;
    struct shelf_file f;
    char key[CACHE_KEY];
    arena_init(&a, alloc);
    if (!cache_record_of(s, &a, item->name.p, &r) || !cache_object_key(r.digest, r.format, key) ||
        shelf_look(s, key, &f) != SHELF_FILE)
        shelf_remove(s, item->name.p);
}

pap_result cache_tidy(const struct shelf *s, const struct pap_alloc *alloc, const struct cache_bounds *b,
                      uint64_t *ret_objects, uint64_t *ret_bytes, struct pap_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct cache_item *items = NULL;
    size_t n = 0;
    uint64_t total = 0, objects = 0, removed = 0;
    arena_init(&a, alloc);
    TRY(cache_collect(s, &a, &items, &n, err));
    if (n)
        qsort(items, n, sizeof *items, by_use);
    for (size_t i = 0; i < n; i++)
        total += items[i].file.size;
    for (size_t i = 0; i < n; i++) {
        const struct cache_item *item = &items[i];
        bool part = item->kind == CACHE_PART, old = item->file.used < b->now - (int64_t)b->days * DAY;
        if (item->kind == CACHE_RECORD || !(part || b->all || old || total > b->bytes) || !remove_idle(s, item))
            continue;
        total -= item->file.size;
        objects += item->kind == CACHE_OBJECT;
        removed += part ? 0 : item->file.size;
    }
    for (size_t i = 0; i < n; i++)
        if (items[i].kind == CACHE_RECORD)
            remove_orphan(s, alloc, &items[i]);
    struct shelf_file f __attribute__((cleanup(shelf_file_close))) = {.fd = -1};
    if (shelf_ledger(s, ledger_name, &f))
        (void)!write_ledger(&f, total, b->now);
    *ret_objects = objects;
    *ret_bytes = removed;
    return OK;
}
