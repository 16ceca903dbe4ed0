/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of any document: each row gives a syntax note of a reader its id and severity. One message a note: what
 * stands there, then what the reader said of it.
 */
#include "base/limits.h"
#include "proto/check.h"
#include "text/place.h"

/* How the sentence goes on behind what the row says. */
enum tail { TAIL_NONE, TAIL_DETAIL, TAIL_PASTE, TAIL_LOST, TAIL_OTHER };

static uint32_t line_of(const struct run *r, size_t off)
{
    return place_of(r->doc->bytes, off).line;
}

/* The lost text with the value before it, in quotes and ready to paste when nothing in it needs an escape. */
static void mend_cut(struct run *r, const struct note *n)
{
    struct pap_str text = str_take(r->doc->bytes, n->off + n->detail.n);
    text = str_skip(text, n->other);
    if (n->detail.n && str_find_char(text, '"') == text.n && str_find_char(text, '\\') == text.n &&
        str_find_char(text, '\n') == text.n)
        mend(
            r,
            "When the # belongs to the value, put all of it in quotes: \"%s\". When it begins a comment, give the comment a "
            "line of its own.",
            whole(r, text));
}

static void say(struct run *r, const struct note *n, const char *what, enum tail tail)
{
    bool more = n->detail.n > 0;
    if (tail == TAIL_LOST && more) {
        find_offset(r, n->off, "%s; what is lost is %s", what, q(r, n->detail));
        mend_cut(r, n);
    } else if (tail == TAIL_OTHER) {
        find_offset(r, n->off, "%s: %s, first in line %u", what, q(r, n->detail), line_of(r, n->other));
    } else if (tail == TAIL_DETAIL && more && n->other) {
        find_offset(r, n->off, "%s: %s (line %u)", what, whole(r, n->detail), line_of(r, n->other));
    } else if (tail == TAIL_DETAIL && more) {
        find_offset(r, n->off, "%s: %s", what, whole(r, n->detail));
    } else {
        find_offset(r, n->off, "%s", what);
        if (tail == TAIL_PASTE && more)
            mend(r, "Put the whole value in quotes: %s", whole(r, n->detail));
    }
}

/* What each note says of itself. A row and a sentence for every code that is not handled by a function of its own. */
static const struct {
    const char *what;
    enum tail tail;
} sentences[NOTE_COUNT] = {
    [NOTE_BOM] = {"the text begins with a byte order mark (EF BB BF)", TAIL_NONE},
    [NOTE_UTF8] = {"the text is not valid UTF-8", TAIL_DETAIL},
    [NOTE_CONTROL] = {"a control character stands in the text", TAIL_DETAIL},
    [NOTE_TOO_LONG] = {"the document is larger than what is read of its kind", TAIL_DETAIL},
    [NOTE_EMPTY] = {"the document is empty", TAIL_NONE},
    [NOTE_HTML] = {"an HTML page stands where the document should be, probably the catch-all page of your app",
                   TAIL_NONE},
    [NOTE_CRLF] = {"lines end with CR LF or a lone CR", TAIL_NONE},
    [NOTE_JSON_SYNTAX] = {"this is not JSON", TAIL_DETAIL},
    [NOTE_JSON_TRUNCATED] = {"the JSON text is cut off", TAIL_DETAIL},
    [NOTE_JSON_TRAILING] = {"text follows the JSON value", TAIL_DETAIL},
    [NOTE_JSON_DEPTH] = {"values are nested too deep", TAIL_DETAIL},
    [NOTE_JSON_LONE_SURROGATE] = {"an escape is half of a surrogate pair", TAIL_DETAIL},
    [NOTE_JSON_NUL] = {"a string holds the NUL character", TAIL_DETAIL},
    [NOTE_JSON_NUMBER] = {"a number is outside what many readers hold exactly", TAIL_DETAIL},
    [NOTE_YAML_SYNTAX] = {"the front matter is not YAML", TAIL_DETAIL},
    [NOTE_YAML_COLON] = {"an unquoted value holds a colon followed by a blank", TAIL_PASTE},
    [NOTE_YAML_CONFLICT] = {"a merge conflict was left in the front matter", TAIL_DETAIL},
    [NOTE_YAML_TAB] = {"a TAB is used as indentation", TAIL_NONE},
    [NOTE_YAML_TAB_BLANK] = {"a TAB stands where some parsers take only a blank", TAIL_NONE},
    [NOTE_YAML_DUPLICATE] = {"a key stands twice", TAIL_OTHER},
    [NOTE_YAML_ANCHOR] = {"an anchor or alias stands in the front matter", TAIL_DETAIL},
    [NOTE_YAML_TAG] = {"a tag stands in the front matter", TAIL_DETAIL},
    [NOTE_YAML_MERGE] = {"a merge key (<<) stands in the front matter", TAIL_NONE},
    [NOTE_YAML_COMPLEX_KEY] = {"a key is not a word", TAIL_DETAIL},
    [NOTE_YAML_DIRECTIVE] = {"a YAML directive stands in the front matter", TAIL_NONE},
    [NOTE_YAML_DOCUMENTS] = {"a second YAML document begins in the front matter", TAIL_NONE},
    [NOTE_YAML_DEPTH] = {"values are nested too deep", TAIL_DETAIL},
    [NOTE_YAML_COMMENT_CUTS] = {"a # cuts the value short", TAIL_LOST},
    [NOTE_YAML_FLOW] = {"a value is written in flow style", TAIL_NONE},
    [NOTE_YAML_LINE_SEPARATOR] = {"a line separator (U+0085, U+2028 or U+2029) stands in the front matter", TAIL_NONE},
    [NOTE_YAML_NOT_MAPPING] = {"the front matter is not a list of `key: value` lines", TAIL_DETAIL},
    [NOTE_NO_FRONTMATTER] = {"the first line is not ---", TAIL_DETAIL},
    [NOTE_UNCLOSED] = {"the front matter is not closed", TAIL_DETAIL},
};

