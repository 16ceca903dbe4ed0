/* SPDX-License-Identifier: Apache-2.0
 *
 * What is remembered between two runs: of each skill without findings what its folder looked like to stat() and what
 * became of it, so that an unchanged folder is not read again. Never part of the tree, never needed: a file that is
 * missing, damaged or of another program is as good as none. A folder whose files are as new as the clock can tell is
 * not remembered, because they could change once more without looking different.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "publish/project.h"
#include "sys/file.h"
#include "sys/stage.h"

enum { MEMORY_MOST = 256 << 20, TOO_NEW_S = 2, FIELDS = 7 };

struct record {
    struct pap_str path, listing, description, version, digest, suffix, artifact;
};

struct memory {
    struct pap_str key;
    const char *file;
    struct record *records; /* sorted by path */
    size_t n;
};

/* FNV-1a: against damage, not against anybody. */
static uint64_t hash(uint64_t h, struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
    return h;
}

static void add_number(struct buf *b, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        buf_char(b, (char)(v >> (8 * i) & 255));
}

static void add_text(struct buf *b, struct pap_str s)
{
    add_number(b, s.n);
    buf_add(b, s);
}

static bool take_number(struct pap_str *rest, uint64_t *ret)
{
    if (rest->n < 8)
        return false;
    *ret = 0;
    for (unsigned i = 0; i < 8; i++)
        *ret |= (uint64_t)(unsigned char)rest->p[i] << (8 * i);
    *rest = str_skip(*rest, 8);
    return true;
}

static bool take_text(struct pap_str *rest, struct pap_str *ret)
{
    uint64_t n;
    if (!take_number(rest, &n) || n > rest->n)
        return false;
    *ret = str_take(*rest, (size_t)n);
    *rest = str_skip(*rest, (size_t)n);
    return true;
}

/* Everything that a result depends on besides the folder: the program's rules and the options. */
static void add_key(struct buf *b, const struct project *p)
{
    const struct pap_publish_options *o = p->o;
    add_text(b, str_c(pap_version()));
    for (size_t i = 0; check_at(i); i++) {
        add_text(b, str_c(check_at(i)->id));
        add_number(b, check_severity(check_at(i), PROFILE_PUBLISH));
    }
    add_text(b, str_c(p->out));
    add_text(b, str_c(o->folder));
    add_number(b,
               (uint64_t)o->zip | (uint64_t)o->archive << 1 | (uint64_t)o->executable << 2 | (uint64_t)o->strict << 3);
    add_number(b, p->most_archive);
    add_number(b, p->limits.unpacked);
    add_number(b, p->limits.file);
    add_number(b, p->limits.files);
    for (const char *const *a = o->allow_secret; a && *a; a++)
        add_text(b, str_c(*a));
}

/* ---- what a folder looks like ---- */

static void add_entry(struct buf *b, const struct tree_entry *e)
{
    add_text(b, e->path);
    const uint64_t numbers[] = {
        e->type, e->mode, e->size, e->links, e->device, e->inode, (uint64_t)e->modified, (uint64_t)e->changed};
    buf_add(b, str((const char *)numbers, sizeof numbers));
}

static bool is_too_new(const struct project *p, const struct tree *t)
{
    int64_t most = (p->started - TOO_NEW_S) * 1000000000;
    for (size_t i = 0; i < t->n; i++)
        if (t->entries[i].modified > most || t->entries[i].changed > most)
            return true;
    return false;
}

static pap_result describe(struct arena *a, const struct tree *t, struct pap_str *ret)
{
    struct buf b;
    buf_init(&b, a->alloc, MEMORY_MOST);
    for (size_t i = 0; i < t->n; i++)
        add_entry(&b, &t->entries[i]);
    *ret = buf_ok(&b) ? arena_str(a, buf_str(&b)) : str(NULL, 0);
    buf_fini(&b);
    return ret->p ? OK : fail_memory(NULL);
}

/* The same of the artifact in the tree; p NULL when it is not there. */
static pap_result describe_artifact(const struct project *p, struct arena *a, const struct artifact *artifact,
                                    struct pap_str *ret)
{
    struct pap_str name = artifact_file(a, artifact);
    struct pap_str path = name.p ? ARENA_JOIN(a, str_c(p->out), S("/" ARTIFACTS_FOLDER "/"), name) : name;
    struct tree_entry e;
    *ret = str(NULL, 0);
    if (!path.p)
        return fail_memory(NULL);
    return tree_stat(path.p, &e) ? describe(a, &(struct tree){&e, 1, 1}, ret) : OK;
}

/* ---- finding ---- */

static int by_path(const void *a, const void *b)
{
    return str_cmp(((const struct record *)a)->path, ((const struct record *)b)->path);
}

/* Sets what the record says, if it still holds. */
static pap_result take_over(const struct project *p, struct skill *s, const struct record *r, struct arena *scratch)
{
    struct pap_str artifact;
    struct artifact known = {.digest = r->digest, .archive = !str_is(r->suffix, ".md"), .suffix = r->suffix.p};
    TRY(describe_artifact(p, scratch, &known, &artifact));
    if (!artifact.p || !str_eq(artifact, r->artifact))
        return OK;
    s->artifact = known;
    memcpy(&s->artifact.bytes, artifact.p + artifact.n - 6 * sizeof(uint64_t), sizeof(uint64_t)); /* see add_entry() */
    s->description = r->description;
    s->version = r->version.n ? r->version : str(NULL, 0);
    s->listing = r->listing;
    s->remembered = true;
    return OK;
}

