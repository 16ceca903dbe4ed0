/* SPDX-License-Identifier: Apache-2.0
 *
 * skill_index inside a poppy.json that people keep by hand: its value is replaced, or the member is put behind the last
 * one, in the file's own style. Every other byte stays.
 */
#include "base/limits.h"
#include "publish/project.h"
#include "sys/file.h"
#include "text/place.h"

/* How the file is written. */
struct style {
    struct pap_str line_end; /* p NULL: everything stands on one line */
    struct pap_str indent;   /* in front of members */
};

static struct style style_of(struct pap_str text, const struct json *root)
{
    struct style s = {.indent = S("  "), .line_end = S("\n")};
    if (!root->child)
        return s;
    size_t key = root->child->key_off, line = key;
    while (line > 0 && (text.p[line - 1] == ' ' || text.p[line - 1] == '\t'))
        line--;
    if (line == 0 || text.p[line - 1] != '\n')
        return (struct style){.indent = S("")};
    if (line > 1 && text.p[line - 2] == '\r')
        s.line_end = S("\r\n");
    s.indent = str(text.p + line, key - line);
    return s;
}

/* The index in that style: each step of two blanks becomes the file's own. */
static void add_value(struct buf *to, struct pap_str index, const struct style *style)
{
    struct pap_str rest = index, line;
    for (bool first = true; str_next(&rest, '\n', &line); first = false) {
        size_t blanks = 0;
        while (blanks < line.n && line.p[blanks] == ' ')
            blanks++;
        if (!first && style->line_end.p) {
            buf_add(to, style->line_end);
            buf_add(to, style->indent);
            for (size_t i = 0; i < blanks / 2; i++)
                buf_add(to, style->indent.n ? style->indent : S("  "));
        }
        buf_add(to, str_skip(line, blanks));
    }
}

static const struct json *last_child(const struct json *root)
{
    const struct json *last = root->child;
    while (last && last->next)
        last = last->next;
    return last;
}

static void add_member(struct buf *to, struct pap_str index, const struct style *style)
{
    buf_add(to, style->line_end);
    buf_add(to, style->indent);
    buf_add(to, style->line_end.p ? S("\"skill_index\": ") : S("\"skill_index\":"));
    add_value(to, index, style);
}

static void splice(struct buf *to, struct pap_str text, const struct json *root, struct pap_str index)
{
    struct style style = style_of(text, root);
    const struct json *old = json_get_c(root, "skill_index"), *last = last_child(root);
    size_t from, end;
    if (old) {
        from = old->off;
        end = json_value_end(text, from);
    } else {
        from = end = last ? json_value_end(text, last->off) : root->off + 1;
    }
    buf_add(to, str_take(text, from));
    if (old) {
        add_value(to, index, &style);
    } else {
        buf_add(to, last ? S(",") : S(""));
        add_member(to, index, &style);
        buf_add(to, last ? S("") : style.line_end);
    }
    buf_add(to, str_skip(text, end));
}

static pap_result read_poppy(struct project *p, struct pap_err *err)
{
    struct json *root = NULL;
    struct notes notes = {0};
    size_t n = 0;
    if (file_type_of(p->o->poppy) == FILE_NONE)
        return fail(err, PAP_IO, "there is no file %s: skill_index is written into a poppy.json that is there",
                    p->o->poppy);
    TRY(file_read(&p->arena, p->o->poppy, LIMIT_DOCUMENT, &p->poppy_old, NULL, err));
    if (!is_ok(json_read(&p->arena, p->poppy_old, &root, &notes)))
        return fail_memory(err);
    json_each (member, json_is(root, JSON_OBJECT) ? root : NULL)
        n += str_is(json_key(member), "skill_index");
    for (const struct note *note = root ? NULL : notes.first; note; note = note->next)
        if (note->fatal)
            return place_fail(err, p->o->poppy, p->poppy_old, note->off,
                              "this is no JSON; papaver check ./%s tells more", p->o->poppy);
    if (!json_is(root, JSON_OBJECT) || n > 1)
        return fail(err, PAP_SYNTAX, "%s %s; papaver check tells more", p->o->poppy,
                    n > 1 ? "has skill_index more than once" : "is no JSON object");
    p->poppy = root;
    return OK;
}

pap_result poppy_open(struct project *p, struct pap_err *err)
{
    if (!p->o->poppy)
        return OK;
    if (p->base_url.p && !str_starts(p->base_url, S("https://")))
        return fail(err, PAP_USAGE,
                    "with poppy.json both copies of the index need absolute URLs: write the base URL as "
                    "https://shop.example");
    TRY(read_poppy(p, err));
    if (project_writes(p))
        file_clear_beside(p->o->poppy);
    if (p->base_url.p)
        return OK;
    struct pap_str domain = json_str(json_at(p->poppy, "/organization/domain"));
    const char *why;
    if (!domain.n)
        return fail(err, PAP_USAGE, "%s has no organization.domain to make absolute URLs of; say --base-url",
                    p->o->poppy);
    if (!format_holds(FORMAT_HOST, domain, &why)) {
        struct pap_str text = shown(&p->arena, domain);
        return text.p
                   ? fail(err, PAP_USAGE,
                          "organization.domain of %s is %.*s, which is no host name to make absolute URLs of: it has "
                          "%s; mend it, or say --base-url",
                          p->o->poppy, PSTR(text), why)
                   : fail_memory(err);
    }
    p->base_url = arena_fmt(&p->arena, "https://%.*s", PSTR(domain));
    return p->base_url.p ? OK : fail_memory(err);
}

pap_result poppy_write(struct project *p, struct pap_err *err)
{
    struct buf b __attribute__((cleanup(buf_fini))) = {0};
    if (!p->o->poppy)
        return OK;
    buf_init(&b, p->o->alloc, SIZE_MAX / 4);
    splice(&b, p->poppy_old, p->poppy, str_take(p->index, p->index.n - 1));
    TRY(buf_result(&b, err));
    p->poppy_new = arena_str(&p->arena, buf_str(&b));
    if (!p->poppy_new.p)
        return fail_memory(err);
    if (b.n <= LIMIT_DOCUMENT_GOOD)
        return OK;
    const char *row = b.n <= LIMIT_DOCUMENT ? "text.large" : "text.too-long";
    return is_ok(find_own(&p->judged, row, str_c(p->o->poppy), str(NULL, 0), 0,
                          "the file would have %zu bytes; agents are known to refuse more than %d", b.n,
                          LIMIT_DOCUMENT_GOOD))
               ? OK
               : fail_memory(err);
}
