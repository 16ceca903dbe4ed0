/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/address.h"

#include "text/host.h"

/* To add a row: family, bits of the prefix, kind, prefix bytes, name; a narrower range stands above a wider one that
 * holds it. IPv6 rows without a kind of their own are the unicast space that the registries have given out. */
static const struct address_range ranges[] = {
    {4, 32, RANGE_DENIED, {255, 255, 255, 255}, "broadcast 255.255.255.255"},
    {4, 8, RANGE_DENIED, {0}, "unspecified 0.0.0.0/8"},
    {4, 8, RANGE_PRIVATE, {10}, "private 10.0.0.0/8"},
    {4, 10, RANGE_PRIVATE, {100, 64}, "shared address space 100.64.0.0/10"},
    {4, 8, RANGE_PRIVATE, {127}, "loopback 127.0.0.0/8"},
    {4, 16, RANGE_PRIVATE, {169, 254}, "link-local 169.254.0.0/16"},
    {4, 12, RANGE_PRIVATE, {172, 16}, "private 172.16.0.0/12"},
    {4, 24, RANGE_DENIED, {192, 0, 0}, "protocol assignments 192.0.0.0/24"},
    {4, 24, RANGE_DENIED, {192, 0, 2}, "documentation 192.0.2.0/24"},
    {4, 24, RANGE_DENIED, {192, 88, 99}, "6to4 relays 192.88.99.0/24"},
    {4, 16, RANGE_PRIVATE, {192, 168}, "private 192.168.0.0/16"},
    {4, 15, RANGE_DENIED, {198, 18}, "benchmarks 198.18.0.0/15"},
    {4, 24, RANGE_DENIED, {198, 51, 100}, "documentation 198.51.100.0/24"},
    {4, 24, RANGE_DENIED, {203, 0, 113}, "documentation 203.0.113.0/24"},
    {4, 4, RANGE_DENIED, {224}, "multicast 224.0.0.0/4"},
    {4, 4, RANGE_DENIED, {240}, "reserved 240.0.0.0/4"},

    {16, 128, RANGE_DENIED, {0}, "unspecified ::"},
    {16, 128, RANGE_PRIVATE, {[15] = 1}, "loopback ::1"},
    {16, 96, RANGE_IPV4_INSIDE, {[10] = 0xff, 0xff}, "IPv4-mapped ::ffff:0:0/96"},
    {16, 96, RANGE_IPV4_INSIDE, {0x00, 0x64, 0xff, 0x9b}, "NAT64 64:ff9b::/96"},
    {16, 7, RANGE_PRIVATE, {0xfc}, "unique local fc00::/7"},
    {16, 10, RANGE_PRIVATE, {0xfe, 0x80}, "link-local fe80::/10"},
    {16, 8, RANGE_DENIED, {0xff}, "multicast ff00::/8"},
    {16, 16, RANGE_DENIED, {0x20, 0x02}, "6to4 2002::/16"},
    {16, 32, RANGE_DENIED, {0x20, 0x01, 0x0d, 0xb8}, "documentation 2001:db8::/32"},

    {16, 128, RANGE_PUBLIC, {0x20, 0x01, 0x00, 0x01, [15] = 1}, "port control anycast 2001:1::1"},
    {16, 128, RANGE_PUBLIC, {0x20, 0x01, 0x00, 0x01, [15] = 2}, "TURN anycast 2001:1::2"},
    {16, 128, RANGE_PUBLIC, {0x20, 0x01, 0x00, 0x01, [15] = 3}, "DNS-SD anycast 2001:1::3"},
    {16, 32, RANGE_PUBLIC, {0x20, 0x01, 0x00, 0x03}, "AMT 2001:3::/32"},
    {16, 48, RANGE_PUBLIC, {0x20, 0x01, 0x00, 0x04, 0x01, 0x12}, "AS112 2001:4:112::/48"},
    {16, 28, RANGE_PUBLIC, {0x20, 0x01, 0x00, 0x20}, "ORCHIDv2 2001:20::/28"},
    {16, 28, RANGE_PUBLIC, {0x20, 0x01, 0x00, 0x30}, "drone identifiers 2001:30::/28"},

    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x02}, "2001:200::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x04}, "2001:400::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x06}, "2001:600::/23"},
    {16, 22, RANGE_PUBLIC, {0x20, 0x01, 0x08}, "2001:800::/22"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x0c}, "2001:c00::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x0e}, "2001:e00::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x12}, "2001:1200::/23"},
    {16, 22, RANGE_PUBLIC, {0x20, 0x01, 0x14}, "2001:1400::/22"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x18}, "2001:1800::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x1a}, "2001:1a00::/23"},
    {16, 22, RANGE_PUBLIC, {0x20, 0x01, 0x1c}, "2001:1c00::/22"},
    {16, 19, RANGE_PUBLIC, {0x20, 0x01, 0x20}, "2001:2000::/19"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x40}, "2001:4000::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x42}, "2001:4200::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x44}, "2001:4400::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x46}, "2001:4600::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x48}, "2001:4800::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x4a}, "2001:4a00::/23"},
    {16, 23, RANGE_PUBLIC, {0x20, 0x01, 0x4c}, "2001:4c00::/23"},
    {16, 20, RANGE_PUBLIC, {0x20, 0x01, 0x50}, "2001:5000::/20"},
    {16, 19, RANGE_PUBLIC, {0x20, 0x01, 0x80}, "2001:8000::/19"},
    {16, 20, RANGE_PUBLIC, {0x20, 0x01, 0xa0}, "2001:a000::/20"},
    {16, 20, RANGE_PUBLIC, {0x20, 0x01, 0xb0}, "2001:b000::/20"},
    {16, 18, RANGE_PUBLIC, {0x20, 0x03}, "2003::/18"},
    {16, 11, RANGE_PUBLIC, {0x24}, "2400::/11"},
    {16, 12, RANGE_PUBLIC, {0x26}, "2600::/12"},
    {16, 23, RANGE_PUBLIC, {0x26, 0x10}, "2610::/23"},
    {16, 23, RANGE_PUBLIC, {0x26, 0x20}, "2620::/23"},
    {16, 12, RANGE_PUBLIC, {0x26, 0x30}, "2630::/12"},
    {16, 12, RANGE_PUBLIC, {0x28}, "2800::/12"},
    {16, 11, RANGE_PUBLIC, {0x2a}, "2a00::/11"},
    {16, 12, RANGE_PUBLIC, {0x2c}, "2c00::/12"},
};

