/* SPDX-License-Identifier: Apache-2.0
 *
 * The client with everything from outside put into the caller's hands: requests, the clock, names, credentials. This one
 * serves two documents of its own, so that it needs no network; a program that has an HTTP client puts it into fetch().
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <papaver/skill.h>

static const char list[] =
    "{\"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", \"skills\": [{\"name\": \"greet\","
    "\"description\": \"Greets people.\", \"type\": \"skill-md\", \"url\": \"greet.md\", \"digest\":"
    "\"sha256:DIGEST\"}]}";
static const char skill[] = "---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n";

/* One GET: no redirect is followed, and nothing is sent but what is listed. */
static pap_result fetch(void *ctx, const struct pap_skill_request *request, const struct pap_skill_answer *answer,
                        struct pap_err *err)
{
    static const struct pap_skill_header headers[] = {{"Remote-Skills-Scope", "staff"}};
    const char *body = strstr(request->url, "greet.md") ? skill : list;
    (void)ctx;
    (void)err;
    for (size_t i = 0; i < request->n_headers; i++)
        printf("%s: %s\n", request->headers[i].name, request->headers[i].value);
    if (answer->head(answer->ctx, 200, headers, 1))
        answer->body(answer->ctx, body, strlen(body));
    return (pap_result){PAP_OK}; /* PAP_UNREACHABLE with a sentence in *err where nothing came */
}

static int64_t now(void *ctx)
{
    (void)ctx;
    return (int64_t)time(NULL) * 1000;
}

/* Asked before each request to exactly the origin's host and port. */
static bool credential(void *ctx, const char *label, const char *scope, char *ret, size_t size)
{
    (void)ctx;
    return strcmp(label, "acme") == 0 && strcmp(scope, "staff") == 0 &&
           snprintf(ret, size, "Bearer %s", "from-a-key-ring") > 0;
}

int main(void)
{
    const struct pap_skill_options options = {.fetch = fetch, .now = now, .credential = credential};
    const struct pap_skill_origin origin = {
        .place = "https://skills.acme.example/index.json", .label = "acme", .scope = "staff"};
    struct pap_skill_client *client;
    struct pap_skill_session *session;
    struct pap_skill_err err = {0};
    if (pap_skill_client_new(&options, &client, &err).code != PAP_OK)
        return 1;
    /* The digest in the list is none: the entry is skipped, the list has no other, and that is said. */
    if (pap_skill_session_open(client, &origin, &session, &err).code != PAP_OK)
        printf("%s: %s\n", pap_skill_code_name(err.code), err.text);
    else
        pap_skill_session_close(session);
    pap_skill_client_free(client);
    return 0;
}
