/* SPDX-License-Identifier: Apache-2.0
 *
 * Floor 0 in one include: views, arena, buffer, results, limits.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/str.h"

#endif
