/*
 * Two M/M/1 queues through the engine, of which the second works 2 % longer: as
 * with Lindley's recursion (lindley-common-numbers.c), replications of the same
 * number share arrivals and work, so the paired interval is many times as
 * narrow as that of independent runs, and holds the true difference.
 */
#include "sim/core/stat_compare.h"
#include "tests/theory/theory.h"

#define RATE 500.0
#define REPS 16

static void
latencies(const char *work, const char *seed, double *out)
{
	static struct measured me[THEORY_MAX_REPS];
	struct theory th = { { "tool=open", "connections=0",
				 "client.rate=500/s", work, seed },
		REPS };

	theory_replicate(&th, me);
	for (int i = 0; i < REPS; i++)
		out[i] = me[i].me_latency;
}

static double
mean_time(double work)
{
	return 1 / (1 / work - RATE);
}

int
main(void)
{
	const double truth = mean_time(1.02e-3) - mean_time(1e-3);
	double a[REPS], b[REPS], other[REPS];
	struct stat_pairs sp, without;
	bool ok;

	latencies("work=1ms", "seed=1", a);
	latencies("work=1.02ms", "seed=1", b);
	latencies("work=1.02ms", "seed=2", other);
	sp = stat_pairs(a, b, REPS);
	without = stat_pairs(a, other, REPS);
	printf("true difference %.2f us; with common numbers %.2f +- %.2f, "
	       "without %.2f +- %.2f; correlation %.3f; the formula of two "
	       "samples %.2f\n",
	    truth * 1e6, sp.sp_diff.mean * 1e6, sp.sp_diff.half * 1e6,
	    without.sp_diff.mean * 1e6, without.sp_diff.half * 1e6, sp.sp_corr,
	    sp.sp_unpaired * 1e6);
	ok = fabs(sp.sp_diff.mean - truth) <= sp.sp_diff.half &&
	     fabs(without.sp_diff.mean - truth) <= without.sp_diff.half &&
	     sp.sp_corr > 0.95 && 5 * sp.sp_diff.half < without.sp_diff.half &&
	     fabs(sp.sp_unpaired / without.sp_diff.half - 1) < 0.5;
	return !ok;
}
