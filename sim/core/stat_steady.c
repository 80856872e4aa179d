#include "sim/core/stat_steady.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "sim/core/assert.h"

#define BATCHES 10
#define SHORTEST 5 /* slices of a batch */
#define SHORT_P 0.0005
#define DRIFT_P 0.0005
#define DRIFT_LATE_P 0.01 /* where MSER-5 says so already */

static bool differs(const double *x, int n, int cut);
static bool drifts(const double *x, int n, double level);
static int batch_means(const double *x, int n, double *means, int *length);

struct stat_steadiness
stat_steadiness(const double *x, int n)
{
	struct stat_steadiness ss = { STAT_STEADY, 0, 0 };
	int batch, cut = stat_mser5(x, n, &batch);

	if (cut == -n && batch == 0) {
		ss.ss_verdict = STAT_FEW_SLICES;
	} else if (cut < 0 ? drifts(x, n, DRIFT_LATE_P)
			   : drifts(x + cut, n - cut, DRIFT_P)) {
		ss.ss_verdict = STAT_NO_STEADY_STATE;
	} else if (cut > 0 && differs(x, n, cut)) {
		ss.ss_verdict = STAT_WARMUP_SHORT;
		ss.ss_cut = cut;
		ss.ss_bias = stat_mean(x, n) / stat_mean(x + cut, n - cut) - 1;
	}
	return ss;
}

/* Are the first `cut` other than the rest, whose noise is that of batches? */
static bool
differs(const double *x, int n, int cut)
{
	double means[BATCHES], noise, diff;
	int length, k = batch_means(x + cut, n - cut, means, &length);

	diff = fabs(stat_mean(x, cut) - stat_mean(x + cut, n - cut));
	noise = stat_stdev(means, k) * sqrt(length) *
		sqrt(1.0 / cut + 1.0 / (n - cut));
	if (noise == 0)
		return diff > 0;
	return stat_t_tail(diff / noise, k - 1) < SHORT_P;
}

/* Do batches correlate with time? */
static bool
drifts(const double *x, int n, double level)
{
	double means[BATCHES], mean, tt = 0, ty = 0, yy = 0, r;
	int length, k = batch_means(x, n, means, &length);

	mean = stat_mean(means, k);
	for (int i = 0; i < k; i++) {
		const double t = i - (k - 1) / 2.0, y = means[i] - mean;

		tt += t * t;
		ty += t * y;
		yy += y * y;
	}
	r = yy > 0 ? fabs(ty) / sqrt(tt * yy) : 0;
	if (r >= 1)
		return true;
	return stat_t_tail(r * sqrt((k - 2) / (1 - r * r)), k - 2) < level;
}

/* Up to BATCHES of one length, the last one at the end. Returns: how many. */
static int
batch_means(const double *x, int n, double *means, int *length)
{
	const int k = n / SHORTEST < BATCHES ? n / SHORTEST : BATCHES;

	SIM_ASSERT(k >= 3); /* MSER-5 keeps 25 slices */
	*length = n / k;
	for (int i = 0; i < k; i++)
		means[i] =
		    stat_mean(x + n - (size_t)(k - i) * *length, *length);
	return k;
}
