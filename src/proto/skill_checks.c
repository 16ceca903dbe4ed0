/* SPDX-License-Identifier: Apache-2.0
 *
 * SKILL.md: front matter and body. What concerns the bytes, the fences and YAML itself is in text_checks.c; functions that
 * need more than a few lines are in skill_value.c and skill_body.c.
 */
#include "base/limits.h"
#include "proto/skill.h"
#include "text/similar.h"
#include "text/utf8.h"

static const char *const keys[] = {"name",     "description",   "license", "compatibility",
                                   "metadata", "allowed-tools", NULL};

bool skill_is_key(struct pap_str s)
{
    for (size_t i = 0; keys[i]; i++)
        if (str_is(s, keys[i]))
            return true;
    return false;
}

static void file_is_there(struct run *r)
{
    struct pap_str name = skill_file_name(r->doc->name);
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

/* The name as it would fit: lower case, one hyphen for whatever else stands between. False when that would lose letters. */
static bool fitting_name(struct pap_str s, char ret[static LIMIT_SKILL_NAME + 1])
{
    size_t n = 0;
    for (size_t i = 0; i < s.n && n < LIMIT_SKILL_NAME; i++) {
        if (s.p[i] & 0x80)
            return false;
        if (ascii_is_alnum(s.p[i]))
            ret[n++] = ascii_lower(s.p[i]);
        else if (n && ret[n - 1] != '-')
            ret[n++] = '-';
    }
    n -= n && ret[n - 1] == '-';
    ret[n] = '\0';
    return n > 0;
}

static void name_key(struct run *r)
{
    const struct json *name = json_get_c(r->doc->root, "name");
    char fitting[LIMIT_SKILL_NAME + 1];
    if (!name)
        name_in_other_case(r, "name");
    else if (r->last && fitting_name(skill_text(name), fitting))
        mend(r, "Write `name: %s`, and call the skill's folder so too.", fitting);
}

static void description_key(struct run *r)
{
    if (!json_get_c(r->doc->root, "description"))
        name_in_other_case(r, "description");
}

static void name_is_folder(struct run *r)
{
    const struct json *name = json_get_c(r->doc->root, "name");
    struct pap_str text = skill_text(name);
    if (!text.n || !r->doc->folder.p || str_eq(text, r->doc->folder))
        return;
    /* One file system stores composed, another decomposed letters. */
    struct pap_str a = utf8_nfc(r->arena, text), b = utf8_nfc(r->arena, r->doc->folder);
    if (a.p && b.p && str_eq(a, b))
        return;
    const char *ignored;
    find(r, name, "the name is %s, but the folder is called %s", q(r, text), q(r, r->doc->folder));
    if (!format_holds(FORMAT_SKILL_NAME, text, &ignored))
        mend(r, "Write `name: %s`.", whole(r, r->doc->folder));
    else
        mend(r, "Rename the folder to %s, or write `name: %s`.", whole(r, text), whole(r, r->doc->folder));
}

static void no_angle_brackets(struct run *r)
{
    const struct json *d = json_get_c(r->doc->root, "description");
    struct pap_str text = skill_text(d);
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
        size_t place = 0;
        for (struct pap_str s = skill_text(j); s.n; before = code) {
            size_t n = utf8_decode(s, &code);
            s = str_skip(s, n ? n : 1);
            place++;
            if (is_invisible(code, before)) {
                find(r, j, "the %s holds a character that cannot be seen: U+%04X, its character %zu", read_first[i],
                     (unsigned)code, place);
                break;
            }
        }
    }
}

/* Where the key belongs, ready to paste when its value is one line. */
static void mend_unknown(struct run *r, const struct json *c)
{
    struct pap_str value = skill_text(c);
    bool paste = c->key_n && skill_is_scalar(c) && skill_is_plain(value);
    mend(r, "Move it under metadata, as a text: `metadata:`, then `  %s: \"%s\"` in the next line.",
         c->key_n ? whole(r, json_key(c)) : "KEY", paste ? whole(r, value) : "...");
}

