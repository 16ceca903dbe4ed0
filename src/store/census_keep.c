/* SPDX-License-Identifier: Apache-2.0
 *
 * What was seen of a site: the observation of before goes on, or a new one begins; then the site itself.
 */
#include "store/census_inside.h"

enum { OBSERVATION_VALUES = 8 };

/* The site as it was. */
struct was {
    bool there, listed, gone;
    int64_t latest, first_seen, listed_at;
    int outcome, standing; /* of the last observation */
    unsigned char last[CENSUS_FINGERPRINT], good[CENSUS_FINGERPRINT];
    struct pap_str registrable;
    struct arena *arena;
};

static pap_result take_was(void *ctx, const struct db_row *row, struct pap_err *err)
{
    struct was *w = ctx;
    struct pap_str last = db_row_str(row, 5), good = db_row_str(row, 6);
    w->there = true;
    w->latest = db_row_int(row, 0);
    w->first_seen = db_row_int(row, 1);
    w->listed_at = db_row_int(row, 2);
    w->outcome = (int)db_row_int(row, 3);
    w->standing = (int)db_row_int(row, 4);
    if (last.n) /* NULL has no bytes to copy from */
        memcpy(w->last, last.p, last.n < sizeof w->last ? last.n : sizeof w->last);
    if (good.n)
        memcpy(w->good, good.p, good.n < sizeof w->good ? good.n : sizeof w->good);
    w->gone = !db_row_is_null(row, 7);
    w->listed = !db_row_is_null(row, 8);
    w->registrable = arena_str(w->arena, db_row_str(row, 9));
    return w->registrable.p ? OK : fail_memory(err);
}

static pap_result make_site(struct db *d, const struct census_result *r, struct pap_err *err)
{
    return db_run(
        d,
        "INSERT INTO site (domain_id, name, registrable, first_seen, last_seen, changed_at, outcome, fingerprint,"
        " " CENSUS_SUMMARY ") SELECT id, name, COALESCE(registrable, name), CAST($2 AS bigint),"
        " CAST($2 AS bigint), CAST($2 AS bigint), outcome, CAST($3 AS {bytes}), '', '', '', 0, 0, 0, 0, 0"
        " FROM domain WHERE id = $1 ON CONFLICT (domain_id) DO NOTHING",
        DB_ARGS(db_int(r->id), db_int(r->at), db_bytes(r->fingerprint, sizeof r->fingerprint)), NULL, NULL, NULL, err);
}

static pap_result read_site(struct census *c, const struct census_result *r, struct was *ret, struct pap_err *err)
{
    *ret = (struct was){.arena = &c->scratch, .registrable = S("")};
    return db_run(c->db,
                  "SELECT s.latest, s.first_seen, s.listed_at, o.outcome, o.standing, o.fingerprint, s.fingerprint,"
                  " s.gone_at, s.slot, s.registrable FROM site s LEFT JOIN observation o ON o.id = s.latest"
                  " WHERE s.domain_id = $1",
                  DB_ARGS(db_int(r->id)), take_was, ret, NULL, err);
}

static bool goes_on(const struct was *w, const struct census_result *r)
{
    return w->latest && w->outcome == (int)r->outcome && w->standing == (int)r->standing &&
           memcmp(w->last, r->fingerprint, sizeof w->last) == 0;
}

static pap_result begin_observation(struct census *c, const struct census_result *r, int64_t *ret_id,
                                    struct pap_err *err)
{
    struct db_value v[OBSERVATION_VALUES + CENSUS_SUMMARY_COLUMNS] = {db_int(r->id),
                                                                      db_int(r->at),
                                                                      db_int(r->at),
                                                                      db_int(r->outcome),
                                                                      db_int(r->standing),
                                                                      db_bytes(r->fingerprint, sizeof r->fingerprint),
                                                                      db_text(census_text(&c->scratch, r->rules)),
                                                                      db_null(DB_BYTES)};
    if (r->record)
        v[7] = db_bytes(r->record->digest.b, sizeof r->record->digest.b);
    if (!v[6].s.p)
        return fail_memory(err);
    TRY(census_summary_values(&c->scratch, &r->summary, &v[OBSERVATION_VALUES], err));
    TRY(db_run(c->db,
               "INSERT INTO observation (domain_id, first_at, last_at, outcome, standing, fingerprint, rules, record,"
               " " CENSUS_SUMMARY ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
               " RETURNING id",
               v, OBSERVATION_VALUES + CENSUS_SUMMARY_COLUMNS, census_take_int, ret_id, NULL, err));
    TRY(census_findings_put(c, *ret_id, r->findings, r->n_findings, err));
    return census_observation_bodies(c, *ret_id, r->record, r->bodies, r->n_bodies, err);
}

struct slots {
    bool used[CENSUS_NAMES_LISTED + 1];
};

