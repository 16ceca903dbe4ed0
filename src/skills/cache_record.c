/* SPDX-License-Identifier: Apache-2.0 */
#include "skills/cache_record.h"

#include <stdio.h>

#include "base/limits.h"
#include "text/json.h"
#include "text/json_write.h"
#include "text/redact.h"
#include "text/uri.h"

enum { LAYOUT = 1, HEX = 64, MOST_VALIDATOR = 1024, MOST_ORIGIN = LIMIT_URL };

/* A format, its ending as a file and its word in a record. */
static const struct {
    enum pack_format format;
    const char *ending, *word;
} formats[] = {
    {PACK_UNKNOWN, ".md", "md"},
    {PACK_TAR_GZ, ".tar.gz", "tar.gz"},
    {PACK_ZIP, ".zip", "zip"},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* How names of a kind begin. */
static const struct {
    enum cache_kind kind;
    const char *begin;
} kinds[] = {
    {CACHE_OBJECT, "object-"},
    {CACHE_RECORD, "record-"},
    {CACHE_DOCUMENT, "document-"},
    {CACHE_PART, "part-"},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static bool is_hex(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]) && (s.p[i] < 'a' || s.p[i] > 'f'))
            return false;
    return s.n == HEX;
}

pap_result cache_key(const char *kind, struct pap_str origin, struct pap_str url, struct pap_str scope,
                     char ret[static CACHE_KEY], struct pap_err *err)
{
    const struct pap_str nul = str("", 1), parts[] = {origin, nul, url, nul, scope};
    struct digest d;
    char text[DIGEST_TEXT + 1];
    TRY(digest_sha256(parts, sizeof parts / sizeof *parts, &d, err));
    digest_text(&d, text);
    (void)snprintf(ret, CACHE_KEY, "%s-%s", kind, text + 7);
    return OK;
}

bool cache_object_key(struct pap_str digest, enum pack_format format, char ret[static CACHE_KEY])
{
    struct digest d;
    for (size_t i = 0; i < N_FORMATS && digest_parse(digest, &d); i++)
        if (formats[i].format == format) {
            (void)snprintf(ret, CACHE_KEY, "object-%.*s%s", HEX, digest.p + 7, formats[i].ending);
            return true;
        }
    return false;
}

enum cache_kind cache_kind_of(struct pap_str name)
{
    enum cache_kind kind = CACHE_FOREIGN;
    struct pap_str rest = name;
    for (size_t i = 0; i < N_KINDS && kind == CACHE_FOREIGN; i++)
        if (str_starts(name, str_c(kinds[i].begin))) {
            kind = kinds[i].kind;
            rest = str_skip(name, str_c(kinds[i].begin).n);
        }
    if (kind == CACHE_FOREIGN || kind == CACHE_PART)
        return kind;
    if (!is_hex(str_take(rest, HEX)))
        return CACHE_FOREIGN;
    rest = str_skip(rest, HEX);
    for (size_t i = 0; kind == CACHE_OBJECT && i < N_FORMATS; i++)
        if (str_is(rest, formats[i].ending))
            return kind;
    return kind != CACHE_OBJECT && !rest.n ? kind : CACHE_FOREIGN;
}

enum pack_format cache_format_of(struct pap_str name)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (str_ends(name, str_c(formats[i].ending)))
            return formats[i].format;
    return PACK_UNKNOWN;
}

bool cache_url_is_secret(struct arena *scratch, struct pap_str url)
{
    struct buf b __attribute__((cleanup(buf_fini)));
    buf_init(&b, scratch->alloc, LIMIT_CACHE_HEAD);
    add_redacted(&b, url);
    return !buf_ok(&b) || !str_eq(buf_str(&b), url);
}

/* In any string that looks like a URL, and in every member named `url`. Nested no deeper than the reader goes. */
static bool has_secret(struct arena *scratch, const struct json *j)
{
    bool named = (j->flags & JSON_HAS_KEY) && str_is(json_key(j), "url");
    if (j->type == JSON_STRING && (named || str_find(json_str(j), S("://")) < j->n) &&
        cache_url_is_secret(scratch, json_str(j)))
        return true;
    json_each (child, j)
        if (has_secret(scratch, child))
            return true;
    return false;
}

bool cache_body_is_secret(struct arena *scratch, struct pap_str body)
{
    struct notes notes = {0};
    struct json *root = NULL;
    if (!body.n)
        return false;
    return !is_ok(json_read(scratch, body, &root, &notes)) || !root || has_secret(scratch, root);
}

/* ---- Writing ---- */

void cache_seal_write(const struct digest *d, char ret[static CACHE_SEAL])
{
    digest_text(d, ret);
    ret[DIGEST_TEXT] = '\n';
}

bool cache_seal_read(struct pap_str bytes, struct pap_str *ret, struct digest *ret_digest)
{
    if (bytes.n < CACHE_SEAL || bytes.p[DIGEST_TEXT] != '\n' || !digest_parse(str_take(bytes, DIGEST_TEXT), ret_digest))
        return false;
    *ret = str_skip(bytes, CACHE_SEAL);
    return true;
}

static void write_str(struct json_writer *w, const char *name, struct pap_str s)
{
    if (!s.p)
        return;
    json_write_key(w, name);
    json_write_str(w, s);
}

