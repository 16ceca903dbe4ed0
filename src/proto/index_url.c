/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an index says its skills are: that the URL can be asked, that the bytes behind it cannot change under their
 * digest, and that it means the same from every place where the index stands.
 */
#include "base/buf.h"
#include "proto/index.h"
#include "text/uri.h"
#include "text/utf8.h"

/* ---- URLs that cannot be asked ---- */

/* A file has no address; its URLs are looked at as if it were served where indexes are. */
static struct pap_str base_of(const struct doc *d)
{
    return d->base.p ? d->base : S("https://site.invalid/.well-known/agent-skills/index.json");
}

/* The URL as an agent would ask it; false when it is none, which is said by index.url. */
static bool resolve(struct run *r, struct pap_str base_text, struct pap_str url, struct uri *ret)
{
    struct uri base, ref;
    size_t at;
    const char *why;
    if (!uri_parse(base_text, &base, &at, &why) || !uri_parse(url, &ref, &at, &why))
        return false;
    struct pap_str target = uri_resolve(r->arena, &base, &ref);
    r->no_memory |= !target.p;
    return target.p && uri_parse(target, ret, &at, &why);
}

/* Blanks and characters other than ASCII are what a client may encode by itself; p NULL when something else is wrong. */
static struct pap_str encoded(struct run *r, struct pap_str url)
{
    struct buf b;
    struct uri u;
    size_t at;
    const char *why;
    buf_init(&b, r->arena->alloc, url.n * 3 + 1);
    for (size_t i = 0; i < url.n; i++) {
        unsigned char c = (unsigned char)url.p[i];
        if (c == ' ' || c >= 0x80)
            buf_fmt(&b, "%%%02X", c);
        else
            buf_char(&b, url.p[i]);
    }
    bool good = buf_ok(&b) && utf8_check(url) == url.n && uri_parse(buf_str(&b), &u, &at, &why);
    struct pap_str s = good ? arena_str(r->arena, buf_str(&b)) : str(NULL, 0);
    r->no_memory |= b.code == PAP_NO_MEMORY || (good && !s.p);
    buf_fini(&b);
    return s;
}

static void say_no_url(struct run *r, const struct json *entry, size_t place, const struct json *node, size_t at,
                       const char *why)
{
    struct pap_str url = json_str(node), right = encoded(r, str_trim(url));
    find(r, node, "the url of %s is %s, which is not a URL: it has %s (byte %zu)", index_noun(r, entry, place),
         q(r, url), why, at + 1);
    if (right.p)
        mend(r, "Write \"url\": \"%s\".", whole(r, right));
}

static bool is_relative_http(const struct uri *ref, const struct uri *base)
{
    return !ref->scheme.p && str_eq_nocase(base->scheme, S("http")); /* a trial on one's own machine */
}

/* A phrase that continues "the url is ...: ", NULL when all is well. `u` is `ref` against `base`. */
static const char *fault_of(struct run *r, const struct uri *ref, const struct uri *base, const struct uri *u)
{
    const char *why;
    bool web = uri_is_web(u, &why);
    struct pap_str s = {0};
    if (str_eq_nocase(u->scheme, S("http")) && !is_relative_http(ref, base))
        return "it uses http, and clients fetch skills over https only";
    if (web && uri_same_origin(u, base) && str_eq(u->path, base->path))
        return r->doc->role == ROLE_EMBEDDED ? "it leads to poppy.json itself, not to the skill"
                                             : "it leads to the index itself, not to the skill";
    if (web)
        return NULL;
    if (!str_eq_nocase(u->scheme, S("https")) && !str_eq_nocase(u->scheme, S("http")))
        s = arena_fmt(r->arena, "its scheme is %s, and clients fetch skills over https only", whole(r, u->scheme));
    else
        s = arena_fmt(r->arena, "it has %s", why);
    r->no_memory |= !s.p;
    return s.p ? s.p : "";
}

