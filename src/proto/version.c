/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/version.h"

/* To add a version: a row here in ascending order and a bit in version_bit; then look at the `sure` and `maybe` columns
 * of the check rows. */
const struct version version_rows[] = {
    {"0.1", V01, "2026-10-09", "token of the company, DPoP-bound", "1", "poppy.json, RFC 8414 metadata", ""},
    {"0.2", V02, "2026-10-18", "as 0.1", "1", "as 0.1", "agent feedback: endpoint and members"},
    {"0.3", V03, "2026-11-02", "as 0.1 until 26 October, Poppy-Session header from 30 October", "1, then 2",
     "as 0.1, and skill_index in poppy.json (section 9.4)",
     "how scopes are written (company scopes such as orders:read are seen), members of Operations 2"},
    {"0.4", V04, "2026-11-10", "Poppy-Session header with a delegated key", "3",
     "poppy.json, RFC 9728 metadata at the domain root, RFC 8414 metadata",
     "the members of poppy.json, scopes with descriptions and hints, protocol_versions"},
    {"1.0", V10, "2026-11-14", "as 0.4", "3", "as 0.4", "as 0.4; section numbers"},
};
const size_t version_count = sizeof version_rows / sizeof version_rows[0];

const struct version *version_find(struct pap_str text)
{
    for (size_t i = 0; i < version_count; i++)
        if (str_is(text, version_rows[i].text))
            return &version_rows[i];
    return NULL;
}

bool version_parse(struct pap_str text, uint64_t *ret_major, uint64_t *ret_minor)
{
    size_t dot = str_find_char(text, '.');
    return dot < text.n && str_to_u64(str_take(text, dot), ret_major) && str_to_u64(str_skip(text, dot + 1), ret_minor);
}

const struct version *version_nearest(struct pap_str text)
{
    uint64_t major, minor, row_major, row_minor;
    const struct version *best = NULL;
    if (!version_parse(text, &major, &minor))
        return NULL;
    for (size_t i = 0; i < version_count; i++)
        if (version_parse(str_c(version_rows[i].text), &row_major, &row_minor) && row_major == major &&
            row_minor <= minor)
            best = &version_rows[i];
    return best;
}

const char *version_of_section(const char *section, const struct version *judged)
{
    return !section[0] ? judged->text : str_starts(str_c(section), S("9.4")) ? "0.3" : "0.1";
}
