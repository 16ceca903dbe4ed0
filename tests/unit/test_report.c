/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports: nothing untrusted leaves its place, no secret is shown, wrapping, counting, redaction, dates, streaming, and
 * every allocation failing once. tests/report reads whole reports back and compares them with golden files.
 */
#include "report/format.h"
#include "report_sample.h"
#include "text/utf8.h"
#include "unit.h"

static struct pap_str write_sample(struct buf *out, const char *name, enum pap_format format, uint32_t width)
{
    for (size_t i = 0; i < SAMPLES; i++)
        if (str_is(str_c(name), samples[i].name)) {
            buf_init(out, NULL, LIMIT_REPORT);
            assert_ok(sample_write(&samples[i], format, true, false, width, NULL, out));
            return buf_str(out);
        }
    unit_fail("no sample %s", name);
    return S("");
}

static void every_format_has_a_name(void **state)
{
    (void)state;
    static const char *const names[] = {"text", "json", "sarif", "junit", "github", "html", "markdown"};
    enum pap_format f;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(pap_format_find(names[i], &f));
        assert_int_equal(f, i);
    }
    assert_false(pap_format_find("", &f));
    assert_false(pap_format_find("JSON", &f));
    assert_false(pap_format_find(NULL, &f));
}

static void nothing_invisible_and_no_secret_gets_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (enum pap_format f = PAP_TEXT; f <= PAP_MARKDOWN; f++) {
            struct buf out;
            struct pap_str all = write_sample(&out, samples[i].name, f, 100), rest = all;
            assert_int_equal(str_find(all, S("s3cr3t")), all.n);
            assert_int_equal(utf8_check(all), all.n);
            while (rest.n) {
                uint32_t code;
                rest = str_skip(rest, utf8_decode(rest, &code));
                if (code != '\n' && utf8_is_unsafe(code))
                    unit_fail("%s in format %d: U+%04X", samples[i].name, f, code);
            }
            buf_fini(&out);
        }
}

/* A line of a finding that is wider than asked holds one word too long to fit, or an address that must stay whole. */
static void text_is_wrapped(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 40, 60, 100, 200};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct buf out;
        struct pap_str rest = write_sample(&out, "many", PAP_TEXT, widths[i]), line;
        bool in_finding = false;
        while (str_next(&rest, '\n', &line)) {
            in_finding = (in_finding && line.n) || str_starts(line, S("  error ")) || str_starts(line, S("  warning "));
            struct pap_str words = str_trim(line);
            size_t blank = str_find_char(words, ' ');
            bool splits = blank < words.n && !str_starts(words, S("mend: ")) && !str_starts(words, S("more: "));
            if (in_finding && widths[i] >= 40 && splits && utf8_width(line) > widths[i])
                unit_fail("width %u: %.*s", widths[i], PSTR(line));
        }
        buf_fini(&out);
    }
}

static void the_caret_stands_under_the_column(void **state)
{
    (void)state;
    for (uint32_t width = 30; width < 120; width += 7) {
        struct pap_finding f = sample_findings[0];
        f.excerpt = S("  \"a\": \"\xe8\xaa\x9e\xe8\xaa\x9e\", \"b\": \"\xf0\x9f\x8c\xba\", \"c\": "
                      "\"........................\", \"issuer\": "
                      "\"http://id.shop.example/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z\"");
        f.excerpt_column = (uint32_t)utf8_count(str_take(f.excerpt, str_find(f.excerpt, S("\"http")))) + 1;
        struct report_target t = {.target = S("t"), .findings = &f, .n_findings = 1};
        struct report r;
        report_init(&r, NULL);
        r.width = width;
        report_begin(&r);
        report_target(&r, &t);
        struct pap_str out = buf_str(&r.out);
        size_t at = str_find(out, S(" | "));
        struct pap_str line = str_take(str_skip(out, at), str_find_char(str_skip(out, at), '\n'));
        struct pap_str caret = str_skip(out, at + line.n + 1);
        caret = str_take(caret, str_find_char(caret, '\n'));
        size_t before = utf8_width(caret) - 1 - 8; /* columns of ` | ...` in front of the caret */
        size_t i = 0;
        while (i < line.n && utf8_width(str_take(line, i)) < before)
            i += (size_t)(((unsigned char)line.p[i] & 0x80) == 0 ? 1 : ((unsigned char)line.p[i] >= 0xf0 ? 4 : 3));
        if (!str_starts(str_skip(line, i), S("\"http")))
            unit_fail("width %u: %.*s\n%.*s", width, PSTR(line), PSTR(caret));
        report_fini(&r);
    }
}

