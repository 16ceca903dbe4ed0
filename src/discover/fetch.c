/* SPDX-License-Identifier: Apache-2.0 */
#include "discover/fetch.h"

#include "base/limits.h"
#include "text/httpval.h"
#include "text/redact.h"
#include "text/uri.h"

void crawl_hold(struct crawl *c)
{
    c->pending++;
}

/* Documents arrive in any order; people and baselines want one. */
static void sort_documents(struct bundle *b)
{
    struct doc *sorted = NULL;
    for (struct doc *d = b->docs, *next; d; d = next) {
        next = d->next;
        struct doc **at = &sorted;
        while (*at && ((*at)->kind < d->kind || ((*at)->kind == d->kind && (*at)->role < d->role) ||
                       ((*at)->kind == d->kind && (*at)->role == d->role && str_cmp((*at)->name, d->name) <= 0)))
            at = &(*at)->next;
        d->next = *at;
        *at = d;
    }
    b->docs = sorted;
    for (b->last = sorted; b->last && b->last->next;)
        b->last = b->last->next;
}

void crawl_release(struct crawl *c)
{
    if (--c->pending > 0)
        return;
    sort_documents(c->bundle);
    c->done(c->ctx, c);
}

static bool came_whole(const struct exchange *x)
{
    return x->fault == FAULT_NONE && exchange_status(x) == 200; /* 204 and 206 are no documents */
}

/* The data of the event at the start of *rest, its lines joined (HTML, section 9.2.6); p NULL when out of memory. */
static struct pap_str next_event(struct arena *a, struct pap_str *rest)
{
    struct pap_str line;
    char *data = arena_text(a, rest->n + 1);
    size_t n = 0;
    while (data && str_next(rest, '\n', &line)) {
        line = str_ends(line, S("\r")) ? str_take(line, line.n - 1) : line;
        if (line.n == 0 && n)
            break;
        if (!str_starts(line, S("data:")))
            continue;
        line = str_trim(str_skip(line, 5));
        memcpy(data + n, line.p, line.n);
        n += line.n;
        data[n++] = '\n';
    }
    return data ? str_trim(str(data, n)) : str(NULL, 0);
}

/* An MCP server may answer as an event stream: the message is the event with the answer, which others may precede. */
static struct pap_str message_of(struct crawl *c, const struct exchange *x, struct pap_str body)
{
    enum { EVENTS_MOST = 100 };
    struct pap_str type, params, rest = body, data = S("");
    if (!media_type_parse(hop_header(exchange_last(x), "Content-Type"), &type, &params) ||
        !str_eq_nocase(type, S("text/event-stream")))
        return body;
    for (int n = 0; rest.n && n < EVENTS_MOST; n++) {
        data = next_event(c->arena, &rest);
        if (!data.p || str_find(data, S("\"result\"")) < data.n || str_find(data, S("\"error\"")) < data.n)
            return data;
    }
    return data;
}

static pap_result read_document(struct crawl *c, struct doc *d)
{
    const struct exchange *x = d->exchange;
    if (x->fault == FAULT_TOO_LARGE) {
        d->bytes = x->body.p ? x->body : S("");
        return note_add(&d->notes, c->arena, (struct note){.code = NOTE_TOO_LONG, .fatal = true}) ? OK
                                                                                                  : fail_memory(NULL);
    }
    if (!came_whole(x) || d->role == ROLE_HEAD)
        return OK;
    d->bytes = x->body.p ? x->body : S("");
    if (d->kind == KIND_MCP && !str_is(x->method, "POST"))
        return OK; /* whatever a GET gives; only the answer to initialize is a document */
    if (d->kind == KIND_MCP)
        d->bytes = message_of(c, x, d->bytes);
    if (!d->bytes.p)
        return fail_memory(NULL);
    return doc_read(c->arena, d);
}

/* Reads an answer of unknown kind as JSON first, then as what it turns out to be. */
static pap_result find_kind(struct crawl *c, const struct exchange *x, struct doc *d)
{
    struct json *root = NULL;
    struct notes notes = {0};
    if (d->kind == KIND_NONE && came_whole(x)) {
        TRY(json_read(c->arena, x->body, &root, &notes));
        d->kind = kind_of_content(x->body, root);
    }
    if (d->kind == KIND_NONE)
        d->kind = KIND_POPPY; /* what people ask about most; its rows say what is wrong */
    return OK;
}

