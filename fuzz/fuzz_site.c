/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole check of shop.example against a script of answers (tests/lib/script.h): it ends, keeps to its budget, counts
 * what it reports, and what it writes is whole and clean. The length of the script chooses the report format; one that
 * ends with "%%" is checked with each.
 */
#include "check/checker.h"
#include "judging.h"
#include "lib/script.h"
#include "text/uri.h"

enum { SCRIPT_MOST = 4 << 20, REPORT_MOST = 64 << 20 };

struct sink {
    struct buf out;
    uint64_t findings, errors;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool swallow(void *ctx, const char *bytes, size_t n)
{
    struct sink *s = ctx;
    buf_add(&s->out, str(bytes, n));
    return true;
}

static void see(void *ctx, const struct pap_finding *f)
{
    struct sink *s = ctx;
    must_be_finding(f);
    s->findings++;
    s->errors += f->severity == PAP_ERROR;
}

static void must_keep_budget(struct script *s)
{
    size_t n = script_asked_count(s);
    assert(n <= LIMIT_REQUESTS);
    for (size_t i = 0; i < n; i++) {
        struct uri u, other;
        size_t at, same = 0;
        const char *why;
        struct pap_str url = script_asked(s, i)->url;
        assert(uri_parse(url, &u, &at, &why) && str_eq_nocase(u.scheme, S("https")));
        if (host_is_within(u.host, S("shop.example")))
            continue;
        for (size_t k = 0; k < n; k++)
            same += uri_parse(script_asked(s, k)->url, &other, &at, &why) && str_eq_nocase(u.host, other.host);
        assert(same <= LIMIT_THIRD_PARTY_REQUESTS);
    }
}

/* Lines and tabs are the report's own; any other control character would be the site's. */
static void must_be_report(struct arena *a, enum pap_format format, struct pap_str out)
{
    assert(out.n > 0 || format == PAP_GITHUB);
    assert(utf8_check(out) == out.n);
    for (size_t i = 0; i < out.n; i++)
        assert((unsigned char)out.p[i] >= 0x20 || out.p[i] == '\n' || out.p[i] == '\t');
    if (format != PAP_JSON && format != PAP_SARIF)
        return;
    struct notes notes = {0};
    struct json *root = NULL;
    assert(is_ok(json_read(a, out, &root, &notes)) && root);
    for (const struct note *n = notes.first; n; n = n->next)
        assert(n->code != NOTE_JSON_DUPLICATE);
}

static bool check_site(struct pap_str text, enum pap_format format)
{
    static const char *const targets[] = {"shop.example"};
    struct arena a;
    struct script *script;
    struct sink sink = {.findings = 0};
    struct pap_counts counts = {0};
    int status = -1;
    arena_init(&a, NULL);
    a.max = SCRIPT_MOST;
    if (!is_ok(script_parse(&a, text, "/nowhere", &script, NULL))) {
        arena_fini(&a);
        return false;
    }
    a.max = 0;
    buf_init(&sink.out, NULL, REPORT_MOST);
    struct pap_check_options o = {.now = 1796040000,
                                  .mcp = true,
                                  .exchanges = true,
                                  .format = format,
                                  .write = swallow,
                                  .finding = see,
                                  .ctx = &sink};
    assert(is_ok(checker_run(&o, script_transport(script), targets, 1, &counts, &status, NULL)));
    assert(status == 0 || status == 1 || status == 3);
    assert(status != 0 || sink.errors == 0);
    assert(status != 1 || sink.errors > 0);
    assert(counts.targets == 1 && counts.errors == sink.errors);
    assert(counts.errors + counts.warnings + counts.infos == sink.findings);
    must_keep_budget(script);
    assert(buf_ok(&sink.out));
    must_be_report(&a, format, buf_str(&sink.out));
    buf_fini(&sink.out);
    arena_fini(&a);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pap_str text = str((const char *)data, size);
    if (str_find(text, S("@ ")) < text.n) /* files stay out of it */
        return 0;
    bool each = str_ends(text, S("\n%%\n"));
    for (enum pap_format f = PAP_TEXT; f <= PAP_HTML; f++)
        if ((each || size % (PAP_HTML + 1) == f) && !check_site(text, f))
            break;
    return 0;
}
