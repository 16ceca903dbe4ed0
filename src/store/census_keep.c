/* SPDX-License-Identifier: Apache-2.0
 *
 * What was seen of sites: the observation of before goes on, or a new one begins; then the site itself. Each step is one
 * statement for all of them, for a server may be far away.
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
};

/* A step over all of them: the values of some, and which ones these are. */
struct step {
    struct census *census;
    const struct census_kept *kept;
    size_t n;
    struct was *was;
    int64_t *observation;
    bool *same;
    struct db_value *args;
    size_t *index; /* by row of arguments: the place in `kept` */
    size_t rows, values;
};

static pap_result take_was(void *ctx, const struct db_row *row, struct pap_err *err)
{
    const struct step *s = ctx;
    struct was *w = &s->was[row->of];
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
    w->registrable = arena_str(&s->census->scratch, db_row_str(row, 9));
    return w->registrable.p ? OK : fail_memory(err);
}

static void begin_step(struct step *s, size_t values)
{
    s->rows = 0;
    s->values = values;
}

/* The values of one more, which the caller fills in. */
static struct db_value *add_row(struct step *s, size_t i)
{
    s->index[s->rows] = i;
    return &s->args[s->rows++ * s->values];
}

static pap_result run_step(struct step *s, const char *sql, db_row_fn *each, struct pap_err *err)
{
    return db_many(s->census->db, sql, s->args, s->values, s->rows, each, s, NULL, err);
}

static pap_result make_sites(struct step *s, struct pap_err *err)
{
    begin_step(s, 3);
    for (size_t i = 0; i < s->n; i++) {
        const struct census_result *r = s->kept[i].result;
        if (s->kept[i].state != 0)
            continue;
        struct db_value *v = add_row(s, i);
        v[0] = db_int(r->id);
        v[1] = db_int(r->at);
        v[2] = db_bytes(r->fingerprint, sizeof r->fingerprint);
    }
    return run_step(
        s,
        "INSERT INTO site (domain_id, name, registrable, first_seen, last_seen, changed_at, outcome, fingerprint,"
        " " CENSUS_SUMMARY ") SELECT id, name, COALESCE(registrable, name), CAST($2 AS bigint),"
        " CAST($2 AS bigint), CAST($2 AS bigint), outcome, CAST($3 AS {bytes}), '', '', '', 0, 0, 0, 0, 0"
        " FROM domain WHERE id = $1 ON CONFLICT (domain_id) DO NOTHING",
        NULL, err);
}

static pap_result read_sites(struct step *s, struct pap_err *err)
{
    begin_step(s, 1);
    for (size_t i = 0; i < s->n; i++) {
        s->was[i] = (struct was){.registrable = S("")};
        add_row(s, i)[0] = db_int(s->kept[i].result->id);
    }
    return run_step(s,
                    "SELECT s.latest, s.first_seen, s.listed_at, o.outcome, o.standing, o.fingerprint, s.fingerprint,"
                    " s.gone_at, s.slot, s.registrable FROM site s LEFT JOIN observation o ON o.id = s.latest"
                    " WHERE s.domain_id = $1",
                    take_was, err);
}

static bool goes_on(const struct was *w, const struct census_result *r)
{
    return w->latest && w->outcome == (int)r->outcome && w->standing == (int)r->standing &&
           memcmp(w->last, r->fingerprint, sizeof w->last) == 0;
}

/* Those that answered as before. */
static pap_result go_on(struct step *s, struct pap_err *err)
{
    begin_step(s, 2);
    for (size_t i = 0; i < s->n; i++) {
        s->observation[i] = s->was[i].latest;
        s->same[i] = goes_on(&s->was[i], s->kept[i].result);
        if (!s->same[i])
            continue;
        struct db_value *v = add_row(s, i);
        v[0] = db_int(s->was[i].latest);
        v[1] = db_int(s->kept[i].result->at);
    }
    return run_step(s, "UPDATE observation SET last_at = CASE WHEN $2 > last_at THEN $2 ELSE last_at END WHERE id = $1",
                    NULL, err);
}

static pap_result take_observation(void *ctx, const struct db_row *row, struct pap_err *err)
{
    const struct step *s = ctx;
    (void)err;
    s->observation[s->index[row->of]] = db_row_int(row, 0);
    return OK;
}

