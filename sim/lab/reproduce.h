#ifndef SIM_LAB_REPRODUCE_H
#define SIM_LAB_REPRODUCE_H

/*
 * What `solab reproduce` prints of cells that have run.
 */
#include "sim/lab/output.h"
#include "sim/lab/ranges.h"

/* A cell beside what was simulated. */
struct outcome {
	double oc_value,
	    oc_half;	     /* in the metric's unit; of a ratio: percent */
	double oc_error_pct; /* or points of a percent */
	bool oc_ok;
	bool oc_ranged;	 /* oc_ranges is known */
	bool oc_outside; /* no costs in their ranges give the published one */
	struct ranges oc_ranges; /* gains, percent */
};

/*
 * A block for each point that has cells. outcomes[i] is of sc_cells[i];
 * `ranges`: --ranges was given.
 */
void reproduce_text(struct scenario *, const struct point *, int n,
    const struct outcome *outcomes, bool ranges);

/* An object on a line. */
void reproduce_json(const struct scenario *, const struct scenario_cell *,
    const struct outcome *);

#endif
