/* SPDX-License-Identifier: Apache-2.0
 *
 * The key set of an agent (RFC 7517; pap.md section 5.1, A06 and A07). No sentence here holds a value of a key but its
 * "kid": what stands in a key may be its private half. No source line is shown either (doc_may_hold_secret).
 */
#include <stdio.h>

#include "base/limits.h"
#include "proto/check.h"
#include "text/base64.h"

enum { KEYS_LOOKED_AT = 256 }; /* of a set: far more than any agent has */

/* RFC 7518 section 6: members that are not public, whatever the type of the key. */
static const char *const private_members[] = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"};

static struct pap_str text(const struct json *key, const char *name)
{
    const struct json *node = json_get_c(key, name);
    return json_is(node, JSON_STRING) ? json_str(node) : S("");
}

/* Calls each(r, key, index) for the keys that are objects. */
static void each_key(struct run *r, void (*each)(struct run *r, const struct json *key, unsigned index))
{
    const struct json *keys = json_get_c(r->doc->root, "keys");
    unsigned i = 0;
    json_each (key, json_is(keys, JSON_ARRAY) ? keys : NULL) {
        if (i < KEYS_LOOKED_AT && key->type == JSON_OBJECT)
            each(r, key, i);
        i++;
    }
}

/* How a sentence calls a key: 'the key "k1"' or "keys[0]". */
static const char *name_of(struct run *r, const struct json *key, unsigned index)
{
    struct pap_str kid = text(key, "kid");
    struct pap_str s = kid.n ? arena_fmt(r->arena, "the key %s", q(r, kid)) : arena_fmt(r->arena, "keys[%u]", index);
    if (!s.p)
        r->no_memory = true;
    return s.p ? s.p : "";
}

static void is_object(struct run *r)
{
    if (r->doc->root && r->doc->root->type != JSON_OBJECT)
        find(r, r->doc->root, "the document is %s; a key set is a JSON object with the member keys",
             json_type_name(r->doc->root));
}

static void few_keys(struct run *r)
{
    const struct json *keys = json_get_c(r->doc->root, "keys");
    if (json_is(keys, JSON_ARRAY) && keys->n > LIMIT_JWKS_KEYS)
        find(r, keys, "the set has %u keys; companies are known to refuse more than %d", keys->n, LIMIT_JWKS_KEYS);
}

static void key_is_asymmetric(struct run *r, const struct json *key, unsigned index)
{
    if (str_is(text(key, "kty"), "oct"))
        find(r, json_get_c(key, "kty"), "%s is of the type oct: a shared secret, published for everybody",
             name_of(r, key, index));
}

static void keys_are_asymmetric(struct run *r)
{
    each_key(r, key_is_asymmetric);
}

static void key_is_public(struct run *r, const struct json *key, unsigned index)
{
    char names[64] = "";
    size_t n = 0;
    const struct json *first = NULL;
    if (str_is(text(key, "kty"), "oct"))
        return; /* the row before this one speaks */
    for (size_t i = 0; i < sizeof private_members / sizeof private_members[0]; i++) {
        const struct json *m = json_get_c(key, private_members[i]);
        if (!m)
            continue;
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", private_members[i]);
        if (!first || m->off < first->off)
            first = m;
    }
    if (first)
        find_key(r, first, "%s has the private member%s %s; whoever reads the document can act as the agent",
                 name_of(r, key, index), strchr(names, ',') ? "s" : "", names);
}

static void keys_are_public(struct run *r)
{
    each_key(r, key_is_public);
}

static void ids_are_unique(struct run *r)
{
    const struct json *keys = json_get_c(r->doc->root, "keys");
    unsigned i = 0;
    json_each (a, json_is(keys, JSON_ARRAY) ? keys : NULL) {
        struct pap_str kid = text(a, "kid");
        if (++i > KEYS_LOOKED_AT)
            break; /* quadratic */
        for (const struct json *b = keys->child; kid.n && b != a; b = b->next) {
            if (str_eq(kid, text(b, "kid"))) {
                find(r, json_get_c(a, "kid"), "two keys have the kid %s", q(r, kid));
                break;
            }
        }
    }
}

static void key_has_id(struct run *r, const struct json *key, unsigned index)
{
    if (!json_get_c(key, "kid"))
        find_missing(r, key, "kid",
                     "keys[%u] has no kid, so a signature does not tell that it is by this one of the keys", index);
}

static void several_have_ids(struct run *r)
{
    const struct json *keys = json_get_c(r->doc->root, "keys");
    if (json_is(keys, JSON_ARRAY) && keys->n > 1)
        each_key(r, key_has_id);
}

