/* SPDX-License-Identifier: Apache-2.0
 *
 * How many connections there are, in all and of each address. Safe to use from several threads.
 */
#ifndef NET_TALLY_H
#define NET_TALLY_H

#include <pthread.h>
#include <sys/socket.h>

#include "base/alloc.h"

enum { TALLY_BUCKETS = 4096 };

struct tally_entry {
    struct tally_entry *next;
    unsigned char key[16]; /* IPv4 as ::ffff:a.b.c.d; of IPv6 the /64, which one customer has whole */
    size_t count;
};

struct tally {
    const struct pap_alloc *alloc;
    pthread_mutex_t lock;
    size_t all, max_all, max_each; /* max_each 0: no limit */
    struct tally_entry *buckets[TALLY_BUCKETS];
};

/* Counts one more. False: a limit is reached, or there is no memory, and nothing was counted. *ret_entry is NULL where
 * the address is neither IPv4 nor IPv6. */
bool tally_add(struct tally *t, const struct sockaddr_storage *address, struct tally_entry **ret_entry);
void tally_remove(struct tally *t, struct tally_entry *entry);

#endif
