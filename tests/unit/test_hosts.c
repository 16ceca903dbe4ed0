/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts that several clients ask one at a time.
 */
#include "net/hosts.h"
#include "unit.h"

static void one_at_a_time(void **state)
{
    (void)state;
    static struct hosts h;
    hosts_init(&h);
    uint64_t shop = hosts_key(S("shop.example")), other = hosts_key(S("shop.example:8443"));
    assert_true(shop != other);
    assert_true(shop == hosts_key(S("SHOP.example")));
    assert_true(hosts_try(&h, shop));
    assert_false(hosts_try(&h, shop));
    assert_true(hosts_try(&h, other));
    hosts_take(&h, shop); /* a redirect */
    hosts_give(&h, shop);
    assert_false(hosts_try(&h, shop)); /* the first still asks it */
    hosts_give(&h, shop);
    assert_true(hosts_try(&h, shop));
    hosts_give(&h, shop);
    hosts_give(&h, shop); /* once too often does nothing */
    assert_false(hosts_try(&h, other));
    hosts_fini(&h);
}

static void no_more_than_fit(void **state)
{
    (void)state;
    static struct hosts h;
    hosts_init(&h);
    for (uint64_t key = 1; key <= HOSTS_MOST; key++)
        assert_true(hosts_try(&h, key));
    assert_true(hosts_try(&h, HOSTS_MOST + 1)); /* not counted */
    hosts_give(&h, HOSTS_MOST + 1);
    assert_false(hosts_try(&h, 1));
    hosts_fini(&h);
}

/* Each thread adds to a number that only the holder of a host may touch. */
static struct hosts shared;
static unsigned touched;

static void *touch(void *p)
{
    (void)p;
    for (unsigned i = 0; i < 2000;) {
        if (!hosts_try(&shared, 7))
            continue;
        touched++;
        hosts_give(&shared, 7);
        i++;
    }
    return NULL;
}

static void several_threads(void **state)
{
    (void)state;
    pthread_t t[3];
    hosts_init(&shared);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&t[i], NULL, touch, NULL), 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_join(t[i], NULL), 0);
    assert_int_equal(touched, 6000);
    hosts_fini(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(no_more_than_fit),
        cmocka_unit_test(several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
