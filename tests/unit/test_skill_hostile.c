/* SPDX-License-Identifier: Apache-2.0
 *
 * A hostile origin on loopback, one behaviour a route, and the skills client over libcurl against it: each is survived, with
 * the code that says what it was. Plain http, which loopback is allowed with `insecure_http`.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crypto/digest.h"
#include "make_archive.h"
#include "skills/client.h"
#include "unit.h"

enum { HEAD_MOST = 8192, ENTRIES = 10000, PATIENCE = 20000 };

static unsigned port;
static int listener;
static pthread_t server;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fewer = PTHREAD_COND_INITIALIZER;
static unsigned talking;              /* connections */
static unsigned counter;              /* of requests, for answers that change */
static char last_head[HEAD_MOST];     /* of the request for /exact */
static struct buf bomb, crowd, twins; /* archives */

static const char plants[] = "---\nname: water-plants\ndescription: d\n---\n\n# Water\n";

/* ---- the server ---- */

static bool put_all(int fd, struct pap_str s)
{
    while (s.n) {
        ssize_t n = send(fd, s.p, s.n, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        s = str_skip(s, (size_t)n);
    }
    return true;
}

static void answer(int fd, const char *status, const char *fields, struct pap_str body)
{
    char head[1024];
    (void)snprintf(head, sizeof head, "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %zu\r\n%s\r\n", status,
                   body.n, fields);
    (void)(put_all(fd, str_c(head)) && put_all(fd, body));
}

static void for_ever(int fd, const char *head, struct pap_str piece, int ms)
{
    bool ok = put_all(fd, str_c(head));
    for (unsigned i = 0; ok && i < 100000; i++) {
        ok = put_all(fd, piece);
        if (ms)
            (void)poll(NULL, 0, ms);
    }
}

static const char *digest_of(struct pap_str s)
{
    static _Thread_local char text[DIGEST_TEXT + 1];
    struct digest d = {0};
    if (is_ok(digest_sha256(&s, 1, &d, NULL)))
        digest_text(&d, text);
    return text;
}

static const char *list_of(char *out, size_t size, const char *type, const char *url, const char *digest)
{
    (void)snprintf(out, size,
                   "{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\"skills\":[{\"name\":"
                   "\"water-plants\",\"description\":\"d\",\"type\":\"%s\",\"url\":\"%s\",\"digest\":\"%s\"}]}",
                   type, url, digest);
    return out;
}

static const char bidi[] =
    "{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\"skills\":["
    "{\"name\":\"a\\u202eb\\u0007\\n\\u001b[31m\",\"description\":\"d\",\"type\":\"skill-md\",\"url\":\"a\",\"digest\":\"x\"},"
    "{\"name\":\"fine\",\"description\":\"\\u202e\\u2066evil\\u001b[2J\",\"type\":\"skill-md\",\"url\":\"a.md\",\"digest\":"
    "\"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}]}";

static struct pap_str archive_of(const char *path)
{
    return strstr(path, "bomb")     ? buf_str(&bomb)
           : strstr(path, "crowd")  ? buf_str(&crowd)
           : strstr(path, "twins")  ? buf_str(&twins)
           : strstr(path, "md.bin") ? str_c(plants)
                                    : S("");
}

static void changing(int fd)
{
    char body[256], list[2048];
    (void)pthread_mutex_lock(&lock);
    unsigned n = counter++;
    (void)pthread_mutex_unlock(&lock);
    (void)snprintf(body, sizeof body, "---\nname: water-plants\ndescription: d\n---\n%u\n", n);
    answer(fd, "200 OK", "", str_c(list_of(list, sizeof list, "skill-md", "/change.md", digest_of(str_c(body)))));
}

static void serve_one(int fd, const char *path)
{
    static char deep[200000];
    char list[4096];
    if (strcmp(path, "/to-http") == 0)
        answer(fd, "302 Found", "Location: http://192.0.2.1/i.json\r\n", S(""));
    else if (strcmp(path, "/to-private") == 0)
        answer(fd, "302 Found", "Location: https://10.0.0.1/i.json\r\n", S(""));
    else if (strcmp(path, "/to-metadata") == 0)
        answer(fd, "307 Temporary Redirect", "Location: https://169.254.169.254/latest\r\n", S(""));
    else if (strcmp(path, "/to-file") == 0)
        answer(fd, "302 Found", "Location: file:///etc/passwd\r\n", S(""));
    else if (strcmp(path, "/to-user") == 0)
        answer(fd, "302 Found", "Location: https://a:b@shop.example/\r\n", S(""));
    else if (strcmp(path, "/loop") == 0)
        answer(fd, "302 Found", "Location: /loop2\r\n", S(""));
    else if (strcmp(path, "/loop2") == 0)
        answer(fd, "302 Found", "Location: /loop\r\n", S(""));
    else if (strncmp(path, "/far", 4) == 0) {
        char to[64];
        (void)snprintf(to, sizeof to, "Location: /far%d\r\n", atoi(path + 4) + 1);
        answer(fd, "302 Found", to, S(""));
    } else if (strcmp(path, "/nowhere") == 0)
        answer(fd, "302 Found", "", S(""));
    else if (strcmp(path, "/slow") == 0)
        (void)poll(NULL, 0, 3000);
    else if (strcmp(path, "/trickle") == 0)
        for_ever(fd, "HTTP/1.1 200 OK\r\n\r\n", S(" "), 20);
    else if (strcmp(path, "/trickle-head") == 0)
        for_ever(fd, "HTTP/1.1 200 OK\r\n", S("X: 1\r\n"), 20);
    else if (strcmp(path, "/cut") == 0)
        (void)put_all(fd, S("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"skills\":["));
    else if (strcmp(path, "/endless") == 0)
        for_ever(fd, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
                 S("                                                                "), 0);
    else if (strcmp(path, "/endless-head") == 0)
        for_ever(fd, "HTTP/1.1 200 OK\r\n", S("X: 1\r\nX: 2\r\nX: 3\r\nX: 4\r\n"), 0);
    else if (strcmp(path, "/declared") == 0)
        (void)put_all(fd, S("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\nxxxxxxxx"));
    else if (strcmp(path, "/no-http") == 0)
        (void)put_all(fd, S("SSH-2.0-OpenSSH_9.2\r\n"));
    else if (strcmp(path, "/html") == 0)
        answer(fd, "200 OK", "Content-Type: text/html\r\n", S("<!doctype html><title>Not found</title>"));
    else if (strcmp(path, "/deep") == 0) {
        memset(deep, '[', sizeof deep);
        answer(fd, "200 OK", "", str(deep, sizeof deep));
    } else if (strcmp(path, "/gzip") == 0)
        answer(fd, "200 OK", "Content-Encoding: gzip\r\n", S("\x1f\x8b\x08not really"));
    else if (strcmp(path, "/empty") == 0)
        answer(fd, "200 OK", "", S(""));
    else if (strcmp(path, "/401") == 0)
        answer(fd, "401 Unauthorized", "WWW-Authenticate: Basic\r\n", S("secret of the host"));
    else if (strcmp(path, "/403") == 0)
        answer(fd, "403 Forbidden", "", S("secret of the host"));
    else if (strcmp(path, "/304") == 0)
        answer(fd, "304 Not Modified", "", S(""));
    else if (strcmp(path, "/names") == 0)
        answer(fd, "200 OK", "", str_c(bidi));
    else if (strcmp(path, "/schema") == 0)
        answer(fd, "200 OK", "", S("{\"$schema\":\"https://agentskills.io/schema\",\"skills\":[]}"));
    else if (strcmp(path, "/change") == 0)
        changing(fd);
    else if (strcmp(path, "/change.md") == 0)
        answer(fd, "200 OK", "", S("---\nname: water-plants\ndescription: d\n---\nother\n"));
    else if (strncmp(path, "/list-", 6) ==
             0) { /* /list-TYPE-URL: whose digest is right when the URL is an archive of ours */
        const char *url = strchr(path + 6, '-') + 1;
        bool md = strncmp(path + 6, "md", 2) == 0;
        struct pap_str bytes = archive_of(url);
        char at[512];
        (void)snprintf(at, sizeof at, "/%.200s", url);
        answer(fd, "200 OK", "", str_c(list_of(list, sizeof list, md ? "skill-md" : "archive", at, digest_of(bytes))));
    } else if (strcmp(path, "/exact") == 0)
        answer(fd, "200 OK", "Set-Cookie: a=b\r\n",
               str_c(list_of(list, sizeof list, "skill-md", "/x.md", digest_of(S("x")))));
    else if (archive_of(path).n)
        answer(fd, "200 OK", strstr(path, "typeless") ? "Content-Type: text/plain\r\n" : "", archive_of(path));
    else
        answer(fd, "404 Not Found", "", S("nothing"));
}

static void *serve_connection(void *ctx)
{
    int fd = (int)(intptr_t)ctx;
    char head[HEAD_MOST], path[1024] = "";
    size_t n = 0;
    while (n < sizeof head - 1 && !memmem(head, n, "\r\n\r\n", 4)) {
        ssize_t k = recv(fd, head + n, sizeof head - 1 - n, 0);
        if (k <= 0)
            break;
        n += (size_t)k;
    }
    head[n] = '\0';
    if (sscanf(head, "GET %1000s", path) == 1) {
        if (strcmp(path, "/exact") == 0) {
            (void)pthread_mutex_lock(&lock);
            memcpy(last_head, head, n + 1);
            (void)pthread_mutex_unlock(&lock);
        }
        serve_one(fd, path);
    }
    (void)shutdown(fd, SHUT_WR);
    while (recv(fd, head, sizeof head, MSG_DONTWAIT) > 0)
        continue;
    (void)close(fd);
    (void)pthread_mutex_lock(&lock);
    talking--;
    (void)pthread_cond_signal(&fewer);
    (void)pthread_mutex_unlock(&lock);
    return NULL;
}

/* Who still talks reads what is to be freed. */
static bool all_have_ended(void)
{
    struct timespec end;
    int r = 0;
    (void)clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 30;
    (void)pthread_mutex_lock(&lock);
    while (talking && r == 0)
        r = pthread_cond_timedwait(&fewer, &lock, &end);
    bool ended = talking == 0;
    (void)pthread_mutex_unlock(&lock);
    return ended;
}

static void *serve(void *ctx)
{
    (void)ctx;
    for (;;) {
        pthread_t one;
        int fd = accept(listener, NULL, NULL);
        if (fd < 0)
            return NULL;
        (void)pthread_mutex_lock(&lock);
        talking++;
        (void)pthread_mutex_unlock(&lock);
        if (pthread_create(&one, NULL, serve_connection, (void *)(intptr_t)fd) != 0)
            abort();
        (void)pthread_detach(one);
    }
}

/* ---- archives ---- */

static void compress_more(z_stream *z, struct buf *out, struct pap_str s, int flush)
{
    z->next_in = (Bytef *)(uintptr_t)s.p;
    z->avail_in = (uInt)s.n;
    do {
        char *room = buf_room(out, 65536);
        assert_non_null(room);
        z->next_out = (Bytef *)room;
        z->avail_out = 65536;
        (void)deflate(z, flush);
        buf_grew(out, 65536 - z->avail_out);
    } while (z->avail_out == 0);
}

/* 300 MB of zeros in files of 9 MB, each of which is allowed. */
static void make_bomb(void)
{
    enum { FILES = 33, FILE_BYTES = 9 << 20 };
    static char zeros[FILE_BYTES];
    z_stream z = {0};
    struct buf tar;
    buf_init(&bomb, NULL, 8 << 20);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    for (unsigned i = 0; i <= FILES; i++) {
        char name[32], size[16];
        buf_init(&tar, NULL, 1 << 20);
        (void)snprintf(name, sizeof name, "zeros-%u", i);
        (void)snprintf(size, sizeof size, "%011o", (unsigned)FILE_BYTES);
        if (i == 0)
            tar_add(&tar, &(struct tar_part){.name = "SKILL.md", .data = str_c(plants)});
        else
            tar_add(&tar, &(struct tar_part){.name = name, .size = size});
        compress_more(&z, &bomb, buf_str(&tar), Z_NO_FLUSH);
        if (i)
            compress_more(&z, &bomb, str(zeros, FILE_BYTES), Z_NO_FLUSH);
        buf_fini(&tar);
    }
    compress_more(&z, &bomb, str(zeros, 1024), Z_FINISH);
    (void)deflateEnd(&z);
}

static void make_archives(void)
{
    struct buf tar;
    buf_init(&tar, NULL, 64 << 20);
    tar_add(&tar, &(struct tar_part){.name = "SKILL.md", .data = str_c(plants)});
    for (unsigned i = 0; i < ENTRIES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "f%u", i);
        tar_add(&tar, &(struct tar_part){.name = name});
    }
    tar_end(&tar, 2);
    buf_init(&crowd, NULL, 8 << 20);
    gzip_wrap(&crowd, buf_str(&tar));
    buf_reset(&tar);
    tar_add(&tar, &(struct tar_part){.name = "SKILL.md", .data = str_c(plants)});
    tar_add(&tar, &(struct tar_part){.name = "A.md", .data = S("1")});
    tar_add(&tar, &(struct tar_part){.name = "a.MD", .data = S("2")});
    tar_end(&tar, 2);
    buf_init(&twins, NULL, 1 << 20);
    gzip_wrap(&twins, buf_str(&tar));
    buf_fini(&tar);
    make_bomb();
}

