/* SPDX-License-Identifier: Apache-2.0
 *
 * skill_for_model ORIGIN WORDS...: finds the skill that fits the words best, by names and descriptions alone, fetches that one,
 * verifies it and prints it as a model should see it: inside a label that says whose words they are.
 *
 *     cc skill_for_model.c -lpapaver && ./a.out shop.example change a delivery
 */
#include <stdio.h>
#include <string.h>

#include <papaver/skill.h>

static int refused(const struct pap_skill_err *err)
{
    const char *key, *value;
    fprintf(stderr, "%s: %s\n", pap_skill_code_name(err->code), err->text);
    for (size_t i = 0; pap_skill_err_at(err, i, &key, &value); i++)
        fprintf(stderr, "    %s: %s\n", key, value);
    return pap_skill_code_retryable(err->code) ? 3 : 1;
}

static int show(struct pap_skill_session *session, const char *words)
{
    struct pap_skill_err err = {0};
    struct pap_skill_release release;
    struct pap_skill_hit best;
    struct pap_skill *skill;
    struct pap_str text;
    const struct pap_skill_session *sessions[] = {session};
    char name[65];
    size_t n = 0;
    if (pap_skill_search(sessions, 1, words, &best, 1, &n).code != PAP_OK || n == 0) {
        fprintf(stderr, "no skill fits\n");
        return 1;
    }
    pap_skill_session_at(session, best.skill, &release, NULL);
    snprintf(name, sizeof name, "%.*s", (int)release.name.n, release.name.p); /* names are short and of a-z, 0-9, '-' */
    if (pap_skill_activate(session, name, NULL, &skill, &err).code != PAP_OK)
        return refused(&err); /* go on without it, and tell the person if it matters */
    int status = 0;
    if (pap_skill_wrap(skill, NULL, &text, &err).code == PAP_OK) {
        fwrite(text.p, 1, text.n, stdout);
        pap_skill_bytes_free(skill, text);
    } else {
        status = refused(&err);
    }
    pap_skill_free(skill);
    return status;
}

int main(int argc, char **argv)
{
    struct pap_skill_client *client;
    struct pap_skill_session *session;
    struct pap_skill_err err = {0};
    char words[1024] = "";
    if (argc < 3)
        return 2;
    for (int i = 2; i < argc; i++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s ", argv[i]);
    if (pap_skill_client_new(NULL, &client, &err).code != PAP_OK)
        return refused(&err);
    int status = 1;
    const struct pap_skill_origin origin = {.place = argv[1]};
    if (pap_skill_session_open(client, &origin, &session, &err).code == PAP_OK) {
        status = show(session, words);
        pap_skill_session_close(session);
    } else {
        status = refused(&err);
    }
    pap_skill_client_free(client);
    return status;
}
