/* SPDX-License-Identifier: Apache-2.0
 *
 * What a server needs of the system: how it is told by signals, tells what happens, and gets descriptors. How a person is asked.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/outlet.h"

enum {
    WAIT_MS = 1000,
    CONNECTIONS = 10000, /* of a server, unless somebody asks for another number */
    BESIDE = 64          /* descriptors for all that is no connection */
};

static int command_fd = -1; /* a handler gets nothing but the number */

static void on_signal(int number)
{
    int kept = errno;
    (void)!write(command_fd, number == SIGHUP ? "r" : "s", 1);
    errno = kept;
}

/* Standard error of a server: the thread that says something is needed for signals, too. */
struct words {
    struct outlet outlet;
    bool stalled; /* the last ones were not taken: the next do not wait */
};

static ssize_t put_words(void *ctx, const char *p, size_t n)
{
    struct words *w = ctx;
    w->stalled = outlet_put(&w->outlet, p, n, w->stalled ? 0 : WAIT_MS) == 0;
    return (ssize_t)n;
}

static bool open_words(struct cli *cli)
{
    struct words *w = cli_alloc(cli, sizeof *w);
    if (!w)
        return false;
    outlet_open(&w->outlet, fileno(cli->err));
    FILE *f = fopencookie(w, "w", (cookie_io_functions_t){.write = put_words});
    if (!f || setvbuf(f, NULL, _IONBF, 0) != 0)
        return cli_fail(cli, "out of memory");
    cli->err = f;
    return true;
}

bool cli_control(struct cli *cli, bool reload, int *ret_fd)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    int ends[2];
    if (pipe(ends) < 0)
        return cli_fail(cli, "no pipe for signals: %s", strerror(errno));
    command_fd = ends[1];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] != SIGHUP || reload)
            (void)sigaction(numbers[i], &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    *ret_fd = ends[0];
    return open_words(cli);
}

uint64_t cli_descriptors(uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return wanted;
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
        (void)getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur < wanted ? limit.rlim_cur : wanted;
}

/* Whoever comes when there is no descriptor left waits in the dark; one connection too many is told so (503). */
uint32_t cli_connections(struct cli *cli, uint32_t asked)
{
    const uint32_t wanted = asked ? asked : CONNECTIONS;
    const uint64_t got = cli_descriptors((uint64_t)wanted + BESIDE);
    if (got >= (uint64_t)wanted + BESIDE)
        return wanted;
    const uint32_t fit = (uint32_t)(got >= 2 * BESIDE ? got - BESIDE : got / 2 + 1);
    if (asked)
        cli_note(cli, "%u connections at a time, not %u: this process may have %llu open files (ulimit -Hn)", fit,
                 asked, (unsigned long long)got);
    return fit;
}

bool cli_can_ask(const struct cli *cli)
{
    return cli->err_is_terminal && isatty(fileno(cli->in)) == 1;
}

bool cli_ask(struct cli *cli, const char *question)
{
    char answer[16] = "";
    (void)fflush(cli->out);
    (void)fprintf(cli->err, "%s [y/N] ", question);
    (void)fflush(cli->err);
    if (!fgets(answer, sizeof answer, cli->in)) /* Ctrl-D leaves the cursor where it is */
        (void)fputc('\n', cli->err);
    answer[strcspn(answer, "\n")] = '\0';
    return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}
