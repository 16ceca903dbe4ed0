/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of the rows of SKILL.md that fill files of their own: values of the front matter (skill_value.c) and what the
 * body refers to (skill_body.c).
 */
#ifndef PROTO_SKILL_H
#define PROTO_SKILL_H

#include "proto/check.h"

check_fn scalars_are_text, metadata_is_map, tools_are_one_string, tools_are_balanced;
check_fn references_are_there, references_are_files, scripts_can_run;

static inline bool skill_is_scalar(const struct json *j)
{
    return j && j->type != JSON_ARRAY && j->type != JSON_OBJECT;
}

/* The text of a scalar whatever its type: an unquoted 1.0 is "1.0". */
static inline struct pap_str skill_text(const struct json *j)
{
    return skill_is_scalar(j) ? str(j->p, j->n) : str(NULL, 0);
}

/* What some parser takes an unquoted scalar for that is meant to be text; NULL: nothing but text, or true or false. */
const char *skill_ambiguous(const struct json *j);

/* Whether it can stand between double quotes as it is, in one line. */
static inline bool skill_is_plain(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == '"' || s.p[i] == '\\')
            return false;
    return true;
}

/* One of the six keys of the format. */
bool skill_is_key(struct pap_str s);

/* The last part of a path. */
static inline struct pap_str skill_file_name(struct pap_str path)
{
    size_t slash = str_rfind_char(path, '/');
    return slash < path.n ? str_skip(path, slash + 1) : path;
}

#endif
