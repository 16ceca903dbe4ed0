/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/library.h"

#include <dlfcn.h>
#include <string.h>

pap_result library_open(const char *soname, const char *package, const struct library_symbol *symbols,
                        struct pap_err *err)
{
    void *lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        const char *why = dlerror(); /* names the library, which may be one that this one needs */
        return fail(err, PAP_UNAVAILABLE, "%s; install the package %s", why ? why : soname, package);
    }
    for (const struct library_symbol *s = symbols; s->name; s++) {
        if (dlsym(lib, s->name))
            continue;
        (void)dlclose(lib);
        return fail(err, PAP_UNAVAILABLE, "%s has no %s: install a newer %s", soname, s->name, package);
    }
    for (const struct library_symbol *s = symbols; s->name; s++) {
        void *address = dlsym(lib, s->name);
        memcpy(s->slot, &address, sizeof address);
    }
    return OK;
}
