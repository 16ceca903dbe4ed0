/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside src/report: the members of a record. Writer and reader walk the same rows, so that neither can forget one. To add
 * a member: a row; a record that lacks it is damaged, so a new one needs a new RECORD_VERSION.
 */
#ifndef REPORT_RECORD_MEMBERS_H
#define REPORT_RECORD_MEMBERS_H

#include <stddef.h>

#include "report/record.h"

enum { RECORD_VERSION = 1 };

enum member_type {
    MEMBER_STR,  /* struct pap_str; null when p is NULL. Bytes that are no text: {"hex": ...} */
    MEMBER_TEXT, /* const char *, never NULL */
    MEMBER_INT,  /* int, not negative */
    MEMBER_U32,
    MEMBER_I64,
    MEMBER_SIZE,
    MEMBER_BOOL,
    MEMBER_WORD /* an enum, written as the word of its value */
};

struct member {
    const char *name; /* NULL: the end of the rows */
    enum member_type type;
    size_t at;
    const char *(*word)(unsigned value); /* MEMBER_WORD; NULL: this value has none (null) */
    unsigned first, end;                 /* MEMBER_WORD: its values */
};

extern const struct member record_target_members[], record_bundle_members[], record_exchange_members[],
    record_hop_members[], record_document_members[], record_finding_members[];

#endif
