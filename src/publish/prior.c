/* SPDX-License-Identifier: Apache-2.0
 *
 * What was public before: skills and their releases, read from the tree that is written and from the one that --prior
 * names. Releases never change and never vanish unnoticed (R-HIS), wherever they stand; their files are verified before they
 * are carried on.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "publish/project.h"
#include "sys/file.h"
#include "sys/stage.h"

enum { INDEX_MOST = 64 << 20 };

/* ---- reading ---- */

struct reader {
    struct project *p;
    const char *path;
    bool own;
    struct prior read;
    struct pap_err *err;
};

static pap_result bad(const struct reader *r, const char *what, struct pap_str name)
{
    return fail(r->err, PAP_SYNTAX, "%s: %s%s%.*s, so that its releases cannot go on; %s", r->path, what,
                name.n ? ": " : "", PSTR(name), r->own ? "move it away" : "name another with --prior");
}

/* Of other publishers' URLs the ending may say nothing: then the suffix is NULL until the bytes are there. */
static pap_result read_artifact(struct reader *r, const struct json *e, struct artifact *ret)
{
    struct pap_str type = json_str(json_get_c(e, "type")), url = json_str(json_get_c(e, "url"));
    struct pap_str digest = json_str(json_get_c(e, "digest"));
    const char *why;
    if (!format_holds(FORMAT_DIGEST, digest, &why))
        return bad(r, "a digest is none", digest);
    *ret = (struct artifact){.digest = digest, .archive = str_is(type, "archive")};
    if (!ret->archive && !str_is(type, "skill-md"))
        return bad(r, "a type is not known", type);
    url = str_take(url, str_find_char(url, '?'));
    ret->suffix = !ret->archive              ? ".md"
                  : str_ends(url, S(".zip")) ? ".zip"
                  : str_ends(url, S(".gz"))  ? ".tar.gz"
                                             : NULL;
    return OK;
}

static pap_result read_releases(struct reader *r, const struct json *e, struct prior_entry *to)
{
    const struct json *x = json_get_c(e, "x-remote-skills"), *list = json_get_c(x, "releases");
    const struct json *notes = json_get_c(json_get_c(e, "x-papaver"), "deprecated");
    if (!x)
        return OK;
    if (!json_is(list, JSON_ARRAY) || list->n > LIMIT_RELEASES)
        return bad(r, "x-remote-skills has no list of at most 100 releases", to->name);
    to->releases = arena_new_array(&r->p->arena, list->n, struct release);
    if (!to->releases)
        return fail_memory(r->err);
    json_each (one, list) {
        struct release *release = &to->releases[to->n_releases++];
        if (!semver_parse(json_str(json_get_c(one, "version")), &release->version))
            return bad(r, "a release has no version", to->name);
        for (size_t i = 0; i + 1 < to->n_releases; i++) /* 100 of them at most */
            if (str_eq(to->releases[i].version.text, release->version.text))
                return bad(r, "a release stands twice", release->version.text);
        release->own = r->own;
        release->url = json_str(json_get_c(one, "url"));
        release->deprecated = json_str(json_get(notes, release->version.text));
        TRY(read_artifact(r, one, &release->artifact));
    }
    return OK;
}

static pap_result read_entries(struct reader *r, const struct json *skills)
{
    struct prior *all = &r->read;
    all->entries = arena_new_array(&r->p->arena, skills->n, struct prior_entry);
    if (!all->entries)
        return fail_memory(r->err);
    json_each (e, skills) {
        struct prior_entry *to = &all->entries[all->n++];
        const char *why;
        to->own = r->own;
        to->name = json_str(json_get_c(e, "name"));
        to->description = json_str(json_get_c(e, "description"));
        if (!format_holds(FORMAT_SKILL_NAME, to->name, &why))
            return bad(r, "a skill has no good name", to->name);
        TRY(read_artifact(r, e, &to->artifact));
        TRY(read_releases(r, e, to));
    }
    prior_sort(all);
    for (size_t i = 1; i < all->n; i++)
        if (str_eq(all->entries[i - 1].name, all->entries[i].name))
            return bad(r, "a skill stands twice", all->entries[i].name);
    return OK;
}

