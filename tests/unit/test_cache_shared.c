/* SPDX-License-Identifier: Apache-2.0
 *
 * One cache, many processes and threads: the five cache behaviours of the Remote Skills fixtures, retold for our own
 * layout; leases; load; bounds.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "cache_unit.h"

#include "base/limits.h"
#include "text/json.h"

static const struct pap_str skill = S_INIT("---\nname: water-plants\ndescription: Water them.\n---\nWater.\n");

/* What the public functions say of one object. */
struct seen {
    const char *digest; /* NULL: any */
    unsigned n, held, bad;
    char origins[1000], type[20];
    uint64_t bytes;
};

static bool see(void *ctx, const struct pap_skill_cached *o)
{
    struct seen *s = ctx;
    if (s->digest && !str_is(o->digest, s->digest))
        return true;
    s->n++;
    s->held += o->held;
    s->bad += !o->good;
    s->bytes = o->bytes;
    (void)snprintf(s->origins, sizeof s->origins, "%.*s", PSTR(o->origins));
    (void)snprintf(s->type, sizeof s->type, "%.*s", PSTR(o->type));
    return true;
}

static struct seen look(const char *digest, bool verify)
{
    struct seen s = {.digest = digest};
    struct pap_skill_err err = {.text = ""};
    if (!is_ok(pap_skill_cache_list(folder, NULL, verify, see, &s, &err)))
        unit_fail("%s", err.text);
    return s;
}

static uint64_t prune(uint64_t bytes, uint32_t days, bool all)
{
    uint64_t objects, removed;
    struct pap_skill_err err = {.text = ""};
    if (!is_ok(pap_skill_cache_prune(folder, NULL, bytes, days, all, &objects, &removed, &err)))
        unit_fail("%s", err.text);
    return objects;
}

/* A child that says when it is ready (a byte) and then waits to be killed, or ends by itself. */
struct child {
    pid_t pid;
    int ready;
};

typedef void child_work(void (*ready)(void));
static int ready_fd;

static void say_ready(void)
{
    char c = 'r';
    if (write(ready_fd, &c, 1) != 1)
        _exit(2);
}

static struct child start(child_work *work)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    struct child c = {.pid = fork(), .ready = fds[0]};
    assert_true(c.pid >= 0);
    if (c.pid == 0) {
        (void)close(fds[0]);
        ready_fd = fds[1];
        (void)alarm(50); /* nobody waits longer, whatever becomes of the parent */
        work(say_ready);
        _exit(0);
    }
    (void)close(fds[1]);
    return c;
}

static void wait_ready(const struct child *c)
{
    char byte;
    assert_int_equal(read(c->ready, &byte, 1), 1);
}

static void end(struct child *c, bool killed)
{
    int status;
    if (killed)
        assert_int_equal(kill(c->pid, SIGKILL), 0);
    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    assert_int_equal(status, killed ? SIGKILL : 0);
    (void)close(c->ready);
}

static void wait_forever(void)
{
    for (;;)
        (void)pause();
}

/* ---- The five ---- */

static void valid_is_reused(void)
{
    const struct cache_place p = shop();
    struct cache *c = open_cache();
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN));
    cache_free(c);
    c = open_cache();
    assert_found(c, &p, skill, false);
    cache_free(c);
    assert_int_equal(look(digest_of(skill), true).n, 1);
}

static void write_half(void (*ready)(void))
{
    struct cache *c = open_cache();
    struct cache_object *o = NULL;
    if (!is_ok(cache_object_new(c, &o, NULL)) || !is_ok(cache_object_add(o, many_bytes(2 * LIMIT_SPOOL), NULL)))
        _exit(1);
    ready();
    wait_forever();
}

static void a_partial_writer_is_ignored_and_cleaned(void)
{
    const struct cache_place p = shop();
    struct child dead = start(write_half), alive = start(write_half);
    wait_ready(&dead);
    wait_ready(&alive);
    end(&dead, true);
    assert_int_equal(count_names("part-"), 2);
    struct cache *c = open_cache();
    assert_state(c, &p, many_bytes(2 * LIMIT_SPOOL), true, CACHE_MISS);
    assert_int_equal(look(NULL, true).n, 0);
    (void)prune(0, 0, false);
    assert_int_equal(count_names("part-"), 1); /* that of the living */
    end(&alive, true);
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN)); /* on their own: whatever is kept tidies up now and then */
    (void)prune(0, 0, false);
    assert_int_equal(count_names("part-"), 0);
    assert_found(c, &p, skill, false);
    cache_free(c);
}

