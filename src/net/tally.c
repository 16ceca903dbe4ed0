/* SPDX-License-Identifier: Apache-2.0 */
#include "net/tally.h"

#include <netinet/in.h>
#include <string.h>

static bool key_of(const struct sockaddr_storage *address, unsigned char ret[16])
{
    memset(ret, 0, 16);
    if (address->ss_family == AF_INET) {
        ret[10] = ret[11] = 0xff;
        memcpy(ret + 12, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
        return true;
    }
    if (address->ss_family != AF_INET6)
        return false;
    const struct in6_addr *in6 = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    memcpy(ret, in6, IN6_IS_ADDR_V4MAPPED(in6) ? 16 : 8);
    return true;
}

/* Where entries of that key hang. The tally's own place in memory is mixed in: nobody outside can choose a bucket. */
static struct tally_entry **bucket_of(struct tally *t, const unsigned char key[16])
{
    uint64_t h = (uintptr_t)t;
    for (size_t i = 0; i < 16; i++)
        h = (h ^ key[i]) * 0x100000001b3;
    return &t->buckets[(h ^ h >> 32) % TALLY_BUCKETS];
}

/* With the lock held. */
static bool count_address(struct tally *t, const unsigned char key[16], struct tally_entry **ret)
{
    struct tally_entry **bucket = bucket_of(t, key), *e = *bucket;
    while (e && memcmp(e->key, key, 16) != 0)
        e = e->next;
    if (!e) {
        e = alloc_resize(t->alloc, NULL, 0, sizeof *e);
        if (!e)
            return false;
        *e = (struct tally_entry){.next = *bucket};
        memcpy(e->key, key, 16);
        *bucket = e;
    } else if (t->max_each && e->count >= t->max_each) {
        return false;
    }
    e->count++;
    *ret = e;
    return true;
}

bool tally_add(struct tally *t, const struct sockaddr_storage *address, struct tally_entry **ret_entry)
{
    unsigned char key[16];
    struct tally_entry *e = NULL;
    bool has_key = key_of(address, key);
    (void)pthread_mutex_lock(&t->lock);
    bool good = t->all < t->max_all && (!has_key || count_address(t, key, &e));
    t->all += good;
    (void)pthread_mutex_unlock(&t->lock);
    if (good)
        *ret_entry = e;
    return good;
}

void tally_remove(struct tally *t, struct tally_entry *entry)
{
    (void)pthread_mutex_lock(&t->lock);
    t->all--;
    if (entry && --entry->count == 0) {
        struct tally_entry **at = bucket_of(t, entry->key);
        while (*at != entry)
            at = &(*at)->next;
        *at = entry->next;
        (void)alloc_resize(t->alloc, entry, sizeof *entry, 0);
    }
    (void)pthread_mutex_unlock(&t->lock);
}
