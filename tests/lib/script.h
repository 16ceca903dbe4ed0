/* SPDX-License-Identifier: Apache-2.0
 *
 * A transport that answers from a script, for tests without a network. It walks redirects by the same code as the real
 * client (net/walk.h). A script is a text file *.site:
 *
 *     # Comments stand before the first request and between a request and its status.
 *     > GET https://shop.example/.well-known/poppy.json
 *     # A slow one.
 *     ~ ms 1200
 *     < 200
 *     < Content-Type: application/json
 *     { "protocol_version": "0.1",
 *       ... }
 *     %%
 *     # Behind a line of two percent signs, which ends a body, comments may stand again.
 *     > GET https://shop.example/old
 *     < 301
 *     < Location: /new
 *     > GET https://dead.example/
 *     ! refused
 *
 *   > METHOD URL      begins an answer. The URL is compared byte by byte (without a fragment). Two answers for one URL are
 *                     given one after the other, the last one again and again. HEAD falls back on the answer of GET.
 *   < STATUS          the status line; then header fields, "< Name: value", sent in this order. Nothing is added.
 *   ~ tls VERSION     facts of the connection; without them TLSv1.3,
 *   ~ not-after TIME  2027-01-01T00:00:00Z,
 *   ~ address A       192.0.2.1,
 *   ~ ms N            and 10 milliseconds, which also move the script's clock.
 *   ! FAULT [TEXT]    no answer: url, dns, refused, blocked, timeout, tls, protocol, encoding; TEXT takes the place of the
 *                     usual sentence. Behind a status, fields and body it is an answer that broke off: protocol, timeout.
 *   the rest          is the body: all lines up to the next "> METHOD http..." or "%%", without blank lines at its end,
 *                     each with its line end. Or one line:
 *   @ FILE            the bytes of a file beside the script
 *   @base64 TEXT      bytes in base64, the padding may be missing
 *   @repeat N TEXT    N times the text
 *   @none             no bytes at all (what no line means, too)
 *
 * A URL that is not in the script answers 404 text/plain. Every request is remembered.
 */
#ifndef TESTS_SCRIPT_H
#define TESTS_SCRIPT_H

#include "net/transport.h"

struct script;

/* Reads a script; everything lives in the arena. PAP_SYNTAX names the line. */
pap_result script_read(struct arena *a, const char *path, struct script **ret, struct pap_err *err) PAP_MUST;

/* The same from text; `folder` is where "@ FILE" is looked for. */
pap_result script_parse(struct arena *a, struct pap_str text, const char *folder, struct script **ret,
                        struct pap_err *err) PAP_MUST;

/* It lives as long as the script; its free() does nothing. */
struct transport *script_transport(struct script *s);

/* Plain http may be asked, as with --insecure-http. */
void script_allow_http(struct script *s);

/* What was asked, hop by hop, in order. */
struct script_asked {
    struct pap_str method, url;
    const struct request *request; /* with Accept, cap, body ...; a copy */
    bool in_script;
};
size_t script_asked_count(const struct script *s);
const struct script_asked *script_asked(const struct script *s, size_t i);

/* How often METHOD URL was asked. */
unsigned script_count(const struct script *s, const char *method, const char *url);

/* The script's clock: starts at 0, moved by `~ ms`. For budget_init(). */
int64_t script_now_ms(const struct script *s);

#endif
