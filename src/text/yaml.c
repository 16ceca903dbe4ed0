/* SPDX-License-Identifier: Apache-2.0 */
#include "text/yaml.h"

#include <yaml.h>

#include "base/limits.h"
#include "text/scan.h"
#include "text/yaml_inside.h"

/* An open collection. */
struct level {
    struct json *node, *last;
    struct pap_str key; /* of the value that comes next */
    uint32_t key_off;
    bool has_key;
};

_Static_assert(LIMIT_YAML_DEPTH == 8 && LIMIT_FRONTMATTER == 64 * 1024 && LIMIT_JSON_KEY == 65535, "as told in notes");

struct reader {
    struct arena *a;
    struct notes *notes;
    struct pap_str text; /* the block as it is */
    const char *input;   /* the same for libyaml: line separators of YAML 1.1 masked */
    uint32_t base;
    struct text_scan scan;
    size_t chars, bytes; /* one place in both counts, for byte_of() */
    size_t seen;         /* everything before was searched for TABs used as blanks */
    struct level levels[LIMIT_YAML_DEPTH];
    unsigned depth;
    struct json *root;
    bool stopped; /* a fatal note was given */
};

static void parser_done(yaml_parser_t *p)
{
    yaml_parser_delete(p);
}

static void event_done(yaml_event_t *e)
{
    yaml_event_delete(e);
}

static pap_result say(struct reader *r, struct note n)
{
    n.off += r->base;
    r->stopped = r->stopped || n.fatal;
    return note_add(r->notes, r->a, n) ? OK : fail_memory(NULL);
}

static pap_result warn(struct reader *r, enum note_code code, size_t off)
{
    return say(r, (struct note){.code = code, .off = (uint32_t)off});
}

/* The fatal note; a `detail` with p NULL means that making it ran out of memory. */
static pap_result stop(struct reader *r, enum note_code code, size_t off, struct pap_str detail)
{
    struct note n = {.code = code, .fatal = true, .off = (uint32_t)off, .detail = detail};
    return detail.p ? say(r, n) : fail_memory(NULL);
}

/* ---- places ---- */

/* libyaml counts characters. Events come nearly in order, so that the walk from the last place is short. */
static size_t byte_of(struct reader *r, size_t chars)
{
    if (r->scan.ascii)
        return chars < r->text.n ? chars : r->text.n;
    while (r->chars < chars && r->bytes < r->text.n) {
        r->bytes++;
        while (r->bytes < r->text.n && ((unsigned char)r->text.p[r->bytes] & 0xc0) == 0x80)
            r->bytes++;
        r->chars++;
    }
    while (r->chars > chars) {
        r->bytes--;
        while (((unsigned char)r->text.p[r->bytes] & 0xc0) == 0x80)
            r->bytes--;
        r->chars--;
    }
    return r->bytes;
}

/* ---- before libyaml ---- */

static pap_result mask_separators(struct reader *r)
{
    if (r->scan.separator == r->text.n)
        return OK;
    if (!yaml_can_mask(r->text))
        return stop(r, NOTE_YAML_LINE_SEPARATOR, r->scan.separator, S(""));
    TRY(warn(r, NOTE_YAML_LINE_SEPARATOR, r->scan.separator));
    struct pap_str copy = arena_str(r->a, r->text);
    if (!copy.p)
        return fail_memory(NULL);
    yaml_mask((char *)copy.p, copy.n);
    r->input = copy.p;
    return OK;
}

static bool is_conflict_marker(struct pap_str line)
{
    return line.n >= 7 &&
           (memcmp(line.p, "<<<<<<<", 7) == 0 || memcmp(line.p, "=======", 7) == 0 ||
            memcmp(line.p, ">>>>>>>", 7) == 0) &&
           (line.n == 7 || line.p[7] == ' ');
}

