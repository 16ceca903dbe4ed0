/* SPDX-License-Identifier: Apache-2.0
 *
 * The skills client over a web of its own: where the list comes from, what is asked and what is not, activation, refusals
 * and their words.
 */
#include <unistd.h>

#include "skill_web.h"

#define INDEX "https://shop.example/.well-known/agent-skills/index.json"
#define POPPY "https://shop.example/.well-known/poppy.json"

static const char plants[] =
    "---\nname: water-plants\ndescription: Waters the plants of a shop.\n---\n\n# Water\n\nGently.\n";
static char plants_index[2048];

/* An index with one skill-md at `url`. */
static const char *index_of(char *out, size_t size, const char *url, struct pap_str body, const char *description)
{
    char digest[DIGEST_TEXT + 1];
    (void)snprintf(out, size,
                   "{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\"skills\":[{\"name\":"
                   "\"water-plants\",\"description\":\"%s\",\"type\":\"skill-md\",\"url\":\"%s\",\"digest\":\"%s\"}]}",
                   description, url, sha(body, digest));
    return out;
}

static int set_up(void **state)
{
    (void)state;
    web_reset();
    (void)index_of(plants_index, sizeof plants_index, "artifacts/plants.md", str_c(plants),
                   "Waters the plants of a shop.");
    return 0;
}

static const char plants_url[] = "https://shop.example/.well-known/agent-skills/artifacts/plants.md";

static void serve_plants(void)
{
    (void)web_route(INDEX, 200, "Content-Type: application/json\n", str_c(plants_index));
    (void)web_route(plants_url, 200, "Content-Type: text/markdown\n", str_c(plants));
}

static struct pap_skill_session *open_index(struct pap_skill_client *c)
{
    struct pap_skill_session *s = NULL;
    struct pap_skill_err err = {0};
    assert_fine(pap_skill_session_open(c, &(struct pap_skill_origin){.place = INDEX}, &s, &err), err);
    return s;
}

static void lists_and_activates(void **state)
{
    (void)state;
    serve_plants();
    struct pap_skill_options o = web_options();
    struct pap_skill_client *c = web_client(&o);
    struct pap_skill_session *s = open_index(c);
    struct pap_skill_session_facts f;
    struct pap_skill_release r;
    struct pap_skill_err err = {0};
    size_t n = 0;
    pap_skill_session_facts(s, &f);
    assert_int_equal(f.skills, 1);
    assert_int_equal(f.source, PAP_SKILL_FROM_INDEX);
    assert_str(f.label, "shop.example");
    assert_str(f.url, INDEX);
    pap_skill_session_at(s, 0, &r, &n);
    assert_str(r.name, "water-plants");
    assert_str(r.url, plants_url);
    assert_int_equal(n, 1);
    assert_int_equal(web.n_asked, 1); /* the list, never an artifact */

    struct pap_skill *k = NULL;
    struct pap_skill_facts kf;
    assert_fine(pap_skill_activate(s, "water-plants", NULL, &k, &err), err);
    pap_skill_facts(k, &kf);
    assert_str(kf.markdown, plants);
    assert_str(kf.instructions, "# Water\n\nGently.\n");
    assert_str(kf.frontmatter, "{\"name\":\"water-plants\",\"description\":\"Waters the plants of a shop.\"}");
    assert_int_equal(kf.files, 1);
    assert_false(kf.from_cache);
    struct pap_skill_file file;
    pap_skill_file_at(k, 0, &file);
    assert_str(file.path, "SKILL.md");
    assert_str(file.media_type, "text/markdown");
    assert_str(file.digest, (char *)(uintptr_t)kf.release.digest.p);

    struct pap_str bytes;
    assert_fine(pap_skill_read(k, "SKILL.md", true, &bytes, &err), err);
    assert_str(bytes, plants);
    pap_skill_bytes_free(k, bytes);
    assert_code(pap_skill_read(k, "other.md", true, &bytes, &err), err, PAP_SKILL_RESOURCE_NOT_FOUND);
    assert_code(pap_skill_read(k, "../x", true, &bytes, &err), err, PAP_SKILL_PATH_INVALID);

    struct pap_skill *again = NULL;
    assert_fine(pap_skill_activate(s, "water-plants", "9.9.9", &again, &err), err); /* pinned, whatever the range */
    assert_ptr_equal(again, k);
    assert_int_equal(web.n_asked, 2);
    assert_code(pap_skill_activate(s, "no-such", NULL, &again, &err), err, PAP_SKILL_SKILL_NOT_FOUND);
    pap_skill_free(again == k ? again : NULL);

    pap_skill_session_close(s);
    assert_code(pap_skill_read(k, "SKILL.md", true, &bytes, &err), err, PAP_SKILL_SESSION_CLOSED);
    assert_code(pap_skill_activate(s, "water-plants", NULL, &again, &err), err, PAP_SKILL_SESSION_CLOSED);
    assert_str(kf.markdown, plants); /* what was given stays as long as it is held */
    pap_skill_free(k);
    assert_code(pap_skill_activate(s, "water-plants", NULL, &again, &err), err, PAP_SKILL_SESSION_CLOSED);
    pap_skill_client_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lists_and_activates, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