static void hold_it(void (*ready)(void))
{
    const struct cache_place p = shop();
    struct cache_object *o = NULL;
    if (get(open_cache(), &p, skill, false, &o) != CACHE_FOUND)
        _exit(1);
    ready();
    wait_forever();
}

static void a_crashed_lease_ends_and_the_object_stays(void)
{
    const struct cache_place p = shop();
    struct cache *c = open_cache();
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN));
    struct child holder = start(hold_it);
    wait_ready(&holder);
    assert_int_equal(look(NULL, true).held, 1);
    assert_int_equal(prune(1, 0, true), 0);
    assert_found(c, &p, skill, false);
    end(&holder, true);
    struct seen s = look(NULL, true);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.held, 0);
    assert_found(c, &p, skill, false);
    cache_free(c);
    assert_int_equal(prune(0, 0, true), 1); /* it can be claimed now */
}

enum { RACERS = 4, RACE_ROUNDS = 20 };
static int gate[2];

/* All have their bytes before any keeps them. */
static void race(void (*ready)(void))
{
    const struct cache_place p = shop();
    const struct pap_str bytes = many_bytes(2 * LIMIT_SPOOL);
    char byte;
    (void)close(gate[1]);
    struct cache *c = open_cache();
    struct cache_object *o = NULL;
    bool good = is_ok(cache_object_new(c, &o, NULL)) && is_ok(cache_object_add(o, bytes, NULL)) &&
                is_ok(cache_object_seal(o, NULL));
    ready();
    good = good && read(gate[0], &byte, 1) == 0 && is_ok(cache_object_keep(c, o, &p, PACK_ZIP, NOW, NULL)) &&
           holds(o, bytes);
    cache_object_free(o);
    cache_free(c);
    _exit(good ? 0 : 1);
}

/* What is seen under the name of the object is nothing or all of it. */
static void watch(const char *path, size_t size, unsigned *ret_partial)
{
    struct stat st;
    for (unsigned i = 0; i < 2000; i++)
        *ret_partial += stat(path, &st) == 0 && (size_t)st.st_size != size;
}

static void of_two_writers_one_wins(void)
{
    const struct pap_str bytes = many_bytes(2 * LIMIT_SPOOL);
    const struct cache_place p = shop();
    unsigned partial = 0;
    for (int round = 0; round < RACE_ROUNDS; round++) {
        struct child racers[RACERS];
        assert_int_equal(pipe(gate), 0);
        for (size_t i = 0; i < RACERS; i++)
            racers[i] = start(race);
        for (size_t i = 0; i < RACERS; i++)
            wait_ready(&racers[i]);
        (void)close(gate[0]);
        (void)close(gate[1]);
        for (size_t i = 0; i < RACERS; i++) {
            watch(object_path(bytes, ".zip"), bytes.n, &partial);
            end(&racers[i], false);
        }
        assert_int_equal(count_names("object-"), 1);
        assert_int_equal(count_names("part-"), 0); /* the losers' are gone */
        struct cache *c = open_cache();
        assert_found(c, &p, bytes, true);
        cache_free(c);
        assert_int_equal(prune(0, 0, true), 1);
    }
    assert_int_equal(partial, 0);
}

static void other_namespaces_are_not_touched(void)
{
    static const char *const ours_not[] = {
        "v2/DO-NOT-TOUCH.txt",
        "v1/README",
        "v1/object-1234.md",
        "v1/object-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.exe",
        "v1/record-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde",
        "v1/objects/a/b",
    };
    const struct cache_place p = shop();
    struct cache *c = open_cache();
    assert_int_equal(mkdir(in("v2"), 0755), 0);
    assert_int_equal(mkdir(in("v1/objects"), 0755), 0);
    assert_int_equal(mkdir(in("v1/objects/a"), 0755), 0);
    for (size_t i = 0; i < sizeof ours_not / sizeof *ours_not; i++)
        put_file(in(ours_not[i]), S("opaque"));
    cache_object_free(keep(c, &p, skill, PACK_UNKNOWN));
    assert_found(c, &p, skill, false);
    assert_int_equal(look(NULL, true).n, 1);
    assert_int_equal(prune(1, 1, true), 1);
    for (size_t i = 0; i < sizeof ours_not / sizeof *ours_not; i++) {
        struct arena a;
        struct pap_str got;
        arena_init(&a, NULL);
        assert_ok(file_read(&a, in(ours_not[i]), 100, &got, NULL, NULL));
        assert_str(got, "opaque");
        arena_fini(&a);
    }
    cache_free(c);
}

