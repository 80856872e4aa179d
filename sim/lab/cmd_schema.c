/*
 * solab schema
 */
#include "sim/lab/cli.h"
#include "sim/lab/keys.h"

int
cmd_schema(const struct cli_args *ca)
{
	if (ca->ca_markdown)
		keys_markdown(stdout);
	else
		keys_schema(stdout);
	return EXIT_OK;
}
