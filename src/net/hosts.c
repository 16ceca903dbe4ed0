/* SPDX-License-Identifier: Apache-2.0 */
#include "net/hosts.h"

#include <string.h>

void hosts_init(struct hosts *h)
{
    memset(h, 0, sizeof *h);
    (void)pthread_mutex_init(&h->lock, NULL);
}

void hosts_fini(struct hosts *h)
{
    (void)pthread_mutex_destroy(&h->lock);
}

uint64_t hosts_key(struct pap_str authority)
{
    uint64_t key = 0xcbf29ce484222325u;
    for (size_t i = 0; i < authority.n; i++)
        key = (key ^ (unsigned char)ascii_lower(authority.p[i])) * 0x100000001b3u;
    return key ? key : 1;
}

static size_t find(const struct hosts *h, uint64_t key)
{
    size_t i = 0;
    while (i < h->n && h->asked[i] != key)
        i++;
    return i;
}

static void add(struct hosts *h, uint64_t key)
{
    if (h->n < HOSTS_MOST)
        h->asked[h->n++] = key;
}

bool hosts_try(struct hosts *h, uint64_t key)
{
    (void)pthread_mutex_lock(&h->lock);
    bool is_free = find(h, key) == h->n;
    if (is_free)
        add(h, key);
    (void)pthread_mutex_unlock(&h->lock);
    return is_free;
}

void hosts_take(struct hosts *h, uint64_t key)
{
    (void)pthread_mutex_lock(&h->lock);
    add(h, key);
    (void)pthread_mutex_unlock(&h->lock);
}

void hosts_give(struct hosts *h, uint64_t key)
{
    (void)pthread_mutex_lock(&h->lock);
    size_t i = find(h, key);
    if (i < h->n)
        h->asked[i] = h->asked[--h->n];
    (void)pthread_mutex_unlock(&h->lock);
}