static const struct {
    const char *id;
    void (*retold)(void);
} behaviours[] = {
    {"cache-v1-valid", valid_is_reused},
    {"cache-v1-partial-writer", a_partial_writer_is_ignored_and_cleaned},
    {"cache-v1-crashed-lease", a_crashed_lease_ends_and_the_object_stays},
    {"cache-v1-cross-process", of_two_writers_one_wins},
    {"cache-v2-unknown", other_namespaces_are_not_touched},
};
enum { N_BEHAVIOURS = sizeof behaviours / sizeof *behaviours };

/* Every behaviour that the fixtures list is one of ours; their number. */
static unsigned count_listed(const char *cases)
{
    char path[1000];
    struct arena a;
    struct pap_str text;
    struct notes notes = {0};
    struct json *root = NULL;
    unsigned n = 0;
    arena_init(&a, NULL);
    (void)snprintf(path, sizeof path, "%s/remote-skills/cache/cache-cases.json", cases);
    assert_ok(file_read(&a, path, LIMIT_DOCUMENT, &text, NULL, NULL));
    assert_ok(json_read(&a, text, &root, &notes));
    json_each (one, json_get_c(root, "cases")) {
        size_t i = 0;
        while (i < N_BEHAVIOURS && !str_is(json_str(json_get_c(one, "id")), behaviours[i].id))
            i++;
        assert_true(i < N_BEHAVIOURS);
        n++;
    }
    arena_fini(&a);
    return n;
}

static void the_five_behaviours_hold(void **state)
{
    const char *cases = getenv("PAPAVER_CASES");
    unsigned held = 0;
    for (size_t i = 0; i < N_BEHAVIOURS; i++) {
        assert_int_equal(new_folder(state), 0);
        behaviours[i].retold();
        assert_int_equal(remove_folder(state), 0);
        held++;
    }
    if (cases)
        print_message("cache behaviours: %u of the %u listed are retold and hold\n", held, count_listed(cases));
    else
        print_message("cache behaviours: %u hold; PAPAVER_CASES is not set, their list was not compared\n", held);
}

/* ---- Load ---- */

enum { LOAD_SKILLS = 12, LOAD_TURNS = 150 };

struct load {
    struct cache *c;
    unsigned seed, pruning;
};

/* The kth skill: small ones and one that goes through a file. */
static struct pap_str load_bytes(unsigned k)
{
    static struct pap_str bytes[LOAD_SKILLS];
    if (!bytes[0].p)
        for (unsigned i = LOAD_SKILLS; i-- > 0;)
            bytes[i] = many_bytes(i == 3 ? LIMIT_SPOOL + 7 : 3000 + i);
    return bytes[k];
}

