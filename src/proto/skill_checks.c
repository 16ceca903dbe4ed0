/* SPDX-License-Identifier: Apache-2.0
 *
 * SKILL.md: front matter and body. What concerns the bytes, the fences and YAML itself is in text_checks.c.
 */
#include "base/limits.h"
#include "proto/check.h"
#include "text/similar.h"
#include "text/utf8.h"

static const char *const keys[] = {"name",     "description",   "license", "compatibility",
                                   "metadata", "allowed-tools", NULL};

static bool is_key(struct pap_str s)
{
    for (size_t i = 0; keys[i]; i++)
        if (str_is(s, keys[i]))
            return true;
    return false;
}

static bool is_scalar(const struct json *j)
{
    return j && j->type != JSON_ARRAY && j->type != JSON_OBJECT;
}

/* The text of a scalar whatever its type: an unquoted 1.0 is "1.0". */
static struct pap_str text_of(const struct json *j)
{
    return is_scalar(j) ? str(j->p, j->n) : str(NULL, 0);
}

static struct pap_str file_name(struct pap_str path)
{
    return str_skip(path, str_rfind_char(path, '/') < path.n ? str_rfind_char(path, '/') + 1 : 0);
}

static void file_is_there(struct run *r)
{
    struct pap_str name = file_name(r->doc->name);
    if (r->doc->exchange || r->doc->role != ROLE_MAIN)
        return;
    if (!r->doc->bytes.p)
        find(r, NULL, "there is no SKILL.md in this folder, nor any other document that is checked");
    else if (str_eq_nocase(name, S("SKILL.md")) && !str_is(name, "SKILL.md"))
        find(r, NULL, "the file is called %s; clients look for SKILL.md in exactly these letters", q(r, name));
}

static void name_in_other_case(struct run *r, const char *key)
{
    json_each (c, r->doc->root) {
        if (r->last && c->flags & JSON_HAS_KEY && str_eq_nocase(json_key(c), str_c(key)) && !str_is(json_key(c), key))
            mend(r, "Write the key in lower case: `%s:` instead of `%s:`.", key, whole(r, json_key(c)));
    }
}

static void name_key(struct run *r)
{
    if (!json_get_c(r->doc->root, "name"))
        name_in_other_case(r, "name");
}

static void description_key(struct run *r)
{
    if (!json_get_c(r->doc->root, "description"))
        name_in_other_case(r, "description");
}

static void name_is_folder(struct run *r)
{
    const struct json *name = json_get_c(r->doc->root, "name");
    struct pap_str text = text_of(name);
    if (!text.n || !r->doc->folder.p || str_eq(text, r->doc->folder))
        return;
    /* One file system stores composed, another decomposed letters. */
    struct pap_str a = utf8_nfc(r->arena, text), b = utf8_nfc(r->arena, r->doc->folder);
    if (a.p && b.p && str_eq(a, b))
        return;
    find(r, name, "the name is %s, but the folder is called %s", q(r, text), q(r, r->doc->folder));
    mend(r, "Rename the folder to %s, or write `name: %s`.", whole(r, text), whole(r, r->doc->folder));
}

static void no_angle_brackets(struct run *r)
{
    const struct json *d = json_get_c(r->doc->root, "description");
    struct pap_str text = text_of(d);
    if (str_find_char(text, '<') < text.n || str_find_char(text, '>') < text.n)
        find(r, d, "the description has a < or >, which some uploaders refuse");
}

/* Joiners and variation selectors that shape the character before them, as in emoji and many scripts. */
static bool shapes(uint32_t code, uint32_t before)
{
    bool keycap = before == '#' || before == '*' || (before >= '0' && before <= '9');
    bool seen = before >= 0x80 && !utf8_is_unsafe(before);
    if (code >= 0xfe00 && code <= 0xfe0f)
        return seen || keycap;
    return (code == 0x200c || code == 0x200d) && (seen || before == 0xfe0f);
}

/* Controls can come here by an escape only; a raw one stops the reader of the front matter. */
static bool is_invisible(uint32_t code, uint32_t before)
{
    return utf8_is_unsafe(code) && code != '\n' && code != '\t' && code != '\r' && !shapes(code, before);
}

