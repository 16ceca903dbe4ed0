/* SPDX-License-Identifier: Apache-2.0
 *
 * The skills client by its public headers. Each prints one line of figures; skill.sh and origins.sh judge them.
 *   bench_skill origins COUNT JOBS CACERT PORT   opens https://hN.crawl.test:PORT/index.json for N from 1 to COUNT at once
 *   bench_skill cached ROUNDS CACHE              activates a cached skill of 5 kB; microseconds of CPU each
 *   bench_skill archive FILE NAME CACHE          fetches, hashes, verifies and unpacks a tar.gz once
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <papaver/skill.h>

static char list[1024], body[8192];
static const char *archive;
static size_t body_n;

static double cpu_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int failed(const struct pap_skill_err *err)
{
    fprintf(stderr, "bench_skill: %s: %s\n", pap_skill_code_name(err->code), err->text);
    return 1;
}

/* ---- many origins ---- */

static int origins(unsigned count, unsigned jobs, const char *cacert, const char *port)
{
    struct pap_skill_origin *o = calloc(count, sizeof *o);
    struct pap_skill_session **s = calloc(count, sizeof *s);
    struct pap_skill_err *errs = calloc(count, sizeof *errs);
    char(*places)[96] = calloc(count, sizeof *places), wildcard[64];
    const char *resolve[] = {wildcard, NULL};
    struct pap_skill_client *c;
    struct pap_skill_err err = {0};
    unsigned good = 0;
    if (!o || !s || !errs || !places)
        return 1;
    (void)snprintf(wildcard, sizeof wildcard, "*:%s:127.0.0.1", port);
    for (unsigned i = 0; i < count; i++) {
        (void)snprintf(places[i], sizeof places[i], "https://h%u.crawl.test:%s/index.json", i + 1, port);
        o[i].place = places[i];
    }
    const struct pap_skill_options options = {
        .allow_private = true, .jobs = jobs, .cacert = cacert, .resolve = resolve};
    if (pap_skill_client_new(&options, &c, &err).code != PAP_OK)
        return failed(&err);
    if (pap_skill_session_open_all(c, o, count, s, errs).code != PAP_OK)
        return failed(&errs[0]);
    for (unsigned i = 0; i < count; i++) {
        good += s[i] != NULL;
        if (!s[i])
            (void)failed(&errs[i]);
        pap_skill_session_close(s[i]);
    }
    pap_skill_client_free(c);
    printf("%u of %u\n", good, count);
    return good != count;
}

/* ---- from memory and from a file, without a network ---- */

static bool give_file(const struct pap_skill_answer *answer)
{
    static char piece[64 * 1024];
    FILE *f = fopen(archive, "rb");
    size_t n;
    bool ok = f != NULL;
    while (ok && (n = fread(piece, 1, sizeof piece, f)) > 0)
        ok = answer->body(answer->ctx, piece, n);
    if (f)
        (void)fclose(f);
    return ok;
}

static pap_result fetch(void *ctx, const struct pap_skill_request *request, const struct pap_skill_answer *answer,
                        struct pap_err *err)
{
    static const struct pap_skill_header headers[] = {{"Cache-Control", "max-age=3600"}};
    bool is_list = strstr(request->url, "index.json") != NULL;
    (void)ctx;
    (void)err;
    if (!answer->head(answer->ctx, 200, headers, 1))
        return (pap_result){PAP_OK};
    if (is_list)
        (void)answer->body(answer->ctx, list, strlen(list));
    else if (archive)
        (void)give_file(answer);
    else
        (void)answer->body(answer->ctx, body, body_n);
    return (pap_result){PAP_OK};
}

static void make_list(const char *name, const char *type, const char *digest)
{
    (void)snprintf(list, sizeof list,
                   "{\"$schema\":\"https://schemas.agentskills.io/discovery/0.2.0/schema.json\",\"skills\":[{\"name\":"
                   "\"%s\",\"description\":\"d\",\"type\":\"%s\",\"url\":\"a.tar.gz\",\"digest\":\"%s\"}]}",
                   name, type, digest);
}

static const struct pap_skill_origin origin = {.place = "https://shop.example/index.json"};

