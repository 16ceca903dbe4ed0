/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/gunzip.h"

#include <zlib.h>

#include "unit.h"

static char plain[100000], packed[100000];
static size_t n_packed;

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (char)("{\"name\": \"value\"},\n"[i % 19] + (i % 997 == 0));
    z_stream z = {0};
    if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return 1;
    z.next_in = (Bytef *)plain;
    z.avail_in = sizeof plain;
    z.next_out = (Bytef *)packed;
    z.avail_out = sizeof packed;
    int rc = deflate(&z, Z_FINISH);
    n_packed = sizeof packed - z.avail_out;
    return deflateEnd(&z) != Z_OK || rc != Z_STREAM_END;
}

/* The phrase, NULL when whole. */
static const char *undo(struct pap_str bytes, size_t cap, struct buf *out)
{
    const char *why = "?";
    buf_init(out, NULL, SIZE_MAX);
    assert_ok(gunzip(bytes, cap, out, &why, NULL));
    return why;
}

static void whole_members_are_undone(void **state)
{
    struct buf out;
    (void)state;
    assert_null(undo(str(packed, n_packed), SIZE_MAX, &out));
    assert_int_equal(out.n, sizeof plain);
    assert_memory_equal(out.p, plain, sizeof plain);
    buf_fini(&out);
    memcpy(packed + n_packed, packed, n_packed);
    assert_null(undo(str(packed, 2 * n_packed), SIZE_MAX, &out));
    assert_int_equal(out.n, 2 * sizeof plain);
    buf_fini(&out);
}

static void the_cap_stops_it(void **state)
{
    struct buf out;
    (void)state;
    assert_null(undo(str(packed, n_packed), 1000, &out));
    assert_in_range(out.n, 1001, 1000 + 32 * 1024);
    buf_fini(&out);
    assert_null(undo(str(packed, n_packed), sizeof plain, &out));
    assert_int_equal(out.n, sizeof plain);
    buf_fini(&out);
}

static void each_cut_is_seen(void **state)
{
    (void)state;
    for (size_t n = 0; n < n_packed; n++) {
        struct buf out;
        const char *why = undo(str(packed, n), SIZE_MAX, &out);
        assert_non_null(why);
        assert_string_equal(why, "it ends too early");
        buf_fini(&out);
    }
}

static void damage_is_seen(void **state)
{
    struct buf out;
    (void)state;
    for (size_t i = 0; i < 8; i++) { /* CRC-32 and size */
        packed[n_packed - 1 - i] ^= 1;
        assert_non_null(undo(str(packed, n_packed), SIZE_MAX, &out));
        buf_fini(&out);
        packed[n_packed - 1 - i] ^= 1;
    }
    packed[n_packed] = '\n';
    assert_non_null(undo(str(packed, n_packed + 1), SIZE_MAX, &out));
    assert_int_equal(out.n, sizeof plain);
    buf_fini(&out);
    assert_non_null(undo(S("no gzip at all"), SIZE_MAX, &out));
    buf_fini(&out);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (unsigned n = 1; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        struct buf out;
        const char *why;
        fail_alloc_init(&f, n);
        buf_init(&out, &f.alloc, SIZE_MAX);
        pap_result r = gunzip(str(packed, n_packed), SIZE_MAX, &out, &why, NULL);
        buf_fini(&out);
        assert_int_equal(f.live, 0);
        if (is_ok(r)) {
            assert_true(n > 2);
            return;
        }
        assert_int_equal(r.code, PAP_NO_MEMORY);
    }
    unit_fail("never whole");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_members_are_undone),  cmocka_unit_test(the_cap_stops_it),
        cmocka_unit_test(each_cut_is_seen),          cmocka_unit_test(damage_is_seen),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
