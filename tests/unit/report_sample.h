/* SPDX-License-Identifier: Apache-2.0
 *
 * Made-up targets for the tests of the reports: a company with faults, one that is right, one that cannot be reached,
 * files, and one whose every text tries to leave its place. Ids are not those of real rows where the output must not
 * change with them.
 */
#ifndef TESTS_REPORT_SAMPLE_H
#define TESTS_REPORT_SAMPLE_H

#include "report/report.h"

/* Terminal escapes, line ends, bidirectional and zero-width controls, NUL, broken UTF-8, and the syntax of every format:
 * markup, CDATA, workflow commands, log commands, JSON, SARIF links and placeholders, percent escapes. */
#define NASTY_TEXT                                                                                                     \
    "\x1b[2J\x1b]0;owned\x07\r\n::error::owned\n##[set-output name=a]b ##vso[task.x] \xe2\x80\xae evil \xe2\x80\x8b "  \
    "\xc2\x9b"                                                                                                         \
    "31m </script><script>alert(1)</script><!-- ]]> --> \" ' & {0} {12} [a](https://evil.example) %0A::warning::x\t\\" \
    "\xff\xc3(\xed\xa0\x80 \xe8\xaa\x9e\xf0\x9f\x8c\xba \x00 }},{\"id\":1} `x` $(x) :: end"
#define NASTY S(NASTY_TEXT)

#define SPEC "Personal Agent Protocol"

static const struct header sample_headers_1[] = {
    {S_INIT("Server"), S_INIT("edge/1.2")},
    {S_INIT("Location"), S_INIT("https://www.shop.example/.well-known/poppy.json?token=s3cr3t&lang=en")},
    {S_INIT("Set-Cookie"), S_INIT("sid=s3cr3t; Path=/; Secure; HttpOnly")},
};
static const struct header sample_headers_2[] = {
    {S_INIT("Content-Type"), S_INIT("application/json")},
    {S_INIT("Cache-Control"), S_INIT("max-age=300")},
    {S_INIT("WWW-Authenticate"),
     S_INIT(
         "Bearer resource_metadata=\"https://shop.example/.well-known/oauth-protected-resource\", nonce=\"s3cr3t\"")},
};

#define SAMPLE_POPPY                                                                                                 \
    "{\n  \"protocol_version\": \"0.1\",\n  \"organization\": {\"name\": \"Shop\", \"domain\": \"shop.example\"},\n" \
    "  \"auth\": {\n    \"issuer\": \"http://id.shop.example\",\n    \"direct\": {\"scopes\": [\"poppy:read\"]}\n  " \
    "}\n}\n"

static struct hop sample_hops[] = {
    {.method = S_INIT("GET"),
     .url = S_INIT("https://shop.example/.well-known/poppy.json"),
     .status = 301,
     .headers = (struct header *)sample_headers_1,
     .n_headers = 3,
     .address = S_INIT("192.0.2.1"),
     .tls_version = S_INIT("TLSv1.3"),
     .not_after = 1798761600,
     .ms = 41},
    {.method = S_INIT("GET"),
     .url = S_INIT("https://www.shop.example/.well-known/poppy.json?token=s3cr3t&lang=en"),
     .status = 200,
     .headers = (struct header *)sample_headers_2,
     .n_headers = 3,
     .address = S_INIT("2001:db8::1"),
     .tls_version = S_INIT("TLSv1.2"),
     .not_after = 1798761600,
     .ms = 42},
};
static const struct exchange sample_exchange = {
    .method = S_INIT("GET"),
    .url = S_INIT("https://shop.example/.well-known/poppy.json"),
    .final_url = S_INIT("https://www.shop.example/.well-known/poppy.json?token=s3cr3t&lang=en"),
    .hops = sample_hops,
    .n_hops = 2,
    .body = S_INIT(SAMPLE_POPPY),
    .ms = 83,
};
static struct hop sample_hop_404 = {.method = S_INIT("GET"),
                                    .url = S_INIT("https://id.shop.example/.well-known/oauth-authorization-server"),
                                    .status = 404,
                                    .address = S_INIT("192.0.2.7"),
                                    .tls_version = S_INIT("TLSv1.3"),
                                    .ms = 20};
