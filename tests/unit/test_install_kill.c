/* SPDX-License-Identifier: Apache-2.0
 *
 * An install that is killed at any system call that writes, or whose call fails there: each skill is the old one or the new
 * one, whole, and says what its lock says as soon as the next process has looked. Calls are intercepted by the linker.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "install_unit.h"
#include "strike_unit.h"

enum { MOST_CALLS = 400 };

WRAP(int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode))
WRAP(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
WRAP(int, symlinkat, (const char *target, int fd, const char *path), (target, fd, path))
WRAP(int, renameat2, (int from, const char *old, int to, const char *new, unsigned flags), (from, old, to, new, flags))

/* Not really: a disk that others write to as well would need minutes for all of them. */
int __wrap_syncfs(int fd);
int __wrap_syncfs(int fd)
{
    (void)fd;
    if (strikes(false)) {
        errno = ENOSPC;
        return -1;
    }
    (void)strikes(true);
    return 0;
}

/* The nth call that reads fails. */
static bool read_fails(void)
{
    if (trap.how != FAIL_READ || !trap.at || ++trap.calls != trap.at)
        return false;
    errno = EIO;
    return true;
}

#define WRAP_READ(type, name, params, args)            \
    type __real_##name params;                         \
    type __wrap_##name params;                         \
    type __wrap_##name params                          \
    {                                                  \
        return read_fails() ? -1 : __real_##name args; \
    }

WRAP_READ(ssize_t, pread64, (int fd, void *to, size_t n, off_t at), (fd, to, n, at))
WRAP_READ(int, fstat64, (int fd, struct stat *st), (fd, st))
WRAP_READ(int, fstatat64, (int fd, const char *path, struct stat *st, int flags), (fd, path, st, flags))
WRAP_READ(int, statx, (int fd, const char *path, int flags, unsigned mask, void *st), (fd, path, flags, mask, st))
WRAP_READ(ssize_t, readlinkat, (int fd, const char *path, char *to, size_t n), (fd, path, to, n))
WRAP_READ(int, flock, (int fd, int operation), (fd, operation))
WRAP_READ(ssize_t, getdents64, (int fd, void *to, size_t n), (fd, to, n))

/* Once, a walk into this folder stops at `open_hook` until that returns. */
static const char *hooked;
static void (*open_hook)(void);

/* openat2: only files that are made count. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list ap;
    va_start(ap, number);
    long a[6];
    for (size_t i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    bool makes = number == SYS_openat2 && (*(const uint64_t *)a[2] & O_CREAT);
    if (!makes && read_fails())
        return -1;
    if (makes && strikes(false)) {
        errno = ENOSPC;
        return -1;
    }
    long r = __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (makes)
        (void)strikes(true);
    if (hooked && number == SYS_openat2 && strcmp((const char *)a[1], hooked) == 0) {
        hooked = NULL;
        open_hook();
    }
    return r;
}

/* ---- */

#define PLANTS ".agents/skills/water-plants"
#define BIRDS ".agents/skills/feed-birds"

struct step {
    const char *what;
    bool copy; /* Claude's folder has a copy */
    pap_result (*change)(struct pap_install *in, struct pap_skill_err *err);
};

static pap_result change_all(struct pap_install *in, struct pap_skill_err *err)
{
    pap_result r = plan(in, &plants_2, (struct pap_install_add){0}, err);
    if (is_ok(r))
        r = pap_install_plan_remove(in, "feed-birds", err);
    return is_ok(r) ? pap_install_apply(in, NULL, NULL, err) : r;
}

static pap_result change_new(struct pap_install *in, struct pap_skill_err *err)
{
    static const struct release cats = {
        "feed-cats", "shop.example", NULL, {{"SKILL.md", "feed them\n", false}, {"a/b", "c\n", false}}};
    pap_result r = plan(in, &cats, (struct pap_install_add){.agents = CLAUDE}, err);
    return is_ok(r) ? pap_install_apply(in, NULL, NULL, err) : r;
}

static const struct step steps[] = {
    {"update and remove, links", false, change_all},
    {"update and remove, copies", true, change_all},
    {"a new one", false, change_new},
};

static void prepare(const struct step *s)
{
    struct pap_skill_err err = {0};
    empty_project();
    assert_ok(install(&plants_1, (struct pap_install_add){.agents = CLAUDE, .copy = s->copy}, &err));
    assert_ok(install(&birds, (struct pap_install_add){.agents = CLAUDE}, &err));
    put(".agents/skills/mine/SKILL.md", "mine\n");
}

