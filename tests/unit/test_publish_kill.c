/* SPDX-License-Identifier: Apache-2.0
 *
 * A publisher that is killed at any system call that writes, or whose call fails there: every file is the old or the new
 * one, whole, and any mix of index and poppy.json is right. The calls are intercepted by the linker (--wrap), so that
 * nothing of it is in the product.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "crypto/digest.h"
#include "publish_unit.h"
#include "strike_unit.h"

enum { MOST_CALLS = 400 };

WRAP(int, rename, (const char *from, const char *to), (from, to))
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, rmdir, (const char *path), (path))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, syncfs, (int fd), (fd))
WRAP(int, utimensat, (int fd, const char *path, const struct timespec t[2], int flags), (fd, path, t, flags))

WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode))

/* open() by the name that it has with 64-bit offsets; it counts where it makes a file. */
int __real_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode)
{
    bool makes = flags & O_CREAT;
    if (makes && strikes(false)) {
        errno = ENOSPC;
        return -1;
    }
    int fd = __real_open64(path, flags, mode);
    if (makes)
        (void)strikes(true);
    return fd;
}

/* ---- */

static const char index_path[] = "dist/.well-known/agent-skills/index.json",
                  poppy_path[] = "dist/.well-known/poppy.json";

static void sources(int round)
{
    put_skill("water-plants", round ? "metadata:\n  version: \"1.1.0\"\n" : "metadata:\n  version: \"1.0.0\"\n",
              round ? "Water them well." : "Water them.");
    put_skill("cut-grass", "", "Cut it. See [how](how.md).");
    put("skills/cut-grass/how.md", round ? "Short." : "Long.");
    put("skills/cut-grass/old/only.md", "Of the first version.");
    if (!round)
        return;
    put_skill("feed-birds", "", "Feed them.");
    assert_int_equal(unlink(in_project("skills/cut-grass/old/only.md")), 0);
}

static bool with_legacy = true;

static struct pap_publish_options options(void)
{
    static char path[300];
    (void)snprintf(path, sizeof path, "%s", in_project(poppy_path));
    return (struct pap_publish_options){
        .jobs = 1, .legacy = with_legacy, .poppy = path, .base_url = "https://shop.example", .now = 4000000000};
}

/* Every file that the document names is there and has the digest of its name (a check of files says nothing of those
 * that are not there). */
static void assert_named_files(struct pap_str document, const char *what, unsigned n)
{
    struct arena a;
    arena_init(&a, NULL);
    struct pap_str rest = document, mark = S("artifacts/sha256-");
    for (size_t at = str_find(rest, mark); at < rest.n; at = str_find(rest, mark)) {
        char path[200], text[DIGEST_TEXT + 1];
        struct pap_str name = str_skip(rest, at + 10), bytes;
        struct digest d;
        name = str_take(name, str_find_char(name, '"'));
        rest = str_skip(rest, at + 10 + name.n);
        (void)snprintf(path, sizeof path, "dist/.well-known/agent-skills/artifacts/%.*s", PSTR(name));
        bytes = get(&a, path);
        if (!bytes.p)
            unit_fail("%s at call %u: %s is named and not there", what, n, path);
        assert_ok(digest_sha256(&bytes, 1, &d, NULL));
        digest_text(&d, text);
        assert_memory_equal(text + 7, name.p + 7, 64);
    }
    arena_fini(&a);
}

static void assert_right(const char *what, unsigned n)
{
    struct arena a;
    arena_init(&a, NULL);
    assert_named_files(get(&a, index_path), what, n);
    assert_named_files(get(&a, poppy_path), what, n);
    arena_fini(&a);
    const char *targets[] = {in_project("dist/.well-known")};
    struct pap_counts counts;
    int status;
    struct pap_check_options o = {.offline = true};
    assert_ok(pap_check(&o, targets, 1, &counts, &status, NULL));
    if (counts.errors)
        unit_fail("%s at call %u: %u errors", what, n, (unsigned)counts.errors);
}

/* The old tree, then the new sources. */
static void prepare(void)
{
    char command[200];
    (void)snprintf(command, sizeof command, "rm -rf %s/dist %s/skills", project, project);
    assert_int_equal(system(command), 0);
    put(poppy_path,
        "{\n  \"protocol_version\": \"0.3\",\n  \"organization\": {\"name\": \"Shop\", \"domain\": \"shop.example\"},\n"
        "  \"web\": {\"url\": \"https://shop.example/\"}\n}\n");
    sources(0);
    assert_published(publish(options()));
    sources(1);
}

