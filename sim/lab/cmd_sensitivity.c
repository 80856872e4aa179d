#include "sim/lab/cli.h"

int
cmd_sensitivity(const struct cli_args *ca)
{
	(void)ca;
	return 1;
}