static void no_invisible(struct run *r)
{
    static const char *const read_first[] = {"name", "description"};
    for (size_t i = 0; i < 2; i++) {
        const struct json *j = json_get_c(r->doc->root, read_first[i]);
        uint32_t code = 0, before = 0;
        for (struct pap_str s = text_of(j); s.n; before = code) {
            size_t n = utf8_decode(s, &code);
            s = str_skip(s, n ? n : 1);
            if (is_invisible(code, before)) {
                find(r, j, "the %s holds a character that cannot be seen (U+%04X)", read_first[i], (unsigned)code);
                break;
            }
        }
    }
}

/* ---- scalars that parsers read as something else than text ---- */

static bool all_of(struct pap_str s, const char *set)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]) && !strchr(set, s.p[i]))
            return false;
    return s.n > 0;
}

/* YAML 1.1 and 1.2 disagree on these: dates, yes/no, octal, underscores, sexagesimal (specification of YAML, 10.2). */
static const char *ambiguous(const struct json *j)
{
    static const char *const words[] = {"yes", "no", "on", "off", "y", "n"};
    static const char *const numbers[] = {".inf", "+.inf", "-.inf", ".nan"};
    struct pap_str s = text_of(j);
    if (j->type == JSON_NUMBER)
        return "a number";
    if (j->type == JSON_NULL)
        return s.n ? "null" : NULL;
    if (j->type == JSON_TRUE || j->type == JSON_FALSE)
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq_nocase(s, str_c(words[i])))
            return "true or false for YAML 1.1";
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (str_eq_nocase(s, str_c(numbers[i])))
            return "a number";
    if (str_eq_nocase(str_take(s, 2), S("0b")) && all_of(str_skip(s, 2), "_"))
        return "a number for YAML 1.1";
    if (s.n >= 8 && ascii_is_digit(s.p[0]) && all_of(str_take(s, 10), "-") && str_find_char(s, '-') == 4)
        return "a date for YAML 1.1";
    if (s.n && ascii_is_digit(s.p[0]) && all_of(s, "_:.,") && !all_of(s, ".,"))
        return "a number for YAML 1.1";
    return NULL;
}

static void judge_scalar(struct run *r, const struct json *j, bool is_text)
{
    if (!is_scalar(j) || !(j->flags & JSON_PLAIN))
        return;
    const char *what = ambiguous(j);
    if (!what && is_text && (j->type == JSON_TRUE || j->type == JSON_FALSE))
        what = "true or false";
    if (!what)
        return;
    find(r, j, "the unquoted value %s of %s is %s, not text", q(r, text_of(j)), q(r, json_key(j)), what);
    mend(r, "Put it in quotes: %s: \"%s\"", whole(r, json_key(j)), whole(r, text_of(j)));
}

static void scalars_are_text(struct run *r)
{
    json_each (c, r->doc->root) {
        if (!is_key(json_key(c)))
            continue;
        judge_scalar(r, c, true);
        json_each (m, str_is(json_key(c), "metadata") && c->type == JSON_OBJECT ? c : NULL)
            judge_scalar(r, m, false);
    }
}

static void metadata_is_map(struct run *r)
{
    const struct json *m = json_get_c(r->doc->root, "metadata");
    if (!m || m->type == JSON_NULL)
        return;
    if (m->type != JSON_OBJECT) {
        find(r, m, "metadata is %s; wanted is a mapping of texts", qv(r, m));
        return;
    }
    json_each (c, m)
        if (!is_scalar(c))
            find(r, c, "metadata.%s is %s; values of metadata are texts", whole(r, json_key(c)), json_type_name(c));
}

/* ---- allowed-tools ---- */

static const struct json *allowed_tools(const struct run *r)
{
    return json_get_c(r->doc->root, "allowed-tools");
}

static bool has_separating_comma(struct pap_str s)
{
    int depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        depth += (s.p[i] == '(') - (s.p[i] == ')');
        if (s.p[i] == ',' && depth <= 0)
            return true;
    }
    return false;
}

