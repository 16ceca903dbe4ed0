/* SPDX-License-Identifier: Apache-2.0 */
#include "net/idn.h"

#include <pthread.h>

#include "sys/library.h"

/* Of libidn2, whose headers the build does without. */
enum { IDN2_OK = 0, IDN2_NFC_INPUT = 1, IDN2_NONTRANSITIONAL = 8, NAME_MOST = 1000 };

static struct {
    pthread_once_t once;
    pap_result result;
    struct pap_err err;
    int (*to_ascii)(const char *name, char **ret, int flags);
    const char *(*strerror)(int code);
    void (*free)(void *p);
} idn = {.once = PTHREAD_ONCE_INIT};

static void open_idn(void)
{
    const struct library_symbol symbols[] = {
        {"idn2_to_ascii_8z", &idn.to_ascii}, {"idn2_strerror", &idn.strerror}, {"idn2_free", &idn.free}, {NULL, NULL}};
    idn.result = library_open("libidn2.so.0", "libidn2-0", symbols, &idn.err);
}

static bool is_ascii(struct pap_str s)
{
    unsigned char all = 0;
    for (size_t i = 0; i < s.n; i++)
        all |= (unsigned char)s.p[i];
    return all < 0x80;
}

static struct pap_str lower(struct arena *a, struct pap_str s)
{
    char *p = arena_text(a, s.n + 1);
    if (!p)
        return str(NULL, 0);
    for (size_t i = 0; i < s.n; i++)
        p[i] = ascii_lower(s.p[i]);
    p[s.n] = '\0';
    return str(p, s.n);
}

pap_result idn_to_ascii(struct arena *a, struct pap_str name, struct pap_str *ret, struct pap_err *err)
{
    if (str_find_char(name, '\0') < name.n || name.n > NAME_MOST)
        return fail(err, PAP_SYNTAX, name.n > NAME_MOST ? "it is too long" : "it has a NUL in it");
    if (is_ascii(name)) {
        struct pap_str same = lower(a, name);
        if (!same.p)
            return fail_memory(err);
        *ret = same;
        return OK;
    }
    if (pthread_once(&idn.once, open_idn) != 0)
        return fail(err, PAP_UNAVAILABLE, "libidn2.so.0 cannot be opened");
    if (!is_ok(idn.result))
        return fail(err, idn.result.code, "%s", idn.err.text);
    const char *text = arena_cstr(a, name);
    if (!text)
        return fail_memory(err);
    char *ascii = NULL;
    int code = idn.to_ascii(text, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (code != IDN2_OK)
        return fail(err, PAP_SYNTAX, "%s", idn.strerror(code));
    struct pap_str own = lower(a, str_c(ascii));
    idn.free(ascii);
    if (!own.p)
        return fail_memory(err);
    *ret = own;
    return OK;
}
