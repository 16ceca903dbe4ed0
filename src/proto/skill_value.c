/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of the front matter of a SKILL.md: what parsers take for something else than text, metadata, allowed-tools.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "proto/skill.h"
#include "text/skillmd.h"

/* ---- scalars that parsers read as something else than text ---- */

static bool all_of(struct pap_str s, const char *set)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]) && !strchr(set, s.p[i]))
            return false;
    return s.n > 0;
}

/* YAML 1.1 and 1.2 disagree on these: dates, yes/no, octal, underscores, sexagesimal (specification of YAML, 10.2). */
const char *skill_ambiguous(const struct json *j)
{
    static const char *const words[] = {"yes", "no", "on", "off", "y", "n"};
    static const char *const numbers[] = {".inf", "+.inf", "-.inf", ".nan"};
    struct pap_str s = skill_text(j);
    if (j->type == JSON_NUMBER)
        return "a number";
    if (j->type == JSON_NULL)
        return s.n ? "null" : NULL;
    if (j->type == JSON_TRUE || j->type == JSON_FALSE)
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq_nocase(s, str_c(words[i])))
            return "true or false for YAML 1.1";
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (str_eq_nocase(s, str_c(numbers[i])))
            return "a number";
    if (str_eq_nocase(str_take(s, 2), S("0b")) && all_of(str_skip(s, 2), "_"))
        return "a number for YAML 1.1";
    if (s.n >= 8 && ascii_is_digit(s.p[0]) && all_of(str_take(s, 10), "-") && str_find_char(s, '-') == 4)
        return "a date for YAML 1.1";
    if (s.n && ascii_is_digit(s.p[0]) && all_of(s, "_:.,") && !all_of(s, ".,"))
        return "a number for YAML 1.1";
    return NULL;
}

static void judge_scalar(struct run *r, const struct json *j, bool is_text)
{
    if (!skill_is_scalar(j) || !(j->flags & JSON_PLAIN))
        return;
    const char *what = skill_ambiguous(j);
    if (!what && is_text && (j->type == JSON_TRUE || j->type == JSON_FALSE))
        what = "true or false";
    if (!what)
        return;
    find(r, j, "the unquoted value %s of %s is %s, not text", q(r, skill_text(j)), q(r, json_key(j)), what);
    mend(r, "Put it in quotes: %s: \"%s\"", whole(r, json_key(j)), whole(r, skill_text(j)));
}

void scalars_are_text(struct run *r)
{
    json_each (c, r->doc->root) {
        if (!skill_is_key(json_key(c)))
            continue;
        judge_scalar(r, c, true);
        json_each (m, str_is(json_key(c), "metadata") && c->type == JSON_OBJECT ? c : NULL)
            judge_scalar(r, m, false);
    }
}

void metadata_is_map(struct run *r)
{
    const struct json *m = json_get_c(r->doc->root, "metadata");
    if (!m || m->type == JSON_NULL)
        return;
    if (m->type != JSON_OBJECT) {
        find(r, m, "metadata is %s; wanted is a mapping of texts", qv(r, m));
        return;
    }
    json_each (c, m)
        if (!skill_is_scalar(c))
            find(r, c, "metadata.%s is %s; values of metadata are texts", whole(r, json_key(c)), json_type_name(c));
}

/* ---- allowed-tools ---- */

static const struct json *allowed_tools(const struct run *r)
{
    return json_get_c(r->doc->root, "allowed-tools");
}

static bool has_separating_comma(struct pap_str s)
{
    int depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        depth += (s.p[i] == '(') - (s.p[i] == ')');
        if (s.p[i] == ',' && depth <= 0)
            return true;
    }
    return false;
}

static bool add_tools(struct buf *b, struct pap_str tools)
{
    struct pap_str token;
    bool unbalanced = false;
    while (allowed_tools_next(&tools, &token, &unbalanced)) {
        buf_add(b, b->n ? S(" ") : S(""));
        buf_add(b, token);
    }
    return !unbalanced;
}

/* The tools in one string, ready to paste. */
static void mend_tools(struct run *r, const struct json *t)
{
    struct buf b;
    bool good = true;
    buf_init(&b, r->arena->alloc, LIMIT_FRONTMATTER);
    if (t->type == JSON_STRING)
        good = add_tools(&b, json_str(t));
    json_each (item, t)
        good = good && item->type == JSON_STRING && add_tools(&b, json_str(item));
    r->no_memory |= b.code == PAP_NO_MEMORY;
    if (good && b.n && buf_ok(&b) && skill_is_plain(buf_str(&b)))
        mend(r, "Write the tools in one line: `allowed-tools: \"%s\"`", whole(r, buf_str(&b)));
    buf_fini(&b);
}

void tools_are_one_string(struct run *r)
{
    const struct json *t = allowed_tools(r);
    if (json_is(t, JSON_ARRAY))
        find(r, t, "allowed-tools is a list; it is one string with blanks between the tools");
    else if (json_is(t, JSON_OBJECT))
        find(r, t, "allowed-tools is a mapping; it is one string with blanks between the tools");
    else if (json_is(t, JSON_STRING) && has_separating_comma(json_str(t)))
        find(r, t, "allowed-tools separates tools by commas; nine known clients split such a string wrongly");
    if (r->last)
        mend_tools(r, t);
}

static void judge_balance(struct run *r, const struct json *t)
{
    struct pap_str rest = json_str(t), token;
    bool unbalanced = false;
    while (json_is(t, JSON_STRING) && !unbalanced && allowed_tools_next(&rest, &token, &unbalanced))
        if (unbalanced)
            find(r, t, "the parentheses in allowed-tools do not match, from %s on", q(r, token));
}

void tools_are_balanced(struct run *r)
{
    const struct json *t = allowed_tools(r);
    judge_balance(r, t);
    json_each (item, json_is(t, JSON_ARRAY) ? t : NULL)
        judge_balance(r, item);
}
