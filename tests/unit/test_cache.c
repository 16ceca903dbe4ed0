/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_unit.h"

#include "base/limits.h"

static const struct pap_str skill = S_INIT("---\nname: water-plants\ndescription: Water them.\n---\nWater.\n");

static struct cache_document document(const char *body)
{
    return (struct cache_document){.url = S("https://shop.example/.well-known/agent-skills/index.json"),
                                   .etag = S("\"catalog-v1\""),
                                   .last_modified = S("Tue, 25 Aug 2026 10:00:00 GMT"),
                                   .validated = NOW - 50,
                                   .body = str_c(body)};
}

static const struct pap_str asked = S_INIT("https://shop.example/index.json");

static bool find_document(struct cache *c, struct arena *a, struct pap_str url, const char *scope,
                          struct cache_document *ret)
{
    bool found;
    assert_ok(cache_document_get(c, a, url, str_c(scope), NOW, ret, &found, NULL));
    return found;
}

static void put_document(struct cache *c, struct pap_str url, const char *scope, bool memory,
                         const struct cache_document *d)
{
    assert_ok(cache_document_put(c, url, str_c(scope), memory, NOW, d, NULL));
}

static void a_document_outlives_the_process(void **state)
{
    struct arena a;
    struct cache_document d, want = document("{\"skills\": []}");
    (void)state;
    arena_init(&a, NULL);
    struct cache *c = open_cache();
    assert_false(find_document(c, &a, asked, "", &d));
    put_document(c, asked, "", false, &want);
    cache_free(c);
    c = open_cache();
    assert_true(find_document(c, &a, asked, "", &d));
    assert_true(str_eq(d.url, want.url));
    assert_true(str_eq(d.etag, want.etag));
    assert_true(str_eq(d.last_modified, want.last_modified));
    assert_int_equal(d.validated, NOW - 50);
    assert_true(str_eq(d.body, want.body));
    assert_false(find_document(c, &a, asked, "engineering", &d));
    assert_false(find_document(c, &a, S("https://shop.example/index.jsoN"), "", &d));
    struct cache_document scoped = document("{\"skills\": [1]}");
    put_document(c, asked, "engineering", false, &scoped);
    assert_true(find_document(c, &a, asked, "engineering", &d));
    assert_str(d.body, "{\"skills\": [1]}");
    assert_true(find_document(c, &a, asked, "", &d));
    assert_str(d.body, "{\"skills\": []}");
    want.etag = str(NULL, 0);
    want.body = S("");
    put_document(c, asked, "", false, &want); /* in the place of the old one */
    assert_true(find_document(c, &a, asked, "", &d));
    assert_null(d.etag.p);
    assert_int_equal(d.body.n, 0);
    cache_document_delete(c, asked, S(""));
    assert_false(find_document(c, &a, asked, "", &d));
    assert_true(find_document(c, &a, asked, "engineering", &d));
    assert_int_equal(count_names("document-"), 1);
    cache_free(c);
    arena_fini(&a);
}

static void times_are_not_after_now(void **state)
{
    struct arena a;
    struct cache_document d, want = document("{}");
    (void)state;
    arena_init(&a, NULL);
    struct cache *c = open_cache();
    want.validated = NOW + 10 * DAY;
    put_document(c, asked, "", false, &want);
    assert_true(find_document(c, &a, asked, "", &d));
    assert_int_equal(d.validated, NOW);
    cache_free(c);
    arena_fini(&a);
}

/* Whether it is found by this process, and by another. */
static void assert_kept(const struct cache_document *d, struct pap_str url, bool memory, bool here, bool there)
{
    struct arena a;
    struct cache_document got;
    arena_init(&a, NULL);
    struct cache *c = open_cache(), *other = open_cache();
    put_document(c, url, "", memory, d);
    if (find_document(c, &a, url, "", &got) != here || find_document(other, &a, url, "", &got) != there)
        unit_fail("%.*s: not kept where it should be", PSTR(d->body));
    cache_document_delete(c, url, S(""));
    assert_false(find_document(c, &a, url, "", &got));
    cache_free(c);
    cache_free(other);
    arena_fini(&a);
}

