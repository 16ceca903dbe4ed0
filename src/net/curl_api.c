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
    const struct library_symbol ssl[] = {
        {"SSL_get_version", &api.ssl_version}, {"SSL_get0_peer_certificate", &api.ssl_certificate}, {NULL, NULL}};
    const struct library_symbol crypto[] = {
        {"X509_get0_notAfter", &api.x509_not_after}, {"ASN1_TIME_to_tm", &api.asn1_to_tm}, {NULL, NULL}};
    TRY(library_open("libcurl.so.4", "libcurl4", curl, err));
    if (!is_ok(library_open("libcrypto.so.3", "libssl3", crypto, NULL)) ||
        !is_ok(library_open("libssl.so.3", "libssl3", ssl, NULL)))
        api.ssl_version = NULL;
    *ret = api;
    return OK;
}