static pap_result take_slot(void *ctx, const struct db_row *row, struct pap_err *err)
{
    (void)err;
    struct slots *s = ctx;
    int64_t slot = db_row_int(row, 0);
    if (slot >= 1 && slot <= CENSUS_NAMES_LISTED)
        s->used[slot] = true;
    return OK;
}

/* The place of a name that is to be on the list; none is free where the registrable domain has five there. Of two workers that
 * take the same place one is told by the database, and begins again. */
static pap_result take_place(struct census *c, const struct was *w, int64_t id, struct pap_err *err)
{
    struct slots s = {0};
    int slot = 1;
    TRY(db_run(c->db, "SELECT slot FROM site WHERE registrable = $1 AND slot IS NOT NULL",
               DB_ARGS(db_text(w->registrable)), take_slot, &s, NULL, err));
    while (slot <= CENSUS_NAMES_LISTED && s.used[slot])
        slot++;
    if (slot > CENSUS_NAMES_LISTED)
        return OK;
    return db_run(c->db, "UPDATE site SET slot = $2 WHERE domain_id = $1", DB_ARGS(db_int(id), db_int(slot)), NULL,
                  NULL, NULL, err);
}

/* Seen again on another day, and not just after midnight: who looks at three o'clock every night has two good observations
 * after two nights, though the second may come a minute early. */
static bool is_day_apart(int64_t first, int64_t at)
{
    return at - first >= CENSUS_APART && at / CENSUS_DAY != first / CENSUS_DAY;
}

static pap_result keep_good(struct census *c, const struct census_result *r, const struct was *w, int64_t observation,
                            struct pap_err *err)
{
    bool changed = !w->there || w->gone || memcmp(w->good, r->fingerprint, sizeof w->good) != 0;
    int64_t listed_at = w->listed_at ? w->listed_at : is_day_apart(w->first_seen, r->at) ? r->at : 0;
    struct db_value v[7 + CENSUS_SUMMARY_COLUMNS] = {db_int(r->id),
                                                     db_int(r->at),
                                                     db_int(r->outcome),
                                                     db_int(observation),
                                                     db_int_or_null(listed_at),
                                                     db_bytes(r->fingerprint, sizeof r->fingerprint),
                                                     changed ? db_int(r->at) : db_null(DB_INT)};
    TRY(census_summary_values(&c->scratch, &r->summary, &v[7], err));
    TRY(db_run(
        c->db,
        "UPDATE site SET last_seen = CASE WHEN $2 > last_seen THEN $2 ELSE last_seen END, outcome = $3, latest = $4,"
        " good = $4, listed_at = $5, fingerprint = $6, changed_at = COALESCE($7, changed_at), gone_at = NULL,"
        " version = $8, channels = $9, sign_in = $10, skills = $11, skills_where = $12, errors = $13,"
        " warnings = $14, infos = $15 WHERE domain_id = $1",
        v, 7 + CENSUS_SUMMARY_COLUMNS, NULL, NULL, NULL, err));
    return listed_at && !w->listed ? take_place(c, w, r->id, err) : OK;
}

static pap_result keep_bad(struct census *c, const struct census_result *r, const struct was *w, int64_t observation,
                           struct pap_err *err)
{
    bool goes = r->standing == CENSUS_GONE && !w->gone;
    TRY(db_run(c->db, "UPDATE site SET outcome = $2, latest = $3 WHERE domain_id = $1",
               DB_ARGS(db_int(r->id), db_int(r->outcome), db_int(observation)), NULL, NULL, NULL, err));
    if (!goes)
        return OK;
    return db_run(c->db, "UPDATE site SET gone_at = $2, changed_at = $2, slot = NULL WHERE domain_id = $1",
                  DB_ARGS(db_int(r->id), db_int(r->at)), NULL, NULL, NULL, err);
}

pap_result census_keep(struct census *c, const struct census_result *r, int state, bool *ret_changed,
                       struct pap_err *err)
{
    struct was w;
    int64_t observation = 0;
    bool made = state == 0;
    int now = r->standing == CENSUS_GOOD ? 1 : r->standing == CENSUS_GONE ? -1 : state;
    if (made)
        TRY(make_site(c->db, r, err));
    TRY(read_site(c, r, &w, err));
    bool same = goes_on(&w, r);
    observation = w.latest;
    if (same)
        TRY(db_run(c->db,
                   "UPDATE observation SET last_at = CASE WHEN $2 > last_at THEN $2 ELSE last_at END WHERE id = $1",
                   DB_ARGS(db_int(w.latest), db_int(r->at)), NULL, NULL, NULL, err));
    else
        TRY(begin_observation(c, r, &observation, err));
    TRY(r->standing == CENSUS_GOOD ? keep_good(c, r, &w, observation, err) : keep_bad(c, r, &w, observation, err));
    if (now != state)
        TRY(db_run(c->db, "UPDATE domain SET state = $2 WHERE id = $1", DB_ARGS(db_int(r->id), db_int(now)), NULL, NULL,
                   NULL, err));
    *ret_changed = !same;
    return OK;
}
