/*
 * solab merge: stores of several machines into one.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/lab/cli.h"
#include "sim/lab/store.h"

static bool sources_ok(const struct cli_args *);

int
cmd_merge(const struct cli_args *ca)
{
	int64_t added, differing, all = 0, odd = 0;
	struct store *st;
	bool ok = true;

	if (ca->ca_output == NULL)
		return cli_usage("merge", "into what? want -o DB");
	if (!sources_ok(ca))
		return EXIT_USAGE;
	st = store_open(ca->ca_output, STORE_CREATE);
	if (st == NULL)
		return EXIT_USAGE;
	for (int i = 0; i < ca->ca_nfiles && ok; i++) {
		if (store_same_file(ca->ca_files[i], ca->ca_output))
			continue;
		ok = store_merge(st, ca->ca_files[i], &added, &differing);
		if (ok)
			fprintf(stderr, "solab: %s: %lld runs added\n",
			    ca->ca_files[i], (long long)added);
		if (ok && differing > 0)
			fprintf(stderr,
			    "solab: %s: %lld runs of the same key have OTHER "
			    "results than in %s: not taken\n",
			    ca->ca_files[i], (long long)differing,
			    ca->ca_output);
		all += added;
		odd += differing;
	}
	store_close(st);
	if (ok)
		fprintf(stderr, "solab: %s: %lld runs added in all\n",
		    ca->ca_output, (long long)all);
	return ok && odd == 0 ? EXIT_OK : EXIT_FAILED;
}

/* Nothing is written unless all can be read. */
static bool
sources_ok(const struct cli_args *ca)
{
	struct store *st;
	bool ok = true;

	for (int i = 0; i < ca->ca_nfiles; i++) {
		st = store_open(ca->ca_files[i], STORE_READ);
		ok = ok && st != NULL;
		store_close(st);
	}
	return ok;
}
