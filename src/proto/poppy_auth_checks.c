/* SPDX-License-Identifier: Apache-2.0
 *
 * poppy.json: the issuer, the ways to sign in and their scopes. What is stated for which version: see poppy_checks.c.
 */
#include "proto/check.h"

/* Rows that compare each scope with each look at so many: far more than any company has. */
enum { MOST_SCOPES = 256 };

/* Calls `each` for every scope that a sign-in type can grant, for `most` of a type. */
static void each_scope(struct run *r, size_t most, void (*each)(struct run *r, const struct json *scope))
{
    static const char *const lists[] = {"/auth/direct/scopes/*", "/auth/device/scopes/*", "/auth/mediated/scopes/*"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct path_walk w = {0};
        const struct json *scope;
        for (size_t n = 0; n < most && (scope = path_next(r->doc->root, lists[i], &w)) != NULL; n++)
            if (scope->type == JSON_STRING)
                each(r, scope);
    }
}

static void auth_when_needed(struct run *r)
{
    const struct json *root = r->doc->root;
    const char *needs = json_get_c(root, "agent")                        ? "agent"
                        : json_get_c(root, "apis")                       ? "apis"
                        : json_at(root, "/web/browser_session_endpoint") ? "web.browser_session_endpoint"
                                                                         : NULL;
    if (json_is(root, JSON_OBJECT) && needs && !json_get_c(root, "auth"))
        find_missing(r, root, "auth", "auth is missing, but %s is there and needs it", needs);
}

static void scope_is_token(struct run *r, const struct json *scope)
{
    const char *why;
    if (!format_holds(FORMAT_SCOPE, json_str(scope), &why))
        find(r, scope, "the scope %s is not usable: %s", qv(r, scope), why);
}

static void scopes_are_tokens(struct run *r)
{
    each_scope(r, SIZE_MAX, scope_is_token);
    json_each (c, json_at(r->doc->root, "/auth/custom_scopes")) {
        const char *why;
        if (c->flags & JSON_HAS_KEY && !format_holds(FORMAT_SCOPE, json_key(c), &why))
            find_key(r, c, "the custom scope %s is not usable: %s", q(r, json_key(c)), why);
    }
}

static void scopes_once(struct run *r)
{
    static const char *const lists[] = {"/auth/direct/scopes", "/auth/device/scopes", "/auth/mediated/scopes"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const struct json *list = json_at(r->doc->root, lists[i]);
        unsigned looked = 0;
        json_each (a, json_is(list, JSON_ARRAY) ? list : NULL) {
            if (++looked > MOST_SCOPES)
                break;
            for (const struct json *b = list->child; b != a; b = b->next) {
                if (a->type == JSON_STRING && b->type == JSON_STRING && str_eq(json_str(a), json_str(b))) {
                    find(r, a, "the scope %s is listed twice in %s", qv(r, a), lists[i] + 1);
                    break;
                }
            }
        }
    }
}

static bool is_reserved(struct pap_str scope)
{
    return str_starts(scope, S("poppy:"));
}

/* Version 1.0 has poppy:browser-sign-in; since when is not public. */
static bool is_standard(const struct run *r, struct pap_str scope)
{
    return str_is(scope, "poppy:read") || str_is(scope, "poppy:write") ||
           (str_is(scope, "poppy:browser-sign-in") && r->bundle->version->bit & V_03_10);
}

static void scope_not_reserved(struct run *r, const struct json *scope)
{
    if (is_reserved(json_str(scope)) && !is_standard(r, json_str(scope)))
        find(r, scope, "the scope %s begins with \"poppy:\", which is reserved; only poppy:read and poppy:write exist",
             qv(r, scope));
}

static void reserved_scopes(struct run *r)
{
    each_scope(r, SIZE_MAX, scope_not_reserved);
    json_each (c, json_at(r->doc->root, "/auth/custom_scopes"))
        if (c->flags & JSON_HAS_KEY && is_reserved(json_key(c)) &&
            (r->bundle->version->bit & V_01_02 || !is_standard(r, json_key(c))))
            find_key(r, c, "custom_scopes has %s; names that begin with \"poppy:\" are reserved", q(r, json_key(c)));
}

static void scope_has_text(struct run *r, const struct json *scope)
{
    const struct json *custom = json_at(r->doc->root, "/auth/custom_scopes");
    if (!is_reserved(json_str(scope)) && !json_get(custom, json_str(scope)))
        find(r, scope,
             "the scope %s has no description in auth.custom_scopes, so a person cannot be told what it allows",
             qv(r, scope));
}