/* An index that is only looked for, not announced, may well be a web page: its own row says so, as an info. */
static bool is_said_elsewhere(const struct run *r, enum note_code code)
{
    bool looked_for = r->doc->role == ROLE_WELL_KNOWN || r->doc->role == ROLE_LEGACY;
    return code == NOTE_HTML && r->doc->exchange && looked_for && r->bundle->first != r->doc;
}

/* U+0080 to U+009F in a body: nothing that we read is hidden by it, and all clients load the skill. */
static bool is_mojibake(const struct run *r, const struct note *n)
{
    return n->code == NOTE_CONTROL && !n->fatal && r->doc->bytes.p[n->off] & 0x80;
}

/* Says every note of the row's code; of controls only those that `mojibake` asks for. */
static void report(struct run *r, bool mojibake)
{
    if (is_said_elsewhere(r, r->row->note))
        return;
    for (const struct note *n = r->doc->notes.first; n; n = n->next) {
        if (n->code != r->row->note || is_mojibake(r, n) != mojibake)
            continue;
        if (r->row_findings < LIMIT_FINDINGS_PER_ROW)
            say(r, n, sentences[n->code].what, sentences[n->code].tail);
        else
            find_offset(r, n->off, "counted only"); /* places are not for free */
    }
}

static void size_is_good(struct run *r)
{
    if (r->doc->root && r->doc->bytes.n > LIMIT_DOCUMENT_GOOD)
        find(r, NULL, "the document has %zu bytes; agents are known to stop at %d", r->doc->bytes.n,
             LIMIT_DOCUMENT_GOOD);
}

static void report_note(struct run *r)
{
    report(r, false);
}

static void report_mojibake(struct run *r)
{
    report(r, true);
}

static void say_duplicate(struct run *r, const struct json *member)
{
    const struct note *n = r->doc->notes.first;
    if (r->row_findings >= LIMIT_FINDINGS_PER_ROW) {
        find_key(r, member, "counted only");
        return;
    }
    while (n && !(n->code == NOTE_JSON_DUPLICATE && n->off == member->key_off))
        n = n->next;
    find_key(r, member, "the member %s stands twice in its object, first in line %u; readers disagree which counts",
             q(r, json_key(member)), line_of(r, n ? n->other : member->key_off));
}

static void duplicate_read(struct run *r)
{
    fields_duplicate(r, true, say_duplicate);
}

static void duplicate_unread(struct run *r)
{
    fields_duplicate(r, false, say_duplicate);
}

