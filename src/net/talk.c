/* SPDX-License-Identifier: Apache-2.0 */
#include "net/talk.h"

#include "net/answer_head.h"

enum {
    COPY_MOST = 16 * 1024,  /* a body up to this is sent together with its head, as one write */
    OUT_ENOUGH = 64 * 1024, /* answers to pipelined requests gathered before they are sent */
    OUT_MOST = 64 << 20     /* the largest body that may be copied */
};

void desk_init(struct http_desk *d, const struct http_site *site, const struct clock *clock,
               const struct pap_alloc *alloc)
{
    *d = (struct http_desk){.site = site, .clock = clock, .date = INT64_MIN};
    buf_init(&d->out, alloc, OUT_MOST);
    arena_init(&d->arena, alloc);
}

void desk_fini(struct http_desk *d)
{
    buf_fini(&d->out);
    arena_fini(&d->arena);
}

void tail_end(struct http_tail *tail)
{
    if (tail->release)
        tail->release(tail->release_ctx);
    *tail = (struct http_tail){.file = -1};
}

/* ---- what a log is told, when it is known ---- */

struct http_record {
    struct http_record *next;
    struct http_request request; /* its views lie in `text` */
    struct http_access access;
    uint64_t body_at, end; /* among all bytes of the connection's answers */
    int64_t began;         /* monotonic milliseconds */
    size_t size;
    char text[];
};

static struct pap_str keep(char **room, struct pap_str s)
{
    if (!s.p)
        return s;
    char *p = *room;
    *room = (char *)mempcpy(p, s.p, s.n);
    return str(p, s.n);
}

static void tell_access(const struct http_desk *d, struct http_record *r, uint64_t sent)
{
    uint64_t end = sent < r->end ? sent : r->end;
    r->access.request = &r->request;
    r->access.bytes = end > r->body_at ? end - r->body_at : 0;
    r->access.ms = d->clock->monotonic_ms(d->clock) - r->began;
    d->site->access(d->site->ctx, &r->access);
}

/* The request's bytes are gone when its answer has been sent. Without memory for a copy it is told at once. */
static void note_access(struct http_desk *d, struct http_talk *t, const struct http_request *q, struct http_record r)
{
    size_t size = sizeof r + q->method.n + q->target.n + q->authority.n;
    struct http_record *kept = alloc_resize(d->arena.alloc, NULL, 0, size);
    r.request = *q;
    if (!kept) {
        tell_access(d, &r, r.end);
        return;
    }
    *kept = r;
    kept->size = size;
    char *room = kept->text;
    kept->request = (struct http_request){.connection = q->connection,
                                          .number = q->number,
                                          .peer = q->peer,
                                          .scheme = q->scheme,
                                          .method = keep(&room, q->method),
                                          .target = keep(&room, q->target),
                                          .authority = keep(&room, q->authority),
                                          .minor = q->minor};
    *(t->last ? &t->last->next : &t->records) = kept;
    t->last = kept;
}

/* Of an answer that comes later it is known where it begins when it does, and where it ends when it is over. */
static struct http_record *open_record(const struct http_talk *t)
{
    return t->last && t->last->end == UINT64_MAX ? t->last : NULL;
}

static void end_open_record(struct http_talk *t, const struct http_record *as)
{
    struct http_record *r = open_record(t);
    r->access = as->access;
    r->body_at = as->body_at;
    r->end = as->end;
}

static void begin_record(const struct http_desk *d, struct http_talk *t, int status, size_t head)
{
    struct http_record *r = open_record(t);
    if (!r)
        return;
    r->access.status = status;
    r->access.unix_seconds = d->date;
    r->body_at = t->queued + head;
}

static void close_record(struct http_desk *d, struct http_talk *t)
{
    struct http_record *r = open_record(t);
    if (r)
        r->end = t->queued;
    talk_sent(d, t, 0);
}

static void end_record(struct http_desk *d, struct http_talk *t)
{
    struct http_record *r = t->records;
    tell_access(d, r, t->sent);
    t->records = r->next;
    if (!r->next)
        t->last = NULL;
    (void)alloc_resize(d->arena.alloc, r, r->size, 0);
}

void talk_sent(struct http_desk *d, struct http_talk *t, size_t n)
{
    t->sent += n;
    while (t->records && t->records->end <= t->sent)
        end_record(d, t);
}

void talk_end(struct http_desk *d, struct http_talk *t)
{
    tail_end(&t->tail);
    while (t->records)
        end_record(d, t);
}

/* ---- answers ---- */

