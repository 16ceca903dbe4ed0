/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML front matter of a SKILL.md, read into the tree of json.h: libyaml's events behind our own guard (size, UTF-8,
 * controls, depth, duplicate keys, no anchors, aliases, tags, merge keys, directives or second documents), scalars by
 * the YAML 1.2 core schema. The source text of a plain scalar is kept in `p`, whatever its type.
 */
#ifndef TEXT_YAML_H
#define TEXT_YAML_H

#include "text/json.h"

/* Reads `block`, which starts at byte `base` of the whole document: all offsets are of the document. *ret_root is NULL
 * after a fatal note. A block with nothing in it gives an empty object. */
pap_result yaml_read(struct arena *a, struct pap_str block, uint32_t base, struct json **ret_root,
                     struct notes *notes) PAP_MUST;

#endif
