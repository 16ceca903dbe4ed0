/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_turns ROUNDS NAME COMMAND [ARG...] [-- NAME COMMAND [ARG...]]...: runs whole processes in turn, so that whatever
 * else the machine does falls on all of them, and prints a line for each:
 *
 *     NAME WALL_BEST WALL_MEDIAN CPU_BEST CPU_MEDIAN RSS STATUS
 *
 * Times are milliseconds from before the fork until the end was seen, CPU is user and system, RSS the largest in
 * kilobytes, STATUS the last exit status. What the commands write to standard output is dropped. "@FILE" as an argument
 * stands for the lines of FILE.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MOST = 1000, COMMANDS_MOST = 16, ARGS_MOST = 200 * 1000 };

struct command {
    char *name, **argv;
    double wall[ROUNDS_MOST], cpu[ROUNDS_MOST];
    long rss;
    int status;
};

extern char **environ;
static struct command commands[COMMANDS_MOST];
static char *args[ARGS_MOST];

static double now_ms(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double ms_of(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec * 1e-3;
}

static void give_up(const char *what)
{
    perror(what);
    exit(2);
}

static void run(struct command *c, int round, const posix_spawn_file_actions_t *actions)
{
    struct rusage used;
    pid_t pid;
    double start = now_ms();
    if (posix_spawnp(&pid, c->argv[0], actions, NULL, c->argv, environ) != 0 || wait4(pid, &c->status, 0, &used) < 0)
        give_up(c->argv[0]);
    c->wall[round] = now_ms() - start;
    c->cpu[round] = ms_of(used.ru_utime) + ms_of(used.ru_stime);
    if (used.ru_maxrss > c->rss)
        c->rss = used.ru_maxrss;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The lines of a file, each an argument. */
static int add_lines(int n, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    FILE *f = fopen(path, "r");
    if (!f)
        give_up(path);
    while (n < ARGS_MOST - 1 && (length = getline(&line, &room, f)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        args[n] = strdup(line);
        if (!args[n++])
            give_up("memory");
    }
    free(line);
    (void)fclose(f);
    return n;
}

static int read_commands(int argc, char **argv)
{
    int n = 0, count = 0;
    for (int i = 2; i < argc; i++) {
        if (count == COMMANDS_MOST || i + 1 >= argc)
            exit(2);
        struct command *c = &commands[count++];
        c->name = argv[i++];
        c->argv = &args[n];
        for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
            if (argv[i][0] == '@')
                n = add_lines(n, argv[i] + 1);
            else
                args[n++] = argv[i];
        }
        args[n++] = NULL;
    }
    return count;
}

int main(int argc, char **argv)
{
    posix_spawn_file_actions_t actions;
    int rounds = argc > 3 ? atoi(argv[1]) : 0, count = read_commands(argc, argv);
    if (rounds < 1 || rounds > ROUNDS_MOST)
        return 2;
    if (posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) != 0)
        give_up("posix_spawn");
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
            run(&commands[i], round, &actions);
    for (int i = 0; i < count; i++) {
        struct command *c = &commands[i];
        qsort(c->wall, (size_t)rounds, sizeof *c->wall, compare);
        qsort(c->cpu, (size_t)rounds, sizeof *c->cpu, compare);
        printf("%s %.3f %.3f %.3f %.3f %ld %d\n", c->name, c->wall[0], c->wall[rounds / 2], c->cpu[0],
               c->cpu[rounds / 2], c->rss, WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128);
    }
    return 0;
}
