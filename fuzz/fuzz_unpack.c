/* SPDX-License-Identifier: Apache-2.0
 *
 * Artifacts as a client reads them, in pieces: the first byte chooses how large they are and whether a tar is to be gzipped
 * here; whatever comes of it is the same as in one piece, and only good names go on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "pack_mend.h"
#include "skills/artifact.h"

static void check(int holds)
{
    if (!holds)
        abort();
}

struct play {
    struct pap_str bytes;
    size_t step;
    char *now;
    uint64_t left;
    size_t files;
    uint32_t crc; /* of everything that went to the sink */
    bool open;
};

/* A copy of exactly that length, gone with the next one. */
static pap_result next(void *ctx, uint64_t off, struct pap_str *ret, struct pap_err *err)
{
    struct play *p = ctx;
    (void)err;
    struct pap_str piece = str_take(str_skip(p->bytes, (size_t)off), p->step);
    free(p->now);
    p->now = malloc(piece.n ? piece.n : 1);
    check(p->now != NULL);
    memcpy(p->now, piece.n ? piece.p : "", piece.n);
    *ret = str(p->now, piece.n);
    return OK;
}

static void add(struct play *p, struct pap_str s)
{
    p->crc = (uint32_t)crc32_z(p->crc, (const Bytef *)(s.n ? s.p : ""), s.n);
}

static pap_result begin(void *ctx, struct pap_str path, uint64_t size, bool executable, struct pap_err *err)
{
    struct play *p = ctx;
    (void)executable, (void)err;
    check(!p->open && !pack_name_fault(path) && path.p[path.n] == '\0');
    p->open = true;
    p->left = size;
    add(p, path);
    return OK;
}

static pap_result data(void *ctx, struct pap_str piece, struct pap_err *err)
{
    struct play *p = ctx;
    (void)err;
    check(p->open && piece.n && piece.n <= p->left);
    p->left -= piece.n;
    add(p, piece);
    return OK;
}

static pap_result end(void *ctx, const struct skill_file *f, struct pap_err *err)
{
    struct play *p = ctx;
    (void)err;
    check(p->open && p->left == 0);
    p->open = false;
    p->files++;
    add(p, str((const char *)f->digest.b, DIGEST_BYTES));
    return OK;
}

/* Folds the verdict into the sum. */
static uint32_t read_it(struct pap_str bytes, size_t step, bool zip)
{
    struct arena a;
    struct play p = {.bytes = bytes, .step = step};
    struct pack_source from = {.whole = bytes, .ctx = &p};
    struct artifact_sink to = {begin, data, end, &p};
    struct artifact_want want = {.name = S("a"),
                                 .type = ARTIFACT_ARCHIVE,
                                 .url = zip ? S("a.zip") : S("a.tgz"),
                                 .limits = {.unpacked = 1 << 20, .file = 1 << 18, .files = 50}};
    struct skill s;
    struct skill_fault f;
    struct pap_err err;
    if (step)
        from = (struct pack_source){.next = next, .ctx = &p};
    arena_init(&a, NULL);
    a.max = 24 << 20;
    check(is_ok(artifact_unpack(&a, &want, &from, &to, &s, &f, &err)));
    check(!f.code == !f.text.n);
    for (size_t i = 0; !f.code && i < s.n_files; i++)
        check(i == 0 || str_cmp(s.files[i - 1].path, s.files[i].path) < 0);
    check(f.code || (s.n_files == p.files && s.text.p && s.front));
    add(&p, f.text);
    for (unsigned k = 0; k < SKILL_KEY_COUNT; k++)
        add(&p, f.value[k].p ? f.value[k] : S(""));
    free(p.now);
    arena_fini(&a);
    return p.crc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data_, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data_, size_t size)
{
    if (size == 0 || size > 1 << 17)
        return 0;
    size_t step = 1 + data_[0] % 64;
    bool tar = data_[0] & 0x40, zip = data_[0] & 0x80;
    struct pap_str bytes = str((const char *)data_ + 1, size - 1);
    char *made = tar ? pack_mend_gzip(bytes, &bytes) : NULL;
    check(read_it(bytes, 0, zip) == read_it(bytes, step, zip));
    free(made);
    return 0;
}
