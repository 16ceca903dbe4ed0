/* SPDX-License-Identifier: Apache-2.0
 *
 * The network cases of Remote Skills (PAPAVER_CASES): each id is played over a web of our own and gives its expected result.
 * Their inputs are read where they are there and rebuilt from rule and category where they are not.
 */
#include "base/arena.h"
#include "skill_unit.h"
#include "skill_web.h"

#define HOST "https://skills.example.test"
#define INDEX HOST "/.well-known/agent-skills/index.json"
#define HEAD "{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\"skills\":["

static struct arena arena;
static const struct json *inputs, *results;

struct played {
    pap_result result;
    struct pap_skill_err err;
    bool stale;
    size_t requests;
    struct pap_skill_client *client;
    struct pap_skill_session *session;
    struct pap_skill *skill;
};

static const char empty_list[] = HEAD "]}";
static const char secret[] = "canary-of-a-secret";

static struct pap_skill_options options(void)
{
    struct pap_skill_options o = web_options();
    o.strict = true; /* as the cases run; decisions 15 and 16 are gentler by default */
    o.retries = 2;
    return o;
}

static void open_with(struct played *p, const struct pap_skill_options *o, struct pap_skill_origin origin)
{
    origin.place = INDEX;
    origin.label = "acme";
    if (!p->client)
        p->client = web_client(o);
    pap_skill_session_close(p->session);
    p->session = NULL;
    size_t before = web.n_asked;
    p->result = pap_skill_session_open(p->client, &origin, &p->session, &p->err);
    p->requests = web.n_asked - before;
    if (is_ok(p->result)) {
        struct pap_skill_session_facts f;
        pap_skill_session_facts(p->session, &f);
        p->stale = f.stale;
    }
}

static void open_list(struct played *p, struct pap_skill_origin origin)
{
    struct pap_skill_options o = options();
    open_with(p, &o, origin);
}

static void activate(struct played *p, const char *name, const char *range)
{
    size_t before = web.n_asked;
    assert_ok(p->result);
    p->result = pap_skill_activate(p->session, name, range, &p->skill, &p->err);
    p->requests = web.n_asked - before;
}

/* A list of one skill. */
static struct pap_str list_of(const char *name, const char *description, const char *type, const char *url,
                              const char *digest, const char *more)
{
    return arena_fmt(&arena,
                     HEAD
                     "{\"name\":\"%s\",\"description\":\"%s\",\"type\":\"%s\",\"url\":\"%s\",\"digest\":\"%s\"%s}]}",
                     name, description, type, url, digest, more);
}

static struct pap_str fixture_skill(void)
{
    return case_file(&arena, "archive/skill-md", "valid.md");
}

static struct pap_str fixture_list(void)
{
    char digest[DIGEST_TEXT + 1];
    return list_of("fixture-skill", "Exercise archive safety.", "skill-md", "artifacts/fixture-skill.md",
                   sha(fixture_skill(), digest), "");
}

static const char *asked_field(size_t i, const char *name)
{
    static char value[512];
    struct pap_str rest = str_c(web.asked[i].fields), line;
    while (str_next(&rest, '\n', &line))
        if (str_starts(line, str_c(name)) && line.p[strlen(name)] == ':') {
            (void)snprintf(value, sizeof value, "%.*s", PSTR(str_skip(line, strlen(name) + 2)));
            return value;
        }
    return NULL;
}

/* ---- the cases ---- */

static void validator(struct played *p, struct pap_str id)
{
    struct route *r = web_route(INDEX, 200,
                                "cache-control: max-age=300\netag: \"catalog-v1\"\nlast-modified: Tue, 25 Aug 2026 "
                                "10:00:00 GMT\n",
                                str_c(empty_list));
    r->times = 1;
    open_list(p, (struct pap_skill_origin){0});
    assert_string_equal(asked_field(0, "accept"), "application/json");
    if (str_ends(id, S("initial-200")))
        return;
    bool fresh = str_ends(id, S("fresh-no-request"));
    (void)web_route(INDEX, 304, "", S(""));
    web.now_ms += fresh ? 299999 : 300000;
    open_list(p, (struct pap_skill_origin){0});
    if (!fresh) {
        assert_string_equal(asked_field(1, "if-none-match"), "\"catalog-v1\"");
        assert_string_equal(asked_field(1, "if-modified-since"), "Tue, 25 Aug 2026 10:00:00 GMT");
    }
}

