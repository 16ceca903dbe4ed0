/* SPDX-License-Identifier: Apache-2.0
 *
 * papaver-skills.lock: written and read again it is the same; everything hostile in it is refused with its place.
 */
#include "skills/lock.h"

#include "fail_alloc.h"
#include "skills/agents.h"
#include "unit.h"

#define DIGEST "\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\""
#define MD "\"SKILL.md\": {\"digest\": " DIGEST ", \"size\": 10}"
#define FACTS \
    "\"origin\": \"shop.example\", \"type\": \"archive\", \"url\": \"https://shop.example/a\", \"digest\": " DIGEST
#define SKILL(name, more, files) "\"" name "\": {" FACTS more ", \"files\": {" files "}}"
#define LOCK(skills) "{\"lock_version\": 1, \"skills\": {" skills "}}"

static void full_lock_comes_back(void **state)
{
    (void)state;
    static const char text[] = LOCK(
        SKILL("water-plants",
              ", \"index\": true, \"scope\": \"team:a\", \"range\": \">=1.0.0 <2.0.0\", "
              "\"version\": \"1.2.3\", \"artifact_hosts\": [\"z.example\", \"cdn.example\"], "
              "\"agents\": [\"amp\", \"claude\"], \"copy\": true, \"claude_home\": \"work/.claude\", "
              "\"config_home\": \"etc\"",
              "\"b/c.sh\": {\"digest\": " DIGEST ", \"size\": 0, \"executable\": true}, " MD) ", " SKILL("a", "", MD));
    struct arena a;
    struct lock lock, again;
    struct buf out, twice;
    arena_init(&a, NULL);
    buf_init(&out, NULL, 100000);
    buf_init(&twice, NULL, 100000);
    assert_ok(lock_read(&a, str_c(text), "L", &lock, NULL));
    assert_int_equal(lock.n, 2);
    assert_true(str_is(lock.skills[0].name, "a"));
    const struct lock_skill *s = lock_find(&lock, S("water-plants"));
    assert_non_null(s);
    assert_null(lock_find(&lock, S("water")));
    assert_true(s->index && s->copy && str_is(s->scope, "team:a") && str_is(s->version, "1.2.3"));
    assert_true(str_is(s->claude_home, "work/.claude") && str_is(s->config_home, "etc"));
    assert_string_equal(s->artifact_hosts[0], "cdn.example");
    assert_int_equal(s->agents, agent_bit(S("claude")) | agent_bit(S("amp")));
    assert_string_equal(s->agent_names[0], "claude");
    assert_true(str_is(s->files[0].path, "SKILL.md") && str_is(s->files[1].path, "b/c.sh"));
    assert_true(lock_file_find(s, S("b/c.sh"))->executable);
    lock_write(&out, &lock);
    assert_ok(lock_read(&a, buf_str(&out), "L", &again, NULL));
    for (size_t i = 0; i < lock.n; i++)
        assert_true(lock_skill_eq(&lock.skills[i], &again.skills[i]));
    assert_false(lock_skill_eq(&lock.skills[0], &lock.skills[1]));
    lock_write(&twice, &again);
    assert_true(str_eq(buf_str(&out), buf_str(&twice)));
    buf_fini(&out);
    buf_fini(&twice);
    arena_fini(&a);
}

static void skills_are_put_and_taken(void **state)
{
    (void)state;
    struct arena a;
    struct lock lock, more, less;
    arena_init(&a, NULL);
    assert_ok(lock_read(&a, str(NULL, 0), "L", &lock, NULL));
    assert_int_equal(lock.n, 0);
    assert_ok(lock_read(&a, S(LOCK(SKILL("b", "", MD) ", " SKILL("a", "", MD))), "L", &more, NULL));
    assert_ok(lock_change(&a, &lock, S("b"), lock_find(&more, S("b")), &lock, NULL));
    assert_ok(lock_change(&a, &lock, S("a"), lock_find(&more, S("a")), &lock, NULL));
    assert_ok(lock_change(&a, &lock, S("a"), lock_find(&more, S("a")), &lock, NULL));
    assert_int_equal(lock.n, 2);
    assert_true(str_is(lock.skills[0].name, "a"));
    assert_ok(lock_change(&a, &lock, S("a"), NULL, &less, NULL));
    assert_true(less.n == 1 && str_is(less.skills[0].name, "b") && lock.n == 2);
    arena_fini(&a);
}

