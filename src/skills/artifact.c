/* SPDX-License-Identifier: Apache-2.0
 *
 * Unpacking for activation: every entry is judged before a byte of it goes on. What pack_unpack() records as a fact is
 * refused here; the rows of proto/archive_checks.c say the same of the same facts to whoever publishes.
 */
#include "skills/artifact.h"

#include <stdlib.h>

#include "base/limits.h"
#include "skills/artifact_inside.h"
#include "text/utf8.h"

struct file_node {
    struct file_node *next;
    struct skill_file file;
};

struct unpacking {
    struct arena *a;
    const struct artifact_want *want;
    const struct artifact_sink *to; /* never NULL */
    struct skill *skill;
    struct skill_fault *fault;
    struct file_node *files, **tail;
    struct file_node *now; /* the file that comes; NULL: nothing of the entry is kept */
    struct digest_run hash;
    char *text; /* of SKILL.md, while it comes */
    size_t text_n;
    size_t junk;
};

/* ---- faults ---- */

pap_result artifact_unsafe(struct arena *a, struct skill_fault *f, struct pap_str path, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_str text = arena_vfmt(a, fmt, ap);
    va_end(ap);
    if (!text.p)
        return fail_memory(NULL);
    TRY(skill_fault_make(a, f, SKILL_ARCHIVE_UNSAFE, "%.*s", PSTR(text)));
    skill_fault_set(f, SKILL_KEY_PATH, path.n ? path : str(NULL, 0));
    return OK;
}

pap_result artifact_over(struct arena *a, struct skill_fault *f, const char *limit, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_str text = arena_vfmt(a, fmt, ap);
    va_end(ap);
    if (!text.p)
        return fail_memory(NULL);
    TRY(skill_fault_make(a, f, SKILL_LIMIT_EXCEEDED, "%.*s", PSTR(text)));
    skill_fault_set(f, SKILL_KEY_LIMIT, str_c(limit));
    return OK;
}

void artifact_warn(struct skill *s, const char *text)
{
    if (s->n_warnings < sizeof s->warnings / sizeof s->warnings[0])
        s->warnings[s->n_warnings++] = text;
}

/* How the limits that pack knows are called by clients; the other faults are damage. */
static const struct {
    enum pack_fault fault;
    const char *limit;
} limits[] = {
    {PACK_LIMIT_UNPACKED, "extracted_bytes"},
    {PACK_LIMIT_FILES, "files"},
    {PACK_LIMIT_FILE, "file_bytes"},
    {PACK_LIMIT_DEPTH, "depth"},
    {PACK_LIMIT_RATIO, "ratio"},
};

static pap_result refuse_pack(struct unpacking *u, const struct pack *p)
{
    const char *name = skill_quote(u->a, p->fault_name), *lead = p->fault_name.n ? ": " : "";
    if (!p->fault_name.n)
        name = "";
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (limits[i].fault == p->fault)
            return artifact_over(u->a, u->fault, limits[i].limit, "%s%s%.*s", name, lead, PSTR(p->fault_text));
    return artifact_unsafe(u->a, u->fault, p->fault_name, "%s%s%.*s", name, lead, PSTR(p->fault_text));
}

/* ---- entries ---- */

static const struct pap_result refused = {PAP_CANCELLED};

static bool is_root_skill(struct pap_str name)
{
    return str_is(name, "SKILL.md");
}

/* Whether the entry may be used at all; the fault is made when not. */
static pap_result judge_entry(struct unpacking *u, const struct pack_entry *e, uint64_t size)
{
    const char *why = pack_name_fault(e->name);
    bool root = is_root_skill(e->name);
    if (why)
        return artifact_unsafe(u->a, u->fault, e->raw_name, "the name %s %s", skill_quote(u->a, e->raw_name), why);
    if (e->type != PACK_FILE && (e->type != PACK_DIR || root))
        return artifact_unsafe(u->a, u->fault, root ? e->name : e->raw_name, "%s is %s", skill_quote(u->a, e->raw_name),
                               pack_type_noun(e->type));
    if (root && size > LIMIT_DOCUMENT)
        return artifact_over(u->a, u->fault, "file_bytes", "SKILL.md has %llu bytes; %d are allowed",
                             (unsigned long long)size, LIMIT_DOCUMENT);
    return OK;
}

