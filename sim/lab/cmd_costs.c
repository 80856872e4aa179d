/*
 * solab costs: the ledger of a hardware profile.
 */
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/hardware.h"
#include "sim/lab/lookup.h"

int
cmd_costs(const struct cli_args *ca)
{
	const char *dirs[8] = { NULL };
	char *name = sim_strdup(ca->ca_files[0]), *base = name, *slash;
	size_t n = 0, len = strlen(name);
	struct hardware *ha;
	struct diag d;

	/* A file: its folder, and its name without .yaml. */
	if (len > 5 && strcmp(name + len - 5, ".yaml") == 0)
		name[len - 5] = '\0';
	slash = strrchr(name, '/');
	if (slash != NULL) {
		*slash = '\0';
		base = slash + 1;
		dirs[n++] = slash == name ? "/" : name;
	} else {
		if (strlen(name) < len)
			dirs[n++] = ".";
		for (int i = 0; lookup_hardware_dirs[i] != NULL; i++)
			dirs[n++] = lookup_hardware_dirs[i];
	}
	diag_init(&d);
	ha = hardware_load(base, dirs, n, diag_whole(NULL), &d);
	diag_print(&d, stderr);
	diag_fini(&d);
	if (ha != NULL)
		hardware_print(ha, stdout);
	hardware_destroy(ha);
	sim_free(name);
	return ha != NULL ? EXIT_OK : EXIT_USAGE;
}
