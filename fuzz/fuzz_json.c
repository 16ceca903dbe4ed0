/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON reader: what it reads is written and read again as the same tree, each pointer leads back where no name
 * stands twice, and what it refuses has exactly one fatal note, the last, inside the text.
 */
#include <assert.h>

#include "text/json.h"
#include "text/json_write.h"
#include "text/place.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { POINTERS = 50 }; /* nodes looked at in one text: each costs its path */

static void same(const struct json *a, const struct json *b)
{
    assert(a && b && a->type == b->type && a->n == b->n);
    assert((a->flags & JSON_DUPLICATE) == (b->flags & JSON_DUPLICATE));
    assert(str_eq(json_key(a), json_key(b)) && str_eq(json_str(a), json_str(b)));
    const struct json *other = b->child;
    json_each (child, a) {
        same(child, other);
        other = other->next;
    }
    assert(!other);
}

static void check_pointers(struct arena *a, const struct json *root, const struct json *j, unsigned *left)
{
    if (*left == 0)
        return;
    --*left;
    struct pap_str pointer = json_pointer(a, root, j);
    assert(pointer.p);
    if (str_find_char(pointer, '\0') == pointer.n) {
        const struct json *back = json_at(root, arena_cstr(a, pointer));
        assert(back == j);
    }
    json_each (child, j)
        check_pointers(a, root, child, left);
}

static void check_tree(struct arena *a, struct pap_str text, const struct json *root, unsigned indent)
{
    struct buf out;
    buf_init(&out, NULL, text.n * 200 + 1000);
    struct json_writer w;
    json_writer_init(&w, &out, indent);
    json_write_tree(&w, root);
    assert(buf_ok(&out));
    struct notes notes = {0};
    struct json *again = NULL;
    pap_result r = json_read(a, buf_str(&out), &again, &notes);
    assert(is_ok(r) && again);
    same(root, again);
    buf_fini(&out);
}

static void check_text(struct pap_str text)
{
    struct buf out;
    buf_init(&out, NULL, text.n * 10 + 100);
    utf8_add_visible(&out, text, text.n / 2);
    assert(buf_ok(&out) && utf8_check(buf_str(&out)) == out.n);
    buf_fini(&out);
    assert(utf8_count(text) <= text.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pap_str text = {(const char *)data, size};
    struct arena a;
    arena_init(&a, NULL);
    struct notes notes = {0};
    struct json *root = NULL;
    pap_result r = json_read(&a, text, &root, &notes);
    assert(is_ok(r));
    for (const struct note *n = notes.first; n; n = n->next) {
        assert(n->off <= size && n->other <= size && (n->fatal == (!root && !n->next)));
        assert(utf8_check(n->detail) == n->detail.n);
    }
    assert(root || notes.n);
    if (root) {
        bool twice = false; /* then a pointer may mean another node, or none */
        for (const struct note *n = notes.first; n; n = n->next)
            twice |= n->code == NOTE_JSON_DUPLICATE;
        unsigned left = twice ? 0 : POINTERS;
        check_pointers(&a, root, root, &left);
        check_tree(&a, text, root, 0);
        check_tree(&a, text, root, 1);
    } else {
        struct place p = place_of(text, notes.last->off);
        assert(p.line > 0 && p.column > 0 && p.text.n <= size);
    }
    check_text(text);
    arena_fini(&a);
    return 0;
}
