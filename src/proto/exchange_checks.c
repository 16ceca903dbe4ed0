/* SPDX-License-Identifier: Apache-2.0
 *
 * The exchange: how a document came. Rows are split by the kinds they hold for (`of`), because a status other than 200
 * means another thing, with another number, for each. A request that the check's own budget did not allow was not made, and
 * nothing is said of it but that.
 */
#include "base/limits.h"
#include "proto/exchange.h"
#include "proto/index.h"
#include "text/uri.h"

enum { DAY = 86400, SOON = 14 * DAY, SLOW_MS = 3000 };

/* An index that nobody announced is looked for, not missed. */
static bool is_looked_for(const struct run *r)
{
    bool index = r->doc->kind == KIND_INDEX && (r->doc->role == ROLE_WELL_KNOWN || r->doc->role == ROLE_LEGACY);
    return index && r->bundle->first != r->doc;
}

const char *exchange_outcome(struct run *r)
{
    const struct exchange *x = r->doc->exchange;
    int status = exchange_status(x);
    struct pap_str server = hop_header(exchange_last(x), "Server"), s;
    if (x->fault_text.n)
        return whole(r, x->fault_text);
    if (status == 401 || status == 403)
        s = arena_fmt(r->arena, "the host blocks it with the status %d%s%s", status,
                      server.n ? ", its Server header says " : "", server.n ? q(r, server) : "");
    else
        s = arena_fmt(r->arena, "the answer has the status %d", status);
    if (!s.p)
        r->no_memory = true;
    return s.p ? s.p : "";
}

/* Said by other rows: an http hop (redirect-https); a body over the cap (text.too-long). */
static bool is_said_elsewhere(const struct exchange *x)
{
    return x->fault == FAULT_REDIRECT_TARGET || x->fault == FAULT_TOO_LARGE;
}

static void mend_status(struct run *r)
{
    int status = exchange_status(r->doc->exchange);
    if (r->doc->exchange->fault == FAULT_TLS)
        mend(r, "Install a certificate for this very host name from a public authority, with its intermediate "
                "certificates.");
    else if (r->doc->exchange->fault == FAULT_REDIRECTS)
        mend(r, "Serve the document itself, or redirect at most %d times.", LIMIT_REDIRECTS);
    else if (status == 401 || status == 403)
        mend(r, "Let everybody read this path, without sign-in and past any bot filter.");
    else if (status == 404 || status == 410)
        mend(
            r,
            "Publish the document at this URL. Some static hosts drop folders whose name begins with a dot (.nojekyll, "
            "include-hidden-files).");
}

static void answers(struct run *r)
{
    const struct exchange *x = r->doc->exchange;
    if (!exchange_was_made(x) || is_said_elsewhere(x) || (x->fault == FAULT_NONE && exchange_status(x) == 200))
        return;
    find(r, NULL, "%s cannot be read: %s", kind_row(r->doc->kind)->title, exchange_outcome(r));
    mend_status(r);
}

/* At the place that many servers use instead of the one of RFC 8414; NULL when it is not there. */
static const struct doc *at_other_form(const struct run *r)
{
    return json_is(r->doc->root, JSON_OBJECT) ? NULL : bundle_doc(r->bundle, KIND_METADATA, ROLE_APPENDED);
}

static void metadata_answers(struct run *r)
{
    if (!at_other_form(r))
        answers(r);
}

static void metadata_is_inserted(struct run *r)
{
    const struct doc *appended = at_other_form(r);
    if (!appended)
        return;
    find(r, NULL,
         "the metadata is at %s only, with the well-known part appended to the issuer instead of inserted behind its "
         "host",
         whole(r, appended->name));
    mend(r, "Serve the same document at %s too.", whole(r, r->doc->name));
}

static void index_answers(struct run *r)
{
    int status = exchange_status(r->doc->exchange);
    bool absent = status == 404 || status == 410;
    if (r->doc->role == ROLE_LEGACY || (is_looked_for(r) && (absent || r->doc->exchange->fault != FAULT_NONE)))
        return;
    answers(r);
}

