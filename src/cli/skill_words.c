/* SPDX-License-Identifier: Apache-2.0
 *
 * What strangers say, on a terminal or in a pipe (docs/decisions.md 25).
 */
#include <papaver/text.h>
#include <string.h>

#include "cli/skill_run.h"

static void put(void *out, const char *piece, size_t n)
{
    (void)fwrite(piece, 1, n, out);
}

void skill_words(FILE *out, struct pap_str s)
{
    pap_text_visible(s, false, put, out);
}

struct column {
    char text[4096];
    size_t n;
};

static void collect(void *ctx, const char *piece, size_t n)
{
    struct column *c = ctx;
    size_t room = sizeof c->text - c->n;
    memcpy(c->text + c->n, piece, n < room ? n : room);
    c->n += n < room ? n : room;
}

void skill_column(FILE *out, struct pap_str s, size_t columns, bool fill)
{
    struct column c = {.n = 0};
    size_t used, cut = 0;
    pap_text_visible(s, false, collect, &c);
    struct pap_str text = {c.text, c.n};
    size_t n = pap_text_fit(text, columns, &used);
    if (n < text.n && columns > 3) {
        n = pap_text_fit(text, columns - 3, &used);
        cut = 3;
    }
    (void)fprintf(out, "%.*s%.*s", (int)n, text.p, (int)cut, "...");
    if (fill && used + cut < columns)
        (void)fprintf(out, "%*s", (int)(columns - used - cut), "");
}

void skill_body(struct skill_run *run, struct pap_str s)
{
    FILE *out = run->cli->out;
    if (!run->cli->out_is_terminal) {
        put(out, s.p, s.n);
        return;
    }
    pap_text_visible(s, true, put, out);
    if (s.n && s.p[s.n - 1] != '\n')
        (void)fputc('\n', out);
}

void skill_json_release(struct json_out *j, const struct pap_skill_release *r)
{
    json_words(j, "name", r->name);
    json_words(j, "description", r->description);
    json_if(j, "version", r->version);
    json_words(j, "type", r->type);
    json_words(j, "url", r->url);
    json_words(j, "digest", r->digest);
    json_bool(j, "current", r->current);
    json_words(j, "deprecated", r->deprecated);
}
