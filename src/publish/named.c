/* SPDX-License-Identifier: Apache-2.0
 *
 * Skills, releases and files that options name. One that is not there is said, because it may be a slip; it is no failure,
 * so that a command can stay as it is once it did its work.
 */
#include "publish/project.h"

/* "NAME@VERSION=REASON"; version and reason p NULL: there is none. */
struct named {
    struct pap_str name, version, reason;
};

static struct named parse(const char *given)
{
    struct named n = {.name = str_c(given)};
    size_t eq = str_find_char(n.name, '='), at;
    n.reason = eq < n.name.n ? str_skip(n.name, eq + 1) : n.reason;
    n.name.n = eq;
    at = str_find_char(n.name, '@');
    n.version = at < eq ? str_skip(n.name, at + 1) : n.version;
    n.name.n = at;
    return n;
}

bool named_in(const char *const *list, struct pap_str name, struct pap_str version, bool bare,
              struct pap_str *ret_reason)
{
    for (; list && *list; list++) {
        struct named n = parse(*list);
        if (!str_eq(n.name, name) || (n.version.p ? !str_eq(n.version, version) : !bare))
            continue;
        if (ret_reason)
            *ret_reason = n.reason;
        return true;
    }
    return false;
}

static const struct skill *find_skill(const struct project *p, struct pap_str name)
{
    for (size_t i = 0; i < p->n_skills; i++)
        if (str_eq(p->skills[i].name, name))
            return &p->skills[i];
    return NULL;
}

static bool has_release(const struct release *releases, size_t n, struct pap_str version)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(releases[i].version.text, version))
            return true;
    return false;
}

static bool was_public(const struct project *p, struct named n)
{
    for (size_t i = 0; i < p->prior.n; i++)
        if (str_eq(p->prior.entries[i].name, n.name))
            return !n.version.p || has_release(p->prior.entries[i].releases, p->prior.entries[i].n_releases, n.version);
    return false;
}

bool has_file_named(const struct project *p, struct pap_str given)
{
    const struct skill *s = find_skill(p, str_take(given, str_find_char(given, '/')));
    for (size_t i = 0; s && i < s->n_files; i++)
        if (str_eq(s->files[i]->path, str_skip(given, s->name.n + 1)))
            return true;
    return false;
}

static pap_result note(struct project *p, const char *option, const char *given, const char *what)
{
    struct pap_str path = arena_fmt(&p->arena, "--%s %s", option, given);
    path = path.p ? shown(&p->arena, path) : path;
    if (!path.p)
        return fail_memory(NULL);
    if (p->o->event)
        p->o->event(p->o->ctx,
                    &(struct pap_publish_event){.what = PAP_PUBLISH_NOTE, .path = path, .text = str_c(what)});
    return OK;
}

static pap_result note_unless_public(struct project *p, const char *option, const char *const *list)
{
    for (; list && *list; list++)
        if (!was_public(p, parse(*list)))
            TRY(note(p, option, *list, "nothing of that name is public"));
    return OK;
}

pap_result named_check(struct project *p, struct pap_err *err)
{
    for (const char *const *one = p->o->prune; one && *one; one++) {
        struct named n = parse(*one);
        const struct skill *s = find_skill(p, n.name);
        if (s && s->version.p && str_eq(s->version, n.version))
            return fail(err, PAP_USAGE, "--prune %s: this is the version of %.*s now, which cannot be dropped", *one,
                        PSTR(s->path));
    }
    pap_result r = note_unless_public(p, "prune", p->o->prune);
    if (is_ok(r))
        r = note_unless_public(p, "allow-removal", p->o->allow_removal);
    for (const char *const *one = p->o->deprecate; one && *one && is_ok(r); one++) {
        struct named n = parse(*one);
        const struct skill *s = find_skill(p, n.name);
        if (!s || !has_release(s->releases, s->n_releases, n.version))
            r = note(p, "deprecate", *one, "there is no such release");
    }
    for (const char *const *one = p->o->allow_secret; one && *one && is_ok(r); one++)
        if (!has_file_named(p, str_c(*one)))
            r = note(p, "allow-secret", *one, "no such file becomes public");
    return is_ok(r) ? OK : fail_memory(err);
}
