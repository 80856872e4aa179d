/*
 * Two queues that are alike but for their random numbers: a comparison says "no
 * difference" in 95 % of 1,000 experiments, metric by metric, and judges many
 * metrics together (Holm) without any false claim in at least 95 %. Two queues
 * with the same random numbers are identical, and a small true difference is
 * found.
 */
#include "sim/core/stat_compare.h"
#include "tests/theory/lindley.h"

#define EXPERIMENTS 1000
#define REPS 10
#define CUSTOMERS 2000
#define RHO 0.5
#define METRICS 7

static const char *const names[METRICS] = { "mean", "deviation", "p50", "p90",
	"p99", "share that waits", "max" };

static int
compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
measure(uint32_t experiment, uint32_t rep, uint64_t name, double service,
    double *out)
{
	const struct rng_run run = { experiment, rep };
	struct lindley li;
	double wait[CUSTOMERS];
	int waiting = 0;

	lindley_init(&li, run, name, RHO, service);
	lindley_steady(&li, run, name);
	for (int i = 0; i < CUSTOMERS; i++) {
		wait[i] = lindley_next(&li);
		waiting += wait[i] > 0;
	}
	qsort(wait, CUSTOMERS, sizeof(*wait), compare_doubles);
	out[0] = stat_mean(wait, CUSTOMERS);
	out[1] = stat_stdev(wait, CUSTOMERS);
	/* The median of a queue that is empty half of the time: of waits. */
	out[2] = wait[CUSTOMERS - waiting / 2];
	out[3] = wait[CUSTOMERS / 100 * 90];
	out[4] = wait[CUSTOMERS / 100 * 99];
	out[5] = (double)waiting / CUSTOMERS;
	out[6] = wait[CUSTOMERS - 1];
}

/* All metrics of both systems, over the replications of one experiment. */
static void
compare(uint32_t experiment, uint64_t other, double service, double *p,
    enum stat_pairs_kind *kinds)
{
	double a[METRICS][REPS], b[METRICS][REPS], out[METRICS];

	for (uint32_t r = 0; r < REPS; r++) {
		measure(experiment, r, 0, 1, out);
		for (int m = 0; m < METRICS; m++)
			a[m][r] = out[m];
		measure(experiment, r, other, service, out);
		for (int m = 0; m < METRICS; m++)
			b[m][r] = out[m];
	}
	for (int m = 0; m < METRICS; m++) {
		const struct stat_pairs sp = stat_pairs(a[m], b[m], REPS);

		p[m] = sp.sp_p;
		kinds[m] = sp.sp_kind;
	}
}

static int
equal_systems(void)
{
	int none[METRICS] = { 0 }, together = 0, bad = 0, claimed;
	enum stat_pairs_kind kinds[METRICS];
	double p[METRICS], adjusted[METRICS];

	for (uint32_t e = 0; e < EXPERIMENTS; e++) {
		compare(e, 1, 1, p, kinds);
		stat_holm(p, adjusted, METRICS);
		claimed = 0;
		for (int m = 0; m < METRICS; m++) {
			none[m] += p[m] >= 0.05;
			claimed += adjusted[m] < 0.05;
		}
		together += claimed == 0;
	}
	for (int m = 0; m < METRICS; m++)
		bad += lindley_share(names[m], none[m], EXPERIMENTS, 0.95, 0);
	printf("%-52s %5.1f %% of %d, want at least 95\n",
	    "no claim at all, judged together", 100.0 * together / EXPERIMENTS,
	    EXPERIMENTS);
	/* Less than the binomial error of 99.9 % under it. */
	return bad + (together < 0.95 * EXPERIMENTS -
				     3.29 * sqrt(EXPERIMENTS * 0.95 * 0.05));
}

static int
same_numbers(void)
{
	enum stat_pairs_kind kinds[METRICS];
	double p[METRICS], adjusted[METRICS];
	int bad = 0, found = 0;

	compare(1, 0, 1, p, kinds);
	for (int m = 0; m < METRICS; m++)
		bad += kinds[m] != STAT_IDENTICAL || p[m] != 1;
	printf("the same queue twice: %d of %d metrics identical\n",
	    METRICS - bad, METRICS);
	for (uint32_t e = 0; e < 100; e++) {
		compare(e, 0, 1.02, p, kinds);
		stat_holm(p, adjusted, METRICS);
		found += adjusted[0] < 0.05;
	}
	printf("service 2 %% longer: another mean wait in %d of 100\n", found);
	return bad + (found < 95);
}

int
main(void)
{
	return equal_systems() + same_numbers() != 0;
}
