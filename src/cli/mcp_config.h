/* SPDX-License-Identifier: Apache-2.0
 *
 * How MCP clients are told about a server: a row for each, with its file and the shape of an entry in it.
 */
#ifndef CLI_MCP_CONFIG_H
#define CLI_MCP_CONFIG_H

#include "cli/cli.h"

extern const char *const mcp_clients[]; /* ended by NULL */

/* The entry of a server at `url`, with its token, for one of the clients. */
void mcp_config_print(FILE *out, const char *client, const char *url, const char *token);

/* Prints the entry that starts this program with the arguments given (without --print-config), or that of its URL when that is
 * not NULL. Returns the exit status. */
int mcp_config_command(struct cli *cli, const char *client, const char *url, int argc, char **argv);

/* The '=' behind the label of an origin, or NULL: one in a folder's name or in a URL ends no label. */
const char *mcp_label_end(const char *given);

#endif
