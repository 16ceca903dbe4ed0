/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives. The first byte chooses: 't' a bare tar, whose checksums are mended and which is gzipped here, because no
 * fuzzer finds the way through them; anything else is read as the bytes behind it are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "pack/pack.h"

static const struct pack_limits limits = {.unpacked = 1 << 20, .file = 1 << 18, .files = 50, .depth = 8};

static void check(int holds)
{
    if (!holds)
        abort();
}

/* Reads everything that a caller may look at. */
static void read_it(struct pap_str bytes, enum pack_format format)
{
    struct arena a;
    struct pack p;
    struct pack_collision c;
    size_t n = 0, files = 0, sum = 0;
    arena_init(&a, NULL);
    a.max = 16 << 20;
    check(is_ok(pack_read(&a, bytes, format, &limits, &p)));
    for (const struct pack_entry *e = p.entries; e; e = e->next) {
        n++;
        files += e->type == PACK_FILE;
        sum += e->data.n;
        check(!e->data.p || e->data.p[e->data.n] == '\0');
        check(e->name.n <= e->raw_name.n);
        (void)pack_name_fault(e->name);
    }
    check(n == p.n_entries && files == p.n_files && files <= limits.files && sum <= limits.unpacked);
    check((p.fault == PACK_WHOLE) == (p.fault_text.n == 0));
    check(p.fault != PACK_WHOLE || sum == p.unpacked);
    check(is_ok(pack_find_collision(&a, &p, &c)));
    check(!c.first == !c.second);
    arena_fini(&a);
}

/* Makes the checksum of each header right, stepping by the size that it says. */
static void mend(unsigned char *p, size_t n)
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
static size_t wrap(unsigned char *to, const unsigned char *p, size_t n)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 1 << 17)
        return 0;
    if (data[0] != 't') {
        struct pap_str bytes = str((const char *)data + 1, size - 1);
        read_it(bytes, PACK_UNKNOWN);
        read_it(bytes, PACK_ZIP);
        return 0;
    }
    unsigned char *tar = malloc(size), *gz = malloc(size + 64);
    if (tar && gz) {
        memcpy(tar, data + 1, size - 1);
        mend(tar, size - 1);
        read_it(str((const char *)gz, wrap(gz, tar, size - 1)), PACK_TAR_GZ);
    }
    free(tar);
    free(gz);
    return 0;
}
