/* SPDX-License-Identifier: Apache-2.0
 *
 * The index, byte for byte as Remote Skills writes it (R-OUT-2): two blanks, one line end, UTF-8 as it is. Deprecations
 * go into a member of our own, x-papaver, because others refuse unknown keys inside x-remote-skills (decisions 20).
 */
#include "publish/project.h"
#include "text/json_write.h"

#define SCHEMA "https://schemas.agentskills.io/discovery/0.2.0/schema.json"

struct pap_str artifact_file(struct arena *a, const struct artifact *artifact)
{
    return ARENA_JOIN(a, S("sha256-"), str_skip(artifact->digest, 7), str_c(artifact->suffix));
}

/* As JSON.stringify: only what must be escaped is. */
static void write_text(struct json_writer *w, struct buf *scratch, struct pap_str s)
{
    static const char names[] = "\bb\ff\nn\rr\tt\"\"\\\\";
    buf_reset(scratch);
    buf_char(scratch, '"');
    for (size_t i = 0; i < s.n; i++) {
        const char *name = s.p[i] ? strchr(names, s.p[i]) : NULL;
        bool escaped = name && (name - names) % 2 == 0;
        if (escaped)
            buf_fmt(scratch, "\\%c", name[1]);
        else if ((unsigned char)s.p[i] < 0x20)
            buf_fmt(scratch, "\\u%04x", (unsigned)s.p[i]);
        else
            buf_char(scratch, s.p[i]);
    }
    buf_char(scratch, '"');
    json_write_raw(w, buf_str(scratch));
}

struct index_out {
    struct project *p;
    struct json_writer w;
    struct buf text; /* of one string */
};

static void write_member(struct index_out *x, const char *key, struct pap_str value)
{
    json_write_key(&x->w, key);
    write_text(&x->w, &x->text, value);
}

static bool write_artifact(struct index_out *x, const struct artifact *artifact)
{
    struct project *p = x->p;
    struct pap_str file = artifact_file(&p->arena, artifact);
    struct pap_str url = p->base_url.p ? ARENA_JOIN(&p->arena, p->base_url, S("/" ARTIFACTS_FOLDER "/"), file)
                                       : ARENA_JOIN(&p->arena, S("artifacts/"), file);
    if (!file.p || !url.p)
        return false;
    write_member(x, "type", artifact->archive ? S("archive") : S("skill-md"));
    write_member(x, "url", url);
    write_member(x, "digest", artifact->digest);
    return true;
}

static bool write_releases(struct index_out *x, const struct skill *s)
{
    bool deprecated = false;
    if (!s->releases)
        return true;
    json_write_key(&x->w, "x-remote-skills");
    json_object_begin(&x->w);
    write_member(x, "version", s->version);
    json_write_key(&x->w, "releases");
    json_array_begin(&x->w);
    for (size_t i = 0; i < s->n_releases; i++) {
        json_object_begin(&x->w);
        write_member(x, "version", s->releases[i].version.text);
        if (!write_artifact(x, &s->releases[i].artifact))
            return false;
        json_object_end(&x->w);
        deprecated |= s->releases[i].deprecated.p != NULL;
    }
    json_array_end(&x->w);
    json_object_end(&x->w);
    if (!deprecated)
        return true;
    json_write_key(&x->w, "x-papaver");
    json_object_begin(&x->w);
    json_write_key(&x->w, "deprecated");
    json_object_begin(&x->w);
    for (size_t i = 0; i < s->n_releases; i++)
        if (s->releases[i].deprecated.p) {
            json_write_key_str(&x->w, s->releases[i].version.text);
            write_text(&x->w, &x->text, s->releases[i].deprecated);
        }
    json_object_end(&x->w);
    json_object_end(&x->w);
    return true;
}

static bool write_skills(struct index_out *x)
{
    json_object_begin(&x->w);
    write_member(x, "$schema", S(SCHEMA));
    json_write_key(&x->w, "skills");
    json_array_begin(&x->w);
    for (size_t i = 0; i < x->p->n_skills; i++) {
        const struct skill *s = &x->p->skills[i];
        json_object_begin(&x->w);
        write_member(x, "name", s->name);
        write_member(x, "description", s->description);
        if (!write_artifact(x, &s->artifact) || !write_releases(x, s))
            return false;
        json_object_end(&x->w);
    }
    json_array_end(&x->w);
    json_object_end(&x->w);
    return true;
}

pap_result index_write(struct project *p, struct pap_str *ret, struct pap_err *err)
{
    enum { MOST = 256 << 20 };
    struct buf b __attribute__((cleanup(buf_fini)));
    struct index_out x = {.p = p};
    buf_init(&b, p->o->alloc, MOST);
    buf_init(&x.text, p->o->alloc, MOST);
    json_writer_init(&x.w, &b, 2);
    bool good = write_skills(&x) && buf_ok(&x.text);
    buf_fini(&x.text);
    if (!good)
        return fail_memory(err);
    buf_char(&b, '\n');
    TRY(buf_result(&b, err));
    *ret = arena_str(&p->arena, buf_str(&b));
    return ret->p ? OK : fail_memory(err);
}
