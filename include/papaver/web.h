/* SPDX-License-Identifier: Apache-2.0
 *
 * `papaver web` as a library: the checker as a public site. People type a domain and read what is wrong with it; programs
 * ask the API for the same.
 */
#ifndef PAPAVER_WEB_H
#define PAPAVER_WEB_H

#include <papaver/check.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pap_web_what {
    PAP_WEB_LISTENING = 1, /* text: a URL that works from here */
    PAP_WEB_TROUBLE,       /* the database failed; text says how. Visitors are told to come back */
    PAP_WEB_STOPPING
};

/* Strings are NUL-terminated and borrowed for the length of the run; lists end with NULL. */
struct pap_web_options {
    const struct pap_alloc *alloc; /* called from several threads at once */
    const char *origin;            /* "https://check.example.com": where visitors find the site; needed */
    /* Who answers for it: an https URL or a mail address. It stands on the site and in the User-Agent of each request. Needed. */
    const char *contact;
    const char *database;           /* a file of SQLite, made when missing, or "postgres://..."; needed */
    const char *const *listen;      /* "127.0.0.1:8080", "[::1]:0" (any free port); NULL: the first */
    const char *tls_cert, *tls_key; /* PEM files: https on every address */
    bool plain_http;                /* http may be heard by others than this machine: behind a proxy that speaks TLS */
    const char *const *proxies;     /* addresses of such proxies, whose X-Forwarded-For is believed */
    uint32_t checks_per_hour;       /* that one visitor may ask for; 0: 60 */
    uint32_t jobs;                  /* checks at once; 0: 8 */
    uint32_t workers;               /* threads that answer; 0: one a core */
    uint32_t max_connections, max_per_address; /* 0: 10000; 100 */
    bool only_show;                            /* nothing is checked, only what is kept is shown */
    int control;                               /* a descriptor: the byte 's', or its end, stops the server */

    /* For tests of the site itself, on one machine: loopback is asked, names below .test and .example are, too, and
     * `connect_to` and `cacert` say where and how. Never for a site that others reach. */
    bool insecure_loopback;
    const char *cacert;
    const char *const *connect_to;

    /* The log, Common Log Format; as `access` of papaver/serve.h. */
    size_t (*access)(void *ctx, const char *lines, size_t n);
    void (*event)(void *ctx, enum pap_web_what what, const char *text);
    void *ctx;
};

/* Serves until it is told to stop. A program that serves ignores SIGPIPE. */
PAP_PUBLIC pap_result pap_web(const struct pap_web_options *options, struct pap_err *err) PAP_MUST;

#ifdef __cplusplus
}
#endif

#endif
