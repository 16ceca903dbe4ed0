/* SPDX-License-Identifier: Apache-2.0
 *
 * Structs to columns and back. What strangers wrote is made safe on its way in, so that no database refuses it (a NUL, bytes
 * that are no UTF-8) and nobody who reads it has to.
 */
#include "store/census_inside.h"
#include "text/utf8.h"

enum { TEXT_MOST = 64, WORDS_MOST = 32 };

struct pap_str census_text(struct arena *a, struct pap_str s)
{
    return utf8_visible(a, s, TEXT_MOST, "");
}

struct pap_str census_word_pattern(struct arena *a, struct pap_str word)
{
    struct pap_str text = census_text(a, word);
    return text.p ? ARENA_JOIN(a, S(" "), text, S(" ")) : text;
}

/* " api web ", or "" for none. */
static struct pap_str join_words(struct arena *a, const struct census_words *words)
{
    struct buf b;
    char room[WORDS_MOST * (TEXT_MOST * 4 + 1) + 8];
    buf_on(&b, room, sizeof room);
    for (size_t i = 0; i < words->n && i < WORDS_MOST; i++) {
        struct pap_str w = census_text(a, words->word[i]);
        if (!w.p)
            return w;
        if (!w.n || str_find_char(w, ' ') < w.n)
            continue;
        if (!b.n)
            buf_char(&b, ' ');
        buf_add(&b, w);
        buf_char(&b, ' ');
    }
    return arena_str(a, buf_str(&b));
}

static pap_result split_words(struct arena *a, struct pap_str text, struct census_words *ret, struct pap_err *err)
{
    struct pap_str *word = arena_new_array(a, WORDS_MOST, struct pap_str), part;
    struct pap_str rest = arena_str(a, str_trim(text));
    size_t n = 0;
    if (!word || !rest.p)
        return fail_memory(err);
    while (n < WORDS_MOST && rest.n && str_next(&rest, ' ', &part))
        word[n++] = part;
    *ret = (struct census_words){word, n};
    return OK;
}

pap_result census_summary_values(struct arena *a, const struct census_summary *s,
                                 struct db_value ret[CENSUS_SUMMARY_COLUMNS], struct pap_err *err)
{
    struct pap_str version = census_text(a, s->version);
    struct pap_str channels = join_words(a, &s->channels), sign_in = join_words(a, &s->sign_in);
    if (!version.p || !channels.p || !sign_in.p)
        return fail_memory(err);
    ret[0] = db_text(version);
    ret[1] = db_text(channels);
    ret[2] = db_text(sign_in);
    ret[3] = db_int(s->skills);
    ret[4] = db_int(s->skills_where);
    ret[5] = db_int(s->errors);
    ret[6] = db_int(s->warnings);
    ret[7] = db_int(s->infos);
    return OK;
}

pap_result census_summary_take(struct arena *a, const struct db_row *row, unsigned first, struct census_summary *ret,
                               struct pap_err *err)
{
    struct census_summary s = {
        .version = arena_str(a, db_row_str(row, first)),
        .skills = (uint32_t)db_row_int(row, first + 3),
        .skills_where = (enum census_skills)db_row_int(row, first + 4),
        .errors = (uint32_t)db_row_int(row, first + 5),
        .warnings = (uint32_t)db_row_int(row, first + 6),
        .infos = (uint32_t)db_row_int(row, first + 7),
    };
    if (!s.version.p)
        return fail_memory(err);
    TRY(split_words(a, db_row_str(row, first + 1), &s.channels, err));
    TRY(split_words(a, db_row_str(row, first + 2), &s.sign_in, err));
    *ret = s;
    return OK;
}

/* Whether column `i` held so many bytes, which are copied. */
static bool take_bytes(const struct db_row *row, unsigned i, void *ret, size_t n)
{
    struct pap_str s = db_row_str(row, i);
    if (s.n == n)
        memcpy(ret, s.p, n);
    return s.n == n;
}

pap_result census_observation_take(struct arena *a, const struct db_row *row, unsigned first,
                                   struct census_observation *ret, struct pap_err *err)
{
    struct census_observation o = {
        .id = db_row_int(row, first),
        .domain = db_row_int(row, first + 1),
        .first_at = db_row_int(row, first + 2),
        .last_at = db_row_int(row, first + 3),
        .outcome = (enum census_outcome)db_row_int(row, first + 4),
        .standing = (enum census_standing)db_row_int(row, first + 5),
        .rules = arena_str(a, db_row_str(row, first + 7)),
        .name = arena_str(a, db_row_str(row, first + 9)),
    };
    if (!o.rules.p || !o.name.p)
        return fail_memory(err);
    (void)take_bytes(row, first + 6, o.fingerprint, sizeof o.fingerprint);
    o.has_record = take_bytes(row, first + 8, o.record.b, sizeof o.record.b);
    TRY(census_summary_take(a, row, first + 10, &o.summary, err));
    *ret = o;
    return OK;
}

pap_result census_site_take(struct arena *a, const struct db_row *row, unsigned first, struct census_site *ret,
                            struct pap_err *err)
{
    struct census_site s = {
        .id = db_row_int(row, first),
        .name = arena_str(a, db_row_str(row, first + 1)),
        .registrable = arena_str(a, db_row_str(row, first + 2)),
        .first_seen = db_row_int(row, first + 3),
        .last_seen = db_row_int(row, first + 4),
        .listed_at = db_row_int(row, first + 5),
        .changed_at = db_row_int(row, first + 6),
        .gone_at = db_row_int(row, first + 7),
        .listed = !db_row_is_null(row, first + 8),
        .outcome = (enum census_outcome)db_row_int(row, first + 9),
        .observation = db_row_int(row, first + 10),
    };
    if (!s.name.p || !s.registrable.p)
        return fail_memory(err);
    TRY(census_summary_take(a, row, first + 11, &s.summary, err));
    *ret = s;
    return OK;
}
