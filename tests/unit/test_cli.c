/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line against a library of straw: what the options make of their values, what papaver.json may set, and what
 * is said about mistakes. The real program runs in tests/cases.
 */
#include "unit.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <papaver/check.h>
#include <papaver/web.h>

#include "cli/check_options.h"
#include <papaver/census.h>
#include <papaver/watch.h>

#include "cli/command.h"
#include "cli/progress.h"

/* ---- the library of straw ----------------------------------------------------------------------------------------- */

static struct pap_check_options seen;
static const char *seen_targets[8];
static size_t seen_n;
static int calls;
static pap_result answer;
static int answer_exit;

pap_result pap_check(const struct pap_check_options *options, const char *const *targets, size_t n,
                     struct pap_counts *ret_counts, int *ret_exit, struct pap_err *err)
{
    calls++;
    seen = *options;
    seen_n = n;
    for (size_t i = 0; i < n && i < 8; i++)
        seen_targets[i] = targets[i];
    if (answer.code != PAP_OK)
        return fail(err, answer.code, "the library says why");
    *ret_counts = (struct pap_counts){.errors = 2, .warnings = 1, .documents = 3};
    *ret_exit = answer_exit;
    return options->write(options->ctx, "report\n", 7) ? answer : fail(err, PAP_IO, "sink");
}

static const struct pap_rule rules[] = {
    {.id = "poppy.auth.issuer",
     .covers = "D16",
     .specification = "Personal Agent Protocol",
     .section = "3.1",
     .versions = "0.1",
     .provisional_versions = "0.4 1.0",
     .level = "MUST",
     .kind = "poppy.json",
     .severity = PAP_ERROR,
     .title = "auth.issuer is there",
     .why = "Agents cannot sign in.",
     .mend = "Add it.",
     .good = "{\"issuer\": \"https://a\"}",
     .bad = "{}"},
    {.id = "poppy.name",
     .covers = "",
     .specification = "Personal Agent Protocol",
     .section = "",
     .versions = "",
     .provisional_versions = "",
     .level = "MAY",
     .kind = "poppy.json",
     .severity = PAP_ERROR,
     .provisional = true,
     .title = "a name",
     .why = "",
     .mend = "",
     .good = "",
     .bad = ""},
    {.id = "json.syntax",
     .covers = "",
     .specification = "RFC 8259",
     .section = "2",
     .versions = "",
     .provisional_versions = "",
     .level = "MUST",
     .kind = "any text",
     .severity = PAP_WARNING,
     .title = "the text is JSON",
     .why = "",
     .mend = "",
     .good = "",
     .bad = ""},
};

size_t pap_rule_count(void)
{
    return sizeof rules / sizeof *rules;
}

void pap_rule_at(size_t i, struct pap_rule *ret)
{
    *ret = rules[i];
}

bool pap_rule_find(const char *id, struct pap_rule *ret, const char **ret_near)
{
    *ret_near = strcmp(id, "poppy.nmae") == 0 ? "poppy.name" : NULL;
    for (size_t i = 0; i < pap_rule_count(); i++)
        if (strcmp(rules[i].id, id) == 0) {
            *ret = rules[i];
            return true;
        }
    return false;
}

bool pap_rule_fits(size_t i, const char *pattern)
{
    return strncmp(rules[i].id, pattern, strlen(pattern)) == 0;
}

bool pap_format_find(const char *name, enum pap_format *ret)
{
    static const char *const names[] = {"text", "json", "sarif", "junit", "github", "html", "markdown"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *ret = (enum pap_format)i;
            return true;
        }
    return false;
}

/* The site has tests of its own; linked whole it would bring the library along. */
pap_result pap_web(const struct pap_web_options *options, struct pap_err *err)
{
    (void)options;
    return fail(err, PAP_USAGE, "no site here");
}

/* A census is another program's test (tests/flows/census.sh); linked whole it would bring the library along. */
pap_result pap_census_open(const struct pap_census_options *options, struct pap_census **ret, struct pap_err *err)
{
    (void)options, (void)ret;
    return fail(err, PAP_USAGE, "no census here");
}

void pap_census_close(struct pap_census *census)
{
    (void)census;
}

pap_result pap_watch(const struct pap_watch_options *options, const char *const *domains, size_t n,
                     struct pap_watched *ret, struct pap_err *err)
{
    (void)options, (void)domains, (void)n, (void)ret;
    return fail(err, PAP_USAGE, "no watch here");
}

#define NO_CENSUS(name, ...)                           \
    pap_result name(struct pap_census *c, __VA_ARGS__) \
    {                                                  \
        (void)c;                                       \
        return fail(e, PAP_USAGE, "no census here");   \
    }