static bool is_old_or_new(const char *below, struct pap_str old, struct pap_str new)
{
    struct arena a;
    arena_init(&a, NULL);
    struct pap_str now = get(&a, below);
    bool good = str_eq(now, old) || str_eq(now, new);
    arena_fini(&a);
    return good;
}

/* false: the run came to its end, there is no nth call. */
static bool strike(unsigned n, enum how how)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        trap.at = n;
        trap.how = how;
        struct published p = publish(options());
        struck_exit(n, p.result);
    }
    return was_struck(pid);
}

/* Both documents, before the run that is struck and after it. */
struct documents {
    struct pap_str old_index, old_poppy, new_index, new_poppy;
};

static struct documents read_documents(struct arena *a)
{
    struct documents d;
    prepare();
    d.old_index = get(a, index_path);
    d.old_poppy = get(a, poppy_path);
    assert_published(publish(options()));
    d.new_index = get(a, index_path);
    d.new_poppy = get(a, poppy_path);
    assert_false(str_eq(d.old_index, d.new_index));
    assert_false(str_eq(d.old_poppy, d.new_poppy));
    return d;
}

/* Whoever has kept one of them, and gets the other one. */
static void assert_every_mix(const struct documents *d, const char *what, unsigned n)
{
    struct arena a;
    arena_init(&a, NULL);
    struct pap_str index = get(&a, index_path), poppy = get(&a, poppy_path);
    for (unsigned mix = 0; mix < 4; mix++) {
        assert_ok(file_write_atomic(in_project(index_path), mix & 1 ? d->new_index : d->old_index, NULL));
        assert_ok(file_write_atomic(in_project(poppy_path), mix & 2 ? d->new_poppy : d->old_poppy, NULL));
        assert_right(what, n);
    }
    assert_ok(file_write_atomic(in_project(index_path), index, NULL));
    assert_ok(file_write_atomic(in_project(poppy_path), poppy, NULL));
    arena_fini(&a);
}

/* What file_write_atomic() leaves when it is killed. */
static unsigned count_temporary(void)
{
    char command[200];
    unsigned n = 0;
    (void)snprintf(command, sizeof command, "find %s -name '*.tmp' | wc -l", project);
    FILE *f = popen(command, "r");
    assert_int_equal(fscanf(f, "%u", &n), 1);
    (void)pclose(f);
    return n;
}

static void struck_at_every_call(enum how how, const char *what)
{
    struct arena a;
    arena_init(&a, NULL);
    struct documents d = read_documents(&a);
    unsigned n = 1;
    for (bool more = true; more; n++) {
        assert_true(n < MOST_CALLS);
        prepare();
        more = strike(n, how);
        assert_true(is_old_or_new(index_path, d.old_index, d.new_index));
        assert_true(is_old_or_new(poppy_path, d.old_poppy, d.new_poppy));
        assert_right(what, n);
        if (is_old_or_new(index_path, d.new_index, d.new_index)) /* from here on */
            assert_every_mix(&d, what, n);
        if (n % 2) { /* whatever was left of the 0.1 layout is known to be ours */
            struct pap_publish_options o = options();
            o.legacy = false;
            assert_published(publish(o));
            assert_int_equal(file_type_of(in_project("dist/.well-known/skills")), FILE_NONE);
        }
        assert_published(publish(options())); /* the next run mends everything */
        assert_int_equal(file_type_of(in_project("dist/.well-known/skills/cut-grass/old/only.md")), FILE_NONE);
        assert_true(is_old_or_new(index_path, d.new_index, d.new_index));
        assert_true(is_old_or_new(poppy_path, d.new_poppy, d.new_poppy));
        assert_int_equal(file_type_of(in_project("dist/.papaver-staging")), FILE_NONE);
        assert_int_equal(count_temporary(), 0);
    }
    print_message("%s: %u calls that write\n", what, n - 2);
    assert_true(n > 15);
    arena_fini(&a);
}

static void killed_before_every_call(void **state)
{
    (void)state;
    struck_at_every_call(KILL_BEFORE, "killed before");
}

static void killed_after_every_call(void **state)
{
    (void)state;
    struck_at_every_call(KILL_AFTER, "killed after");
}

