#ifndef SIM_LAB_SEEK_OUTPUT_H
#define SIM_LAB_SEEK_OUTPUT_H

/*
 * What `solab seek` prints.
 */
#include <stdio.h>

#include "sim/lab/parameter.h"
#include "sim/lab/seek.h"
#include "sim/lab/variant.h"

struct seek_question {
	struct scenario *sq_scenario;
	struct parameter sq_parameter;
	struct seek_problem sq_problem;
	struct variants sq_variants;
	enum run_status sq_status; /* of the last runs */
};

/* What is asked, before anything runs. */
void seek_print_question(FILE *, const struct seek_question *);

/* Every value probed, what is to be said about them, the answer in a line. */
void seek_print_text(
    FILE *, const struct seek_question *, const struct seek_result *);

/* An object for every value probed, and one for the answer. */
void seek_print_json(
    FILE *, const struct seek_question *, const struct seek_result *);

#endif
