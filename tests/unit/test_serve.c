/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of papaver serve that a flow does not reach: hostile lines of the log, a log that nobody reads, changes of a
 * folder, generations that are swapped while many read.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "app/access_log.h"
#include "app/log.h"
#include "host/answer.h"
#include "sys/clock.h"
#include "sys/stage.h"
#include "sys/watch.h"
#include "text/json.h"

#define TREE TESTS_FOLDER "/http/tree"

/* ---- the log ---- */

static const struct http_request hostile = {
    .peer = S_INIT("2001:db8::1"),
    .scheme = S_INIT("https"),
    .method = S_INIT("GET"),
    .target = S_INIT("/a\"b\\c\x1b[31m\xff\n127.0.0.1 - - forged"),
    .authority = S_INIT("shop.example"),
    .minor = 1,
};

static void test_log_common(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 4096);
    access_log_common(&b, &(struct http_access){&hostile, 404, 22, 1767225600, 7});
    assert_str(buf_str(&b), "2001:db8::1 - - [01/Jan/2026:00:00:00 +0000] "
                            "\"GET /a\\x22b\\x5Cc\\x1B[31m\\xFF\\x0A127.0.0.1 - - forged HTTP/1.1\" 404 22\n");
    buf_reset(&b);
    access_log_common(&b, &(struct http_access){&(struct http_request){0}, 400, 0, 0, 0});
    assert_str(buf_str(&b), "- - - [01/Jan/1970:00:00:00 +0000] \"-\" 400 0\n");
    buf_fini(&b);
}

static void test_log_json(void **state)
{
    (void)state;
    struct buf b;
    struct arena a;
    struct notes notes = {0};
    struct json *root;
    buf_init(&b, NULL, 4096);
    arena_init(&a, NULL);
    access_log_json(&b, &(struct http_access){&hostile, 404, 22, 1767225600, 7});
    assert_int_equal(str_find_char(buf_str(&b), '\n'), b.n - 1);
    assert_ok(json_read(&a, buf_str(&b), &root, &notes));
    assert_non_null(root);
    assert_str(json_str(json_get_c(root, "time")), "2026-01-01T00:00:00Z");
    assert_str(json_str(json_get_c(root, "status")), "404");
    assert_str(json_str(json_get_c(root, "bytes")), "22");
    assert_str(json_str(json_get_c(root, "ms")), "7");
    assert_true(str_ends(json_str(json_get_c(root, "target")), S("\n127.0.0.1 - - forged")));
    buf_fini(&b);
    arena_fini(&a);
}

/* Who reads the log: stalls, and takes odd pieces. */
struct reader {
    atomic_bool stalled;
    atomic_bool told; /* it has read of lines that are lost */
    struct buf got;
};

static size_t read_log(void *ctx, const char *p, size_t n)
{
    struct reader *r = ctx;
    if (r->stalled)
        return 0;
    n = n > 777 ? 777 : n;
    buf_add(&r->got, str(p, n));
    r->told = r->told || str_find(buf_str(&r->got), S(" lost\"")) < r->got.n;
    return n;
}

static struct log *start_log(struct reader *r, const struct pap_alloc *alloc)
{
    const struct log_options o = {
        .alloc = alloc, .write = access_log_common, .write_lost = access_log_common_lost, .put = read_log, .ctx = r};
    struct log *l = NULL;
    buf_init(&r->got, NULL, 16 << 20);
    pap_result result = log_start(&o, &l, NULL);
    assert_true(is_ok(result) || result.code == PAP_NO_MEMORY);
    return l;
}

static void add_line(struct log *l, unsigned number)
{
    char target[16];
    (void)snprintf(target, sizeof target, "/%u", number);
    const struct http_request q = {.method = S_INIT("GET"), .target = str_c(target), .minor = 1};
    log_add(l, &(struct http_access){.request = &q, .status = 200});
}

