/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of a tree: members by name, pointers both ways, duplicates.
 */
#include "base/limits.h"
#include "text/json.h"

struct pap_str json_str(const struct json *j)
{
    return json_is(j, JSON_STRING) || json_is(j, JSON_NUMBER) ? str(j->p, j->n) : str(NULL, 0);
}

const struct json *json_get(const struct json *j, struct pap_str name)
{
    if (!json_is(j, JSON_OBJECT))
        return NULL;
    json_each (member, j)
        if (str_eq(json_key(member), name))
            return member;
    return NULL;
}

const struct json *json_get_c(const struct json *j, const char *name)
{
    return json_get(j, str_c(name));
}

bool json_has(const struct json *j, const char *text)
{
    json_each (element, json_is(j, JSON_ARRAY) ? j : NULL) {
        if (element->type == JSON_STRING && str_is(json_str(element), text))
            return true;
    }
    return false;
}

const char *json_type_name(const struct json *j)
{
    static const char *const names[] = {"null", "false", "true", "a number", "a string", "an array", "an object"};
    return j && j->type < sizeof names / sizeof *names ? names[j->type] : "nothing";
}

/* ---- pointers (RFC 6901) ------------------------------------------------------------------------------------------ */

/* Whether `key` is what the reference token stands for: ~1 is a slash, ~0 a tilde. */
static bool token_is(struct pap_str token, struct pap_str key)
{
    size_t at = 0;
    for (size_t i = 0; i < token.n; i++, at++) {
        char c = token.p[i];
        if (c == '~') {
            char code = ++i < token.n ? token.p[i] : '\0';
            if (code != '0' && code != '1')
                return false;
            c = code == '0' ? '~' : '/';
        }
        if (at >= key.n || key.p[at] != c)
            return false;
    }
    return at == key.n;
}

static const struct json *step(const struct json *j, struct pap_str token)
{
    uint64_t index = 0;
    bool array = json_is(j, JSON_ARRAY);
    if (!array && !json_is(j, JSON_OBJECT))
        return NULL;
    if (array && (!str_to_u64(token, &index) || (token.n > 1 && token.p[0] == '0')))
        return NULL;
    json_each (child, j) {
        if (array ? index == 0 : token_is(token, json_key(child)))
            return child;
        index--;
    }
    return NULL;
}

const struct json *json_at(const struct json *root, const char *pointer)
{
    struct pap_str rest = str_c(pointer), token;
    if (rest.n == 0)
        return root;
    if (!str_next(&rest, '/', &token) || token.n)
        return NULL;
    const struct json *j = root;
    while (j && str_next(&rest, '/', &token))
        j = step(j, token);
    return j;
}

struct hop {
    struct pap_str key; /* p NULL: an element */
    uint32_t index;
};

/* The child of `parent` that is `node` or holds its offset: the last one that begins at or before it. */
static const struct json *child_towards(const struct json *parent, const struct json *node, uint32_t *ret_index)
{
    const struct json *best = NULL;
    uint32_t index = 0;
    json_each (child, parent) {
        if (child != node && child->off > node->off)
            break;
        best = child;
        *ret_index = index++;
        if (child == node)
            break;
    }
    return best;
}

static char *put_key(char *to, struct pap_str key)
{
    for (size_t i = 0; i < key.n; i++) {
        bool special = key.p[i] == '~' || key.p[i] == '/';
        if (special)
            *to++ = '~';
        *to++ = !special ? key.p[i] : key.p[i] == '~' ? '0' : '1';
    }
    return to;
}

static char *put_index(char *to, uint32_t index)
{
    char digits[10];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    while (n)
        *to++ = digits[--n];
    return to;
}

struct pap_str json_pointer(struct arena *a, const struct json *root, const struct json *node)
{
    struct hop hops[LIMIT_JSON_DEPTH];
    size_t n = 0, bytes = 0;
    for (const struct json *j = root; j != node; n++) {
        struct hop *hop = &hops[n];
        j = j && n < LIMIT_JSON_DEPTH ? child_towards(j, node, &hop->index) : NULL;
        if (!j)
            return str(NULL, 0);
        hop->key = j->flags & JSON_HAS_KEY ? json_key(j) : str(NULL, 0);
        bytes += 1 + 10 + hop->key.n * 2; /* a slash, then an index or a key of nothing but ~ */
    }
    char *text = arena_text(a, bytes), *to = text;
    for (size_t i = 0; text && i < n; i++) {
        *to++ = '/';
        to = hops[i].key.p ? put_key(to, hops[i].key) : put_index(to, hops[i].index);
    }
    return str(text, (size_t)(to - text));
}

