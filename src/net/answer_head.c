/* SPDX-License-Identifier: Apache-2.0 */
#include "net/answer_head.h"

#include "text/httpval.h"

/* RFC 9110 section 15; a status that is not here is sent without a phrase. */
static const struct {
    int status;
    struct pap_str phrase;
} phrases[] = {
    {200, S_INIT("OK")},
    {201, S_INIT("Created")},
    {202, S_INIT("Accepted")},
    {204, S_INIT("No Content")},
    {206, S_INIT("Partial Content")},
    {301, S_INIT("Moved Permanently")},
    {302, S_INIT("Found")},
    {303, S_INIT("See Other")},
    {304, S_INIT("Not Modified")},
    {307, S_INIT("Temporary Redirect")},
    {308, S_INIT("Permanent Redirect")},
    {400, S_INIT("Bad Request")},
    {401, S_INIT("Unauthorized")},
    {403, S_INIT("Forbidden")},
    {404, S_INIT("Not Found")},
    {405, S_INIT("Method Not Allowed")},
    {406, S_INIT("Not Acceptable")},
    {408, S_INIT("Request Timeout")},
    {409, S_INIT("Conflict")},
    {410, S_INIT("Gone")},
    {412, S_INIT("Precondition Failed")},
    {413, S_INIT("Content Too Large")},
    {414, S_INIT("URI Too Long")},
    {415, S_INIT("Unsupported Media Type")},
    {416, S_INIT("Range Not Satisfiable")},
    {417, S_INIT("Expectation Failed")},
    {421, S_INIT("Misdirected Request")},
    {422, S_INIT("Unprocessable Content")},
    {428, S_INIT("Precondition Required")},
    {429, S_INIT("Too Many Requests")},
    {431, S_INIT("Request Header Fields Too Large")},
    {500, S_INIT("Internal Server Error")},
    {501, S_INIT("Not Implemented")},
    {502, S_INIT("Bad Gateway")},
    {503, S_INIT("Service Unavailable")},
    {504, S_INIT("Gateway Timeout")},
    {505, S_INIT("HTTP Version Not Supported")},
};

static struct pap_str phrase_of(int status)
{
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++)
        if (phrases[i].status == status)
            return phrases[i].phrase;
    return str(NULL, 0);
}

bool answer_is_good(const struct http_response *a)
{
    /* What the server itself says about the message. */
    static const struct pap_str ours[] = {S_INIT("content-length"), S_INIT("transfer-encoding"), S_INIT("connection"),
                                          S_INIT("date")};
    if (a->status < 200 || a->status > 599)
        return false;
    for (size_t i = 0; i < a->n_headers; i++) {
        struct pap_str name = a->headers[i].name, value = a->headers[i].value;
        for (size_t k = 0; k < name.n; k++)
            if (!http_is_token_char(name.p[k]))
                return false;
        for (size_t k = 0; k < sizeof ours / sizeof ours[0]; k++)
            if (name.n == ours[k].n && str_eq_nocase(name, ours[k]))
                return false;
        if (name.n == 0 || !http_is_value(value))
            return false;
    }
    return true;
}

static char *put(char *p, struct pap_str s)
{
    if (s.n)
        memcpy(p, s.p, s.n);
    return p + s.n;
}

static char *put_number(char *p, uint64_t v)
{
    char digits[20];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n)
        *p++ = digits[--n];
    return p;
}

bool answer_head_write(struct buf *out, const struct answer_head *head, struct pap_str body)
{
    size_t room = 256; /* what is fixed: status line, Date, Content-Length, Connection */
    for (size_t i = 0; i < head->n_headers; i++)
        room += head->headers[i].name.n + head->headers[i].value.n + 4;
    char *start = body.n > SIZE_MAX - room ? NULL : buf_room(out, room + body.n), *p = start;
    if (!p) {
        out->code = PAP_OK; /* nothing was written */
        return false;
    }
    p = put(p, S("HTTP/1.1 "));
    p = put_number(p, (unsigned)head->status);
    p = put(p, S(" "));
    p = put(p, phrase_of(head->status));
    p = put(p, S("\r\nDate: "));
    p = put(p, str_c(head->date));
    for (size_t i = 0; i < head->n_headers; i++) {
        p = put(p, S("\r\n"));
        p = put(p, head->headers[i].name);
        p = put(p, S(": "));
        p = put(p, head->headers[i].value);
    }
    if (head->has_length) {
        p = put(p, S("\r\nContent-Length: "));
        p = put_number(p, head->length);
    }
    if (!head->keep)
        p = put(p, S("\r\nConnection: close"));
    else if (head->minor == 0)
        p = put(p, S("\r\nConnection: keep-alive"));
    p = put(p, S("\r\n\r\n"));
    p = put(p, body);
    buf_grew(out, (size_t)(p - start));
    return true;
}
