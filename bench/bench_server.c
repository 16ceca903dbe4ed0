/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_server PORT [CHAIN KEY]: the HTTP server with one worker, one artifact of 5 kB in memory for every path, the
 * fields that a skill host sends with it, and 304 for its ETag. Prints nothing; ends with SIGTERM.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/server.h"

static char artifact[5000];

static void handle(void *ctx, const struct http_request *request, struct http_response *response)
{
    static const struct header fields[] = {
        {S_INIT("Content-Type"), S_INIT("text/markdown; charset=utf-8")},
        {S_INIT("Last-Modified"), S_INIT("Sun, 06 Nov 1994 08:49:37 GMT")},
        {S_INIT("ETag"), S_INIT("\"2ebc98a1-1388\"")},
        {S_INIT("Cache-Control"), S_INIT("public, max-age=31536000, immutable")},
        {S_INIT("X-Content-Type-Options"), S_INIT("nosniff")},
    };
    (void)ctx;
    bool same = str_eq(request_header(request, "if-none-match"), fields[2].value);
    response->status = same ? 304 : 200;
    response->headers = fields;
    response->n_headers = sizeof fields / sizeof fields[0];
    response->body = str(artifact, same ? 0 : sizeof artifact);
}

int main(int argc, char **argv)
{
    struct pap_err err;
    struct server *server;
    char address[32];
    if (argc != 2 && argc != 4)
        return 2;
    memset(artifact, 'x', sizeof artifact);
    snprintf(address, sizeof address, "127.0.0.1:%s", argv[1]);
    struct server_listener listener = {.tls = argc == 4};
    struct tls_certificate certificate = {argc == 4 ? argv[2] : NULL, argc == 4 ? argv[3] : NULL};
    struct server_options o = {.site.handle = handle,
                               .listeners = &listener,
                               .n_listeners = 1,
                               .certificates = &certificate,
                               .n_certificates = argc == 4,
                               .max_connections = 20000,
                               .head_ms = 600000};
    sigset_t stop;
    int signal_number;
    (void)sigemptyset(&stop);
    (void)sigaddset(&stop, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &stop, NULL);
    pap_result r = server_listen(str_c(address), &listener.fd, &err);
    if (r.code == PAP_OK)
        r = server_start(&o, &server, &err);
    if (r.code != PAP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    (void)sigwait(&stop, &signal_number);
    server_stop(server, 1000);
    return 0;
}
