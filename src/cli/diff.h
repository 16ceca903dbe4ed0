/* SPDX-License-Identifier: Apache-2.0
 *
 * What changes between two texts, line by line, as `diff -u` shows it.
 */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "cli/cli.h"

/* Lines of strangers: what is invisible in them is written out. Texts of more than a few thousand lines are told by their
 * numbers only. false: out of memory, which was said. */
bool diff_print(struct cli *cli, FILE *out, struct pap_str before, struct pap_str after) PAP_MUST;

#endif