/* The answer as one that was not had: a hostile index may name many archives that unpack to much. */
static pap_result leave_packed(struct crawl *c, struct doc *d)
{
    struct exchange *x = arena_new(c->arena, struct exchange);
    if (!x)
        return fail_memory(NULL);
    *x = *d->exchange;
    x->fault = FAULT_BUDGET;
    x->fault_text = arena_fmt(c->arena, "%.*s was not unpacked: this check has unpacked its %d MiB",
                              PSTR(str_take(d->name, LIMIT_QUOTE)), LIMIT_CHECK_UNPACKED >> 20);
    d->exchange = x;
    return x->fault_text.p ? OK : fail_memory(NULL);
}

/* What the same answer was read as already, by the same kind, or NULL. */
static struct doc *read_already(const struct crawl *c, const struct exchange *x, enum kind kind)
{
    for (struct doc *d = c->bundle->docs; d; d = d->next)
        if (d->exchange == x && d->kind == kind && d->role != ROLE_EMBEDDED)
            return d;
    return NULL;
}

/* Makes the document that a wish asked for, from an answer. Whoever names a URL that many name must not cost more: the
 * answer is read once, and judged once unless the place that names it matters (resource metadata of MCP servers). */
static pap_result fulfil(struct crawl *c, const struct fetch *f, const struct wish *w)
{
    const struct exchange *x = f->exchange;
    struct doc d = {.kind = w->kind,
                    .role = w->role,
                    .from = w->from,
                    .from_node = w->from_node,
                    .exchange = x,
                    .name = url_redacted(c->arena, f->url),
                    .base = x->final_url.n ? x->final_url : f->url};
    if (!d.name.p)
        return fail_memory(NULL);
    if (d.kind == KIND_NONE)
        TRY(find_kind(c, x, &d));
    if (d.kind == KIND_INDEX && d.role == ROLE_MAIN)
        d.role = ROLE_WELL_KNOWN;
    if (d.kind == KIND_ARCHIVE && came_whole(x) && !bundle_may_unpack(c->bundle))
        TRY(leave_packed(c, &d));
    struct doc *same = read_already(c, x, d.kind);
    if (same && same->role == d.role && d.kind != KIND_RESOURCE)
        return doc_also(c->arena, same, d.from, d.from_node);
    if (same) {
        d.bytes = same->bytes, d.root = same->root, d.notes = same->notes, d.skill = same->skill, d.pack = same->pack;
    } else {
        TRY(read_document(c, &d));
    }
    struct doc *added = bundle_add(c->bundle, c->arena, d);
    if (!added)
        return fail_memory(NULL);
    if (!f->next && !c->bundle->first) /* what was asked first, whatever came first: the list has it at its end */
        c->bundle->first = added;
    TRY(bundle_add_inside(c->bundle, c->arena, added));
    if (!c->first_only)
        crawl_follow(c, added);
    return OK;
}

static void arrived(void *ctx, const struct exchange *x);

static void send(struct crawl *c, struct fetch *f)
{
    if (is_ok(c->transport->start(c->transport, c->arena, &f->request, c->budget, arrived, f)))
        return;
    c->no_memory = true;
    crawl_release(c);
}

static void wait_for_poppy(struct crawl *c, struct fetch *f)
{
    if (c->last_waiting)
        c->last_waiting->next_waiting = f;
    else
        c->waiting = f;
    c->last_waiting = f;
}

static void send_waiting(struct crawl *c)
{
    c->artifacts_wait = false;
    for (struct fetch *f = c->waiting; f; f = f->next_waiting)
        send(c, f);
}

static void arrived(void *ctx, const struct exchange *x)
{
    struct fetch *f = ctx;
    struct crawl *c = f->crawl;
    f->exchange = x;
    for (const struct wish *w = &f->wish; w && !c->no_memory; w = w->next)
        c->no_memory = !is_ok(fulfil(c, f, w));
    if (!f->next && c->artifacts_wait)
        send_waiting(c);
    if (c->first_only && !c->no_memory)
        crawl_first_came(c);
    crawl_release(c);
}

