/* SPDX-License-Identifier: Apache-2.0
 *
 * The few types that every public header of libpapaver shares: a view of bytes, a result, an error and an allocator.
 * All functions are safe to call from several threads at once on different objects.
 */
#ifndef PAPAVER_BASE_H
#define PAPAVER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PAP_MUST __attribute__((warn_unused_result))
#define PAP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define PAP_PUBLIC __attribute__((visibility("default")))
#else
#define PAP_MUST
#define PAP_PRINTF(fmt, args)
#define PAP_PUBLIC
#endif

/* A view of `n` bytes at `p`. It owns nothing, is not NUL-terminated and may hold any byte. */
struct pap_str {
    const char *p;
    size_t n;
};

/* What went wrong on our side. Faults of a document are findings, never one of these. */
enum pap_code {
    PAP_OK = 0,
    PAP_NO_MEMORY,   /* an allocation failed */
    PAP_IO,          /* a file or stream could not be read or written */
    PAP_LIMIT,       /* a cap of ours was hit */
    PAP_USAGE,       /* the caller asked for something that makes no sense */
    PAP_UNREACHABLE, /* name not found, refused, blocked, no route */
    PAP_SYNTAX,      /* input of ours (configuration, baseline) does not parse */
    PAP_UNAVAILABLE, /* a library that is opened on first use is not installed */
    PAP_CANCELLED,   /* the caller's callback asked to stop */
    PAP_REFUSED      /* what came from outside was refused by a rule; papaver/skill.h says which */
};

/* The result of a function that can fail: a struct of its own, so that it is never taken for a count or a bool. */
typedef struct pap_result {
    enum pap_code code;
} pap_result;

/* The reason of a failure, owned by the caller, always last among the parameters; NULL where nobody asks. */
struct pap_err {
    enum pap_code code;
    char text[512]; /* one sentence, NUL-terminated, no line end; untrusted parts are escaped */
};

/* Memory: `fn(ctx, old, old_size, new_size)` like realloc; new_size 0 frees and returns NULL. `fn` NULL means libc.
 * Every byte that the library allocates comes through here, so that a test can make any allocation fail. */
struct pap_alloc {
    void *(*fn)(void *ctx, void *old, size_t old_size, size_t new_size);
    void *ctx;
};

/* How requests of ours go, wherever a program lets people say so. A zeroed struct is the default. Strings are
 * NUL-terminated and borrowed for the length of the run; lists end with NULL. */
struct pap_network {
    uint32_t timeout_ms;           /* of one request; 0: 30,000 */
    bool allow_private;            /* loopback and private addresses */
    const char *cacert;            /* PEM file instead of the system's */
    const char *const *resolve;    /* HOST:PORT:ADDR, as curl has it */
    const char *const *connect_to; /* HOST:PORT:HOST:PORT, as curl has it */
    const char *proxy;             /* URL; no variable of the environment is looked at */
};

/* The library's version, such as "0.1.0". Static; never freed. */
PAP_PUBLIC const char *pap_version(void);

#ifdef __cplusplus
}
#endif

#endif
