/* SPDX-License-Identifier: Apache-2.0
 *
 * run [-s] TREE SCRIPT.http...: requests and the responses that they must get, without a socket. The tree is copied to a
 * folder of its own, every file dated 2026-01-01, and loaded, with -s as one that has scopes; each script is read as
 *
 *     > GET /path                    the request line; more lines with > are fields
 *     < 200                          the status; more lines with < are fields that must be there, once, with that value;
 *     < !Vary                          with ! one that must not
 *     = text                         the body, whole, with a line end behind each line; "=~text": CR LF; "=-text": none
 *     = (nothing)                    "= (nothing)": no body; without any line the body is not looked at
 *
 * A blank line ends an exchange; lines with # are for people. Prints TAP.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/access.h"
#include "host/answer.h"
#include "host/token.h"
#include "net/http_head.h"
#include "sys/file.h"

enum { DATE = 1767225600, LATER = DATE + 3600, MOST = 64 };

struct wanted {
    struct pap_str fields[MOST];
    size_t n;
    struct buf head, body;
    bool has_body, no_body;
    int line;
};

struct copying {
    struct arena *arena;
    const char *from, *to;
};

static void make_folders(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            (void)mkdir(path, 0700);
            *p = '/';
        }
}

static pap_result copy(void *ctx, const char *path, enum file_type type, struct pap_err *err)
{
    struct copying *c = ctx;
    (void)type;
    struct pap_str bytes, to = arena_fmt(c->arena, "%s%s", c->to, path + strlen(c->from));
    const struct timespec times[2] = {{.tv_sec = DATE}, {.tv_sec = DATE}};
    if (!to.p)
        return fail_memory(err);
    make_folders((char *)to.p);
    TRY(file_read(c->arena, path, LIMIT_DOCUMENT, &bytes, NULL, err));
    TRY(file_write_atomic(to.p, bytes, err));
    return utimensat(AT_FDCWD, to.p, times, 0) == 0 ? OK : fail(err, PAP_IO, "cannot date %s", to.p);
}

/* ---- scopes ---- */

/* Who is asked about what is no token. */
static enum verdict ask(void *ctx, const struct question *q)
{
    static const struct {
        const char *credential;
        enum verdict verdict;
    } known[] = {{"Basic yes", VERDICT_YES}, {"Basic no", VERDICT_NOT_YOU}, {"Basic failed", VERDICT_FAILED}};
    (void)ctx;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (str_is(q->credential, known[i].credential))
            return known[i].verdict;
    return VERDICT_NOBODY;
}

static struct access *make_access(struct arena *a)
{
    static const char *const tokens[] = {"deployers-x4K9w-2qZ7m-T8vdef", "salespeople-x4K9w-2qZ7m-T8v",
                                         "everything-x4K9w-2qZ7m-T8vdef"};
    static char hashes[3][DIGEST_TEXT + 1];
    /* Static, for the rules point there. */
    static const char *const deploy[] = {"deploy-*", NULL}, *const refund[] = {"refund-order", NULL},
                             *const all[] = {"*", NULL}, *const offer[] = {"partner-offer", NULL},
                             *const open[] = {"opening-*", NULL};
    const char *const known[3][2] = {{hashes[0]}, {hashes[1]}, {hashes[2]}};
    struct pap_serve_scope scopes[] = {{.name = "deploy", .skills = deploy, .tokens = known[0]},
                                       {.name = "sales", .skills = refund, .tokens = known[1]},
                                       {.name = "all", .skills = all, .tokens = known[2]},
                                       {.name = "partners", .skills = offer, .anybody = true},
                                       {.name = "asked", .skills = refund}};
    struct pap_serve_site site = {
        .scopes = scopes, .n_scopes = sizeof scopes / sizeof scopes[0], .open = open, .ask = "somebody"};
    struct access *access;
    for (size_t i = 0; i < 3; i++)
        if (!is_ok(token_hash(str_c(tokens[i]), hashes[i], NULL)))
            return NULL;
    if (!is_ok(access_make(a, &site, &access, NULL)))
        return NULL;
    access->ask = ask;
    return access;
}

/* ---- comparing ---- */

static bool say(const struct wanted *w, const char *what, struct pap_str text)
{
    printf("# line %d: %s %.*s\n", w->line, what, PSTR(text));
    return false;
}

static bool field_is_right(const struct wanted *w, const struct http_response *got, struct pap_str line)
{
    struct pap_str name = str_take(line, str_find_char(line, ':')), value = {NULL, 0};
    bool absent = str_starts(name, S("!"));
    size_t n = 0;
    for (size_t i = 0; i < got->n_headers; i++)
        if (str_eq_nocase(got->headers[i].name, absent ? str_skip(name, 1) : name)) {
            value = got->headers[i].value;
            n++;
        }
    if (n != (absent ? 0 : 1))
        return say(w, n ? "there is" : "there is no", line);
    if (!absent && !str_eq(value, str_trim(str_skip(line, name.n + 1))))
        return say(w, "the value is", value);
    return true;
}