static void clean_files_are_only_counted(void **state)
{
    (void)state;
    struct buf out;
    struct pap_str text = write_sample(&out, "quiet", PAP_TEXT, 100);
    assert_int_equal(str_find(text, S("skills/returns")), text.n);
    assert_true(str_find(text, S("skills/orders")) < text.n);
    assert_int_equal(str_find(text, S("targets")), text.n);
    buf_fini(&out);
}

static void colours_only_when_asked(void **state)
{
    (void)state;
    struct buf out;
    struct pap_str text = write_sample(&out, "company", PAP_TEXT, 100);
    assert_int_equal(str_find_char(text, '\x1b'), text.n);
    buf_reset(&out);
    assert_ok(sample_write(&samples[0], PAP_TEXT, false, true, 100, NULL, &out));
    size_t on = 0, off = 0;
    struct pap_str rest = buf_str(&out);
    for (size_t at; (at = str_find_char(rest, '\x1b')) < rest.n; rest = str_skip(rest, at + 1))
        *(str_starts(str_skip(rest, at), S("\x1b[0m")) ? &off : &on) += 1;
    assert_true(on > 5);
    assert_int_equal(on, off);
    buf_fini(&out);
}

static void findings_of_a_document_stand_together(void **state)
{
    (void)state;
    enum { N = 300 };
    static struct pap_finding f[N];
    static char names[N][8];
    for (int i = 0; i < N; i++) {
        (void)snprintf(names[i], sizeof names[i], "d%d", i % 100);
        f[i] = (struct pap_finding){.id = "demo.x", .severity = PAP_ERROR, .where = str_c(names[i]), .known = i < 100};
    }
    struct report r;
    report_init(&r, NULL);
    struct report_target t = {.findings = f, .n_findings = N};
    struct groups g = group_findings(&r, &t, group_by_where);
    assert_int_equal(g.n, 100);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(g.items[i].first, i);
        assert_int_equal(g.next[i], i + 100);
        assert_int_equal(g.next[i + 100], i + 200);
        assert_int_equal(g.next[i + 200], GROUP_END);
        assert_int_equal(g.items[i].counts[PAP_ERROR], 2);
        assert_int_equal(g.items[i].known, 1);
    }
    assert_int_equal(group_findings(&r, &t, group_by_id).n, 1);
    t.n_findings = 0;
    assert_int_equal(group_findings(&r, &t, group_by_id).n, 0);
    assert_ok(report_result(&r, NULL));
    report_fini(&r);
}

static void findings_go_from_top_to_bottom(void **state)
{
    (void)state;
    enum { N = 57 };
    struct pap_finding f[N];
    uint32_t seed = 7;
    for (uint32_t i = 0; i < N; i++) {
        seed = seed * 1103515245 + 12345;
        f[i] = (struct pap_finding){
            .id = "demo.x", .severity = PAP_ERROR, .where = S("d"), .line = seed >> 16 & 7, .column = seed >> 20 & 3};
    }
    struct report r;
    report_init(&r, NULL);
    for (size_t n = 1; n <= N; n++) {
        struct report_target t = {.findings = f, .n_findings = n};
        struct groups g = group_findings(&r, &t, group_by_where);
        size_t seen = 1;
        uint32_t k = g.items[0].first;
        for (; g.next[k] != GROUP_END; k = g.next[k], seen++) {
            const struct pap_finding *a = &f[k], *b = &f[g.next[k]];
            uint32_t place_a = a->line * 10 + a->column, place_b = b->line * 10 + b->column;
            assert_true(place_a < place_b || (place_a == place_b && k < g.next[k]));
        }
        assert_int_equal(seen, n);
        assert_int_equal(k, g.items[0].last);
    }
    report_fini(&r);
}

static void headers_that_are_secret(void **state)
{
    (void)state;
    static const char *const secret[] = {
        "Set-Cookie", "cookie",         "AUTHORIZATION", "Proxy-Authorization", "proxy-anything",      "Poppy-Session",
        "DPoP",       "Mcp-Session-Id", "X-Api-Key",     "X-CSRF-Token",        "X-Amz-Security-Token"};
    static const char *const shown[] = {"Content-Type", "Location", "WWW-Authenticate", "DPoP-Nonce", "Server", "",
                                        "proxy"};
    for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++)
        if (!report_header_is_secret(str_c(secret[i])))
            unit_fail("%s is shown", secret[i]);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        if (report_header_is_secret(str_c(shown[i])))
            unit_fail("%s is hidden", shown[i]);
}