static const struct {
    const char *text, *says;
} bad[] = {
    {"", "1:1: this is not JSON"},
    {"[]", "1:1: an object is needed here, not an array"},
    {"{", "not JSON"},
    {"{\n<<<<<<< HEAD\n}", "2:1: a merge left its marks here"},
    {"{}", "\"lock_version\" is not 1"},
    {"{\"lock_version\": 2, \"skills\": {}}", "1:18: \"lock_version\" is not 1, and this program knows no other"},
    {"{\"lock_version\": \"1\", \"skills\": {}}", "is not 1"},
    {"{\"lock_version\": 1}", "there is no \"skills\""},
    {"{\"lock_version\": 1, \"skills\": {}, \"x\": 1}", "there is no member \"x\""},
    {"{\"lock_version\": 1, \"lock_version\": 1, \"skills\": {}}", "stands here twice"},
    {LOCK(SKILL("a", "", MD) ", " SKILL("a", "", MD)), "\"a\" stands here twice"},
    {LOCK(SKILL("A", "", MD)), "no name of a skill"},
    {LOCK(SKILL("../a", "", MD)), "no name of a skill"},
    {LOCK("\"a\": 1"), "an object is needed"},
    {LOCK(SKILL("a", ", \"extra\": 1", MD)), "there is no member \"extra\""},
    {LOCK(SKILL("a", ", \"range\": 1", MD)), "text is needed here, not a number"},
    {LOCK(SKILL("a", ", \"range\": \"\"", MD)), "cannot stand here"},
    {LOCK(SKILL("a", ", \"range\": \"\\u001b[2J\"", MD)), "\"\\x1B[2J\" cannot stand here"},
    {LOCK(SKILL("a", ", \"range\": \"\\u202e1\"", MD)), "cannot stand here"},
    {LOCK(SKILL("a", ", \"version\": \"1.0\"", MD)), "\"1.0\" cannot stand here"},
    {LOCK(SKILL("a", ", \"scope\": \"a,b\"", MD)), "cannot stand here"},
    {LOCK(SKILL("a", ", \"claude_home\": \"../x\"", MD)), "cannot stand here"},
    {LOCK(SKILL("a", ", \"config_home\": \"/etc\"", MD)), "cannot stand here"},
    {LOCK(SKILL("a", ", \"index\": 1", MD)), "true or false is needed"},
    {LOCK(SKILL("a", ", \"agents\": [\"nobody\"]", MD)), "there is no agent \"nobody\""},
    {LOCK(SKILL("a", ", \"agents\": \"claude\"", MD)), "a list of at most 32 texts"},
    {LOCK(SKILL("a", ", \"artifact_hosts\": [1]", MD)), "text is needed"},
    {LOCK("\"a\": {\"origin\": \"shop.example\", \"type\": \"archive\", \"url\": \"u\", \"files\": {" MD "}}"),
     "has no \"digest\""},
    {LOCK("\"a\": {" FACTS "}"), "has no \"files\""},
    {LOCK("\"a\": {\"origin\": \"o\", \"type\": \"link\", \"url\": \"u\", \"digest\": " DIGEST "}"), "\"link\" cannot"},
    {LOCK(SKILL("a", "", "\"x\": {\"digest\": " DIGEST ", \"size\": 1}")), "there is no SKILL.md"},
    {LOCK(SKILL("a", "", MD ", \"b/.GIT/config\": {\"digest\": " DIGEST ", \"size\": 1}")), "version control"},
    {LOCK(SKILL("a", "", MD ", \"../x\": {\"digest\": " DIGEST ", \"size\": 1}")), "the path \"../x\""},
    {LOCK(SKILL("a", "", MD ", \"/etc/x\": {\"digest\": " DIGEST ", \"size\": 1}")), "the path \"/etc/x\" is absolute"},
    {LOCK(SKILL("a", "", MD ", \"x\\u0000y\": {\"digest\": " DIGEST ", \"size\": 1}")), "the path"},
    {LOCK(SKILL("a", "", MD ", \"x\\u200by\": {\"digest\": " DIGEST ", \"size\": 1}")), "the path"},
    {LOCK(SKILL("a", "", MD ", \"\": {\"digest\": " DIGEST ", \"size\": 1}")), "the path"},
    {LOCK(SKILL("a", "", MD ", \"skill.MD\": {\"digest\": " DIGEST ", \"size\": 1}")), "SKILL.md"},
    {LOCK(SKILL("a", "", MD ", \"SKILL.md/x\": {\"digest\": " DIGEST ", \"size\": 1}")), "SKILL.md"},
    {LOCK(SKILL("a", "", MD ", \"a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r\": {\"digest\": " DIGEST ", \"size\": 1}")),
     "too deep"},
    {LOCK(SKILL("a", "", MD ", \"x\": {\"digest\": \"sha256:ABC\", \"size\": 1}")), "cannot stand here"},
    {LOCK(SKILL("a", "", MD ", \"x\": {\"digest\": " DIGEST "}")), "a file needs \"digest\" and \"size\""},
    {LOCK(SKILL("a", "", MD ", \"x\": {\"digest\": " DIGEST ", \"size\": -1}")), "a number of bytes"},
    {LOCK(SKILL("a", "", MD ", \"x\": {\"digest\": " DIGEST ", \"size\": 99999999999}")), "a number of bytes"},
    {LOCK(SKILL("a", "", MD ", \"x\": {\"digest\": " DIGEST ", \"size\": 1, \"mode\": 511}")), "no member \"mode\""},
};