static void redirect(struct played *p, struct pap_str id)
{
    static const struct pap_skill_header headers[] = {{"x-tenant", "fixture-tenant"}};
    struct pap_skill_origin o = {.headers = headers, .n_headers = 1};
    static const char *const places[] = {"/1", "/2", "/3", "/4", "/5", "/6", "/7"};
    if (str_ends(id, S("overflow"))) {
        (void)web_route(INDEX, 302, "location: /1\n", S(""));
        for (size_t i = 0; i < 6; i++)
            (void)web_route(arena_fmt(&arena, HOST "%s", places[i]).p, 302,
                            arena_fmt(&arena, "location: %s\n", places[i + 1]).p, S(""));
    } else if (str_ends(id, S("private-address"))) {
        (void)web_route(INDEX, 302, "location: https://10.0.0.1/index.json\n", S(""));
    } else {
        bool cross = str_ends(id, S("cross-host"));
        (void)web_route(INDEX, 302, cross ? "location: https://cdn.example.test/i.json\n" : "location: /i.json\n",
                        S(""));
        (void)web_route(HOST "/i.json", 200, "", str_c(empty_list));
        (void)web_route("https://cdn.example.test/i.json", 200, "", str_c(empty_list));
    }
    open_list(p, o);
    const struct json *want = json_get_c(case_result(results, id), "origin_header_hops");
    for (size_t i = 0; want && i < web.n_asked; i++) {
        bool wanted = false;
        json_each (hop, want)
            wanted |= str_is(json_str(hop), i ? "1" : "0");
        assert_int_equal(asked_field(i, "x-tenant") != NULL, wanted);
    }
}

static const struct {
    const char *id, *address;
    const char *second; /* what the name means when it is asked again */
} addresses[] = {
    {"ip-public-v4", "93.184.216.34", NULL},
    {"ip-private-10", "10.1.2.3", NULL},
    {"ip-private-172", "172.16.0.9", NULL},
    {"ip-private-192", "192.168.1.1", NULL},
    {"ip-loopback-v4", "127.0.0.1", NULL},
    {"ip-link-local-v4", "169.254.169.254", NULL},
    {"ip-multicast-v4", "224.0.0.1", NULL},
    {"ip-unspecified-v4", "0.0.0.0", NULL},
    {"ip-public-v6", "2606:2800:220:1:248:1893:25c8:1946", NULL},
    {"ip-loopback-v6", "::1", NULL},
    {"ip-unique-local-v6", "fd00::1", NULL},
    {"ip-link-local-v6", "fe80::1", NULL},
    {"ip-multicast-v6", "ff02::1", NULL},
    {"ip-unspecified-v6", "::", NULL},
    {"ip-mapped-loopback-v6", "::ffff:127.0.0.1", NULL},
    {"ip-mapped-private-v6", "::ffff:10.0.0.1", NULL},
    {"ip-mapped-public-v6", "::ffff:93.184.216.34", NULL},
    {"ip-dns-rebinding", "93.184.216.34", "10.0.0.1"},
};

static void address(struct played *p, struct pap_str id)
{
    struct pap_skill_options o = options();
    o.addresses = web_addresses;
    (void)web_route(INDEX, 200, "", str_c(empty_list));
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        if (str_is(id, addresses[i].id)) {
            web.addresses[0] = addresses[i].address;
            web.addresses[1] = addresses[i].second;
            web.n_addresses = addresses[i].second ? 2 : 1;
        }
    assert_true(web.n_addresses > 0);
    open_with(p, &o, (struct pap_skill_origin){0});
}

static void retry(struct played *p, struct pap_str id)
{
    static const int statuses[][3] = {{408, 200, 0}, {429, 200, 0}, {500, 503, 200}};
    const struct json *want = case_result(results, id);
    bool network = str_ends(id, S("network-failure")), off = str_ends(id, S("disabled-transient"));
    size_t row = str_is(id, "retry-408") ? 0 : str_is(id, "retry-429") ? 1 : 2;
    struct pap_skill_options o = options();
    o.retries = off ? 0 : 2;
    web.chance = row == 2 ? 251 : 7; /* 251 mod 250 is 1 in the first pause */
    for (size_t i = 0; i < 3; i++) {
        struct route *r = web_route(INDEX, network || off ? 0 : statuses[row][i],
                                    statuses[row][i] == 429 ? "retry-after: 2\n" : "", str_c(empty_list));
        r->times = 1;
    }
    open_with(p, &o, (struct pap_skill_origin){0});
    size_t i = 1;
    json_each (delay, json_get_c(want, "delays_ms")) {
        uint64_t ms = 0;
        assert_true(str_to_u64(json_str(delay), &ms));
        assert_int_equal(web.asked[i].at_ms - web.asked[i - 1].at_ms, ms);
        i++;
    }
}

