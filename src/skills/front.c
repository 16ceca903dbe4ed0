/* SPDX-License-Identifier: Apache-2.0
 *
 * The front matter of a SKILL.md, as one who activates it reads it: leniently (agent-skills R-F), or to the letter (R-FM,
 * decision 13). What must hold in both is the same code.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "proto/skill.h"
#include "skills/artifact_inside.h"
#include "text/scan.h"
#include "text/utf8.h"
#include "text/yaml.h"

struct front {
    struct arena *a;
    const struct artifact_want *want;
    struct skill *skill;
    struct skill_fault *fault;
    struct skillmd md;
    const struct json *root;
    pap_result result;
};

static bool no_memory(struct front *f)
{
    f->result = fail_memory(NULL);
    return false;
}

/* "NOUN PHRASE"; always false. */
static bool bad(struct front *f, const char *field, const char *noun, const char *fmt, ...) PAP_PRINTF(4, 5);
static bool bad(struct front *f, const char *field, const char *noun, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct pap_str phrase = arena_vfmt(f->a, fmt, ap);
    va_end(ap);
    if (!phrase.p || !is_ok(skill_fault_make(f->a, f->fault, SKILL_CATALOG_INVALID, "%s %.*s", noun, PSTR(phrase))))
        return no_memory(f);
    skill_fault_set(f->fault, SKILL_KEY_FIELD, str_c(field));
    return false;
}

static bool bad_block(struct front *f, const char *phrase, struct pap_str detail)
{
    return bad(f, "SKILL.md.frontmatter", "the front matter of SKILL.md", "%s%s%s", phrase, detail.n ? ": " : "",
               detail.n ? skill_whole(f->a, detail) : "");
}

/* ---- the block ---- */

/* Lines that R-FM wants exactly: "---" and an end of line, nothing in front, LF or CR LF. */
static bool is_exact_fence(struct pap_str line)
{
    return str_is(line, "---\n") || str_is(line, "---\r\n") || str_is(line, "---");
}

static bool check_fences(struct front *f)
{
    struct pap_str text = f->skill->text;
    size_t close = f->md.block_off + f->md.block.n;
    if (is_exact_fence(str_take(text, f->md.block_off)) && is_exact_fence(str(text.p + close, f->md.body_off - close)))
        return true;
    return bad_block(f, "does not stand between two lines that are exactly ---", S(""));
}

/* Notes that stop any reader, and what they mean. The field is SKILL.md where the text as a whole is no text. */
static const struct {
    enum note_code code;
    bool whole;
    const char *phrase;
} stops[] = {
    {NOTE_UTF8, true, "is not valid UTF-8"},
    {NOTE_TOO_LONG, true, "is too long"},
    {NOTE_CONTROL, true, "holds a control character"},
    {NOTE_HTML, false, "is missing: the file is HTML"},
    {NOTE_EMPTY, false, "is missing: the file is empty"},
    {NOTE_NO_FRONTMATTER, false, "is missing; at its beginning stands"},
    {NOTE_UNCLOSED, false, "is not closed by a line ---"},
    {NOTE_YAML_DUPLICATE, false, "has a key twice"},
    {NOTE_YAML_NOT_MAPPING, false, "is not a mapping"},
};

static bool refuse_note(struct front *f, const struct note *n)
{
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        if (stops[i].code != n->code)
            continue;
        if (!stops[i].whole)
            return bad_block(f, stops[i].phrase, n->detail);
        return bad(f, "SKILL.md", "SKILL.md", "%s at byte %u", stops[i].phrase, n->off);
    }
    return bad_block(f, "is not YAML", n->detail);
}

/* `mended`: what stopped the reader was got round. */
static bool judge_notes(struct front *f, const struct notes *notes, bool mended)
{
    for (const struct note *n = notes->first; n; n = n->next)
        if ((n->fatal && !mended) || n->code == NOTE_YAML_DUPLICATE || n->code == NOTE_CONTROL)
            return refuse_note(f, n);
    return true;
}

/* ---- a colon without quotes (R-F6) ---- */