static int set_up(void **state)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    (void)state;
    make_archives();
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&a, sizeof a) != 0 || listen(listener, 64) != 0 ||
        getsockname(listener, (struct sockaddr *)&a, &n) != 0)
        return 1;
    port = ntohs(a.sin_port);
    return pthread_create(&server, NULL, serve, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    (void)shutdown(listener, SHUT_RDWR);
    (void)pthread_join(server, NULL);
    (void)close(listener);
    if (!all_have_ended())
        return 1;
    buf_fini(&bomb);
    buf_fini(&crowd);
    buf_fini(&twins);
    return 0;
}

/* ---- what the client holds ---- */

struct tally {
    struct pap_alloc alloc;
    pthread_mutex_t lock;
    size_t now, most;
};

static void *tally_fn(void *ctx, void *old, size_t old_size, size_t new_size)
{
    struct tally *t = ctx;
    void *p = NULL;
    if (new_size) {
        p = realloc(old, new_size);
        if (!p)
            return NULL;
    } else {
        free(old);
    }
    (void)pthread_mutex_lock(&t->lock);
    t->now += new_size - (old ? old_size : 0);
    t->most = t->now > t->most ? t->now : t->most;
    (void)pthread_mutex_unlock(&t->lock);
    return p;
}

static struct pap_skill_client *client_of(struct tally *t, uint32_t timeout_ms)
{
    struct pap_skill_client *c;
    struct pap_skill_err err = {0};
    *t = (struct tally){.lock = PTHREAD_MUTEX_INITIALIZER};
    t->alloc = (struct pap_alloc){tally_fn, t};
    const struct pap_skill_options o = {
        .alloc = &t->alloc, .insecure_http = true, .timeout_ms = timeout_ms, .most_catalog_bytes = 256 * 1024};
    if (!is_ok(pap_skill_client_new(&o, &c, &err)))
        unit_fail("%s", err.text);
    return c;
}

