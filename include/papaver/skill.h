/* SPDX-License-Identifier: Apache-2.0
 *
 * A client for Agent Skills that verifies: it reads names first, fetches one skill only when it is wanted, compares the
 * digest before anything is parsed, says exactly why it refused, and sends nothing but the request.
 *
 *   client    what is shared: options, cache, limits. Thread-safe.
 *   session   one origin's catalog as it was at one moment; never changes. Thread-safe.
 *   skill     one verified release with all its files, held until it is released. Thread-safe.
 *
 * A skill is what a company wrote. It is not the person's word, grants no access and approves nothing; before a model sees
 * any of it, pap_skill_wrap() puts that label around it. Nothing here ever runs a script or honours `allowed-tools`.
 *
 * Source: Agent Skills Discovery 0.2.0, the Personal Agent Protocol (`skill_index`), Remote Skills (versions, scopes).
 */
#ifndef PAPAVER_SKILL_H
#define PAPAVER_SKILL_H

#include <papaver/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What can go wrong. The names and the keys of the context are stable; the sentence is for people. ---- */

enum pap_skill_code {
    PAP_SKILL_NONE = 0, /* a failure of ours: memory, disk; the result says which */
    PAP_SKILL_CONFIGURATION_INVALID,
    PAP_SKILL_ORIGIN_UNAVAILABLE,
    PAP_SKILL_REQUEST_TIMEOUT,
    PAP_SKILL_CATALOG_INVALID,
    PAP_SKILL_UNSUPPORTED_SCHEMA,
    PAP_SKILL_AUTHENTICATION_FAILED,
    PAP_SKILL_AUTHORIZATION_DENIED,
    PAP_SKILL_SKILL_NOT_FOUND,
    PAP_SKILL_VERSION_UNAVAILABLE,
    PAP_SKILL_ARTIFACT_UNSUPPORTED,
    PAP_SKILL_DIGEST_MISMATCH,
    PAP_SKILL_ARCHIVE_UNSAFE,
    PAP_SKILL_LIMIT_EXCEEDED,
    PAP_SKILL_RESOURCE_NOT_FOUND,
    PAP_SKILL_RESOURCE_NOT_TEXT,
    PAP_SKILL_PATH_INVALID,
    PAP_SKILL_POLICY_DENIED,
    PAP_SKILL_SESSION_CLOSED,
    PAP_SKILL_CACHE_CORRUPT,
    /* ours */
    PAP_SKILL_COMPANY_REFUSED, /* poppy.json or its issuer has errors by the rows of `papaver check` */
    PAP_SKILL_CANCELLED,
    PAP_SKILL_OFFLINE_MISS,  /* offline, and not in the cache */
    PAP_SKILL_LOCK_MISMATCH, /* not what the lock says */
    PAP_SKILL_CODES
};

/* "digest_mismatch" ...; "" for PAP_SKILL_NONE. Static. */
PAP_PUBLIC const char *pap_skill_code_name(enum pap_skill_code code);
/* Whether the same call may work later: of origin_unavailable and request_timeout only. */
PAP_PUBLIC bool pap_skill_code_retryable(enum pap_skill_code code);

/* Owned by the caller, may be copied. Never holds header fields, bodies, or a URL with a credential. */
struct pap_skill_err {
    enum pap_skill_code code;
    char rule[64];      /* id of the check row behind it, for pap_rule_find(); "" where there is none */
    char text[1024];    /* one sentence with both values where there are two; NUL-terminated, escaped, no line end */
    char context[2048]; /* see pap_skill_err_at() */
};

/* Context i from 0: "origin_alias", "skill_name", "field" ... and its value. False when there are no more. */
PAP_PUBLIC bool pap_skill_err_at(const struct pap_skill_err *err, size_t i, const char **ret_key,
                                 const char **ret_value);

/* A result of PAP_REFUSED has a code in *err; any other failure may have PAP_SKILL_NONE. `err` may be NULL everywhere. */

/* ---- Client ---- */

struct pap_skill_header {
    const char *name, *value;
    const char
        *host; /* of an origin's headers: who gets it, "cdn.example[:port]"; NULL: the host and port of its index */
};

/* One GET that the hook makes, without following redirects, without anything that is not listed here. */
struct pap_skill_request {
    const char *url;
    const struct pap_skill_header *headers;
    size_t n_headers;
    size_t most;         /* body bytes; more of them is a failure */
    uint32_t timeout_ms; /* of the whole request */
};

/* What the hook calls, in this order: head once, body as often as needed. False: stop, and return. */
struct pap_skill_answer {
    void *ctx;
    bool (*head)(void *ctx, int status, const struct pap_skill_header *headers, size_t n);
    bool (*body)(void *ctx, const char *bytes, size_t n);
};

