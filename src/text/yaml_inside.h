/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of yaml.c: the parts that know nothing of libyaml's events. What is said when the YAML cannot be read (libyaml's
 * own words name its grammar, not what a person wrote), what a plain scalar is, and how line separators of YAML 1.1 are
 * kept from libyaml.
 */
#ifndef TEXT_YAML_INSIDE_H
#define TEXT_YAML_INSIDE_H

#include "text/json.h"

/* libyaml's error, with byte offsets into the block. Strings may be NULL. */
struct yaml_fault {
    const char *problem, *context;
    size_t at, context_at;
    bool in_flow; /* inside {} or []: no line to paste */
};

/* Fills code, detail, and off and other relative to the block. False when out of memory. */
bool yaml_explain(struct arena *a, struct pap_str block, const struct yaml_fault *fault, struct note *ret) PAP_MUST;

/* What to write where an anchor, alias or tag at byte `at` was meant as text: "if it is text, put it in quotes: ...".
 * Empty when no entry's value begins there; p is NULL when out of memory, and only then. */
struct pap_str yaml_as_text(struct arena *a, struct pap_str block, size_t at) PAP_MUST;

/* Why the line from `at` on is no "key: value"; p is NULL when out of memory. */
struct pap_str yaml_no_colon(struct arena *a, struct pap_str block, size_t at) PAP_MUST;

/* The type of a plain scalar in the core schema (YAML 1.2.2 section 10.3). */
enum json_type yaml_plain_type(struct pap_str s);

/* Replaces U+0085, U+2028 and U+2029 by characters of the same length, and back. */
bool yaml_can_mask(struct pap_str text); /* false: a replacement stands in the text already */
void yaml_mask(char *p, size_t n);
void yaml_unmask(char *p, size_t n);

#endif
