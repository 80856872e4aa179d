#include "sim/lab/lookup.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"

const char *const lookup_scenario_dirs[] = {
	"scenarios",
	SOLAB_DATADIR "/scenarios",
	NULL,
};
const char *const lookup_hardware_dirs[] = {
	"scenarios/hardware",
	SOLAB_DATADIR "/scenarios/hardware",
	NULL,
};

static char *join(const char *dir, const char *name, const char *suffix);
static int is_scenario(const struct dirent *);

char *
lookup_scenario(const char *name)
{
	static const char *const suffixes[] = { "", ".yaml" };
	char *path;

	if (strchr(name, '/') != NULL || access(name, F_OK) == 0)
		return sim_strdup(name);
	for (int i = 0; lookup_scenario_dirs[i] != NULL; i++) {
		for (int k = 0; k < 2; k++) {
			path = join(lookup_scenario_dirs[i], name, suffixes[k]);
			if (access(path, F_OK) == 0)
				return path;
			sim_free(path);
		}
	}
	return sim_strdup(name);
}

static char *
join(const char *dir, const char *name, const char *suffix)
{
	size_t size = strlen(dir) + strlen(name) + strlen(suffix) + 2;
	char *path = sim_calloc(1, size);

	if (snprintf(path, size, "%s/%s%s", dir, name, suffix) >= (int)size)
		SIM_BUG("%s does not fit", path);
	return path;
}

const char *
lookup_hardware_dir(void)
{
	const char *const *dir = lookup_hardware_dirs;

	while (dir[1] != NULL && access(dir[0], F_OK) != 0)
		dir++;
	return *dir;
}

struct scenario *
lookup_load(const char *name, const struct cli_args *ca)
{
	char *path = lookup_scenario(name);
	struct scenario *sc;
	struct diag d;

	diag_init(&d);
	sc = scenario_load(path, (const char *const *)ca->ca_sets, ca->ca_nsets,
	    lookup_hardware_dir(), &d);
	diag_print(&d, stderr);
	diag_fini(&d);
	sim_free(path);
	return sc;
}

static int
is_scenario(const struct dirent *de)
{
	size_t n = strlen(de->d_name);

	return n > 5 && strcmp(de->d_name + n - 5, ".yaml") == 0;
}

int
lookup_all(const char *dir, char ***paths)
{
	struct dirent **found;
	int n = scandir(dir, &found, is_scenario, alphasort);

	*paths = NULL;
	if (n <= 0)
		return 0;
	*paths = sim_calloc(n, sizeof(**paths));
	for (int i = 0; i < n; i++) {
		(*paths)[i] = join(dir, found[i]->d_name, "");
		free(found[i]);
	}
	free(found);
	return n;
}
