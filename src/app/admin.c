/* SPDX-License-Identifier: Apache-2.0 */
#include "app/admin.h"

#include "base/buf.h"

static const struct header text_fields[] = {
    {S_INIT("Content-Type"), S_INIT("text/plain; version=0.0.4; charset=utf-8")},
    {S_INIT("Cache-Control"), S_INIT("no-store")},
    {S_INIT("X-Content-Type-Options"), S_INIT("nosniff")},
};

static void answer(struct http_response *ret, int status, struct pap_str body)
{
    ret->status = status;
    ret->headers = text_fields;
    ret->n_headers = sizeof text_fields / sizeof text_fields[0];
    ret->body = body;
}

static void head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_fmt(out, "# HELP papaver_%s %s\n# TYPE papaver_%s %s\n", name, help, name, type);
}

static void add(struct buf *out, const char *name, const char *type, const char *help, uint64_t value)
{
    head(out, name, type, help);
    buf_fmt(out, "papaver_%s %llu\n", name, (unsigned long long)value);
}

static void add_statuses(struct buf *out, struct admin *a)
{
    buf_add(out,
            S("# HELP papaver_answers_total Requests answered, by status.\n# TYPE papaver_answers_total counter\n"));
    for (unsigned i = 2; i < 6; i++)
        buf_fmt(out, "papaver_answers_total{status=\"%uxx\"} %llu\n", i,
                (unsigned long long)atomic_load(&a->statuses[i]));
}

/* ---- of each site ---- */

static uint64_t skills(struct site *s, const struct generation *g)
{
    (void)s;
    return generation_skills(g);
}

static uint64_t files(struct site *s, const struct generation *g)
{
    (void)s;
    return generation_count(g);
}

static uint64_t loaded(struct site *s, const struct generation *g)
{
    (void)g;
    return (uint64_t)atomic_load(&s->loaded);
}

static uint64_t reloads(struct site *s, const struct generation *g)
{
    (void)g;
    return atomic_load(&s->reloads);
}

static uint64_t refusals(struct site *s, const struct generation *g)
{
    (void)g;
    return atomic_load(&s->refusals);
}

static uint64_t stale(struct site *s, const struct generation *g)
{
    (void)g;
    return atomic_load(&s->stale);
}

/* With the label `site` where there are several. To add one: a row. */
static const struct {
    const char *name, *type, *help;
    uint64_t (*value)(struct site *s, const struct generation *g);
} of_sites[] = {
    {"skills", "gauge", "Skills in the index, those in scopes too.", skills},
    {"files", "gauge", "Files that are served.", files},
    {"tree_loaded_timestamp_seconds", "gauge", "When the tree that is served was read.", loaded},
    {"reloads_total", "counter", "Trees that took the place of the one before.", reloads},
    {"refused_reloads_total", "counter", "Trees that were refused.", refusals},
    {"tree_stale", "gauge", "1 when the tree on disk was refused and an older one is served.", stale},
};

static void add_sites(struct buf *out, const struct sites *s)
{
    for (size_t i = 0; i < sizeof of_sites / sizeof of_sites[0]; i++) {
        head(out, of_sites[i].name, of_sites[i].type, of_sites[i].help);
        for (size_t k = 0; k < s->n; k++) {
            struct site *site = &s->at[k];
            struct generation *g = host_take(&site->host);
            buf_fmt(out, "papaver_%s", of_sites[i].name);
            if (s->n_names)
                buf_fmt(out, "{site=\"%s\"}", site->o->domain); /* a host name */
            buf_fmt(out, " %llu\n", (unsigned long long)of_sites[i].value(site, g));
            generation_drop(g);
        }
    }
}

static void write_metrics(struct buf *out, struct admin *a)
{
    struct server *site = atomic_load(&a->site);
    struct server_counts c = site ? server_count(site) : (struct server_counts){0};
    add(out, "connections", "gauge", "Connections open now.", c.open);
    add(out, "connections_total", "counter", "Connections accepted.", c.accepted);
    add(out, "connections_refused_total", "counter", "Connections refused by a limit.", c.refused);
    add(out, "timeouts_total", "counter", "Connections ended because the client was too slow.", c.timed_out);
    add_statuses(out, a);
    add(out, "access_log_lost_lines_total", "counter", "Lines of the access log that nobody took in time.",
        a->log ? log_lost(a->log) : 0);
    add_sites(out, a->sites);
}

static void answer_metrics(struct admin *a, struct http_response *ret)
{
    struct buf b;
    buf_init(&b, NULL, 256 * 1024);
    write_metrics(&b, a);
    struct pap_str body = buf_ok(&b) ? arena_str(ret->arena, buf_str(&b)) : str(NULL, 0);
    buf_fini(&b);
    answer(ret, body.p ? 200 : 500, body.p ? body : S("out of memory\n"));
}

void admin_handle(void *ctx, const struct http_request *q, struct http_response *ret)
{
    if (!str_is(q->method, "GET") && !str_is(q->method, "HEAD"))
        answer(ret, 405, S("GET or HEAD\n"));
    else if (str_is(q->path, "/-/healthz"))
        answer(ret, 200, S("ok\n"));
    else if (str_is(q->path, "/-/metrics"))
        answer_metrics(ctx, ret);
    else
        answer(ret, 404, S("/-/healthz or /-/metrics\n"));
}