NO_CENSUS(pap_census_add, const struct pap_census_list *l __attribute__((unused)),
          struct pap_census_added *r __attribute__((unused)), struct pap_err *e)
NO_CENSUS(pap_census_run, const struct pap_census_run *o __attribute__((unused)),
          struct pap_census_progress *r __attribute__((unused)), struct pap_err *e)
NO_CENSUS(pap_census_status, const struct pap_census_out *o __attribute__((unused)), struct pap_err *e)
NO_CENSUS(pap_census_report, bool u __attribute__((unused)), const struct pap_census_out *o __attribute__((unused)),
          struct pap_err *e)
NO_CENSUS(pap_census_pages, bool u __attribute__((unused)), const char *f __attribute__((unused)), struct pap_err *e)
NO_CENSUS(pap_census_diff, int64_t b __attribute__((unused)), int64_t a __attribute__((unused)),
          const struct pap_census_out *o __attribute__((unused)), uint64_t *n __attribute__((unused)),
          struct pap_err *e)
NO_CENSUS(pap_census_export, const struct pap_census_out *o __attribute__((unused)), struct pap_err *e)
NO_CENSUS(pap_census_prune, int64_t b __attribute__((unused)), struct pap_census_pruned *r __attribute__((unused)),
          struct pap_err *e)
NO_CENSUS(pap_census_judge, struct pap_census_judged *r __attribute__((unused)), struct pap_err *e)

const char *pap_version(void)
{
    return "0.0.0-straw";
}

/* ---- running it --------------------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/papaver-cli-XXXXXX";
static struct cli cli;
static char *out, *err;
static size_t out_n, err_n;
static char words_copy[1024];
static const struct pap_alloc *alloc;

static void forget(void)
{
    free(out);
    free(err);
    out = err = NULL;
}

/* Runs a command line, words separated by blanks ("_" stands for an empty word). What options point to stays alive until
 * the next call. */
