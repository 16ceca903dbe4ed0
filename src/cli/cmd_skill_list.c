/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver skill list and search: indexes only, never an artifact.
 */
#include <string.h>

#include "cli/skill_run.h"

enum { HITS_MOST = 1000 };

struct listing {
    struct skill_run run;
    struct pap_skill_origin *origins;
    struct pap_skill_session **sessions; /* NULL where it could not be opened */
    size_t n;
};

/* `lock`: where the places come from; NULL: the command line. */
static bool open_all(struct listing *l, const char **places, size_t n, const char *lock)
{
    struct skill_run *run = &l->run;
    struct pap_skill_err *errs = cli_alloc(run->cli, n * sizeof *errs);
    l->origins = cli_alloc(run->cli, n * sizeof *l->origins);
    l->sessions = cli_alloc(run->cli, n * sizeof(struct pap_skill_session *));
    if (!errs || !l->origins || !l->sessions)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!skill_is_origin(run, places[i]) || !skill_may_ask(run, places[i], lock))
            return false;
        l->origins[i] = skill_origin(run, places[i]);
    }
    if (!skill_client(run, false))
        return false;
    pap_result r = pap_skill_session_open_all(run->client, l->origins, n, l->sessions, errs);
    if (r.code != PAP_OK) {
        skill_tell(run, NULL, NULL, r, &errs[0]);
        return false;
    }
    l->n = n;
    for (size_t i = 0; i < n; i++) {
        if (l->sessions[i])
            skill_say_session(run, l->sessions[i]);
        else /* each has a code of its own, or is a failure of ours */
            skill_tell(run, places[i], NULL, (pap_result){errs[i].code ? PAP_REFUSED : PAP_IO}, &errs[i]);
    }
    return true;
}

static int close_all(struct listing *l)
{
    for (size_t i = 0; i < l->n; i++)
        pap_skill_session_close(l->sessions[i]);
    return skill_end(&l->run);
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

struct widths {
    size_t name, version, whole;
};

static void widen(struct widths *w, const struct pap_skill_release *r)
{
    w->name = r->name.n > w->name ? r->name.n : w->name;
    w->version = r->version.n > w->version ? r->version.n : w->version;
}

static struct widths begin_widths(const struct skill_run *run)
{
    size_t whole = cli_width(run->cli->out, 80);
    return (struct widths){.name = 4, .version = 7, .whole = whole < 40 ? 40 : whole};
}

static void end_widths(struct widths *w)
{
    w->name = w->name > 40 ? 40 : w->name;
    w->version = w->version > 16 ? 16 : w->version;
}

static struct pap_str text(const char *c)
{
    return (struct pap_str){c, strlen(c)};
}

static void row(FILE *out, const struct widths *w, struct pap_str name, struct pap_str version,
                struct pap_str description)
{
    size_t used = w->name + w->version + 4;
    skill_column(out, name, w->name, true);
    (void)fputs("  ", out);
    skill_column(out, version.n ? version : text("-"), w->version, true);
    (void)fputs("  ", out);
    skill_column(out, description, w->whole > used + 10 ? w->whole - used - 1 : 10, false);
    (void)fputc('\n', out);
}

static void tabs(FILE *out, struct pap_str origin, const struct pap_skill_release *r)
{
    const struct pap_str fields[] = {origin, r->name, r->version, r->type, r->digest, r->description};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (i)
            (void)fputc('\t', out);
        skill_words(out, fields[i]);
    }
    (void)fputc('\n', out);
}

/* ---- list --------------------------------------------------------------------------------------------------------- */

static const char *const source_names[] = {[PAP_SKILL_FROM_POPPY] = "poppy.json",
                                           [PAP_SKILL_FROM_INDEX] = "index",
                                           [PAP_SKILL_FROM_FOLDER] = "folder",
                                           [PAP_SKILL_FROM_LEGACY] = "legacy"};

