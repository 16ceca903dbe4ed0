/* SPDX-License-Identifier: Apache-2.0
 *
 * What is being published: the options made ready, the skills with what was found and built of each, the releases that
 * were public before, and the tree that comes out. One project is one run of pap_publish().
 */
#ifndef PUBLISH_PROJECT_H
#define PUBLISH_PROJECT_H

#include <papaver/publish.h>
#include <stdatomic.h>

#include "crypto/digest.h"
#include "pack/write.h"
#include "proto/check.h"
#include "publish/origin.h"
#include "sys/tree.h"
#include "text/ignore.h"
#include "text/semver.h"

#define INDEX_FOLDER ".well-known/agent-skills"
#define ARTIFACTS_FOLDER INDEX_FOLDER "/artifacts"
#define INDEX_PATH_BELOW INDEX_FOLDER "/index.json"
#define LEGACY_FOLDER ".well-known/skills"
#define STAGING_FOLDER ".papaver-staging"
#define IGNORE_NAME ".skillignore"

/* What was found about a skill, or about no one skill. */
struct judgement {
    struct arena *arena;
    struct findings findings;
    bool strict; /* warnings refuse, too */
    bool refused;
};

/* What the index names: bytes by their digest. */
struct artifact {
    struct pap_str digest; /* "sha256:..." */
    bool archive;
    const char *suffix; /* ".md", ".tar.gz", ".zip" */
    uint64_t bytes;
};

struct release {
    struct semver version;
    struct artifact artifact;
    struct pap_str url;        /* as the index that was there says */
    struct pap_str deprecated; /* p NULL: it is not */
    bool current;
    enum pap_publish_state artifact_state; /* of an older one's file in the tree */
    bool own;                              /* the tree's own index says so; else that of --prior */
};

struct left_out {
    struct pap_str path, why;
};

struct skill {
    struct pap_str name;             /* of the folder, and what the front matter must say */
    struct pap_str path;             /* of the folder, below the project: "skills/water-plants" */
    const char *full;                /* the same for opening it */
    struct arena *arena;             /* of the worker that builds it; shared by many */
    const struct tree_entry **files; /* what becomes public */
    size_t n_files;
    struct left_out *left_out;
    size_t n_left_out;
    struct judgement judged;
    struct pap_str description, version; /* version p NULL: it has none */
    struct artifact artifact;
    enum pap_publish_state artifact_state; /* of the file in the tree */
    struct release *releases;              /* in the order of the index; NULL: unversioned */
    size_t n_releases;
    enum pap_publish_state state; /* against the index that was there */
    struct tree tree;             /* of the folder */
    struct pap_str listing;       /* the same in bytes, for memory.c */
    bool remembered;              /* nothing of the folder was read: it is as it was */
    pap_result result;
    struct pap_err err;
    bool *legacy_differs; /* by file: the 0.1 layout has other bytes; NULL: not asked for */
};

/* An entry of the index that was public before. */
struct prior_entry {
    struct pap_str name, description;
    struct artifact artifact;
    struct release *releases;
    size_t n_releases;
    bool own; /* see struct release */
};

struct prior {
    struct prior_entry *entries; /* sorted by name, each once */
    size_t n;
};

/* Paths or names, to be looked up once they are sorted. */
struct names {
    struct pap_str *at;
    size_t n, cap;
};

struct memory;

enum { WORKERS_MOST = 32 };