static pap_result open_path(struct pap_skill_client *c, const char *path, struct pap_skill_session **ret,
                            struct pap_skill_err *err)
{
    char place[256];
    (void)snprintf(place, sizeof place, "http://127.0.0.1:%u%.200s", port, path);
    *ret = NULL;
    *err = (struct pap_skill_err){0};
    return pap_skill_session_open(c, &(struct pap_skill_origin){.place = place, .label = "hostile"}, ret, err);
}

static bool is_plain(const char *text)
{
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return false;
    return !strstr(text, "\xe2\x80\xae") && !strstr(text, "\xe2\x81\xa6");
}

static void lists_are_survived(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        enum pap_skill_code code;
        const char *key, *value; /* one fact; NULL: none is looked at */
    } cases[] = {
        {"/to-http", PAP_SKILL_POLICY_DENIED, "origin_alias", "hostile"},
        {"/to-private", PAP_SKILL_POLICY_DENIED, NULL, NULL},
        {"/to-metadata", PAP_SKILL_POLICY_DENIED, NULL, NULL},
        {"/to-file", PAP_SKILL_POLICY_DENIED, NULL, NULL},
        {"/to-user", PAP_SKILL_POLICY_DENIED, NULL, NULL},
        {"/loop", PAP_SKILL_POLICY_DENIED, NULL, NULL},
        {"/far0", PAP_SKILL_POLICY_DENIED, NULL, NULL},
        {"/nowhere", PAP_SKILL_POLICY_DENIED, NULL, NULL},
        {"/slow", PAP_SKILL_REQUEST_TIMEOUT, NULL, NULL},
        {"/trickle", PAP_SKILL_REQUEST_TIMEOUT, NULL, NULL},
        {"/trickle-head", PAP_SKILL_REQUEST_TIMEOUT, NULL, NULL},
        {"/cut", PAP_SKILL_ORIGIN_UNAVAILABLE, NULL, NULL},
        {"/endless", PAP_SKILL_LIMIT_EXCEEDED, "limit", "catalog_bytes"},
        {"/endless-head", PAP_SKILL_LIMIT_EXCEEDED, NULL, NULL},
        {"/declared", PAP_SKILL_ORIGIN_UNAVAILABLE, NULL, NULL},
        {"/no-http", PAP_SKILL_ORIGIN_UNAVAILABLE, NULL, NULL},
        {"/html", PAP_SKILL_CATALOG_INVALID, "field", "$document"},
        {"/deep", PAP_SKILL_CATALOG_INVALID, "field", "$document"},
        {"/gzip", PAP_SKILL_CATALOG_INVALID, "field", "$document"},
        {"/empty", PAP_SKILL_CATALOG_INVALID, "field", "$document"},
        {"/401", PAP_SKILL_AUTHENTICATION_FAILED, "status", "401"},
        {"/403", PAP_SKILL_AUTHORIZATION_DENIED, "status", "403"},
        {"/304", PAP_SKILL_ORIGIN_UNAVAILABLE, "status", "304"},
        {"/schema", PAP_SKILL_UNSUPPORTED_SCHEMA, NULL, NULL},
        {"/none", PAP_SKILL_ORIGIN_UNAVAILABLE, "status", "404"},
    };
    size_t most = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tally t;
        struct pap_skill_client *c = client_of(&t, cases[i].code == PAP_SKILL_REQUEST_TIMEOUT ? 1500 : PATIENCE);
        struct pap_skill_session *s;
        struct pap_skill_err err;
        const char *k, *v;
        bool found = !cases[i].key;
        pap_result r = open_path(c, cases[i].path, &s, &err);
        if (is_ok(r) || err.code != cases[i].code)
            unit_fail("%s: got %s (%s), want %s", cases[i].path, pap_skill_code_name(err.code), err.text,
                      pap_skill_code_name(cases[i].code));
        for (size_t j = 0; pap_skill_err_at(&err, j, &k, &v); j++)
            found |= cases[i].key && strcmp(k, cases[i].key) == 0 && strcmp(v, cases[i].value) == 0;
        if (!found || !is_plain(err.text) || strstr(err.text, "secret"))
            unit_fail("%s: %s", cases[i].path, err.text);
        pap_skill_client_free(c);
        assert_int_equal(t.now, 0);
        most = t.most > most ? t.most : most;
    }
    print_message("the most that the client held: %zu kB\n", most / 1024);
    assert_true(most < 8 << 20);
}