/* *ret.p is NULL when there is no such file. */
static pap_result read_if_there(struct arena *a, const char *path, size_t most, struct pap_str *ret,
                                struct pap_err *err)
{
    *ret = str(NULL, 0);
    return file_type_of(path) == FILE_NONE ? OK : file_read(a, path, most, ret, NULL, err);
}

/* The index that --prior names. */
static pap_result find_index(struct project *p, struct pap_str *ret, const char **ret_name, struct pap_err *err)
{
    const char *prior = p->o->prior;
    *ret_name = prior;
    if (origin_is(prior))
        return origin_open(p, p->transport, &p->origin, ret, err);
    struct pap_str path = arena_fmt(&p->arena, "%s/" INDEX_PATH_BELOW, prior);
    *ret_name = path.p;
    if (path.p && file_type_of(path.p) == FILE_NONE)
        return fail(err, PAP_IO, "--prior %s is no tree that was published: there is no %s%s%s", prior, path.p,
                    file_type_of(prior) == FILE_NONE ? "; of a live origin write https://" : "",
                    file_type_of(prior) == FILE_NONE ? prior : "");
    return path.p ? file_read(&p->arena, path.p, INDEX_MOST, ret, NULL, err) : fail_memory(err);
}

/* The members that a run of ours writes, and of which object; to add one: a row. */
static const struct {
    const char *within, *name;
} written[] = {
    {"", "$schema"},
    {"", "skills"},
    {"skills", "name"},
    {"skills", "description"},
    {"skills", "type"},
    {"skills", "url"},
    {"skills", "digest"},
    {"skills", "x-remote-skills"},
    {"skills", "x-papaver"},
    {"x-papaver", "deprecated"},
    {"x-remote-skills", "version"},
    {"x-remote-skills", "releases"},
    {"releases", "version"},
    {"releases", "type"},
    {"releases", "url"},
    {"releases", "digest"},
};

/* The first other one of the object; NULL when there is none. */
static const struct json *foreign_member(const char *within, const struct json *object)
{
    json_each (m, json_is(object, JSON_OBJECT) ? object : NULL) {
        bool ours = false;
        for (size_t i = 0; i < sizeof written / sizeof *written; i++)
            ours |= strcmp(written[i].within, within) == 0 && str_is(json_key(m), written[i].name);
        if (!ours)
            return m;
    }
    return NULL;
}

static const struct json *foreign_in_entry(const struct json *e)
{
    const struct json *history = json_get_c(e, "x-remote-skills"), *found = foreign_member("skills", e);
    found = found ? found : foreign_member("x-papaver", json_get_c(e, "x-papaver"));
    found = found ? found : foreign_member("x-remote-skills", history);
    json_each (release, json_get_c(history, "releases"))
        found = found ? found : foreign_member("releases", release);
    return found;
}

/* What people wrote into the index by hand would be gone without a word. */
static pap_result tell_foreign(const struct reader *r, const struct json *root)
{
    struct project *p = r->p;
    const struct json *found = foreign_member("", root);
    json_each (e, json_get_c(root, "skills"))
        found = found ? found : foreign_in_entry(e);
    if (!found || !r->own || !p->o->event)
        return OK;
    struct pap_str key = shown(&p->arena, json_key(found)), path = shown(&p->arena, str_c(r->path));
    struct pap_str text =
        arena_fmt(&p->arena, "the member %.*s is not one that papaver publish writes: it is not kept", PSTR(key));
    if (!key.p || !path.p || !text.p)
        return fail_memory(r->err);
    p->o->event(p->o->ctx, &(struct pap_publish_event){.what = PAP_PUBLISH_NOTE, .path = path, .text = text});
    return OK;
}

static pap_result read_index(struct reader *r, struct pap_str text)
{
    struct json *root = NULL;
    struct notes notes = {0};
    if (!is_ok(json_read(&r->p->arena, text, &root, &notes)))
        return fail_memory(r->err);
    const struct json *skills = json_get_c(root, "skills");
    if (!json_is(skills, JSON_ARRAY))
        return bad(r, "it is no index", S(""));
    TRY(tell_foreign(r, root));
    return read_entries(r, skills);
}