/* Where an agent looks, at this very moment. */
static void assert_usable(const char *folder, const char *what, unsigned n)
{
    char md[100], old[100], new[100];
    (void)snprintf(md, sizeof md, "%s/SKILL.md", folder);
    (void)snprintf(old, sizeof old, "%s/a/how.md", folder);
    (void)snprintf(new, sizeof new, "%s/b/how.md", folder);
    bool is_old = has(md, "water them\n") && has(old, "much\n") && !is_there(new);
    bool is_new = has(md, "water them well\n") && has(new, "a lot\n") && !is_there(old);
    if (!is_old && !is_new)
        unit_fail("%s at call %u: %s is neither the old nor the new skill", what, n, folder);
}

/* Who only reads changes nothing: all is right, or something has to be finished first, and that is said. */
static void assert_readable(const char *what, unsigned n, bool finished)
{
    struct pap_install_options o = {.lock = at("papaver-skills.lock"), .refuse_unfinished = true};
    struct pap_install *in = NULL;
    struct pap_skill_err err = {0};
    pap_result r = pap_install_open(&o, &in, &err);
    if (!is_ok(r) && (finished || err.code != PAP_SKILL_LOCK_MISMATCH))
        unit_fail("%s at call %u: %s", what, n, err.text);
    for (size_t i = 0; in && i < pap_install_count(in); i++) {
        bool good = false;
        assert_ok(pap_install_verify(in, i, false, NULL, NULL, &good, &err));
        if (!good)
            unit_fail("%s at call %u: a skill is not as its lock says, for who reads", what, n);
    }
    pap_install_close(in);
}

static void assert_right(const char *what, unsigned n)
{
    struct pap_install *in;
    struct pap_skill_err err = {0};
    assert_readable(what, n, false);
    if (!is_ok(open_at(NULL, &in, &err)))
        unit_fail("%s at call %u: %s", what, n, err.text);
    for (size_t i = 0; i < pap_install_count(in); i++) {
        bool good = false;
        assert_ok(pap_install_verify(in, i, false, NULL, NULL, &good, &err));
        if (!good)
            unit_fail("%s at call %u: a skill is not as its lock says", what, n);
    }
    size_t i;
    if (!pap_install_find(in, "feed-birds", &i) && (is_there(BIRDS) || is_there(".claude/skills/feed-birds")))
        unit_fail("%s at call %u: feed-birds lies there without a lock", what, n);
    assert_false(is_there(".agents/.papaver-staging") || is_there(".agents/papaver-kept"));
    assert_true(has(".agents/skills/mine/SKILL.md", "mine\n"));
    pap_install_close(in);
    assert_readable(what, n, true);
}

/* The command after the next one: the change once more, whatever became of the first. */
static void assert_goes_on(const struct step *s, const char *what, unsigned n)
{
    struct pap_install *in;
    struct pap_skill_err err = {0};
    size_t i;
    assert_ok(open_at(NULL, &in, &err));
    bool gone = s->change == change_all && !pap_install_find(in, "feed-birds", &i);
    pap_result r = gone ? plan(in, &plants_2, (struct pap_install_add){0}, &err) : s->change(in, &err);
    if (is_ok(r) && gone)
        r = pap_install_apply(in, NULL, NULL, &err);
    if (!is_ok(r))
        unit_fail("%s at call %u, once more: %s", what, n, err.text);
    pap_install_close(in);
    assert_right(what, n);
    assert_true(s->change != change_all || (has(PLANTS "/SKILL.md", "water them well\n") && !is_there(BIRDS)));
    assert_true(s->change != change_new || has(".agents/skills/feed-cats/a/b", "c\n"));
}

/* false: the run came to its end, there is no nth call. */
static bool strike(const struct step *s, unsigned n, enum how how)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct pap_install *in;
        struct pap_skill_err err = {0};
        if (!is_ok(open_at(NULL, &in, &err)))
            _exit(9);
        trap.at = n;
        trap.how = how;
        pap_result r = s->change(in, &err);
        if (!is_ok(r) && r.code != PAP_IO)
            (void)fprintf(stderr, "call %u: %s\n", n, err.text);
        struck_exit(n, r);
    }
    return was_struck(pid);
}

