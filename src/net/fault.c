/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a transfer ended without a whole answer, in words: libcurl's codes, the certificate verifier's numbers and the
 * texts of the TLS library, each a row that gives the fault and what the server did ("refused the connection").
 */
#include <errno.h>

#include "net/inside.h"

/* A sentence is the peer and the phrase, with libcurl's own words behind it where they say more. */
struct code_row {
    CURLcode code;
    enum exchange_fault fault;
    bool detail;
    const char *phrase;
};

static const struct code_row codes[] = {
    {CURLE_COULDNT_RESOLVE_HOST, FAULT_DNS, false, "was not found: DNS gives no address for that name"},
    {CURLE_COULDNT_RESOLVE_PROXY, FAULT_DNS, false, "was not asked: DNS gives no address for the proxy"},
    {CURLE_COULDNT_CONNECT, FAULT_REFUSED, false, "cannot be reached"},
    {CURLE_PROXY, FAULT_REFUSED, true, "was not reached through the proxy"},
    {CURLE_OPERATION_TIMEDOUT, FAULT_TIMEOUT, false, "took too long"},
    {CURLE_SSL_CONNECT_ERROR, FAULT_TLS, true, "and we found no TLS in common"},
    {CURLE_PEER_FAILED_VERIFICATION, FAULT_TLS, true, "has a certificate that is not valid"},
    {CURLE_SSL_CIPHER, FAULT_TLS, true, "and we found no TLS in common"},
    {CURLE_SSL_ISSUER_ERROR, FAULT_TLS, true, "has a certificate that is not valid"},
    {CURLE_GOT_NOTHING, FAULT_PROTOCOL, false, "closed the connection without an answer"},
    {CURLE_PARTIAL_FILE, FAULT_PROTOCOL, true, "closed the connection before the body was whole"},
    {CURLE_UNSUPPORTED_PROTOCOL, FAULT_PROTOCOL, true, "answered with something that is not HTTP"},
    {CURLE_WEIRD_SERVER_REPLY, FAULT_PROTOCOL, true, "sent an answer that breaks the rules of HTTP"},
    {CURLE_SEND_ERROR, FAULT_PROTOCOL, true, "broke the connection"},
    {CURLE_RECV_ERROR, FAULT_PROTOCOL, true, "sent a broken answer or broke the connection"},
    {CURLE_HTTP2, FAULT_PROTOCOL, true, "broke the rules of HTTP/2"},
    {CURLE_HTTP2_STREAM, FAULT_PROTOCOL, true, "broke off the answer"},
};
static const struct code_row other_code = {CURLE_OK, FAULT_PROTOCOL, true, "gave no answer that can be used"};

/* What the system said when no connection came about. */
static const struct {
    int number;
    enum exchange_fault fault;
    const char *phrase;
} errors[] = {
    {ECONNREFUSED, FAULT_REFUSED, "refused the connection"},
    {ETIMEDOUT, FAULT_TIMEOUT, "did not accept a connection in time"},
    {ENETUNREACH, FAULT_REFUSED, "cannot be reached from here (no route to its network)"},
    {EHOSTUNREACH, FAULT_REFUSED, "cannot be reached (no route to the host)"},
    {EADDRNOTAVAIL, FAULT_REFUSED, "cannot be reached from here (no address of that family)"},
};

static const struct {
    long number; /* X509_V_ERR_... */
    const char *phrase;
    enum certificate_fact fact;
} verify_errors[] = {
    {X509_V_ERR_CERT_HAS_EXPIRED, "has a certificate that has expired", CERTIFICATE_UNTIL},
    {X509_V_ERR_CERT_NOT_YET_VALID, "has a certificate that is not valid yet", CERTIFICATE_FROM},
    {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, "has a self-signed certificate"},
    {X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, "has a certificate of an authority that is not trusted (a private root)"},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
     "has a certificate of an authority that is not trusted, or leaves out "
     "the intermediate certificate"},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, "has a certificate of an authority that is not trusted, or leaves out an "
                                           "intermediate certificate"},
    {X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, "has a certificate of an authority that is not trusted, or leaves out "
                                                 "the intermediate certificate"},
    {X509_V_ERR_CERT_REVOKED, "has a certificate that was revoked"},
    {X509_V_ERR_INVALID_PURPOSE, "has a certificate that is not for servers"},
    {X509_V_ERR_EE_KEY_TOO_SMALL, "has a certificate with a key that is too weak"},
    {X509_V_ERR_CA_MD_TOO_WEAK, "has a certificate signed with a digest that is too weak"},
};