static void urls_lose_their_secrets(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"https://a.example/", "https://a.example/"},
        {"https://a.example/?a=1&b=2#c=3", "https://a.example/?a=1&b=2#c=3"},
        {"https://a.example/?access_token=x&b=2", "https://a.example/?access_token=[hidden]&b=2"},
        {"https://a.example/cb?code=x#id_token=y", "https://a.example/cb?code=[hidden]#id_token=[hidden]"},
        {"https://a.example/?CODE=x;Key=y", "https://a.example/?CODE=[hidden];Key=[hidden]"},
        {"https://a.example/?token=", "https://a.example/?token="},
        {"https://a.example/?token=a=b", "https://a.example/?token=[hidden]"},
        {"https://u:p@a.example/x@y", "https://[hidden]@a.example/x@y"},
        {"https://u:p@q@a.example", "https://[hidden]@a.example"},
        {"https://u:p;p&p@a.example", "https://[hidden]@a.example"},
        {"https://a.example/?next=https://u:p@b.example/&token=https://c.example",
         "https://a.example/?next=https://[hidden]@b.example/&token=[hidden]"},
        {"https://a.example/x redirects to \"https://u:p@b.example?code=1\", which ...",
         "https://a.example/x redirects to \"https://[hidden]@b.example?code=[hidden]\", which ..."},
        {"https://a.example?x@y", "https://a.example?x@y"},
        {"/path?X-Amz-Signature=abc", "/path?X-Amz-Signature=[hidden]"},
        {"?token", "?token"},
        {"", ""},
    };
    struct report r;
    report_init(&r, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_str(shown_url(&r, str_c(rows[i][0])), rows[i][1]);
    assert_str(shown_header(&r, &(struct header){S("LINK"), S("<https://a.example/?sig=x>; rel=\"next\"")}),
               "<https://a.example/?sig=[hidden]>; rel=\"next\"");
    assert_str(shown_header(&r, &(struct header){S("Cookie"), S("a=b")}), "[hidden, 3 bytes]");
    assert_str(shown_header(&r, &(struct header){S("Vary"), S("x?token=b")}), "x?token=b");
    report_fini(&r);
}

static void challenges_lose_their_secrets(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"Bearer", "Bearer"},
        {"", ""},
        {"DPoP algs=\"ES256\", error=\"use_dpop_nonce\"", "DPoP algs=\"ES256\", error=\"use_dpop_nonce\""},
        {"Bearer realm=a,scope=\"b \\\" c\", x=\"d, scope=e\"", "Bearer realm=a,scope=\"b \\\" c\", x=[hidden]"},
        {"Digest nonce=\"n\", opaque=o", "Digest nonce=[hidden], opaque=[hidden]"},
        {"Negotiate YII=", "Negotiate [hidden]"},
        {"Negotiate YII==, Bearer", "Negotiate [hidden], Bearer"},
        {"Negotiate YII", "Negotiate [hidden]"},
        {"Bearer resource_metadata=\"https://a.example/?token=t\"",
         "Bearer resource_metadata=\"https://a.example/?token=[hidden]\""},
        {"Bearer realm=\"open", "Bearer realm=\"open"},
        {"Bearer nonce=\"open", "Bearer nonce=[hidden]"},
        {"Bearer =x", "Bearer [hidden]"},
        {"Bearer realm=", "Bearer [hidden]"},
    };
    struct report r;
    report_init(&r, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t cut = 0; cut <= strlen(rows[i][0]); cut++) {
            struct header h = {S("www-authenticate"), str(rows[i][0], cut)};
            struct pap_str shown = shown_header(&r, &h);
            if (cut == strlen(rows[i][0]))
                assert_str(shown, rows[i][1]);
        }
    report_fini(&r);
}