/* A cache of the caller's own. A key is a name such as "object-9f86...0a08.md": a-z, 0-9, '-' and '.', at most 90 bytes.
 * Nothing that it gives is trusted: artifacts are hashed again, everything else is read as a stranger's words. The callbacks
 * come from several threads at once. It bounds itself; what it forgets is fetched again. */
struct pap_skill_store {
    void *ctx;
    /* Hands the value to `take`, in any pieces, until that says false; false: there is none, or it cannot be read. */
    bool (*get)(void *ctx, const char *key, bool (*take)(void *to, const char *bytes, size_t n), void *to);
    /* The value as a whole, in the place of another; false: it could not be kept, and is kept in memory then. */
    bool (*put)(void *ctx, const char *key, const char *bytes, size_t n);
    void (*remove)(void *ctx, const char *key);
};

enum pap_skill_phase { PAP_SKILL_LISTING = 1, PAP_SKILL_FETCHING, PAP_SKILL_VERIFYING };

/* Everything is optional; a zeroed struct asks the public network and keeps nothing on disk. Strings are NUL-terminated and
 * must outlive the client, lists end with NULL. The callbacks come from whatever thread called, from several at once. */
struct pap_skill_options {
    const struct pap_alloc *alloc;
    bool strict;  /* refuse at the first bad entry; front matter by the publisher's rules; no second fetch */
    bool offline; /* no request: the cache answers, or PAP_SKILL_OFFLINE_MISS */
    /* Folder of the cache, made when missing (0700): what is in `v1` below it is ours, the rest is left alone. A folder that
     * others may write into is refused. NULL: memory only. */
    const char *cache;
    const struct pap_skill_store *store; /* instead of a folder */
    uint64_t cache_bytes;                /* 0: 512 MiB */
    uint32_t cache_days;                 /* an object unused so long goes; 0: 30 */
    /* Also the layout before 0.2.0, where a domain has nothing else. It is listed and never activated: it has no digests. */
    bool legacy;

    uint64_t most_catalog_bytes;                                       /* 0: 1 MiB, at most 50 MiB */
    uint64_t most_archive_bytes, most_unpacked_bytes, most_file_bytes; /* 0: 50 MiB, 100 MiB, 10 MiB */
    uint32_t most_files;                                               /* 0: 1,000 */

    bool allow_private;            /* loopback and private addresses */
    bool insecure_http;            /* plain http to loopback */
    uint32_t timeout_ms;           /* of one request; 0: 30,000 */
    uint32_t retries;              /* after origin_unavailable and request_timeout; 0: none, 10 at most */
    uint32_t jobs;                 /* requests at once; 0: 16 */
    const char *cacert;            /* PEM file instead of the system's */
    const char *const *resolve;    /* HOST:PORT:ADDR, as curl has it */
    const char *const *connect_to; /* HOST:PORT:HOST:PORT, as curl has it */
    const char *proxy;             /* URL; no variable of the environment is looked at */

    int64_t (*now)(void *ctx); /* Unix milliseconds; NULL: the system clock */
    /* Instead of libcurl. The address policy is then the hook's. Failure: PAP_UNREACHABLE, PAP_LIMIT, PAP_CANCELLED ... */
    pap_result (*fetch)(void *ctx, const struct pap_skill_request *request, const struct pap_skill_answer *answer,
                        struct pap_err *err);
    /* Instead of the system's resolver: writes at most `most` addresses in text form, 46 bytes each, and returns how many;
     * all must pass the address policy. */
    size_t (*addresses)(void *ctx, const char *host, char (*ret)[46], size_t most);
    /* The credential for a scoped origin, asked before each request to exactly its host and port: the value of
     * Authorization in ret (NUL-terminated), or false for none. Never called for a company found through poppy.json. */
    bool (*credential)(void *ctx, const char *label, const char *scope, char *ret, size_t size);
    /* Now and then; false cancels. `total` 0: not known. */
    bool (*progress)(void *ctx, enum pap_skill_phase phase, uint64_t done, uint64_t total);
    void *ctx;
};

struct pap_skill_client;

/* PAP_REFUSED with configuration_invalid and its field where an option makes no sense. */
PAP_PUBLIC pap_result pap_skill_client_new(const struct pap_skill_options *options, struct pap_skill_client **ret,
                                           struct pap_skill_err *err) PAP_MUST;
/* Sessions and skills keep what they need; free it whenever. Accepts NULL. */
PAP_PUBLIC void pap_skill_client_free(struct pap_skill_client *client);

/* ---- Session: what an origin lists ---- */

