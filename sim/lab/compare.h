#ifndef SIM_LAB_COMPARE_H
#define SIM_LAB_COMPARE_H

/*
 * Two points side by side, by the replications that both have: those of the
 * same seed and number, which have the same random numbers. Each metric, each
 * stage (with the load generator's clock off, and on) and the latency's shape
 * are questions, and all are judged together (Holm): with 95 % confidence none
 * is called different by chance.
 *
 * Context: anywhere; pure functions. Time: none.
 */
#include <stdio.h>

#include "sim/core/stat_compare.h"
#include "sim/lab/record.h"

enum compare_verdict {
	COMPARE_DIFFERENT,  /* at 95.0 % confidence, judged together */
	COMPARE_NOT_PROVEN, /* no difference proven */
	COMPARE_CONSTANT,   /* the same difference in all replications */
	COMPARE_IDENTICAL,  /* the same in all replications */
	COMPARE_MISSING,    /* a replication has no such value */
};

enum compare_kind {
	COMPARE_METRIC, /* named as in JSON: latency_mean_ns */
	COMPARE_STAGE,	/* its mean, ns, with the clock on (counted) or off */
	COMPARE_SHAPE,	/* a percentile over the mean of a replication; named
			   as the percentile */
};

struct compare_row {
	enum compare_kind cr_kind;
	const char *cr_name;
	bool cr_counted;
	enum compare_verdict cr_verdict;
	struct stat_pairs cr_pairs;
	double cr_holm;	 /* the p-value, judged together; NAN: not judged */
	double cr_wants; /* a percentile: samples wanted of a replication, when
			    one has fewer; else 0 */
};

/* What the latency's p50, p90 and p99 tell beside its mean. */
enum compare_shape {
	COMPARE_SHAPE_ALIKE,   /* none of them is different */
	COMPARE_SHAPE_MOVED,   /* those that are go with the mean, in proportion
				  as far as can be told */
	COMPARE_SHAPE_CHANGED, /* one is different and the mean is not, or goes
				  the other way, or not in proportion */
};

struct comparison {
	int cm_na, cm_nb; /* replications of A, of B */
	int cm_pairs;	  /* that both have */
	int cm_judged;	  /* questions judged together */
	struct compare_row *cm_rows;
	int cm_n; /* 0 with fewer than STAT_MIN_PAIRS pairs */
	enum compare_shape cm_shape;
};

/*
 * Compare the records of two points. Names are borrowed from those of A.
 * Gives it: compare_fini().
 */
void compare_init(struct comparison *, struct record *const *a, int na,
    struct record *const *b, int nb);
void compare_fini(struct comparison *);

/* Returns: a row, or NULL. `counted`: of a stage. */
const struct compare_row *compare_row(const struct comparison *,
    enum compare_kind, const char *name, bool counted);

/* Returns: "difference", "no difference proven", "constant difference", ... */
const char *compare_verdict_name(enum compare_verdict);
const char *compare_kind_name(enum compare_kind);
const char *compare_shape_name(enum compare_shape);

static inline bool
compare_differs(const struct compare_row *cr)
{
	return cr->cr_verdict == COMPARE_DIFFERENT ||
	       cr->cr_verdict == COMPARE_CONSTANT;
}

/* compare_text.c */

/* Rows by their verdict, in up to 100 columns; the shape in words. */
void compare_text(FILE *, const struct comparison *);

/* A row, without what says which points they are. */
void compare_row_json(FILE *, const struct compare_row *);

#endif