static void tools_are_one_string(struct run *r)
{
    const struct json *t = allowed_tools(r);
    if (json_is(t, JSON_ARRAY))
        find(r, t, "allowed-tools is a list; it is one string with blanks between the tools");
    else if (json_is(t, JSON_OBJECT))
        find(r, t, "allowed-tools is a mapping; it is one string with blanks between the tools");
    else if (json_is(t, JSON_STRING) && has_separating_comma(json_str(t)))
        find(r, t, "allowed-tools separates tools by commas; nine known clients split such a string wrongly");
}

static void judge_balance(struct run *r, const struct json *t)
{
    struct pap_str rest = json_str(t), token;
    bool unbalanced = false;
    while (json_is(t, JSON_STRING) && !unbalanced && allowed_tools_next(&rest, &token, &unbalanced))
        if (unbalanced)
            find(r, t, "the parentheses in allowed-tools do not match, from %s on", q(r, token));
}

static void tools_are_balanced(struct run *r)
{
    const struct json *t = allowed_tools(r);
    judge_balance(r, t);
    json_each (item, json_is(t, JSON_ARRAY) ? t : NULL)
        judge_balance(r, item);
}

static void keys_are_known(struct run *r)
{
    json_each (c, r->doc->root) {
        struct similar near = {.distance = SIZE_MAX};
        if (!(c->flags & JSON_HAS_KEY) || is_key(json_key(c)))
            continue;
        find_key(r, c, "the key %s is not one of the six that the format has", q(r, json_key(c)));
        for (size_t i = 0; keys[i]; i++)
            similar_try(&near, json_key(c), str_c(keys[i]));
        if (near.best.p)
            mend(r, "Did you mean `%s`?", whole(r, near.best));
        else
            mend(r, "Move it under metadata, as a text: metadata:, then `  %s: \"...\"` in the next line.",
                 whole(r, json_key(c)));
    }
}

/* ---- size ---- */

static void few_lines(struct run *r)
{
    if (r->doc->skill.lines > LIMIT_SKILL_LINES)
        find(r, NULL, "the file has %u lines; up to %d are recommended", r->doc->skill.lines, LIMIT_SKILL_LINES);
}

static void few_bytes(struct run *r)
{
    if (r->doc->bytes.n > LIMIT_SKILL_GOOD && r->doc->root)
        find(r, NULL, "the file has %zu bytes, about %zu tokens; up to 5,000 tokens are recommended", r->doc->bytes.n,
             r->doc->bytes.n / 4);
}

/* ---- what the body refers to ---- */

/* A reference to a file of the skill: no scheme, host or fragment alone, nothing that is to be filled in. */
static bool is_local(struct pap_str target)
{
    static const char placeholder[] = "{}<>$*| ";
    if (!target.n || target.p[0] == '#' || target.p[0] == '?' || str_starts(target, S("//")) || str_is(target, "..."))
        return false;
    for (size_t i = 0; i < target.n; i++)
        if (memchr(placeholder, target.p[i], sizeof placeholder - 1))
            return false;
    /* mailto:x, https://... and C:\x are no files of the skill */
    return str_find_char(target, ':') >= str_find_char(target, '/');
}

static int hex_digit(char c)
{
    return ascii_is_digit(c)                                ? c - '0'
           : ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f' ? ascii_lower(c) - 'a' + 10
                                                            : -1;
}

static int hex_byte(const char *p)
{
    return hex_digit(p[0]) < 0 || hex_digit(p[1]) < 0 ? -1 : hex_digit(p[0]) * 16 + hex_digit(p[1]);
}

/* Undoes %XX, and \ in front of punctuation, as Markdown does (CommonMark 2.4). */
static size_t unescape(struct pap_str s, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        int byte = s.p[i] == '%' && s.n - i > 2 ? hex_byte(s.p + i + 1) : -1;
        if (byte >= 0)
            i += 2;
        else if (s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] > 0x20 && !ascii_is_alnum(s.p[i + 1]))
            i++;
        out[n++] = byte >= 0 ? (char)byte : s.p[i];
    }
    return n;
}

