/* SPDX-License-Identifier: Apache-2.0 */
#include <papaver/base.h>

const char *pap_version(void)
{
    return PAP_VERSION;
}