static void scopes_have_texts(struct run *r)
{
    each_scope(r, MOST_SCOPES, scope_has_text);
}

/* How 1.0 writes scopes is not public; what is known is that each has a description. Both forms that were seen are read: the
 * custom_scopes of 0.1, and an object of scopes with members of their own. */
static void scope_has_any_text(struct run *r, const struct json *scope)
{
    const struct json *text = json_get(json_at(r->doc->root, "/auth/custom_scopes"), json_str(scope));
    const struct json *entry = json_get(json_at(r->doc->root, "/auth/scopes"), json_str(scope));
    if (!text && !json_get_c(entry, "description"))
        find(r, scope, "the scope %s has no description", qv(r, scope));
}

static void all_scopes_have_texts(struct run *r)
{
    each_scope(r, MOST_SCOPES, scope_has_any_text);
    json_each (c, json_at(r->doc->root, "/auth/scopes"))
        if (c->type == JSON_OBJECT && !json_get_c(c, "description"))
            find_missing(r, c, "description", "the scope %s has no description", q(r, json_key(c)));
}

static bool is_offered(const struct json *root, struct pap_str scope)
{
    static const char *const lists[] = {"/auth/direct/scopes/*", "/auth/device/scopes/*", "/auth/mediated/scopes/*"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct path_walk w = {0};
        const struct json *s;
        while ((s = path_next(root, lists[i], &w)) != NULL)
            if (str_eq(json_str(s), scope))
                return true;
    }
    return false;
}

/* A reserved name is an error of another row, and no sign-in type should grant it. */
static void custom_scopes_used(struct run *r)
{
    unsigned looked = 0;
    json_each (c, json_at(r->doc->root, "/auth/custom_scopes")) {
        if (++looked > MOST_SCOPES)
            return;
        if (c->flags & JSON_HAS_KEY && !str_starts(json_key(c), S("poppy:")) && !is_offered(r->doc->root, json_key(c)))
            find_key(r, c, "the custom scope %s is described, but no sign-in type grants it", q(r, json_key(c)));
    }
}

static void mediated_names_once(struct run *r)
{
    const struct json *fields = json_at(r->doc->root, "/auth/mediated/fields");
    unsigned looked = 0;
    json_each (a, json_is(fields, JSON_ARRAY) ? fields : NULL) {
        if (++looked > 256)
            break;
        for (const struct json *b = fields->child; b != a; b = b->next) {
            const struct json *an = json_get_c(a, "name"), *bn = json_get_c(b, "name");
            if (json_is(an, JSON_STRING) && json_is(bn, JSON_STRING) && str_eq(json_str(an), json_str(bn))) {
                find(r, an, "two fields of the mediated sign-in are named %s", qv(r, an));
                break;
            }
        }
    }
}

static bool sounds_secret(struct pap_str s)
{
    static const char *const words[] = {"password", "passwd", "passcode", "passphrase", "secret", "pin"};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        struct pap_str word = str_c(words[w]);
        for (size_t i = 0; i + word.n <= s.n; i++) {
            bool starts = i == 0 || !ascii_is_alpha(s.p[i - 1]);
            bool ends = i + word.n == s.n || !ascii_is_alpha(s.p[i + word.n]);
            if (str_eq_nocase(str(s.p + i, word.n), word) && (word.n > 3 || (starts && ends)))
                return true;
        }
    }
    return false;
}

static void secrets_are_secret(struct run *r)
{
    struct path_walk w = {0};
    const struct json *f;
    while ((f = path_next(r->doc->root, "/auth/mediated/fields/*", &w)) != NULL) {
        const struct json *secret = json_get_c(f, "secret"), *name = json_get_c(f, "name");
        bool sounds = sounds_secret(json_str(name)) || sounds_secret(json_str(json_get_c(f, "label")));
        if (json_is(secret, JSON_FALSE) && sounds)
            find(r, secret, "the field %s sounds like a secret but says \"secret\": false", qv(r, name));
    }
}

#define POPPY .spec = SPEC_PAP, .kind = KIND_POPPY

