/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver census run: asks what is due, with a line of progress on a terminal and JSON lines elsewhere.
 */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/census_run.h"
#include "cli/shared_rows.h"

#define AT(member) offsetof(struct census_options, member)
enum { BAR_MS = 200, LINE_MS = 10000 };

struct census_run {
    struct census_command c;
    bool bar, drawn;
    int64_t due_ms;
};

/* The first signal ends the run in good order: what was asked is kept, what is held is given back. A second one ends it now,
 * which loses nothing either. */
static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    if (signalled)
        _exit(128 + number);
    signalled = number;
}

static void watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old, new = {.sa_handler = on_signal};
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup stays in force */
            (void)sigaction(numbers[i], &new, NULL);
    }
    (void)signal(SIGPIPE, SIG_IGN);
}

static int64_t now_ms(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void clear(struct census_run *r)
{
    if (r->drawn)
        (void)fputs("\r\033[K", r->c.cli->err);
    r->drawn = false;
}

static void draw(struct census_run *r, const struct pap_census_progress *p)
{
    FILE *f = r->c.cli->err;
    char left[32] = "", text[200];
    int64_t s = p->left_seconds;
    if (p->waiting)
        (void)snprintf(left, sizeof left, ", waiting for what is due next");
    else if (s >= 0 && s < 360000)
        (void)snprintf(left, sizeof left, ", %lld:%02lld:%02lld left", (long long)(s / 3600), (long long)(s / 60 % 60),
                       (long long)(s % 60));
    (void)snprintf(text, sizeof text, "%llu of %llu, %.1f a second, %llu publish, %llu not reached%s",
                   (unsigned long long)p->done, (unsigned long long)(p->done + p->left), p->rate,
                   (unsigned long long)p->publishing, (unsigned long long)p->failed, left);
    (void)fprintf(f, "\r%.*s\033[K", (int)cli_width(f, 80) - 1, text);
    (void)fflush(f);
    r->drawn = true;
}

static void progress_line(FILE *f, const char *event, const struct pap_census_progress *p)
{
    (void)fprintf(f,
                  "{\"event\":\"%s\",\"done\":%llu,\"left\":%llu,\"rate\":%.1f,\"publishing\":%llu,\"failed\":%llu,"
                  "\"changed\":%llu,\"requests\":%llu,\"left_seconds\":%lld,\"held_by_others\":%llu}\n",
                  event, (unsigned long long)p->done, (unsigned long long)p->left, p->rate,
                  (unsigned long long)p->publishing, (unsigned long long)p->failed, (unsigned long long)p->changed,
                  (unsigned long long)p->requests, (long long)p->left_seconds, (unsigned long long)p->held);
    (void)fflush(f);
}

static bool go_on(void *ctx, const struct pap_census_progress *p)
{
    struct census_run *r = ctx;
    if (signalled)
        return false;
    if (r->c.o.quiet || now_ms() < r->due_ms)
        return true;
    r->due_ms = now_ms() + (r->bar ? BAR_MS : LINE_MS);
    if (r->bar)
        draw(r, p);
    else if (p->done)
        progress_line(r->c.cli->out, "progress", p);
    return true;
}

/* A domain is of letters, digits, hyphens and dots, and a version of digits and dots: nothing to escape. */
static void seen(void *ctx, const struct pap_census_seen *s)
{
    struct census_run *r = ctx;
    FILE *f = r->c.cli->out;
    clear(r);
    if (r->c.cli->out_is_terminal)
        (void)fprintf(f, "%-40s %s%s%s%s, %u errors, %u warnings, %u skills\n", s->domain, s->outcome,
                      s->gone ? ", gone" : "", *s->version ? " " : "", s->version, s->errors, s->warnings, s->skills);
    else
        (void)fprintf(
            f,
            "{\"event\":\"site\",\"domain\":\"%s\",\"outcome\":\"%s\",\"publishes\":%s,\"gone\":%s,"
            "\"again_at\":%lld,\"version\":\"%s\",\"errors\":%u,\"warnings\":%u,\"infos\":%u,\"skills\":%u}\n",
            s->domain, s->outcome, s->publishes ? "true" : "false", s->gone ? "true" : "false", (long long)s->again_at,
            s->version, s->errors, s->warnings, s->infos, s->skills);
}

static void tell_end(struct census_run *r, const struct pap_census_progress *p)
{
    struct cli *cli = r->c.cli;
    clear(r);
    if (!cli->out_is_terminal)
        progress_line(cli->out, signalled ? "stopped" : "end", p);
    else
        (void)fprintf(cli->out, "%llu domains asked with %llu requests: %llu publish, %llu could not be reached\n",
                      (unsigned long long)p->done, (unsigned long long)p->requests, (unsigned long long)p->publishing,
                      (unsigned long long)p->failed);
    if (p->held && !signalled)
        cli_note(cli, "%llu domain%s held by other workers; they are asked there, or by the next run",
                 (unsigned long long)p->held, p->held == 1 ? " is" : "s are");
}

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct census_run *r = cli_alloc(cli, sizeof *r);
    struct pap_err err = {.text = ""};
    struct pap_census_progress p = {0};
    if (!r || !census_begin(&r->c, cli, self, argc, argv, 0, false))
        return cli->status;
    const struct census_options *o = &r->c.o;
    r->bar = cli->err_is_terminal && cli->term && strcmp(cli->term, "dumb") != 0;
    watch_signals();
    struct pap_census_run run = {.network = network_settle(&o->network),
                                 .contact = o->contact,
                                 .rate = o->rate,
                                 .per_address = o->per_address,
                                 .unlimited = o->unlimited,
                                 .jobs = o->jobs,
                                 .threads = o->threads,
                                 .every = o->every,
                                 .stay = o->every && !o->once,
                                 .only = (const char *const *)o->only,
                                 .skip = (const char *const *)o->skip,
                                 .go_on = go_on,
                                 .seen = o->quiet ? NULL : seen,
                                 .ctx = r};
    pap_result x = pap_census_run(r->c.census, &run, &p, &err);
    clear(r);
    if (x.code == PAP_OK)
        tell_end(r, &p);
    pap_census_close(r->c.census);
    int status = census_status_of(cli, x, &err);
    return status == CLI_FINE && signalled ? 128 + signalled : status;
}

