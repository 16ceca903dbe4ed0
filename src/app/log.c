/* SPDX-License-Identifier: Apache-2.0 */
#include "app/log.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "sys/clock.h"

enum {
    QUEUE = 1024 * 1024, /* bytes that wait; memory is used as they do */
    LINE = 64 * 1024,    /* of one: a target is shorter, even escaped */
    PIECE = 4096,        /* handed on at once: a pipe takes so much (PIPE_BUF) whole or not at all */
    LOST_LINE = 256,     /* the line that tells of others */
    AGAIN_MS = 50        /* until who took nothing is asked again */
};

struct log {
    struct log_options o;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    struct buf queue; /* what waits; full of whole lines */
    uint64_t gap;     /* lines lost since the queue was last taken */
    atomic_uint_fast64_t lost;
    bool stopping;
    _Atomic int64_t until; /* monotonic milliseconds: when it has to be over */
};

/* As many whole lines as a piece holds; a line that is longer alone. */
static size_t piece_of(struct pap_str s)
{
    if (s.n <= PIECE)
        return s.n;
    size_t n = str_rfind_char(str(s.p, PIECE), '\n');
    return n < PIECE ? n + 1 : str_find_char(s, '\n') + 1;
}

/* False: the time is up before all is handed on. */
static bool hand_on(struct log *l, struct pap_str s)
{
    bool in_time = true;
    while (s.n && in_time) {
        size_t n = l->o.put(l->o.ctx, s.p, piece_of(s));
        s = str(s.p + n, s.n - n);
        if (!n)
            clock_sleep_ms(AGAIN_MS);
        in_time = clock_system.monotonic_ms(&clock_system) < atomic_load(&l->until);
    }
    return !s.n;
}

static bool tell_lost(struct log *l, uint64_t lines)
{
    char text[LOST_LINE];
    struct buf b;
    buf_on(&b, text, sizeof text);
    l->o.write_lost(&b, clock_system.unix_seconds(&clock_system), lines);
    return hand_on(l, buf_str(&b));
}

/* Takes what waits, and waits for it. False: no more will come. */
static bool take(struct log *l, struct buf *taken, uint64_t *ret_gap)
{
    (void)pthread_mutex_lock(&l->lock);
    while (!l->queue.n && !l->gap && !l->stopping)
        (void)pthread_cond_wait(&l->news, &l->lock);
    struct buf b = l->queue;
    l->queue = *taken;
    *taken = b;
    *ret_gap = l->gap;
    l->gap = 0;
    (void)pthread_mutex_unlock(&l->lock);
    return taken->n || *ret_gap;
}

static void *run(void *log)
{
    struct log *l = log;
    struct buf taken;
    uint64_t gap;
    buf_init(&taken, l->o.alloc, QUEUE);
    while (take(l, &taken, &gap) && hand_on(l, buf_str(&taken)) && (!gap || tell_lost(l, gap)))
        buf_reset(&taken);
    buf_fini(&taken);
    return NULL;
}

void log_add(struct log *l, const struct http_access *a)
{
    struct buf line;
    buf_init(&line, l->o.alloc, LINE);
    l->o.write(&line, a);
    (void)pthread_mutex_lock(&l->lock);
    bool first = !l->queue.n && !l->gap;
    /* Once a line is lost so are those after it until the queue is taken: where the gap is told is where it was. */
    char *room = !l->gap && buf_ok(&line) && line.n <= QUEUE - l->queue.n ? buf_room(&l->queue, line.n) : NULL;
    if (room) {
        memcpy(room, line.p, line.n);
        buf_grew(&l->queue, line.n);
    } else {
        l->gap++;
        atomic_fetch_add(&l->lost, 1);
    }
    if (first)
        (void)pthread_cond_signal(&l->news);
    (void)pthread_mutex_unlock(&l->lock);
    buf_fini(&line);
}

uint64_t log_lost(const struct log *l)
{
    return atomic_load(&l->lost);
}

static void log_free(struct log *l)
{
    (void)pthread_cond_destroy(&l->news);
    (void)pthread_mutex_destroy(&l->lock);
    buf_fini(&l->queue);
    (void)alloc_resize(l->o.alloc, l, sizeof *l, 0);
}

pap_result log_start(const struct log_options *o, struct log **ret, struct pap_err *err)
{
    sigset_t all, before; /* signals are for the thread that called */
    struct log *l = alloc_resize(o->alloc, NULL, 0, sizeof *l);
    if (!l)
        return fail_memory(err);
    *l = (struct log){.o = *o, .until = INT64_MAX};
    buf_init(&l->queue, o->alloc, QUEUE);
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_cond_init(&l->news, NULL);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&l->thread, NULL, run, l) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started) {
        log_free(l);
        return fail(err, PAP_IO, "cannot start a thread");
    }
    *ret = l;
    return OK;
}

void log_stop(struct log *l, int64_t ms)
{
    if (!l)
        return;
    (void)pthread_mutex_lock(&l->lock);
    l->stopping = true;
    atomic_store(&l->until, clock_system.monotonic_ms(&clock_system) + ms);
    (void)pthread_cond_signal(&l->news);
    (void)pthread_mutex_unlock(&l->lock);
    (void)pthread_join(l->thread, NULL);
    log_free(l);
}
