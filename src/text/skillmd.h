/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a SKILL.md: one fence grammar for checker, publisher and client, so that none can be got round
 * (docs/decisions.md). Front matter becomes a tree; the body is scanned for code spans and links.
 */
#ifndef TEXT_SKILLMD_H
#define TEXT_SKILLMD_H

#include "text/json.h"

struct skillmd {
    struct pap_str block; /* the YAML between the fences; p NULL when there is no front matter */
    struct pap_str body;  /* everything after the closing line; the whole text when nothing opens front matter */
    uint32_t block_off, body_off;
    struct json *root; /* front matter; NULL when it could not be read */
    uint32_t lines;    /* of the whole file */
    bool crlf, bom;
};

/* Splits and reads. Faults are notes; the failure result is for out of memory. A control character in the block is
 * fatal, in the body it is not: the front matter is read all the same. */
pap_result skillmd_read(struct arena *a, struct pap_str text, struct skillmd *ret, struct notes *notes) PAP_MUST;

enum span_type { SPAN_CODE, SPAN_LINK, SPAN_COMMAND };

/* A thing that the Markdown body names: an inline code span, a link or image target, or a command line inside a fenced
 * code block (first word of a line that looks like a path and is no listing of files). `off` is its place in the document. */
struct span {
    enum span_type type;
    struct pap_str text; /* trimmed; a view into the body */
    uint32_t off;
    bool image;              /* of a link: ![...](...) */
    const struct span *next; /* for whoever keeps them; span_next() leaves it NULL */
};

/* Walks the spans in order without allocating. Start with {0}; false at the end. Fenced blocks give SPAN_COMMAND only;
 * HTML comments are passed over. Linear in the body. */
struct span_walk {
    size_t at, end;       /* the paragraph that is being scanned, from `at` on */
    size_t indent;        /* columns of the list item around */
    size_t brackets;      /* "[" not yet closed */
    uint64_t images;      /* a bit for each of the last of them, the innermost lowest: "![" */
    size_t fence_n;       /* its length */
    char fence;           /* '`' or '~' inside a fenced block */
    bool shell;           /* which is typed into a shell, as it says */
    bool after_text;      /* the line before was not blank */
    size_t no_closer[16]; /* by run length: before this place no closing run; [0]: no end of a comment */
};
bool span_next(const struct skillmd *md, struct span_walk *w, struct span *ret);

/* allowed-tools as one string: tokens at blanks or commas outside parentheses. False at the end; *ret_unbalanced is set
 * when parentheses do not match (the rest is one token). */
bool allowed_tools_next(struct pap_str *rest, struct pap_str *ret_token, bool *ret_unbalanced);

#endif
