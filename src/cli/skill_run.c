/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/skill_run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <papaver/check.h>

struct skill_refusal {
    struct skill_refusal *next;
    const char *place, *name; /* the place as it is shown */
    struct pap_skill_err err;
};

const char *const skill_agent_names[] = {"claude",   "codex", "cursor", "copilot", "gemini",
                                         "opencode", "goose", "amp",    NULL};

/* ---- begin and end ------------------------------------------------------------------------------------------------ */

bool set_age(struct cli *cli, const struct given *given, void *field)
{
    uint64_t n;
    if (!cli_whole_number(given->value, &n) || n < 1 || n > 30 * 24 * 3600)
        return cli_usage(cli, "%s: \"%s\" is no number of seconds from 1 to 2592000 (30 days)", given->origin,
                         given->value);
    *(uint32_t *)field = (uint32_t)n * 1000;
    return true;
}

bool set_retries(struct cli *cli, const struct given *given, void *field)
{
    uint64_t n;
    if (!cli_whole_number(given->value, &n) || n > 10)
        return cli_usage(cli, "%s: \"%s\" is no number of times from 0 to 10", given->origin, given->value);
    *(uint32_t *)field = (uint32_t)n;
    return true;
}

bool skill_begin(struct cli *cli, const struct command *self, int argc, char **argv, struct skill_run *ret)
{
    *ret = (struct skill_run){.cli = cli, .json = {.f = cli->out}, .o.retries = 2};
    ret->last = &ret->refusals;
    if (!options_parse(cli, self, argc, argv, &ret->o, &ret->args) ||
        !header_env_read(cli, ret->o.header_env, &ret->headers))
        return false;
    (void)signal(SIGPIPE, SIG_IGN); /* by it a peer that closes its connection would end us */
    if (!ret->o.json)
        return true;
    json_begin(&ret->json, NULL, '{');
    json_c(&ret->json, "papaver", pap_version());
    json_c(&ret->json, "command", self->name);
    return true;
}

int skill_end(struct skill_run *run)
{
    pap_skill_client_free(run->client);
    if (!run->o.json)
        return run->status;
    while (run->json.depth > 1) /* a list that a failure left open */
        json_end(&run->json, ']');
    json_begin(&run->json, "errors", '[');
    for (const struct skill_refusal *f = run->refusals; f; f = f->next) {
        json_begin(&run->json, NULL, '{');
        if (f->place)
            json_c(&run->json, "origin", f->place);
        if (f->name)
            json_c(&run->json, "skill", f->name);
        skill_json_err(&run->json, &f->err);
        json_end(&run->json, '}');
    }
    json_end(&run->json, ']');
    json_number(&run->json, "exit", (uint64_t)run->status);
    json_end(&run->json, '}');
    return run->status;
}

const char *skill_c(struct skill_run *run, struct pap_str s)
{
    char *text = cli_alloc(run->cli, s.n + 1);
    if (text && s.n)
        memcpy(text, s.p, s.n);
    if (!text)
        skill_worse(run, CLI_FAILED);
    return text;
}

bool skill_split(struct skill_run *run, const char *text, const char **ret_name, const char **ret_range)
{
    size_t n = strcspn(text, "@");
    if (!n || (text[n] && !text[n + 1])) {
        skill_worse(run, CLI_USAGE);
        return cli_usage(run->cli, "\"%s\" is no NAME or NAME@RANGE, such as water-plants@^1.2.0", text);
    }
    *ret_range = text[n] ? text + n + 1 : NULL;
    *ret_name = skill_c(run, (struct pap_str){text, n});
    return *ret_name != NULL;
}

/* ---- refusals ----------------------------------------------------------------------------------------------------- */

/* Codes whose exit status is not 1. */
static const struct {
    enum pap_skill_code code;
    int status;
} statuses[] = {{PAP_SKILL_CONFIGURATION_INVALID, CLI_USAGE},
                {PAP_SKILL_PATH_INVALID, CLI_USAGE},
                {PAP_SKILL_ORIGIN_UNAVAILABLE, CLI_FAILED},
                {PAP_SKILL_REQUEST_TIMEOUT, CLI_FAILED},
                {PAP_SKILL_OFFLINE_MISS, CLI_FAILED}};

int skill_status(pap_result r, const struct pap_skill_err *err)
{
    if (r.code != PAP_REFUSED)
        return r.code == PAP_USAGE ? CLI_USAGE : CLI_FAILED;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].code == err->code)
            return statuses[i].status;
    return CLI_FINDINGS;
}

void skill_worse(struct skill_run *run, int status)
{
    run->status = status > run->status ? status : run->status;
}

