/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver skill verify: every release of an origin, or every file of a lock.
 */
#include <string.h>
#include <unistd.h>

#include "cli/skill_run.h"

#define TEXT(s) (int)(s).n, (s).n ? (s).p : ""

struct verifying {
    struct skill_run run;
    size_t good, bad;
};

/* ---- an origin ---------------------------------------------------------------------------------------------------- */

static void tell_release(struct verifying *v, const char *place, const struct pap_skill_release *r, pap_result result,
                         const struct pap_skill_err *err)
{
    FILE *out = v->run.cli->out;
    bool good = result.code == PAP_OK;
    v->good += good;
    v->bad += !good;
    if (!good)
        skill_worse(&v->run, skill_status(result, err));
    if (v->run.o.json) {
        struct json_out *j = &v->run.json;
        json_begin(j, NULL, '{');
        json_c(j, "origin", skill_shown_c(&v->run, place));
        skill_json_release(j, r);
        json_bool(j, "good", good);
        if (!good)
            skill_json_err(j, err);
        json_end(j, '}');
    } else if (v->run.cli->out_is_terminal) {
        (void)fprintf(out, "%-8s ", good ? "ok" : "REFUSED");
        skill_words(out, r->name);
        (void)fprintf(out, "%s%.*s\n", r->version.n ? " " : "", TEXT(r->version));
        if (!good)
            (void)fprintf(out, "         %s [%s]\n", err->text, pap_skill_code_name(err->code));
    } else {
        (void)fprintf(out, "%s\t%s\t", good ? "ok" : pap_skill_code_name(err->code), skill_shown_c(&v->run, place));
        skill_words(out, r->name);
        (void)fprintf(out, "\t%.*s\t%.*s\t%s\n", TEXT(r->version), TEXT(r->digest), good ? "" : err->text);
    }
}

/* The current release with all that the list says of it; the others by their digests. */
static void verify_release(struct verifying *v, const struct pap_skill_origin *origin,
                           struct pap_skill_session *session, const struct pap_skill_release *r)
{
    struct pap_skill *skill = NULL;
    struct pap_skill_err err = {.text = ""};
    const char *name = skill_c(&v->run, r->name), *version = r->version.n ? skill_c(&v->run, r->version) : NULL;
    const char *type = skill_c(&v->run, r->type), *url = skill_c(&v->run, r->url),
               *digest = skill_c(&v->run, r->digest);
    if (!name || !type || !url || !digest)
        return;
    struct pap_skill_pin pin = {.name = name, .type = type, .url = url, .digest = digest, .version = version};
    pap_result result = r->current ? pap_skill_activate(session, name, version, &skill, &err)
                                   : pap_skill_activate_pinned(v->run.client, origin, &pin, &skill, &err);
    progress_clear(&v->run.progress);
    tell_release(v, origin->place, r, result, &err);
    pap_skill_free(skill);
}

static void verify_origin(struct verifying *v, const char *place)
{
    struct pap_skill_origin origin = skill_origin(&v->run, place);
    struct pap_skill_session *session = skill_session(&v->run, &origin);
    struct pap_skill_session_facts f;
    if (!session)
        return;
    pap_skill_session_facts(session, &f);
    for (size_t i = 0; i < f.skills; i++) {
        struct pap_skill_release r;
        size_t releases = 0;
        pap_skill_session_at(session, i, &r, &releases);
        for (size_t k = 0; k < releases; k++) {
            pap_skill_session_release_at(session, i, k, &r);
            verify_release(v, &origin, session, &r);
        }
    }
    v->bad += f.skipped;
    for (size_t i = 0; i < f.skipped; i++) { /* said already, but for JSON */
        struct pap_skill_err err;
        pap_skill_session_skipped_at(session, i, &err);
        if (v->run.o.json)
            skill_tell(&v->run, place, NULL, (pap_result){PAP_REFUSED}, &err);
        skill_worse(&v->run, CLI_FINDINGS);
    }
    pap_skill_session_close(session);
}

/* ---- a lock ------------------------------------------------------------------------------------------------------- */

static void on_state(void *ctx, struct pap_str path, enum pap_install_state state)
{
    static const char *const names[] = {[PAP_INSTALL_SAME] = "ok",
                                        [PAP_INSTALL_CHANGED] = "changed",
                                        [PAP_INSTALL_MISSING] = "missing",
                                        [PAP_INSTALL_FOREIGN] = "foreign"};
    struct verifying *v = ctx;
    if (!v->run.o.json) {
        (void)fprintf(v->run.cli->out, "%s\t", names[state]);
        skill_words(v->run.cli->out, path);
        (void)fputc('\n', v->run.cli->out);
        return;
    }
    json_begin(&v->run.json, NULL, '{');
    json_words(&v->run.json, "path", path);
    json_c(&v->run.json, "state", names[state]);
    json_end(&v->run.json, '}');
}