pap_result memory_find(const struct project *p, struct skill *s, struct arena *scratch)
{
    struct record key = {.path = s->path}, *r;
    struct pap_str listing;
    if (!p->o->memory)
        return OK;
    TRY(describe(scratch, &s->tree, &listing));
    r = p->memory && p->memory->n ? bsearch(&key, p->memory->records, p->memory->n, sizeof key, by_path) : NULL;
    if (r && str_eq(r->listing, listing) && !s->judged.findings.n && !p->o->legacy)
        TRY(take_over(p, s, r, scratch));
    if (s->remembered)
        return OK;
    s->listing = arena_str(s->arena, listing);
    return s->listing.p ? OK : fail_memory(NULL);
}

/* ---- the file ---- */

static const char *file_of(struct project *p, struct pap_str key)
{
    return arena_fmt(&p->arena, "%s/%016llx", p->o->memory, (unsigned long long)hash(14695981039346656037u, key)).p;
}

static bool take_record(struct pap_str *rest, struct record *r)
{
    struct pap_str *fields[FIELDS] = {&r->path,   &r->listing, &r->description, &r->version,
                                      &r->digest, &r->suffix,  &r->artifact};
    for (size_t i = 0; i < FIELDS; i++)
        if (!take_text(rest, fields[i]))
            return false;
    return r->suffix.n && r->suffix.p[r->suffix.n - 1] == '\0' && r->artifact.n > 8 * sizeof(uint64_t) &&
           r->digest.n == DIGEST_TEXT;
}

/* Key, number of records, records, and a sum of all that. */
static bool take_all(struct project *p, struct pap_str text, struct pap_str key, struct memory *ret)
{
    struct pap_str rest = str_take(text, text.n < 8 ? 0 : text.n - 8), end = str_skip(text, rest.n), found;
    uint64_t sum, n;
    if (!take_number(&end, &sum) || hash(14695981039346656037u, rest) != sum || !take_text(&rest, &found) ||
        !str_eq(found, key) || !take_number(&rest, &n) || n > rest.n)
        return false;
    ret->records = arena_new_array(&p->arena, (size_t)n, struct record);
    for (; ret->records && ret->n < n; ret->n++) {
        struct record *r = &ret->records[ret->n];
        if (!take_record(&rest, r))
            return false;
        r->suffix.n--; /* the NUL stays behind it */
    }
    if (ret->records && n)
        qsort(ret->records, (size_t)n, sizeof *ret->records, by_path);
    return ret->records && ret->n == n;
}

static pap_result make_key(struct project *p, struct pap_str *ret)
{
    struct buf b;
    buf_init(&b, p->o->alloc, MEMORY_MOST);
    add_key(&b, p);
    *ret = buf_ok(&b) ? arena_str(&p->arena, buf_str(&b)) : str(NULL, 0);
    buf_fini(&b);
    return ret->p ? OK : fail_memory(NULL);
}

pap_result memory_open(struct project *p)
{
    struct pap_str text;
    struct memory m = {0}, *to;
    if (!p->o->memory)
        return OK;
    TRY(make_key(p, &m.key));
    m.file = file_of(p, m.key);
    to = arena_new(&p->arena, struct memory);
    if (!m.file || !to)
        return fail_memory(NULL);
    *to = m;
    p->memory = to;
    pap_result r = file_read(&p->arena, m.file, MEMORY_MOST, &text, NULL, NULL);
    if (is_ok(r) && take_all(p, text, m.key, &m))
        *to = m;
    return r.code == PAP_NO_MEMORY ? r : OK;
}

static bool add_record(const struct project *p, const struct skill *s, struct arena *scratch, struct buf *b)
{
    struct pap_str artifact;
    if (s->judged.findings.n || !s->listing.p || is_too_new(p, &s->tree) ||
        !is_ok(describe_artifact(p, scratch, &s->artifact, &artifact)) || !artifact.p)
        return false;
    const struct pap_str fields[FIELDS] = {
        s->path,    s->listing,         s->description,
        s->version, s->artifact.digest, str(s->artifact.suffix, strlen(s->artifact.suffix) + 1),
        artifact};
    for (size_t i = 0; i < FIELDS; i++)
        add_text(b, fields[i]);
    return true;
}

/* Best effort: what cannot be written is not remembered. */
void memory_save(struct project *p)
{
    struct arena scratch;
    struct buf b, records;
    size_t remembered = 0, n = 0;
    for (size_t i = 0; i < p->n_skills; i++)
        remembered += p->skills[i].remembered;
    if (!p->memory || (remembered == p->n_skills && p->memory->n == remembered))
        return;
    arena_init(&scratch, p->o->alloc);
    buf_init(&b, p->o->alloc, MEMORY_MOST);
    buf_init(&records, p->o->alloc, MEMORY_MOST);
    for (size_t i = 0; i < p->n_skills; i++)
        n += add_record(p, &p->skills[i], &scratch, &records);
    add_text(&b, p->memory->key);
    add_number(&b, n);
    buf_add(&b, buf_str(&records));
    add_number(&b, hash(14695981039346656037u, buf_str(&b)));
    if (buf_ok(&b) && buf_ok(&records) && is_ok(folder_make(p->o->memory, NULL))) {
        file_clear_beside(p->memory->file);
        (void)is_ok(file_write_atomic(p->memory->file, buf_str(&b), NULL));
    }
    buf_fini(&b);
    buf_fini(&records);
    arena_fini(&scratch);
}
