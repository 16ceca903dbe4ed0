/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <pthread.h>

#include "crypto/digest.h"

static void assert_sha256(const struct pap_str *parts, size_t n, const char *hex)
{
    struct digest d;
    char text[DIGEST_TEXT + 1];
    assert_ok(digest_sha256(parts, n, &d, NULL));
    digest_text(&d, text);
    assert_int_equal(strlen(text), DIGEST_TEXT);
    assert_memory_equal(text, "sha256:", 7);
    assert_string_equal(text + 7, hex);
}

static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/* The examples of FIPS 180-2. */
static void published_vectors_hold(void **state)
{
    (void)state;
    struct pap_str s = S("abc");
    assert_sha256(&s, 1, abc);
    assert_sha256(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    s = S("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
    assert_sha256(&s, 1, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    static char a[1000000];
    memset(a, 'a', sizeof a);
    s = str(a, sizeof a);
    assert_sha256(&s, 1, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void parts_are_one_text(void **state)
{
    (void)state;
    const struct pap_str parts[] = {S("a"), {NULL, 0}, S("bc"), S("")};
    assert_sha256(parts, 4, abc);
}

/* Bytes in pieces of every size give what they give at once; one that is dropped leaves nothing behind. */
static void pieces_are_one_text(void **state)
{
    (void)state;
    char text[300];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)i;
    struct pap_str whole = str(text, sizeof text);
    struct digest at_once, got;
    assert_ok(digest_sha256(&whole, 1, &at_once, NULL));
    for (size_t step = 1; step <= sizeof text; step++) {
        struct digest_run r;
        assert_ok(digest_begin(&r, NULL));
        for (struct pap_str rest = whole; rest.n; rest = str_skip(rest, step))
            digest_add(&r, str_take(rest, step));
        assert_ok(digest_end(&r, &got, NULL));
        assert_memory_equal(got.b, at_once.b, DIGEST_BYTES);
        digest_drop(&r);
    }
    struct digest_run dropped = {NULL, false};
    digest_drop(&dropped);
    assert_ok(digest_begin(&dropped, NULL));
    digest_drop(&dropped);
}

static void texts_are_read_strictly(void **state)
{
    (void)state;
    struct digest a, b;
    char text[DIGEST_TEXT + 1];
    struct pap_str s = S("abc");
    assert_ok(digest_sha256(&s, 1, &a, NULL));
    digest_text(&a, text);
    for (size_t n = 0; n < DIGEST_TEXT; n++)
        assert_false(digest_parse(str(text, n), &b));
    assert_true(digest_parse(str_c(text), &b));
    assert_true(digest_same(&a, &b));
    for (size_t i = 0; i < DIGEST_TEXT; i++) {
        char kept = text[i];
        text[i] = i < 7 ? 'S' : kept == 'b' ? 'B' : 'g';
        assert_false(digest_parse(str_c(text), &b));
        text[i] = kept;
    }
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        b.b[i] ^= 0x80;
        assert_false(digest_same(&a, &b));
        b.b[i] ^= 0x80;
    }
}

static void *hash_often(void *wrong)
{
    struct pap_str s = S("abc");
    struct digest d;
    char text[DIGEST_TEXT + 1];
    for (int i = 0; i < 2000; i++) {
        if (!is_ok(digest_sha256(&s, 1, &d, NULL)))
            return wrong;
        digest_text(&d, text);
        if (strcmp(text + 7, abc) != 0)
            return wrong;
    }
    return NULL;
}

static void threads_share_it(void **state)
{
    (void)state;
    pthread_t t[4];
    int wrong = 0;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, hash_often, &wrong), 0);
    for (size_t i = 0; i < 4; i++) {
        void *result;
        assert_int_equal(pthread_join(t[i], &result), 0);
        assert_null(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_it), /* first: the threads open the library */
        cmocka_unit_test(published_vectors_hold), cmocka_unit_test(parts_are_one_text),
        cmocka_unit_test(pieces_are_one_text),    cmocka_unit_test(texts_are_read_strictly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
