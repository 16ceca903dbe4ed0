/* SPDX-License-Identifier: Apache-2.0
 *
 * Files, folders, clocks and libraries, in a folder of their own below TMPDIR that is removed at the end.
 */
#include "unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/file.h"
#include "sys/library.h"

int flock(int fd, int operation); /* <sys/file.h> of the system is hidden by ours */

static char folder[PATH_MAX];

/* The path of `name` in the test's folder; four may be in use at once. */
static const char *in(const char *name)
{
    static char paths[4][PATH_MAX * 2];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static int make_folder(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/test_sys-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *name, const char *text)
{
    struct pap_err err;
    assert_ok(file_write_atomic(in(name), str_c(text), &err));
}

static void reading_has_a_cap(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    struct pap_err err;
    struct pap_str got = S("untouched");
    bool large = true;
    put("ten", "0123456789");
    assert_ok(file_read(&a, in("ten"), 10, &got, &large, &err));
    assert_str(got, "0123456789");
    assert_false(large);
    got = S("untouched");
    assert_int_equal(file_read(&a, in("ten"), 9, &got, &large, &err).code, PAP_LIMIT);
    assert_true(large);
    assert_str(got, "untouched");
    assert_non_null(strstr(err.text, "larger than 9 bytes"));
    put("none", "");
    assert_ok(file_read(&a, in("none"), 0, &got, NULL, &err));
    assert_int_equal(got.n, 0);
    assert_non_null(got.p);
    /* A file whose size is not told before it is read. */
    assert_ok(file_read(&a, "/proc/self/status", 100000, &got, NULL, &err));
    assert_true(got.n > 0);
    assert_int_equal(file_read(&a, "/proc/self/status", 10, &got, &large, &err).code, PAP_LIMIT);
    assert_true(large);
    arena_fini(&a);
}

static void only_regular_files_are_read(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    assert_int_equal(mkfifo(in("fifo"), 0600), 0);
    static const struct {
        const char *path, *why;
    } rows[] = {
        {"/dev/null", "not a regular file"}, {"/dev/zero", "not a regular file"},
        {"fifo", "not a regular file"},      {"/", "a folder"},
        {"missing", "No such file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pap_err err;
        struct pap_str got;
        bool large;
        const char *path = rows[i].path[0] == '/' ? rows[i].path : in(rows[i].path);
        alarm(10); /* a read that waits for a writer must not hang the test */
        assert_int_equal(file_read(&a, path, 100, &got, &large, &err).code, PAP_IO);
        alarm(0);
        assert_false(large);
        if (!strstr(err.text, rows[i].why))
            unit_fail("%s: %s", path, err.text);
    }
    assert_int_equal(unlink(in("fifo")), 0);
    arena_fini(&a);
}

static void descriptors_are_read_to_their_end(void **state)
{
    (void)state;
    static char big[200000];
    struct arena a;
    arena_init(&a, NULL);
    struct pap_err err;
    struct pap_str got = {NULL, 0};
    int ends[2];
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    pid_t child = fork();
    if (child == 0) {
        struct timespec moment = {0, 20000000};
        (void)nanosleep(&moment, NULL); /* the reader finds nothing yet and waits */
        (void)fcntl(ends[1], F_SETFL, 0);
        memset(big, 'x', sizeof big);
        for (size_t n = 0; n < sizeof big;) {
            ssize_t more = write(ends[1], big + n, sizeof big - n);
            if (more < 0)
                _exit(1);
            n += (size_t)more;
        }
        _exit(0);
    }
    (void)close(ends[1]);
    assert_ok(fd_read(&a, ends[0], sizeof big, &got, &err));
    assert_int_equal(got.n, sizeof big);
    assert_int_equal(got.p[sizeof big - 1], 'x');
    (void)close(ends[0]);
    assert_int_equal(fd_read(&a, -1, 10, &got, &err).code, PAP_IO);
    arena_fini(&a);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    put("ten", "0123456789");
    for (unsigned at = 1;; at++) {
        struct fail_alloc f;
        fail_alloc_init(&f, at);
        struct arena a;
        arena_init(&a, &f.alloc);
        struct pap_str got;
        struct pap_err err;
        pap_result r = file_read(&a, in("ten"), 100, &got, NULL, &err);
        bool failed = f.calls >= at;
        assert_int_equal(r.code, failed ? PAP_NO_MEMORY : PAP_OK);
        arena_fini(&a);
        assert_int_equal(f.live, 0);
        if (!failed)
            break;
    }
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static pap_result count(void *ctx, const char *path, enum file_type type, struct pap_err *err)
{
    (void)path, (void)type, (void)err;
    ++*(unsigned *)ctx;
    return OK;
}

static void writing_is_whole_or_not_at_all(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    struct pap_err err;
    struct pap_str got;
    assert_int_equal(mkdir(in("w"), 0700), 0);
    mode_t mask = umask(022);
    put("w/new", "one");
    assert_int_equal(mode_of(in("w/new")), 0644);
    assert_int_equal(chmod(in("w/new"), 0600), 0);
    put("w/new", "two");
    assert_int_equal(mode_of(in("w/new")), 0600);
    (void)umask(077);
    put("w/private", "x");
    assert_int_equal(mode_of(in("w/private")), 0600);
    (void)umask(mask);
    assert_int_equal(symlink("new", in("w/link")), 0);
    put("w/link", "three"); /* through a link: its target is written, the link stays */
    assert_ok(file_read(&a, in("w/new"), 10, &got, NULL, &err));
    assert_str(got, "three");
    char target[8];
    assert_int_equal(readlink(in("w/link"), target, sizeof target), 3);
    /* Not over a folder or a device, not where there is no folder; nothing is left behind. */
    assert_int_equal(file_write_atomic(in("w"), S("x"), &err).code, PAP_IO);
    assert_int_equal(file_write_atomic("/dev/null", S("x"), &err).code, PAP_IO);
    assert_int_equal(file_write_atomic(in("nowhere/x"), S("x"), &err).code, PAP_IO);
    char name[300];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_int_equal(file_write_atomic(in(name), S("x"), &err).code, PAP_IO);
    unsigned files = 0;
    assert_ok(folder_walk(in("w"), 0, count, &files, &err));
    assert_int_equal(files, 3); /* new, private, link */
    /* A relative name without a folder. */
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(in("w")), 0);
    assert_ok(file_write_atomic("bare", S("x"), &err));
    assert_int_equal(chdir(before), 0);
    assert_int_equal(file_type_of(in("w/bare")), FILE_REGULAR);
    assert_true(file_is_readable(in("w/bare")));
    assert_false(file_is_readable(in("w/none")));
    assert_false(file_is_executable(in("w/bare")));
    assert_int_equal(chmod(in("w/bare"), 0700), 0);
    assert_true(file_is_executable(in("w/bare")));
    assert_false(file_is_executable(in("w")));
    arena_fini(&a);
}

/* What a killed writer left goes; what a living one holds, or somebody else named, stays. */
static void left_files_are_cleared(void **state)
{
    (void)state;
    static const char *const names[] = {"n.json.12-0.tmp", "n.json.1-99.tmp", "n.json.tmp",     "n.json.1-.tmp",
                                        "n.json.1-0.tmpx", "xn.json.1-0.tmp", "n.json.a-0.tmp", "n.json.1-0",
                                        "n.jsonx.1-0.tmp", "n.json1-0.tmp",   "n.json.-0.tmp",  "n.json.7-0.tmp"};
    enum { LEFT = 2, HELD = 11, ALL = 12 };
    assert_int_equal(mkdir(in("left"), 0700), 0);
    for (unsigned i = 0; i < ALL; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "left/%s", names[i]);
        put(name, "x");
    }
    int fd = open(in("left/n.json.7-0.tmp"), O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && flock(fd, LOCK_EX) == 0);
    assert_int_equal(symlink("n.json.tmp", in("left/n.json.5-0.tmp")), 0);
    assert_int_equal(mkdir(in("left/n.json.6-0.tmp"), 0700), 0);
    assert_int_equal(mkfifo(in("left/n.json.8-0.tmp"), 0600), 0);
    file_clear_beside(in("left/n.json"));
    for (unsigned i = 0; i < ALL; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "left/%s", names[i]);
        assert_int_equal(file_type_of(in(name)) == FILE_NONE, i < LEFT);
    }
    assert_int_equal(file_type_of(in("left/n.json.5-0.tmp")), FILE_REGULAR); /* what it leads to */
    assert_int_equal(file_type_of(in("left/n.json.6-0.tmp")), FILE_FOLDER);
    assert_int_equal(file_type_of(in("left/n.json.8-0.tmp")), FILE_OTHER);
    (void)close(fd);
    file_clear_beside(in("left/n.json"));
    assert_int_equal(file_type_of(in("left/n.json.7-0.tmp")), FILE_NONE);
    file_clear_beside(in("nowhere/n.json"));
}

