/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/agents.h"

#include "base/str.h"

/* To add an agent: a row. Its folders stand here only if it does not read .agents/skills in that scope. */
static const struct agent agents[] = {
    {{"claude", ".claude/skills", "~/.claude/skills"}, AGENT_CLAUDE, "skills"},
    {{"codex", NULL, NULL}, AGENT_NOWHERE, NULL},
    {{"cursor", NULL, NULL}, AGENT_NOWHERE, NULL},
    {{"copilot", NULL, NULL}, AGENT_NOWHERE, NULL},
    {{"gemini", NULL, NULL}, AGENT_NOWHERE, NULL},
    {{"opencode", NULL, NULL}, AGENT_NOWHERE, NULL},
    {{"goose", NULL, NULL}, AGENT_NOWHERE, NULL},
    {{"amp", NULL, "~/.config/agents/skills"}, AGENT_CONFIG, "agents/skills"},
};

const struct agent *agent_at(size_t i)
{
    return i < sizeof agents / sizeof *agents ? &agents[i] : NULL;
}

const struct pap_install_agent *pap_install_agent_at(size_t i)
{
    return agent_at(i) ? &agents[i].shown : NULL;
}

uint32_t agent_bit(struct pap_str name)
{
    for (size_t i = 0; agent_at(i); i++)
        if (str_is(name, agents[i].shown.name))
            return (uint32_t)1 << i;
    return 0;
}
