/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificates of papaver serve: which ones there are, when they are read again, and what is told of them.
 */
#ifndef APP_CERTIFY_H
#define APP_CERTIFY_H

#include "app/sites.h"
#include "net/server.h"
#include "sys/file.h"

struct certify {
    const struct pap_serve_options *o;
    const char *named; /* what is told to be read */
    struct tls_certificate *at;
    size_t n;                 /* 0: plain http */
    struct file_state *files; /* two for each certificate, as they were last seen */
    bool due;                 /* they have changed since they were read, or could not be read */
    struct pap_err refused;   /* why not, as it was told */
    int64_t dated;            /* when it was last seen to that they are valid, Unix seconds */
};

/* Those of the options and of the sites. PAP_USAGE says what lacks. */
pap_result certify_list(struct certify *c, const struct pap_serve_options *o, struct sites *all,
                        struct pap_err *err) PAP_MUST;
/* Before they are read for the first time; and when they were. */
void certify_see(struct certify *c);
void certify_began(struct certify *c, struct server *server);
/* Comes again and again: reads them when they have changed, and tells of one that no client takes any more. `at_once`: somebody
 * said that they have. */
void certify_look(struct certify *c, struct server *server, bool at_once);
/* Tells why a certificate is not another one now; not again when that was told before. */
void certify_refuse(struct certify *c, const struct pap_err *why, bool again);

#endif
