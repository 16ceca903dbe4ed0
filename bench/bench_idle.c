/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_idle PORT COUNT TLS(0|1) PATH: so many connections to 127.0.0.1, each after one request of 5,000 bytes; prints "ready"
 * and waits to be killed. The TLS side is a blocking OpenSSL client.
 */
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char request[512];

/* The artifact has 5,000 bytes; what the head has, the first answer tells. */
static int ask(int fd, SSL *ssl)
{
    static int whole;
    char answer[8192], *end;
    int got = 0, n = 1, length = (int)strlen(request);
    if (ssl ? SSL_write(ssl, request, length) <= 0 : write(fd, request, (size_t)length) <= 0)
        return 0;
    while ((!whole || got < whole) && n > 0) {
        n = ssl ? SSL_read(ssl, answer + got, (int)sizeof answer - got)
                : (int)read(fd, answer + got, sizeof answer - (size_t)got);
        got += n;
        if (n > 0 && !whole && (end = memmem(answer, (size_t)got, "\r\n\r\n", 4)) != NULL)
            whole = (int)(end - answer) + 4 + 5000;
    }
    return n > 0;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: bench.example\r\n\r\n", argv[4]);
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
