/* SPDX-License-Identifier: Apache-2.0
 *
 * Who asks: an IPv4 address, or an IPv6 network of 64 bits, since one subscriber has all of that. X-Forwarded-For is
 * believed as far as the proxies go that the operator named, and no further: the rest of it anybody can write.
 */
#ifndef WEB_VISITOR_H
#define WEB_VISITOR_H

#include "base/message.h"
#include "web/limiter.h"

/* `proxies`: addresses, ended by NULL; or NULL. */
struct limiter_key visitor_of(const struct http_request *q, const char *const *proxies);

/* Whether a word is an address that can be listed as a proxy. */
bool visitor_is_address(struct pap_str word);

#endif
