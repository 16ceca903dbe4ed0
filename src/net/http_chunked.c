/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http_head.h"

#include "text/httpval.h"

/* RFC 9112 section 7.1, byte by byte, but for the data, which is moved in runs. Only hexadecimal digits make a size; an
 * extension is a run of visible bytes and blanks; each line ends in CR LF. */
enum state {
    SIZE,      /* hex digits; a line of at least one */
    EXTENSION, /* behind the ';' */
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    TRAILER, /* at the start of a line behind the last chunk */
    TRAILER_NAME,
    TRAILER_TEXT,
    TRAILER_LF,
    END_LF,
    OVER
};

/* One byte of a size line. False: refused. */
static bool size_byte(struct http_chunked *c, char b)
{
    int digit = ascii_hex(b);
    if (++c->line > LIMIT_HTTP_CHUNK_LINE)
        return false;
    if (c->state == EXTENSION) {
        c->state = b == '\r' ? SIZE_LF : EXTENSION;
        return b == '\r' || http_is_value_char(b);
    }
    if (digit >= 0) {
        if (c->left >> 59) /* the sign bit of no reader is reached */
            return false;
        c->left = c->left << 4 | (unsigned)digit;
        return true;
    }
    c->state = b == '\r' ? SIZE_LF : EXTENSION;
    return c->line > 1 && (b == '\r' || b == ';');
}

/* One byte that has to be `want`; then comes `next`. */
static bool expect_byte(struct http_chunked *c, char b, char want, enum state next)
{
    c->state = (unsigned char)next;
    c->line = 0;
    return b == want;
}

/* One byte behind the last chunk. The whole has a bound. */
static bool trailer_byte(struct http_chunked *c, char b)
{
    if (++c->trailers > LIMIT_HTTP_TRAILERS)
        return false;
    if (c->state == TRAILER) {
        c->state = b == '\r' ? END_LF : TRAILER_NAME;
        return b == '\r' || http_is_token_char(b);
    }
    if (c->state == TRAILER_NAME) {
        c->state = b == ':' ? TRAILER_TEXT : TRAILER_NAME;
        return b == ':' || http_is_token_char(b);
    }
    c->state = b == '\r' ? TRAILER_LF : TRAILER_TEXT;
    return b == '\r' || http_is_value_char(b);
}

static bool chunk_byte(struct http_chunked *c, char b)
{
    switch ((enum state)c->state) {
    case SIZE:
    case EXTENSION:
        return size_byte(c, b);
    case SIZE_LF:
        return expect_byte(c, b, '\n', c->left ? DATA : TRAILER);
    case DATA_CR:
        return expect_byte(c, b, '\r', DATA_LF);
    case DATA_LF:
        return expect_byte(c, b, '\n', SIZE);
    case TRAILER_LF:
        return expect_byte(c, b, '\n', TRAILER);
    case END_LF:
        return expect_byte(c, b, '\n', OVER);
    case TRAILER:
    case TRAILER_NAME:
    case TRAILER_TEXT:
        return trailer_byte(c, b);
    case DATA:
    case OVER:
        break;
    }
    return false;
}

int http_chunked_decode(struct http_chunked *c, char *p, size_t n, uint64_t room, size_t *ret_used, size_t *ret_body)
{
    size_t at = 0, body = 0;
    while (at < n && c->state != OVER) {
        if (c->state != DATA) {
            if (!chunk_byte(c, p[at++]))
                return 400;
            if (c->state == DATA && c->left > room - body)
                return 413;
            continue;
        }
        size_t run = c->left < n - at ? (size_t)c->left : n - at;
        memmove(p + body, p + at, run);
        at += run;
        body += run;
        c->left -= run;
        if (c->left == 0)
            c->state = DATA_CR;
    }
    *ret_used = at;
    *ret_body = body;
    return c->state == OVER ? HTTP_DONE : HTTP_MORE;
}
