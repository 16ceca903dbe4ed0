/* SPDX-License-Identifier: Apache-2.0
 *
 * Syntax notes: what a reader saw in the bytes that a person should know, with its place. A reader notes and goes on
 * where it can; the note that stops it is the last one and `fatal`. Rows in proto/text_checks.c give each code its id
 * and severity; nothing here judges.
 */
#ifndef TEXT_NOTE_H
#define TEXT_NOTE_H

#include "base/arena.h"

enum note_code {
    NOTE_NONE = 0,
    /* any text */
    NOTE_BOM,      /* a byte order mark at the start (skipped) */
    NOTE_UTF8,     /* not valid UTF-8 */
    NOTE_CONTROL,  /* a control character that the format does not allow (NUL included) */
    NOTE_TOO_LONG, /* larger than the cap of its kind */
    NOTE_EMPTY,    /* nothing there */
    NOTE_HTML,     /* begins like HTML where data was expected */
    /* JSON (RFC 8259) */
    NOTE_JSON_SYNTAX,         /* not JSON: detail says what was expected */
    NOTE_JSON_DUPLICATE,      /* member name twice in one object; `other` is the first one's place */
    NOTE_JSON_DEPTH,          /* nested too deep */
    NOTE_JSON_NUMBER,         /* a number outside what a double or int64 holds exactly (kept as text) */
    NOTE_JSON_NUL,            /* \u0000 inside a string */
    NOTE_JSON_LONE_SURROGATE, /* \uD800 ... \uDFFF alone */
    NOTE_JSON_TRAILING,       /* text after the value */
    NOTE_JSON_TRUNCATED,      /* the text ends inside a value */
    /* YAML front matter */
    NOTE_YAML_SYNTAX,         /* not YAML: detail is the cause */
    NOTE_YAML_COLON,          /* the cause is an unquoted ": " in a plain value */
    NOTE_YAML_CONFLICT,       /* git conflict markers */
    NOTE_YAML_TAB,            /* TAB used as indentation */
    NOTE_YAML_TAB_BLANK,      /* TAB as a blank where some parsers refuse it */
    NOTE_YAML_DUPLICATE,      /* key twice; `other` is the first one's place */
    NOTE_YAML_ANCHOR,         /* anchor or alias */
    NOTE_YAML_TAG,            /* tag */
    NOTE_YAML_MERGE,          /* merge key */
    NOTE_YAML_COMPLEX_KEY,    /* key that is not a plain or quoted scalar */
    NOTE_YAML_DIRECTIVE,      /* % directive */
    NOTE_YAML_DOCUMENTS,      /* a second document */
    NOTE_YAML_DEPTH,          /* nested too deep */
    NOTE_YAML_COMMENT_CUTS,   /* " #" cut a plain value short; detail is what was lost */
    NOTE_YAML_FLOW,           /* flow style ({...} or [...]) */
    NOTE_YAML_LINE_SEPARATOR, /* U+0085, U+2028 or U+2029: parsers disagree whether a line ends */
    NOTE_YAML_NOT_MAPPING,    /* the block is not a mapping */
    /* line ends and fences of SKILL.md */
    NOTE_CRLF,           /* CRLF or lone CR line ends */
    NOTE_NO_FRONTMATTER, /* first line is not --- ; detail says what stands there */
    NOTE_UNCLOSED,       /* no closing --- */
    NOTE_COUNT
};

struct note {
    struct note *next;
    enum note_code code;
    bool fatal;            /* the reader stopped here */
    uint32_t off;          /* byte offset in the document */
    uint32_t other;        /* offset of the other place, 0 when there is none */
    struct pap_str detail; /* arena text, may quote input; may be empty */
};

struct notes {
    struct note *first, *last;
    size_t n;
};

/* Appends a note; false when out of memory. */
bool note_add(struct notes *notes, struct arena *a, struct note n) PAP_MUST;

#endif
