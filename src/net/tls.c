/* SPDX-License-Identifier: Apache-2.0 */
#include "net/tls.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdatomic.h>

#include "base/str.h"
#include "sys/library.h"

#define SSL_FUNCTIONS(X)                      \
    X(TLS_server_method)                      \
    X(SSL_CTX_new)                            \
    X(SSL_CTX_free)                           \
    X(SSL_CTX_ctrl)                           \
    X(SSL_CTX_callback_ctrl)                  \
    X(SSL_CTX_set_options)                    \
    X(SSL_CTX_set_alpn_select_cb)             \
    X(SSL_CTX_use_certificate_chain_file)     \
    X(SSL_CTX_use_PrivateKey_file)            \
    X(SSL_CTX_check_private_key)              \
    X(SSL_CTX_set_default_passwd_cb)          \
    X(SSL_CTX_set_default_passwd_cb_userdata) \
    X(SSL_CTX_get0_certificate)               \
    X(SSL_new)                                \
    X(SSL_free)                               \
    X(SSL_set_fd)                             \
    X(SSL_accept)                             \
    X(SSL_read)                               \
    X(SSL_write)                              \
    X(SSL_shutdown)                           \
    X(SSL_has_pending)                        \
    X(SSL_get_error)                          \
    X(SSL_get_servername)                     \
    X(SSL_set_SSL_CTX)
#define CRYPTO_FUNCTIONS(X)    \
    X(ERR_clear_error)         \
    X(ERR_peek_error)          \
    X(ERR_reason_error_string) \
    X(X509_check_host)         \
    X(X509_get0_notBefore)     \
    X(X509_get0_notAfter)      \
    X(ASN1_TIME_to_tm)

#define MEMBER(name) __typeof__(name) *name##_;
struct tls_api {
    SSL_FUNCTIONS(MEMBER)
    CRYPTO_FUNCTIONS(MEMBER)
};

struct tls_row {
    SSL_CTX *context;
    const char *name;
};

struct tls_set {
    struct tls_api api;
    const struct pap_alloc *alloc;
    _Atomic size_t kept;
    size_t n, size; /* certificates loaded; bytes of the set */
    struct tls_row rows[];
};

struct tls_stream {
    struct tls_set *set;
    SSL *ssl;
};

#define ROW(name) {#name, &api.name##_},
static pap_result api_open(struct tls_api *ret, struct pap_err *err)
{
    struct tls_api api;
    const struct library_symbol ssl[] = {SSL_FUNCTIONS(ROW){NULL, NULL}};
    const struct library_symbol crypto[] = {CRYPTO_FUNCTIONS(ROW){NULL, NULL}};
    TRY(library_open("libcrypto.so.3", "libssl3", crypto, err));
    TRY(library_open("libssl.so.3", "libssl3", ssl, err));
    *ret = api;
    return OK;
}

/* RFC 7301: a client that knows HTTP/2 alone is told so. */
static int choose_protocol(SSL *ssl, const unsigned char **ret, unsigned char *ret_n, const unsigned char *offered,
                           unsigned n, void *ctx)
{
    (void)ssl, (void)ctx;
    for (unsigned i = 0; i < n; i += offered[i] + 1U)
        if (offered[i] == 8 && n - i > 8 && memcmp(offered + i + 1, "http/1.1", 8) == 0) {
            *ret = offered + i + 1;
            *ret_n = 8;
            return SSL_TLSEXT_ERR_OK;
        }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static SSL_CTX *context_for(struct tls_set *set, const char *name)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->rows[i].name && str_eq_nocase(str_c(name), str_c(set->rows[i].name)))
            return set->rows[i].context;
    for (size_t i = 0; i < set->n; i++)
        if (set->api.X509_check_host_(set->api.SSL_CTX_get0_certificate_(set->rows[i].context), name, strlen(name), 0,
                                      NULL) == 1)
            return set->rows[i].context;
    return NULL;
}

static int choose_certificate(SSL *ssl, int *alert, void *ctx)
{
    (void)alert;
    struct tls_set *set = ctx;
    const char *name = set->api.SSL_get_servername_(ssl, TLSEXT_NAMETYPE_host_name);
    SSL_CTX *chosen = name ? context_for(set, name) : NULL;
    if (chosen)
        (void)set->api.SSL_set_SSL_CTX_(ssl, chosen);
    return SSL_TLSEXT_ERR_OK;
}

