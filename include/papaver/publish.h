/* SPDX-License-Identifier: Apache-2.0
 *
 * `papaver publish` as a library: folders of skills become a static tree that any host can serve, with digests that are
 * those of the very bytes.
 *
 * Source: Agent Skills Discovery 0.2.0 and the output of Remote Skills, bit for bit. All functions may be called from
 * several threads at once; two runs that write the same tree take turns.
 */
#ifndef PAPAVER_PUBLISH_H
#define PAPAVER_PUBLISH_H

#include <papaver/check.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pap_publish_mode {
    PAP_PUBLISH_WRITE = 0,
    PAP_PUBLISH_DRY_RUN, /* nothing is written; everything is told */
    PAP_PUBLISH_CHECK    /* nothing is written; what differs from the tree is told */
};

enum pap_publish_what {
    PAP_PUBLISH_SKILL = 1, /* a skill and its artifact: path is the artifact below `out` */
    PAP_PUBLISH_FILE,      /* a file that becomes public */
    PAP_PUBLISH_LEFT_OUT,  /* a file or folder that does not; text says why */
    PAP_PUBLISH_RELEASE,   /* an older release that stays in the history */
    PAP_PUBLISH_REMOVED,   /* a skill or release that was public and is so no longer */
    PAP_PUBLISH_OUTPUT,    /* a file of the tree (or poppy.json) that was, or would be, written */
    PAP_PUBLISH_EXPIRED,   /* an artifact that nothing named for `keep_days`, taken away */
    PAP_PUBLISH_NOTE,      /* text for people */
    PAP_PUBLISH_WAIT       /* another run writes the tree (path), and this one waits for it */
};

enum pap_publish_state { PAP_PUBLISH_SAME = 0, PAP_PUBLISH_NEW, PAP_PUBLISH_CHANGED, PAP_PUBLISH_GONE };

/* What is told about, in the order of the skills' names. Strings live until the callback returns and hold no control or
 * invisible characters; those that do not apply are empty. */
struct pap_publish_event {
    enum pap_publish_what what;
    enum pap_publish_state state; /* against the tree that was there */
    struct pap_str skill, version;
    struct pap_str path;   /* of the file: below the project's folder, or below `out` */
    struct pap_str type;   /* "skill-md" or "archive" */
    struct pap_str digest; /* "sha256:..." */
    struct pap_str text;
    uint64_t bytes;
};

struct pap_publish_counts {
    uint64_t skills, files, bytes; /* that are public now; bytes of the artifacts */
    uint64_t fresh, changed, same; /* skills, against the index that was there */
    uint64_t removed, left_out, errors, warnings;
    uint64_t remembered; /* skills whose folder looked as it did, and was not read */
    uint64_t written;    /* files of the tree that were, or would be, written or taken away */
};

/* Everything is optional: a zeroed struct publishes ./skills to ./dist. Strings are NUL-terminated and borrowed for the
 * length of the run; lists end with NULL. */
struct pap_publish_options {
    const struct pap_alloc *alloc; /* with one of your own, one thread does the work */
    enum pap_publish_mode mode;
    const char *folder;       /* the project; NULL: "." */
    const char *const *roots; /* folders of skills, below it; NULL: "skills" */
    const char *out;          /* NULL: "dist" in `folder` */
    bool zip;                 /* archives are zip, not tar.gz */
    bool archive;             /* a skill of one file is an archive too */
    bool executable;          /* the executable bit of files is kept */
    bool strict;              /* warnings refuse, too */
    const char *base_url;     /* where the tree is served: "https://shop.example", or "/" for URLs with a path only;
                                      NULL: URLs are relative to the index */
    const char *poppy;        /* poppy.json whose skill_index is to be written */
    const char *prior;        /* tree whose releases go on beside those of `out`, or an https URL: what is live there */
    struct pap_network network;       /* for such a URL */
    const char *const *prune;         /* SKILL@VERSION: releases to drop */
    const char *const *allow_removal; /* NAME or NAME@VERSION that may vanish */
    const char *const *deprecate;     /* SKILL@VERSION=REASON; an empty reason takes the note back */
    const char *const *allow_secret;  /* SKILL/FILE that may hold what looks like a secret */
    bool legacy;                      /* the 0.1 layout too; without it, one of an earlier run goes */
    const char *memory; /* folder (outside the tree and the sources) for what unchanged skills look like, so
                                      that they are not read again; NULL: everything is read */
    uint32_t keep_days; /* artifacts that nothing names stay so long; 0: 30 */
    uint32_t jobs;      /* threads; 0: one a core */
    int64_t now;        /* Unix seconds; 0: the system clock */
    uint64_t most_index_bytes, most_archive_bytes, most_unpacked_bytes, most_file_bytes; /* 0: what clients take */
    uint32_t most_files;

    void (*finding)(void *ctx, const struct pap_finding *f); /* what refuses (errors), and warnings */
    void (*event)(void *ctx, const struct pap_publish_event *e);
    bool (*progress)(void *ctx, const struct pap_progress *p); /* now and then; false cancels */
    void *ctx;
};

/* Publishes. *ret_exit is the status for a command: 0 done (or nothing differs), 1 findings refused, or --check found
 * differences; then nothing was written. The failure result is for bad options (PAP_USAGE), files that cannot be read or
 * written, memory, cancel; what was public then still is, whole, and where the new index is public already, err->text
 * says so. */
PAP_PUBLIC pap_result pap_publish(const struct pap_publish_options *options, struct pap_publish_counts *ret_counts,
                                  int *ret_exit, struct pap_err *err) PAP_MUST;

/* One line of a SKILL.md that a repair changes; or lines from `line` to `last` that lose something invisible, which `why`
 * names (else it is ""). */
typedef void pap_publish_fix_fn(void *ctx, struct pap_str path, uint32_t line, uint32_t last, struct pap_str old_line,
                                struct pap_str new_line, const char *why);

/* Asked when every change was told: whether these files are to be written. */
typedef bool pap_publish_ask_fn(void *ctx, size_t files);

/* Repairs what is mechanical in the SKILL.md files of a project: byte order mark, CRLF, plain values with a colon, values
 * of metadata that are no text, a name that is not the folder's. Tells every change (`change` may be NULL), then asks (`ask` NULL: no), and writes
 * exactly what was told. Of the options folder, roots, out, alloc and ctx count. *ret_files: how many files differ;
 * *ret_written: whether they were written. */
PAP_PUBLIC pap_result pap_publish_fix(const struct pap_publish_options *options, pap_publish_fix_fn *change,
                                      pap_publish_ask_fn *ask, size_t *ret_files, bool *ret_written,
                                      struct pap_err *err) PAP_MUST;

struct pap_remote_config;

/* Reads a remote-skills.json into options that are otherwise zero; they live as long as *ret. PAP_SYNTAX says where it is
 * not right. */
PAP_PUBLIC pap_result pap_remote_config_read(const struct pap_alloc *alloc, const char *path,
                                             struct pap_publish_options *ret_options, struct pap_remote_config **ret,
                                             struct pap_err *err) PAP_MUST;
/* Accepts NULL. */
PAP_PUBLIC void pap_remote_config_free(struct pap_remote_config *config);

#ifdef __cplusplus
}
#endif

#endif
