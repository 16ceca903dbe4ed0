/* SPDX-License-Identifier: Apache-2.0
 *
 * A census below its commands: what a cell of a list means, when a domain is asked again, marks and what changed between them,
 * cells of CSV, HMAC, processes that are gone. tests/flows/census.sh and watch.sh have the whole over TLS.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "census/marks.h"
#include "census/site_page.h"
#include "sys/process.h"
#include "unit.h"

/* What becomes part of a path is a domain name and nothing else. */
static void pages_are_named_after_domains(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      ".",
                                      "..",
                                      "../etc/passwd",
                                      "a/b",
                                      "/etc/passwd",
                                      ".hidden.example",
                                      "a.",
                                      "a..b",
                                      "A.example",
                                      "a.example\n",
                                      "b\xc3\xbc.example",
                                      "a b",
                                      "a%2fb",
                                      "<b>"};
    assert_true(page_is_name(S("shop.example")) && page_is_name(S("xn--bcher-kva.example")) &&
                page_is_name(S("1.example")));
    assert_false(page_is_name(S("a\0.example")));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(page_is_name(str_c(bad[i])));
    char longest[241];
    memset(longest, 'a', sizeof longest);
    assert_true(page_is_name(str(longest, 240)));
    assert_false(page_is_name(str(longest, 241)));
}

static void cells_are_names(void **state)
{
    (void)state;
    static const struct {
        const char *cell, *name, *registrable; /* name NULL: there is none */
    } rows[] = {
        {"shop.example", "shop.example", "shop.example"},
        {" Shop.EXAMPLE. ", "shop.example", "shop.example"},
        {"https://www.shop.example/path?x#y", "shop.example", "shop.example"},
        {"//shop.example", "shop.example", "shop.example"},
        {"shop.example:8443", "shop.example", "shop.example"},
        {"www.a.shop.example", "www.a.shop.example", "shop.example"},
        {"www.co.uk", "www.co.uk", "www.co.uk"},
        {"a.shop.co.uk", "a.shop.co.uk", "shop.co.uk"},
        {"*.shop.example", "shop.example", "shop.example"},
        {"b\xc3\xbc"
         "cher.example",
         "xn--bcher-kva.example", "xn--bcher-kva.example"},
        {"", NULL, NULL},
        {"https://", NULL, NULL},
        {"shop", NULL, NULL},
        {"1.2.3.4", NULL, NULL},
        {"127.1", NULL, NULL},
        {"[::1]:443", NULL, NULL},
        {"a@shop.example", NULL, NULL},
        {"https://u:p@shop.example/", NULL, NULL},
        {"shop.example:", NULL, NULL},
        {"shop.example:99999", NULL, NULL},
        {"shop..example", NULL, NULL},
        {"-a.example", NULL, NULL},
        {"a_b.example", NULL, NULL},
        {"=cmd|' /C calc'!A0", NULL, NULL},
        {"\xff\xfe.example", NULL, NULL},
        {"shop.example'; DROP TABLE domain; --", NULL, NULL},
    };
    struct arena a;
    arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct census_name n = {0};
        bool is_one;
        const char *why = NULL;
        assert_ok(census_name_of(&a, str_c(rows[i].cell), &n, &is_one, &why, NULL));
        if (is_one != (rows[i].name != NULL) || (!is_one && !why))
            unit_fail("row %zu: %s", i, rows[i].cell);
        if (is_one) {
            assert_str(n.name, rows[i].name);
            assert_str(n.registrable, rows[i].registrable);
        }
    }
    arena_fini(&a);
}

static void bad_answers_are_tried_again(void **state)
{
    (void)state;
    static const int64_t waits[] = {900, 3600, 6 * 3600, 86400};
    const int64_t now = 1000000, day = 86400;
    for (int64_t id = 1; id < 200; id++) {
        struct census_due due = {.id = id, .was_good = true};
        for (uint32_t tries = 0; tries < 6; tries++) {
            struct census_result r = {.at = now, .outcome = CENSUS_TIMEOUT};
            due.tries = tries;
            when_again(&due, now, day, 0, &r);
            assert_int_equal(r.standing, tries < 4 ? CENSUS_SHAKY : CENSUS_GONE);
            assert_int_equal(r.tries, tries + 1);
            if (tries < 4) {
                assert_true(r.due_at >= now + waits[tries] * 9 / 10 && r.due_at <= now + waits[tries] * 11 / 10);
            } else {
                assert_int_equal(r.due_at, now + day - day / 10);
            }
        }
    }
    struct census_due due = {.id = 1, .was_good = true, .tries = 3};
    struct census_result r = {.at = now + 5, .outcome = CENSUS_PUBLISHES};
    when_again(&due, now, day, 0, &r);
    assert_int_equal(r.standing, CENSUS_GOOD);
    assert_int_equal(r.tries, 0);
    assert_int_equal(r.due_at, now + day - day / 10);
    due = (struct census_due){.id = 1};
    r = (struct census_result){.at = now, .outcome = CENSUS_ABSENT};
    when_again(&due, now, day, 2 * day, &r); /* who wants to be left alone longer is */
    assert_int_equal(r.standing, CENSUS_SHAKY);
    assert_int_equal(r.due_at, now + 2 * day);

    struct header field = {S("Retry-After"), S("120")};
    struct hop hop = {.status = 503, .headers = &field, .n_headers = 1};
    struct exchange x = {.hops = &hop, .n_hops = 1};
    assert_int_equal(when_wanted(&x, now), 120);
    field.value = S("99999999999999999999");
    assert_true(when_wanted(&x, now) <= day);
    field.value = S("-5");
    assert_int_equal(when_wanted(&x, now), 0);
    hop.status = 200;
    field.value = S("120");
    assert_int_equal(when_wanted(&x, now), 0);
    assert_int_equal(when_wanted(NULL, now), 0);
}

