/* SPDX-License-Identifier: Apache-2.0
 *
 * From a judged target to what the store keeps of it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "census/inside.h"
#include "proto/rules_version.h"
#include "report/record.h"

enum { WORD_MOST = 32 };

/* ---- outcome ---- */

/* By what came instead of a whole answer. */
static const enum census_outcome of_fault[] = {
    [FAULT_NONE] = CENSUS_NEVER,
    [FAULT_URL] = CENSUS_FAILED,
    [FAULT_DNS] = CENSUS_NO_NAME,
    [FAULT_REFUSED] = CENSUS_UNREACHABLE,
    [FAULT_BLOCKED] = CENSUS_BLOCKED,
    [FAULT_TIMEOUT] = CENSUS_TIMEOUT,
    [FAULT_TLS] = CENSUS_TLS,
    [FAULT_PROTOCOL] = CENSUS_FAILED,
    [FAULT_TOO_LARGE] = CENSUS_TOO_LARGE,
    [FAULT_HEAD] = CENSUS_TOO_LARGE,
    [FAULT_REDIRECTS] = CENSUS_REDIRECTS,
    [FAULT_REDIRECT_TARGET] = CENSUS_REDIRECTS,
    [FAULT_ENCODING] = CENSUS_FAILED,
    [FAULT_BUDGET] = CENSUS_FAILED,
};
_Static_assert(sizeof of_fault / sizeof *of_fault == FAULT_BUDGET + 1, "an outcome for each fault");

enum census_outcome facts_outcome(const struct bundle *b, bool published)
{
    const struct exchange *x = b->first ? b->first->exchange : NULL;
    int status = exchange_status(x);
    if (published)
        return CENSUS_PUBLISHES;
    if (!x)
        return CENSUS_FAILED;
    if (x->fault)
        return of_fault[x->fault];
    return status == 200 ? CENSUS_OTHER_DOCUMENT : status == 404 || status == 410 ? CENSUS_ABSENT : CENSUS_STATUS;
}

/* ---- bodies and the record ---- */

struct keeping {
    struct arena *arena;
    struct census_body *bodies;
    struct pap_str *names;
    const char **from; /* where the bytes lay: the same bytes are asked about twice, as document and as answer */
    size_t n;
};

static struct pap_str hex(struct arena *a, const unsigned char *p, size_t n)
{
    char *to = arena_text(a, 2 * n + 1);
    for (size_t i = 0; to && i < n; i++)
        (void)snprintf(to + 2 * i, 3, "%02x", p[i]);
    return str(to, to ? 2 * n : 0);
}

