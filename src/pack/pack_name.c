/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of entries, judged for every system at once: what Linux takes may be a device or another folder on Windows.
 */
#include "base/limits.h"
#include "pack/pack.h"
#include "text/utf8.h"

/* Names that Windows keeps for devices, with any extension; the digits of COM and LPT may be superscript. */
static const char *const devices[] = {
    "CON",         "PRN",         "AUX",         "NUL",         "CONIN$",      "CONOUT$",     "COM1", "COM2",
    "COM3",        "COM4",        "COM5",        "COM6",        "COM7",        "COM8",        "COM9", "LPT1",
    "LPT2",        "LPT3",        "LPT4",        "LPT5",        "LPT6",        "LPT7",        "LPT8", "LPT9",
    "COM\xc2\xb9", "COM\xc2\xb2", "COM\xc2\xb3", "LPT\xc2\xb9", "LPT\xc2\xb2", "LPT\xc2\xb3",
};

static bool is_device(struct pap_str component)
{
    struct pap_str base = str_take(component, str_find_char(component, '.'));
    while (base.n && base.p[base.n - 1] == ' ')
        base.n--;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (str_eq_nocase(base, str_c(devices[i])))
            return true;
    return false;
}

static const char *component_fault(struct pap_str c)
{
    if (c.n == 0)
        return "has an empty component";
    if (str_is(c, ".."))
        return "climbs out with ..";
    if (str_is(c, "."))
        return "has a component that is a single dot";
    if (c.p[c.n - 1] == '.' || c.p[c.n - 1] == ' ')
        return "has a component that ends in a dot or a blank";
    return is_device(c) ? "has a component that Windows keeps for a device" : NULL;
}

/* Characters that no name may have: ASCII ones by value, C1 controls as UTF-8. */
static const char *character_fault(struct pap_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];
        if (c < 0x20 || c == 0x7f || (c == 0xc2 && i + 1 < name.n && (unsigned char)name.p[i + 1] < 0xa0))
            return "holds a control character";
        if (c == '\\')
            return "holds a backslash";
        if (c == ':')
            return i == 1 && ascii_is_alpha(name.p[0]) ? "begins with a drive letter" : "holds a colon";
        if (c && memchr("<>\"|?*", c, 6))
            return "holds one of < > \" | ? *";
    }
    return NULL;
}

const char *pack_name_fault(struct pap_str name)
{
    if (name.n == 0)
        return "is empty";
    if (name.p[0] == '/')
        return "is absolute";
    if (utf8_check(name) < name.n)
        return "is not valid UTF-8";
    const char *fault = character_fault(name);
    struct pap_str rest = name, component;
    while (!fault && str_next(&rest, '/', &component))
        fault = component_fault(component);
    if (!fault && name.n > LIMIT_ARCHIVE_PATH)
        return "is longer than 255 bytes";
    return fault;
}

bool pack_is_junk(struct pap_str name)
{
    struct pap_str rest = name, part;
    while (str_next(&rest, '/', &part))
        if (str_is(part, "__MACOSX") || str_is(part, ".DS_Store") || str_starts(part, S("._")))
            return true;
    return false;
}

const char *pack_type_noun(enum pack_type t)
{
    static const char *const nouns[] = {
        [PACK_FILE] = "a file",
        [PACK_DIR] = "a folder",
        [PACK_SYMLINK] = "a symbolic link",
        [PACK_HARDLINK] = "a hard link",
        [PACK_SPECIAL] = "a device, pipe or other special file",
    };
    return nouns[t];
}
