/* SPDX-License-Identifier: Apache-2.0
 *
 * run FOLDER SCRIPT.mcp...: messages to the MCP server and what it has to answer, each script once over standard input and
 * output and once over HTTP, without a process and without a socket. The origins are folders below FOLDER: garden, shop, one that
 * is not there (gone), and one whose list is refused (liar). A script is read as
 *
 *     == title           a case: a server of its own
 *     > {...}            a message, in which @M stands for the envelope of 2026-07-28, @{9*ab} for ab nine times, @{#ff} for a byte
 *     >GET               over HTTP: a request of that method without a body
 *     + Name: value      over HTTP: another field for the message above it; without a value: that field is left out
 *     < {...}            what has to come, in order: an object has these members, an array these items. "<any>" is any value,
 *                        "<none>" a member that must not be there, "<has:x>" a string with x in it, "<more>" any further items
 *     <s {...}, <h ...   only over stdio, only over HTTP
 *     ~ 404              over HTTP: the status (200 with an answer, 202 without one, unless it is said)
 *     ~ Name: value      over HTTP: a field that has to be there, so
 *     ! stdio            the case is not for the other transport
 *
 * Lines with # are for people. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mcp/http.h"
#include "mcp/lines.h"
#include "mcp/stock.h"
#include "net/talk.h"
#include "sys/file.h"

enum { STEPS = 64, WANTS = 16, FIELDS = 8, BIG = 64 << 20 };

#define ENVELOPE                                                     \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"        \
    "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":" \
    "{}}"

struct want {
    struct pap_str text;
    char only; /* 's', 'h' or 0 */
};

struct step {
    struct pap_str text, verb; /* verb p NULL: a message */
    struct pap_str fields[FIELDS], seen[FIELDS];
    size_t n_fields, n_seen;
    struct want wants[WANTS];
    size_t n_wants;
    int status;
    int line;
};

struct test {
    struct pap_str title;
    char only;
    struct step steps[STEPS];
    size_t n;
    bool wrong;
};

static struct arena arena;
static const char *script_name;

static void *must(const void *p)
{
    if (!p)
        exit(99);
    return (void *)(uintptr_t)p;
}

static struct json *parse(struct pap_str text)
{
    struct notes notes = {0};
    struct json *root = NULL;
    if (!is_ok(json_read(&arena, text, &root, &notes)))
        exit(99);
    return root;
}

/* ---- what has to come ---- */

static bool matches(const struct json *want, const struct json *got);

static bool text_matches(struct pap_str want, const struct json *got)
{
    if (str_is(want, "<any>"))
        return got != NULL;
    if (str_starts(want, S("<has:"))) {
        struct pap_str part = str(want.p + 5, want.n - 6);
        return json_is(got, JSON_STRING) && str_find(json_str(got), part) < got->n;
    }
    return json_is(got, JSON_STRING) && str_eq(want, json_str(got));
}

static bool array_matches(const struct json *want, const struct json *got)
{
    const struct json *g = got->child;
    json_each (w, want) {
        if (str_is(json_str(w), "<more>"))
            return true;
        if (!g || !matches(w, g))
            return false;
        g = g->next;
    }
    return g == NULL;
}

static bool matches(const struct json *want, const struct json *got)
{
    if (json_is(want, JSON_STRING))
        return text_matches(json_str(want), got);
    if (!got || want->type != got->type)
        return false;
    if (json_is(want, JSON_ARRAY))
        return array_matches(want, got);
    if (!json_is(want, JSON_OBJECT))
        return !json_is(want, JSON_NUMBER) || str_eq(json_str(want), json_str(got));
    json_each (w, want) {
        const struct json *g = json_get(got, json_key(w));
        if (str_is(json_str(w), "<none>") ? g != NULL : !matches(w, g))
            return false;
    }
    return true;
}

static void complain(struct test *t, const struct step *s, const char *what, struct pap_str text)
{
    printf("# %s:%d: %s %.*s\n", script_name, s->line, what, PSTR(str_take(text, 3000)));
    t->wrong = true;
}

/* The messages that came against those of the step, in order. `*rest`: one a line. */
static void compare(struct test *t, const struct step *s, char transport, struct pap_str *rest)
{
    struct pap_str line;
    for (size_t i = 0; i < s->n_wants; i++) {
        if (s->wants[i].only && s->wants[i].only != transport)
            continue;
        struct json *want = must(parse(s->wants[i].text)), *got;
        if (!str_next(rest, '\n', &line) || !line.n) {
            complain(t, s, "nothing came for", s->wants[i].text);
            return;
        }
        got = parse(line);
        if (!got || !matches(want, got))
            complain(t, s, "it came", line);
    }
}