const struct address_range *address_ranges(size_t *ret_n)
{
    *ret_n = sizeof ranges / sizeof ranges[0];
    return ranges;
}

static bool has_prefix(const unsigned char *bytes, const struct address_range *r)
{
    size_t whole = r->bits / 8U;
    unsigned left = r->bits % 8U;
    return memcmp(bytes, r->prefix, whole) == 0 && (left == 0 || (bytes[whole] ^ r->prefix[whole]) >> (8 - left) == 0);
}

static const struct address_range *find_range(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (ranges[i].family == n && has_prefix(bytes, &ranges[i]))
            return &ranges[i];
    return NULL;
}

enum address_verdict address_judge(const unsigned char *bytes, size_t n, bool allow_private, const char **ret_why)
{
    if (n != 4 && n != 16) {
        *ret_why = "not an IP address";
        return ADDRESS_REFUSED;
    }
    const struct address_range *r = find_range(bytes, n);
    if (r && r->kind == RANGE_IPV4_INSIDE) {
        n = 4;
        r = find_range(bytes + 12, n);
    }
    if (r ? r->kind == RANGE_PUBLIC || (r->kind == RANGE_PRIVATE && allow_private) : n == 4)
        return ADDRESS_OK;
    *ret_why = r ? r->name : "not allocated unicast";
    return ADDRESS_REFUSED;
}

bool address_parse(struct pap_str text, unsigned char ret[16], size_t *ret_n)
{
    bool bracketed = text.n >= 2 && text.p[0] == '[' && text.p[text.n - 1] == ']';
    if (host_parse_ipv4(text, ret)) {
        *ret_n = 4;
        return true;
    }
    if (!host_parse_ipv6(bracketed ? str(text.p + 1, text.n - 2) : text, ret))
        return false;
    *ret_n = 16;
    return true;
}

bool address_is_loopback(const unsigned char *bytes, size_t n)
{
    static const unsigned char mapped[12] = {[10] = 0xff, 0xff}, one[16] = {[15] = 1};
    if (n == 4)
        return bytes[0] == 127;
    return n == 16 && (memcmp(bytes, one, 16) == 0 || (memcmp(bytes, mapped, 12) == 0 && bytes[12] == 127));
}
