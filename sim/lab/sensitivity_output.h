#ifndef SIM_LAB_SENSITIVITY_OUTPUT_H
#define SIM_LAB_SENSITIVITY_OUTPUT_H

/*
 * What `solab sensitivity` prints.
 */
#include <stdio.h>

#include "sim/lab/sensitivity.h"
#include "sim/lab/variant.h"

struct sensitivity_question {
	struct scenario *sq_scenario;
	struct factors sq_factors;
	struct factor_options sq_options;
	struct sensitivity_problem sq_problem;
	const struct cli_list *sq_ratio; /* PATH=VALUE of the other setting */
	struct variants sq_variants;
	enum run_status sq_status; /* of the last runs */
};

/* What is asked, before anything runs. */
void sensitivity_print_question(FILE *, const struct sensitivity_question *);

/* Tables: elasticities, Morris' effects, sources. */
void sensitivity_print_text(
    FILE *, const struct sensitivity_question *, const struct sensitivity *);

/* An object for every factor, and one for all. */
void sensitivity_print_json(
    FILE *, const struct sensitivity_question *, const struct sensitivity *);

#endif
