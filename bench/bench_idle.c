/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_idle PORT COUNT TLS(0|1): so many connections to 127.0.0.1, each after one request and its answer; prints "ready"
 * and waits to be killed. The TLS side is a blocking OpenSSL client.
 */
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static const char request[] = "GET /artifact.md HTTP/1.1\r\nHost: bench.example\r\n\r\n";

/* The artifact has 5,000 bytes, and its head less than 1,000. */
static int ask(int fd, SSL *ssl)
{
    char answer[8192];
    int got = 0, n = 1;
    if (ssl ? SSL_write(ssl, request, sizeof request - 1) <= 0 : write(fd, request, sizeof request - 1) <= 0)
        return 0;
    while (got < 5100 && n > 0) {
        n = ssl ? SSL_read(ssl, answer, sizeof answer) : (int)read(fd, answer, sizeof answer);
        got += n;
    }
    return n > 0;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    SSL_CTX *ctx = atoi(argv[3]) ? SSL_CTX_new(TLS_client_method()) : NULL;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1]))};
    for (int i = 0; i < atoi(argv[2]); i++) {
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
            perror("connect");
            return 1;
        }
        SSL *ssl = ctx ? SSL_new(ctx) : NULL;
        if (ssl && (SSL_set_fd(ssl, fd) != 1 || SSL_connect(ssl) != 1))
            return 1;
        if (!ask(fd, ssl))
            return 1;
    }
    puts("ready");
    fflush(stdout);
    pause();
    return 0;
}
