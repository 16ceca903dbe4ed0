/* SPDX-License-Identifier: Apache-2.0 */
#include "net/devcert.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "base/buf.h"
#include "sys/library.h"
#include "text/host.h"

#define CRYPTO_FUNCTIONS(X)       \
    X(ASN1_INTEGER_set_uint64)    \
    X(ASN1_TIME_set)              \
    X(BIO_ctrl)                   \
    X(BIO_free)                   \
    X(BIO_new)                    \
    X(BIO_new_mem_buf)            \
    X(BIO_s_mem)                  \
    X(ERR_clear_error)            \
    X(EVP_PKEY_Q_keygen)          \
    X(EVP_PKEY_free)              \
    X(EVP_sha256)                 \
    X(PEM_read_bio_PrivateKey)    \
    X(PEM_read_bio_X509)          \
    X(PEM_write_bio_PrivateKey)   \
    X(PEM_write_bio_X509)         \
    X(RAND_bytes)                 \
    X(X509V3_EXT_conf_nid)        \
    X(X509V3_set_ctx)             \
    X(X509_EXTENSION_free)        \
    X(X509_NAME_add_entry_by_txt) \
    X(X509_add_ext)               \
    X(X509_check_host)            \
    X(X509_check_ip_asc)          \
    X(X509_check_private_key)     \
    X(X509_cmp_time)              \
    X(X509_free)                  \
    X(X509_get0_notAfter)         \
    X(X509_get0_pubkey)           \
    X(X509_get_serialNumber)      \
    X(X509_get_subject_name)      \
    X(X509_getm_notAfter)         \
    X(X509_getm_notBefore)        \
    X(X509_new)                   \
    X(X509_set_issuer_name)       \
    X(X509_set_pubkey)            \
    X(X509_set_version)           \
    X(X509_sign)                  \
    X(X509_verify)

#define MEMBER(name) __typeof__(name) *name##_;
struct crypto_api {
    CRYPTO_FUNCTIONS(MEMBER)
};

/* What is made or read, freed together. */
struct pair {
    struct crypto_api api;
    X509 *authority, *leaf;
    EVP_PKEY *authority_key, *leaf_key;
};

enum { NAMES_TEXT = 256 * 1024, HOUR = 3600, DAY = 24 * HOUR };

#define ROW(name) {#name, &api.name##_},
static pap_result open_api(struct crypto_api *ret, struct pap_err *err)
{
    struct crypto_api api;
    const struct library_symbol symbols[] = {CRYPTO_FUNCTIONS(ROW){NULL, NULL}};
    TRY(library_open("libcrypto.so.3", "libssl3", symbols, err));
    *ret = api;
    return OK;
}

static void pair_fini(struct pair *p)
{
    if (!p->api.X509_free_)
        return;
    p->api.X509_free_(p->authority);
    p->api.X509_free_(p->leaf);
    p->api.EVP_PKEY_free_(p->authority_key);
    p->api.EVP_PKEY_free_(p->leaf_key);
    p->api.ERR_clear_error_();
}

/* ---- names ---- */

static const char *const always[] = {"localhost", "127.0.0.1", "::1", NULL};

/* AF_INET, AF_INET6, or AF_UNSPEC for a name. */
static int family_of(const char *name)
{
    unsigned char address[16];
    return inet_pton(AF_INET, name, address) == 1    ? AF_INET
           : inet_pton(AF_INET6, name, address) == 1 ? AF_INET6
                                                     : AF_UNSPEC;
}

/* A name holds no comma, so that it can stand in a list of OpenSSL's. */
pap_result devcert_check(const struct devcert_wish *wish, struct pap_err *err)
{
    const char *why = "";
    for (const char *const *name = wish->names; name && *name; name++)
        if (family_of(*name) == AF_UNSPEC && !host_is_name(str_c(*name), &why))
            return fail(err, PAP_USAGE, "\"%s\" is no name of a host and no address: it holds %s", *name, why);
    return OK;
}

