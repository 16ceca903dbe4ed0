/* SPDX-License-Identifier: Apache-2.0
 *
 * An MCP server for one company on standard input and output, in a program of one's own.
 */
#include <stdio.h>

#include <papaver/mcp.h>

static void tell(void *ctx, enum pap_mcp_what what, const char *text)
{
    (void)ctx;
    if (what == PAP_MCP_NOT_LOADED)
        fprintf(stderr, "%s\n", text);
}

int main(int argc, char **argv)
{
    const struct pap_skill_options skills = {.timeout_ms = 10000};
    const struct pap_skill_origin origins[] = {{.place = argc > 1 ? argv[1] : "shop.example", .label = "shop"}};
    const struct pap_mcp_options options = {.skills = &skills, .origins = origins, .n_origins = 1, .event = tell};
    struct pap_err err = {PAP_OK, ""};
    pap_result result = pap_mcp(&options, &err);
    if (result.code != PAP_OK)
        fprintf(stderr, "%s\n", err.text);
    return result.code != PAP_OK;
}