struct project {
    const struct pap_publish_options *o;
    struct arena arena;
    struct pack_limits limits;
    uint64_t most_index, most_archive;
    struct plan plan;
    struct ignore never; /* what is never published */
    const struct version *version;
    const char *out;         /* the tree */
    size_t out_made;         /* how much of it names the first folder that this run made; 0: none */
    struct pap_str base_url; /* in front of "/.well-known/"; p NULL: relative */
    int64_t now;
    int64_t started;                 /* by the system clock: before any folder was listed */
    struct memory *memory;           /* NULL: nothing is remembered */
    struct arena kept[WORKERS_MOST]; /* what workers found out, by worker */
    struct skill *skills;            /* sorted by name */
    size_t n_skills;
    const char *own_index; /* where the tree's index is, or will be */
    struct prior prior;
    struct origin *origin;               /* where `prior` is a URL */
    struct transport *transport;         /* for it; NULL: libcurl */
    struct pap_str old_index;            /* bytes of the index in the tree; p NULL: there is none */
    struct pap_str index;                /* what comes out */
    struct pap_str poppy_old, poppy_new; /* p NULL: not asked for */
    struct pap_str poppy_there;          /* that of the tree, once all is in its place; p NULL: there is none */
    const struct json *poppy;            /* poppy_old, read */
    struct pap_str legacy;               /* index of the 0.1 layout; p NULL: not asked for */
    bool legacy_index_differs;           /* from the one in the tree */
    struct tree legacy_tree;             /* what is in its folder; without --legacy and any of ours only the names */
    struct names legacy_ours;            /* what earlier runs put into the layout */
    struct names legacy_now;             /* what this one does */
    const char *public_now;              /* what of this run is public by now, as a sentence; NULL: nothing */
    struct judgement judged;
    struct pap_publish_counts counts;
};

/* ---- find.c ---- */

/* Options made ready, and the skills below the roots. */
pap_result project_open(struct project *p, struct pap_err *err) PAP_MUST;

/* ---- select.c ---- */

/* Fills p->never. */
pap_result select_open(struct project *p) PAP_MUST;

/* Lists the skill's folder: what becomes public, what is left out; *ret_entries is what is public as
 * if it stood in an archive, for clients' rules about those; its format is PACK_UNKNOWN when there was too much to list. */
pap_result skill_select(const struct project *p, struct skill *s, struct arena *scratch, struct pack *ret_entries,
                        struct pap_err *err) PAP_MUST;

/* Whether the last part of the path is .skillignore, in any letters, or .skillignore.txt. */
bool is_ignore_name(struct pap_str path);
/* Reports one that has no effect where it is, once. */
pap_result refuse_ignore(struct judgement *j, struct pap_str path) PAP_MUST;

/* ---- judge.c ---- */

/* Runs the rows over SKILL.md and the entries. `files` are the bytes of s->files, and the entries are in their order. */
pap_result skill_judge(const struct project *p, struct skill *s, struct arena *scratch, const struct pap_str *files,
                       const struct pack *entries, struct pap_err *err) PAP_MUST;

/* A name or text that nobody judged, for people: unsafe characters and bytes escaped; itself when there are none.
 * p NULL: out of memory. */
struct pap_str shown(struct arena *a, struct pap_str text) PAP_MUST;

/* Another text for how to mend what was reported last, in the judgement's own arena. */
pap_result mend_own(struct judgement *j, const char *fmt, ...) PAP_PRINTF(2, 3) PAP_MUST;
/* Reports by the row of that id. `bytes` and `off` give the line; p NULL: the whole file. */
pap_result find_own(struct judgement *j, const char *id, struct pap_str file, struct pap_str bytes, size_t off,
                    const char *fmt, ...) PAP_PRINTF(6, 7) PAP_MUST;

/* ---- build.c ---- */

/* Builds every skill, on several threads; new artifacts go to the staging folder unless nothing is to be written. */
pap_result project_build(struct project *p, struct pap_err *err) PAP_MUST;

/* ---- memory.c ---- */

/* What the run before remembered. */
pap_result memory_open(struct project *p) PAP_MUST;
/* Sets s->remembered and the results when the folder, already selected, and the artifact look as they did. */
pap_result memory_find(const struct project *p, struct skill *s, struct arena *scratch) PAP_MUST;
void memory_save(struct project *p);

/* ---- prior.c ---- */

/* Reads what is public now. */
pap_result prior_read(struct project *p, struct pap_err *err) PAP_MUST;
/* Joins the releases, and says what would be lost. */
pap_result prior_join(struct project *p, struct pap_err *err) PAP_MUST;

/* ---- merge.c ---- */

