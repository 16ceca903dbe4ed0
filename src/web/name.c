/* SPDX-License-Identifier: Apache-2.0 */
#include "web/name.h"

#include "net/idn.h"
#include "text/host.h"

/* Endings that no public resolver answers for. To add one: a row. */
static const struct {
    struct pap_str ending;
    bool in_tests;
} special[] = {
    {S_INIT("localhost"), false}, {S_INIT("local"), false}, {S_INIT("internal"), false}, {S_INIT("onion"), false},
    {S_INIT("alt"), false},       {S_INIT("arpa"), false},  {S_INIT("invalid"), false},  {S_INIT("localdomain"), false},
    {S_INIT("lan"), false},       {S_INIT("home"), false},  {S_INIT("corp"), false},     {S_INIT("intranet"), false},
    {S_INIT("private"), false},   {S_INIT("mail"), false},  {S_INIT("test"), true},      {S_INIT("example"), true},
};

static bool is_special(struct pap_str name, bool loopback)
{
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (host_is_within(name, special[i].ending) && !(loopback && special[i].in_tests))
            return true;
    return false;
}

pap_result web_name(struct arena *a, struct pap_str typed, bool loopback, struct pap_str *ret, struct pap_err *err)
{
    static const char usage[] = "Type the name of a domain and nothing else, such as shop.example.com";
    const char *why;
    struct pap_err idn = {.text = ""};
    struct pap_str name = str_trim(typed), ascii = S("");
    if (!name.n)
        return fail(err, PAP_USAGE, "%s.", usage);
    if (str_ends(name, S(".")))
        name.n--;
    pap_result r = idn_to_ascii(a, name, &ascii, &idn);
    if (r.code == PAP_NO_MEMORY)
        return fail_memory(err);
    if (!is_ok(r))
        return fail(err, PAP_USAGE, "This is not a name that the DNS can hold (%s).", idn.text);
    if (!host_is_name(ascii, &why))
        return fail(err, PAP_USAGE, "This has %s in it. %s.", why, usage);
    if (str_find_char(ascii, '.') == ascii.n)
        return fail(err, PAP_USAGE, "A public name has at least two parts. %s.", usage);
    if (is_special(ascii, loopback))
        return fail(err, PAP_USAGE, "Names below .%.*s are not public, so nobody outside can check them.",
                    PSTR(str_skip(ascii, str_rfind_char(ascii, '.') + 1)));
    *ret = ascii;
    return OK;
}
