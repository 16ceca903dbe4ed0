/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of entries, and entries of which a file system can keep only one.
 */
#include "archive_unit.h"
#include "text/utf8.h"

static const struct {
    const char *name, *fault; /* NULL: fine */
} names[] = {
    {"SKILL.md", NULL},
    {"a/b/c.txt", NULL},
    {".hidden/x", NULL},
    {"caf\xc3\xa9/\xe2\x82\xac", NULL},
    {"console/com10/lpt/nuller.txt", NULL},
    {"a b", NULL},
    {"..a/b..c", NULL},
    {"", "is empty"},
    {"/etc/x", "is absolute"},
    {"a\\..\\b", "holds a backslash"},
    {"a\nb", "holds a control character"},
    {"a\x7f", "holds a control character"},
    {"a\xc2\x85", "holds a control character"},
    {"a\xff", "is not valid UTF-8"},
    {"../x", "climbs out with .."},
    {"a/../x", "climbs out with .."},
    {"a/..", "climbs out with .."},
    {"a/./x", "has a component that is a single dot"},
    {"a//x", "has an empty component"},
    {"a/", "has an empty component"},
    {"C:/x", "begins with a drive letter"},
    {"a/b:c", "holds a colon"},
    {"a<b", "holds one of < > \" | ? *"},
    {"a>b", "holds one of < > \" | ? *"},
    {"a\"b", "holds one of < > \" | ? *"},
    {"a|b", "holds one of < > \" | ? *"},
    {"a?b", "holds one of < > \" | ? *"},
    {"a*b", "holds one of < > \" | ? *"},
    {"a./b", "has a component that ends in a dot or a blank"},
    {"a /b", "has a component that ends in a dot or a blank"},
    {"...", "has a component that ends in a dot or a blank"},
    {"CON", "has a component that Windows keeps for a device"},
    {"x/con.txt", "has a component that Windows keeps for a device"},
    {"nul.tar.gz", "has a component that Windows keeps for a device"},
    {"aux .c", "has a component that Windows keeps for a device"},
    {"Com9", "has a component that Windows keeps for a device"},
    {"lpt\xc2\xb2.x", "has a component that Windows keeps for a device"},
    {"CONIN$", "has a component that Windows keeps for a device"},
    {"conout$.x/y", "has a component that Windows keeps for a device"},
};

static void names_are_judged_for_every_system(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *got = pack_name_fault(str_c(names[i].name));
        if (got != names[i].fault && (!got || !names[i].fault || strcmp(got, names[i].fault) != 0))
            unit_fail("%s: %s, want %s", names[i].name, got ? got : "fine", names[i].fault ? names[i].fault : "fine");
    }
    assert_string_equal(pack_name_fault(S("a\0b")), "holds a control character");
    char longest[256];
    memset(longest, 'x', sizeof longest);
    assert_null(pack_name_fault(str(longest, 255)));
    assert_string_equal(pack_name_fault(str(longest, 256)), "is longer than 255 bytes");
}

/* In archives of either format the reader keeps such a name, and the same fault is found (R-A3). */
static void archives_keep_names_as_stored(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int zip = 0; zip < 2; zip++) {
            struct pap_str name = str_c(names[i].name);
            const struct zip_part z[] = {{.name = "other"}, {.name = names[i].name, .flags = 1 << 11}};
            const struct tar_part t[] = {{.name = "other"}, {.name = names[i].name}};
            bool folder = zip && str_ends(name, S("/")); /* a zip has no other mark for it */
            const char *want = !names[i].fault || folder          ? "good"
                               : zip && utf8_check(name) < name.n ? "zip-name"
                                                                  : "name";
            struct arena a;
            arena_init(&a, NULL);
            struct pack p = zip ? read_zip(&a, z, 2, NULL) : read_tar_parts(&a, t, 2);
            if (strcmp(verdict(&a, &p), want) != 0)
                unit_fail("%s in a %s: %s, want %s", names[i].name, zip ? "zip" : "tar", verdict(&a, &p), want);
            if (!strcmp(want, "name"))
                assert_true(str_eq(p.entries->next->raw_name, name));
            arena_fini(&a);
        }
}

/* -- collisions -- */