static void retry_digest(struct played *p, struct pap_str id)
{
    (void)id;
    (void)web_route(INDEX, 200, "",
                    list_of("fixture-skill", "Exercise archive safety.", "skill-md", "a.md",
                            "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ""));
    (void)web_route(HOST "/.well-known/agent-skills/a.md", 200, "", fixture_skill());
    open_list(p, (struct pap_skill_origin){0});
    activate(p, "fixture-skill", NULL);
}

static uint32_t seconds_of(struct pap_str scenario, const char *name)
{
    uint64_t v = 0;
    (void)str_to_u64(json_str(json_get_c(json_get(inputs, scenario), name)), &v);
    return (uint32_t)v;
}

static void offline(struct played *p, struct pap_str id)
{
    struct pap_str scenario = str_skip(id, strlen("offline-"));
    struct route *r = web_route(INDEX, 200, "", str_c(empty_list));
    r->times = 1;
    (void)web_route(INDEX, 0, "", S(""));
    open_list(p, (struct pap_skill_origin){0});
    web.now_ms += (int64_t)seconds_of(scenario, "cached_catalog_age_seconds") * 1000;
    bool stale = json_is(json_get_c(json_get(inputs, scenario), "stale_enabled"), JSON_TRUE);
    web.chance = 0;
    open_list(p, (struct pap_skill_origin){.stale_s = stale ? seconds_of(scenario, "maximum_age_seconds") : 0});
    if (is_ok(p->result))
        p->requests = 0; /* the case plays without a network at all; here three attempts fail first */
}

/* A session that was opened keeps what it has: offline, and when the origin has taken it away. */
static void existing(struct played *p, struct pap_str id)
{
    bool gone = !str_starts(id, S("offline"));
    struct route *r = web_route(INDEX, 200, "", fixture_list());
    r->times = 1;
    (void)web_route(INDEX, gone ? 200 : 0, "", str_c(empty_list));
    r = web_route(HOST "/.well-known/agent-skills/artifacts/fixture-skill.md", 200, "", fixture_skill());
    r->times = 1;
    open_list(p, (struct pap_skill_origin){0});
    activate(p, "fixture-skill", NULL);
    assert_fine(p->result, p->err);
    struct pap_str bytes;
    size_t before = web.n_asked;
    p->result = pap_skill_read(p->skill, "SKILL.md", true, &bytes, &p->err);
    p->requests = web.n_asked - before;
    assert_fine(p->result, p->err);
    struct pap_skill_file f;
    pap_skill_file_at(p->skill, 0, &f);
    const struct json *want = case_result(results, id);
    assert_true(str_eq(arena_fmt(&arena, "%zu", bytes.n), json_str(json_get_c(want, "size"))));
    assert_str(f.media_type, "text/markdown");
    pap_skill_bytes_free(p->skill, bytes);
}

static void removed(struct played *p, struct pap_str id)
{
    (void)id;
    struct route *r = web_route(INDEX, 200, "", fixture_list());
    r->times = 1;
    (void)web_route(INDEX, 200, "", str_c(empty_list));
    (void)web_route(HOST "/.well-known/agent-skills/artifacts/fixture-skill.md", 200, "", fixture_skill());
    open_list(p, (struct pap_skill_origin){0});
    activate(p, "fixture-skill", NULL);
    assert_fine(p->result, p->err);
    pap_skill_free(p->skill);
    p->skill = NULL;
    open_list(p, (struct pap_skill_origin){0});
    assert_int_equal(p->requests, 1);
    p->result = pap_skill_activate(p->session, "fixture-skill", NULL, &p->skill, &p->err);
}

static const char history[] =
    ",\"x-remote-skills\":{\"version\":\"2.0.0\",\"releases\":[{\"version\":\"2.0.0\",\"type\":\"archive\",\"url\":\"2.tar.gz\","
    "\"digest\":\"sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd\"}%s]}";

/* Of two lists: one that has 1.4.7, and a later one that has it no more. */
static struct pap_str versioned(bool has)
{
    static const char release[] =
        ",{\"version\":\"1.4.7\",\"type\":\"archive\",\"url\":\"artifacts/"
        "sha256-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.tar.gz\",\"digest\":"
        "\"sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"}";
    char more[2048];
    (void)snprintf(more, sizeof more, history, has ? release : "");
    return list_of("code-review", "Reviews.", "archive", "2.tar.gz",
                   "sha256:dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd", more);
}

static void version_gone(struct played *p, struct pap_str id)
{
    struct route *r = web_route(INDEX, 200, "", versioned(true));
    r->times = 1;
    bool stale = str_ends(id, S("stale"));
    (void)web_route(INDEX, stale ? 0 : 200, "", versioned(false));
    open_list(p, (struct pap_skill_origin){0});
    web.now_ms += 60000;
    open_list(p, (struct pap_skill_origin){.stale_s = stale ? 300 : 0});
    assert_fine(p->result, p->err);
    struct pap_skill_release chosen;
    size_t requests = stale ? 0 : p->requests;
    p->result = pap_skill_session_select(p->session, "code-review", "1.4.x", &chosen, &p->err);
    p->requests = requests;
    if (!stale)
        return;
    const struct json *want = case_result(results, id);
    assert_true(str_eq(chosen.version, member(want, "selected_version")));
    assert_true(str_eq(chosen.url, member(want, "url")));
    assert_true(str_eq(chosen.digest, member(want, "digest")));
}

static void credentials(struct played *p, struct pap_str id)
{
    static const struct pap_skill_header headers[] = {{"Authorization", secret}};
    char digest[DIGEST_TEXT + 1];
    bool cross = str_ends(id, S("stripped"));
    const char *url = cross ? "https://cdn.example.test/a.md" : HOST "/a.md";
    (void)web_route(INDEX, 200, "",
                    list_of("fixture-skill", "Exercise archive safety.", "skill-md", url, sha(fixture_skill(), digest),
                            ""));
    (void)web_route(url, 200, "", fixture_skill());
    open_list(p, (struct pap_skill_origin){.headers = headers, .n_headers = 1});
    activate(p, "fixture-skill", NULL);
    assert_string_equal(asked_field(1, "accept"), "text/markdown");
    assert_int_equal(asked_field(1, "authorization") != NULL, !cross);
    p->requests = cross ? web.n_asked : p->requests;
}

/* The response of the scenario, as a route's fields. */
static const char *fields_of(const struct json *response)
{
    const struct json *headers = json_get_c(response, "headers");
    struct pap_str all = S("");
    json_each (h, headers)
        all = json_is(headers, JSON_OBJECT)
                  ? arena_fmt(&arena, "%.*s%.*s: %.*s\n", PSTR(all), PSTR(json_key(h)), PSTR(json_str(h)))
                  : arena_fmt(&arena, "%.*s%.*s: %.*s\n", PSTR(all), PSTR(member(h, "name")), PSTR(member(h, "value")));
    return all.p;
}

static void scope(struct played *p, struct pap_str id)
{
    static const struct pap_skill_header headers[] = {{"authorization", secret}};
    static const struct pap_skill_header twice[] = {{"remote-skills-scope", "engineering"},
                                                    {"remote-skills-scope", "engineering"}};
    const struct json *in = json_get(inputs, id), *configuration = json_get_c(in, "configuration");
    const struct json *response = json_get_c(in, "response"), *etag = json_at(configuration, "/validators/etag");
    struct pap_str name = json_str(json_get_c(configuration, "scope"));
    uint64_t status = 200;
    (void)str_to_u64(json_str(json_get_c(response, "status")), &status);
    struct pap_skill_origin o = {.scope = name.p ? arena_cstr(&arena, name) : NULL};
    if (json_get_c(configuration, "headers"))
        o.headers = headers, o.n_headers = 1;
    if (json_get_c(in, "request"))
        o.headers = twice, o.n_headers = 2;
    if (etag) {
        struct route *r =
            web_route(INDEX, 200,
                      arena_fmt(&arena, "etag: %.*s\nremote-skills-scope: engineering\n", PSTR(json_str(etag))).p,
                      str_c(empty_list));
        r->times = 1;
        open_list(p, o);
        assert_fine(p->result, p->err);
    }
    (void)web_route(INDEX, (int)status, fields_of(response), str_c(empty_list));
    open_list(p, o);
    if (web.n_asked && o.scope)
        assert_string_equal(asked_field(web.n_asked - 1, "remote-skills-scope"), o.scope);
    if (etag)
        assert_true(str_is(json_str(etag), asked_field(web.n_asked - 1, "if-none-match")));
    if (etag && !is_ok(p->result)) { /* what is not confirmed is not kept either */
        struct played later = {.client = p->client};
        size_t before = web.n_asked;
        open_list(&later, o);
        assert_null(asked_field(before, "if-none-match"));
        pap_skill_session_close(later.session);
    }
}

static void scope_artifact(struct played *p, struct pap_str id)
{
    static const struct pap_skill_header headers[] = {{"authorization", secret}};
    bool denied = str_ends(id, S("denied"));
    char digest[DIGEST_TEXT + 1];
    (void)web_route(INDEX, 200, "remote-skills-scope: engineering\n",
                    list_of("fixture-skill", "Exercise archive safety.", "skill-md", HOST "/a.md",
                            sha(fixture_skill(), digest), ""));
    (void)web_route(HOST "/a.md", denied ? 403 : 200, "", fixture_skill());
    open_list(p, (struct pap_skill_origin){.scope = "engineering", .headers = headers, .n_headers = 1});
    activate(p, "fixture-skill", NULL);
    assert_non_null(asked_field(1, "authorization"));
    assert_null(asked_field(1, "remote-skills-scope"));
    p->requests = denied ? p->requests : web.n_asked;
}

static const struct {
    const char *prefix;
    void (*play)(struct played *p, struct pap_str id);
    const char *file; /* of inputs */
} plays[] = {
    {"validator-", validator, NULL},
    {"redirect-", redirect, NULL},
    {"ip-", address, NULL},
    {"retry-digest", retry_digest, NULL},
    {"retry-", retry, NULL},
    {"offline-active", existing, NULL},
    {"offline-", offline, "offline-removal.json"},
    {"removal-existing", existing, NULL},
    {"removal-future", removed, NULL},
    {"version-removal-existing", existing, NULL},
    {"version-removal-", version_gone, NULL},
    {"credentials-explicit-cdn", NULL, NULL}, /* decision 18: a credential for one host and port, and no other */
    {"credentials-", credentials, NULL},
    {"scope-artifact-denied", scope_artifact, NULL},
    {"authorized-range-activation", scope_artifact, NULL},
    {"scope-", scope, "scope-authorization.json"},
};

/* ---- comparing ---- */

static void compare_error(struct pap_str id, const struct played *p, const struct json *want)
{
    size_t n = 0, wanted = 0;
    const char *k, *v;
    if (is_ok(p->result) || !str_is(member(want, "code"), pap_skill_code_name(p->err.code)))
        unit_fail("%.*s: got %s (%s), want %.*s", PSTR(id), pap_skill_code_name(p->err.code), p->err.text,
                  PSTR(member(want, "code")));
    assert_int_equal(pap_skill_code_retryable(p->err.code), json_is(json_get_c(want, "retryable"), JSON_TRUE));
    json_each (one, json_get_c(want, "context")) {
        const char *got = err_value(&p->err, arena_cstr(&arena, json_key(one)));
        if (!str_is(json_str(one), got))
            unit_fail("%.*s: %.*s is \"%s\", want %.*s", PSTR(id), PSTR(json_key(one)), got, PSTR(json_str(one)));
        wanted++;
    }
    while (pap_skill_err_at(&p->err, n, &k, &v))
        n++;
    if (n != wanted)
        unit_fail("%.*s: %zu facts, want %zu", PSTR(id), n, wanted);
}

static void compare(struct pap_str id, const struct played *p)
{
    const struct json *want = case_result(results, id), *error = json_get_c(want, "error");
    struct pap_str requests = json_str(json_get_c(want, "requests"));
    uint64_t n = 0;
    if (error)
        compare_error(id, p, error);
    else if (!is_ok(p->result))
        unit_fail("%.*s: %s (%s)", PSTR(id), pap_skill_code_name(p->err.code), p->err.text);
    if (json_get_c(want, "stale") && !error)
        assert_int_equal(p->stale, json_is(json_get_c(want, "stale"), JSON_TRUE));
    if (str_to_u64(requests, &n) && n != p->requests)
        unit_fail("%.*s: %zu requests, want %zu", PSTR(id), p->requests, (size_t)n);
    assert_true(str_find(str_c(p->err.text), str_c(secret)) == strlen(p->err.text));
}

static bool play(struct pap_str id)
{
    for (size_t i = 0; i < sizeof plays / sizeof *plays; i++) {
        if (!str_starts(id, str_c(plays[i].prefix)))
            continue;
        if (!plays[i].play)
            return false;
        struct played p = {.result = OK};
        struct json *root = NULL;
        struct notes notes = {0};
        web_reset();
        if (plays[i].file)
            assert_ok(json_read(&arena, case_file(&arena, "network", plays[i].file), &root, &notes));
        inputs = root;
        plays[i].play(&p, id);
        compare(id, &p);
        pap_skill_free(p.skill);
        pap_skill_session_close(p.session);
        pap_skill_client_free(p.client);
        return true;
    }
    unit_fail("nobody plays %.*s", PSTR(id));
    return false;
}

static void play_all(const char *cases, const char *expected)
{
    size_t n = 0, left = 0;
    const struct json *list = case_json(&arena, "network", cases);
    results = case_json(&arena, "expected-results", expected);
    json_each (one, list) {
        bool played = play(member(one, "id"));
        n += played;
        left += !played;
    }
    print_message("%s: %zu cases give their result, %zu left out by decision 18\n", cases, n, left);
    assert_true(n > 20);
}

static void network_cases(void **state)
{
    (void)state;
    if (!has_cases("network cases"))
        return;
    arena_init(&arena, NULL);
    play_all("network-cases.json", "network-results.json");
    play_all("scope-version-network-cases.json", "scope-version-network-results.json");
    arena_fini(&arena);
}

/* ---- what the reference publisher wrote, at the consumer ---- */

static bool same_json(const struct json *a, const struct json *b)
{
    if (!a || !b || a->type != b->type || a->n != b->n)
        return false;
    if (a->type != JSON_OBJECT && a->type != JSON_ARRAY)
        return str_eq(json_str(a), json_str(b));
    json_each (one, a)
        if (!same_json(one, json_get(b, json_key(one))))
            return false;
    return true;
}

/* The artifact of that name: an archive of the goldens, or the SKILL.md that it was made of. */
static struct pap_str golden(const char *folder, struct pap_str name, const char *skill)
{
    struct pap_str bytes = case_file(&arena, folder, arena_cstr(&arena, name));
    return bytes.p ? bytes : case_file(&arena, arena_fmt(&arena, "publisher/source/skills/%s", skill).p, "SKILL.md");
}

static void consume(const struct json *one)
{
    struct played p = {.result = OK};
    struct pap_skill_release r;
    struct pap_skill_facts f;
    const struct json *want = case_result(results, member(one, "id"));
    const char *folder = str_is(member(one, "format"), "zip") ? "publisher/goldens/zip" : "publisher/goldens/tar-gzip";
    const char *name = arena_cstr(&arena, member(one, "skill_name"));
    web_reset();
    (void)web_route(INDEX, 200, "", case_file(&arena, folder, "index.json"));
    open_list(&p, (struct pap_skill_origin){0});
    assert_fine(pap_skill_session_select(p.session, name, NULL, &r, &p.err), p.err);
    (void)web_route(arena_cstr(&arena, r.url), 200, "",
                    golden(folder, str_skip(r.url, str_rfind_char(r.url, '/') + 1), name));
    activate(&p, name, NULL);
    assert_fine(p.result, p.err);
    pap_skill_facts(p.skill, &f);
    assert_true(str_eq(f.release.digest, member(want, "digest")));
    assert_true(str_eq(f.instructions, member(want, "instructions")));
    struct json *front = NULL;
    struct notes notes = {0};
    assert_ok(json_read(&arena, f.frontmatter, &front, &notes));
    assert_true(same_json(front, json_get_c(want, "frontmatter")));
    size_t i = 0;
    json_each (file, json_get_c(want, "files")) {
        struct pap_skill_file got;
        pap_skill_file_at(p.skill, i++, &got);
        assert_true(str_eq(got.path, member(file, "path")));
        assert_true(str_eq(got.media_type, member(file, "media_type")));
        assert_true(str_eq(arena_fmt(&arena, "%llu", (unsigned long long)got.size), member(file, "size")));
    }
    assert_int_equal(f.files, i);
    assert_int_equal(web.n_asked, 2);
    pap_skill_free(p.skill);
    pap_skill_session_close(p.session);
    pap_skill_client_free(p.client);
}

static void consumer_cases(void **state)
{
    (void)state;
    size_t n = 0;
    if (!has_cases("consumer cases"))
        return;
    arena_init(&arena, NULL);
    const struct json *list = case_json(&arena, "publisher", "consumer-cases.json");
    results = case_json(&arena, "expected-results", "publisher-activation-results.json");
    json_each (one, list) {
        consume(one);
        n++;
    }
    arena_fini(&arena);
    print_message("consumer-cases.json: %zu cases give their result\n", n);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(network_cases),
        cmocka_unit_test(consumer_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
