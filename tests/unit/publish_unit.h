/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of publishing share: a project in a temporary folder, a run whose findings are kept, and `papaver check`
 * over what came out.
 */
#ifndef TESTS_PUBLISH_UNIT_H
#define TESTS_PUBLISH_UNIT_H

#include <papaver/publish.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "sys/file.h"
#include "sys/stage.h"
#include "unit.h"

struct published {
    char rules[20][48], files[20][200], note[200]; /* the last one */
    size_t n_rules, outputs, left_out;
    enum pap_publish_state state; /* of the last output */
    struct pap_publish_counts counts;
    int exit;
    pap_result result;
    struct pap_err err;
};

static char project[64]; /* the folder of the test that runs */

static inline const char *in_project(const char *below)
{
    static char paths[8][300];
    static unsigned next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", project, below);
    return path;
}

static inline void put(const char *below, const char *text)
{
    char folder[300];
    const char *path = in_project(below);
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    assert_ok(folder_make(folder, NULL));
    assert_ok(file_write_atomic(path, str_c(text), NULL));
}

/* A SKILL.md of that name, with more lines of front matter. */
static inline void put_skill(const char *name, const char *more, const char *body)
{
    char below[100], text[2000];
    (void)snprintf(below, sizeof below, "skills/%s/SKILL.md", name);
    (void)snprintf(text, sizeof text, "---\nname: %s\ndescription: Does what %s says, when asked.\n%s---\n%s\n", name,
                   name, more, body);
    put(below, text);
}

static inline struct pap_str get(struct arena *a, const char *below)
{
    struct pap_str s = {0};
    if (file_type_of(in_project(below)) == FILE_REGULAR)
        assert_ok(file_read(a, in_project(below), 1 << 24, &s, NULL, NULL));
    return s;
}

static inline void keep_finding(void *ctx, const struct pap_finding *f)
{
    struct published *p = ctx;
    if (p->n_rules == 20)
        return;
    (void)snprintf(p->rules[p->n_rules], sizeof p->rules[0], "%s", f->id);
    (void)snprintf(p->files[p->n_rules++], sizeof p->files[0], "%.*s:%u", PSTR(f->where), f->line);
    assert_true(f->message.n > 5 && f->where.n > 0);
    for (size_t i = 0; i < f->where.n + f->message.n; i++) {
        unsigned char c = (unsigned char)(i < f->where.n ? f->where.p[i] : f->message.p[i - f->where.n]);
        assert_true(c >= 0x20 && c < 0x7f); /* tests use no others */
    }
}

static inline void keep_event(void *ctx, const struct pap_publish_event *e)
{
    struct published *p = ctx;
    p->outputs += e->what == PAP_PUBLISH_OUTPUT;
    if (e->what == PAP_PUBLISH_OUTPUT)
        p->state = e->state;
    p->left_out += e->what == PAP_PUBLISH_LEFT_OUT;
    if (e->what == PAP_PUBLISH_NOTE)
        (void)snprintf(p->note, sizeof p->note, "%.*s: %.*s", PSTR(e->path), PSTR(e->text));
    for (size_t i = 0; i < e->text.n; i++)
        assert_true((unsigned char)e->text.p[i] >= 0x20 && e->text.p[i] != 0x7f);
}

static inline struct published publish(struct pap_publish_options o)
{
    struct published p = {.exit = -1};
    o.folder = project;
    o.finding = keep_finding;
    o.event = keep_event;
    o.ctx = &p;
    p.result = pap_publish(&o, &p.counts, &p.exit, &p.err);
    return p;
}

static inline void assert_published(struct published p)
{
    if (!is_ok(p.result) || p.exit != 0)
        unit_fail("not published: %s, exit %d, %s %s", p.err.text, p.exit, p.n_rules ? p.rules[0] : "",
                  p.n_rules ? p.files[0] : "");
}

static inline void assert_refused(struct published p, const char *rule, const char *file)
{
    if (!is_ok(p.result))
        unit_fail("not refused for %s: %s", rule, p.err.text);
    assert_int_equal(p.exit, 1);
    for (size_t i = 0; i < p.n_rules; i++)
        if (strcmp(p.rules[i], rule) == 0 && strcmp(p.files[i], file) == 0)
            return;
    unit_fail("no %s at %s, but %s at %s", rule, file, p.n_rules ? p.rules[0] : "nothing", p.n_rules ? p.files[0] : "");
}

static inline void show_finding(void *ctx, const struct pap_finding *f)
{
    (void)ctx;
    print_message("%.*s: %s: %.*s\n", PSTR(f->where), f->id, PSTR(f->message));
}

/* `papaver check` over a tree finds nothing. */
static inline void assert_clean(const char *below)
{
    const char *targets[] = {in_project(below)};
    struct pap_counts counts;
    int status;
    struct pap_check_options o = {.offline = true, .finding = show_finding};
    assert_ok(pap_check(&o, targets, 1, &counts, &status, NULL));
    assert_int_equal(counts.errors + counts.warnings, 0);
    assert_int_equal(status, 0);
}

static inline int project_begin(void **state)
{
    (void)state;
    (void)snprintf(project, sizeof project, "/tmp/papaver-publish-XXXXXX");
    return mkdtemp(project) ? 0 : -1;
}

static inline int project_end(void **state)
{
    char command[100];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", project);
    return system(command);
}

#define publish_test(f) cmocka_unit_test_setup_teardown(f, project_begin, project_end)

#endif