static struct fetch *find_fetch(struct crawl *c, const char *method, struct pap_str url)
{
    for (struct fetch *f = c->fetches; f; f = f->next)
        if (strcmp(f->method, method) == 0 && str_eq(f->url, url))
            return f;
    return NULL;
}

/* True when somebody asked for the URL already: the wish joins. */
static bool join(struct crawl *c, const char *method, struct pap_str url, const struct wish *wish)
{
    struct fetch *f = find_fetch(c, method, url);
    if (!f)
        return false;
    if (f->exchange) {
        c->no_memory |= !is_ok(fulfil(c, f, wish));
        return true;
    }
    struct wish *w = arena_new(c->arena, struct wish);
    if (!w) {
        c->no_memory = true;
        return true;
    }
    *w = *wish;
    f->last_wish = f->last_wish->next = w;
    return true;
}

/* What is beyond it could not be asked for anyway (LIMIT_REQUESTS); each fetch is compared with all others. */
enum { FETCHES_MOST = 2 * LIMIT_INDEX_ENTRIES };

static void start(struct crawl *c, const struct request *r, struct wish wish)
{
    if (c->n_fetches == FETCHES_MOST)
        return;
    struct fetch *f = arena_new(c->arena, struct fetch);
    if (!f) {
        c->no_memory = true;
        return;
    }
    *f =
        (struct fetch){.next = c->fetches, .crawl = c, .request = *r, .method = r->method, .url = r->url, .wish = wish};
    f->last_wish = &f->wish;
    c->fetches = f;
    c->n_fetches++;
    crawl_hold(c);
    if (c->artifacts_wait && wish.role == ROLE_ARTIFACT)
        wait_for_poppy(c, f);
    else
        send(c, f);
}

void fetch_want(struct crawl *c, const char *method, struct pap_str url, struct wish wish)
{
    wish.next = NULL;
    url = str_take(url, str_find_char(url, '#')); /* a fragment is never sent */
    if (!url.p) {
        c->no_memory = true;
        return;
    }
    if (wish.kind == KIND_NONE) {
        struct uri u;
        size_t at;
        const char *why;
        wish.kind = uri_parse(url, &u, &at, &why) ? kind_of_path(u.path) : KIND_NONE;
    }
    if (join(c, method, url, &wish))
        return;
    const struct kind_row *k = kind_row(wish.kind);
    bool artifact = wish.kind == KIND_SKILL || wish.kind == KIND_ARCHIVE;
    /* Client documents and key sets: a redirect would lend a trusted name (docs/decisions.md). */
    bool no_redirect = wish.kind == KIND_CLIENT || wish.kind == KIND_JWKS;
    struct request r = {.method = method,
                        .url = url,
                        .accept = k->media,
                        .cap = k->cap,
                        .redirects = no_redirect ? 0 : LIMIT_REDIRECTS,
                        .identity = artifact,
                        .message = wish.kind == KIND_MCP};
    start(c, &r, wish);
}

void fetch_post(struct crawl *c, struct pap_str url, struct pap_str body, struct wish wish)
{
    struct request r = {.method = "POST",
                        .url = url,
                        .accept = "application/json, text/event-stream",
                        .content_type = "application/json",
                        .body = body,
                        .cap = LIMIT_DOCUMENT_GOOD,
                        .redirects = 0,
                        .message = true};
    start(c, &r, wish);
}

void fetch_end_session(struct crawl *c, struct pap_str url, struct pap_str session, struct wish wish)
{
    struct header *h = arena_new(c->arena, struct header);
    if (!h) {
        c->no_memory = true;
        return;
    }
    *h = (struct header){S("Mcp-Session-Id"), session};
    struct request r = {.method = "DELETE",
                        .url = url,
                        .accept = "*/*",
                        .extra = h,
                        .n_extra = 1,
                        .cap = LIMIT_DOCUMENT_GOOD,
                        .redirects = 0};
    start(c, &r, wish);
}
