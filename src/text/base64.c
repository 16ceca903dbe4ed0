/* SPDX-License-Identifier: Apache-2.0 */
#include "text/base64.h"