static const struct exchange sample_exchange_404 = {
    .method = S_INIT("GET"),
    .url = S_INIT("https://id.shop.example/.well-known/oauth-authorization-server"),
    .final_url = S_INIT("https://id.shop.example/.well-known/oauth-authorization-server"),
    .hops = &sample_hop_404,
    .n_hops = 1,
    .body = S_INIT("<!doctype html>\n<title>Not found</title>\n"),
    .ms = 20,
};
static const struct exchange sample_exchange_slow = {
    .method = S_INIT("GET"),
    .url = S_INIT("https://shop.example/skills/returns/SKILL.md"),
    .final_url = S_INIT("https://shop.example/skills/returns/SKILL.md"),
    .fault = FAULT_TIMEOUT,
    .fault_text = S_INIT("no byte came for 8 seconds"),
    .ms = 8012,
};

static struct doc sample_docs[] = {
    {.next = &sample_docs[1],
     .kind = KIND_POPPY,
     .name = S_INIT("https://shop.example/.well-known/poppy.json"),
     .bytes = S_INIT(SAMPLE_POPPY),
     .exchange = &sample_exchange},
    {.next = &sample_docs[2],
     .kind = KIND_INDEX,
     .role = ROLE_EMBEDDED,
     .name = S_INIT("https://shop.example/.well-known/poppy.json"),
     .prefix = S_INIT("/skill_index"),
     .bytes = S_INIT(SAMPLE_POPPY),
     .exchange = &sample_exchange},
    {.next = &sample_docs[3],
     .kind = KIND_METADATA,
     .name = S_INIT("https://id.shop.example/.well-known/oauth-authorization-server"),
     .exchange = &sample_exchange_404},
    {.kind = KIND_SKILL,
     .role = ROLE_ARTIFACT,
     .name = S_INIT("https://shop.example/skills/returns/SKILL.md"),
     .exchange = &sample_exchange_slow},
};
static const struct version sample_version = {.text = "0.1", .bit = V01};
static const struct bundle sample_bundle = {.domain = S_INIT("shop.example"),
                                            .docs = sample_docs,
                                            .last = &sample_docs[3],
                                            .n_docs = 4,
                                            .version = &sample_version,
                                            .version_stated = true};

