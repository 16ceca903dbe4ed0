/* SPDX-License-Identifier: Apache-2.0
 *
 * MCP over two descriptors: one message a line, in and out. The client ends it by closing its side.
 */
#ifndef MCP_LINES_H
#define MCP_LINES_H

#include "mcp/mcp.h"

/* Until `in` ends or nobody reads `out`; then requests under way get `ms`, and the server is stopped (mcp_stop). Failure: out of
 * memory, or `in` cannot be read. */
pap_result mcp_stdio(struct mcp *m, const struct pap_alloc *alloc, int in, int out, unsigned ms,
                     struct pap_err *err) PAP_MUST;

#endif
