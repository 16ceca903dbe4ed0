/* SPDX-License-Identifier: Apache-2.0
 *
 * Words and sentences that more than one format writes: severities, roles, sections, sizes, and what the findings mean
 * in the end for the people who asked.
 */
#include "report/format.h"
#include "text/utf8.h"

enum pap_severity threshold(const struct report *r)
{
    return r->fail_on ? r->fail_on : PAP_ERROR;
}

struct tally tally(const struct report *r, const struct report_target *t)
{
    struct tally y = {0};
    for (size_t i = 0; i < t->n_findings; i++) {
        const struct pap_finding *f = &t->findings[i];
        if (f->known) {
            y.known++;
        } else {
            y.by[f->severity]++;
            y.at_threshold += f->severity >= threshold(r);
        }
    }
    return y;
}

const char *severity_word(enum pap_severity s)
{
    static const char *const words[] = {[PAP_INFO] = "info", [PAP_WARNING] = "warning", [PAP_ERROR] = "error"};
    return words[s];
}

const char *role_word(enum role role)
{
    static const char *const words[] = {
        [ROLE_MAIN] = "main",
        [ROLE_TWIN] = "twin",
        [ROLE_APPENDED] = "appended",
        [ROLE_EMBEDDED] = "embedded",
        [ROLE_WELL_KNOWN] = "well-known",
        [ROLE_LEGACY] = "legacy",
        [ROLE_ARTIFACT] = "artifact",
        [ROLE_INSIDE] = "inside",
        [ROLE_MCP] = "mcp",
        [ROLE_HEAD] = "head",
    };
    _Static_assert(sizeof words / sizeof *words == ROLE_HEAD + 1, "a word for each role");
    return words[role];
}

const char *kind_title(enum kind k)
{
    const char *title = kind_row(k)->title;
    return title ? title : "document";
}

const struct doc *doc_named(const struct bundle *b, struct pap_str where, const struct doc **cursor)
{
    if (!b)
        return NULL;
    for (const struct doc *d = *cursor; d; d = d->next)
        if (str_eq(d->name, where))
            return *cursor = d;
    for (const struct doc *d = b->docs; d && d != *cursor; d = d->next)
        if (str_eq(d->name, where))
            return *cursor = d;
    return NULL;
}

bool was_fetched(const struct report_target *t)
{
    for (const struct doc *d = t->bundle ? t->bundle->docs : NULL; d; d = d->next)
        if (d->exchange)
            return true;
    return false;
}

uint64_t fingerprint(const struct pap_finding *f)
{
    uint64_t h = hash_on(hash_on(HASH_BEGIN, str_c(f->id)), S("\n"));
    return hash_on(hash_on(hash_on(h, f->where), S("\n")), f->at);
}

void add_reference(struct buf *out, const struct pap_finding *f)
{
    struct pap_str spec = str_c(f->specification), pap = S("Personal Agent Protocol"), section = str_c(f->section);
    bool of_pap = str_starts(spec, pap);
    buf_add(out, str_take(spec, of_pap ? pap.n : spec.n));
    if (of_pap && f->version.n) {
        buf_char(out, ' ');
        buf_add(out, f->version);
    }
    buf_add(out, of_pap ? str_skip(spec, pap.n) : S(""));
    if (section.n) {
        buf_add(out, str_find_char(section, ',') < section.n ? S(", sections ") : S(", section "));
        buf_add(out, section);
    }
}

void add_count(struct buf *out, uint64_t n, const char *noun)
{
    buf_fmt(out, "%llu %s%s", (unsigned long long)n, noun, str_plural(n));
}

void add_tally(struct buf *out, const size_t by[PAP_ERROR + 1])
{
    bool any = false;
    for (unsigned s = PAP_ERROR; s >= PAP_INFO; s--)
        if (by[s]) {
            buf_add(out, any ? S(", ") : S(""));
            add_count(out, by[s], severity_word((enum pap_severity)s));
            any = true;
        }
    buf_add(out, any ? S("") : S("nothing found"));
}

void add_size(struct buf *out, uint64_t bytes)
{
    if (bytes < 1000)
        add_count(out, bytes, "byte");
    else if (bytes < 999950)
        buf_fmt(out, "%.1f kB", (double)bytes / 1e3);
    else
        buf_fmt(out, "%.1f MB", (double)bytes / 1e6);
}

struct pap_str odd_method(const struct doc *d)
{
    static const char *const odd[] = {"HEAD ", "POST ", "DELETE "};
    for (size_t i = 0; d->exchange && i < sizeof odd / sizeof *odd; i++)
        if (str_eq(d->exchange->method, str_trim(str_c(odd[i]))))
            return str_c(odd[i]);
    return S("");
}

