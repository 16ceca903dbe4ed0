/* SPDX-License-Identifier: Apache-2.0
 *
 * What came, as an exchange holds it: header fields out of the block received, TLS facts, the body without its coding.
 */
#include <time.h>
#define ZLIB_CONST
#include <zlib.h>

#include "net/inside.h"

enum { PIECE = 32 * 1024 };

/* Unfolds: a line that begins with a blank goes on with the one before (RFC 9112 section 5.2); the line end between them
 * becomes blanks. */
static void unfold(char *p, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (p[i - 1] == '\n' && (p[i] == ' ' || p[i] == '\t')) {
            p[i - 1] = ' ';
            if (i > 1 && p[i - 2] == '\r')
                p[i - 2] = ' ';
        }
}

bool head_read(struct transfer *t)
{
    struct hop *h = t->walk->hop;
    char *text = arena_text(t->walk->arena, t->head.n + 1);
    if (!text)
        return false;
    if (t->head.n)
        memcpy(text, t->head.p, t->head.n);
    unfold(text, t->head.n);
    h->headers = arena_new_array(t->walk->arena, t->head_fields, struct header);
    if (!h->headers)
        return false;
    struct pap_str rest = str(text, t->head.n), line;
    while (h->n_headers < t->head_fields && str_next(&rest, '\n', &line)) {
        size_t colon = str_find_char(line, ':');
        if (colon < line.n)
            h->headers[h->n_headers++] =
                (struct header){str_trim(str_take(line, colon)), str_trim(str_skip(line, colon + 1))};
    }
    return true;
}

void tls_note(struct transfer *t)
{
    const struct curl_api *api = &t->client->api;
    struct curl_tlssessioninfo *info = NULL;
    if (!api->ssl_version || api->easy_getinfo(t->easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info ||
        info->backend != CURLSSLBACKEND_OPENSSL || !info->internals)
        return;
    const SSL *ssl = info->internals;
    struct tm tm = {0};
    t->tls_version = api->ssl_version(ssl); /* a constant */
    const X509 *certificate = api->ssl_certificate(ssl);
    if (certificate && api->asn1_to_tm(api->x509_not_after(certificate), &tm))
        t->not_after = (int64_t)timegm(&tm);
}

static void *zlib_alloc(void *arena, unsigned count, unsigned size)
{
    return arena_array(arena, count, size);
}

static void zlib_free(void *arena, void *p)
{
    (void)arena;
    (void)p;
}

/* Inflates at most cap + 1 bytes into t->plain. *ret_why says what is wrong, NULL when all of it was gzip and whole. */
static bool gunzip(struct transfer *t, struct arena *scratch, size_t cap, const char **ret_why)
{
    z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = scratch};
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return false;
    z.next_in = (const Bytef *)t->body.p;
    z.avail_in = (uInt)t->body.n;
    *ret_why = NULL;
    for (;;) {
        char *room = buf_room(&t->plain, PIECE);
        if (!room)
            return false;
        z.next_out = (Bytef *)room;
        z.avail_out = PIECE;
        int rc = inflate(&z, Z_NO_FLUSH);
        buf_grew(&t->plain, PIECE - z.avail_out);
        if (t->plain.n > cap)
            return true;
        if (rc == Z_STREAM_END && z.avail_in == 0)
            return true;
        if (rc == Z_STREAM_END) /* another member, or what follows is none */
            rc = inflateReset(&z);
        if (rc == Z_MEM_ERROR)
            return false;
        if (rc == Z_BUF_ERROR)
            *ret_why = "it ends too early";
        else if (rc != Z_OK)
            *ret_why = z.msg ? z.msg : "it is damaged";
        if (*ret_why)
            return true;
    }
}

static bool keep(struct walk *w, struct pap_str body)
{
    if (body.n > w->request.cap) {
        body.n = w->request.cap;
        w->x.body_cut = true;
        if (w->x.fault == FAULT_NONE && !walk_is_redirect(w) &&
            !walk_fault(w, FAULT_TOO_LARGE, "%.*s sent more than %zu bytes", PSTR(str_take(w->hop->url, LIMIT_QUOTE)),
                        w->request.cap))
            return false;
    }
    w->x.body = arena_str(w->arena, body);
    return w->x.body.p != NULL;
}

/* Takes the gzip coding off. Of a body that is damaged or was cut, what came out is kept. */
static bool decode(struct transfer *t, bool whole)
{
    struct walk *w = t->walk;
    struct arena scratch;
    const char *why;
    arena_init(&scratch, t->client->o.alloc);
    bool ok = gunzip(t, &scratch, w->request.cap, &why);
    arena_fini(&scratch);
    if (ok && why && whole && w->x.fault == FAULT_NONE) {
        w->x.body_cut = true;
        ok = walk_fault(w, FAULT_ENCODING, "%.*s sent a body that cannot be decoded as gzip: %s",
                        PSTR(str_take(w->hop->url, LIMIT_QUOTE)), why);
    }
    return ok && keep(w, buf_str(&t->plain));
}

bool body_read(struct transfer *t, bool whole)
{
    struct walk *w = t->walk;
    struct pap_str coding = hop_header(w->hop, "Content-Encoding"), raw = buf_str(&t->body);
    if (!raw.n || !coding.n || w->request.identity || walk_is_redirect(w) || str_eq_nocase(coding, S("identity")))
        return keep(w, raw);
    if (str_eq_nocase(coding, S("gzip")) || str_eq_nocase(coding, S("x-gzip")))
        return decode(t, whole);
    if (w->x.fault == FAULT_NONE &&
        !walk_fault(w, FAULT_ENCODING, "%.*s sent a body in the content coding \"%.*s\", which was not asked for",
                    PSTR(str_take(w->hop->url, LIMIT_QUOTE)), PSTR(str_take(coding, LIMIT_QUOTE))))
        return false;
    return keep(w, raw);
}