static pap_result refuse_file(struct tls_set *set, const char *what, const char *path, struct pap_err *err)
{
    unsigned long e = set->api.ERR_peek_error_();
    const char *why = ERR_GET_LIB(e) == ERR_LIB_OSSL_DECODER || ERR_GET_LIB(e) == ERR_LIB_PEM
                          ? "there is none in it (PEM)"
                          : set->api.ERR_reason_error_string_(e);
    set->api.ERR_clear_error_();
    return fail(err, PAP_SYNTAX, "%s %s is unusable: %s", what, path, why ? why : "it cannot be read");
}

/* Else OpenSSL asks at the terminal, and a server that reads its key again waits there. */
static int no_passphrase(char *room, int n, int writing, void *ctx)
{
    (void)room, (void)n, (void)writing;
    if (ctx)
        *(bool *)ctx = true;
    return -1;
}

static pap_result use_key(struct tls_set *set, SSL_CTX *ctx, const struct tls_certificate *c, struct pap_err *err)
{
    const struct tls_api *api = &set->api;
    bool closed = false;
    api->SSL_CTX_set_default_passwd_cb_userdata_(ctx, &closed);
    bool used = api->SSL_CTX_use_PrivateKey_file_(ctx, c->key_path, SSL_FILETYPE_PEM) == 1;
    api->SSL_CTX_set_default_passwd_cb_userdata_(ctx, NULL);
    if (used && api->SSL_CTX_check_private_key_(ctx) == 1)
        return OK;
    int part = ERR_GET_LIB(api->ERR_peek_error_());
    if (!used && !closed && part != ERR_LIB_X509)
        return refuse_file(set, "the key", c->key_path, err);
    api->ERR_clear_error_();
    return closed
               ? fail(err, PAP_SYNTAX,
                      "the key %s needs a passphrase, and nobody is asked for it; openssl pkey -in %s -out FILE writes "
                      "one without",
                      c->key_path, c->key_path)
               : fail(err, PAP_SYNTAX,
                      "the key %s does not fit the certificate %s (the first one in there has to be the server's own)",
                      c->key_path, c->chain_path);
}

