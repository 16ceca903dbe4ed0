/* SPDX-License-Identifier: Apache-2.0
 *
 * SKILL.md: block, body and spans are views into the text, spans come in order, and the walk ends.
 */
#include <stdlib.h>

#include "base/base.h"
#include "text/skillmd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void walk_tools(struct pap_str rest)
{
    struct pap_str token;
    bool unbalanced = false;
    size_t left = rest.n + 1;
    while (allowed_tools_next(&rest, &token, &unbalanced)) {
        must(token.n > 0 && rest.n < left);
        left = rest.n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct notes notes = {NULL, NULL, 0};
    struct skillmd md;
    struct pap_str text = str((const char *)data, size);
    arena_init(&a, NULL);
    must(is_ok(skillmd_read(&a, text, &md, &notes)));
    must((md.root == NULL) == (notes.last && notes.last->fatal));
    must(!md.block.p || md.block.p == text.p + md.block_off);
    must(!md.body.p || (md.body.p == text.p + md.body_off && md.body_off + md.body.n == size));
    for (const struct note *n = notes.first; n; n = n->next)
        must(n->off <= size && n->other <= size && (!n->fatal || n == notes.last));
    struct span_walk w = {0};
    struct span s;
    uint32_t last = md.body_off;
    while (span_next(&md, &w, &s)) {
        must(s.text.p == text.p + s.off && s.off >= last && s.off + s.text.n <= size);
        last = s.off;
    }
    walk_tools(md.body);
    arena_fini(&a);
    return 0;
}