static void keys_are_known(struct run *r)
{
    json_each (c, r->doc->root) {
        struct similar near = {.distance = SIZE_MAX};
        if (!(c->flags & JSON_HAS_KEY) || skill_is_key(json_key(c)))
            continue;
        find_key(r, c, "the key %s is not one of name, description, license, compatibility, metadata and allowed-tools",
                 q(r, json_key(c)));
        for (size_t i = 0; keys[i]; i++)
            similar_try(&near, json_key(c), str_c(keys[i]));
        if (near.best.p)
            mend(r, "Did you mean `%s`?", whole(r, near.best));
        else
            mend_unknown(r, c);
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

/* `of` is the heading of agentskills.io/specification, which numbers none. */
#define SKILL(of) .spec = SPEC_SKILLS, .kind = KIND_SKILL, .section = (of), .sure = V_ALL

/* clang-format off */ /* a row is read as a block */
static const struct check rows[] = {
    {
        .id = "skill.file", .covers = "F101 F-1 G-1", SKILL("Directory structure"), .level = LEVEL_MUST, .severity = PAP_ERROR, .fn = file_is_there,
        .title = "a skill's folder holds a file SKILL.md, in these letters",
        .why = "Clients look for exactly this name; on most systems upper and lower case are different names.",
        .mend = "Name the file SKILL.md.", .good = "change-booking/SKILL.md", .bad = "change-booking/Skill.md",
    },
    {
        .id = "skill.name", .covers = "F120 F-3 P-4 R-F8", SKILL("Frontmatter"), .level = LEVEL_MUST, .severity = PAP_ERROR, .fn = name_key,
        .fields = FIELDS({"/name", T_STRING, F_REQUIRED | F_SCALAR, FORMAT_SKILL_NAME, 0, NULL}),
        .title = "name is 1 to 64 of a-z, 0-9 and single hyphens inside",
        .why = "The name becomes a folder and a command in many clients; they skip a skill whose name does not fit.",
        .mend = "Write a short name in lower case with hyphens between words.",
        .good = "name: change-booking", .bad = "name: Change Booking",
    },
    {
        .id = "skill.name.folder", .covers = "F121 F-4 G-2", SKILL("Frontmatter"), .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = name_is_folder,
        .title = "name is the name of the folder that holds SKILL.md",
        .why = "Clients install by one name and look up by the other.",
        .mend = "Rename the folder, or change the name.", .good = "change-booking/SKILL.md with name: change-booking",
        .bad = "booking/SKILL.md with name: change-booking",
    },
    {
        .id = "skill.description", .covers = "F130 F-5 P-6 P-10 R-F11", SKILL("Frontmatter"), .level = LEVEL_MUST, .severity = PAP_ERROR,
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
        .id = "skill.description.angle-brackets", .covers = "F131", SKILL("Frontmatter"), .level = LEVEL_MAY, .severity = PAP_INFO,
        .fn = no_angle_brackets,
        .title = "the description has no < and >",
        .why = "One large vendor's uploader refuses them, since they can look like markup in a prompt.",
        .mend = "Say it in words.", .good = "more than 3 guests", .bad = "> 3 guests",
    },
    {
        .id = "skill.invisible", .covers = "R-S4", SKILL("Frontmatter"), .level = LEVEL_ADVICE, .severity = PAP_WARNING, .fn = no_invisible,
        .title = "name and description hold no invisible characters",
        .why = "They reach a model before anything is verified; characters that a person cannot see are how instructions are "
               "smuggled in, so clients remove them.",
        .mend = "Type the text again instead of pasting it.", .good = "description: Change a booking",
        .bad = "description: Change<U+202E> a booking",
    },
    {
        .id = "skill.license", .covers = "F-6", SKILL("Frontmatter"), .level = LEVEL_MUST, .severity = PAP_WARNING, .strict = true,
        .fields = FIELDS({"/license", T_STRING | T_NULL, F_SCALAR, FORMAT_NONE, 0, NULL}),
        .title = "license is a text",
        .why = "Clients show it as it is; a list or mapping is not shown.",
        .mend = "Write the licence's name, or the name of a file in the skill.", .good = "license: Apache-2.0",
        .bad = "license: [MIT, Apache-2.0]",
    },
    {
        .id = "skill.compatibility", .covers = "F140 F-7", SKILL("Frontmatter"), .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fields = FIELDS({"/compatibility", T_STRING, F_SCALAR, FORMAT_TEXT, LIMIT_COMPATIBILITY, NULL}),
        .title = "compatibility, when there, is 1 to 500 characters",
        .why = "Validators refuse the skill otherwise.",
        .mend = "Say in one sentence which product, packages or network access the skill needs, or leave it out.",
        .good = "compatibility: Needs git and network access", .bad = "compatibility: [git, curl]",
    },
    {
        .id = "skill.metadata", .covers = "F150 F-8 F-9 R-F9", SKILL("Frontmatter"), .level = LEVEL_MUST, .severity = PAP_WARNING, .strict = true,
        .fn = metadata_is_map, .fields = FIELDS({"/metadata", T_ANY, 0, FORMAT_NONE, 0, NULL},
                                                {"/metadata/*", T_ANY, F_OPAQUE, FORMAT_NONE, 0, NULL}),
        .title = "metadata is a mapping of texts",
        .why = "Some loaders refuse the whole skill when a value is nested.",
        .mend = "Keep one level: each key with a quoted text.", .good = "metadata:<LF>  version: \"1.2\"",
        .bad = "metadata:<LF>  author:<LF>    name: Ann",
    },
    {
        .id = "skill.scalar", .covers = "F114", SKILL("Frontmatter"), .level = LEVEL_SHOULD, .severity = PAP_WARNING, .strict = true, .fn = scalars_are_text,
        .title = "texts that look like numbers, dates or truth values are in quotes",
        .why = "Parsers disagree: 1.10 becomes 1.1, a date becomes an object, yes becomes true; clients that want a text drop the "
               "skill.",
        .mend = "Put the value in quotes.", .good = "version: \"1.10\"", .bad = "version: 1.10",
    },
    {
        .id = "skill.allowed-tools", .covers = "F160 F-10", SKILL("Frontmatter"), .level = LEVEL_MUST, .severity = PAP_WARNING, .strict = true,
        .fn = tools_are_one_string, .fields = FIELDS({"/allowed-tools", T_ANY, F_OPAQUE, FORMAT_NONE, 0, NULL}),
        .title = "allowed-tools is one string with blanks between the tools",
        .why = "Clients split it in different ways; one that reads \"a, b\" as a single tool allows neither.",
        .mend = "Write the tools in one line with blanks between them.", .good = "allowed-tools: Read Bash(git:*)",
        .bad = "allowed-tools: Read, Bash(git:*)",
    },
    {
        .id = "skill.allowed-tools.parentheses", .covers = "F160 R-F10", SKILL("Frontmatter"), .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = tools_are_balanced,
        .title = "the parentheses in allowed-tools match",
        .why = "It cannot be told where a tool ends, so it cannot be told what is allowed.",
        .mend = "Close every parenthesis.", .good = "allowed-tools: Bash(git add *)", .bad = "allowed-tools: Bash(git add *",
    },
    {
        .id = "skill.unknown-key", .covers = "F170 F-14 R-F12", SKILL("Frontmatter"), .level = LEVEL_SHOULD, .severity = PAP_WARNING, .strict = true,
        .fn = keys_are_known,
        .title = "the front matter has only the six keys of the format",
        .why = "Loaders ignore other keys; two official validators and some uploaders refuse the skill.",
        .mend = "Move it under metadata as a text.", .good = "metadata:<LF>  origin: \"example\"", .bad = "origin: example",
    },
    {
        .id = "skill.lines", .covers = "F180 F-12", SKILL("Progressive disclosure"), .level = LEVEL_SHOULD, .severity = PAP_WARNING, .fn = few_lines,
        .title = "SKILL.md has at most 500 lines",
        .why = "All of it is loaded when the skill is used and takes room from the task.",
        .mend = "Move details into files under references/ and name them in SKILL.md.", .good = "120 lines", .bad = "900 lines",
    },
    {
        .id = "skill.size", .covers = "F180 F-12", SKILL("Progressive disclosure"), .level = LEVEL_SHOULD, .severity = PAP_WARNING, .fn = few_bytes,
        .title = "SKILL.md has at most 20 KB",
        .why = "All of it is loaded when the skill is used; 20 KB are about 5,000 tokens, the recommended most.",
        .mend = "Move details into files under references/ and name them in SKILL.md.", .good = "6 KB", .bad = "60 KB",
    },
    {
        .id = "skill.reference", .covers = "F190 F-13 R-P7", SKILL("File references"), .level = LEVEL_SHOULD, .severity = PAP_WARNING, .strict = true,
        .fn = references_are_there,
        .title = "every file that SKILL.md refers to is in the skill",
        .why = "The agent looks for it, does not find it and goes on without.",
        .mend = "Add the file, correct the path (relative to the skill's folder), or remove the reference.",
        .good = "[the errors](references/errors.md), and the file is there", .bad = "[the errors](../errors.md)",
    },
    {
        .id = "skill.script", .covers = "F191 R-P6", SKILL("Optional directories"), .level = LEVEL_ADVICE, .severity = PAP_WARNING,
        .fn = scripts_can_run,
        .title = "scripts are called by an interpreter or have their executable bit set",
        .why = "Seven known installers drop the bit, and then the call ends with \"permission denied\".",
        .mend = "Call the script by its interpreter: `sh scripts/run.sh`, `python3 scripts/run.py`.",
        .good = "python3 scripts/run.py", .bad = "./scripts/run.py, mode 0644",
    },
};
/* clang-format on */

CHECK_TABLE(skill_checks, rows);