/* The names as OpenSSL's configuration has them: "DNS:localhost,IP:127.0.0.1", or what an authority may sign. */
static void list_names(struct buf *out, const char *const *names, bool constraints)
{
    for (; names && *names; names++) {
        int family = family_of(*names);
        buf_fmt(out, "%s%s%s:%s", out->n ? "," : "", constraints ? "permitted;" : "",
                family == AF_UNSPEC ? "DNS" : "IP", *names);
        if (constraints && family != AF_UNSPEC)
            buf_fmt(out, "/%s", family == AF_INET ? "255.255.255.255" : "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
    }
}

/* ---- making ---- */

static bool add_extension(const struct crypto_api *api, X509 *x, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx = {0};
    api->X509V3_set_ctx_(&ctx, issuer, x, NULL, NULL, 0);
    X509_EXTENSION *e = api->X509V3_EXT_conf_nid_(NULL, &ctx, nid, value);
    bool good = e && api->X509_add_ext_(x, e, -1) == 1;
    api->X509_EXTENSION_free_(e);
    return good;
}

static bool add_names(const struct crypto_api *api, X509 *x, X509 *issuer, const struct devcert_wish *w,
                      const struct pap_alloc *alloc)
{
    bool constraints = x == issuer;
    struct buf text;
    buf_init(&text, alloc, NAMES_TEXT);
    buf_add(&text, constraints ? S("critical") : S(""));
    list_names(&text, always, constraints);
    list_names(&text, w->names, constraints);
    buf_char(&text, '\0');
    bool good = buf_ok(&text) &&
                add_extension(api, x, issuer, constraints ? NID_name_constraints : NID_subject_alt_name, text.p);
    buf_fini(&text);
    return good;
}

/* Everything but what tells the two apart. The serial is the authority's name too: a browser that has seen two of one
 * name mixes them up. */
static bool begin(const struct crypto_api *api, X509 *x, EVP_PKEY *key, const struct devcert_wish *w, const char *what)
{
    uint64_t serial = 0;
    char name[64];
    if (api->RAND_bytes_((unsigned char *)&serial, sizeof serial) != 1)
        return false;
    serial = (serial >> 1) | 1; /* RFC 5280, 4.1.2.2: above 0 */
    (void)snprintf(name, sizeof name, "papaver %s %08x", what, (unsigned)serial);
    return api->X509_set_version_(x, 2) == 1 && api->ASN1_INTEGER_set_uint64_(api->X509_get_serialNumber_(x), serial) &&
           api->ASN1_TIME_set_(api->X509_getm_notBefore_(x), (time_t)(w->now - HOUR)) &&
           api->ASN1_TIME_set_(api->X509_getm_notAfter_(x), (time_t)(w->now + DEVCERT_DAYS * DAY)) &&
           api->X509_set_pubkey_(x, key) == 1 &&
           api->X509_NAME_add_entry_by_txt_(api->X509_get_subject_name_(x), "CN", MBSTRING_ASC,
                                            (const unsigned char *)name, -1, -1, 0) == 1;
}

static bool make_authority(struct pair *p, const struct devcert_wish *w, const struct pap_alloc *alloc)
{
    const struct crypto_api *api = &p->api;
    X509 *x = p->authority;
    return begin(api, x, p->authority_key, w, "throw-away CA") &&
           api->X509_set_issuer_name_(x, api->X509_get_subject_name_(x)) == 1 &&
           add_extension(api, x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
           add_extension(api, x, x, NID_key_usage, "critical,keyCertSign") &&
           add_extension(api, x, x, NID_subject_key_identifier, "hash") && add_names(api, x, x, w, alloc) &&
           api->X509_sign_(x, p->authority_key, api->EVP_sha256_()) > 0;
}

static bool make_leaf(struct pair *p, const struct devcert_wish *w, const struct pap_alloc *alloc)
{
    const struct crypto_api *api = &p->api;
    X509 *x = p->leaf, *issuer = p->authority;
    return begin(api, x, p->leaf_key, w, "development server") &&
           api->X509_set_issuer_name_(x, api->X509_get_subject_name_(issuer)) == 1 &&
           add_extension(api, x, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(api, x, issuer, NID_key_usage, "critical,digitalSignature") &&
           add_extension(api, x, issuer, NID_ext_key_usage, "serverAuth") &&
           add_extension(api, x, issuer, NID_subject_key_identifier, "hash") &&
           add_extension(api, x, issuer, NID_authority_key_identifier, "keyid:always") &&
           add_names(api, x, issuer, w, alloc) && api->X509_sign_(x, p->authority_key, api->EVP_sha256_()) > 0;
}

/* PEM of the certificate, and of the key where there is one. p NULL: out of memory. */
static struct pap_str pem(const struct crypto_api *api, struct arena *a, X509 *x, EVP_PKEY *key)
{
    struct pap_str text = {NULL, 0};
    char *p = NULL;
    BIO *b = api->BIO_new_(api->BIO_s_mem_());
    if (b && api->PEM_write_bio_X509_(b, x) == 1 &&
        (!key || api->PEM_write_bio_PrivateKey_(b, key, NULL, NULL, 0, NULL, NULL) == 1)) {
        long n = api->BIO_ctrl_(b, BIO_CTRL_INFO, 0, &p);
        text = arena_str(a, str(p, n > 0 ? (size_t)n : 0));
    }
    (void)api->BIO_free_(b);
    return text;
}

static pap_result make(struct pair *p, struct arena *a, const struct devcert_wish *w, struct devcert *ret,
                       struct pap_err *err)
{
    const struct crypto_api *api = &p->api;
    p->authority = api->X509_new_();
    p->leaf = api->X509_new_();
    p->authority_key = api->EVP_PKEY_Q_keygen_(NULL, NULL, "EC", "P-256");
    p->leaf_key = api->EVP_PKEY_Q_keygen_(NULL, NULL, "EC", "P-256");
    if (!p->authority || !p->leaf || !p->authority_key || !p->leaf_key || !make_authority(p, w, a->alloc) ||
        !make_leaf(p, w, a->alloc))
        return fail(err, PAP_NO_MEMORY, "a certificate could not be made: out of memory");
    struct devcert c = {pem(api, a, p->authority, NULL), pem(api, a, p->leaf, p->leaf_key)};
    if (!c.authority.p || !c.leaf.p)
        return fail_memory(err);
    *ret = c;
    return OK;
}

pap_result devcert_new(struct arena *a, const struct devcert_wish *wish, struct devcert *ret, struct pap_err *err)
{
    struct pair p = {0};
    TRY(open_api(&p.api, err));
    pap_result r = make(&p, a, wish, ret, err);
    pair_fini(&p);
    return r;
}

/* ---- reading ---- */

static BIO *reader(const struct crypto_api *api, struct pap_str text)
{
    return text.n > INT32_MAX ? NULL : api->BIO_new_mem_buf_(text.p ? text.p : "", (int)text.n);
}

static X509 *read_certificate(const struct crypto_api *api, struct pap_str text)
{
    BIO *b = reader(api, text);
    X509 *x = b ? api->PEM_read_bio_X509_(b, NULL, NULL, NULL) : NULL;
    (void)api->BIO_free_(b);
    return x;
}

/* Nobody is asked for a pass phrase. */
static EVP_PKEY *read_key(const struct crypto_api *api, struct pap_str text)
{
    static char none[] = "";
    BIO *b = reader(api, text);
    EVP_PKEY *key = b ? api->PEM_read_bio_PrivateKey_(b, NULL, NULL, none) : NULL;
    (void)api->BIO_free_(b);
    return key;
}

static bool has_names(const struct crypto_api *api, X509 *x, const char *const *names)
{
    for (; names && *names; names++)
        if ((family_of(*names) == AF_UNSPEC ? api->X509_check_host_(x, *names, 0, 0, NULL)
                                            : api->X509_check_ip_asc_(x, *names, 0)) != 1)
            return false;
    return true;
}

pap_result devcert_fits(const struct devcert *c, const struct devcert_wish *wish, unsigned seconds, bool *ret,
                        struct pap_err *err)
{
    struct pair p = {0};
    time_t until = (time_t)(wish->now + seconds);
    TRY(open_api(&p.api, err));
    p.authority = read_certificate(&p.api, c->authority);
    p.leaf = read_certificate(&p.api, c->leaf);
    p.leaf_key = read_key(&p.api, c->leaf);
    *ret = p.authority && p.leaf && p.leaf_key && p.api.X509_check_private_key_(p.leaf, p.leaf_key) == 1 &&
           p.api.X509_verify_(p.leaf, p.api.X509_get0_pubkey_(p.authority)) == 1 &&
           p.api.X509_cmp_time_(p.api.X509_get0_notAfter_(p.leaf), &until) > 0 && has_names(&p.api, p.leaf, always) &&
           has_names(&p.api, p.leaf, wish->names);
    pair_fini(&p);
    return OK;
}
