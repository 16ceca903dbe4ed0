/* SPDX-License-Identifier: Apache-2.0
 *
 * The values of options: checked early, each message with an example that works.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

enum { TIMEOUT_MOST_MS = 600 * 1000, COUNT_MOST = 1000 };

bool set_flag(struct cli *cli, const struct given *given, void *field)
{
    (void)cli;
    *(bool *)field = strcmp(given->value, "true") == 0;
    return true;
}

bool set_text(struct cli *cli, const struct given *given, void *field)
{
    (void)cli;
    *(const char **)field = given->value;
    return true;
}

/* "a, b, c or d" */
static const char *list_choices(struct cli *cli, const char *const *choices)
{
    const char *parts[2 * OPTION_MOST];
    size_t n = 0;
    for (const char *const *c = choices; *c; c++) {
        if (c > choices)
            parts[n++] = c[1] ? ", " : " or ";
        parts[n++] = *c;
    }
    parts[n] = NULL;
    const char *text = cli_join(cli, parts);
    return text ? text : "";
}

static bool find_choice(struct cli *cli, const struct given *given, unsigned *ret)
{
    for (unsigned i = 0; given->row->choices[i]; i++)
        if (strcmp(given->row->choices[i], given->value) == 0) {
            *ret = i;
            return true;
        }
    return cli_usage(cli, "%s: \"%s\" is none of %s%s", given->origin, given->value,
                     list_choices(cli, given->row->choices), cli_did_you_mean(cli, given->value, given->row->choices));
}

bool set_choice(struct cli *cli, const struct given *given, void *field)
{
    return find_choice(cli, given, field);
}

bool set_choice_text(struct cli *cli, const struct given *given, void *field)
{
    unsigned i = 0;
    if (!find_choice(cli, given, &i))
        return false;
    *(const char **)field = given->row->choices[i];
    return true;
}

/* ---- lists -------------------------------------------------------------------------------------------------------- */

/* Room doubles when the number of values reaches a power of two. */
static bool append(struct cli *cli, const char *value, const char ***list)
{
    size_t n = 0;
    while (*list && (*list)[n])
        n++;
    if ((n & (n + 1)) == 0) {
        const char **grown = cli_alloc(cli, (2 * n + 3) * sizeof *grown);
        if (!grown)
            return false;
        if (n)
            memcpy(grown, *list, n * sizeof *grown);
        *list = grown;
    }
    (*list)[n] = value;
    (*list)[n + 1] = NULL;
    return true;
}

bool set_list(struct cli *cli, const struct given *given, void *field)
{
    return append(cli, given->value, field);
}

bool set_comma_list(struct cli *cli, const struct given *given, void *field)
{
    const char *rest = given->value;
    do {
        size_t n = strcspn(rest, ",");
        char *part = cli_alloc(cli, n + 1);
        if (!part)
            return false;
        if (n == 0)
            return cli_usage(cli, "%s: \"%s\" has an empty pattern; write it as --%s 'poppy.auth.*,json.*'",
                             given->origin, given->value, given->row->name);
        memcpy(part, rest, n);
        if (!append(cli, part, field))
            return false;
        rest += n;
    } while (*rest++ == ',');
    return true;
}

/* ---- files and numbers -------------------------------------------------------------------------------------------- */

bool set_input(struct cli *cli, const struct given *given, void *field)
{
    bool baseline = strcmp(given->row->name, "baseline") == 0;
    if (access(given->value, R_OK) != 0 && !(baseline && errno == ENOENT)) /* see check_baseline() */
        return cli_usage(cli, "%s: cannot read %s: %s", given->origin, given->value, strerror(errno));
    return set_text(cli, given, field);
}

bool set_certificates(struct cli *cli, const struct given *given, void *field)
{
    char line[128];
    bool found = false;
    if (!set_input(cli, given, field))
        return false;
    FILE *f = fopen(given->value, "re");
    while (f && !found && fgets(line, sizeof line, f))
        found = strncmp(line, "-----BEGIN ", 11) == 0 && strstr(line, "CERTIFICATE-----");
    if (f)
        (void)fclose(f);
    return found ||
           cli_usage(cli,
                     "%s: there is no PEM certificate in %s; a DER file becomes one by: openssl x509 -inform der "
                     "-in %s -out ca.pem",
                     given->origin, given->value, given->value);
}

/* "2", "2.5" -> thousandths, and where the number ends; false when it is none or has more than nine digits. */
static bool read_thousandths(const char *p, uint64_t *ret, const char **ret_end)
{
    uint64_t whole = 0, part = 0, scale = 1000;
    size_t digits = strspn(p, "0123456789");
    if (digits == 0 || digits > 9)
        return false;
    for (; digits; digits--)
        whole = whole * 10 + (uint64_t)(*p++ - '0');
    if (*p == '.') {
        digits = strspn(++p, "0123456789");
        if (digits == 0)
            return false;
        for (; digits; digits--, p++)
            if (scale > 1)
                part += (scale /= 10) * (uint64_t)(*p - '0');
    }
    *ret = whole * 1000 + part;
    *ret_end = p;
    return true;
}