/* ---- duplicates --------------------------------------------------------------------------------------------------- */

static bool flag(struct arena *a, struct json *later, const struct json *first, enum note_code code,
                 struct notes *notes)
{
    later->flags |= JSON_DUPLICATE;
    return note_add(
        notes, a,
        (struct note){.code = code, .off = later->key_off, .other = first->key_off, .detail = json_key(later)});
}

static bool same_key(const struct json *a, const struct json *b)
{
    return a->key_n == b->key_n && str_eq(json_key(a), json_key(b));
}

/* For few members: each is compared with those before it. */
static bool scan(struct arena *a, struct json *object, enum note_code code, struct notes *notes)
{
    for (struct json *m = object->child; m; m = m->next) {
        const struct json *first = object->child;
        while (first != m && !same_key(first, m))
            first = first->next;
        if (first != m && !flag(a, m, first, code, notes))
            return false;
    }
    return true;
}

struct entry {
    uint64_t hash;
    struct json *member, *first;
};

static uint64_t hash_of(struct pap_str s)
{
    uint64_t h = 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3ULL;
    return h;
}

/* Names by hash, then by length and bytes: names made to share a hash cost a comparison of bytes, never more. */
static int compare(const struct entry *a, const struct entry *b)
{
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->member->key_n != b->member->key_n)
        return a->member->key_n < b->member->key_n ? -1 : 1;
    return a->member->key_n ? memcmp(a->member->key, b->member->key, a->member->key_n) : 0;
}

static int compare_places(const struct entry *a, const struct entry *b)
{
    return (a->member->key_off > b->member->key_off) - (a->member->key_off < b->member->key_off);
}

/* Merge sort: stable, and n log n whatever the input. `spare` has room for n; the sorted entries are in what returns. */
static struct entry *sort(struct entry *from, struct entry *spare, size_t n,
                          int (*order)(const struct entry *, const struct entry *))
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t mid = n - low < width ? n : low + width, high = n - low < 2 * width ? n : low + 2 * width;
            size_t i = low, j = mid;
            for (size_t k = low; k < high; k++)
                spare[k] = j == high || (i < mid && order(&from[i], &from[j]) <= 0) ? from[i++] : from[j++];
        }
        struct entry *swap = from;
        from = spare;
        spare = swap;
    }
    return from;
}

/* For many members: sorted by name, so that equal ones are neighbours, in document order among themselves. */
static bool sort_out(struct arena *a, struct json *object, enum note_code code, struct notes *notes)
{
    struct arena scratch __attribute__((cleanup(arena_fini)));
    arena_init(&scratch, a->alloc);
    size_t n = 0, found = 0;
    struct entry *entries = arena_new_array(&scratch, object->n, struct entry);
    struct entry *spare = arena_new_array(&scratch, object->n, struct entry);
    if (!entries || !spare)
        return false;
    for (struct json *m = object->child; m; m = m->next)
        entries[n++] = (struct entry){hash_of(json_key(m)), m, m};
    struct entry *sorted = sort(entries, spare, n, compare);
    spare = sorted == entries ? spare : entries;
    for (size_t i = 1; i < n; i++) {
        if (compare(&sorted[i - 1], &sorted[i]) != 0)
            continue;
        sorted[i].first = sorted[i - 1].first;
        spare[found++] = sorted[i];
    }
    struct entry *later = sort(spare, sorted, found, compare_places);
    for (size_t i = 0; i < found; i++)
        if (!flag(a, later[i].member, later[i].first, code, notes))
            return false;
    return true;
}

bool json_note_duplicates(struct arena *a, struct json *object, enum note_code code, struct notes *notes)
{
    enum { FEW = 12 };
    return object->n <= FEW ? scan(a, object, code, notes) : sort_out(a, object, code, notes);
}

/* ---- places in the source ---- */

/* Behind the string that begins at `at`. */
static size_t skip_string(struct pap_str text, size_t at)
{
    for (at++; at < text.n && text.p[at] != '"'; at++)
        at += text.p[at] == '\\';
    return at + 1;
}

size_t json_value_end(struct pap_str text, size_t at)
{
    int depth = 0;
    do {
        char c = text.p[at];
        if (c == '"') {
            at = skip_string(text, at);
        } else if (c == '{' || c == '[') {
            depth++;
            at++;
        } else if (c == '}' || c == ']') {
            depth--;
            at++;
        } else if (depth) {
            at++;
        } else {
            while (at < text.n && !memchr(" \t\n\r,}]", text.p[at], 7))
                at++;
        }
    } while (depth && at < text.n);
    return at;
}
