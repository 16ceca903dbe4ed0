/* SPDX-License-Identifier: Apache-2.0
 *
 * A document of any kind, judged by every row. The first byte chooses: '0' and on are the kinds in the order of
 * proto/kind.h as files, 'a' and on the same as the body of an answer. There the first line that is empty ends the header
 * fields, "Name: value" each, behind a line with the status.
 */
#include "judging.h"

enum { FIELDS_MOST = 16, CHOICES = KIND_COUNT - 1 };

struct answer {
    struct exchange x;
    struct hop hop;
    struct header fields[FIELDS_MOST];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct pap_str take_line(struct pap_str *rest)
{
    struct pap_str line = S("");
    (void)str_next(rest, '\n', &line);
    return line;
}

/* What net would have recorded; `all` becomes the body. */
static void make_answer(struct answer *a, struct pap_str *all, struct pap_str url)
{
    uint64_t status = 200;
    struct pap_str line = take_line(all);
    if (str_to_u64(str_trim(line), &status))
        status = 100 + status % 500;
    a->hop = (struct hop){.method = S("GET"),
                          .url = url,
                          .status = (int)status,
                          .headers = a->fields,
                          .address = S("192.0.2.1"),
                          .tls_version = S("TLSv1.3"),
                          .not_after = 1798761600,
                          .ms = 10};
    while ((line = take_line(all)).n) {
        size_t colon = str_find_char(line, ':');
        if (a->hop.n_headers == FIELDS_MOST || colon == line.n)
            continue;
        a->fields[a->hop.n_headers++] =
            (struct header){str_trim(str_take(line, colon)), str_trim(str_skip(line, colon + 1))};
    }
    if (!all->p)
        *all = S("");
    a->x =
        (struct exchange){.method = S("GET"), .url = url, .final_url = url, .hops = &a->hop, .n_hops = 1, .body = *all};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct pap_str all = str((const char *)data + 1, size - 1);
    bool fetched = data[0] >= 'a';
    unsigned choice = (unsigned)(data[0] - (fetched ? 'a' : '0')) % CHOICES;
    struct arena a;
    struct answer answer = {0};
    struct doc d = {.kind = (enum kind)(KIND_NONE + 1 + choice), .name = S("https://shop.example/x"), .folder = S("x")};
    if (fetched) {
        make_answer(&answer, &all, d.name);
        d.base = d.name;
        d.exchange = &answer.x;
    }
    d.bytes = all;
    arena_init(&a, NULL);
    judge_document(&a, d, NULL);
    arena_fini(&a);
    return 0;
}
