/* SPDX-License-Identifier: Apache-2.0
 *
 * What every command gets: its streams, the few variables of the environment that are honoured, memory that lives as long
 * as the program, and one way to say what is wrong. Commands use the public headers and the files of this folder only.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdio.h>

#include <papaver/base.h>

/* Exit status of every command (docs/decisions.md 10). 130 and 143 follow a signal. */
enum cli_status { CLI_FINE = 0, CLI_FINDINGS = 1, CLI_USAGE = 2, CLI_FAILED = 3 };

/* The end of a noun of which there are `n`. */
static inline const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

struct cli_block;

struct cli {
    FILE *in, *out, *err;
    bool out_is_terminal, err_is_terminal;
    const char *no_color, *term;   /* NO_COLOR and TERM; may be NULL */
    bool out_failed;               /* standard output could not be written, and that was said */
    int status;                    /* set by cli_fail() and cli_usage() */
    char why[1024];                /* what they said last, for who tells it as JSON, too */
    const struct pap_alloc *alloc; /* NULL: libc */
    struct cli_block *memory;
};

/* Streams of the process and its environment. */
void cli_init(struct cli *cli);
/* Writes out what is buffered and frees the memory. Returns the exit status: that of the command, or 3 where standard
 * output could not be written. */
int cli_fini(struct cli *cli, int status);

/* n zeroed bytes until the end of the program. NULL after saying so. */
void *cli_alloc(struct cli *cli, size_t n) PAP_MUST;
/* The parts one after the other; the list ends with NULL. NULL as above. */
const char *cli_join(struct cli *cli, const char *const *parts) PAP_MUST;

/* The folder `below` (with its slash) of the one that the variable names, or of `otherwise` in the home folder: of
 * XDG_CACHE_HOME and its like. NULL: nowhere, or after saying that there is no memory. */
const char *cli_user_folder(struct cli *cli, const char *variable, const char *otherwise, const char *below);

/* Says what is wrong on standard error, as "papaver: ...", control bytes made harmless. Always false, so that a reader of
 * options can `return cli_usage(...)`. cli->status becomes `status` unless that is 0. */
bool cli_say(struct cli *cli, int status, const char *fmt, ...) PAP_PRINTF(3, 4);
#define cli_usage(cli, ...) cli_say(cli, CLI_USAGE, __VA_ARGS__)
#define cli_fail(cli, ...) cli_say(cli, CLI_FAILED, __VA_ARGS__)
#define cli_note(cli, ...) cli_say(cli, 0, __VA_ARGS__)

/* Whether somebody can be asked: they see standard error and type standard input. */
bool cli_can_ask(const struct cli *cli);
/* A question on standard error; whether the answer is yes. */
bool cli_ask(struct cli *cli, const char *question);

/* A pipe whose other end signals write to: 's' of SIGINT and SIGTERM, and with `reload` 'r' of SIGHUP; SIGPIPE is ignored.
 * What is said on standard error from then on waits for its reader a moment at most, and is lost where that has stalled.
 * Once a process. false after saying why. */
bool cli_control(struct cli *cli, bool reload, int *ret_fd) PAP_MUST;

/* Lets this process have so many descriptors, where the system does; else as many as it does. Returns that. */
uint64_t cli_descriptors(uint64_t wanted);

/* Of a server: `asked` connections at a time (0: as many as usual, 10000), or as many as there can be descriptors, which is said
 * when more were asked for. */
uint32_t cli_connections(struct cli *cli, uint32_t asked);

/* "; did you mean "NAME"?" when one of the names (ended by NULL) is near, else "". Static text or memory of the cli. */
const char *cli_did_you_mean(struct cli *cli, const char *name, const char *const *names);

/* Columns of the terminal behind `f`; `otherwise` when it is none. */
unsigned cli_width(FILE *f, unsigned otherwise);

/* Prints `text` as paragraphs wrapped at `width`, every line after the first moved in by `indent`; the caller has already
 * written `column` columns of the first. Line ends in the text stay. */
void cli_wrap(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width);

#endif
