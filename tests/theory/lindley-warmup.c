/*
 * M/M/1 at 0.9 that starts empty: its first 2,000 customers wait too little. On
 * slice means averaged over replications MSER-5 finds a cut after which the
 * bias is gone.
 *
 * On the slices of a single run it cannot: waits that grow are waits that vary,
 * so a cut that leaves the steadiest rest leaves small waits, whatever the
 * start. That is why `warmup: auto` asks a pilot run with other random numbers,
 * whose cut knows nothing of the run that it is for: it makes the bias smaller,
 * and never adds to it.
 */
#include "sim/core/stat_steady.h"
#include "tests/theory/lindley.h"

#define REPS 10000
#define SLICES 400
#define PER 5 /* customers of a slice */
#define RHO 0.9
#define LEVEL 0.999

static double slices[REPS][SLICES], average[SLICES];

static void
slices_fill(struct lindley *li, double *x, int n)
{
	for (int i = 0; i < n; i++)
		x[i] = lindley_mean_wait(li, PER);
}

static struct stat_ci
report(const char *what, const double *x)
{
	const struct stat_ci ci = stat_t_interval(x, REPS, LEVEL);

	printf("%-52s %.3f +- %.3f\n", what, ci.mean, ci.half);
	return ci;
}

static bool
holds(struct stat_ci ci, double value)
{
	return fabs(ci.mean - value) <= ci.half;
}

static double
mean_after(const double *x, int cut)
{
	return stat_mean(x + cut, SLICES - cut);
}

/* Cut at what a pilot's MSER-5 says, half of it at most; measure all. */
static double
after_pilot(int rep)
{
	const struct rng_run run = { 2, (uint32_t)rep };
	double x[SLICES];
	struct lindley li;
	int cut = abs(stat_mser5(slices[rep], SLICES, NULL));

	lindley_init(&li, run, 0, RHO, 1);
	slices_fill(&li, x, cut < SLICES / 2 ? cut : SLICES / 2);
	slices_fill(&li, x, SLICES);
	return stat_mean(x, SLICES);
}

int
main(void)
{
	const double truth = lindley_true_mean(RHO, 1);
	static double all[REPS], together[REPS], own[REPS], pilot[REPS];
	struct stat_ci ci_all, ci_together, ci_own, ci_pilot;
	int cut;

	for (int r = 0; r < REPS; r++) {
		const struct rng_run run = { 1, (uint32_t)r };
		struct lindley li;

		lindley_init(&li, run, 0, RHO, 1);
		slices_fill(&li, slices[r], SLICES);
		for (int i = 0; i < SLICES; i++)
			average[i] += slices[r][i] / REPS;
	}
	cut = stat_mser5(average, SLICES, NULL);
	for (int r = 0; r < REPS; r++) {
		all[r] = stat_mean(slices[r], SLICES);
		together[r] = mean_after(slices[r], abs(cut));
		own[r] = mean_after(
		    slices[r], abs(stat_mser5(slices[r], SLICES, NULL)));
		pilot[r] = after_pilot(r);
	}
	printf("true mean wait %g, empty at the start; of %d slices MSER-5 "
	       "cuts %d of their average\n",
	    truth, SLICES, cut);
	ci_all = report("not cut", all);
	ci_together =
	    report("cut by the average of all replications", together);
	ci_own = report("each cut by itself", own);
	ci_pilot = report("each cut by a pilot with other numbers", pilot);
	if (holds(ci_all, truth) || !holds(ci_together, truth) || cut <= 0) {
		puts("NOT OK: the bias should be there, and then not");
		return 1;
	}
	if (!(truth - ci_pilot.mean < 0.7 * (truth - ci_all.mean)) ||
	    ci_own.mean > ci_all.mean) {
		puts("NOT OK: what the comment above says of single runs");
		return 1;
	}
	return 0;
}