/* ---- the server ---- */

struct served {
    struct stock *stock;
    struct mcp *mcp;
    struct mcp_http http;
};

static const struct pap_skill_origin origins[] = {{.place = "./garden/", .label = "garden"},
                                                  {.place = "./shop/", .label = "shop"},
                                                  {.place = "./gone/", .label = "gone"},
                                                  {.place = "./liar/", .label = "liar"}};
static const struct pap_str hosts[] = {S_INIT("127.0.0.1:7420"), S_INIT("localhost:7420")};
static const struct pap_str pages[] = {S_INIT("https://app.example")};

static void begin(struct served *v)
{
    static const struct pap_skill_options skills;
    const struct stock_options so = {
        .skills = &skills, .origins = origins, .n_origins = sizeof origins / sizeof *origins, .clock = &clock_system};
    struct pap_err err = {.text = ""};
    memset(v, 0, sizeof *v);
    if (!is_ok(stock_new(&so, &v->stock, &err)))
        exit(99);
    struct mcp_options mo = {.skills = stock_skills(v->stock), .clock = &clock_system};
    if (!is_ok(mcp_new(&mo, &v->mcp, &err)))
        exit(99);
    stock_serves(v->stock, v->mcp);
    v->http = (struct mcp_http){
        .mcp = v->mcp, .hosts = hosts, .n_hosts = 2, .origins = pages, .n_origins = 1, .token = S("0123456789abcdef")};
    mcp_http_init(&v->http);
}

static void end(struct served *v)
{
    mcp_stop(v->mcp, 0);
    mcp_free(v->mcp);
    mcp_http_fini(&v->http);
    stock_free(v->stock);
}

static int memory_file(void)
{
    int fd = memfd_create("mcp", MFD_CLOEXEC);
    if (fd < 0)
        exit(99);
    return fd;
}

static void run_stdio(struct test *t)
{
    struct served v;
    struct pap_str rest;
    int in = memory_file(), out = memory_file();
    begin(&v);
    for (size_t i = 0; i < t->n; i++)
        if (!fd_write_all(in, t->steps[i].text) || !fd_write_all(in, S("\n")))
            exit(99);
    (void)lseek(in, 0, SEEK_SET);
    if (!is_ok(mcp_stdio(v.mcp, NULL, in, out, 1000, NULL)))
        exit(99);
    end(&v);
    (void)lseek(out, 0, SEEK_SET);
    if (!is_ok(fd_read(&arena, out, BIG, &rest, NULL)))
        exit(99);
    for (size_t i = 0; i < t->n; i++)
        compare(t, &t->steps[i], 's', &rest);
    if (rest.n)
        complain(t, &t->steps[t->n - 1], "nothing more was to come than", rest);
    (void)close(in);
    (void)close(out);
}

/* ---- over HTTP ---- */

struct client {
    struct pap_str session, version;
};

static bool overrides(const struct step *s, const char *name)
{
    for (size_t i = 0; i < s->n_fields; i++)
        if (str_eq_nocase(str_take(s->fields[i], str_find_char(s->fields[i], ':')), str_c(name)))
            return true;
    return false;
}

static void field(struct buf *b, const struct step *s, const char *name, struct pap_str value)
{
    if (value.p && !overrides(s, name))
        buf_fmt(b, "%s: %.*s\r\n", name, PSTR(value));
}

static void request(struct buf *b, const struct step *s, const struct client *c)
{
    const struct json *root = s->verb.p ? NULL : parse(s->text), *params = json_get_c(root, "params"),
                      *version = json_get_c(json_get_c(params, "_meta"), "io.modelcontextprotocol/protocolVersion"),
                      *name = json_get_c(params, "name");
    struct pap_str method = json_str(json_get_c(root, "method"));
    bool opens = str_is(method, "initialize"), modern = version != NULL;
    bool by_name = str_is(method, "tools/call") || str_is(method, "prompts/get");
    bool by_uri = str_is(method, "resources/read");
    buf_fmt(b, "%.*s /mcp HTTP/1.1\r\n", PSTR(s->verb.p ? s->verb : S("POST")));
    field(b, s, "Host", S("127.0.0.1:7420"));
    field(b, s, "Authorization", S("Bearer 0123456789abcdef"));
    field(b, s, "Accept", S("application/json, text/event-stream"));
    field(b, s, "MCP-Protocol-Version", modern ? json_str(version) : opens ? str(NULL, 0) : c->version);
    field(b, s, "Mcp-Session-Id", modern || opens ? str(NULL, 0) : c->session);
    field(b, s, "Mcp-Method", modern ? method : str(NULL, 0));
    if (modern && (by_name || by_uri))
        field(b, s, "Mcp-Name", json_str(by_uri ? json_get_c(params, "uri") : name));
    if (!s->verb.p)
        field(b, s, "Content-Type", S("application/json"));
    for (size_t i = 0; i < s->n_fields; i++)
        if (str_trim(str_skip(s->fields[i], str_find_char(s->fields[i], ':') + 1)).n)
            buf_fmt(b, "%.*s\r\n", PSTR(s->fields[i]));
    if (!s->verb.p)
        buf_fmt(b, "Content-Length: %zu\r\n", s->text.n);
    buf_add(b, S("\r\n"));
    buf_add(b, s->verb.p ? S("") : s->text);
}

