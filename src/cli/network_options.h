/* SPDX-License-Identifier: Apache-2.0
 *
 * Options for how requests go, the same for every command that sends some. A command has a member `struct
 * network_options network`, NETWORK_ROWS() among its rows, and fills the library's struct with network_settle().
 */
#ifndef CLI_NETWORK_OPTIONS_H
#define CLI_NETWORK_OPTIONS_H

#include <papaver/base.h>
#include <stddef.h>

#include "cli/command.h"

struct network_options {
    uint32_t timeout_ms;
    bool allow_private;
    const char *cacert, *proxy;
    const char **resolve, **connect_to;
};

static inline struct pap_network network_settle(const struct network_options *o)
{
    return (struct pap_network){.timeout_ms = o->timeout_ms,
                                .allow_private = o->allow_private,
                                .cacert = o->cacert,
                                .proxy = o->proxy,
                                .resolve = (const char *const *)o->resolve,
                                .connect_to = (const char *const *)o->connect_to};
}

/* The rows: `heading` is that of the group in --help (NULL: they go on with the group before), `at` the offset of the
 * member in the command's struct. */
#define NETWORK_ROWS(heading, at)                                                                                  \
    {.group = (heading),                                                                                           \
     .name = "timeout",                                                                                            \
     .argument = "SECONDS",                                                                                        \
     .field = (at) + offsetof(struct network_options, timeout_ms),                                                 \
     .set = set_seconds,                                                                                           \
     .config = CONFIG_ANY,                                                                                         \
     .help = "time for one request: 10, 2.5, 500ms (default 30)"},                                                 \
        {.name = "cacert",                                                                                         \
         .argument = "FILE",                                                                                       \
         .field = (at) + offsetof(struct network_options, cacert),                                                 \
         .set = set_certificates,                                                                                  \
         .path = true,                                                                                             \
         .complete = COMPLETE_FILE,                                                                                \
         .config = CONFIG_NAMED,                                                                                   \
         .help = "trust these certificate authorities (PEM) instead of the system's"},                             \
        {.name = "resolve",                                                                                        \
         .argument = "HOST:PORT:ADDR",                                                                             \
         .field = (at) + offsetof(struct network_options, resolve),                                                \
         .set = set_resolve,                                                                                       \
         .list = true,                                                                                             \
         .config = CONFIG_NAMED,                                                                                   \
         .help = "use this address for a host and port, as curl does; may be repeated"},                           \
        {.name = "connect-to",                                                                                     \
         .argument = "HOST:PORT:HOST:PORT",                                                                        \
         .field = (at) + offsetof(struct network_options, connect_to),                                             \
         .set = set_connect_to,                                                                                    \
         .list = true,                                                                                             \
         .config = CONFIG_NAMED,                                                                                   \
         .help = "connect to the second host and port instead of the first, as curl does; may be repeated"},       \
        {.name = "proxy",                                                                                          \
         .argument = "URL",                                                                                        \
         .field = (at) + offsetof(struct network_options, proxy),                                                  \
         .set = set_proxy,                                                                                         \
         .config = CONFIG_NAMED,                                                                                   \
         .help = "go through this proxy; variables such as https_proxy are not looked at"},                        \
    {                                                                                                              \
        .name = "allow-private", .field = (at) + offsetof(struct network_options, allow_private), .set = set_flag, \
        .config = CONFIG_NAMED, .help = "allow loopback and private addresses"                                     \
    }

#endif
