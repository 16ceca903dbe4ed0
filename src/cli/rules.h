/* SPDX-License-Identifier: Apache-2.0
 *
 * How hosts are told to serve a published tree: media types, caching, CORS, and a plain 404.
 */
#ifndef CLI_RULES_H
#define CLI_RULES_H

/* Names for --rules, ended by NULL; and their texts, in the same order of rows. */
extern const char *const rules_hosts[];
const char *rules_text(unsigned host);

#endif