static void words_for_numbers(void **state)
{
    (void)state;
    static const struct {
        int64_t at;
        const char *date;
    } dates[] = {{0, "1970-01-01"},          {951782399, "2000-02-28"},  {951782400, "2000-02-29"},
                 {951868800, "2000-03-01"},  {1735689599, "2024-12-31"}, {1798761600, "2027-01-01"},
                 {4107542399, "2100-02-28"}, {4107542400, "2100-03-01"}, {INT64_MAX, "9999-12-31"},
                 {INT64_MIN, "1970-01-01"}};
    struct buf b;
    buf_init(&b, NULL, 100);
    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++, buf_reset(&b)) {
        add_date(&b, dates[i].at);
        assert_str(buf_str(&b), dates[i].date);
    }
    static const struct {
        uint64_t n;
        const char *size;
    } sizes[] = {{0, "0 bytes"},   {1, "1 byte"},        {999, "999 bytes"},
                 {1234, "1.2 kB"}, {999949, "999.9 kB"}, {999950, "1.0 MB"}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++, buf_reset(&b)) {
        add_size(&b, sizes[i].n);
        assert_str(buf_str(&b), sizes[i].size);
    }
    add_tally(&b, (size_t[]){0, 1, 0, 2});
    assert_str(buf_str(&b), "2 errors, 1 info");
    buf_fini(&b);
}

static void verdict_of(struct buf *b, const struct report_target *t, enum pap_severity fail_on)
{
    struct report r;
    report_init(&r, NULL);
    r.fail_on = fail_on;
    buf_reset(b);
    add_verdict(b, &r, t);
    report_fini(&r);
}

static void the_verdict_says_what_it_means(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 1000);
    verdict_of(&b, &sample_company, 0);
    assert_str(buf_str(&b), "agents that follow the protocol will skip this company");
    verdict_of(&b, &sample_skill, PAP_ERROR);
    assert_str(buf_str(&b), "agents will leave out the skills with errors");
    verdict_of(&b, &sample_clean, PAP_WARNING);
    assert_str(buf_str(&b), "nothing at or above warning");
    verdict_of(&b, &sample_unreachable, PAP_ERROR);
    assert_str(buf_str(&b), "this could not be judged: the name gone.example was not found");
    struct pap_finding f = {.id = "poppy.unknown-member", .severity = PAP_INFO, .where = S("x")};
    struct report_target t = {.findings = &f, .n_findings = 1};
    verdict_of(&b, &t, PAP_INFO);
    assert_str(buf_str(&b), "no error, but 1 at or above info");
    f.known = true;
    verdict_of(&b, &t, PAP_INFO);
    assert_str(buf_str(&b), "nothing at or above info");
    f = (struct pap_finding){.id = "nobody.knows", .severity = PAP_ERROR, .where = S("x")};
    verdict_of(&b, &t, PAP_ERROR);
    assert_str(buf_str(&b), "agents that follow the protocol will not accept this");
    buf_fini(&b);
}

static void rules_are_found_by_id(void **state)
{
    (void)state;
    struct pap_rule rule, at;
    const char *near = NULL;
    assert_true(pap_rule_count() > 30);
    for (size_t i = 0; i < pap_rule_count(); i++) {
        pap_rule_at(i, &at);
        assert_true(pap_rule_find(at.id, &rule, &near));
        assert_string_equal(rule.id, at.id);
        assert_true(*at.specification && at.covers && at.section && at.why && at.mend && at.good && at.bad && *at.kind);
    }
    assert_true(pap_rule_find("POPPY.auth.ISSUER", &rule, &near));
    assert_string_equal(rule.id, "poppy.auth.issuer");
    assert_false(pap_rule_find("poppy.auth.isuer", &rule, &near));
    assert_string_equal(near, "poppy.auth.issuer");
    assert_false(pap_rule_find("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", &rule, &near));
    assert_null(near);
}

/* The static text of a mask is the versions of the table, in its order. */
static void versions_are_those_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; check_at(i); i++) {
        const struct check *c = check_at(i);
        struct pap_rule rule;
        pap_rule_at(i, &rule);
        const unsigned masks[] = {c->sure, c->maybe};
        const char *const texts[] = {rule.versions, rule.provisional_versions};
        for (int k = 0; k < 2; k++) {
            struct buf b;
            buf_init(&b, NULL, 100);
            for (size_t v = 0; v < version_count; v++)
                if (masks[k] & version_rows[v].bit)
                    buf_fmt(&b, "%s%s", b.n ? " " : "", version_rows[v].text);
            assert_str(buf_str(&b), (c->sure & V_ALL) == V_ALL ? (k ? "" : "0.1 0.2 0.3 0.4 1.0") : texts[k]);
            buf_fini(&b);
        }
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++)
        for (enum pap_format f = PAP_TEXT; f <= PAP_MARKDOWN; f++) {
            unsigned n = 1;
            for (; n < FAIL_ALLOC_MOST; n++) {
                struct fail_alloc fa;
                struct buf out;
                fail_alloc_init(&fa, n);
                buf_init(&out, NULL, LIMIT_REPORT);
                pap_result result = sample_write(&samples[i], f, true, true, 80, &fa.alloc, &out);
                buf_fini(&out);
                assert_int_equal(fa.live, 0);
                if (is_ok(result) && fa.calls < n)
                    break;
                assert_int_equal(result.code, PAP_NO_MEMORY);
            }
            assert_true(n > 1 && n < FAIL_ALLOC_MOST);
        }
}