/* What a public key is made of: base64url, of `size` bytes when that is not 0. */
static const struct part {
    const char *kty, *crv, *name;
    size_t size;
} parts[] = {
    {"EC", "P-256", "x", 32}, {"EC", "P-256", "y", 32}, {"EC", "P-384", "x", 48},    {"EC", "P-384", "y", 48},
    {"EC", "P-521", "x", 66}, {"EC", "P-521", "y", 66}, {"OKP", "Ed25519", "x", 32}, {"OKP", "Ed448", "x", 57},
    {"RSA", NULL, "n", 0},    {"RSA", NULL, "e", 0},
};

static bool part_is_of(const struct part *p, const struct json *key)
{
    return str_is(text(key, "kty"), p->kty) && (!p->crv || str_is(text(key, "crv"), p->crv));
}

static bool is_base64url(struct pap_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_alnum(s.p[i]) && s.p[i] != '-' && s.p[i] != '_')
            return false;
    return true;
}

/* NULL when the part is right. */
static const char *part_fault(const struct part *p, const struct json *node, size_t *ret_bytes)
{
    if (!json_is(node, JSON_STRING))
        return node ? "is not a string" : "is missing";
    if (!is_base64url(json_str(node)))
        return "is not base64url (A-Z, a-z, 0-9, - and _, without = at its end)";
    if (!base64url_check(json_str(node), ret_bytes))
        return "was cut off or changed: its last character cannot stand there";
    if (*ret_bytes == 0)
        return "is empty";
    return p->size && *ret_bytes != p->size ? "has another length" : NULL;
}

static void key_is_whole(struct run *r, const struct json *key, unsigned index)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const struct part *p = &parts[i];
        const struct json *node = json_get_c(key, p->name);
        size_t bytes = 0;
        const char *fault = part_is_of(p, key) ? part_fault(p, node, &bytes) : NULL;
        if (!fault)
            continue;
        if (!node)
            find_missing(r, key, p->name, "%s of %s %s", p->name, name_of(r, key, index), fault);
        else if (bytes && p->size)
            find(r, node, "%s of %s has %zu bytes; for %s it has %zu", p->name, name_of(r, key, index), bytes, p->crv,
                 p->size);
        else
            find(r, node, "%s of %s %s", p->name, name_of(r, key, index), fault);
    }
}

static void keys_are_whole(struct run *r)
{
    each_key(r, key_is_whole);
}

static bool is_or_absent(const struct json *key, const char *name, const char *value)
{
    return !json_get_c(key, name) || str_is(text(key, name), value);
}

static bool signs_es256(const struct json *key)
{
    return str_is(text(key, "kty"), "EC") && str_is(text(key, "crv"), "P-256") && is_or_absent(key, "alg", "ES256") &&
           is_or_absent(key, "use", "sig");
}

static void one_signs_es256(struct run *r)
{
    const struct json *keys = json_get_c(r->doc->root, "keys");
    if (!json_is(keys, JSON_ARRAY) || !keys->child)
        return;
    json_each (key, keys) {
        if (signs_es256(key))
            return;
    }
    find(r, keys,
         "none of the keys can be used for ES256 (kty EC, crv P-256; alg ES256 and use sig, if they are there)");
}

/* One row a paragraph, as in every table of checks: clang-format would put a member in each line. */
/* clang-format off */

#define JWKS .spec = SPEC_RFC7517, .kind = KIND_JWKS, .level = LEVEL_MUST, .severity = PAP_ERROR, .sure = V_ALL
#define AGENT .spec = SPEC_PAP, .kind = KIND_JWKS, .section = "4.1"

