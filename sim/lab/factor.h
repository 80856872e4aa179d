#ifndef SIM_LAB_FACTOR_H
#define SIM_LAB_FACTOR_H

/*
 * What a sensitivity analysis moves: every guessed and every fitted cost of the
 * profiles in use, in all machines or peers that have it from their profile;
 * and parameters that the command line names.
 *
 * Context: anywhere. Time: none.
 */
#include "sim/lab/parameter.h"
#include "sim/lab/scenario.h"

/* All [I]; texts are the scenario's or the list's. */
struct factor {
	const struct key *fa_key;
	const char *fa_name;	/* ngx_request, soavailconn */
	const char *fa_profile; /* e5-2620v2-2way; NULL: a parameter */
	const struct hardware_entry *fa_entry; /* NULL: a parameter */
	const char **fa_paths;		       /* server.hardware.ngx_request */
	int fa_npaths;
	double fa_base;		/* in base units, at the base point */
	double fa_low, fa_high; /* its range */
	bool fa_ranged;		/* somebody said so; else a guess of ours */
	bool fa_log;		/* its range is even in logarithms */
	bool fa_moves;		/* there is a central difference: */
	double fa_down, fa_up;	/* its ends */
};

struct factors {
	struct factor *fs_list; /* parameters, then costs as in the profiles */
	int fs_n;
	/* Costs that the scenario or the command line sets: no guess any more.
	 * Their paths. */
	const char **fs_set;
	int fs_nset;
	struct ypool fs_pool;
};

struct factor_options {
	const char *const *fo_params; /* PATH=LOW..HIGH */
	int fo_nparams;
	bool fo_peers;	/* their profiles' costs too */
	double fo_step; /* of a central difference: 0.1 is 10 % both ways */
	double
	    fo_spread; /* a range that nobody knows: between 1/x and x times */
};

/*
 * Make the list for the base point. Gives it: factors_fini(). The scenario must
 * outlive it.
 * Returns: false after an error, which diag has.
 */
bool factors_make(struct scenario *, const struct factor_options *,
    struct factors *, struct diag *);
void factors_fini(struct factors *);

/* Returns: the value at `place` (0..1) of its range. */
double factor_at(const struct factor *, double place);

/* PATH=VALUE of each of its paths, into sets. Returns: how many. */
int factor_sets(const struct factor *, double value, char **sets);

/* Whether it is a time that something costs, and not a speed or a size. */
bool factor_is_time(const struct factor *);

/* "guess", "fitted", "param" */
const char *factor_kind(const struct factor *);

#endif
