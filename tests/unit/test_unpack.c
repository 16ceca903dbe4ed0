/* SPDX-License-Identifier: Apache-2.0
 *
 * Archives as a stream: whatever the pieces in which the bytes come, the same entries, faults and sentences as in one; what
 * a failing source or sink does; and what a bomb costs.
 */
#include "archive_unit.h"
#include "pack/unpack.h"

/* Hands out pieces of `step` bytes, each a copy of its own that is gone with the next. */
struct pieces {
    struct pap_str bytes;
    size_t step;
    char *now;
    unsigned calls, fail_at;
};

static pap_result next_piece(void *ctx, uint64_t off, struct pap_str *ret, struct pap_err *err)
{
    struct pieces *p = ctx;
    free(p->now);
    p->now = NULL;
    if (++p->calls == p->fail_at)
        return fail(err, PAP_IO, "the source fails");
    struct pap_str piece = str_take(str_skip(p->bytes, (size_t)off), p->step);
    p->now = malloc(piece.n + 1);
    assert_non_null(p->now);
    memcpy(p->now, piece.p, piece.n);
    *ret = str(p->now, piece.n);
    return OK;
}

/* Writes what it is given as one text: "begin NAME TYPE SIZE\n", the bytes, "end NAME\n". */
struct log {
    struct buf text;
    unsigned calls, fail_at;
    uint64_t left;
    bool open;
};

static pap_result count_call(struct log *l, struct pap_err *err)
{
    return ++l->calls == l->fail_at ? fail(err, PAP_IO, "the sink fails") : OK;
}

static pap_result log_begin(void *ctx, struct pack_entry *e, uint64_t size, struct pap_err *err)
{
    struct log *l = ctx;
    assert_false(l->open);
    l->open = true;
    l->left = size;
    buf_fmt(&l->text, "begin %.*s %d %llu\n", PSTR(e->name), e->type, (unsigned long long)size);
    return count_call(l, err);
}

static pap_result log_data(void *ctx, struct pap_str piece, struct pap_err *err)
{
    struct log *l = ctx;
    assert_true(l->open && piece.n && piece.n <= l->left);
    l->left -= piece.n;
    buf_add(&l->text, piece);
    return count_call(l, err);
}

static pap_result log_end(void *ctx, struct pack_entry *e, struct pap_err *err)
{
    struct log *l = ctx;
    assert_true(l->open && (l->left == 0 || e->type == PACK_SPECIAL));
    l->open = false;
    buf_fmt(&l->text, "end %.*s\n", PSTR(e->name));
    return count_call(l, err);
}

/* Reads `bytes` in pieces of `step`; what came is appended to `text`, with the fault behind. */
static void read_pieces(struct pap_str bytes, size_t step, enum pack_format format, const struct pack_limits *limits,
                        struct buf *text)
{
    struct arena a;
    struct pieces in = {.bytes = bytes, .step = step};
    struct pack_source from = {.next = next_piece, .ctx = &in};
    struct log l = {.open = false};
    struct pack_sink to = {log_begin, log_data, log_end, &l};
    struct pack p;
    struct pap_err err;
    arena_init(&a, NULL);
    buf_init(&l.text, NULL, 1 << 24);
    if (!step)
        from = (struct pack_source){.whole = bytes};
    assert_ok(pack_unpack(&a, &from, format, limits, &to, &p, &err));
    assert_true(buf_ok(&l.text));
    buf_add(text, buf_str(&l.text));
    buf_fmt(text, "%s %.*s %.*s %u %zu %zu\n", pack_fault_name(p.fault), PSTR(p.fault_name), PSTR(p.fault_text),
            p.notices, p.n_entries, p.n_files);
    for (const struct pack_entry *e = p.entries; e; e = e->next)
        assert_null(e->data.p);
    buf_fini(&l.text);
    free(in.now);
    arena_fini(&a);
}

static void assert_same_in_pieces(const char *what, struct pap_str bytes, enum pack_format format,
                                  const struct pack_limits *limits)
{
    static const size_t steps[] = {1, 2, 7, 511, 4096};
    struct buf whole, parts;
    buf_init(&whole, NULL, 1 << 24);
    buf_init(&parts, NULL, 1 << 24);
    read_pieces(bytes, 0, format, limits, &whole);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        buf_reset(&parts);
        read_pieces(bytes, steps[i], format, limits, &parts);
        if (!str_eq(buf_str(&whole), buf_str(&parts)))
            unit_fail("%s in pieces of %zu:\n%.*s\nin one:\n%.*s", what, steps[i], PSTR(buf_str(&parts)),
                      PSTR(buf_str(&whole)));
    }
    buf_fini(&whole);
    buf_fini(&parts);
}

