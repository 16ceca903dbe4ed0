/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests that kill a process at a system call, or let the call fail there. The calls are intercepted by the linker
 * (--wrap, listed in meson.build), so that nothing of it is in the product. A test names those that count with WRAP(), or
 * by hand where the arguments decide; write() is here, because half of what it was given may reach the file.
 */
#ifndef UNIT_STRIKE_H
#define UNIT_STRIKE_H

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/result.h"
#include "unit.h"

enum how { KILL_BEFORE, KILL_AFTER, FAIL, FULL /* from that call on */, FAIL_READ /* a call that reads */ };

/* Nothing strikes while `at` is 0; calls count from 1. */
static struct {
    unsigned calls, at;
    enum how how;
} trap;

/* Whether the call is to fail; a process that is to die does so here. */
static bool strikes(bool after)
{
    if (!trap.at || trap.how == FAIL_READ)
        return false;
    trap.calls += !after;
    if (trap.calls == trap.at && trap.how == (after ? KILL_AFTER : KILL_BEFORE))
        (void)kill(getpid(), SIGKILL);
    return !after && ((trap.how == FAIL && trap.calls == trap.at) || (trap.how == FULL && trap.calls >= trap.at));
}

#define WRAP(type, name, params, args) \
    type __real_##name params;         \
    type __wrap_##name params;         \
    type __wrap_##name params          \
    {                                  \
        if (strikes(false)) {          \
            errno = ENOSPC;            \
            return -1;                 \
        }                              \
        type r = __real_##name args;   \
        (void)strikes(true);           \
        return r;                      \
    }

ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    if (trap.at && trap.how != FAIL_READ && trap.calls + 1 == trap.at)
        (void)__real_write(fd, p, n / 2);
    if (strikes(false)) {
        errno = ENOSPC;
        return -1;
    }
    ssize_t r = __real_write(fd, p, n);
    (void)strikes(true);
    return r;
}

/* The end of a child that was to be struck at call n: 0 there is none, 1 a failure of the disk, 2 done, 3 anything else. */
static inline void struck_exit(unsigned n, pap_result r)
{
    trap.at = 0;
    _exit(trap.calls < n ? 0 : is_ok(r) ? 2 : r.code == PAP_IO ? 1 : 3);
}

/* false: the child came to its end, there is no nth call. */
static inline bool was_struck(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status)) {
        assert_int_equal(WTERMSIG(status), SIGKILL);
        return true;
    }
    assert_true(WEXITSTATUS(status) <= 2);
    return WEXITSTATUS(status) != 0;
}

#endif
