/* SPDX-License-Identifier: Apache-2.0
 *
 * Header fields of a request against the rules of scopes: each line of the input is a field, "Name: value". Nobody gets in but by one
 * credential that is exactly a token; a list of names is a list of names whatever stands in it.
 */
#include <stdlib.h>

#include "host/access.h"
#include "host/token.h"
#include "text/httpval.h"

enum { FIELDS = 16 };

#define TOKEN "token-x4K9w-2qZ7m-T8vDEF-xyz"
#define OTHER "other-x4K9w-2qZ7m-T8vDEF-xyz"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void holds(bool fact)
{
    if (!fact)
        abort();
}

static struct arena arena;

static const struct access *rules(void)
{
    static struct access *access;
    static char token[DIGEST_TEXT + 1], other[DIGEST_TEXT + 1];
    static const char *skills[] = {"deploy-*", NULL}, *tokens[] = {token, NULL}, *others[] = {other, NULL};
    static const struct pap_serve_scope scopes[] = {{.name = "deploy", .skills = skills, .tokens = tokens},
                                                    {.name = "sales", .skills = skills, .tokens = others}};
    static const struct pap_serve_site site = {.scopes = scopes, .n_scopes = 2};
    if (access)
        return access;
    arena_init(&arena, NULL);
    holds(is_ok(token_hash(S(TOKEN), token, NULL)) && is_ok(token_hash(S(OTHER), other, NULL)));
    holds(is_ok(access_make(&arena, &site, &access, NULL)));
    return access;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct header fields[FIELDS];
    struct http_request q = {.method = S("GET"), .headers = fields};
    struct pap_str rest = str((const char *)data, size), line;
    while (q.n_headers < FIELDS && str_next(&rest, '\n', &line)) {
        size_t colon = str_find_char(line, ':');
        fields[q.n_headers++] = (struct header){str_take(line, colon), str_trim(str_skip(line, colon + 1))};
    }
    const struct access *a = rules();
    struct http_response r = {0};
    const struct asking x = {NULL, &q, &r, NULL};
    enum verdict first = access_check(a, 1, &x), second = access_check(a, 2, &x), none = access_check(a, 0, &x);
    struct pap_str credential = request_header(&q, "Authorization");
    struct pap_str token = str_trim(str_skip(credential, 7));
    bool is_bearer = request_header_count(&q, "Authorization") == 1 &&
                     str_eq_nocase(str_take(credential, 7), S("Bearer ")) &&
                     str_find_char(credential, '\t') == credential.n;
    bool is_first = is_bearer && str_is(token, TOKEN), is_second = is_bearer && str_is(token, OTHER);
    holds(first == (is_first ? VERDICT_YES : is_second ? VERDICT_NOT_YOU : VERDICT_NOBODY));
    holds(second == (is_second ? VERDICT_YES : is_first ? VERDICT_NOT_YOU : VERDICT_NOBODY));
    holds(none == (is_first || is_second ? VERDICT_NOT_YOU : VERDICT_NOBODY));
    struct pap_str name = request_header(&q, "Remote-Skills-Scope");
    holds(!access_scope(a, name) || scope_is_name(name));
    holds(!scope_is_name(name) || (name.n <= 128 && http_is_value(name) && str_find_char(name, ' ') == name.n));
    holds(access_is_open(a, name) == !access_scopes_of(a, name));
    return 0;
}
