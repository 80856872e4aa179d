#ifndef SIM_LAB_SENSITIVITY_H
#define SIM_LAB_SENSITIVITY_H

/*
 * Which factor moves which metric: elasticities at the base point, and Morris'
 * effects over the factors' ranges.
 *
 * First each factor is moved up in replication 0 alone. When no metric changes
 * by a single bit it is not used here: its elasticity is exactly 0, and it is
 * not run again. Of the others, replication r at one end is compared with
 * replication r at the other, which has the same random numbers.
 *
 * Of a ratio (`--ratio`), everything is run twice, with and without the other
 * setting, and every metric is the quotient of the two.
 *
 * Morris' effects are of logarithms: 0.05 over the whole range is 5 %.
 * Trajectory t is run as replication t, so that the noise between replications
 * is in sigma, and not in an effect.
 *
 * Context: anywhere; what runs is the caller's callback. Time: none.
 */
#include "sim/lab/factor.h"
#include "sim/lab/keys.h"
#include "sim/lab/morris.h"

/* Replications that are wanted of a point. */
struct sensitivity_want {
	const double *sw_values; /* of every factor; NAN: as the base has it */
	bool sw_other;		 /* with the other setting of a ratio */
	int sw_from, sw_to;
	/*
	 * Out: all metrics of each replication. NAN: the run failed. INFINITY:
	 * a time, but nothing was answered.
	 */
	double (*sw_y)[METRIC_N];
};

struct sensitivity_problem {
	const struct factors *sp_factors;
	enum metric sp_metrics[METRIC_N];
	int sp_nmetrics;
	int sp_reps; /* from 2 */
	bool sp_ratio;
	int sp_trajectories; /* 0: no Morris */
	uint32_t sp_seed;    /* of their design */
	/* Returns: false to give up at once. */
	bool (*sp_evaluate)(void *arg, struct sensitivity_want *, int n);
	void *sp_arg;
};

struct sensitivity_effect {
	bool sf_used; /* some metric moved */
	/* Of sp_metrics; NAN: not known. */
	struct stat_ci sf_elasticity[METRIC_N];
	bool sf_bends[METRIC_N];		  /* elasticity_bends() */
	struct morris_effect sf_morris[METRIC_N]; /* me_n 0: not moved */
};

struct sensitivity {
	struct stat_ci sy_base[METRIC_N]; /* of sp_metrics, or their ratios */
	struct sensitivity_effect *sy_effects; /* of every factor */
	struct stat_ci
	    sy_sum[METRIC_N]; /* of those of all costs that are times */
	int sy_runs;
	bool sy_failed;	 /* some run failed */
	bool sy_stopped; /* sp_evaluate gave up, or the base failed: nothing
			    else is known */
};

/* Gives the effects: sensitivity_fini(). */
void sensitivity_solve(
    const struct sensitivity_problem *, struct sensitivity *);
void sensitivity_fini(struct sensitivity *);

/* Returns: the largest |elasticity| of a factor; 0 when none is known. */
double sensitivity_rank(
    const struct sensitivity_problem *, const struct sensitivity_effect *);

/* Whether the interval of some metric leaves 0 out. */
bool sensitivity_proven(
    const struct sensitivity_problem *, const struct sensitivity_effect *);

#endif
