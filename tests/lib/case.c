/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/case.h"

#include <stdio.h>

#include "check/checker.h"
#include "lib/project.h"
#include "lib/script.h"
#include "sys/file.h"

enum { NOON = 1796040000 /* 2026-11-30T12:00:00Z */, SITE_MOST = 1 << 20 };

static void put_options(struct arena *a, struct pap_str text, struct pap_check_options *o)
{
    struct pap_str word, value;
    while (str_next(&text, ' ', &word)) {
        if (str_is(word, "--mcp"))
            o->mcp = true;
        else if (str_is(word, "--offline"))
            o->offline = true;
        else if (str_is(word, "--online"))
            o->online = true;
        else if (str_is(word, "--as") && str_next(&text, ' ', &value))
            o->as_version = arena_cstr(a, value);
        else if (str_is(word, "--kind") && str_next(&text, ' ', &value))
            o->kind = arena_cstr(a, value);
    }
}

static bool site_target(struct arena *a, const char *path, const char **ret)
{
    struct pap_str text, line;
    if (!is_ok(file_read(a, path, SITE_MOST, &text, NULL, NULL)) || !str_next(&text, '\n', &line) ||
        !str_starts(line, S("# target: ")))
        return false;
    *ret = arena_cstr(a, str_trim(str_skip(line, 10)));
    return *ret != NULL;
}

bool case_run(struct arena *a, const char *path, struct pap_str options,
              void (*finding)(void *ctx, const struct pap_finding *f), void *ctx, int *ret_status, struct pap_err *err)
{
    struct pap_check_options o = {.now = NOON, .finding = finding, .ctx = ctx};
    struct script *script = NULL;
    const char *target = path;
    int status;
    put_options(a, options, &o);
    if (str_ends(str_c(path), S(".project")))
        return project_run(a, path, options, finding, ctx, ret_status, err);
    if (str_ends(str_c(path), S(".site"))) {
        if (!site_target(a, path, &target)) {
            snprintf(err->text, sizeof err->text, "its first line is not \"# target: ...\"");
            return false;
        }
        if (!is_ok(script_read(a, path, &script, err)))
            return false;
    }
    if (!is_ok(checker_run(&o, script ? script_transport(script) : NULL, &target, 1, NULL, &status, err)))
        return false;
    if (ret_status)
        *ret_status = status;
    return true;
}
