/* SPDX-License-Identifier: Apache-2.0
 *
 * A document that somebody pastes, judged on the spot: nothing is fetched and nothing kept.
 */
#include "check/slot.h"
#include "web/inside.h"

/* What may be pasted: kinds that are text. */
static const enum kind kinds[] = {KIND_POPPY, KIND_METADATA, KIND_RESOURCE, KIND_CLIENT,
                                  KIND_JWKS,  KIND_INDEX,    KIND_SKILL,    KIND_OPENAPI};

static void kind_field(struct asked *k)
{
    html(k, "<label for=\"kind\">What it is</label>\n<select id=\"kind\" name=\"kind\">\n<option value=\"\">Find out"
            "</option>\n");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct kind_row *row = kind_row(kinds[i]);
        buf_fmt(&k->out, "<option value=\"%s\">", row->word);
        words(k, str_c(row->title));
        html(k, "</option>\n");
    }
    html(k, "</select>\n");
}

static void paste_form(struct asked *k)
{
    html(
        k,
        "<form class=\"paste\" action=\"/check\" method=\"post\">\n"
        "<label for=\"document\">The document</label>\n<textarea id=\"document\" name=\"document\" rows=\"14\" "
        "required spellcheck=\"false\" autocapitalize=\"none\" autocomplete=\"off\"></textarea>\n<div class=\"row\">\n");
    kind_field(k);
    html(k, "<button type=\"submit\">Judge it</button>\n</div>\n</form>\n"
            "<p class=\"note\">It is judged here and forgotten; nothing that it names is fetched.</p>\n");
}

void page_paste(struct asked *k)
{
    if (asked_has(k, k->web->tag, CACHE_SHORT))
        return;
    shell_open(k, &(struct page){.title = S("Paste a document"), .at = "/"});
    html(
        k,
        "<h1>Paste a document</h1>\n<p class=\"lead\">A poppy.json, sign-in server metadata, a skill index, a SKILL.md "
        "&hellip; before it is published.</p>\n");
    paste_form(k);
    asked_page(k, 200, CACHE_SHORT, k->web->tag);
}

static pap_result judge_bytes(struct asked *k, struct slot *s, struct pap_str bytes, enum kind kind,
                              struct report_target *ret, struct pap_err *err)
{
    struct plan plan;
    TRY(plan_make(&s->arena, PROFILE_CHECK, NULL, NULL, &plan, err));
    s->bundle.now = k->now;
    s->bundle.domain = S("");
    s->target = S("pasted document");
    TRY(slot_add_bytes(s, s->target, bytes, kind));
    bundle_choose_version(&s->bundle, NULL);
    TRY(judge(&s->arena, &plan, &s->bundle, &s->findings, err));
    *ret = (struct report_target){.target = s->target,
                                  .bundle = &s->bundle,
                                  .findings = s->findings.items,
                                  .n_findings = s->findings.n,
                                  .failure = s->failure};
    plan_count(&plan, s->bundle.version, &ret->certain, &ret->provisional);
    return OK;
}

/* Judges and writes the report to k->out. */
static pap_result report_bytes(struct asked *k, struct slot *s, struct pap_str bytes, enum kind kind,
                               enum pap_format format, struct pap_err *err)
{
    struct report_target t;
    TRY(judge_bytes(k, s, bytes, kind, &t, err));
    return report_add(k, &t, format, k->now, err);
}

static bool kind_asked(struct asked *k, struct pap_str word, enum kind *ret)
{
    *ret = KIND_NONE;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (str_is(word, kind_row(kinds[i])->word))
            *ret = kinds[i];
    if (*ret || !word.n)
        return true;
    asked_fail(k, 400, "No such kind of document", S("Leave it out, or choose one of the list."));
    return false;
}

/* `before`: what stands in front of the report; NULL for none. */
static void answer_judged(struct asked *k, struct pap_str bytes, struct pap_str kind_word, enum pap_format format,
                          bool *ret_ok)
{
    struct slot s = {0};
    struct pap_err err = {.text = ""};
    enum kind kind;
    *ret_ok = false;
    if (!kind_asked(k, kind_word, &kind))
        return;
    arena_init(&s.arena, k->web->o.alloc);
    s.arena.max = LIMIT_WEB_JUDGE;
    pap_result r = report_bytes(k, &s, bytes, kind, format, &err);
    arena_fini(&s.arena);
    if (is_ok(r))
        *ret_ok = true;
    else
        asked_no_memory(k);
}

void post_paste(struct asked *k)
{
    struct pap_str document = form_value(k->arena, k->q->body, "document");
    struct pap_str kind = form_value(k->arena, k->q->body, "kind");
    bool ok;
    if (!str_trim(document).n) {
        asked_fail(k, 400, "There is no document", S("The field was empty."));
        return;
    }
    shell_open(k, &(struct page){.title = S("Pasted document"), .at = "/", .hidden = true, .wide = true});
    html(k, "<div class=\"report\">\n");
    answer_judged(k, document, kind, PAP_HTML, &ok);
    if (!ok)
        return;
    html(k, "</div>\n");
    asked_page(k, 200, CACHE_NEVER, S(""));
}

void api_judge(struct asked *k)
{
    bool ok;
    if (!str_trim(k->q->body).n) {
        asked_fail(k, 400, "There is no document", S("The body is the document itself."));
        return;
    }
    answer_judged(k, k->q->body, asked_query(k, "kind"), PAP_JSON, &ok);
    if (ok)
        asked_send(k, 200, "application/json", CACHE_NEVER, S(""));
}