/* clang-format off */ /* a row is read as a block */
static const struct check rows[] = {
    {
        .id = "poppy.auth.required", .covers = "D15", POPPY, .section = "3.1", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_01_02, .maybe = V_03_10, .fields = FIELDS({"/auth", T_OBJECT, 0, FORMAT_NONE, 0, NULL}),
        .fn = auth_when_needed,
        .title = "auth is there when agent, apis or a browser session is",
        .why = "Without it an agent cannot tell which server starts a Session, not even a signed-out one.",
        .mend = "Add \"auth\": { \"issuer\": \"https://...\" }; that alone offers signed-out Sessions.",
        .good = "\"auth\": { \"issuer\": \"https://id.shop.example\" }", .bad = "\"apis\": [ ... ] and no \"auth\"",
    },
    {
        .id = "poppy.auth.issuer", .covers = "D16", POPPY, .section = "3.1, 3.2", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_01_03, .maybe = V_04_10,
        .fields = FIELDS({"/auth/issuer", T_STRING, F_REQUIRED, FORMAT_ISSUER, 0, NULL}),
        .title = "auth.issuer is an https URL without query and fragment",
        .why = "It names the server that vouches for the company; its metadata is found from this string.",
        .mend = "Write the issuer exactly as your OAuth server's metadata has it, with https.",
        .good = "\"issuer\": \"https://id.shop.example\"", .bad = "\"issuer\": \"http://id.shop.example\"",
    },
    {
        .id = "poppy.auth.scopes", .covers = "D17", POPPY, .section = "3.1, 4.4", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_01_02, .maybe = V_03_10,
        .fields = FIELDS({"/auth/direct", T_OBJECT, 0, FORMAT_NONE, 0, NULL},
                         {"/auth/direct/scopes", T_ARRAY, F_REQUIRED | F_NONEMPTY, FORMAT_NONE, 0, NULL},
                         {"/auth/direct/scopes/*", T_STRING, 0, FORMAT_NONE, 0, NULL},
                         {"/auth/device", T_OBJECT, 0, FORMAT_NONE, 0, NULL},
                         {"/auth/device/scopes", T_ARRAY, F_REQUIRED | F_NONEMPTY, FORMAT_NONE, 0, NULL},
                         {"/auth/device/scopes/*", T_STRING, 0, FORMAT_NONE, 0, NULL},
                         {"/auth/mediated/scopes", T_ARRAY, F_REQUIRED | F_NONEMPTY, FORMAT_NONE, 0, NULL},
                         {"/auth/mediated/scopes/*", T_STRING, 0, FORMAT_NONE, 0, NULL}),
        .title = "each sign-in type lists the scopes it can grant",
        .why = "A sign-in request may ask only for scopes of that list, so an empty or missing one makes the type useless.",
        .mend = "Give each of direct, device and mediated a list of strings, such as [\"poppy:read\"].",
        .good = "\"direct\": { \"scopes\": [\"poppy:read\", \"poppy:write\"] }", .bad = "\"direct\": { \"scopes\": \"poppy:read\" }",
    },
    {
        .id = "poppy.scope.token", .covers = "D18", POPPY, .section = "3.1, 4.4", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_01_02, .maybe = V_03_10, .fn = scopes_are_tokens,
        .fields = FIELDS({"/auth/custom_scopes", T_OBJECT, 0, FORMAT_NONE, 0, NULL},
                         {"/auth/custom_scopes/*", T_STRING, 0, FORMAT_TEXT, 0, NULL}),
        .title = "scopes are OAuth scope tokens, and custom_scopes maps them to texts",
        .why = "Scopes travel in one blank-separated string; one with a blank or quote in it falls apart on the way.",
        .mend = "Use visible ASCII characters without blank, quote and backslash, and describe each in custom_scopes.",
        .good = "\"custom_scopes\": { \"wishlist\": \"Edit your wish lists\" }", .bad = "\"scopes\": [\"wish list\"]",
    },
    {
        .id = "poppy.scope.duplicate", .covers = "D18", POPPY, .section = "3.1, 4.4", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .sure = V_01_02, .maybe = V_03_10, .fn = scopes_once,
        .title = "no scope is listed twice",
        .why = "It does no harm to agents but shows that the list was edited by hand and not looked at.",
        .mend = "Remove the second one.", .good = "[\"poppy:read\", \"poppy:write\"]", .bad = "[\"poppy:read\", \"poppy:read\"]",
    },
    {
        .id = "poppy.scope.reserved", .covers = "D19", POPPY, .section = "3.1", .level = LEVEL_MUST, .severity = PAP_ERROR,
        .sure = V_01_02, .maybe = V_03_10, .fn = reserved_scopes,
        .title = "of the names that begin with poppy: only poppy:read and poppy:write are used",
        .why = "The prefix belongs to the protocol: a scope of yours under it can get another meaning in the next version.",
        .mend = "Choose a name without the prefix, such as \"admin\" for \"poppy:admin\".",
        .good = "\"custom_scopes\": { \"addresses\": \"Manage saved addresses\" }", .bad = "\"custom_scopes\": { \"poppy:admin\": \"...\" }",
    },
    {
        .id = "poppy.scope.described", .covers = "D20", POPPY, .section = "3.1", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .sure = V_01_02, .maybe = V03, .fn = scopes_have_texts,
        .title = "every scope of your own has a description",
        .why = "Agents show the description when they ask their person; without it people see a bare word.",
        .mend = "Add the scope with a sentence to auth.custom_scopes.",
        .good = "\"scopes\": [\"wishlist\"], \"custom_scopes\": { \"wishlist\": \"Edit your wish lists\" }",
        .bad = "\"scopes\": [\"wishlist\"] and no custom_scopes",
    },
    {
        .id = "poppy.scope.described-all", .covers = "M18", POPPY, .section = "", .level = LEVEL_MUST,
        .severity = PAP_INFO, .maybe = V_04_10, .fn = all_scopes_have_texts,
        .title = "from 0.4 on every scope has a description",
        .why = "Agents show it when they ask their person; a company whose scopes are bare words is hard to trust.",
        .mend = "Describe each scope in the form that the text you follow gives; this is only what is seen so far.",
        .good = "\"custom_scopes\": { \"orders:read\": \"See your orders\" }", .bad = "\"scopes\": [\"orders:read\"] alone",
    },
    {
        .id = "poppy.custom-scopes.unused", .covers = "D21", POPPY, .section = "3.1", .level = LEVEL_MAY,
        .severity = PAP_INFO, .sure = V_01_02, .maybe = V_03_10, .fn = custom_scopes_used,
        .title = "every custom scope is granted by some sign-in type",
        .why = "A description that no list uses is left over, or the scope was forgotten in a list.",
        .mend = "Add the scope to direct, device or mediated, or remove its description.",
        .good = "\"direct\": { \"scopes\": [\"wishlist\"] }", .bad = "\"custom_scopes\": { \"wishlist\": \"...\" } alone",
    },
    {
        .id = "poppy.auth.mediated", .covers = "D22", POPPY, .section = "3.1, 4.7", .level = LEVEL_MUST,
        .severity = PAP_ERROR, .sure = V_01_02, .maybe = V_03_10, .fn = mediated_names_once,
        .fields = FIELDS({"/auth/mediated", T_OBJECT, 0, FORMAT_NONE, 0, NULL},
                         {"/auth/mediated/endpoint", T_STRING, F_REQUIRED, FORMAT_HTTPS, 0, NULL},
                         {"/auth/mediated/fields", T_ARRAY, F_REQUIRED | F_NONEMPTY, FORMAT_NONE, 0, NULL},
                         {"/auth/mediated/fields/*", T_OBJECT, 0, FORMAT_NONE, 0, NULL},
                         {"/auth/mediated/fields/*/name", T_STRING, F_REQUIRED, FORMAT_TEXT, 0, NULL},
                         {"/auth/mediated/fields/*/label", T_STRING, F_REQUIRED, FORMAT_TEXT, 0, NULL},
                         {"/auth/mediated/fields/*/secret", T_BOOL, F_REQUIRED, FORMAT_NONE, 0, NULL}),
        .title = "the mediated sign-in has an https endpoint and fields with name, label and secret",
        .why = "The agent asks its person for these fields and sends them to that endpoint only.",
        .mend = "Give an https endpoint and, for each field, a unique name, a label and secret as true or false.",
        .good = "{ \"name\": \"pin\", \"label\": \"PIN\", \"secret\": true }", .bad = "{ \"name\": \"pin\", \"secret\": \"yes\" }",
    },
    {
        .id = "poppy.auth.mediated.secret", .covers = "D23", POPPY, .section = "4.7", .level = LEVEL_SHOULD,
        .severity = PAP_WARNING, .sure = V_01_02, .maybe = V_03_10, .fn = secrets_are_secret,
        .title = "fields that hold a secret say so",
        .why = "Agents never show, log or give to a model what is marked secret; a password that is not marked is.",
        .mend = "Set \"secret\": true on the field.",
        .good = "{ \"name\": \"password\", \"label\": \"Password\", \"secret\": true }",
        .bad = "{ \"name\": \"password\", \"label\": \"Password\", \"secret\": false }",
    },
};
/* clang-format on */

CHECK_TABLE(poppy_auth_checks, rows);
