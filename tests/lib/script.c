/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/script.h"

#include <time.h>

#include "net/walk.h"
#include "sys/file.h"

enum { FIELDS_MOST = 64, FILE_MOST = LIMIT_ARTIFACT + 1024 };

struct answer {
    struct answer *next;
    struct pap_str method, url;
    struct hop hop;
    struct header fields[FIELDS_MOST];
    struct pap_str body;
    enum exchange_fault fault;
    struct pap_str fault_text; /* p NULL: the usual one */
    unsigned given;
};

struct asked {
    struct script_asked a; /* first */
    struct asked *next;
};

struct script {
    struct transport base; /* first */
    struct arena *arena;
    const char *folder;
    struct answer *answers, **tail;
    struct walk_queue queue;
    struct asked *asked, **asked_tail;
    size_t n_asked;
    int64_t now_ms;
    bool allow_http;
};

/* Reading a script. */

struct reader {
    struct script *s;
    struct pap_str rest, line;
    unsigned n; /* line number */
    struct pap_err *err;
};

static pap_result wrong(const struct reader *r, const char *why)
{
    return fail(r->err, PAP_SYNTAX, "line %u: %s: %.*s", r->n, why, PSTR(r->line));
}

static bool next_line(struct reader *r)
{
    if (!r->rest.n)
        return false;
    size_t n = str_find_char(r->rest, '\n');
    r->line = str_take(r->rest, n);
    r->rest = str_skip(r->rest, n + 1);
    r->n++;
    return true;
}

static bool is_request(struct pap_str line)
{
    struct pap_str rest = str_skip(line, 2), method;
    return str_starts(line, S("> ")) && str_next(&rest, ' ', &method) && rest.p && str_starts(rest, S("http")) &&
           (str_is(method, "GET") || str_is(method, "HEAD") || str_is(method, "POST") || str_is(method, "DELETE"));
}

static bool is_body_end(struct pap_str line)
{
    return str_is(line, "%%") || is_request(line);
}

static const struct {
    const char *name, *text;
    enum exchange_fault fault;
} faults[] = {
    {"url", "that URL cannot be asked", FAULT_URL},
    {"dns", "was not found: DNS gives no address for that name", FAULT_DNS},
    {"refused", "(192.0.2.1:443) refused the connection", FAULT_REFUSED},
    {"blocked", "was not asked: the address 10.0.0.1:443 is not allowed (private)", FAULT_BLOCKED},
    {"timeout", "(192.0.2.1:443) did not answer within 30 seconds", FAULT_TIMEOUT},
    {"tls", "(192.0.2.1:443) has a certificate that has expired", FAULT_TLS},
    {"protocol", "(192.0.2.1:443) closed the connection without an answer", FAULT_PROTOCOL},
    {"encoding", "sent a body that cannot be decoded as gzip: it is damaged", FAULT_ENCODING},
};

static pap_result read_fault(struct reader *r, struct answer *a)
{
    struct pap_str rest = str_trim(str_skip(r->line, 1)), name;
    if (!str_next(&rest, ' ', &name))
        return wrong(r, "a fault has a name");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (str_is(name, faults[i].name)) {
            a->fault = faults[i].fault;
            a->fault_text = str_trim(rest);
            if (!a->fault_text.n)
                a->fault_text = str_c(faults[i].text);
            return OK;
        }
    return wrong(r, "no such fault");
}

/* "2027-01-01T00:00:00Z" */
static bool read_time(struct pap_str s, int64_t *ret)
{
    char text[32];
    struct tm tm = {0};
    if (s.n >= sizeof text)
        return false;
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    *ret = (int64_t)timegm(&tm);
    return end && !*end;
}