static void nothing_secret_reaches_the_disk(void **state)
{
    static const char *const secret[] = {
        "{\"skills\": [{\"url\": \"a.md?token=abc\"}]}",
        "{\"skills\": [{\"url\": \"https://cdn.example/a.md?X-Amz-Signature=abc\"}]}",
        "{\"skills\": [{\"url\": \"https://me:pass@cdn.example/a.md\"}]}",
        "{\"more\": [[{\"url\": \"a.md?v=1&sig=abc\"}]]}",
        "{\"home\": \"https://shop.example/?password=abc\"}",
        "<html>",
    };
    static const char *const fine[] = {
        "{\"skills\": [{\"url\": \"a.md?version=3\"}]}",
        "{\"skills\": [{\"description\": \"Ask with ?token=... in it\"}]}",
        "",
    };
    (void)state;
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++) {
        struct cache_document d = document(secret[i]);
        assert_kept(&d, asked, false, true, false);
    }
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        struct cache_document d = document(fine[i]);
        assert_kept(&d, asked, false, true, true);
    }
    struct cache_document d = document("{}");
    assert_kept(&d, S("https://me:pass@shop.example/index.json"), false, true, false);
    assert_kept(&d, asked, true, true, false);
    d.url = S("https://shop.example/index.json?access_token=abc");
    assert_kept(&d, asked, false, true, false);
}

/* What was public and is not any more leaves the disk. */
static void memory_takes_the_place_of_the_disk(void **state)
{
    struct arena a;
    struct cache_document d, one = document("{\"n\": 1}"), two = document("{\"n\": 2}");
    (void)state;
    arena_init(&a, NULL);
    struct cache *c = open_cache();
    put_document(c, asked, "", false, &one);
    assert_int_equal(count_names("document-"), 1);
    put_document(c, asked, "", true, &two);
    assert_int_equal(count_names("document-"), 0);
    assert_true(find_document(c, &a, asked, "", &d));
    assert_str(d.body, "{\"n\": 2}");
    put_document(c, asked, "", false, &one);
    assert_true(find_document(c, &a, asked, "", &d));
    assert_str(d.body, "{\"n\": 1}");
    cache_free(c);
    arena_fini(&a);
}

static void odd_validators_are_left_out(void **state)
{
    struct arena a;
    struct cache_document d, want = document("{}");
    (void)state;
    arena_init(&a, NULL);
    struct cache *c = open_cache();
    want.etag = S("\"a\r\nCookie: b\"");
    want.last_modified = S("\x80");
    put_document(c, asked, "", false, &want);
    assert_true(find_document(c, &a, asked, "", &d));
    assert_null(d.etag.p);
    assert_null(d.last_modified.p);
    cache_free(c);
    arena_fini(&a);
}

/* ---- Artifacts ---- */

static void an_artifact_outlives_the_process(void **state)
{
    const struct cache_place p = shop();
    const struct pap_str big = many_bytes(5 * 1000 * 1000),
                         sizes[] = {
                             skill, S(""), many_bytes(LIMIT_SPOOL), many_bytes(LIMIT_SPOOL + 1), big,
                         };
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (enum pack_format f = PACK_UNKNOWN; f <= PACK_ZIP; f++) {
            bool archive = f != PACK_UNKNOWN;
            struct cache *c = open_cache();
            struct cache_object *o = keep(c, &p, sizes[i], f);
            assert_true(holds(o, sizes[i]));
            assert_found(c, &p, sizes[i], archive);
            assert_state(c, &p, sizes[i], !archive, CACHE_MISS);
            cache_free(c);
            assert_true(holds(o, sizes[i])); /* it stays good */
            cache_object_free(o);
            c = open_cache();
            assert_found(c, &p, sizes[i], archive);
            cache_free(c);
        }
    assert_int_equal(count_names("part-"), 0);
    assert_int_equal(count_names("object-"), 15);
    assert_int_equal(count_names("record-"), 1);
}

