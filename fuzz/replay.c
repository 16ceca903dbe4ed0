/* SPDX-License-Identifier: Apache-2.0
 *
 * Feeds every file of the folders given to the fuzz target, also cut at each byte of small ones. Feeding nothing is a
 * failure: an empty corpus must not look like a pass.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly `n` bytes on the heap, so that a sanitizer sees a read past the end. */
static void feed(const uint8_t *data, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    if (!copy)
        abort();
    memcpy(copy, data, n);
    (void)LLVMFuzzerTestOneInput(copy, n);
    free(copy);
}

static int feed_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    static uint8_t bytes[1 << 22];
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    feed(bytes, n);
    for (size_t cut = 0; n <= 2048 && cut < n; cut++)
        feed(bytes, cut);
    return 1;
}

int main(int argc, char **argv)
{
    unsigned fed = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **names;
        int n = scandir(argv[i], &names, NULL, alphasort);
        for (int k = 0; k < n; k++) {
            char path[4096];
            struct stat st;
            snprintf(path, sizeof path, "%s/%s", argv[i], names[k]->d_name);
            if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
                fed += (unsigned)feed_file(path);
            free(names[k]);
        }
        if (n >= 0)
            free(names);
    }
    printf("%u files fed\n", fed);
    return fed ? 0 : 1;
}
