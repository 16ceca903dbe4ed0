/* SPDX-License-Identifier: Apache-2.0
 *
 * The site with a runner, over a script of answers (lib/script.h).
 */
#ifndef TESTS_WEB_CHECK_UNIT_H
#define TESTS_WEB_CHECK_UNIT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/script.h"
#include "net/talk.h"
#include "store/census.h"
#include "web/runner.h"
#include "web_database.h"
#include "web_unit.h"

struct fixture {
    struct arena arena;
    struct script *script;
    struct clock clock;
    _Atomic int64_t now;
    struct web_database database;
    struct runner *runner;
    struct web_site site;
};

static inline struct fixture *fixture_of(const struct clock *c)
{
    return (struct fixture *)(void *)((char *)(uintptr_t)c - offsetof(struct fixture, clock));
}

/* The runner's clock, which a test moves while the runner's thread looks at it. */
static inline int64_t check_seconds(const struct clock *c)
{
    return atomic_load(&fixture_of(c)->now);
}

static inline int64_t check_ms(const struct clock *c)
{
    return atomic_load(&fixture_of(c)->now) * 1000;
}

/* Moves the clocks of the site and the runner. */
static inline void check_move(struct fixture *f, int64_t seconds)
{
    f->site.clock = clock_stopped(f->site.clock.fixed + seconds);
    atomic_fetch_add(&f->now, seconds);
}

/* Of `r`: what a test needs to be another. */
static inline void check_begin_with(struct fixture *f, const char *world, struct runner_options r)
{
    struct pap_err err = {.text = ""};
    memset(f, 0, sizeof *f);
    arena_init(&f->arena, NULL);
    web_database_begin(&f->database);
    f->clock = (struct clock){check_seconds, check_ms, 0};
    atomic_store(&f->now, WEB_NOW);
    if (!is_ok(script_parse(&f->arena, str_c(world), "/nonexistent", &f->script, &err)))
        unit_fail("%s", err.text);
    r.clock = r.connect_to ? &clock_system : &f->clock; /* libcurl's time is no other */
    r.database = f->database.where;
    r.loopback = true;
    if (!r.connect_to)
        r.transport = script_transport(f->script);
    if (!is_ok(runner_start(&r, &f->runner, &err)))
        unit_fail("%s", err.text);
    web_begin_with(&f->site,
                   (struct web_options){
                       .database = f->database.where, .loopback = true, .checks_per_hour = 100, .runner = f->runner});
}

static inline void check_begin(struct fixture *f, const char *world)
{
    check_begin_with(f, world, (struct runner_options){0});
}

static inline void check_end(struct fixture *f)
{
    runner_stop(f->runner);
    web_end(&f->site);
    arena_fini(&f->arena);
    web_database_end(&f->database);
}

static inline struct pap_str post(struct fixture *f, const char *path, const char *fields, const char *body)
{
    char line[300];
    snprintf(line, sizeof line, "POST %s", path);
    return web_ask_from(&f->site, "192.0.2.1", line, fields, str_c(body));
}

static inline struct pap_str get(struct fixture *f, const char *path)
{
    char line[300];
    snprintf(line, sizeof line, "GET %s", path);
    return web_ask(&f->site, line, "");
}

#endif
