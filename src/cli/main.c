/* SPDX-License-Identifier: Apache-2.0
 *
 * The program.
 */
#include "cli/command.h"

int main(int argc, char **argv)
{
    struct cli cli;
    cli_init(&cli);
    return cli_fini(&cli, commands_run(&cli, argc, argv));
}
