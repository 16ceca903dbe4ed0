/* SPDX-License-Identifier: Apache-2.0
 *
 * How many domains there are, how many are due, and who asks.
 */
#include "census/inside.h"
#include "sys/process.h"
#include "text/utf8.h"

/* To add a number: a row. */
static const struct {
    const char *word, *key;
    size_t at;
} rows[] = {
    {"domains", "domains", offsetof(struct census_status, domains)},
    {"due now", "due", offsetof(struct census_status, due)},
    {"never asked", "never_asked", offsetof(struct census_status, never_asked)},
    {"being asked", "leased", offsetof(struct census_status, leased)},
    {"publishing", "publishing", offsetof(struct census_status, publishing)},
    {"listed", "listed", offsetof(struct census_status, listed)},
    {"gone", "gone", offsetof(struct census_status, gone)},
    {"opted out", "opted_out", offsetof(struct census_status, opted_out)},
};
enum { ROWS = sizeof rows / sizeof *rows };

static uint64_t number(const struct census_status *s, size_t i)
{
    return *(const uint64_t *)(const void *)((const char *)s + rows[i].at);
}

static void write_json(struct out *o, struct arena *a, const struct census_status *s, const struct census_leases *l)
{
    struct json_writer *w = &o->json;
    json_writer_init(w, &o->text, 0);
    json_object_begin(w);
    for (size_t i = 0; i < ROWS; i++) {
        json_write_key(w, rows[i].key);
        json_write_int(w, (int64_t)number(s, i));
    }
    json_write_key(w, "next_due");
    struct pap_str next = out_time(a, s->next_due);
    json_write_cstr(w, next.n ? next.p : NULL);
    json_write_key(w, "outcomes");
    json_object_begin(w);
    for (unsigned i = 0; i < CENSUS_OUTCOMES; i++)
        if (s->outcomes[i]) {
            json_write_key_str(w, census_outcome_word((enum census_outcome)i));
            json_write_int(w, (int64_t)s->outcomes[i]);
        }
    json_object_end(w);
    json_write_key(w, "workers");
    json_array_begin(w);
    for (size_t i = 0; i < l->n; i++) {
        json_object_begin(w);
        json_write_key(w, "name");
        json_write_str(w, l->lease[i].owner);
        json_write_key(w, "holds");
        json_write_int(w, (int64_t)l->lease[i].held);
        json_write_key(w, "until");
        json_write_str(w, out_time(a, l->lease[i].until));
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
    buf_char(&o->text, '\n');
}

static void write_text(struct out *o, struct arena *a, const struct census_status *s, const struct census_leases *l)
{
    struct buf *b = &o->text;
    for (size_t i = 0; i < ROWS; i++)
        buf_fmt(b, "%-14s %llu\n", rows[i].word, (unsigned long long)number(s, i));
    if (s->next_due)
        buf_fmt(b, "%-14s %.*s\n", "next due", PSTR(out_time(a, s->next_due)));
    buf_add(b, S("\nlast outcomes\n"));
    for (unsigned i = 0; i < CENSUS_OUTCOMES; i++)
        if (s->outcomes[i])
            buf_fmt(b, "  %-14.*s %llu\n", PSTR(census_outcome_word((enum census_outcome)i)),
                    (unsigned long long)s->outcomes[i]);
    buf_add(b, l->n ? S("\nworkers\n") : S(""));
    for (size_t i = 0; i < l->n; i++) {
        buf_fmt(b, "  %llu until %.*s  ", (unsigned long long)l->lease[i].held, PSTR(out_time(a, l->lease[i].until)));
        utf8_add_visible(b, l->lease[i].owner, LIMIT_QUOTE);
        buf_char(b, '\n');
    }
}

static void write_csv(struct out *o, const struct census_status *s)
{
    buf_add(&o->text, S("what,number\r\n"));
    for (size_t i = 0; i < ROWS; i++)
        buf_fmt(&o->text, "%s,%llu\r\n", rows[i].key, (unsigned long long)number(s, i));
    for (unsigned i = 0; i < CENSUS_OUTCOMES; i++)
        buf_fmt(&o->text, "%.*s,%llu\r\n", PSTR(census_outcome_word((enum census_outcome)i)),
                (unsigned long long)s->outcomes[i]);
}

static pap_result write_status(struct pap_census *c, struct arena *a, struct out *o, struct pap_err *err)
{
    struct census_status s;
    struct census_leases l;
    TRY(census_status(c->store, S(""), c->clock.unix_seconds(&c->clock), &s, err));
    TRY(census_lease_list(c->store, a, &l, err));
    if (o->to->form == PAP_CENSUS_JSON)
        write_json(o, a, &s, &l);
    else if (o->to->form == PAP_CENSUS_CSV)
        write_csv(o, &s);
    else
        write_text(o, a, &s, &l);
    return out_flush(o, err);
}

pap_result pap_census_status(struct pap_census *census, const struct pap_census_out *out, struct pap_err *err)
{
    struct arena a;
    struct out o;
    arena_init(&a, census->o.alloc);
    out_begin(&o, out, census->o.alloc);
    pap_result r = write_status(census, &a, &o, err);
    out_end(&o);
    arena_fini(&a);
    return r;
}