static void verify_skill(struct verifying *v, struct pap_install *in, size_t i)
{
    struct pap_install_skill s;
    struct pap_skill_err err = {.text = ""};
    struct json_out *j = &v->run.json;
    bool good = false;
    pap_install_at(in, i, &s);
    if (v->run.o.json) {
        json_begin(j, NULL, '{');
        json_text(j, "name", s.name);
        json_c(j, "origin", skill_shown(&v->run, s.origin));
        json_if(j, "version", s.version);
        json_text(j, "digest", s.digest);
        json_begin(j, "files", '[');
    }
    pap_result r = pap_install_verify(in, i, v->run.o.json, on_state, v, &good, &err);
    if (v->run.o.json) {
        json_end(j, ']');
        json_bool(j, "good", good);
        json_end(j, '}');
    }
    if (r.code != PAP_OK)
        skill_tell(&v->run, NULL, NULL, r, &err);
    v->good += good;
    v->bad += !good;
    if (!good)
        skill_worse(&v->run, CLI_FINDINGS);
    if (!v->run.o.json)
        (void)fprintf(v->run.cli->out, "%s\t%.*s\t%.*s\n", good ? "ok" : "differs", TEXT(s.name), TEXT(s.version));
}

static void verify_lock(struct verifying *v, const char *path)
{
    v->run.o.lock = path;
    struct pap_install *in = skill_install(&v->run, false);
    for (size_t i = 0; in && i < pap_install_count(in); i++)
        verify_skill(v, in, i);
    if (in && !pap_install_count(in) && access(path, F_OK) != 0)
        skill_tell(&v->run, path, NULL, (pap_result){PAP_REFUSED},
                   &(struct pap_skill_err){.code = PAP_SKILL_ORIGIN_UNAVAILABLE, .text = "there is no such lock"});
    pap_install_close(in);
}

/* ---- the command -------------------------------------------------------------------------------------------------- */

/* No domain ends so. */
static bool is_lock(const char *target)
{
    size_t n = strlen(target);
    return n > 5 && strcmp(target + n - 5, ".lock") == 0 && !strstr(target, "://");
}

static void verify(struct verifying *v, const char *target)
{
    if (is_lock(target))
        verify_lock(v, target);
    else if (skill_is_origin(&v->run, target) && (v->run.client || skill_client(&v->run, true)))
        verify_origin(v, target);
}

/* All of them, before the first request. */
static bool may_verify(struct verifying *v)
{
    for (size_t i = 0; i < v->run.args.n; i++)
        if (!is_lock(v->run.args.at[i]) && !skill_may_ask(&v->run, v->run.args.at[i], NULL))
            return false;
    return true;
}

static int run_verify(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct verifying v = {.good = 0};
    if (!skill_begin(cli, self, argc, argv, &v.run))
        return cli->status;
    if (!v.run.args.n) {
        cli_usage(cli, "say what: papaver skill verify shop.example, ./dist/ or papaver-skills.lock");
        skill_worse(&v.run, CLI_USAGE);
    }
    bool may = may_verify(&v);
    if (v.run.o.json)
        json_begin(&v.run.json, "results", '[');
    for (size_t i = 0; may && i < v.run.args.n; i++)
        verify(&v, v.run.args.at[i]);
    if (v.run.o.json) {
        json_end(&v.run.json, ']');
        json_number(&v.run.json, "good", v.good);
        json_number(&v.run.json, "bad", v.bad);
    } else if (cli->out_is_terminal) {
        (void)fprintf(cli->out, "%zu verified, %zu not\n", v.good, v.bad);
    }
    return skill_end(&v.run);
}

static const struct option_row rows[] = {SKILL_JSON_ROW, SKILL_ORIGIN_ROWS, {.name = NULL}};

const struct command cmd_skill_verify = {
    .name = "skill verify",
    .run = run_verify,
    .summary = "verify every release of an origin or folder, or what a lock installed",
    .arguments = "ORIGIN|FOLDER|LOCK...",
    .about =
        "Of an origin, or a folder of skills or a published tree: fetches every release that is listed, past the cache, and "
        "compares it as papaver skill get would; each one that is refused is told with its rule and both values.\n\n"
        "Of a lock: compares every installed file and link with it, without any network: changed, missing, or foreign where "
        "the lock knows nothing of it. Exit status 1 when anything was refused or differs, 3 where there is no such lock.",
    .options = rows,
    .examples = (const struct example[]){{"papaver skill verify shop.example", "everything that a company publishes"},
                                         {"papaver skill verify ./dist/", "a tree before it is published"},
                                         {"papaver skill verify papaver-skills.lock", "what is installed"},
                                         {NULL, NULL}},
    .completes_files = true,
};
