/* SPDX-License-Identifier: Apache-2.0
 *
 * Who hears that other skills are loaded: subscriptions of modern clients, each granted what it asked for and we can tell, and
 * legacy clients, who hear of both. A listener is a call that stays open; a legacy one has no id.
 */
#include "mcp/inside.h"

static const char subscription_key[] = "io.modelcontextprotocol/subscriptionId";

static void begin_notification(struct json_writer *w, struct buf *out, const char *method, const struct mcp_call *c)
{
    json_writer_init(w, out, 0);
    json_object_begin(w);
    write_member(w, "jsonrpc", S("2.0"));
    write_member(w, "method", str_c(method));
    if (!c->m.id)
        return;
    json_write_key(w, "params");
    json_object_begin(w);
    json_write_key(w, "_meta");
    json_object_begin(w);
    json_write_key(w, subscription_key);
    json_write_tree(w, c->m.id);
    json_object_end(w);
}

static bool end_notification(struct json_writer *w, struct mcp_call *c)
{
    if (c->m.id)
        json_object_end(w);
    json_object_end(w);
    return buf_ok(w->out) && c->sink->event(c->sink, buf_str(w->out));
}

static bool acknowledge(struct mcp_call *c)
{
    struct json_writer w;
    buf_reset(&c->out);
    begin_notification(&w, &c->out, "notifications/subscriptions/acknowledged", c);
    json_write_key(&w, "notifications");
    json_object_begin(&w);
    if (c->prompts) {
        json_write_key(&w, "promptsListChanged");
        json_write_bool(&w, true);
    }
    if (c->resources) {
        json_write_key(&w, "resourcesListChanged");
        json_write_bool(&w, true);
    }
    json_object_end(&w);
    return end_notification(&w, c);
}

void listen_keep(struct mcp *m, struct mcp_call *c)
{
    (void)pthread_mutex_lock(&m->lock);
    bool room = m->listening.n < LIMIT_MCP_LISTENERS && !m->stops;
    if (room && acknowledge(c)) {
        list_push(&m->listening, c);
        c = NULL;
    }
    (void)pthread_mutex_unlock(&m->lock);
    if (!c)
        return;
    c->stays = false;
    call_fail(c, MCP_INTERNAL, room ? "the subscription cannot be told about" : "too many subscriptions are open");
    call_finish(c, 200);
    call_free(c);
}

bool mcp_listen(struct mcp *m, struct mcp_sink *sink)
{
    struct mcp_call *c = call_new(m, sink, str(NULL, 0));
    if (!c)
        return false;
    c->prompts = c->resources = true;
    (void)pthread_mutex_lock(&m->lock);
    bool room = m->listening.n < LIMIT_MCP_LISTENERS && !m->stops;
    if (room)
        list_push(&m->listening, c);
    (void)pthread_mutex_unlock(&m->lock);
    if (!room)
        call_free(c);
    return room;
}

static void tell(struct mcp_call *c, const char *method)
{
    struct json_writer w;
    buf_reset(&c->out);
    begin_notification(&w, &c->out, method, c);
    (void)end_notification(&w, c); /* one that is gone is found by the heartbeat */
}

void mcp_changed(struct mcp *m)
{
    (void)pthread_mutex_lock(&m->lock);
    for (struct mcp_call *c = m->listening.first; c; c = c->next) {
        if (c->prompts)
            tell(c, "notifications/prompts/list_changed");
        if (c->resources)
            tell(c, "notifications/resources/list_changed");
    }
    (void)pthread_mutex_unlock(&m->lock);
}

/* The last words to a listener, who may be gone. */
static void end_listener(struct mcp_call *c)
{
    struct json_writer w;
    if (!c->m.id) {
        c->sink->finish(c->sink, 200, str(NULL, 0));
        call_free(c);
        return;
    }
    /* Two pages of the specification ask for different ends; both are given. */
    buf_reset(&c->out);
    json_writer_init(&w, &c->out, 0);
    json_object_begin(&w);
    write_member(&w, "jsonrpc", S("2.0"));
    write_member(&w, "method", S("notifications/cancelled"));
    json_write_key(&w, "params");
    json_object_begin(&w);
    json_write_key(&w, "requestId");
    json_write_tree(&w, c->m.id);
    json_object_end(&w);
    json_object_end(&w);
    if (buf_ok(&c->out))
        (void)c->sink->event(c->sink, buf_str(&c->out));
    buf_reset(&c->out);
    json_writer_init(&w, &c->out, 0);
    json_object_begin(&w);
    write_member(&w, "jsonrpc", S("2.0"));
    json_write_key(&w, "id");
    json_write_tree(&w, c->m.id);
    json_write_key(&w, "result");
    json_object_begin(&w);
    write_member(&w, "resultType", S("complete"));
    json_write_key(&w, "_meta");
    json_object_begin(&w);
    json_write_key(&w, subscription_key);
    json_write_tree(&w, c->m.id);
    json_object_end(&w);
    json_object_end(&w);
    json_object_end(&w);
    c->sink->finish(c->sink, 200, buf_ok(&c->out) ? buf_str(&c->out) : str(NULL, 0));
    call_free(c);
}

static void end_some(struct mcp *m, bool all, uint64_t client)
{
    for (;;) {
        struct mcp_call *c;
        (void)pthread_mutex_lock(&m->lock);
        for (c = m->listening.first; c && !all && (client ? c->sink->client != client : !c->sink->is_gone(c->sink));)
            c = c->next;
        if (c)
            list_take(&m->listening, c);
        (void)pthread_mutex_unlock(&m->lock);
        if (!c)
            return;
        end_listener(c);
    }
}

void listen_end_all(struct mcp *m)
{
    end_some(m, true, 0);
}

void mcp_forget(struct mcp *m, uint64_t client)
{
    if (client)
        end_some(m, false, client);
}

void mcp_heartbeat(struct mcp *m, void (*beat)(struct mcp_sink *sink))
{
    end_some(m, false, 0);
    (void)pthread_mutex_lock(&m->lock);
    for (struct mcp_call *c = m->listening.first; c; c = c->next)
        beat(c->sink);
    (void)pthread_mutex_unlock(&m->lock);
}
