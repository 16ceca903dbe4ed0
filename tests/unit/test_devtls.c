/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate of `papaver serve --dev-tls`: when it is made anew, who can read it, what it is good for. That curl takes
 * it, a flow shows (tests/flows/dev_tls.sh).
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "app/devtls.h"
#include "net/devcert.h"
#include "sys/file.h"
#include "sys/stage.h"

enum { DAY = 24 * 3600, LIMIT = 1000 };
static const int64_t now = 1893456000; /* 2030-01-01 */

static int make_folder(void **state)
{
    static char folder[64];
    *state = folder;
    return is_ok(folder_temporary(folder, NULL)) ? 0 : 1;
}

static int remove_folder(void **state)
{
    return is_ok(folder_remove(*state, NULL)) ? 0 : 1;
}

/* Ready at that time; whether it was made anew must be `is_new`. */
static void ready(const char *state, const char *const *hosts, int64_t at, bool is_new, struct devtls *ret)
{
    struct pap_err err = {0};
    if (devtls_ready(state, hosts, at, NULL, ret, &err).code != PAP_OK)
        unit_fail("%s", err.text);
    assert_int_equal(ret->is_new, is_new);
}

static void assert_mode(const char *path, unsigned mode)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, mode);
}

static void test_kept_for_two_weeks(void **state)
{
    struct devtls d;
    ready(*state, NULL, now, true, &d);
    assert_true(str_ends(str_c(d.authority), S("/dev-tls/localhost/ca.pem")));
    assert_mode(d.leaf, 0600);
    ready(*state, NULL, now, false, &d);
    ready(*state, NULL, now + 15 * DAY - 1, false, &d);
    ready(*state, NULL, now + 15 * DAY, true, &d);
    ready(*state, NULL, now + 30 * DAY - 1, false, &d);
    ready(*state, NULL, now + 400 * DAY, true, &d); /* long expired */
}

static void test_made_anew_when_it_is_not_right(void **state)
{
    struct devtls d, other;
    const char *const hosts[] = {"shop.example", "192.0.2.7", "2001:db8::7", NULL};
    char command[3 * DEVTLS_PATH];
    ready(*state, NULL, now, true, &d);
    assert_int_equal(chmod(d.leaf, 0640), 0); /* somebody may have read it */
    ready(*state, NULL, now, true, &d);
    assert_mode(d.leaf, 0600);
    assert_int_equal(unlink(d.authority), 0);
    ready(*state, NULL, now, true, &d);
    ready(*state, hosts, now, true, &other); /* two that do not take each other's away */
    assert_true(str_ends(str_c(other.leaf), S("/dev-tls/shop.example,192.0.2.7,2001:db8::7/leaf.pem")));
    ready(*state, hosts, now, false, &other);
    ready(*state, NULL, now, false, &d);
    snprintf(command, sizeof command, "cp '%s' '%s'", d.authority, other.authority); /* of another authority */
    assert_int_equal(system(command), 0);
    ready(*state, hosts, now, true, &other);
    snprintf(command, sizeof command, "cp -p '%s' '%s'", d.leaf, other.leaf); /* without the names */
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "cp '%s' '%s'", d.authority, other.authority);
    assert_int_equal(system(command), 0);
    ready(*state, hosts, now, true, &other);
    assert_int_equal(unlink(d.leaf), 0);
    assert_int_equal(symlink(other.leaf, d.leaf), 0);
    ready(*state, NULL, now, true, &d);
}

static void test_hostile_names(void **state)
{
    static const char *const bad[] = {"",
                                      ".",
                                      "..",
                                      "a/b",
                                      "*.shop.example",
                                      "shop.example.",
                                      "a..b",
                                      "-a.b",
                                      "a.b-",
                                      "a,DNS:b",
                                      "a;b",
                                      "a b",
                                      "127.0.0",
                                      "1.2.3.4.",
                                      "1.2.3.4:80",
                                      "[::1]",
                                      "fe80::1%eth0",
                                      "email:a@b",
                                      "\xc3\xa4.b",
                                      "@section",
                                      "a\nb",
                                      "../../up",
                                      ".hidden"};
    char long_name[300], path[128];
    struct devtls d;
    struct pap_err err;
    memset(long_name, 'a', sizeof long_name);
    long_name[254] = '\0';
    for (size_t i = 0; i <= sizeof bad / sizeof bad[0]; i++) {
        const char *const names[] = {"shop.example", i < sizeof bad / sizeof bad[0] ? bad[i] : long_name, NULL};
        if (devtls_ready(*state, names, now, NULL, &d, &err).code != PAP_USAGE)
            unit_fail("taken: %s", names[1]);
    }
    snprintf(path, sizeof path, "%s/dev-tls", (const char *)*state);
    assert_int_equal(access(path, F_OK), -1); /* nothing was made */
}