bool facts_digest(struct pap_str name, struct census_digest *ret)
{
    if (name.n != 2 * sizeof ret->b)
        return false;
    for (size_t i = 0; i < sizeof ret->b; i++) {
        int high = ascii_hex(name.p[2 * i]), low = ascii_hex(name.p[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        ret->b[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

static pap_result keep(void *ctx, struct pap_str body, struct pap_str *ret_name, struct pap_err *err)
{
    struct keeping *k = ctx;
    struct digest d;
    for (size_t i = 0; i < k->n; i++)
        if (k->from[i] == body.p && k->bodies[i].bytes.n == body.n) {
            *ret_name = k->names[i];
            return OK;
        }
    TRY(digest_sha256(&body, 1, &d, err));
    *ret_name = hex(k->arena, d.b, sizeof d.b);
    if (!ret_name->p)
        return fail_memory(err);
    if (body.n > LIMIT_CENSUS_BODY)
        return OK;
    struct census_body *to = &k->bodies[k->n];
    memcpy(to->digest.b, d.b, sizeof to->digest.b);
    to->bytes = arena_str(k->arena, body);
    k->names[k->n] = *ret_name;
    k->from[k->n++] = body.p;
    return to->bytes.p ? OK : fail_memory(err);
}

static pap_result write_record(struct arena *a, const struct report_target *t, struct census_result *ret,
                               struct pap_err *err)
{
    size_t most = 2 * t->bundle->n_docs; /* each may have bytes and an answer */
    struct keeping k = {.arena = a,
                        .bodies = arena_new_array(a, most, struct census_body),
                        .names = arena_new_array(a, most, struct pap_str),
                        .from = arena_new_array(a, most, const char *)};
    struct census_body *record = arena_new(a, struct census_body);
    struct buf text;
    struct digest d;
    if (!k.bodies || !k.names || !k.from || !record)
        return fail_memory(err);
    buf_init(&text, a->alloc, LIMIT_REPORT);
    pap_result r = record_write(&text, t, keep, &k, err);
    struct pap_str bytes = buf_str(&text);
    if (is_ok(r))
        r = digest_sha256(&bytes, 1, &d, err);
    if (is_ok(r)) {
        record->bytes = arena_str(a, bytes);
        memcpy(record->digest.b, d.b, sizeof record->digest.b);
        r = record->bytes.p ? OK : fail_memory(err);
    }
    buf_fini(&text);
    ret->record = record;
    ret->bodies = k.bodies;
    ret->n_bodies = k.n;
    return r;
}

/* ---- the fingerprint: what has to differ so that the site has changed ---- */

static pap_result add_document(struct buf *b, const struct doc *d, struct pap_err *err)
{
    struct digest sum;
    buf_fmt(b, "%d %d %d ", (int)d->kind, (int)d->role, exchange_status(d->exchange));
    buf_add(b, d->name);
    if (d->bytes.p) {
        TRY(digest_sha256(&d->bytes, 1, &sum, err));
        buf_add(b, str((const char *)sum.b, sizeof sum.b));
    }
    buf_char(b, '\n');
    return OK;
}

static pap_result add_all(struct buf *b, const struct report_target *t, struct pap_err *err)
{
    for (const struct doc *d = t->bundle->docs; d; d = d->next)
        TRY(add_document(b, d, err));
    for (size_t i = 0; i < t->n_findings; i++) {
        const struct pap_str parts[] = {str_c(t->findings[i].id), t->findings[i].where, t->findings[i].at};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            buf_add(b, parts[k]);
            buf_char(b, '\n');
        }
    }
    return buf_result(b, err);
}

static pap_result fingerprint(struct arena *a, const struct report_target *t, struct census_result *ret,
                              struct pap_err *err)
{
    struct buf b;
    struct digest d;
    buf_init(&b, a->alloc, LIMIT_REPORT);
    buf_fmt(&b, "%d\n", (int)ret->outcome);
    pap_result r = add_all(&b, t, err);
    struct pap_str all = buf_str(&b);
    if (is_ok(r))
        r = digest_sha256(&all, 1, &d, err);
    if (is_ok(r))
        memcpy(ret->fingerprint, d.b, sizeof ret->fingerprint);
    buf_fini(&b);
    return r;
}

/* ---- the summary ---- */

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const struct pap_str *)a, *(const struct pap_str *)b);
}

/* To add a channel or a way to sign in: a row. */
static const struct {
    const char *at, *type; /* type: an array of objects with such a type; NULL: it is there */
    const char *word;
} channels[] = {{"/agent", NULL, "agent"}, {"/apis", "openapi", "api"}, {"/apis", "mcp", "mcp"}, {"/web", NULL, "web"}},
  sign_in[] = {
      {"/auth/device", NULL, "device"}, {"/auth/direct", NULL, "direct"}, {"/auth/mediated", NULL, "mediated"}};

static bool has_type(const struct json *list, const char *type)
{
    json_each (one, json_is(list, JSON_ARRAY) ? list : NULL)
        if (str_is(json_str(json_get_c(one, "type")), type))
            return true;
    return false;
}

#define WORDS_OF(a, root, rows, ret)                                                               \
    do {                                                                                           \
        struct pap_str *to_ = arena_new_array((a), sizeof(rows) / sizeof *(rows), struct pap_str); \
        if (!to_)                                                                                  \
            return fail_memory(err);                                                               \
        *(ret) = (struct census_words){.word = to_};                                               \
        for (size_t i_ = 0; i_ < sizeof(rows) / sizeof *(rows); i_++) {                            \
            const struct json *j_ = json_at((root), (rows)[i_].at);                                \
            if ((rows)[i_].type ? has_type(j_, (rows)[i_].type) : json_is(j_, JSON_OBJECT))        \
                to_[(ret)->n++] = str_c((rows)[i_].word);                                          \
        }                                                                                          \
        qsort(to_, (ret)->n, sizeof *to_, by_bytes);                                               \
    } while (0)

static uint32_t count_skills(const struct doc *index)
{
    const struct json *skills = json_get_c(index ? index->root : NULL, "skills");
    return json_is(skills, JSON_ARRAY) ? skills->n : 0;
}

static pap_result summary_of(struct arena *a, const struct report_target *t, struct census_summary *ret,
                             struct pap_err *err)
{
    const struct bundle *b = t->bundle;
    const struct doc *poppy = bundle_doc(b, KIND_POPPY, ROLE_MAIN),
                     *embedded = bundle_doc(b, KIND_INDEX, ROLE_EMBEDDED);
    const struct doc *own = bundle_doc(b, KIND_INDEX, ROLE_WELL_KNOWN);
    const struct json *root = poppy ? poppy->root : NULL;
    struct pap_str stated = json_str(json_get_c(root, "protocol_version"));
    uint64_t major, minor;
    bool plain = stated.n && stated.n <= WORD_MOST && version_parse(stated, &major, &minor);
    *ret = (struct census_summary){.version = S("")};
    if (plain)
        ret->version = arena_str(a, stated);
    else if (b->version_stated)
        ret->version = str_c(b->version->text);
    if (!ret->version.p)
        return fail_memory(err);
    WORDS_OF(a, root, channels, &ret->channels);
    WORDS_OF(a, root, sign_in, &ret->sign_in);
    ret->skills = count_skills(embedded ? embedded : own);
    ret->skills_where = embedded ? CENSUS_SKILLS_EMBEDDED : own ? CENSUS_SKILLS_WELL_KNOWN : CENSUS_NO_SKILLS;
    for (size_t i = 0; i < t->n_findings; i++) {
        enum pap_severity s = t->findings[i].severity;
        ret->errors += s == PAP_ERROR;
        ret->warnings += s == PAP_WARNING;
        ret->infos += s == PAP_INFO;
    }
    return OK;
}

/* How often each rule found something. Ids of rules are one pointer each, and there are a few hundred. */
static pap_result count_findings(struct arena *a, const struct report_target *t, struct census_result *ret,
                                 struct pap_err *err)
{
    struct census_finding *list = arena_new_array(a, t->n_findings, struct census_finding);
    size_t n = 0;
    if (!list)
        return fail_memory(err);
    for (size_t i = 0; i < t->n_findings; i++) {
        const struct pap_finding *f = &t->findings[i];
        size_t k = 0;
        while (k < n && !(list[k].rule.p == f->id && list[k].severity == (int)f->severity))
            k++;
        if (k == n)
            list[n++] = (struct census_finding){.rule = str_c(f->id), .severity = (int)f->severity};
        list[k].n++;
    }
    ret->findings = list;
    ret->n_findings = n;
    return OK;
}

pap_result facts_of(struct arena *a, const struct report_target *t, bool published, bool was_good,
                    struct census_result *ret, struct pap_err *err)
{
    ret->outcome = facts_outcome(t->bundle, published);
    if (!published && !was_good)
        return OK;
    ret->rules = rules_version();
    TRY(fingerprint(a, t, ret, err));
    TRY(write_record(a, t, ret, err));
    if (!published)
        return OK;
    TRY(count_findings(a, t, ret, err));
    return summary_of(a, t, &ret->summary, err);
}
