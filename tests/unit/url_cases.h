/* SPDX-License-Identifier: Apache-2.0
 *
 * The URL cases of Remote Skills, which WHATWG's rules decide: whoever makes a URL of a reference gives the same one, or
 * refuses (decision 17).
 */
#ifndef TESTS_URL_CASES_H
#define TESTS_URL_CASES_H

#include <stdlib.h>

#include "base/arena.h"
#include "unit.h"

/* One JSON string behind `"member": ` in the object, decoded (lone surrogates too, which are what some cases are about);
 * {NULL,0} when it has none. Enough for the one file below, whose layout is pinned by its count. */
static inline struct pap_str url_case_member(struct pap_str object, const char *member, char *buf)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\": \"", member);
    size_t at = str_find(object, str_c(key));
    if (at == object.n)
        return str(NULL, 0);
    char *to = buf;
    for (at += strlen(key); object.p[at] != '"'; at++) {
        if (object.p[at] != '\\') {
            *to++ = object.p[at];
        } else if (object.p[++at] == 'u') {
            char hex[5] = {0};
            memcpy(hex, object.p + at + 1, 4);
            unsigned c = (unsigned)strtoul(hex, NULL, 16);
            if (c >= 0x800)
                *to++ = (char)(0xe0 | c >> 12);
            if (c >= 0x80)
                *to++ = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 63) : 0xc0 | c >> 6);
            *to++ = (char)(c >= 0x80 ? 0x80 | (c & 63) : c);
            at += 4;
        } else {
            *to++ = object.p[at] == 't' ? '\t' : object.p[at];
        }
    }
    return str(buf, (size_t)(to - buf));
}

struct url_count {
    unsigned seen, equal;
};

/* Asks `resolve` for each; base p NULL: none. It gives {NULL,0} when it refuses. */
static inline struct url_count url_cases(struct pap_str (*resolve)(struct arena *a, struct pap_str ref,
                                                                   struct pap_str base))
{
    const char *root = getenv("PAPAVER_CASES");
    static char path[4096], text[1 << 16], one[4096], two[4096], three[4096];
    struct url_count n = {0};
    snprintf(path, sizeof path, "%s/remote-skills/url/url-whatwg-cases.json", root ? root : "");
    FILE *f = root ? fopen(path, "rb") : NULL;
    if (!f) {
        print_message("PAPAVER_CASES does not point at the URL cases: not run\n");
        return n;
    }
    struct pap_str rest = str(text, fread(text, 1, sizeof text, f)), object;
    fclose(f);
    while (str_next(&rest, '}', &object)) {
        struct arena a;
        arena_init(&a, NULL);
        struct pap_str ref = url_case_member(object, "input", one), base = url_case_member(object, "base", two);
        struct pap_str want = url_case_member(object, "expected", three);
        if (ref.p) {
            struct pap_str got = resolve(&a, ref, base);
            if (got.p && !(want.p && str_eq(got, want)))
                unit_fail("%.*s: got %.*s, want %.*s", PSTR(ref), PSTR(got), PSTR(want));
            n.seen++;
            n.equal += got.p != NULL;
        }
        arena_fini(&a);
    }
    assert_true(n.seen >= 80 && n.equal >= 7);
    return n;
}

#endif