static void one_that_is_not_kept_leaves_nothing(void **state)
{
    (void)state;
    struct cache *c = open_cache();
    struct cache_object *o = NULL;
    struct pap_str big = many_bytes(3 * LIMIT_SPOOL);
    assert_ok(cache_object_new(c, &o, NULL));
    cache_object_free(o);
    assert_ok(cache_object_new(c, &o, NULL));
    assert_ok(cache_object_add(o, big, NULL));
    assert_int_equal(count_names("part-"), 1);
    cache_object_free(o);
    assert_int_equal(count_names(""), 0);
    assert_ok(cache_object_new(c, &o, NULL));
    assert_ok(cache_object_add(o, big, NULL));
    assert_ok(cache_object_seal(o, NULL));
    assert_true(holds(o, big));
    cache_object_free(o);
    assert_int_equal(count_names(""), 0);
    cache_free(c);
}

/* Another origin, URL or scope gets it only when its own URL has delivered it. */
static void bytes_serve_only_who_fetched_them(void **state)
{
    const struct cache_place first = shop(),
                             others[] = {
                                 place_of("https://evil.example/", "https://shop.example/a/water-plants.md", NULL),
                                 place_of("https://shop.example/", "https://shop.example/a/water-plants.md?2", NULL),
                                 place_of("https://shop.example/", "https://shop.example/a/water-plants.md",
                                          "engineering"),
                                 place_of("https://shop.example/https://shop.example/a/water-plants.md", "", NULL),
                             };
    (void)state;
    struct cache *c = open_cache();
    cache_object_free(keep(c, &first, skill, PACK_UNKNOWN));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_state(c, &others[i], skill, false, CACHE_MISS);
        cache_object_free(keep(c, &others[i], skill, PACK_UNKNOWN));
        assert_found(c, &others[i], skill, false);
        assert_int_equal(count_names("object-"), 1);
        assert_int_equal(count_names("record-"), 2 + i);
    }
    assert_found(c, &first, skill, false);
    /* a URL that delivers something else by now delivers that */
    const struct pap_str changed = S("---\nname: water-plants\n---\n");
    cache_object_free(keep(c, &first, changed, PACK_UNKNOWN));
    assert_found(c, &first, changed, false);
    assert_state(c, &first, skill, false, CACHE_MISS);
    assert_found(c, &others[0], skill, false);
    cache_free(c);
}

static void a_private_artifact_stays_in_memory(void **state)
{
    struct cache_place secret[] = {
        place_of("https://shop.example/", "https://cdn.example/a.md?sig=abc", NULL),
        place_of("https://me:pass@shop.example/", "https://cdn.example/b.md", NULL),
        place_of("https://shop.example/", "https://cdn.example/c.md", NULL),
    };
    (void)state;
    secret[2].memory = true;
    struct cache *c = open_cache();
    for (size_t i = 0; i < 3; i++) {
        cache_object_free(keep(c, &secret[i], skill, PACK_UNKNOWN));
        assert_found(c, &secret[i], skill, false);
    }
    assert_int_equal(count_names(""), 0);
    cache_free(c);
}

static void without_a_folder_it_is_all_in_memory(void **state)
{
    const struct cache_place p = shop();
    const struct pap_str big = many_bytes(3 * LIMIT_SPOOL);
    struct arena a;
    struct cache_document d = document("{}"), got;
    (void)state;
    arena_init(&a, NULL);
    struct cache *c = open_at(NULL);
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN));
    assert_found(c, &p, skill, false);
    struct cache_object *o = keep(c, &p, big, PACK_ZIP);
    assert_found(c, &p, big, true);
    assert_state(c, &p, skill, false, CACHE_MISS);
    put_document(c, asked, "", false, &d);
    assert_true(find_document(c, &a, asked, "", &got));
    cache_free(c);
    assert_true(holds(o, big));
    cache_object_free(o);
    arena_fini(&a);
}

