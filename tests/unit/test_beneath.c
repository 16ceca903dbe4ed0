/* SPDX-License-Identifier: Apache-2.0
 *
 * Files below a folder that somebody else has laid links into.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/beneath.h"
#include "sys/stage.h"
#include "unit.h"

static char top[64], inside[80], outside[80];

static int setup(void **state)
{
    (void)state;
    assert_ok(folder_temporary(top, NULL));
    (void)snprintf(inside, sizeof inside, "%s/in", top);
    (void)snprintf(outside, sizeof outside, "%s/out", top);
    assert_ok(folder_make(inside, NULL));
    assert_ok(folder_make(outside, NULL));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_ok(folder_remove(top, NULL));
    return 0;
}

static int root_of(void)
{
    int fd;
    assert_ok(beneath_open(inside, &fd, NULL));
    return fd;
}

static void link_at(const char *name, const char *target)
{
    char path[200];
    (void)snprintf(path, sizeof path, "%s/%s", inside, name);
    assert_int_equal(symlink(target, path), 0);
}

static enum file_type type_of(int root, const char *path)
{
    enum file_type t;
    assert_ok(beneath_type(root, path, &t, NULL));
    return t;
}

static struct pap_str bytes_of(struct arena *a, int root, const char *path)
{
    struct pap_str s;
    assert_ok(beneath_read(a, root, path, 1000, &s, NULL));
    return s;
}

static void files_come_and_go(void **state)
{
    (void)state;
    struct arena a;
    struct tree t;
    struct stat st;
    int root __attribute__((cleanup(beneath_close))) = root_of();
    arena_init(&a, NULL);
    assert_ok(beneath_write(root, "a/b/c", S("one"), false, NULL));
    assert_ok(beneath_write(root, "a/x", S("two"), true, NULL));
    assert_int_equal(beneath_write(root, "a/x", S("three"), true, NULL).code, PAP_IO);
    assert_true(str_eq(bytes_of(&a, root, "a/b/c"), S("one")));
    assert_null(bytes_of(&a, root, "a/b/d").p);
    assert_null(bytes_of(&a, root, "z/z/z").p);
    assert_true(fstatat(root, "a/x", &st, 0) == 0 && (st.st_mode & 0111));
    assert_true(fstatat(root, "a/b/c", &st, 0) == 0 && !(st.st_mode & 0111));
    assert_int_equal(type_of(root, "a/b"), FILE_FOLDER);
    assert_int_equal(type_of(root, "a/b/c"), FILE_REGULAR);
    assert_int_equal(type_of(root, "q/b"), FILE_NONE);
    assert_ok(beneath_list(&a, root, "a", 100, 4, &t, NULL));
    assert_int_equal(t.n, 3);
    assert_int_equal(beneath_list(&a, root, "a", 1, 4, &t, NULL).code, PAP_LIMIT);
    assert_ok(beneath_list(&a, root, "none", 2, 4, &t, NULL));
    assert_int_equal(t.n, 0);

    assert_ok(beneath_move(root, "a/b", "m/n/b", NULL));
    assert_true(str_eq(bytes_of(&a, root, "m/n/b/c"), S("one")));
    assert_ok(beneath_swap(root, "a", "m", NULL));
    assert_true(str_eq(bytes_of(&a, root, "a/n/b/c"), S("one")));
    assert_true(str_eq(bytes_of(&a, root, "m/x"), S("two")));
    assert_ok(beneath_remove_empty(root, "a/n", NULL)); /* not empty: stays, and that is fine */
    assert_int_equal(type_of(root, "a/n"), FILE_FOLDER);
    assert_ok(beneath_remove(root, "m/x", NULL));
    assert_ok(beneath_remove(root, "m/x", NULL));
    assert_ok(beneath_remove_empty(root, "m", NULL));
    assert_int_equal(type_of(root, "m"), FILE_NONE);
    assert_ok(beneath_clear(root, "a", NULL));
    assert_ok(beneath_clear(root, "a", NULL));
    assert_int_equal(type_of(root, "a"), FILE_NONE);
    arena_fini(&a);
}

