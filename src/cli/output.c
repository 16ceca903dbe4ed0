/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void output_say_failed(struct cli *cli, int code, const char *name)
{
    if (code == EPIPE) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)raise(SIGPIPE);
        _exit(128 + SIGPIPE); /* blocked by the caller */
    }
    cli_fail(cli, "cannot write to %s: %s", name, strerror(code));
}

/* The file that `path` leads to: links are followed, so that a link stays one. */
static bool find_final(struct output *o)
{
    char *real = realpath(o->path, NULL);
    const char *name = real ? real : o->path;
    bool fits = strlen(name) < sizeof o->final;
    if (fits)
        memcpy(o->final, name, strlen(name) + 1);
    free(real);
    errno = ENAMETOOLONG;
    return fits;
}

/* A new file beside the final one, with the mode of the old one where there is one. */
static int open_temporary(struct output *o, const struct stat *old)
{
    int n = snprintf(o->temporary, sizeof o->temporary, "%s.XXXXXX", o->final);
    if (n < 0 || (size_t)n >= sizeof o->temporary) {
        errno = ENAMETOOLONG;
        o->temporary[0] = '\0';
        return -1;
    }
    int fd = mkostemp(o->temporary, O_CLOEXEC);
    if (fd < 0) {
        o->temporary[0] = '\0';
        return -1;
    }
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(fd, old ? old->st_mode & 0777 : 0666 & ~mask);
    return fd;
}

bool output_open(struct cli *cli, const char *path, struct output *ret)
{
    *ret = (struct output){.cli = cli, .file = cli->out};
    if (!path || strcmp(path, "-") == 0)
        return true;
    ret->path = path;
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return cli_usage(cli, "--output: %s is a folder; name a file in it, such as --output %s/report.txt", path,
                         path);
    int fd = exists && !S_ISREG(st.st_mode) ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
             : find_final(ret)              ? open_temporary(ret, exists ? &st : NULL)
                                            : -1;
    ret->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!ret->file) {
        cli_fail(cli, "--output: cannot write %s: %s", path, strerror(errno));
        if (fd >= 0)
            (void)close(fd);
        if (ret->temporary[0])
            (void)unlink(ret->temporary);
        return false;
    }
    return true;
}

static bool say(struct output *o)
{
    if (!o->failed)
        output_say_failed(o->cli, errno, o->path ? o->path : "standard output");
    o->cli->out_failed |= !o->path;
    o->failed = true;
    return false;
}

bool output_write(struct output *o, const char *bytes, size_t n)
{
    return (!o->failed && fwrite(bytes, 1, n, o->file) == n) || say(o);
}

bool output_close(struct output *o, bool keep)
{
    if (!o->path)
        return !o->failed && (fflush(o->file) == 0 || say(o));
    keep = keep && !o->failed;
    if (keep && (fflush(o->file) != 0 || (o->temporary[0] && fsync(fileno(o->file)) != 0)))
        keep = say(o);
    if (fclose(o->file) != 0 && keep)
        keep = say(o);
    if (keep && o->temporary[0] && rename(o->temporary, o->final) != 0)
        keep = say(o);
    if (!keep && o->temporary[0])
        (void)unlink(o->temporary);
    return keep;
}