static void cells_of_csv_are_harmless(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"shop.example", "shop.example"},
        {"a,b", "\"a,b\""},
        {"a\"b", "\"a\"\"b\""},
        {"=1+1", "\"'=1+1\""},
        {"+1", "\"'+1\""},
        {"-1", "\"'-1\""},
        {"@x", "\"'@x\""},
        {"\t=1", "\"' =1\""},
        {"a\r\nb", "\"a  b\""},
        {"=\"\"", "\"'=\"\"\"\"\""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf b;
        buf_init(&b, NULL, 1000);
        out_cell(&b, str_c(rows[i].in));
        assert_str(buf_str(&b), rows[i].out);
        buf_fini(&b);
    }
}

/* RFC 4231, test cases 1, 2 and 6 (a key longer than a block). */
static void hmac_is_that_of_the_rfc(void **state)
{
    (void)state;
    static char longest[131], eleven[20];
    memset(longest, 0xaa, sizeof longest);
    memset(eleven, 0x0b, sizeof eleven);
    const struct {
        struct pap_str key, text;
        const char *mac;
    } rows[] = {
        {str(eleven, sizeof eleven), S("Hi There"),
         "sha256:b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {S("Jefe"), S("what do ya want for nothing?"),
         "sha256:5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {str(longest, sizeof longest), S("Test Using Larger Than Block-Size Key - Hash Key First"),
         "sha256:60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct digest d;
        char text[DIGEST_TEXT + 1];
        const struct pap_str parts[] = {str_take(rows[i].text, 3), str_skip(rows[i].text, 3)};
        assert_ok(hmac_sha256(rows[i].key, parts, 2, &d, NULL));
        digest_text(&d, text);
        assert_string_equal(text, rows[i].mac);
    }
}

static void the_dead_are_known(void **state)
{
    (void)state;
    struct arena a;
    int ends[2];
    char name[512] = "";
    arena_init(&a, NULL);
    struct pap_str own = process_name(&a);
    assert_false(process_is_gone(own));
    assert_false(process_is_gone(arena_fmt(&a, "%.*s/7f00", PSTR(own))));
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct pap_str theirs = process_name(&a);
        _exit(write(ends[1], theirs.p, theirs.n) != (ssize_t)theirs.n);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    ssize_t n = read(ends[0], name, sizeof name - 1);
    assert_true(n > 0);
    assert_true(process_is_gone(str(name, (size_t)n)));
    static const char *const others[] = {"", "/", "host", "host/boot/pid:[1]/1/1", "host/x/y/z/1/2/3"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(process_is_gone(str_c(others[i]))); /* of other machines nothing is known */
    for (ssize_t i = 0; i < n; i++)
        (void)process_is_gone(str(name, (size_t)i));
    arena_fini(&a);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* ---- marks ---- */

static pap_result list_difference(void *ctx, const struct mark *before, const struct mark *after, struct pap_err *err)
{
    struct buf *b = ctx;
    const char *what = mark_change((after ? after : before)->kind, before != NULL, after != NULL);
    (void)err;
    buf_fmt(b, "%s %.*s;", what ? what : "-", PSTR((after ? after : before)->name));
    return OK;
}

#define MARK(k, n, v) ((struct mark){.kind = (k), .name = S(n), .value = S(v)})

static void marks_tell_what_changed(void **state)
{
    (void)state;
    struct mark one[] = {MARK(MARK_OUTCOME, "o", "publishes"),
                         MARK(MARK_VERSION, "v", "0.1"),
                         MARK(MARK_ERROR, "a", ""),
                         MARK(MARK_ERROR, "b", ""),
                         MARK(MARK_SKILL, "s", "1"),
                         MARK(MARK_SKILL, "t", "1"),
                         MARK(MARK_CERTIFICATE, "h", "2027")};
    struct mark other[] = {MARK(MARK_OUTCOME, "o", "absent"), MARK(MARK_ERROR, "b", ""),
                           MARK(MARK_ERROR, "c", ""),         MARK(MARK_SKILL, "r", "1"),
                           MARK(MARK_SKILL, "s", "2"),        MARK(MARK_CERTIFICATE, "h", "2028")};
    struct marks before = {.at = one, .n = 7}, after = {.at = other, .n = 6};
    struct buf b;
    buf_init(&b, NULL, 10000);
    assert_ok(marks_compare(&before, &after, list_difference, &b, NULL));
    assert_str(buf_str(&b), "outcome-changed o;version-changed v;error-mended a;error-new c;skill-added r;"
                            "skill-changed s;skill-removed t;- h;");
    buf_reset(&b);
    assert_ok(marks_compare(&before, &before, list_difference, &b, NULL));
    assert_int_equal(b.n, 0);
    buf_fini(&b);
    for (unsigned k = 0; k < MARK_KINDS; k++)
        assert_true(mark_word((enum mark_kind)k)[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_named_after_domains), cmocka_unit_test(cells_are_names),
        cmocka_unit_test(bad_answers_are_tried_again),   cmocka_unit_test(cells_of_csv_are_harmless),
        cmocka_unit_test(hmac_is_that_of_the_rfc),       cmocka_unit_test(the_dead_are_known),
        cmocka_unit_test(marks_tell_what_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
