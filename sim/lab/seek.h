#ifndef SIM_LAB_SEEK_H
#define SIM_LAB_SEEK_H

/*
 * Goal seek: the smallest or the largest value of a parameter that keeps a
 * condition, from runs that have noise.
 *
 * A value is judged by the interval of its replications: more are added until
 * the interval lies on one side of the limit, or there are as many as allowed:
 * then the value is undecided, and stays so. Each look at a growing number of
 * replications is another chance to be wrong, so each look's interval is wider
 * (Bonferroni): all looks at a value together are wrong 5 times in 100 at most,
 * and that where the limit itself lies.
 *
 * First a scan: both ends and some values between. What is sought lies between
 * the last value that fails and the first one that keeps the condition, seen
 * from the asked side (from below for the smallest), and there it is bisected.
 * Where the scan goes back and forth, values that contradict are marked, and
 * the crossing that is outermost on the asked side is the answer. What changes
 * and changes back between two values of the scan is not seen. Where the asked
 * end keeps it and the other does not, another question may have been meant.
 *
 * "Within P % of the best" is a ratio of replications that have the same random
 * numbers. The best is the best mean of what was probed; picking it out of a
 * noisy lot makes it look a little too good, so that the answer errs on the
 * side of caution. When the bisection finds a better one, all is judged again.
 *
 * Context: anywhere; what runs is the caller's callback. Time: none.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/core/stat.h"
#include "sim/lab/diag.h"
#include "sim/lab/keys.h"

enum seek_relation {
	SEEK_AT_MOST,	/* METRIC<=VALUE */
	SEEK_AT_LEAST,	/* METRIC>=VALUE */
	SEEK_NEAR_BEST, /* METRIC~P% */
};

struct seek_condition {
	enum metric sn_metric;
	enum seek_relation sn_relation;
	double sn_limit;      /* in the metric's unit; NEAR_BEST: percent */
	bool sn_highest_best; /* NEAR_BEST: highest is best, else lowest */
};

/*
 * Read "latency_p99<=50ms", "throughput>=200k/s", "throughput~1%"; blanks
 * around the sign are allowed.
 * Returns: false after an error, which diag has.
 */
bool seek_condition_parse(
    const char *text, struct seek_condition *, struct diag *);

/* "latency_p99<=50ms". Returns: buf, cut to size. */
char *seek_condition_print(
    const struct seek_condition *, char *buf, size_t size);

/* Replications that are wanted of a value. */
struct seek_want {
	int64_t sw_value;
	int sw_from, sw_to; /* sw_from <= replication < sw_to */
	/*
	 * Out: a number for each, in order. NAN: the run failed. INFINITY:
	 * nothing was answered, so a time has no value; it keeps no condition.
	 */
	double *sw_y;
	bool sw_unsteady; /* out: one had no steady state */
};

struct seek_problem {
	int64_t sk_low, sk_high; /* low < high */
	int64_t sk_step;   /* from 1; above 1 values are low + k * step, high */
	double sk_near;	   /* as near as this share of the value is enough */
	int sk_round;	   /* 10 or 2: what probed values are rounded to */
	bool sk_geometric; /* low >= 1: halves are halves of the logarithm */
	bool sk_largest;
	struct seek_condition sk_condition;
	int sk_min_reps, sk_max_reps; /* 2 <= min <= max */
	int sk_scan;		      /* values of the first scan, from 2 */
	/* Returns: false to give up at once. */
	bool (*sk_evaluate)(void *arg, struct seek_want *, int n);
	void *sk_arg;
};

enum seek_verdict { SEEK_UNDECIDED, SEEK_KEEPS, SEEK_FAILS };

struct seek_probe {
	int64_t sb_value;
	int sb_reps;
	double *sb_y;
	struct stat_ci sb_metric; /* of the metric, 95 % */
	struct stat_ci sb_ratio;  /* NEAR_BEST: metric / the best's, 95 % */
	enum seek_verdict sb_verdict;
	bool sb_unsteady;    /* a run had no steady state */
	bool sb_broken;	     /* a run failed: undecided */
	bool sb_contradicts; /* fails beyond a value that keeps it */
};

enum seek_end {
	SEEK_FOUND,   /* se_keeps */
	SEEK_NOWHERE, /* every value probed surely fails */
	SEEK_UNSURE,  /* none surely keeps it, some are undecided */
	SEEK_STOPPED, /* sk_evaluate gave up */
};

struct seek_result {
	enum seek_end se_end;
	int64_t se_keeps; /* FOUND: outermost value that surely keeps it */
	bool se_failing;  /* a value beyond se_keeps surely fails: */
	int64_t se_fails; /* the nearest such value to se_keeps */
	int se_undecided; /* values on the asked side of se_keeps (FOUND), or
			     all that are undecided */
	bool se_broken;	  /* some run failed */
	bool se_contradicted; /* it fails again beyond se_keeps ... */
	bool se_reversed;     /* ... to the other end, and never before */
	bool se_restless;     /* the best went on moving: see seek.c */
	int64_t se_best;      /* NEAR_BEST */
	int se_runs;

	struct seek_probe *se_probes; /* by value */
	int se_n;
};

/* Gives the probes: seek_fini(). */
void seek_solve(const struct seek_problem *, struct seek_result *);
void seek_fini(struct seek_result *);

/* The level of one look's interval, so that all looks together have 95 %. */
double seek_level(int min_reps, int max_reps);

/* Returns: replications of the look after one with n; at most max. */
int seek_more(int n, int max);

/*
 * A value between two neighbours, rounded as the problem says.
 * Returns: false when they are near enough.
 */
bool seek_between(
    const struct seek_problem *, int64_t low, int64_t high, int64_t *middle);

#endif
