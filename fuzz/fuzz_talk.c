/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole connection: the same answers however the bytes arrive, every body released once, and an answer for every
 * request that a handler saw. The first byte chooses the pieces, the path what the handler does.
 */
#include <stdint.h>
#include <stdlib.h>

#include "net/talk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void holds(bool fact)
{
    if (!fact)
        abort();
}

struct seen {
    unsigned handled, logged, owed; /* owed: bodies not yet released */
};

static char large[40000];

static void release(void *ctx)
{
    struct seen *seen = ctx;
    holds(seen->owed-- > 0);
}

static void handle(void *ctx, const struct http_request *r, struct http_response *a)
{
    struct seen *seen = ctx;
    char last = r->path.p[r->path.n - 1];
    seen->handled++;
    if (last == 's' || last == 'w') {
        a->later = later_new(NULL);
        holds(a->later != NULL);
        later_begin(a->later, 200, NULL, 0, last == 's');
        (void)later_write(a->later, r->body);
        later_end(a->later);
        return;
    }
    a->status = last == 'n' ? 304 : last == 'x' ? 0 : 200;
    a->headers = r->headers; /* some must not be sent: 500 */
    a->n_headers = last == 'h' ? r->n_headers : 0;
    a->close = last == 'c';
    a->body = last == 'l' ? str(large, sizeof large) : arena_str(a->arena, r->body);
    a->file_length = last == 'f' ? 100 : 0;
    if (last == 'l' || last == 'f' || last == 'r') {
        seen->owed++;
        a->release = release;
        a->release_ctx = seen;
    }
}

static void note(void *ctx, const struct http_access *access)
{
    struct seen *seen = ctx;
    seen->logged++;
    holds(access->status >= 200 && access->status < 600);
}

static void say(struct pap_str bytes, size_t step, struct buf *out, struct seen *seen)
{
    struct http_site site = {.handle = handle, .access = note, .ctx = seen, .max_body = 1000, .max_requests = 20};
    struct clock clock = clock_stopped(784111777);
    struct http_desk desk;
    struct http_talk talk = {.connection = 1, .scheme = S("http"), .tail.file = -1};
    struct buf in;
    desk_init(&desk, &site, &clock, NULL);
    buf_init(&in, NULL, SIZE_MAX);
    buf_init(out, NULL, SIZE_MAX);
    for (size_t at = 0; at < bytes.n && talk.wants != TALK_CLOSE; at += step)
        talk_feed(&desk, &talk, &in, str_take(str_skip(bytes, at), step), out);
    holds(talk.wants != TALK_FLUSH && tail_is_empty(&talk.tail) && seen->owed == 0);
    holds(seen->logged >= seen->handled && seen->logged <= seen->handled + 1);
    holds(talk.wants == TALK_CLOSE || in.n <= LIMIT_HTTP_HEAD + 1000);
    desk_fini(&desk);
    buf_fini(&in);
}

/* A body that comes later is invited; that much may differ. */
static struct pap_str without_invitations(struct buf *out)
{
    const struct pap_str invitation = S("HTTP/1.1 100 Continue\r\n\r\n");
    size_t n = 0;
    for (struct pap_str rest = buf_str(out); rest.n;) {
        size_t at = str_find(rest, invitation);
        memmove(out->p + n, rest.p, at);
        n += at;
        rest = str_skip(rest, at + invitation.n);
    }
    return str(out->p, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct pap_str bytes = str((const char *)data + 1, size - 1);
    struct seen first = {0}, second = {0};
    struct buf whole, pieces;
    say(bytes, bytes.n, &whole, &first);
    say(bytes, (size_t)data[0] + 1, &pieces, &second);
    holds(first.handled == second.handled);
    struct pap_str a = without_invitations(&whole), b = without_invitations(&pieces);
    /* Of two faults in one head, which one is seen first may differ, and so the status of the refusal. */
    holds(first.logged > first.handled ? second.logged > second.handled : str_eq(a, b));
    buf_fini(&whole);
    buf_fini(&pieces);
    return 0;
}
