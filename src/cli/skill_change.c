/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/diff.h"
#include "cli/skill_change.h"

enum { FILES_SHOWN = 20 };

static const char *const kind_names[] = {[PAP_INSTALL_NEW] = "new",
                                         [PAP_INSTALL_UPDATE] = "update",
                                         [PAP_INSTALL_KEEP] = "keep",
                                         [PAP_INSTALL_MEND] = "mend",
                                         [PAP_INSTALL_REMOVE] = "remove"};

#define TEXT(s) (int)(s).n, (s).n ? (s).p : ""

/* Locks are committed. */
static void warn_of_url(struct skill_changes *c, size_t at)
{
    struct pap_install_change change;
    pap_install_change_at(c->in, at, &change);
    const struct pap_str urls[] = {change.after.origin, change.after.url};
    for (size_t i = 0; i < 2; i++) {
        const char *text = skill_c(c->run, urls[i]), *shown = skill_shown_c(c->run, text);
        if (text && strcmp(text, shown) != 0)
            cli_note(c->run->cli,
                     "WARNING: the lock will hold all of %s, and what may open something is hidden here: keep the lock "
                     "to yourself, or have the list name URLs without it",
                     shown);
    }
}

bool skill_plan_add(struct skill_changes *c, const char *place, struct pap_skill *skill, struct pap_install_add add)
{
    struct pap_skill_err err = {.text = ""};
    add.skill = skill;
    add.replaced = add.lower =
        c->run->o.dry_run || (!c->run->o.yes && skill_can_ask(c->run)); /* a person will see it */
    size_t at = pap_install_changes(c->in);
    if (at >= c->cap) {
        size_t cap = c->cap ? 2 * c->cap : 16;
        struct pap_skill **more = cli_alloc(c->run->cli, cap * sizeof(struct pap_skill *));
        if (!more) {
            pap_skill_free(skill);
            return false;
        }
        if (c->n)
            memcpy(more, c->skills, c->n * sizeof(struct pap_skill *));
        c->skills = more;
        c->cap = cap;
    }
    pap_result r = pap_install_plan_add(c->in, &add, &err);
    if (r.code != PAP_OK) {
        skill_tell(c->run, place, NULL, r, &err);
        pap_skill_free(skill);
        return false;
    }
    c->skills[at] = skill;
    c->n = at + 1;
    warn_of_url(c, at);
    return true;
}

void skill_changes_free(struct skill_changes *c)
{
    pap_install_close(c->in);
    for (size_t i = 0; i < c->n; i++)
        pap_skill_free(c->skills[i]);
    c->n = 0;
}

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static void skill_as_json(struct json_out *j, const char *key, const struct pap_install_skill *s)
{
    if (!s->name.n)
        return;
    json_begin(j, key, '{');
    json_if(j, "version", s->version);
    json_if(j, "range", s->range);
    json_text(j, "digest", s->digest);
    json_text(j, "url", s->url);
    json_begin(j, "artifact_hosts", '[');
    for (const char *const *h = s->artifact_hosts; *h; h++)
        json_c(j, NULL, *h);
    json_end(j, ']');
    json_end(j, '}');
}