static void judge_url(struct run *r, const struct json *entry, size_t place)
{
    const struct json *node = json_get_c(entry, "url");
    struct uri ref, base, u;
    size_t at;
    const char *why;
    if (!json_is(node, JSON_STRING))
        return; /* said by index.entry */
    if (!uri_parse(json_str(node), &ref, &at, &why)) {
        say_no_url(r, entry, place, node, at, why);
        return;
    }
    if (!uri_parse(base_of(r->doc), &base, &at, &why) || !resolve(r, base.text, ref.text, &u))
        return;
    const char *fault = fault_of(r, &ref, &base, &u);
    if (fault)
        find(r, node, "the url of %s is %s: %s", index_noun(r, entry, place), q(r, json_str(node)), fault);
    if (fault && str_eq_nocase(ref.scheme, S("http")) && ref.host.n)
        mend(r, "Serve the file over https and write \"url\": \"https%s\".",
             whole(r, str_skip(ref.text, ref.scheme.n)));
}

void index_urls(struct run *r)
{
    index_each(r, judge_url);
}

/* ---- URLs behind which the bytes change ---- */

/* Where the revision stands in URLs of code hosts. To add a host: a row. */
static const struct {
    const char *host;   /* NULL: any */
    const char *marker; /* the path up to the revision ends so; NULL: counted from the start */
    unsigned skip;      /* segments between marker (or start) and revision */
    bool always;        /* whatever stands there is a branch */
} code_hosts[] = {
    {"raw.githubusercontent.com", NULL, 2, false},
    {"raw.github.com", NULL, 2, false},
    {"github.com", "/raw/", 0, false},
    {"github.com", "/blob/", 0, false},
    {"github.com", "/archive/", 0, false},
    {"codeload.github.com", NULL, 3, false},
    {"bitbucket.org", "/raw/", 0, false},
    {NULL, "/-/archive/", 0, false},
    {NULL, "/-/raw/", 0, false},
    {NULL, "/raw/branch/", 0, true},
};

static bool is_branch(struct pap_str revision)
{
    static const char *const names[] = {"main",  "master", "HEAD",     "develop", "dev",
                                        "trunk", "latest", "gh-pages", "next"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_is(revision, names[i]))
            return true;
    return false;
}