static void artifacts_are_survived(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        enum pap_skill_code code;
        const char *word; /* in the sentence */
    } cases[] = {
        {"/list-archive-bomb.tar.gz", PAP_SKILL_LIMIT_EXCEEDED, ""},
        {"/list-archive-crowd.tar.gz", PAP_SKILL_LIMIT_EXCEEDED, ""},
        {"/list-archive-twins.tar.gz", PAP_SKILL_ARCHIVE_UNSAFE, ""},
        {"/list-archive-typeless-twins", PAP_SKILL_ARTIFACT_UNSUPPORTED, ""},
        {"/list-archive-endless", PAP_SKILL_LIMIT_EXCEEDED, "more than"},
        {"/list-archive-declared", PAP_SKILL_LIMIT_EXCEEDED, "more than"},
        {"/list-archive-401", PAP_SKILL_AUTHENTICATION_FAILED, "401"},
        {"/list-archive-403", PAP_SKILL_AUTHORIZATION_DENIED, "403"},
        {"/list-archive-304", PAP_SKILL_ORIGIN_UNAVAILABLE, "304"},
        {"/list-archive-cut", PAP_SKILL_ORIGIN_UNAVAILABLE, ""},
        {"/list-archive-slow", PAP_SKILL_REQUEST_TIMEOUT, ""},
        {"/list-archive-to-private", PAP_SKILL_POLICY_DENIED, "10.0.0.1"},
        {"/list-archive-loop", PAP_SKILL_POLICY_DENIED, "loop"},
        {"/list-md-html", PAP_SKILL_DIGEST_MISMATCH, "HTML"},
        {"/list-md-schema", PAP_SKILL_DIGEST_MISMATCH, "most likely"},
        {"/change", PAP_SKILL_DIGEST_MISMATCH, "and the list says sha256:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tally t;
        struct pap_skill_client *c = client_of(&t, strstr(cases[i].path, "slow") ? 1500 : PATIENCE);
        c->o.most_archive_bytes = 4 << 20;
        struct pap_skill_session *s;
        struct pap_skill *k;
        struct pap_skill_err err;
        pap_result r = open_path(c, cases[i].path, &s, &err);
        if (!is_ok(r))
            unit_fail("%s: %s", cases[i].path, err.text);
        r = pap_skill_activate(s, "water-plants", NULL, &k, &err);
        if (is_ok(r) || err.code != cases[i].code || !strstr(err.text, cases[i].word) || !is_plain(err.text))
            unit_fail("%s: got %s (%s), want %s", cases[i].path, pap_skill_code_name(err.code), err.text,
                      pap_skill_code_name(cases[i].code));
        pap_skill_session_close(s);
        pap_skill_client_free(c);
        assert_int_equal(t.now, 0);
        if (t.most >= 16 << 20)
            unit_fail("%s: the client held %zu bytes", cases[i].path, t.most);
        if (i == 0)
            print_message("a bomb of %zu kB and 300 MB: the client held %zu kB at most\n", bomb.n / 1024,
                          t.most / 1024);
    }
}

