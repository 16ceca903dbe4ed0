/* SPDX-License-Identifier: Apache-2.0
 *
 * The entries of a skill index: their five members, each judged by a row of its own. Where a repair can be told from what
 * stands there, it is given ready to paste.
 */
#include "base/limits.h"
#include "proto/index.h"
#include "text/utf8.h"

/* The type that the name of the file tells, NULL when it tells none. */
static const char *type_by_url(const struct json *entry)
{
    static const struct {
        const char *ending, *type;
    } endings[] = {{".md", "skill-md"}, {".tar.gz", "archive"}, {".tgz", "archive"}, {".zip", "archive"}};
    struct pap_str url = json_str(json_get_c(entry, "url"));
    url = str_take(url, str_find_char(url, '#'));
    url = str_take(url, str_find_char(url, '?'));
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct pap_str e = str_c(endings[i].ending);
        if (url.n >= e.n && str_eq_nocase(str_skip(url, url.n - e.n), e))
            return endings[i].type;
    }
    return NULL;
}

static bool is_hex(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]) && !(ascii_lower(s.p[i]) >= 'a' && ascii_lower(s.p[i]) <= 'f'))
            return false;
    return true;
}

/* The digest in its right form, where the 64 hex digits of one are there; p NULL otherwise. */
static struct pap_str digest_from(struct run *r, struct pap_str s)
{
    struct pap_str before = str_take(s, 7), hex = s;
    if (str_eq_nocase(before, S("sha256:")) || str_eq_nocase(before, S("sha256-")) ||
        str_eq_nocase(before, S("sha256=")))
        hex = str_skip(s, 7);
    if (hex.n != 64 || !is_hex(hex) || index_digest_is_placeholder(hex))
        return str(NULL, 0);
    char lower[64];
    for (size_t i = 0; i < sizeof lower; i++)
        lower[i] = ascii_lower(hex.p[i]);
    struct pap_str right = arena_fmt(r->arena, "sha256:%.64s", lower);
    r->no_memory |= !right.p;
    return right;
}

/* "Website Navigation" -> "website-navigation"; p NULL when no name comes of it. */
static struct pap_str name_from(struct run *r, struct pap_str s)
{
    char text[LIMIT_SKILL_NAME + 1];
    const char *why;
    size_t n = 0;
    for (size_t i = 0; i < s.n && n < sizeof text; i++) {
        if (ascii_is_alnum(s.p[i]))
            text[n++] = ascii_lower(s.p[i]);
        else if (n && text[n - 1] != '-')
            text[n++] = '-';
    }
    while (n && text[n - 1] == '-')
        n--;
    bool good = format_holds(FORMAT_SKILL_NAME, str(text, n), &why);
    struct pap_str name = good ? arena_str(r->arena, str(text, n)) : str(NULL, 0);
    r->no_memory |= good && !name.p;
    return name;
}

static struct pap_str type_from(struct run *r, struct pap_str s)
{
    (void)r;
    return str_is(s, "skill-md") || str_is(s, "archive") ? s : str(NULL, 0);
}

/* The five members, what people call them instead, and what to write. To add another name: into the list. */
static const struct member {
    const char *name, *others[6];
    struct pap_str (*value)(struct run *r, struct pap_str s); /* of another's value; NULL: it stays as it is */
    const char *mend;
} members[] = {
    {"name", {"id", "title", "slug"}, name_from, "Add \"name\" with the name in the front matter of SKILL.md."},
    {"type", {"kind"}, type_from, "Add \"type\": \"skill-md\" for a single SKILL.md, \"archive\" for a tar.gz or zip."},
    {"description", {"summary", "desc"}, NULL, "Add \"description\" with that in the front matter of SKILL.md."},
    {"url",
     {"href", "path", "uri", "link", "location", "skill_url"},
     NULL,
     "Add \"url\": where SKILL.md or the archive is."},
    {"digest",
     {"sha256", "hash", "checksum", "sha256sum", "integrity"},
     digest_from,
     "Add \"digest\": \"sha256:\" and the output of `sha256sum` for the very file that is served."},
};

static const struct json *other_member(const struct json *entry, const struct member *m, const char **ret_name)
{
    for (size_t i = 0; i < sizeof m->others / sizeof m->others[0] && m->others[i]; i++) {
        *ret_name = m->others[i];
        if (json_is(json_get_c(entry, *ret_name), JSON_STRING))
            return json_get_c(entry, *ret_name);
    }
    return NULL;
}

static void propose_member(struct run *r, const struct json *entry, const struct member *m)
{
    const char *other_name = NULL, *type = m->value == type_from ? type_by_url(entry) : NULL;
    const struct json *other = other_member(entry, m, &other_name);
    struct pap_str value = other && m->value ? m->value(r, json_str(other)) : str(NULL, 0);
    if (value.p)
        mend(r, "Write \"%s\": \"%s\" instead of \"%s\".", m->name, whole(r, value), other_name);
    else if (other && !m->value)
        mend(r, "Rename \"%s\" to \"%s\".", other_name, m->name);
    else if (type)
        mend(r, "Write \"type\": \"%s\", as the url tells.", type);
    else
        mend(r, "%s", m->mend);
}

/* A checklist that many indexes were made by calls the digest sha256, and generators leave zeros. */
static const char *hint(const struct json *entry, const struct member *m)
{
    const char *name;
    const struct json *other = other_member(entry, m, &name);
    if (m->value != digest_from || !other)
        return "";
    return index_digest_is_placeholder(json_str(other))
               ? "; what stands there instead is a placeholder that no file has"
               : "; the hash stands under another name";
}

