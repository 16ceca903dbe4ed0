/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of methods. `named_by` is by section "Streamable HTTP" of 2026-07-28; ttl is short where skills may be loaded at any
 * time (a client that wants to hear of it listens), longer for what only another start of the server changes.
 */
#include "mcp/call.h"

enum { ALWAYS = 300 * 1000, A_MINUTE = 60 * 1000 };

static const struct mcp_method methods[] = {
    {.name = "initialize", .eras = MCP_LEGACY, .run = method_initialize},
    {.name = "ping", .eras = MCP_LEGACY, .run = method_ping},
    {.name = "server/discover", .eras = MCP_MODERN, .run = method_discover, .cacheable = true, .ttl_ms = ALWAYS},
    {.name = "subscriptions/listen", .eras = MCP_MODERN, .run = method_subscribe},
    {.name = "tools/list", .eras = MCP_BOTH, .run = method_tools_list, .cacheable = true, .ttl_ms = ALWAYS},
    {.name = "tools/call", .eras = MCP_BOTH, .run = method_tools_call, .waits = true, .named_by = "name"},
    {.name = "prompts/list", .eras = MCP_BOTH, .run = method_prompts_list, .waits = true, .cacheable = true},
    {.name = "prompts/get", .eras = MCP_BOTH, .run = method_prompts_get, .waits = true, .named_by = "name"},
    {.name = "resources/list", .eras = MCP_BOTH, .run = method_resources_list, .waits = true, .cacheable = true},
    {.name = "resources/templates/list",
     .eras = MCP_BOTH,
     .run = method_templates_list,
     .cacheable = true,
     .ttl_ms = ALWAYS},
    {.name = "resources/read",
     .eras = MCP_BOTH,
     .run = method_resources_read,
     .waits = true,
     .cacheable = true,
     .ttl_ms = A_MINUTE,
     .named_by = "uri"},
    {.name = "resources/directory/read",
     .eras = MCP_BOTH,
     .run = method_directory_read,
     .waits = true,
     .cacheable = true,
     .ttl_ms = A_MINUTE},
    {.name = "skills/list", .eras = MCP_BOTH, .run = method_skills_list, .waits = true, .cacheable = true},
    {.name = "skills/get",
     .eras = MCP_BOTH,
     .run = method_skills_get,
     .waits = true,
     .cacheable = true,
     .ttl_ms = A_MINUTE},
};

const struct mcp_method *mcp_method_find(struct pap_str name, enum mcp_era era)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (str_is(name, methods[i].name))
            return methods[i].eras & era ? &methods[i] : NULL;
    return NULL;
}