void prior_sort(struct prior *prior);
const struct prior_entry *prior_find(const struct prior *prior, struct pap_str name);
bool is_same_artifact(const struct artifact *a, const struct artifact *b);
/* Fills p->prior from what --prior names and what the tree's own index says; reports where they contradict each other. */
pap_result prior_merge(struct project *p, const struct prior *theirs, const struct prior *ours) PAP_MUST;

/* ---- named.c ---- */

/* Whether a list of "NAME@VERSION" (with `bare` also of "NAME", with "=REASON" behind it where that is asked for) names the
 * release. */
bool named_in(const char *const *list, struct pap_str name, struct pap_str version, bool bare,
              struct pap_str *ret_reason);
/* Whether "NAME/PATH" is a file that becomes public. */
bool has_file_named(const struct project *p, struct pap_str given);
/* When releases are joined: what options name and is not there. */
pap_result named_check(struct project *p, struct pap_err *err) PAP_MUST;

/* ---- index.c ---- */

/* "sha256-HEX.suffix" */
struct pap_str artifact_file(struct arena *a, const struct artifact *artifact) PAP_MUST;
/* The index as bytes, with a line end behind it. */
pap_result index_write(struct project *p, struct pap_str *ret, struct pap_err *err) PAP_MUST;

/* ---- names.c ---- */

/* The view is kept, not what it shows. */
pap_result names_add(struct arena *a, struct names *names, struct pap_str name) PAP_MUST;
void names_sort(struct names *names);
bool names_have(const struct names *sorted, struct pap_str name);
/* Whether it has a path below that folder. */
bool names_have_below(const struct names *sorted, struct pap_str folder);

/* ---- legacy.c ---- */

/* What earlier runs put into the layout. */
pap_result legacy_open(struct project *p, struct pap_err *err) PAP_MUST;
/* By the worker that has the bytes: lays aside what differs. */
pap_result legacy_lay_aside(const struct project *p, struct skill *s, struct arena *scratch,
                            const struct pap_str *files, struct pap_err *err) PAP_MUST;
/* The index of the 0.1 layout. */
pap_result legacy_write(struct project *p, struct pap_err *err) PAP_MUST;
/* Lays aside what is not of one skill. */
pap_result legacy_aside(struct project *p, struct pap_err *err) PAP_MUST;
/* Takes away what earlier runs put there and this one does not, and puts the rest in its place; or only tells. */
pap_result legacy_commit(struct project *p, struct pap_err *err) PAP_MUST;

/* ---- poppy.c ---- */

/* Before the index is made: the base URL, from organization.domain where none was given. */
pap_result poppy_open(struct project *p, struct pap_err *err) PAP_MUST;
/* What poppy.json becomes. */
pap_result poppy_write(struct project *p, struct pap_err *err) PAP_MUST;

/* ---- store.c ---- */

/* Before anything else touches the tree: the lock, and what a killed run left. */
pap_result store_open(struct project *p, int *ret_lock, struct pap_err *err) PAP_MUST;
/* Lays bytes aside under that name, in the file system of the tree; see stage_write(). */
pap_result store_aside(const struct project *p, struct arena *scratch, const char *name, struct pap_str bytes,
                       bool *ret_there, struct pap_err *err) PAP_MUST;
void tell_output(struct project *p, enum pap_publish_what what, enum pap_publish_state state, const char *path,
                 uint64_t bytes);
/* Puts everything in its place, artifacts first; or only tells, by the mode. */
pap_result store_commit(struct project *p, struct pap_err *err) PAP_MUST;
/* Takes the staging folder away, and the tree's own where it is new and nothing came into it. */
pap_result store_close(struct project *p, struct pap_err *err) PAP_MUST;

/* pap_publish() with a transport of a test's. */
pap_result publish_run(const struct pap_publish_options *options, struct transport *transport,
                       struct pap_publish_counts *ret_counts, int *ret_exit, struct pap_err *err) PAP_MUST;

static inline bool project_writes(const struct project *p)
{
    return p->o->mode == PAP_PUBLISH_WRITE;
}

#endif