pap_result prior_read(struct project *p, struct pap_err *err)
{
    struct pap_str text = {0};
    struct reader theirs = {.p = p, .err = err}, ours = {.p = p, .own = true, .err = err};
    ours.path = p->own_index = arena_fmt(&p->arena, "%s/" INDEX_PATH_BELOW, p->out).p;
    if (!ours.path)
        return fail_memory(err);
    TRY(read_if_there(&p->arena, ours.path, INDEX_MOST, &p->old_index, err));
    if (p->old_index.p)
        TRY(read_index(&ours, p->old_index));
    if (p->o->prior) {
        TRY(find_index(p, &text, &theirs.path, err));
        TRY(read_index(&theirs, text));
    }
    return is_ok(prior_merge(p, &theirs.read, &ours.read)) ? OK : fail_memory(err);
}

/* ---- what is allowed ---- */

static void tell_removed(struct project *p, struct pap_str name, struct pap_str version)
{
    p->counts.removed++;
    if (p->o->event)
        p->o->event(p->o->ctx,
                    &(struct pap_publish_event){
                        .what = PAP_PUBLISH_REMOVED, .state = PAP_PUBLISH_GONE, .skill = name, .version = version});
}

static pap_result would_vanish(struct project *p, struct pap_str name, struct pap_str version, bool own)
{
    struct pap_str file = own || origin_is(p->o->prior) ? str_c(own ? p->own_index : p->o->prior)
                                                        : arena_fmt(&p->arena, "%s/" INDEX_PATH_BELOW, p->o->prior);
    if (!file.p)
        return fail_memory(NULL);
    TRY(find_own(&p->judged, "publish.removal", file, str(NULL, 0), 0, "%.*s%s%.*s is public and would vanish",
                 PSTR(name), version.n ? " " : "", PSTR(version)));
    return mend_own(&p->judged, "Bring it back, or let it go: --allow-removal %.*s%s%.*s", PSTR(name),
                    version.n ? "@" : "", PSTR(version));
}

static pap_result vanish(struct project *p, struct pap_str name, struct pap_str version, bool own)
{
    if (!named_in(p->o->allow_removal, name, version, true, NULL))
        return would_vanish(p, name, version, own);
    tell_removed(p, name, version);
    return OK;
}

/* ---- joining ---- */

static bool has_digest(struct pap_str bytes, struct pap_str digest, char ret_text[static DIGEST_TEXT + 1],
                       pap_result *r, struct pap_err *err)
{
    struct digest d;
    *r = digest_sha256(&bytes, 1, &d, err);
    if (!is_ok(*r))
        return false;
    digest_text(&d, ret_text);
    return str_eq(str(ret_text, DIGEST_TEXT), digest);
}

/* The file in a tree; *ret.p is NULL when it has none with these bytes. */
static pap_result read_release(const char *tree, const struct release *r, struct arena *a, struct pap_str *ret,
                               struct pap_err *err)
{
    char text[DIGEST_TEXT + 1] = "";
    pap_result hashed = OK;
    struct pap_str name = r->artifact.suffix ? artifact_file(a, &r->artifact) : S("");
    struct pap_str path = arena_fmt(a, "%s/" ARTIFACTS_FOLDER "/%.*s", tree, PSTR(name)), bytes;
    *ret = str(NULL, 0);
    if (!name.p || !path.p)
        return fail_memory(err);
    if (file_type_of(path.p) != FILE_REGULAR)
        return OK;
    TRY(file_read(a, path.p, LIMIT_ARTIFACT, &bytes, NULL, err));
    if (has_digest(bytes, r->artifact.digest, text, &hashed, err))
        *ret = bytes;
    return hashed;
}

