/* SPDX-License-Identifier: Apache-2.0
 *
 * A process that is killed at any system call of the cache that writes: what it leaves works, and the next one mends it. A
 * disk that is full from any such call on, or where just that one fails: nothing fails, and what was asked for is had. The
 * calls are intercepted by the linker (--wrap), so that nothing of it is in the product. (openat and pread of a build with
 * 64-bit offsets are openat64 and pread64.)
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "cache_unit.h"
#include "strike_unit.h"

#include "base/limits.h"
#include "sys/stage.h"

enum { MOST_CALLS = 300 };

WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode))
WRAP(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
WRAP(int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
WRAP(int, futimens, (int fd, const struct timespec t[2]), (fd, t))

static unsigned syncs;

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
    syncs++;
    if (strikes(false)) {
        errno = ENOSPC;
        return -1;
    }
    int r = __real_fdatasync(fd);
    (void)strikes(true);
    return r;
}

/* Taking away works on a full disk. */
int __real_unlinkat(int fd, const char *path, int flags);
int __wrap_unlinkat(int fd, const char *path, int flags);
int __wrap_unlinkat(int fd, const char *path, int flags)
{
    if (strikes(false) && trap.how == FAIL) {
        errno = EIO;
        return -1;
    }
    int r = __real_unlinkat(fd, path, flags);
    (void)strikes(true);
    return r;
}

/* The nth call that reads fails. */
static bool read_fails(void)
{
    return trap.how == FAIL_READ && trap.at && ++trap.calls == trap.at;
}

int __real_openat64(int at, const char *path, int flags, mode_t mode);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode);
int __wrap_openat64(int at, const char *path, int flags, mode_t mode)
{
    if (!(flags & O_CREAT) && read_fails()) {
        errno = EMFILE;
        return -1;
    }
    if (!(flags & O_CREAT))
        return __real_openat64(at, path, flags, 0);
    if (strikes(false)) {
        errno = ENOSPC;
        return -1;
    }
    int r = __real_openat64(at, path, flags, mode);
    (void)strikes(true);
    return r;
}

ssize_t __real_pread64(int fd, void *p, size_t n, off_t off);
ssize_t __wrap_pread64(int fd, void *p, size_t n, off_t off);
ssize_t __wrap_pread64(int fd, void *p, size_t n, off_t off)
{
    if (read_fails()) {
        errno = EIO;
        return -1;
    }
    return __real_pread64(fd, p, n, off);
}

int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __wrap_flock(int fd, int how)
{
    if (read_fails()) {
        errno = ENOLCK;
        return -1;
    }
    return __real_flock(fd, how);
}

/* ---- */

static struct pap_str old_one, small, large, healed;

static const struct pap_str listed = S_INIT("https://shop.example/index.json");

static struct cache_place place(char which)
{
    static char urls[4][40];
    char *url = urls[which - 'a'];
    (void)snprintf(url, sizeof urls[0], "https://shop.example/%c.md", which);
    return place_of("https://shop.example/", url, NULL);
}

static pap_result put_list(struct cache *c, const char *body)
{
    const struct cache_document d = {.url = listed, .etag = S("\"1\""), .body = str_c(body)};
    return cache_document_put(c, listed, S(""), false, NOW, &d, NULL);
}

static bool has_list(struct cache *c, const char *body)
{
    struct arena a;
    struct cache_document d;
    bool found = false;
    arena_init(&a, NULL);
    bool same = is_ok(cache_document_get(c, &a, listed, S(""), NOW, &d, &found, NULL)) && found && str_is(d.body, body);
    arena_fini(&a);
    return same;
}

/* Downloads and keeps it, and asks for it again; false: something of that did not work. */
static bool keep_and_get(struct cache *c, char which, struct pap_str bytes)
{
    const struct cache_place p = place(which);
    struct cache_object *o = NULL, *again = NULL;
    enum cache_state state;
    bool good = is_ok(cache_object_new(c, &o, NULL));
    for (struct pap_str rest = bytes; good && rest.n; rest = str_skip(rest, 300000))
        good = is_ok(cache_object_add(o, str_take(rest, 300000), NULL));
    good = good && is_ok(cache_object_seal(o, NULL)) && holds(o, bytes) &&
           is_ok(cache_object_keep(c, o, &p, PACK_UNKNOWN, NOW, NULL)) && holds(o, bytes) &&
           is_ok(cache_object_get(c, &p, str_c(digest_of(bytes)), false, NOW, &again, &state, NULL)) && again &&
           holds(again, bytes);
    cache_object_free(o);
    cache_object_free(again);
    return good;
}

/* What a client does, in one go. */
static bool work(void)
{
    uint64_t objects, removed;
    struct cache *c = open_cache();
    bool good = is_ok(put_list(c, "{\"new\": 1}")) && has_list(c, "{\"new\": 1}") && keep_and_get(c, 'b', small) &&
                keep_and_get(c, 'c', large) && keep_and_get(c, 'd', healed);
    cache_free(c);
    (void)is_ok(pap_skill_cache_prune(folder, NULL, small.n + large.n + healed.n + 4000, 365 * 100, false, &objects,
                                      &removed, NULL));
    return good;
}

/* What is to go first. */
static void make_oldest(void)
{
    const struct timespec before[2] = {{.tv_sec = NOW - DAY}, {.tv_sec = NOW - DAY}};
    (void)utimensat(AT_FDCWD, object_path(old_one, ".md"), before, 0);
}