static void names_are_data(void **state)
{
    (void)state;
    struct tally t;
    struct pap_skill_client *c = client_of(&t, PATIENCE);
    struct pap_skill_session *s;
    struct pap_skill_session_facts f;
    struct pap_skill_err err;
    assert_ok(open_path(c, "/names", &s, &err));
    pap_skill_session_facts(s, &f);
    assert_int_equal(f.skills, 1);
    assert_int_equal(f.skipped, 1);
    pap_skill_session_skipped_at(s, 0, &err);
    assert_int_equal(err.code, PAP_SKILL_CATALOG_INVALID);
    assert_true(is_plain(err.text));
    struct pap_skill *k;
    assert_int_equal(pap_skill_activate(s, "a\xe2\x80\xae\x07", NULL, &k, &err).code, PAP_REFUSED);
    assert_int_equal(err.code, PAP_SKILL_SKILL_NOT_FOUND);
    assert_true(is_plain(err.text));
    pap_skill_session_close(s);
    pap_skill_client_free(c);
    assert_int_equal(t.now, 0);
}

/* The request, and not a byte more; also the second one, when the host has tried to leave a cookie. */
static void requests_carry_nothing_that_identifies(void **state)
{
    (void)state;
    struct tally t;
    struct pap_skill_client *c = client_of(&t, PATIENCE);
    char want[512];
    (void)snprintf(want, sizeof want,
                   "GET /exact HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: papaver/" PAP_VERSION
                   "\r\nAccept: application/json\r\nAccept-Encoding: identity\r\n\r\n",
                   port);
    for (int i = 0; i < 2; i++) {
        struct pap_skill_session *s;
        struct pap_skill_err err;
        assert_ok(open_path(c, "/exact", &s, &err));
        pap_skill_session_close(s);
        assert_string_equal(last_head, want);
    }
    pap_skill_client_free(c);
}

