/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver explain: what a check means, from the rules of the library.
 */
#include <stddef.h>
#include <string.h>

#include <papaver/check.h>
#include <papaver/skill.h>

#include "cli/command.h"
#include "cli/json.h"

struct explain_options {
    bool json;
};

static const char *severity_name(enum pap_severity s)
{
    return s == PAP_ERROR ? "error" : s == PAP_WARNING ? "warning" : "info";
}

/* ---- choose ------------------------------------------------------------------------------------------------------- */

/* Marks what an argument names: one check by its whole id, else what --only would choose. false after proposing the nearest;
 * *ret_one says which it was. */
static bool choose(struct cli *cli, const char *wanted, bool *chosen, bool *ret_one)
{
    struct pap_rule rule, other;
    const char *near = NULL;
    size_t n = 0;
    *ret_one = pap_rule_find(wanted, &rule, &near);
    for (size_t i = 0; i < pap_rule_count(); i++) {
        pap_rule_at(i, &other);
        if (*ret_one ? other.id == rule.id : pap_rule_fits(i, wanted))
            n += chosen[i] = true;
    }
    for (unsigned code = PAP_SKILL_NONE + 1; !n && code < PAP_SKILL_CODES; code++)
        if (strcmp(wanted, pap_skill_code_name(code)) == 0)
            return cli_usage(
                cli,
                "\"%s\" says why a skill was refused, and is no check: the sentence that it stands behind has the reason",
                wanted);
    return n || (near ? cli_usage(cli, "there is no check \"%s\"; did you mean %s?", wanted, near)
                      : cli_usage(cli, "no check fits \"%s\"; papaver explain lists them all", wanted));
}

/* ---- show --------------------------------------------------------------------------------------------------------- */

static void show_json(struct cli *cli, const bool *chosen)
{
    bool first_rule = true;
    (void)fputc('[', cli->out);
    for (size_t i = 0; i < pap_rule_count(); i++) {
        struct pap_rule r;
        bool first = true;
        if (!chosen[i])
            continue;
        pap_rule_at(i, &r);
        (void)fprintf(cli->out, "%s\n  {", first_rule ? "" : ",");
        json_member(cli->out, &first, "id", r.id);
        json_member(cli->out, &first, "severity", severity_name(r.severity));
        json_member(cli->out, &first, "level", r.level);
        json_member(cli->out, &first, "kind", r.kind);
        json_member(cli->out, &first, "specification", r.specification);
        json_member(cli->out, &first, "section", r.section);
        json_member(cli->out, &first, "versions", r.versions);
        json_member(cli->out, &first, "provisional_versions", r.provisional_versions);
        (void)fprintf(cli->out, ", \"provisional\": %s, \"publish_only\": %s", r.provisional ? "true" : "false",
                      r.publish_only ? "true" : "false");
        json_member(cli->out, &first, "publish_severity", severity_name(r.publish_severity));
        json_member(cli->out, &first, "covers", r.covers);
        json_member(cli->out, &first, "title", r.title);
        json_member(cli->out, &first, "why", r.why);
        json_member(cli->out, &first, "mend", r.mend);
        json_member(cli->out, &first, "good", r.good);
        json_member(cli->out, &first, "bad", r.bad);
        (void)fputc('}', cli->out);
        first_rule = false;
    }
    (void)fputs("\n]\n", cli->out);
}

enum {
    LABEL = 10,      /* columns of the names at the left */
    ONE_LINE = 10000 /* a width that nothing needs: for grep */
};

static void show_part(struct cli *cli, const char *label, const char *text, unsigned width)
{
    if (!*text)
        return;
    (void)fprintf(cli->out, "  %-*s", LABEL - 2, label);
    cli_wrap(cli->out, text, LABEL, LABEL, width);
}

static void show_rule(struct cli *cli, const struct pap_rule *r, unsigned width)
{
    const char *rule = cli_join(cli, (const char *const[]){r->specification,
                                                           !*r->section              ? ""
                                                           : strchr(r->section, ',') ? ", sections "
                                                                                     : ", section ",
                                                           r->section, ": ", r->level, *r->covers ? " (" : "",
                                                           r->covers, *r->covers ? ")" : "", NULL});
    const char *found =
        cli_join(cli, (const char *const[]){severity_name(r->provisional ? PAP_INFO : r->severity),
                                            r->provisional    ? ", because the wording is not public yet"
                                            : r->publish_only ? "; papaver publish alone looks at it"
                                            : r->publish_severity > r->severity ? "; papaver publish refuses the skill"
                                                                                : "",
                                            NULL});
    const char *holds = cli_join(cli, (const char *const[]){*r->versions ? "in " : "", r->versions,
                                                            *r->versions && *r->provisional_versions ? ", " : "",
                                                            *r->provisional_versions ? "provisionally in " : "",
                                                            r->provisional_versions, NULL});
    if (!rule || !found || !holds)
        return;
    (void)fprintf(cli->out, "%s\n", r->id);
    (void)fputs("  ", cli->out);
    cli_wrap(cli->out, r->title, 2, 2, width);
    (void)fputc('\n', cli->out);
    show_part(cli, "Why", r->why, width);
    show_part(cli, "Mend", r->mend, width);
    show_part(cli, "Bad", r->bad, width);
    show_part(cli, "Good", r->good, width);
    show_part(cli, "Rule", rule, width);
    show_part(cli, "Judges", r->kind, width);
    show_part(cli, "Holds", holds, width);
    show_part(cli, "Gives", found, width);
}

