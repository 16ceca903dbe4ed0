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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_judged_for_every_system),
        cmocka_unit_test(archives_keep_names_as_stored),
        cmocka_unit_test(colliding_entries_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