static void memory_is_bounded(void **state)
{
    struct cache_place p[6];
    struct pap_str bytes[6];
    char urls[6][40];
    struct cache *c = NULL;
    (void)state;
    assert_ok(cache_open(&(struct cache_options){.bytes = 450 * 1000}, &c, NULL));
    struct cache_object *held = NULL;
    for (size_t i = 0; i < 6; i++) {
        (void)snprintf(urls[i], sizeof urls[i], "https://shop.example/%zu.md", i);
        p[i] = place_of("https://shop.example/", urls[i], NULL);
        bytes[i] = many_bytes(100 * 1000 + i);
        struct cache_object *o = keep(c, &p[i], bytes[i], PACK_UNKNOWN);
        if (i == 0)
            held = o;
        else
            cache_object_free(o);
    }
    assert_found(c, &p[0], bytes[0], false); /* the oldest, but in use */
    assert_state(c, &p[1], bytes[1], false, CACHE_MISS);
    assert_found(c, &p[5], bytes[5], false);
    cache_object_free(held);
    struct cache_object *o = NULL; /* a month later nothing of it is left */
    enum cache_state found;
    assert_ok(cache_object_new(c, &o, NULL));
    assert_ok(cache_object_seal(o, NULL));
    assert_ok(cache_object_keep(c, o, &p[1], PACK_UNKNOWN, NOW + 31 * DAY, NULL));
    cache_object_free(o);
    o = NULL;
    assert_ok(cache_object_get(c, &p[0], str_c(digest_of(bytes[0])), false, NOW, &o, &found, NULL));
    assert_int_equal(found, CACHE_MISS);
    cache_free(c);
}

static void spools_give_back_what_they_took(void **state)
{
    const struct pap_str big = many_bytes(3 * LIMIT_SPOOL);
    char part[1000];
    (void)state;
    for (int with_folder = 0; with_folder < 2; with_folder++) {
        struct cache *c = open_at(with_folder ? folder : NULL);
        struct spool *s = NULL;
        assert_ok(spool_new(c, &s, NULL));
        cache_free(c);
        assert_ok(spool_add(s, str_take(big, 10), NULL));
        assert_ok(spool_read(s, 3, part, 7, NULL));
        assert_memory_equal(part, big.p + 3, 7);
        assert_ok(spool_add(s, str_skip(big, 10), NULL));
        assert_int_equal(spool_size(s), big.n);
        for (size_t at = 0; at + sizeof part <= big.n; at += 999 * 1000) {
            assert_ok(spool_read(s, at, part, sizeof part, NULL));
            assert_memory_equal(part, big.p + at, sizeof part);
        }
        assert_ok(spool_read(s, big.n, part, 0, NULL));
        assert_int_equal(spool_read(s, big.n - 1, part, 2, NULL).code, PAP_USAGE);
        assert_int_equal(spool_read(s, UINT64_MAX, part, 2, NULL).code, PAP_USAGE);
        spool_free(s);
    }
    assert_int_equal(count_names(""), 0);
}

/* ---- The folder ---- */

static void files_are_for_the_user_alone(void **state)
{
    const struct cache_place p = shop();
    struct cache_document d = document("{}");
    (void)state;
    (void)umask(0);
    struct cache *c = open_at(in("a/b"));
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN));
    cache_object_free(keep(c, &p, many_bytes(2 * LIMIT_SPOOL), PACK_ZIP));
    put_document(c, asked, "", false, &d);
    cache_free(c);
    (void)umask(022);
    assert_int_equal(mode_of(in("a")), 0700);
    assert_int_equal(mode_of(in("a/b")), 0700);
    assert_int_equal(mode_of(in("a/b/v1")), 0700);
    char command[200];
    (void)snprintf(command, sizeof command, "test -z \"$(find %s -type f ! -perm 600)\"", folder);
    assert_int_equal(system(command), 0);
}

