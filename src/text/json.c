/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader: one pass, no recursion. Values here, strings and numbers in json_scalar.c, faults in json_fault.c,
 * what is asked of a tree in json_tree.c.
 */
#include "text/json.h"

#include "text/json_reader.h"

static void skip_blanks(struct json_reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t'))
        r->p++;
}

static bool next_is(const struct json_reader *r, char c)
{
    return r->p < r->end && *r->p == c;
}

static char closer(const struct json *owner)
{
    return owner->type == JSON_OBJECT ? '}' : ']';
}

/* Room for more nodes: as many as the rest of the text will need if it is like most, so that little is left over. */
static bool add_room(struct json_reader *r)
{
    enum { LEAST = 4, MOST = 512, BYTES_A_NODE = 100 };
    if (r->n_values >= LIMIT_JSON_VALUES)
        return json_stop(r, NOTE_TOO_LONG, r->p, arena_fmt(r->a, "more than %d values", LIMIT_JSON_VALUES));
    size_t n = (size_t)(r->end - r->p) / BYTES_A_NODE;
    n = n < LEAST ? LEAST : n > MOST ? MOST : n;
    r->spare = arena_new_array(r->a, n, struct json);
    r->spare_end = r->spare ? r->spare + n : NULL;
    r->n_values += n;
    return r->spare != NULL;
}

/* A new last child of the innermost open container. */
static struct json *add_node(struct json_reader *r)
{
    if (r->spare == r->spare_end && !add_room(r))
        return NULL;
    struct json_level *level = &r->levels[r->depth];
    struct json *j = r->spare++;
    *level->tail = j;
    level->tail = &j->next;
    if (level->owner)
        level->owner->n++;
    return j;
}

/* The name of a member and the colon behind it. */
static bool read_key(struct json_reader *r, struct json *j)
{
    struct pap_str key;
    j->flags = JSON_HAS_KEY;
    j->key_off = (uint32_t)(r->p - r->start);
    if (!json_read_string(r, &key))
        return false;
    if (key.n > LIMIT_JSON_KEY)
        return json_stop(r, NOTE_TOO_LONG, r->start + j->key_off,
                         arena_fmt(r->a, "a member name of more than %d bytes", LIMIT_JSON_KEY));
    j->key = key.p;
    j->key_n = (uint16_t)key.n;
    skip_blanks(r);
    if (!next_is(r, ':'))
        return json_stop_syntax(r, r->p, "a colon after the member name");
    r->p++;
    skip_blanks(r);
    return true;
}

/* Makes j the innermost open container; *ret_open is false when it is empty and so closed again. */
static bool open_container(struct json_reader *r, struct json *j, bool *ret_open)
{
    if (r->depth == LIMIT_JSON_DEPTH)
        return json_stop(r, NOTE_JSON_DEPTH, r->p, arena_fmt(r->a, "more than %d levels", LIMIT_JSON_DEPTH));
    j->type = *r->p == '{' ? JSON_OBJECT : JSON_ARRAY;
    r->levels[++r->depth] = (struct json_level){j, &j->child};
    r->p++;
    skip_blanks(r);
    *ret_open = !next_is(r, closer(j));
    if (!*ret_open) {
        r->p++;
        r->depth--;
    }
    return true;
}

static bool read_word(struct json_reader *r, struct json *j, const char *expected)
{
    static const struct {
        struct pap_str word;
        enum json_type type;
    } words[] = {{S_INIT("true"), JSON_TRUE}, {S_INIT("false"), JSON_FALSE}, {S_INIT("null"), JSON_NULL}};
    struct pap_str rest = str(r->p, (size_t)(r->end - r->p));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (str_starts(rest, words[i].word)) {
            j->type = (unsigned char)words[i].type;
            r->p += words[i].word.n;
            return true;
        }
        if (str_starts(words[i].word, rest))
            return json_stop_syntax(r, r->end, expected);
    }
    return json_stop_syntax(r, r->p, expected);
}

/* Reads a value (in an object: its name too). A container is only opened: *ret_open says that its children follow. */
static bool read_value(struct json_reader *r, bool *ret_open)
{
    const struct json *owner = r->levels[r->depth].owner;
    bool in_object = json_is(owner, JSON_OBJECT), more = owner && owner->n;
    skip_blanks(r);
    if (in_object && !next_is(r, '"'))
        return json_stop_syntax(r, r->p,
                                more ? "another member after the comma" : "a member name in double quotes or \"}\"");
    struct json *j = add_node(r);
    if (!j || (in_object && !read_key(r, j)))
        return false;
    j->off = (uint32_t)(r->p - r->start);
    *ret_open = false;
    if (next_is(r, '{') || next_is(r, '['))
        return open_container(r, j, ret_open);
    struct pap_str text = {NULL, 0};
    if (next_is(r, '"')) {
        j->type = JSON_STRING;
        if (!json_read_string(r, &text))
            return false;
    } else if (r->p < r->end && (*r->p == '-' || ascii_is_digit(*r->p))) {
        j->type = JSON_NUMBER;
        if (!json_read_number(r, &text))
            return false;
    } else {
        return read_word(r, j,
                         in_object ? "a value after the colon"
                         : more    ? "another value after the comma"
                                   : "a value");
    }
    j->p = text.p;
    j->n = (uint32_t)text.n;
    return true;
}

/* After a value: closes what ends here, up to the comma before the next value or, with r->depth 0, to the end. */
static bool close_containers(struct json_reader *r)
{
    while (r->depth) {
        struct json *owner = r->levels[r->depth].owner;
        skip_blanks(r);
        if (next_is(r, ',')) {
            r->p++;
            return true;
        }
        if (!next_is(r, closer(owner)))
            return json_stop_syntax(r, r->p, owner->type == JSON_OBJECT ? "a comma or \"}\"" : "a comma or \"]\"");
        if (owner->type == JSON_OBJECT && !json_note_duplicates(r->a, owner, NOTE_JSON_DUPLICATE, r->notes))
            return false;
        r->p++;
        r->depth--;
    }
    return true;
}

static bool read_text(struct json_reader *r)
{
    if (str_starts(str(r->p, (size_t)(r->end - r->p)), S("\xef\xbb\xbf"))) {
        if (!json_note(r, NOTE_BOM, r->p, str(NULL, 0)))
            return false;
        r->p += 3;
    }
    skip_blanks(r);
    if (r->p == r->end)
        return json_stop(r, NOTE_EMPTY, r->p, S("the text is empty"));
    if (next_is(r, '<'))
        return json_stop(r, NOTE_HTML, r->p, S("the text begins with \"<\""));
    do {
        bool open = true;
        while (open)
            if (!read_value(r, &open))
                return false;
        if (!close_containers(r))
            return false;
    } while (r->depth);
    skip_blanks(r);
    return r->p == r->end || json_stop_expected(r, NOTE_JSON_TRAILING, r->p, "the end of the text");
}

pap_result json_read(struct arena *a, struct pap_str text, struct json **ret_root, struct notes *notes)
{
    const char *start = text.p ? text.p : "";
    struct json *root = NULL;
    struct json_reader r = {.a = a, .notes = notes, .start = start, .p = start, .end = start + text.n};
    r.levels[0].tail = &root;
    bool whole = text.n > UINT32_MAX ? json_stop(&r, NOTE_TOO_LONG, start, S("more than 4 GiB")) : read_text(&r);
    if (!whole && !r.stopped)
        return (pap_result){PAP_NO_MEMORY};
    *ret_root = whole ? root : NULL;
    return OK;
}
