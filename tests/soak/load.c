/* SPDX-License-Identifier: Apache-2.0
 *
 * load PORT TLS-PORT CA SECONDS CONNECTIONS: the clients of tools/soak. Each connection is a thread that asks, reads, and
 * believes nothing: half of them over TLS. An answer must be whole; its ETag and Content-Digest are those of its bytes; an
 * index speaks of one variant only; what it lists is there with the digest that it lists; 304 and ranges fit. Some requests
 * are walked away from. Prints what was asked in all; ends with 1 when anything was wrong.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER = 4 << 20, ENTRIES = 400, HEX = 64, WRONG_SHOWN = 20, WAIT_SECONDS = 30 };

struct entry {
    char path[160], digest[HEX + 1];
};

struct client {
    unsigned port, seed;
    SSL_CTX *tls; /* NULL: plain */
    int fd;
    SSL *ssl;
    char *bytes;    /* the answer: head, then body */
    size_t n, head; /* bytes read; of these the head */
    char *body;
    size_t n_body;
    unsigned status;
    struct entry entries[ENTRIES];
    size_t n_entries;
};

static struct {
    atomic_ulong requests, bytes, indexes, artifacts, unchanged, ranges, left, wrong, variants;
    atomic_bool over;
} all;

__attribute__((format(printf, 2, 3))) static void wrong(const struct client *c, const char *fmt, ...)
{
    va_list ap;
    if (atomic_fetch_add(&all.wrong, 1) >= WRONG_SHOWN)
        return;
    flockfile(stdout);
    va_start(ap, fmt);
    printf("WRONG (%s): ", c->tls ? "TLS" : "plain");
    vprintf(fmt, ap);
    printf("\n   %.*s\n", (int)strcspn(c->bytes, "\r\n"), c->bytes);
    va_end(ap);
    funlockfile(stdout);
}

/* ---- connections ---- */

static void hang_up(struct client *c)
{
    SSL_free(c->ssl);
    c->ssl = NULL;
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

static int dial(struct client *c)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)c->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval wait = {.tv_sec = WAIT_SECONDS};
    int on = 1;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    (void)setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
    (void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof to) != 0)
        return 0;
    if (!c->tls)
        return 1;
    c->ssl = SSL_new(c->tls);
    return c->ssl && SSL_set_fd(c->ssl, c->fd) == 1 && SSL_set1_host(c->ssl, "localhost") == 1 &&
           SSL_set_tlsext_host_name(c->ssl, "localhost") == 1 && SSL_connect(c->ssl) == 1;
}

static int send_all(struct client *c, const char *p, size_t n)
{
    while (n) {
        ssize_t done = c->ssl ? SSL_write(c->ssl, p, (int)n) : send(c->fd, p, n, MSG_NOSIGNAL);
        if (done <= 0)
            return 0;
        p += done;
        n -= (size_t)done;
    }
    return 1;
}

/* Until so many bytes are there. */
static int fill(struct client *c, size_t n)
{
    while (c->n < n) {
        ssize_t got = n > ANSWER ? -1
                      : c->ssl   ? SSL_read(c->ssl, c->bytes + c->n, (int)(ANSWER - c->n))
                                 : recv(c->fd, c->bytes + c->n, ANSWER - c->n, 0);
        if (got <= 0)
            return 0;
        c->n += (size_t)got;
        c->bytes[c->n] = '\0';
    }
    return 1;
}

/* ---- answers ---- */

/* The value of a field, in memory of the thread; "" when there is none. */
static const char *field(const struct client *c, const char *name)
{
    static _Thread_local char value[256];
    const char *at = c->bytes;
    size_t n = strlen(name);
    value[0] = '\0';
    while ((at = strchr(at, '\n')) != NULL && ++at < c->bytes + c->head)
        if (strncasecmp(at, name, n) == 0 && at[n] == ':')
            snprintf(value, sizeof value, "%.*s", (int)strcspn(at + n + 2, "\r\n"), at + n + 2);
    return value;
}

static int read_answer(struct client *c, int has_body)
{
    char *end = NULL;
    c->n = 0;
    c->bytes[0] = '\0';
    while (!end) {
        if (!fill(c, c->n + 1))
            return 0;
        end = strstr(c->bytes, "\r\n\r\n");
    }
    c->head = (size_t)(end - c->bytes) + 4;
    c->body = c->bytes + c->head;
    c->status = (unsigned)atoi(c->bytes + 9);
    c->n_body = has_body && c->status != 304 ? (size_t)atol(field(c, "content-length")) : 0;
    return fill(c, c->head + c->n_body) && c->n == c->head + c->n_body;
}

