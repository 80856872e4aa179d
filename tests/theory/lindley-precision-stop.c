/*
 * Replications of M/M/1 until the interval of the mean wait is within a target:
 * where they stop, the interval holds the true mean in nearly 95 % of 1,000
 * experiments, and is as narrow as was asked for.
 */
#include "sim/core/stat_precision.h"
#include "tests/theory/lindley.h"

#define EXPERIMENTS 1000
#define CUSTOMERS 1000
#define RHO 0.5
#define CAP 400

/* The rule's own cost is up to 2 points: see stat_precision.h. */
#define SLACK 0.02

static int
stop(double target)
{
	const double truth = lindley_true_mean(RHO, 1);
	int covered = 0, capped = 0, bad;
	char what[80];
	double total = 0;

	for (uint32_t e = 0; e < EXPERIMENTS; e++) {
		double x[CAP];
		struct stat_ci ci;
		int n = 0, more;

		while ((more = stat_precision_more(x, n, target, CAP)) > 0) {
			for (; more > 0; more--, n++) {
				const struct rng_run run = { e, (uint32_t)n };
				struct lindley li;

				lindley_init(&li, run, 0, RHO, 1);
				lindley_steady(&li, run, 0);
				x[n] = lindley_mean_wait(&li, CUSTOMERS);
			}
		}
		ci = stat_t_interval(x, n, 0.95);
		covered += fabs(ci.mean - truth) <= ci.half;
		capped += !stat_precise(x, n, target);
		total += n;
	}
	snprintf(what, sizeof(what), "target %g %%: %.1f replications",
	    100 * target, total / EXPERIMENTS);
	bad = lindley_share(what, covered, EXPERIMENTS, 0.95, SLACK);
	printf("%d of them not precise\n", capped);
	return bad + (capped != 0);
}

int
main(void)
{
	static const double targets[] = { 0.4, 0.2, 0.1, 0.07, 0.05 };
	int bad = 0;

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		bad += stop(targets[i]);
	return bad != 0;
}