const struct command cmd_census_run = {
    .name = "census run",
    .run = run,
    .summary = "ask the domains that are due",
    .arguments = "",
    .about =
        "Asks for poppy.json, then for the well-known skill index, and goes on only where there is one: then all of papaver "
        "check. A site that answered well and no longer does is asked again after 15 minutes, an hour, six hours and a day "
        "before it counts as gone.\n\n"
        "Without --every it ends when nothing is due. On a terminal there is a line of progress; elsewhere each line of output "
        "is JSON: a site, the progress every ten seconds, and the end.",
    .options =
        (const struct option_row[]){
            {.name = "contact",
             .argument = "URL",
             .field = AT(contact),
             .set = set_text,
             .config = CONFIG_NAMED,
             .help =
                 "a page (https://...) or an address (mailto:...) that stands in every request, for whoever wonders who "
                 "asks; needed unless all requests go to this machine"},
            {.name = "rate",
             .argument = "N",
             .field = AT(rate),
             .set = set_count,
             .not_with = "unlimited",
             .help = "requests a second in all (default 50)"},
            {.name = "per-address",
             .argument = "N",
             .field = AT(per_address),
             .set = set_count,
             .not_with = "unlimited",
             .help = "connections a second to one address (default 10)"},
            {.name = "unlimited",
             .field = AT(unlimited),
             .set = set_flag,
             .help = "no such limits, where all requests go to this machine"},
            {.name = "jobs",
             .letter = 'j',
             .argument = "N",
             .field = AT(jobs),
             .set = set_count,
             .help = "domains at once (default 32)"},
            {.name = "threads",
             .argument = "N",
             .field = AT(threads),
             .set = set_count,
             .help = "threads that ask (default: one, and more where --rate needs them)"},
            {.name = "every",
             .argument = "SPAN",
             .field = AT(every),
             .set = set_span,
             .help = "stay, and ask each domain so often: 12h, 1d, 1w (default with --once: 1d)"},
            {.name = "once", .field = AT(once), .set = set_flag, .help = "end when nothing is due"},
            RULE_ROWS(AT(only), AT(skip), CONFIG_NEVER, RULES_AS_CHECK),
            {.name = "quiet", .letter = 'q', .field = AT(quiet), .set = set_flag, .help = "only the end is told"},
            DATABASE_ROWS("Database", AT(database)),
            NETWORK_ROWS("Network", AT(network)),
            {.name = NULL}},
    .examples =
        (const struct example[]){
            {"papaver census run --contact https://example.org/census", "all that is due, then end"},
            {"papaver census run --every 1d --contact mailto:census@example.org", "a worker that stays"},
            {"papaver census run --database postgres://census@db.example/census --contact https://example.org/census",
             "one of several workers"},
            {NULL, NULL}},
};
