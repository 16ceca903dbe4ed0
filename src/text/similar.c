/* SPDX-License-Identifier: Apache-2.0 */
#include "text/similar.h"
