/* SPDX-License-Identifier: Apache-2.0
 *
 * skill_origins ORIGIN...: what many origins list, asked at once, with a cache on disk: what is fresh is not asked again, and
 * the next run asks with what this one kept. Prints names, never a word of a skill.
 */
#include <stdio.h>
#include <stdlib.h>

#include <papaver/skill.h>

/* Names and descriptions are a stranger's: nothing of them reaches a terminal as it is. */
static void print_plain(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        putchar((unsigned char)s.p[i] < 0x20 || (unsigned char)s.p[i] >= 0x7f ? '?' : s.p[i]);
}

static bool still_wanted(void *ctx, enum pap_skill_phase phase, uint64_t done, uint64_t total)
{
    (void)ctx;
    (void)phase;
    (void)done;
    (void)total;
    return true; /* false gives the whole call up, with the code cancelled */
}

int main(int argc, char **argv)
{
    size_t n = (size_t)argc - 1;
    struct pap_skill_origin *origins = calloc(n + 1, sizeof *origins);
    struct pap_skill_session **sessions = calloc(n + 1, sizeof *sessions);
    struct pap_skill_err *errs = calloc(n + 1, sizeof *errs), err = {0};
    struct pap_skill_client *client;
    const struct pap_skill_options options = {.cache = getenv("SKILL_CACHE"), .retries = 2, .progress = still_wanted};
    if (!origins || !sessions || !errs)
        return 1;
    for (size_t i = 0; i < n; i++)
        origins[i] = (struct pap_skill_origin){.place = argv[i + 1], .stale_s = 24 * 60 * 60};
    if (pap_skill_client_new(&options, &client, &err).code != PAP_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    if (pap_skill_session_open_all(client, origins, n, sessions, errs).code != PAP_OK)
        fprintf(stderr, "%s\n", errs[0].text);
    for (size_t i = 0; i < n; i++) {
        struct pap_skill_session_facts facts;
        if (!sessions[i]) {
            printf("%s\t%s\t%s\n", argv[i + 1], pap_skill_code_name(errs[i].code), errs[i].text);
            continue;
        }
        pap_skill_session_facts(sessions[i], &facts);
        for (size_t j = 0; j < facts.skills; j++) {
            struct pap_skill_release release;
            pap_skill_session_at(sessions[i], j, &release, NULL);
            printf("%s\t", argv[i + 1]);
            print_plain(release.name);
            putchar('\t');
            print_plain(release.description);
            printf("%s\n", facts.stale ? "\t(could not be asked; this is what it said last)" : "");
        }
        pap_skill_session_close(sessions[i]);
    }
    pap_skill_client_free(client);
    free(errs);
    free(sessions);
    free(origins);
    return 0;
}
