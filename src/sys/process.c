/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The first bytes of a small file, NUL-terminated, without blanks at the ends. */
static struct pap_str peek(const char *path, char *buffer, size_t n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, buffer, n - 1);
    if (fd >= 0)
        (void)close(fd);
    buffer[got > 0 ? got : 0] = '\0';
    return str_trim(str(buffer, got > 0 ? (size_t)got : 0));
}

/* When a process began, in ticks since the boot: the 22nd field; the second, its name, may hold anything. */
static struct pap_str start_of(struct pap_str pid, char *buffer, size_t n)
{
    char path[64];
    struct pap_str field = S("");
    (void)snprintf(path, sizeof path, "/proc/%.*s/stat", PSTR(pid));
    struct pap_str text = peek(path, buffer, n);
    size_t close = str_rfind_char(text, ')');
    struct pap_str rest = str_skip(text, close < text.n ? close + 2 : text.n);
    for (int i = 3; i <= 22; i++)
        if (!str_next(&rest, ' ', &field))
            return S("");
    return field;
}

/* What is the same for all processes that see each other's numbers. */
static struct pap_str world(char *buffer, size_t n)
{
    char boot[64], space[64] = "";
    ssize_t got = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    struct pap_str id = peek("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    if (got < 0 || !id.n)
        return S("");
    int length = snprintf(buffer, n, "%.*s/%s", PSTR(id), space);
    return str(buffer, length > 0 && (size_t)length < n ? (size_t)length : 0);
}

struct pap_str process_name(struct arena *a)
{
    char host[256] = "", stat[1024], where[160], pid[32];
    (void)gethostname(host, sizeof host - 1);
    for (char *p = host; *p; p++)
        *p = ascii_is_alnum(*p) || *p == '.' ? *p : '-';
    (void)snprintf(pid, sizeof pid, "%ld", (long)getpid());
    return arena_fmt(a, "%s/%.*s/%s/%.*s", host, PSTR(world(where, sizeof where)), pid,
                     PSTR(start_of(str_c(pid), stat, sizeof stat)));
}

bool process_is_gone(struct pap_str name)
{
    char stat[1024], where[160];
    struct pap_str here = world(where, sizeof where), host, pid, start;
    if (!here.n || !str_next(&name, '/', &host) || !str_starts(name, here))
        return false;
    name = str_skip(name, here.n + 1);
    if (!str_next(&name, '/', &pid) || !str_next(&name, '/', &start) || !pid.n || !start.n)
        return false;
    return !str_eq(start_of(pid, stat, sizeof stat), start);
}