static pap_result begin_file(struct unpacking *u, struct pap_str name, uint64_t size, bool executable,
                             struct pap_err *err)
{
    struct file_node *f = arena_new(u->a, struct file_node);
    if (!f)
        return fail_memory(err);
    f->file = (struct skill_file){.path = utf8_nfc(u->a, name),
                                  .off = u->skill->bytes,
                                  .size = size,
                                  .media = artifact_media(name),
                                  .executable = executable};
    if (is_root_skill(name))
        u->text = arena_text(u->a, (size_t)size + 1);
    if (!f->file.path.p || (is_root_skill(name) && !u->text))
        return fail_memory(err);
    u->text_n = 0;
    u->now = f;
    TRY(digest_begin(&u->hash, err));
    return u->to->begin ? u->to->begin(u->to->ctx, f->file.path, size, executable, err) : OK;
}

static pap_result on_begin(void *ctx, struct pack_entry *e, uint64_t size, struct pap_err *err)
{
    struct unpacking *u = ctx;
    u->now = NULL;
    if (!is_ok(judge_entry(u, e, size)))
        return fail_memory(err);
    if (u->fault->code)
        return refused;
    u->junk += pack_is_junk(e->name);
    if (e->type == PACK_DIR || pack_is_junk(e->name))
        return OK;
    return begin_file(u, e->name, size, e->facts & PACK_F_EXEC, err);
}

static pap_result on_data(void *ctx, struct pap_str piece, struct pap_err *err)
{
    struct unpacking *u = ctx;
    if (!u->now)
        return OK;
    if (is_root_skill(u->now->file.path))
        memcpy(u->text + u->text_n, piece.p, piece.n);
    u->text_n += piece.n;
    digest_add(&u->hash, piece);
    return u->to->data ? u->to->data(u->to->ctx, piece, err) : OK;
}

static pap_result on_end(void *ctx, struct pack_entry *e, struct pap_err *err)
{
    struct unpacking *u = ctx;
    struct file_node *f = u->now;
    (void)e;
    if (!f)
        return OK;
    TRY(digest_end(&u->hash, &f->file.digest, err));
    if (is_root_skill(f->file.path)) {
        u->text[u->text_n] = '\0';
        u->skill->text = str(u->text, u->text_n);
    }
    *u->tail = f;
    u->tail = &f->next;
    u->skill->n_files++;
    u->skill->bytes += f->file.size;
    u->now = NULL;
    return u->to->end ? u->to->end(u->to->ctx, &f->file, err) : OK;
}

/* ---- the whole ---- */

static int by_path(const void *a, const void *b)
{
    return str_cmp(((const struct skill_file *)a)->path, ((const struct skill_file *)b)->path);
}

static pap_result sort_files(struct unpacking *u)
{
    size_t n = 0;
    struct skill_file *files = arena_new_array(u->a, u->skill->n_files, struct skill_file);
    if (!files)
        return fail_memory(NULL);
    for (const struct file_node *f = u->files; f; f = f->next)
        files[n++] = f->file;
    if (n)
        qsort(files, n, sizeof *files, by_path);
    u->skill->files = files;
    return OK;
}

static pap_result judge_collision(struct unpacking *u, const struct pack *p)
{
    struct arena scratch __attribute__((cleanup(arena_fini)));
    struct pack_collision c = {0};
    arena_init(&scratch, u->a->alloc);
    TRY(pack_find_collision(&scratch, p, &c));
    if (!c.second)
        return OK;
    return artifact_unsafe(u->a, u->fault, c.second->raw_name, "the entries %s and %s %s",
                           skill_quote(u->a, c.first->raw_name), skill_quote(u->a, c.second->raw_name), c.why);
}

static pap_result judge_root(struct unpacking *u, const struct pack *p)
{
    if (u->skill->text.p)
        return OK;
    for (const struct pack_entry *e = p->entries; e; e = e->next)
        if (str_ends(e->name, S("/SKILL.md")) || str_eq_nocase(e->name, S("SKILL.md")))
            return artifact_unsafe(u->a, u->fault, S("SKILL.md"), "there is no SKILL.md at the root, but %s",
                                   skill_quote(u->a, e->name));
    return artifact_unsafe(u->a, u->fault, S("SKILL.md"), "there is no SKILL.md at the root");
}

/* Odd, but usable (decision 14). */
static const struct {
    unsigned notice;
    const char *text;
} notices[] = {
    {PACK_NOTICE(PACK_TAR_ONE_ZERO_BLOCK), "the tar ends with one block of zeros instead of two"},
    {PACK_NOTICE(PACK_TAR_NO_END), "the tar ends without the two blocks of zeros that end a tar"},
    {PACK_NOTICE(PACK_GZIP_ZERO_PADDING), "zeros follow the gzip data"},
};

