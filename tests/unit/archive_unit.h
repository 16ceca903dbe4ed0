/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of archives share: read, then the verdict as one word.
 */
#ifndef TESTS_ARCHIVE_UNIT_H
#define TESTS_ARCHIVE_UNIT_H

#include "make_archive.h"
#include "pack/pack.h"
#include "unit.h"

/* Counts live bytes and their peak. */
struct meter {
    struct pap_alloc alloc;
    size_t live, peak;
};

static inline void *meter_fn(void *ctx, void *old, size_t old_size, size_t new_size)
{
    struct meter *m = ctx;
    m->live += new_size - old_size;
    m->peak = m->live > m->peak ? m->live : m->peak;
    if (new_size)
        return realloc(old, new_size);
    free(old);
    return NULL;
}

static inline void assert_fault(const struct pack *p, enum pack_fault want)
{
    if (p->fault != want)
        unit_fail("fault %s (%.*s: %.*s), want %s", pack_fault_name(p->fault), PSTR(p->fault_name), PSTR(p->fault_text),
                  pack_fault_name(want));
    if (want != PACK_WHOLE)
        assert_true(p->fault_text.n > 10);
}

/* The sentence names both values. */
static inline void assert_text(const struct pack *p, const char *part)
{
    if (str_find(p->fault_text, str_c(part)) == p->fault_text.n)
        unit_fail("\"%.*s\" does not hold \"%s\"", PSTR(p->fault_text), part);
}

static inline struct pack read_bytes(struct arena *a, struct pap_str bytes, enum pack_format format,
                                     const struct pack_limits *limits)
{
    struct pack p;
    assert_ok(pack_read(a, bytes, format, limits, &p));
    return p;
}

static inline struct pack read_zip(struct arena *a, const struct zip_part *parts, size_t n, const struct zip_tail *tail)
{
    struct buf b;
    buf_init(&b, NULL, 1 << 26);
    zip_make(&b, parts, n, tail);
    assert_true(buf_ok(&b));
    struct pack p = read_bytes(a, buf_str(&b), PACK_ZIP, NULL);
    buf_fini(&b); /* nothing of the result may point into the input */
    return p;
}

/* Gzips `tar`, reads it and frees it. */
static inline struct pack read_tar(struct arena *a, struct buf *tar)
{
    struct buf b;
    buf_init(&b, NULL, 1 << 26);
    gzip_wrap(&b, buf_str(tar));
    assert_true(buf_ok(tar) && buf_ok(&b));
    struct pack p = read_bytes(a, buf_str(&b), PACK_TAR_GZ, NULL);
    buf_fini(&b);
    buf_fini(tar);
    return p;
}

/* Parts, then two zero blocks. */
static inline struct pack read_tar_parts(struct arena *a, const struct tar_part *parts, size_t n)
{
    struct buf t;
    buf_init(&t, NULL, 1 << 26);
    for (size_t i = 0; i < n; i++)
        tar_add(&t, &parts[i]);
    tar_end(&t, 2);
    return read_tar(a, &t);
}

/* Much as the rows judge: the first thing that is wrong. */
static inline const char *verdict(struct arena *a, const struct pack *p)
{
    static const char *const types[] = {
        [PACK_SYMLINK] = "symlink", [PACK_HARDLINK] = "hardlink", [PACK_SPECIAL] = "special"};
    struct pack_collision c;
    if (p->fault != PACK_WHOLE)
        return pack_fault_name(p->fault);
    for (const struct pack_entry *e = p->entries; e; e = e->next) {
        if (pack_name_fault(e->name))
            return "name";
        if (e->type >= PACK_SYMLINK)
            return types[e->type];
        if (e->facts & PACK_F_SETID)
            return "setid";
    }
    assert_ok(pack_find_collision(a, p, &c));
    if (c.first)
        return "collision";
    return p->notices & PACK_NOTICE(PACK_TAR_NO_END) ? "tar-no-end" : "good";
}

static inline struct pack_entry entry_of(const struct pack *p, const char *name)
{
    for (const struct pack_entry *e = p->entries; e; e = e->next)
        if (str_is(e->name, name))
            return *e;
    unit_fail("no entry %s", name);
    return (struct pack_entry){0};
}

#endif