/* Memory does not grow with the number of clean files: only what JSON lists is kept. */
static void memory_is_flat(void **state)
{
    (void)state;
    for (enum pap_format f = PAP_TEXT; f <= PAP_MARKDOWN; f++) {
        struct report r;
        report_init(&r, NULL);
        r.format = f;
        r.many = true;
        report_begin(&r);
        size_t kept = 0;
        for (int i = 0; i < 5000; i++) {
            buf_reset(&r.out);
            report_target(&r, &sample_clean);
            if (i == 1500)
                kept = r.body.n + r.more.n;
            assert_true(r.out.n < 4096 || f == PAP_SARIF);
        }
        assert_int_equal(r.body.n + r.more.n, kept);
        buf_reset(&r.out);
        report_end(&r, &(struct report_total){.counts = {.targets = 5000, .documents = 5000}});
        assert_ok(report_result(&r, NULL));
        report_fini(&r);
    }
}

static void a_run_without_targets_is_whole(void **state)
{
    (void)state;
    for (enum pap_format f = PAP_TEXT; f <= PAP_MARKDOWN; f++) {
        struct report r;
        report_init(&r, NULL);
        r.format = f;
        report_begin(&r);
        report_end(&r, &(struct report_total){.exit = 0});
        assert_ok(report_result(&r, NULL));
        if (f == PAP_HTML)
            assert_true(str_ends(buf_str(&r.out), S("</html>\n")) && str_starts(buf_str(&r.out), S("<!doctype html>")));
        report_fini(&r);
    }
}

/* The whole page is the part and what stands around it, but for the link to each rule. */
static void a_part_of_somebody_elses_page(void **state)
{
    (void)state;
    struct report r;
    report_init(&r, NULL);
    r.format = PAP_HTML;
    r.rules_url = "/explain/";
    report_begin(&r);
    report_target(&r, samples[0].targets[0]);
    report_end(&r, &(struct report_total){0});
    assert_ok(report_result(&r, NULL));
    struct pap_str part = buf_str(&r.out);
    assert_true(str_starts(part, S("<div class=\"hero\">\n<h1>")));
    static const char *const around[] = {"<html", "<head", "<style", "<main", "</main", "<footer", "</body"};
    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++)
        assert_int_equal(str_find(part, str_c(around[i])), part.n);
    size_t links = 0;
    for (struct pap_str rest = part; str_find(rest, S("<a href=\"/explain/")) < rest.n; links++)
        rest = str_skip(rest, str_find(rest, S("<a href=\"/explain/")) + 1);
    assert_int_equal(links, samples[0].targets[0]->n_findings);
    report_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_a_name),
        cmocka_unit_test(nothing_invisible_and_no_secret_gets_out),
        cmocka_unit_test(text_is_wrapped),
        cmocka_unit_test(the_caret_stands_under_the_column),
        cmocka_unit_test(clean_files_are_only_counted),
        cmocka_unit_test(colours_only_when_asked),
        cmocka_unit_test(findings_of_a_document_stand_together),
        cmocka_unit_test(findings_go_from_top_to_bottom),
        cmocka_unit_test(headers_that_are_secret),
        cmocka_unit_test(urls_lose_their_secrets),
        cmocka_unit_test(challenges_lose_their_secrets),
        cmocka_unit_test(words_for_numbers),
        cmocka_unit_test(the_verdict_says_what_it_means),
        cmocka_unit_test(rules_are_found_by_id),
        cmocka_unit_test(versions_are_those_of_the_table),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(memory_is_flat),
        cmocka_unit_test(a_run_without_targets_is_whole),
        cmocka_unit_test(a_part_of_somebody_elses_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