static void a_folder_of_others_is_refused(void **state)
{
    struct cache *c = NULL;
    struct pap_err err;
    (void)state;
    cache_free(open_cache());
    assert_int_equal(chmod(in("v1"), 0770), 0);
    assert_int_equal(cache_open(&(struct cache_options){.folder = folder}, &c, &err).code, PAP_USAGE);
    assert_non_null(strstr(err.text, "others may write"));
    assert_int_equal(rename(in("v1"), in("v2")), 0);
    assert_int_equal(chmod(in("v2"), 0700), 0);
    assert_int_equal(symlink("v2", in("v1")), 0);
    assert_int_equal(cache_open(&(struct cache_options){.folder = folder}, &c, &err).code, PAP_USAGE);
    assert_int_equal(unlink(in("v1")), 0);
    put_file(in("v1"), S("x"));
    assert_int_equal(cache_open(&(struct cache_options){.folder = folder}, &c, &err).code, PAP_USAGE);
    assert_int_equal(cache_open(&(struct cache_options){.folder = in("v1")}, &c, &err).code, PAP_USAGE);
    if (geteuid() == 0) {
        assert_int_equal(unlink(in("v1")), 0);
        assert_int_equal(mkdir(in("v1"), 0700), 0);
        assert_int_equal(chown(in("v1"), 1234, 1234), 0);
        assert_int_equal(cache_open(&(struct cache_options){.folder = folder}, &c, &err).code, PAP_USAGE);
        assert_non_null(strstr(err.text, "1234"));
    }
}

/* A folder that cannot be made: everything works, in memory. */
static void a_folder_that_cannot_be_made_is_done_without(void **state)
{
    const struct cache_place p = shop();
    (void)state;
    struct cache *c = open_at("/proc/papaver");
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN));
    assert_found(c, &p, skill, false);
    cache_free(c);
}

/* ---- A store of the caller's own ---- */

struct mine {
    struct {
        char key[100], bytes[5000];
        size_t n;
    } values[20];
    size_t n, step;
    bool full;
};

static size_t find_mine(const struct mine *m, const char *key)
{
    size_t i = 0;
    while (i < m->n && strcmp(m->values[i].key, key) != 0)
        i++;
    return i;
}

static bool mine_get(void *ctx, const char *key, bool (*take)(void *to, const char *bytes, size_t n), void *to)
{
    struct mine *m = ctx;
    size_t i = find_mine(m, key);
    if (i == m->n)
        return false;
    for (size_t at = 0, n; at < m->values[i].n; at += n) {
        n = m->values[i].n - at < m->step ? m->values[i].n - at : m->step;
        if (!take(to, m->values[i].bytes + at, n))
            return false;
    }
    return true;
}

static bool mine_put(void *ctx, const char *key, const char *bytes, size_t n)
{
    struct mine *m = ctx;
    size_t i = find_mine(m, key);
    if (m->full || n > sizeof m->values[0].bytes)
        return false;
    for (const char *k = key; *k; k++)
        assert_true((*k >= 'a' && *k <= 'z') || (*k >= '0' && *k <= '9') || *k == '-' || *k == '.');
    (void)snprintf(m->values[i].key, sizeof m->values[i].key, "%s", key);
    memcpy(m->values[i].bytes, bytes, n);
    m->values[i].n = n;
    m->n += i == m->n;
    return true;
}

static void mine_remove(void *ctx, const char *key)
{
    struct mine *m = ctx;
    size_t i = find_mine(m, key);
    if (i < m->n)
        m->values[i] = m->values[--m->n];
}

static void a_store_of_the_callers_own(void **state)
{
    static struct mine m = {.step = 7};
    const struct pap_skill_store store = {&m, mine_get, mine_put, mine_remove};
    const struct cache_place p = shop();
    struct cache_document d = document("{\"skills\": []}"), got;
    struct arena a;
    struct cache *c = NULL;
    (void)state;
    arena_init(&a, NULL);
    assert_ok(cache_open(&(struct cache_options){.store = &store}, &c, NULL));
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN));
    put_document(c, asked, "", false, &d);
    assert_int_equal(m.n, 3);
    cache_free(c);
    assert_ok(cache_open(&(struct cache_options){.store = &store}, &c, NULL));
    assert_found(c, &p, skill, false);
    assert_true(find_document(c, &a, asked, "", &got));
    assert_str(got.body, "{\"skills\": []}");
    for (size_t i = 0; i < m.n; i++)
        m.values[i].bytes[m.values[i].n - 2] ^= 1; /* somebody has written there */
    assert_false(find_document(c, &a, asked, "", &got));
    assert_state(c, &p, skill, false, CACHE_MISS); /* the record is spoiled too */
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN));
    m.values[0].bytes[0] ^= 1;
    assert_state(c, &p, skill, false, CACHE_CORRUPT);
    assert_state(c, &p, skill, false, CACHE_MISS);
    m.full = true;
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN));
    put_document(c, asked, "", false, &d);
    assert_found(c, &p, skill, false);
    assert_true(find_document(c, &a, asked, "", &got));
    cache_free(c);
    arena_fini(&a);
}

