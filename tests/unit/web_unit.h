/* SPDX-License-Identifier: Apache-2.0
 *
 * The site without a socket: requests in, whole answers out.
 */
#ifndef TESTS_WEB_UNIT_H
#define TESTS_WEB_UNIT_H

#include <unistd.h>

#include "net/talk.h"
#include "unit.h"
#include "web/form.h"
#include "web/route.h"
#include "web/web.h"

enum { WEB_NOW = 1796083200 }; /* 2026-12-01 00:00:00 UTC */

struct web_site {
    struct web *web;
    struct clock clock;
    struct http_site site;
    struct http_desk desk;
    struct buf out;
};

static inline void web_begin_with(struct web_site *s, struct web_options o)
{
    memset(s, 0, sizeof *s);
    s->clock = clock_stopped(WEB_NOW);
    o.clock = &s->clock;
    o.origin = o.origin ? o.origin : "https://check.example";
    o.contact = o.contact ? o.contact : "https://check.example/about";
    assert_ok(web_new(&o, &s->web, NULL));
    s->site = (struct http_site){.handle = web_handle, .ctx = s->web, .max_body = LIMIT_HTTP_BODY};
    desk_init(&s->desk, &s->site, &s->clock, o.alloc);
    buf_init(&s->out, NULL, 256 << 20);
}

static inline void web_end(struct web_site *s)
{
    desk_fini(&s->desk);
    buf_fini(&s->out);
    web_free(s->web);
}

/* The whole answer to a request of which the head is given without its end; good until the next one. */
static inline struct pap_str web_ask_from(struct web_site *s, const char *peer, const char *line, const char *fields,
                                          struct pap_str body)
{
    struct http_talk talk = {.connection = 1, .scheme = S("https"), .tail.file = -1, .peer = str_c(peer)};
    struct buf in, request;
    buf_init(&in, NULL, 16 << 20);
    buf_init(&request, NULL, 16 << 20);
    buf_fmt(&request, "%s HTTP/1.1\r\nHost: check.example\r\n%s", line, fields);
    if (body.p)
        buf_fmt(&request, "Content-Length: %zu\r\n", body.n);
    buf_add(&request, S("\r\n"));
    buf_add(&request, body);
    buf_reset(&s->out);
    talk_feed(&s->desk, &talk, &in, buf_str(&request), &s->out);
    for (int i = 0; talk.wants == TALK_LATER && i < 10000; i++) {
        (void)usleep(2000);
        talk_later(&s->desk, &talk);
        buf_add(&s->out, buf_str(&s->desk.out));
        buf_reset(&s->desk.out);
    }
    assert_int_not_equal(talk.wants, TALK_LATER);
    assert_true(buf_ok(&s->out) && buf_ok(&in));
    talk_end(&s->desk, &talk);
    buf_fini(&in);
    buf_fini(&request);
    return buf_str(&s->out);
}

static inline struct pap_str web_ask(struct web_site *s, const char *line, const char *fields)
{
    return web_ask_from(s, "192.0.2.1", line, fields, str(NULL, 0));
}

static inline int web_status(struct pap_str answer)
{
    uint64_t status = 0;
    if (!str_starts(answer, S("HTTP/1.1 ")) || !str_to_u64(str_take(str_skip(answer, 9), 3), &status))
        unit_fail("no answer: %.*s", PSTR(str_take(answer, 200)));
    return (int)status;
}

static inline bool web_has(struct pap_str answer, const char *text)
{
    return str_find(answer, str_c(text)) < answer.n;
}

/* The value of a header field; p NULL when there is none. */
static inline struct pap_str web_field(struct pap_str answer, const char *name)
{
    struct pap_str head = str_take(answer, str_find(answer, S("\r\n\r\n"))), line;
    while (str_next(&head, '\n', &line))
        if (str_eq_nocase(str_take(line, str_find_char(line, ':')), str_c(name)))
            return str_trim(str_skip(line, str_find_char(line, ':') + 1));
    return str(NULL, 0);
}

static inline struct pap_str web_body(struct pap_str answer)
{
    return str_skip(answer, str_find(answer, S("\r\n\r\n")) + 4);
}

#define assert_has(answer, text)                                    \
    do {                                                            \
        if (!web_has((answer), (text)))                             \
            unit_fail("no \"%s\" in %.*s", (text), PSTR((answer))); \
    } while (0)

#endif
