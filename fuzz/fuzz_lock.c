/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of papaver-skills.lock: whatever it accepts stays below the folder, and is the same when written and read
 * again.
 */
#include <stdlib.h>

#include "base/base.h"
#include "pack/pack.h"
#include "skills/lock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check(const struct lock_skill *s)
{
    must(s->name.n > 0 && s->name.n <= LIMIT_SKILL_NAME && str_find_char(s->name, '/') == s->name.n);
    must(s->n_files > 0 && s->n_files <= LIMIT_ARCHIVE_FILES && s->digest.n == 71);
    for (size_t i = 0; i < s->n_files; i++) {
        must(!pack_name_fault(s->files[i].path) && s->files[i].path.p[s->files[i].path.n] == '\0');
        must(i == 0 || str_cmp(s->files[i - 1].path, s->files[i].path) < 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct lock lock, again;
    struct buf out;
    struct pap_err err = {.text = ""};
    arena_init(&a, NULL);
    buf_init(&out, NULL, LIMIT_LOCK * 4);
    pap_result r = lock_read(&a, str(data ? (const char *)data : "", size), "L", &lock, &err);
    must(is_ok(r) || (r.code == PAP_SYNTAX && err.text[0]));
    if (is_ok(r)) {
        lock_write(&out, &lock);
        must(buf_ok(&out) && is_ok(lock_read(&a, buf_str(&out), "L", &again, NULL)) && again.n == lock.n);
        for (size_t i = 0; i < lock.n; i++) {
            check(&lock.skills[i]);
            must(lock_skill_eq(&lock.skills[i], &again.skills[i]));
        }
    }
    buf_fini(&out);
    arena_fini(&a);
    return 0;
}
