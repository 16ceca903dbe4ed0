/* SPDX-License-Identifier: Apache-2.0
 *
 * The negative documents of the protocol digest, 1 to 35: each is one change to a good document and must give the id and
 * severity that the file `table` names; whatever else it gives is not looked at. Good documents (number 0) give no error
 * and no warning. Every number must be there.
 */
#include <stdio.h>
#include <string.h>

#include "lib/case.h"
#include "sys/file.h"

enum { NUMBERS = 35 };

struct outcome {
    struct pap_str id, severity; /* wanted */
    bool hit;
    unsigned bad; /* errors and warnings */
    char first[600];
};

static const char *word_of(enum pap_severity s)
{
    return s == PAP_ERROR ? "error" : s == PAP_WARNING ? "warning" : "info";
}

static void note(void *ctx, const struct pap_finding *f)
{
    struct outcome *o = ctx;
    o->hit |= str_is(o->id, f->id) && str_is(o->severity, word_of(f->severity));
    if (f->severity > PAP_INFO && o->bad++ == 0)
        snprintf(o->first, sizeof o->first, "%s %s: %.*s", word_of(f->severity), f->id, PSTR(f->message));
}

/* Whether the case gives what its line says. */
static bool holds(const char *folder, unsigned number, struct pap_str name, struct outcome *o)
{
    struct arena a;
    struct pap_err err = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/%.*s", folder, PSTR(name));
    arena_init(&a, NULL);
    bool ok = case_run(&a, path, S(""), note, o, NULL, &err);
    arena_fini(&a);
    if (!ok)
        snprintf(o->first, sizeof o->first, "%s", err.text);
    return ok && (number ? o->hit : o->bad == 0);
}

/* "number | case | id | severity | what": false when the line is none of these. */
static bool parse(struct pap_str line, uint64_t *ret_number, struct pap_str *ret_name, struct outcome *ret)
{
    struct pap_str number;
    *ret = (struct outcome){.bad = 0};
    bool ok = str_next(&line, '|', &number) && str_next(&line, '|', ret_name) && str_next(&line, '|', &ret->id) &&
              str_next(&line, '|', &ret->severity);
    *ret_name = str_trim(*ret_name);
    ret->id = str_trim(ret->id);
    ret->severity = str_trim(ret->severity);
    return ok && str_to_u64(str_trim(number), ret_number) && *ret_number <= NUMBERS;
}

static unsigned run(const char *folder, struct pap_str table, unsigned seen[NUMBERS + 1])
{
    struct pap_str line, name;
    struct outcome o;
    uint64_t number;
    unsigned failed = 0;
    while (str_next(&table, '\n', &line)) {
        if (line.n == 0 || line.p[0] == '#')
            continue;
        bool ok = parse(line, &number, &name, &o);
        if (ok) {
            seen[number]++;
            ok = holds(folder, (unsigned)number, name, &o);
        }
        if (!ok)
            printf("FAIL %.*s\n     first: %s\n", PSTR(line), o.first);
        failed += !ok;
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct arena a;
    struct pap_str table;
    struct pap_err err = {0};
    char path[4096];
    unsigned seen[NUMBERS + 1] = {0}, there = 0, n = 0;
    if (argc < 2)
        return 2;
    arena_init(&a, NULL);
    snprintf(path, sizeof path, "%s/table", argv[1]);
    if (!is_ok(file_read(&a, path, 1 << 20, &table, NULL, &err))) {
        printf("%s\n", err.text);
        return 2;
    }
    unsigned failed = run(argv[1], table, seen);
    arena_fini(&a);
    for (unsigned i = 0; i <= NUMBERS; i++) {
        n += seen[i];
        there += i && seen[i];
        if (i && !seen[i])
            printf("FAIL number %u has no case\n", i);
    }
    printf("%u cases as expected, %u not; %u of %d numbers, %u good documents\n", n - failed, failed, there, NUMBERS,
           seen[0]);
    return failed || there < NUMBERS;
}
