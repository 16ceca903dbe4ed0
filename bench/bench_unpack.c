/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_unpack ARCHIVE FOLDER: hashes a tar.gz from a file, compares with the digest that bench_unpack -d ARCHIVE printed
 * into ARCHIVE.digest, unpacks it into FOLDER by way of the client's reader, and prints how many files that were. What is
 * done here and not in the library is reading the file and writing the files.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "skills/artifact.h"

struct place {
    int archive, folder, file;
    char piece[128 * 1024];
};

static void give_up(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static pap_result next(void *ctx, uint64_t off, struct pap_str *ret, struct pap_err *err)
{
    struct place *p = ctx;
    ssize_t n = pread(p->archive, p->piece, sizeof p->piece, (off_t)off);
    if (n < 0)
        return fail(err, PAP_IO, "the archive cannot be read");
    *ret = str(p->piece, (size_t)n);
    return OK;
}

static void make_parents(int folder, const char *path)
{
    char part[512];
    for (const char *slash = path; (slash = strchr(slash, '/')) && slash - path < 512; slash++) {
        memcpy(part, path, (size_t)(slash - path));
        part[slash - path] = '\0';
        (void)mkdirat(folder, part, 0755);
    }
}

static pap_result begin(void *ctx, struct pap_str path, uint64_t size, bool executable, struct pap_err *err)
{
    struct place *p = ctx;
    (void)size, (void)executable;
    p->file = openat(p->folder, path.p, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (p->file < 0) {
        make_parents(p->folder, path.p);
        p->file = openat(p->folder, path.p, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    }
    return p->file < 0 ? fail(err, PAP_IO, "a file cannot be made") : OK;
}

static pap_result data(void *ctx, struct pap_str piece, struct pap_err *err)
{
    struct place *p = ctx;
    while (piece.n) {
        ssize_t n = write(p->file, piece.p, piece.n);
        if (n < 0)
            return fail(err, PAP_IO, "a file cannot be written");
        piece = str_skip(piece, (size_t)n);
    }
    return OK;
}

static pap_result end(void *ctx, const struct skill_file *f, struct pap_err *err)
{
    struct place *p = ctx;
    (void)f;
    return close(p->file) == 0 ? OK : fail(err, PAP_IO, "a file cannot be written");
}

static void print_digest(struct place *p)
{
    struct pack_source from = {.next = next, .ctx = p};
    struct digest d;
    uint64_t n;
    char text[DIGEST_TEXT + 1];
    if (!is_ok(artifact_digest(&from, UINT64_MAX, &d, &n, NULL)))
        give_up("the archive cannot be read");
    digest_text(&d, text);
    puts(text);
}

static void unpack(struct place *p, const char *digest)
{
    struct arena a;
    struct skill s;
    struct skill_fault f;
    struct pap_err err;
    struct pack_source from = {.next = next, .ctx = p};
    struct artifact_sink to = {begin, data, end, p};
    struct artifact_want want = {.name = S("bench"),
                                 .type = ARTIFACT_ARCHIVE,
                                 .digest = str(digest, DIGEST_TEXT),
                                 .url = S("https://bench.example/bench.tar.gz"),
                                 .limits = {.unpacked = 1 << 30, .files = 100000}};
    arena_init(&a, NULL);
    if (!is_ok(artifact_read(&a, &want, &from, &to, &s, &f, &err)))
        give_up(err.text);
    if (f.code)
        give_up(f.text.p);
    printf("%zu\n", s.n_files);
    arena_fini(&a);
}

int main(int argc, char **argv)
{
    static struct place p;
    char path[4096], digest[DIGEST_TEXT + 1] = "";
    bool only = argc == 3 && strcmp(argv[1], "-d") == 0;
    if (argc != 3 || (p.archive = open(argv[only ? 2 : 1], O_RDONLY | O_CLOEXEC)) < 0)
        give_up("bench_unpack [-d] ARCHIVE [FOLDER]");
    if (only) {
        print_digest(&p);
        return 0;
    }
    snprintf(path, sizeof path, "%s.digest", argv[1]);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(digest, sizeof digest, file))
        give_up("there is no digest");
    fclose(file);
    p.folder = open(argv[2], O_DIRECTORY | O_CLOEXEC);
    if (p.folder < 0)
        give_up("there is no folder");
    unpack(&p, digest);
    return 0;
}
