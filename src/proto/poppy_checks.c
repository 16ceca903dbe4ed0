/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/check.h"

/* A table cannot be empty in C: replaced by the first real row. */
static const struct check rows[] = {{.id = "poppy.none"}};

CHECK_TABLE(poppy_checks, rows);
