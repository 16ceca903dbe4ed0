/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration files (papaver.json) for programs: one section as a flat list of settings, so that a program applies the
 * same rows to a file and to a command line. The file has one object per section: {"check": {"fail-on": "warning",
 * "skip": ["cors.*"]}}. Tables ({"serve": {"scopes": {"staff": {"skills": "*"}}}}) are flat, too: each object is a setting,
 * and its members follow it.
 */
#ifndef PAPAVER_CONFIG_H
#define PAPAVER_CONFIG_H

#include <papaver/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pap_setting_type {
    PAP_SETTING_TEXT,
    PAP_SETTING_NUMBER,
    PAP_SETTING_BOOL,
    PAP_SETTING_EMPTY_LIST,
    PAP_SETTING_OBJECT
};

/* One value of a section. Strings are NUL-terminated UTF-8 without control or invisible characters, and live as long as
 * the configuration. */
struct pap_setting {
    const char *key;
    const char *value; /* text, the digits as written, "true" or "false"; "" for an empty list and for an object */
    enum pap_setting_type type;
    bool listed;           /* one of the values of a list; a list gives a setting for each */
    uint32_t line, column; /* of the value, from 1 */
    uint32_t depth;        /* how many objects of the section it lies in: those of the last settings of less depth */
};

struct pap_config;

/* Reads a file of at most 64 KiB. A section that is not there is an empty one. Besides it there may be "check",
 * "publish" and "serve", which may hold anything, and "$schema"; whatever else stands beside them is refused. `alloc` may be
 * NULL and must outlive the configuration. Failures: PAP_IO and PAP_LIMIT (the file), PAP_SYNTAX (with path:line:column:
 * not JSON, no such section, a name twice, null, a nested object), PAP_NO_MEMORY. */
PAP_PUBLIC pap_result pap_config_read(const struct pap_alloc *alloc, const char *path, const char *section,
                                      struct pap_config **ret, struct pap_err *err) PAP_MUST;

/* The same where the members named in `tables` (ended by NULL) may hold objects: up to four, one in the other. */
PAP_PUBLIC pap_result pap_config_read_tables(const struct pap_alloc *alloc, const char *path, const char *section,
                                             const char *const *tables, struct pap_config **ret,
                                             struct pap_err *err) PAP_MUST;

PAP_PUBLIC size_t pap_config_count(const struct pap_config *config);
/* Setting i < pap_config_count(), in the order of the file. */
PAP_PUBLIC const struct pap_setting *pap_config_at(const struct pap_config *config, size_t i);
/* Accepts NULL. */
PAP_PUBLIC void pap_config_free(struct pap_config *config);

/* "Did you mean ...?": the most similar of `names` (ended by NULL), or NULL when none is near. */
PAP_PUBLIC const char *pap_nearest(const char *name, const char *const *names);

#ifdef __cplusplus
}
#endif

#endif