static int run(const char *words)
{
    char *argv[64] = {(char[]){"papaver"}};
    int argc = 1;
    (void)snprintf(words_copy, sizeof words_copy, "%s", words);
    for (char *w = strtok(words_copy, " "); w; w = strtok(NULL, " "))
        argv[argc++] = strcmp(w, "_") == 0 ? w + 1 : w;
    forget();
    if (cli.memory)
        (void)cli_fini(&cli, 0);
    memset(&seen, 0, sizeof seen);
    calls = 0;
    cli = (struct cli){.in = fopen("/dev/null", "r"),
                       .out = open_memstream(&out, &out_n),
                       .err = open_memstream(&err, &err_n),
                       .alloc = alloc};
    assert_non_null(cli.out);
    int status = commands_run(&cli, argc, argv);
    assert_int_equal(fclose(cli.in), 0);
    assert_int_equal(fclose(cli.out), 0);
    assert_int_equal(fclose(cli.err), 0);
    cli.in = stdin, cli.out = stdout, cli.err = stderr; /* the memory is freed by the next call */
    return status;
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static char *read_file(const char *name)
{
    static char text[256];
    FILE *f = fopen(name, "r");
    if (!f)
        return NULL;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    assert_int_equal(fclose(f), 0);
    return text;
}

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    char command[64];
    forget();
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

/* ---- tests -------------------------------------------------------------------------------------------------------- */

static void check_rows(const struct command *command)
{
    size_t n = 0;
    assert_true(command->summary[0] && command->about[0] && command->examples[0].command);
    assert_int_equal(command->run == NULL, command->parts != NULL);
    if (command->run && !command->arguments)
        unit_fail("papaver %s: --help needs its arguments, if only \"\"", command->name);
    for (const struct option_row *row = command->options; row && row->name; row++, n++) {
        size_t index;
        assert_ptr_equal(option_find(command->options, row->name, &index), row); /* unique */
        assert_int_equal(index, n);
        assert_true(row->help[0] && row->set);
        assert_string_not_equal(row->name, "help");
        assert_int_equal(row->choices != NULL, row->complete == COMPLETE_CHOICES);
        assert_true(row->argument || (!row->optional && !row->choices && row->set == set_flag));
        if (row->set == set_list || row->set == set_comma_list || row->set == set_resolve || row->set == set_connect_to)
            assert_true(row->list);
        if (row->not_with)
            assert_non_null(option_find(command->options, row->not_with, NULL));
        for (const struct option_row *other = command->options; other < row; other++)
            assert_true(!row->letter || (other->letter != row->letter && row->letter != 'h'));
    }
    assert_true(n < OPTION_MOST);
    for (const struct command *const *part = command->parts; part && *part; part++) {
        size_t before = strlen(command->name);
        assert_memory_equal((*part)->name, command->name, before);
        assert_int_equal((*part)->name[before], ' ');
        assert_string_equal(command_word(*part), (*part)->name + before + 1);
        check_rows(*part);
    }
}

static void test_rows(void **state)
{
    (void)state;
    static const char *const never_found[] = {"allow-private", "insecure-http", "cacert", "resolve",
                                              "connect-to",    "proxy",         "output", "online"};
    for (size_t c = 0; commands[c]; c++) {
        for (size_t d = 0; d < c; d++)
            assert_string_not_equal(commands[c]->name, commands[d]->name);
        check_rows(commands[c]);
    }
    for (size_t i = 0; i < sizeof never_found / sizeof *never_found; i++)
        assert_int_equal(option_find(check_option_rows, never_found[i], NULL)->config, CONFIG_NAMED);
    for (unsigned i = 0; format_names[i]; i++) {
        enum pap_format f;
        assert_true(pap_format_find(format_names[i], &f));
        assert_int_equal(f, i);
    }
}

static void test_defaults(void **state)
{
    (void)state;
    answer_exit = 1;
    assert_int_equal(run("check shop.example"), 1);
    assert_string_equal(out, "report\n");
    assert_string_equal(err, "");
    assert_int_equal(seen_n, 1);
    assert_string_equal(seen_targets[0], "shop.example");
    assert_int_equal(seen.fail_on, PAP_ERROR);
    assert_int_equal(seen.format, PAP_TEXT);
    assert_true(!seen.as_version && !seen.only && !seen.skip && !seen.baseline && !seen.write_baseline &&
                !seen.network.proxy);
    assert_true(!seen.offline && !seen.online && !seen.mcp && !seen.network.allow_private && !seen.insecure_http &&
                !seen.color);
    assert_int_equal(seen.network.timeout_ms, 0);
    answer_exit = 0;
}

static void test_all_options(void **state)
{
    (void)state;
    write_file("ca.pem", "a comment\n-----BEGIN CERTIFICATE-----\n");
    write_file("base", "{}");
    assert_int_equal(
        run("check --as=0.1 --kind skill a.example --only a.*,b --only=c --skip d -f json --fail-on info "
            "--baseline base --exchanges --online --mcp --timeout 500ms -j4 --cacert ca.pem "
            "--resolve a.example:443:127.0.0.1 --resolve b.example:443:[::1] --connect-to a.example:443:b.example:8443 "
            "--connect-to ::b.example: --proxy socks5h://p:1 --allow-private --insecure-http -q --color always "
            "-- --weird"),
        0);
    assert_string_equal(seen.as_version, "0.1");
    assert_string_equal(seen.kind, "skill");
    assert_string_equal(seen.only[0], "a.*");
    assert_string_equal(seen.only[1], "b");
    assert_string_equal(seen.only[2], "c");
    assert_null(seen.only[3]);
    assert_string_equal(seen.skip[0], "d");
    assert_null(seen.skip[1]);
    assert_int_equal(seen.format, PAP_JSON);
    assert_int_equal(seen.fail_on, PAP_INFO);
    assert_string_equal(seen.baseline, "base");
    assert_true(seen.exchanges && seen.online && seen.mcp && seen.network.allow_private && seen.insecure_http &&
                seen.quiet);
    assert_int_equal(seen.network.timeout_ms, 500);
    assert_int_equal(seen.jobs, 4);
    assert_string_equal(seen.network.cacert, "ca.pem");
    assert_string_equal(seen.network.resolve[1], "b.example:443:[::1]");
    assert_string_equal(seen.network.connect_to[1], "::b.example:");
    assert_null(seen.network.connect_to[2]);
    assert_string_equal(seen.network.proxy, "socks5h://p:1");
    assert_true(seen.color);
    assert_int_equal(seen_n, 2);
    assert_string_equal(seen_targets[1], "--weird");
    assert_non_null(strstr(err, "WARNING: --insecure-http"));
}

static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t ms;
    } good[] = {{"10", 10000}, {"2.5", 2500},   {"0.0015s", 1}, {"500ms", 500},
                {"1m", 60000}, {"600", 600000}, {"2s", 2000}};
    static const char *const bad[] = {"0", "0.0001", "x", "-1", "1h", "601", "9999999999", "1.", ".5", "1e3"};
    char line[64];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        (void)snprintf(line, sizeof line, "check x --timeout %s", good[i].text);
        assert_int_equal(run(line), 0);
        assert_int_equal(seen.network.timeout_ms, good[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        (void)snprintf(line, sizeof line, "check x --timeout=%s", bad[i]);
        assert_int_equal(run(line), 2);
        assert_int_equal(calls, 0);
    }
}

