/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sys/file.h"

void private_folder(const char *path)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    for (size_t i = 1; i <= n && n < sizeof part; i++) {
        if (path[i] != '/' && path[i])
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        (void)mkdir(part, 0700);
    }
}

static pap_result look(const char *real, bool make, bool *ret_there, struct pap_err *err)
{
    struct stat st;
    if (make) {
        int fd = open(real, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0)
            (void)close(fd);
        else if (errno != EEXIST)
            return fail_errno(err, "make", real);
    }
    if (lstat(real, &st) < 0) {
        *ret_there = false;
        return errno == ENOENT ? OK : fail_errno(err, "look at", real);
    }
    if (S_ISLNK(st.st_mode))
        return fail(err, PAP_USAGE, "%s is a symbolic link; name the file that it leads to", real);
    if (!S_ISREG(st.st_mode))
        return fail(err, PAP_USAGE, "%s is no regular file", real);
    *ret_there = true;
    return OK;
}

pap_result private_file(struct arena *a, const char *path, bool make, const char **ret_real, struct pap_err *err)
{
    char real[PATH_MAX];
    struct pap_str all = str_c(path);
    size_t slash = str_rfind_char(all, '/');
    struct pap_str name = slash < all.n ? str_skip(all, slash + 1) : all;
    const char *folder = slash == all.n ? "." : arena_cstr(a, str_take(all, slash ? slash : 1));
    if (!folder)
        return fail_memory(err);
    if (!name.n)
        return fail(err, PAP_USAGE, "%s is no name of a file", path);
    if (make)
        private_folder(folder);
    if (!realpath(folder, real)) {
        if (make || errno != ENOENT)
            return fail_errno(err, "open the folder", folder);
        *ret_real = NULL;
        return OK;
    }
    struct pap_str whole = ARENA_JOIN(a, str_c(str_is(str_c(real), "/") ? "" : real), S("/"), name);
    bool there = false;
    if (!whole.p)
        return fail_memory(err);
    TRY(look(whole.p, make, &there, err));
    *ret_real = there ? whole.p : NULL;
    return OK;
}