/* What a line of the log is about: the number of a request, or of lines that are lost. */
static unsigned number_in(struct pap_str line, bool *ret_lost)
{
    uint64_t n;
    *ret_lost = str_find(line, S(" lost\"")) < line.n;
    line = str_skip(line, str_find(line, *ret_lost ? S("] \"") : S("GET /")) + (*ret_lost ? 3 : 5));
    assert_true(str_to_u64(str_take(line, str_find_char(line, ' ')), &n));
    return (unsigned)n;
}

/* Each line, or the place where it would be, is there once and in order; nothing waits for the reader. */
static void test_log_that_nobody_reads(void **state)
{
    (void)state;
    enum { MANY = 40000, MORE = 10 };
    struct reader r = {.stalled = true};
    struct log *l = start_log(&r, NULL);
    unsigned next = 0, gaps = 0;
    for (unsigned i = 0; i < MANY; i++)
        add_line(l, i);
    const uint64_t lost = log_lost(l);
    assert_in_range(lost, 1, MANY - 1000);
    r.stalled = false;
    while (!r.told)
        clock_sleep_ms(1);
    for (unsigned i = MANY; i < MANY + MORE; i++)
        add_line(l, i);
    assert_int_equal(log_lost(l), lost);
    log_stop(l, 60000);
    for (struct pap_str rest = buf_str(&r.got), line; rest.n; rest = str_skip(rest, line.n + 1)) {
        bool is_gap;
        line = str_take(rest, str_find_char(rest, '\n'));
        unsigned n = number_in(line, &is_gap);
        assert_true(is_gap ? n == lost : n == next);
        next += is_gap ? n : 1;
        gaps += is_gap;
    }
    assert_true(buf_ok(&r.got));
    assert_int_equal(next, MANY + MORE);
    assert_int_equal(gaps, 1);
    buf_fini(&r.got);
}

/* The end does not wait either; what was there in time is handed on. */
static void test_log_ends(void **state)
{
    (void)state;
    struct reader r = {.stalled = true};
    struct log *l = start_log(&r, NULL);
    for (unsigned i = 0; i < 100; i++)
        add_line(l, i);
    log_stop(l, 0);
    assert_int_equal(r.got.n, 0);
    r.stalled = false;
    l = start_log(&r, NULL);
    for (unsigned i = 0; i < 100; i++)
        add_line(l, i);
    log_stop(l, 60000);
    assert_int_equal(str_find(buf_str(&r.got), S("GET /99 ")) < r.got.n, true);
    buf_fini(&r.got);
    log_stop(start_log(&r, NULL), 0);
    log_stop(NULL, 0);
}

/* A line for which there is no memory is lost as others are. */
static void test_log_without_memory(void **state)
{
    (void)state;
    unsigned told = 0;
    for (unsigned n = 1; n < 20; n++) {
        struct fail_alloc f;
        struct reader r = {.stalled = false};
        fail_alloc_init(&f, n);
        struct log *l = start_log(&r, &f.alloc);
        for (unsigned i = 0; l && i < 3; i++)
            add_line(l, i);
        uint64_t lost = l ? log_lost(l) : 0;
        log_stop(l, 60000);
        assert_int_equal(f.live, 0);
        assert_true(lost <= 3);
        assert_int_equal(r.told, lost > 0);
        told += lost > 0;
        buf_fini(&r.got);
    }
    assert_true(told >= 2);
}

static void test_log_lost_json(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 4096);
    access_log_json_lost(&b, 1767225600, 7);
    access_log_common_lost(&b, 1767225600, 7);
    access_log_common_lost(&b, 1767225600, 1);
    assert_str(buf_str(&b), "{\"time\": \"2026-01-01T00:00:00Z\", \"lost\": 7}\n"
                            "- - - [01/Jan/2026:00:00:00 +0000] \"7 lines lost\" 0 0\n"
                            "- - - [01/Jan/2026:00:00:00 +0000] \"1 line lost\" 0 0\n");
    buf_fini(&b);
}

/* ---- changes ---- */

static void run(const char *folder, const char *command)
{
    char text[512];
    snprintf(text, sizeof text, "cd %s && { %s; }", folder, command);
    assert_int_equal(system(text), 0);
}

