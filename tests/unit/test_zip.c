/* SPDX-License-Identifier: Apache-2.0
 *
 * zip: what is recorded, and every way in which directory, local headers, places and contents can disagree.
 */
#include "archive_unit.h"

#define X .name = "a", .data = S_INIT("xyz")

/* A part between two good ones. */
static const struct {
    const char *label;
    struct zip_part part;
    const char *verdict, *text; /* text: a part of the fault's sentence */
} parts[] = {
    {"deflated", {X}, "good", NULL},
    {"stored", {X, .stored = true}, "good", NULL},
    {"empty", {.name = "a"}, "good", NULL},
    {"descriptor", {X, .descriptor = true}, "good", NULL},
    {"descriptor without mark", {X, .descriptor = true, .descriptor_unmarked = true}, "good", NULL},
    {"stored with descriptor", {X, .descriptor = true, .stored = true}, "good", NULL},
    {"deflate level flags", {X, .flags = 2}, "good", NULL},
    {"local extra field", {X, .local_extra = S_INIT("\x99\x99\2\0ab")}, "good", NULL},
    {"UTF-8 name", {.name = "caf\xc3\xa9", .flags = 1 << 11}, "good", NULL},
    {"UTF-8 name, unmarked", {.name = "caf\xc3\xa9"}, "zip-name", NULL},
    {"no UTF-8, marked", {.name = "caf\xe9", .flags = 1 << 11}, "zip-name", NULL},
    {"second name", {X, .extra = S_INIT("\x75\x70\6\0\1\0\0\0\0b")}, "zip-name", "another name"},
    {"second name, the same", {X, .extra = S_INIT("\x75\x70\6\0\1\0\0\0\0a")}, "good", NULL},
    {"second name of nothing", {X, .extra = S_INIT("\x75\x70\0\0")}, "zip-name", NULL},
    {"NUL in the name", {.raw_name = S_INIT("a\0b")}, "name", NULL},
    {"encrypted", {X, .flags = 1}, "zip-encrypted", NULL},
    {"strong encryption", {X, .flags = 1 << 6}, "zip-encrypted", NULL},
    {"masked local header", {X, .flags = 1 << 13}, "zip-encrypted", NULL},
    {"patch data", {X, .flags = 1 << 5}, "zip-method", "0x0020"},
    {"method 12", {X, .method = 4}, "zip-method", "method 12"},
    {"zip64 extra", {X, .extra = S_INIT("\1\0\x08\0abcdefgh")}, "zip-64", NULL},
    {"zip64 size", {X, .size_off = UINT32_MAX - 3}, "limit-file", NULL}, /* 4 GiB less a byte */
    {"zip64 packed size", {X, .packed_off = UINT32_MAX - 5}, "zip-64", NULL},
    {"zip64 local size", {X, .local_size_off = UINT32_MAX - 3}, "zip-64", NULL},
    {"another part", {X, .disk = 1}, "zip-directory", "another part"},
    {"CRC", {X, .crc_off = 1}, "zip-crc", NULL},
    {"CRC, stored", {X, .stored = true, .crc_off = 1}, "zip-crc", NULL},
    {"too short", {X, .size_off = 1}, "zip-size", "unpacks to 3 bytes, the directory says 4"},
    {"too long", {X, .size_off = UINT32_MAX}, "zip-size", "more than the 2"},
    {"stored of two sizes", {X, .stored = true, .size_off = 1}, "zip-size", "has 4 bytes and takes 3"},
    {"bad deflate", {X, .packed = S_INIT("\7\7\7\7\7")}, "zip-data", NULL},
    {"deflate that ends early", {X, .packed = S_INIT("\xab\xa8")}, "zip-data", "ends early"},
    {"deflate of nothing", {X, .packed = S_INIT("")}, "zip-data", NULL},
    {"bytes behind deflate", {X, .packed = S_INIT("\xab\xa8\xac\2\0zz")}, "zip-data", "followed by 2 bytes"},
    {"local name", {X, .local_name = "b"}, "zip-local", "name"},
    {"local name, longer", {X, .local_name = "ab"}, "zip-local", "name"},
    {"local flags", {X, .local_flags = 2}, "zip-local", "flags"},
    {"local method", {X, .local_method = 1}, "zip-local", "method"},
    {"local CRC", {X, .local_crc_off = 1}, "zip-local", "CRC"},
    {"local size", {X, .local_size_off = 1}, "zip-local", "size"},
    {"descriptor's CRC", {X, .descriptor = true, .descriptor_off = 1}, "zip-local", "descriptor"},
    {"descriptor left out", {X, .flags = 8}, "zip-local", "descriptor"},
    {"descriptor cut short", {X, .flags = 8, .behind = S_INIT("PK\7\x08")}, "zip-local", "descriptor"},
    {"place off by one", {X, .at_off = 1}, "zip-hidden", "1 byte "},
    {"place of the first", {X, .at_off = (uint32_t)-36}, "zip-overlap", "share"},
    {"place far away", {X, .at_off = 1 << 20}, "zip-local", "behind all entries"},
    {"packed size over the next", {X, .packed_off = 8}, "zip-overlap", "reaches to byte"},
    {"bytes in front", {X, .before = S_INIT("hello")}, "zip-hidden", "5 bytes"},
    {"bytes behind", {X, .behind = S_INIT("\0")}, "zip-hidden", "1 byte "},
    {"bytes behind the descriptor", {X, .descriptor = true, .behind = S_INIT("hello")}, "zip-hidden", "5 bytes"},
    {"not listed", {X, .unlisted = true}, "zip-hidden", "local header"},
    {"symlink", {X, .mode = 0120777}, "symlink", NULL},
    {"symlink of macOS", {X, .mode = 0120777, .made_by = 19}, "symlink", NULL},
    {"FIFO", {X, .mode = 0010644}, "special", NULL},
    {"socket", {X, .mode = 0140644}, "special", NULL},
    {"device", {X, .mode = 0020644}, "special", NULL},
    {"mode without a type", {X, .mode = 0644}, "good", NULL},
    {"setuid", {X, .mode = 0104755}, "setid", NULL},
    {"mode of another system", {X, .mode = 0120777, .made_by = 10}, "good", NULL},
    {"folder", {.name = "a/", .mode = 040755}, "good", NULL},
    {"folder of DOS", {.name = "a", .made_by = -1, .attributes = 0x10}, "good", NULL},
    {"folder with data", {.name = "a/", .data = S_INIT("x")}, "zip-size", "a folder has 1 byte"},
    {"folder by mode, with data", {.name = "a", .mode = 040755, .data = S_INIT("x")}, "zip-size", NULL},
    {"backslash", {.name = "a\\..\\b"}, "name", NULL},
    {"twice", {.name = "last"}, "collision", NULL},
    {"case", {.name = "LAST"}, "collision", NULL},
};