static bool stop_at_once(void *ctx, enum pap_skill_phase phase, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    return phase != *(enum pap_skill_phase *)ctx;
}

static void a_call_can_be_cancelled(void **state)
{
    (void)state;
    static const struct {
        enum pap_skill_phase phase;
        const char *path;
    } cases[] = {{PAP_SKILL_LISTING, "/slow"},
                 {PAP_SKILL_FETCHING, "/list-archive-slow"},
                 {PAP_SKILL_FETCHING, "/list-archive-endless"},
                 {PAP_SKILL_VERIFYING, "/list-archive-twins.tar.gz"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum pap_skill_phase phase = cases[i].phase;
        struct tally t;
        struct pap_skill_client *c = client_of(&t, PATIENCE);
        struct pap_skill_session *s;
        struct pap_skill *k;
        struct pap_skill_err err;
        c->o.progress = stop_at_once;
        c->o.ctx = &phase;
        pap_result r = open_path(c, cases[i].path, &s, &err);
        if (phase != PAP_SKILL_LISTING) {
            assert_ok(r);
            r = pap_skill_activate(s, "water-plants", NULL, &k, &err);
        }
        assert_int_equal(r.code, PAP_CANCELLED);
        assert_int_equal(err.code, PAP_SKILL_CANCELLED);
        pap_skill_session_close(s);
        pap_skill_client_free(c);
        assert_int_equal(t.now, 0);
    }
}

static void *open_often(void *ctx)
{
    for (int i = 0; i < 5; i++) {
        struct pap_skill_session *s;
        struct pap_skill_err err;
        if (!is_ok(open_path(ctx, "/exact", &s, &err)))
            return ctx;
        pap_skill_session_close(s);
    }
    return NULL;
}

static void threads_share_a_client_over_libcurl(void **state)
{
    (void)state;
    pthread_t threads[6];
    struct tally t;
    struct pap_skill_client *c = client_of(&t, PATIENCE);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_often, c), 0);
    for (size_t i = 0; i < 6; i++) {
        void *bad = c;
        (void)pthread_join(threads[i], &bad);
        assert_null(bad);
    }
    pap_skill_client_free(c);
    assert_int_equal(t.now, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_survived),      cmocka_unit_test(artifacts_are_survived),
        cmocka_unit_test(names_are_data),          cmocka_unit_test(requests_carry_nothing_that_identifies),
        cmocka_unit_test(a_call_can_be_cancelled), cmocka_unit_test(threads_share_a_client_over_libcurl),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
