/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/library.h"
