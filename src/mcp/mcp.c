/* SPDX-License-Identifier: Apache-2.0
 *
 * A message on its way: which era it belongs to, whether its envelope is right, which method it asks for; and the answer's frame
 * in that era.
 */
#include "mcp/mcp.h"

#include <stdio.h>

#include "mcp/inside.h"
#include "text/base64.h"

#define META "io.modelcontextprotocol/"
#define MODERN_VERSION "2026-07-28"

/* ---- calls ---- */

struct mcp_call *call_new(struct mcp *m, struct mcp_sink *sink, struct pap_str text)
{
    struct mcp_call *c = alloc_resize(m->o.alloc, NULL, 0, sizeof *c);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    c->mcp = m;
    c->sink = sink;
    c->client = sink->client;
    arena_init(&c->arena, m->o.alloc);
    buf_init(&c->out, m->o.alloc, LIMIT_MCP_ANSWER);
    c->text = arena_str(&c->arena, text);
    if (c->text.p)
        return c;
    call_free(c);
    return NULL;
}

void call_free(struct mcp_call *c)
{
    arena_fini(&c->arena);
    buf_fini(&c->out);
    (void)alloc_resize(c->mcp->o.alloc, c, sizeof *c, 0);
}

bool call_is_cancelled(struct mcp_call *c)
{
    return c->cancelled || (c->era == MCP_MODERN && c->sink->cancels && c->sink->is_gone(c->sink));
}

static void begin_answer(struct mcp_call *c, const char *member)
{
    buf_reset(&c->out);
    json_writer_init(&c->w, &c->out, 0);
    json_object_begin(&c->w);
    write_member(&c->w, "jsonrpc", S("2.0"));
    json_write_key(&c->w, "id");
    if (c->m.id)
        json_write_tree(&c->w, c->m.id);
    else
        json_write_null(&c->w);
    json_write_key(&c->w, member);
    json_object_begin(&c->w);
}

static void end_answer(struct mcp_call *c)
{
    json_object_end(&c->w);
    json_object_end(&c->w);
}

/* What every result of the modern era has. */
static void write_modern(struct mcp_call *c)
{
    write_member(&c->w, "resultType", S("complete"));
    if (c->method->cacheable) {
        json_write_key(&c->w, "ttlMs");
        json_write_int(&c->w, c->method->ttl_ms);
        write_member(&c->w, "cacheScope", S("private"));
    }
    json_write_key(&c->w, "_meta");
    json_object_begin(&c->w);
    json_write_key(&c->w, META "serverInfo");
    mcp_write_server(&c->w);
    json_object_end(&c->w);
}

void call_run(struct mcp_call *c)
{
    if (call_is_cancelled(c))
        return;
    begin_answer(c, "result");
    c->method->run(c);
    if (c->era == MCP_MODERN)
        write_modern(c);
    end_answer(c);
    if (c->out.code == PAP_LIMIT)
        call_fail(c, MCP_INTERNAL, "the answer would be larger than %d bytes", LIMIT_MCP_ANSWER);
    else if (!buf_ok(&c->out))
        call_no_memory(c);
}

static void write_error(struct mcp_call *c)
{
    begin_answer(c, "error");
    json_write_key(&c->w, "code");
    json_write_int(&c->w, c->error);
    write_member(&c->w, "message", c->why);
    if (c->data.n) {
        json_write_key(&c->w, "data");
        json_write_raw(&c->w, c->data);
    }
    end_answer(c);
}

void call_finish(struct mcp_call *c, int status)
{
    if (c->cancelled) {
        c->sink->finish(c->sink, status, str(NULL, 0));
        return;
    }
    if (c->error)
        write_error(c);
    if (buf_ok(&c->out))
        c->sink->finish(c->sink, status, buf_str(&c->out));
    else
        mcp_refuse(c->sink, 500, MCP_INTERNAL, "out of memory");
}

void mcp_refuse(struct mcp_sink *sink, int status, enum mcp_error error, const char *why)
{
    char text[512];
    int n = snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":%d,\"message\":\"%s\"}}",
                     error, why);
    sink->finish(sink, status, str(text, (size_t)n < sizeof text ? (size_t)n : 0));
}

/* ---- eras and envelopes ---- */

