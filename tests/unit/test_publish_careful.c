/* SPDX-License-Identifier: Apache-2.0
 *
 * pap_publish() where something else than skills is in the way, or would be lost without a word: old files that somebody
 * still names, other publishers, names that not every system has.
 */
#include <sys/stat.h>

#include "publish_unit.h"
#include "sys/tree.h"

#define POPPY "dist/.well-known/poppy.json"
#define ARTIFACTS "dist/.well-known/agent-skills/artifacts"

enum { DAY = 24 * 60 * 60 };
static const int64_t late = 4000000000; /* later than any file of the test */

static size_t count_files(const char *below)
{
    struct arena a;
    struct tree t = {0};
    arena_init(&a, NULL);
    assert_ok(tree_names(&a, in_project(below), 1000, &t, NULL));
    size_t n = t.n;
    arena_fini(&a);
    return n;
}

static void a_tree_with_poppy(void)
{
    put(POPPY,
        "{\"protocol_version\": \"0.3\", \"organization\": {\"name\": \"Shop\", \"domain\": \"shop.example\"}}\n");
    put_skill("cut-grass", "", "Cut it.");
}

/* A run without --poppy leaves the old skill_index where it is, and what that names. */
static void what_poppy_json_names_stays(void **state)
{
    (void)state;
    a_tree_with_poppy();
    const char *poppy = in_project(POPPY), *base = "https://shop.example";
    assert_published(publish((struct pap_publish_options){.poppy = poppy, .now = late}));
    put_skill("cut-grass", "", "Cut it well.");
    assert_published(publish((struct pap_publish_options){.base_url = base, .now = late}));
    put_skill("cut-grass", "", "Cut it very well.");
    assert_published(publish((struct pap_publish_options){.base_url = base, .now = late + 31 * DAY}));
    assert_published(publish((struct pap_publish_options){.base_url = base, .now = late + 90 * DAY}));
    assert_int_equal(count_files(ARTIFACTS), 2); /* the second one is gone */
    assert_published(publish((struct pap_publish_options){.poppy = poppy, .now = late + 90 * DAY}));
    assert_published(publish((struct pap_publish_options){.poppy = poppy, .now = late + 119 * DAY}));
    assert_int_equal(count_files(ARTIFACTS), 2);
    assert_published(publish((struct pap_publish_options){.poppy = poppy, .now = late + 120 * DAY}));
    assert_int_equal(count_files(ARTIFACTS), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        publish_test(what_poppy_json_names_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