static void prepare(bool empty)
{
    (void)is_ok(folder_remove(in("v1"), NULL));
    if (empty)
        return;
    struct cache *c = open_cache();
    const struct cache_place a = place('a'), d = place('d');
    assert_ok(put_list(c, "{\"old\": 1}"));
    cache_object_free(keep(c, &a, old_one, PACK_UNKNOWN));
    cache_object_free(keep(c, &d, healed, PACK_UNKNOWN));
    cache_free(c);
    put_file(object_path(healed, ".md"), S("spoiled"));
    make_oldest();
}

/* Found and right, or not there. */
static void assert_right_or_none(struct cache *c, char which, struct pap_str bytes, unsigned n)
{
    const struct cache_place p = place(which);
    struct cache_object *o;
    enum cache_state s = get(c, &p, bytes, false, &o);
    unsigned at = trap.at; /* what it holds is looked at undisturbed */
    trap.at = 0;
    if ((s == CACHE_CORRUPT && which != 'd' && trap.how != FAIL_READ) || (o && !holds(o, bytes)))
        unit_fail("call %u: %c is not right", n, which);
    trap.at = at;
    cache_object_free(o);
}

/* false: the run came to its end, there is no nth call. */
static bool strike(unsigned n, enum how how)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)alarm(50);
        trap.at = n;
        trap.how = how;
        bool good = work();
        trap.at = 0;
        _exit(good ? trap.calls >= n : 2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status)) {
        assert_int_equal(WTERMSIG(status), SIGKILL);
        return true;
    }
    if (WEXITSTATUS(status) == 2)
        unit_fail("call %u: something could not be done", n);
    return WEXITSTATUS(status) == 1;
}

static void struck_at_every_call(enum how how, bool empty, const char *what)
{
    unsigned n = 1;
    for (bool more = true; more; n++) {
        assert_true(n < MOST_CALLS);
        prepare(empty);
        more = strike(n, how);
        struct cache *c = open_cache();
        if (!empty && how <= KILL_AFTER && !has_list(c, "{\"old\": 1}") && !has_list(c, "{\"new\": 1}"))
            unit_fail("%s: call %u: the list is neither the old nor the new one", what, n);
        assert_right_or_none(c, 'a', old_one, n);
        assert_right_or_none(c, 'b', small, n);
        assert_right_or_none(c, 'c', large, n);
        assert_right_or_none(c, 'd', healed, n);
        cache_free(c);
        make_oldest();
        assert_true(work()); /* the next run mends everything */
        c = open_cache();
        assert_true(has_list(c, "{\"new\": 1}"));
        const struct cache_place places[] = {place('b'), place('c'), place('d')};
        assert_found(c, &places[0], small, false);
        assert_found(c, &places[1], large, false);
        assert_found(c, &places[2], healed, false);
        cache_free(c);
        assert_int_equal(count_names("part-"), 0);
        assert_int_equal(count_names("object-"), 3);
    }
    print_message("%s%s: %u calls that write\n", what, empty ? ", in an empty folder" : "", n - 2);
    assert_true(n > 25);
}

static void killed_before_every_call(void **state)
{
    (void)state;
    struck_at_every_call(KILL_BEFORE, false, "killed before");
    struck_at_every_call(KILL_BEFORE, true, "killed before");
}

static void killed_after_every_call(void **state)
{
    (void)state;
    struck_at_every_call(KILL_AFTER, false, "killed after");
}

static void every_call_fails(void **state)
{
    (void)state;
    struck_at_every_call(FAIL, false, "no space once");
    struck_at_every_call(FAIL, true, "no space once");
}

static void the_disk_is_full_from_every_call_on(void **state)
{
    (void)state;
    struck_at_every_call(FULL, false, "no space from then on");
    struck_at_every_call(FULL, true, "no space from then on");
}

/* Of what is there; whatever cannot be read is not found, and nothing else goes wrong. A failed open takes nothing away. */
static void every_read_fails(void **state)
{
    (void)state;
    unsigned n = 1;
    for (bool more = true; more; n++) {
        assert_true(n < MOST_CALLS);
        prepare(true);
        assert_true(work());
        struct cache *c = open_cache();
        trap.at = n;
        trap.how = FAIL_READ;
        trap.calls = 0;
        assert_right_or_none(c, 'b', small, n);
        assert_right_or_none(c, 'c', large, n);
        (void)has_list(c, "{\"new\": 1}");
        const struct cache_place a = place('a');
        cache_object_free(keep(c, &a, old_one, PACK_UNKNOWN));
        more = trap.calls >= n;
        trap.at = 0;
        assert_found(c, &a, old_one, false);
        cache_free(c);
        assert_true(work());
        assert_int_equal(count_names("part-"), 0);
    }
    print_message("%u calls that read\n", n - 2);
    assert_true(n > 15);
}

/* A new artifact costs one sync however it is made; a document, a record, and what is there already none. */
static void one_sync_an_artifact(void **state)
{
    (void)state;
    prepare(true);
    struct cache *c = open_cache();
    syncs = 0;
    assert_ok(put_list(c, "{}"));
    assert_int_equal(syncs, 0);
    assert_true(keep_and_get(c, 'b', small));
    assert_int_equal(syncs, 1);
    assert_true(keep_and_get(c, 'c', large));
    assert_int_equal(syncs, 2);
    assert_true(keep_and_get(c, 'a', small));
    assert_int_equal(syncs, 2);
    cache_free(c);
}

int main(void)
{
    use_memory_for_folders();
    old_one = many_bytes(6000);
    small = many_bytes(5000);
    large = many_bytes(LIMIT_SPOOL + 50000);
    healed = many_bytes(7000);
    const struct CMUnitTest tests[] = {
        cache_test(killed_before_every_call), cache_test(killed_after_every_call),
        cache_test(every_call_fails),         cache_test(the_disk_is_full_from_every_call_on),
        cache_test(every_read_fails),         cache_test(one_sync_an_artifact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
