/* SPDX-License-Identifier: Apache-2.0 */
#include "census/inside.h"
#include "report/format.h"
#include "text/utf8.h"

enum { FLUSH = 64 * 1024 };

void out_begin(struct out *o, const struct pap_census_out *to, const struct pap_alloc *alloc)
{
    *o = (struct out){.to = to};
    buf_init(&o->text, alloc, LIMIT_REPORT);
}

pap_result out_flush(struct out *o, struct pap_err *err)
{
    TRY(buf_result(&o->text, err));
    if (o->text.n && !o->to->write(o->to->ctx, o->text.p, o->text.n))
        return fail(err, PAP_IO, "what is known could not be written");
    buf_reset(&o->text);
    return OK;
}

void out_end(struct out *o)
{
    buf_fini(&o->text);
}

static struct pap_str date(struct arena *a, int64_t t, bool day_only)
{
    char text[32];
    struct buf b;
    if (t <= 0)
        return S("");
    buf_on(&b, text, sizeof text);
    add_date(&b, t);
    if (!day_only)
        buf_fmt(&b, "T%02d:%02d:%02dZ", (int)(t / 3600 % 24), (int)(t / 60 % 60), (int)(t % 60));
    struct pap_str s = arena_str(a, buf_str(&b));
    return s.p ? s : S("");
}

struct pap_str out_time(struct arena *a, int64_t unix_seconds)
{
    return date(a, unix_seconds, false);
}

struct pap_str out_day(struct arena *a, int64_t unix_seconds)
{
    return date(a, unix_seconds, true);
}

void out_cell(struct buf *b, struct pap_str s)
{
    bool formula = s.n && memchr("=+-@\t\r", s.p[0], 6);
    bool quote = formula;
    for (size_t i = 0; i < s.n && !quote; i++)
        quote = memchr(",;\"\r\n\t", s.p[i], 6) != NULL;
    if (!quote) {
        utf8_add_visible(b, s, s.n);
        return;
    }
    buf_char(b, '"');
    buf_add(b, formula ? S("'") : S(""));
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"')
            buf_char(b, '"');
        if (s.p[i] == '"' || (unsigned char)s.p[i] < 0x20)
            buf_char(b, s.p[i] == '"' ? '"' : ' ');
        else
            buf_char(b, s.p[i]);
    }
    buf_char(b, '"');
}

struct pap_str out_words(struct arena *a, const struct census_words *w)
{
    struct pap_str all = S("");
    for (size_t i = 0; i < w->n; i++) {
        all = i ? ARENA_JOIN(a, all, S(" "), w->word[i]) : w->word[0];
        if (!all.p)
            return S("");
    }
    return all;
}