struct pap_skill_origin {
    /* "shop.example[:port]", an https URL (without a path: that domain; with one: exactly that index), or a folder ("./",
     * "/", "~" at its beginning, "/" at its end). A domain's list is poppy.json's `skill_index`, after its issuer was
     * checked; its well-known index where it has none. */
    const char *place;
    const char *label; /* [a-z][a-z0-9._-]{0,62}, goes into errors and labels; NULL: the host, or "folder" */
    bool
        index; /* of a domain: the well-known index, whatever poppy.json says; so with a scope or headers of its own host */
    const char *scope; /* Remote-Skills-Scope: 1 to 128 visible ASCII characters, no comma. NULL: none */
    /* Each is sent to exactly its host and port, never on to another; to another host than the index' own with artifacts only,
     * and never for a list of poppy.json, whose companies get no credential. */
    const struct pap_skill_header *headers;
    size_t n_headers;
    uint32_t stale_s; /* a catalog so old may stand in when the origin cannot be reached; 0: none */
    bool fresh;       /* asks the origin although the catalog at hand is still fresh */
};

enum pap_skill_source { PAP_SKILL_FROM_POPPY = 1, PAP_SKILL_FROM_INDEX, PAP_SKILL_FROM_FOLDER, PAP_SKILL_FROM_LEGACY };

struct pap_skill_session;

/* Views live as long as the session. */
struct pap_skill_session_facts {
    struct pap_str label, place;
    enum pap_skill_source source;
    struct pap_str url; /* of the list, after redirects; of a folder its path */
    struct pap_str scope;
    struct pap_str note;    /* a sentence for people: why this list and not the other; may be empty */
    bool from_cache, stale; /* no request was needed; none could be made */
    uint64_t age_s;         /* since the origin last confirmed it */
    size_t skills, skipped;
};

/* Whether the words are those of a folder, neither a domain nor a URL. */
PAP_PUBLIC bool pap_skill_place_is_folder(const char *place);
/* Reads the list and nothing else. */
PAP_PUBLIC pap_result pap_skill_session_open(struct pap_skill_client *client, const struct pap_skill_origin *origin,
                                             struct pap_skill_session **ret, struct pap_skill_err *err) PAP_MUST;
/* Many at once. ret[i] is NULL where errs[i] says why; the result is for what stopped everything. */
PAP_PUBLIC pap_result pap_skill_session_open_all(struct pap_skill_client *client,
                                                 const struct pap_skill_origin *origins, size_t n,
                                                 struct pap_skill_session **ret, struct pap_skill_err *errs) PAP_MUST;
/* Every later call on it (of the thousand closed last) and on its skills gives session_closed; waits for those under way.
 * Accepts NULL. */
PAP_PUBLIC void pap_skill_session_close(struct pap_skill_session *session);
PAP_PUBLIC void pap_skill_session_facts(const struct pap_skill_session *session, struct pap_skill_session_facts *ret);

/* One release. Names and descriptions of a list are unverified words of a stranger: show them as data, escaped. */
struct pap_skill_release {
    struct pap_str name, description;
    struct pap_str version;    /* empty: unversioned */
    struct pap_str type;       /* "skill-md" or "archive" */
    struct pap_str url;        /* absolute */
    struct pap_str digest;     /* "sha256:..." */
    bool current;              /* what the entry itself names */
    struct pap_str deprecated; /* the company's reason; empty: it is not */
};

/* Skill i, in the order of the list: its current release, and how many there are. */
PAP_PUBLIC void pap_skill_session_at(const struct pap_skill_session *session, size_t i, struct pap_skill_release *ret,
                                     size_t *ret_releases);
/* Release j of skill i, newest first. */
PAP_PUBLIC void pap_skill_session_release_at(const struct pap_skill_session *session, size_t i, size_t j,
                                             struct pap_skill_release *ret);
/* Entry i of those that were skipped, and why. */
PAP_PUBLIC void pap_skill_session_skipped_at(const struct pap_skill_session *session, size_t i,
                                             struct pap_skill_err *ret);
/* Which release a range stands for: NULL and "*": the highest stable one that is not deprecated. "1.x", "~1.2.3", "^1.2.3",
 * "1.2.3", ">=1.0.0 <2.0.0". */
PAP_PUBLIC pap_result pap_skill_session_select(const struct pap_skill_session *session, const char *name,
                                               const char *range, struct pap_skill_release *ret,
                                               struct pap_skill_err *err) PAP_MUST;

/* Ranks skills of many sessions by name and description (BM25). Fills at most `most` hits, best first; *ret_n. */
struct pap_skill_hit {
    size_t session, skill;
    double score;
};
PAP_PUBLIC pap_result pap_skill_search(const struct pap_skill_session *const *sessions, size_t n, const char *words,
                                       struct pap_skill_hit *ret, size_t most, size_t *ret_n) PAP_MUST;

/* ---- Skill: one verified release ---- */

struct pap_skill;

