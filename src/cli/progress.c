/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <string.h>
#include <time.h>

enum { STEP_MS = 100, BAR = 20 };

static int64_t now_ms(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void progress_init(struct progress *p, struct cli *cli, bool wanted)
{
    bool dumb = !cli->term || strcmp(cli->term, "dumb") == 0;
    *p =
        (struct progress){.out = cli->err, .on = wanted && cli->err_is_terminal && !dumb, .due_ms = now_ms() + STEP_MS};
}

/* Bytes of the first `columns` characters of text. */
static int cut(const char *text, size_t columns)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (((unsigned char)text[n] & 0xc0) != 0x80 && columns-- == 0)
            break;
    return (int)n;
}

void progress_show(struct progress *p, const struct pap_progress *state)
{
    if (!p->on || now_ms() < p->due_ms)
        return;
    p->due_ms = now_ms() + STEP_MS;
    char head[96], bar[BAR + 1];
    size_t filled = state->total ? (size_t)((uint64_t)state->done * BAR / state->total) : 0;
    memset(bar, ' ', BAR);
    memset(bar, '#', filled < BAR ? filled : BAR);
    bar[BAR] = '\0';
    int n = snprintf(head, sizeof head, "[%s] %zu/%zu", bar, state->done, state->total);
    if (state->errors && n > 0)
        n += snprintf(head + n, sizeof head - (size_t)n, ", %llu error%s", (unsigned long long)state->errors,
                      plural(state->errors));
    size_t width = cli_width(p->out, 80), used = (size_t)(n < 0 ? 0 : n) + 2;
    const char *now = state->now ? state->now : "";
    /* One column stays free: a full line would wrap. Wide characters may still do it; then two lines scroll by. */
    (void)fprintf(p->out, "\r%.*s  %.*s\033[K", (int)(width ? width - 1 : 0), head,
                  width > used + 1 ? cut(now, width - used - 1) : 0, now);
    (void)fflush(p->out);
    p->drawn = true;
}

void progress_clear(struct progress *p)
{
    if (!p->drawn)
        return;
    (void)fputs("\r\033[K", p->out);
    (void)fflush(p->out);
    p->drawn = false;
}