/* Parts of the TLS library's texts. */
static const struct {
    const char *part, *phrase;
    enum certificate_fact fact;
} tls_texts[] = {
    {"subject name", "has a certificate for other names than this one", CERTIFICATE_NAMES},
    {"wrong version number", "does not speak TLS on this port"},
    {"packet length too long", "does not speak TLS on this port"},
    {"protocol version", "offers no TLS version from 1.2 up"},
    {"unsupported protocol", "offers no TLS version from 1.2 up"},
    {"unrecognized name", "says that it serves no site of that name (TLS alert unrecognized_name)"},
    {"handshake failure", "refused the TLS handshake"},
    {"reset by peer", "broke off the TLS handshake"},
    {"SYSCALL", "broke off the TLS handshake"},
    {"unexpected eof", "broke off the TLS handshake"},
};

/* The name asked, with the address dialled where it is that of the name: "shop.example (203.0.113.5:443)". p NULL: out
 * of memory. */
static struct pap_str peer_of(const struct transfer *t)
{
    const struct walk *w = t->walk;
    if (!t->dial.peer[0] || t->client->o.proxy)
        return arena_str(w->arena, w->uri.host);
    return arena_fmt(w->arena, "%.*s (%s)", PSTR(w->uri.host), t->dial.peer);
}

static pap_result say(struct transfer *t, enum exchange_fault fault, const char *phrase, bool detail,
                      struct pap_err *err)
{
    struct pap_str peer = peer_of(t);
    bool more = detail && t->error[0];
    return peer.p && walk_fault(t->walk, fault, "%.*s %s%s%.*s%s", PSTR(str_take(peer, LIMIT_QUOTE)), phrase,
                                more ? " (" : "", more ? LIMIT_QUOTE : 0, t->error, more ? ")" : "")
               ? OK
               : fail_memory(err);
}

/* The phrase, and the fact behind it. */
static pap_result say_refused(struct transfer *t, const char *phrase, enum certificate_fact fact, struct pap_err *err)
{
    struct pap_str peer = peer_of(t);
    struct buf more __attribute__((cleanup(buf_fini)));
    buf_init(&more, t->walk->arena->alloc, LIMIT_DOCUMENT);
    return peer.p && certificate_add(t, fact, &more) &&
                   walk_fault(t->walk, FAULT_TLS, "%.*s %s%s%.*s", PSTR(str_take(peer, LIMIT_QUOTE)), phrase,
                              more.n ? ": " : "", PSTR(buf_str(&more)))
               ? OK
               : fail_memory(err);
}

static pap_result say_stopped(struct transfer *t, struct pap_err *err)
{
    struct walk *w = t->walk;
    struct pap_str url = str_take(w->hop->url, LIMIT_QUOTE);
    bool fields = !t->head_over || t->head_bytes > LIMIT_HEADERS;
    bool ok = t->stop == FAULT_BUDGET
                  ? walk_fault(w, t->stop, "%.*s was not read to its end: this check has read its 100 MiB", PSTR(url))
              : fields ? walk_fault(w, FAULT_HEAD, "%.*s sent more than %d bytes or %d lines of header fields",
                                    PSTR(url), LIMIT_HEADERS, LIMIT_HEADER_FIELDS)
                       : walk_fault(w, t->stop, "%.*s sent more than %zu bytes", PSTR(url), w->request.cap);
    return ok ? OK : fail_memory(err);
}

static bool has_passed(const struct transfer *t, CURLINFO stage)
{
    curl_off_t us = 0;
    return t->client->api.easy_getinfo(t->easy, stage, &us) == CURLE_OK && us > 0;
}

/* How far it had come when time was up, latest stage first. */
static pap_result say_timeout(struct transfer *t, int64_t now_ms, struct pap_err *err)
{
    struct walk *w = t->walk;
    struct pap_str peer = peer_of(t), error = str_c(t->error);
    bool resolving = str_find(error, S("Resolving")) < error.n;
    if (!peer.p)
        return fail_memory(err);
    if (now_ms >= w->budget->deadline_ms)
        return walk_fault(w, FAULT_BUDGET, "%.*s had not answered when the time of this check (60 seconds) was over",
                          PSTR(peer))
                   ? OK
                   : fail_memory(err);
    if (str_find(error, S("too slow")) < error.n)
        return walk_fault(w, FAULT_TIMEOUT, "%.*s sent less than %d bytes a second for %d seconds", PSTR(peer),
                          LIMIT_LOW_SPEED, LIMIT_LOW_SPEED_S)
                   ? OK
                   : fail_memory(err);
    const char *phrase = t->head_over                                 ? "had not sent all of its answer after"
                         : has_passed(t, CURLINFO_PRETRANSFER_TIME_T) ? "did not answer within"
                         : resolving                                  ? "was not found: DNS gave no answer within"
                         : str_find(error, S("SSL")) < error.n        ? "did not finish the TLS handshake within"
                                                                      : "gave no connection (TCP and TLS) within";
    return walk_fault(w, resolving ? FAULT_DNS : FAULT_TIMEOUT, "%.*s %s %.3g seconds", PSTR(peer), phrase,
                      (double)(now_ms - w->hop_begun_ms) / 1000)
               ? OK
               : fail_memory(err);
}