static pap_result add_certificate(struct tls_set *set, const struct tls_certificate *c, struct pap_err *err)
{
    const struct tls_api *api = &set->api;
    api->ERR_clear_error_();
    SSL_CTX *ctx = api->SSL_CTX_new_(api->TLS_server_method_());
    if (!ctx)
        return fail_memory(err);
    set->rows[set->n++] = (struct tls_row){ctx, c->name};
    (void)api->SSL_CTX_ctrl_(ctx, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
    (void)api->SSL_CTX_ctrl_(
        ctx, SSL_CTRL_MODE,
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS, NULL);
    /* Sessions come back by ticket: nothing is kept here. Reading ahead takes a record with one system call, not two. */
    (void)api->SSL_CTX_ctrl_(ctx, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, NULL);
    (void)api->SSL_CTX_ctrl_(ctx, SSL_CTRL_SET_READ_AHEAD, 1, NULL);
    (void)api->SSL_CTX_set_options_(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    api->SSL_CTX_set_alpn_select_cb_(ctx, choose_protocol, NULL);
    (void)api->SSL_CTX_callback_ctrl_(ctx, SSL_CTRL_SET_TLSEXT_SERVERNAME_CB, (void (*)(void))choose_certificate);
    (void)api->SSL_CTX_ctrl_(ctx, SSL_CTRL_SET_TLSEXT_SERVERNAME_ARG, 0, set);
    api->SSL_CTX_set_default_passwd_cb_(ctx, no_passphrase);
    if (api->SSL_CTX_use_certificate_chain_file_(ctx, c->chain_path) != 1)
        return refuse_file(set, "the certificate", c->chain_path, err);
    TRY(use_key(set, ctx, c, err));
    if (c->name && api->X509_check_host_(api->SSL_CTX_get0_certificate_(ctx), c->name, strlen(c->name), 0, NULL) != 1)
        return fail(err, PAP_SYNTAX, "the certificate %s is not for %s", c->chain_path, c->name);
    return OK;
}

pap_result tls_set_new(const struct tls_certificate *certificates, size_t n, const struct pap_alloc *alloc,
                       struct tls_set **ret, struct pap_err *err)
{
    struct tls_api api;
    if (n == 0 || n > 10000)
        return fail(err, PAP_USAGE, "TLS needs a certificate (and 10,000 at most)");
    TRY(api_open(&api, err));
    size_t size = sizeof(struct tls_set) + n * sizeof(struct tls_row);
    struct tls_set *set = alloc_resize(alloc, NULL, 0, size);
    if (!set)
        return fail_memory(err);
    *set = (struct tls_set){.api = api, .alloc = alloc, .kept = 1, .size = size};
    for (size_t i = 0; i < n; i++) {
        pap_result r = add_certificate(set, &certificates[i], err);
        if (!is_ok(r)) {
            tls_set_drop(set);
            return r;
        }
    }
    *ret = set;
    return OK;
}

static int64_t seconds_of(const struct tls_set *set, const ASN1_TIME *time)
{
    struct tm tm;
    return set->api.ASN1_TIME_to_tm_(time, &tm) == 1 ? timegm(&tm) : 0;
}

struct tls_span tls_set_span(const struct tls_set *set, size_t i)
{
    const X509 *x = set->api.SSL_CTX_get0_certificate_(set->rows[i].context);
    return (struct tls_span){seconds_of(set, set->api.X509_get0_notBefore_(x)),
                             seconds_of(set, set->api.X509_get0_notAfter_(x))};
}

struct tls_set *tls_set_keep(struct tls_set *set)
{
    set->kept++;
    return set;
}

void tls_set_drop(struct tls_set *set)
{
    if (!set || --set->kept)
        return;
    for (size_t i = 0; i < set->n; i++)
        set->api.SSL_CTX_free_(set->rows[i].context);
    (void)alloc_resize(set->alloc, set, set->size, 0);
}

struct tls_stream *tls_stream_new(struct tls_set *set, int fd)
{
    struct tls_stream *t = alloc_resize(set->alloc, NULL, 0, sizeof *t);
    if (!t)
        return NULL;
    *t = (struct tls_stream){tls_set_keep(set), set->api.SSL_new_(set->rows[0].context)};
    if (t->ssl && set->api.SSL_set_fd_(t->ssl, fd) == 1)
        return t;
    tls_stream_free(t);
    return NULL;
}

void tls_stream_free(struct tls_stream *t)
{
    if (!t)
        return;
    struct tls_set *set = t->set;
    set->api.SSL_free_(t->ssl);
    (void)alloc_resize(set->alloc, t, sizeof *t, 0);
    tls_set_drop(set);
}

/* What OpenSSL's answer means. */
static ssize_t outcome(struct tls_stream *t, int n)
{
    if (n > 0)
        return n;
    switch (t->set->api.SSL_get_error_(t->ssl, n)) {
    case SSL_ERROR_WANT_READ:
        return IO_WAIT_READ;
    case SSL_ERROR_WANT_WRITE:
        return IO_WAIT_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        return IO_END;
    default:
        return IO_FAILED;
    }
}

static int int_of(size_t n)
{
    return n > INT_MAX ? INT_MAX : (int)n;
}

/* Each call begins with an empty queue of errors: SSL_get_error reads what another connection left there. */
ssize_t tls_handshake(struct tls_stream *t)
{
    t->set->api.ERR_clear_error_();
    return outcome(t, t->set->api.SSL_accept_(t->ssl));
}

ssize_t tls_read(struct tls_stream *t, char *p, size_t n)
{
    t->set->api.ERR_clear_error_();
    return outcome(t, t->set->api.SSL_read_(t->ssl, p, int_of(n)));
}

ssize_t tls_write(struct tls_stream *t, const char *p, size_t n)
{
    t->set->api.ERR_clear_error_();
    return outcome(t, t->set->api.SSL_write_(t->ssl, p, int_of(n)));
}

struct pap_str tls_server_name(const struct tls_stream *t)
{
    return str_c(t->set->api.SSL_get_servername_(t->ssl, TLSEXT_NAMETYPE_host_name));
}

bool tls_has_more(const struct tls_stream *t)
{
    return t->set->api.SSL_has_pending_(t->ssl) == 1;
}

void tls_goodbye(struct tls_stream *t)
{
    t->set->api.ERR_clear_error_();
    (void)t->set->api.SSL_shutdown_(t->ssl);
    t->set->api.ERR_clear_error_();
}
