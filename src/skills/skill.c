/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/skill.h"

#include "text/json_write.h"
#include "text/utf8.h"

/* ---- made ---- */

static pap_result on_data(void *ctx, struct pap_str piece, struct pap_err *err)
{
    return spool_add(((struct pap_skill *)ctx)->files, piece, err);
}

static struct pap_str front_json(struct arena *a, const struct json *front)
{
    struct buf b __attribute__((cleanup(buf_fini)));
    struct json_writer w;
    buf_init(&b, a->alloc, SIZE_MAX);
    json_writer_init(&w, &b, 0);
    json_write_tree(&w, front);
    return buf_ok(&b) ? arena_str(a, buf_str(&b)) : str(NULL, 0);
}

static struct pap_str warnings(struct arena *a, const struct skill *s)
{
    struct pap_str all = S("");
    for (size_t i = 0; i < s->n_warnings && all.p; i++)
        all = arena_fmt(a, "%.*s%s%s", PSTR(all), i ? "; " : "", s->warnings[i]);
    return all;
}

static bool write_digests(struct pap_skill *k)
{
    k->digests = arena_new_array(&k->arena, k->read.n_files, struct pap_str);
    for (size_t i = 0; k->digests && i < k->read.n_files; i++) {
        char *text = arena_text(&k->arena, DIGEST_TEXT + 1);
        if (!text)
            return false;
        digest_text(&k->read.files[i].digest, text);
        k->digests[i] = str(text, DIGEST_TEXT);
    }
    return k->digests != NULL;
}

static bool tell(struct pap_skill *k, const struct pap_skill_release *from)
{
    const struct pap_skill_session *s = k->session;
    struct pap_skill_facts *f = &k->facts;
    f->release = (struct pap_skill_release){.name = k->read.name,
                                            .description = k->read.description,
                                            .version = arena_str(&k->arena, from->version),
                                            .type = from->type, /* a constant */
                                            .url = arena_str(&k->arena, from->url),
                                            .digest = arena_str(&k->arena, from->digest),
                                            .current = from->current,
                                            .deprecated = arena_str(&k->arena, from->deprecated)};
    f->label = s->origin.label;
    f->place = s->origin.place;
    f->scope = s->origin.scope.p ? s->origin.scope : S("");
    f->markdown = k->read.text;
    f->instructions = k->read.instructions;
    f->frontmatter = front_json(&k->arena, k->read.front);
    f->warning = warnings(&k->arena, &k->read);
    f->files = k->read.n_files;
    return f->release.version.p && f->release.url.p && f->release.digest.p && f->release.deprecated.p &&
           f->frontmatter.p && f->warning.p;
}

static pap_result take(struct pap_skill *k, const struct artifact_want *want, const struct pack_source *from,
                       const struct pap_skill_release *release, struct pap_skill_err *err)
{
    struct pap_err why = {0};
    struct skill_fault fault = {0};
    const struct artifact_sink to = {.data = on_data, .ctx = k};
    pap_result r = spool_new(k->session->client->cache, &k->files, &why);
    if (is_ok(r))
        r = artifact_unpack(&k->arena, want, from, &to, &k->read, &fault, &why);
    if (!is_ok(r))
        return failure_tell(r, &why, err);
    if (fault.code != SKILL_FINE)
        return fault_tell(&fault, err);
    return write_digests(k) && tell(k, release) ? OK : failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
}

static void free_skill(struct pap_skill *k)
{
    struct pap_skill_session *s = k->session;
    const struct pap_alloc *alloc = s->client->alloc;
    cache_object_free(k->object);
    spool_free(k->files);
    arena_fini(&k->arena);
    struct pap_skill *gone = k;
    (void)alloc_resize(alloc, gone, sizeof *gone, 0);
    session_drop(s);
}

pap_result skill_make(struct pap_skill_session *s, const struct artifact_want *want, const struct pack_source *from,
                      struct cache_object *object, const struct pap_skill_release *release, struct pap_skill **ret,
                      struct pap_skill_err *err)
{
    struct pap_skill *k = alloc_resize(s->client->alloc, NULL, 0, sizeof *k);
    if (!k) {
        cache_object_free(object);
        return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
    }
    *k = (struct pap_skill){.session = s, .refs = 1, .object = object};
    arena_init(&k->arena, s->client->alloc);
    session_hold(s);
    pap_result r = take(k, want, from, release, err);
    if (!is_ok(r)) {
        free_skill(k);
        return r;
    }
    *ret = k;
    return OK;
}

