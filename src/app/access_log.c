/* SPDX-License-Identifier: Apache-2.0 */
#include "app/access_log.h"

#include <time.h>

#include "text/json_write.h"

/* Of a text inside quotes: the quote, the backslash and what is not printable ASCII as \xNN, as web servers do. */
static void add_quoted(struct buf *out, struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c < 0x20 || c > 0x7e || c == '"' || c == '\\')
            buf_fmt(out, "\\x%02X", c);
        else
            buf_char(out, s.p[i]);
    }
}

#define COMMON_TIME "[%d/%b/%Y:%H:%M:%S +0000]"
#define JSON_TIME "%Y-%m-%dT%H:%M:%SZ"
enum { TIME_TEXT = 40 };

static struct tm utc(int64_t unix_seconds)
{
    struct tm tm = {.tm_year = 70, .tm_mday = 1};
    time_t t = (time_t)unix_seconds;
    (void)gmtime_r(&t, &tm);
    return tm;
}

void access_log_common(struct buf *out, const struct http_access *a)
{
    const struct http_request *q = a->request;
    const struct tm tm = utc(a->unix_seconds);
    char time[TIME_TEXT];
    size_t n = strftime(time, sizeof time, COMMON_TIME, &tm);
    buf_add(out, q->peer.n ? q->peer : S("-"));
    buf_add(out, S(" - - "));
    buf_add(out, str(time, n));
    buf_add(out, S(" \""));
    if (q->method.p) {
        add_quoted(out, q->method);
        buf_char(out, ' ');
        add_quoted(out, q->target);
        buf_fmt(out, " HTTP/1.%u", q->minor);
    } else {
        buf_char(out, '-');
    }
    buf_fmt(out, "\" %d %llu\n", a->status, (unsigned long long)a->bytes);
}

/* In the form of the others, so that whoever reads them does not stumble over it. */
void access_log_common_lost(struct buf *out, int64_t unix_seconds, uint64_t lines)
{
    const struct tm tm = utc(unix_seconds);
    char time[TIME_TEXT];
    size_t n = strftime(time, sizeof time, COMMON_TIME, &tm);
    buf_fmt(out, "- - - %.*s \"%llu line%s lost\" 0 0\n", (int)n, time, (unsigned long long)lines, str_plural(lines));
}

void access_log_json(struct buf *out, const struct http_access *a)
{
    const struct http_request *q = a->request;
    const struct tm tm = utc(a->unix_seconds);
    char time[TIME_TEXT];
    size_t n = strftime(time, sizeof time, JSON_TIME, &tm);
    const struct {
        const char *key;
        struct pap_str value;
    } texts[] = {
        {"time", str(time, n)}, {"peer", q->peer},     {"scheme", q->scheme},
        {"host", q->authority}, {"method", q->method}, {"target", q->target},
    };
    struct json_writer w;
    json_writer_init(&w, out, 0);
    json_object_begin(&w);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_write_key(&w, texts[i].key);
        json_write_str(&w, texts[i].value);
    }
    json_write_key(&w, "status");
    json_write_int(&w, a->status);
    json_write_key(&w, "bytes");
    json_write_int(&w, (int64_t)a->bytes);
    json_write_key(&w, "ms");
    json_write_int(&w, a->ms);
    json_object_end(&w);
    buf_char(out, '\n');
}

void access_log_json_lost(struct buf *out, int64_t unix_seconds, uint64_t lines)
{
    const struct tm tm = utc(unix_seconds);
    char time[TIME_TEXT];
    size_t n = strftime(time, sizeof time, JSON_TIME, &tm);
    buf_fmt(out, "{\"time\": \"%.*s\", \"lost\": %llu}\n", (int)n, time, (unsigned long long)lines);
}
