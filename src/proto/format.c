/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats: what a field's text must look like. One row each, with the noun that sentences use.
 */
#include "base/limits.h"
#include "proto/check.h"
#include "text/uri.h"

static bool is_text(struct pap_str s, const char **ret_why)
{
    *ret_why = "it is blank";
    return str_trim(s).n > 0;
}

static bool is_https(struct pap_str s, const char **ret_why)
{
    struct uri u;
    size_t at;
    if (!uri_parse(s, &u, &at, ret_why)) {
        *ret_why = "it is not a URL";
        return false;
    }
    if (!u.scheme.p)
        *ret_why = "it is relative";
    else if (!str_eq_nocase(u.scheme, S("https")))
        *ret_why = str_eq_nocase(u.scheme, S("http")) ? "it uses http" : "its scheme is not https";
    else if (!u.has_authority || u.host.n == 0)
        *ret_why = "it has no host";
    else if (u.userinfo.p)
        *ret_why = "it holds user information before the host";
    else if (host_is_odd_ipv4(u.host))
        *ret_why = "its host is an IPv4 address in an unusual form";
    else if (u.fragment.p)
        *ret_why = "it has a fragment (#)";
    else
        return true;
    return false;
}

static bool is_issuer(struct pap_str s, const char **ret_why)
{
    if (!is_https(s, ret_why))
        return false;
    *ret_why = "it has a query (?)";
    return str_find_char(s, '?') == s.n;
}

static bool is_host(struct pap_str s, const char **ret_why)
{
    if (!host_is_name(s, ret_why))
        return false;
    *ret_why = "no dot, so it is no public domain";
    return str_find_char(s, '.') < s.n;
}

static bool is_version(struct pap_str s, const char **ret_why)
{
    uint64_t major, minor;
    *ret_why = "it is not of the form digits.digits";
    return version_parse(s, &major, &minor);
}

/* RFC 6749 appendix A.4: scope-token = 1*NQCHAR */
static bool is_scope(struct pap_str s, const char **ret_why)
{
    *ret_why = s.n ? "a scope holds visible ASCII characters only, no blank, quote or backslash" : "it is empty";
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= 0x20 || s.p[i] >= 0x7f || s.p[i] == '"' || s.p[i] == '\\')
            return false;
    return s.n > 0;
}

static bool is_hex(struct pap_str s, bool upper)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]) && !(s.p[i] >= 'a' && s.p[i] <= 'f') && !(upper && s.p[i] >= 'A' && s.p[i] <= 'F'))
            return false;
    return true;
}

static bool is_digest(struct pap_str s, const char **ret_why)
{
    struct pap_str hex = str_starts(s, S("sha256:")) ? str_skip(s, 7) : s;
    if (str_eq_nocase(str_take(s, 7), S("sha256:")) && s.n == 71 && is_hex(str_skip(s, 7), true))
        *ret_why = "it has upper-case letters";
    else if (hex.n == s.n && s.n == 64 && is_hex(s, true))
        *ret_why = "\"sha256:\" is missing in front of it";
    else if (str_starts(s, S("sha256-")))
        *ret_why = "\"sha256-\" is another notation; it begins with \"sha256:\" and goes on in hex";
    else if (hex.n == s.n)
        *ret_why = "it does not begin with \"sha256:\"";
    else if (hex.n != 64)
        *ret_why = hex.n < 64 ? "it has fewer than 64 hex digits" : "it has more than 64 hex digits";
    else
        *ret_why = "it has characters other than 0-9 and a-f";
    return hex.n == 64 && hex.n != s.n && is_hex(hex, false);
}