/* The path below the skill's folder that a reference means; false when it leaves the folder. */
static bool path_of(struct run *r, struct pap_str target, struct pap_str *ret)
{
    struct pap_str rest = str_take(target, str_find_char(target, '#')), part;
    rest = str_take(rest, str_find_char(rest, '?'));
    char *out = arena_text(r->arena, rest.n + 1);
    size_t n = 0;
    if (!out) {
        r->no_memory = true;
        return true;
    }
    rest.n = unescape(rest, out);
    rest.p = out;
    if (str_starts(rest, S("/")))
        return false;
    while (str_next(&rest, '/', &part)) {
        if (part.n == 0 || str_is(part, "."))
            continue;
        if (str_is(part, "..")) {
            if (n == 0)
                return false;
            while (n > 0 && out[--n] != '/')
                ;
            continue;
        }
        if (n)
            out[n++] = '/';
        memmove(out + n, part.p, part.n); /* never ahead of what is still to be read */
        n += part.n;
    }
    *ret = str(out, n);
    return true;
}

static enum has_file has(const struct doc *d, struct pap_str path)
{
    if (d->has_file)
        return d->has_file(d, path);
    /* A SKILL.md that came alone has no other file; of one given as text nothing is known. */
    return d->role == ROLE_ARTIFACT ? HAS_NOT : HAS_UNKNOWN;
}

static void judge_link(struct run *r, const struct span *s, unsigned *looked_up)
{
    struct pap_str path = S("");
    if (!is_local(s->text))
        return;
    if (!path_of(r, s->text, &path)) {
        find_offset(r, s->off, "the reference %s leads out of the skill's folder", q(r, s->text));
        return;
    }
    bool word = str_find_char(path, '/') == path.n && str_find_char(path, '.') == path.n; /* [text](url) */
    if (word || ++*looked_up > LIMIT_SKILL_FILES || has(r->doc, path) != HAS_NOT)
        return;
    find_offset(r, s->off, "the reference %s names a file that the skill does not have", q(r, s->text));
    if (r->doc->role == ROLE_ARTIFACT)
        mend(
            r,
            "A skill of type skill-md is its SKILL.md alone; publish the skill as an archive when it has other files.");
}

static void references_are_there(struct run *r)
{
    struct span_walk w = {0};
    struct span s;
    unsigned looked_up = 0;
    while (r->doc->skill.body.p && span_next(&r->doc->skill, &w, &s))
        if (s.type == SPAN_LINK)
            judge_link(r, &s, &looked_up);
}

/* By its ending; a listing of other files in a code block calls none of them. */
static bool is_script(struct pap_str path)
{
    static const char *const endings[] = {"sh", "bash", "zsh", "py", "rb", "pl", "js", "mjs", "ts", "php", "lua"};
    struct pap_str name = file_name(path);
    struct pap_str ending = str_skip(name, str_rfind_char(name, '.') + 1);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (str_is(ending, endings[i]))
            return true;
    return str_find_char(name, '.') == name.n;
}

static void scripts_can_run(struct run *r)
{
    struct span_walk w = {0};
    struct span s;
    struct pap_str path = S("");
    unsigned looked_up = 0;
    while (r->doc->skill.body.p && span_next(&r->doc->skill, &w, &s))
        if (s.type == SPAN_COMMAND && path_of(r, s.text, &path) && is_script(path) &&
            ++looked_up <= LIMIT_SKILL_FILES && has(r->doc, path) == HAS_PLAIN)
            find_offset(r, s.off, "the script %s is called by itself, but its executable bit is not set", q(r, s.text));
}

#define SKILL .spec = SPEC_SKILLS, .kind = KIND_SKILL, .section = "", .sure = V_ALL

