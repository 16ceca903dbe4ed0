/* SPDX-License-Identifier: Apache-2.0
 *
 * What a check means, for everybody outside: the public rules of papaver/check.h, read off the check rows.
 */
#include "proto/check.h"

/* The versions of a mask in words; index: bits of enum version_bit. Static text, because rules are never freed. */
static const char *const version_lists[V_ALL + 1] = {
    "",
    "0.1",
    "0.2",
    "0.1 0.2", /* */
    "0.3",
    "0.1 0.3",
    "0.2 0.3",
    "0.1 0.2 0.3", /* V03 */
    "0.4",
    "0.1 0.4",
    "0.2 0.4",
    "0.1 0.2 0.4", /* V04 */
    "0.3 0.4",
    "0.1 0.3 0.4",
    "0.2 0.3 0.4",
    "0.1 0.2 0.3 0.4", /* V03 V04 */
    "1.0",
    "0.1 1.0",
    "0.2 1.0",
    "0.1 0.2 1.0", /* V10 */
    "0.3 1.0",
    "0.1 0.3 1.0",
    "0.2 0.3 1.0",
    "0.1 0.2 0.3 1.0", /* V10 V03 */
    "0.4 1.0",
    "0.1 0.4 1.0",
    "0.2 0.4 1.0",
    "0.1 0.2 0.4 1.0", /* V10 V04 */
    "0.3 0.4 1.0",
    "0.1 0.3 0.4 1.0",
    "0.2 0.3 0.4 1.0",
    "0.1 0.2 0.3 0.4 1.0",
};

static const char *text_or_empty(const char *s)
{
    return s ? s : "";
}

static void fill(const struct check *c, struct pap_rule *ret)
{
    bool always = (c->sure & V_ALL) == V_ALL;
    *ret = (struct pap_rule){
        .id = c->id,
        .covers = text_or_empty(c->covers),
        .specification = spec_name(c->spec),
        .section = text_or_empty(c->section),
        .versions = always ? "" : version_lists[c->sure & V_ALL],
        .provisional_versions = always ? "" : version_lists[c->maybe & V_ALL],
        .level = level_name(c->level),
        .kind = text_or_empty(kind_row(c->publish_only ? KIND_PUBLISH : c->kind)->title),
        .severity = c->severity,
        .publish_severity = check_severity(c, PROFILE_PUBLISH),
        .publish_only = c->publish_only,
        .provisional = !c->sure,
        .title = text_or_empty(c->title),
        .why = text_or_empty(c->why),
        .mend = text_or_empty(c->mend),
        .good = text_or_empty(c->good),
        .bad = text_or_empty(c->bad),
    };
}

size_t pap_rule_count(void)
{
    size_t n = 0;
    for (size_t t = 0; t < check_table_count; t++)
        n += check_tables[t]->n;
    return n;
}

void pap_rule_at(size_t i, struct pap_rule *ret)
{
    const struct check *c = check_at(i);
    if (c)
        fill(c, ret);
}

bool pap_rule_fits(size_t i, const char *pattern)
{
    const struct check *c = check_at(i);
    return c && check_fits(c, pattern);
}

bool pap_rule_find(const char *id, struct pap_rule *ret, const char **ret_near)
{
    struct pap_str wanted = str_c(id);
    const struct check *c = check_find(wanted);
    if (c) {
        fill(c, ret);
        return true;
    }
    struct pap_str near;
    c = check_near(wanted, &near);
    *ret_near = c ? c->id : NULL;
    return false;
}