static bool is_skill_name(struct pap_str s, const char **ret_why)
{
    *ret_why = NULL;
    if (s.n == 0)
        *ret_why = "it is empty";
    else if (s.n > LIMIT_SKILL_NAME)
        *ret_why = "it is longer than 64 characters";
    for (size_t i = 0; i < s.n && !*ret_why; i++) {
        if (s.p[i] == '-' && (i == 0 || i + 1 == s.n))
            *ret_why = i == 0 ? "it begins with a hyphen" : "it ends with a hyphen";
        else if (s.p[i] == '-' && s.p[i + 1] == '-')
            *ret_why = "it has two hyphens in a row";
        else if (s.p[i] >= 'A' && s.p[i] <= 'Z')
            *ret_why = "it has an upper-case letter";
        else if (s.p[i] == ' ' || s.p[i] == '_')
            *ret_why = s.p[i] == ' ' ? "it has a blank" : "it has an underscore";
        else if (s.p[i] != '-' && !ascii_is_alnum(s.p[i]))
            *ret_why = "it has a character other than a-z, 0-9 and hyphen";
    }
    return *ret_why == NULL;
}

static bool is_extension(struct pap_str s, const char **ret_why)
{
    size_t slash = str_find_char(s, '/');
    const char *host_why;
    if (slash < s.n) {
        *ret_why = "what stands before the slash is not a domain";
        return host_is_name(str_take(s, slash), &host_why) && str_find_char(str_take(s, slash), '.') < slash &&
               slash + 1 < s.n;
    }
    *ret_why = "names without a domain are kept for the protocol itself, and it defines \"operations\" only";
    return str_is(s, "operations");
}

static const struct {
    bool (*holds)(struct pap_str s, const char **ret_why);
    const char *noun;
    const char *lead; /* stands before the reason in a sentence */
} formats[FORMAT_COUNT] = {
    [FORMAT_NONE] = {NULL, "a string"},
    [FORMAT_TEXT] = {is_text, "text that is not blank"},
    [FORMAT_HTTPS] = {is_https, "an absolute https URL"},
    [FORMAT_ISSUER] = {is_issuer, "an https URL without query and fragment"},
    [FORMAT_HOST] = {is_host, "a host name alone, such as \"shop.example\"", "it has "},
    [FORMAT_VERSION] = {is_version, "a version such as \"0.1\""},
    [FORMAT_SCOPE] = {is_scope, "an OAuth scope"},
    [FORMAT_DIGEST] = {is_digest, "\"sha256:\" and 64 lower-case hex digits"},
    [FORMAT_SKILL_NAME] = {is_skill_name, "1 to 64 of a-z, 0-9 and single hyphens inside"},
    [FORMAT_EXTENSION] = {is_extension, "\"operations\" or a domain, a slash and a name"},
};

bool format_holds(enum format f, struct pap_str s, const char **ret_why)
{
    return f >= FORMAT_COUNT || !formats[f].holds || formats[f].holds(s, ret_why);
}

bool format_url(enum format f, const struct json *node, struct uri *ret)
{
    size_t at;
    const char *why;
    return json_is(node, JSON_STRING) && format_holds(f, json_str(node), &why) &&
           uri_parse(json_str(node), ret, &at, &why);
}

bool is_well_known_of(struct run *r, const struct uri *id, const char *suffix, struct pap_str *ret_belongs)
{
    struct uri here, there;
    size_t at;
    const char *why;
    *ret_belongs = uri_well_known(r->arena, id, suffix);
    if (!ret_belongs->p)
        r->no_memory = true;
    if (!r->doc->exchange || !ret_belongs->p || !uri_parse(r->doc->name, &here, &at, &why) ||
        !uri_parse(*ret_belongs, &there, &at, &why) || str_find(here.path, str_c(suffix)) == here.path.n)
        return true;
    return uri_same_origin(&here, &there) && str_eq(here.path, there.path) && str_eq(here.query, there.query);
}

const char *format_noun(enum format f)
{
    return formats[f < FORMAT_COUNT ? f : FORMAT_NONE].noun;
}

const char *format_lead(enum format f)
{
    return f < FORMAT_COUNT && formats[f].lead ? formats[f].lead : "";
}
