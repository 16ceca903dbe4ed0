/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of libcurl and of the TLS library below it, opened on first use: linking them would cost every command
 * some 10 ms of start-up (docs/decisions.md).
 */
#ifndef NET_CURL_API_H
#define NET_CURL_API_H

#define CURL_DISABLE_TYPECHECK /* its macros stand in the way of function pointers */
#include <curl/curl.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/result.h"

#define CURL_FUNCTIONS(X)  \
    X(global_init)         \
    X(global_cleanup)      \
    X(easy_init)           \
    X(easy_cleanup)        \
    X(easy_setopt)         \
    X(easy_getinfo)        \
    X(easy_strerror)       \
    X(multi_init)          \
    X(multi_cleanup)       \
    X(multi_setopt)        \
    X(multi_add_handle)    \
    X(multi_remove_handle) \
    X(multi_perform)       \
    X(multi_poll)          \
    X(multi_info_read)     \
    X(share_init)          \
    X(share_setopt)        \
    X(share_cleanup)       \
    X(slist_append)        \
    X(slist_free_all)      \
    X(version_info)

struct curl_api {
#define CURL_MEMBER(name) __typeof__(curl_##name) *name;
    CURL_FUNCTIONS(CURL_MEMBER)
#undef CURL_MEMBER
    /* Of libssl and libcrypto; all NULL when they are not the ones that libcurl uses. */
    __typeof__(SSL_get_version) *ssl_version;
    __typeof__(SSL_get0_peer_certificate) *ssl_certificate;
    __typeof__(SSL_CTX_set_cert_verify_callback) *ssl_set_verify;
    __typeof__(X509_verify_cert) *x509_verify;
    __typeof__(X509_STORE_CTX_get0_cert) *x509_leaf;
    __typeof__(X509_up_ref) *x509_up_ref;
    __typeof__(X509_free) *x509_free;
    __typeof__(X509_get0_notBefore) *x509_not_before;
    __typeof__(X509_get0_notAfter) *x509_not_after;
    __typeof__(X509_get_ext_d2i) *x509_extension;
    __typeof__(ASN1_TIME_to_tm) *asn1_to_tm;
    __typeof__(ASN1_STRING_get0_data) *asn1_data;
    __typeof__(ASN1_STRING_length) *asn1_length;
    __typeof__(GENERAL_NAMES_free) *names_free;
    __typeof__(OPENSSL_sk_num) *stack_count;
    __typeof__(OPENSSL_sk_value) *stack_at;
};

/* PAP_UNAVAILABLE when libcurl cannot be opened; without the TLS library there are no TLS facts, and no failure. */
pap_result curl_api_open(struct curl_api *ret, struct pap_err *err) PAP_MUST;

#endif