/* Command lines that people get wrong, and what they are told. */
static const struct {
    const char *words, *says;
} mistakes[] = {
    {"", "Usage: papaver COMMAND"},
    {"check", "nothing to check: name a domain, an https URL, a file, a folder, or - for standard input\n"
              "  papaver check shop.example        what a company publishes\n"},
    {"shop.example", "there is no command \"shop.example\"; to check it write: papaver check shop.example"},
    {"chekc x", "there is no command \"chekc\"; did you mean \"check\"?"},
    {"frobnicate", "there is no command \"frobnicate\"; papaver help lists them"},
    {"--offline check x", "options stand behind the command: papaver check --offline ..."},
    {"check x --fail_on error", "there is no option --fail_on; did you mean --fail-on?"},
    {"check x --formt=json", "there is no option --formt; did you mean --format?"},
    {"check x --form json", "there is no option --form; did you mean --format?"},
    {"check x --frobnicate", "there is no option --frobnicate; papaver check --help lists them"},
    {"check x --json", "there is no option --json; write --format json"},
    {"check x --verbose", "there is no option --verbose; --exchanges shows each request and answer"},
    {"check x --insecure", "there is no option --insecure; certificates are always checked"},
    {"check x -z", "there is no option -z; papaver check --help lists them"},
    {"check x -format json", "-format: a long option has two hyphens: --format"},
    {"check x -format=json", "-format=json: a long option has two hyphens: --format=json"},
    {"check x --format jsn",
     "--format: \"jsn\" is none of text, json, sarif, junit, github, html or markdown; did you mean \"json\"?"},
    {"check x --format", "--format needs a value: --format FORMAT"},
    {"check x -f", "--format needs a value: --format FORMAT"},
    {"check x --format=", "--format: the value is empty (a variable that is not set?)"},
    {"check x --cacert _", "--cacert: the value is empty (a variable that is not set?)"},
    {"check x --output --quiet", "--output needs its FILE before the option --quiet"},
    {"check x --quiet=yes", "--quiet takes no value; write just --quiet"},
    {"check x --fail-on never", "--fail-on: \"never\" is none of error, warning or info"},
    {"check x --kind skil", "did you mean \"skill\"?"},
    {"check x --as v0.1", "--as: \"v0.1\" is no version of the protocol; write it as --as 0.1"},
    {"check x --jobs 0", "--jobs: \"0\" is no whole number from 1 to 1000; write it as --jobs 16"},
    {"check x --jobs 1.5", "--jobs: \"1.5\" is no whole number"},
    {"check x --timeout 5000", "5000 is more than the 600 seconds that are allowed; for milliseconds write 5000ms"},
    {"check x --timeout soon", "--timeout: \"soon\" is no time; write seconds such as 10 or 2.5, or 500ms"},
    {"check x --timeout 0", "--timeout: \"0\" leaves no time at all"},
    {"check x --only a,,b", "--only: \"a,,b\" has an empty pattern"},
    {"check x --offline --online", "--offline and --online exclude each other; leave one out"},
    {"check x --mcp --offline", "--mcp and --offline exclude each other"},
    {"check x --resolve a.example", "is not HOST:PORT:ADDR; an example: --resolve shop.example:443:192.0.2.7"},
    {"check x --resolve a.example:443", "is not HOST:PORT:ADDR"},
    {"check x --resolve a.example:443:b.example", "is not HOST:PORT:ADDR"},
    {"check x --resolve a.example:70000:1.2.3.4", "is not HOST:PORT:ADDR"},
    {"check x --connect-to a:443:b", "is not HOST:PORT:HOST:PORT; an example: --connect-to shop.example:443:staging"},
    {"check x --connect-to a:443:b:8443:c", "is not HOST:PORT:HOST:PORT"},
    {"check x --connect-to a:x:b:1", "is not HOST:PORT:HOST:PORT"},
    {"check x --proxy proxy.example:3128", "is no proxy URL; an example: --proxy http://proxy.example:3128"},
    {"check x --proxy ftp://p", "is no proxy URL"},
    {"check x --cacert nowhere.pem", "--cacert: cannot read nowhere.pem: No such file or directory"},
    {"check x --cacert /dev/null",
     "--cacert: there is no PEM certificate in /dev/null; a DER file becomes one by: openssl x509"},
    {"check x --config nowhere.json", "--config: cannot read nowhere.json: No such file or directory"},
    {"check x --baseline none.json",
     "--baseline: there is no file none.json; to make it, write --write-baseline=none.json instead"},
    {"check --write-baseline known.json x",
     "is known.json the file to write, or a target? Write --write-baseline=known.json"},
    {"check --targets nowhere", "--targets: cannot read nowhere: No such file or directory"},
    {"check --targets -", "--targets: standard input names no target"},
    {"check --targets - -", "standard input can be read once"},
    {"check a _ b", "target 2 is empty (a variable that is not set?)"},
    {"check x --output /tmp", "--output: /tmp is a folder; name a file in it"},
    {"explain poppy.nmae", "there is no check \"poppy.nmae\"; did you mean poppy.name?"},
    {"explain poppy.name zzz", "no check fits \"zzz\"; papaver explain lists them all"},
    {"version now", "version takes no argument \"now\""},
    {"help chekc", "there is no command \"chekc\"; did you mean \"check\"?"},
    {"help check x", "help takes one command: papaver help check"},
    {"help --all", "there is no option --all; papaver help --help lists them"},
};

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        int status = run(mistakes[i].words);
        if (status != 2 || calls || out_n || !strstr(err, mistakes[i].says))
            unit_fail("papaver %s\n  exits with %d and says\n%s  want 2 and\n%s", mistakes[i].words, status, err,
                      mistakes[i].says);
    }
}

