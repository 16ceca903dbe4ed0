/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions of legacy clients over HTTP. A session only says whose ids and whose stream these are: a request without one is
 * answered, too.
 */
#include "mcp/http.h"
#include "sys/entropy.h"

void mcp_http_init(struct mcp_http *h)
{
    (void)pthread_mutex_init(&h->lock, NULL);
    h->clients = 1; /* stdio's */
}

void mcp_http_fini(struct mcp_http *h)
{
    (void)pthread_mutex_destroy(&h->lock);
}

static struct mcp_session *find(struct mcp_http *h, struct pap_str id)
{
    for (size_t i = 0; id.n == SESSION_ID && i < LIMIT_MCP_SESSIONS; i++)
        if (str_is(id, h->sessions[i].id))
            return &h->sessions[i];
    return NULL;
}

static struct mcp_session *find_client(struct mcp_http *h, uint64_t client)
{
    for (size_t i = 0; i < LIMIT_MCP_SESSIONS; i++)
        if (h->sessions[i].id[0] && h->sessions[i].client == client)
            return &h->sessions[i];
    return NULL;
}

bool http_session_open(struct mcp_http *h, char ret_id[SESSION_ID + 1])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[SESSION_ID / 2];
    struct mcp_session *oldest = NULL;
    if (!is_ok(entropy_bytes(bytes, sizeof bytes, NULL)))
        return false;
    (void)pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < LIMIT_MCP_SESSIONS; i++) {
        struct mcp_session *s = &h->sessions[i];
        if (!s->streams && (!oldest || (oldest->id[0] && (!s->id[0] || s->used < oldest->used))))
            oldest = s;
    }
    if (oldest) {
        *oldest = (struct mcp_session){.client = ++h->clients, .used = ++h->uses};
        for (size_t i = 0; i < sizeof bytes; i++) {
            oldest->id[2 * i] = hex[bytes[i] >> 4];
            oldest->id[2 * i + 1] = hex[bytes[i] & 15];
        }
        memcpy(ret_id, oldest->id, SESSION_ID + 1);
    }
    (void)pthread_mutex_unlock(&h->lock);
    return oldest != NULL;
}

uint64_t http_session_find(struct mcp_http *h, struct pap_str id)
{
    (void)pthread_mutex_lock(&h->lock);
    struct mcp_session *s = find(h, id);
    uint64_t client = s ? s->client : 0;
    if (s)
        s->used = ++h->uses;
    (void)pthread_mutex_unlock(&h->lock);
    return client;
}

bool http_session_close(struct mcp_http *h, struct pap_str id)
{
    (void)pthread_mutex_lock(&h->lock);
    struct mcp_session *s = find(h, id);
    uint64_t client = s ? s->client : 0;
    if (s)
        *s = (struct mcp_session){.id = ""};
    (void)pthread_mutex_unlock(&h->lock);
    mcp_forget(h->mcp, client); /* its stream ends, which comes back here: not under the lock */
    return client != 0;
}

bool http_session_stream(struct mcp_http *h, uint64_t client)
{
    (void)pthread_mutex_lock(&h->lock);
    struct mcp_session *s = find_client(h, client);
    bool is_free = s && !s->streams;
    if (is_free)
        s->streams = true;
    (void)pthread_mutex_unlock(&h->lock);
    return is_free;
}

void http_session_stream_ended(struct mcp_http *h, uint64_t client)
{
    (void)pthread_mutex_lock(&h->lock);
    struct mcp_session *s = find_client(h, client);
    if (s)
        s->streams = false;
    (void)pthread_mutex_unlock(&h->lock);
}
