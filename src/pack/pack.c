/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/pack.h"
