/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/lines.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "sys/file.h"

enum { PIECE = 64 * 1024 };

struct stdio {
    struct mcp_sink sink; /* first */
    struct mcp *mcp;
    int out;
    pthread_mutex_t lock; /* of a line and the two below */
    struct buf line;
    bool broken;
    bool opens, listens; /* of the thread that reads */
};

/* A line, whole, whoever else writes. */
static bool put(struct stdio *s, struct pap_str json)
{
    (void)pthread_mutex_lock(&s->lock);
    buf_reset(&s->line);
    buf_add(&s->line, json);
    buf_char(&s->line, '\n');
    if (!s->broken && (!buf_ok(&s->line) || !fd_write_all(s->out, buf_str(&s->line))))
        s->broken = true;
    if (s->line.cap > PIECE)
        buf_fini(&s->line);
    bool fine = !s->broken;
    (void)pthread_mutex_unlock(&s->lock);
    return fine;
}

static bool event(struct mcp_sink *sink, struct pap_str json)
{
    return put((struct stdio *)sink, json);
}

static void finish(struct mcp_sink *sink, int status, struct pap_str json)
{
    (void)status;
    if (json.n)
        (void)put((struct stdio *)sink, json);
}

static bool is_gone(struct mcp_sink *sink)
{
    struct stdio *s = (struct stdio *)sink;
    (void)pthread_mutex_lock(&s->lock);
    bool gone = s->broken;
    (void)pthread_mutex_unlock(&s->lock);
    return gone;
}

static void opened(struct mcp_sink *sink)
{
    ((struct stdio *)sink)->opens = true;
}

static void take_line(struct stdio *s, struct pap_str line)
{
    line = str_trim(line);
    if (!line.n)
        return;
    mcp_take(s->mcp, &s->sink, NULL, line);
    if (s->opens && !s->listens) /* not before its answer is out */
        s->listens = mcp_listen(s->mcp, &s->sink);
}

/* Lines out of what was read. `too_long`: the line that is being read has no end in sight, and is only read past. */
static void take_piece(struct stdio *s, struct buf *in, bool *too_long, struct pap_str piece)
{
    while (piece.n) {
        size_t n = str_find_char(piece, '\n');
        bool ends = n < piece.n;
        struct pap_str part = str_take(piece, n);
        piece = str_skip(piece, n + 1);
        if (!*too_long && (!ends || in->n))
            buf_add(in, part);
        *too_long = *too_long || !buf_ok(in);
        if (!ends)
            return;
        if (*too_long)
            mcp_refuse(&s->sink, 400, MCP_INVALID_REQUEST, "the message is too large");
        else
            take_line(s, in->n ? buf_str(in) : part);
        *too_long = false;
        buf_reset(in);
    }
}

static pap_result read_all(struct stdio *s, int in, const struct pap_alloc *alloc, struct pap_err *err)
{
    char *piece = alloc_resize(alloc, NULL, 0, PIECE);
    ptrdiff_t n = piece ? 1 : 0;
    bool too_long = false;
    struct buf line;
    if (!piece)
        return fail_memory(err);
    buf_init(&line, alloc, LIMIT_MCP_MESSAGE);
    while (n > 0 && !is_gone(&s->sink)) {
        n = fd_read_some(in, piece, PIECE);
        if (n > 0)
            take_piece(s, &line, &too_long, str(piece, (size_t)n));
    }
    int why = errno;
    if (n == 0 && !too_long)
        take_line(s, buf_str(&line));
    buf_fini(&line);
    (void)alloc_resize(alloc, piece, PIECE, 0);
    return n < 0 ? fail(err, PAP_IO, "standard input cannot be read: %s", strerror(why)) : OK;
}

pap_result mcp_stdio(struct mcp *m, const struct pap_alloc *alloc, int in, int out, unsigned ms, struct pap_err *err)
{
    struct stdio s = {
        .sink = {.event = event, .finish = finish, .is_gone = is_gone, .opened = opened, .client = 1},
        .mcp = m,
        .out = out,
    };
    (void)pthread_mutex_init(&s.lock, NULL);
    buf_init(&s.line, alloc, LIMIT_MCP_ANSWER + 1);
    pap_result r = read_all(&s, in, alloc, err);
    mcp_stop(m, is_gone(&s.sink) ? 0 : ms);
    (void)pthread_mutex_destroy(&s.lock);
    buf_fini(&s.line);
    return r;
}