/* clang-format off */ /* a row is read as a block */
static const struct check rows[] = {
    {
        .id = "skill.file", .covers = "F101 F-1 G-1", SKILL, .level = LEVEL_MUST, .severity = PAP_ERROR, .fn = file_is_there,
        .title = "a skill's folder holds a file SKILL.md, in these letters",
        .why = "Clients look for exactly this name; on most systems upper and lower case are different names.",
        .mend = "Name the file SKILL.md.", .good = "change-booking/SKILL.md", .bad = "change-booking/Skill.md",
    },
    {
        .id = "skill.name", .covers = "F120 F-3 P-4 R-F8", SKILL, .level = LEVEL_MUST, .severity = PAP_ERROR, .fn = name_key,
        .fields = FIELDS({"/name", T_STRING, F_REQUIRED | F_SCALAR, FORMAT_SKILL_NAME, 0, NULL}),
        .title = "name is 1 to 64 of a-z, 0-9 and single hyphens inside",
        .why = "The name becomes a folder and a command in many clients; they skip a skill whose name does not fit.",
        .mend = "Write a short name in lower case with hyphens between words.",
        .good = "name: change-booking", .bad = "name: Change Booking",
    },
    {
        .id = "skill.name.folder", .covers = "F121 F-4 G-2", SKILL, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = name_is_folder,
        .title = "name is the name of the folder that holds SKILL.md",
        .why = "Clients install by one name and look up by the other.",
        .mend = "Rename the folder, or change the name.", .good = "change-booking/SKILL.md with name: change-booking",
        .bad = "booking/SKILL.md with name: change-booking",
    },
    {
        .id = "skill.description", .covers = "F130 F-5 P-6 P-10 R-F11", SKILL, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = description_key,
        .fields = FIELDS({"/description", T_STRING, F_REQUIRED | F_SCALAR, FORMAT_TEXT, LIMIT_DESCRIPTION, NULL}),
        .title = "description is 1 to 1,024 characters and not blank",
        .why = "It is all that an agent sees when it chooses; without one the skill is never chosen, and some clients refuse a "
               "longer one.",
        .mend = "Say in one or two sentences what the skill does and when to use it.",
        .good = "description: Move a table booking to another time. Use when a person wants to change a booking.",
        .bad = "description:",
    },
    {
        .id = "skill.description.angle-brackets", .covers = "F131", SKILL, .level = LEVEL_MAY, .severity = PAP_INFO,
        .fn = no_angle_brackets,
        .title = "the description has no < and >",
        .why = "One large vendor's uploader refuses them, since they can look like markup in a prompt.",
        .mend = "Say it in words.", .good = "more than 3 guests", .bad = "> 3 guests",
    },
    {
        .id = "skill.invisible", .covers = "R-S4", SKILL, .level = LEVEL_ADVICE, .severity = PAP_WARNING, .fn = no_invisible,
        .title = "name and description hold no invisible characters",
        .why = "They reach a model before anything is verified; characters that a person cannot see are how instructions are "
               "smuggled in, so clients remove them.",
        .mend = "Type the text again instead of pasting it.", .good = "description: Change a booking",
        .bad = "description: Change<U+202E> a booking",
    },
    {
        .id = "skill.license", .covers = "F-6", SKILL, .level = LEVEL_MUST, .severity = PAP_WARNING,
        .fields = FIELDS({"/license", T_STRING | T_NULL, F_SCALAR, FORMAT_NONE, 0, NULL}),
        .title = "license is a text",
        .why = "Clients show it as it is; a list or mapping is not shown.",
        .mend = "Write the licence's name, or the name of a file in the skill.", .good = "license: Apache-2.0",
        .bad = "license: [MIT, Apache-2.0]",
    },
    {
        .id = "skill.compatibility", .covers = "F140 F-7", SKILL, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fields = FIELDS({"/compatibility", T_STRING, F_SCALAR, FORMAT_TEXT, LIMIT_COMPATIBILITY, NULL}),
        .title = "compatibility, when there, is 1 to 500 characters",
        .why = "Validators refuse the skill otherwise.",
        .mend = "Say in one sentence which product, packages or network access the skill needs, or leave it out.",
        .good = "compatibility: Needs git and network access", .bad = "compatibility: [git, curl]",
    },
    {
        .id = "skill.metadata", .covers = "F150 F-8 F-9 R-F9", SKILL, .level = LEVEL_MUST, .severity = PAP_WARNING,
        .fn = metadata_is_map, .fields = FIELDS({"/metadata", T_ANY, 0, FORMAT_NONE, 0, NULL},
                                                {"/metadata/*", T_ANY, F_OPAQUE, FORMAT_NONE, 0, NULL}),
        .title = "metadata is a mapping of texts",
        .why = "Some loaders refuse the whole skill when a value is nested.",
        .mend = "Keep one level: each key with a quoted text.", .good = "metadata:<LF>  version: \"1.2\"",
        .bad = "metadata:<LF>  author:<LF>    name: Ann",
    },
    {
        .id = "skill.scalar", .covers = "F114", SKILL, .level = LEVEL_SHOULD, .severity = PAP_WARNING, .fn = scalars_are_text,
        .title = "texts that look like numbers, dates or truth values are in quotes",
        .why = "Parsers disagree: 1.10 becomes 1.1, a date becomes an object, yes becomes true; clients that want a text drop the "
               "skill.",
        .mend = "Put the value in quotes.", .good = "version: \"1.10\"", .bad = "version: 1.10",
    },
    {
        .id = "skill.allowed-tools", .covers = "F160 F-10", SKILL, .level = LEVEL_MUST, .severity = PAP_WARNING,
        .fn = tools_are_one_string, .fields = FIELDS({"/allowed-tools", T_ANY, F_OPAQUE, FORMAT_NONE, 0, NULL}),
        .title = "allowed-tools is one string with blanks between the tools",
        .why = "Clients split it in different ways; one that reads \"a, b\" as a single tool allows neither.",
        .mend = "Write the tools in one line with blanks between them.", .good = "allowed-tools: Read Bash(git:*)",
        .bad = "allowed-tools: Read, Bash(git:*)",
    },
    {
        .id = "skill.allowed-tools.parentheses", .covers = "F160 R-F10", SKILL, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = tools_are_balanced,
        .title = "the parentheses in allowed-tools match",
        .why = "It cannot be told where a tool ends, so it cannot be told what is allowed.",
        .mend = "Close every parenthesis.", .good = "allowed-tools: Bash(git add *)", .bad = "allowed-tools: Bash(git add *",
    },
    {
        .id = "skill.unknown-key", .covers = "F170 F-14 R-F12", SKILL, .level = LEVEL_SHOULD, .severity = PAP_WARNING,
        .fn = keys_are_known,
        .title = "the front matter has only the six keys of the format",
        .why = "Loaders ignore other keys; two official validators and some uploaders refuse the skill.",
        .mend = "Move it under metadata as a text.", .good = "metadata:<LF>  origin: \"example\"", .bad = "origin: example",
    },
    {
        .id = "skill.lines", .covers = "F180 F-12", SKILL, .level = LEVEL_SHOULD, .severity = PAP_WARNING, .fn = few_lines,
        .title = "SKILL.md has at most 500 lines",
        .why = "All of it is loaded when the skill is used and takes room from the task.",
        .mend = "Move details into files under references/ and name them in SKILL.md.", .good = "120 lines", .bad = "900 lines",
    },
    {
        .id = "skill.size", .covers = "F180 F-12", SKILL, .level = LEVEL_SHOULD, .severity = PAP_WARNING, .fn = few_bytes,
        .title = "SKILL.md has at most 20 KB",
        .why = "All of it is loaded when the skill is used; 20 KB are about 5,000 tokens, the recommended most.",
        .mend = "Move details into files under references/ and name them in SKILL.md.", .good = "6 KB", .bad = "60 KB",
    },
    {
        .id = "skill.reference", .covers = "F190 F-13 R-P7", SKILL, .level = LEVEL_SHOULD, .severity = PAP_WARNING,
        .fn = references_are_there,
        .title = "every file that SKILL.md refers to is in the skill",
        .why = "The agent looks for it, does not find it and goes on without.",
        .mend = "Add the file, correct the path (relative to the skill's folder), or remove the reference.",
        .good = "[the errors](references/errors.md), and the file is there", .bad = "[the errors](../errors.md)",
    },
    {
        .id = "skill.script", .covers = "F191 R-P6", SKILL, .level = LEVEL_ADVICE, .severity = PAP_WARNING,
        .fn = scripts_can_run,
        .title = "scripts are called by an interpreter or have their executable bit set",
        .why = "Seven known installers drop the bit, and then the call ends with \"permission denied\".",
        .mend = "Call the script by its interpreter: `sh scripts/run.sh`, `python3 scripts/run.py`.",
        .good = "python3 scripts/run.py", .bad = "./scripts/run.py, mode 0644",
    },
};
/* clang-format on */

CHECK_TABLE(skill_checks, rows);