/* Fetches what the range stands for, or takes it from the cache, verifies and unpacks it. The first call for a name
 * decides its release for the whole session; calls at the same time share one download. */
PAP_PUBLIC pap_result pap_skill_activate(struct pap_skill_session *session, const char *name, const char *range,
                                         struct pap_skill **ret, struct pap_skill_err *err) PAP_MUST;
/* One release as a lock names it. */
struct pap_skill_pin {
    const char *name, *type, *url, *digest; /* "water-plants", "archive", "https://...", "sha256:..." */
    const char *version;                    /* NULL: unversioned */
    /* "cdn.example[:port]" ..., ends with NULL: besides the origin's own host only these are asked, also where a redirect
     * leads; else PAP_SKILL_LOCK_MISMATCH. NULL: any host. */
    const char *const *hosts;
};
/* Exactly that release, from the cache or from its URL, and no other request: no list is asked, for the digest is known. Of
 * the origin only place, label and scope count; headers go to the URL when it is on the origin's own host and port. What
 * SKILL.md says of name and version has to agree. For a folder `url` is a path in it. */
PAP_PUBLIC pap_result pap_skill_activate_pinned(struct pap_skill_client *client, const struct pap_skill_origin *origin,
                                                const struct pap_skill_pin *pin, struct pap_skill **ret,
                                                struct pap_skill_err *err) PAP_MUST;
/* Accepts NULL. Views of it end here. */
PAP_PUBLIC void pap_skill_free(struct pap_skill *skill);

/* Views live as long as the skill. */
struct pap_skill_facts {
    struct pap_skill_release release; /* name and description are those of SKILL.md */
    struct pap_str label, place, scope;
    struct pap_str markdown;     /* SKILL.md, byte for byte */
    struct pap_str instructions; /* what stands behind its front matter */
    struct pap_str frontmatter;  /* as JSON */
    struct pap_str warning;      /* a sentence; may be empty */
    bool from_cache;
    size_t files;
};
PAP_PUBLIC void pap_skill_facts(const struct pap_skill *skill, struct pap_skill_facts *ret);

struct pap_skill_file {
    struct pap_str path, media_type, digest; /* "references/amounts.md", "text/markdown", "sha256:..." */
    uint64_t size;
    bool executable; /* marked so in the archive; means nothing here */
};
/* File i, in byte order of the paths. */
PAP_PUBLIC void pap_skill_file_at(const struct pap_skill *skill, size_t i, struct pap_skill_file *ret);
/* One file's bytes, without any request; `text`: PAP_SKILL_RESOURCE_NOT_TEXT unless it is UTF-8. *ret is freed with
 * pap_skill_bytes_free(). */
PAP_PUBLIC pap_result pap_skill_read(const struct pap_skill *skill, const char *path, bool text, struct pap_str *ret,
                                     struct pap_skill_err *err) PAP_MUST;
PAP_PUBLIC void pap_skill_bytes_free(const struct pap_skill *skill, struct pap_str bytes);

/* Text of a skill for a model: a label that says whose words they are and what they cannot do, the text between two marks
 * that it cannot forge. `path` NULL: the instructions. *ret as above. */
PAP_PUBLIC pap_result pap_skill_wrap(const struct pap_skill *skill, const char *path, struct pap_str *ret,
                                     struct pap_skill_err *err) PAP_MUST;

/* ---- The cache on disk, for those who look after it. `folder` is that of the options. ---- */

struct pap_skill_cached {
    struct pap_str digest, type; /* of the artifact */
    uint64_t bytes;              /* on disk, where it lies as it came */
    int64_t used;                /* Unix seconds */
    bool held;                   /* by a session of some process */
    bool good;                   /* with `verify`: its bytes are still those of the digest */
    struct pap_str origins;      /* URLs that delivered it, one a line; credentials cut off */
};
typedef bool pap_skill_cached_fn(void *ctx, const struct pap_skill_cached *object); /* false: stop */

/* What is in it, by digest. With `verify` every object is hashed again, and a bad one is taken away after it was told. */
PAP_PUBLIC pap_result pap_skill_cache_list(const char *folder, const struct pap_alloc *alloc, bool verify,
                                           pap_skill_cached_fn *each, void *ctx, struct pap_skill_err *err) PAP_MUST;
/* Takes away what is unused for `days` (0: 30), then the longest unused until `bytes` (0: 512 MiB) are left. With `all`
 * everything that no session holds. */
PAP_PUBLIC pap_result pap_skill_cache_prune(const char *folder, const struct pap_alloc *alloc, uint64_t bytes,
                                            uint32_t days, bool all, uint64_t *ret_objects, uint64_t *ret_bytes,
                                            struct pap_skill_err *err) PAP_MUST;

#ifdef __cplusplus
}
#endif

#endif