/* What libyaml would not name: conflict markers, and a directive that it refuses or swallows. */
static pap_result look_at_lines(struct reader *r)
{
    bool begun = false;
    for (size_t at = 0, next; at < r->text.n && !r->stopped; at = next) {
        struct pap_str line = text_line(r->text, at, &next);
        if (is_conflict_marker(line))
            return stop(r, NOTE_YAML_CONFLICT, at, str_take(line, 7));
        if (!begun && line.n && line.p[0] == '%')
            return stop(r, NOTE_YAML_DIRECTIVE, at, S(""));
        size_t indent = blanks(line);
        begun = begun || (indent < line.n && line.p[indent] != '#');
    }
    return OK;
}

static pap_result look_before(struct reader *r)
{
    text_scan(r->text, &r->scan);
    if (r->scan.bad < r->text.n)
        return stop(r, NOTE_UTF8, r->scan.bad, S(""));
    if (r->scan.control < r->text.n)
        return stop(r, NOTE_CONTROL, r->scan.control, text_name(r->a, str_skip(r->text, r->scan.control)));
    TRY(mask_separators(r));
    return r->stopped ? OK : look_at_lines(r);
}

/* ---- scalars ---- */

/* The text of a scalar: a view into the block where it stands there as it is, else a copy. */
static struct pap_str scalar_text(struct reader *r, const yaml_event_t *e, size_t from)
{
    struct pap_str s = str((const char *)e->data.scalar.value, e->data.scalar.length);
    size_t at = from + (e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 1);
    if (at <= r->text.n && s.n <= r->text.n - at && memcmp(r->input + at, s.p, s.n) == 0)
        return str(r->text.p + at, s.n);
    struct pap_str copy = arena_str(r->a, s);
    if (copy.p && r->input != r->text.p)
        yaml_unmask((char *)copy.p, copy.n);
    return copy;
}

/* " #" behind a plain value begins a comment. Behind no value at all only "#word" looks as if it was meant. */
static pap_result note_cut(struct reader *r, size_t from, size_t end)
{
    size_t hash = end + blanks(str_skip(r->text, end));
    if (hash == end || hash >= r->text.n || r->text.p[hash] != '#')
        return OK;
    struct pap_str lost = str_trim(str(r->text.p + hash, text_line_end(r->text, hash) - hash));
    if (from == end && (lost.n < 2 || is_blank(lost.p[1])))
        return OK;
    struct note n = {.code = NOTE_YAML_COMMENT_CUTS, .off = (uint32_t)hash, .other = r->base + (uint32_t)from};
    n.detail = arena_str(r->a, lost);
    return n.detail.p ? say(r, n) : fail_memory(NULL);
}

/* TABs between two places that are not in a comment: blanks to libyaml and YAML 1.2, an error to others. */
static pap_result note_tabs(struct reader *r, size_t until)
{
    if (!r->scan.tab)
        return OK;
    while (r->seen < until) {
        char c = r->text.p[r->seen];
        bool after_blank = r->seen == 0 || strchr(" \t\r\n", r->text.p[r->seen - 1]);
        if (c == '#' && after_blank) {
            r->seen = text_line_end(r->text, r->seen);
            continue;
        }
        if (c == '\t') {
            TRY(warn(r, NOTE_YAML_TAB_BLANK, r->seen));
            r->seen = text_line_end(r->text, r->seen); /* one a line is enough */
        }
        r->seen++;
    }
    return OK;
}

/* ---- the tree ---- */

static struct json *node_new(struct reader *r, size_t off, enum json_type type, unsigned flags)
{
    struct json *j = arena_new(r->a, struct json);
    if (!j)
        return NULL;
    j->off = r->base + (uint32_t)off;
    j->type = (unsigned char)type;
    j->flags = (unsigned char)flags;
    return j;
}

/* Puts a value where the next one belongs. */
static void attach(struct reader *r, struct json *j)
{
    if (r->depth == 0) {
        r->root = j;
        return;
    }
    struct level *up = &r->levels[r->depth - 1];
    if (up->node->type == JSON_OBJECT) {
        j->key = up->key.p;
        j->key_n = (uint16_t)up->key.n;
        j->key_off = up->key_off;
        j->flags |= JSON_HAS_KEY;
        up->has_key = false;
    }
    if (up->last)
        up->last->next = j;
    else
        up->node->child = j;
    up->last = j;
    up->node->n++;
}