static void index_soft_404(struct run *r)
{
    for (const struct note *n = r->doc->notes.first; n; n = n->next)
        if (n->code == NOTE_HTML && is_looked_for(r) && r->doc->role == ROLE_WELL_KNOWN)
            find(r, NULL, "an HTML page answers where a skill index would be, so this company publishes none there");
    if (index_is_foreign(r))
        find(r, NULL,
             "a JSON document that is no skill index answers where one would be, so this company publishes none "
             "there");
}

static void hops_are_https(struct run *r)
{
    const struct exchange *x = r->doc->exchange;
    if (x->fault == FAULT_REDIRECT_TARGET)
        find_header(r, "Location", "a redirect cannot be followed: %s", exchange_outcome(r));
}

static void few_redirects(struct run *r)
{
    const struct exchange *x = r->doc->exchange;
    if (x->fault == FAULT_REDIRECTS)
        find_header(r, "Location", "%s", exchange_outcome(r));
}

static struct pap_str host_of(struct pap_str url)
{
    struct uri u;
    size_t at;
    const char *why;
    return uri_parse(url, &u, &at, &why) ? u.host : S("");
}

static bool went_to_other_host(const struct exchange *x)
{
    return x->n_hops > 1 && x->final_url.n && !str_eq_nocase(host_of(x->url), host_of(x->final_url));
}

static void other_host(struct run *r)
{
    const struct exchange *x = r->doc->exchange;
    if (went_to_other_host(x) && exchange_status(x) == 200)
        find(r, NULL, "the metadata comes by a redirect from %s to %s; some agents follow none here",
             q(r, host_of(x->url)), q(r, host_of(x->final_url)));
}

static void redirected(struct run *r)
{
    const struct exchange *x = r->doc->exchange;
    bool said = r->doc->kind == KIND_METADATA && went_to_other_host(x);
    if (x->n_hops < 2 || exchange_status(x) != 200 || said)
        return;
    find(r, NULL, "the document was served after %zu redirect%s, from %s; it still speaks for the host first asked",
         x->n_hops - 1, str_plural(x->n_hops - 1), whole(r, x->final_url));
}

/* ---- the connection ---- */

static void tls_is_new(struct run *r)
{
    const struct hop *h = exchange_last(r->doc->exchange);
    if (h && h->tls_version.n && !str_is(h->tls_version, "TLSv1.3") && r->bundle->first == r->doc)
        find(r, NULL, "the connection uses %s; TLS 1.3 has been the current version since 2018", q(r, h->tls_version));
}

/* Whether no hop before this one went to its host. */
static bool is_first_of_host(const struct run *r, const struct hop *h)
{
    struct pap_str host = host_of(h->url);
    for (const struct doc *d = r->bundle->docs; d; d = d->next) {
        for (size_t i = 0; d->exchange && i < d->exchange->n_hops; i++) {
            if (&d->exchange->hops[i] == h)
                return true;
            if (str_eq_nocase(host_of(d->exchange->hops[i].url), host))
                return false;
        }
    }
    return true;
}

static void certificate_lasts(struct run *r)
{
    const struct exchange *x = r->doc->exchange;
    for (size_t i = 0; i < x->n_hops; i++) {
        const struct hop *h = &x->hops[i];
        int64_t left = h->not_after - r->bundle->now;
        if (h->not_after && left >= 0 && left < SOON && is_first_of_host(r, h))
            find(r, NULL, "the certificate of %s expires in %lld day%s", q(r, host_of(h->url)), (long long)(left / DAY),
                 str_plural((uint64_t)(left / DAY)));
    }
}

static void is_quick(struct run *r)
{
    const struct exchange *x = r->doc->exchange;
    if (exchange_good_answer(r) && x->ms > SLOW_MS)
        find(r, NULL, "the answer took %u.%u seconds; agents give up after 5 to 8", x->ms / 1000, x->ms % 1000 / 100);
}