static void test_control_bytes_are_harmless(void **state)
{
    (void)state;
    assert_int_equal(run("check x --fo\033[2Jo"), 2);
    assert_null(strchr(err, '\033'));
    assert_int_equal(run("check x --format \033]0;x\a"), 2);
    assert_null(strchr(err, '\033'));
}

static void test_library_fails(void **state)
{
    (void)state;
    static const struct {
        enum pap_code code;
        int status;
    } cases[] = {{PAP_USAGE, 2},     {PAP_SYNTAX, 2},      {PAP_IO, 3},
                 {PAP_NO_MEMORY, 3}, {PAP_UNAVAILABLE, 3}, {PAP_CANCELLED, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answer.code = cases[i].code;
        assert_int_equal(run("check x -o r.txt"), cases[i].status);
        assert_string_equal(err, "papaver: the library says why\n");
        assert_int_not_equal(access("r.txt", F_OK), 0);
    }
    answer.code = PAP_OK;
}

/* ---- papaver.json ------------------------------------------------------------------------------------------------- */

static void test_config(void **state)
{
    (void)state;
    assert_int_equal(mkdir("sub", 0700), 0);
    write_file("sub/known", "{}");
    write_file("sub/c.json",
               "{\"check\": {\"fail-on\": \"warning\", \"skip\": [\"a\", \"b\"], \"only\": \"c,d\", \"jobs\": 3, "
               "\"offline\": true, \"exchanges\": true, \"quiet\": false, \"as\": \"0.1\", \"baseline\": \"known\", "
               "\"timeout\": 2.5, \"allow-private\": true, \"format\": \"json\"}}");
    assert_int_equal(run("check x --config sub/c.json"), 0);
    assert_int_equal(seen.fail_on, PAP_WARNING);
    assert_string_equal(seen.skip[1], "b");
    assert_string_equal(seen.only[1], "d");
    assert_int_equal(seen.jobs, 3);
    assert_true(seen.offline && seen.exchanges && !seen.quiet && seen.network.allow_private);
    assert_string_equal(seen.as_version, "0.1");
    assert_string_equal(seen.baseline, "sub/known");
    assert_int_equal(seen.network.timeout_ms, 2500);
    assert_int_equal(seen.format, PAP_JSON);
    write_file("c2.json", "{\"check\": {\"baseline\": \"/dev/null\"}}");
    assert_int_equal(run("check x --config c2.json"), 0);
    assert_string_equal(seen.baseline, "/dev/null");
    assert_int_equal(run("check x --config ./c2.json"), 0);
    assert_string_equal(seen.baseline, "/dev/null");
    /* flags win */
    assert_int_equal(
        run("check x --config sub/c.json --fail-on info --skip z --online --no-exchanges --no-allow-private "
            "--format text --jobs 9"),
        0);
    assert_int_equal(seen.fail_on, PAP_INFO);
    assert_string_equal(seen.skip[0], "z");
    assert_null(seen.skip[1]);
    assert_true(seen.online && !seen.offline && !seen.exchanges && !seen.network.allow_private);
    assert_int_equal(seen.format, PAP_TEXT);
    assert_int_equal(seen.jobs, 9);
}

static void test_config_found_in_the_folder(void **state)
{
    (void)state;
    static const char *const refused[] = {"\"allow-private\": true", "\"insecure-http\": true",
                                          "\"cacert\": \"x\"",       "\"resolve\": \"a:1:1.1.1.1\"",
                                          "\"connect-to\": []",      "\"proxy\": \"http://p\"",
                                          "\"output\": \"x\"",       "\"allow-private\": false"};
    char text[128];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        (void)snprintf(text, sizeof text, "{\"check\": {%s}}", refused[i]);
        write_file("papaver.json", text);
        assert_int_equal(run("check x"), 2);
        assert_int_equal(calls, 0);
        assert_non_null(strstr(err, "cannot be set by a file that was merely found in the folder"));
    }
    write_file("papaver.json", "{\"check\": {\"skip\": [], \"mcp\": true, \"exchanges\": true}}");
    assert_int_equal(run("check x"), 0);
    assert_true(seen.exchanges && seen.mcp && !seen.skip);
    write_file("other.json", "{}"); /* --config replaces it */
    assert_int_equal(run("check x --config other.json"), 0);
    assert_false(seen.exchanges);
    assert_int_equal(unlink("papaver.json"), 0);
}