/* Refused; returns the HTTP status. */
static int bad(struct mcp_call *c, enum mcp_error error, const char *why)
{
    call_fail(c, error, "%s", why);
    return 400;
}

/* "=?base64?...?=": how a value travels that is not plain ASCII. */
static bool name_is(struct mcp_call *c, struct pap_str field, struct pap_str name)
{
    if (!str_starts(field, S("=?base64?")) || !str_ends(field, S("?=")) || field.n < 11)
        return str_eq(field, name);
    struct buf b;
    buf_init(&b, c->mcp->o.alloc, LIMIT_HTTP_HEAD);
    base64_add(&b, name);
    bool is = buf_ok(&b) && str_eq(buf_str(&b), str(field.p + 9, field.n - 11));
    buf_fini(&b);
    return is;
}

static bool is_level(struct pap_str s)
{
    static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                         "error", "critical", "alert",  "emergency"};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (str_is(s, levels[i]))
            return true;
    return false;
}

static int unsupported(struct mcp_call *c, struct pap_str requested)
{
    struct buf data;
    struct json_writer w;
    buf_init(&data, c->mcp->o.alloc, LIMIT_DOCUMENT);
    json_writer_init(&w, &data, 0);
    json_object_begin(&w);
    json_write_key(&w, "supported");
    mcp_write_versions(&w);
    write_member(&w, "requested", requested);
    json_object_end(&w);
    c->data = buf_ok(&data) ? arena_str(&c->arena, buf_str(&data)) : str(NULL, 0);
    buf_fini(&data);
    return bad(c, MCP_UNSUPPORTED_VERSION, "this revision of the protocol is not served");
}

/* A request that says its revision. 0: it is right. */
static int judge_modern(struct mcp_call *c, const struct mcp_fields *fields, const struct json *claim)
{
    const struct json *level = json_get_c(c->m.meta, META "logLevel"),
                      *client = json_get_c(c->m.meta, META "clientInfo");
    struct pap_str version = json_str(claim);
    if (!json_is(claim, JSON_STRING))
        return bad(c, MCP_INVALID_PARAMS, "_meta: " META "protocolVersion is a string");
    if (fields && !str_eq(fields->version, version))
        return bad(c, MCP_HEADER_MISMATCH, "MCP-Protocol-Version has to be there and to say what the body says");
    if (!json_is(json_get_c(c->m.meta, META "clientCapabilities"), JSON_OBJECT))
        return bad(c, MCP_INVALID_PARAMS, "_meta: " META "clientCapabilities is missing, or no object");
    if ((client && !json_is(client, JSON_OBJECT)) || (level && !is_level(json_str(level))))
        return bad(c, MCP_INVALID_PARAMS, "_meta: clientInfo is an object, logLevel one of the levels");
    if (!mcp_version_is(version, MCP_MODERN))
        return unsupported(c, version);
    if (fields && !str_eq(fields->method, c->m.method))
        return bad(c, MCP_HEADER_MISMATCH, "Mcp-Method has to be there and to say what the body says");
    const struct mcp_method *method = mcp_method_find(c->m.method, MCP_MODERN);
    if (fields && method && method->named_by &&
        !name_is(c, fields->name, json_str(json_get_c(c->m.params, method->named_by))))
        return bad(c, MCP_HEADER_MISMATCH, "Mcp-Name has to be there and to say what the body says");
    return 0;
}

