/* SPDX-License-Identifier: Apache-2.0
 *
 * A cache in which somebody has written: whatever stands there, a client gets the right bytes or none, follows no link, waits
 * for nothing, and puts the right bytes there again.
 */
#include <signal.h>

#include "cache_unit.h"

#include "base/limits.h"
#include "skills/cache_record.h"

static const struct pap_str skill = S_INIT("---\nname: water-plants\ndescription: Water them.\n---\nWater.\n");
static const struct pap_str listed = S_INIT("https://shop.example/index.json");

static void keep_skill(struct cache *c)
{
    const struct cache_place p = shop();
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN));
}

/* Not there, then there again when it has been fetched again; and listing and pruning manage. */
static void assert_mends(struct cache *c, enum cache_state first)
{
    const struct cache_place p = shop();
    uint64_t objects, removed;
    assert_state(c, &p, skill, false, first);
    keep_skill(c);
    assert_found(c, &p, skill, false);
    assert_ok(pap_skill_cache_prune(folder, NULL, 0, 0, false, &objects, &removed, NULL));
    assert_found(c, &p, skill, false);
}

/* `what` is for a shell, $P the path. */
static void command(const char *what, const char *path)
{
    char line[1000];
    (void)snprintf(line, sizeof line, "P='%s'; %s", path, what);
    assert_int_equal(system(line), 0);
}

/* ---- Artifacts ---- */

static void spoiled_bytes_are_found_out(void **state)
{
    struct cache *c = open_cache();
    char path[300];
    (void)state;
    keep_skill(c);
    (void)snprintf(path, sizeof path, "%s", object_path(skill, ".md"));
    for (size_t n = 0; n < skill.n; n++) { /* cut at every byte */
        put_file(path, str_take(skill, n));
        assert_mends(c, CACHE_CORRUPT);
    }
    for (size_t i = 0; i < skill.n; i++) { /* every byte another one */
        char other[200];
        memcpy(other, skill.p, skill.n);
        other[i] ^= 1;
        put_file(path, str(other, skill.n));
        assert_mends(c, CACHE_CORRUPT);
    }
    command("printf x >> $P", path);
    assert_mends(c, CACHE_CORRUPT);
    cache_free(c);
}

static void a_large_one_is_hashed_too(void **state)
{
    const struct cache_place p = shop();
    const struct pap_str big = many_bytes(2 * LIMIT_SPOOL);
    (void)state;
    struct cache *c = open_cache();
    cache_object_free(keep(c, &p, big, PACK_ZIP));
    FILE *f = fopen(object_path(big, ".zip"), "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, -1, SEEK_END), 0);
    assert_int_equal(fputc((unsigned char)big.p[big.n - 1] ^ 1, f), (unsigned char)big.p[big.n - 1] ^ 1);
    assert_int_equal(fclose(f), 0);
    assert_state(c, &p, big, true, CACHE_CORRUPT);
    assert_state(c, &p, big, true, CACHE_MISS);
    cache_object_free(keep(c, &p, big, PACK_ZIP));
    assert_found(c, &p, big, true);
    cache_free(c);
}

/* A terabyte is not read, and does not stand in the way. */
static void huge_files_are_not_read(void **state)
{
    (void)state;
    struct cache *c = open_cache();
    keep_skill(c);
    command("truncate -s 1T $P", object_path(skill, ".md"));
    assert_mends(c, CACHE_MISS);
    cache_free(c);
}

static void what_is_no_file_is_replaced(void **state)
{
    static const char *const odd[] = {"rm $P; mkfifo $P", "rm $P; mkdir $P", "rm $P; ln -s . $P",
                                      "rm $P; ln -s /x/y $P"};
    char path[300], elsewhere[300];
    struct arena a;
    struct pap_str got;
    (void)state;
    struct cache *c = open_cache();
    keep_skill(c);
    (void)snprintf(path, sizeof path, "%s", object_path(skill, ".md"));
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        command(odd[i], path);
        assert_mends(c, CACHE_CORRUPT);
    }
    /* a link to the right bytes is not followed, and what it leads to is left alone */
    (void)snprintf(elsewhere, sizeof elsewhere, "%s", in("elsewhere"));
    put_file(elsewhere, skill);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    assert_mends(c, CACHE_CORRUPT);
    arena_init(&a, NULL);
    assert_ok(file_read(&a, elsewhere, 1000, &got, NULL, NULL));
    assert_true(str_eq(got, skill));
    arena_fini(&a);
    cache_free(c);
}

