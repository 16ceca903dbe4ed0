/* SPDX-License-Identifier: Apache-2.0 */
#include "text/similar.h"

enum { NAME_MAX_BYTES = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t similar_distance(struct pap_str a, struct pap_str b, size_t most)
{
    size_t rows[3][NAME_MAX_BYTES + 1]; /* two back, one back, this one */
    size_t *two = rows[0], *one = rows[1], *row = rows[2];
    size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;
    if (a.n > NAME_MAX_BYTES || b.n > NAME_MAX_BYTES || gap > most)
        return most + 1;
    for (size_t k = 0; k <= b.n; k++)
        one[k] = k;
    for (size_t i = 1; i <= a.n; i++) {
        row[0] = i;
        for (size_t k = 1; k <= b.n; k++) {
            char ca = ascii_lower(a.p[i - 1]), cb = ascii_lower(b.p[k - 1]);
            row[k] = least(one[k - 1] + (ca != cb), least(one[k], row[k - 1]) + 1);
            if (i > 1 && k > 1 && ca == ascii_lower(b.p[k - 2]) && cb == ascii_lower(a.p[i - 2]))
                row[k] = least(row[k], two[k - 2] + 1);
        }
        size_t *oldest = two;
        two = one;
        one = row;
        row = oldest;
    }
    return least(one[b.n], most + 1);
}

void similar_try(struct similar *s, struct pap_str name, struct pap_str candidate)
{
    size_t most = (name.n > candidate.n ? name.n : candidate.n) / 3;
    size_t distance = similar_distance(name, candidate, most);
    if (distance <= most && distance < s->distance)
        *s = (struct similar){candidate, distance};
}
