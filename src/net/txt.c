/* SPDX-License-Identifier: Apache-2.0 */
#include "net/txt.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <netinet/in.h>
#include <resolv.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/entropy.h"
#include "text/host.h"

/* What one datagram holds on any path (RFC 9715, section 3.1): larger answers are cut by the resolver, and count as none. */
enum { MESSAGE_MOST = 1232, NAME_MOST = 253, TRIES = 4, TRY_MS = 2000, VALUE_MOST = 255, OPT_SIZE = 11 };

union server_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

struct txt {
    const struct pap_alloc *alloc;
    struct pap_str wanted, name;
    char name_text[NAME_MOST + 1];
    union server_address servers[MAXNS];
    unsigned n_servers, tries, id;
    int fd; /* -1: none */
    int64_t until_ms;
    enum txt_said said;
};

/* ---- the message (RFC 1035, section 4) ---- */

static size_t write_question(unsigned char *to, unsigned id, struct pap_str name)
{
    static const unsigned char head[10] = {0x01 /* recursion desired */, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    static const unsigned char tail[5 + OPT_SIZE] = {
        0, 0, ns_t_txt, 0, ns_c_in, 0, 0, ns_t_opt, MESSAGE_MOST >> 8, MESSAGE_MOST & 0xff};
    struct pap_str label;
    size_t n = 0;
    to[n++] = (unsigned char)(id >> 8);
    to[n++] = (unsigned char)id;
    memcpy(to + n, head, sizeof head);
    n += sizeof head;
    while (str_next(&name, '.', &label)) {
        to[n++] = (unsigned char)label.n;
        memcpy(to + n, label.p, label.n);
        n += label.n;
    }
    memcpy(to + n, tail, sizeof tail);
    return n + sizeof tail;
}

struct reading {
    const unsigned char *p, *at, *end;
};

/* A name; false when it is damaged. *ret_same: it is the one asked for. */
static bool read_name(struct reading *r, struct pap_str name, bool *ret_same)
{
    char text[NS_MAXDNAME];
    int n = dn_expand(r->p, r->end, r->at, text, sizeof text);
    if (n < 0)
        return false;
    r->at += n;
    *ret_same = str_eq_nocase(str_c(text), name);
    return true;
}

static bool read_u16(struct reading *r, unsigned *ret)
{
    if (r->end - r->at < 2)
        return false;
    *ret = (unsigned)(r->at[0] << 8 | r->at[1]);
    r->at += 2;
    return true;
}

/* The strings of a record, one after the other, are its text (RFC 7208, section 3.3). */
static bool is_text(const unsigned char *p, size_t n, struct pap_str wanted)
{
    char text[VALUE_MOST];
    size_t has = 0;
    while (n) {
        size_t part = *p++;
        if (part > --n || has + part > sizeof text)
            return false;
        memcpy(text + has, p, part);
        has += part, p += part, n -= part;
    }
    return str_eq(str_trim(str(text, has)), wanted);
}

static enum txt_said read_answers(struct reading *r, unsigned n, struct pap_str name, struct pap_str wanted)
{
    for (; n; n--) {
        unsigned type, class, ttl, size;
        bool same;
        if (!read_name(r, name, &same) || !read_u16(r, &type) || !read_u16(r, &class) || !read_u16(r, &ttl) ||
            !read_u16(r, &ttl) || !read_u16(r, &size) || r->end - r->at < (ptrdiff_t)size)
            return TXT_FAILED;
        if (same && type == ns_t_txt && class == ns_c_in && is_text(r->at, size, wanted))
            return TXT_HAS;
        r->at += size;
    }
    return TXT_NOT;
}

enum txt_said txt_read(struct pap_str message, unsigned id, struct pap_str name, struct pap_str wanted)
{
    enum { RESPONSE = 0x8000, KIND = 0x7800, CUT = 0x0200, OUTCOME = 0xf };
    const unsigned char *p = (const unsigned char *)message.p;
    struct reading r = {p, p, p + message.n};
    unsigned got, flags, questions, answers, other, type, class;
    bool same;
    if (!read_u16(&r, &got) || !read_u16(&r, &flags) || !read_u16(&r, &questions) || !read_u16(&r, &answers) ||
        !read_u16(&r, &other) || !read_u16(&r, &other) || got != id || !(flags & RESPONSE) || (flags & KIND) ||
        questions != 1 || !read_name(&r, name, &same) || !same || !read_u16(&r, &type) || !read_u16(&r, &class) ||
        type != ns_t_txt || class != ns_c_in)
        return TXT_WAITS;
    if ((flags & OUTCOME) == ns_r_nxdomain)
        return TXT_NOT;
    if ((flags & OUTCOME) != ns_r_noerror || (flags & CUT))
        return TXT_FAILED;
    return read_answers(&r, answers, name, wanted);
}

/* ---- whom to ask ---- */

static void add_server(struct txt *t, const union server_address *a)
{
    if (t->n_servers < MAXNS)
        t->servers[t->n_servers++] = *a;
}

static void add_named(struct txt *t, struct pap_str word)
{
    union server_address a = {.v4 = {.sin_family = AF_INET}};
    size_t colon = str_rfind_char(word, ':');
    uint64_t port;
    unsigned char address[4];
    if (!host_parse_ipv4(str_take(word, colon), address) || !str_to_u64(str_skip(word, colon + 1), &port) ||
        port > 0xffff)
        return;
    memcpy(&a.v4.sin_addr, address, sizeof address);
    a.v4.sin_port = htons((uint16_t)port);
    add_server(t, &a);
}

/* Those of /etc/resolv.conf, as libc reads it. */
static void add_usual(struct txt *t)
{
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0)
        return;
    for (int i = 0; i < state.nscount && i < MAXNS; i++) {
        union server_address a = {.v4 = state.nsaddr_list[i]};
        if (a.v4.sin_family != AF_INET && state._u._ext.nsaddrs[i])
            a.v6 = *state._u._ext.nsaddrs[i];
        add_server(t, &a);
    }
    res_nclose(&state);
}