static void judge_members(struct run *r, const struct json *entry, size_t place)
{
    if (entry->type != JSON_OBJECT) {
        find(r, entry, "entry %zu of skills is %s; it is an object with name, type, description, url and digest", place,
             qv(r, entry));
        return;
    }
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        const struct json *member = json_get_c(entry, members[i].name);
        if (json_is(member, JSON_STRING))
            continue;
        const char *noun = index_noun(r, entry, place);
        if (member)
            find(r, member, "the %s of %s is %s; it is a string", members[i].name, noun, qv(r, member));
        else
            find_missing(r, entry, members[i].name, "%s has no %s%s", noun, members[i].name, hint(entry, &members[i]));
        if (!member)
            propose_member(r, entry, &members[i]);
    }
}

void index_entries_whole(struct run *r)
{
    index_each(r, judge_members);
}

static void judge_type(struct run *r, const struct json *entry, size_t place)
{
    const struct json *type = json_get_c(entry, "type");
    const char *right = type_by_url(entry);
    if (!json_is(type, JSON_STRING) || str_is(json_str(type), "skill-md") || str_is(json_str(type), "archive"))
        return;
    find(r, type, "the type of %s is %s; clients skip every type but \"skill-md\" and \"archive\"",
         index_noun(r, entry, place), qv(r, type));
    if (right)
        mend(r, "Write \"type\": \"%s\", as the url tells; if it is no skill at all, leave it out of the index.",
             right);
}

void index_types(struct run *r)
{
    index_each(r, judge_type);
}

static void judge_name(struct run *r, const struct json *entry, size_t place)
{
    const struct json *name = json_get_c(entry, "name"), *id = json_get_c(entry, "id");
    const char *why, *id_why;
    if (!json_is(name, JSON_STRING) || format_holds(FORMAT_SKILL_NAME, json_str(name), &why))
        return;
    find(r, name, "the name of entry %zu of skills is %s: %s", place, qv(r, name), why);
    bool use_id = json_is(id, JSON_STRING) && format_holds(FORMAT_SKILL_NAME, json_str(id), &id_why);
    struct pap_str right = use_id ? json_str(id) : name_from(r, json_str(name));
    if (right.p)
        mend(r, "Write \"name\": \"%s\" here and as the name in SKILL.md.", whole(r, right));
}

void index_names(struct run *r)
{
    index_each(r, judge_name);
}

/* At most LIMIT_INDEX_ENTRIES squared divided by two comparisons: a few milliseconds. */
static void judge_name_again(struct run *r, const struct json *entry, size_t place)
{
    const struct json *name = json_get_c(entry, "name");
    size_t first = 0;
    if (!json_is(name, JSON_STRING))
        return;
    json_each (e, json_get_c(r->doc->root, "skills")) {
        first++;
        if (e == entry)
            return;
        const struct json *other = json_get_c(e, "name");
        if (json_is(other, JSON_STRING) && str_eq(json_str(other), json_str(name)))
            break;
    }
    find(r, name, "entries %zu and %zu of skills are both named %s; clients drop one of them, or both", first, place,
         qv(r, name));
}

void index_names_once(struct run *r)
{
    index_each(r, judge_name_again);
}

static void judge_description(struct run *r, const struct json *entry, size_t place)
{
    const struct json *d = json_get_c(entry, "description");
    if (!json_is(d, JSON_STRING))
        return;
    size_t n = utf8_count(str_trim(json_str(d)));
    if (n == 0)
        find(r, d, "the description of %s is blank", index_noun(r, entry, place));
    else if (n > LIMIT_DESCRIPTION)
        find(r, d, "the description of %s has %zu characters; at most %d are allowed", index_noun(r, entry, place), n,
             LIMIT_DESCRIPTION);
}

void index_descriptions(struct run *r)
{
    index_each(r, judge_description);
}

/* Line ends are harmless, and joiners and variation selectors belong to emoji. */
static bool is_hidden(uint32_t code)
{
    return utf8_is_unsafe(code) && code != '\t' && code != '\n' && code != '\r' && code != 0x200d && code != 0xfe0e &&
           code != 0xfe0f;
}

static void judge_plainness(struct run *r, const struct json *entry, size_t place)
{
    const struct json *d = json_get_c(entry, "description");
    struct pap_str rest = json_is(d, JSON_STRING) ? json_str(d) : S("");
    uint32_t code = 0;
    for (size_t n; rest.n && (n = utf8_decode(rest, &code)) != 0; rest = str_skip(rest, n)) {
        if (code == '<' || code == '>') {
            find(r, d,
                 "the description of %s holds a %c; clients that put it into a prompt may refuse it or cut it out",
                 index_noun(r, entry, place), (char)code);
            return;
        }
        if (is_hidden(code)) {
            find(r, d,
                 "the description of %s holds the invisible character U+%04X; clients remove it or refuse the skill",
                 index_noun(r, entry, place), code);
            return;
        }
    }
}

void index_descriptions_plain(struct run *r)
{
    index_each(r, judge_plainness);
}

static void judge_digest(struct run *r, const struct json *entry, size_t place)
{
    const struct json *d = json_get_c(entry, "digest");
    const char *why;
    if (!json_is(d, JSON_STRING))
        return;
    if (index_digest_is_placeholder(json_str(d))) {
        find(r, d, "the digest of %s is %s: a placeholder that no file has", index_noun(r, entry, place), qv(r, d));
        return;
    }
    if (format_holds(FORMAT_DIGEST, json_str(d), &why))
        return;
    find(r, d, "the digest of %s is %s: %s", index_noun(r, entry, place), qv(r, d), why);
    struct pap_str right = digest_from(r, json_str(d));
    if (right.p)
        mend(r, "Write \"digest\": \"%s\".", whole(r, right));
}

void index_digests(struct run *r)
{
    index_each(r, judge_digest);
}
