/* SPDX-License-Identifier: Apache-2.0
 *
 * Header fields of the answers that brought a document: type, caching, cross-origin reading, coding, and HEAD.
 */
#include "proto/exchange.h"
#include "proto/index.h"
#include "text/httpval.h"

enum { DAY = 86400 };

static bool is_html(const struct doc *d)
{
    for (const struct note *n = d->notes.first; n; n = n->next)
        if (n->code == NOTE_HTML)
            return true;
    return false;
}

const struct hop *exchange_good_answer(const struct run *r)
{
    const struct exchange *x = r->doc->exchange;
    return x->fault == FAULT_NONE && exchange_status(x) == 200 && !is_html(r->doc) && !index_is_foreign(r)
               ? exchange_last(x)
               : NULL;
}

static void say_type(struct run *r, struct pap_str value, const char *want)
{
    if (value.p)
        find_header(r, "Content-Type", "the content type is %s; wanted is %s", q(r, value), want);
    else
        find_header(r, "Content-Type", "there is no content type; wanted is %s", want);
    mend(r, "Let the web server send `Content-Type: %s` for this path.", want);
}

void json_type(struct run *r)
{
    const struct hop *h = exchange_good_answer(r);
    struct pap_str value = hop_header(h, "Content-Type"), type, params;
    if (!h)
        return;
    if (!value.p || !media_type_parse(value, &type, &params) || !media_type_is_json(type))
        say_type(r, value, "application/json");
}

static bool one_of(struct pap_str type, const char *const *types)
{
    for (; *types; types++)
        if (str_eq_nocase(type, str_c(*types)))
            return true;
    return false;
}

void artifact_type(struct run *r)
{
    static const char *const markdown[] = {"text/markdown", "text/plain", NULL};
    static const char *const archive[] = {"application/gzip", "application/zip", "application/x-gzip", NULL};
    const struct hop *h = exchange_good_answer(r);
    struct pap_str value = hop_header(h, "Content-Type"), type, params;
    bool skill = r->doc->kind == KIND_SKILL, zip = pack_sniff(r->doc->bytes) == PACK_ZIP;
    /* Whether the type of an archive is that of its bytes is archive.format. */
    if (h && (!value.p || !media_type_parse(value, &type, &params) || !one_of(type, skill ? markdown : archive)))
        say_type(r, value, skill ? markdown[0] : archive[zip]);
}

void caching(struct run *r)
{
    const struct hop *h = exchange_good_answer(r);
    struct cache_control cc;
    struct pap_str value = hop_header(h, "Cache-Control");
    int64_t expires;
    if (!h)
        return;
    cache_control_parse(value, &cc);
    bool kept_till = !value.p && http_date_parse(hop_header(h, "Expires"), &expires);
    if (!value.p && !kept_till)
        find_header(r, "Cache-Control",
                    "there is no Cache-Control, so each client decides for itself how long a copy is good");
    else if (cc.bad)
        find_header(r, "Cache-Control", "%s is not a valid Cache-Control, so it is ignored", q(r, value));
    else if (cc.has_max_age && !cc.no_store && !cc.no_cache && cc.max_age > DAY)
        find_header(r, "Cache-Control", "copies may be kept for %u hours; a change reaches agents only then",
                    cc.max_age / 3600);
    else if (kept_till && expires - r->bundle->now > DAY)
        find_header(r, "Expires", "copies may be kept for %lld hours; a change reaches agents only then",
                    (long long)((expires - r->bundle->now) / 3600));
}

void has_etag(struct run *r)
{
    const struct hop *h = exchange_good_answer(r);
    struct pap_str tag = hop_header(h, "ETag"), date = hop_header(h, "Last-Modified");
    int64_t ignored;
    if (!h)
        return;
    if (tag.p && !etag_is_valid(tag))
        find_header(r, "ETag", "%s is not a valid ETag: it stands in double quotes", q(r, tag));
    else if (!tag.p && date.p && !http_date_parse(date, &ignored))
        find_header(r, "Last-Modified", "%s is not a date as HTTP writes it", q(r, date));
    else if (!tag.p && !date.p)
        find_header(r, "ETag", "there is neither an ETag nor a Last-Modified, so clients fetch it whole each time");
}

void has_cors(struct run *r)
{
    const struct hop *h = exchange_good_answer(r);
    struct pap_str value = hop_header(h, "Access-Control-Allow-Origin");
    if (h && !value.p)
        find_header(r, "Access-Control-Allow-Origin",
                    "there is no Access-Control-Allow-Origin, so agents that run in a browser "
                    "cannot read it");
    else if (h && !str_is(value, "*"))
        find_header(r, "Access-Control-Allow-Origin", "Access-Control-Allow-Origin is %s; agents come from any origin",
                    q(r, value));
}

void no_content_encoding(struct run *r)
{
    const struct hop *h = exchange_good_answer(r);
    struct pap_str value = hop_header(h, "Content-Encoding");
    if (h && value.n && !str_eq_nocase(value, S("identity")))
        find_header(r, "Content-Encoding",
                    "the artifact comes with Content-Encoding %s although none was asked for; clients "
                    "may hash other bytes than you did",
                    q(r, value));
}

/* An ETag without the mark that a content coding made it weak. */
static struct pap_str strong(struct pap_str etag)
{
    return str_starts(etag, S("W/")) ? str_skip(etag, 2) : etag;
}

void head_is_get(struct run *r)
{
    const struct hop *get = exchange_last(r->doc->from->exchange), *head = exchange_last(r->doc->exchange);
    static const char *const fields[] = {"Content-Type", "ETag"};
    if (!exchange_was_made(r->doc->exchange) || !get)
        return;
    if (!head || head->status != get->status) {
        find(r, NULL, "GET answers %d, but for HEAD %s", get->status, exchange_outcome(r));
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        struct pap_str a = hop_header(get, fields[i]), b = hop_header(head, fields[i]);
        if (b.p && !str_eq(strong(a), strong(b)))
            find_header(r, fields[i], "HEAD says %s where GET says %s", q(r, b), q(r, a));
    }
}
