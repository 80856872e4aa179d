#include "sim/lab/morris.h"

#include <math.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/core/rng.h"

#define MAX_FACTORS 65536 /* a trajectory's draws have numbers below */
#define LEVEL 0.95

static void trajectory_make(
    struct morris *, int trajectory, int levels, struct rng_run);
static void shuffle(int *order, int n, struct rng *);

void
morris_init(struct morris *mo, int k, int r, int levels, uint32_t seed)
{
	SIM_ASSERT(k > 0 && k < MAX_FACTORS && r > 0);
	SIM_ASSERT(levels >= 2 && levels % 2 == 0);
	*mo = (struct morris){
		.mo_k = k,
		.mo_r = r,
		.mo_jump = levels / (2.0 * (levels - 1)),
		.mo_x = sim_calloc((size_t)r * (k + 1) * k, sizeof(double)),
		.mo_moved = sim_calloc((size_t)r * k, sizeof(int)),
	};
	for (int t = 0; t < r; t++)
		trajectory_make(mo, t, levels, (struct rng_run){ seed, 0 });
}

void
morris_fini(struct morris *mo)
{
	sim_free(mo->mo_x);
	sim_free(mo->mo_moved);
	*mo = (struct morris){ 0 };
}

/*
 * Half of the levels can only be left upwards by a jump of half the levels, and
 * the others only downwards: the start says it all.
 */
static void
trajectory_make(
    struct morris *mo, int trajectory, int levels, struct rng_run run)
{
	double *x = (double *)morris_point(mo, trajectory, 0);
	int *order = mo->mo_moved + trajectory * mo->mo_k;
	struct rng r;

	for (int i = 0; i < mo->mo_k; i++) {
		rng_init(&r, run, "morris.start",
		    (uint64_t)trajectory * MAX_FACTORS + (uint64_t)i);
		x[i] = rng_below(&r, (uint32_t)levels) / (levels - 1.0);
		order[i] = i;
	}
	rng_init(&r, run, "morris.order", (uint64_t)trajectory);
	shuffle(order, mo->mo_k, &r);
	for (int s = 0; s < mo->mo_k; s++) {
		double *next = x + mo->mo_k;

		for (int i = 0; i < mo->mo_k; i++)
			next[i] = x[i];
		next[order[s]] +=
		    x[order[s]] < 0.5 ? mo->mo_jump : -mo->mo_jump;
		x = next;
	}
}

static void
shuffle(int *order, int n, struct rng *r)
{
	for (int i = n - 1; i > 0; i--) {
		const int k = (int)rng_below(r, (uint32_t)i + 1);
		const int tmp = order[i];

		order[i] = order[k];
		order[k] = tmp;
	}
}

/* The effect of step s, per whole range. */
static double
effect(const struct morris *mo, const double *y, int t, int s)
{
	const int i = morris_moved(mo, t, s);
	const double rise =
	    y[t * (mo->mo_k + 1) + s + 1] - y[t * (mo->mo_k + 1) + s];
	const bool up =
	    morris_point(mo, t, s + 1)[i] > morris_point(mo, t, s)[i];

	return (up ? rise : -rise) / mo->mo_jump;
}

void
morris_effects(
    const struct morris *mo, const double *y, struct morris_effect *effects)
{
	double *found = sim_calloc(mo->mo_r, sizeof(*found));

	for (int i = 0; i < mo->mo_k; i++) {
		struct morris_effect *me = &effects[i];

		*me = (struct morris_effect){ 0 };
		for (int t = 0; t < mo->mo_r; t++) {
			int s = 0;

			while (morris_moved(mo, t, s) != i)
				s++;
			found[me->me_n] = effect(mo, y, t, s);
			if (!isfinite(found[me->me_n]))
				continue;
			me->me_mu_star += fabs(found[me->me_n]);
			me->me_n++;
		}
		me->me_mu = stat_mean(found, me->me_n);
		me->me_sigma = stat_stdev(found, me->me_n);
		if (me->me_n > 0)
			me->me_mu_star /= me->me_n;
	}
	sim_free(found);
}

bool
elasticity_ends(int64_t value, double share, int64_t min, int64_t max,
    int64_t *low, int64_t *high)
{
	if (min < 1)
		min = 1;
	if (value < min || value > max)
		return false;
	*low = llround((double)value / (1 + share));
	*high = llround((double)value * (1 + share));
	if (*low > value - 1)
		*low = value - 1;
	if (*high < value + 1)
		*high = value + 1;
	if (*low < min)
		*low = min;
	if (*high > max)
		*high = max;
	return *low < *high;
}

struct stat_ci
elasticity(double low_x, double high_x, const double *low_y,
    const double *high_y, int n, double *each)
{
	const double run = log(high_x / low_x);
	bool known = true;

	for (int r = 0; r < n; r++) {
		each[r] = NAN;
		if (low_y[r] > 0 && high_y[r] > 0)
			each[r] = log(high_y[r] / low_y[r]) / run;
		known &= isfinite(each[r]);
	}
	if (!known)
		return (struct stat_ci){ NAN, NAN };
	return stat_t_interval(each, n, LEVEL);
}

bool
elasticity_bends(const double x[3], const double *const y[3], int n)
{
	double *each = sim_calloc((size_t)3 * n, sizeof(*each));
	double *below = each, *above = each + n, *more = each + 2L * n;
	struct stat_ci ci, whole;
	bool bends = false;

	if (x[0] < x[1] && x[1] < x[2]) {
		whole = elasticity(x[0], x[2], y[0], y[2], n, more);
		elasticity(x[0], x[1], y[0], y[1], n, below);
		elasticity(x[1], x[2], y[1], y[2], n, above);
		for (int r = 0; r < n; r++)
			more[r] = above[r] - below[r];
		ci = stat_t_interval(more, n, LEVEL);
		bends =
		    fabs(ci.mean) > ci.half && fabs(ci.mean) > fabs(whole.mean);
	}
	sim_free(each);
	return bends;
}
