/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/outlet.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK would be set for everybody who has the same open file, the shell behind us too; a pipe or a terminal can be
 * opened once more instead. Where it may not be, as the socket of a journal, poll() alone has to do. */
void outlet_open(struct outlet *o, int fd)
{
    char path[40];
    struct stat st = {0};
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    bool blocks = fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || isatty(fd) == 1);
    int own = blocks ? open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
    o->fd = own >= 0 ? own : fd;
}

size_t outlet_put(const struct outlet *o, const char *p, size_t n, int ms)
{
    struct pollfd ready = {.fd = o->fd, .events = POLLOUT};
    if (n > PIPE_BUF)
        n = PIPE_BUF;
    if (poll(&ready, 1, ms) <= 0)
        return 0;
    ssize_t got = write(o->fd, p, n);
    return got > 0 ? (size_t)got : 0;
}