/* One turn of a client: from the cache or else downloaded; what it has is right in any case. 1: it is not. */
static int load_turn(struct load *l)
{
    char url[60], text[DIGEST_TEXT + 1];
    struct cache_object *o = NULL;
    enum cache_state state;
    struct digest d;
    l->seed = l->seed * 1664525u + 1013904223u;
    unsigned k = (l->seed >> 16) % LOAD_SKILLS;
    struct pap_str bytes = load_bytes(k);
    (void)snprintf(url, sizeof url, "https://shop.example/%u.md", k);
    const struct cache_place p = place_of("https://shop.example/", url, NULL);
    if (!is_ok(digest_sha256(&bytes, 1, &d, NULL)))
        return 1;
    digest_text(&d, text);
    if (!is_ok(cache_object_get(l->c, &p, str_c(text), false, NOW, &o, &state, NULL)) || state == CACHE_CORRUPT)
        return 1;
    if (!o && (!is_ok(cache_object_new(l->c, &o, NULL)) || !is_ok(cache_object_add(o, bytes, NULL)) ||
               !is_ok(cache_object_seal(o, NULL)) || !is_ok(cache_object_keep(l->c, o, &p, PACK_UNKNOWN, NOW, NULL))))
        return 1;
    int bad = !holds(o, bytes);
    cache_object_free(o);
    struct arena a;
    struct cache_document got, doc = {.url = S("https://shop.example/i"), .validated = NOW};
    bool found;
    arena_init(&a, NULL);
    doc.body = (l->seed >> 8) % 2 ? S("{\"a\": 1, \"more\": \"of it\"}") : S("{\"b\": 2}");
    bad |= !is_ok(cache_document_put(l->c, S("https://shop.example/i"), S(""), false, NOW, &doc, NULL)) ||
           !is_ok(cache_document_get(l->c, &a, S("https://shop.example/i"), S(""), NOW, &got, &found, NULL)) ||
           (found && !str_eq(got.body, S("{\"a\": 1, \"more\": \"of it\"}")) && !str_eq(got.body, S("{\"b\": 2}")));
    arena_fini(&a);
    uint64_t objects, removed;
    if (l->pruning && (l->seed >> 20) % l->pruning == 0)
        bad |= !is_ok(pap_skill_cache_prune(folder, NULL, 20000, 0, (l->seed >> 24) % 2, &objects, &removed, NULL));
    return bad;
}

static void *load_thread(void *ctx)
{
    struct load *l = ctx;
    static int wrong;
    for (unsigned i = 0; i < LOAD_TURNS; i++)
        if (load_turn(l))
            return &wrong;
    return NULL;
}

static unsigned load_pruning, load_seed;

static void load_process(void (*ready)(void))
{
    struct load l = {open_cache(), load_seed, load_pruning};
    ready();
    bool bad = load_thread(&l) != NULL;
    cache_free(l.c);
    _exit(bad);
}

static void processes_share_it(size_t n, unsigned pruning)
{
    struct child children[4];
    (void)load_bytes(0);
    for (size_t i = 0; i < n; i++) {
        load_pruning = pruning;
        load_seed = (unsigned)i + 1;
        children[i] = start(load_process);
    }
    for (size_t i = 0; i < n; i++)
        end(&children[i], false);
    struct seen s = look(NULL, true);
    assert_int_equal(s.bad, 0);
    assert_int_equal(s.held, 0);
    assert_int_equal(count_names("part-"), 0);
    if (!pruning) { /* nothing is lost */
        assert_int_equal(s.n, LOAD_SKILLS);
        assert_int_equal(count_names("record-"), LOAD_SKILLS);
    }
}

static void two_processes_share_it(void **state)
{
    (void)state;
    processes_share_it(2, 0);
}

static void four_processes_share_it(void **state)
{
    (void)state;
    processes_share_it(4, 0);
}

/* Whatever is taken away meanwhile, everybody has what he asked for. */
static void it_is_pruned_while_others_use_it(void **state)
{
    (void)state;
    processes_share_it(4, 5);
}