/* ---- Memory runs out ---- */

/* A round of everything; the first failure. */
static pap_result all_of_it(const struct pap_alloc *alloc, const char *path, struct pap_str bytes)
{
    const struct cache_place p = shop();
    struct cache_document d = document("{\"skills\": []}"), got;
    struct cache *c = NULL;
    struct cache_object *o = NULL, *again = NULL;
    struct arena a __attribute__((cleanup(arena_fini)));
    enum cache_state state;
    bool found;
    arena_init(&a, alloc);
    TRY(cache_open(&(struct cache_options){.alloc = alloc, .folder = path}, &c, NULL));
    pap_result r = cache_object_new(c, &o, NULL);
    if (is_ok(r))
        r = cache_object_add(o, bytes, NULL);
    if (is_ok(r))
        r = cache_object_seal(o, NULL);
    if (is_ok(r))
        r = cache_object_keep(c, o, &p, PACK_ZIP, NOW, NULL);
    if (is_ok(r))
        r = cache_object_get(c, &p, str_c(cache_object_digest(o)), true, NOW, &again, &state, NULL);
    if (is_ok(r))
        r = cache_document_put(c, asked, S(""), false, NOW, &d, NULL);
    if (is_ok(r))
        r = cache_document_get(c, &a, asked, S(""), NOW, &got, &found, NULL);
    cache_object_free(o);
    cache_object_free(again);
    cache_free(c);
    return r;
}

static bool count_them(void *ctx, const struct pap_skill_cached *object)
{
    (void)object;
    ++*(unsigned *)ctx;
    return true;
}

static void every_failing_allocation_is_passed_on(void **state)
{
    const struct pap_str sizes[] = {skill, many_bytes(2 * LIMIT_SPOOL)};
    unsigned total = 0, seen = 0;
    (void)state;
    for (int which = 0; which < 4; which++) {
        for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            fail_alloc_init(&f, n);
            pap_result r = all_of_it(&f.alloc, which & 1 ? folder : NULL, sizes[which / 2]);
            assert_int_equal(f.live, 0);
            total++;
            if (is_ok(r) && f.calls < n)
                break;
            assert_true(is_ok(r) || r.code == PAP_NO_MEMORY);
        }
    }
    for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        struct pap_skill_err err;
        fail_alloc_init(&f, n);
        seen = 0;
        pap_result r = pap_skill_cache_list(folder, &f.alloc, true, count_them, &seen, &err);
        assert_int_equal(f.live, 0);
        total++;
        if (is_ok(r))
            break;
        assert_int_equal(r.code, PAP_NO_MEMORY);
    }
    assert_int_equal(seen, 2);
    print_message("%u runs with a failing allocation\n", total);
    assert_int_equal(count_names("part-"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cache_test(a_document_outlives_the_process),
        cache_test(times_are_not_after_now),
        cache_test(nothing_secret_reaches_the_disk),
        cache_test(memory_takes_the_place_of_the_disk),
        cache_test(odd_validators_are_left_out),
        cache_test(an_artifact_outlives_the_process),
        cache_test(one_that_is_not_kept_leaves_nothing),
        cache_test(bytes_serve_only_who_fetched_them),
        cache_test(a_private_artifact_stays_in_memory),
        cmocka_unit_test(without_a_folder_it_is_all_in_memory),
        cmocka_unit_test(memory_is_bounded),
        cache_test(spools_give_back_what_they_took),
        cache_test(files_are_for_the_user_alone),
        cache_test(a_folder_of_others_is_refused),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_done_without),
        cmocka_unit_test(a_store_of_the_callers_own),
        cache_test(every_failing_allocation_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
