/* SPDX-License-Identifier: Apache-2.0
 *
 * The skills client against a host that answers anything: the input is one answer after another, "STATUS\nfields\n\nbody" each
 * with a byte 0xff behind it; "@" in a body stands for the digest of the next one. A list is opened, opened again (so that
 * copies are asked for), and every skill of it is activated, read and wrapped.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "crypto/digest.h"
#include "skills/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct host {
    struct pap_str rest;
    int64_t now_ms;
    unsigned asked;
};

static struct pap_str part(struct pap_str *rest, char end)
{
    struct pap_str p = str_take(*rest, str_find_char(*rest, end));
    *rest = str_skip(*rest, p.n + 1);
    return p;
}

/* The next answer's body without taking it, for its digest. */
static struct pap_str next_body(struct pap_str rest)
{
    struct pap_str one = part(&rest, '\xff');
    size_t at = str_find(one, S("\n\n"));
    return str_skip(one, at + 2);
}

static bool give_body(const struct host *h, const struct pap_skill_answer *answer, struct pap_str body)
{
    struct pap_str piece;
    bool more = true, first = true;
    while (more && str_next(&body, '@', &piece)) {
        struct digest d;
        char text[DIGEST_TEXT + 1];
        struct pap_str next = next_body(h->rest);
        if (!first && is_ok(digest_sha256(&next, 1, &d, NULL))) {
            digest_text(&d, text);
            more = answer->body(answer->ctx, text, DIGEST_TEXT);
        }
        first = false;
        more = more && answer->body(answer->ctx, piece.p, piece.n);
    }
    return more;
}

static pap_result fetch(void *ctx, const struct pap_skill_request *request, const struct pap_skill_answer *answer,
                        struct pap_err *err)
{
    struct host *h = ctx;
    struct pap_str one = part(&h->rest, '\xff'), status = part(&one, '\n'), line;
    struct pap_skill_header headers[16];
    static char texts[16][2][256];
    size_t n = 0;
    uint64_t number = 0;
    (void)request;
    if (++h->asked > 200 || !str_to_u64(status, &number) || number > 999)
        return fail(err, PAP_UNREACHABLE, "nothing came");
    while (n < 16 && one.n && (line = part(&one, '\n')).n) {
        struct pap_str name = part(&line, ':');
        (void)snprintf(texts[n][0], 256, "%.*s", PSTR(str_take(name, 255)));
        (void)snprintf(texts[n][1], 256, "%.*s", PSTR(str_take(line, 255)));
        headers[n] = (struct pap_skill_header){texts[n][0], texts[n][1]};
        n++;
    }
    if (answer->head(answer->ctx, (int)number, headers, n))
        (void)give_body(h, answer, one);
    return OK;
}

static int64_t now(void *ctx)
{
    struct host *h = ctx;
    return h->now_ms += 1000;
}

static void use(struct pap_skill_session *s, const char *name)
{
    struct pap_skill_err err;
    struct pap_skill *k;
    struct pap_str text;
    if (!is_ok(pap_skill_activate(s, name, NULL, &k, &err)))
        return;
    if (is_ok(pap_skill_wrap(k, "SKILL.md", &text, &err)))
        pap_skill_bytes_free(k, text);
    pap_skill_free(k);
}

static void use_all(struct pap_skill_session *s)
{
    struct pap_skill_session_facts f;
    struct pap_skill_err err;
    pap_skill_session_facts(s, &f);
    for (size_t i = 0; i < f.skills && i < 8; i++) {
        struct pap_skill_release r;
        char name[128];
        pap_skill_session_at(s, i, &r, NULL);
        (void)snprintf(name, sizeof name, "%.*s", PSTR(r.name));
        use(s, name);
    }
    for (size_t i = 0; i < f.skipped && i < 8; i++)
        pap_skill_session_skipped_at(s, i, &err);
}

static void nap(struct pap_skill_client *c, uint32_t ms)
{
    (void)c;
    (void)ms;
}

static int64_t no_time(const struct clock *c)
{
    static int64_t ms;
    (void)c;
    return ms += 6000; /* whatever waits is due */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const places[] = {"shop.example", "https://shop.example/i.json", "shop.example"};
    struct host h = {.rest = str((const char *)data, size), .now_ms = 1787652000000};
    const struct pap_skill_options o = {.fetch = fetch, .now = now, .ctx = &h, .retries = 1, .strict = size % 2};
    struct pap_skill_client *c;
    struct pap_skill_err err;
    if (!is_ok(pap_skill_client_new(&o, &c, &err)))
        return 0;
    c->nap = nap;
    c->clock.monotonic_ms = no_time;
    for (size_t i = 0; i < 3; i++) {
        struct pap_skill_session *s;
        const struct pap_skill_origin origin = {.place = places[i], .stale_s = 60, .scope = i == 1 ? "staff" : NULL};
        if (!is_ok(pap_skill_session_open(c, &origin, &s, &err)))
            continue;
        use_all(s);
        pap_skill_session_close(s);
    }
    pap_skill_client_free(c);
    return 0;
}