static void what_is_not_right_is_refused(void **state)
{
    (void)state;
    struct arena a;
    struct lock lock;
    arena_init(&a, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pap_err err = {.text = ""};
        if (lock_read(&a, str_c(bad[i].text), "L", &lock, &err).code != PAP_SYNTAX)
            unit_fail("accepted: %s", bad[i].text);
        if (strncmp(err.text, "L:", 2) != 0 || !strstr(err.text, bad[i].says))
            unit_fail("%s: %s, not %s", bad[i].text, err.text, bad[i].says);
        arena_reset(&a);
    }
    arena_fini(&a);
}

static void cut_at_every_byte(void **state)
{
    (void)state;
#define WHOLE LOCK(SKILL("a", ", \"agents\": [\"claude\"], \"version\": \"1.0.0\"", MD))
    static const char text[] = WHOLE;
    struct arena a;
    struct lock lock;
    arena_init(&a, NULL);
    for (size_t n = 0; n + 1 < sizeof text; n++)
        assert_int_equal(lock_read(&a, str(text, n), "L", &lock, NULL).code, PAP_SYNTAX);
    assert_ok(lock_read(&a, S(WHOLE), "L", &lock, NULL));
    arena_fini(&a);
}

static void each_allocation_fails(void **state)
{
    (void)state;
    static const char text[] = LOCK(SKILL("a", ", \"agents\": [\"claude\"], \"artifact_hosts\": [\"b\", \"a\"]", MD));
    unsigned n = 1;
    for (; n < FAIL_ALLOC_MOST; n++) {
        struct fail_alloc f;
        struct arena a;
        struct lock lock;
        struct buf out;
        fail_alloc_init(&f, n);
        arena_init(&a, &f.alloc);
        buf_init(&out, &f.alloc, 100000);
        pap_result r = lock_read(&a, str_c(text), "L", &lock, NULL);
        if (is_ok(r)) {
            lock_write(&out, &lock);
            r = buf_result(&out, NULL);
        }
        buf_fini(&out);
        arena_fini(&a);
        assert_int_equal(f.live, 0);
        if (is_ok(r))
            break;
        assert_int_equal(r.code, PAP_NO_MEMORY);
    }
    assert_in_range(n, 3, 1000);
}

static void agents_are_a_set(void **state)
{
    (void)state;
    static const char *const names[] = {"claude", "codex", "cursor", "copilot", "gemini", "opencode", "goose", "amp"};
    uint32_t all = 0;
    for (size_t i = 0; i < 8; i++) {
        uint32_t bit = agent_bit(str_c(names[i]));
        assert_true(bit && !(all & bit));
        all |= bit;
        assert_string_equal(pap_install_agent_at(i)->name, names[i]);
    }
    assert_null(pap_install_agent_at(8));
    assert_int_equal(agent_bit(S("")), 0);
    assert_int_equal(agent_bit(S("claude-code")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_lock_comes_back),         cmocka_unit_test(skills_are_put_and_taken),
        cmocka_unit_test(what_is_not_right_is_refused), cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(each_allocation_fails),        cmocka_unit_test(agents_are_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