/* A folder with something in it stands there: then it is kept in memory. */
static void what_cannot_be_replaced_is_done_without(void **state)
{
    const struct cache_place p = shop();
    struct cache *c = open_cache();
    (void)state;
    keep_skill(c);
    command("rm $P; mkdir -p $P/x", object_path(skill, ".md"));
    assert_state(c, &p, skill, false, CACHE_CORRUPT);
    keep_skill(c);
    assert_found(c, &p, skill, false);
    cache_free(c);
    assert_int_equal(count_names("part-"), 0);
}

/* Somebody who holds a file for himself does not stop others. */
static void a_lock_stops_nobody(void **state)
{
    const struct cache_place p = shop();
    char line[600];
    (void)state;
    struct cache *c = open_cache();
    keep_skill(c);
    (void)snprintf(
        line, sizeof line,
        "(flock -x 9; touch %s; exec sleep 2) 9<%s >/dev/null 2>&1 & while ! test -e %s; do sleep 0.01; done",
        in("held"), object_path(skill, ".md"), in("held"));
    assert_int_equal(system(line), 0);
    assert_found(c, &p, skill, false);
    cache_free(c);
}

/* ---- Records ---- */

static void record_path(char ret[300])
{
    char key[CACHE_KEY], below[120];
    const struct cache_place p = shop();
    assert_ok(cache_key("record", p.origin, p.url, p.scope, key, NULL));
    (void)snprintf(below, sizeof below, "v1/%s", key);
    (void)snprintf(ret, 300, "%s", in(below));
}

/* As a stranger who knows how would. */
static void put_sealed(const char *path, struct pap_str text)
{
    struct digest d;
    char seal[CACHE_SEAL], all[4000];
    assert_ok(digest_sha256(&text, 1, &d, NULL));
    cache_seal_write(&d, seal);
    memcpy(all, seal, sizeof seal);
    memcpy(all + sizeof seal, text.p, text.n);
    put_file(path, str(all, sizeof seal + text.n));
}

static void spoiled_records_name_nothing(void **state)
{
    char path[300];
    struct arena a;
    struct pap_str right;
    const struct cache_place p = shop();
    (void)state;
    arena_init(&a, NULL);
    struct cache *c = open_cache();
    keep_skill(c);
    record_path(path);
    assert_ok(file_read(&a, path, 10000, &right, NULL, NULL));
    for (size_t n = 0; n < right.n; n++) {
        put_file(path, str_take(right, n));
        assert_state(c, &p, skill, false, CACHE_MISS);
        char *other = arena_text(&a, right.n);
        memcpy(other, right.p, right.n);
        other[n] ^= 1;
        put_file(path, str(other, right.n));
        assert_state(c, &p, skill, false, CACHE_MISS);
        struct pap_str inner = str_skip(right, CACHE_SEAL); /* cut, with a right seal */
        if (n + 1 < inner.n) {
            put_sealed(path, str_take(inner, n));
            assert_state(c, &p, skill, false, CACHE_MISS);
        }
    }
    keep_skill(c);
    assert_found(c, &p, skill, false);
    command("truncate -s 1T $P", path);
    assert_mends(c, CACHE_MISS);
    command("rm $P; mkfifo $P", path);
    assert_mends(c, CACHE_MISS);
    command("rm $P; ln -s /etc/passwd $P", path);
    assert_mends(c, CACHE_MISS);
    cache_free(c);
    arena_fini(&a);
}

