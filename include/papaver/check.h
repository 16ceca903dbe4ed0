/* SPDX-License-Identifier: Apache-2.0
 *
 * `papaver check` as a library: is a company's discovery right, seen from outside?
 *
 * Source: the Personal Agent Protocol (drafts 0.1 to 1.0 as far as they are public), RFC 8414, RFC 9728, Agent Skills and
 * Agent Skills Discovery 0.2.0. All functions may be called from several threads at once; one run uses one thread.
 */
#ifndef PAPAVER_CHECK_H
#define PAPAVER_CHECK_H

#include <papaver/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pap_severity { PAP_INFO = 1, PAP_WARNING, PAP_ERROR };

/* What a check means. Every pointer is static text, never NULL, NUL-terminated UTF-8. */
struct pap_rule {
    const char *id;            /* stable, never reused: "poppy.auth.issuer" */
    const char *covers;        /* numbers of the requirement list, such as "D16"; may be "" */
    const char *specification; /* "Personal Agent Protocol", "RFC 8414" ... */
    const char *section;       /* "3.1, 3.2"; may be "" */
    const char *versions; /* of the protocol for which the rule is stated: "0.1 0.2 0.3"; "" when it holds for all */
    const char *provisional_versions; /* those for which its wording is not public: "0.4 1.0"; may be "" */
    const char *level;                /* MUST, SHOULD, MAY or ADVICE */
    const char *kind;                 /* of the document judged: "poppy.json", "skill index" ... */
    enum pap_severity severity;
    enum pap_severity publish_severity; /* where `papaver publish` finds it */
    bool publish_only;                  /* no check looks at it */
    bool provisional;       /* in every version: its wording is not public, so it never gives more than an info */
    const char *title;      /* the rule in one line */
    const char *why;        /* what goes wrong for people when it does not hold */
    const char *mend;       /* how to make it hold */
    const char *good, *bad; /* a short example each; may be "" */
};

/* The rules, in the order of docs/checks.md. */
PAP_PUBLIC size_t pap_rule_count(void);
/* Fills *ret with rule i < pap_rule_count(). */
PAP_PUBLIC void pap_rule_at(size_t i, struct pap_rule *ret);
/* Finds a rule by its whole id, ASCII case ignored; when there is none, *ret_near is the most similar id or NULL. */
PAP_PUBLIC bool pap_rule_find(const char *id, struct pap_rule *ret, const char **ret_near);

/* Whether rule i < pap_rule_count() is one that `pattern` chooses in `only` and `skip` below: an id with * and ?, the
 * beginning of ids ("poppy.auth") or a number of the requirement list ("D16"). */
PAP_PUBLIC bool pap_rule_fits(size_t i, const char *pattern);

/* One thing to look at. Strings live until the callback that got the finding returns. They hold no control or invisible
 * characters: untrusted values are shown escaped. */
struct pap_finding {
    const char *id;
    enum pap_severity severity; /* as judged: provisional rules give PAP_INFO */
    bool provisional;
    const char *specification, *section, *title;
    struct pap_str version;  /* of the protocol whose text has the section: "0.1"; empty when none matters */
    struct pap_str where;    /* URL or file of the document */
    struct pap_str at;       /* JSON pointer, "header Content-Type" or "entry a/b"; empty: the whole document */
    uint32_t line, column;   /* from 1, columns in code points; 0 where no text is involved */
    struct pap_str message;  /* one sentence with the offending value */
    struct pap_str mend;     /* how to mend it, for this very document where possible */
    struct pap_str excerpt;  /* the source line, cut to what fits; may be empty */
    uint32_t excerpt_column; /* where `column` is inside the excerpt, in code points from 1 */
    bool known;              /* listed in the baseline: reported, not counted */
};

enum pap_format { PAP_TEXT = 0, PAP_JSON, PAP_SARIF, PAP_JUNIT, PAP_GITHUB, PAP_HTML, PAP_MARKDOWN };

/* "text", "json" ... to the format; false when there is none of that name. */
PAP_PUBLIC bool pap_format_find(const char *name, enum pap_format *ret);

struct pap_counts {
    uint64_t targets, documents, errors, warnings, infos, known, stale_baseline, requests;
    uint64_t unjudged; /* of the targets: a host that is not found, a file that cannot be read */
};

struct pap_progress {
    size_t done, total;
    const char *now; /* what was finished last or is waited for; NUL-terminated, escaped */
    uint64_t errors;
};

/* Everything is optional: a zeroed struct checks with the defaults and writes nothing. Strings are NUL-terminated and
 * borrowed for the length of the run; lists end with NULL. */
struct pap_check_options {
    const struct pap_alloc *alloc;

    /* what to judge, and how */
    const char *as_version;     /* "0.1": judge by that version whatever the document says */
    const char *kind;           /* "poppy", "metadata", "resource", "client", "jwks", "index", "skill", "archive",
                                    "openapi": of file and stdin targets; NULL: by name, place and content */
    const char *const *only;    /* patterns of checks (see pap_rule_fits): run just these */
    const char *const *skip;    /* patterns of checks: leave these out */
    enum pap_severity fail_on;  /* 0: PAP_ERROR */
    const char *baseline;       /* file of known findings; a stale entry fails */
    const char *write_baseline; /* file to write the findings of this run to; there, only a baseline is replaced */
    const char *output;         /* the file that the caller's `write` goes to, never one that is checked; NULL: none */

    /* network */
    bool offline;       /* no request at all */
    bool online;        /* file targets may fetch */
    bool mcp;           /* send `initialize` to MCP endpoints */
    bool insecure_http; /* plain http to loopback */
    uint32_t jobs;      /* targets and requests at once; 0: 16 */
    struct pap_network network;
    int64_t now; /* Unix seconds; 0: the system clock */

    /* what comes out */
    enum pap_format format;
    bool color;                                              /* ANSI colours in text */
    bool quiet;                                              /* text: findings only, no summary of clean targets */
    bool exchanges;                                          /* text: show each request and answer */
    uint32_t width;                                          /* text: columns to wrap at; 0: 100 */
    bool (*write)(void *ctx, const char *bytes, size_t n);   /* report sink; false: stop with PAP_IO. NULL: no report */
    void (*finding)(void *ctx, const struct pap_finding *f); /* every finding, as it is reported. May be NULL */
    bool (*progress)(void *ctx, const struct pap_progress *p); /* now and then; false cancels. May be NULL */
    void *ctx;
};

/* Checks `n` targets: a domain, an https URL, a file, a folder, or "-" (standard input). Results come in the order of
 * the targets, by `write` and `finding`. *ret_exit is the status for a command: 0 nothing at or above `fail_on`, 1
 * findings, 3 some target could not be judged. The failure result is for what stops the whole run: bad options, sink
 * closed, memory, cancel. No signal handler is set: a program that fetches ignores SIGPIPE, which a peer that closes its
 * connection would raise. */
PAP_PUBLIC pap_result pap_check(const struct pap_check_options *options, const char *const *targets, size_t n,
                                struct pap_counts *ret_counts, int *ret_exit, struct pap_err *err) PAP_MUST;

#ifdef __cplusplus
}
#endif

#endif
