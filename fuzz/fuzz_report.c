/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the texts of a finding, a document and an exchange, separated by FE, in every format: what comes out is
 * valid UTF-8 without invisible characters, JSON parses, markup has no other tags for other texts, and no line of text
 * is a command to a build service.
 */
#include <stdint.h>
#include <stdlib.h>

#include "report/report.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void holds(bool fact)
{
    if (!fact)
        abort();
}

static void is_visible(struct pap_str s)
{
    while (s.n) {
        uint32_t code;
        size_t n = utf8_decode(s, &code);
        holds(n && (code == '\n' || !utf8_is_unsafe(code)));
        s = str_skip(s, n);
    }
}

static void is_json(struct arena *a, struct pap_str s)
{
    struct json *root;
    struct notes notes = {0};
    if (is_ok(json_read(a, s, &root, &notes)))
        holds(root != NULL);
}

static size_t count(struct pap_str s, char c)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == c;
    return n;
}

/* Takes what stands before the next FE; what is left over goes round, so that no text is ever missing. */
static struct pap_str field(struct pap_str *rest, struct pap_str all)
{
    struct pap_str part;
    if (!rest->n)
        *rest = all;
    return str_next(rest, '\xfe', &part) ? part : S("");
}

struct made {
    struct header header;
    struct hop hop;
    struct exchange exchange;
    struct doc doc;
    struct bundle bundle;
    struct pap_finding finding[2];
    struct report_target target;
};

static void make(struct made *m, struct pap_str all, uint32_t column)
{
    static const struct version version = {.text = "0.1", .bit = V01};
    struct pap_str rest = all;
    struct pap_str f[8];
    for (size_t i = 0; i < 8; i++)
        f[i] = field(&rest, all);
    m->header = (struct header){column & 1 ? S("www-authenticate") : S("location"), f[0]};
    m->hop = (struct hop){
        .method = S("GET"), .url = f[1], .status = 200, .headers = &m->header, .n_headers = 1, .address = f[2]};
    m->exchange = (struct exchange){.method = S("GET"),
                                    .url = f[1],
                                    .final_url = f[1],
                                    .hops = &m->hop,
                                    .n_hops = 1,
                                    .body = all,
                                    .fault = FAULT_TLS,
                                    .fault_text = f[2]};
    m->doc = (struct doc){.kind = KIND_POPPY, .name = f[3], .bytes = all, .exchange = &m->exchange};
    m->bundle = (struct bundle){.docs = &m->doc, .last = &m->doc, .n_docs = 1, .version = &version};
    for (int i = 0; i < 2; i++)
        m->finding[i] = (struct pap_finding){.id = "fuzz.finding",
                                             .severity = i ? PAP_INFO : PAP_ERROR,
                                             .specification = "Personal Agent Protocol",
                                             .section = "1",
                                             .title = "a title",
                                             .where = f[3 + i],
                                             .at = f[4],
                                             .line = 1,
                                             .column = column,
                                             .message = f[5],
                                             .mend = f[6],
                                             .excerpt = f[7],
                                             .excerpt_column = column};
    m->target = (struct report_target){.target = f[0],
                                       .bundle = &m->bundle,
                                       .findings = m->finding,
                                       .n_findings = 2,
                                       .failure = column & 2 ? f[6] : str(NULL, 0)};
}

static void is_text(struct pap_str s)
{
    struct pap_str line;
    while (str_next(&s, '\n', &line))
        holds(!str_starts(str_trim(line), S("::")));
}

/* The report of one target, in r->out. */
static void write(struct report *r, struct pap_str all, enum pap_format format, uint32_t first, uint32_t last)
{
    struct made m;
    make(&m, all, last);
    report_init(r, NULL);
    r->format = format;
    r->exchanges = r->many = true;
    r->width = first;
    report_begin(r);
    report_target(r, &m.target);
    report_end(r, &(struct report_total){.exit = 1});
    holds(is_ok(report_result(r, NULL)));
}

/* How much markup a report of this shape has: harmless texts give a few tags more or less, never one a character. */
static size_t tags(enum pap_format format, uint32_t last)
{
    static size_t known[PAP_HTML + 1][256];
    if (!known[format][last]) {
        struct report r;
        write(&r, S("x"), format, 80, last);
        known[format][last] = count(buf_str(&r.out), '<');
        report_fini(&r);
    }
    return known[format][last];
}

static void judge_one(struct arena *a, struct pap_str out, enum pap_format format, uint32_t last)
{
    is_visible(out);
    if (format == PAP_JSON || format == PAP_SARIF)
        is_json(a, out);
    if (format == PAP_TEXT)
        is_text(out);
    if (format == PAP_GITHUB)
        holds(count(out, '\n') <= 4);
    if (format == PAP_JUNIT || format == PAP_HTML) {
        holds(str_find(out, S("<script")) == out.n && str_find(out, S("]]>")) == out.n);
        holds(count(out, '<') <= tags(format, last) + 40);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pap_str all = str((const char *)data, size);
    struct arena a;
    uint32_t first = size ? data[0] : 80, last = size ? data[size - 1] : 0;
    arena_init(&a, NULL);
    for (enum pap_format format = PAP_TEXT; format <= PAP_HTML; format++) {
        struct report r;
        if (format == PAP_SARIF && first % 16)
            continue; /* most of it is the list of rules */
        write(&r, all, format, first, last);
        judge_one(&a, buf_str(&r.out), format, last);
        report_fini(&r);
        arena_reset(&a);
    }
    arena_fini(&a);
    return 0;
}