/* Writes the answer. False: the connection can only be closed, for not even this could be had. */
static bool write_answer(struct http_desk *d, struct http_talk *t, const struct http_request *r,
                         struct http_response *a, bool keep)
{
    bool bodiless = a->status == 204 || a->status == 304, send_body = !bodiless && !str_eq(r->method, S("HEAD"));
    uint64_t length = a->file_length ? a->file_length : a->body.n;
    bool copies = send_body && !a->file_length && (!a->release || a->body.n <= COPY_MOST);
    struct answer_head head = {a->status, d->date_text, a->headers, a->n_headers, !bodiless, length, keep, r->minor};
    size_t before = d->out.n;
    if (!answer_head_write(&d->out, &head, copies ? a->body : str(NULL, 0)))
        return false;
    uint64_t end = t->queued + (d->out.n - before) + (send_body && !copies ? length : 0);
    t->queued = end;
    struct http_record record = {.access = {.status = a->status, .unix_seconds = d->date},
                                 .body_at = end - (send_body ? length : 0),
                                 .end = end,
                                 .began = t->began};
    if (open_record(t)) /* of an answer that did not come */
        end_open_record(t, &record);
    else if (d->site->access)
        note_access(d, t, r, record);
    struct http_tail tail = {.file = -1, .release = a->release, .release_ctx = a->release_ctx};
    if (send_body && a->file_length) {
        tail.file = a->file;
        tail.file_at = a->file_at;
        tail.file_left = a->file_length;
    } else if (send_body && !copies) {
        tail.body = a->body;
    }
    if (tail_is_empty(&tail))
        tail_end(&tail);
    t->tail = tail;
    return true;
}

static void tick(struct http_desk *d)
{
    int64_t now = d->clock->unix_seconds(d->clock);
    if (now == d->date)
        return;
    d->date = now;
    http_date_write(now, d->date_text);
}

/* An answer of the server's own: no body, and the last. */
static void answer_bare(struct http_desk *d, struct http_talk *t, const struct http_request *r, int status)
{
    static const struct header no_store[] = {{S_INIT("Cache-Control"), S_INIT("no-store")}};
    struct http_response a = {.status = status, .headers = no_store, .n_headers = 1};
    tick(d);
    if (d->site->access && !r->method.p)
        t->began = d->clock->monotonic_ms(d->clock);
    (void)write_answer(d, t, r, &a, false); /* out of memory: closed without a word */
    t->wants = TALK_CLOSE;
}

void talk_refuse(struct http_desk *d, struct http_talk *t, int status)
{
    struct http_request none = {
        .connection = t->connection, .number = t->number + 1, .peer = t->peer, .scheme = t->scheme, .minor = 1};
    answer_bare(d, t, &none, status);
}

/* The head of an answer that came later. */
static bool later_head(struct http_desk *d, struct http_talk *t, const struct later_news *news, size_t length)
{
    struct http_response a = {.status = news->status, .headers = news->headers, .n_headers = news->n_headers};
    struct header fields[LIMIT_HTTP_FIELDS];
    tick(d);
    bool has_length = !news->stream && news->status != 204 && news->status != 304;
    if (!answer_is_good(&a) || a.n_headers + 1 >= LIMIT_HTTP_FIELDS)
        return false;
    for (size_t i = 0; i < a.n_headers; i++)
        fields[i] = a.headers[i];
    t->later_chunks = news->stream && t->later_minor >= 1;
    t->later_keeps = t->later_keeps && (!news->stream || t->later_chunks);
    if (t->later_chunks)
        fields[a.n_headers++] = (struct header){S("Transfer-Encoding"), S("chunked")};
    struct answer_head head = {a.status,   d->date_text, fields,         a.n_headers,
                               has_length, length,       t->later_keeps, t->later_minor};
    return answer_head_write(&d->out, &head, str(NULL, 0));
}

static void later_over(struct http_desk *d, struct http_talk *t, enum talk_wants wants)
{
    close_record(d, t);
    later_leave(t->later);
    t->later = NULL;
    t->wants = wants;
}

void talk_later(struct http_desk *d, struct http_talk *t)
{
    struct later_news news;
    struct buf body;
    buf_init(&body, d->out.alloc, LIMIT_LATER);
    later_take(t->later, &body, &news);
    bool begun = t->later_begun, fine = !news.fails && buf_ok(&body);
    size_t before = d->out.n;
    if (fine && news.begins) {
        t->later_begun = fine = later_head(d, t, &news, body.n);
        if (fine)
            begin_record(d, t, news.status, d->out.n - before);
    }
    if (fine && body.n && !t->later_bodiless) {
        if (t->later_chunks)
            buf_fmt(&d->out, "%zx\r\n", body.n);
        buf_add(&d->out, buf_str(&body));
        if (t->later_chunks)
            buf_add(&d->out, S("\r\n"));
    }
    if (fine && news.ends && t->later_chunks && !t->later_bodiless)
        buf_add(&d->out, S("0\r\n\r\n"));
    buf_fini(&body);
    t->queued += d->out.n - before;
    if (!fine || !buf_ok(&d->out)) {
        if (!begun && !t->later_begun)
            talk_refuse(d, t, 500);
        later_over(d, t, TALK_CLOSE);
    } else if (news.ends) {
        later_over(d, t, t->later_keeps ? TALK_FLUSH : TALK_CLOSE);
    }
}

