/* SPDX-License-Identifier: Apache-2.0 */
#include "text/httpval.h"

/* RFC 9110 section 11.2, without the padding */
static bool is_token68_char(char c)
{
    return ascii_is_alnum(c) || memchr("-._~+/", c, 6);
}

/* Takes the bytes that are `in` a class off *rest; may be none. */
static struct pap_str take(struct pap_str *rest, bool (*in)(char))
{
    size_t n = 0;
    while (n < rest->n && in(rest->p[n]))
        n++;
    struct pap_str taken = str_take(*rest, n);
    *rest = str_skip(*rest, n);
    return taken;
}

static bool take_char(struct pap_str *rest, char c)
{
    if (rest->n == 0 || rest->p[0] != c)
        return false;
    *rest = str_skip(*rest, 1);
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_blank_or_comma(char c)
{
    return is_blank(c) || c == ',';
}

/* A quoted-string (RFC 9110 section 5.6.4) off *rest: what stands between the quotes, escapes not undone. */
static bool take_quoted(struct pap_str *rest, struct pap_str *ret)
{
    for (size_t i = 1; i < rest->n; i++) {
        if (rest->p[i] == '"') {
            *ret = str(rest->p + 1, i - 1);
            *rest = str_skip(*rest, i + 1);
            return true;
        }
        if (rest->p[i] == '\\' && ++i == rest->n)
            return false;
        unsigned char c = (unsigned char)rest->p[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return false;
}

/* A token or a quoted-string off *rest. */
static bool take_value(struct pap_str *rest, struct pap_str *ret)
{
    if (rest->n && rest->p[0] == '"')
        return take_quoted(rest, ret);
    *ret = take(rest, http_is_token_char);
    return ret->n > 0;
}

static bool has_escape(struct pap_str s)
{
    return str_find_char(s, '\\') < s.n;
}

/* Decimal digits only, not none; what is above `most` becomes `most`. */
static bool read_seconds(struct pap_str s, uint32_t most, uint32_t *ret)
{
    uint64_t v = 0;
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!ascii_is_digit(s.p[i]))
            return false;
        v = v * 10 + (unsigned)(s.p[i] - '0');
        v = v > most ? most : v;
    }
    *ret = (uint32_t)v;
    return true;
}

bool media_type_parse(struct pap_str value, struct pap_str *ret_type, struct pap_str *ret_params)
{
    struct pap_str s = str_trim(value), rest = s;
    if (take(&rest, http_is_token_char).n == 0 || !take_char(&rest, '/') || take(&rest, http_is_token_char).n == 0)
        return false;
    struct pap_str type = str_take(s, s.n - rest.n);
    (void)take(&rest, is_blank);
    if (rest.n && !take_char(&rest, ';'))
        return false;
    *ret_type = type;
    *ret_params = str_trim(rest);
    return true;
}

bool media_type_param(struct pap_str params, const char *name, struct pap_str *ret)
{
    struct pap_str rest = params, value;
    while (rest.n) {
        struct pap_str key = take(&rest, http_is_token_char);
        if (key.n && (!take_char(&rest, '=') || !take_value(&rest, &value)))
            return false;
        if (key.n && str_eq_nocase(key, str_c(name))) {
            if (has_escape(value))
                return false;
            *ret = value;
            return true;
        }
        (void)take(&rest, is_blank);
        if (!take_char(&rest, ';'))
            return false;
        (void)take(&rest, is_blank);
    }
    return false;
}

bool media_type_is_json(struct pap_str type)
{
    struct pap_str prefix = S("application/"), suffix = S("+json");
    if (!str_eq_nocase(str_take(type, prefix.n), prefix))
        return false;
    struct pap_str sub = str_skip(type, prefix.n);
    return str_eq_nocase(sub, S("json")) ||
           (sub.n > suffix.n && str_eq_nocase(str_skip(sub, sub.n - suffix.n), suffix));
}

/* Directives that somebody asks for, or whose argument is delta-seconds and must be a number (RFC 9111 section 5.2.2,
 * RFC 8246, RFC 5861). A new one is a row, and a field of struct cache_control if its presence matters. */
static const struct directive {
    const char *name;
    bool is_seconds;
    size_t flag; /* offset in struct cache_control; 0: none */
} directives[] = {
    {"no-store", false, offsetof(struct cache_control, no_store)},
    {"no-cache", false, offsetof(struct cache_control, no_cache)},
    {"private", false, offsetof(struct cache_control, is_private)},
    {"public", false, offsetof(struct cache_control, is_public)},
    {"immutable", false, offsetof(struct cache_control, immutable)},
    {"must-revalidate", false, offsetof(struct cache_control, must_revalidate)},
    {"max-age", true, offsetof(struct cache_control, has_max_age)},
    {"s-maxage", true, 0},
    {"stale-while-revalidate", true, 0},
    {"stale-if-error", true, 0},
};

static const struct directive *find_directive(struct pap_str name)
{
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (str_eq_nocase(name, str_c(directives[i].name)))
            return &directives[i];
    return NULL;
}

/* One list element off *rest into *ret; false when it is malformed, with *rest somewhere inside it. */
static bool read_directive(struct pap_str *rest, struct cache_control *ret)
{
    struct pap_str value = str(NULL, 0), name = take(rest, http_is_token_char);
    bool has_value = name.n && take_char(rest, '=');
    bool quoted = has_value && rest->n && rest->p[0] == '"';
    if (name.n == 0 || (has_value && !take_value(rest, &value)))
        return false;
    (void)take(rest, is_blank);
    if (rest->n && rest->p[0] != ',')
        return false;
    const struct directive *d = find_directive(name);
    if (!d)
        return true;
    uint32_t seconds = 0;
    if (d->is_seconds && !read_seconds(value, 2147483648U, &seconds))
        return false;
    if (d->flag) {
        bool *flag = (bool *)((char *)ret + d->flag);
        if (d->is_seconds && *flag)
            return false;
        *flag = true;
        if (d->is_seconds)
            ret->max_age = seconds; /* the only one of them with a flag */
    }
    return !(d->is_seconds && quoted);
}

void cache_control_parse(struct pap_str value, struct cache_control *ret)
{
    *ret = (struct cache_control){.present = value.p != NULL};
    for (;;) {
        (void)take(&value, is_blank_or_comma); /* empty elements are ignored, RFC 9110 section 5.6.1.2 */
        if (value.n == 0)
            return;
        if (!read_directive(&value, ret)) {
            ret->bad = true;
            value = str_skip(value, str_find_char(value, ','));
        }
    }
}

struct date {
    unsigned year, month, day, hour, minute, second; /* month 1-12 */
};

static const char *const day_names[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
static const char *const month_names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* The number (from 1) of the name at the start of *s, of which `letters` count (0: all); 0 when there is none. */
static unsigned take_name(struct pap_str *s, const char *const names[], size_t n_names, size_t letters)
{
    for (size_t i = 0; i < n_names; i++) {
        struct pap_str name = str_c(names[i]);
        if (letters)
            name = str_take(name, letters);
        if (str_starts(*s, name)) {
            *s = str_skip(*s, name.n);
            return (unsigned)i + 1;
        }
    }
    return 0;
}

/* Exactly `n` digits. */
static bool take_digits(struct pap_str *s, size_t n, unsigned *ret)
{
    uint64_t v;
    if (s->n < n || !str_to_u64(str_take(*s, n), &v))
        return false;
    *ret = (unsigned)v;
    *s = str_skip(*s, n);
    return true;
}

/* One field of a form below. */
static bool take_field(struct pap_str *s, char field, struct date *d)
{
    switch (field) {
    case 'a':
        return take_name(s, day_names, 7, 3) != 0;
    case 'A':
        return take_name(s, day_names, 7, 0) != 0;
    case 'b':
        return (d->month = take_name(s, month_names, 12, 3)) != 0;
    case 'd':
        return take_digits(s, 2, &d->day);
    case 'e': /* a blank may stand for the first digit */
        return take_digits(s, take_char(s, ' ') ? 1 : 2, &d->day);
    case 'Y':
        return take_digits(s, 4, &d->year);
    case 'y':
        if (!take_digits(s, 2, &d->year))
            return false;
        d->year += d->year < 70 ? 2000 : 1900;
        return true;
    case 'H':
        return take_digits(s, 2, &d->hour);
    case 'M':
        return take_digits(s, 2, &d->minute);
    default: /* 'S' */
        return take_digits(s, 2, &d->second);
    }
}

static bool read_date(struct pap_str s, const char *form, struct date *d)
{
    for (; *form; form++)
        if (*form == '%' ? !take_field(&s, *++form, d) : !take_char(&s, *form))
            return false;
    return s.n == 0;
}

/* Unix seconds of a day of the Gregorian calendar; false when there is no such day or time. */
static bool date_to_unix(const struct date *d, int64_t *ret)
{
    static const unsigned before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    bool leap = (d->year % 4 == 0 && d->year % 100 != 0) || d->year % 400 == 0;
    unsigned length = before[d->month] - before[d->month - 1] + (d->month == 2 && leap);
    if (d->year == 0 || d->day == 0 || d->day > length || d->hour > 23 || d->minute > 59 || d->second > 60)
        return false;
    int64_t years = (int64_t)d->year - 1;
    int64_t days = years * 365 + years / 4 - years / 100 + years / 400 + before[d->month - 1] + (d->month > 2 && leap) +
                   d->day - 1 - 719162; /* from 1 January of year 1 to that of 1970 */
    *ret = days * 86400 + d->hour * 3600 + d->minute * 60 + d->second;
    return true;
}

bool http_date_parse(struct pap_str value, int64_t *ret_unix)
{
    static const char *const forms[] = {
        "%a, %d %b %Y %H:%M:%S GMT", /* IMF-fixdate */
        "%A, %d-%b-%y %H:%M:%S GMT", /* RFC 850 */
        "%a %b %e %H:%M:%S %Y",      /* asctime */
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct date d = {0};
        if (read_date(str_trim(value), forms[i], &d))
            return date_to_unix(&d, ret_unix);
    }
    return false;
}

/* `n` digits of v at p. */
static void put_digits(char *p, unsigned v, size_t n)
{
    for (; n > 0; n--, v /= 10)
        p[n - 1] = (char)('0' + v % 10);
}

void http_date_write(int64_t unix_seconds, char ret[static HTTP_DATE_TEXT + 1])
{
    const int64_t first = -62135596800, last = 253402300799;
    int64_t t = unix_seconds < first ? first : unix_seconds > last ? last : unix_seconds;
    uint32_t days = (uint32_t)((t - first) / 86400), seconds = (uint32_t)((t - first) % 86400); /* from 1 January 1 */
    const char *day_name = day_names[days % 7];                                                 /* a Monday */
    /* Years that begin in March put the leap day at their end. Day 0 of that count is 1 March of year 0. */
    uint32_t n = days + 306, era = n / 146097, in_era = n % 146097;
    uint32_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    uint32_t in_year = in_era - (365 * year + year / 4 - year / 100), month = (5 * in_year + 2) / 153;
    memcpy(ret, "???, ?? ??? ???? ??:??:?? GMT", HTTP_DATE_TEXT + 1);
    memcpy(ret, day_name, 3);
    put_digits(ret + 5, in_year - (153 * month + 2) / 5 + 1, 2);
    memcpy(ret + 8, month_names[(month + 2) % 12], 3);
    put_digits(ret + 12, era * 400 + year + (month >= 10), 4);
    put_digits(ret + 17, seconds / 3600, 2);
    put_digits(ret + 20, seconds / 60 % 60, 2);
    put_digits(ret + 23, seconds % 60, 2);
}

bool retry_after_parse(struct pap_str value, int64_t now, uint32_t *ret_seconds)
{
    int64_t then;
    if (read_seconds(str_trim(value), UINT32_MAX, ret_seconds))
        return true;
    if (!http_date_parse(value, &then))
        return false;
    /* `now` may be anything: no subtraction that could overflow */
    *ret_seconds = then <= now ? 0 : now < then - (int64_t)UINT32_MAX ? UINT32_MAX : (uint32_t)(then - now);
    return true;
}

bool etag_is_valid(struct pap_str value)
{
    struct pap_str s = str_trim(value);
    if (str_starts(s, S("W/")))
        s = str_skip(s, 2);
    if (s.n < 2 || s.p[0] != '"' || s.p[s.n - 1] != '"')
        return false;
    for (size_t i = 1; i < s.n - 1; i++)
        if ((unsigned char)s.p[i] < 0x21 || s.p[i] == '"' || s.p[i] == 0x7f)
            return false;
    return true;
}

/* An element of a list of challenges: where a challenge begins it has a scheme; it may have a parameter. */
struct element {
    struct pap_str scheme, name, value;
};

/* `= value` off *rest; blanks around the sign are bad manners that a recipient accepts (RFC 9110 section 11.2). */
static bool take_param_value(struct pap_str *rest, struct pap_str *ret)
{
    (void)take(rest, is_blank);
    if (!take_char(rest, '='))
        return false;
    (void)take(rest, is_blank);
    return take_value(rest, ret);
}

static bool at_element_end(struct pap_str *rest)
{
    (void)take(rest, is_blank);
    return rest->n == 0 || rest->p[0] == ',';
}

/* token68 (RFC 9110 section 11.2) up to the end of the element. */
static bool take_token68(struct pap_str *rest)
{
    struct pap_str s = *rest;
    if (take(&s, is_token68_char).n == 0)
        return false;
    while (take_char(&s, '='))
        ;
    if (!at_element_end(&s))
        return false;
    *rest = s;
    return true;
}

enum next { END, BAD, ELEMENT };

/* The next element off *rest: END, BAD, or ELEMENT. A comma separates parameters and challenges alike; what follows the
 * first token tells which it is. */
static enum next next_element(struct pap_str *rest, struct element *ret)
{
    *ret = (struct element){0};
    (void)take(rest, is_blank_or_comma);
    if (rest->n == 0)
        return END;
    struct pap_str first = take(rest, http_is_token_char), look = *rest;
    if (first.n == 0)
        return BAD;
    size_t blanks = take(&look, is_blank).n;
    if (look.n && look.p[0] == '=') {
        ret->name = first;
        return take_param_value(rest, &ret->value) && at_element_end(rest) ? ELEMENT : BAD;
    }
    ret->scheme = first;
    *rest = look;
    if (at_element_end(rest))
        return ELEMENT;
    if (blanks == 0)
        return BAD;
    if (take_token68(rest))
        return ELEMENT;
    ret->name = take(rest, http_is_token_char);
    return ret->name.n && take_param_value(rest, &ret->value) && at_element_end(rest) ? ELEMENT : BAD;
}

bool challenge_param(struct pap_str value, const char *scheme, const char *name, struct pap_str *ret)
{
    struct element e;
    bool inside = false;
    while (next_element(&value, &e) == ELEMENT) {
        if (e.scheme.n && inside)
            return false;
        if (e.scheme.n)
            inside = str_eq_nocase(e.scheme, str_c(scheme));
        if (inside && e.name.n && str_eq_nocase(e.name, str_c(name))) {
            if (has_escape(e.value))
                return false;
            *ret = e.value;
            return true;
        }
    }
    return false;
}

bool challenge_has(struct pap_str value, const char *scheme)
{
    struct element e;
    while (next_element(&value, &e) == ELEMENT)
        if (e.scheme.n && str_eq_nocase(e.scheme, str_c(scheme)))
            return true;
    return false;
}

bool challenges_are_valid(struct pap_str value)
{
    struct element e;
    bool any = false;
    for (;;) {
        enum next what = next_element(&value, &e);
        if (what != ELEMENT)
            return what == END && any;
        if (!any && !e.scheme.n)
            return false; /* a parameter of no challenge */
        any = true;
    }
}
