/* SPDX-License-Identifier: Apache-2.0
 *
 * The versions of the Personal Agent Protocol, a row each. What differs between them and is not public yet is named here
 * and nowhere else.
 */
#ifndef PROTO_VERSION_H
#define PROTO_VERSION_H

#include "base/str.h"

enum version_bit {
    V01 = 1,
    V02 = 2,
    V03 = 4,
    V04 = 8,
    V10 = 16,
    V_ALL = 31,
    V_01_02 = V01 | V02,
    V_01_03 = V01 | V02 | V03,
    V_03_10 = V03 | V04 | V10,
    V_04_10 = V04 | V10
};

struct version {
    const char *text; /* "0.1" */
    unsigned bit;
    const char *published;  /* date of the text known */
    const char *session;    /* how a Session is carried */
    const char *operations; /* version of the Operations extension */
    const char *documents;  /* which discovery documents there are */
    const char *open;       /* what is not publicly known of it; "" when nothing that we judge */
};

extern const struct version version_rows[];
extern const size_t version_count;

/* The row of exactly that text, NULL when there is none. */
const struct version *version_find(struct pap_str text);

/* Reads "major.minor" (digits only); false when it is not of that form. */
bool version_parse(struct pap_str text, uint64_t *ret_major, uint64_t *ret_minor);

/* The row to judge a document by that says `text`: its own, else the nearest lower known one of the same major (decisions
 * 3), else NULL when the major is unknown. */
const struct version *version_nearest(struct pap_str text);

/* The version whose text has that section: numbers are public of 0.1 and, for agent context, of 0.3 only. Rules without a
 * number are of the version `judged`. */
const char *version_of_section(const char *section, const struct version *judged);

#endif
