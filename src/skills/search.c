/* SPDX-License-Identifier: Apache-2.0
 *
 * Skills ranked by words: BM25 over names and descriptions, a name counting more. The same lists and words give the same
 * order everywhere: no statistics but those of the lists given, and ties go by their order.
 */
#include "skills/session.h"
#include "text/utf8.h"

enum { WORDS_MOST = 32, NAME_WEIGHT = 3 };
static const double k1 = 1.2, b = 0.75;

/* The next word of folded text; false at the end. */
static bool next_word(struct pap_str *rest, struct pap_str *ret)
{
    uint32_t c;
    size_t n;
    enum utf8_glyph g = UTF8_BETWEEN;
    while ((n = utf8_decode(*rest, &c)) > 0 && (g = utf8_glyph(c)) == UTF8_BETWEEN)
        *rest = str_skip(*rest, n);
    if (!n)
        return false;
    *ret = str(rest->p, n);
    *rest = str_skip(*rest, n);
    while (g == UTF8_LETTER && (n = utf8_decode(*rest, &c)) > 0 && utf8_glyph(c) == UTF8_LETTER) {
        ret->n += n;
        *rest = str_skip(*rest, n);
    }
    return true;
}

/* Folded, so that case and Unicode form do not matter; what is not UTF-8 holds no words. p NULL: out of memory. */
static struct pap_str folded(struct arena *a, struct pap_str s)
{
    return utf8_check(s) < s.n ? S("") : utf8_fold(a, s);
}

struct document {
    size_t session, skill;
    double length;
    uint16_t counts[WORDS_MOST]; /* of each word that is looked for; of the name, NAME_WEIGHT times */
    double score;
};

struct search {
    struct arena arena;
    struct pap_str words[WORDS_MOST];
    size_t n_words;
    double found_in[WORDS_MOST]; /* documents */
    struct document *docs;
    size_t n_docs;
    double total_length;
};

static void count_words(struct search *q, struct document *d, struct pap_str text, unsigned weight)
{
    struct pap_str word;
    while (next_word(&text, &word)) {
        d->length += weight;
        for (size_t i = 0; i < q->n_words; i++)
            if (str_eq(word, q->words[i]) && d->counts[i] < UINT16_MAX - NAME_WEIGHT)
                d->counts[i] = (uint16_t)(d->counts[i] + weight);
    }
}

static bool add_words(struct search *q, struct pap_str text)
{
    struct pap_str word, rest = folded(&q->arena, text);
    if (!rest.p)
        return false;
    while (q->n_words < WORDS_MOST && next_word(&rest, &word)) {
        size_t i = 0;
        while (i < q->n_words && !str_eq(q->words[i], word))
            i++;
        if (i == q->n_words)
            q->words[q->n_words++] = word;
    }
    return true;
}

static bool add_document(struct search *q, struct arena *scratch, size_t session, size_t skill,
                         const struct catalog_entry *e)
{
    struct document *d = &q->docs[q->n_docs++];
    *d = (struct document){.session = session, .skill = skill};
    struct pap_str name = folded(scratch, e->name), description = folded(scratch, e->description);
    if (!name.p || !description.p)
        return false;
    count_words(q, d, name, NAME_WEIGHT);
    count_words(q, d, description, 1);
    q->total_length += d->length;
    for (size_t i = 0; i < q->n_words; i++)
        q->found_in[i] += d->counts[i] > 0;
    return true;
}

static bool add_session(struct search *q, const struct pap_skill_session *s, size_t place)
{
    struct arena scratch;
    bool ok = true;
    arena_init(&scratch, q->arena.alloc);
    for (size_t i = 0; ok && i < s->catalog.n_entries; i++) {
        ok = add_document(q, &scratch, place, i, s->order[i]);
        arena_reset(&scratch);
    }
    arena_fini(&scratch);
    return ok;
}

/* The natural logarithm of x >= 1, the same to the last bit on every machine: halved down to [1, 2), then the series of
 * atanh. */
static double ln(double x)
{
    double twos = 0, sum = 0;
    while (x >= 2) {
        x /= 2;
        twos++;
    }
    double y = (x - 1) / (x + 1), power = y;
    for (int i = 1; i < 32; i += 2) {
        sum += power / i;
        power *= y * y;
    }
    return twos * 0.6931471805599453 + 2 * sum;
}

static void score(struct search *q)
{
    double n = (double)q->n_docs, average = q->n_docs ? q->total_length / n : 1;
    for (size_t i = 0; i < q->n_docs; i++) {
        struct document *d = &q->docs[i];
        for (size_t w = 0; w < q->n_words; w++) {
            double idf = ln(1 + (n - q->found_in[w] + 0.5) / (q->found_in[w] + 0.5)), f = d->counts[w];
            d->score += idf * f * (k1 + 1) / (f + k1 * (1 - b + b * d->length / (average > 0 ? average : 1)));
        }
    }
}

static int by_score(const void *x, const void *y)
{
    const struct document *p = x, *r = y;
    if (p->score < r->score || p->score > r->score)
        return p->score < r->score ? 1 : -1;
    if (p->session != r->session)
        return p->session < r->session ? -1 : 1;
    return p->skill < r->skill ? -1 : 1;
}

static bool run(struct search *q, const struct pap_skill_session *const *sessions, size_t n, const char *words)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += sessions[i] ? sessions[i]->catalog.n_entries : 0;
    q->docs = arena_new_array(&q->arena, total, struct document);
    if (!q->docs || !add_words(q, str_c(words ? words : "")))
        return false;
    for (size_t i = 0; i < n; i++)
        if (sessions[i] && !add_session(q, sessions[i], i))
            return false;
    score(q);
    if (q->n_docs)
        qsort(q->docs, q->n_docs, sizeof *q->docs, by_score);
    return true;
}

pap_result pap_skill_search(const struct pap_skill_session *const *sessions, size_t n, const char *words,
                            struct pap_skill_hit *ret, size_t most, size_t *ret_n)
{
    struct search q = {0};
    size_t found = 0;
    const struct pap_alloc *alloc = NULL;
    for (size_t i = 0; i < n && !alloc; i++)
        alloc = sessions[i] ? sessions[i]->client->alloc : NULL;
    arena_init(&q.arena, alloc);
    bool ok = run(&q, sessions, n, words);
    for (size_t i = 0; ok && i < q.n_docs && found < most && q.docs[i].score > 0; i++)
        ret[found++] = (struct pap_skill_hit){q.docs[i].session, q.docs[i].skill, q.docs[i].score};
    arena_fini(&q.arena);
    if (!ok)
        return (pap_result){PAP_NO_MEMORY};
    *ret_n = found;
    return OK;
}
