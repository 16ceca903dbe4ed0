/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <papaver/config.h>

#include "cli/output.h"

struct cli_block {
    struct cli_block *next;
    size_t n;
    max_align_t bytes[];
};

/* A stream that the caller closed would give its number to the next file or connection that is opened, and the report
 * would be written there. Opened the wrong way round, it fails as a closed one does. */
static void reserve_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(CLI_FAILED);
}

void cli_init(struct cli *cli)
{
    reserve_streams();
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that grows too long for this user is a failure like a full disk */
    *cli = (struct cli){
        .in = stdin,
        .out = stdout,
        .err = stderr,
        .out_is_terminal = isatty(STDOUT_FILENO) == 1,
        .err_is_terminal = isatty(STDERR_FILENO) == 1,
        .no_color = getenv("NO_COLOR"),
        .term = getenv("TERM"),
    };
}

static void *resize(struct cli *cli, void *old, size_t old_size, size_t new_size)
{
    if (cli->alloc)
        return cli->alloc->fn(cli->alloc->ctx, old, old_size, new_size);
    if (new_size)
        return realloc(old, new_size);
    free(old);
    return NULL;
}

int cli_fini(struct cli *cli, int status)
{
    if (!cli->out_failed && (fflush(cli->out) != 0 || ferror(cli->out))) {
        output_say_failed(cli, errno, "standard output");
        status = CLI_FAILED;
    }
    while (cli->memory) {
        struct cli_block *next = cli->memory->next;
        (void)resize(cli, cli->memory, sizeof *next + cli->memory->n, 0);
        cli->memory = next;
    }
    return status;
}

void *cli_alloc(struct cli *cli, size_t n)
{
    struct cli_block *b = n < SIZE_MAX - sizeof *b ? resize(cli, NULL, 0, sizeof *b + n) : NULL;
    if (!b) {
        cli_fail(cli, "out of memory");
        return NULL;
    }
    memset(b, 0, sizeof *b + n);
    b->next = cli->memory;
    b->n = n;
    cli->memory = b;
    return b->bytes;
}

const char *cli_join(struct cli *cli, const char *const *parts)
{
    size_t n = 1;
    for (const char *const *p = parts; *p; p++)
        n += strlen(*p);
    char *text = cli_alloc(cli, n), *end = text;
    for (const char *const *p = parts; text && *p; end += strlen(*p), p++)
        memcpy(end, *p, strlen(*p));
    return text;
}

/* ---- what is wrong ------------------------------------------------------------------------------------------------ */

const char *cli_user_folder(struct cli *cli, const char *variable, const char *otherwise, const char *below)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    if (base && base[0] == '/')
        return cli_join(cli, (const char *const[]){base, below, NULL});
    return home && home[0] == '/' ? cli_join(cli, (const char *const[]){home, otherwise, below, NULL}) : NULL;
}

bool cli_say(struct cli *cli, int status, const char *fmt, ...)
{
    char text[2048];
    va_list ap;
    va_start(ap, fmt);
    if (vsnprintf(text, sizeof text, fmt, ap) < 0)
        text[0] = '\0';
    va_end(ap);
    for (char *p = text; *p; p++) /* arguments may hold anything; only our own line ends pass */
        if ((*p > 0 && *p < 0x20 && *p != '\n') || *p == 0x7f)
            *p = '?';
    (void)fprintf(cli->err, "papaver: %s\n", text);
    if (status) {
        cli->status = status;
        (void)snprintf(cli->why, sizeof cli->why, "%s", text);
    }
    return false;
}

const char *cli_did_you_mean(struct cli *cli, const char *name, const char *const *names)
{
    const char *near = pap_nearest(name, names);
    const char *text = near ? cli_join(cli, (const char *const[]){"; did you mean \"", near, "\"?", NULL}) : NULL;
    return text ? text : "";
}

/* ---- text --------------------------------------------------------------------------------------------------------- */

unsigned cli_width(FILE *f, unsigned otherwise)
{
    struct winsize size;
    int fd = fileno(f);
    if (fd < 0 || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return otherwise;
    return size.ws_col;
}

/* Columns of n bytes of our own text: one a code point. */
static unsigned columns(const char *p, size_t n)
{
    unsigned c = 0;
    for (size_t i = 0; i < n; i++)
        c += ((unsigned char)p[i] & 0xc0) != 0x80;
    return c;
}

void cli_wrap(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width)
{
    bool begun = false; /* a word stands in this line */
    while (*text) {
        size_t blanks = strspn(text, " "), word = strcspn(text + blanks, " \n");
        unsigned need = columns(text + blanks, word);
        if (begun && column + blanks + need > width) {
            (void)fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            blanks = 0;
            text += strspn(text, " ");
        }
        (void)fprintf(out, "%.*s", (int)(blanks + word), text);
        column += (unsigned)blanks + need;
        text += blanks + word;
        begun = true;
        if (*text == '\n') {
            (void)fprintf(out, "\n%*s", text[1] == '\n' ? 0 : (int)indent, "");
            column = indent;
            begun = false;
            text++;
        }
    }
    (void)fputc('\n', out);
}