/* Too many names for a folder's name: told apart all the same. */
static void test_many_names(void **state)
{
    static char text[LIMIT][40];
    const char *names[LIMIT + 1] = {NULL};
    struct devtls a, b;
    struct pap_err err;
    for (unsigned i = 0; i < LIMIT; i++) {
        snprintf(text[i], sizeof text[i], "host-%u.shop.example", i);
        names[i] = text[i];
    }
    names[100] = NULL;
    ready(*state, names, now, true, &a);
    ready(*state, names, now, false, &a);
    assert_true(strlen(a.leaf) < 320);
    names[99] = "other.example";
    ready(*state, names, now, true, &b);
    assert_string_not_equal(a.leaf, b.leaf);
    ready(*state, names, now, false, &b);
    names[99] = text[99];
    names[100] = text[100];
    assert_int_equal(devtls_ready(*state, names, now, NULL, &a, &err).code, PAP_LIMIT);
}

static void test_no_folder(void **state)
{
    struct devtls d;
    struct pap_err err;
    char path[128];
    snprintf(path, sizeof path, "%s/dev-tls", (const char *)*state);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(devtls_ready(*state, NULL, now, NULL, &d, &err).code, PAP_IO);
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    const char *const names[] = {"shop.example", "2001:db8::7", NULL}, *const more[] = {"other.example", NULL};
    const struct devcert_wish wish = {names, now}, other = {more, now};
    struct arena a;
    struct devcert c;
    bool fits;
    arena_init(&a, NULL);
    assert_ok(devcert_new(&a, &wish, &c, NULL));
    assert_ok(devcert_fits(&c, &wish, 0, &fits, NULL));
    assert_true(fits);
    assert_ok(devcert_fits(&c, &wish, DEVCERT_DAYS * DAY - 1, &fits, NULL));
    assert_true(fits);
    assert_ok(devcert_fits(&c, &wish, DEVCERT_DAYS * DAY, &fits, NULL));
    assert_false(fits);
    assert_ok(devcert_fits(&c, &other, 0, &fits, NULL));
    assert_false(fits);
    for (size_t n = 0; n + 1 < c.leaf.n; n++) { /* the last line end is none of it */
        assert_ok(devcert_fits(&(struct devcert){c.authority, str_take(c.leaf, n)}, &wish, 0, &fits, NULL));
        assert_false(fits);
        assert_ok(devcert_fits(&(struct devcert){str_take(c.authority, n < c.authority.n - 1 ? n : 0), c.leaf}, &wish,
                               0, &fits, NULL));
        assert_false(fits);
    }
    arena_fini(&a);
}

static void test_failing_allocations(void **state)
{
    struct devtls d;
    struct fail_alloc f;
    unsigned at = 1;
    for (;; at++) {
        fail_alloc_init(&f, at);
        pap_result r = devtls_ready(*state, NULL, now, &f.alloc, &d, NULL);
        assert_int_equal(f.live, 0);
        if (is_ok(r) && at > f.calls)
            break;
        assert_true(is_ok(r) || r.code == PAP_NO_MEMORY);
    }
    assert_true(at > 1);
    ready(*state, NULL, now, false, &d);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_kept_for_two_weeks),  IN_FOLDER(test_made_anew_when_it_is_not_right),
        IN_FOLDER(test_hostile_names),       IN_FOLDER(test_many_names),
        IN_FOLDER(test_no_folder),           cmocka_unit_test(test_cut_anywhere),
        IN_FOLDER(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
