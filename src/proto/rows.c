/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of all checks, in the order of docs/checks.md, and the names of their columns' values.
 */
#include "proto/check.h"
#include "text/similar.h"

const struct check_table *const check_tables[] = {
    &text_checks,     &exchange_checks, &poppy_checks, &poppy_auth_checks, &metadata_checks,
    &resource_checks, &client_checks,   &jwks_checks,  &index_checks,      &skill_checks,
    &archive_checks,  &openapi_checks,  &mcp_checks,   &links_checks,      &publish_checks,
};
const size_t check_table_count = sizeof check_tables / sizeof check_tables[0];

const struct check *check_at(size_t i)
{
    for (size_t t = 0; t < check_table_count; t++) {
        if (i < check_tables[t]->n)
            return &check_tables[t]->rows[i];
        i -= check_tables[t]->n;
    }
    return NULL;
}

const struct check *check_find(struct pap_str id)
{
    const struct check *c;
    for (size_t i = 0; (c = check_at(i)) != NULL; i++)
        if (str_eq_nocase(id, str_c(c->id)))
            return c;
    return NULL;
}

/* As many parts of an id as the name has. */
static struct pap_str group_of(struct pap_str id, struct pap_str name)
{
    size_t points = 0, n = 0;
    for (size_t i = 0; i < name.n; i++)
        points += name.p[i] == '.';
    while (n < id.n && (id.p[n] != '.' || points-- > 0))
        n++;
    return str_take(id, n);
}

const struct check *check_near(struct pap_str name, struct pap_str *ret_near)
{
    const struct check *c, *near = NULL;
    struct similar whole = {.distance = SIZE_MAX}, group = whole;
    struct pap_str before;
    for (size_t i = 0; (c = check_at(i)) != NULL; i++) {
        before = group.best;
        similar_try(&whole, name, str_c(c->id));
        similar_try(&group, name, group_of(str_c(c->id), name));
        if (group.best.p != before.p)
            near = c;
    }
    if (!near || whole.distance <= group.distance) {
        *ret_near = whole.best;
        return whole.best.p ? check_find(whole.best) : NULL;
    }
    *ret_near = group.best;
    return near;
}

static const char *const spec_names[SPEC_COUNT] = {
    [SPEC_PAP] = "Personal Agent Protocol",
    [SPEC_OPERATIONS] = "Personal Agent Protocol, Operations extension",
    [SPEC_SKILLS] = "Agent Skills",
    [SPEC_DISCOVERY] = "Agent Skills Discovery 0.2.0",
    [SPEC_RFC8414] = "RFC 8414 (OAuth server metadata)",
    [SPEC_RFC9728] = "RFC 9728 (protected resource metadata)",
    [SPEC_RFC7517] = "RFC 7517 (JSON Web Key)",
    [SPEC_CIMD] = "OAuth Client ID Metadata Document",
    [SPEC_OPENAPI] = "OpenAPI",
    [SPEC_MCP] = "Model Context Protocol",
    [SPEC_RFC8259] = "RFC 8259 (JSON)",
    [SPEC_YAML] = "YAML 1.2",
    [SPEC_RFC9110] = "RFC 9110 (HTTP)",
    [SPEC_RFC9111] = "RFC 9111 (HTTP caching)",
    [SPEC_FETCH] = "Fetch (CORS)",
    [SPEC_TLS] = "RFC 9325 (TLS)",
    [SPEC_PAPAVER] = "advice",
};

const char *spec_name(enum spec s)
{
    return s < SPEC_COUNT ? spec_names[s] : "";
}

const char *level_name(enum level l)
{
    static const char *const names[] = {"MUST", "SHOULD", "MAY", "ADVICE"};
    return l <= LEVEL_ADVICE ? names[l] : "";
}
