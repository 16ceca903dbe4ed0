/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of links rows that fill files of their own: artifacts against their index entries (link_artifact.c), and what
 * skills name against what the company offers (link_skill.c).
 */
#ifndef PROTO_LINKS_H
#define PROTO_LINKS_H

#include "proto/check.h"

check_fn digests_match, names_match, descriptions_match;
check_fn skill_paths_exist, skill_scopes_exist, skill_tools_exist;

#endif
