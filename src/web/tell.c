/* SPDX-License-Identifier: Apache-2.0
 *
 * What those hear who wait for a check. Called with the runner's lock held, but for tell_done().
 */
#include "text/json_write.h"
#include "web/runner_inside.h"

enum { EVENT_MOST = 64 * 1024 };

static const char *const places[] = {
    [RUNNER_PAGE] = "/check/", [RUNNER_API] = "/api/v1/check/", [RUNNER_EVENTS] = "/check/"};

/* Sends the event to whoever reads the stream. */
static void send_event(struct job *j, const struct buf *event)
{
    for (struct waiter *w = j->waiters; w && buf_ok(event); w = w->next)
        if (w->form == RUNNER_EVENTS)
            (void)later_write(w->later, buf_str(event));
}

static void event_begin(struct buf *out, struct json_writer *w, const char *name)
{
    buf_fmt(out, "event: %s\ndata: ", name);
    json_writer_init(w, out, 0);
    json_object_begin(w);
}

static void event_end(struct buf *out, struct json_writer *w)
{
    json_object_end(w);
    buf_add(out, S("\n\n"));
}

void tell_step(struct runner *r, struct job *j, const struct exchange *x)
{
    struct json_writer w;
    struct buf out;
    buf_init(&out, r->o.alloc, EVENT_MOST);
    event_begin(&out, &w, "step");
    json_write_key(&w, "method");
    json_write_str(&w, x->method);
    json_write_key(&w, "url");
    json_write_str(&w, x->url);
    json_write_key(&w, "status");
    json_write_int(&w, exchange_status(x));
    json_write_key(&w, "fault");
    json_write_str(&w, x->fault ? x->fault_text : str(NULL, 0));
    json_write_key(&w, "ms");
    json_write_int(&w, x->ms);
    event_end(&out, &w);
    send_event(j, &out);
    buf_fini(&out);
}

static void add_name(struct json_writer *w, const char *key, const char *prefix, struct pap_str name)
{
    char place[NAME_MOST + 64];
    struct buf b;
    buf_on(&b, place, sizeof place);
    buf_add(&b, str_c(prefix));
    buf_add(&b, name);
    json_write_key(w, key);
    json_write_str(w, buf_str(&b));
}

void tell_done(struct buf *out, const char *prefix, struct pap_str name)
{
    struct json_writer w;
    event_begin(out, &w, "done");
    add_name(&w, "url", prefix, name);
    event_end(out, &w);
}

static void end_stream(struct runner *r, const struct job *j, struct waiter *w, struct pap_str failure)
{
    struct json_writer json;
    struct buf out;
    buf_init(&out, r->o.alloc, EVENT_MOST);
    if (failure.p) {
        event_begin(&out, &json, "failed");
        json_write_key(&json, "detail");
        json_write_str(&json, failure);
        event_end(&out, &json);
    } else {
        tell_done(&out, j->task == RUNNER_OPT_OUT ? "/opt-out?done=" : places[w->form], str_c(j->name));
    }
    if (buf_ok(&out))
        (void)later_write(w->later, buf_str(&out));
    buf_fini(&out);
}

static void end_answer(const struct job *j, struct waiter *w, struct pap_str failure)
{
    char place[NAME_MOST + 64];
    struct buf b;
    buf_on(&b, place, sizeof place);
    buf_add(&b, str_c(j->task == RUNNER_OPT_OUT ? "/opt-out?done=" : places[w->form]));
    buf_add(&b, str_c(j->name));
    const struct header fields[] = {{S("Cache-Control"), S("no-store")},
                                    {S("X-Content-Type-Options"), S("nosniff")},
                                    {failure.p ? S("Content-Type") : S("Location"),
                                     failure.p ? S("text/plain; charset=utf-8") : buf_str(&b)}};
    later_begin(w->later, failure.p ? 503 : 303, fields, sizeof fields / sizeof fields[0], false);
    if (failure.p) {
        (void)later_write(w->later, failure);
        (void)later_write(w->later, S("\n"));
    }
}

void tell_end(struct runner *r, struct job *j, struct pap_str failure)
{
    while (j->waiters) {
        struct waiter *w = j->waiters;
        j->waiters = w->next;
        r->n_waiters--;
        if (w->form == RUNNER_EVENTS)
            end_stream(r, j, w, failure);
        else
            end_answer(j, w, failure);
        later_end(w->later);
        (void)alloc_resize(r->o.alloc, w, sizeof *w, 0);
    }
}