static bool is_right(const struct wanted *w, const struct http_response *got, bool is_head)
{
    uint64_t status = 0;
    bool right = str_to_u64(w->fields[0], &status) && (int)status == got->status;
    if (!right)
        printf("# line %d: the status is %d\n", w->line, got->status);
    for (size_t i = 1; i < w->n; i++)
        right &= field_is_right(w, got, w->fields[i]);
    struct pap_str body = is_head ? S("") : got->body;
    if (w->has_body && !str_eq(body, w->no_body ? S("") : buf_str(&w->body)))
        right = say(w, "the body is", body);
    return right;
}

static bool exchange(struct generation *g, struct wanted *w)
{
    struct header slots[LIMIT_HTTP_FIELDS];
    struct http_request q = {0};
    struct http_framing framing;
    struct arena arena;
    buf_add(&w->head, S("Host: shop.example\r\n\r\n"));
    if (!buf_ok(&w->head) || http_head_parse(buf_str(&w->head), slots, &q, &framing) != HTTP_DONE)
        return say(w, "this is no request:", buf_str(&w->head));
    arena_init(&arena, NULL);
    struct http_response r = {.arena = &arena};
    host_answer(g, &q, &r);
    bool right = w->n && is_right(w, &r, str_is(q.method, "HEAD"));
    if (r.release)
        r.release(r.release_ctx);
    arena_fini(&arena);
    return right;
}

/* ---- scripts ---- */

static void take_line(struct wanted *w, struct pap_str line)
{
    struct pap_str rest = str_skip(line, 2);
    if (str_starts(line, S("> "))) {
        buf_add(&w->head, rest);
        buf_add(&w->head, w->head.n == rest.n ? S(" HTTP/1.1\r\n") : S("\r\n"));
    } else if (str_starts(line, S("< ")) && w->n < MOST) {
        w->fields[w->n++] = rest;
    } else if (str_is(line, "= (nothing)")) {
        w->has_body = w->no_body = true;
    } else if (str_starts(line, S("="))) {
        buf_add(&w->body, rest);
        buf_add(&w->body, str_starts(line, S("= ")) ? S("\n") : str_starts(line, S("=~")) ? S("\r\n") : S(""));
        w->has_body = true;
    } else if (!str_starts(line, S("#"))) {
        buf_add(&w->head, S("what is this line?"));
    }
}

static int script(struct generation *g, const char *path, int *number)
{
    struct arena arena;
    struct pap_str rest, line;
    struct wanted w = {0};
    int failures = 0, at = 0;
    arena_init(&arena, NULL);
    if (!is_ok(file_read(&arena, path, LIMIT_DOCUMENT, &rest, NULL, NULL)))
        exit(99);
    buf_init(&w.head, NULL, LIMIT_DOCUMENT);
    buf_init(&w.body, NULL, LIMIT_DOCUMENT);
    for (bool more = true; more;) {
        more = str_next(&rest, '\n', &line);
        at++;
        if (more && line.n) {
            w.line = w.head.n ? w.line : at;
            take_line(&w, line);
            continue;
        }
        if (w.head.n) {
            bool right = exchange(g, &w);
            failures += !right;
            printf("%sok %d - %s:%d\n", right ? "" : "not ", ++*number, path + str_rfind_char(str_c(path), '/') + 1,
                   w.line);
        }
        w.n = 0;
        w.has_body = w.no_body = false;
        buf_reset(&w.head);
        buf_reset(&w.body);
    }
    buf_fini(&w.head);
    buf_fini(&w.body);
    arena_fini(&arena);
    return failures;
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/papaver-http-XXXXXX";
    struct arena arena;
    struct generation *g;
    struct pap_err err = {0};
    struct generation_options o = {.max_age = 300, .now = LATER};
    int failures = 0, number = 0;
    arena_init(&arena, NULL);
    if (argc > 1 && strcmp(argv[1], "-s") == 0) {
        o.access = make_access(&arena);
        argv++;
        argc--;
    }
    if (argc < 3 || !mkdtemp(folder))
        return 99;
    struct copying c = {&arena, argv[1], folder};
    if (!is_ok(folder_walk(argv[1], 8, copy, &c, &err)) || !is_ok(generation_load(folder, &o, &g, &err))) {
        printf("Bail out! %s\n", err.text);
        return 99;
    }
    for (int i = 2; i < argc; i++)
        failures += script(g, argv[i], &number);
    printf("1..%d\n", number);
    generation_drop(g);
    struct pap_str tidy = arena_fmt(&arena, "rm -rf %s", folder);
    failures += !tidy.p || system(tidy.p) != 0 || number == 0;
    arena_fini(&arena);
    return failures != 0;
}
