/* SPDX-License-Identifier: Apache-2.0
 *
 * A bare tar, whose checksums are mended and which is gzipped here, because no fuzzer finds the way through them.
 */
#ifndef FUZZ_PACK_MEND_H
#define FUZZ_PACK_MEND_H

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/str.h"

/* Makes the checksum of each header right, stepping by the size that it says. */
static inline void pack_mend(unsigned char *p, size_t n)
{
    for (size_t at = 0; at + 512 <= n && p[at]; at += 512) {
        unsigned sum = 0;
        char text[8], *end;
        memset(p + at + 148, ' ', 8);
        for (size_t i = 0; i < 512; i++)
            sum += p[at + i];
        snprintf(text, sizeof text, "%06o", sum);
        memcpy(p + at + 148, text, 7);
        memcpy(text, p + at + 128, 7);
        text[7] = '\0';
        size_t size = strtoul(text, &end, 8);
        at += size < n ? (size + 511) / 512 * 512 : 0;
    }
}

/* One stored block after the other. */
static inline size_t pack_wrap(unsigned char *to, const unsigned char *p, size_t n)
{
    size_t at = 10, rest = n;
    memcpy(to, "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
    do {
        size_t piece = rest < 65535 ? rest : 65535;
        to[at++] = piece == rest;
        to[at++] = (unsigned char)piece;
        to[at++] = (unsigned char)(piece >> 8);
        to[at++] = (unsigned char)~piece;
        to[at++] = (unsigned char)(~piece >> 8);
        memcpy(to + at, p + (n - rest), piece);
        at += piece;
        rest -= piece;
    } while (rest);
    uint32_t trailer[2] = {(uint32_t)crc32_z(0, p, n), (uint32_t)n};
    for (size_t i = 0; i < 8; i++)
        to[at++] = (unsigned char)(trailer[i / 4] >> (8 * (i % 4)));
    return at;
}

/* To be freed. */
static inline char *pack_mend_gzip(struct pap_str tar, struct pap_str *ret)
{
    unsigned char *copy = malloc(tar.n + 1), *gz = malloc(tar.n + 64);
    if (!copy || !gz)
        abort();
    memcpy(copy, tar.n ? tar.p : "", tar.n);
    pack_mend(copy, tar.n);
    *ret = str((const char *)gz, pack_wrap(gz, copy, tar.n));
    free(copy);
    return (char *)gz;
}

#endif