static void session_as_json(struct skill_run *run, const struct pap_skill_session *s)
{
    struct json_out *j = &run->json;
    struct pap_skill_session_facts f;
    pap_skill_session_facts(s, &f);
    json_begin(j, NULL, '{');
    json_words(j, "origin", text(skill_shown(run, f.place)));
    json_words(j, "label", f.label);
    json_c(j, "source", source_names[f.source]);
    json_words(j, "url", text(skill_shown(run, f.url)));
    json_words(j, "scope", f.scope);
    json_words(j, "note", f.note);
    json_bool(j, "from_cache", f.from_cache);
    json_bool(j, "stale", f.stale);
    json_number(j, "age_seconds", f.age_s);
    json_begin(j, "skills", '[');
    for (size_t i = 0; i < f.skills; i++) {
        struct pap_skill_release r;
        size_t releases;
        pap_skill_session_at(s, i, &r, &releases);
        json_begin(j, NULL, '{');
        skill_json_release(j, &r);
        json_number(j, "releases", releases);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_begin(j, "skipped", '[');
    for (size_t i = 0; i < f.skipped; i++) {
        struct pap_skill_err err;
        pap_skill_session_skipped_at(s, i, &err);
        json_begin(j, NULL, '{');
        skill_json_err(j, &err);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_end(j, '}');
}

static void list_as_json(struct listing *l)
{
    json_begin(&l->run.json, "origins", '[');
    for (size_t i = 0; i < l->n; i++)
        if (l->sessions[i])
            session_as_json(&l->run, l->sessions[i]);
    json_end(&l->run.json, ']');
}

static void session_as_tabs(struct skill_run *run, const struct pap_skill_session *s)
{
    struct pap_skill_session_facts f;
    pap_skill_session_facts(s, &f);
    for (size_t i = 0; i < f.skills; i++) {
        struct pap_skill_release r;
        size_t releases;
        pap_skill_session_at(s, i, &r, &releases);
        tabs(run->cli->out, text(skill_shown(run, f.place)), &r);
    }
}

static void session_as_table(struct listing *l, const struct pap_skill_session *s, const struct widths *w)
{
    FILE *out = l->run.cli->out;
    struct pap_skill_session_facts f;
    pap_skill_session_facts(s, &f);
    (void)fprintf(out, "%s: %zu skill%s, listed by %s%s\n", skill_shown(&l->run, f.place), f.skills, plural(f.skills),
                  skill_shown(&l->run, f.url), f.from_cache ? " (from the cache)" : "");
    if (f.skills)
        row(out, w, text("NAME"), text("VERSION"), text("DESCRIPTION (the company's words)"));
    for (size_t i = 0; i < f.skills; i++) {
        struct pap_skill_release r;
        size_t releases;
        pap_skill_session_at(s, i, &r, &releases);
        row(out, w, r.name, r.version, r.description);
    }
}

static void list_as_table(struct listing *l)
{
    struct widths w = begin_widths(&l->run);
    for (size_t i = 0; i < l->n; i++) {
        struct pap_skill_session_facts f = {.skills = 0};
        if (l->sessions[i])
            pap_skill_session_facts(l->sessions[i], &f);
        for (size_t k = 0; k < f.skills; k++) {
            struct pap_skill_release r;
            size_t releases;
            pap_skill_session_at(l->sessions[i], k, &r, &releases);
            widen(&w, &r);
        }
    }
    end_widths(&w);
    for (size_t i = 0; i < l->n; i++)
        if (l->sessions[i])
            session_as_table(l, l->sessions[i], &w);
}

static int run_list(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct listing l = {.n = 0};
    if (!skill_begin(cli, self, argc, argv, &l.run))
        return cli->status;
    if (!l.run.args.n) {
        cli_usage(cli, "say whose skills: papaver skill list shop.example");
        skill_worse(&l.run, CLI_USAGE);
    } else if (open_all(&l, l.run.args.at, l.run.args.n, NULL)) {
        if (l.run.o.json)
            list_as_json(&l);
        for (size_t i = 0; !l.run.o.json && !cli->out_is_terminal && i < l.n; i++)
            if (l.sessions[i])
                session_as_tabs(&l.run, l.sessions[i]);
        if (!l.run.o.json && cli->out_is_terminal)
            list_as_table(&l);
    }
    return close_all(&l);
}

/* ---- search ------------------------------------------------------------------------------------------------------- */

/* Without --origin: those of the lock. */
static bool search_places(struct listing *l, const char ***ret, size_t *ret_n)
{
    struct skill_run *run = &l->run;
    size_t n = 0;
    while (run->o.origins && run->o.origins[n])
        n++;
    *ret = run->o.origins;
    *ret_n = n;
    if (n)
        return true;
    struct pap_install *in = skill_install(run, false);
    if (!in)
        return false;
    size_t count = pap_install_count(in);
    *ret = cli_alloc(run->cli, (count + 1) * sizeof **ret);
    for (size_t i = 0; *ret && i < count; i++) {
        struct pap_install_skill s;
        bool known = false;
        pap_install_at(in, i, &s);
        const char *place = skill_c(run, s.place);
        for (size_t k = 0; place && k < *ret_n; k++)
            known |= strcmp((*ret)[k], place) == 0;
        if (place && !known)
            (*ret)[(*ret_n)++] = place;
    }
    pap_install_close(in);
    if (*ret_n)
        return true;
    skill_worse(run, CLI_USAGE);
    return cli_usage(run->cli, "say where to search: papaver skill search --origin shop.example WORDS");
}

static void hits_as_json(struct listing *l, const struct pap_skill_hit *hits, size_t n)
{
    struct json_out *j = &l->run.json;
    json_begin(j, "hits", '[');
    for (size_t i = 0; i < n; i++) {
        struct pap_skill_release r;
        size_t releases;
        char score[32];
        pap_skill_session_at(l->sessions[hits[i].session], hits[i].skill, &r, &releases);
        json_begin(j, NULL, '{');
        json_c(j, "origin", skill_shown_c(&l->run, l->origins[hits[i].session].place));
        skill_json_release(j, &r);
        (void)snprintf(score, sizeof score, "%.3f", hits[i].score);
        json_raw(j, "score", text(score));
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void hits_as_text(struct listing *l, const struct pap_skill_hit *hits, size_t n)
{
    FILE *out = l->run.cli->out;
    struct pap_skill_release r;
    size_t releases, origin = 6;
    struct widths w = begin_widths(&l->run);
    for (size_t i = 0; i < n; i++) {
        size_t place = strlen(l->origins[hits[i].session].place);
        pap_skill_session_at(l->sessions[hits[i].session], hits[i].skill, &r, &releases);
        widen(&w, &r);
        origin = place > origin ? place : origin;
    }
    end_widths(&w);
    origin = origin > 40 ? 40 : origin;
    w.whole = w.whole > origin + 30 ? w.whole - origin - 2 : 30;
    for (size_t i = 0; i < n; i++) {
        const char *place = skill_shown_c(&l->run, l->origins[hits[i].session].place);
        pap_skill_session_at(l->sessions[hits[i].session], hits[i].skill, &r, &releases);
        if (l->run.cli->out_is_terminal) {
            skill_column(out, text(place), origin, true);
            (void)fputs("  ", out);
            row(out, &w, r.name, r.version, r.description);
        } else {
            tabs(out, text(place), &r);
        }
    }
    if (!n && l->run.cli->out_is_terminal)
        (void)fputs("nothing fits these words\n", out);
}

static bool search(struct listing *l)
{
    struct skill_run *run = &l->run;
    const char *words = run->args.at[0];
    struct pap_skill_hit *hits = cli_alloc(run->cli, HITS_MOST * sizeof *hits);
    const struct pap_skill_session **open = cli_alloc(run->cli, (l->n + 1) * sizeof(struct pap_skill_session *));
    size_t n = 0, n_open = 0;
    for (size_t i = 1; words && i < run->args.n; i++)
        words = cli_join(run->cli, (const char *const[]){words, " ", run->args.at[i], NULL});
    if (!hits || !open || !words)
        return false;
    for (size_t i = 0; i < l->n; i++) /* those that opened, with their origins beside them */
        if (l->sessions[i]) {
            struct pap_skill_session *s = l->sessions[i];
            struct pap_skill_origin o = l->origins[i];
            l->sessions[i] = NULL;
            l->sessions[n_open] = s;
            l->origins[n_open] = o;
            open[n_open++] = s;
        }
    l->n = n_open;
    size_t most = run->o.limit ? run->o.limit : 20;
    pap_result r = pap_skill_search(open, n_open, words, hits, most < HITS_MOST ? most : HITS_MOST, &n);
    if (r.code != PAP_OK) {
        skill_tell(run, NULL, NULL, r, &(struct pap_skill_err){.text = "out of memory"});
        return false;
    }
    if (run->o.json)
        hits_as_json(l, hits, n);
    else
        hits_as_text(l, hits, n);
    return true;
}

static int run_search(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct listing l = {.n = 0};
    const char **places = NULL;
    size_t n = 0;
    if (!skill_begin(cli, self, argc, argv, &l.run))
        return cli->status;
    if (!l.run.args.n) {
        cli_usage(cli, "say what to look for: papaver skill search --origin shop.example water plants");
        skill_worse(&l.run, CLI_USAGE);
    } else if (search_places(&l, &places, &n) &&
               open_all(&l, places, n, l.run.o.origins ? NULL : skill_lock_name(&l.run))) {
        if (!search(&l))
            skill_worse(&l.run, CLI_FAILED);
    }
    return close_all(&l);
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static const struct option_row list_rows[] = {
    SKILL_JSON_ROW,
    {.name = "jobs",
     .letter = 'j',
     .argument = "N",
     .field = SKILL_AT(jobs),
     .set = set_count,
     .help = "requests at once (16 unless set)"},
    SKILL_ORIGIN_ROWS,
    {.name = NULL},
};

static const struct option_row search_rows[] = {
    {.name = "origin",
     .letter = 'o',
     .argument = "ORIGIN",
     .field = SKILL_AT(origins),
     .set = set_list,
     .list = true,
     .help = "search here; may be repeated (unless set: the origins of the lock)"},
    {.name = "limit",
     .letter = 'n',
     .argument = "N",
     .field = SKILL_AT(limit),
     .set = set_count,
     .help = "at most so many hits (20 unless set)"},
    SKILL_JSON_ROW,
    {.name = "jobs",
     .letter = 'j',
     .argument = "N",
     .field = SKILL_AT(jobs),
     .set = set_count,
     .help = "requests at once (16 unless set)"},
    SKILL_ORIGIN_ROWS,
    SKILL_PLACE_ROWS,
    {.name = NULL},
};

const struct command cmd_skill_list = {
    .name = "skill list",
    .run = run_list,
    .summary = "show what origins offer",
    .arguments = "ORIGIN...",
    .about =
        "Reads the list of each origin and nothing else: no skill is fetched. A domain's list is the skill_index of its "
        "poppy.json, whose issuer is checked first; its well-known index where it has none.\n\n"
        "Names and descriptions are a stranger's unverified words. In a pipe each line has origin, name, version, type, "
        "digest and description, separated by tabs.",
    .options = list_rows,
    .examples = (const struct example[]){{"papaver skill list shop.example stall.example", "two companies"},
                                         {"papaver skill list ./skills/", "a folder of skills, or a published tree"},
                                         {"papaver skill list --offline shop.example", "as it was when last asked"},
                                         {NULL, NULL}},
    .completes_files = true,
};

const struct command cmd_skill_search = {
    .name = "skill search",
    .run = run_search,
    .summary = "find skills by name and description",
    .arguments = "WORD...",
    .about =
        "Ranks the skills of one or more origins by how well name and description fit the words (BM25), best first. Only lists "
        "are read. Without --origin those are searched that the lock names.",
    .options = search_rows,
    .examples = (const struct example[]){{"papaver skill search --origin shop.example water plants", "in one list"},
                                         {"papaver skill search refund", "in those that skills were installed from"},
                                         {NULL, NULL}},
};
