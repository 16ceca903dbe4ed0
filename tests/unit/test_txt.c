/* SPDX-License-Identifier: Apache-2.0
 *
 * TXT records: what messages say, hostile ones too, and asking a resolver on loopback.
 */
#include <poll.h>
#include <stdlib.h>

#include "fail_alloc.h"
#include "fake_dns.h"
#include "net/txt.h"

static const struct {
    const char *label;
    enum txt_said said;
} rows[] = {
    {"yes", TXT_HAS},        {"yes-later", TXT_HAS},   {"split", TXT_HAS},      {"no", TXT_NOT},
    {"other", TXT_NOT},      {"none", TXT_NOT},        {"trouble", TXT_FAILED}, {"refused", TXT_FAILED},
    {"cut", TXT_FAILED},     {"alias", TXT_NOT},       {"a-record", TXT_NOT},   {"chaos", TXT_NOT},
    {"short", TXT_FAILED},   {"long-string", TXT_NOT}, {"circle", TXT_FAILED},  {"beyond", TXT_FAILED},
    {"missing", TXT_FAILED}, {"behind", TXT_NOT},
};

/* Until it is said; time stands still unless nothing comes. */
static enum txt_said ask(const struct fake_dns *d, const char *label, int64_t step_ms)
{
    struct txt *t;
    int64_t now = 0;
    char name[64];
    enum txt_said said;
    snprintf(name, sizeof name, "_papaver.%s.example", label);
    assert_ok(txt_start(NULL, str_c(name), S("opt-out"), d->where, now, &t, NULL));
    while ((said = txt_step(t, now)) == TXT_WAITS) {
        struct pollfd fd = {.fd = txt_fd(t), .events = POLLIN};
        assert_true(fd.fd >= 0);
        if (step_ms)
            now += step_ms;
        else
            assert_int_equal(poll(&fd, 1, 20000), 1);
    }
    assert_int_equal(txt_step(t, now), said);
    assert_int_equal(txt_fd(t), -1);
    txt_free(t);
    return said;
}

static void a_resolver_is_asked(void **state)
{
    (void)state;
    struct fake_dns d;
    dns_begin(&d);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned before = atomic_load(&d.asked);
        enum txt_said said = ask(&d, rows[i].label, 0);
        if (said != rows[i].said)
            unit_fail("%s: %d, want %d", rows[i].label, (int)said, (int)rows[i].said);
        assert_int_equal(atomic_load(&d.asked) - before, said == TXT_FAILED ? 4 : 1);
    }
    /* nobody answers, or only what is no answer */
    assert_int_equal(ask(&d, "silent", 500), TXT_FAILED);
    assert_int_equal(ask(&d, "question", 500), TXT_FAILED);
    dns_end(&d);
    assert_int_equal(ask(&d, "yes", 500), TXT_FAILED); /* the port is closed */
    snprintf(d.where, sizeof d.where, "not an address");
    assert_int_equal(ask(&d, "yes", 500), TXT_FAILED);
}

/* A question as txt.c writes it, caught by a socket of ours. */
static size_t catch_question(unsigned char *q, size_t most)
{
    struct fake_dns d;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    struct txt *t;
    d.fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(d.fd, (struct sockaddr *)&at, size), 0);
    assert_int_equal(getsockname(d.fd, (struct sockaddr *)&at, &size), 0);
    snprintf(d.where, sizeof d.where, "127.0.0.1:%u", ntohs(at.sin_port));
    assert_ok(txt_start(NULL, S("_papaver.shop.example"), S("opt-out"), d.where, 0, &t, NULL));
    ssize_t n = recv(d.fd, q, most, 0);
    txt_free(t);
    (void)close(d.fd);
    assert_true(n > 12);
    return (size_t)n;
}

static void a_question_is_what_the_rfc_says(void **state)
{
    (void)state;
    unsigned char q[DNS_MOST];
    static const char rest[] = "\1\0\0\1\0\0\0\0\0\1\x08_papaver\4shop\7example\0\0\x10\0\1\0\0\x29\4\xd0\0\0\0\0\0";
    size_t n = catch_question(q, sizeof q);
    assert_int_equal(n, 2 + sizeof rest);
    assert_memory_equal(q + 2, rest, sizeof rest);
}

/* Cut and flipped at every byte: what it says is one of four, and nothing outside of it is read. */
static void damaged_at_every_byte(void **state)
{
    (void)state;
    unsigned char q[DNS_MOST], a[DNS_MOST];
    size_t n = catch_question(q, sizeof q);
    unsigned id = (unsigned)(q[0] << 8 | q[1]);
    size_t has = dns_answer(q, n, &dns_rows[1], a);
    assert_int_equal(txt_read(str((char *)a, has), id, S("_papaver.SHOP.example"), S("opt-out")), TXT_HAS);
    assert_int_equal(txt_read(str((char *)a, has), id ^ 1, S("_papaver.shop.example"), S("opt-out")), TXT_WAITS);
    assert_int_equal(txt_read(str((char *)a, has), id, S("_papaver.shop2.example"), S("opt-out")), TXT_WAITS);
    for (size_t i = 0; i < has; i++) {
        char *cut = malloc(i + 1);
        assert_non_null(cut);
        memcpy(cut, a, i);
        assert_int_not_equal(txt_read(str(cut, i), id, S("_papaver.shop.example"), S("opt-out")), TXT_HAS);
        free(cut);
        for (unsigned bit = 0; bit < 8; bit++) {
            a[i] ^= (unsigned char)(1u << bit);
            enum txt_said said = txt_read(str((char *)a, has), id, S("_papaver.shop.example"), S("opt-out"));
            assert_true(said == TXT_HAS || said == TXT_NOT || said == TXT_WAITS || said == TXT_FAILED);
            a[i] ^= (unsigned char)(1u << bit);
        }
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct fail_alloc f;
    struct txt *t;
    char long_name[300];
    memset(long_name, 'a', sizeof long_name);
    fail_alloc_init(&f, 1);
    assert_int_equal(txt_start(&f.alloc, S("a.example"), S("x"), "127.0.0.1:1", 0, &t, NULL).code, PAP_NO_MEMORY);
    assert_false(is_ok(txt_start(NULL, str(long_name, 254), S("x"), "127.0.0.1:1", 0, &t, NULL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_resolver_is_asked),
        cmocka_unit_test(a_question_is_what_the_rfc_says),
        cmocka_unit_test(damaged_at_every_byte),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