/* A link on the way, whatever it leads to, ends everything; nothing outside is touched. */
static void links_are_not_followed(void **state)
{
    (void)state;
    struct arena a;
    struct pap_err err;
    struct pap_str s;
    enum file_type t;
    struct tree tree;
    char secret[100];
    int root __attribute__((cleanup(beneath_close))) = root_of(), fd;
    arena_init(&a, NULL);
    (void)snprintf(secret, sizeof secret, "%s/secret", outside);
    assert_ok(file_write_atomic(secret, S("secret"), NULL));
    link_at("out", outside);
    link_at("up", "..");
    link_at("self", "self");
    assert_ok(beneath_write(root, "real/f", S("f"), false, NULL));
    link_at("near", "real");
    static const char *const folders[] = {"out", "up", "up/out", "self", "near", "../out", "real/../../out"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct pap_str path = arena_fmt(&a, "%s/secret", folders[i]), made = arena_fmt(&a, "%s/made", folders[i]);
        assert_int_equal(beneath_read(&a, root, path.p, 1000, &s, &err).code, PAP_REFUSED);
        assert_int_equal(beneath_type(root, path.p, &t, &err).code, PAP_REFUSED);
        assert_int_equal(beneath_write(root, made.p, S("x"), false, &err).code, PAP_REFUSED);
        assert_int_equal(beneath_link(root, made.p, "x", &err).code, PAP_REFUSED);
        assert_int_equal(beneath_move(root, "real/f", made.p, &err).code, PAP_REFUSED);
        assert_int_equal(beneath_move(root, path.p, "taken", &err).code, PAP_REFUSED);
        assert_int_equal(beneath_swap(root, path.p, "real/f", &err).code, PAP_REFUSED);
        assert_int_equal(beneath_remove(root, path.p, &err).code, PAP_REFUSED);
        assert_int_equal(beneath_folder(root, folders[i], true, &fd, &err).code, PAP_REFUSED);
        assert_int_equal(beneath_list(&a, root, folders[i], 10, 2, &tree, &err).code, PAP_REFUSED);
        assert_int_equal(beneath_clear(root, folders[i], &err).code, PAP_REFUSED);
    }
    assert_non_null(strstr(err.text, "real/../../out"));
    assert_int_equal(beneath_read(&a, root, "out/secret", 1000, &s, &err).code, PAP_REFUSED);
    assert_non_null(strstr(err.text, "symbolic link"));
    assert_ok(file_read(&a, secret, 100, &s, NULL, NULL));
    assert_true(str_eq(s, S("secret")));
    assert_int_equal(type_of(root, "out"), FILE_LINK);
    assert_ok(beneath_read_link(&a, root, "near", &s, NULL));
    assert_true(str_eq(s, S("real")));
    assert_ok(beneath_read_link(&a, root, "real", &s, NULL));
    assert_null(s.p);
    assert_ok(beneath_remove(root, "out", NULL)); /* the link itself may go */
    assert_ok(file_read(&a, secret, 100, &s, NULL, NULL));
    arena_fini(&a);
}

/* What is in a cleared folder goes, what its links lead to does not. */
static void clearing_stays_inside(void **state)
{
    (void)state;
    struct arena a;
    struct pap_str s;
    char secret[100];
    int root __attribute__((cleanup(beneath_close))) = root_of();
    arena_init(&a, NULL);
    (void)snprintf(secret, sizeof secret, "%s/secret", outside);
    assert_ok(file_write_atomic(secret, S("secret"), NULL));
    assert_ok(beneath_write(root, "go/a/b/c", S("1"), false, NULL));
    link_at("go/out", outside);
    link_at("go/a/secret", secret);
    assert_ok(beneath_clear(root, "go", NULL));
    assert_int_equal(type_of(root, "go"), FILE_NONE);
    assert_ok(file_read(&a, secret, 100, &s, NULL, NULL));
    arena_fini(&a);
}

/* A kernel without openat2, as a filter of system calls makes one. */
static void old_kernel(void **state)
{
    (void)state;
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {4, code};
        struct pap_err err = {.text = ""};
        int fd;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            _exit(2);
        pap_result r = beneath_open(inside, &fd, &err);
        _exit(r.code == PAP_UNAVAILABLE && strstr(err.text, "Linux 5.6") ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        skip(); /* filters are not allowed here */
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void no_device_is_read(void **state)
{
    (void)state;
    struct arena a;
    struct pap_str s;
    char path[100];
    int root __attribute__((cleanup(beneath_close))) = root_of();
    arena_init(&a, NULL);
    (void)snprintf(path, sizeof path, "%s/fifo", inside);
    assert_int_equal(mkfifo(path, 0644), 0);
    assert_int_equal(beneath_read(&a, root, "fifo", 10, &s, NULL).code, PAP_IO);
    assert_int_equal(beneath_read(&a, root, "", 10, &s, NULL).code, PAP_IO);
    assert_ok(beneath_write(root, "big", S("0123456789x"), false, NULL));
    assert_false(is_ok(beneath_read(&a, root, "big", 10, &s, NULL)));
    assert_int_equal(type_of(root, "fifo"), FILE_OTHER);
    int no;
    assert_int_equal(beneath_open(path, &no, NULL).code, PAP_IO);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_come_and_go, setup, teardown),
        cmocka_unit_test_setup_teardown(links_are_not_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(clearing_stays_inside, setup, teardown),
        cmocka_unit_test_setup_teardown(no_device_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(old_kernel, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