static void test_config_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"{\"check\": {\"failon\": \"info\"}}",
         "papaver.json:1:22: there is no setting \"failon\"; did you mean \"fail-on\"?"},
        {"{\"check\": {\"zzz\": 1}}", "papaver.json:1:19: there is no setting \"zzz\"\n"},
        {"{\"check\": {\"help\": true}}", "there is no setting \"help\""},
        {"{\"check\": {\"write-baseline\": \"x\"}}",
         "papaver.json:1:30: \"write-baseline\" cannot be set in a file; give "
         "--write-baseline on the command line"},
        {"{\"check\": {\"config\": \"x\"}}", "\"config\" cannot be set in a file"},
        {"{\"check\": {\"offline\": \"yes\"}}", "papaver.json:1:23: \"offline\" needs true or false"},
        {"{\"check\": {\"as\": true}}", "\"as\" needs one text or number"},
        {"{\"check\": {\"as\": [\"0.1\"]}}", "\"as\" needs one text or number"},
        {"{\"check\": {\"as\": []}}", "\"as\" needs one text or number"},
        {"{\"check\": {\"skip\": true}}", "\"skip\" needs text or a list of texts"},
        {"{\"check\": {\"as\": \"\"}}", "papaver.json:1:18: as: the value is empty"},
        {"{\"check\": {\"fail-on\": \"warn\"}}",
         "papaver.json:1:23: fail-on: \"warn\" is none of error, warning or info"},
        {"{\"check\": {\"offline\": true, \"mcp\": true}}",
         "papaver.json:1:36: \"offline\" and \"mcp\" exclude each other"},
        {"{\"check\": {\"as\": \"0.1\"", "papaver.json:1:23: not JSON"},
        {"{\"checks\": {}}", "there is no section \"checks\"; did you mean \"check\"?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("papaver.json", cases[i].text);
        int status = run("check x");
        if (status != 2 || calls || !strstr(err, cases[i].says))
            unit_fail("%s\n  exits with %d and says\n%s  want\n%s", cases[i].text, status, err, cases[i].says);
    }
    assert_int_equal(unlink("papaver.json"), 0);
}

/* ---- targets, baselines, outputs ---------------------------------------------------------------------------------- */

static void test_targets(void **state)
{
    (void)state;
    write_file("list", "# those of today\n\n  a.example \r\nhttps://b.example/x#y\n\t./a b\n#c\nlast");
    assert_int_equal(run("check first --targets list"), 0);
    assert_int_equal(seen_n, 5);
    assert_string_equal(seen_targets[0], "first");
    assert_string_equal(seen_targets[1], "a.example");
    assert_string_equal(seen_targets[2], "https://b.example/x#y");
    assert_string_equal(seen_targets[3], "./a b");
    assert_string_equal(seen_targets[4], "last");
    FILE *f = fopen("nul", "w");
    assert_int_equal(fwrite("a\0b\n", 1, 4, f), 4);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(run("check --targets nul"), 2);
    assert_non_null(strstr(err, "nul:1: this line is no target: it holds a NUL byte"));
    write_file("none", "# nothing\n");
    assert_int_equal(run("check --targets none"), 2);
    assert_non_null(strstr(err, "none names no target"));
    write_file("poppy.json", "{}");
    assert_int_equal(run("check poppy.json"), 0);
    assert_non_null(
        strstr(err, "\"poppy.json\" is taken for a domain; to check the file of that name write ./poppy.json"));
    assert_int_equal(run("check ./poppy.json"), 0);
    assert_string_equal(err, "");
}

