/*
 * solab list: scenarios, or what one of them can be asked.
 */
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/lookup.h"
#include "sim/lab/text.h"

static int list_scenarios(const struct cli_args *);
static int list_one(const struct cli_args *);

int
cmd_list(const struct cli_args *ca)
{
	return ca->ca_nfiles > 0 ? list_one(ca) : list_scenarios(ca);
}

static int
list_scenarios(const struct cli_args *ca)
{
	int found = 0;
	char **files;

	for (int d = 0; lookup_scenario_dirs[d] != NULL; d++) {
		int n = lookup_all(lookup_scenario_dirs[d], &files);

		for (int i = 0; i < n; i++) {
			struct scenario *sc = lookup_load(files[i], ca);

			text_print(stdout, files[i]);
			printf("%*s  ",
			    text_width(files[i]) < 40
				? 40 - text_width(files[i])
				: 0,
			    "");
			text_print(stdout, sc != NULL ? sc->sc_setup.su_title
						      : "(has errors)");
			putchar('\n');
			found++;
			scenario_destroy(sc);
			sim_free(files[i]);
		}
		sim_free(files);
	}
	if (found == 0)
		fprintf(stderr,
		    "solab: no scenarios in ./scenarios or " SOLAB_DATADIR
		    "/scenarios\n");
	return EXIT_OK;
}

static int
list_one(const struct cli_args *ca)
{
	struct scenario *sc = lookup_load(ca->ca_files[0], ca);
	int n;

	if (sc == NULL)
		return EXIT_USAGE;
	text_print(stdout, sc->sc_name);
	fputs(": ", stdout);
	text_print(stdout, sc->sc_setup.su_title);
	printf("\n\nparameters (--set PATH=VALUE; costs: solab costs ");
	for (const struct hardware *ha = sc->sc_hardware; ha != NULL;
	     ha = ha->ha_next)
		printf("%s%s", ha->ha_name, ha->ha_next != NULL ? ", " : "");
	printf(")\n");
	scenario_print_params(sc, stdout);
	n = scenario_npoints(sc);
	printf("\n%d point%s of the sweep\n", n, n > 1 ? "s" : "");
	scenario_print_points(sc, stdout);
	printf("\n%d published values, %d costs to fit", sc->sc_ncells,
	    sc->sc_nfits);
	if (sc->sc_ngroups > 0)
		printf(", %d groups of cost ranges", sc->sc_ngroups);
	printf("\n");
	scenario_destroy(sc);
	return EXIT_OK;
}