static void change_as_json(struct json_out *j, const struct pap_install *in, size_t i)
{
    struct pap_install_change c;
    pap_install_change_at(in, i, &c);
    const struct pap_install_skill *s = c.after.name.n ? &c.after : &c.before;
    json_begin(j, NULL, '{');
    json_c(j, "change", kind_names[c.kind]);
    json_text(j, "name", s->name);
    json_text(j, "origin", s->origin);
    if (c.replaced)
        json_bool(j, "replaced", true);
    if (c.lower)
        json_bool(j, "lower", true);
    skill_as_json(j, "before", &c.before);
    skill_as_json(j, "after", &c.after);
    json_begin(j, "places", '[');
    for (const char *const *p = c.places; *p; p++)
        json_c(j, NULL, *p);
    json_end(j, ']');
    json_begin(j, "files", '[');
    for (size_t k = 0; k < c.after.files; k++) {
        struct pap_skill_file f;
        pap_install_change_file_at(in, i, k, &f);
        json_begin(j, NULL, '{');
        json_text(j, "path", f.path);
        json_text(j, "digest", f.digest);
        json_number(j, "bytes", f.size);
        json_bool(j, "executable", f.executable);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_end(j, '}');
}

/* ---- text --------------------------------------------------------------------------------------------------------- */

static void show_files(struct skill_changes *c, size_t i, FILE *out)
{
    struct pap_install_change change;
    uint64_t bytes = 0;
    pap_install_change_at(c->in, i, &change);
    for (size_t k = 0; k < change.after.files; k++) {
        struct pap_skill_file f;
        pap_install_change_file_at(c->in, i, k, &f);
        bytes += f.size;
    }
    (void)fprintf(out, "  files    %zu, %llu bytes\n", change.after.files, (unsigned long long)bytes);
    for (size_t k = 0; k < change.after.files && k < FILES_SHOWN; k++) {
        struct pap_skill_file f, was;
        pap_install_change_file_at(c->in, i, k, &f);
        pap_skill_file_at(c->skills[i], k, &was);
        (void)fputs("             ", out);
        skill_words(out, f.path);
        (void)fprintf(out, "  %llu%s\n", (unsigned long long)f.size,
                      f.executable     ? ", executable"
                      : was.executable ? ", marked executable, which it will not be (--executable)"
                                       : "");
    }
    if (change.after.files > FILES_SHOWN)
        (void)fprintf(out, "             and %zu more\n", change.after.files - FILES_SHOWN);
}

static void show_diff(struct skill_changes *c, const struct pap_install_change *change, const struct pap_skill *skill,
                      FILE *out)
{
    size_t i;
    struct pap_str old = {"", 0};
    struct pap_skill_facts f;
    struct pap_skill_err err;
    const char *name = skill_c(c->run, change->after.name);
    if (!name || !pap_install_find(c->in, name, &i) ||
        pap_install_read(c->in, i, "SKILL.md", &old, &err).code != PAP_OK)
        return;
    pap_skill_facts(skill, &f);
    (void)fputs("  SKILL.md\n", out);
    if (!diff_print(c->run->cli, out, old, f.markdown))
        skill_worse(c->run, CLI_FAILED);
}

static void show_added(struct skill_changes *c, size_t i, FILE *out)
{
    struct pap_install_change change;
    struct pap_skill_facts f;
    pap_install_change_at(c->in, i, &change);
    pap_skill_facts(c->skills[i], &f);
    bool update = change.kind == PAP_INSTALL_UPDATE;
    const char *origin = skill_shown(c->run, change.after.origin);
    (void)fprintf(out, "%.*s %.*s%s%.*s from %s\n", TEXT(change.after.name), TEXT(change.before.version),
                  update && change.before.version.n ? " -> " : "",
                  TEXT(update || !change.before.version.n ? change.after.version : ((struct pap_str){"", 0})), origin);
    (void)fputs("  says     ", out);
    skill_words(out, f.release.description);
    if (update)
        (void)fprintf(out, "\n  before   %.*s\n  after    %.*s\n", TEXT(change.before.digest),
                      TEXT(change.after.digest));
    else
        (void)fprintf(out, "\n  digest   %.*s\n", TEXT(change.after.digest));
    if (change.replaced)
        (void)fprintf(
            out, "  WARNING  release %.*s was replaced by another under the same version; none should ever change\n",
            TEXT(change.after.version));
    if (change.lower)
        (void)fprintf(out, "  WARNING  release %.*s is lower than %.*s, which its origin does not offer any more\n",
                      TEXT(change.after.version), TEXT(change.before.version));
    (void)fprintf(out, "  url      %.*s\n", TEXT(change.after.url));
    for (const char *const *h = change.after.artifact_hosts; *h; h++)
        (void)fprintf(out, "  host     %s, besides that of the origin\n", *h);
    for (const char *const *p = change.places; *p; p++)
        (void)fprintf(out, "  to       %s\n", *p);
    show_files(c, i, out);
    if (update)
        show_diff(c, &change, c->skills[i], out);
}

static void show_change(struct skill_changes *c, size_t i, FILE *out)
{
    struct pap_install_change change;
    pap_install_change_at(c->in, i, &change);
    if (change.kind == PAP_INSTALL_REMOVE)
        (void)fprintf(out, "%.*s %.*s: to be removed\n", TEXT(change.before.name), TEXT(change.before.version));
    else if (change.kind == PAP_INSTALL_KEEP)
        (void)fprintf(out, "%.*s %.*s: up to date\n", TEXT(change.after.name), TEXT(change.after.version));
    else
        show_added(c, i, out);
}

/* A line for a script: change, name, version, digest, origin. */
static void change_as_tabs(const struct pap_install_change *change, FILE *out)
{
    const struct pap_install_skill *s = change->after.name.n ? &change->after : &change->before;
    (void)fprintf(out, "%s\t%.*s\t%.*s\t%.*s\t%.*s\n", kind_names[change->kind], TEXT(s->name), TEXT(s->version),
                  TEXT(s->digest), TEXT(s->origin));
}

static void show_done(const struct pap_install_change *change, FILE *out)
{
    const struct pap_install_skill *s = change->after.name.n ? &change->after : &change->before;
    const char *what = change->kind == PAP_INSTALL_REMOVE ? "removed"
                       : change->kind == PAP_INSTALL_MEND ? "mended"
                                                          : "installed";
    if (change->kind != PAP_INSTALL_KEEP)
        (void)fprintf(out, "%s %.*s%s%.*s\n", what, TEXT(s->name), s->version.n ? " " : "", TEXT(s->version));
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static void on_kept(void *ctx, struct pap_str path, enum pap_install_state state)
{
    struct skill_changes *c = ctx;
    if (c->run->o.json)
        json_text(&c->run->json, NULL, path);
    else
        cli_note(c->run->cli, "%s: %.*s, which %s", c->run->o.dry_run ? "would be kept" : "kept", TEXT(path),
                 state == PAP_INSTALL_CHANGED ? "was changed since it was installed" : "is not the lock's");
}

static bool is_idle(const struct skill_changes *c)
{
    bool idle = true;
    for (size_t i = 0; i < pap_install_changes(c->in); i++) {
        struct pap_install_change change;
        pap_install_change_at(c->in, i, &change);
        idle &= change.kind == PAP_INSTALL_KEEP;
    }
    return idle;
}

/* Removals need no question: only what the lock could bring back is deleted. */
static bool may_go_on(struct skill_changes *c)
{
    struct skill_run *run = c->run;
    if (run->o.dry_run || run->o.yes || run->o.frozen || is_idle(c) || c->n == 0)
        return true;
    if (!skill_can_ask(run)) {
        skill_worse(run, CLI_USAGE);
        return cli_usage(run->cli, "nobody can be asked here: add --yes to install what was shown, or --dry-run");
    }
    if (cli_ask(run->cli, "Install this?"))
        return true;
    cli_note(run->cli, "nothing was done");
    skill_worse(run, CLI_FINDINGS);
    return false;
}

/* With --dry-run only what would be kept is told. */
static bool apply(struct skill_changes *c)
{
    struct pap_skill_err err = {.text = ""};
    if (c->run->o.json)
        json_begin(&c->run->json, "kept", '[');
    pap_result r = c->run->o.dry_run ? pap_install_would_keep(c->in, on_kept, c, &err)
                                     : pap_install_apply(c->in, on_kept, c, &err);
    if (c->run->o.json)
        json_end(&c->run->json, ']');
    if (r.code != PAP_OK)
        skill_tell(c->run, NULL, NULL, r, &err);
    return r.code == PAP_OK && !c->run->o.dry_run;
}

/* Before they are made, for then the plan is gone. */
static struct pap_install_change *copy_changes(struct skill_changes *c, size_t n)
{
    struct pap_install_change *copy = cli_alloc(c->run->cli, (n + 1) * sizeof *copy);
    for (size_t i = 0; copy && i < n; i++)
        pap_install_change_at(c->in, i, &copy[i]);
    return copy;
}

void skill_changes_make(struct skill_changes *c)
{
    struct skill_run *run = c->run;
    FILE *out = run->cli->out;
    bool terminal = run->cli->out_is_terminal;
    size_t n = pap_install_changes(c->in);
    struct pap_install_change *changes = copy_changes(c, n);
    if (!changes)
        return;
    if (run->o.json) {
        json_begin(&run->json, "changes", '[');
        for (size_t i = 0; i < n; i++)
            change_as_json(&run->json, c->in, i);
        json_end(&run->json, ']');
    }
    for (size_t i = 0; !run->o.json && i < n; i++) /* where a question comes, people need to see what it is about */
        if (terminal || run->o.dry_run || !(run->o.yes || run->o.frozen || c->n == 0))
            show_change(c, i, terminal || run->o.dry_run ? out : run->cli->err);
    bool done = n && may_go_on(c) && apply(c);
    if (run->o.json)
        json_bool(&run->json, "applied", done);
    for (size_t i = 0; !run->o.json && done && i < n; i++)
        terminal ? show_done(&changes[i], out) : change_as_tabs(&changes[i], out);
}