/* Where it is public now. */
static pap_result fetch_release(struct project *p, const struct skill *s, struct release *r, struct arena *a,
                                struct pap_str *ret, struct pap_err *err)
{
    char text[DIGEST_TEXT + 1] = "";
    pap_result hashed = OK;
    struct pap_str url = S("");
    TRY(origin_get(p->origin, a, r->url, &url, ret, err));
    if (!has_digest(*ret, r->artifact.digest, text, &hashed, err))
        return is_ok(hashed)
                   ? fail(err, PAP_SYNTAX,
                          "%.*s has the digest %s, which is not that of %.*s %.*s in the index there; publish "
                          "that release there again, or drop it: --prune %.*s@%.*s",
                          PSTR(url), text, PSTR(s->name), PSTR(r->version.text), PSTR(s->name), PSTR(r->version.text))
                   : hashed;
    enum pack_format format = pack_sniff(*ret);
    if (r->artifact.archive && !r->artifact.suffix && format == PACK_UNKNOWN)
        return fail(err, PAP_SYNTAX, "%.*s is neither tar.gz nor zip", PSTR(r->url));
    if (r->artifact.archive)
        r->artifact.suffix = pack_suffix(format);
    return OK;
}

/* A check goes on: that is a difference from what was published. */
static pap_result is_missing(struct project *p, const struct skill *s, struct release *r, struct pap_err *err)
{
    const char *tree = r->own ? p->out : p->o->prior;
    struct pap_str text =
        arena_fmt(&p->arena,
                  "the file of %.*s %.*s (%.*s) is missing or damaged; bring it back, or drop the "
                  "release: --prune %.*s@%.*s",
                  PSTR(s->name), PSTR(r->version.text), PSTR(r->artifact.digest), PSTR(s->name), PSTR(r->version.text));
    struct pap_str path = shown(&p->arena, str_c(tree));
    if (!text.p || !path.p)
        return fail_memory(err);
    if (p->o->mode != PAP_PUBLISH_CHECK)
        return fail(err, PAP_SYNTAX, "%s: %.*s", tree, PSTR(text));
    r->artifact_state = PAP_PUBLISH_GONE;
    if (p->o->event)
        p->o->event(p->o->ctx, &(struct pap_publish_event){.what = PAP_PUBLISH_NOTE, .path = path, .text = text});
    return OK;
}

/* Verifies a release's file, and lays it aside where the tree has none. */
static pap_result carry_file(struct project *p, const struct skill *s, struct release *r, struct pap_err *err)
{
    struct arena a __attribute__((cleanup(arena_fini)));
    struct pap_str bytes, name, place;
    bool twice;
    int64_t time;
    arena_init(&a, p->arena.alloc);
    TRY(read_release(p->out, r, &a, &bytes, err));
    bool there = bytes.p != NULL;
    if (!there && p->origin && !r->own)
        TRY(fetch_release(p, s, r, &a, &bytes, err));
    else if (!there && !p->origin && p->o->prior)
        TRY(read_release(p->o->prior, r, &a, &bytes, err));
    if (!bytes.p)
        return is_missing(p, s, r, err);
    r->artifact.bytes = bytes.n;
    name = artifact_file(&a, &r->artifact);
    place = arena_fmt(&a, "%s/" ARTIFACTS_FOLDER "/%.*s", p->out, PSTR(name));
    if (!name.p || !place.p)
        return fail_memory(err);
    r->artifact_state = there ? PAP_PUBLISH_SAME : file_time(place.p, &time) ? PAP_PUBLISH_CHANGED : PAP_PUBLISH_NEW;
    return there || !project_writes(p) ? OK : store_aside(p, &a, name.p, bytes, &twice, err);
}

static pap_result refuse_change(struct project *p, struct skill *s, const struct release *old)
{
    struct pap_str file = arena_fmt(&p->arena, "%.*s/SKILL.md", PSTR(s->path));
    if (!file.p)
        return fail_memory(NULL);
    TRY(find_own(&p->judged, "publish.release", file, str(NULL, 0), 0,
                 "version %.*s is public with the digest %.*s and cannot become %.*s", PSTR(old->version.text),
                 PSTR(old->artifact.digest), PSTR(s->artifact.digest)));
    return old->own && p->o->prior
               ? mend_own(
                     &p->judged,
                     "It stands in %s, and not in %s: raise metadata.version, or write to another folder with --out "
                     "if nothing of this one is public.",
                     p->own_index, p->o->prior)
               : OK;
}

static int by_history(const void *a, const void *b)
{
    return semver_history_cmp(&((const struct release *)a)->version, &((const struct release *)b)->version);
}