static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    /* A limit on file size makes write() fail after some bytes, as a full disk does; in a process of its own. */
    put("kept", "old");
    pid_t child = fork();
    if (child == 0) {
        char limit[] = "ulimit -f 0; trap '' XFSZ; exec \"$0\" write-big \"$1\"", self[PATH_MAX] = {0};
        if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
            _exit(3);
        (void)execl("/bin/sh", "sh", "-c", limit, self, in("kept"), (char *)NULL);
        _exit(4);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), PAP_IO);
    struct arena a;
    arena_init(&a, NULL);
    struct pap_err err;
    struct pap_str got;
    assert_ok(file_read(&a, in("kept"), 10, &got, NULL, &err));
    assert_str(got, "old");
    arena_fini(&a);
    char pattern[PATH_MAX * 2];
    (void)snprintf(pattern, sizeof pattern, "%s.%ld-0.tmp", in("kept"), (long)child);
    assert_int_equal(access(pattern, F_OK), -1);
}

static pap_result collect(void *ctx, const char *path, enum file_type type, struct pap_err *err)
{
    (void)err;
    assert_int_equal(type == FILE_LINK, str_ends(str_c(path), S("linked")));
    buf_add(ctx, str_skip(str_c(path), strlen(folder) + 3));
    buf_add(ctx, type == FILE_REGULAR || type == FILE_LINK ? S(" ")
                 : type == FILE_OTHER                      ? S("? ")
                 : type == FILE_FOLDER_LINK                ? S("@ ")
                                                           : S("/ "));
    return OK;
}