static void test_watch(void **state)
{
    (void)state;
    static const struct {
        const char *command;
        bool seen;
    } steps[] = {
        {"echo a >new/tree/file", true},
        {"mkdir new/tree/deep && true", true},
        {"echo a >new/tree/deep/file", true}, /* a folder that was not there at first */
        {"rm new/tree/deep/file", true},
        {"cat new/tree/file", false},
        {"echo a >new/beside", false},
        {"echo a >other", false},
        {"mkdir -p next/tree && echo b >next/tree/file && ln -s next turned && mv -T turned site", true},
        {"echo c >next/tree/file", true}, /* now that is the folder */
    };
    char folder[64], site[80], command;
    int ends[2];
    struct watch w;
    assert_ok(folder_temporary(folder, NULL));
    assert_int_equal(pipe(ends), 0);
    run(folder, "mkdir -p new/tree && ln -s new site");
    snprintf(site, sizeof site, "%s/site", folder);
    assert_ok(watch_open(&w, site, (const char *const[]){"tree", NULL}, ends[0], NULL));
    assert_int_equal(watch_wait(&w, 0, &command), WATCH_TIME);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        run(folder, steps[i].command);
        if ((watch_wait(&w, 20, &command) == WATCH_CHANGED) != steps[i].seen)
            unit_fail("%s", steps[i].command);
    }
    assert_int_equal(write(ends[1], "r", 1), 1);
    assert_int_equal(watch_wait(&w, 0, &command), WATCH_COMMAND);
    assert_int_equal(command, 'r');
    close(ends[1]);
    assert_int_equal(watch_wait(&w, 0, &command), WATCH_END);
    close(ends[0]);
    watch_close(&w);
    assert_ok(folder_remove(folder, NULL));
    assert_int_equal(access(folder, F_OK), -1);
}

/* The folder is ".", so that one folder holds both the name of it and the name of what is watched; what is watched is made
 * again, is a file, lies deeper, or lies in another that is watched. */
static void test_watch_made_again(void **state)
{
    (void)state;
    static const char *const below[] = {"skills", "team/skills", "team/skills/inner", "poppy.json", NULL};
    static const struct {
        const char *command;
        bool seen;
    } steps[] = {
        {"rm -r skills", true},
        {"mkdir skills", true},
        {"echo a >skills/file", true},
        {"mv skills away && mkdir skills && echo b >skills/file", true},
        {"echo c >skills/file", true},
        {"echo a >poppy.json", true},
        {"echo b >poppy.json", true},
        {"echo a >new && mv new poppy.json", true},
        {"mkdir team", true},
        {"mkdir team/skills", true},
        {"echo a >team/skills/file", true},
        {"mkdir team/skills/inner", true},
        {"echo b >team/skills/file", true}, /* in the folder that holds what is watched, too */
        {"echo a >team/skills/inner/file", true},
        {"rm -r team", true},
        {"mkdir -p team/skills", true},
        {"echo a >team/skills/file", true},
        {"echo a >other", false},
        {"echo a >team/other", false},
    };
    char folder[64], before[4096], command;
    int ends[2];
    struct watch w;
    assert_ok(folder_temporary(folder, NULL));
    assert_int_equal(pipe(ends), 0);
    run(folder, "mkdir skills");
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_ok(watch_open(&w, ".", below, ends[0], NULL));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        run(folder, steps[i].command);
        bool seen = false;
        while (watch_wait(&w, 20, &command) == WATCH_CHANGED)
            seen = true;
        if (seen != steps[i].seen)
            unit_fail("%s", steps[i].command);
    }
    assert_int_equal(chdir(before), 0);
    close(ends[0]);
    close(ends[1]);
    watch_close(&w);
    assert_ok(folder_remove(folder, NULL));
}

/* A change above the folder: it or one that holds it is moved away and another takes its place, a link on the way is turned,
 * or a link that a link leads to. Then the new one is watched, and the old one no more. */