/* Names one blank apart; a closing / makes a folder. Want: the two that collide, or NULL. */
static const struct {
    const char *names, *first, *second;
} collisions[] = {
    {"", NULL, NULL},
    {"a", NULL, NULL},
    {"a b a/x b/x", "a", "a/x"},
    {"a/x a/y b/x b/ c/d/e c/d/f", NULL, NULL},
    {"a/ a/x a/y", NULL, NULL},
    {"a/x a/ a/y", NULL, NULL},
    {"x a a", "a", "a"},
    {"a/ x a/", "a/", "a/"},
    {"README readme", "README", "readme"},
    {"a/b A", "a/b", "A"},
    {"a/b A/c", "a/b", "A/c"},
    {"a/b A/", "a/b", "A/"},
    {"x/a/b x/a", "x/a/b", "x/a"},
    {"a-b a/b a.b a", "a/b", "a"},
    {"caf\xc3\xa9 cafe\xcc\x81", "caf\xc3\xa9", "cafe\xcc\x81"},
    {"stra\xc3\x9f"
     "e/x STRASSE/y",
     "stra\xc3\x9f"
     "e/x",
     "STRASSE/y"},
    {"z Z a b B", "z", "Z"},
    {"a\xff a\xff", "a\xff", "a\xff"},
    {"a// a/", NULL, NULL},
    {"b/x a/ a/x b/ b/y b/", "b/", "b/"},
};

static void colliding_entries_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof collisions / sizeof *collisions; i++) {
        struct pack_entry e[8] = {0};
        struct pack p = {0};
        struct pap_str rest = str_c(collisions[i].names), part;
        for (size_t n = 0; rest.n && str_next(&rest, ' ', &part); n++) {
            e[n].raw_name = e[n].name = part;
            e[n].type = str_ends(part, S("/")) ? PACK_DIR : PACK_FILE;
            e[n].name.n -= e[n].type == PACK_DIR;
            e[n].next = rest.p ? &e[n + 1] : NULL;
            p.entries = e;
        }
        struct arena a;
        arena_init(&a, NULL);
        struct pack_collision c;
        assert_ok(pack_find_collision(&a, &p, &c));
        if (!c.first != !collisions[i].first)
            unit_fail("%s: %s", collisions[i].names, c.first ? c.why : "no collision");
        if (c.first) {
            assert_str(c.first->raw_name, collisions[i].first);
            assert_str(c.second->raw_name, collisions[i].second);
            assert_true(c.first < c.second);
            assert_non_null(c.why);
        }
        arena_fini(&a);
    }
}

/* By the rule itself: two paths, component by component. */
static bool collide(const struct pack_entry *x, const struct pack_entry *y)
{
    struct pap_str xs = x->name, ys = y->name, xpart, ypart;
    while (str_next(&xs, '/', &xpart) && str_next(&ys, '/', &ypart)) {
        if (!str_eq_nocase(xpart, ypart))
            return false;
        if (!str_eq(xpart, ypart) || (!xs.p && !ys.p) || (!xs.p && x->type == PACK_FILE) ||
            (!ys.p && y->type == PACK_FILE))
            return true;
    }
    return false;
}

/* The first entry that collides with one before it, looked for in every pair. */
static size_t find_slowly(const struct pack_entry *e, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (collide(&e[k], &e[i]))
                return i;
    return n;
}

static void every_pair_counts(void **state)
{
    (void)state;
    enum { ENTRIES = 7, PATH = 8 };
    uint32_t seed = 1;
    size_t found = 0;
    for (size_t round = 0; round < 20000; round++) {
        struct pack_entry e[ENTRIES] = {0};
        char paths[ENTRIES][PATH];
        struct pack p = {.entries = e};
        struct pack_collision c;
        struct arena a;
        for (size_t i = 0; i < ENTRIES; i++) {
            size_t n = 0, parts = 1 + (seed >> 20) % 3;
            for (size_t k = 0; k < parts; k++) {
                seed = seed * 1664525 + 1013904223;
                paths[i][n++] = "abcdefABxy"[(seed >> 16) % 10];
                paths[i][n++] = '/';
            }
            e[i].raw_name = e[i].name = str(paths[i], n - 1);
            e[i].type = (seed >> 24) % 3 ? PACK_FILE : PACK_DIR;
            e[i].next = i + 1 < ENTRIES ? &e[i + 1] : NULL;
        }
        arena_init(&a, NULL);
        assert_ok(pack_find_collision(&a, &p, &c));
        size_t want = find_slowly(e, ENTRIES), got = c.second ? (size_t)(c.second - e) : ENTRIES;
        assert_int_equal(got, want);
        if (c.second)
            assert_true(c.first < c.second && collide(c.first, c.second));
        found += c.second != NULL;
        arena_fini(&a);
    }
    assert_in_range(found, 5000, 19000); /* both happen often */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_judged_for_every_system),
        cmocka_unit_test(archives_keep_names_as_stored),
        cmocka_unit_test(colliding_entries_are_found),
        cmocka_unit_test(every_pair_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