static void threads_share_one(const char *path, unsigned pruning)
{
    struct load loads[4];
    pthread_t threads[4];
    struct cache *c = open_at(path);
    (void)load_bytes(0);
    for (unsigned i = 0; i < 4; i++) {
        loads[i] = (struct load){c, i + 1, pruning};
        assert_int_equal(pthread_create(&threads[i], NULL, load_thread, &loads[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    cache_free(c);
}

static void threads_share_a_folder(void **state)
{
    (void)state;
    threads_share_one(folder, 0);
    assert_int_equal(look(NULL, true).n, LOAD_SKILLS);
    threads_share_one(folder, 5);
    assert_int_equal(look(NULL, true).bad, 0);
}

static void threads_share_memory(void **state)
{
    (void)state;
    threads_share_one(NULL, 0);
}

/* A process with very many skills in use still has descriptors for everything else, and what it has stays right. */
static void many_are_held_without_running_out(void **state)
{
    enum { MANY = 900 };
    static struct cache_object *held[MANY];
    static struct pap_str bytes[MANY];
    struct rlimit before;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){700, before.rlim_max}), 0);
    struct cache *c = open_cache();
    for (size_t i = 0; i < MANY; i++) {
        char url[60];
        bytes[i] = many_bytes(100 + i);
        (void)snprintf(url, sizeof url, "https://shop.example/%zu.md", i);
        const struct cache_place p = place_of("https://shop.example/", url, NULL);
        held[i] = keep(c, &p, bytes[i], PACK_UNKNOWN);
        assert_found(c, &p, bytes[i], false);
    }
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    (void)close(fds[0]);
    (void)close(fds[1]);
    assert_true(look(NULL, true).held > 400);
    for (size_t i = 0; i < MANY; i++) {
        assert_true(holds(held[i], bytes[i]));
        cache_object_free(held[i]);
    }
    assert_int_equal(look(NULL, true).n, MANY);
    cache_free(c);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* ---- Bounds ---- */

/* The kth of many skills, kept at that time. */
static void keep_at(struct cache *c, unsigned k, size_t size, int64_t when)
{
    char url[60];
    struct cache_object *o = NULL;
    struct pap_str bytes = many_bytes(size + k);
    (void)snprintf(url, sizeof url, "https://shop.example/%u.md", k);
    const struct cache_place p = place_of("https://shop.example/", url, NULL);
    assert_ok(cache_object_new(c, &o, NULL));
    assert_ok(cache_object_add(o, bytes, NULL));
    assert_ok(cache_object_seal(o, NULL));
    assert_ok(cache_object_keep(c, o, &p, PACK_UNKNOWN, when, NULL));
    cache_object_free(o);
}

static bool is_there(unsigned k, size_t size)
{
    struct pap_str bytes = many_bytes(size + k);
    bool there = file_type_of(object_path(bytes, ".md")) == FILE_REGULAR;
    return there;
}

static void it_stays_below_its_bound(void **state)
{
    enum { SIZE = 10000, MOST = 205000 };
    struct cache *c = NULL;
    (void)state;
    assert_ok(cache_open(&(struct cache_options){.folder = folder, .bytes = MOST}, &c, NULL));
    for (unsigned k = 0; k < 100; k++) {
        keep_at(c, k, SIZE, NOW + k);
        assert_true(count_names("object-") * SIZE <= MOST + SIZE);
        assert_true(is_there(k, SIZE));
    }
    cache_free(c);
    unsigned left = count_names("object-");
    assert_true(left >= MOST / SIZE * 3 / 4);
    for (unsigned k = 0; k < 100; k++) /* the newest are left, and their records */
        assert_int_equal(is_there(k, SIZE), k >= 100 - left);
    assert_true(count_names("record-") <= MOST / SIZE + 1);
}

static void what_is_unused_for_a_month_goes(void **state)
{
    struct cache *c = open_cache();
    struct arena a;
    struct cache_document d = {.url = S("https://shop.example/i"), .body = S("{}")}, got;
    bool found;
    (void)state;
    arena_init(&a, NULL);
    keep_at(c, 1, 1000, NOW);
    keep_at(c, 2, 1000, NOW);
    assert_ok(cache_document_put(c, S("https://shop.example/i"), S(""), false, NOW, &d, NULL));
    struct pap_str two = many_bytes(1002);
    const struct cache_place p = place_of("https://shop.example/", "https://shop.example/2.md", NULL);
    struct cache_object *o = NULL;
    enum cache_state s;
    assert_ok(cache_object_get(c, &p, str_c(digest_of(two)), false, NOW + 20 * DAY, &o, &s, NULL));
    assert_int_equal(s, CACHE_FOUND); /* used again */
    cache_object_free(o);
    keep_at(c, 3, 1000, NOW + 31 * DAY); /* the daily tidying */
    assert_false(is_there(1, 1000));
    assert_true(is_there(2, 1000));
    assert_true(is_there(3, 1000));
    assert_int_equal(count_names("record-"), 2);
    assert_ok(cache_document_get(c, &a, S("https://shop.example/i"), S(""), NOW + 31 * DAY, &got, &found, NULL));
    assert_false(found);
    cache_free(c);
    arena_fini(&a);
}

/* A ledger that is spoiled is counted anew. */
static void the_ledger_may_say_anything(void **state)
{
    static const char *const ledgers[] = {"", "x", "99999999999999999999 99999999999999999999\n",
                                          "00000000000000000007 00000000001800000000 and more",
                                          "-0000000000000000001 00000000001800000000\n"};
    (void)state;
    for (size_t i = 0; i < sizeof ledgers / sizeof *ledgers; i++) {
        struct cache *c = open_cache();
        put_file(in("v1/usage"), str_c(ledgers[i]));
        keep_at(c, (unsigned)i, 1000, NOW);
        keep_at(c, 100 + (unsigned)i, 1000, NOW);
        cache_free(c);
    }
    assert_int_equal(unlink(in("v1/usage")), 0);
    assert_int_equal(symlink("/etc/passwd", in("v1/usage")), 0);
    struct cache *c = open_cache();
    keep_at(c, 50, 1000, NOW);
    assert_int_equal(unlink(in("v1/usage")), 0);
    assert_int_equal(mkfifo(in("v1/usage"), 0600), 0);
    keep_at(c, 51, 1000, NOW);
    cache_free(c);
    assert_int_equal(look(NULL, true).n, 12);
}

static void prune_does_what_it_is_told(void **state)
{
    struct cache *c = open_cache();
    uint64_t objects = 7, removed = 7;
    (void)state;
    int64_t now = time(NULL);
    for (unsigned k = 0; k < 10; k++)
        keep_at(c, k, 10000, now - (int64_t)k * DAY);
    assert_int_equal(prune(0, 0, false), 0);
    assert_int_equal(prune(0, 8, false), 1);
    assert_ok(pap_skill_cache_prune(folder, NULL, 45000, 0, false, &objects, &removed, NULL));
    assert_int_equal(count_names("object-"), 4);
    assert_int_equal(objects, 5);
    assert_true(removed >= 50000 && removed < 51000);
    assert_true(is_there(0, 10000) && is_there(3, 10000) && !is_there(4, 10000));
    assert_int_equal(prune(0, 0, true), 4);
    assert_int_equal(count_names("record-"), 0);
    cache_free(c);
    assert_ok(pap_skill_cache_prune(in("none"), NULL, 0, 0, true, &objects, &removed, NULL));
    assert_int_equal(objects, 0);
    assert_int_equal(file_type_of(in("none")), FILE_NONE);
}

static void list_says_what_is_there(void **state)
{
    const struct cache_place one = shop(), two = place_of("https://b.example/", "https://b.example/z.md?v=2", NULL);
    const struct pap_str zip = many_bytes(2000);
    struct pap_skill_err err;
    (void)state;
    struct cache *c = open_cache();
    cache_object_free(keep(c, &two, skill, PACK_UNKNOWN));
    struct cache_object *held = keep(c, &one, skill, PACK_UNKNOWN);
    cache_object_free(keep(c, &one, zip, PACK_ZIP));
    cache_object_free(keep(c, &one, skill, PACK_UNKNOWN));
    struct seen s = look(digest_of(skill), false);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.held, 1);
    assert_int_equal(s.bytes, skill.n);
    assert_string_equal(s.type, "skill-md");
    assert_string_equal(s.origins, "https://b.example/z.md?v=2\nhttps://shop.example/a/water-plants.md");
    cache_object_free(held);
    s = look(digest_of(zip), false);
    assert_int_equal(s.held, 0);
    assert_string_equal(s.type, "archive");
    assert_string_equal(s.origins, "");
    put_file(object_path(skill, ".md"), S("spoiled"));
    s = look(NULL, false);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.bad, 0); /* it was not asked for */
    s = look(NULL, true);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.bad, 1);
    s = look(NULL, true);
    assert_int_equal(s.n, 1); /* told, and taken away */
    assert_int_equal(s.bad, 0);
    cache_free(c);
    assert_ok(pap_skill_cache_list(in("none"), NULL, true, see, &s, &err));
    assert_int_equal(chmod(in("v1"), 0777), 0);
    assert_int_equal(pap_skill_cache_list(folder, NULL, true, see, &s, &err).code, PAP_USAGE);
    assert_non_null(strstr(err.text, "others may write"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_five_behaviours_hold),
        cache_test(two_processes_share_it),
        cache_test(four_processes_share_it),
        cache_test(it_is_pruned_while_others_use_it),
        cache_test(threads_share_a_folder),
        cmocka_unit_test(threads_share_memory),
        cache_test(many_are_held_without_running_out),
        cache_test(it_stays_below_its_bound),
        cache_test(what_is_unused_for_a_month_goes),
        cache_test(the_ledger_may_say_anything),
        cache_test(prune_does_what_it_is_told),
        cache_test(list_says_what_is_there),
    };
    use_memory_for_folders();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
