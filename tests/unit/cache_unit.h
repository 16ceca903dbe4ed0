/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the cache share: a folder of their own, places, and shorthands that must work.
 */
#ifndef TESTS_CACHE_UNIT_H
#define TESTS_CACHE_UNIT_H

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crypto/digest.h"
#include "pack/unpack.h"
#include "skills/cache.h"
#include "sys/file.h"
#include "unit.h"

enum { NOW = 1800000000, DAY = 86400 };

static char folder[64]; /* of the cache */
static const char *folder_base = "/tmp";

/* For tests with hundreds of syncs, which take their time on a disk. */
static inline void use_memory_for_folders(void)
{
    if (access("/dev/shm", W_OK) == 0)
        folder_base = "/dev/shm";
}

static inline int new_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/papaver-cache-XXXXXX", folder_base);
    return mkdtemp(folder) ? 0 : 1;
}

static inline int remove_folder(void **state)
{
    char command[200];
    (void)state;
    (void)snprintf(command, sizeof command, "chmod -R u+rwx %s; rm -rf %s", folder, folder);
    return system(command);
}

#define cache_test(f) cmocka_unit_test_setup_teardown(f, new_folder, remove_folder)

/* A path below the folder; good until the next call but three. */
static inline const char *in(const char *below)
{
    static char paths[4][300];
    static unsigned turn;
    char *p = paths[turn++ % 4];
    (void)snprintf(p, sizeof paths[0], "%s/%s", folder, below);
    return p;
}

static inline struct cache *open_at(const char *path)
{
    struct cache *c = NULL;
    assert_ok(cache_open(&(struct cache_options){.folder = path}, &c, NULL));
    return c;
}

static inline struct cache *open_cache(void)
{
    return open_at(folder);
}

static inline const char *digest_of(struct pap_str bytes)
{
    static char text[DIGEST_TEXT + 1];
    struct digest d;
    assert_ok(digest_sha256(&bytes, 1, &d, NULL));
    digest_text(&d, text);
    return text;
}

/* "v1/object-HEX.md" below the folder. */
static inline const char *object_path(struct pap_str bytes, const char *ending)
{
    char below[120];
    (void)snprintf(below, sizeof below, "v1/object-%s%s", digest_of(bytes) + 7, ending);
    return in(below);
}

static inline struct cache_place place_of(const char *origin, const char *url, const char *scope)
{
    return (struct cache_place){.origin = str_c(origin), .url = str_c(url), .scope = scope ? str_c(scope) : S("")};
}

static inline struct cache_place shop(void)
{
    return place_of("https://shop.example/", "https://shop.example/a/water-plants.md", NULL);
}

/* Puts an artifact there; the caller frees what it gets. */
static inline struct cache_object *keep(struct cache *c, const struct cache_place *p, struct pap_str bytes,
                                        enum pack_format format)
{
    struct cache_object *o = NULL;
    assert_ok(cache_object_new(c, &o, NULL));
    for (struct pap_str rest = bytes; rest.n; rest = str_skip(rest, 100000))
        assert_ok(cache_object_add(o, str_take(rest, 100000), NULL));
    assert_ok(cache_object_seal(o, NULL));
    assert_string_equal(cache_object_digest(o), digest_of(bytes));
    assert_ok(cache_object_keep(c, o, p, format, NOW, NULL));
    return o;
}

static inline enum cache_state get(struct cache *c, const struct cache_place *p, struct pap_str bytes, bool archive,
                                   struct cache_object **ret)
{
    enum cache_state state;
    *ret = NULL;
    assert_ok(cache_object_get(c, p, str_c(digest_of(bytes)), archive, NOW, ret, &state, NULL));
    assert_int_equal(state == CACHE_FOUND, *ret != NULL);
    return state;
}

static inline bool holds(struct cache_object *o, struct pap_str bytes)
{
    struct pack_source from;
    cache_object_source(o, &from);
    if (from.whole.p)
        return str_eq(from.whole, bytes);
    for (uint64_t at = 0;;) {
        struct pap_str piece;
        assert_ok(from.next(from.ctx, at, &piece, NULL));
        if (!piece.n)
            return at == bytes.n;
        if (piece.n > bytes.n - at || memcmp(piece.p, bytes.p + at, piece.n) != 0)
            return false;
        at += piece.n;
    }
}

/* Found, with these bytes. */
static inline void assert_found(struct cache *c, const struct cache_place *p, struct pap_str bytes, bool archive)
{
    struct cache_object *o;
    assert_int_equal(get(c, p, bytes, archive, &o), CACHE_FOUND);
    assert_string_equal(cache_object_digest(o), digest_of(bytes));
    assert_int_equal(cache_object_size(o), bytes.n);
    assert_true(holds(o, bytes));
    cache_object_free(o);
}

static inline void assert_state(struct cache *c, const struct cache_place *p, struct pap_str bytes, bool archive,
                                enum cache_state want)
{
    struct cache_object *o;
    assert_int_equal(get(c, p, bytes, archive, &o), want);
    cache_object_free(o);
}

static struct arena bytes_made;

static inline void forget_bytes(void)
{
    arena_fini(&bytes_made);
}

/* Bytes that do not repeat, the same each time; good until the program ends. */
static inline struct pap_str many_bytes(size_t n)
{
    if (!bytes_made.head)
        assert_int_equal(atexit(forget_bytes), 0);
    char *p = arena_text(&bytes_made, n);
    uint32_t x = 1;
    assert_non_null(p);
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        p[i] = (char)(x >> 24);
    }
    return str(p, n);
}

/* How many names below v1 begin so. */
static inline unsigned count_names(const char *begin)
{
    unsigned n = 0;
    DIR *d = opendir(in("v1"));
    assert_non_null(d);
    for (const struct dirent *e = readdir(d); e; e = readdir(d))
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && str_starts(str_c(e->d_name), str_c(begin));
    (void)closedir(d);
    return n;
}

static inline unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static inline void put_file(const char *path, struct pap_str bytes)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
    assert_int_equal(fclose(f), 0);
}

#endif