/* Asks until there is an answer; a connection that ends before is dialled again, and that is wrong. */
static int ask(struct client *c, const char *method, const char *path, const char *fields)
{
    char request[512];
    int n = snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", method, path, fields);
    if (c->fd < 0 && !dial(c)) {
        c->bytes[0] = '\0';
        wrong(c, "no connection");
        hang_up(c);
        sleep(1);
        return 0;
    }
    if (!send_all(c, request, (size_t)n) || !read_answer(c, method[0] == 'G')) {
        wrong(c, "%s %s: the answer is not whole: %zu bytes", method, path, c->n);
        hang_up(c);
        return 0;
    }
    atomic_fetch_add(&all.requests, 1);
    atomic_fetch_add(&all.bytes, c->n);
    if (strcasecmp(field(c, "connection"), "close") == 0)
        hang_up(c);
    return 1;
}

static void digest(const char *p, size_t n, char ret[HEX + 1], char ret_base64[HEX])
{
    unsigned char raw[EVP_MAX_MD_SIZE];
    static EVP_MD *sha256;
    if (!sha256)
        sha256 = EVP_MD_fetch(NULL, "SHA256", NULL); /* by the main thread first */
    if (EVP_Digest(p, n, raw, NULL, sha256, NULL) != 1)
        abort();
    for (int i = 0; i < HEX / 2; i++)
        snprintf(ret + 2 * i, 3, "%02x", raw[i]);
    (void)EVP_EncodeBlock((unsigned char *)ret_base64, raw, HEX / 2);
}

/* A whole answer says what its bytes are. */
static int is_itself(struct client *c, const char *path, char ret[HEX + 1])
{
    char etag[HEX + 10], base64[HEX], content[HEX + 12];
    digest(c->body, c->n_body, ret, base64);
    snprintf(etag, sizeof etag, "\"sha256:%s\"", ret);
    snprintf(content, sizeof content, "sha-256=:%s:", base64);
    if (c->status != 200)
        wrong(c, "%s: not 200", path);
    else if (strcmp(field(c, "etag"), etag) != 0)
        wrong(c, "%s: its ETag is %s, its bytes are %s", path, field(c, "etag"), etag);
    else if (strcmp(field(c, "content-digest"), content) != 0)
        wrong(c, "%s: its Content-Digest is %s, not %s", path, field(c, "content-digest"), content);
    else
        return 1;
    return 0;
}

/* ---- what is asked ---- */

#define FOLDER "/.well-known/agent-skills/"

/* "variant N" stands in each description. */
static void one_variant(struct client *c)
{
    static atomic_int last_of[2] = {-1, -1};
    atomic_int *last = &last_of[c->tls != NULL];
    int first = -1;
    for (const char *at = c->body; (at = strstr(at, "variant ")) != NULL; at += 8) {
        if (first >= 0 && atoi(at + 8) != first) {
            wrong(c, "the index speaks of the variants %d and %d", first, atoi(at + 8));
            return;
        }
        first = atoi(at + 8);
    }
    if (first < 0)
        wrong(c, "the index speaks of no variant");
    if (atomic_exchange(last, first) != first)
        atomic_fetch_add(&all.variants, 1);
}

static int take_index(struct client *c)
{
    char sum[HEX + 1];
    if (!ask(c, "GET", FOLDER "index.json", "") || !is_itself(c, "the index", sum))
        return 0;
    atomic_fetch_add(&all.indexes, 1);
    one_variant(c);
    c->n_entries = 0;
    for (const char *at = c->body; c->n_entries < ENTRIES && (at = strstr(at, "\"url\": \"")) != NULL; at += 8) {
        const char *sum_at = strstr(at, "\"sha256:");
        struct entry *e = &c->entries[c->n_entries++];
        if (!sum_at)
            break;
        snprintf(e->path, sizeof e->path, FOLDER "%.*s", (int)strcspn(at + 8, "\""), at + 8);
        snprintf(e->digest, sizeof e->digest, "%.*s", HEX, sum_at + 8);
    }
    if (c->n_entries == 0)
        wrong(c, "the index is empty");
    return c->n_entries > 0;
}

