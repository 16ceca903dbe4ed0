/* SPDX-License-Identifier: Apache-2.0
 *
 * The YAML reader: no crash, a tree or one fatal note that is the last, and every place inside the block.
 */
#include <stdlib.h>

#include "base/base.h"
#include "text/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BASE = 7 };

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check(const struct json *j, size_t size, unsigned depth)
{
    uint32_t n = 0;
    must(j->off >= BASE && j->off <= BASE + size && depth <= LIMIT_YAML_DEPTH);
    must(j->type == JSON_OBJECT || j->type == JSON_ARRAY || (!j->child && j->p));
    for (uint32_t i = 0; j->type < JSON_ARRAY && i < j->n; i++)
        n += (uint32_t)(j->p[i] == '\0'); /* reads every byte */
    n = 0;
    json_each (child, j) {
        must(((child->flags & JSON_HAS_KEY) != 0) == (j->type == JSON_OBJECT));
        must(j->type != JSON_OBJECT || (child->key && child->key_off >= BASE && child->key_off <= child->off));
        check(child, size, depth + (child->type >= JSON_ARRAY));
        n++;
    }
    must(j->type < JSON_ARRAY || n == j->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct notes notes = {NULL, NULL, 0};
    struct json *root = NULL;
    arena_init(&a, NULL);
    must(is_ok(yaml_read(&a, str((const char *)data, size), BASE, &root, &notes)));
    must((root == NULL) == (notes.last && notes.last->fatal));
    for (const struct note *n = notes.first; n; n = n->next) {
        must(n->off >= BASE && n->off <= BASE + size && n->other <= BASE + size);
        must(!n->fatal || n == notes.last);
    }
    if (root)
        check(root, size, 1);
    arena_fini(&a);
    return 0;
}
