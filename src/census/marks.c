/* SPDX-License-Identifier: Apache-2.0 */
#include "census/marks.h"

#include <stdio.h>
#include <stdlib.h>

#include "text/utf8.h"

enum { TEXT_MOST = 64 * 1024, NAME_MOST = 600, MARKS_MOST = 10000 };

static const struct {
    const char *word, *added, *gone, *changed;
} kinds[MARK_KINDS] = {
    [MARK_OUTCOME] = {"outcome", NULL, NULL, "outcome-changed"},
    [MARK_VERSION] = {"version", "version-changed", "version-changed", "version-changed"},
    [MARK_ERROR] = {"error", "error-new", "error-mended", NULL},
    [MARK_WARNING] = {"warning", "warning-new", "warning-mended", NULL},
    [MARK_SKILL] = {"skill", "skill-added", "skill-removed", "skill-changed"},
    [MARK_KEY] = {"key", "key-added", "key-removed", "key-changed"},
    [MARK_CERTIFICATE] = {"certificate", "certificate-near-end", NULL, NULL},
};

const char *mark_word(enum mark_kind k)
{
    return kinds[k].word;
}

const char *mark_change(enum mark_kind k, bool before, bool after)
{
    return before && after ? kinds[k].changed : after ? kinds[k].added : kinds[k].gone;
}

static struct pap_str hex_of(struct arena *a, const struct digest *d)
{
    char text[DIGEST_TEXT + 1];
    digest_text(d, text);
    return arena_str(a, str_c(text));
}

/* Names and values are shown to people: what is invisible in them is written out. */
static pap_result add(struct arena *a, struct marks *m, enum mark_kind kind, struct pap_str name, struct pap_str value,
                      struct pap_str text, struct pap_err *err)
{
    if (m->n == MARKS_MOST)
        return OK;
    if (m->n == m->cap) {
        size_t cap = m->cap ? 2 * m->cap : 32;
        struct mark *grown = arena_new_array(a, cap, struct mark);
        if (!grown)
            return fail_memory(err);
        if (m->n)
            memcpy(grown, m->at, m->n * sizeof *grown);
        m->at = grown;
        m->cap = cap;
    }
    struct mark *to = &m->at[m->n];
    *to = (struct mark){.kind = kind,
                        .name = utf8_visible(a, name, NAME_MOST, ""),
                        .value = utf8_visible(a, value, NAME_MOST, ""),
                        .text = arena_str(a, str_take(text, TEXT_MOST))};
    if (!to->name.p || !to->value.p || !to->text.p)
        return fail_memory(err);
    m->n++;
    return OK;
}

static pap_result add_findings(struct arena *a, const struct report_target *t, struct marks *m, struct pap_err *err)
{
    for (size_t i = 0; i < t->n_findings; i++) {
        const struct pap_finding *f = &t->findings[i];
        if (f->severity == PAP_INFO)
            continue;
        struct pap_str name = arena_fmt(a, "%s %.*s%s%.*s", f->id, PSTR(f->where), f->at.n ? " " : "", PSTR(f->at));
        if (!name.p)
            return fail_memory(err);
        TRY(add(a, m, f->severity == PAP_ERROR ? MARK_ERROR : MARK_WARNING, name, S(""), S(""), err));
    }
    return OK;
}

/* The SKILL.md that an entry's artifact is, or holds. */
static struct pap_str text_of(const struct bundle *b, const struct json *entry)
{
    const struct doc *d = bundle_named_by(b, entry, KIND_SKILL);
    if (d)
        return d->bytes;
    d = bundle_named_by(b, entry, KIND_ARCHIVE);
    for (const struct doc *e = b->docs; d && e; e = e->next)
        if (e->from == d && e->role == ROLE_INSIDE)
            return e->bytes;
    return S("");
}

static pap_result add_skills(struct arena *a, const struct bundle *b, struct marks *m, struct pap_err *err)
{
    for (const struct doc *d = b->docs; d; d = d->next) {
        const struct json *skills = json_get_c(d->root, "skills");
        if (d->kind != KIND_INDEX || (d->role != ROLE_EMBEDDED && d->role != ROLE_WELL_KNOWN))
            continue;
        json_each (entry, json_is(skills, JSON_ARRAY) ? skills : NULL) {
            struct pap_str name = json_str(json_get_c(entry, "name")), version = json_str(json_get_c(entry, "version"));
            struct pap_str full = arena_fmt(a, "%.*s%s%.*s", PSTR(name), version.n ? " " : "", PSTR(version));
            if (!full.p)
                return fail_memory(err);
            TRY(add(a, m, MARK_SKILL, full, json_str(json_get_c(entry, "digest")), text_of(b, entry), err));
        }
    }
    return OK;
}