/* What helps, mostly. */
static const char *hint(const struct skill_run *run, const struct pap_skill_err *err)
{
    static const struct {
        enum pap_skill_code code;
        const char *text;
    } hints[] = {
        {PAP_SKILL_OFFLINE_MISS, "; leave --offline out once"},
        {PAP_SKILL_COMPANY_REFUSED, "; papaver check tells more, --index reads the well-known index all the same"},
        {PAP_SKILL_AUTHENTICATION_FAILED,
         "; --header-env HOST/Authorization=VARIABLE sends a credential to that host; what "
         "poppy.json lists gets none (--index)"},
        {PAP_SKILL_RESOURCE_NOT_FOUND, "; papaver skill get --json lists its files"},
        {PAP_SKILL_UNSUPPORTED_SCHEMA, "; --legacy reads the layouts before 0.2.0"},
    };
    if (err->code == PAP_SKILL_POLICY_DENIED && !run->o.network.allow_private && strstr(err->text, "address"))
        return "; --allow-private lets loopback and private addresses through";
    if (err->code == PAP_SKILL_CONFIGURATION_INVALID && !run->o.insecure_http && strstr(err->text, "is not https"))
        return "; --insecure-http allows http to loopback";
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].code == err->code)
            return hints[i].text;
    return "";
}

void skill_json_err(struct json_out *j, const struct pap_skill_err *err)
{
    const char *key, *value;
    json_c(j, "code", err->code ? pap_skill_code_name(err->code) : "internal_error");
    if (err->rule[0])
        json_c(j, "rule", err->rule);
    json_c(j, "text", err->text);
    json_begin(j, "context", '{');
    for (size_t i = 0; pap_skill_err_at(err, i, &key, &value); i++)
        json_c(j, key, value);
    json_end(j, '}');
}

void skill_tell(struct skill_run *run, const char *place, const char *name, pap_result r,
                const struct pap_skill_err *err)
{
    skill_worse(run, skill_status(r, err));
    place = skill_shown_c(run, place);
    if (run->o.json) {
        struct skill_refusal *f = cli_alloc(run->cli, sizeof *f);
        if (!f)
            return;
        *f = (struct skill_refusal){.place = place, .name = name, .err = *err};
        *run->last = f;
        run->last = &f->next;
        return;
    }
    /* The library names the place or the skill where no command does. */
    const char *said = err->text + (err->text[0] == '"');
    if (place && strncmp(said, place, strlen(place)) == 0 && strchr(": \"", said[strlen(place)]))
        place = NULL;
    if (name && strncmp(err->text, name, strlen(name)) == 0 && err->text[strlen(name)] == ':')
        name = NULL;
    cli_note(run->cli, "%s%s%s%s%s%s%s%s%s", place ? place : "", place ? ": " : "", name ? name : "", name ? ": " : "",
             err->text, hint(run, err), err->code ? " [" : "", err->code ? pap_skill_code_name(err->code) : "",
             err->code ? "]" : "");
    if (err->rule[0])
        cli_note(run->cli, "papaver explain %s tells more", err->rule);
}

/* ---- client and sessions ------------------------------------------------------------------------------------------ */

const char *skill_cache_folder(struct skill_run *run)
{
    if (run->o.no_cache || run->o.cache)
        return run->o.no_cache ? NULL : run->o.cache;
    return cli_user_folder(run->cli, "XDG_CACHE_HOME", "/.cache", "/papaver");
}

/* Lists are short, and come from several threads; a fetch is one at a time. */
static bool on_progress(void *ctx, enum pap_skill_phase phase, uint64_t done, uint64_t total)
{
    struct skill_run *run = ctx;
    if (phase != PAP_SKILL_LISTING && total)
        progress_show(&run->progress,
                      &(struct pap_progress){.done = (size_t)(done / 1024),
                                             .total = (size_t)((total + 1023) / 1024),
                                             .now = phase == PAP_SKILL_FETCHING ? "kB fetched" : "kB verified"});
    return true;
}

struct pap_skill *skill_activate(struct skill_run *run, struct pap_skill_session *session, const char *place,
                                 const char *name, const char *range)
{
    struct pap_skill *skill = NULL;
    struct pap_skill_err err = {.text = ""};
    pap_result r = pap_skill_activate(session, name, range, &skill, &err);
    progress_clear(&run->progress);
    if (r.code == PAP_OK)
        return skill;
    skill_tell(run, place, name, r, &err);
    return NULL;
}

bool skill_client(struct skill_run *run, bool fresh)
{
    const struct skill_options *o = &run->o;
    struct pap_network n = network_settle(&o->network);
    struct pap_skill_err err = {.text = ""};
    struct pap_skill_options client = {.alloc = run->cli->alloc,
                                       .strict = o->strict,
                                       .offline = o->offline,
                                       .cache = fresh && !o->offline ? NULL : skill_cache_folder(run),
                                       .legacy = o->legacy,
                                       .allow_private = n.allow_private,
                                       .insecure_http = o->insecure_http,
                                       .timeout_ms = n.timeout_ms,
                                       .retries = o->retries,
                                       .jobs = o->jobs,
                                       .cacert = n.cacert,
                                       .resolve = n.resolve,
                                       .connect_to = n.connect_to,
                                       .proxy = n.proxy,
                                       .progress = on_progress,
                                       .ctx = run};
    progress_init(&run->progress, run->cli, !o->json);
    pap_result r = pap_skill_client_new(&client, &run->client, &err);
    if (r.code != PAP_OK)
        skill_tell(run, NULL, NULL, r, &err);
    return r.code == PAP_OK;
}

