/* SPDX-License-Identifier: Apache-2.0 */
#include "app/source.h"

#include <papaver/publish.h>
#include <stdio.h>

#include "sys/clock.h"
#include "sys/file.h"
#include "sys/stage.h"

static bool has(const char *folder, const char *below)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", folder, below);
    return n > 0 && (size_t)n < sizeof path && file_type_of(path) == FILE_FOLDER;
}

void source_init(struct source *s, const struct pap_serve_options *o, const struct pap_serve_site *site,
                 const struct access *access)
{
    const char *folder = site->folder ? site->folder : has("dist", ".well-known") ? "dist" : ".";
    *s = (struct source){o, site, access, folder, !has(folder, ".well-known") && has(folder, "skills")};
}

const char *const *source_watched(const struct source *s)
{
    static const char *const tree[] = {".well-known", NULL}, *const skills[] = {"skills", NULL};
    return s->is_project ? skills : tree;
}

static pap_result load(const struct source *s, const char *folder, struct generation **ret, struct pap_err *err)
{
    struct generation_options o = {
        .alloc = s->o->alloc,
        .max_age = s->o->max_age ? s->o->max_age : 300,
        .now = clock_system.unix_seconds(&clock_system),
        .domain = s->site->domain,
        .aliases = s->site->aliases,
        .access = s->access,
        .finding = s->o->finding,
        .ctx = s->o->ctx,
    };
    return generation_load(folder, &o, ret, err);
}

static pap_result publish(const struct source *s, const char *out, struct pap_err *err)
{
    struct pap_publish_options o = {.folder = s->folder, .out = out, .finding = s->o->finding, .ctx = s->o->ctx};
    struct pap_publish_counts counts = {0};
    int status = 1;
    TRY(pap_publish(&o, &counts, &status, err));
    return status == 0 ? OK
                       : fail(err, PAP_SYNTAX, "%llu error%s in the skills of %s", (unsigned long long)counts.errors,
                              str_plural(counts.errors), s->folder);
}

pap_result source_load(const struct source *s, struct generation **ret, struct pap_err *err)
{
    char folder[64];
    if (!s->is_project)
        return load(s, s->folder, ret, err);
    TRY(folder_temporary(folder, err));
    pap_result r = publish(s, folder, err);
    if (is_ok(r))
        r = load(s, folder, ret, err);
    pap_result tidy = folder_remove(folder, is_ok(r) ? err : NULL);
    if (is_ok(r) && !is_ok(tidy))
        generation_drop(*ret);
    return is_ok(r) ? tidy : r;
}
