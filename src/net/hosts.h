/* SPDX-License-Identifier: Apache-2.0
 *
 * Which hosts are being asked just now, by clients of several threads together, so that each has one connection at a time.
 */
#ifndef NET_HOSTS_H
#define NET_HOSTS_H

#include <pthread.h>

#include "base/str.h"

enum { HOSTS_MOST = 4096 }; /* those above are not counted */

struct hosts {
    pthread_mutex_t lock;
    size_t n;
    uint64_t asked[HOSTS_MOST]; /* the hash of each; two of one hash wait for each other */
};

void hosts_init(struct hosts *h);
void hosts_fini(struct hosts *h);
/* What stands for "shop.example:8443", in upper or lower case; never 0. */
uint64_t hosts_key(struct pap_str authority);
/* False: somebody is asking it. */
bool hosts_try(struct hosts *h, uint64_t key);
/* Whoever asks it: a redirect goes on at once. */
void hosts_take(struct hosts *h, uint64_t key);
void hosts_give(struct hosts *h, uint64_t key);

#endif