static void test_baseline(void **state)
{
    (void)state;
    assert_int_equal(run("check x --write-baseline"), 0);
    assert_string_equal(seen.write_baseline, "papaver-baseline.json");
    assert_null(seen.baseline);
    assert_int_equal(run("check x --write-baseline=new.json"), 0);
    assert_string_equal(seen.write_baseline, "new.json");
    assert_int_equal(run("check x --baseline new.json --write-baseline"), 0); /* the first time */
    assert_string_equal(seen.write_baseline, "new.json");
    assert_null(seen.baseline);
    write_file("new.json", "{}");
    assert_int_equal(run("check --write-baseline --baseline new.json x"), 0);
    assert_string_equal(seen.baseline, "new.json");
    assert_string_equal(seen.write_baseline, "new.json");
}

static void test_output(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(run("check x -o -"), 0);
    assert_string_equal(out, "report\n");
    assert_int_equal(run("check x --output report.json"), 0);
    assert_string_equal(out, "");
    assert_string_equal(read_file("report.json"), "report\n");
    assert_non_null(strstr(err, "note: report.json gets the report as text; for json add --format json"));
    assert_non_null(strstr(err, "2 errors, 1 warning in 3 documents; the report is in report.json"));
    assert_int_equal(run("check x -q -f json --output report.json"), 0);
    assert_string_equal(err, "");
    /* the mode and a link stay */
    write_file("real", "old");
    assert_int_equal(chmod("real", 0600), 0);
    assert_int_equal(symlink("real", "link"), 0);
    assert_int_equal(run("check x -q -o link"), 0);
    assert_string_equal(read_file("real"), "report\n");
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat("real", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(run("check x -o /dev/null -q"), 0);
    assert_int_equal(run("check x -o nowhere/r"), 3);
    assert_non_null(strstr(err, "--output: cannot write nowhere/r: No such file or directory"));
    assert_int_equal(calls, 0);
    assert_int_equal(run("check x -o /dev/full"), 3);
    assert_string_equal(err, "papaver: cannot write to /dev/full: No space left on device\n");
}

static void test_color(void **state)
{
    (void)state;
    assert_int_equal(run("check x"), 0);
    assert_false(seen.color);
    assert_int_equal(run("check x --color=always"), 0);
    assert_true(seen.color);
    assert_int_equal(run("check x --color never"), 0);
    assert_false(seen.color);
}

static void test_every_failing_allocation(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "check ./a --targets list --config c.json --only x,y --only z --resolve a.example:443:1.1.1.1 -o report",
        "check --formta json x",
        "explain poppy.auth.issuer",
    };
    write_file("list", "a\nb\n");
    write_file("c.json", "{\"check\": {\"skip\": [\"a\", \"b\", \"c\"], \"baseline\": \"sub\", \"jobs\": 3}}");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        unsigned n = 1;
        for (; n < FAIL_ALLOC_MOST; n++) {
            struct fail_alloc f;
            fail_alloc_init(&f, n);
            alloc = &f.alloc;
            int status = run(lines[i]);
            (void)cli_fini(&cli, 0);
            alloc = NULL;
            assert_int_equal(f.live, 0);
            if (f.calls < n) {
                assert_int_equal(status, i == 1 ? 2 : 0);
                break;
            }
            if (status != 3 && i != 1) /* a proposal that there is no memory for is left out */
                unit_fail("%s: allocation %u failed, status %d", lines[i], n, status);
            if (!strstr(err, "memory"))
                unit_fail("%s: allocation %u failed, and it says %s", lines[i], n, err);
        }
        assert_in_range(n, 3, FAIL_ALLOC_MOST - 1);
    }
}

static void test_bar_comes_ten_times_a_second(void **state)
{
    (void)state;
    char *bars;
    size_t n, count = 0;
    struct progress p;
    struct timespec begun, now;
    FILE *f = open_memstream(&bars, &n);
    assert_non_null(f);
    struct cli terminal = {.err = f, .err_is_terminal = true, .term = "xterm"};
    progress_init(&p, &terminal, true);
    (void)clock_gettime(CLOCK_MONOTONIC, &begun);
    double s = 0;
    for (size_t i = 0; s < 0.45; i++) {
        progress_show(&p, &(struct pap_progress){.done = i, .total = SIZE_MAX, .now = "shop.example", .errors = i});
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        s = (double)(now.tv_sec - begun.tv_sec) + (double)(now.tv_nsec - begun.tv_nsec) / 1e9;
    }
    progress_clear(&p);
    progress_clear(&p);
    assert_int_equal(fclose(f), 0);
    for (const char *at = bars; (at = strstr(at, "\r[")); at++)
        count++;
    assert_in_range(count, 2, (size_t)(s * 10) + 1);
    assert_string_equal(bars + n - 4, "\r\033[K");
    assert_null(strstr(bars, "\r\033[K\r\033[K"));
    free(bars);
}