static void entries_are_recorded_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct zip_part all[] = {{.name = "first", .data = S("1"), .stored = true},
                                       parts[i].part,
                                       {.name = "last", .data = S("2"), .stored = true}};
        struct arena a;
        arena_init(&a, NULL);
        struct pack p = read_zip(&a, all, 3, NULL);
        const char *got = verdict(&a, &p);
        if (strcmp(got, parts[i].verdict) != 0 ||
            (parts[i].text && str_find(p.fault_text, str_c(parts[i].text)) == p.fault_text.n))
            unit_fail("%s: %s (%.*s), want %s", parts[i].label, got, PSTR(p.fault_text), parts[i].verdict);
        if (p.fault == PACK_WHOLE) {
            const struct pack_entry *e = p.entries->next;
            assert_int_equal(p.n_entries, 3);
            assert_true(e->type != PACK_FILE || str_eq(e->data, parts[i].part.data));
            assert_true(e->type != PACK_SYMLINK || str_eq(e->link, parts[i].part.data));
        }
        arena_fini(&a);
    }
}

static void facts_are_recorded(void **state)
{
    (void)state;
    static const struct {
        struct zip_part part;
        unsigned facts;
        uint32_t mode;
    } cases[] = {
        {{X}, 0, 0644},
        {{X, .mode = 0100755}, PACK_F_EXEC, 0755},
        {{X, .made_by = -1}, 0, 0},
        {{X, .date = 0x5a21}, PACK_F_MTIME, 0644},
        {{X, .extra = S_INIT("UT\5\0\3abcdux\x0b\0\1\4abcd\4abcd")}, PACK_F_MTIME | PACK_F_OWNER, 0644},
        {{X, .extra = S_INIT("\x99\x99\xff\xff")}, 0, 0644}, /* says more than there is */
        {{.name = "./a"}, PACK_F_DOT_SLASH, 0644},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena a;
        arena_init(&a, NULL);
        struct pack p = read_zip(&a, &cases[i].part, 1, NULL);
        assert_fault(&p, PACK_WHOLE);
        assert_int_equal(entry_of(&p, "a").facts, cases[i].facts);
        assert_int_equal(entry_of(&p, "a").mode, cases[i].mode);
        arena_fini(&a);
    }
}

/* -- the end record -- */