/* Each of these names the skill but is not right. */
static const char *const wrong_records[] = {
    "{\"layout\":2,\"origin\":\"https://shop.example/\",\"url\":\"https://shop.example/a/water-plants.md\",\"scope\":\"\","
    "\"digest\":\"@\",\"format\":\"md\"}",
    "{\"layout\":1,\"origin\":\"https://evil.example/\",\"url\":\"https://shop.example/a/water-plants.md\",\"scope\":\"\","
    "\"digest\":\"@\",\"format\":\"md\"}",
    "{\"layout\":1,\"origin\":\"https://shop.example/\",\"url\":\"https://shop.example/a/other.md\",\"scope\":\"\","
    "\"digest\":\"@\",\"format\":\"md\"}",
    "{\"layout\":1,\"origin\":\"https://shop.example/\",\"url\":\"https://shop.example/a/water-plants.md\",\"scope\":\"x\","
    "\"digest\":\"@\",\"format\":\"md\"}",
    "{\"layout\":1,\"origin\":\"https://shop.example/\",\"url\":\"https://shop.example/a/water-plants.md\",\"scope\":\"\","
    "\"digest\":\"@\",\"format\":\"zip\"}",
    "{\"layout\":1,\"origin\":\"https://shop.example/\",\"url\":\"https://shop.example/a/water-plants.md\",\"scope\":\"\","
    "\"digest\":\"@\",\"format\":\"../../x\"}",
    "{\"layout\":1,\"origin\":\"https://shop.example/\",\"url\":\"https://shop.example/a/water-plants.md\",\"scope\":\"\","
    "\"digest\":\"!\",\"format\":\"md\"}",
    "{\"layout\":1,\"origin\":\"https://shop.example/\",\"url\":[\"https://shop.example/a/water-plants.md\"],\"scope\":\"\","
    "\"digest\":\"@\",\"format\":\"md\"}",
    "{\"layout\":1,\"url\":\"https://shop.example/a/water-plants.md\",\"scope\":\"\",\"digest\":\"@\",\"format\":\"md\"}",
    "[\"@\"]",
    "{}@",
};
static const char right_record[] =
    "{\"layout\":1,\"origin\":\"https://shop.example/\",\"url\":\"https://shop.example/a/water-plants.md\",\"scope\":\"\","
    "\"digest\":\"@\",\"format\":\"md\"}";

/* With the digest in the place of @, without its last digit for !. */
static void put_record(const char *path, const char *pattern, struct pap_str bytes)
{
    char text[1000];
    size_t n = 0;
    for (const char *p = pattern; *p; p++) {
        size_t digits = *p == '@' ? DIGEST_TEXT : *p == '!' ? DIGEST_TEXT - 1 : 0;
        memcpy(text + n, digits ? digest_of(bytes) : p, digits ? digits : 1);
        n += digits ? digits : 1;
    }
    put_sealed(path, str(text, n));
}

static void forged_records_are_compared(void **state)
{
    char path[300];
    const struct cache_place p = shop();
    (void)state;
    struct cache *c = open_cache();
    keep_skill(c);
    record_path(path);
    for (size_t i = 0; i < sizeof wrong_records / sizeof *wrong_records; i++) {
        put_record(path, wrong_records[i], skill);
        assert_state(c, &p, skill, false, CACHE_MISS);
    }
    put_record(path, right_record, skill);
    assert_found(c, &p, skill, false);
    put_record(path, right_record, S("other bytes")); /* a foreign digest */
    assert_state(c, &p, skill, false, CACHE_MISS);
    assert_state(c, &p, S("other bytes"), false, CACHE_MISS);
    cache_free(c);
}

/* ---- Documents ---- */

static void put_list(struct cache *c)
{
    const struct cache_document d = {
        .url = listed, .etag = S("\"1\""), .validated = NOW, .body = S("{\"skills\": []}")};
    assert_ok(cache_document_put(c, listed, S(""), false, NOW, &d, NULL));
}

static bool has_list(struct cache *c)
{
    struct arena a;
    struct cache_document d;
    bool found;
    arena_init(&a, NULL);
    assert_ok(cache_document_get(c, &a, listed, S(""), NOW, &d, &found, NULL));
    if (found) {
        assert_str(d.body, "{\"skills\": []}");
        assert_str(d.etag, "\"1\"");
        assert_true(str_eq(d.url, listed));
    }
    arena_fini(&a);
    return found;
}

static void document_path(char ret[300])
{
    char key[CACHE_KEY], below[120];
    assert_ok(cache_key("document", S(""), listed, S(""), key, NULL));
    (void)snprintf(below, sizeof below, "v1/%s", key);
    (void)snprintf(ret, 300, "%s", in(below));
}

