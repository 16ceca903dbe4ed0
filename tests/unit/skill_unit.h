/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the skills client share: faults as one line, and the cases of Remote Skills where PAPAVER_CASES points.
 */
#ifndef TESTS_SKILL_UNIT_H
#define TESTS_SKILL_UNIT_H

#include <stdlib.h>

#include "proto/skill_code.h"
#include "sys/file.h"
#include "text/json.h"
#include "unit.h"

static inline bool has_cases(const char *what)
{
    if (getenv("PAPAVER_CASES"))
        return true;
    print_message("PAPAVER_CASES is not set: %s were not run\n", what);
    return false;
}

/* SKILL_FINE when there is none of that name. */
static inline enum skill_code skill_code_find(struct pap_str name)
{
    for (unsigned i = 1; i < SKILL_CODE_COUNT; i++)
        if (str_is(name, skill_code_name(i)))
            return i;
    return SKILL_FINE;
}

/* p NULL when there is no such file. */
static inline struct pap_str case_file(struct arena *a, const char *folder, const char *name)
{
    struct pap_str bytes = {0};
    struct pap_str path = arena_fmt(a, "%s/remote-skills/%s/%s", getenv("PAPAVER_CASES"), folder, name);
    if (file_type_of(path.p) == FILE_REGULAR)
        assert_ok(file_read(a, path.p, 1 << 20, &bytes, NULL, NULL));
    return bytes;
}

static inline const struct json *case_json(struct arena *a, const char *folder, const char *name)
{
    struct json *root = NULL;
    struct notes notes = {0};
    struct pap_str bytes = case_file(a, folder, name);
    assert_ok(json_read(a, bytes, &root, &notes));
    assert_non_null(root);
    return json_get_c(root, "cases");
}

static inline struct pap_str member(const struct json *j, const char *name)
{
    return json_str(json_get_c(j, name));
}

/* The `result` of that id. */
static inline const struct json *case_result(const struct json *results, struct pap_str id)
{
    json_each (one, results)
        if (str_eq(member(one, "id"), id))
            return json_get_c(one, "result");
    unit_fail("no result for %.*s", PSTR(id));
    return NULL;
}

/* "code key=value key=value", keys in the order of enum skill_key; "fine" when there is none. */
static inline struct pap_str fault_line(struct arena *a, const struct skill_fault *f)
{
    struct buf b;
    buf_init(&b, NULL, 1 << 16);
    buf_add(&b, str_c(f->code ? skill_code_name(f->code) : "fine"));
    for (unsigned k = 0; k < SKILL_KEY_COUNT; k++)
        if (f->value[k].p)
            buf_fmt(&b, " %s=%.*s", skill_key_name(k), PSTR(f->value[k]));
    assert_true(buf_ok(&b));
    struct pap_str line = arena_str(a, buf_str(&b));
    buf_fini(&b);
    if (f->code)
        assert_true(f->text.n >= 10);
    return line;
}

/* The same of `error` in a result; the context may come in any order. */
static inline struct pap_str error_line(struct arena *a, const struct json *error)
{
    struct skill_fault f = {.code = skill_code_find(member(error, "code")), .text = S("a sentence")};
    const struct json *context = json_get_c(error, "context");
    if (!error)
        return S("fine");
    assert_true(f.code != SKILL_FINE);
    assert_int_equal(skill_code_retryable(f.code), json_is(json_get_c(error, "retryable"), JSON_TRUE));
    json_each (c, context) {
        unsigned k = 0;
        while (k < SKILL_KEY_COUNT && !str_is(json_key(c), skill_key_name(k)))
            k++;
        assert_true(k < SKILL_KEY_COUNT && skill_code_has(f.code, k));
        f.value[k] = json_str(c);
    }
    return fault_line(a, &f);
}

#endif