static struct pap_str answer_field(struct pap_str head, const char *name)
{
    struct pap_str line;
    while (str_next(&head, '\n', &line)) {
        size_t colon = str_find_char(line, ':');
        if (str_eq_nocase(str_take(line, colon), str_c(name)))
            return str_trim(str_skip(line, colon + 1));
    }
    return str(NULL, 0);
}

/* The body's messages, one a line, whether it is JSON or a stream in chunks. */
static struct pap_str messages(struct pap_str head, struct pap_str body)
{
    struct buf b, plain;
    struct pap_str line;
    buf_init(&b, NULL, BIG);
    buf_init(&plain, NULL, BIG);
    if (str_is(answer_field(head, "Transfer-Encoding"), "chunked")) {
        buf_add(&plain, body);
        struct http_chunked c = {0};
        size_t used = 0, n = 0;
        (void)http_chunked_decode(&c, plain.p, plain.n, BIG, &used, &n);
        body = str(plain.p, n);
    }
    if (!str_is(answer_field(head, "Content-Type"), "text/event-stream"))
        buf_add(&b, body);
    else
        while (str_next(&body, '\n', &line))
            if (str_starts(line, S("data: "))) {
                buf_add(&b, str_skip(line, 6));
                buf_char(&b, '\n');
            }
    struct pap_str all = arena_str(&arena, buf_str(&b));
    buf_fini(&b);
    buf_fini(&plain);
    return all;
}

static void compare_head(struct test *t, const struct step *s, struct pap_str head)
{
    uint64_t status = 0;
    bool answered = false;
    for (size_t i = 0; i < s->n_wants; i++)
        answered |= s->wants[i].only != 's';
    (void)str_to_u64(str_take(str_skip(head, 9), 3), &status);
    if ((int)status != (s->status ? s->status : answered ? 200 : 202))
        complain(t, s, "the answer is", head);
    for (size_t i = 0; i < s->n_seen; i++) {
        size_t colon = str_find_char(s->seen[i], ':');
        const char *name = must(arena_cstr(&arena, str_take(s->seen[i], colon)));
        if (!str_eq(answer_field(head, name), str_trim(str_skip(s->seen[i], colon + 1))))
            complain(t, s, "the fields are", head);
    }
}

static void post(struct test *t, const struct step *s, struct served *v, struct client *c)
{
    const struct http_site site = {.handle = mcp_http_handle, .ctx = &v->http, .max_body = LIMIT_MCP_MESSAGE};
    const struct clock clock = clock_stopped(784111777);
    struct http_desk desk;
    struct http_talk talk = {.connection = 1, .scheme = S("http"), .tail.file = -1};
    struct buf bytes, in, out;
    buf_init(&bytes, NULL, BIG);
    buf_init(&in, NULL, BIG);
    buf_init(&out, NULL, BIG);
    desk_init(&desk, &site, &clock, NULL);
    request(&bytes, s, c);
    talk_feed(&desk, &talk, &in, buf_str(&bytes), &out);
    size_t end = str_find(buf_str(&out), S("\r\n\r\n"));
    struct pap_str head = arena_str(&arena, str_take(buf_str(&out), end));
    struct pap_str rest = messages(head, str_skip(buf_str(&out), end + 4));
    compare_head(t, s, head);
    compare(t, s, 'h', &rest);
    bool expected = false;
    for (size_t k = 0; k < s->n_wants; k++)
        expected |= s->wants[k].only != 's';
    if (expected && str_trim(rest).n)
        complain(t, s, "nothing more was to come than", rest);
    if (answer_field(head, "Mcp-Session-Id").p) {
        const struct json *got = parse(str_take(messages(head, str_skip(buf_str(&out), end + 4)), BIG));
        c->session = answer_field(head, "Mcp-Session-Id");
        c->version = json_str(json_get_c(json_get_c(got, "result"), "protocolVersion"));
    }
    if (talk.later) /* a stream that stays open: its client goes */
        later_leave(talk.later);
    desk_fini(&desk);
    buf_fini(&bytes);
    buf_fini(&in);
    buf_fini(&out);
}