/* The first chosen rule of each kind of document begins a group. */
static bool is_first_of_kind(const bool *chosen, size_t i, const char *kind)
{
    struct pap_rule other;
    for (size_t k = 0; k < i; k++) {
        if (chosen[k])
            pap_rule_at(k, &other);
        if (chosen[k] && strcmp(other.kind, kind) == 0)
            return false;
    }
    return true;
}

static void show_group(struct cli *cli, const bool *chosen, size_t from, const char *kind, unsigned width)
{
    struct pap_rule r;
    int widest = 0;
    for (size_t i = from; i < pap_rule_count(); i++) {
        pap_rule_at(i, &r);
        if (chosen[i] && strcmp(r.kind, kind) == 0 && (int)strlen(r.id) > widest)
            widest = (int)strlen(r.id);
    }
    (void)fprintf(cli->out, "%s\n", kind);
    for (size_t i = from; i < pap_rule_count(); i++) {
        pap_rule_at(i, &r);
        if (!chosen[i] || strcmp(r.kind, kind) != 0)
            continue;
        unsigned column = (unsigned)fprintf(cli->out, "  %-*s  %-7s  ", widest, r.id,
                                            severity_name(r.provisional ? PAP_INFO : r.severity));
        cli_wrap(cli->out, r.title, column, column, width < column + 30 ? column + 30 : width);
    }
}

static void show_table(struct cli *cli, const bool *chosen, unsigned width)
{
    struct pap_rule r;
    size_t n = 0;
    for (size_t i = 0; i < pap_rule_count(); i++) {
        pap_rule_at(i, &r);
        n += chosen[i];
        if (!chosen[i] || !is_first_of_kind(chosen, i, r.kind))
            continue;
        show_group(cli, chosen, i, r.kind, width);
        (void)fputc('\n', cli->out);
    }
    (void)fprintf(cli->out, "%zu check%s; papaver explain ID tells more about one.\n", n, plural(n));
}

static int run(struct cli *cli, const struct command *self, int argc, char **argv)
{
    struct explain_options o = {0};
    struct arguments args;
    size_t count = pap_rule_count(), n = 0;
    bool *chosen = cli_alloc(cli, count + 1);
    if (!chosen || !options_parse(cli, self, argc, argv, &o, &args))
        return cli->status;
    bool table = args.n == 0;
    for (size_t i = 0; i < args.n; i++) {
        bool one;
        if (!choose(cli, args.at[i], chosen, &one))
            return cli->status;
        table |= !one;
    }
    for (size_t i = 0; i < count; i++)
        n += chosen[i] |= args.n == 0;
    unsigned width = cli_width(cli->out, 100);
    width = width < 40 ? 40 : width > 120 ? 120 : width;
    if (o.json) {
        show_json(cli, chosen);
    } else if (table && n != 1) {
        show_table(cli, chosen, cli->out_is_terminal ? width : ONE_LINE);
    } else {
        for (size_t i = 0; i < count; i++) {
            struct pap_rule r;
            if (!chosen[i])
                continue;
            pap_rule_at(i, &r);
            show_rule(cli, &r, width);
            if (--n)
                (void)fputc('\n', cli->out);
        }
    }
    return cli->status;
}

static const struct option_row options[] = {
    {.name = "json",
     .field = offsetof(struct explain_options, json),
     .set = set_flag,
     .help = "as JSON, one object a check"},
    {.name = NULL},
};

const struct command cmd_explain = {
    .name = "explain",
    .run = run,
    .summary = "tell what a check means and how to mend what it found",
    .arguments = "[ID...]",
    .about =
        "Tells what a check means: the rule and its section, why it matters, how to mend what it found, a bad and a "
        "good "
        "example, and how severe it is. Without an ID, or with a pattern (* and ?), it lists the checks by the kind of "
        "document they judge.",
    .options = options,
    .examples = (const struct example[]){{"papaver explain json.duplicate-member", "one check in full"},
                                         {"papaver explain poppy.auth", "the checks of a group"},
                                         {"papaver explain --json", "every check, for a script"},
                                         {NULL, NULL}},
    .completes_rules = true,
};