/* ---- archives ---- */

static struct buf make_good(bool zip)
{
    struct buf t, b;
    static char many[100000];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = (char)(i * i >> 7);
    struct pap_str skill = S("---\nname: a\n---\ntext text text text text"), large = str(many, sizeof many);
    buf_init(&t, NULL, 1 << 20);
    buf_init(&b, NULL, 1 << 20);
    if (zip) {
        const struct zip_part parts[] = {{.name = "SKILL.md", .data = skill},
                                         {.name = "d/", .mode = 040755, .stored = true},
                                         {.name = "d/empty", .data = S(""), .stored = true},
                                         {.name = "d/nothing", .data = S("")},
                                         {.name = "d/l", .data = S("x"), .mode = 0120777},
                                         {.name = "d/large", .data = large},
                                         {.name = "d/stored", .data = large, .stored = true},
                                         {.name = "d/y", .data = skill, .descriptor = true}};
        zip_make(&b, parts, 8, &(struct zip_tail){.comment = S("hello")});
    } else {
        tar_extra(&t, 'g', S("17 comment=abcde\n"));
        tar_extra(&t, 'x', S("17 path=SKILL.md\n"));
        tar_add(&t, &(struct tar_part){.name = "short", .data = skill});
        tar_add(&t, &(struct tar_part){.name = "./", .type = '5'});
        tar_add(&t, &(struct tar_part){.name = "d/", .type = '5', .mode = "0000755"});
        tar_extra(&t, 'L', S("d/large\0"));
        tar_add(&t, &(struct tar_part){.name = "d", .data = large, .magic = "ustar  \0"});
        tar_add(&t, &(struct tar_part){.name = "d/empty"});
        tar_add(&t, &(struct tar_part){.name = "d/l", .type = '2', .link = "x"});
        tar_add(&t, &(struct tar_part){.name = "d/dev", .type = '3', .data = skill});
        tar_add(&t, &(struct tar_part){.name = "y", .prefix = "d", .data = skill});
        tar_end(&t, 20);
        gzip_wrap(&b, buf_str(&t));
    }
    buf_fini(&t);
    assert_true(buf_ok(&b));
    return b;
}

/* What goes out is what pack_read() keeps. */
static void the_stream_is_the_archive(void **state)
{
    (void)state;
    for (int zip = 0; zip < 2; zip++) {
        struct buf b = make_good(zip), text, want;
        struct arena a;
        struct pack p;
        arena_init(&a, NULL);
        buf_init(&text, NULL, 1 << 20);
        buf_init(&want, NULL, 1 << 20);
        read_pieces(buf_str(&b), 1000, PACK_UNKNOWN, NULL, &text);
        assert_ok(pack_read(&a, buf_str(&b), PACK_UNKNOWN, NULL, &p));
        assert_fault(&p, PACK_WHOLE);
        for (const struct pack_entry *e = p.entries; e; e = e->next) {
            bool zip_link = zip && e->type == PACK_SYMLINK, device = e->type == PACK_SPECIAL;
            struct pap_str data = zip_link ? e->link : e->data;
            buf_fmt(&want, "begin %.*s %d %zu\n", PSTR(e->name), e->type, device ? 40 : data.n);
            buf_add(&want, data);
            buf_fmt(&want, "end %.*s\n", PSTR(e->name));
        }
        buf_fmt(&want, "whole   0 %zu %zu\n", p.n_entries, p.n_files);
        if (!str_eq(buf_str(&text), buf_str(&want)))
            unit_fail("%zu bytes, want %zu, differ at %zu", text.n, want.n,
                      str_first_difference(buf_str(&text), buf_str(&want)));
        buf_fini(&b);
        buf_fini(&text);
        buf_fini(&want);
        arena_fini(&a);
    }
}

