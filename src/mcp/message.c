/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/message.h"

#include "base/limits.h"

bool mcp_is_whole(const struct json *j)
{
    struct pap_str s = json_str(j);
    if (!json_is(j, JSON_NUMBER))
        return false;
    for (size_t i = str_starts(s, S("-")) ? 1 : 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]))
            return false;
    return true;
}

static void refuse(struct mcp_message *m, enum mcp_error error, const char *why)
{
    m->kind = MCP_BAD;
    m->error = error;
    m->why = why;
}

/* What the reader noted and could read past. A character that is half of one, or a member that is there twice, means one thing
 * to one reader and another to the next. */
static bool is_clean(struct mcp_message *m, const struct notes *notes)
{
    for (const struct note *n = notes->first; n; n = n->next) {
        if (n->code == NOTE_JSON_DUPLICATE) {
            refuse(m, MCP_INVALID_REQUEST, "a member is there twice");
            return false;
        }
        if (n->code != NOTE_JSON_NUMBER && n->code != NOTE_JSON_NUL) {
            refuse(m, MCP_PARSE, "the message is not JSON in UTF-8");
            return false;
        }
    }
    return true;
}

static bool id_is_good(const struct json *id)
{
    return (json_is(id, JSON_STRING) || mcp_is_whole(id)) && id->n <= LIMIT_MCP_ID;
}

static void read_request(struct mcp_message *m, const struct json *root, const struct json *method)
{
    const struct json *id = json_get_c(root, "id"), *params = json_get_c(root, "params");
    if (id && !m->id)
        refuse(m, MCP_INVALID_REQUEST, "the id is a string or a whole number");
    else if (!json_is(method, JSON_STRING))
        refuse(m, MCP_INVALID_REQUEST, "the method is a string");
    else if (json_get_c(root, "result") || json_get_c(root, "error"))
        refuse(m, MCP_INVALID_REQUEST, "a message with a method has no result and no error");
    else if (params && !json_is(params, JSON_OBJECT))
        refuse(m, MCP_INVALID_REQUEST, "the params are an object");
    if (m->kind == MCP_BAD)
        return;
    m->kind = id ? MCP_REQUEST : MCP_NOTIFICATION;
    m->method = json_str(method);
    m->params = params;
    m->meta = json_get_c(params, "_meta");
    m->meta = json_is(m->meta, JSON_OBJECT) ? m->meta : NULL;
}

static void read_response(struct mcp_message *m, const struct json *root)
{
    const struct json *result = json_get_c(root, "result"), *error = json_get_c(root, "error");
    if (!result == !error)
        refuse(m, MCP_INVALID_REQUEST, "a message has a method, or else a result or an error");
    else if ((result && !json_is(result, JSON_OBJECT)) || (error && !json_is(error, JSON_OBJECT)))
        refuse(m, MCP_INVALID_REQUEST, "a result and an error are objects");
}

pap_result mcp_message_read(struct arena *a, struct pap_str text, struct mcp_message *ret)
{
    struct mcp_message m = {.kind = MCP_RESPONSE};
    struct notes notes = {0};
    struct json *root;
    TRY(json_read(a, text, &root, &notes));
    const struct json *id = json_get_c(root, "id"), *method = json_get_c(root, "method"),
                      *version = json_get_c(root, "jsonrpc");
    if (!root)
        refuse(&m, MCP_PARSE, "the message is not JSON");
    else if (!is_clean(&m, &notes))
        ;
    else if (json_is(root, JSON_ARRAY))
        refuse(&m, MCP_INVALID_REQUEST, "batches are not part of the protocol");
    else if (!json_is(version, JSON_STRING) || !str_eq(json_str(version), S("2.0")))
        refuse(&m, MCP_INVALID_REQUEST, "the message is an object with \"jsonrpc\": \"2.0\"");
    if (m.kind != MCP_BAD) {
        m.id = id_is_good(id) ? id : NULL;
        if (method)
            read_request(&m, root, method);
        else
            read_response(&m, root);
    }
    *ret = m;
    return OK;
}