/* ---- explain, version, help --------------------------------------------------------------------------------------- */

static void test_explain(void **state)
{
    (void)state;
    assert_int_equal(run("explain"), 0);
    assert_string_equal(out, "poppy.json\n"
                             "  poppy.auth.issuer  error    auth.issuer is there\n"
                             "  poppy.name         info     a name\n\n"
                             "any text\n"
                             "  json.syntax  warning  the text is JSON\n\n"
                             "3 checks; papaver explain ID tells more about one.\n");
    assert_int_equal(run("explain poppy.auth.issuer"), 0);
    assert_string_equal(out, "poppy.auth.issuer\n"
                             "  auth.issuer is there\n\n"
                             "  Why     Agents cannot sign in.\n"
                             "  Mend    Add it.\n"
                             "  Bad     {}\n"
                             "  Good    {\"issuer\": \"https://a\"}\n"
                             "  Rule    Personal Agent Protocol, section 3.1: MUST (D16)\n"
                             "  Judges  poppy.json\n"
                             "  Holds   in 0.1, provisionally in 0.4 1.0\n"
                             "  Gives   error\n");
    assert_int_equal(run("explain poppy"), 0);
    assert_non_null(strstr(out, "2 checks"));
    assert_int_equal(run("explain json"), 0); /* one: in full */
    assert_non_null(strstr(out, "  Rule    RFC 8259, section 2: MUST\n"));
    assert_int_equal(run("explain poppy.name json.syntax"), 0);
    assert_non_null(strstr(out, "  Gives   info, because the wording is not public yet\n\njson.syntax\n"));
    assert_int_equal(run("explain --json poppy.auth.issuer"), 0);
    assert_string_equal(
        out,
        "[\n  {\"id\": \"poppy.auth.issuer\", \"severity\": \"error\", \"level\": \"MUST\", \"kind\": "
        "\"poppy.json\", \"specification\": \"Personal Agent Protocol\", \"section\": \"3.1\", \"versions\": "
        "\"0.1\", \"provisional_versions\": \"0.4 1.0\", \"provisional\": false, \"publish_only\": false, \"publish_severity\": \"info\", \"covers\": \"D16\", \"title\": "
        "\"auth.issuer is there\", \"why\": "
        "\"Agents cannot sign in.\", \"mend\": \"Add it.\", \"good\": \"{\\\"issuer\\\": \\\"https://a\\\"}\", "
        "\"bad\": \"{}\"}\n]\n");
}

static void test_version_and_help(void **state)
{
    (void)state;
    assert_int_equal(run("version"), 0);
    assert_string_equal(out, "papaver 0.0.0-straw\n");
    assert_int_equal(run("--version"), 0);
    assert_string_equal(out, "papaver 0.0.0-straw\n");
    assert_int_equal(run("version --json"), 0);
    assert_string_equal(out, "{\"name\": \"papaver\", \"version\": \"0.0.0-straw\", \"checks\": 3}\n");
    static const char *const ways[] = {"--help", "-h", "help"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(run(ways[i]), 0);
        assert_non_null(strstr(out, "Usage: papaver COMMAND"));
    }
    static const char *const check_ways[] = {"help check", "check --help", "check x -qh", "check --offline --help"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(run(check_ways[i]), 0);
        assert_string_equal(err, "");
        for (const struct option_row *row = check_option_rows; row->name; row++) {
            char wanted[64];
            (void)snprintf(wanted, sizeof wanted, "--%s", row->name);
            assert_non_null(strstr(out, wanted));
        }
        for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
            assert_true(strlen(line) <= 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_all_options),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_control_bytes_are_harmless),
        cmocka_unit_test(test_library_fails),
        cmocka_unit_test(test_config),
        cmocka_unit_test(test_config_found_in_the_folder),
        cmocka_unit_test(test_config_mistakes),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_baseline),
        cmocka_unit_test(test_output),
        cmocka_unit_test(test_color),
        cmocka_unit_test(test_bar_comes_ten_times_a_second),
        cmocka_unit_test(test_every_failing_allocation),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_version_and_help),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