bool cli_whole_number(const char *text, uint64_t *ret)
{
    uint64_t n = 0;
    const char *end;
    if (!read_thousandths(text, &n, &end) || *end || strchr(text, '.'))
        return false;
    *ret = n / 1000;
    return true;
}

bool set_seconds(struct cli *cli, const struct given *given, void *field)
{
    static const struct {
        const char *name;
        uint64_t thousandths;
    } units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}, {"min", 60000}};
    const char *unit;
    uint64_t ms = 0;
    bool fits = read_thousandths(given->value, &ms, &unit);
    size_t i = 0;
    while (fits && i < sizeof units / sizeof *units && strcmp(units[i].name, unit) != 0)
        i++;
    if (!fits || i == sizeof units / sizeof *units)
        return cli_usage(cli, "%s: \"%s\" is no time; write seconds such as 10 or 2.5, or 500ms", given->origin,
                         given->value);
    ms = ms * units[i].thousandths / 1000;
    if (ms == 0)
        return cli_usage(cli, "%s: \"%s\" leaves no time at all; write seconds such as 10 or 2.5, or 500ms",
                         given->origin, given->value);
    if (ms > TIMEOUT_MOST_MS)
        return cli_usage(cli, "%s: %s is more than the 600 seconds that are allowed; for milliseconds write %s%s",
                         given->origin, given->value, *unit ? "500" : given->value, "ms");
    *(uint32_t *)field = (uint32_t)ms;
    return true;
}

bool set_count(struct cli *cli, const struct given *given, void *field)
{
    uint64_t n = 0;
    const char *end;
    if (!read_thousandths(given->value, &n, &end) || *end || n % 1000 || n < 1000 || n / 1000 > COUNT_MOST)
        return cli_usage(cli, "%s: \"%s\" is no whole number from 1 to %d; write it as --%s 16", given->origin,
                         given->value, COUNT_MOST, given->row->name);
    *(uint32_t *)field = (uint32_t)(n / 1000);
    return true;
}

/* ---- network ------------------------------------------------------------------------------------------------------ */

/* The end of a host: a name, * (curl's any), or an IPv6 address in brackets. NULL when there is none. */
static const char *skip_host(const char *p, bool may_be_empty)
{
    if (*p == '[') {
        size_t n = strspn(p + 1, "0123456789abcdefABCDEF:.");
        return n && p[n + 1] == ']' ? p + n + 2 : NULL;
    }
    size_t n = strcspn(p, ":/ ,@[]");
    return n || may_be_empty ? p + n : NULL;
}

/* The end of ":PORT"; the digits may be missing where curl allows it. */
static const char *skip_port(const char *p, bool may_be_empty)
{
    if (*p != ':')
        return NULL;
    unsigned long port = 0;
    size_t n = strspn(++p, "0123456789");
    for (size_t i = 0; i < n && port <= 65535; i++)
        port = port * 10 + (unsigned long)(p[i] - '0');
    return (n == 0 && may_be_empty) || (port >= 1 && port <= 65535) ? p + n : NULL;
}

bool set_resolve(struct cli *cli, const struct given *given, void *field)
{
    const char *p = skip_host(given->value, false);
    p = p ? skip_port(p, false) : NULL;
    if (!p || *p != ':' || !p[1] || p[1 + strspn(p + 1, "0123456789abcdefABCDEF:.,[]")])
        return cli_usage(cli, "%s: \"%s\" is not HOST:PORT:ADDR; an example: --resolve shop.example:443:192.0.2.7",
                         given->origin, given->value);
    return set_list(cli, given, field);
}

bool set_connect_to(struct cli *cli, const struct given *given, void *field)
{
    const char *p = skip_host(given->value, true);
    p = p ? skip_port(p, true) : NULL;
    p = p && *p == ':' ? skip_host(p + 1, true) : NULL;
    p = p ? skip_port(p, true) : NULL;
    if (!p || *p)
        return cli_usage(cli,
                         "%s: \"%s\" is not HOST:PORT:HOST:PORT; an example: "
                         "--connect-to shop.example:443:staging.shop.example:8443",
                         given->origin, given->value);
    return set_list(cli, given, field);
}

bool set_proxy(struct cli *cli, const struct given *given, void *field)
{
    static const char *const schemes[] = {"http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t n = strlen(schemes[i]);
        if (strncmp(given->value, schemes[i], n) == 0 && given->value[n])
            return set_text(cli, given, field);
    }
    return cli_usage(cli,
                     "%s: \"%s\" is no proxy URL; an example: --proxy http://proxy.example:3128 (or https, socks5, "
                     "socks5h)",
                     given->origin, given->value);
}

bool set_version(struct cli *cli, const struct given *given, void *field)
{
    const char *p = given->value;
    size_t major = strspn(p, "0123456789");
    size_t minor = p[major] == '.' ? strspn(p + major + 1, "0123456789") : 0;
    if (!major || !minor || p[major + 1 + minor])
        return cli_usage(cli, "%s: \"%s\" is no version of the protocol; write it as --%s 0.1", given->origin,
                         given->value, given->row->name);
    return set_text(cli, given, field);
}
