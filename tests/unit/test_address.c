/* SPDX-License-Identifier: Apache-2.0
 *
 * The address policy: first and last address of every range and their neighbours, against a list written down here once
 * more; addresses inside addresses; literals.
 */
#include "proto/address.h"
#include "unit.h"

#define countof(a) (sizeof(a) / sizeof(a)[0])

/* What an address gives: without and with --allow-private. */
enum { NO_NO, NO_YES, YES_YES };

static int judged(const unsigned char *bytes, size_t n, const char **ret_why)
{
    const char *why = NULL, *why_private = NULL;
    bool open = address_judge(bytes, n, false, &why) == ADDRESS_OK;
    bool with = address_judge(bytes, n, true, &why_private) == ADDRESS_OK;
    assert_true(open == !why && with == !why_private); /* a reason exactly when refused */
    assert_true(with || !open);
    *ret_why = why ? why : "";
    return open ? YES_YES : with ? NO_YES : NO_NO;
}

static int judged_text(const char *text, const char **ret_why)
{
    unsigned char bytes[16];
    size_t n;
    if (!address_parse(str_c(text), bytes, &n))
        unit_fail("%s does not parse", text);
    return judged(bytes, n, ret_why);
}

/* first, last: in the range. before, after: NULL where there is none; what these give stands behind them. */
static const struct edge {
    const char *first, *last;
    int in;
    const char *why; /* begins so */
    const char *before;
    int at_before;
    const char *after;
    int at_after;
} edges[] = {
    {"0.0.0.0", "0.255.255.255", NO_NO, "unspecified 0", NULL, 0, "1.0.0.0", YES_YES},
    {"10.0.0.0", "10.255.255.255", NO_YES, "private 10", "9.255.255.255", YES_YES, "11.0.0.0", YES_YES},
    {"100.64.0.0", "100.127.255.255", NO_YES, "shared", "100.63.255.255", YES_YES, "100.128.0.0", YES_YES},
    {"127.0.0.0", "127.255.255.255", NO_YES, "loopback 127", "126.255.255.255", YES_YES, "128.0.0.0", YES_YES},
    {"169.254.0.0", "169.254.255.255", NO_YES, "link-local 169", "169.253.255.255", YES_YES, "169.255.0.0", YES_YES},
    {"172.16.0.0", "172.31.255.255", NO_YES, "private 172", "172.15.255.255", YES_YES, "172.32.0.0", YES_YES},
    {"192.0.0.0", "192.0.0.255", NO_NO, "protocol", "191.255.255.255", YES_YES, "192.0.1.0", YES_YES},
    {"192.0.2.0", "192.0.2.255", NO_NO, "documentation 192", "192.0.1.255", YES_YES, "192.0.3.0", YES_YES},
    {"192.88.99.0", "192.88.99.255", NO_NO, "6to4", "192.88.98.255", YES_YES, "192.88.100.0", YES_YES},
    {"192.168.0.0", "192.168.255.255", NO_YES, "private 192", "192.167.255.255", YES_YES, "192.169.0.0", YES_YES},
    {"198.18.0.0", "198.19.255.255", NO_NO, "benchmarks", "198.17.255.255", YES_YES, "198.20.0.0", YES_YES},
    {"198.51.100.0", "198.51.100.255", NO_NO, "documentation 198", "198.51.99.255", YES_YES, "198.51.101.0", YES_YES},
    {"203.0.113.0", "203.0.113.255", NO_NO, "documentation 203", "203.0.112.255", YES_YES, "203.0.114.0", YES_YES},
    {"224.0.0.0", "239.255.255.255", NO_NO, "multicast 224", "223.255.255.255", YES_YES, "240.0.0.0", NO_NO},
    {"240.0.0.0", "255.255.255.254", NO_NO, "reserved", "239.255.255.255", NO_NO, "255.255.255.255", NO_NO},
    {"255.255.255.255", "255.255.255.255", NO_NO, "broadcast", "255.255.255.254", NO_NO, NULL, 0},

    {"::", "::", NO_NO, "unspecified ::", NULL, 0, "::1", NO_YES},
    {"::1", "::1", NO_YES, "loopback ::1", "::", NO_NO, "::2", NO_NO},
    {"::ffff:127.0.0.0", "::ffff:127.255.255.255", NO_YES, "loopback 127", "::fffe:ffff:ffff", NO_NO,
     "::ffff:128.0.0.0", YES_YES},
    {"::ffff:0.0.0.0", "::ffff:0.255.255.255", NO_NO, "unspecified 0", "::fffe:ffff:ffff", NO_NO, "::ffff:1.0.0.0",
     YES_YES},
    {"::ffff:255.255.255.255", "::ffff:255.255.255.255", NO_NO, "broadcast", "::ffff:255.255.255.254", NO_NO,
     "::1:0:0:0", NO_NO},
    {"64:ff9b::10.0.0.0", "64:ff9b::10.255.255.255", NO_YES, "private 10", "64:ff9b::9.255.255.255", YES_YES,
     "64:ff9b::11.0.0.0", YES_YES},
    {"64:ff9b::", "64:ff9b::0.255.255.255", NO_NO, "unspecified 0", "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO,
     "64:ff9b::1.0.0.0", YES_YES},
    {"64:ff9b::255.255.255.255", "64:ff9b::255.255.255.255", NO_NO, "broadcast", "64:ff9b::255.255.255.254", NO_NO,
     "64:ff9b::1:0:0", NO_NO},
    {"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", NO_NO, "not allocated", "64:ff9b:0:ffff::", NO_NO,
     "64:ff9b:2::", NO_NO},
    {"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NO_YES, "unique local",
     "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO, "fe00::", NO_NO},
    {"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NO_YES, "link-local fe80",
     "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO, "fec0::", NO_NO},
    {"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO, "multicast ff00",
     "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO, NULL, 0},
    {"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO, "6to4 2002", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
     NO_NO, "2003::", YES_YES},
    {"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO, "documentation 2001",
     "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", YES_YES, "2001:db9::", YES_YES},
    {"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO, "not allocated", "3ffe::", NO_NO, "4000::", NO_NO},
    {"100::", "100::ffff:ffff:ffff:ffff", NO_NO, "not allocated", "ff::", NO_NO, "100:0:0:1::", NO_NO},
    {"::1.2.3.4", "::255.255.255.255", NO_NO, "not allocated", "::1.2.3.3", NO_NO, "::1:0:0", NO_NO},

    {"2001:1::1", "2001:1::3", YES_YES, "", "2001:1::", NO_NO, "2001:1::4", NO_NO},
    {"2001:1::2", "2001:1::2", YES_YES, "", NULL, 0, NULL, 0},
    {"2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff", YES_YES, "", "2001:2:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO,
     "2001:4::", NO_NO},
    {"2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff", YES_YES, "", "2001:4:111:ffff:ffff:ffff:ffff:ffff", NO_NO,
     "2001:4:113::", NO_NO},
    {"2001:20::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff", YES_YES, "", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO,
     "2001:40::", NO_NO}, /* two ranges that touch */
    {"2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", NO_NO, "not allocated", "2000:ffff::", NO_NO, "2001:1::", NO_NO},
};

/* The allocated unicast space: first 32 bits and last 32 bits of each block of touching ranges. */
static const struct {
    uint32_t first, last;
} allocated[] = {
    {0x20010200, 0x20010db7}, {0x20010db9, 0x20010fff}, {0x20011200, 0x20013fff}, {0x20014000, 0x20014dff},
    {0x20015000, 0x20015fff}, {0x20018000, 0x2001bfff}, {0x20030000, 0x20033fff}, {0x24000000, 0x241fffff},
    {0x26000000, 0x260fffff}, {0x26100000, 0x261001ff}, {0x26200000, 0x262001ff}, {0x26300000, 0x263fffff},
    {0x28000000, 0x280fffff}, {0x2a000000, 0x2a1fffff}, {0x2c000000, 0x2c0fffff},
};

static void check_edge(const struct edge *e, const char *text, int want)
{
    const char *why;
    int got = judged_text(text, &why);
    if (got != want)
        unit_fail("%s (of %s): got %d (%s), want %d", text, e->first, got, why, want);
    if ((text == e->first || text == e->last) && !str_starts(str_c(why), str_c(e->why)))
        unit_fail("%s: \"%s\" does not begin with \"%s\"", text, why, e->why);
}

static void ranges_end_where_they_should(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(edges); i++) {
        check_edge(&edges[i], edges[i].first, edges[i].in);
        check_edge(&edges[i], edges[i].last, edges[i].in);
        if (edges[i].before)
            check_edge(&edges[i], edges[i].before, edges[i].at_before);
        if (edges[i].after)
            check_edge(&edges[i], edges[i].after, edges[i].at_after);
    }
}

/* The 32 bits, then all zeros or all ones. */
static int judged_32(uint32_t top, int fill)
{
    unsigned char bytes[16];
    const char *why;
    memset(bytes, fill, sizeof bytes);
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(top >> (24 - 8 * i));
    return judged(bytes, 16, &why);
}

static bool is_allocated(uint32_t top)
{
    for (size_t i = 0; i < countof(allocated); i++)
        if (top >= allocated[i].first && top <= allocated[i].last)
            return true;
    return false;
}

static void allocated_unicast_ends_where_it_should(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(allocated); i++) {
        uint32_t first = allocated[i].first, last = allocated[i].last;
        assert_int_equal(judged_32(first, 0), YES_YES);
        assert_int_equal(judged_32(last, 0xff), YES_YES);
        assert_int_equal(judged_32(first - 1, 0xff), is_allocated(first - 1) ? YES_YES : NO_NO);
        assert_int_equal(judged_32(last + 1, 0), is_allocated(last + 1) ? YES_YES : NO_NO);
    }
    /* and nothing between: all of 2001::/16 beyond the special block, then every /16 */
    for (uint32_t low = 0x0100; low <= 0xffff; low++)
        if (judged_32(0x20010000 | low, 0x55) != (is_allocated(0x20010000 | low) ? YES_YES : NO_NO))
            unit_fail("2001:%x::", low);
    for (uint32_t top = 0x0101; top < 0xfc00; top++)
        if (judged_32(top << 16 | 0x0100, 0x55) != (is_allocated(top << 16 | 0x0100) ? YES_YES : NO_NO))
            unit_fail("%x:100::", top);
}

static bool holds(const struct address_range *wide, const struct address_range *narrow)
{
    if (wide->family != narrow->family || wide->bits > narrow->bits)
        return false;
    for (unsigned bit = 0; bit < wide->bits; bit++)
        if ((wide->prefix[bit / 8] ^ narrow->prefix[bit / 8]) >> (7 - bit % 8) & 1)
            return false;
    return true;
}

static void table_is_in_order(void **state)
{
    (void)state;
    size_t n;
    const struct address_range *r = address_ranges(&n);
    assert_int_equal(n, 16 + 9 + 7 + 32);
    for (size_t i = 0; i < n; i++) {
        assert_true(r[i].family == 4 || r[i].family == 16);
        assert_true(r[i].bits <= r[i].family * 8);
        for (unsigned bit = r[i].bits; bit < 128; bit++)
            assert_int_equal(r[i].prefix[bit / 8] >> (7 - bit % 8) & 1, 0);
        for (size_t k = 0; k < i; k++)
            if (holds(&r[k], &r[i]) || strcmp(r[k].name, r[i].name) == 0)
                unit_fail("%s can never decide: %s stands above it", r[i].name, r[k].name);
        /* the range in its name is the range */
        unsigned char bytes[16] = {0};
        size_t size;
        struct pap_str cidr = str_skip(str_c(r[i].name), str_rfind_char(str_c(r[i].name), ' ') + 1);
        cidr = cidr.n ? cidr : str_c(r[i].name);
        size_t slash = str_find_char(cidr, '/');
        uint64_t bits = r[i].family * 8U;
        assert_true(address_parse(str_take(cidr, slash), bytes, &size) && size == r[i].family);
        assert_true(slash == cidr.n || str_to_u64(str_skip(cidr, slash + 1), &bits));
        assert_int_equal(bits, r[i].bits);
        assert_memory_equal(bytes, r[i].prefix, 16);
    }
}

static void nothing_else_is_an_address(void **state)
{
    (void)state;
    unsigned char bytes[16] = {8, 8, 8, 8};
    for (size_t n = 0; n < 40; n++) {
        const char *why = NULL;
        if (n == 4 || n == 16)
            continue;
        assert_int_equal(address_judge(bytes, n, true, &why), ADDRESS_REFUSED);
        assert_string_equal(why, "not an IP address");
        assert_false(address_is_loopback(bytes, n));
    }
}

static void literals_parse(void **state)
{
    (void)state;
    unsigned char got[16];
    size_t n = 0;
    unsigned char four[4] = {192, 0, 2, 7}, six[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
    assert_true(address_parse(S("192.0.2.7"), got, &n) && n == 4);
    assert_memory_equal(got, four, 4);
    assert_true(address_parse(S("2001:db8::1"), got, &n) && n == 16);
    assert_memory_equal(got, six, 16);
    memset(got, 0, 16);
    assert_true(address_parse(S("[2001:DB8::1]"), got, &n) && n == 16);
    assert_memory_equal(got, six, 16);
    static const char *const bad[] = {"",           "[",          "[]",           "[192.0.2.7]",      "[::1",
                                      "::1]",       "[[::1]]",    "127.1",        "0x7f.0.0.1",       "2130706433",
                                      "127.0.0.01", "127.0.0.1.", "::1%lo",       "[fe80::1%25eth0]", "fe80::1%eth0",
                                      "localhost",  " 127.0.0.1", "127.0.0.1:80", "[::1]:80"};
    n = 99;
    for (size_t i = 0; i < countof(bad); i++)
        if (address_parse(str_c(bad[i]), got, &n))
            unit_fail("%s", bad[i]);
    assert_int_equal(n, 99);
}

static void loopback_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is;
    } rows[] = {
        {"127.0.0.1", true},
        {"127.255.255.255", true},
        {"128.0.0.0", false},
        {"126.255.255.255", false},
        {"::1", true},
        {"::", false},
        {"::2", false},
        {"::ffff:127.0.0.1", true},
        {"::ffff:128.0.0.1", false},
        {"::127.0.0.1", false},
        {"64:ff9b::127.0.0.1", false},
        {"7f00::1", false},
    };
    for (size_t i = 0; i < countof(rows); i++) {
        unsigned char bytes[16];
        size_t n;
        assert_true(address_parse(str_c(rows[i].text), bytes, &n));
        if (address_is_loopback(bytes, n) != rows[i].is)
            unit_fail("%s", rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_end_where_they_should),
        cmocka_unit_test(allocated_unicast_ends_where_it_should),
        cmocka_unit_test(table_is_in_order),
        cmocka_unit_test(nothing_else_is_an_address),
        cmocka_unit_test(literals_parse),
        cmocka_unit_test(loopback_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