static pap_result begin_observations(struct step *s, struct pap_err *err)
{
    struct arena *a = &s->census->scratch;
    begin_step(s, OBSERVATION_VALUES + CENSUS_SUMMARY_COLUMNS);
    for (size_t i = 0; i < s->n; i++) {
        const struct census_result *r = s->kept[i].result;
        if (s->same[i])
            continue;
        struct db_value *v = add_row(s, i);
        const struct db_value first[OBSERVATION_VALUES] = {
            db_int(r->id),
            db_int(r->at),
            db_int(r->at),
            db_int(r->outcome),
            db_int(r->standing),
            db_bytes(r->fingerprint, sizeof r->fingerprint),
            db_text(census_text(a, r->rules)),
            r->record ? db_bytes(r->record->digest.b, sizeof r->record->digest.b) : db_null(DB_BYTES)};
        memcpy(v, first, sizeof first);
        if (!v[6].s.p)
            return fail_memory(err);
        TRY(census_summary_values(a, &r->summary, &v[OBSERVATION_VALUES], err));
    }
    TRY(run_step(s,
                 "INSERT INTO observation (domain_id, first_at, last_at, outcome, standing, fingerprint, rules, record,"
                 " " CENSUS_SUMMARY ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
                 " RETURNING id",
                 take_observation, err));
    struct census_seen *seen = arena_new_array(a, s->rows, struct census_seen);
    if (!seen)
        return fail_memory(err);
    for (size_t k = 0; k < s->rows; k++)
        seen[k] = (struct census_seen){s->observation[s->index[k]], s->kept[s->index[k]].result};
    TRY(census_findings_put(s->census, seen, s->rows, err));
    return census_observation_bodies(s->census, seen, s->rows, err);
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

static pap_result keep_good(struct step *s, int64_t *listed_at, struct pap_err *err)
{
    begin_step(s, 7 + CENSUS_SUMMARY_COLUMNS);
    for (size_t i = 0; i < s->n; i++) {
        const struct census_result *r = s->kept[i].result;
        const struct was *w = &s->was[i];
        if (r->standing != CENSUS_GOOD)
            continue;
        bool changed = !w->there || w->gone || memcmp(w->good, r->fingerprint, sizeof w->good) != 0;
        listed_at[i] = w->listed_at ? w->listed_at : is_day_apart(w->first_seen, r->at) ? r->at : 0;
        struct db_value *v = add_row(s, i);
        const struct db_value first[7] = {db_int(r->id),
                                          db_int(r->at),
                                          db_int(r->outcome),
                                          db_int(s->observation[i]),
                                          db_int_or_null(listed_at[i]),
                                          db_bytes(r->fingerprint, sizeof r->fingerprint),
                                          changed ? db_int(r->at) : db_null(DB_INT)};
        memcpy(v, first, sizeof first);
        TRY(census_summary_values(&s->census->scratch, &r->summary, &v[7], err));
    }
    return run_step(
        s,
        "UPDATE site SET last_seen = CASE WHEN $2 > last_seen THEN $2 ELSE last_seen END, outcome = $3, latest = $4,"
        " good = $4, listed_at = $5, fingerprint = $6, changed_at = COALESCE($7, changed_at), gone_at = NULL,"
        " version = $8, channels = $9, sign_in = $10, skills = $11, skills_where = $12, errors = $13,"
        " warnings = $14, infos = $15 WHERE domain_id = $1",
        NULL, err);
}

static pap_result keep_bad(struct step *s, struct pap_err *err)
{
    begin_step(s, 3);
    for (size_t i = 0; i < s->n; i++) {
        if (s->kept[i].result->standing == CENSUS_GOOD)
            continue;
        struct db_value *v = add_row(s, i);
        v[0] = db_int(s->kept[i].result->id);
        v[1] = db_int(s->kept[i].result->outcome);
        v[2] = db_int(s->observation[i]);
    }
    TRY(run_step(s, "UPDATE site SET outcome = $2, latest = $3 WHERE domain_id = $1", NULL, err));
    begin_step(s, 2);
    for (size_t i = 0; i < s->n; i++) {
        if (s->kept[i].result->standing != CENSUS_GONE || s->was[i].gone)
            continue;
        struct db_value *v = add_row(s, i);
        v[0] = db_int(s->kept[i].result->id);
        v[1] = db_int(s->kept[i].result->at);
    }
    return run_step(s, "UPDATE site SET gone_at = $2, changed_at = $2, slot = NULL WHERE domain_id = $1", NULL, err);
}

static pap_result keep_states(struct step *s, struct pap_err *err)
{
    begin_step(s, 2);
    for (size_t i = 0; i < s->n; i++) {
        enum census_standing standing = s->kept[i].result->standing;
        int now = standing == CENSUS_GOOD ? 1 : standing == CENSUS_GONE ? -1 : s->kept[i].state;
        if (now == s->kept[i].state)
            continue;
        struct db_value *v = add_row(s, i);
        v[0] = db_int(s->kept[i].result->id);
        v[1] = db_int(now);
    }
    return run_step(s, "UPDATE domain SET state = $2 WHERE id = $1", NULL, err);
}

pap_result census_keep(struct census *c, const struct census_kept *kept, size_t n, uint64_t *ret_changed,
                       struct pap_err *err)
{
    struct arena *a = &c->scratch;
    struct step s = {.census = c,
                     .kept = kept,
                     .n = n,
                     .was = arena_new_array(a, n, struct was),
                     .observation = arena_new_array(a, n, int64_t),
                     .same = arena_new_array(a, n, bool),
                     .args = arena_new_array(a, n * (OBSERVATION_VALUES + CENSUS_SUMMARY_COLUMNS), struct db_value),
                     .index = arena_new_array(a, n, size_t)};
    int64_t *listed_at = arena_new_array(a, n, int64_t);
    if (!s.was || !s.observation || !s.same || !s.args || !s.index || !listed_at)
        return fail_memory(err);
    TRY(make_sites(&s, err));
    TRY(read_sites(&s, err));
    TRY(go_on(&s, err));
    TRY(begin_observations(&s, err));
    TRY(keep_good(&s, listed_at, err));
    TRY(keep_bad(&s, err));
    for (size_t i = 0; i < n; i++)
        if (listed_at[i] && !s.was[i].listed)
            TRY(take_place(c, &s.was[i], kept[i].result->id, err));
    TRY(keep_states(&s, err));
    *ret_changed = 0;
    for (size_t i = 0; i < n; i++)
        *ret_changed += !s.same[i];
    return OK;
}