static bool in_flow(const struct reader *r)
{
    return r->depth && (r->levels[r->depth - 1].node->flags & JSON_FLOW);
}

static bool wants_key(const struct reader *r)
{
    const struct level *up = r->depth ? &r->levels[r->depth - 1] : NULL;
    return up && up->node->type == JSON_OBJECT && !up->has_key;
}

/* "? " before a key. */
static bool is_explicit_key(struct pap_str text, size_t at)
{
    size_t p = at;
    while (p > 0 && is_blank(text.p[p - 1]))
        p--;
    return p > 0 && p < at && text.p[p - 1] == '?';
}

static pap_result on_key(struct reader *r, const yaml_event_t *e, size_t from)
{
    struct level *up = &r->levels[r->depth - 1];
    yaml_scalar_style_t style = e->data.scalar.style;
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE || is_explicit_key(r->text, from))
        return stop(r, NOTE_YAML_COMPLEX_KEY, from, S(""));
    up->key = scalar_text(r, e, from);
    if (!up->key.p)
        return fail_memory(NULL);
    if (style == YAML_PLAIN_SCALAR_STYLE && str_is(up->key, "<<"))
        return stop(r, NOTE_YAML_MERGE, from, S(""));
    if (up->key.n > LIMIT_JSON_KEY)
        return stop(r, NOTE_TOO_LONG, from, S("a key of more than 65,535 bytes"));
    up->key_off = r->base + (uint32_t)from;
    up->has_key = true;
    return OK;
}

static pap_result on_scalar(struct reader *r, const yaml_event_t *e, size_t from)
{
    yaml_scalar_style_t style = e->data.scalar.style;
    bool plain = style == YAML_PLAIN_SCALAR_STYLE;
    size_t end = r->scan.tab || plain ? byte_of(r, e->end_mark.index) : from;
    if (r->scan.tab && !plain)
        r->seen = end;
    if (wants_key(r))
        return on_key(r, e, from);
    struct pap_str s = scalar_text(r, e, from);
    bool block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE;
    unsigned flags = plain ? JSON_PLAIN : block ? JSON_BLOCK : 0;
    struct json *j = node_new(r, from, plain ? yaml_plain_type(s) : JSON_STRING, flags);
    if (!j || !s.p)
        return fail_memory(NULL);
    j->p = s.p;
    j->n = (uint32_t)s.n;
    attach(r, j);
    return plain ? note_cut(r, from, end) : OK;
}

/* "{{...}}" with `at` at either brace. */
static bool is_template(struct pap_str text, size_t at)
{
    bool open = text.p[at] == '{';
    return open && ((at > 0 && text.p[at - 1] == '{') || (at + 1 < text.n && text.p[at + 1] == '{'));
}

static pap_result on_open(struct reader *r, const yaml_event_t *e, size_t from)
{
    bool map = e->type == YAML_MAPPING_START_EVENT;
    bool flow = map ? e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                    : e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    bool nested = in_flow(r);
    if (wants_key(r))
        return stop(r, NOTE_YAML_COMPLEX_KEY, from,
                    is_template(r->text, from) ? S("a template that was not filled in") : S(""));
    if (r->depth == LIMIT_YAML_DEPTH)
        return stop(r, NOTE_YAML_DEPTH, from, S("more than 8 levels"));
    struct json *j = node_new(r, from, map ? JSON_OBJECT : JSON_ARRAY, flow ? JSON_FLOW : 0);
    if (!j)
        return fail_memory(NULL);
    attach(r, j);
    r->levels[r->depth++] = (struct level){.node = j};
    return flow && !nested ? warn(r, NOTE_YAML_FLOW, from) : OK;
}

static pap_result on_close(struct reader *r)
{
    struct json *j = r->levels[--r->depth].node;
    bool ok = j->type != JSON_OBJECT || json_note_duplicates(r->a, j, NOTE_YAML_DUPLICATE, r->notes);
    return ok ? OK : fail_memory(NULL);
}

