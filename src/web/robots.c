/* SPDX-License-Identifier: Apache-2.0 */
#include "web/robots.h"

#include "base/buf.h"
#include "base/limits.h"

enum { HOSTS_MOST = 512, HOST_TEXT = 253, DAY_MS = 24 * 3600 * 1000, SOON_MS = 10 * 60 * 1000 };

struct host_rules {
    struct host_rules *next;
    int64_t until_ms;
    bool unreachable;
    char host[HOST_TEXT + 1];
    struct buf rules;
};

struct robots {
    const struct pap_alloc *alloc;
    struct host_rules *hosts; /* the newest first */
    size_t n, bytes;
};

pap_result robots_new(const struct pap_alloc *alloc, struct robots **ret, struct pap_err *err)
{
    struct robots *r = alloc_resize(alloc, NULL, 0, sizeof *r);
    if (!r)
        return fail_memory(err);
    *r = (struct robots){.alloc = alloc};
    *ret = r;
    return OK;
}

static void drop(struct robots *r, struct host_rules **at)
{
    struct host_rules *h = *at;
    *at = h->next;
    r->n--;
    r->bytes -= h->rules.cap;
    buf_fini(&h->rules);
    (void)alloc_resize(r->alloc, h, sizeof *h, 0);
}

void robots_free(struct robots *r)
{
    while (r && r->hosts)
        drop(r, &r->hosts);
    if (r)
        (void)alloc_resize(r->alloc, r, sizeof *r, 0);
}

static struct host_rules **find(struct robots *r, struct pap_str host)
{
    struct host_rules **at = &r->hosts;
    while (*at && !str_eq_nocase(str_c((*at)->host), host))
        at = &(*at)->next;
    return at;
}

enum robots_verdict robots_ask(struct robots *r, struct pap_str host, struct pap_str target, int64_t now_ms)
{
    const struct host_rules *h = *find(r, host);
    if (!h || h->until_ms <= now_ms)
        return ROBOTS_UNKNOWN;
    if (h->unreachable)
        return ROBOTS_UNREACHABLE;
    return robots_allow(buf_str(&h->rules), target) ? ROBOTS_ALLOWED : ROBOTS_DISALLOWED;
}

/* The host itself could not be spoken to; behind a redirect it was. */
static bool nobody_answered(const struct exchange *x)
{
    return x->fault == FAULT_BUDGET || x->fault == FAULT_URL ||
           (x->n_hops <= 1 &&
            (x->fault == FAULT_DNS || x->fault == FAULT_REFUSED || x->fault == FAULT_BLOCKED || x->fault == FAULT_TLS));
}

/* Section 2.3.1. 429 counts as a server in trouble: whoever says it wants fewer requests. False: it disallows everything. */
static bool read_answer(const struct exchange *x, struct buf *out)
{
    int status = exchange_status(x);
    struct pap_str file = x->body;
    if (x->fault == FAULT_REDIRECTS)
        return true; /* more than five, or a loop: there is no file */
    if (status / 100 == 4 && status != 429)
        return true;
    if (status / 100 != 2 || (x->fault && x->fault != FAULT_TOO_LARGE))
        return false;
    if (x->fault) /* its last line may be cut */
        file = str_take(file, str_rfind_char(file, '\n'));
    robots_read(file, S("papaver"), out);
    return true;
}

/* Makes room for one more of so many bytes. */
static void drop_oldest(struct robots *r, size_t bytes)
{
    while (r->hosts && (r->n >= HOSTS_MOST || r->bytes + bytes > LIMIT_ROBOTS_KEPT)) {
        struct host_rules **at = &r->hosts;
        while ((*at)->next)
            at = &(*at)->next;
        drop(r, at);
    }
}

static struct host_rules *make(struct robots *r, struct pap_str host, const struct exchange *x, int64_t now_ms)
{
    struct host_rules *h = alloc_resize(r->alloc, NULL, 0, sizeof *h);
    if (!h)
        return NULL;
    *h = (struct host_rules){.next = NULL};
    memcpy(h->host, host.p, host.n);
    buf_init(&h->rules, r->alloc, 3 * LIMIT_ROBOTS);
    h->unreachable = !read_answer(x, &h->rules);
    h->until_ms = now_ms + (h->unreachable ? SOON_MS : DAY_MS);
    if (buf_ok(&h->rules))
        return h;
    buf_fini(&h->rules);
    (void)alloc_resize(r->alloc, h, sizeof *h, 0);
    return NULL;
}

pap_result robots_came(struct robots *r, struct pap_str host, const struct exchange *x, int64_t now_ms, bool *ret_known,
                       struct pap_err *err)
{
    struct host_rules **old = find(r, host);
    if (nobody_answered(x) || host.n > HOST_TEXT) {
        *ret_known = false;
        return OK;
    }
    struct host_rules *h = make(r, host, x, now_ms);
    if (!h)
        return fail_memory(err);
    if (*old)
        drop(r, old);
    drop_oldest(r, h->rules.cap);
    h->next = r->hosts;
    r->hosts = h;
    r->n++;
    r->bytes += h->rules.cap;
    *ret_known = true;
    return OK;
}