static void spoiled_documents_are_not_found(void **state)
{
    char path[300];
    struct arena a;
    struct pap_str right;
    (void)state;
    arena_init(&a, NULL);
    struct cache *c = open_cache();
    put_list(c);
    document_path(path);
    assert_ok(file_read(&a, path, 10000, &right, NULL, NULL));
    for (size_t n = 0; n < right.n; n++) {
        char *other = arena_text(&a, right.n);
        put_file(path, str_take(right, n));
        assert_false(has_list(c));
        memcpy(other, right.p, right.n);
        other[n] ^= 1;
        put_file(path, str(other, right.n));
        assert_false(has_list(c));
    }
    static const char *const odd[] = {"truncate -s 1T $P", "rm $P; mkfifo $P", "rm $P; ln -s /etc/passwd $P",
                                      "rm $P; mkdir $P"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        command(odd[i], path);
        assert_false(has_list(c));
        put_list(c);
        assert_true(has_list(c));
        if (i + 1 == sizeof odd / sizeof *odd)
            break;
        struct cache *other = open_cache(); /* others find it too */
        assert_true(has_list(other));
        cache_free(other);
    }
    cache_free(c);
    arena_fini(&a);
}

/* What goes into a request again is looked at: no header field can be smuggled in, no URL that nobody may ask. */
static void forged_documents_are_compared(void **state)
{
    static const struct {
        const char *head;
        bool good;
    } heads[] = {
        {"{\"layout\":1,\"asked\":\"https://shop.example/index.json\",\"scope\":\"\","
         "\"url\":\"https://shop.example/index.json\",\"etag\":\"\\\"1\\\"\",\"validated\":2}",
         true},
        {"{\"layout\":1,\"asked\":\"https://shop.example/index.json\",\"scope\":\"\","
         "\"url\":\"https://shop.example/index.json\",\"etag\":\"\\\"1\\\"\\r\\nCookie: a\",\"validated\":2}",
         false},
        {"{\"layout\":1,\"asked\":\"https://shop.example/index.json\",\"scope\":\"\","
         "\"url\":\"https://shop.example/index.json\",\"last_modified\":\"\\u0000\",\"validated\":2}",
         false},
        {"{\"layout\":1,\"asked\":\"https://shop.example/index.json\",\"scope\":\"\","
         "\"url\":\"file:///etc/passwd\",\"validated\":2}",
         false},
        {"{\"layout\":1,\"asked\":\"https://shop.example/index.json\",\"scope\":\"\","
         "\"url\":\"https://a:b@shop.example/\",\"validated\":2}",
         false},
        {"{\"layout\":1,\"asked\":\"https://evil.example/index.json\",\"scope\":\"\","
         "\"url\":\"https://shop.example/index.json\",\"validated\":2}",
         false},
        {"{\"layout\":1,\"asked\":\"https://shop.example/index.json\",\"scope\":\"x\","
         "\"url\":\"https://shop.example/index.json\",\"validated\":2}",
         false},
        {"{\"layout\":1,\"asked\":\"https://shop.example/index.json\",\"scope\":\"\","
         "\"url\":\"https://shop.example/index.json\",\"validated\":1e3}",
         false},
        {"{\"layout\":1}", false},
        {"[[[[[[[[", false},
        {"", false},
    };
    char path[300], text[2000];
    (void)state;
    struct cache *c = open_cache();
    put_list(c);
    document_path(path);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        (void)snprintf(text, sizeof text, "%s\n{\"skills\": []}", heads[i].head);
        put_sealed(path, str_c(text));
        if (has_list(c) != heads[i].good)
            unit_fail("head %zu", i);
    }
    put_sealed(path, S("no line end")); /* nothing that ends a head */
    assert_false(has_list(c));
    cache_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cache_test(spoiled_bytes_are_found_out),
        cache_test(a_large_one_is_hashed_too),
        cache_test(huge_files_are_not_read),
        cache_test(what_is_no_file_is_replaced),
        cache_test(what_cannot_be_replaced_is_done_without),
        cache_test(a_lock_stops_nobody),
        cache_test(spoiled_records_name_nothing),
        cache_test(forged_records_are_compared),
        cache_test(spoiled_documents_are_not_found),
        cache_test(forged_documents_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