static void run_http(struct test *t)
{
    struct served v;
    struct client c = {{NULL, 0}, {NULL, 0}};
    begin(&v);
    for (size_t i = 0; i < t->n; i++)
        post(t, &t->steps[i], &v, &c);
    end(&v);
}

/* ---- scripts ---- */

static struct pap_str expand(struct pap_str s)
{
    struct buf b;
    buf_init(&b, NULL, BIG);
    while (s.n) {
        size_t at = str_find_char(s, '@'), close;
        uint64_t times = 0;
        buf_add(&b, str_take(s, at));
        s = str_skip(s, at);
        if (str_starts(s, S("@M"))) {
            buf_add(&b, S(ENVELOPE));
            s = str_skip(s, 2);
        } else if (str_starts(s, S("@{#"))) {
            buf_char(&b, (char)(ascii_hex(s.p[3]) << 4 | ascii_hex(s.p[4])));
            s = str_skip(s, 6);
        } else if (str_starts(s, S("@{")) && (close = str_find_char(s, '}')) < s.n) {
            struct pap_str inner = str(s.p + 2, close - 2);
            size_t star = str_find_char(inner, '*');
            if (!str_to_u64(str_take(inner, star), &times))
                exit(99);
            while (times--)
                buf_add(&b, str_skip(inner, star + 1));
            s = str_skip(s, close + 1);
        } else if (s.n) {
            buf_char(&b, '@');
            s = str_skip(s, 1);
        }
    }
    struct pap_str all = arena_str(&arena, buf_str(&b));
    buf_fini(&b);
    return all;
}

static void finish(struct test *t, int *number, int *failures)
{
    for (const char *transport = "sh"; t->n && *transport; transport++) {
        if (t->only && t->only != *transport)
            continue;
        t->wrong = false;
        (*transport == 's' ? run_stdio : run_http)(t);
        *failures += t->wrong;
        printf("%sok %d - %s: %.*s, %s\n", t->wrong ? "not " : "", ++*number, script_name, PSTR(t->title),
               *transport == 's' ? "stdio" : "http");
    }
}

static void take(struct test *t, struct pap_str line, int at)
{
    struct step *s = t->n ? &t->steps[t->n - 1] : NULL;
    struct pap_str rest = str_skip(line, 2);
    if (str_starts(line, S(">")) && t->n < STEPS) {
        t->steps[t->n++] = (struct step){.line = at};
        s = &t->steps[t->n - 1];
        if (str_starts(line, S("> ")))
            s->text = expand(rest);
        else
            s->verb = str_skip(line, 1);
    } else if (str_starts(line, S("<")) && s && s->n_wants < WANTS) {
        bool is_for_one = line.p[1] != ' ';
        s->wants[s->n_wants++] =
            (struct want){expand(str_skip(line, is_for_one ? 3 : 2)), is_for_one ? line.p[1] : '\0'};
    } else if (str_starts(line, S("+ ")) && s && s->n_fields < FIELDS) {
        s->fields[s->n_fields++] = rest;
    } else if (str_starts(line, S("~ ")) && s && s->n_seen < FIELDS) {
        uint64_t status = 0;
        if (str_to_u64(rest, &status))
            s->status = (int)status;
        else
            s->seen[s->n_seen++] = rest;
    } else if (str_starts(line, S("! "))) {
        t->only = rest.p[0];
    } else if (line.n && !str_starts(line, S("#"))) {
        printf("Bail out! %s:%d: what is this line?\n", script_name, at);
        exit(99);
    }
}

int main(int argc, char **argv)
{
    static struct test t;
    int number = 0, failures = 0;
    arena_init(&arena, NULL);
    for (int i = 2; i < argc; i++) {
        struct pap_str rest, line;
        script_name = argv[i] + str_rfind_char(str_c(argv[i]), '/') + 1;
        if (!is_ok(file_read(&arena, argv[i], LIMIT_DOCUMENT, &rest, NULL, NULL)) || (i == 2 && chdir(argv[1]) != 0))
            return 99;
        t = (struct test){.n = 0};
        for (int at = 1; str_next(&rest, '\n', &line); at++)
            if (str_starts(line, S("== "))) {
                finish(&t, &number, &failures);
                t = (struct test){.title = str_skip(line, 3)};
            } else {
                take(&t, line, at);
            }
        finish(&t, &number, &failures);
    }
    printf("1..%d\n", number);
    arena_fini(&arena);
    return failures != 0 || number == 0;
}
