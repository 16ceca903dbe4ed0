/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/project.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/stage.h"

enum { NOON = 1796040000 /* 2026-11-30T12:00:00Z */, SCRIPT_MOST = 1 << 20, LIST_MOST = 8 };

struct unpacker {
    struct arena *a;
    const char *folder;
    struct pap_err *err;
};

static int hex(char c)
{
    return ascii_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Adds the line without its escapes; false when it goes on with the next one. */
static bool add_line(struct buf *to, struct pap_str line)
{
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] != '\\') {
            buf_char(to, line.p[i]);
        } else if (i + 1 == line.n) {
            return false;
        } else if (i + 3 < line.n && line.p[i + 1] == 'x' && hex(line.p[i + 2]) >= 0 && hex(line.p[i + 3]) >= 0) {
            buf_char(to, (char)(16 * hex(line.p[i + 2]) + hex(line.p[i + 3])));
            i += 3;
        } else {
            buf_char(to, line.p[++i]);
        }
    }
    return true;
}

static bool add_repeated(struct buf *to, struct pap_str line)
{
    struct pap_str rest = line, part;
    uint64_t n;
    if (!str_next(&rest, ' ', &part) || !str_is(part, "@repeat") || !str_next(&rest, ' ', &part) ||
        !str_to_u64(part, &n))
        return false;
    for (unsigned k = 1; k <= n; k++) {
        for (size_t i = 0; i < rest.n; i++)
            if (rest.p[i] == '%')
                buf_fmt(to, "%u", k);
            else
                buf_char(to, rest.p[i]);
        buf_char(to, '\n');
    }
    return true;
}

static const char *path_of(struct unpacker *u, struct pap_str below)
{
    struct buf b;
    buf_init(&b, NULL, 4096);
    buf_fmt(&b, "%s/", u->folder);
    (void)add_line(&b, below);
    const char *path = buf_ok(&b) ? arena_cstr(u->a, buf_str(&b)) : NULL;
    buf_fini(&b);
    return path;
}

static pap_result make_folders(struct unpacker *u, const char *path)
{
    struct pap_str folder = arena_fmt(u->a, "%.*s", (int)(strrchr(path, '/') - path), path);
    return folder.p ? folder_make(folder.p, u->err) : fail_memory(u->err);
}

static pap_result put(struct unpacker *u, struct pap_str head, struct pap_str content)
{
    size_t link = str_find(head, S(" -> ")), twin = str_find(head, S(" = "));
    bool pipe = str_ends(head, S(" |"));
    size_t n = link < head.n ? link : twin < head.n ? twin : pipe ? head.n - 2 : head.n;
    const char *path = path_of(u, str_take(head, n));
    const char *other = path_of(u, str_skip(head, n + 3)), *target = arena_cstr(u->a, str_skip(head, n + 4));
    if (!path || !other || !target)
        return fail_memory(u->err);
    TRY(make_folders(u, path));
    int failed = link < head.n   ? symlink(target, path)
                 : twin < head.n ? linkat(AT_FDCWD, other, AT_FDCWD, path, 0)
                 : pipe          ? mkfifo(path, 0600)
                                 : 0;
    if (failed)
        return fail(u->err, PAP_IO, "%s cannot be made", path);
    return n < head.n ? OK : file_write_atomic(path, content, u->err);
}

static pap_result unpack(struct unpacker *u, struct pap_str text)
{
    struct buf b __attribute__((cleanup(buf_fini)));
    struct pap_str line, head = {0};
    buf_init(&b, NULL, SCRIPT_MOST);
    while (str_next(&text, '\n', &line)) {
        bool begins = str_starts(line, S("> "));
        if (!begins && head.p) {
            if (!add_repeated(&b, line) && add_line(&b, line) && text.p)
                buf_char(&b, '\n');
            continue;
        }
        if (!begins && !(line.n && line.p[0] == '#') && line.n)
            return fail(u->err, PAP_SYNTAX, "a line before the first \"> PATH\"");
        if (begins && head.p)
            TRY(put(u, head, buf_str(&b)));
        buf_reset(&b);
        head = begins ? str_skip(line, 2) : head;
    }
    return head.p ? put(u, head, buf_str(&b)) : fail(u->err, PAP_SYNTAX, "no \"> PATH\"");
}

/* ---- options ---- */

struct run {
    struct unpacker u;
    struct pap_publish_options o;
    const char *lists[6][LIST_MOST + 1];
    void (*finding)(void *ctx, const struct pap_finding *f);
    void *ctx;
};

static bool put_options(struct run *run, struct pap_str text)
{
    struct pap_publish_options *o = &run->o;
    const struct {
        const char *name;
        bool *to;
    } flags[] = {{"--legacy", &o->legacy}, {"--strict", &o->strict}, {"--archive", &o->archive}, {"--zip", &o->zip}};
    const struct {
        const char *name;
        const char *const **to;
    } lists[] = {{"--root", &o->roots},
                 {"--prune", &o->prune},
                 {"--allow-removal", &o->allow_removal},
                 {"--deprecate", &o->deprecate},
                 {"--allow-secret", &o->allow_secret}};
    struct pap_str word, value;
    while (str_next(&text, ' ', &word)) {
        bool known = word.n == 0;
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            if (str_is(word, flags[i].name))
                known = *flags[i].to = true;
        if (known)
            continue;
        if (!str_next(&text, ' ', &value))
            return false;
        if (str_is(word, "--most-index"))
            known = str_to_u64(value, &o->most_index_bytes);
        if (str_is(word, "--prior"))
            known = (o->prior = path_of(&run->u, value)) != NULL;
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            for (size_t n = 0; str_is(word, lists[i].name) && !known && n < LIST_MOST; n++)
                if (!run->lists[i][n]) {
                    *lists[i].to = run->lists[i];
                    known = (run->lists[i][n] = arena_cstr(run->u.a, value)) != NULL;
                }
        if (!known)
            return false;
    }
    return true;
}

/* ---- the run ---- */

static void pass_on(void *ctx, const struct pap_finding *f)
{
    struct run *run = ctx;
    struct pap_finding k = *f;
    struct pap_str folder = str_c(run->u.folder), where = f->where;
    if (str_starts(where, folder) && where.n > folder.n)
        where = str_skip(where, folder.n + 1);
    k.at = arena_fmt(run->u.a, "%.*s%s%.*s", PSTR(where), f->at.n ? " " : "", PSTR(f->at));
    run->finding(run->ctx, &k);
}

bool project_run(struct arena *a, const char *path, struct pap_str options,
                 void (*finding)(void *ctx, const struct pap_finding *f), void *ctx, int *ret_status,
                 struct pap_err *err)
{
    char folder[64];
    struct pap_str text;
    struct pap_publish_counts counts;
    int status = 0;
    if (!is_ok(file_read(a, path, SCRIPT_MOST, &text, NULL, err)) || !is_ok(folder_temporary(folder, err)))
        return false;
    struct run run = {.u = {a, folder, err}, .finding = finding, .ctx = ctx};
    run.o = (struct pap_publish_options){
        .mode = PAP_PUBLISH_DRY_RUN, .folder = folder, .now = NOON, .finding = pass_on, .ctx = &run};
    bool fine = is_ok(unpack(&run.u, text));
    if (fine && !put_options(&run, options))
        fine = is_ok(fail(err, PAP_SYNTAX, "its options are not known"));
    if (fine)
        fine = is_ok(pap_publish(&run.o, &counts, &status, err));
    bool gone = is_ok(folder_remove(folder, fine ? err : NULL));
    if (ret_status)
        *ret_status = status;
    return fine && gone;
}
