/* SPDX-License-Identifier: Apache-2.0
 *
 * skill_install ORIGIN NAME: installs one verified skill into the project of the current folder, for Claude too, and then says
 * whether everything that the lock names is as it was installed.
 *
 *     cc skill_install.c -lpapaver && ./a.out ./skills/ change-delivery
 */
#include <stdio.h>

#include <papaver/install.h>

static int refused(const struct pap_skill_err *err)
{
    fprintf(stderr, "%s: %s\n", pap_skill_code_name(err->code), err->text);
    return 1;
}

static void show_wrong(void *ctx, struct pap_str path, enum pap_install_state state)
{
    (void)ctx;
    printf("%.*s is %s\n", (int)path.n, path.p,
           state == PAP_INSTALL_CHANGED   ? "changed"
           : state == PAP_INSTALL_MISSING ? "missing"
                                          : "not the lock's");
}

/* Plans, shows, applies: exactly the digest that was shown is installed. */
static int install(struct pap_install *project, const struct pap_skill *skill)
{
    struct pap_skill_err err = {0};
    struct pap_install_change change;
    bool good = true;
    const char *const agents[] = {"claude", NULL};
    const struct pap_install_add add = {.skill = skill, .agents = agents};
    if (pap_install_plan_add(project, &add, &err).code != PAP_OK)
        return refused(&err);
    pap_install_change_at(project, 0, &change);
    printf("%.*s %.*s\n", (int)change.after.name.n, change.after.name.p, (int)change.after.digest.n,
           change.after.digest.p);
    for (const char *const *place = change.places; *place; place++)
        printf("to %s\n", *place);
    if (pap_install_apply(project, NULL, NULL, &err).code != PAP_OK) /* a person would be asked before */
        return refused(&err);
    for (size_t i = 0; i < pap_install_count(project); i++) {
        bool same = false;
        if (pap_install_verify(project, i, false, show_wrong, NULL, &same, &err).code != PAP_OK)
            return refused(&err);
        good &= same;
    }
    printf("%s\n", good ? "all as the lock says" : "not as the lock says");
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct pap_skill_err err = {0};
    struct pap_skill_client *client;
    struct pap_skill_session *session = NULL;
    struct pap_skill *skill = NULL;
    struct pap_install *project = NULL;
    int status = 1;
    if (argc != 3)
        return 2;
    if (pap_skill_client_new(&(struct pap_skill_options){0}, &client, &err).code != PAP_OK)
        return refused(&err);
    if (pap_skill_session_open(client, &(struct pap_skill_origin){.place = argv[1]}, &session, &err).code != PAP_OK ||
        pap_skill_activate(session, argv[2], NULL, &skill, &err).code != PAP_OK ||
        pap_install_open(&(struct pap_install_options){0}, &project, &err).code != PAP_OK)
        refused(&err);
    else
        status = install(project, skill);
    pap_install_close(project);
    pap_skill_free(skill);
    pap_skill_session_close(session);
    pap_skill_client_free(client);
    return status;
}
