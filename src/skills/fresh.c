/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/fresh.h"

#include "base/buf.h"
#include "text/httpval.h"

struct fresh_fields fresh_fields_of(const struct hop *h, char *joined, size_t room)
{
    struct fresh_fields f = {.cache_control = hop_header(h, "Cache-Control"),
                             .expires = hop_header(h, "Expires"),
                             .date = hop_header(h, "Date"),
                             .age = hop_header(h, "Age")};
    if (hop_header_count(h, "Cache-Control") < 2)
        return f;
    struct buf b;
    buf_on(&b, joined, room);
    for (size_t i = 0; i < h->n_headers; i++)
        if (str_eq_nocase(h->headers[i].name, S("Cache-Control"))) {
            buf_add(&b, b.n ? S(", ") : S(""));
            buf_add(&b, h->headers[i].value);
        }
    f.cache_control = buf_ok(&b) ? buf_str(&b) : S("no-store");
    return f;
}

bool fresh_no_store(const struct fresh_fields *f)
{
    struct cache_control cc;
    cache_control_parse(f->cache_control, &cc);
    return cc.no_store;
}

/* Seconds; 0 where nothing says how long. */
static int64_t lifetime(const struct fresh_fields *f, int64_t came_s)
{
    struct cache_control cc;
    int64_t expires, date;
    cache_control_parse(f->cache_control, &cc);
    if (cc.bad || cc.no_store || cc.no_cache)
        return 0;
    if (cc.has_max_age)
        return cc.max_age;
    if (!http_date_parse(f->expires, &expires))
        return 0;
    return expires - (http_date_parse(f->date, &date) ? date : came_s);
}

int64_t fresh_until(const struct fresh_fields *f, int64_t asked_ms, int64_t came_ms)
{
    int64_t date = 0, life = lifetime(f, came_ms / 1000);
    uint64_t age = 0;
    if (life <= 0)
        return 0;
    struct pap_str first = str_trim(str_take(f->age, str_find_char(f->age, ',')));
    if (!str_to_u64(first, &age) || age > (uint64_t)INT32_MAX + 1)
        age = 0;
    int64_t corrected = (int64_t)age * 1000 + (came_ms - asked_ms);
    int64_t apparent = http_date_parse(f->date, &date) ? came_ms - date * 1000 : 0;
    return came_ms + life * 1000 - (apparent > corrected ? apparent : corrected);
}

static struct fresh_record **place_of(struct fresh_table *t, struct pap_str key)
{
    struct fresh_record **at = &t->first;
    while (*at && !str_eq((*at)->key, key))
        at = &(*at)->next;
    return at;
}

static void take_out(struct fresh_table *t, struct fresh_record **at)
{
    struct fresh_record *r = *at;
    if (!r)
        return;
    *at = r->next;
    t->n--;
    (void)alloc_resize(t->alloc, r, r->size, 0);
}

const struct fresh_record *fresh_find(const struct fresh_table *t, struct pap_str key)
{
    for (const struct fresh_record *r = t->first; r; r = r->next)
        if (str_eq(r->key, key))
            return r;
    return NULL;
}

static struct pap_str keep(char **at, struct pap_str s)
{
    char *p = *at;
    if (!s.p)
        return s;
    if (s.n)
        memcpy(p, s.p, s.n);
    *at += s.n;
    return str(p, s.n);
}

void fresh_put(struct fresh_table *t, struct pap_str key, const struct fresh_fields *f, int64_t until_ms)
{
    size_t size = sizeof(struct fresh_record) + key.n + f->cache_control.n + f->expires.n + f->date.n + f->age.n + 1;
    struct fresh_record *r = alloc_resize(t->alloc, NULL, 0, size);
    if (!r) {
        fresh_remove(t, key);
        return;
    }
    *r = (struct fresh_record){.size = size, .until_ms = until_ms};
    char *at = r->bytes;
    r->key = keep(&at, key);
    r->fields = (struct fresh_fields){keep(&at, f->cache_control), keep(&at, f->expires), keep(&at, f->date),
                                      keep(&at, f->age)};
    fresh_remove(t, r->key); /* now: `f` may be of the old one */
    r->next = t->first;
    t->first = r;
    if (++t->n > FRESH_MOST) {
        struct fresh_record **last = &t->first;
        while ((*last)->next)
            last = &(*last)->next;
        take_out(t, last);
    }
}

void fresh_remove(struct fresh_table *t, struct pap_str key)
{
    take_out(t, place_of(t, key));
}

void fresh_fini(struct fresh_table *t)
{
    while (t->first)
        take_out(t, &t->first);
}
