/* SPDX-License-Identifier: Apache-2.0
 *
 * Artifacts against their index entries: digest, name, description.
 */
#include "base/limits.h"
#include "proto/digest_cause.h"
#include "proto/index.h"
#include "proto/links.h"

/* ---- digests ---- */

/* The digest of a document is computed once, whoever names it. */
struct served {
    const struct doc *doc;
    char digest[DIGEST_TEXT + 1]; /* empty: not computed yet */
};

static void judge_digest(struct run *r, struct served *s, const struct doc *from, const struct json *entry)
{
    const struct json *wanted = json_get_c(entry, "digest");
    const struct doc *d = s->doc;
    struct digest is;
    const char *why;
    if (!json_is(wanted, JSON_STRING) || !format_holds(FORMAT_DIGEST, json_str(wanted), &why) ||
        index_digest_is_placeholder(json_str(wanted)))
        return; /* said by the index's own rows */
    if (!s->digest[0]) {
        r->failure = digest_sha256(&d->bytes, 1, &is, &r->err);
        if (!is_ok(r->failure))
            return;
        digest_text(&is, s->digest);
    }
    if (str_is(json_str(wanted), s->digest))
        return;
    const char *cause = NULL;
    if (r->row_findings < LIMIT_FINDINGS_PER_ROW &&
        !is_ok(digest_cause(r->arena, json_str(wanted), d->bytes, d->kind == KIND_ARCHIVE, &cause)))
        r->no_memory = true;
    r->doc = from;
    find(r, wanted, "the index says %s, but the %zu bytes of %s have %s%s%s", whole(r, json_str(wanted)), d->bytes.n,
         whole(r, d->name), s->digest, cause ? ": " : "", cause ? cause : "");
    if (cause && d->kind == KIND_ARCHIVE)
        mend(r,
             "Upload the archive as bytes, not as text; the digest of the one that was built may be right as it is.");
    else
        mend(r, "%s \"digest\": \"%s\"%s; let the build compute it from the bytes that are served.",
             cause ? "Serve the file as it was hashed, or write" : "Write", s->digest,
             cause ? "" : " if the file is the one you mean");
}

static bool is_artifact(const struct doc *d)
{
    return d->role == ROLE_ARTIFACT && d->from_node && d->bytes.p;
}

static bool is_html(const struct doc *d)
{
    for (const struct note *n = d->notes.first; n; n = n->next)
        if (n->code == NOTE_HTML || n->code == NOTE_TOO_LONG)
            return true;
    return false;
}

void digests_match(struct run *r)
{
    for (const struct doc *d = r->bundle->docs; d && !r->no_memory && is_ok(r->failure); d = d->next)
        if (is_artifact(d) && !is_html(d)) {
            struct served s = {.doc = d};
            judge_digest(r, &s, d->from, d->from_node);
            for (const struct naming *n = d->also; n && !r->no_memory && is_ok(r->failure); n = n->next)
                judge_digest(r, &s, n->from, n->node);
        }
}

/* ---- files of a tree ---- */

static void find_absent(struct run *r, const struct doc *d, const struct doc *from, const struct json *entry)
{
    r->doc = from;
    find(r, json_get_c(entry, "url"), "there is no file %s", whole(r, d->name));
}

/* An index without any of its files was copied from somewhere, or its files lie elsewhere; where some are there, all have to
 * be. What was fetched is judged by its answer. */
void artifacts_exist(struct run *r)
{
    bool any = false;
    for (const struct doc *d = r->bundle->docs; d; d = d->next)
        any |= is_artifact(d) && !d->exchange;
    for (const struct doc *d = r->bundle->docs; any && d; d = d->next) {
        if (d->role != ROLE_ARTIFACT || d->bytes.p || d->exchange)
            continue;
        find_absent(r, d, d->from, d->from_node);
        for (const struct naming *n = d->also; n; n = n->next)
            find_absent(r, d, n->from, n->node);
    }
}

/* ---- names and descriptions ---- */

struct comparison {
    const struct doc *skill;
    const char *member, *sentence_end;
};

static void compare(struct run *r, const struct comparison *c, const struct doc *index, const struct json *entry)
{
    const struct json *listed = json_get_c(entry, c->member), *own = json_get_c(c->skill->root, c->member);
    /* An unquoted number or word counts as its text, as everywhere in front matter. */
    struct pap_str text =
        own && own->type != JSON_OBJECT && own->type != JSON_ARRAY ? str(own->p, own->n) : str(NULL, 0);
    if (!json_is(listed, JSON_STRING) || !text.n || str_eq(str_trim(json_str(listed)), str_trim(text)))
        return;
    r->doc = index;
    find(r, listed, "the %s is %s in the index but %s in %s%s", c->member, q(r, json_str(listed)), q(r, text),
         whole(r, c->skill->name), c->sentence_end);
}

static void each_skill(struct run *r, const char *member, const char *sentence_end)
{
    for (const struct doc *d = r->bundle->docs; d && !r->no_memory; d = d->next) {
        const struct doc *artifact = d->role == ROLE_INSIDE ? d->from : d;
        struct comparison c = {d, member, sentence_end};
        if (d->kind != KIND_SKILL || !d->root || artifact->role != ROLE_ARTIFACT || !artifact->from_node)
            continue;
        compare(r, &c, artifact->from, artifact->from_node);
        for (const struct naming *n = artifact->also; n; n = n->next)
            compare(r, &c, n->from, n->node);
    }
}

void names_match(struct run *r)
{
    each_skill(r, "name", "; clients refuse the skill");
}

void descriptions_match(struct run *r)
{
    each_skill(r, "description", "");
}