void skill_drop(struct pap_skill *k)
{
    if (!k)
        return;
    (void)pthread_mutex_lock(&k->session->lock);
    unsigned left = --k->refs;
    (void)pthread_mutex_unlock(&k->session->lock);
    if (!left)
        free_skill(k);
}

/* ---- shown ---- */

void pap_skill_free(struct pap_skill *skill)
{
    skill_drop(skill);
}

void pap_skill_facts(const struct pap_skill *skill, struct pap_skill_facts *ret)
{
    *ret = skill->facts;
}

void pap_skill_file_at(const struct pap_skill *skill, size_t i, struct pap_skill_file *ret)
{
    *ret = (struct pap_skill_file){0};
    if (i >= skill->read.n_files)
        return;
    const struct skill_file *f = &skill->read.files[i];
    *ret = (struct pap_skill_file){.path = f->path,
                                   .media_type = str_c(f->media),
                                   .digest = skill->digests[i],
                                   .size = f->size,
                                   .executable = f->executable};
}

static pap_result path_refused(const struct pap_skill *k, enum skill_code code, struct pap_str path, const char *why,
                               struct pap_skill_err *err)
{
    pap_result r = refuse(err, code, "%.*s: \"%.*s\" %s", PSTR(k->read.name), PSTR(str_take(path, LIMIT_QUOTE)), why);
    err_set(err, SKILL_KEY_PATH, path);
    err_set(err, SKILL_KEY_ORIGIN_ALIAS, k->session->origin.label);
    err_set(err, SKILL_KEY_SKILL_NAME, k->read.name);
    return r;
}

/* Of names that no archive may hold, and in the one spelling that is stored (R-RES-1). */
static const char *path_fault(struct arena *a, struct pap_str path)
{
    const char *why = pack_name_fault(path);
    if (why)
        return why;
    struct pap_str nfc = utf8_nfc(a, path);
    return nfc.p && !str_eq(nfc, path) ? "is not in Unicode normal form C" : NULL;
}

static pap_result find_file(const struct pap_skill *k, struct pap_str path, size_t *ret, struct pap_skill_err *err)
{
    struct arena a;
    arena_init(&a, k->session->client->alloc);
    const char *why = path_fault(&a, path);
    arena_fini(&a);
    if (why)
        return path_refused(k, SKILL_PATH_INVALID, path, why, err);
    size_t low = 0, high = k->read.n_files;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int c = str_cmp(k->read.files[mid].path, path);
        if (c == 0) {
            *ret = mid;
            return OK;
        }
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return path_refused(k, SKILL_RESOURCE_NOT_FOUND, path, "is not one of its files", err);
}

static pap_result read_bytes(const struct pap_skill *k, struct pap_str path, bool text, struct pap_str *ret,
                             struct pap_skill_err *err)
{
    size_t i = 0;
    struct pap_err why = {0};
    TRY(find_file(k, path, &i, err));
    const struct pap_alloc *alloc = k->session->client->alloc;
    size_t n = (size_t)k->read.files[i].size;
    char *p = alloc_resize(alloc, NULL, 0, n + 1);
    if (!p)
        return failure_tell((pap_result){PAP_NO_MEMORY}, NULL, err);
    pap_result r = spool_read(k->files, k->read.files[i].off, p, n, &why);
    p[n] = '\0';
    if (!is_ok(r))
        r = failure_tell(r, &why, err);
    else if (text && utf8_check(str(p, n)) < n)
        r = path_refused(k, SKILL_RESOURCE_NOT_TEXT, path, "is not UTF-8 text", err);
    if (!is_ok(r)) {
        (void)alloc_resize(alloc, p, n + 1, 0);
        return r;
    }
    *ret = str(p, n);
    return OK;
}

pap_result pap_skill_read(const struct pap_skill *skill, const char *path, bool text, struct pap_str *ret,
                          struct pap_skill_err *err)
{
    TRY(session_enter(skill->session, err));
    pap_result r = read_bytes(skill, str_c(path ? path : ""), text, ret, err);
    session_leave(skill->session);
    return r;
}

void pap_skill_bytes_free(const struct pap_skill *skill, struct pap_str bytes)
{
    if (bytes.p)
        (void)alloc_resize(skill->session->client->alloc, (char *)(uintptr_t)bytes.p, bytes.n + 1, 0);
}