static void every_call_fails(void **state)
{
    (void)state;
    struck_at_every_call(FAIL, "no space");
}

/* The run after one that was struck at call `first`, behind the index, dies too: whichever documents are in place, or were
 * kept by somebody, all that they name is there. */
static void struck_again(const struct documents *d, unsigned first, enum how how)
{
    unsigned n = 1;
    for (bool more = true; more; n++) {
        assert_true(n < MOST_CALLS);
        prepare();
        assert_true(strike(first, how));
        more = strike(n, KILL_BEFORE);
        const struct pap_str documents[] = {d->old_index, d->old_poppy, d->new_index, d->new_poppy};
        for (unsigned i = 0; i < 4; i++)
            assert_named_files(documents[i], "killed again", n);
    }
    assert_every_mix(d, "killed, then well", n);
}

static void killed_in_the_run_after(void **state)
{
    struct arena a;
    bool index = false, poppy = false;
    (void)state;
    with_legacy = false; /* which is written behind both, and would only take time */
    arena_init(&a, NULL);
    struct documents d = read_documents(&a);
    for (unsigned n = 1; !poppy; n++) { /* between the two documents, and behind both */
        prepare();
        assert_true(strike(n, KILL_BEFORE));
        bool moved = is_old_or_new(index_path, d.new_index, d.new_index);
        poppy = is_old_or_new(poppy_path, d.new_poppy, d.new_poppy);
        if (poppy || (moved && !index))
            struck_again(&d, n, KILL_BEFORE);
        if (moved && !index)
            struck_again(&d, n, FAIL);
        index |= moved;
    }
    assert_true(index);
    with_legacy = true;
    arena_fini(&a);
}

/* The disk is left in peace: no call that writes, and none that waits for the disk. */
static void nothing_new_writes_nothing(void **state)
{
    (void)state;
    prepare();
    assert_published(publish(options()));
    assert_false(strike(1, KILL_BEFORE));
    put("skills/cut-grass/how.md", "Shorter.");
    assert_true(strike(1, KILL_BEFORE));
}

/* Two that publish to one tree take turns: the second waits, and both come to a right end. */
static void two_publishers_take_turns(void **state)
{
    (void)state;
    prepare();
    for (int round = 0; round < 5; round++) {
        pid_t pids[4];
        for (int i = 0; i < 4; i++) {
            pids[i] = fork();
            assert_true(pids[i] >= 0);
            if (pids[i] == 0) {
                struct published p = publish(options());
                _exit(is_ok(p.result) && p.exit == 0 ? 0 : 1);
            }
        }
        for (int i = 0; i < 4; i++) {
            int status;
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_int_equal(status, 0);
        }
        assert_right("four at once", (unsigned)round);
        put("skills/cut-grass/how.md", round % 2 ? "Short." : "Shorter.");
    }
}

/* One that is refused takes its new folder away again, whoever waits for it or writes into it by then. */
static void a_refused_one_leaves_the_other_alone(void **state)
{
    (void)state;
    prepare();
    put("bad/broken/SKILL.md", "no front matter\n");
    const char *bad[] = {"bad", NULL};
    for (int round = 0; round < 20; round++) {
        char command[200];
        pid_t pids[4];
        (void)snprintf(command, sizeof command, "rm -rf %s/new", project);
        assert_int_equal(system(command), 0);
        for (int i = 0; i < 4; i++) {
            pids[i] = fork();
            assert_true(pids[i] >= 0);
            if (pids[i] == 0) {
                struct pap_publish_options o = {.jobs = 1, .roots = i % 2 ? NULL : bad, .out = in_project("new/a/b")};
                struct published p = publish(o);
                if (!is_ok(p.result))
                    print_message("%s\n", p.err.text);
                _exit(is_ok(p.result) && p.exit == (i % 2 ? 0 : 1) ? 0 : 1);
            }
        }
        for (int i = 0; i < 4; i++) {
            int status;
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_int_equal(status, 0);
        }
        assert_clean("new/a/b");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        publish_test(killed_before_every_call),
        publish_test(killed_after_every_call),
        publish_test(every_call_fails),
        publish_test(killed_in_the_run_after),
        publish_test(nothing_new_writes_nothing),
        publish_test(two_publishers_take_turns),
        publish_test(a_refused_one_leaves_the_other_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