/* An archive of a branch is called by it: "main.tar.gz". */
static struct pap_str without_ending(struct pap_str revision)
{
    static const char *const endings[] = {".zip", ".tar.gz", ".tgz", ".git"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (str_ends(revision, str_c(endings[i])))
            return str_take(revision, revision.n - strlen(endings[i]));
    return revision;
}

static struct pap_str branch_on_code_host(const struct uri *u)
{
    for (size_t i = 0; i < sizeof code_hosts / sizeof code_hosts[0]; i++) {
        struct pap_str marker = str_c(code_hosts[i].marker), rest, revision = {0};
        size_t at = marker.n ? str_find(u->path, marker) : 0;
        if ((code_hosts[i].host && !str_eq_nocase(u->host, str_c(code_hosts[i].host))) || at + marker.n > u->path.n)
            continue;
        rest = str_skip(u->path, marker.n ? at + marker.n : 1);
        for (unsigned k = 0; k <= code_hosts[i].skip; k++)
            if (!str_next(&rest, '/', &revision))
                return str(NULL, 0);
        if (str_is(revision, "refs") && str_starts(rest, S("heads/"))) {
            rest = str_skip(rest, 6);
            return without_ending(str_take(rest, str_find_char(rest, '/')));
        }
        revision = without_ending(revision);
        if (code_hosts[i].always || is_branch(revision))
            return revision;
    }
    return str(NULL, 0);
}

/* Package networks: /gh/owner/repo@revision/..., /npm/[@scope/]name@version/...; without @ the latest is served. */
static bool follows_newest(const struct uri *u)
{
    struct pap_str rest = str_skip(u->path, 1), part = {0};
    bool jsdelivr = str_eq_nocase(u->host, S("cdn.jsdelivr.net"));
    bool github = jsdelivr && str_starts(rest, S("gh/"));
    if (!u->path.n || (!jsdelivr && !str_eq_nocase(u->host, S("unpkg.com"))) ||
        (jsdelivr && !github && !str_starts(rest, S("npm/"))))
        return false;
    rest = str_skip(rest, github ? 3 : jsdelivr ? 4 : 0);
    bool scoped = github || str_starts(rest, S("@"));
    if ((scoped && !str_next(&rest, '/', &part)) || !str_next(&rest, '/', &part))
        return false;
    size_t at = str_find_char(part, '@');
    return at == part.n || is_branch(str_skip(part, at + 1));
}

static bool follows_release(const struct uri *u)
{
    return str_eq_nocase(u->host, S("github.com")) && str_find(u->path, S("/releases/latest/")) < u->path.n;
}

/* A gist without a commit: /owner/id/raw/file instead of /owner/id/raw/commit/file. */
static bool follows_gist(const struct uri *u)
{
    enum { COMMIT = 40 };
    struct pap_str raw = S("/raw"), rest;
    size_t at = str_find(u->path, raw), n = 0;
    if (!str_eq_nocase(u->host, S("gist.githubusercontent.com")) || at == u->path.n)
        return false;
    rest = str_skip(u->path, at + raw.n + 1);
    while (n < rest.n && (ascii_is_digit(rest.p[n]) || (rest.p[n] >= 'a' && rest.p[n] <= 'f')))
        n++;
    return n != COMMIT || rest.n == COMMIT || rest.p[n] != '/';
}

bool index_url_moves(const struct uri *u)
{
    return branch_on_code_host(u).p || follows_newest(u) || follows_release(u) || follows_gist(u);
}

static void judge_branch(struct run *r, const struct json *entry, size_t place)
{
    const struct json *node = json_get_c(entry, "url");
    struct uri u;
    if (!json_is(node, JSON_STRING) || !json_is(json_get_c(entry, "digest"), JSON_STRING) ||
        !resolve(r, base_of(r->doc), json_str(node), &u))
        return;
    struct pap_str branch = branch_on_code_host(&u);
    if (!index_url_moves(&u))
        return;
    find(r, node, "the url of %s follows %s%s at %s, so the next change there breaks the digest",
         index_noun(r, entry, place),
         branch.p              ? "the branch "
         : follows_release(&u) ? "the latest release"
                               : "the newest version",
         branch.p ? q(r, branch) : "", whole(r, u.host));
}

void index_urls_fixed(struct run *r)
{
    index_each(r, judge_branch);
}

/* ---- relative URLs that mean two things ---- */

/* The other address from which a client may resolve, and why it would; p NULL when there is none. */
static struct pap_str other_base(const struct run *r, bool *ret_twin)
{
    const struct doc *d = r->doc, *twin = bundle_doc(r->bundle, KIND_INDEX, ROLE_WELL_KNOWN);
    const struct exchange *x = d->role == ROLE_EMBEDDED ? d->from->exchange : d->exchange;
    *ret_twin = false;
    if (x && x->n_hops > 1)
        return x->url;
    *ret_twin = true;
    return d->role == ROLE_EMBEDDED && twin ? twin->base : str(NULL, 0);
}

static void judge_relative(struct run *r, const struct json *entry, size_t place)
{
    const struct json *node = json_get_c(entry, "url");
    bool twin;
    struct pap_str other = other_base(r, &twin);
    struct uri here, there;
    (void)place;
    if (r->row_findings > 0) /* one is enough: they are all written alike */
        return;
    if (!other.p || !r->doc->base.p || !json_is(node, JSON_STRING) ||
        !resolve(r, r->doc->base, json_str(node), &here) || !resolve(r, other, json_str(node), &there) ||
        str_eq(here.text, there.text))
        return;
    find(r, node,
         twin ? "the url %s means %s here, but in the index at %s it would mean %s"
              : "the url %s means %s after the redirect, but for a client that takes %s for the address it means %s",
         q(r, json_str(node)), whole(r, here.text), whole(r, other), whole(r, there.text));
    mend(r, "Write full URLs, such as \"url\": \"%s\"; then every copy of the index can list the same entries.",
         whole(r, here.text));
}

void index_urls_mean_one_thing(struct run *r)
{
    index_each(r, judge_relative);
}