static pap_result say_unconnected(struct transfer *t, const struct code_row *row, struct pap_err *err)
{
    struct walk *w = t->walk;
    if (t->dial.refused_why)
        return walk_fault(w, FAULT_BLOCKED, "%.*s was not asked: the address %s is not allowed (%s)", PSTR(w->uri.host),
                          t->dial.peer, t->dial.refused_why)
                   ? OK
                   : fail_memory(err);
    /* Too many open files and the like; a family that the system does not have is an address that cannot be reached. */
    if (t->dial.socket_errno && t->dial.socket_errno != EAFNOSUPPORT)
        return fail(err, PAP_IO, "no connection can be opened (%s); --jobs N with a smaller N needs fewer",
                    strerror_r(t->dial.socket_errno, (char[128]){0}, 128));
    long number = 0;
    enum exchange_fault fault = row->fault;
    const char *phrase = row->phrase;
    (void)t->client->api.easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == number) {
            fault = errors[i].fault;
            phrase = errors[i].phrase;
        }
    if (!t->client->o.proxy)
        return say(t, fault, phrase, phrase == row->phrase, err);
    return walk_fault(w, fault, "%.*s was not asked: the proxy (%s) %s", PSTR(w->uri.host), t->dial.peer, phrase)
               ? OK
               : fail_memory(err);
}

/* The proxy made no tunnel: nothing is known of the host behind it. */
static pap_result say_no_tunnel(struct transfer *t, struct pap_err *err)
{
    struct walk *w = t->walk;
    long status = 0;
    (void)t->client->api.easy_getinfo(t->easy, CURLINFO_HTTP_CONNECTCODE, &status);
    bool ok = status ? walk_fault(w, FAULT_REFUSED, "%.*s was not asked: the proxy (%s) answered CONNECT with %ld",
                                  PSTR(w->uri.host), t->dial.peer, status)
                     : walk_fault(w, FAULT_REFUSED, "%.*s was not asked: the proxy (%s) gave no answer to CONNECT",
                                  PSTR(w->uri.host), t->dial.peer);
    return ok ? OK : fail_memory(err);
}

static pap_result say_tls(struct transfer *t, const struct code_row *row, struct pap_err *err)
{
    long number = 0;
    struct pap_str text = str_c(t->error);
    (void)t->client->api.easy_getinfo(t->easy, CURLINFO_SSL_VERIFYRESULT, &number);
    for (size_t i = 0; number && i < sizeof verify_errors / sizeof *verify_errors; i++)
        if (verify_errors[i].number == number)
            return say_refused(t, verify_errors[i].phrase, verify_errors[i].fact, err);
    for (size_t i = 0; i < sizeof tls_texts / sizeof *tls_texts; i++)
        if (str_find(text, str_c(tls_texts[i].part)) < text.n)
            return say_refused(t, tls_texts[i].phrase, tls_texts[i].fact, err);
    return say(t, row->fault, row->phrase, row->detail, err);
}

pap_result transfer_fault(struct transfer *t, CURLcode code, int64_t now_ms, struct pap_err *err)
{
    const struct code_row *row = &other_code;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].code == code)
            row = &codes[i];
    /* To libcurl, a header line of more than 100 kB is memory that ran out. */
    if (code == CURLE_OUT_OF_MEMORY && has_passed(t, CURLINFO_STARTTRANSFER_TIME_T) && !t->head_over)
        t->stop = FAULT_TOO_LARGE;
    else if (code == CURLE_OUT_OF_MEMORY)
        return fail_memory(err);
    if (t->stop != FAULT_NONE)
        return say_stopped(t, err);
    if (code == CURLE_SSL_CACERT_BADFILE)
        return fail(err, PAP_IO, "the trusted roots cannot be read: %s", t->error);
    if (t->client->o.proxy && str_find(str_c(t->error), S("CONNECT")) < strlen(t->error))
        return say_no_tunnel(t, err);
    if (code == CURLE_COULDNT_CONNECT)
        return say_unconnected(t, row, err);
    if (row->fault == FAULT_TIMEOUT)
        return say_timeout(t, now_ms, err);
    if (row->fault == FAULT_TLS)
        return say_tls(t, row, err);
    return say(t, row->fault, row->phrase, row->detail, err);
}
