/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the index reader share. Functions that return bool say whether to go on; after false, the fault is in
 * r->fault, or r->result is out of memory.
 */
#ifndef SKILLS_CATALOG_INSIDE_H
#define SKILLS_CATALOG_INSIDE_H

#include "skills/catalog.h"
#include "text/json.h"

enum { CATALOG_NOWHERE = -1 };

struct catalog_reader {
    struct arena *a;      /* the catalog and its faults */
    struct arena scratch; /* the tree */
    const struct catalog_source *from;
    long place, release; /* of the entry and its release that are read now; CATALOG_NOWHERE */
    struct skill_fault fault;
    pap_result result;
};

/* Always false. */
bool catalog_no_memory(struct catalog_reader *r) PAP_MUST;

/* "FIELD PHRASE", where the field is the place of the reader and `member`: "skills[0]" and ".digest". Always false. */
bool catalog_bad(struct catalog_reader *r, const char *member, const char *fmt, ...) PAP_PRINTF(3, 4);

/* A value for a sentence. */
const char *catalog_value(struct catalog_reader *r, const struct json *j);

/* One entry (R-CAT-7, R-VER). *ret_known false: of another type, which is no fault. */
bool catalog_entry_read(struct catalog_reader *r, const struct json *entry, struct catalog_entry *to,
                        bool *ret_known) PAP_MUST;

#endif
