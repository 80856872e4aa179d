/*
 * What --executor and its options must be.
 */
#include <string.h>

#include "sim/lab/diag.h"
#include "sim/lab/sweep_slurm.h"

static bool sbatch_options_ok(const struct cli_list *);

bool
sweep_slurm_options(const struct cli_args *ca)
{
	static const char *const known[] = { "slurm" };
	const char *odd = NULL, *near;

	if (ca->ca_executor == NULL) {
		odd = ca->ca_dry_run	       ? "--dry-run"
		      : ca->ca_collect	       ? "--collect"
		      : ca->ca_chunk > 0       ? "--chunk"
		      : ca->ca_sbatch.cl_n > 0 ? "--sbatch"
					       : NULL;
		if (odd != NULL)
			cli_usage("sweep", "%s without --executor", odd);
		return odd == NULL;
	}
	if (strcmp(ca->ca_executor, known[0]) != 0) {
		near = diag_nearest(ca->ca_executor, known, 1);
		cli_usage("sweep", "no executor '%s', %s", ca->ca_executor,
		    near != NULL ? "did you mean 'slurm'?" : "want slurm");
		return false;
	}
	odd = ca->ca_precision != NULL ? "--precision"
	      : ca->ca_shard != NULL   ? "--shard"
	      : ca->ca_except != NULL  ? "--except"
	      : ca->ca_alone	       ? "--alone"
	      : ca->ca_json	       ? "--json"
				       : NULL;
	if (odd != NULL)
		cli_usage("sweep", "%s cannot be used with --executor", odd);
	else if (ca->ca_dry_run && ca->ca_collect)
		cli_usage("sweep", "--dry-run and --collect");
	else if (ca->ca_db == NULL)
		cli_usage("sweep", "--executor without --db");
	return odd == NULL && ca->ca_db != NULL &&
	       !(ca->ca_dry_run && ca->ca_collect) &&
	       sbatch_options_ok(&ca->ca_sbatch);
}

/* What is no option would be the script; and some are ours. */
static bool
sbatch_options_ok(const struct cli_list *cl)
{
	static const char *const ours[] = { "-a", "--array", "-d",
		"--dependency", "--wrap", "-o", "--output", "-J",
		"--job-name" };

	for (int i = 0; i < cl->cl_n; i++) {
		const char *text = cl->cl_texts[i];

		if (text[0] != '-' || text[1] == '\0' ||
		    strcmp(text, "--") == 0) {
			cli_usage("sweep",
			    "--sbatch: '%s', want an option, as in "
			    "--sbatch=--partition=long",
			    text);
			return false;
		}
		for (size_t k = 0; k < sizeof(ours) / sizeof(*ours); k++) {
			size_t n = strlen(ours[k]);

			if (strncmp(text, ours[k], n) != 0 ||
			    (n > 2 && text[n] != '\0' && text[n] != '='))
				continue;
			cli_usage(
			    "sweep", "--sbatch: '%s' is solab's to set", text);
			return false;
		}
	}
	return true;
}
