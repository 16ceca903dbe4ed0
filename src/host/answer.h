/* SPDX-License-Identifier: Apache-2.0
 *
 * A request answered from a generation: a pure function (RFC 9110; agent-skills 3.7).
 */
#ifndef HOST_ANSWER_H
#define HOST_ANSWER_H

#include "host/generation.h"

/* Fills *ret, whose arena must be set. Fields and body lie in the generation, in the arena or in static memory: the caller
 * keeps the generation until the response has been sent. */
void host_answer(const struct generation *g, const struct http_request *q, struct http_response *ret);

#endif