static void write_int(struct json_writer *w, const char *name, int64_t v)
{
    json_write_key(w, name);
    json_write_int(w, v);
}

/* What may go into a header field again: visible ASCII and blanks. */
static bool is_validator(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7e)
            return false;
    return s.n > 0 && s.n <= MOST_VALIDATOR;
}

void cache_document_write(struct buf *out, struct pap_str asked, struct pap_str scope, const struct cache_document *d)
{
    struct json_writer w;
    json_writer_init(&w, out, 0);
    json_object_begin(&w);
    write_int(&w, "layout", LAYOUT);
    write_str(&w, "asked", asked);
    write_str(&w, "scope", scope.p ? scope : S(""));
    write_str(&w, "url", d->url);
    if (is_validator(d->etag))
        write_str(&w, "etag", d->etag);
    if (is_validator(d->last_modified))
        write_str(&w, "last_modified", d->last_modified);
    write_int(&w, "validated", d->validated);
    json_object_end(&w);
    buf_char(out, '\n');
    buf_add(out, d->body);
}

void cache_record_write(struct buf *out, const struct cache_record *r)
{
    struct json_writer w;
    json_writer_init(&w, out, 0);
    json_object_begin(&w);
    write_int(&w, "layout", LAYOUT);
    write_str(&w, "origin", r->origin);
    write_str(&w, "url", r->url);
    write_str(&w, "scope", r->scope.p ? r->scope : S(""));
    write_str(&w, "digest", r->digest);
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i].format == r->format)
            write_str(&w, "format", str_c(formats[i].word));
    json_object_end(&w);
    buf_char(out, '\n');
}

/* ---- Reading ---- */

/* One line of JSON, an object of this layout. */
static const struct json *read_head(struct arena *a, struct pap_str line)
{
    struct notes notes = {0};
    struct json *root = NULL;
    uint64_t layout;
    if (line.n > LIMIT_CACHE_HEAD || !is_ok(json_read(a, line, &root, &notes)) || !json_is(root, JSON_OBJECT))
        return NULL;
    const struct json *number = json_get_c(root, "layout");
    return json_is(number, JSON_NUMBER) && str_to_u64(json_str(number), &layout) && layout == LAYOUT ? root : NULL;
}

static bool get_str(const struct json *head, const char *name, size_t most, struct pap_str *ret)
{
    const struct json *j = json_get_c(head, name);
    if (!json_is(j, JSON_STRING) || j->n > most)
        return false;
    *ret = j->n ? json_str(j) : S("");
    return true;
}

static bool get_number(const struct json *head, const char *name, uint64_t most, uint64_t *ret)
{
    const struct json *j = json_get_c(head, name);
    return json_is(j, JSON_NUMBER) && str_to_u64(json_str(j), ret) && *ret <= most;
}

static bool is_web(struct pap_str url)
{
    struct uri u;
    size_t at;
    const char *why;
    return uri_parse(url, &u, &at, &why) && uri_is_web(&u, &why);
}

/* A validator that is not there is none; one that may not stand in a header field makes the whole unusable. */
static bool get_validator(const struct json *head, const char *name, struct pap_str *ret)
{
    *ret = str(NULL, 0);
    return !json_get_c(head, name) || (get_str(head, name, MOST_VALIDATOR, ret) && is_validator(*ret));
}

bool cache_document_read(struct arena *a, struct pap_str bytes, struct pap_str asked, struct pap_str scope,
                         struct cache_document *ret)
{
    enum { MOST_TIME = INT32_MAX };
    size_t end = str_find_char(str_take(bytes, LIMIT_CACHE_HEAD), '\n');
    struct pap_str for_url, for_scope;
    struct cache_document d = {.body = str_skip(bytes, end + 1)};
    uint64_t validated;
    const struct json *head = end < bytes.n && bytes.p[end] == '\n' ? read_head(a, str_take(bytes, end)) : NULL;
    if (!head || !get_str(head, "asked", LIMIT_URL, &for_url) || !get_str(head, "scope", LIMIT_URL, &for_scope) ||
        !str_eq(for_url, asked) || !str_eq(for_scope, scope) || !get_str(head, "url", LIMIT_URL, &d.url) ||
        !is_web(d.url) || !get_validator(head, "etag", &d.etag) ||
        !get_validator(head, "last_modified", &d.last_modified) ||
        !get_number(head, "validated", MOST_TIME * (uint64_t)64, &validated))
        return false;
    d.validated = (int64_t)validated;
    *ret = d;
    return true;
}

bool cache_record_read(struct arena *a, struct pap_str bytes, struct cache_record *ret)
{
    struct cache_record r = {0};
    struct pap_str word;
    struct digest d;
    const struct json *head = read_head(a, bytes);
    if (!head || !get_str(head, "origin", MOST_ORIGIN, &r.origin) || !get_str(head, "url", LIMIT_URL, &r.url) ||
        !get_str(head, "scope", LIMIT_URL, &r.scope) || !get_str(head, "digest", DIGEST_TEXT, &r.digest) ||
        !digest_parse(r.digest, &d) || !get_str(head, "format", 16, &word))
        return false;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (str_is(word, formats[i].word)) {
            r.format = formats[i].format;
            *ret = r;
            return true;
        }
    return false;
}
