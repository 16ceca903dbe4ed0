/* SPDX-License-Identifier: Apache-2.0
 *
 * `papaver watch` as a library: checks some domains on a schedule and tells what changed, and nothing else.
 */
#ifndef PAPAVER_WATCH_H
#define PAPAVER_WATCH_H

#include <papaver/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thing that changed. Strings live until the callback returns; those of others hold no control or invisible character, but
 * for the two texts. */
struct pap_watch_change {
    const char *domain;
    const char *what;                       /* "error-new", "skill-changed" ...: docs/watch.md lists them */
    const char *name;                       /* of the rule and where, the skill, the key, the host */
    const char *before, *after;             /* values; "" where there was or is none */
    struct pap_str text_before, text_after; /* of a skill that changed, as it came; empty elsewhere */
};

struct pap_watch_options {
    const struct pap_alloc *alloc;
    struct pap_network network;
    bool insecure_http; /* a webhook on this machine may be plain http, for tests */
    const char *state;  /* file that keeps what was seen; made when missing, for this user alone */
    int64_t every;      /* seconds between two checks; 0: an hour */
    bool once;          /* check once and end */
    uint32_t again_ms;  /* a site that does not answer is asked once more after that before it is told; 0: 10,000 */
    int64_t near_end;   /* seconds before its end in which a certificate is told; 0: 21 days */
    const char *const *only, *const *skip; /* checks, as in papaver/check.h */

    /* Changes go there as one POST a domain, when not NULL: an https URL of the operator's, no redirect is followed. Headers
     * webhook-id, webhook-timestamp and webhook-signature: "v1," and the base64 of HMAC-SHA256 over "ID.TIMESTAMP.BODY". */
    const char *webhook;
    struct pap_str webhook_secret;
    /* Shows how the text of a skill changed: hands it over to `take`, for "diff" of the webhook's JSON. NULL: it has none. */
    void (*diff)(void *ctx, const struct pap_watch_change *c, void (*take)(void *to, const char *p, size_t n),
                 void *to);
    bool webhook_private;     /* it may be at a private or loopback address */
    uint32_t webhook_wait_ms; /* before the second of four tries; doubled after each; 0: 2,000 */

    void (*changed)(void *ctx, const struct pap_watch_change *c);                   /* may be NULL */
    void (*looked)(void *ctx, const char *domain, const char *outcome, bool first); /* after each check. May be NULL */
    void (*trouble)(void *ctx, const char *text); /* a webhook that fails. May be NULL */
    bool (*go_on)(void *ctx);                     /* false stops. May be NULL */
    void *ctx;
};

struct pap_watched {
    uint64_t changes,
        failed; /* failed: webhooks that could not be delivered; they are tried again with the next check */
};

/* Watches until go_on() says false, or once. What could not be told is told the next time: a change is told at least once. */
PAP_PUBLIC pap_result pap_watch(const struct pap_watch_options *options, const char *const *domains, size_t n,
                                struct pap_watched *ret, struct pap_err *err) PAP_MUST;

#ifdef __cplusplus
}
#endif

#endif