void add_outcome(struct buf *out, const struct doc *d)
{
    int status = exchange_status(d->exchange);
    buf_add(out, odd_method(d));
    if (status)
        buf_fmt(out, d->exchange->fault && !d->bytes.p ? "%d, not read (%s)" : "%d", status,
                fault_word(d->exchange->fault));
    else if (d->exchange)
        buf_fmt(out, "no answer (%s)", d->exchange->fault ? fault_word(d->exchange->fault) : "none");
    if (d->bytes.p) {
        buf_add(out, out->n ? S(", ") : S(""));
        add_size(out, d->bytes.n);
    }
    buf_add(out, out->n ? S("") : S("not there"));
}

void add_time(struct buf *out, uint64_t ms)
{
    if (ms < 1000)
        buf_fmt(out, "%u ms", (unsigned)ms);
    else
        buf_fmt(out, "%.1f s", (double)ms / 1e3);
}

/* The calendar, by eras of 400 years that begin on 1 March, so that the leap day is the last of its year. */
void add_date(struct buf *out, int64_t unix_seconds)
{
    enum { ERA_DAYS = 146097, DAYS_TO_1970 = 719468 };
    const int64_t most = 253402300799; /* 9999-12-31 */
    int64_t t = unix_seconds < 0 ? 0 : unix_seconds > most ? most : unix_seconds;
    int64_t days = t / 86400 + DAYS_TO_1970, era = days / ERA_DAYS, day = days % ERA_DAYS;
    int64_t year = (day - day / 1460 + day / 36524 - day / (ERA_DAYS - 1)) / 365;
    day -= year * 365 + year / 4 - year / 100;
    int64_t month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5;
    month = month < 10 ? month + 3 : month - 9;
    buf_fmt(out, "%04d-%02d-%02d", (int)(era * 400 + year + (month <= 2)), (int)month, (int)day + 1);
}

/* What errors in a kind of document do to the people who rely on it, worst first. */
static const struct {
    unsigned kinds;
    const char *means;
} verdicts[] = {
    {OF(KIND_POPPY) | OF(KIND_METADATA) | OF(KIND_LINKS), "agents that follow the protocol will skip this company"},
    {OF(KIND_RESOURCE) | OF(KIND_MCP), "agents that follow the protocol will not use the servers with errors"},
    {OF(KIND_CLIENT) | OF(KIND_JWKS), "companies that follow the protocol will refuse this agent"},
    {OF(KIND_OPENAPI), "agents cannot rely on the API description"},
    {OF(KIND_INDEX) | OF(KIND_SKILL) | OF(KIND_ARCHIVE), "agents will leave out the skills with errors"},
};

/* The kind of document that a finding is about: its row's, or for rows about bytes and answers the document's. */
static enum kind kind_judged(const struct report_target *t, const struct pap_finding *f, const struct doc **cursor)
{
    const struct check *c = check_find(str_c(f->id));
    const struct doc *d;
    if (c && c->kind != KIND_TEXT && c->kind != KIND_EXCHANGE)
        return c->kind;
    d = doc_named(t->bundle, f->where, cursor);
    return d ? d->kind : KIND_NONE;
}

static const char *what_errors_mean(const struct report_target *t)
{
    unsigned kinds = 0;
    const struct doc *cursor = NULL;
    for (size_t i = 0; i < t->n_findings; i++)
        if (t->findings[i].severity == PAP_ERROR && !t->findings[i].known)
            kinds |= OF(kind_judged(t, &t->findings[i], &cursor));
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++)
        if (kinds & verdicts[i].kinds)
            return verdicts[i].means;
    return "agents that follow the protocol will not accept this";
}

void add_verdict(struct buf *out, const struct report *r, const struct report_target *t)
{
    struct tally y = tally(r, t);
    if (t->failure.p) {
        buf_add(out, S("this could not be judged: "));
        buf_add(out, t->failure);
    } else if (y.by[PAP_ERROR]) {
        buf_add(out, str_c(what_errors_mean(t)));
    } else if (y.at_threshold) {
        buf_fmt(out, "no error, but %zu at or above %s", y.at_threshold, severity_word(threshold(r)));
    } else {
        buf_fmt(out, "nothing at or above %s", severity_word(threshold(r)));
    }
}

void add_version(struct buf *out, const struct report_target *t)
{
    const struct bundle *b = t->bundle;
    unsigned kinds = 0;
    for (const struct doc *d = b ? b->docs : NULL; d; d = d->next)
        kinds |= OF(d->kind);
    if (!b || !b->version || !(kinds & ~(OF(KIND_INDEX) | OF(KIND_SKILL) | OF(KIND_ARCHIVE) | OF(KIND_OPENAPI))))
        return;
    buf_fmt(out, "Judged by version %s of the protocol, %s: %zu rule%s of it %s certain, %zu provisional",
            b->version->text,
            b->version_forced   ? "as you asked"
            : b->version_stated ? "which its documents state"
                                : "because its documents state none",
            t->certain, str_plural(t->certain), t->certain == 1 ? "is" : "are", t->provisional);
}

struct pap_str proxy_note(const struct report *r, const struct report_target *t)
{
    return r->proxied && was_fetched(t)
               ? S("Asked through a proxy: names were not resolved here, so nobody saw whether their addresses are private.")
               : S("");
}