static pap_result join_old(struct project *p, struct skill *s, struct release *old, struct pap_err *err)
{
    pap_result r = OK;
    if (s->version.p && str_eq(old->version.text, s->version)) {
        s->releases[0].deprecated = old->deprecated;
        r = is_same_artifact(&old->artifact, &s->artifact) ? OK : refuse_change(p, s, old);
    } else if (named_in(p->o->prune, s->name, old->version.text, false, NULL)) {
        tell_removed(p, s->name, old->version.text);
    } else if (!s->version.p) {
        r = vanish(p, s->name, old->version.text, old->own);
    } else {
        s->releases[s->n_releases++] = *old;
        return carry_file(p, s, &s->releases[s->n_releases - 1], err);
    }
    return is_ok(r) ? OK : fail_memory(err);
}

static void deprecate(const struct project *p, struct skill *s)
{
    for (size_t i = 0; i < s->n_releases; i++) {
        struct pap_str why;
        if (named_in(p->o->deprecate, s->name, s->releases[i].version.text, false, &why))
            s->releases[i].deprecated = why.n ? why : str(NULL, 0);
    }
}

/* A version below the one that is public now; said once, for the next run finds it public. */
static pap_result warn_of_older(struct project *p, struct skill *s, const struct prior_entry *old)
{
    struct semver now;
    for (size_t i = 0; s->version.p && semver_parse(s->version, &now) && i < old->n_releases; i++) {
        const struct release *was = &old->releases[i];
        if (!is_same_artifact(&was->artifact, &old->artifact) || semver_cmp(&now, &was->version) >= 0 ||
            named_in(p->o->prune, s->name, was->version.text, false, NULL))
            continue;
        struct pap_str file = arena_fmt(&p->arena, "%.*s/SKILL.md", PSTR(s->path));
        return file.p ? find_own(&p->judged, "publish.version.older", file, str(NULL, 0), 0,
                                 "metadata.version is %.*s, and %.*s is public: agents that take the newest stay there",
                                 PSTR(s->version), PSTR(was->version.text))
                      : fail_memory(NULL);
    }
    return OK;
}

static pap_result join(struct project *p, struct skill *s, struct pap_err *err)
{
    const struct prior_entry *old = prior_find(&p->prior, s->name);
    size_t n = old ? old->n_releases : 0;
    s->state = !old ? PAP_PUBLISH_NEW
               : is_same_artifact(&old->artifact, &s->artifact) && str_eq(old->description, s->description)
                   ? PAP_PUBLISH_SAME
                   : PAP_PUBLISH_CHANGED;
    if (s->version.p) {
        s->releases = arena_new_array(&p->arena, n + 1, struct release);
        if (!s->releases)
            return fail_memory(err);
        s->releases[0] = (struct release){.artifact = s->artifact, .current = true};
        (void)semver_parse(s->version, &s->releases[0].version); /* judged before */
        s->n_releases = 1;
    }
    for (size_t i = 0; i < n; i++)
        TRY(join_old(p, s, &old->releases[i], err));
    if (old && !is_ok(warn_of_older(p, s, old)))
        return fail_memory(err);
    deprecate(p, s);
    if (s->n_releases)
        qsort(s->releases, s->n_releases, sizeof *s->releases, by_history);
    if (s->n_releases <= LIMIT_RELEASES)
        return OK;
    return is_ok(find_own(&p->judged, "publish.history", s->path, str(NULL, 0), 0,
                          "the skill has %zu releases; an index holds %d", s->n_releases, LIMIT_RELEASES))
               ? OK
               : fail_memory(err);
}

pap_result prior_join(struct project *p, struct pap_err *err)
{
    size_t k = 0;
    for (size_t i = 0; i < p->n_skills; i++)
        TRY(join(p, &p->skills[i], err));
    for (size_t i = 0; i < p->prior.n; i++) { /* both are sorted */
        while (k < p->n_skills && str_cmp(p->skills[k].name, p->prior.entries[i].name) < 0)
            k++;
        bool there = k < p->n_skills && str_eq(p->skills[k].name, p->prior.entries[i].name);
        if (!there && !is_ok(vanish(p, p->prior.entries[i].name, S(""), p->prior.entries[i].own)))
            return fail_memory(err);
    }
    return named_check(p, err);
}