static const struct {
    const char *label;
    struct zip_tail tail;
    const char *verdict;
} tails[] = {
    {"plain", {.disk = 0}, "good"},
    {"comment", {.comment = S_INIT("hello")}, "good"},
    {"trailing bytes", {.behind = S_INIT("junk")}, "zip-trailing"},
    {"trailing NUL", {.behind = S_INIT("\0")}, "zip-trailing"},
    {"bytes behind the comment", {.comment = S_INIT("hello"), .behind = S_INIT("x")}, "zip-trailing"},
    {"end record in the comment", {.comment = S_INIT("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")}, "zip-end"},
    {"another, that does not fit", {.comment = S_INIT("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0")}, "zip-end"},
    {"number of entries too high", {.count_off = 1}, "zip-directory"},
    {"number of entries too low", {.count_off = UINT32_MAX}, "zip-directory"},
    {"number of entries for zip64", {.count_off = 0xfffe}, "zip-64"},
    {"size of the directory", {.size_off = 1}, "zip-directory"},
    {"size of the directory, far too large", {.size_off = 1 << 20}, "zip-directory"},
    {"place of the directory", {.at_off = 1}, "zip-directory"},
    {"place in front of the directory", {.at_off = UINT32_MAX}, "zip-prefix"}, /* or a byte in front of it all */
    {"multi-part", {.disk = 1}, "zip-end"},
    {"bytes in front of the directory", {.behind_data = S_INIT("xyz")}, "zip-hidden"},
    {"bytes behind the directory", {.behind_directory = S_INIT("xyz")}, "zip-directory"},
    {"zip64 locator", {.behind_directory = S_INIT("PK\6\7abcdabcdabcdabcd")}, "zip-64"},
};

static void ends_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        const struct zip_part part = {X};
        struct arena a;
        arena_init(&a, NULL);
        struct pack p = read_zip(&a, &part, 1, &tails[i].tail);
        const char *got = verdict(&a, &p);
        if (strcmp(got, tails[i].verdict) != 0)
            unit_fail("%s: %s (%.*s), want %s", tails[i].label, got, PSTR(p.fault_text), tails[i].verdict);
        arena_fini(&a);
    }
}

static void an_empty_zip_is_whole(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    struct pack p = read_zip(&a, NULL, 0, NULL);
    assert_fault(&p, PACK_WHOLE);
    assert_int_equal(p.n_entries, 0);
    p = read_zip(&a, NULL, 0, &(struct zip_tail){.behind_data = S("#!/bin/sh\n")});
    assert_fault(&p, PACK_ZIP_PREFIX);
    arena_fini(&a);
}

static void what_stands_in_front_is_seen(void **state)
{
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    const struct zip_part script = {X, .before = S("#!/bin/sh\n")}, hidden[] = {{X, .unlisted = true}, {.name = "b"}};
    struct pack p = read_zip(&a, &script, 1, NULL); /* with right places */
    assert_fault(&p, PACK_ZIP_PREFIX);
    p = read_zip(&a, hidden, 2, NULL);
    assert_fault(&p, PACK_ZIP_HIDDEN);
    arena_fini(&a);
}

/* A zip inside a zip, stored: the inner end record is data. */
static void a_zip_in_a_zip_is_data(void **state)
{
    (void)state;
    struct arena a;
    struct buf inner;
    buf_init(&inner, NULL, 1 << 20);
    arena_init(&a, NULL);
    const struct zip_part part = {X};
    zip_make(&inner, &part, 1, NULL);
    const struct zip_part outer[] = {{.name = "in.zip", .data = buf_str(&inner), .stored = true}, {X}};
    struct pack p = read_zip(&a, outer, 2, NULL);
    assert_fault(&p, PACK_WHOLE);
    assert_true(str_eq(entry_of(&p, "in.zip").data, buf_str(&inner)));
    arena_fini(&a);
    buf_fini(&inner);
}

static void ratio_is_capped(void **state)
{
    (void)state;
    static char zeros[2 << 20];
    struct zip_part part = {.name = "a", .data = str(zeros, sizeof zeros)};
    struct arena a;
    arena_init(&a, NULL);
    struct pack p = read_zip(&a, &part, 1, NULL);
    assert_fault(&p, PACK_LIMIT_RATIO);
    part.data.n = 1 << 20;
    p = read_zip(&a, &part, 1, NULL);
    assert_fault(&p, PACK_WHOLE);
    arena_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_recorded_or_refused),
        cmocka_unit_test(facts_are_recorded),
        cmocka_unit_test(ends_are_judged),
        cmocka_unit_test(an_empty_zip_is_whole),
        cmocka_unit_test(what_stands_in_front_is_seen),
        cmocka_unit_test(a_zip_in_a_zip_is_data),
        cmocka_unit_test(ratio_is_capped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