static void take_artifact(struct client *c, const struct entry *e)
{
    char sum[HEX + 1], fields[128], slice[100];
    if (!ask(c, "GET", e->path, "") || !is_itself(c, e->path, sum))
        return;
    if (strcmp(sum, e->digest) != 0)
        wrong(c, "%s: the index says %s, and it is %s", e->path, e->digest, sum);
    atomic_fetch_add(&all.artifacts, 1);
    if (rand_r(&c->seed) % 4 == 0) {
        snprintf(fields, sizeof fields, "If-None-Match: \"sha256:%s\"\r\n", sum);
        if (ask(c, "GET", e->path, fields) && c->status != 304)
            wrong(c, "%s: not 304", e->path);
        atomic_fetch_add(&all.unchanged, 1);
    } else if (rand_r(&c->seed) % 4 == 0 && c->n_body > 200) {
        size_t from = (size_t)rand_r(&c->seed) % (c->n_body - sizeof slice);
        memcpy(slice, c->body + from, sizeof slice);
        snprintf(fields, sizeof fields, "Range: bytes=%zu-%zu\r\n", from, from + sizeof slice - 1);
        if (ask(c, "GET", e->path, fields) &&
            (c->status != 206 || c->n_body != sizeof slice || memcmp(c->body, slice, sizeof slice) != 0))
            wrong(c, "%s: not these 100 bytes", e->path);
        atomic_fetch_add(&all.ranges, 1);
    }
}

static void ask_others(struct client *c)
{
    char sum[HEX + 1];
    if (ask(c, "GET", FOLDER "index.json", "Accept-Encoding: gzip\r\n"))
        (void)is_itself(c, "the index in gzip", sum);
    if (ask(c, "HEAD", FOLDER "index.json", "") && c->status != 200)
        wrong(c, "HEAD: not 200");
    if (ask(c, "GET", "/.well-known/nothing", "") && c->status != 404)
        wrong(c, "what is not there: not 404");
    if (ask(c, "GET", "/", "") && c->status != 200)
        wrong(c, "the page: not 200");
    if (c->fd >= 0 && rand_r(&c->seed) % 8 == 0) { /* walks away with an answer on its way */
        static const char request[] = "GET " FOLDER "index.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
        (void)send_all(c, request, rand_r(&c->seed) % 2 ? sizeof request - 1 : 30);
        hang_up(c);
        atomic_fetch_add(&all.left, 1);
    }
}

static void *run(void *ctx)
{
    struct client *c = ctx;
    while (!all.over) {
        if (!take_index(c))
            continue;
        for (int i = 0; i < 40 && !all.over; i++)
            take_artifact(c, &c->entries[(size_t)rand_r(&c->seed) % c->n_entries]);
        ask_others(c);
    }
    hang_up(c);
    free(c->bytes);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    size_t n = (size_t)atoi(argv[5]);
    struct client *clients = calloc(n, sizeof *clients);
    pthread_t *threads = calloc(n, sizeof *threads);
    SSL_CTX *tls = SSL_CTX_new(TLS_client_method());
    char sum[HEX + 1], base64[HEX];
    if (!clients || !threads || !tls || SSL_CTX_load_verify_locations(tls, argv[3], NULL) != 1)
        return 2;
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    digest("", 0, sum, base64);
    for (size_t i = 0; i < n; i++) {
        clients[i] = (struct client){.port = (unsigned)atoi(argv[1 + i % 2]),
                                     .tls = i % 2 ? tls : NULL,
                                     .fd = -1,
                                     .seed = (unsigned)i + 1,
                                     .bytes = malloc(ANSWER + 1)};
        if (!clients[i].bytes || pthread_create(&threads[i], NULL, run, &clients[i]) != 0)
            return 2;
    }
    sleep((unsigned)atoi(argv[4]));
    all.over = 1;
    for (size_t i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
    SSL_CTX_free(tls);
    free(clients);
    free(threads);
    printf(
        "%lu requests (%lu indexes of %lu trees one after the other, %lu artifacts, %lu unchanged, %lu ranges, %lu walked "
        "away from), %lu MB: %lu wrong\n",
        all.requests, all.indexes, all.variants, all.artifacts, all.unchanged, all.ranges, all.left, all.bytes >> 20,
        all.wrong);
    return all.wrong > 0;
}