/* "description: Use when: x", which YAML refuses and many people write: a text all the same. *ret_n: bytes of the key. */
static bool has_loose_colon(struct pap_str line, size_t *ret_n)
{
    size_t colon = str_find_char(line, ':');
    struct pap_str rest = str_trim(str_skip(line, colon + 1));
    *ret_n = colon;
    return skill_is_key(str_take(line, colon)) && rest.n && !memchr("\"'|>[{&*!", rest.p[0], 9) &&
           (str_find(rest, S(": ")) < rest.n || rest.p[rest.n - 1] == ':');
}

static void add_quoted(struct buf *b, struct pap_str s)
{
    buf_char(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"' || s.p[i] == '\\')
            buf_char(b, '\\');
        buf_char(b, s.p[i]);
    }
    buf_char(b, '"');
}

static bool quote_colons(struct front *f, struct pap_str *ret)
{
    struct pap_str block = f->md.block;
    struct buf b;
    size_t key, quoted = 0;
    buf_init(&b, f->a->alloc, 2 * block.n + 64);
    for (size_t at = 0, next; at < block.n; at = next) {
        struct pap_str line = text_line(block, at, &next);
        if (!has_loose_colon(line, &key)) {
            buf_add(&b, str(block.p + at, next - at));
            continue;
        }
        quoted++;
        buf_add(&b, str_take(line, key));
        buf_add(&b, S(": "));
        add_quoted(&b, str_trim(str_skip(line, key + 1)));
        buf_char(&b, '\n');
    }
    *ret = quoted ? arena_str(f->a, buf_str(&b)) : str(NULL, 0);
    bool good = buf_ok(&b) && (!quoted || ret->p);
    buf_fini(&b);
    return good || no_memory(f);
}

/* Reads the block again with those lines quoted; nothing changes where that does not help. */
static bool try_colons(struct front *f, bool *ret_mended)
{
    struct pap_str quoted;
    struct notes notes = {0};
    struct json *root = NULL;
    if (f->md.root || !f->md.block.p || f->want->strict)
        return true;
    if (!quote_colons(f, &quoted))
        return false;
    if (quoted.p && !is_ok(yaml_read(f->a, quoted, 0, &root, &notes)))
        return no_memory(f);
    if (!root)
        return true;
    f->md.root = root;
    *ret_mended = true;
    artifact_warn(f->skill, "a value of the front matter with a colon in it should be in quotes");
    return judge_notes(f, &notes, false);
}

/* ---- fields ---- */

/* The text of a member: a string; leniently the source of any scalar. p NULL: it has none. */
static struct pap_str text_of(const struct front *f, const struct json *j)
{
    return f->want->strict ? json_is(j, JSON_STRING) ? json_str(j) : str(NULL, 0) : skill_text(j);
}

static const char *shown(const struct front *f, const struct json *j)
{
    if (!j)
        return "missing";
    return skill_is_scalar(j) ? skill_quote(f->a, skill_text(j)) : json_type_name(j);
}

static bool read_name(struct front *f)
{
    const struct json *j = json_get_c(f->root, "name");
    struct pap_str name = text_of(f, j);
    const char *why;
    if (!name.p || !name.n)
        return bad(f, "name", "the name in SKILL.md", "is %s; it is a text", shown(f, j));
    if (!format_holds(FORMAT_SKILL_NAME, name, &why))
        return bad(f, "name", "the name in SKILL.md", "is %s: %s", shown(f, j), why);
    if (!str_eq(name, f->want->name))
        return bad(f, "name", "the name in SKILL.md", "is %s, but the list calls the skill %s", shown(f, j),
                   skill_quote(f->a, f->want->name));
    f->skill->name = name;
    return true;
}

static bool read_description(struct front *f)
{
    const struct json *j = json_get_c(f->root, "description");
    struct pap_str own = text_of(f, j), listed = f->want->description;
    bool strict = f->want->strict;
    if (!str_trim(own).n)
        return bad(f, "description", "the description in SKILL.md", "is %s; it is a text that is not blank",
                   shown(f, j));
    if (utf8_count(strict ? own : str_trim(own)) > LIMIT_DESCRIPTION) {
        if (strict)
            return bad(f, "description", "the description in SKILL.md", "has %zu characters; %d are allowed",
                       utf8_count(own), LIMIT_DESCRIPTION);
        artifact_warn(f->skill, "the description has more than 1,024 characters");
    }
    if (listed.p && !str_eq(strict ? own : str_trim(own), strict ? listed : str_trim(listed))) {
        if (strict)
            return bad(f, "description", "the description in SKILL.md", "is %s, but the list says %s", shown(f, j),
                       skill_quote(f->a, listed));
        artifact_warn(f->skill, "the description is not the one in the list");
    }
    f->skill->description = own;
    return true;
}

