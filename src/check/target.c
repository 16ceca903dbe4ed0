/* SPDX-License-Identifier: Apache-2.0 */
#include "check/target.h"

#include "sys/file.h"
#include "text/uri.h"

static pap_result classify_url(const char *word, bool insecure_http, enum target_type *ret, struct pap_err *err)
{
    struct uri u;
    size_t at;
    const char *why;
    /* What may hold a password is not repeated. */
    bool valid = uri_parse(str_c(word), &u, &at, &why), user = str_find_char(str_c(word), '@') < str_c(word).n;
    if (valid ? u.userinfo.p != NULL : user)
        return fail(err, PAP_USAGE, "%s: a target is given without a name or a password before an '@'",
                    valid ? "this URL is not asked" : "this is no URL");
    if (!valid)
        return fail(err, PAP_USAGE, "%s is not a URL: %s at byte %zu", word, why, at + 1);
    bool https = str_eq_nocase(u.scheme, S("https"));
    bool http = str_eq_nocase(u.scheme, S("http")) && insecure_http;
    if (!https && !http && str_eq_nocase(u.scheme, S("http")))
        return fail(err, PAP_USAGE,
                    "%s: agents use https only; write https%s (plain http to loopback needs --insecure-http)", word,
                    word + u.scheme.n);
    if (!https && !http && str_eq_nocase(u.scheme, S("file")))
        return fail(err, PAP_USAGE, "%s: a file is written as a path: %.*s", word, PSTR(u.path));
    if (!https && !http)
        return fail(err, PAP_USAGE, "%s: only https URLs are checked", word);
    bool bare = (u.path.n == 0 || str_is(u.path, "/")) && !u.query.p && !u.fragment.p;
    *ret = bare ? TARGET_DOMAIN : TARGET_URL;
    return OK;
}

static pap_result classify_path(const char *word, enum target_type *ret, struct pap_err *err)
{
    switch (file_type_of(word)) {
    case FILE_REGULAR:
        *ret = TARGET_FILE;
        return OK;
    case FILE_FOLDER:
        *ret = TARGET_FOLDER;
        return OK;
    case FILE_OTHER:
        return fail(err, PAP_IO, "%s is neither a file nor a folder", word);
    case FILE_LINK: /* of a walk only */
    case FILE_FOLDER_LINK:
    case FILE_NONE:
        break;
    }
    const char *why;
    struct pap_str host = str_take(str_c(word), str_find_char(str_c(word), '/'));
    if (str_find_char(host, '.') < host.n && host_is_name(host, &why))
        return fail(err, PAP_IO, "%s: no such file or folder; if it is a URL, write https://%s", word, word);
    return fail(err, PAP_IO, "%s: no such file or folder", word);
}

pap_result target_classify(const char *word, bool insecure_http, enum target_type *ret, struct pap_err *err)
{
    struct pap_str w = str_c(word), host = w;
    uint64_t port;
    const char *why;
    if (str_is(w, "-")) {
        *ret = TARGET_STDIN;
        return OK;
    }
    if (str_find(w, S("://")) < w.n)
        return classify_url(word, insecure_http, ret, err);
    if (w.n == 0)
        return fail(err, PAP_USAGE, "an empty word is no target");
    if (str_find_char(w, '/') < w.n || w.p[0] == '.' || w.p[0] == '~')
        return classify_path(word, ret, err);
    if (str_find_char(w, '@') < w.n)
        return fail(err, PAP_USAGE,
                    "what stands before the '@' of a target is not repeated here: a domain is given without, a file is "
                    "written ./ before it");
    size_t colon = str_find_char(w, ':');
    if (colon < w.n && str_to_u64(str_skip(w, colon + 1), &port) && port > 0 && port < 65536)
        host = str_take(w, colon);
    if (host_is_name(host, &why) && (str_find_char(host, '.') < host.n || str_eq_nocase(host, S("localhost")))) {
        *ret = TARGET_DOMAIN;
        return OK;
    }
    enum file_type type = file_type_of(word);
    if (type != FILE_NONE)
        return fail(err, PAP_USAGE, "%s is not a domain; for the %s of that name write ./%s", word,
                    type == FILE_FOLDER ? "folder" : "file", word);
    return host_is_name(host, &why)
               ? fail(err, PAP_USAGE, "%s is not a domain (it has no dot); a file or folder is written ./%s", word,
                      word)
               : fail(err, PAP_USAGE, "%s is not a domain (%s); a file or folder is written with a /", word, why);
}
