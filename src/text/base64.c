/* SPDX-License-Identifier: Apache-2.0 */
#include "text/base64.h"

/* 0-63, or -1 for a byte outside the alphabet. */
static int value_of(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '-'             ? 62
           : c == '_'             ? 63
                                  : -1;
}

bool base64url_check(struct pap_str s, size_t *ret_bytes)
{
    size_t tail = s.n % 4; /* characters of the last group that is not whole */
    if (tail == 1)
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (value_of(s.p[i]) < 0)
            return false;
    /* Two characters carry 8 bits of 12, three carry 16 of 18: those left over must be 0. */
    if (tail && (value_of(s.p[s.n - 1]) & (tail == 2 ? 0xf : 0x3)))
        return false;
    *ret_bytes = s.n / 4 * 3 + (tail ? tail - 1 : 0);
    return true;
}

void base64_add(struct buf *out, struct pap_str bytes)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (; bytes.n; bytes = str_skip(bytes, 3)) {
        uint32_t group = 0;
        for (size_t i = 0; i < 3; i++)
            group = group << 8 | (i < bytes.n ? (unsigned char)bytes.p[i] : 0);
        for (size_t i = 0; i < 4; i++)
            buf_char(out, i <= bytes.n ? letters[group >> (18 - 6 * i) & 63] : '=');
    }
}