static pap_result add_keys(struct arena *a, const struct bundle *b, struct marks *m, struct pap_err *err)
{
    for (const struct doc *d = b->docs; d; d = d->next) {
        const struct json *keys = json_get_c(d->root, "keys");
        size_t place = 0;
        json_each (key, d->kind == KIND_JWKS && json_is(keys, JSON_ARRAY) ? keys : NULL) {
            struct pap_str kid = json_str(json_get_c(key, "kid"));
            struct pap_str bytes = str(d->bytes.p + key->off, json_value_end(d->bytes, key->off) - key->off);
            struct pap_str name = kid.n ? arena_fmt(a, "%.*s %.*s", PSTR(d->name), PSTR(kid))
                                        : arena_fmt(a, "%.*s key %zu", PSTR(d->name), place);
            struct digest sum;
            place++;
            TRY(digest_sha256(&bytes, 1, &sum, err));
            struct pap_str value = hex_of(a, &sum);
            if (!name.p || !value.p)
                return fail_memory(err);
            TRY(add(a, m, MARK_KEY, name, value, S(""), err));
        }
    }
    return OK;
}

static struct pap_str host_of(struct pap_str url)
{
    struct pap_str rest = str_skip(url, str_find(url, S("://")) + 3);
    return str_take(rest, str_find_char(rest, '/'));
}

/* Certificates that end soon: told once, when they come near. */
static pap_result add_certificates(struct arena *a, const struct bundle *b, int64_t now, int64_t near_end,
                                   struct marks *m, struct pap_err *err)
{
    for (const struct doc *d = b->docs; d; d = d->next)
        for (size_t i = 0; d->exchange && i < d->exchange->n_hops; i++) {
            const struct hop *h = &d->exchange->hops[i];
            if (h->not_after && h->not_after - now < near_end)
                TRY(add(a, m, MARK_CERTIFICATE, host_of(h->url), out_time(a, h->not_after), S(""), err));
        }
    return OK;
}

static int order(const struct mark *a, const struct mark *b)
{
    return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : str_cmp(a->name, b->name);
}

static int by_order(const void *a, const void *b)
{
    return order(a, b);
}

static void sort_once(struct marks *m)
{
    size_t n = 0;
    if (m->n)
        qsort(m->at, m->n, sizeof *m->at, by_order);
    for (size_t i = 0; i < m->n; i++)
        if (!n || order(&m->at[n - 1], &m->at[i]) != 0)
            m->at[n++] = m->at[i];
    m->n = n;
}

pap_result marks_of(struct arena *a, const struct surveyed *s, const char *outcome, int64_t now, int64_t near_end,
                    struct marks *ret, struct pap_err *err)
{
    const struct bundle *b = s->target->bundle;
    struct marks m = {.seen_at = now};
    const struct doc *poppy = bundle_doc(b, KIND_POPPY, ROLE_MAIN);
    struct pap_str version = json_str(json_get_c(poppy ? poppy->root : NULL, "protocol_version"));
    TRY(add(a, &m, MARK_OUTCOME, S("poppy.json"), str_c(outcome), S(""), err));
    if (version.n)
        TRY(add(a, &m, MARK_VERSION, S("protocol_version"), version, S(""), err));
    TRY(add_findings(a, s->target, &m, err));
    TRY(add_skills(a, b, &m, err));
    TRY(add_keys(a, b, &m, err));
    TRY(add_certificates(a, b, now, near_end, &m, err));
    sort_once(&m);
    *ret = m;
    return OK;
}

pap_result marks_compare(const struct marks *before, const struct marks *after, marks_each *each, void *ctx,
                         struct pap_err *err)
{
    size_t i = 0, k = 0;
    while (i < before->n || k < after->n) {
        const struct mark *one = i < before->n ? &before->at[i] : NULL, *other = k < after->n ? &after->at[k] : NULL;
        int o = !one ? 1 : !other ? -1 : order(one, other);
        if (o < 0)
            TRY(each(ctx, one, NULL, err));
        else if (o > 0)
            TRY(each(ctx, NULL, other, err));
        else if (!str_eq(one->value, other->value))
            TRY(each(ctx, one, other, err));
        i += o <= 0;
        k += o >= 0;
    }
    return OK;
}
