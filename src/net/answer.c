/* SPDX-License-Identifier: Apache-2.0
 *
 * What came, as an exchange holds it: header fields out of the block received, TLS facts, the body without its coding.
 */
#include "net/inside.h"
#include "pack/gunzip.h"

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
    const char *why;
    if (!is_ok(gunzip(buf_str(&t->body), w->request.cap, &t->plain, &why, NULL)))
        return false;
    if (why && whole && w->x.fault == FAULT_NONE) {
        w->x.body_cut = true;
        if (!walk_fault(w, FAULT_ENCODING, "%.*s sent a body that cannot be decoded as gzip: %s",
                        PSTR(str_take(w->hop->url, LIMIT_QUOTE)), why))
            return false;
    }
    return keep(w, buf_str(&t->plain));
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