static pap_result read_fact(struct reader *r, struct answer *a)
{
    struct pap_str value = str_trim(str_skip(r->line, 1)), name;
    uint64_t ms = 0;
    if (!str_next(&value, ' ', &name) || !value.n)
        return wrong(r, "a fact has a name and a value");
    if (str_is(name, "tls"))
        a->hop.tls_version = value;
    else if (str_is(name, "address"))
        a->hop.address = value;
    else if (str_is(name, "ms") && str_to_u64(value, &ms))
        a->hop.ms = (uint32_t)ms;
    else if (!str_is(name, "not-after") || !read_time(value, &a->hop.not_after))
        return wrong(r, "no such fact");
    return OK;
}

static pap_result read_field(struct reader *r, struct answer *a)
{
    struct pap_str text = str_trim(str_skip(r->line, 1));
    size_t colon = str_find_char(text, ':');
    uint64_t status;
    if (!a->hop.status) {
        if (!str_to_u64(str_take(text, 3), &status) || status < 100)
            return wrong(r, "the first \"<\" has a status");
        a->hop.status = (int)status;
        return OK;
    }
    if (colon == text.n || a->hop.n_headers == FIELDS_MOST)
        return wrong(r, "a header field is \"< Name: value\", and there are 64 at most");
    a->fields[a->hop.n_headers++] =
        (struct header){str_trim(str_take(text, colon)), str_trim(str_skip(text, colon + 1))};
    return OK;
}

static int base64_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *hit = c ? strchr(digits, c) : NULL;
    return hit ? (int)(hit - digits) : -1;
}

static pap_result read_base64(struct reader *r, struct pap_str text, struct pap_str *ret)
{
    char *p = arena_text(r->s->arena, text.n + 1);
    size_t n = 0;
    unsigned bits = 0, held = 0;
    if (!p)
        return fail_memory(r->err);
    for (size_t i = 0; i < text.n && text.p[i] != '='; i++) {
        int v = base64_value(text.p[i]);
        if (v < 0)
            return wrong(r, "no base64");
        bits = bits << 6 | (unsigned)v;
        held += 6;
        if (held >= 8) {
            held -= 8;
            p[n++] = (char)(bits >> held);
        }
    }
    *ret = str(p, n);
    return OK;
}

static pap_result read_repeat(struct reader *r, struct pap_str text, struct pap_str *ret)
{
    struct pap_str number;
    uint64_t times = 0;
    if (!str_next(&text, ' ', &number) || !str_to_u64(number, &times) || !text.n || times > FILE_MOST / text.n)
        return wrong(r, "\"@repeat N TEXT\"");
    char *p = arena_text(r->s->arena, times * text.n);
    if (!p)
        return fail_memory(r->err);
    for (uint64_t i = 0; i < times; i++)
        memcpy(p + i * text.n, text.p, text.n);
    *ret = str(p, times * text.n);
    return OK;
}

static pap_result read_file(struct reader *r, struct pap_str name, struct pap_str *ret)
{
    struct pap_str path = arena_fmt(r->s->arena, "%s/%.*s", r->s->folder, PSTR(name));
    return path.p ? file_read(r->s->arena, path.p, FILE_MOST, ret, NULL, r->err) : fail_memory(r->err);
}

/* The line is the first of a body. */
static pap_result read_body(struct reader *r, struct answer *a)
{
    const char *from = r->line.p;
    a->body = S("");
    if (str_is(r->line, "@none"))
        return OK;
    if (str_starts(r->line, S("@base64 ")))
        return read_base64(r, str_trim(str_skip(r->line, 8)), &a->body);
    if (str_starts(r->line, S("@repeat ")))
        return read_repeat(r, str_skip(r->line, 8), &a->body);
    if (str_starts(r->line, S("@ ")))
        return read_file(r, str_trim(str_skip(r->line, 2)), &a->body);
    for (;;) {
        struct pap_str ahead = str_take(r->rest, str_find_char(r->rest, '\n'));
        if (str_trim(r->line).n) /* so far: blank lines at the end are left out */
            a->body = str(from, (size_t)(r->rest.p - from));
        if (!r->rest.n || is_body_end(ahead) || str_starts(ahead, S("! ")))
            return OK;
        (void)next_line(r);
    }
}

