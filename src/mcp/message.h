/* SPDX-License-Identifier: Apache-2.0
 *
 * One JSON-RPC message, read strictly: what two readers could take for different messages is refused, and so is what the
 * protocol does not allow (batches, ids that are null or fractions).
 */
#ifndef MCP_MESSAGE_H
#define MCP_MESSAGE_H

#include "text/json.h"

enum mcp_kind { MCP_BAD = 0, MCP_REQUEST, MCP_NOTIFICATION, MCP_RESPONSE };

/* JSON-RPC's codes, and those of MCP. */
enum mcp_error {
    MCP_PARSE = -32700,
    MCP_INVALID_REQUEST = -32600,
    MCP_NO_METHOD = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_INTERNAL = -32603,
    MCP_NO_RESOURCE = -32002, /* legacy only */
    MCP_HEADER_MISMATCH = -32020,
    MCP_UNSUPPORTED_VERSION = -32022
};

/* Views into the text, which must outlive it. */
struct mcp_message {
    enum mcp_kind kind;
    const struct json *id; /* NULL: none that can be read */
    struct pap_str method;
    const struct json *params; /* an object, or NULL */
    const struct json *meta;   /* params._meta where it is an object, or NULL */
    enum mcp_error error;      /* MCP_BAD: what to answer ... */
    const char *why;           /* ... and in words */
};

/* Failure: out of memory only. */
pap_result mcp_message_read(struct arena *a, struct pap_str text, struct mcp_message *ret) PAP_MUST;

/* A whole number as JSON writes one: digits, at most a minus sign before them. */
bool mcp_is_whole(const struct json *j);

#endif
