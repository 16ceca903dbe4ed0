/* SPDX-License-Identifier: Apache-2.0
 *
 * Where agents look for skills. The canonical folder is .agents/skills, which most of them read; a row names another one
 * only for an agent that does not.
 */
#ifndef SKILLS_AGENTS_H
#define SKILLS_AGENTS_H

#include <papaver/install.h>

/* What a person's folder of an agent lies in. */
enum agent_base { AGENT_NOWHERE = 0, AGENT_CLAUDE, AGENT_CONFIG };

struct agent {
    struct pap_install_agent shown;
    enum agent_base base;
    const char *below;
};

/* NULL when there are no more; at most 32. */
const struct agent *agent_at(size_t i);
/* Its bit in a set of agents, or 0 when there is no agent of that name. */
uint32_t agent_bit(struct pap_str name);

#endif