/* The digest that a first refusal tells. */
static int learn_digest(const char *name, const char *type, const struct pap_skill_options *o)
{
    struct pap_skill_options strict = *o;
    struct pap_skill_client *c;
    struct pap_skill_session *s;
    struct pap_skill *k;
    struct pap_skill_err err = {0};
    char digest[72] = "";
    strict.strict = true;
    strict.cache = NULL;
    make_list(name, type, "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    if (pap_skill_client_new(&strict, &c, &err).code != PAP_OK ||
        pap_skill_session_open(c, &origin, &s, &err).code != PAP_OK)
        return failed(&err);
    if (pap_skill_activate(s, name, NULL, &k, &err).code == PAP_OK || err.code != PAP_SKILL_DIGEST_MISMATCH)
        return failed(&err);
    pap_skill_session_close(s);
    pap_skill_client_free(c);
    const char *at = strstr(err.text, "sha256:");
    if (at)
        (void)snprintf(digest, sizeof digest, "%.71s", at);
    make_list(name, type, digest);
    return 0;
}

static int cached(unsigned rounds, const char *cache)
{
    struct pap_skill_options o = {.fetch = fetch, .cache = cache};
    struct pap_skill_session **s = calloc(rounds + 1, sizeof *s);
    struct pap_skill_client *c;
    struct pap_skill *k;
    struct pap_skill_err err = {0};
    double used = 0, least = 1e9;
    body_n = (size_t)snprintf(body, sizeof body, "---\nname: water-plants\ndescription: d\n---\n\n# Water\n\n");
    while (body_n < 5000)
        body_n += (size_t)snprintf(body + body_n, sizeof body - body_n, "Step %zu: water the plants.\n", body_n);
    if (!s || learn_digest("water-plants", "skill-md", &o) || pap_skill_client_new(&o, &c, &err).code != PAP_OK)
        return failed(&err);
    for (unsigned i = 0; i <= rounds; i++)
        if (pap_skill_session_open(c, &origin, &s[i], &err).code != PAP_OK)
            return failed(&err);
    for (unsigned i = 0; i <= rounds; i++) { /* the first one fetches */
        struct pap_skill_facts f;
        double before = cpu_us(), one;
        if (pap_skill_activate(s[i], "water-plants", NULL, &k, &err).code != PAP_OK)
            return failed(&err);
        one = cpu_us() - before;
        pap_skill_facts(k, &f);
        if (f.from_cache != (i > 0))
            return 1;
        pap_skill_free(k);
        used += i ? one : 0;
        least = i && one < least ? one : least;
    }
    for (unsigned i = 0; i <= rounds; i++)
        pap_skill_session_close(s[i]);
    pap_skill_client_free(c);
    printf("%.1f %.1f\n", used / rounds, least);
    return 0;
}

static int unpack(const char *file, const char *name, const char *cache)
{
    struct pap_skill_options o = {.fetch = fetch,
                                  .cache = cache,
                                  .most_archive_bytes = 1 << 30,
                                  .most_unpacked_bytes = 1 << 30,
                                  .most_files = 100000};
    struct pap_skill_client *c;
    struct pap_skill_session *s;
    struct pap_skill *k;
    struct pap_skill_facts f;
    struct pap_skill_err err = {0};
    struct rusage use;
    archive = file;
    if (learn_digest(name, "archive", &o) || pap_skill_client_new(&o, &c, &err).code != PAP_OK ||
        pap_skill_session_open(c, &origin, &s, &err).code != PAP_OK)
        return failed(&err);
    double before = cpu_us();
    if (pap_skill_activate(s, name, NULL, &k, &err).code != PAP_OK)
        return failed(&err);
    double used = cpu_us() - before;
    pap_skill_facts(k, &f);
    (void)getrusage(RUSAGE_SELF, &use);
    printf("%.3f %zu %ld\n", used / 1e6, f.files, use.ru_maxrss);
    pap_skill_free(k);
    pap_skill_session_close(s);
    pap_skill_client_free(c);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "origins") == 0)
        return origins((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), argv[4], argv[5]);
    if (argc == 4 && strcmp(argv[1], "cached") == 0)
        return cached((unsigned)atoi(argv[2]), argv[3]);
    if (argc == 5 && strcmp(argv[1], "archive") == 0)
        return unpack(argv[2], argv[3], argv[4]);
    return 2;
}
