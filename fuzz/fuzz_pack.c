/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives. The first byte chooses: 't' a bare tar, whose checksums are mended and which is gzipped here, because no
 * fuzzer finds the way through them; anything else is read as the bytes behind it are.
 */
#include <stdlib.h>

#include "pack/pack.h"
#include "pack_mend.h"

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
    struct pap_str gz;
    char *made = pack_mend_gzip(str((const char *)data + 1, size - 1), &gz);
    read_it(gz, PACK_TAR_GZ);
    free(made);
    return 0;
}