static const struct pap_finding sample_findings[] = {
    {.id = "demo.auth.issuer",
     .severity = PAP_ERROR,
     .specification = SPEC,
     .section = "3.1, 3.2",
     .title = "auth.issuer is an https URL without query or fragment",
     .version = S_INIT("0.1"),
     .where = S_INIT("https://shop.example/.well-known/poppy.json"),
     .at = S_INIT("/auth/issuer"),
     .line = 5,
     .column = 15,
     .message = S_INIT("auth.issuer is \"http://id.shop.example\": it must be an https URL"),
     .mend = S_INIT("Publish the issuer with https, and write the same string in poppy.json and in the issuer's own "
                    "metadata, byte for byte."),
     .excerpt = S_INIT("    \"issuer\": \"http://id.shop.example\","),
     .excerpt_column = 15},
    {.id = "demo.scope.described",
     .severity = PAP_WARNING,
     .specification = SPEC,
     .section = "3.1",
     .title = "every scope has a description",
     .version = S_INIT("0.1"),
     .where = S_INIT("https://shop.example/.well-known/poppy.json"),
     .at = S_INIT("/auth/direct/scopes/0"),
     .line = 6,
     .column = 27,
     .message = S_INIT("the scope \"poppy:read\" has no description, so a person asked for consent "
                       "cannot know what it allows"),
     .mend = S_INIT("Add it to auth.custom_scopes with one sentence."),
     .excerpt = S_INIT("    \"direct\": {\"scopes\": [\"poppy:read\"]}"),
     .excerpt_column = 27,
     .known = true},
    {.id = "demo.metadata.there",
     .severity = PAP_ERROR,
     .specification = "RFC 8414 (OAuth server metadata)",
     .section = "3",
     .title = "the issuer publishes its metadata",
     .where = S_INIT("https://id.shop.example/.well-known/oauth-authorization-server"),
     .at = S_INIT("header Content-Type"),
     .message = S_INIT("the answer is 404 with text/html"),
     .mend = S_INIT("Serve the metadata there as JSON.")},
    {.id = "demo.feedback",
     .severity = PAP_INFO,
     .provisional = true,
     .specification = SPEC,
     .section = "8",
     .title = "agent feedback has an endpoint",
     .version = S_INIT("0.1"),
     .where = S_INIT("https://shop.example/.well-known/poppy.json"),
     .at = S_INIT(""),
     .message = S_INIT("agents have nowhere to send feedback"),
     .mend = S_INIT("Nothing to do yet.")},
};
static const struct report_target sample_company = {.target = S_INIT("shop.example"),
                                                    .bundle = &sample_bundle,
                                                    .findings = sample_findings,
                                                    .n_findings = 4,
                                                    .certain = 61,
                                                    .provisional = 4,
                                                    .ms = 8115};

static struct doc sample_clean_doc = {
    .kind = KIND_SKILL, .name = S_INIT("skills/returns/SKILL.md"), .bytes = S_INIT("---\nname: returns\n---\n")};
static const struct bundle sample_clean_bundle = {
    .docs = &sample_clean_doc, .last = &sample_clean_doc, .n_docs = 1, .version = &sample_version};
static const struct report_target sample_clean = {.target = S_INIT("skills/returns/SKILL.md"),
                                                  .bundle = &sample_clean_bundle,
                                                  .certain = 61,
                                                  .provisional = 4,
                                                  .ms = 1};

static const struct pap_finding sample_skill_findings[] = {
    {.id = "demo.skill.name",
     .severity = PAP_ERROR,
     .specification = "Agent Skills",
     .section = "F-4",
     .title = "the name is that of the folder",
     .where = S_INIT("skills/orders/SKILL.md"),
     .at = S_INIT("/name"),
     .line = 2,
     .column = 7,
     .message = S_INIT("name is \"order\", the folder is \"orders\""),
     .mend = S_INIT("Write name: orders, or rename the folder."),
     .excerpt = S_INIT("name: order"),
     .excerpt_column = 7},
};
static struct doc sample_skill_doc = {
    .kind = KIND_SKILL, .name = S_INIT("skills/orders/SKILL.md"), .bytes = S_INIT("---\nname: order\n---\n")};
static const struct bundle sample_skill_bundle = {
    .docs = &sample_skill_doc, .last = &sample_skill_doc, .n_docs = 1, .version = &sample_version};
static const struct report_target sample_skill = {.target = S_INIT("skills/orders/SKILL.md"),
                                                  .bundle = &sample_skill_bundle,
                                                  .findings = sample_skill_findings,
                                                  .n_findings = 1,
                                                  .certain = 61,
                                                  .provisional = 4,
                                                  .ms = 1};

static struct doc sample_right_doc = {.kind = KIND_POPPY,
                                      .name = S_INIT("https://www.shop.example/.well-known/poppy.json"),
                                      .bytes = S_INIT(SAMPLE_POPPY),
                                      .exchange = &sample_exchange};
static const struct bundle sample_right_bundle = {.domain = S_INIT("www.shop.example"),
                                                  .docs = &sample_right_doc,
                                                  .last = &sample_right_doc,
                                                  .n_docs = 1,
                                                  .version = &sample_version};
static const struct report_target sample_right = {
    .target = S_INIT("www.shop.example"), .bundle = &sample_right_bundle, .certain = 61, .provisional = 4, .ms = 90};