static void pieces_make_no_difference(void **state)
{
    (void)state;
    static const struct {
        const char *what, *bytes;
        size_t n;
    } odd[] = {
        {"nothing", "", 0},
        {"text", "<html>", 6},
        {"half a magic", "\x1f\x8b", 2},
        {"mangled", "\x1f\xef\xbf\xbd\x08", 5},
        {"another method", "\x1f\x8b\x07\0\0\0\0\0\0\0", 10},
        {"reserved flags", "\x1f\x8b\x08\xe0\0\0\0\0\0\0", 10},
        {"a name that does not end", "\x1f\x8b\x08\x08\0\0\0\0\0\0name", 14},
        {"extra that does not end", "\x1f\x8b\x08\x04\0\0\0\0\0\0\xff\xffx", 13},
        {"a wrong CRC-16", "\x1f\x8b\x08\x02\0\0\0\0\0\0\1\2", 12},
        {"no deflate", "\x1f\x8b\x08\0\0\0\0\0\0\0\xff\xff\xff", 13},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (enum pack_format f = PACK_UNKNOWN; f <= PACK_ZIP; f++)
            assert_same_in_pieces(odd[i].what, str(odd[i].bytes, odd[i].n), f, NULL);
    for (int zip = 0; zip < 2; zip++) {
        const struct pack_limits small = {.unpacked = 50000, .file = 200000, .files = 10, .depth = 2};
        struct buf b = make_good(zip);
        assert_same_in_pieces("a good one", buf_str(&b), PACK_UNKNOWN, NULL);
        assert_same_in_pieces("too large a one", buf_str(&b), PACK_UNKNOWN, &small);
        buf_add(&b, S("\0\0\0"));
        assert_same_in_pieces("one with zeros behind", buf_str(&b), PACK_UNKNOWN, NULL);
        buf_add(&b, S("\x1f\x8b\x08"));
        assert_same_in_pieces("one with more behind", buf_str(&b), PACK_UNKNOWN, NULL);
        buf_fini(&b);
    }
}

static void cuts_and_wrong_bytes_in_pieces(void **state)
{
    (void)state;
    for (int zip = 0; zip < 2; zip++) {
        struct buf b = make_good(zip);
        for (size_t n = 0; n < b.n; n += n < 700 || n + 700 > b.n ? 13 : 1009) {
            struct buf whole, parts;
            buf_init(&whole, NULL, 1 << 24);
            buf_init(&parts, NULL, 1 << 24);
            read_pieces(str_take(buf_str(&b), n), 0, PACK_UNKNOWN, NULL, &whole);
            read_pieces(str_take(buf_str(&b), n), 100, PACK_UNKNOWN, NULL, &parts);
            assert_true(str_eq(buf_str(&whole), buf_str(&parts)));
            buf_reset(&whole);
            buf_reset(&parts);
            b.p[n] = (char)(b.p[n] ^ 0x10);
            read_pieces(buf_str(&b), 0, PACK_UNKNOWN, NULL, &whole);
            read_pieces(buf_str(&b), 100, PACK_UNKNOWN, NULL, &parts);
            b.p[n] = (char)(b.p[n] ^ 0x10);
            assert_true(str_eq(buf_str(&whole), buf_str(&parts)));
            buf_fini(&whole);
            buf_fini(&parts);
        }
        buf_fini(&b);
    }
}

/* ---- failures ---- */

static pap_result unpack_once(const struct pap_alloc *alloc, struct pap_str bytes, unsigned source_fails,
                              unsigned sink_fails)
{
    struct arena a;
    struct pieces in = {.bytes = bytes, .step = 3000, .fail_at = source_fails};
    struct log l = {.fail_at = sink_fails};
    struct pack_source from = {.next = next_piece, .ctx = &in};
    struct pack_sink to = {log_begin, log_data, log_end, &l};
    struct pack p = {.n_files = 77};
    struct pap_err err = {0};
    arena_init(&a, alloc);
    buf_init(&l.text, NULL, 1 << 24);
    pap_result r = pack_unpack(&a, &from, PACK_UNKNOWN, NULL, &to, &p, &err);
    assert_true(is_ok(r) ? p.fault == PACK_WHOLE : p.n_files == 77); /* nothing is written on failure */
    if (source_fails && !is_ok(r))
        assert_string_equal(err.text, "the source fails");
    if (sink_fails && !is_ok(r))
        assert_string_equal(err.text, "the sink fails");
    buf_fini(&l.text);
    free(in.now);
    arena_fini(&a);
    return r;
}

static void failures_are_passed_on(void **state)
{
    (void)state;
    for (int zip = 0; zip < 2; zip++) {
        struct buf b = make_good(zip);
        unsigned n, seen = 0;
        for (n = 1; unpack_once(NULL, buf_str(&b), n, 0).code == PAP_IO; n++)
            seen++;
        for (n = 1; unpack_once(NULL, buf_str(&b), 0, n).code == PAP_IO; n++)
            seen++;
        for (n = 1; n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            fail_alloc_init(&f, n);
            pap_result r = unpack_once(&f.alloc, buf_str(&b), 0, 0);
            assert_int_equal(f.live, 0);
            if (is_ok(r))
                break;
            assert_int_equal(r.code, PAP_NO_MEMORY);
        }
        assert_true(seen > 20 && n > 2);
        buf_fini(&b);
    }
}

static void no_sink_is_needed(void **state)
{
    (void)state;
    for (int zip = 0; zip < 2; zip++) {
        struct buf b = make_good(zip);
        struct arena a;
        struct pack p;
        struct pack_source from = {.whole = buf_str(&b)};
        arena_init(&a, NULL);
        assert_ok(pack_unpack(&a, &from, PACK_UNKNOWN, NULL, &(struct pack_sink){0}, &p, NULL));
        assert_fault(&p, PACK_WHOLE);
        arena_fini(&a);
        buf_fini(&b);
    }
}

static void a_source_is_read_whole(void **state)
{
    (void)state;
    struct arena a;
    struct pieces in = {.bytes = S("0123456789"), .step = 3};
    struct pack_source from = {.next = next_piece, .ctx = &in};
    struct pap_str got;
    struct pap_err err;
    arena_init(&a, NULL);
    assert_ok(pack_source_read(&a, &from, 10, &got, &err));
    assert_str(got, "0123456789");
    assert_int_equal(pack_source_read(&a, &from, 9, &got, &err).code, PAP_LIMIT);
    from.whole = S("01234");
    assert_ok(pack_source_read(&a, &from, 5, &got, &err));
    assert_str(got, "01234");
    assert_int_equal(pack_source_read(&a, &from, 4, &got, &err).code, PAP_LIMIT);
    free(in.now);
    arena_fini(&a);
}

/* ---- bombs ---- */

/* A stream of 300 MB: one megabyte again and again, of which at most `most` bytes of memory may come. */
static void drop_bomb(const char *what, struct pap_str megabyte, enum pack_fault want, size_t most)
{
    struct meter m = {.alloc = {meter_fn, &m}};
    struct arena a;
    struct buf b;
    struct pack p;
    struct pieces in = {.step = 5000};
    struct pack_source from = {.next = next_piece, .ctx = &in};
    arena_init(&a, &m.alloc);
    buf_init(&b, NULL, 1 << 24);
    gzip_repeat(&b, megabyte, 300);
    in.bytes = buf_str(&b);
    assert_ok(pack_unpack(&a, &from, PACK_TAR_GZ, NULL, &(struct pack_sink){0}, &p, NULL));
    if (p.fault != want || m.peak > most)
        unit_fail("%s (%zu bytes): %s, want %s; %zu bytes of memory", what, b.n, pack_fault_name(p.fault),
                  pack_fault_name(want), m.peak);
    buf_fini(&b);
    free(in.now);
    arena_fini(&a);
}

static void bombs_cost_little(void **state)
{
    (void)state;
    static char zeros[60000];
    static const struct {
        const char *what;
        char type; /* of every entry; 'G': headers for the whole archive before each */
        size_t size;
        enum pack_fault want;
        size_t most;
    } rows[] = {
        {"large files", '0', 60000, PACK_LIMIT_FILES, 2 << 20},
        {"empty files", '0', 0, PACK_LIMIT_FILES, 2 << 20},
        {"folders", '5', 0, PACK_LIMIT_UNPACKED, 16 << 20},
        {"long names", 'L', 50000, PACK_TAR_PAX, 1 << 20},
        {"headers for all", 'g', 50000, PACK_LIMIT_UNPACKED, 1 << 20},
        {"headers with long paths", 'x', 50000, PACK_TAR_PAX, 1 << 20},
    };
    memset(zeros, 'a', sizeof zeros);
    memcpy(zeros, "60000 comment=", 14);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf t;
        struct pap_str data = str(zeros, rows[i].size);
        buf_init(&t, NULL, 1 << 21);
        if (rows[i].size == 50000)
            memcpy(zeros, "50000 comment=", 14);
        zeros[49999] = '\n';
        while (t.n < 1 << 20)
            tar_add(&t, &(struct tar_part){.name = "a", .type = rows[i].type, .data = data});
        drop_bomb(rows[i].what, buf_str(&t), rows[i].want, rows[i].most);
        buf_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stream_is_the_archive),
        cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(cuts_and_wrong_bytes_in_pieces),
        cmocka_unit_test(failures_are_passed_on),
        cmocka_unit_test(no_sink_is_needed),
        cmocka_unit_test(a_source_is_read_whole),
        cmocka_unit_test(bombs_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