struct pap_skill_origin skill_origin(const struct skill_run *run, const char *place)
{
    return (struct pap_skill_origin){.place = place,
                                     .index = run->o.index,
                                     .scope = run->o.scope,
                                     .headers = run->headers.at,
                                     .n_headers = run->headers.n,
                                     .stale_s = run->o.stale_ms / 1000,
                                     .fresh = run->o.refresh};
}

bool skill_is_origin(struct skill_run *run, const char *place)
{
    if (pap_skill_place_is_folder(place) || strchr(place, '.') || strchr(place, ':') ||
        strcasecmp(place, "localhost") == 0)
        return true;
    skill_worse(run, CLI_USAGE);
    if (access(place, F_OK) == 0)
        return cli_usage(run->cli, "\"%s\" is no domain; for the folder of that name write ./%s", place, place);
    return cli_usage(
        run->cli,
        "\"%s\" is no origin: a domain (shop.example), an https URL or a folder (./skills/) comes first, then "
        "the names of skills",
        skill_shown_c(run, place));
}

void skill_say_session(struct skill_run *run, const struct pap_skill_session *session)
{
    struct pap_skill_session_facts f;
    pap_skill_session_facts(session, &f);
    if (run->o.json)
        return;
    const char *place = skill_shown(run, f.place);
    if (f.note.n)
        cli_note(run->cli, "%s: %.*s", place, (int)f.note.n, f.note.p);
    if (f.stale && !run->o.offline)
        cli_note(run->cli, "%s: the origin cannot be reached; this list is %llu second%s old", place,
                 (unsigned long long)f.age_s, plural(f.age_s));
    for (size_t i = 0; i < f.skipped; i++) {
        struct pap_skill_err err;
        pap_skill_session_skipped_at(session, i, &err);
        cli_note(run->cli, "%s: skipped: %s [%s]", place, err.text, pap_skill_code_name(err.code));
    }
}

struct pap_skill_session *skill_session(struct skill_run *run, const struct pap_skill_origin *origin)
{
    struct pap_skill_session *s = NULL;
    struct pap_skill_err err = {.text = ""};
    pap_result r = pap_skill_session_open(run->client, origin, &s, &err);
    if (r.code != PAP_OK) {
        skill_tell(run, origin->place, NULL, r, &err);
        return NULL;
    }
    skill_say_session(run, s);
    return s;
}

/* ---- questions ---------------------------------------------------------------------------------------------------- */

bool skill_can_ask(const struct skill_run *run)
{
    return !run->o.json && cli_can_ask(run->cli);
}

/* ---- installs ----------------------------------------------------------------------------------------------------- */

const char *skill_lock_name(struct skill_run *run)
{
    return run->o.user ? "~/.agents/papaver-skills.lock" : run->o.lock ? run->o.lock : "papaver-skills.lock";
}

/* A person's lock lies in the folder that it speaks of, and a project's beside it. */
static bool is_of_person(struct skill_run *run, const char *home)
{
    struct stat a, b;
    const char *lock =
        home ? cli_join(run->cli, (const char *const[]){home, "/.agents/papaver-skills.lock", NULL}) : NULL;
    return lock && stat(run->o.lock ? run->o.lock : "papaver-skills.lock", &a) == 0 && stat(lock, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

struct pap_install *skill_install(struct skill_run *run, bool finish)
{
    struct pap_install *in = NULL;
    struct pap_skill_err err = {.text = ""};
    const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME"), *claude = getenv("CLAUDE_CONFIG_DIR");
    run->o.user |= is_of_person(run, home);
    if (run->o.user && (!home || home[0] != '/')) {
        skill_worse(run, CLI_USAGE);
        cli_usage(run->cli, "--user: HOME is not set to a folder");
        return NULL;
    }
    struct pap_install_options o = {.alloc = run->cli->alloc,
                                    .lock = run->o.lock,
                                    .home = run->o.user ? home : NULL,
                                    .config_home = config && config[0] == '/' ? config : NULL,
                                    .claude_home = claude && claude[0] == '/' ? claude : NULL,
                                    .refuse_unfinished = !finish};
    pap_result r = pap_install_open(&o, &in, &err);
    if (r.code != PAP_OK)
        skill_tell(run, NULL, NULL, r, &err);
    return r.code == PAP_OK ? in : NULL;
}