static pap_result on_node(struct reader *r, const yaml_event_t *e, size_t from)
{
    char c = from < r->text.n ? r->text.p[from] : '\0';
    bool scalar = e->type == YAML_SCALAR_EVENT;
    bool empty = scalar && e->data.scalar.length == 0 && e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (c == '&' || c == '*' || c == '!') /* text that only looks like one of them gets the line to paste */
        return stop(r, c == '!' ? NOTE_YAML_TAG : NOTE_YAML_ANCHOR, from,
                    in_flow(r) ? S("") : yaml_as_text(r->a, r->text, from));
    if (r->depth == 0 && empty)
        return OK; /* "---" and nothing: the empty object that a block without a node gives too */
    if (r->depth == 0 && e->type != YAML_MAPPING_START_EVENT)
        return stop(r, NOTE_YAML_NOT_MAPPING, from, scalar ? yaml_no_colon(r->a, r->text, from) : S("a list"));
    return scalar ? on_scalar(r, e, from) : on_open(r, e, from);
}

static pap_result on_event(struct reader *r, const yaml_event_t *e, unsigned *documents)
{
    size_t from = byte_of(r, e->start_mark.index);
    TRY(note_tabs(r, from));
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1)
            return stop(r, NOTE_YAML_DOCUMENTS, from, S(""));
        return OK;
    case YAML_ALIAS_EVENT:
    case YAML_SCALAR_EVENT:
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        return on_node(r, e, from);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return on_close(r);
    default:
        return OK;
    }
}

/* ---- faults and the loop ---- */

static pap_result on_error(struct reader *r, const yaml_parser_t *p)
{
    if (p->error == YAML_MEMORY_ERROR)
        return fail_memory(NULL);
    if (p->error == YAML_READER_ERROR)
        return stop(r, NOTE_CONTROL, p->problem_offset < r->text.n ? p->problem_offset : r->text.n,
                    arena_fmt(r->a, "U+%04X", (unsigned)p->problem_value));
    struct note n;
    struct yaml_fault fault = {.problem = p->problem, .context = p->context, .in_flow = in_flow(r)};
    fault.at = byte_of(r, p->problem_mark.index);
    fault.context_at = byte_of(r, p->context_mark.index);
    if (!yaml_explain(r->a, r->text, &fault, &n))
        return fail_memory(NULL);
    n.fatal = true;
    n.other += n.other ? r->base : 0;
    return say(r, n);
}

static pap_result read_events(struct reader *r)
{
    __attribute__((cleanup(parser_done))) yaml_parser_t parser;
    memset(&parser, 0, sizeof parser);
    if (!yaml_parser_initialize(&parser))
        return fail_memory(NULL);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)r->input, r->text.n);
    unsigned documents = 0;
    for (bool end = false; !end && !r->stopped;) {
        __attribute__((cleanup(event_done))) yaml_event_t event = {.type = YAML_NO_EVENT};
        if (!yaml_parser_parse(&parser, &event))
            return on_error(r, &parser);
        end = event.type == YAML_STREAM_END_EVENT;
        TRY(on_event(r, &event, &documents));
    }
    return OK;
}

pap_result yaml_read(struct arena *a, struct pap_str block, uint32_t base, struct json **ret_root, struct notes *notes)
{
    struct reader r = {.a = a, .notes = notes, .text = block, .input = block.p, .base = base};
    if (block.n > LIMIT_FRONTMATTER)
        TRY(stop(&r, NOTE_TOO_LONG, 0, S("front matter of more than 64 KiB")));
    if (!r.stopped)
        TRY(look_before(&r));
    if (!r.stopped && block.n)
        TRY(read_events(&r));
    if (!r.stopped && !r.root)
        r.root = node_new(&r, 0, JSON_OBJECT, 0);
    if (!r.stopped && !r.root)
        return fail_memory(NULL);
    *ret_root = r.stopped ? NULL : r.root;
    return OK;
}