static void test_watch_above(void **state)
{
    (void)state;
    static const struct {
        const char *command;
        bool seen;
    } steps[] = {
        {"true", false},
        {"cp -r releases/1 releases/2 && ln -s 2 releases/new && mv -T releases/new releases/live", true},
        {"echo a >releases/2/tree/.well-known/file", true},
        {"echo a >releases/1/tree/.well-known/file", false},
        {"mv releases/2 releases/old && cp -r releases/1 releases/2", true},
        {"echo b >releases/2/tree/.well-known/file", true},
        {"ln -s releases/1 turned && mv -T turned current", true},
        {"echo b >releases/1/tree/.well-known/file", true},
        {"echo c >releases/2/tree/.well-known/file", false},
        {"mv releases away", true}, /* nothing is there */
        {"true", false},
        {"mv away releases", true},
        {"echo c >releases/1/tree/.well-known/file", true},
    };
    char folder[64], tree[80], command;
    int ends[2];
    struct watch w;
    assert_ok(folder_temporary(folder, NULL));
    assert_int_equal(pipe(ends), 0);
    run(folder, "mkdir -p releases/1/tree/.well-known && ln -s 1 releases/live && ln -s releases/live current");
    snprintf(tree, sizeof tree, "%s/current/tree", folder);
    assert_ok(watch_open(&w, tree, (const char *const[]){".well-known", NULL}, ends[0], NULL));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        run(folder, steps[i].command);
        w.looked -= WATCH_LOOK_MS; /* as if so much time had gone by */
        if ((watch_wait(&w, 20, &command) == WATCH_CHANGED) != steps[i].seen)
            unit_fail("%s", steps[i].command);
        while (watch_wait(&w, 0, &command) == WATCH_CHANGED) /* cp is more than one change */
            continue;
    }
    close(ends[0]);
    close(ends[1]);
    watch_close(&w);
    assert_ok(folder_remove(folder, NULL));
}

/* ---- generations ---- */

enum { READERS = 4, REQUESTS = 2000, SWAPS = 50 };

static void *ask(void *ctx)
{
    static const char *const ranges[] = {"bytes=0-1,4-5", "bytes=2-3", "x"};
    struct arena a;
    size_t wrong = 0;
    arena_init(&a, NULL);
    for (unsigned i = 0; i < REQUESTS; i++) {
        struct header range = {S("Range"), str_c(ranges[i % 3])};
        struct http_request q = {
            .method = S("GET"), .path = S("/.well-known/a%20b.txt"), .headers = &range, .n_headers = 1};
        struct http_response r = {.arena = &a};
        host_handle(ctx, &q, &r);
        wrong += r.status != (i % 3 == 2 ? 200 : 206) || r.body.n == 0;
        r.release(r.release_ctx);
        arena_reset(&a);
    }
    arena_fini(&a);
    return (void *)wrong;
}

static void test_swap_under_load(void **state)
{
    (void)state;
    const struct generation_options o = {.max_age = 300, .now = 4102444800};
    struct host host;
    struct generation *g;
    pthread_t readers[READERS];
    assert_ok(generation_load(TREE, &o, &g, NULL));
    host_init(&host, g);
    for (unsigned i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, ask, &host), 0);
    for (unsigned i = 0; i < SWAPS; i++) {
        assert_ok(generation_load(TREE, &o, &g, NULL));
        host_swap(&host, g);
    }
    for (unsigned i = 0; i < READERS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(readers[i], &wrong), 0);
        assert_null(wrong);
    }
    host_fini(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_common),
        cmocka_unit_test(test_log_json),
        cmocka_unit_test(test_log_that_nobody_reads),
        cmocka_unit_test(test_log_ends),
        cmocka_unit_test(test_log_without_memory),
        cmocka_unit_test(test_log_lost_json),
        cmocka_unit_test(test_watch),
        cmocka_unit_test(test_watch_made_again),
        cmocka_unit_test(test_watch_above),
        cmocka_unit_test(test_swap_under_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