static const struct check rows[] = {
    {
        .id = "jwks.json-object", .covers = "A06", JWKS, .section = "5", .fn = is_object,
        .title = "the body is a JSON object",
        .why = "Companies look for the member keys; without it the agent is unknown to them.",
        .mend = "Write { \"keys\": [ ... ] }.", .good = "{ \"keys\": [ { \"kty\": \"EC\", ... } ] }",
        .bad = "[ { \"kty\": \"EC\", ... } ]",
    },
    {
        .id = "jwks.keys", .covers = "A06", JWKS, .section = "5, 4.1",
        .fields = FIELDS({"/keys", T_ARRAY, F_REQUIRED | F_NONEMPTY, FORMAT_NONE, 0, NULL},
                         {"/keys/*", T_OBJECT, F_OPAQUE, FORMAT_NONE, 0, NULL},
                         {"/keys/*/kty", T_STRING, F_REQUIRED, FORMAT_TEXT, 0, NULL}),
        .title = "keys is an array with at least one key, each an object with a kty",
        .why = "Without a key nothing that the agent signs can be checked, and companies refuse it.",
        .mend = "Publish the public half of every key that the agent signs with.",
        .good = "{ \"keys\": [ { \"kty\": \"EC\", ... } ] }", .bad = "{ \"keys\": [] }",
    },
    {
        .id = "jwks.many", .covers = "", .spec = SPEC_PAPAVER, .kind = KIND_JWKS, .section = "", .level = LEVEL_ADVICE,
        .severity = PAP_WARNING, .sure = V_ALL, .fn = few_keys,
        .title = "there are at most 20 keys",
        .why = "Companies cap what they read and refuse the whole set.",
        .mend = "Remove keys that nothing is signed with any more.",
        .good = "two keys, while one is renewed", .bad = "a new key each day, and none removed",
    },
    {
        .id = "jwks.symmetric", .covers = "A06", AGENT, .sure = V_ALL, .level = LEVEL_MUST, .severity = PAP_ERROR,
        .fn = keys_are_asymmetric,
        .title = "no key is of the type oct",
        .why = "The document is public: whoever reads it has the secret. Companies refuse the agent.",
        .mend = "Take the key out, never use it again, and make a key pair (EC, P-256).",
        .good = "\"kty\": \"EC\"", .bad = "\"kty\": \"oct\"",
    },
    {
        .id = "jwks.private", .covers = "A06", AGENT, .sure = V_ALL, .level = LEVEL_MUST, .severity = PAP_ERROR, .fn = keys_are_public,
        .title = "no key has a private member (d, p, q, dp, dq, qi, oth, k)",
        .why = "Whoever has read the document can sign as the agent. Companies refuse the agent.",
        .mend = "The key is lost: make a new pair, publish its public half only, and take this key out.",
        .good = "{ \"kty\": \"EC\", \"crv\": \"P-256\", \"x\": ..., \"y\": ... }",
        .bad = "{ \"kty\": \"EC\", \"crv\": \"P-256\", \"x\": ..., \"y\": ..., \"d\": ... }",
    },
    {
        .id = "jwks.kid.unique", .covers = "A06", AGENT, .sure = V_01_03, .maybe = V_04_10, .level = LEVEL_MUST, .severity = PAP_ERROR, .fn = ids_are_unique,
        .title = "each kid stands once",
        .why = "A signature names its key by kid; of two keys with one kid a company tries the wrong one.",
        .mend = "Give each key a kid of its own.", .good = "\"kid\": \"k1\" and \"kid\": \"k2\"",
        .bad = "\"kid\": \"k1\" twice",
    },
    {
        .id = "jwks.kid.missing", .covers = "", .spec = SPEC_RFC7517, .kind = KIND_JWKS, .section = "4.5",
        .level = LEVEL_SHOULD, .severity = PAP_WARNING, .sure = V_ALL, .fn = several_have_ids,
        .title = "each of several keys has a kid",
        .why = "Companies find the key of a signature by its kid; without one, some refuse when more than one key fits.",
        .mend = "Add \"kid\": \"...\" and send the same in the header of what is signed.",
        .good = "\"kid\": \"k1\"", .bad = "two keys without kid",
    },
    {
        .id = "jwks.key", .covers = "A07", .spec = SPEC_RFC7517, .kind = KIND_JWKS, .section = "4; RFC 7518 6",
        .level = LEVEL_MUST, .severity = PAP_ERROR, .sure = V_ALL, .fn = keys_are_whole,
        .title = "the parts of each public key are base64url of the right length",
        .why = "A key that cannot be read checks no signature; some companies then refuse the whole set.",
        .mend = "Export the key again as a JWK. Each coordinate is padded with zero bytes in front to its full length.",
        .good = "\"x\" of 43 characters for P-256", .bad = "\"x\" with = at its end",
    },
    {
        .id = "jwks.es256", .covers = "A07", AGENT, .sure = V_01_03, .maybe = V_04_10, .level = LEVEL_SHOULD, .severity = PAP_WARNING, .fn = one_signs_es256,
        .title = "one key is for ES256",
        .why = "ES256 is the one algorithm that every company accepts.",
        .mend = "Add a key of kty EC and crv P-256, and sign with it.",
        .good = "{ \"kty\": \"EC\", \"crv\": \"P-256\", \"alg\": \"ES256\", ... }", .bad = "{ \"kty\": \"RSA\", ... } alone",
    },
};

CHECK_TABLE(jwks_checks, rows);
