/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints docs/checks.md from the rows; with the argument `rows` a line for each: id, TAB, the numbers it covers.
 */
#include <stdio.h>
#include <string.h>

#include <papaver/check.h>

static const char *severity_name(enum pap_severity s)
{
    return s == PAP_ERROR ? "error" : s == PAP_WARNING ? "warning" : "info";
}

/* A table cell: a bar would end it, and "<" begin a tag. */
static void cell(const char *s)
{
    for (; *s; s++) {
        if (*s == '|')
            fputs("\\|", stdout);
        else if (*s == '<')
            fputs("&lt;", stdout);
        else
            putchar(*s);
    }
    fputs(" | ", stdout);
}

static void versions_cell(const struct pap_rule *r)
{
    if (*r->versions)
        printf("%s", r->versions);
    if (*r->provisional_versions)
        printf("%sprovisional: %s", *r->versions ? "; " : "", r->provisional_versions);
    fputs(" | ", stdout);
}

static void row(const struct pap_rule *r)
{
    printf("| `%s` | ", r->id);
    cell(r->title);
    printf("%s%s | ", severity_name(r->provisional ? PAP_INFO : r->severity),
           r->publish_severity > r->severity ? "; published: error" : "");
    cell(r->level);
    printf("%s%s%s | ", r->specification, *r->section ? ", " : "", r->section);
    versions_cell(r);
    printf("%s |\n", r->covers);
}

static void page(void)
{
    const char *kind = "";
    size_t n = pap_rule_count(), provisional = 0;
    struct pap_rule r;
    for (size_t i = 0; i < n; i++) {
        pap_rule_at(i, &r);
        provisional += r.provisional;
    }
    printf(
        "# Checks\n\n"
        "Printed from the tables in `src/proto` by `tools/check-docs -w`; do not edit. `papaver explain ID` says why "
        "each\n"
        "matters and how to mend it.\n\n"
        "%zu rows, %zu of them provisional in every version: the wording they rest on is not public, so they give an\n"
        "info at most. A version called provisional does the same for a row that is certain in others; no version at\n"
        "all means that the row holds for every one. Numbers are those of `proto/reqs.tsv`. Rows below \"publishing\" run in\n"
        "`papaver publish` alone, which also takes for an error what says so.\n",
        n, provisional);
    for (size_t i = 0; i < n; i++) {
        pap_rule_at(i, &r);
        if (strcmp(kind, r.kind) != 0)
            printf("\n## %s\n\n| id | rule | severity | level | source | versions | numbers "
                   "|\n|---|---|---|---|---|---|---|\n",
                   r.kind);
        kind = r.kind;
        row(&r);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        page();
        return 0;
    }
    if (argc != 2 || strcmp(argv[1], "rows") != 0)
        return 2;
    for (size_t i = 0; i < pap_rule_count(); i++) {
        struct pap_rule r;
        pap_rule_at(i, &r);
        printf("%s\t%s\n", r.id, r.covers);
    }
    return 0;
}
