/* SPDX-License-Identifier: Apache-2.0
 *
 * The MCP server, over both transports: whatever comes, what goes out is whole lines of JSON-RPC, a request is answered once,
 * and a notification never. With 'h' as the first byte the rest is a request over HTTP; else it is lines of standard input.
 */
#include <stdint.h>
#include <stdlib.h>

#include "mcp/http.h"
#include "mcp/message.h"
#include "net/talk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void holds(bool fact)
{
    if (!fact)
        abort();
}

/* ---- one skill that is always there ---- */

static const struct mcp_file files[] = {{S_INIT("SKILL.md"), S_INIT("text/markdown"), S_INIT("sha256:0"), 5},
                                        {S_INIT("a/b c.bin"), S_INIT("application/octet-stream"), S_INIT("sha256:1"),
                                         2}};
static const struct mcp_origin origins[] = {{S_INIT("shop"), S_INIT("shop.example")}};
static const struct mcp_skill skill = {.label = S_INIT("shop"),
                                       .place = S_INIT("shop.example"),
                                       .name = S_INIT("pots"),
                                       .description = S_INIT("Pots\xe2\x80\xae and pans"),
                                       .digest = S_INIT("sha256:2"),
                                       .frontmatter = S_INIT("{\"name\":\"pots\"}"),
                                       .files = files,
                                       .n_files = 2};

static pap_result search(void *ctx, struct arena *a, struct pap_str label, struct pap_str words, size_t most,
                         struct mcp_search *ret, struct pap_skill_err *err)
{
    (void)ctx, (void)label, (void)err;
    holds(most >= 1 && most <= 50 && words.n);
    ret->hits = arena_new(a, struct mcp_hit);
    holds(ret->hits != NULL);
    ret->hits[0] = (struct mcp_hit){skill.label, skill.place, skill.name, words, S(""), true};
    ret->n_hits = 1;
    return OK;
}

static pap_result hold(void *ctx, struct pap_str label, struct pap_str name, struct pap_str range,
                       const struct mcp_skill **ret, struct pap_skill_err *err)
{
    long *held = ctx;
    (void)range;
    holds(str_eq(label, skill.label));
    if (!str_eq(name, skill.name)) {
        err->code = PAP_SKILL_SKILL_NOT_FOUND;
        return (pap_result){PAP_REFUSED};
    }
    ++*held;
    *ret = &skill;
    return OK;
}

static void release(void *ctx, const struct mcp_skill *s)
{
    long *held = ctx;
    holds(s == &skill && (*held)-- > 0);
}

static pap_result read_file(void *ctx, const struct mcp_skill *s, struct arena *a, struct pap_str path, bool wrap,
                            struct pap_str *ret, struct pap_skill_err *err)
{
    (void)ctx, (void)a, (void)err, (void)wrap;
    holds(s == &skill);
    *ret = path.p && !str_is(path, "SKILL.md") ? S("\xff\x00") : S("line\n");
    return OK;
}

static pap_result loaded(void *ctx, struct arena *a, const struct mcp_skill ***ret, size_t *ret_n,
                         struct pap_skill_err *err)
{
    long *held = ctx;
    (void)err;
    *ret = arena_new(a, const struct mcp_skill *);
    holds(*ret != NULL);
    **ret = &skill;
    *ret_n = 1;
    ++*held;
    return OK;
}

/* ---- standard input and output ---- */

struct lines {
    struct mcp_sink sink; /* first */
    unsigned answers;
};

static void judge(struct pap_str json)
{
    struct arena a;
    struct notes notes = {0};
    struct json *root;
    arena_init(&a, NULL);
    holds(is_ok(json_read(&a, json, &root, &notes)) && json_is(root, JSON_OBJECT));
    for (const struct note *n = notes.first; n; n = n->next)
        holds(n->code == NOTE_JSON_NUMBER || n->code == NOTE_JSON_NUL);
    holds(str_is(json_str(json_get_c(root, "jsonrpc")), "2.0"));
    bool is_answer = json_get_c(root, "id") != NULL;
    holds(is_answer ? !json_get_c(root, "result") != !json_get_c(root, "error") : json_get_c(root, "method") != NULL);
    arena_fini(&a);
}

static bool event(struct mcp_sink *sink, struct pap_str json)
{
    (void)sink;
    judge(json);
    holds(str_find_char(json, '\n') == json.n);
    return true;
}

static void finish(struct mcp_sink *sink, int status, struct pap_str json)
{
    struct lines *l = (struct lines *)sink;
    holds(status >= 200 && status < 600);
    if (json.n) {
        (void)event(sink, json);
        l->answers++;
    }
}

static bool is_gone(struct mcp_sink *sink)
{
    (void)sink;
    return false;
}

/* How many answers a line has: none for what is no request. A subscription's comes at the end. */
static unsigned expected(struct pap_str line)
{
    struct arena a;
    struct mcp_message m;
    arena_init(&a, NULL);
    holds(is_ok(mcp_message_read(&a, line, &m)));
    unsigned n = m.kind == MCP_REQUEST || m.kind == MCP_BAD;
    arena_fini(&a);
    return n;
}

static void over_lines(struct mcp *m, struct pap_str text)
{
    struct lines l = {.sink = {.event = event, .finish = finish, .is_gone = is_gone, .client = 1}};
    struct pap_str line;
    unsigned wanted = 0;
    while (str_next(&text, '\n', &line)) {
        wanted += expected(line);
        mcp_take(m, &l.sink, NULL, line);
        mcp_changed(m);
    }
    mcp_stop(m, 0);
    holds(l.answers <= wanted);
}

static void over_http(struct mcp *m, struct pap_str text)
{
    static const struct pap_str hosts[] = {S_INIT("a")};
    struct mcp_http http = {.mcp = m, .hosts = hosts, .n_hosts = 1, .origins = hosts, .n_origins = 1};
    const struct http_site site = {.handle = mcp_http_handle, .ctx = &http, .max_body = 10000};
    const struct clock clock = clock_stopped(784111777);
    struct http_desk desk;
    struct http_talk talk = {.connection = 1, .scheme = S("http"), .tail.file = -1};
    struct buf in, out;
    mcp_http_init(&http);
    desk_init(&desk, &site, &clock, NULL);
    buf_init(&in, NULL, SIZE_MAX);
    buf_init(&out, NULL, SIZE_MAX);
    talk_feed(&desk, &talk, &in, text, &out);
    holds(out.n == 0 || str_starts(buf_str(&out), S("HTTP/1.1 ")));
    if (talk.later)
        later_leave(talk.later);
    mcp_http_beat(&http);
    mcp_stop(m, 0);
    mcp_http_fini(&http);
    desk_fini(&desk);
    buf_fini(&in);
    buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pap_str text = str((const char *)data, size);
    const struct clock clock = clock_stopped(784111777);
    long held = 0;
    struct mcp *m;
    const struct mcp_options o = {.skills = {.ctx = &held,
                                             .origins = origins,
                                             .n_origins = 1,
                                             .search = search,
                                             .hold = hold,
                                             .release = release,
                                             .read = read_file,
                                             .loaded = loaded},
                                  .clock = &clock};
    holds(is_ok(mcp_new(&o, &m, NULL)));
    if (str_starts(text, S("h")))
        over_http(m, str_skip(text, 1));
    else
        over_lines(m, text);
    mcp_free(m);
    holds(held == 0);
    return 0;
}
