/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets on the network: the transport is opened once, each target is a crawl.
 */
#include "base/limits.h"
#include "check/checker.h"
#include "net/client.h"
#include "proto/address.h"
#include "text/redact.h"
#include "text/uri.h"

const char checker_busy[] = "it is asked too often";

void commons_init(struct commons *c)
{
    memset(c, 0, sizeof *c);
    hosts_init(&c->hosts);
    (void)pthread_mutex_init(&c->lock, NULL);
}

void commons_fini(struct commons *c)
{
    hosts_fini(&c->hosts);
    (void)pthread_mutex_destroy(&c->lock);
}

/* Many domains live at one address, and its owner sees them all. */
static bool is_busy(const struct checker *c, const unsigned char *address, size_t n)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ address[i]) * 0x100000001b3u;
    struct dialled *d = &c->commons->dialled[hash % CHECKER_ADDRESSES];
    int64_t second = c->clock.monotonic_ms(&c->clock) / 1000;
    (void)pthread_mutex_lock(&c->commons->lock);
    if (d->second != second)
        *d = (struct dialled){.second = second};
    bool busy = d->n++ >= c->manners.per_address;
    (void)pthread_mutex_unlock(&c->commons->lock);
    return busy;
}

static bool may_dial(const void *ctx, const unsigned char *address, size_t n, const char **ret_why)
{
    const struct checker *c = ctx;
    if (c->manners.per_address && is_busy(c, address, n)) {
        *ret_why = checker_busy;
        return false;
    }
    return (c->o->insecure_http && address_is_loopback(address, n)) ||
           address_judge(address, n, c->o->network.allow_private, ret_why) == ADDRESS_OK;
}

static pap_result open_transport(struct checker *c, struct pap_err *err)
{
    if (c->transport)
        return OK;
    struct client_options co = {
        .alloc = c->o->alloc,
        .clock = &c->clock,
        .policy = may_dial,
        .policy_ctx = c,
        .insecure_http = c->o->insecure_http,
        .timeout_ms = c->o->network.timeout_ms,
        .jobs = c->o->jobs,
        .rate = c->manners.rate,
        .hosts = c->commons ? &c->commons->hosts : NULL,
        .forget_names = c->survey,
        .user_agent = c->manners.user_agent,
        .cacert = c->o->network.cacert,
        .resolve = c->o->network.resolve,
        .connect_to = c->o->network.connect_to,
        .proxy = c->o->network.proxy,
    };
    c->own_transport = true;
    return client_new(&co, &c->transport, err);
}

/* What cannot be told from outside: the first document's host is not there (docs/decisions.md, exit status). */
static const char *unreachable(const struct exchange *x)
{
    if (!x)
        return NULL;
    switch (x->fault) {
    case FAULT_DNS:
        return "name not found";
    case FAULT_REFUSED:
        return "cannot be reached";
    case FAULT_BLOCKED:
        return "its address may not be asked";
    case FAULT_TIMEOUT:
        return "no answer in time";
    case FAULT_URL:
        return "not a URL that can be asked";
    default:
        return NULL;
    }
}

static void crawled(void *ctx, struct crawl *crawl)
{
    struct slot *s = ctx;
    struct checker *c = s->checker;
    (void)crawl;
    s->done = true;
    c->in_flight--;
    if (c->survey) {
        s->next = c->ended;
        c->ended = s;
    }
}

static void options_of(const struct checker *c, struct crawl_options *ret)
{
    bool links = c->plan.n[KIND_LINKS] > 0;
    *ret = (struct crawl_options){
        .kinds = c->plan.kinds,
        .first_only = c->first_only,
        .twin = links && plan_has(&c->plan, "links.apex-www"),
        .heads = plan_has(&c->plan, "artifact.http.head"),
        .mcp = c->o->mcp,
        .artifacts = (c->plan.kinds & (OF(KIND_SKILL) | OF(KIND_ARCHIVE))) != 0 || plan_has(&c->plan, "links.digest"),
        .as = c->as,
    };
}

static pap_result begin(struct checker *c, struct slot *s, struct pap_str own_domain, struct crawl_options *ret,
                        struct pap_err *err)
{
    TRY(open_transport(c, err));
    options_of(c, ret);
    s->started_ms = c->clock.monotonic_ms(&c->clock);
    s->bundle.now = c->now;
    s->bundle.mcp_asked = c->o->mcp;
    budget_init(&s->budget, &s->arena, own_domain, s->started_ms);
    s->done = false;
    c->in_flight++;
    return OK;
}

static struct pap_str host_of(struct pap_str url)
{
    struct uri u;
    size_t at;
    const char *why;
    return uri_parse(url, &u, &at, &why) ? u.host : S("");
}

pap_result checker_start_remote(struct checker *c, struct slot *s, enum target_type type, struct pap_err *err)
{
    struct crawl_options o;
    struct pap_str word = s->target;
    s->target = url_redacted(&s->arena, word); /* as reports show it */
    if (!s->target.p)
        return fail_memory(err);
    if (c->o->offline) {
        s->failure = S("--offline allows no request; give a file or folder, or leave --offline out");
        s->done = true;
        return OK;
    }
    size_t scheme = str_find(word, S("://"));
    bool url = scheme < word.n, http = url && str_eq_nocase(str_take(word, scheme), S("http"));
    struct pap_str host = url ? host_of(word) : str_take(word, str_find_char(word, ':'));
    if (type == TARGET_DOMAIN && url) /* https://shop.example[:port][/] is the domain */
        word = str_take(str_skip(word, scheme + 3), str_find_char(str_skip(word, scheme + 3), '/'));
    TRY(begin(c, s, host_bare(host), &o, err));
    o.http = http;
    o.twin &= !http;
    pap_result r =
        type == TARGET_DOMAIN
            ? crawl_domain(&s->arena, c->transport, &s->budget, &o, word, &s->bundle, crawled, s, &s->crawl)
            : crawl_url(&s->arena, c->transport, &s->budget, &o, word, c->kind, &s->bundle, crawled, s, &s->crawl);
    return is_ok(r) ? OK : fail_memory(err);
}

pap_result checker_go_online(struct checker *c, struct slot *s, struct pap_err *err)
{
    struct crawl_options o;
    const struct doc *poppy = bundle_doc(&s->bundle, KIND_POPPY, ROLE_MAIN);
    struct pap_str domain = json_str(json_at(poppy ? poppy->root : NULL, "/organization/domain"));
    TRY(begin(c, s, host_bare(domain), &o, err));
    pap_result r = crawl_documents(&s->arena, c->transport, &s->budget, &o, &s->bundle, crawled, s, &s->crawl);
    return is_ok(r) ? OK : fail_memory(err);
}

pap_result checker_finish_remote(struct checker *c, struct slot *s, struct pap_err *err)
{
    if (crawl_failed(s->crawl))
        return fail_memory(err);
    const struct doc *first = s->bundle.first;
    const char *why = first && !first->bytes.p ? unreachable(first->exchange) : NULL;
    if (why) {
        s->failure = first->exchange->fault_text.n ? first->exchange->fault_text : str_c(why);
        return OK;
    }
    return checker_judge(c, s, err);
}