static pap_result judge_pack(struct unpacking *u, const struct pack *p)
{
    if (p->fault != PACK_WHOLE)
        return refuse_pack(u, p);
    TRY(judge_collision(u, p));
    if (!u->fault->code)
        TRY(judge_root(u, p));
    if (u->fault->code)
        return OK;
    for (size_t i = 0; i < sizeof notices / sizeof notices[0]; i++)
        if (p->notices & notices[i].notice)
            artifact_warn(u->skill, notices[i].text);
    if (u->junk)
        artifact_warn(u->skill, "files that an operating system left behind are not unpacked");
    return sort_files(u);
}

static struct pack_limits pack_limits_of(const struct artifact_limits *l)
{
    struct pack_limits p = pack_limits_default;
    p.unpacked = l->unpacked ? l->unpacked : p.unpacked;
    p.file = l->file ? l->file : p.file;
    p.files = l->files ? l->files : p.files;
    return p;
}

static pap_result unpack_archive(struct unpacking *u, const struct pack_source *from, enum pack_format format,
                                 struct pap_err *err)
{
    struct pack_limits l = pack_limits_of(&u->want->limits);
    struct pack_sink to = {on_begin, on_data, on_end, u};
    struct pack p;
    pap_result r = pack_unpack(u->a, from, format, &l, &to, &p, err);
    digest_drop(&u->hash);
    if (u->fault->code)
        return OK;
    TRY(r);
    u->skill->format = p.format;
    return is_ok(judge_pack(u, &p)) ? OK : fail_memory(err);
}

/* A SKILL.md by itself goes the way of an archive's only entry. */
static pap_result unpack_skill_md(struct unpacking *u, const struct pack_source *from, struct pap_err *err)
{
    const struct pack_limits l = pack_limits_of(&u->want->limits);
    uint64_t most = l.file < LIMIT_DOCUMENT ? l.file : LIMIT_DOCUMENT;
    struct pap_str text;
    bool extracted = l.unpacked < most;
    most = extracted ? l.unpacked : most;
    pap_result r = pack_source_read(u->a, from, most, &text, err);
    if (r.code == PAP_LIMIT)
        return artifact_over(u->a, u->fault, extracted ? "extracted_bytes" : "file_bytes",
                             "SKILL.md has more than %llu bytes", (unsigned long long)most);
    TRY(r);
    TRY(begin_file(u, S("SKILL.md"), text.n, false, err));
    if (text.n)
        TRY(on_data(u, text, err));
    TRY(on_end(u, NULL, err));
    return is_ok(sort_files(u)) ? OK : fail_memory(err);
}

static pap_result unpack(struct unpacking *u, const struct pack_source *from, struct pap_err *err)
{
    struct pap_str type = u->want->content_type, url = u->want->url;
    enum pack_format format = artifact_format(type, url);
    if (u->want->type == ARTIFACT_SKILL_MD)
        return unpack_skill_md(u, from, err);
    if (format != PACK_UNKNOWN)
        return unpack_archive(u, from, format, err);
    if (!is_ok(skill_fault_make(u->a, u->fault, SKILL_ARTIFACT_UNSUPPORTED,
                                "neither the media type %s nor the URL %s tells a tar.gz or a zip",
                                type.p ? skill_quote(u->a, type) : "(none)", skill_quote(u->a, url))))
        return fail_memory(err);
    skill_fault_set(u->fault, SKILL_KEY_ORIGIN_ALIAS, u->want->alias);
    skill_fault_set(u->fault, SKILL_KEY_SKILL_NAME, u->want->name);
    skill_fault_set(u->fault, SKILL_KEY_ARTIFACT_TYPE, str_c(artifact_type_name(u->want->type)));
    return OK;
}

pap_result artifact_unpack(struct arena *a, const struct artifact_want *want, const struct pack_source *from,
                           const struct artifact_sink *to, struct skill *ret, struct skill_fault *ret_fault,
                           struct pap_err *err)
{
    struct skill skill = {0};
    struct skill_fault fault = {0};
    struct artifact_sink nowhere = {0};
    struct unpacking u = {.a = a, .want = want, .to = to ? to : &nowhere, .skill = &skill, .fault = &fault};
    u.tail = &u.files;
    pap_result r = unpack(&u, from, err);
    digest_drop(&u.hash);
    TRY(r);
    if (!fault.code && !is_ok(skill_md_read(a, want, &skill, &fault)))
        return fail_memory(err);
    if (!fault.code)
        *ret = skill;
    *ret_fault = fault;
    return OK;
}