/* clang-format off */ /* a row is read as a block */
static const struct check rows[] = {
    {
        .id = "text.bom", .covers = "D04 F103", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "8.1", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .strict = true, .of = OF_ANY, .sure = V_ALL, .note = NOTE_BOM, .fn = report_note,
        .title = "the text does not begin with a byte order mark",
        .why = "Many readers take the three invisible bytes for content and refuse the document.",
        .mend = "Save the file as UTF-8 without a byte order mark (BOM).",
        .good = "{ ...", .bad = "EF BB BF { ...",
    },
    {
        .id = "text.utf8", .covers = "F102 D04", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "8.1", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_ANY, .sure = V_ALL, .note = NOTE_UTF8, .fn = report_note,
        .title = "the text is valid UTF-8",
        .why = "Readers either refuse the document or replace the bytes, and then its digest and its words are no longer yours.",
        .mend = "Save the file as UTF-8.",
        .good = "caf\u00e9 in UTF-8: 63 61 66 C3 A9", .bad = "caf\u00e9 in Latin-1: 63 61 66 E9",
    },
    {
        .id = "text.control", .covers = "F102", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "7", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_ANY, .sure = V_ALL, .note = NOTE_CONTROL, .fn = report_note,
        .title = "the text holds no control characters",
        .why = "They are not allowed in JSON strings and front matter, and some change what a terminal shows.",
        .mend = "Remove the character; inside a JSON string it is written as an escape (\\n, \\t, \\u0007).",
        .good = "\"line\\n\"", .bad = "a raw BEL (07) inside a string",
    },
    {
        .id = "text.control-c1", .covers = "F102 R-F14", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "SKILL.md format", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_CONTROL, .fn = report_mojibake,
        .title = "the body holds no characters from U+0080 to U+009F",
        .why = "Nobody writes these: they are left when text is read in a wrong encoding and saved again, and words are lost with "
               "them. Some terminals obey them.",
        .mend = "Type the damaged word or symbol again; look for others near it.",
        .good = "\u201cbooking\u201d", .bad = "\u00e2\u20ac<U+009C>booking",
    },
    {
        .id = "text.too-long", .covers = "D08 F180", .spec = SPEC_PAPAVER, .kind = KIND_TEXT, .section = "", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_ANY, .sure = V_ALL, .note = NOTE_TOO_LONG, .fn = report_note,
        .title = "the document is not larger than agents read",
        .why = "Agents stop reading at their cap and skip the document.",
        .mend = "Make it smaller: poppy.json and metadata need a few kilobytes, front matter a few lines; long texts belong into "
                "skills, API descriptions and the body.",
        .good = "a poppy.json of 3 kB", .bad = "a poppy.json of 2 MB",
    },
    {
        .id = "text.large", .covers = "D08", .spec = SPEC_PAPAVER, .kind = KIND_TEXT, .section = "", .level = LEVEL_ADVICE,
        .severity = PAP_WARNING, .of = OF(KIND_POPPY) | OF(KIND_METADATA) | OF(KIND_RESOURCE) | OF(KIND_CLIENT) | OF(KIND_JWKS),
        .sure = V_ALL, .fn = size_is_good,
        .title = "the document has at most 64 KiB",
        .why = "The known implementations stop reading at 32 or 64 KiB.",
        .mend = "Shorten descriptions, and move long texts into the API description or into skills.",
        .good = "4 kB", .bad = "90 kB",
    },
    {
        .id = "text.empty", .covers = "D04", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_ANY, .sure = V_ALL, .note = NOTE_EMPTY, .fn = report_note,
        .title = "the document is not empty",
        .why = "There is nothing to read.",
        .mend = "Publish the document's content; an empty file is often a failed build step.",
        .good = "{ ... }", .bad = "a file of 0 bytes",
    },
    {
        .id = "text.html", .covers = "D04 H401", .spec = SPEC_PAP, .kind = KIND_TEXT, .section = "3", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_ANY, .sure = V_ALL, .note = NOTE_HTML, .fn = report_note,
        .title = "the answer is the document, not a web page",
        .why = "A web page where a document was asked for usually is the site's catch-all: nothing is published here (a soft 404).",
        .mend = "Let the web server answer this path with the document, or with 404, before the rule that sends every path to the app.",
        .good = "{ \"protocol_version\": ...", .bad = "<!doctype html> ...",
    },
    {
        .id = "text.line-ends", .covers = "F104", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "SKILL.md format", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_CRLF, .fn = report_note,
        .title = "lines end with LF",
        .why = "Tools that look for \"---\" and a line feed find no front matter; and a checkout on another system changes the digest.",
        .mend = "Convert the file to LF, and keep it so: `*.md -text` or `*.md eol=lf` in .gitattributes.",
        .good = "name: a<LF>", .bad = "name: a<CR><LF>",
    },
    {
        .id = "json.syntax", .covers = "D04", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_JSON | OF(KIND_MCP), .sure = V_ALL, .note = NOTE_JSON_SYNTAX, .fn = report_note,
        .title = "the document is JSON",
        .why = "No reader can go on after a syntax error, so the whole document is lost.",
        .mend = "Correct the place shown; a JSON formatter in your editor or build finds the next one.",
        .good = "{ \"a\": 1 }", .bad = "{ \"a\": 1, }",
    },
    {
        .id = "json.truncated", .covers = "D04", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_JSON | OF(KIND_MCP), .sure = V_ALL, .note = NOTE_JSON_TRUNCATED, .fn = report_note,
        .title = "the JSON text is complete",
        .why = "The text ends inside a value: an upload or a build was cut off.",
        .mend = "Publish the whole file again.",
        .good = "{ \"a\": [1] }", .bad = "{ \"a\": [1",
    },
    {
        .id = "json.trailing", .covers = "D04", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_JSON | OF(KIND_MCP), .sure = V_ALL, .note = NOTE_JSON_TRAILING, .fn = report_note,
        .title = "nothing follows the JSON value",
        .why = "Strict readers refuse the document; lenient ones never see what follows.",
        .mend = "Remove what stands behind the last brace.",
        .good = "{ }", .bad = "{ } { }",
    },
    {
        .id = "json.depth", .covers = "", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "9", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_JSON | OF(KIND_MCP), .sure = V_ALL, .note = NOTE_JSON_DEPTH, .fn = report_note,
        .title = "values are not nested too deep",
        .why = "Readers stop at their own limit; nesting like this only ever comes from a faulty generator or an attack.",
        .mend = "Flatten the document.",
        .good = "3 levels", .bad = "1,000 levels",
    },
    {
        .id = "json.lone-surrogate", .covers = "", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "8.2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_JSON | OF(KIND_MCP), .sure = V_ALL, .note = NOTE_JSON_LONE_SURROGATE, .fn = report_note,
        .title = "escapes of surrogates come in pairs",
        .why = "Half a character cannot be written as UTF-8: readers refuse it or show a replacement.",
        .mend = "Write the character itself in UTF-8, or both halves of the pair.",
        .good = "\"\\ud83c\\udf39\"", .bad = "\"\\ud83c\"",
    },
    {
        .id = "json.nul", .covers = "", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "8.2", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .of = OF_JSON | OF(KIND_MCP), .sure = V_ALL, .note = NOTE_JSON_NUL, .fn = report_note,
        .title = "strings do not hold the NUL character",
        .why = "Programs in C cut the string there without a word, so different readers see different values.",
        .mend = "Remove the escape \\u0000.",
        .good = "\"x\"", .bad = "\"x\\u0000y\"",
    },
    {
        .id = "json.number", .covers = "", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "6", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .of = OF_JSON | OF(KIND_MCP), .sure = V_ALL, .note = NOTE_JSON_NUMBER, .fn = report_note,
        .title = "numbers are within what all readers hold exactly",
        .why = "Readers round the number or refuse the document.",
        .mend = "Write large values as strings.",
        .good = "9007199254740991", .bad = "1e400",
    },
    {
        .id = "json.duplicate-member", .covers = "D07", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "4", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF_JSON, .sure = V_ALL, .note = NOTE_JSON_DUPLICATE, .fn = duplicate_read,
        .title = "a member that a rule reads stands once",
        .why = "Some readers take the first, some the last, some refuse the document: what you mean is not what every agent sees.",
        .mend = "Keep one of the two.",
        .good = "{ \"auth\": { ... } }", .bad = "{ \"auth\": { ... }, \"auth\": { ... } }",
    },
    {
        .id = "json.duplicate-unread", .covers = "D07", .spec = SPEC_RFC8259, .kind = KIND_TEXT, .section = "4", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .of = OF_JSON | OF(KIND_MCP), .sure = V_ALL, .note = NOTE_JSON_DUPLICATE, .fn = duplicate_unread,
        .title = "no member stands twice",
        .why = "Nothing that is judged depends on it, but strict readers refuse the whole document.",
        .mend = "Keep one of the two.",
        .good = "{ \"x\": 1 }", .bad = "{ \"x\": 1, \"x\": 2 }",
    },
    {
        .id = "yaml.syntax", .covers = "F110", .spec = SPEC_YAML, .kind = KIND_TEXT, .section = "", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_SYNTAX, .fn = report_note,
        .title = "the front matter is YAML",
        .why = "A client that cannot read the front matter drops the skill, often without a word.",
        .mend = "Correct the place shown; when a value holds special characters, put the whole of it in quotes.",
        .good = "description: \"[beta] Change a booking\"", .bad = "description: @booking",
    },
    {
        .id = "yaml.colon", .covers = "F110", .spec = SPEC_YAML, .kind = KIND_TEXT, .section = "7.3.3", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_COLON, .fn = report_note,
        .title = "values with a colon and a blank are in quotes",
        .why = "This is the commonest fault of all: the colon begins a new mapping, and the skill does not load.",
        .mend = "Put the whole value in quotes.",
        .good = "description: \"Use when: a booking moves\"", .bad = "description: Use when: a booking moves",
    },
    {
        .id = "yaml.conflict", .covers = "F110", .spec = SPEC_YAML, .kind = KIND_TEXT, .section = "", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_CONFLICT, .fn = report_note,
        .title = "no conflict markers of a version control system are left",
        .why = "The file was saved in the middle of a merge.",
        .mend = "Decide between the two versions and remove the lines <<<<<<<, ======= and >>>>>>>.",
        .good = "name: a", .bad = "<<<<<<< HEAD",
    },
    {
        .id = "yaml.tab", .covers = "F111", .spec = SPEC_YAML, .kind = KIND_TEXT, .section = "6.1", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_TAB, .fn = report_note,
        .title = "indentation is made of blanks",
        .why = "YAML forbids TAB as indentation; parsers refuse the file.",
        .mend = "Replace each TAB at the start of a line by blanks.",
        .good = "metadata:<LF>  a: b", .bad = "metadata:<LF><TAB>a: b",
    },
    {
        .id = "yaml.tab-blank", .covers = "F111", .spec = SPEC_YAML, .kind = KIND_TEXT, .section = "6.2", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_TAB_BLANK, .fn = report_note,
        .title = "keys and values are separated by blanks, not TABs",
        .why = "Some parsers refuse a TAB there.",
        .mend = "Use a blank behind the colon and none at line ends.",
        .good = "name: a", .bad = "name:<TAB>a",
    },
    {
        .id = "yaml.duplicate-key", .covers = "F111", .spec = SPEC_YAML, .kind = KIND_TEXT, .section = "3.2.1.3", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_DUPLICATE, .fn = report_note,
        .title = "each key stands once",
        .why = "Some parsers take the first, some the last, some refuse: clients would see different skills.",
        .mend = "Keep one of the two.",
        .good = "name: a", .bad = "name: a<LF>name: b",
    },
    {
        .id = "yaml.anchor", .covers = "F111", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_ANCHOR, .fn = report_note,
        .title = "anchors and aliases are not used",
        .why = "They make a short file expand to gigabytes, so careful clients refuse them; a value that only begins with & or * needs quotes.",
        .mend = "Write the value out, or put it in quotes.",
        .good = "description: \"*new* bookings\"", .bad = "description: *new",
    },
    {
        .id = "yaml.tag", .covers = "F111", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_TAG, .fn = report_note,
        .title = "tags are not used",
        .why = "Tags ask a parser to build objects of other types, so careful clients refuse them; a value that only begins with ! needs quotes.",
        .mend = "Remove the tag, or put the value in quotes.",
        .good = "description: \"!important\"", .bad = "description: !important",
    },
    {
        .id = "yaml.merge-key", .covers = "F111", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_MERGE, .fn = report_note,
        .title = "merge keys are not used",
        .why = "Only some parsers know them.",
        .mend = "Write the members out.",
        .good = "metadata:<LF>  a: b", .bad = "<<: *base",
    },
    {
        .id = "yaml.complex-key", .covers = "F111", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_COMPLEX_KEY, .fn = report_note,
        .title = "keys are plain words or quoted",
        .why = "No client has a use for a key that is a list or a mapping; most often it is a template that was not filled in.",
        .mend = "Write a plain key; fill in the template.",
        .good = "name: a", .bad = "{{name}}: a",
    },
    {
        .id = "yaml.directive", .covers = "F111", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_DIRECTIVE, .fn = report_note,
        .title = "directives are not used",
        .why = "The front matter is one block between two fences; a directive has no place there.",
        .mend = "Remove the line that begins with %.",
        .good = "---", .bad = "%YAML 1.2",
    },
    {
        .id = "yaml.documents", .covers = "F111", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_DOCUMENTS, .fn = report_note,
        .title = "the front matter is one document",
        .why = "Parsers read the first one only.",
        .mend = "Keep one document.",
        .good = "name: a", .bad = "name: a<LF>...<LF>name: b",
    },
    {
        .id = "yaml.depth", .covers = "F111", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_DEPTH, .fn = report_note,
        .title = "values are not nested too deep",
        .why = "Front matter needs two levels; deep nesting only slows parsers down.",
        .mend = "Flatten the values.",
        .good = "metadata:<LF>  a: b", .bad = "a: [[[[[[[[[1]]]]]]]]]",
    },
    {
        .id = "yaml.comment-cuts", .covers = "F112", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_COMMENT_CUTS, .fn = report_note,
        .title = "a # does not cut a value short",
        .why = "Behind a blank, # begins a comment: the rest of the value is lost without a word.",
        .mend = "Put the whole value in quotes when the # belongs to it.",
        .good = "description: \"Fix issue #12 now\"", .bad = "description: Fix issue #12 now",
    },
    {
        .id = "yaml.flow", .covers = "F113", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_MAY,
        .severity = PAP_INFO, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_FLOW, .fn = report_note,
        .title = "values are written in block style",
        .why = "Flow style ({...}, [...]) is legal, but the reference validator refuses it.",
        .mend = "Write one key or item a line.",
        .good = "metadata:<LF>  a: b", .bad = "metadata: {\"a\": \"b\"}",
    },
    {
        .id = "yaml.line-separator", .covers = "", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_LINE_SEPARATOR, .fn = report_note,
        .title = "no line separators of other alphabets stand in the front matter",
        .why = "For YAML 1.1 parsers U+0085, U+2028 and U+2029 end a line, for YAML 1.2 ones they do not: one sees a key that the other does not.",
        .mend = "Remove the character; it came from a word processor or a web page.",
        .good = "name: a", .bad = "name: a<U+2028>b: c",
    },
    {
        .id = "yaml.not-mapping", .covers = "F110", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "Frontmatter", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_YAML_NOT_MAPPING, .fn = report_note,
        .title = "the front matter is a mapping",
        .why = "Clients look for the keys name and description.",
        .mend = "Write `key: value` lines between the fences.",
        .good = "name: a<LF>description: b", .bad = "- name",
    },
    {
        .id = "skill.front-matter", .covers = "F105", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "SKILL.md format", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_NO_FRONTMATTER, .fn = report_note,
        .title = "the file begins with front matter",
        .why = "Clients read name and description from it; without them the skill does not exist for them.",
        .mend = "Let the very first line be --- alone, then name and description, then --- again.",
        .good = "---<LF>name: change-booking<LF>...", .bad = "# Change a booking",
    },
    {
        .id = "skill.front-matter.closed", .covers = "F106", .spec = SPEC_SKILLS, .kind = KIND_TEXT, .section = "SKILL.md format", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .of = OF(KIND_SKILL), .sure = V_ALL, .note = NOTE_UNCLOSED, .fn = report_note,
        .title = "the front matter is closed by a line ---",
        .why = "Without it there is no end of the front matter and no instructions.",
        .mend = "Put a line that is exactly --- behind the last key.",
        .good = "name: a<LF>---<LF># Title", .bad = "name: a<LF># Title",
    },
};
/* clang-format on */

CHECK_TABLE(text_checks, rows);