/* The fields that need not be there. `most` characters, 0: any; those with a number must not be blank. */
static const struct optional {
    const char *key;
    uint32_t most;
    const char *warning;
} optionals[] = {
    {"license", 0, "license is no text"},
    {"compatibility", LIMIT_COMPATIBILITY, "compatibility is no text of 1 to 500 characters"},
    {"allowed-tools", 0, "allowed-tools is no single text"},
};
enum { OPTIONALS = sizeof optionals / sizeof optionals[0] };

static bool read_optional(struct front *f, const struct optional *o, struct pap_str *ret)
{
    const struct json *j = json_get_c(f->root, o->key);
    struct pap_str s = text_of(f, j);
    if (!j || (!f->want->strict && j->type == JSON_NULL))
        return true;
    bool good = s.p && (!o->most || (str_trim(s).n && utf8_count(s) <= o->most));
    if (!good && f->want->strict)
        return bad(f, o->key, o->key, "in SKILL.md is %s; it is a text%s", shown(f, j),
                   o->most ? " of 1 to 500 characters" : "");
    if (!good)
        artifact_warn(f->skill, o->warning);
    *ret = s;
    return true;
}

static bool check_metadata(struct front *f)
{
    const struct json *m = json_get_c(f->root, "metadata");
    if (!m || (!f->want->strict && m->type == JSON_NULL))
        return true;
    if (m->type != JSON_OBJECT)
        return bad(f, "metadata", "metadata in SKILL.md", "is %s; it is a mapping of texts", shown(f, m));
    json_each (c, f->want->strict ? m : NULL)
        if (c->type != JSON_STRING || !json_key(c).n)
            return bad(f, "metadata", "metadata in SKILL.md", "has %s, which is %s and no text",
                       skill_quote(f->a, json_key(c)), json_type_name(c));
    return true;
}

static bool check_keys(struct front *f)
{
    json_each (c, f->want->strict ? f->root : NULL)
        if (!skill_is_key(json_key(c)))
            return bad(f, "[unknown-field]", "the front matter of SKILL.md",
                       "has the key %s, which is not of the format", skill_quote(f->a, json_key(c)));
    return true;
}

static bool read_fields(struct front *f)
{
    if (!check_keys(f) || !read_name(f) || !read_description(f) || !check_metadata(f))
        return false;
    struct pap_str *const slots[OPTIONALS] = {&f->skill->license, &f->skill->compatibility, &f->skill->allowed_tools};
    for (size_t i = 0; i < OPTIONALS; i++)
        if (!read_optional(f, &optionals[i], slots[i]))
            return false;
    return true;
}

pap_result skill_md_read(struct arena *a, const struct artifact_want *want, struct skill *s, struct skill_fault *fault)
{
    struct front f = {.a = a, .want = want, .skill = s, .fault = fault, .result = OK};
    struct notes notes = {0};
    bool mended = false;
    TRY(skillmd_read(a, s->text, &f.md, &notes));
    if (!try_colons(&f, &mended) || !judge_notes(&f, &notes, mended) || (want->strict && !check_fences(&f)))
        return f.result;
    f.root = f.md.root;
    if (!json_is(f.root, JSON_OBJECT)) {
        (void)bad_block(&f, "is not a mapping", S(""));
        return f.result;
    }
    if (!read_fields(&f))
        return f.result;
    s->front = f.root;
    s->instructions = f.md.body;
    if (str_starts(f.md.body, S("\n")) || str_starts(f.md.body, S("\r\n")))
        s->instructions = str_skip(f.md.body, f.md.body.p[0] == '\n' ? 1 : 2);
    return OK;
}