/* ---- asking ---- */

static void hang_up(struct txt *t)
{
    if (t->fd >= 0)
        (void)close(t->fd);
    t->fd = -1;
}

/* From a port that the system chose, to one server alone: who answers must have guessed both and the id. */
static bool send_question(struct txt *t, const union server_address *to)
{
    unsigned char message[MESSAGE_MOST];
    uint16_t id;
    socklen_t size = to->any.sa_family == AF_INET6 ? sizeof to->v6 : sizeof to->v4;
    if (!is_ok(entropy_bytes(&id, sizeof id, NULL)))
        return false;
    t->id = id;
    t->fd = socket(to->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    size_t n = write_question(message, t->id, t->name);
    return t->fd >= 0 && connect(t->fd, &to->any, size) == 0 && send(t->fd, message, n, MSG_NOSIGNAL) == (ssize_t)n;
}

/* The next try that can be sent; none is left: it failed. */
static void ask_next(struct txt *t, int64_t now_ms)
{
    for (;;) {
        hang_up(t);
        if (t->tries == TRIES || !t->n_servers) {
            t->said = TXT_FAILED;
            return;
        }
        if (send_question(t, &t->servers[t->tries++ % t->n_servers])) {
            t->until_ms = now_ms + TRY_MS;
            return;
        }
    }
}

pap_result txt_start(const struct pap_alloc *alloc, struct pap_str name, struct pap_str wanted, const char *server,
                     int64_t now_ms, struct txt **ret, struct pap_err *err)
{
    struct txt *t = name.n <= NAME_MOST ? alloc_resize(alloc, NULL, 0, sizeof *t) : NULL;
    if (!t)
        return fail_memory(err);
    *t = (struct txt){.alloc = alloc, .wanted = wanted, .fd = -1};
    memcpy(t->name_text, name.p, name.n);
    t->name = str(t->name_text, name.n);
    if (server)
        add_named(t, str_c(server));
    else
        add_usual(t);
    ask_next(t, now_ms);
    *ret = t;
    return OK;
}

void txt_free(struct txt *t)
{
    if (!t)
        return;
    hang_up(t);
    (void)alloc_resize(t->alloc, t, sizeof *t, 0);
}

/* All that lies there: of a flood of wrong answers only so many in one step. */
static enum txt_said take(struct txt *t)
{
    enum { AT_ONCE = 64 };
    char message[MESSAGE_MOST];
    for (int i = 0; i < AT_ONCE; i++) {
        ssize_t n = recv(t->fd, message, sizeof message, 0);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? TXT_WAITS : TXT_FAILED;
        enum txt_said said = txt_read(str(message, (size_t)n), t->id, t->name, t->wanted);
        if (said != TXT_WAITS)
            return said;
    }
    return TXT_WAITS;
}

enum txt_said txt_step(struct txt *t, int64_t now_ms)
{
    while (t->said == TXT_WAITS) {
        enum txt_said said = take(t);
        if (said == TXT_WAITS && now_ms < t->until_ms)
            break;
        if (said == TXT_HAS || said == TXT_NOT)
            t->said = said;
        else
            ask_next(t, now_ms);
    }
    if (t->said != TXT_WAITS)
        hang_up(t);
    return t->said;
}

int txt_fd(const struct txt *t)
{
    return t->fd;
}
