/* SPDX-License-Identifier: Apache-2.0 */
#include "net/curl_api.h"

#include "sys/library.h"

pap_result curl_api_open(struct curl_api *ret, struct pap_err *err)
{
    struct curl_api api = {0};
    const struct library_symbol curl[] = {
#define CURL_ROW(function) {"curl_" #function, &api.function},
        CURL_FUNCTIONS(CURL_ROW){NULL, NULL}
#undef CURL_ROW
    };
    const struct library_symbol ssl[] = {{"SSL_get_version", &api.ssl_version},
                                         {"SSL_get0_peer_certificate", &api.ssl_certificate},
                                         {"SSL_CTX_set_cert_verify_callback", &api.ssl_set_verify},
                                         {NULL, NULL}};
    const struct library_symbol crypto[] = {{"X509_verify_cert", &api.x509_verify},
                                            {"X509_STORE_CTX_get0_cert", &api.x509_leaf},
                                            {"X509_up_ref", &api.x509_up_ref},
                                            {"X509_free", &api.x509_free},
                                            {"X509_get0_notBefore", &api.x509_not_before},
                                            {"X509_get0_notAfter", &api.x509_not_after},
                                            {"X509_get_ext_d2i", &api.x509_extension},
                                            {"ASN1_TIME_to_tm", &api.asn1_to_tm},
                                            {"ASN1_STRING_get0_data", &api.asn1_data},
                                            {"ASN1_STRING_length", &api.asn1_length},
                                            {"GENERAL_NAMES_free", &api.names_free},
                                            {"OPENSSL_sk_num", &api.stack_count},
                                            {"OPENSSL_sk_value", &api.stack_at},
                                            {NULL, NULL}};
    TRY(library_open("libcurl.so.4", "libcurl4", curl, err));
    if (!is_ok(library_open("libcrypto.so.3", "libssl3", crypto, NULL)) ||
        !is_ok(library_open("libssl.so.3", "libssl3", ssl, NULL)))
        api.ssl_version = NULL;
    *ret = api;
    return OK;
}
