/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a server's certificate: of one that is refused, too. libcurl drops the connection of such a one before
 * anybody can ask, so it is kept while it is verified, which is done as it always is.
 */
#include <arpa/inet.h>

#include "net/inside.h"
#include "text/utf8.h"

enum { NAMES_SHOWN = 5, NAME_SHOWN = 100 };

/* Unix seconds of a time in UTC. Years are counted from March, so that the leap day is the last of its year. */
static int64_t unix_seconds(const struct tm *tm)
{
    int64_t year = tm->tm_year + 1900 - (tm->tm_mon < 2), month = (tm->tm_mon + 10) % 12;
    int64_t days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + tm->tm_mday - 719469;
    return ((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 + tm->tm_sec;
}

static void note_expiry(struct transfer *t, const X509 *certificate)
{
    const struct curl_api *api = &t->client->api;
    struct tm tm = {0};
    if (certificate && api->asn1_to_tm(api->x509_not_after(certificate), &tm))
        t->not_after = unix_seconds(&tm);
}

void tls_note(struct transfer *t)
{
    const struct curl_api *api = &t->client->api;
    struct curl_tlssessioninfo *info = NULL;
    if (!api->ssl_version || api->easy_getinfo(t->easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info ||
        info->backend != CURLSSLBACKEND_OPENSSL || !info->internals)
        return;
    const SSL *ssl = info->internals;
    t->tls_version = api->ssl_version(ssl); /* a constant */
    note_expiry(t, api->ssl_certificate(ssl));
}

static int on_verify(X509_STORE_CTX *verifying, void *ctx)
{
    struct transfer *t = ctx;
    const struct curl_api *api = &t->client->api;
    X509 *leaf = api->x509_leaf(verifying);
    certificate_drop(t);
    if (leaf && api->x509_up_ref(leaf))
        t->leaf = leaf;
    return api->x509_verify(verifying);
}

static CURLcode on_context(CURL *easy, void *ssl_ctx, void *ctx)
{
    const struct transfer *t = ctx;
    (void)easy;
    t->client->api.ssl_set_verify(ssl_ctx, on_verify, ctx);
    return CURLE_OK;
}

bool certificate_watch(struct transfer *t)
{
    const struct curl_api *api = &t->client->api;
    const curl_version_info_data *version = api->ssl_version ? api->version_info(CURLVERSION_NOW) : NULL;
    if (!version || !version->ssl_version || !str_starts(str_c(version->ssl_version), S("OpenSSL/3")))
        return true; /* its contexts are none of ours */
    return api->easy_setopt(t->easy, CURLOPT_SSL_CTX_DATA, t) == CURLE_OK &&
           api->easy_setopt(t->easy, CURLOPT_SSL_CTX_FUNCTION, on_context) == CURLE_OK;
}

void certificate_drop(struct transfer *t)
{
    if (t->leaf)
        t->client->api.x509_free(t->leaf);
    t->leaf = NULL;
}

/* ---- of one that is refused ---- */

static void add_time(struct buf *b, const struct transfer *t, const char *words, const ASN1_TIME *time)
{
    struct tm tm;
    if (t->client->api.asn1_to_tm(time, &tm))
        buf_fmt(b, "%s %04d-%02d-%02d %02d:%02d UTC", words, tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                tm.tm_min);
}

/* A host name or an address. False: it is something else. */
static bool add_name(struct buf *b, const struct transfer *t, const GENERAL_NAME *name)
{
    char text[INET6_ADDRSTRLEN];
    const ASN1_STRING *value = name->d.ia5; /* of d.ip, too */
    if (name->type != GEN_DNS && name->type != GEN_IPADD)
        return false;
    struct pap_str s = str((const char *)t->client->api.asn1_data(value), (size_t)t->client->api.asn1_length(value));
    if (name->type == GEN_IPADD && (s.n == 4 || s.n == 16) &&
        inet_ntop(s.n == 4 ? AF_INET : AF_INET6, s.p, text, sizeof text))
        s = str_c(text);
    buf_char(b, '"');
    utf8_add_visible(b, s, NAME_SHOWN);
    buf_char(b, '"');
    return true;
}

static void add_names(struct buf *b, const struct transfer *t)
{
    const struct curl_api *api = &t->client->api;
    GENERAL_NAMES *names = api->x509_extension(t->leaf, NID_subject_alt_name, NULL, NULL);
    int n = names ? api->stack_count((const OPENSSL_STACK *)names) : 0, shown = 0, i = 0;
    buf_add(b, S("it holds"));
    for (; i < n && shown < NAMES_SHOWN; i++) {
        size_t before = b->n;
        buf_add(b, shown ? S(", ") : S(" "));
        if (add_name(b, t, api->stack_at((const OPENSSL_STACK *)names, i)))
            shown++;
        else
            b->n = before;
    }
    if (i < n)
        buf_fmt(b, " and %d more", n - i);
    if (!shown)
        buf_add(b, S(" no name of a host"));
    api->names_free(names);
}

bool certificate_add(struct transfer *t, enum certificate_fact fact, struct buf *ret)
{
    const struct curl_api *api = &t->client->api;
    if (!t->leaf)
        return true;
    note_expiry(t, t->leaf);
    t->walk->hop->not_after = t->not_after;
    if (fact == CERTIFICATE_UNTIL)
        add_time(ret, t, "it was good until", api->x509_not_after(t->leaf));
    if (fact == CERTIFICATE_FROM)
        add_time(ret, t, "it is good from", api->x509_not_before(t->leaf));
    if (fact == CERTIFICATE_NAMES)
        add_names(ret, t);
    return buf_ok(ret);
}
