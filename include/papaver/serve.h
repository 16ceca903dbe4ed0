/* SPDX-License-Identifier: Apache-2.0
 *
 * `papaver serve` as a library: a host for a published tree. A tree is read whole, judged, and swapped in at once; one that
 * has errors never replaces a good one.
 *
 * Source: Agent Skills Discovery 0.2.0; HTTP by RFC 9110 to 9112, digests by RFC 9530.
 */
#ifndef PAPAVER_SERVE_H
#define PAPAVER_SERVE_H

#include <papaver/publish.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pap_serve_what {
    PAP_SERVE_LISTENING = 1, /* text: a URL that works from here */
    PAP_SERVE_LOADED,        /* another tree is served from now on */
    PAP_SERVE_KEPT,          /* the tree on disk was refused, the one before is still served; text says why */
    PAP_SERVE_CERTIFIED,     /* the certificate was read again */
    PAP_SERVE_UNCERTIFIED,   /* it could not be; text says why */
    PAP_SERVE_STOPPING,
    PAP_SERVE_TRUST,  /* dev_tls: text is the file of the authority to trust; comes again when it is another */
    PAP_SERVE_INVALID /* text: a certificate in use that clients refuse, for it has expired or is not valid yet */
};

enum { PAP_SERVE_DEV_DAYS = 30, PAP_SERVE_HEAD_LEAST = 1024, PAP_SERVE_HEAD_MOST = 64 * 1024 };

enum pap_serve_log { PAP_SERVE_LOG_COMMON = 0, PAP_SERVE_LOG_JSON };

/* A named part of the skills (Remote-Skills-Scope). */
struct pap_serve_scope {
    const char *name;          /* 1 to 128 visible ASCII characters, no comma */
    const char *const *skills; /* names; * stands for any characters */
    const char *const *tokens; /* hashes of bearer tokens that may see it (pap_serve_hash_token) */
    bool anybody;              /* no token is needed; it is only a shorter list */
};

/* A domain with a tree of its own. Lists end with NULL. */
struct pap_serve_site {
    const char *domain;             /* NULL where there is only one site, for every name */
    const char *const *aliases;     /* further names of it */
    const char *folder;             /* as in pap_serve_options */
    const char *tls_cert, *tls_key; /* NULL: those of the options */
    const struct pap_serve_scope *scopes;
    size_t n_scopes;
    const char *const *open; /* skills that everybody sees; NULL: those that are in no scope */
    /* Who is asked about a credential that is no token of `tokens`: a URL, https or on this machine, to which
     * {"site", "scopes", "authorization"} is sent with POST. 200 or 204: yes; 403: not for this caller; 401: who is that? NULL:
     * nobody. */
    const char *ask;
    /* How the skills of a project are published; NULL: as usual. mode, folder, memory, now and the functions do not count; `out`
     * only says where a tree may be when there is no `folder`. */
    const struct pap_publish_options *publish;
};

/* Everything is optional: a zeroed struct serves ./dist on 127.0.0.1:8080. Strings are NUL-terminated and borrowed for the
 * length of the run; lists end with NULL. */
struct pap_serve_options {
    const struct pap_alloc *alloc; /* called from several threads at once */
    /* The folder that holds `.well-known`; or a project with `skills` (publish->roots), whose tree is made whenever it is read.
     * NULL: "dist" (publish->out) where it is a tree, else ".". */
    const char *folder;
    const struct pap_publish_options *publish; /* as in pap_serve_site */
    /* The scopes of that folder, as in pap_serve_site. */
    const struct pap_serve_scope *scopes;
    size_t n_scopes;
    const char *const *open;
    const char *ask;
    const char *ask_cacert; /* PEM file to know those by who are asked, instead of the system's */
    const char *domain;     /* that the tree is for, so that rules can compare; every name is answered all the same */
    /* Or several domains: then `folder` and what follows it are not looked at. A name that is none of theirs is answered with
     * 421, or by the site of the domain `fallback`. */
    const struct pap_serve_site *sites;
    size_t n_sites;
    const char *fallback;
    const char *const *listen; /* "127.0.0.1:8080", "[::1]:0" (any free port) */
    /* Or listening sockets that somebody else opened, non-blocking; the server's own from then on. Who opened them decides
     * who can reach them: without a certificate they need `plain_http`. */
    const int *sockets;
    size_t n_sockets;
    const char *admin;              /* an address for /-/healthz and /-/metrics; NULL: none */
    const char *tls_cert, *tls_key; /* PEM files: https on every address; read again when they change */
    /* Or https with a certificate of a throw-away authority, for localhost, 127.0.0.1, ::1, dev_hosts and the domains of the sites. Both are kept in
     * a folder below `state`, are good for PAP_SERVE_DEV_DAYS, and are made anew after half of them; the authority's key is not kept. */
    bool dev_tls;
    const char *const *dev_hosts;
    const char *state;                         /* with dev_tls; the folder is made */
    bool plain_http;                           /* http may be heard by others than this machine */
    bool no_watch;                             /* changes are not looked for; only a command reloads */
    uint32_t max_age;                          /* seconds that the index may be cached; 0: 300 */
    uint32_t workers;                          /* threads; 0: one a core */
    uint32_t max_connections, max_per_address; /* 0: 10000; no limit */
    uint32_t idle_ms, head_ms;                 /* 0: 60 s between requests, 10 s for a head */
    uint32_t body_ms, send_ms; /* 0: 30 s for the body of a request, 20 s for each 16 KiB of an answer */
    uint32_t head_bytes;       /* of request line and fields, PAP_SERVE_HEAD_LEAST to _MOST; 0: 16384 */
    uint32_t drain_ms;         /* what requests under way get at the end; 0: 10 s */
    enum pap_serve_log log;
    int control; /* a descriptor that gives commands, a byte each: 'r' reload, 's' stop. Its end stops, too */

    /* The access log: lines with their ends, several at once, from a thread of their own. Returns how many bytes were taken; 0:
     * none now, and the same are offered again. It may wait for a moment and no longer, for the end waits for it. What nobody
     * takes in time is lost, and a line says how much. */
    size_t (*access)(void *ctx, const char *lines, size_t n);
    void (*finding)(void *ctx, const struct pap_finding *f); /* what the rules say of a tree as it is loaded */
    void (*event)(void *ctx, enum pap_serve_what what, const char *text);
    void *ctx;
};

/* Serves until it is told to stop. Fails when the first tree, the certificate or an address cannot be used. A program that
 * serves ignores SIGPIPE. */
PAP_PUBLIC pap_result pap_serve(const struct pap_serve_options *options, struct pap_err *err) PAP_MUST;

/* "sha256:" and hex digits, with a NUL behind: what a configuration has of a token. PAP_USAGE for what could be guessed. */
enum { PAP_SERVE_HASH = 72 };
PAP_PUBLIC pap_result pap_serve_hash_token(const char *token, size_t n, char ret[PAP_SERVE_HASH],
                                           struct pap_err *err) PAP_MUST;

/* A token that nobody can guess, 256 random bits, with a NUL behind. */
enum { PAP_SERVE_TOKEN = 44 };
PAP_PUBLIC pap_result pap_serve_make_token(char ret[PAP_SERVE_TOKEN], struct pap_err *err) PAP_MUST;

#ifdef __cplusplus
}
#endif

#endif
