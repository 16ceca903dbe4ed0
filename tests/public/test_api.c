/* SPDX-License-Identifier: Apache-2.0
 *
 * A small program of somebody else: the public headers and libpapaver.so, nothing of src/.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <papaver/check.h>
#include <papaver/config.h>

static char path[] = "/tmp/papaver-api-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    static const char text[] = "{\"protocol_version\": 1}";
    int fd = mkstemp(path);
    return fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1 ? close(fd) : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

struct seen {
    size_t findings, bytes, steps;
    bool stop, refuse;
};

static void on_finding(void *ctx, const struct pap_finding *f)
{
    struct seen *seen = ctx;
    struct pap_rule rule;
    const char *near;
    seen->findings++;
    assert_true(pap_rule_find(f->id, &rule, &near));
    assert_string_equal(f->title, rule.title);
    assert_true(f->where.n && f->message.n && f->mend.n);
}

static bool on_write(void *ctx, const char *bytes, size_t n)
{
    struct seen *seen = ctx;
    assert_non_null(bytes);
    seen->bytes += n;
    return !seen->refuse;
}

static bool on_progress(void *ctx, const struct pap_progress *p)
{
    struct seen *seen = ctx;
    assert_true(p->done <= p->total && p->now);
    seen->steps++;
    return !seen->stop;
}

static pap_result check(struct seen *seen, struct pap_counts *counts, int *status)
{
    struct pap_check_options o = {
        .kind = "poppy", .write = on_write, .finding = on_finding, .progress = on_progress, .ctx = seen};
    struct pap_err err = {.text = ""};
    const char *const targets[] = {path};
    pap_result r = pap_check(&o, targets, 1, counts, status, &err);
    assert_int_equal(r.code == PAP_OK, err.text[0] == '\0');
    return r;
}

static void test_findings(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct pap_counts counts = {0};
    int status = -1;
    assert_int_equal(check(&seen, &counts, &status).code, PAP_OK);
    assert_int_equal(status, 1);
    assert_true(seen.bytes && seen.steps && counts.errors);
    assert_int_equal(seen.findings, counts.errors + counts.warnings + counts.infos);
    assert_int_equal(counts.targets, 1);
    assert_int_equal(counts.requests, 0);
}

static void test_nothing_wanted(void **state)
{
    (void)state;
    const char *const targets[] = {path};
    int status = -1;
    assert_int_equal(pap_check(NULL, targets, 1, NULL, &status, NULL).code, PAP_OK);
    assert_in_range(status, 0, 1);
}

static void test_cancel_and_refuse(void **state)
{
    (void)state;
    struct seen seen = {.stop = true};
    struct pap_counts counts;
    int status = -1;
    assert_int_equal(check(&seen, &counts, &status).code, PAP_CANCELLED);
    seen = (struct seen){.refuse = true};
    assert_int_equal(check(&seen, &counts, &status).code, PAP_IO);
    assert_int_equal(status, -1);
}

static void test_rules(void **state)
{
    (void)state;
    const char *near = "untouched";
    struct pap_rule rule, again;
    assert_true(pap_rule_count() > 0);
    for (size_t i = 0; i < pap_rule_count(); i++) {
        pap_rule_at(i, &rule);
        assert_true(pap_rule_find(rule.id, &again, &near));
        assert_ptr_equal(rule.id, again.id);
        assert_in_range(rule.severity, PAP_INFO, PAP_ERROR);
        assert_true(rule.covers && rule.section && rule.versions && rule.provisional_versions && rule.kind &&
                    rule.title && rule.why && rule.mend && rule.good && rule.bad && rule.level && rule.specification);
    }
    assert_false(pap_rule_find("poppy.auth.isuer", &rule, &near));
    assert_string_equal(near, "poppy.auth.issuer");
    assert_false(pap_rule_find("zzzzzzzz", &rule, &near));
    assert_null(near);
}

static void test_the_rest(void **state)
{
    (void)state;
    enum pap_format format;
    struct pap_config *config;
    assert_true(pap_format_find("sarif", &format));
    assert_int_equal(format, PAP_SARIF);
    assert_false(pap_format_find("pdf", &format));
    assert_true(strlen(pap_version()) >= 5);
    assert_string_equal(pap_nearest("wraning", (const char *const[]){"error", "warning", NULL}), "warning");
    assert_int_equal(pap_config_read(NULL, path, "check", &config, NULL).code, PAP_SYNTAX);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs("{\"serve\": {}}", f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(pap_config_read(NULL, path, "check", &config, NULL).code, PAP_OK);
    assert_int_equal(pap_config_count(config), 0);
    pap_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_findings),          cmocka_unit_test(test_nothing_wanted),
        cmocka_unit_test(test_cancel_and_refuse), cmocka_unit_test(test_rules),
        cmocka_unit_test(test_the_rest),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
