/* SPDX-License-Identifier: Apache-2.0
 *
 * What `papaver check` is told. Members that are lists of strings or choices are copied into `run` when all is known.
 */
#ifndef CLI_CHECK_OPTIONS_H
#define CLI_CHECK_OPTIONS_H

#include <papaver/check.h>

#include "cli/network_options.h"

struct check_options {
    struct pap_check_options run;
    const char **only, **skip;
    struct network_options network;
    unsigned format;  /* index in format_names, which is enum pap_format */
    unsigned fail_on; /* 0 error, 1 warning, 2 info */
    unsigned color;   /* 0 auto, 1 always, 2 never */
    const char *output, *config, *targets;
};

extern const struct option_row check_option_rows[];
extern const char *const format_names[];

#endif
