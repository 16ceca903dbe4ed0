/* SPDX-License-Identifier: Apache-2.0 */
#include "net/later.h"

#include <pthread.h>

#include "base/limits.h"

struct later {
    const struct pap_alloc *alloc;
    pthread_mutex_t lock;
    unsigned holders;
    bool begun, taken, stream, ended, failed, gone;
    int status;
    struct arena arena;
    struct header *headers;
    size_t n_headers;
    struct buf body; /* what is not taken yet */
    void (*wake)(void *ctx);
    void *wake_ctx;
};

struct later *later_new(const struct pap_alloc *alloc)
{
    struct later *l = alloc_resize(alloc, NULL, 0, sizeof *l);
    if (!l)
        return NULL;
    *l = (struct later){.alloc = alloc, .holders = 2};
    (void)pthread_mutex_init(&l->lock, NULL);
    arena_init(&l->arena, alloc);
    buf_init(&l->body, alloc, LIMIT_LATER);
    return l;
}

/* Unlocks, and frees it when nobody holds it. */
static void let_go(struct later *l)
{
    bool last = --l->holders == 0;
    (void)pthread_mutex_unlock(&l->lock);
    if (!last)
        return;
    (void)pthread_mutex_destroy(&l->lock);
    arena_fini(&l->arena);
    buf_fini(&l->body);
    (void)alloc_resize(l->alloc, l, sizeof *l, 0);
}

static void tell(struct later *l)
{
    if (l->wake)
        l->wake(l->wake_ctx);
}

static bool copy_fields(struct later *l, const struct header *headers, size_t n)
{
    l->headers = arena_new_array(&l->arena, n, struct header);
    for (; l->headers && l->n_headers < n; l->n_headers++) {
        struct header *h = &l->headers[l->n_headers];
        h->name = arena_str(&l->arena, headers[l->n_headers].name);
        h->value = arena_str(&l->arena, headers[l->n_headers].value);
        if (!h->name.p || !h->value.p)
            return false;
    }
    return l->headers != NULL;
}

void later_begin(struct later *l, int status, const struct header *headers, size_t n, bool stream)
{
    (void)pthread_mutex_lock(&l->lock);
    l->status = status;
    l->stream = stream;
    l->begun = copy_fields(l, headers, n);
    l->failed = !l->begun;
    if (stream)
        tell(l);
    (void)pthread_mutex_unlock(&l->lock);
}

bool later_write(struct later *l, struct pap_str bytes)
{
    (void)pthread_mutex_lock(&l->lock);
    if (!l->gone && !l->failed)
        buf_add(&l->body, bytes);
    l->failed = l->failed || !buf_ok(&l->body);
    bool fine = !l->gone && !l->failed;
    if (l->stream || l->failed)
        tell(l);
    (void)pthread_mutex_unlock(&l->lock);
    return fine;
}

void later_end(struct later *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->ended = true;
    l->failed = l->failed || !l->begun;
    tell(l);
    let_go(l);
}

bool later_is_gone(struct later *l)
{
    (void)pthread_mutex_lock(&l->lock);
    bool gone = l->gone;
    (void)pthread_mutex_unlock(&l->lock);
    return gone;
}

void later_bind(struct later *l, void (*wake)(void *ctx), void *ctx)
{
    (void)pthread_mutex_lock(&l->lock);
    l->wake = wake;
    l->wake_ctx = ctx;
    (void)pthread_mutex_unlock(&l->lock);
}

void later_leave(struct later *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->wake = NULL;
    l->gone = true;
    let_go(l);
}

void later_take(struct later *l, struct buf *ret_body, struct later_news *ret)
{
    (void)pthread_mutex_lock(&l->lock);
    bool ready = l->begun && (l->stream || l->ended) && !l->failed;
    *ret = (struct later_news){.begins = ready && !l->taken,
                               .status = l->status,
                               .headers = l->headers,
                               .n_headers = l->n_headers,
                               .stream = l->stream,
                               .ends = l->ended && !l->failed,
                               .fails = l->failed};
    l->taken = l->taken || ready;
    if (ready && l->body.n) {
        buf_add(ret_body, buf_str(&l->body));
        buf_fini(&l->body);
    }
    (void)pthread_mutex_unlock(&l->lock);
}