static pap_result read_answer(struct reader *r)
{
    struct script *s = r->s;
    struct answer *a = arena_new(s->arena, struct answer);
    struct pap_str rest = str_skip(r->line, 2);
    if (!a)
        return fail_memory(r->err);
    (void)str_next(&rest, ' ', &a->method);
    a->url = str_trim(rest);
    a->body = S("");
    a->hop = (struct hop){.headers = a->fields,
                          .address = S("192.0.2.1"),
                          .tls_version = S("TLSv1.3"),
                          .not_after = 1798761600,
                          .ms = 10};
    *s->tail = a;
    s->tail = &a->next;
    bool body = false;
    for (;;) {
        struct pap_str ahead = str_take(r->rest, str_find_char(r->rest, '\n'));
        if (is_request(ahead) || !next_line(r))
            break;
        if (str_is(r->line, "%%"))
            break;
        if (str_starts(r->line, S("!")) && (body || !a->hop.status))
            TRY(read_fault(r, a));
        else if (!body && str_starts(r->line, S("< ")))
            TRY(read_field(r, a));
        else if (!body && str_starts(r->line, S("~")))
            TRY(read_fact(r, a));
        else if (!body && a->hop.status && str_trim(r->line).n) {
            TRY(read_body(r, a));
            body = true;
        } else if (str_trim(r->line).n && !str_starts(r->line, S("#")))
            return wrong(r, "not expected here");
    }
    return a->hop.status || a->fault ? OK : wrong(r, "the answer above has neither a status nor a fault");
}

/* The transport. */

static struct script *script_of(const struct transport *t)
{
    return (struct script *)(uintptr_t)t;
}

static pap_result script_start(struct transport *t, struct arena *a, const struct request *r, struct budget *b,
                               request_done *done, void *ctx)
{
    struct script *s = script_of(t);
    struct walk *w = walk_new(a, r, b, done, ctx);
    if (!w)
        return (pap_result){PAP_NO_MEMORY};
    w->allow_http = s->allow_http;
    walk_push(&s->queue, w);
    return OK;
}

static bool is_used_up(const struct answer *a)
{
    return a->given > 0;
}

/* The first answer that was not given yet, else the last one. */
static struct answer *find(struct script *s, struct pap_str method, struct pap_str url)
{
    struct answer *hit = NULL;
    for (struct answer *a = s->answers; a && (!hit || is_used_up(hit)); a = a->next)
        if (str_eq(a->method, method) && str_eq(a->url, url))
            hit = a;
    return hit;
}

static bool remember(struct script *s, const struct walk *w, bool in_script)
{
    struct asked *k = arena_new(s->arena, struct asked);
    struct request *r = arena_new(s->arena, struct request);
    if (!k || !r)
        return false;
    *r = w->request;
    k->a = (struct script_asked){.request = r, .in_script = in_script};
    k->a.method = arena_str(s->arena, w->hop->method);
    k->a.url = arena_str(s->arena, w->hop->url);
    *s->asked_tail = k;
    s->asked_tail = &k->next;
    s->n_asked++;
    return k->a.method.p && k->a.url.p;
}

static bool give(struct walk *w, const struct answer *a, bool head)
{
    struct pap_str url = w->hop->url;
    *w->hop = a->hop;
    w->hop->method = w->x.method;
    w->hop->url = url;
    if (str_starts(url, S("http:")))
        w->hop->tls_version = S(""), w->hop->not_after = 0;
    struct pap_str body = head ? S("") : a->body;
    size_t take = walk_take(w, w->request.cap, body.n);
    w->x.body = a->hop.status ? arena_str(w->arena, str_take(body, take)) : str(NULL, 0);
    w->x.body_cut = take < body.n || (a->fault && a->hop.status);
    if (a->hop.status && !w->x.body.p)
        return false;
    if (a->fault)
        return walk_fault(w, a->fault, "%.*s %.*s", PSTR(w->uri.host), PSTR(a->fault_text));
    return take == body.n || walk_is_redirect(w) ||
           (take < w->request.cap
                ? walk_fault(w, FAULT_BUDGET, "%.*s was not read to its end: this check has read its 100 MiB",
                             PSTR(url))
                : walk_fault(w, FAULT_TOO_LARGE, "%.*s sent more than %zu bytes", PSTR(url), w->request.cap));
}