static const struct report_target sample_unreachable = {
    .target = S_INIT("gone.example"), .failure = S_INIT("the name gone.example was not found"), .ms = 12};

/* ---- the target that attacks ---- */

static struct header nasty_headers[] = {
    {S_INIT(NASTY_TEXT), S_INIT(NASTY_TEXT)},
    {S_INIT("Location"), S_INIT("https://user:s3cr3t@evil.example/?token=s3cr3t&x=" NASTY_TEXT)},
    {S_INIT("WWW-Authenticate"), S_INIT("Negotiate s3cr3t== , Bearer realm=\"" NASTY_TEXT "\", s3cr3t")},
};
static struct hop nasty_hop = {.method = S_INIT(NASTY_TEXT),
                               .url = S_INIT(NASTY_TEXT),
                               .status = 200,
                               .headers = nasty_headers,
                               .n_headers = 3,
                               .address = S_INIT(NASTY_TEXT),
                               .tls_version = S_INIT(NASTY_TEXT),
                               .not_after = INT64_MAX,
                               .ms = UINT32_MAX};
static const struct exchange nasty_exchange = {.method = S_INIT(NASTY_TEXT),
                                               .url = S_INIT(NASTY_TEXT),
                                               .final_url = S_INIT(NASTY_TEXT),
                                               .hops = &nasty_hop,
                                               .n_hops = 1,
                                               .body = S_INIT(NASTY_TEXT NASTY_TEXT),
                                               .body_cut = true,
                                               .fault = FAULT_TOO_LARGE,
                                               .fault_text = S_INIT(NASTY_TEXT),
                                               .ms = UINT32_MAX};
static struct doc nasty_doc = {.kind = KIND_POPPY,
                               .name = S_INIT(NASTY_TEXT),
                               .bytes = S_INIT(NASTY_TEXT),
                               .prefix = S_INIT(NASTY_TEXT),
                               .exchange = &nasty_exchange};
static const struct bundle nasty_bundle = {.domain = S_INIT(NASTY_TEXT),
                                           .docs = &nasty_doc,
                                           .last = &nasty_doc,
                                           .n_docs = 1,
                                           .version = &sample_version,
                                           .version_forced = true};
#define NASTY_FINDING(name, level)                                                                                     \
    {                                                                                                                  \
        .id = name, .severity = level, .provisional = true, .specification = SPEC, .section = "1", .title = "a title", \
        .version = S_INIT("0.1"), .where = S_INIT(NASTY_TEXT), .at = S_INIT(NASTY_TEXT), .line = 1, .column = 2,       \
        .message = S_INIT(NASTY_TEXT), .mend = S_INIT(NASTY_TEXT), .excerpt = S_INIT(NASTY_TEXT), .excerpt_column = 40 \
    }
static const struct pap_finding nasty_findings[] = {NASTY_FINDING("demo.nasty", PAP_ERROR),
                                                    NASTY_FINDING("demo.nasty", PAP_WARNING),
                                                    NASTY_FINDING("demo.nasty.info", PAP_INFO)};
static const struct report_target sample_nasty = {.target = S_INIT(NASTY_TEXT),
                                                  .bundle = &nasty_bundle,
                                                  .findings = nasty_findings,
                                                  .n_findings = 3,
                                                  .ms = UINT32_MAX};
static const struct report_target sample_nasty_failure = {.target = S_INIT(NASTY_TEXT), .failure = S_INIT(NASTY_TEXT)};
static const struct pap_str sample_stale[] = {S_INIT(NASTY_TEXT)};

/* Texts that would be commands to a build service if they began a line. */
#define COMMAND "::error::owned ::stop-commands::x"
static struct doc command_doc = {.kind = KIND_NONE, .name = S_INIT(COMMAND), .bytes = S_INIT(COMMAND)};
static const struct bundle command_bundle = {
    .docs = &command_doc, .last = &command_doc, .n_docs = 1, .version = &sample_version};
