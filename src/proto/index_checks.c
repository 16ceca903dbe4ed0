/* SPDX-License-Identifier: Apache-2.0
 *
 * Skill indexes: skill_index in poppy.json and the well-known one, format 0.2.0 (agent-skills 3). The rows hold whatever
 * the version of the protocol. One fault is said once: of an index in an older layout only that it is one, of a member
 * with a wrong type only its type.
 */
#include "base/limits.h"
#include "proto/index.h"

#define SCHEMA "https://schemas.agentskills.io/discovery/0.2.0/schema.json"

static void is_object(struct run *r)
{
    if (r->doc->root && r->doc->root->type != JSON_OBJECT)
        find(r, r->doc->root, "the index is %s; it is a JSON object with the members $schema and skills",
             json_type_name(r->doc->root));
}

/* ---- the layout ---- */

static const char *const layouts[] = {
    [INDEX_FILES] = "this is the layout of version 0.1: each skill lists its `files`, without url and digest",
    [INDEX_FEBRUARY] =
        "this is the layout of a draft of February 2026: a `version` and `files` instead of $schema and one url and "
        "digest for each skill",
    [INDEX_PATH] = "this is the layout of the first draft: each skill has a `path`, without url and digest",
};

static void is_not_old(struct run *r)
{
    const struct json *root = r->doc->root, *at = root;
    bool has_skills = json_is(json_get_c(root, "skills"), JSON_ARRAY);
    enum index_shape shape = index_shape(root, &at);
    if (r->doc->role == ROLE_LEGACY && bundle_doc(r->bundle, KIND_INDEX, ROLE_WELL_KNOWN))
        return; /* kept for older clients beside the current one */
    if (shape != INDEX_CURRENT) {
        find(r, at, "%s; clients of the current version, 0.2.0, find no skill in it", layouts[shape]);
    } else if (r->doc->role == ROLE_LEGACY && has_skills) {
        find(
            r, root,
            "the index stands at the address of version 0.1; clients of the current version, 0.2.0, do not look there");
        mend(r, "Publish it at /.well-known/agent-skills/index.json.");
    }
}

/* ---- $schema ---- */

/* Addresses that circulate in tickets and in checklists of scanners. */
static const char *const misspelled[] = {
    "https://agentskills.io/schemas/index-v0.2.json",
    "https://agentskills.io/schema/v0.2.0/index.json",
    "https://agentskills.io/v0.2.0/schema.json",
    "https://agentskills.io/schemas/v0.2.0/index.json",
};

static bool is_misspelled(struct pap_str s)
{
    for (size_t i = 0; i < sizeof misspelled / sizeof misspelled[0]; i++)
        if (str_is(s, misspelled[i]))
            return true;
    return false;
}

/* A typing error, or another version: the first byte that differs tells. */
static bool is_near(struct pap_str s)
{
    return str_first_difference(s, S(SCHEMA)) >= 20 || str_starts(s, S("http://schemas.agentskills.io/"));
}

static const char *hint_absent(const struct json *root)
{
    const struct json *skills = json_get_c(root, "skills");
    json_each (e, json_is(skills, JSON_ARRAY) ? skills : NULL) {
        if (json_get_c(e, "url") && json_get_c(e, "digest"))
            return "; the entries have url and digest as in 0.2.0, so this line is all that is missing";
        if (json_get_c(e, "files"))
            return "; entries that list `files` are of version 0.1, which has no digests";
    }
    return json_get_c(root, "schema") ? "; the member schema has no dollar sign" : "";
}

static void schema_is_current(struct run *r)
{
    const struct json *root = r->doc->root, *s = json_get_c(root, "$schema");
    if (!index_is_current(r))
        return;
    if (!s)
        find_missing(r, root, "$schema", "$schema is missing, so clients do not use the index%s", hint_absent(root));
    else if (s->type != JSON_STRING)
        find(r, s, "$schema is %s; it is a string", qv(r, s));
    else if (is_misspelled(json_str(s)))
        find(r, s, "$schema is %s: an address that circulates in checklists, but that no client accepts", qv(r, s));
    else if (!str_is(json_str(s), SCHEMA))
        find(r, s, "$schema is %s, but clients accept \"" SCHEMA "\" only%s%s", qv(r, s),
             is_near(json_str(s)) ? ": " : "", is_near(json_str(s)) ? difference(r, json_str(s), S(SCHEMA)) : "");
}

/* ---- skills and their entries ---- */

static void has_skills(struct run *r)
{
    const struct json *root = r->doc->root, *skills = json_get_c(root, "skills");
    if (!index_is_current(r) || json_is(skills, JSON_ARRAY))
        return;
    if (skills) {
        find(r, skills, "skills is %s; it is a list of the skills: [ ... ]", qv(r, skills));
        return;
    }
    find_missing(r, root, "skills", "the list of skills is missing");
    json_each (member, root)
        if (member->type == JSON_ARRAY && json_is(member->child, JSON_OBJECT) && json_get_c(member->child, "name"))
            mend(r, "Rename \"%s\" to \"skills\".", whole(r, json_key(member)));
}