static void begin_later(struct http_desk *d, struct http_talk *t, const struct http_request *r, struct later *later,
                        bool keep)
{
    t->later = later;
    t->later_keeps = keep;
    t->later_minor = r->minor;
    t->later_bodiless = str_eq(r->method, S("HEAD"));
    t->later_begun = t->later_chunks = false;
    t->wants = TALK_LATER;
    if (d->site->access)
        note_access(d, t, r,
                    (struct http_record){.access = {.status = 500, .unix_seconds = d->date},
                                         .body_at = UINT64_MAX,
                                         .end = UINT64_MAX,
                                         .began = t->began});
    talk_later(d, t);
}

static void answer(struct http_desk *d, struct http_talk *t, const struct http_request *r)
{
    struct http_response a = {.arena = &d->arena, .file = -1};
    bool keep = t->framing.keep_alive && !d->draining && (!d->site->max_requests || t->number < d->site->max_requests);
    tick(d);
    if (d->site->access)
        t->began = d->clock->monotonic_ms(d->clock);
    d->site->handle(d->site->ctx, r, &a);
    keep = keep && !a.close;
    if (a.later) {
        begin_later(d, t, r, a.later, keep);
    } else if (!answer_is_good(&a) || !write_answer(d, t, r, &a, keep)) {
        if (a.release)
            a.release(a.release_ctx);
        answer_bare(d, t, r, 500);
    } else {
        t->wants = !keep ? TALK_CLOSE : !tail_is_empty(&t->tail) || d->out.n >= OUT_ENOUGH ? TALK_FLUSH : TALK_INPUT;
    }
    arena_reset(&d->arena);
}

/* The head is whole: what is behind it? HTTP_DONE when the request may go on. */
static int read_head(struct http_desk *d, struct http_talk *t, struct http_input *in, struct http_request *r)
{
    struct pap_str head = str(in->p + t->scan.begin, t->scan.at - t->scan.begin);
    int status = http_head_parse(head, d->fields, r, &t->framing);
    return status ? status : t->framing.length > d->site->max_body ? 413 : HTTP_DONE;
}

/* The body, as far as it is there. Done: *ret_end is where the next request begins in *in. */
static int read_body(struct http_desk *d, struct http_talk *t, struct http_input *in, size_t *ret_end)
{
    if (!t->framing.chunked) {
        t->body = (size_t)t->framing.length;
        *ret_end = t->head + t->body;
        return in->n - t->head >= t->body ? HTTP_DONE : HTTP_MORE;
    }
    size_t start = t->head + t->body, used, more;
    int status =
        http_chunked_decode(&t->chunked, in->p + start, in->n - start, d->site->max_body - t->body, &used, &more);
    if (status < 400)
        t->body += more;
    if (status == HTTP_MORE)
        in->n = t->head + t->body;
    *ret_end = start + used;
    return status;
}

static void say_continue(struct http_desk *d, struct http_talk *t)
{
    const struct pap_str line = S("HTTP/1.1 100 Continue\r\n\r\n");
    buf_add(&d->out, line);
    t->queued += line.n;
}

/* One request, if it is there. HTTP_MORE: it is not; a status: it is refused. */
static int take_request(struct http_desk *d, struct http_talk *t, struct http_input *in)
{
    struct http_request r = {
        .connection = t->connection, .number = t->number + 1, .peer = t->peer, .scheme = t->scheme, .named = t->named};
    int status = t->head ? HTTP_DONE : http_head_scan(&t->scan, str(in->p, in->n), &d->site->head);
    if (status)
        return status;
    bool first = t->head == 0;
    if (first) {
        if ((status = read_head(d, t, in, &r)))
            return status;
        t->head = t->scan.at;
        if (t->framing.expects_continue && in->n == t->head && (t->framing.chunked || t->framing.length))
            say_continue(d, t);
    }
    size_t end;
    if ((status = read_body(d, t, in, &end)))
        return status;
    /* The head's views are of this turn only, so a request that came in several is read again. */
    if (!first && (status = read_head(d, t, in, &r)))
        return status;
    r.body = str(in->p + t->head, t->body);
    t->number++;
    answer(d, t, &r);
    *in = (struct http_input){in->p + end, in->n - end};
    t->head = t->body = 0;
    t->scan = (struct http_scan){0};
    t->chunked = (struct http_chunked){0};
    return HTTP_DONE;
}

void talk_input(struct http_desk *d, struct http_talk *t, struct http_input *in)
{
    int status = HTTP_DONE;
    t->wants = TALK_INPUT;
    while (t->wants == TALK_INPUT && status == HTTP_DONE && in->n)
        status = take_request(d, t, in);
    if (status >= 400)
        talk_refuse(d, t, status);
}

void talk_feed(struct http_desk *d, struct http_talk *t, struct buf *in, struct pap_str bytes, struct buf *out)
{
    buf_add(in, bytes);
    struct http_input left = {in->p, in->n};
    do {
        talk_input(d, t, &left);
        buf_add(out, buf_str(&d->out));
        buf_reset(&d->out);
        buf_add(out, t->tail.body);
        for (; t->tail.file_left; t->tail.file_left--)
            buf_char(out, '?');
        tail_end(&t->tail);
        talk_sent(d, t, (size_t)(t->queued - t->sent));
    } while (t->wants == TALK_FLUSH);
    memmove(in->p, left.p, left.n);
    in->n = left.n;
}
