/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside src/report: what a format is, and what the formats share. Each format escapes untrusted text with one encoder
 * of its own; words and sentences that are the same everywhere are made here once.
 */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include "report/report.h"

/* To add a format: a row in report.c, a value in enum pap_format, a file with these three functions. */
struct report_format {
    const char *name; /* for --format */
    void (*begin)(struct report *r);
    void (*target)(struct report *r, const struct report_target *t);
    void (*end)(struct report *r, const struct report_total *total);
};
extern const struct report_format format_text, format_json, format_sarif, format_junit, format_github, format_html,
    format_markdown;

/* The scratch buffer, emptied; a failure of its last use is kept. */
struct buf *report_scratch(struct report *r);
/* A copy of the scratch buffer in the arena; "" when out of memory (sticky). */
struct pap_str report_kept(struct report *r);

/* ---- escape.c: untrusted text into the place that is meant for it ---- */

struct escape {
    char c;
    const char *as;
};
/* Appends `s` visibly (utf8_add_visible), and with each character of the table (ended by c 0) written as its row says. */
void add_escaped(struct buf *out, struct pap_str s, const struct escape *table);
/* Elements and double-quoted attributes of XML and HTML. */
extern const struct escape escape_markup[];

/* FNV-1a; continue with the hash so far, or begin with HASH_BEGIN. Not for anything that an attacker may not steer. */
#define HASH_BEGIN 0xcbf29ce484222325u
uint64_t hash_on(uint64_t h, struct pap_str s);

/* ---- group.c: findings by document or by rule ---- */

#define GROUP_END UINT32_MAX /* enumerators of C17 are ints */
struct group {
    struct pap_str key;
    uint32_t first, last, n;        /* findings; follow groups.next */
    uint32_t counts[PAP_ERROR + 1]; /* by severity, without known ones */
    uint32_t known;
};
struct groups {
    struct group *items; /* in order of first appearance, each sorted by place */
    size_t n;
    uint32_t *next; /* by finding: the next of its group, or GROUP_END */
};
struct pap_str group_by_where(const struct pap_finding *f);
struct pap_str group_by_id(const struct pap_finding *f);
/* In the arena of the report; no group at all when out of memory (sticky). */
struct groups group_findings(struct report *r, const struct report_target *t,
                             struct pap_str (*key)(const struct pap_finding *f));

/* ---- words.c ---- */

struct tally {
    size_t by[PAP_ERROR + 1]; /* by severity, without known ones */
    size_t known, at_threshold;
};
struct tally tally(const struct report *r, const struct report_target *t);

enum pap_severity threshold(const struct report *r);
const char *severity_word(enum pap_severity s); /* "error", "warning", "info" */
const char *role_word(enum role role);          /* "main", "well-known" ... */
const char *kind_title(enum kind k);
/* The document that a finding's `where` names; *cursor (start with NULL) remembers the last one found, because
 * findings come in document order. NULL when none does. */
const struct doc *doc_named(const struct bundle *b, struct pap_str where, const struct doc **cursor);
bool was_fetched(const struct report_target *t);

/* A number for the same finding in another run: of its id, document and place, not of its sentence. */
uint64_t fingerprint(const struct pap_finding *f);

/* "Personal Agent Protocol 0.1, section 3.1" */
void add_reference(struct buf *out, const struct pap_finding *f);
/* "1 error", "3 warnings" */
void add_count(struct buf *out, uint64_t n, const char *noun);
/* "2 errors, 1 warning, 3 infos", without what is zero; "nothing found" when all is */
void add_tally(struct buf *out, const size_t by[PAP_ERROR + 1]);
/* "512 bytes", "1.2 kB" */
void add_size(struct buf *out, uint64_t bytes);
/* How a document came, in few words: "200, 1.2 kB", "no answer (dns)". */
void add_outcome(struct buf *out, const struct doc *d);
/* "83 ms", "1.2 s" */
void add_time(struct buf *out, uint64_t ms);
/* "HEAD " for what was not asked for with GET, else empty: without it the same address would stand there twice. */
struct pap_str odd_method(const struct doc *d);
/* "2026-11-14" */
void add_date(struct buf *out, int64_t unix_seconds);
/* What the findings mean for the people behind the target, in one plain sentence without a full stop. Holds untrusted
 * text (the failure), so it is to be escaped. */
void add_verdict(struct buf *out, const struct report *r, const struct report_target *t);
/* "Judged by version 0.1, which its documents state: 61 rules are certain, 4 provisional"; nothing when no version of
 * the protocol matters for these documents. */
void add_version(struct buf *out, const struct report_target *t);

/* That names were resolved by a proxy, where the address policy sees nothing; empty when it is not so. */
struct pap_str proxy_note(const struct report *r, const struct report_target *t);

/* ---- exchange_text.c: what of an exchange may be shown. Raw text, still to be escaped by the format ---- */

/* The next document after `d` (NULL: the first) with an exchange that no document before it has; NULL at the end. */
const struct doc *next_exchange(const struct report_target *t, const struct doc *d);
/* The views live in the arena of the report; "" when out of memory (sticky). */
struct pap_str shown_url(struct report *r, struct pap_str url);
struct pap_str shown_header(struct report *r, const struct header *h);
/* The first bytes of the body, whole characters; none when a private key or a client secret may stand in it. */
struct pap_str shown_body(const struct exchange *x);
const char *fault_word(enum exchange_fault f); /* "dns", "tls" ...; NULL for none */

/* The text format's part of it. */
void text_exchange(struct report *r, const struct exchange *x);
void text_add(struct buf *out, struct pap_str s);

#endif