/* Which era the request belongs to, and whether it may be. 0: it may. */
static int judge_request(struct mcp_call *c, const struct mcp_fields *fields)
{
    const struct json *claim = json_get_c(c->m.meta, META "protocolVersion"),
                      *token = json_get_c(c->m.meta, "progressToken");
    struct pap_str header = fields ? fields->version : str(NULL, 0);
    bool header_is_modern = header.n && ascii_is_digit(header.p[0]) && str_cmp(header, S(MODERN_VERSION)) >= 0;
    c->era = claim ? MCP_MODERN : MCP_LEGACY;
    if (claim) {
        int status = judge_modern(c, fields, claim);
        if (status)
            return status;
    } else if (str_eq(c->m.method, S("initialize"))) {
        if (header_is_modern)
            return bad(c, MCP_HEADER_MISMATCH, "MCP-Protocol-Version names a revision that has no initialize");
    } else if (header_is_modern) {
        return bad(c, MCP_INVALID_PARAMS, "_meta: " META "protocolVersion and clientCapabilities are missing");
    } else if (header.p && !mcp_version_is(header, MCP_LEGACY)) {
        return bad(c, MCP_INVALID_REQUEST, "MCP-Protocol-Version names a revision that is not served");
    }
    if (token && !json_is(token, JSON_STRING) && !mcp_is_whole(token))
        return bad(c, MCP_INVALID_PARAMS, "_meta: the progressToken is a string or a whole number");
    c->token = c->sink->quiet ? NULL : token;
    if (c->client && pool_has_id(c->mcp, c->client, c->m.id))
        return bad(c, MCP_INVALID_REQUEST, "the id is that of a request that is not answered yet");
    c->method = mcp_method_find(c->m.method, c->era);
    if (c->method)
        return 0;
    call_fail(c, MCP_NO_METHOD, "there is no such method");
    return c->era == MCP_MODERN ? 404 : 200;
}

/* What is no request: nothing comes back but a status. */
static int take_note(struct mcp_call *c, const struct mcp_fields *fields)
{
    bool known = !fields || !fields->version.p || mcp_version_is(fields->version, MCP_BOTH);
    if (c->m.kind == MCP_RESPONSE && fields && mcp_version_is(fields->version, MCP_MODERN))
        return bad(c, MCP_INVALID_REQUEST, "this revision has no requests to a client, and hence no responses of one");
    if (c->m.kind == MCP_RESPONSE)
        return 202; /* to a request of ours, of which there are none */
    if (!known)
        return bad(c, MCP_INVALID_REQUEST, "MCP-Protocol-Version names a revision that is not served");
    if (str_eq(c->m.method, S("notifications/cancelled")))
        pool_cancel(c->mcp, c->client, json_get_c(c->m.params, "requestId"));
    return 202;
}

void mcp_take(struct mcp *m, struct mcp_sink *sink, const struct mcp_fields *fields, struct pap_str text)
{
    struct mcp_call *c = call_new(m, sink, text);
    int status = 200;
    if (!c || !is_ok(mcp_message_read(&c->arena, c->text, &c->m))) {
        if (c)
            call_free(c);
        mcp_refuse(sink, 500, MCP_INTERNAL, "out of memory");
        return;
    }
    if (c->m.kind == MCP_REQUEST)
        status = judge_request(c, fields);
    else if (c->m.kind != MCP_BAD)
        status = take_note(c, fields);
    else
        status = bad(c, c->m.error, c->m.why);
    if (c->m.kind == MCP_REQUEST && status == 0) {
        if (c->method->waits) {
            pool_run(m, c);
            return;
        }
        call_run(c);
        if (c->stays && !c->error) {
            listen_keep(m, c);
            return;
        }
        status = 200;
    }
    if (c->error || c->m.kind == MCP_REQUEST)
        call_finish(c, status);
    else
        sink->finish(sink, status, str(NULL, 0));
    call_free(c);
}

/* ---- the server ---- */

pap_result mcp_new(const struct mcp_options *o, struct mcp **ret, struct pap_err *err)
{
    struct mcp *m = alloc_resize(o->alloc, NULL, 0, sizeof *m);
    pthread_condattr_t attributes;
    if (!m)
        return fail_memory(err);
    *m = (struct mcp){.o = *o};
    if (!m->o.clock)
        m->o.clock = &clock_system;
    (void)pthread_mutex_init(&m->lock, NULL);
    (void)pthread_cond_init(&m->work, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&m->idle, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    pap_result r = pool_start(m, err);
    if (is_ok(r))
        *ret = m;
    if (!is_ok(r)) {
        mcp_stop(m, 0);
        mcp_free(m);
    }
    return r;
}

void mcp_stop(struct mcp *m, unsigned ms)
{
    pool_stop(m, ms);
    listen_end_all(m);
}

void mcp_free(struct mcp *m)
{
    (void)pthread_mutex_destroy(&m->lock);
    (void)pthread_cond_destroy(&m->work);
    (void)pthread_cond_destroy(&m->idle);
    (void)alloc_resize(m->o.alloc, m, sizeof *m, 0);
}

const struct mcp_skills *call_skills(const struct mcp_call *c)
{
    return &c->mcp->o.skills;
}