static void struck_at_every_call(enum how how, const char *what)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        unsigned n = 1;
        if (how == FAIL_READ && !steps[i].copy) /* which has all that the others read */
            continue;
        for (bool more = true; more; n++) {
            assert_true(n < MOST_CALLS);
            prepare(&steps[i]);
            more = strike(&steps[i], n, how);
            assert_usable(PLANTS, what, n);
            if (steps[i].copy)
                assert_usable(".claude/skills/water-plants", what, n);
            assert_right(what, n);
            assert_usable(PLANTS, what, n);
            assert_goes_on(&steps[i], what, n);
        }
        print_message("%s, %s: %u calls\n", what, steps[i].what, n - 2);
        assert_true(n > 10);
        if (steps[i].change == change_all)
            assert_true(has(PLANTS "/SKILL.md", "water them well\n") && !is_there(BIRDS));
    }
}

static void killed_before_every_call(void **state)
{
    (void)state;
    struck_at_every_call(KILL_BEFORE, "killed before");
}

static void killed_after_every_call(void **state)
{
    (void)state;
    struck_at_every_call(KILL_AFTER, "killed after");
}

static void every_call_fails(void **state)
{
    (void)state;
    struck_at_every_call(FAIL, "no space");
}

static void every_read_fails(void **state)
{
    (void)state;
    struck_at_every_call(FAIL_READ, "a read fails");
}

/* Many that change one project take turns; each comes to a right end or says that it was too late. */
static void many_take_turns(void **state)
{
    (void)state;
    struct pap_skill_err err = {0};
    for (int round = 0; round < 6; round++) {
        pid_t pids[6];
        empty_project();
        put(".agents/skills/mine/SKILL.md", "mine\n");
        for (int i = 0; i < 6; i++) {
            pids[i] = fork();
            if (pids[i] == 0) {
                pap_result r = i < 3   ? install(i % 2 ? &plants_1 : &plants_2, (struct pap_install_add){0}, &err)
                               : i < 5 ? install(&birds, (struct pap_install_add){.agents = CLAUDE}, &err)
                                       : uninstall("feed-birds", NULL, NULL, &err);
                if (!is_ok(r) && r.code != PAP_REFUSED)
                    (void)fprintf(stderr, "process %d, round %d: %s\n", i, round, err.text);
                _exit(is_ok(r) || r.code == PAP_REFUSED ? 0 : 1);
            }
        }
        for (int i = 0; i < 6; i++) {
            int status;
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_int_equal(status, 0);
        }
        assert_right("six at once", (unsigned)round);
        assert_usable(PLANTS, "six at once", (unsigned)round);
    }
}

static pid_t other;

/* Somebody else takes the skill away; for as long as he has to wait, he does not come to an end. */
static void remove_meanwhile(void)
{
    struct pap_skill_err err = {0};
    other = fork();
    assert_true(other >= 0);
    if (other == 0) {
        (void)close_range(3, ~0U, 0); /* what we hold would be his, too */
        _exit(is_ok(uninstall("feed-birds", NULL, NULL, &err)) ? 0 : 1);
    }
    for (int i = 0; i < 30 && is_there(BIRDS); i++)
        (void)usleep(10 * 1000);
}

static void nothing_moves_under_a_look(bool verify)
{
    struct pap_install *in;
    struct pap_skill_err err = {0};
    int status;
    bool good = false;
    empty_project();
    assert_ok(install(&birds, (struct pap_install_add){0}, &err));
    assert_ok(open_at(NULL, &in, &err));
    hooked = BIRDS, open_hook = remove_meanwhile;
    if (verify)
        assert_ok(pap_install_verify(in, 0, false, NULL, NULL, &good, &err));
    else
        assert_ok(plan(in, &birds, (struct pap_install_add){0}, &err));
    assert_null(hooked);
    assert_int_equal(good, verify);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    assert_false(is_there(BIRDS));
    if (!verify) {
        assert_int_equal(pap_install_apply(in, NULL, NULL, &err).code, PAP_REFUSED);
        assert_int_equal(err.code, PAP_SKILL_LOCK_MISMATCH);
    }
    pap_install_close(in);
}

static void looks_wait_for_changes(void **state)
{
    (void)state;
    nothing_moves_under_a_look(false);
    nothing_moves_under_a_look(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        install_test(killed_before_every_call), install_test(killed_after_every_call),
        install_test(every_call_fails),         install_test(every_read_fails),
        install_test(many_take_turns),          install_test(looks_wait_for_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