static bool answer(struct script *s, struct walk *w)
{
    static struct header type = {S_INIT("Content-Type"), S_INIT("text/plain")};
    const struct answer unknown = {
        .hop = {.status = 404,
                .headers = &type,
                .n_headers = 1,
                .address = S_INIT("192.0.2.1"),
                .tls_version = S_INIT("TLSv1.3"),
                .not_after = 1798761600,
                .ms = 10},
        .body = S_INIT("not found\n"),
    };
    struct pap_str method = w->hop->method, url = w->hop->url;
    struct answer *a = find(s, method, url);
    bool head = str_is(method, "HEAD");
    if (!a && head)
        a = find(s, S("GET"), url);
    if (a)
        a->given++;
    s->now_ms += (a ? a : &unknown)->hop.ms;
    return remember(s, w, a != NULL) && give(w, a ? a : &unknown, head);
}

/* All hops of one request. */
static pap_result script_step(struct transport *t, int timeout_ms, struct pap_err *err)
{
    struct script *s = script_of(t);
    struct walk *w = walk_pop(&s->queue);
    (void)timeout_ms;
    if (!w)
        return OK;
    enum walk_next next = walk_begin(w, s->now_ms);
    while (next == WALK_ASK)
        next = answer(s, w) ? walk_hop_over(w, s->now_ms) : WALK_NO_MEMORY;
    if (next == WALK_NO_MEMORY)
        return fail_memory(err);
    w->done(w->ctx, &w->x);
    return OK;
}

static size_t script_pending(const struct transport *t)
{
    return script_of(t)->queue.n;
}

static void script_free(struct transport *t)
{
    (void)t;
}

pap_result script_parse(struct arena *a, struct pap_str text, const char *folder, struct script **ret,
                        struct pap_err *err)
{
    struct script *s = arena_new(a, struct script);
    if (!s)
        return fail_memory(err);
    s->base = (struct transport){script_start, script_step, script_pending, script_free};
    s->arena = a;
    s->folder = folder;
    s->tail = &s->answers;
    s->asked_tail = &s->asked;
    struct reader r = {.s = s, .rest = text, .err = err};
    while (next_line(&r)) {
        if (is_request(r.line))
            TRY(read_answer(&r));
        else if (str_trim(r.line).n && !str_starts(r.line, S("#")) && !str_is(r.line, "%%"))
            return wrong(&r, "expected \"> METHOD URL\"");
    }
    *ret = s;
    return OK;
}

pap_result script_read(struct arena *a, const char *path, struct script **ret, struct pap_err *err)
{
    struct pap_str text, p = str_c(path);
    size_t slash = str_rfind_char(p, '/');
    const char *folder = slash < p.n ? arena_cstr(a, str_take(p, slash)) : ".";
    if (!folder)
        return fail_memory(err);
    TRY(file_read(a, path, FILE_MOST, &text, NULL, err));
    return script_parse(a, text, folder, ret, err);
}

struct transport *script_transport(struct script *s)
{
    return &s->base;
}

void script_allow_http(struct script *s)
{
    s->allow_http = true;
}

size_t script_asked_count(const struct script *s)
{
    return s->n_asked;
}

const struct script_asked *script_asked(const struct script *s, size_t i)
{
    const struct asked *k = s->asked;
    while (k && i--)
        k = k->next;
    return k ? &k->a : NULL;
}

unsigned script_count(const struct script *s, const char *method, const char *url)
{
    unsigned n = 0;
    for (const struct asked *k = s->asked; k; k = k->next)
        n += str_is(k->a.method, method) && str_is(k->a.url, url);
    return n;
}

int64_t script_now_ms(const struct script *s)
{
    return s->now_ms;
}
