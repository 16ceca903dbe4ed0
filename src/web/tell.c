/* SPDX-License-Identifier: Apache-2.0
 *
 * What those hear who wait for a check. Called with the runner's lock held, but for tell_done().
 */
#include "web/problem.h"
#include "web/runner_inside.h"

enum { EVENT_MOST = 64 * 1024 };

static const char *const places[] = {
    [RUNNER_PAGE] = "/check/", [RUNNER_API] = "/api/v1/check/", [RUNNER_EVENTS] = "/check/"};

const struct runner_trouble_row runner_troubles[] = {
    [RUNNER_FINE] = {"", ""},
    [RUNNER_ASKED_OFTEN] = {"often",
                            "A host that this needs was asked often enough for now, and without it there is no fair "
                            "report. Try again in a few minutes."},
    [RUNNER_NOT_KEPT] = {"not-kept", "The report could not be kept just now. Try again in a minute."},
    [RUNNER_NO_PROOF] = {"no-proof",
                         "Neither the file nor the DNS record is there with its right text. Nothing was changed."},
    [RUNNER_NO_RESOLVER] = {"no-dns",
                            "The file is not there with its right text, and whether the DNS record is could not be "
                            "found out. Nothing was changed."},
    [RUNNER_NOT_WRITTEN] = {"not-written", "It could not be written down just now. Try again in a minute."},
    [RUNNER_BROKE_OFF] = {"broke-off", "It broke off. Try again in a minute."},
    [RUNNER_STOPPED] = {"stopped", "No checks are made just now. Try again in a minute."},
};

struct pap_str runner_trouble_sentence(struct pap_str word)
{
    for (int i = RUNNER_FINE + 1; i <= RUNNER_STOPPED; i++)
        if (str_is(word, runner_troubles[i].word))
            return str_c(runner_troubles[i].sentence);
    return str(NULL, 0);
}

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

static void end_stream(struct runner *r, const struct job *j, struct waiter *w, enum runner_trouble trouble)
{
    struct json_writer json;
    struct buf out;
    buf_init(&out, r->o.alloc, EVENT_MOST);
    if (trouble) {
        event_begin(&out, &json, "failed");
        json_write_key(&json, "detail");
        json_write_cstr(&json, runner_troubles[trouble].sentence);
        event_end(&out, &json);
    } else {
        tell_done(&out, j->task == RUNNER_OPT_OUT ? "/opt-out?done=" : places[w->form], str_c(j->name));
    }
    if (buf_ok(&out))
        (void)later_write(w->later, buf_str(&out));
    buf_fini(&out);
}

/* For programs: the object that every fault of the API is (answer.c). */
static void fail_program(struct waiter *w, enum runner_trouble trouble)
{
    static const struct header fields[] = {{S_INIT("Content-Type"), S_INIT("application/problem+json")},
                                           {S_INIT("Cache-Control"), S_INIT("no-store")},
                                           {S_INIT("X-Content-Type-Options"), S_INIT("nosniff")},
                                           {S_INIT("Retry-After"), S_INIT("60")}};
    char place[1024];
    struct buf out;
    buf_on(&out, place, sizeof place);
    write_problem(&out, 503, "No report was made", str_c(runner_troubles[trouble].sentence));
    later_begin(w->later, 503, fields, sizeof fields / sizeof fields[0], false);
    (void)later_write(w->later, buf_str(&out));
}

/* People are sent on: to what there is now, which says what the trouble was. */
static void end_answer(const struct job *j, struct waiter *w, enum runner_trouble trouble)
{
    char place[NAME_MOST + 64];
    struct buf b;
    if (trouble && w->form == RUNNER_API) {
        fail_program(w, trouble);
        return;
    }
    buf_on(&b, place, sizeof place);
    buf_fmt(&b, "%s%s",
            j->task != RUNNER_OPT_OUT ? places[w->form]
            : trouble                 ? "/opt-out?domain="
                                      : "/opt-out?done=",
            j->name);
    if (trouble)
        buf_fmt(&b, "%csaid=%s", j->task == RUNNER_OPT_OUT ? '&' : '?', runner_troubles[trouble].word);
    const struct header fields[] = {
        {S("Cache-Control"), S("no-store")}, {S("X-Content-Type-Options"), S("nosniff")}, {S("Location"), buf_str(&b)}};
    later_begin(w->later, 303, fields, sizeof fields / sizeof fields[0], false);
}

void tell_end(struct runner *r, struct job *j, enum runner_trouble trouble)
{
    while (j->waiters) {
        struct waiter *w = j->waiters;
        j->waiters = w->next;
        r->n_waiters--;
        if (w->form == RUNNER_EVENTS)
            end_stream(r, j, w, trouble);
        else
            end_answer(j, w, trouble);
        later_end(w->later);
        (void)alloc_resize(r->o.alloc, w, sizeof *w, 0);
    }
}
