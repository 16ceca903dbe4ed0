/* SPDX-License-Identifier: Apache-2.0
 *
 * A prompt for each loaded skill, LABEL.NAME, for hosts whose people choose one. A prompt is shown as the person's own message,
 * so the label that says whose words these are matters most here.
 */
#include "mcp/call.h"

void method_prompts_list(struct mcp_call *c)
{
    struct shown s = {0};
    size_t i;
    if (!call_loaded(c, &s))
        return;
    if (call_page(c, s.keys, s.n, &i)) {
        size_t end = i + PAGE_ITEMS < s.n ? i + PAGE_ITEMS : s.n;
        json_write_key(&c->w, "prompts");
        json_array_begin(&c->w);
        for (; i < end; i++) {
            const struct mcp_skill *k = s.skills[i];
            struct pap_str name = arena_fmt(&c->arena, "%.*s.%.*s", PSTR(k->label), PSTR(k->name));
            if (!name.p)
                call_no_memory(c);
            json_object_begin(&c->w);
            write_member(&c->w, "name", name);
            write_member(&c->w, "description", call_plain(c, k->description, LIMIT_DESCRIPTION));
            json_object_end(&c->w);
        }
        json_array_end(&c->w);
        if (end < s.n)
            call_next_page(c, s.keys[end - 1]);
    }
    call_release_all(c, &s);
}

static const struct mcp_skill *find(const struct shown *s, struct pap_str name)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct mcp_skill *k = s->skills[i];
        if (name.n == k->label.n + 1 + k->name.n && str_starts(name, k->label) && name.p[k->label.n] == '.' &&
            str_ends(name, k->name))
            return k;
    }
    return NULL;
}

void method_prompts_get(struct mcp_call *c)
{
    const struct mcp_skills *skills = call_skills(c);
    struct pap_str name = call_text(c, "name"), text;
    struct pap_skill_err err = {0};
    struct shown s = {0};
    if (c->error || !call_loaded(c, &s))
        return;
    const struct mcp_skill *skill = find(&s, name);
    pap_result r = skill ? skills->read(skills->ctx, skill, &c->arena, str(NULL, 0), true, &text, &err) : OK;
    if (!skill) {
        call_fail(c, MCP_INVALID_PARAMS, "there is no such prompt");
    } else if (!is_ok(r)) {
        call_fail_skill(c, skill->label, r, &err);
    } else {
        write_member(&c->w, "description", call_plain(c, skill->description, LIMIT_DESCRIPTION));
        json_write_key(&c->w, "messages");
        json_array_begin(&c->w);
        json_object_begin(&c->w);
        write_member(&c->w, "role", S("user"));
        json_write_key(&c->w, "content");
        call_write_text(&c->w, text);
        json_object_end(&c->w);
        json_array_end(&c->w);
    }
    call_release_all(c, &s);
}