/* Said once, at the first of them. */
static void not_asked(struct run *r)
{
    size_t n = 0;
    for (const struct doc *d = r->bundle->docs; d; d = d->next) {
        if (!d->exchange || exchange_was_made(d->exchange))
            continue;
        if (n++ == 0 && d != r->doc)
            return;
    }
    if (n == 1)
        find(r, NULL, "this document was not fetched and not judged: %s", exchange_outcome(r));
    else if (n > 1)
        find(r, NULL, "this document and %zu more were not fetched and not judged: %s", n - 1, exchange_outcome(r));
}

#define EXCHANGE .kind = KIND_EXCHANGE, .sure = V_ALL
#define ARTIFACTS (OF(KIND_SKILL) | OF(KIND_ARCHIVE))
#define WELL_KNOWN (1u << ROLE_WELL_KNOWN)

/* clang-format off */ /* a row is read as a block */
static const struct check rows[] = {
    {
        .id = "poppy.http.status", .covers = "D01", EXCHANGE, .spec = SPEC_PAP, .section = "3", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_POPPY), .fn = answers,
        .title = "/.well-known/poppy.json answers 200 over valid TLS",
        .why = "It is the first thing that an agent asks for; without it the company does not exist for agents.",
        .mend = "Serve the document with status 200 at https://your.domain/.well-known/poppy.json.",
        .good = "200 application/json", .bad = "404, or a certificate for another name",
    },
    {
        .id = "http.redirect-https", .covers = "D02 C-8", EXCHANGE, .spec = SPEC_PAP, .section = "3",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .of = OF_ANY, .fn = hops_are_https,
        .title = "every redirect goes to an https URL",
        .why = "One hop without TLS lets anybody on the way put another document in its place, so agents stop there.",
        .mend = "Let every Location be an absolute https URL, or serve the document without a redirect.",
        .good = "Location: https://www.shop.example/.well-known/poppy.json",
        .bad = "Location: http://www.shop.example/.well-known/poppy.json",
    },
    {
        .id = "http.redirects", .covers = "D03 R-C3", EXCHANGE, .spec = SPEC_PAP, .section = "3",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .of = OF_ANY & ~(OF(KIND_CLIENT) | OF(KIND_JWKS)),
        .fn = few_redirects,
        .title = "at most five redirects, and no loop",
        .why = "Agents give up after a few hops; a loop never ends.",
        .mend = "Serve the document itself where it is asked for.", .good = "one redirect to www.", .bad = "six redirects",
    },
    {
        .id = "http.redirected", .covers = "", EXCHANGE, .spec = SPEC_PAP, .section = "3", .level = LEVEL_MAY,
        .severity = PAP_INFO, .of = OF_ANY, .fn = redirected,
        .title = "the document is served where it is asked for",
        .why = "Redirects are allowed, but some clients follow none on well-known files, and each costs a round trip.",
        .mend = "Where you can, serve the document without a redirect.", .good = "200 at once",
        .bad = "301 to www., then 200",
    },
    {
        .id = "poppy.http.content-type", .covers = "D05", EXCHANGE, .spec = SPEC_PAP, .section = "3",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .of = OF(KIND_POPPY) | OF(KIND_CLIENT) | OF(KIND_JWKS),
        .fn = json_type,
        .title = "the content type is JSON",
        .why = "Strict clients refuse JSON that is labelled as something else.",
        .mend = "Send `Content-Type: application/json`.", .good = "Content-Type: application/json",
        .bad = "Content-Type: text/plain",
    },
    {
        .id = "poppy.http.caching", .covers = "D06", EXCHANGE, .spec = SPEC_RFC9111, .section = "5.2",
        .level = LEVEL_MAY, .severity = PAP_INFO, .of = OF(KIND_POPPY), .fn = caching,
        .title = "the answer says how long it may be cached",
        .why = "Agents keep the document by its caching header; without one it is fetched each time, with a long one changes "
               "arrive late.",
        .mend = "Send `Cache-Control: public, max-age=300`.", .good = "Cache-Control: public, max-age=300", .bad = "no header",
    },
    {
        .id = "poppy.http.cors", .covers = "", EXCHANGE, .spec = SPEC_FETCH, .section = "3.2.3", .level = LEVEL_MAY,
        .severity = PAP_INFO, .of = OF(KIND_POPPY), .fn = has_cors,
        .title = "pages of any origin may read the document",
        .why = "Agents that run in a browser can read it only then.",
        .mend = "Send `Access-Control-Allow-Origin: *`; the document is public.", .good = "Access-Control-Allow-Origin: *",
        .bad = "no header",
    },
    {
        .id = "metadata.http.status", .covers = "M01", EXCHANGE, .spec = SPEC_RFC8414, .section = "3.2",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .of = OF(KIND_METADATA), .fn = metadata_answers,
        .title = "the issuer's metadata answers 200 at its RFC 8414 URL",
        .why = "Agents verify there that the issuer vouches for your domain; when they cannot, they must not use the company.",
        .mend = "Serve the metadata at https://HOST/.well-known/oauth-authorization-server, followed by the issuer's path.",
        .good = "issuer https://id.shop.example/a: 200 at https://id.shop.example/.well-known/oauth-authorization-server/a",
        .bad = "404 there",
    },
    {
        .id = "metadata.http.inserted-form", .covers = "M01", EXCHANGE, .spec = SPEC_RFC8414, .section = "3.1",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .of = OF(KIND_METADATA), .fn = metadata_is_inserted,
        .title = "for an issuer with a path the well-known part stands behind the host",
        .why = "RFC 8414 inserts it there; OpenID Connect appends it to the path. Agents of this protocol use the first.",
        .mend = "Serve the same document at the inserted form too.",
        .good = "https://id.shop.example/.well-known/oauth-authorization-server/tenant",
        .bad = "https://id.shop.example/tenant/.well-known/oauth-authorization-server",
    },
    {
        .id = "metadata.http.other-host", .covers = "M13", EXCHANGE, .spec = SPEC_PAP, .section = "3.2",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .of = OF(KIND_METADATA), .fn = other_host,
        .title = "the metadata is served by the issuer's own host",
        .why = "A redirect to another host lets that host speak for the issuer; some agents do not follow it.",
        .mend = "Serve the metadata on the issuer's host.", .good = "200 on id.shop.example",
        .bad = "302 from id.shop.example to tenant.idp.example",
    },
    {
        .id = "metadata.http.content-type", .covers = "M01", EXCHANGE, .spec = SPEC_RFC8414, .section = "3.2",
        .level = LEVEL_MUST, .severity = PAP_WARNING, .of = OF(KIND_METADATA) | OF(KIND_RESOURCE), .fn = json_type,
        .title = "OAuth metadata is sent as application/json",
        .why = "The RFC demands it, and strict OAuth libraries refuse other types.",
        .mend = "Send `Content-Type: application/json`.", .good = "Content-Type: application/json",
        .bad = "Content-Type: application/octet-stream",
    },
    {
        .id = "client.http.status", .covers = "A02 A05", EXCHANGE, .spec = SPEC_CIMD, .section = "4", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_CLIENT) | OF(KIND_JWKS), .fn = answers,
        .title = "client documents and key sets answer 200 without a redirect",
        .why = "Companies fetch them to know the agent and follow no redirect, which could lend a trusted name.",
        .mend = "Serve them with status 200 at the very URL that names them.", .good = "200", .bad = "302 to a CDN",
    },
    {
        .id = "openapi.http.status", .covers = "M15", EXCHANGE, .spec = SPEC_PAP, .section = "6", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_OPENAPI), .fn = answers,
        .title = "the API description answers 200",
        .why = "Agents read there which calls exist; without it the API cannot be used.",
        .mend = "Serve the description at the url that apis[] names, readable without sign-in.", .good = "200", .bad = "401",
    },
    {
        .id = "index.http.status", .covers = "H401 H-5 C-1", EXCHANGE, .spec = SPEC_DISCOVERY, .section = "HTTP Considerations",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .of = OF(KIND_INDEX), .roles = WELL_KNOWN | (1u << ROLE_MAIN),
        .fn = index_answers,
        .title = "the skill index answers 200, or 404 where there is none",
        .why = "Any other status hides your skills from clients, or looks like a fault.",
        .mend = "Serve the index with 200 without sign-in; answer 404 when you publish none.", .good = "200 application/json",
        .bad = "403",
    },
    {
        .id = "index.http.soft-404", .covers = "H401 H-5 R-C9", EXCHANGE, .spec = SPEC_DISCOVERY, .section = "HTTP Considerations",
        .level = LEVEL_MUST, .severity = PAP_INFO, .of = OF(KIND_INDEX), .roles = WELL_KNOWN, .fn = index_soft_404,
        .title = "a path without an index answers 404",
        .why = "Clients that take the page for an index report a fault instead of \"nothing here\".",
        .mend = "Answer 404 for /.well-known/ paths that you do not serve.", .good = "404",
        .bad = "200 with the start page of the site",
    },
    {
        .id = "artifact.http.status", .covers = "H401 S08", EXCHANGE, .spec = SPEC_DISCOVERY, .section = "HTTP Considerations",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .of = ARTIFACTS, .fn = answers,
        .title = "a skill's file answers 200 without cookies or tokens",
        .why = "The index promises a file that clients cannot get; they go on without the skill.",
        .mend = "Upload artifacts before the index that names them, readable without sign-in.", .good = "200", .bad = "404",
    },
    {
        .id = "index.http.content-type", .covers = "H402 H-1", EXCHANGE, .spec = SPEC_DISCOVERY, .section = "HTTP Considerations",
        .level = LEVEL_MUST, .severity = PAP_WARNING, .of = OF(KIND_INDEX), .roles = WELL_KNOWN | (1u << ROLE_MAIN),
        .fn = json_type,
        .title = "the index is sent as application/json",
        .why = "Some clients refuse other types.", .mend = "Send `Content-Type: application/json`.",
        .good = "Content-Type: application/json", .bad = "Content-Type: text/plain",
    },
    {
        .id = "artifact.http.content-type", .covers = "H402 H-2 H-3", EXCHANGE, .spec = SPEC_DISCOVERY, .section = "HTTP Considerations",
        .level = LEVEL_MUST, .severity = PAP_WARNING, .of = ARTIFACTS, .fn = artifact_type,
        .title = "SKILL.md is sent as text/markdown or text/plain, archives as application/gzip or application/zip",
        .why = "Clients choose the unpacker by the type; pipelines that take an archive for text damage it.",
        .mend = "Set the type by the file's ending: .md text/markdown, .tar.gz application/gzip, .zip application/zip.",
        .good = "Content-Type: text/markdown; charset=utf-8", .bad = "Content-Type: application/octet-stream",
    },
    {
        .id = "index.http.caching", .covers = "H403 H-6", EXCHANGE, .spec = SPEC_DISCOVERY, .section = "HTTP Considerations",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .of = OF(KIND_INDEX), .roles = WELL_KNOWN | (1u << ROLE_MAIN),
        .fn = caching,
        .title = "the index says how long it may be cached, and not for long",
        .why = "An index that is cached longer than its artifacts gives digests that match nothing.",
        .mend = "Send `Cache-Control: public, max-age=300` with the index, and put the digest or a version into artifact URLs.",
        .good = "Cache-Control: public, max-age=300", .bad = "no header",
    },
    {
        .id = "index.http.etag", .covers = "H403", EXCHANGE, .spec = SPEC_RFC9110, .section = "8.8.3",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .of = OF(KIND_INDEX), .roles = WELL_KNOWN | (1u << ROLE_MAIN),
        .fn = has_etag,
        .title = "the index has an ETag or a Last-Modified",
        .why = "With one, clients ask whether it changed instead of fetching it whole.",
        .mend = "Let the web server send an ETag.", .good = "ETag: \"5f1c\"", .bad = "no header",
    },
    {
        .id = "index.http.cors", .covers = "H403 H-7", EXCHANGE, .spec = SPEC_DISCOVERY, .section = "HTTP Considerations",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .of = OF(KIND_INDEX), .roles = WELL_KNOWN | (1u << ROLE_MAIN),
        .fn = has_cors,
        .title = "pages of any origin may read the index",
        .why = "Agents that run in a browser can read it only then.", .mend = "Send `Access-Control-Allow-Origin: *`.",
        .good = "Access-Control-Allow-Origin: *", .bad = "no header",
    },
    {
        .id = "artifact.http.content-encoding", .covers = "H404 R-C10", EXCHANGE, .spec = SPEC_DISCOVERY, .section = "HTTP Considerations",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .of = ARTIFACTS, .fn = no_content_encoding,
        .title = "artifacts are sent as they are",
        .why = "The digest is over the file; a client that hashes the encoded bytes sees another one and refuses the skill.",
        .mend = "Switch compression off for these files.", .good = "no Content-Encoding", .bad = "Content-Encoding: gzip",
    },
    {
        .id = "artifact.http.head", .covers = "H401 H-4", EXCHANGE, .spec = SPEC_DISCOVERY, .section = "HTTP Considerations",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .of = OF(KIND_INDEX), .roles = 1u << ROLE_HEAD, .fn = head_is_get,
        .title = "HEAD answers as GET does",
        .why = "Clients and caches ask with HEAD whether something changed.",
        .mend = "Let the web server answer HEAD with the same status and header fields.", .good = "HEAD: 200",
        .bad = "HEAD: 405",
    },
    {
        .id = "http.tls-version", .covers = "", EXCHANGE, .spec = SPEC_TLS, .section = "3.1.1", .level = LEVEL_SHOULD,
        .severity = PAP_INFO, .of = OF_ANY, .fn = tls_is_new,
        .title = "the host speaks TLS 1.3",
        .why = "TLS 1.2 is still safe when well configured, but 1.3 is quicker and leaves less to configure wrongly.",
        .mend = "Switch TLS 1.3 on.", .good = "TLSv1.3", .bad = "TLSv1.2",
    },
    {
        .id = "http.certificate-expiry", .covers = "", EXCHANGE, .spec = SPEC_TLS, .section = "", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .of = OF_ANY, .fn = certificate_lasts,
        .title = "the certificate is good for two more weeks",
        .why = "When it expires, every agent stops at once and says nothing to you.",
        .mend = "Renew it, and let renewal run by itself.", .good = "60 days left", .bad = "3 days left",
    },
    {
        .id = "http.slow", .covers = "", EXCHANGE, .spec = SPEC_PAPAVER, .section = "", .level = LEVEL_ADVICE,
        .severity = PAP_WARNING, .of = OF_ANY, .fn = is_quick,
        .title = "documents arrive within three seconds",
        .why = "Agents give up after 5 to 8 seconds, and their person waits.",
        .mend = "Serve these small documents as static files or from a cache.", .good = "120 ms", .bad = "4.2 s",
    },
    {
        .id = "http.not-asked", .covers = "", EXCHANGE, .spec = SPEC_PAPAVER, .section = "", .level = LEVEL_ADVICE,
        .severity = PAP_INFO, .of = OF_ANY, .fn = not_asked,
        .title = "the whole company was looked at",
        .why = "One check asks at most 200 times, 20 times any host that is not the company's, and for 60 seconds. "
               "A public site that checks for others also leaves out artifacts that robots.txt disallows.",
        .mend = "Nothing is wrong with the document; check it alone by its URL.", .good = "every document judged",
        .bad = "an index with 300 skills on one other host",
    },
};
/* clang-format on */

CHECK_TABLE(exchange_checks, rows);