static pap_result refuse(void *ctx, const char *path, enum file_type type, struct pap_err *err)
{
    (void)type;
    ++*(unsigned *)ctx;
    return fail(err, PAP_CANCELLED, "enough of %s", path);
}

static void walks_are_sorted_and_bounded(void **state)
{
    (void)state;
    static const char *const folders[] = {"t", "t/b", "t/b/c", "t/b/c/d", "t/.git", "t/b/node_modules", "t/empty"};
    static const char *const files[] = {"t/a",     "t/b.txt",   "t/B",      "t/\xc3\xa9",         "t/b/x",
                                        "t/b/c/y", "t/b/c/d/z", "t/.git/q", "t/b/node_modules/q", "t/.hidden"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(in(folders[i]), 0700), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(files[i], "x");
    assert_int_equal(symlink("../../t", in("t/b/loop")), 0);
    assert_int_equal(symlink("a", in("t/linked")), 0);
    assert_int_equal(symlink("nothing", in("t/dangling")), 0);
    assert_int_equal(mkfifo(in("t/pipe"), 0600), 0);
    static const char *const want[] = {
        ".hidden B a b.txt dangling? linked pipe? \xc3\xa9 ",
        ".hidden B a b/loop@ b/x b.txt dangling? linked pipe? \xc3\xa9 ",
        ".hidden B a b/c/y b/loop@ b/x b.txt dangling? linked pipe? \xc3\xa9 ",
        ".hidden B a b/c/d/z b/c/y b/loop@ b/x b.txt dangling? linked pipe? \xc3\xa9 ",
    };
    struct pap_err err;
    for (unsigned depth = 0; depth < 6; depth++) {
        struct buf b;
        buf_init(&b, NULL, 10000);
        assert_ok(folder_walk(in("t"), depth, collect, &b, &err));
        assert_str(buf_str(&b), want[depth < 3 ? depth : 3]);
        buf_fini(&b);
    }
    unsigned calls = 0;
    assert_int_equal(folder_walk(in("t"), 9, refuse, &calls, &err).code, PAP_CANCELLED);
    assert_int_equal(calls, 1);
    assert_int_equal(folder_walk(in("missing"), 9, count, &calls, &err).code, PAP_IO);
    assert_int_equal(folder_walk(in("t/a"), 9, count, &calls, &err).code, PAP_IO);
    assert_int_equal(file_type_of(in("t/linked")), FILE_REGULAR);
    assert_int_equal(file_type_of(in("t/b/loop")), FILE_FOLDER);
    assert_int_equal(file_type_of(in("t/pipe")), FILE_OTHER);
    assert_int_equal(file_type_of(in("t/dangling")), FILE_NONE);
}

static void clocks_run_and_stand(void **state)
{
    (void)state;
    struct clock stopped = clock_stopped(1700000000);
    assert_int_equal(stopped.unix_seconds(&stopped), 1700000000);
    assert_int_equal(stopped.monotonic_ms(&stopped), stopped.monotonic_ms(&stopped));
    int64_t t = time(NULL), seen = clock_system.unix_seconds(&clock_system);
    assert_true(seen >= t && seen <= t + 5);
    int64_t ms = clock_system.monotonic_ms(&clock_system);
    struct timespec moment = {0, 5000000};
    (void)nanosleep(&moment, NULL);
    assert_true(clock_system.monotonic_ms(&clock_system) >= ms + 5);
}

static void libraries_open_whole_or_not_at_all(void **state)
{
    (void)state;
    double (*cosine)(double) = NULL;
    void (*none)(void) = NULL;
    struct library_symbol good[] = {{"cos", &cosine}, {NULL, NULL}};
    struct library_symbol bad[] = {{"cos", &cosine}, {"no_such_function", &none}, {NULL, NULL}};
    struct pap_err err;
    assert_int_equal(library_open("libnothing.so.99", "libnothing99", good, &err).code, PAP_UNAVAILABLE);
    assert_non_null(strstr(err.text, "libnothing.so.99"));
    assert_non_null(strstr(err.text, "libnothing99"));
    assert_int_equal(library_open("libm.so.6", "libc6", bad, &err).code, PAP_UNAVAILABLE);
    assert_non_null(strstr(err.text, "no_such_function"));
    assert_true(cosine == NULL);
    assert_ok(library_open("libm.so.6", "libc6", good, &err));
    assert_true(cosine(0) > 0.99);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write-big") == 0)
        return (int)file_write_atomic(argv[2], S("more than the limit"), NULL).code;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_has_a_cap),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(descriptors_are_read_to_their_end),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(writing_is_whole_or_not_at_all),
        cmocka_unit_test(left_files_are_cleared),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
        cmocka_unit_test(walks_are_sorted_and_bounded),
        cmocka_unit_test(clocks_run_and_stand),
        cmocka_unit_test(libraries_open_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