static void is_not_long(struct run *r)
{
    const struct json *skills = json_get_c(r->doc->root, "skills");
    if (index_is_current(r) && json_is(skills, JSON_ARRAY) && skills->n > LIMIT_INDEX_ENTRIES)
        find(r, skills, "the index lists %u skills; clients stop at %d", skills->n, LIMIT_INDEX_ENTRIES);
}

/* The sections of the proposal have names. */
#define INDEX .spec = SPEC_DISCOVERY, .section = "Discovery Index", .kind = KIND_INDEX, .sure = V_ALL
/* Declares the member that a function reads: a duplicate of it is an error (decisions 4). */
#define READS(path) .fields = FIELDS({path, T_ANY, 0, FORMAT_NONE, 0, NULL})

/* clang-format off */ /* a row is read as a block */
static const struct check rows[] = {
    {
        .id = "index.object", .covers = "", INDEX, .level = LEVEL_MUST, .severity = PAP_ERROR, .fn = is_object,
        .title = "the index is a JSON object",
        .why = "Clients look for the members $schema and skills and find nothing.",
        .mend = "Write { \"$schema\": \"" SCHEMA "\", \"skills\": [ ... ] }.",
        .good = "{ \"$schema\": ..., \"skills\": [ ... ] }", .bad = "[ { \"name\": ... } ]",
    },
    {
        .id = "index.legacy", .covers = "I211 P-1", INDEX, .level = LEVEL_MUST, .severity = PAP_WARNING, .fn = is_not_old,
        .title = "the index has the layout of 0.2.0 and stands at its address",
        .why = "Older layouts have no digest, so nothing can be verified, and clients of the current version do not read them.",
        .mend = "Publish an index of 0.2.0 at /.well-known/agent-skills/index.json: $schema, and for each skill name, type, "
                "description, url and digest; a skill of several files becomes one archive.",
        .good = "\"url\": \"/.well-known/agent-skills/a/SKILL.md\", \"digest\": \"sha256:...\"",
        .bad = "\"files\": [\"SKILL.md\"]",
    },
    {
        .id = "index.schema", .covers = "I201 S01 P-2 C-2", INDEX, .level = LEVEL_MUST, .severity = PAP_ERROR,
        READS("/$schema"), .fn = schema_is_current,
        .title = "$schema is exactly the identifier of 0.2.0",
        .why = "Clients compare the string byte by byte and do not use an index that says anything else. It is a name; nobody "
               "fetches it.",
        .mend = "Write \"$schema\": \"" SCHEMA "\".",
        .good = "\"$schema\": \"" SCHEMA "\"", .bad = "\"$schema\": \"https://agentskills.io/schemas/v0.2.0/index.json\"",
    },
    {
        .id = "index.skills", .covers = "I202 P-3", INDEX, .level = LEVEL_MUST, .severity = PAP_ERROR,
        READS("/skills"), .fn = has_skills,
        .title = "skills is a list",
        .why = "Clients find the skills there and nowhere else.",
        .mend = "Write \"skills\": [ ... ] with an object for each skill; an empty list is right where there is none.",
        .good = "\"skills\": []", .bad = "\"skills\": { \"a\": { ... } }",
    },
    {
        .id = "index.size", .covers = "R-C7", .spec = SPEC_PAPAVER, .section = "", .kind = KIND_INDEX, .sure = V_ALL,
        .level = LEVEL_ADVICE, .severity = PAP_WARNING, .fn = is_not_long,
        .title = "the index lists at most 1,000 skills",
        .why = "Clients bound what they read; an agent cannot choose among thousands either.",
        .mend = "List the skills that people need most; put related steps into one skill.",
        .good = "30 skills", .bad = "2,000 skills",
    },
    {
        .id = "index.entry", .covers = "I203 S02 P-8 R-C15", INDEX, .level = LEVEL_MUST, .severity = PAP_ERROR,
        READS("/skills/*"), .fn = index_entries_whole,
        .title = "each skill has name, type, description, url and digest, all strings",
        .why = "Clients leave an entry out that lacks one of them; nobody is told.",
        .mend = "Add the member: name, type (\"skill-md\" or \"archive\"), description, url, and digest (\"sha256:\" and the "
                "SHA-256 of the file in hex).",
        .good = "\"digest\": \"sha256:9f86...\"", .bad = "\"sha256\": \"9f86...\"",
    },
    {
        .id = "index.type", .covers = "S03 P-5 C-7", INDEX, .level = LEVEL_MUST, .severity = PAP_WARNING,
        READS("/skills/*/type"), .fn = index_types,
        .title = "type is skill-md or archive",
        .why = "Clients skip the skills of other types.",
        .mend = "Write \"skill-md\" for a single SKILL.md, \"archive\" for a tar.gz or zip; other things than skills do not "
                "belong in this index.",
        .good = "\"type\": \"skill-md\"", .bad = "\"type\": \"tool\"",
    },
    {
        .id = "index.name", .covers = "I203 P-4", INDEX, .level = LEVEL_MUST, .severity = PAP_ERROR,
        READS("/skills/*/name"), .fn = index_names,
        .title = "a skill's name is 1 to 64 of a-z, 0-9 and single hyphens inside",
        .why = "Clients make a folder and a tool of the name and leave out a skill whose name they cannot use.",
        .mend = "Give the skill a name of a-z, 0-9 and hyphens, the same here and in SKILL.md.",
        .good = "\"name\": \"change-booking\"", .bad = "\"name\": \"Change Booking\"",
    },
    {
        .id = "index.name.duplicate", .covers = "I208 S06 R-P8", INDEX, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = index_names_once,
        .title = "no two skills have one name",
        .why = "Some clients take the last one, careful ones drop both.",
        .mend = "Give each skill a name of its own, or remove the entry that is out of date.",
        .good = "change-booking, cancel-booking", .bad = "change-booking twice",
    },
    {
        .id = "index.description", .covers = "I203 P-6", INDEX, .level = LEVEL_MUST, .severity = PAP_ERROR,
        READS("/skills/*/description"), .fn = index_descriptions,
        .title = "a description has 1 to 1,024 characters",
        .why = "The agent chooses a skill by it alone; clients leave out what is blank or too long.",
        .mend = "Say in one or two sentences what the skill does and when to use it.",
        .good = "\"description\": \"Move a table booking to another time.\"", .bad = "\"description\": \"\"",
    },
    {
        .id = "index.description.plain", .covers = "R-S4", .spec = SPEC_PAPAVER, .section = "", .kind = KIND_INDEX,
        .sure = V_ALL, .level = LEVEL_ADVICE, .severity = PAP_INFO, .fn = index_descriptions_plain,
        .title = "descriptions hold no < or > and no invisible characters",
        .why = "Descriptions stand in a model's instructions before anything is verified, so careful clients clean or refuse "
               "what looks like markup or is hidden from people.",
        .mend = "Write the description as plain words.",
        .good = "\"for orders over 50 euros\"", .bad = "\"for orders <b>over</b> 50 euros\"",
    },
    {
        .id = "index.digest", .covers = "I204 S04 P-9", INDEX, .level = LEVEL_MUST, .severity = PAP_ERROR,
        READS("/skills/*/digest"), .fn = index_digests,
        .title = "digest is sha256: and 64 lower-case hex digits",
        .why = "Clients compare it as a string with the one they compute, so another spelling never matches.",
        .mend = "Let the build write \"sha256:\" and the output of `sha256sum` for the very file that is served.",
        .good = "\"digest\": \"sha256:73331f71...\"", .bad = "\"digest\": \"73331F71...\"",
    },
    {
        .id = "index.url", .covers = "I206 S05 P-7 R-C2 C-4", INDEX, .level = LEVEL_MUST, .severity = PAP_ERROR,
        READS("/skills/*/url"), .fn = index_urls,
        .title = "url leads to the skill's file over https",
        .why = "Clients cannot fetch the skill, or refuse to.",
        .mend = "Write an https URL, or a path on the same site such as \"/.well-known/agent-skills/NAME/SKILL.md\".",
        .good = "\"url\": \"/.well-known/agent-skills/change-booking/SKILL.md\"",
        .bad = "\"url\": \"http://shop.example/my skill.md\"",
    },
    {
        .id = "index.url.mutable", .covers = "I207 R-P4", .spec = SPEC_PAPAVER, .section = "", .kind = KIND_INDEX,
        .sure = V_ALL, .level = LEVEL_ADVICE, .severity = PAP_WARNING, .fn = index_urls_fixed,
        .title = "a url with a digest does not follow a branch",
        .why = "The next commit changes the bytes, the digest matches no longer, and every client refuses the skill.",
        .mend = "Put the commit or a tag into the url, or serve the file from your own site.",
        .good = "https://raw.githubusercontent.com/shop/skills/v1.2.0/a/SKILL.md",
        .bad = "https://raw.githubusercontent.com/shop/skills/main/a/SKILL.md",
    },
    {
        .id = "index.url.relative", .covers = "S05 C-4", .spec = SPEC_PAP, .section = "9.4", .kind = KIND_INDEX, .sure = V_ALL,
        .level = LEVEL_MAY, .severity = PAP_INFO, .fn = index_urls_mean_one_thing,
        .title = "a relative url means the same from every address of the index",
        .why = "A relative url resolves against the document that it stands in, after redirects; some clients resolve against "
               "the address they asked for.",
        .mend = "Write full URLs; then every copy of the index can list the same entries.",
        .good = "\"url\": \"https://shop.example/skills/a/SKILL.md\"", .bad = "\"url\": \"a/SKILL.md\" in both indexes",
    },
};
/* clang-format on */

CHECK_TABLE(index_checks, rows);