static const struct pap_finding command_findings[] = {
    {.id = "demo.command",
     .severity = PAP_ERROR,
     .specification = "advice",
     .section = "",
     .title = COMMAND,
     .where = S_INIT(COMMAND),
     .at = S_INIT(COMMAND),
     .line = 1,
     .column = 1,
     .message = S_INIT(COMMAND),
     .mend = S_INIT(COMMAND " " COMMAND " " COMMAND " " COMMAND " " COMMAND " " COMMAND),
     .excerpt = S_INIT(COMMAND),
     .excerpt_column = 1},
    {.id = "demo.command",
     .severity = PAP_ERROR,
     .specification = "advice",
     .section = "",
     .title = COMMAND,
     .where = S_INIT("::nowhere"),
     .at = S_INIT(""),
     .message = S_INIT(COMMAND " " COMMAND " " COMMAND " " COMMAND),
     .mend = S_INIT("")}};
static const struct report_target sample_command = {
    .target = S_INIT(COMMAND), .bundle = &command_bundle, .findings = command_findings, .n_findings = 2};
static const struct report_target sample_command_failure = {.target = S_INIT(COMMAND), .failure = S_INIT(COMMAND)};

/* What a sample run reports, by name. */
struct sample {
    const char *name;
    const struct report_target *targets[6];
    bool quiet, stale;
    struct report_total total;
};
static const struct sample samples[] = {
    {"company", {&sample_company}, false, false, {.counts = {1, 4, 2, 0, 1, 1, 0, 4}, .exit = 1, .fail_on = PAP_ERROR}},
    {"clean", {&sample_clean}, false, false, {.counts = {1, 1, 0, 0, 0, 0, 0, 0}, .exit = 0, .fail_on = PAP_ERROR}},
    {"many",
     {&sample_clean, &sample_skill, &sample_company, &sample_right, &sample_unreachable},
     false,
     false,
     {.counts = {5, 7, 3, 0, 1, 1, 0, 6}, .exit = 3, .fail_on = PAP_ERROR}},
    {"quiet",
     {&sample_clean, &sample_skill},
     true,
     false,
     {.counts = {2, 2, 1, 0, 0, 0, 0, 0}, .exit = 1, .fail_on = PAP_ERROR}},
    {"nasty",
     {&sample_nasty, &sample_nasty_failure},
     false,
     true,
     {.counts = {2, 1, 1, 1, 1, 0, 1, 1}, .exit = 3, .fail_on = PAP_ERROR}},
    {"commands",
     {&sample_command, &sample_command_failure},
     false,
     false,
     {.counts = {2, 1, 2, 0, 0, 0, 0, 0}, .exit = 3, .fail_on = PAP_ERROR}},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* Writes the whole report of a sample into `out` (initialised by the caller), as a caller of src/report does. */
static inline pap_result sample_write(const struct sample *s, enum pap_format format, bool exchanges, bool color,
                                      uint32_t width, const struct pap_alloc *alloc, struct buf *out)
{
    struct report r;
    report_init(&r, alloc);
    r.format = format;
    r.exchanges = exchanges;
    r.color = color;
    r.width = width;
    r.quiet = s->quiet;
    r.many = s->targets[1] != NULL;
    r.now = 1791600000;
    report_begin(&r);
    buf_add(out, buf_str(&r.out));
    for (size_t i = 0; s->targets[i]; i++) {
        buf_reset(&r.out);
        report_target(&r, s->targets[i]);
        buf_add(out, buf_str(&r.out));
    }
    buf_reset(&r.out);
    struct report_total total = s->total;
    if (s->stale) {
        total.stale = sample_stale;
        total.n_stale = 1;
    }
    report_end(&r, &total);
    buf_add(out, buf_str(&r.out));
    pap_result result = report_result(&r, NULL);
    report_fini(&r);
    return result;
}

#endif
