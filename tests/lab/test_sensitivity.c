/* Sensitivity of made-up systems whose elasticities are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/rng.h"
#include "sim/lab/sensitivity.h"

#define N 4

/*
 * throughput = 1000 x0^-0.5 x1^-0.25, latency_mean = 7 x1^2; with the other
 * setting x0 counts more. x2 is not used, x3 is 0. Each replication has a
 * factor of its own, which all points share.
 */
struct fake {
	double noise;	 /* of a run's own, relative */
	double fails_at; /* this x1 makes a run fail */
	int runs, calls;
};

static const double base[N] = { 1000, 200, 50, 0 };

static void
run(const struct fake *fa, const struct sensitivity_want *sw, int rep,
    double *y)
{
	double x[N], own = 0;
	struct rng r;

	for (int i = 0; i < N; i++)
		x[i] = isnan(sw->sw_values[i]) ? base[i] : sw->sw_values[i];
	rng_init(&r, (struct rng_run){ 1, (uint32_t)rep }, "own",
	    (uint64_t)(x[0] * 1e6 + x[1]));
	if (fa->noise > 0)
		own = fa->noise * (rng_uniform(&r) - 0.5);
	for (int m = 0; m < METRIC_N; m++)
		y[m] = 1;
	y[METRIC_THROUGHPUT] = (1000 + rep) * pow(x[1], -0.25) *
			       pow(x[0], sw->sw_other ? -0.75 : -0.5) *
			       (1 + own);
	y[METRIC_LATENCY_MEAN] = 7 * x[1] * x[1];
	if (x[1] == fa->fails_at) {
		for (int m = 0; m < METRIC_N; m++)
			y[m] = NAN;
	}
}

static bool
evaluate(void *arg, struct sensitivity_want *sw, int n)
{
	struct fake *fa = arg;

	for (int i = 0; i < n; i++) {
		for (int r = sw[i].sw_from; r < sw[i].sw_to; r++) {
			run(fa, &sw[i], r, sw[i].sw_y[r - sw[i].sw_from]);
			fa->runs++;
		}
	}
	return ++fa->calls < 100;
}

struct rig {
	struct fake fake;
	struct hardware_entry entry;
	struct factor list[N];
	struct factors factors;
	struct sensitivity_problem sp;
	struct sensitivity sy;
};

/* x0 and x1 are costs, x2 and x3 are parameters. */
static void
rig_init(struct rig *rg)
{
	*rg = (struct rig){ 0 };
	for (int i = 0; i < N; i++) {
		struct factor *fa = &rg->list[i];

		fa->fa_key = key_find("machines.*.hardware.token");
		fa->fa_name = "x";
		fa->fa_entry = i < 2 ? &rg->entry : NULL;
		fa->fa_base = base[i];
		fa->fa_low = base[i] / 2;
		fa->fa_high = base[i] * 2;
		fa->fa_log = base[i] > 0;
		fa->fa_moves = base[i] > 0;
		fa->fa_down = rint(base[i] * 0.9);
		fa->fa_up = rint(base[i] * 1.1);
	}
	rg->factors.fs_list = rg->list;
	rg->factors.fs_n = N;
	rg->sp = (struct sensitivity_problem){
		.sp_factors = &rg->factors,
		.sp_metrics = { METRIC_THROUGHPUT, METRIC_LATENCY_MEAN },
		.sp_nmetrics = 2,
		.sp_reps = 3,
		.sp_seed = 1,
		.sp_evaluate = evaluate,
		.sp_arg = &rg->fake,
	};
}

static void
near(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.12g, want %.12g +- %.3g", got, want, within);
}

static void
test_elasticities_are_the_exponents(void **state)
{
	struct rig rg;
	const struct sensitivity_effect *sf;

	(void)state;
	rig_init(&rg);
	sensitivity_solve(&rg.sp, &rg.sy);
	sf = rg.sy.sy_effects;
	assert_false(rg.sy.sy_stopped);
	assert_false(rg.sy.sy_failed);
	near(sf[0].sf_elasticity[0].mean, -0.5, 1e-12);
	near(sf[0].sf_elasticity[0].half, 0, 1e-12);
	near(sf[1].sf_elasticity[0].mean, -0.25, 1e-12);
	near(sf[1].sf_elasticity[1].mean, 2, 1e-12);
	near(sf[0].sf_elasticity[1].mean, 0, 1e-12);
	near(rg.sy.sy_sum[0].mean, -0.75, 1e-12);
	near(rg.sy.sy_sum[1].mean, 2, 1e-12);
	near(rg.sy.sy_base[1].mean, 280000, 1e-6);
	near(rg.sy.sy_base[0].mean, 1001 * pow(1000, -0.5) * pow(200, -0.25),
	    1e-9);
	/* The sum of a rank's metrics is not what counts: the largest is. */
	near(sensitivity_rank(&rg.sp, &sf[1]), 2, 1e-12);
	assert_true(sensitivity_proven(&rg.sp, &sf[0]));
	sensitivity_fini(&rg.sy);
}

/* One run tells it; exactly 0, and no more runs. */
static void
test_what_is_not_used_costs_one_run(void **state)
{
	struct rig rg;
	const struct sensitivity_effect *sf;

	(void)state;
	rig_init(&rg);
	sensitivity_solve(&rg.sp, &rg.sy);
	sf = rg.sy.sy_effects;
	assert_true(sf[0].sf_used && sf[1].sf_used);
	assert_false(sf[2].sf_used);
	assert_true(sf[2].sf_elasticity[0].mean == 0);
	assert_true(sf[2].sf_elasticity[0].half == 0);
	assert_false(sensitivity_proven(&rg.sp, &sf[2]));
	/* x3 cannot move: not known. */
	assert_true(isnan(sf[3].sf_elasticity[0].mean));
	assert_true(sensitivity_rank(&rg.sp, &sf[3]) == 0);
	/* 3 of the base, 1 up each of 3; 2 up and 3 down each of 2. */
	assert_int_equal(rg.sy.sy_runs, 16);
	assert_int_equal(rg.fake.runs, 16);
	sensitivity_fini(&rg.sy);
}

static void
test_ratios_have_the_difference(void **state)
{
	struct rig rg;

	(void)state;
	rig_init(&rg);
	rg.sp.sp_ratio = true;
	sensitivity_solve(&rg.sp, &rg.sy);
	near(rg.sy.sy_effects[0].sf_elasticity[0].mean, -0.25, 1e-12);
	near(rg.sy.sy_effects[1].sf_elasticity[0].mean, 0, 1e-12);
	near(rg.sy.sy_base[0].mean, pow(1000, -0.25), 1e-12);
	near(rg.sy.sy_base[0].half, 0, 1e-12);
	assert_int_equal(rg.sy.sy_runs, 32);
	sensitivity_fini(&rg.sy);
}

static void
test_noise_has_an_interval(void **state)
{
	struct rig rg;
	const struct stat_ci *ci;

	(void)state;
	rig_init(&rg);
	rg.fake.noise = 0.02;
	rg.sp.sp_reps = 20;
	sensitivity_solve(&rg.sp, &rg.sy);
	ci = &rg.sy.sy_effects[0].sf_elasticity[0];
	/* 0.02 / sqrt(12) * sqrt(2) / ln(1.1 / 0.9), over sqrt(20), t(19). */
	near(ci->half, 2.093 * 0.0407 / sqrt(20), 0.006);
	near(ci->mean, -0.5, 1.5 * ci->half);
	sensitivity_fini(&rg.sy);
}

/* Over 1/2..2, so per ln 4 of the factor; x2 and x3 are not in the design. */
static void
test_morris_is_of_logarithms(void **state)
{
	struct rig rg;
	const struct sensitivity_effect *sf;

	(void)state;
	rig_init(&rg);
	rg.sp.sp_trajectories = 5;
	sensitivity_solve(&rg.sp, &rg.sy);
	sf = rg.sy.sy_effects;
	/* Costs are whole nanoseconds. */
	near(sf[0].sf_morris[0].me_mu, -0.5 * log(4), 0.002);
	near(sf[1].sf_morris[0].me_mu, -0.25 * log(4), 0.002);
	near(sf[1].sf_morris[1].me_mu_star, 2 * log(4), 0.02);
	near(sf[0].sf_morris[0].me_sigma, 0, 0.002);
	assert_int_equal(sf[0].sf_morris[0].me_n, 5);
	assert_int_equal(sf[2].sf_morris[0].me_n, 0);
	assert_int_equal(sf[3].sf_morris[0].me_n, 0);
	assert_int_equal(rg.sy.sy_runs, 16 + 5 * 3);
	sensitivity_fini(&rg.sy);
}

static void
test_failed_runs_are_said(void **state)
{
	struct rig rg;
	const struct sensitivity_effect *sf;

	(void)state;
	rig_init(&rg);
	rg.fake.fails_at = 180;
	sensitivity_solve(&rg.sp, &rg.sy);
	sf = rg.sy.sy_effects;
	assert_true(rg.sy.sy_failed);
	assert_false(rg.sy.sy_stopped);
	assert_true(isnan(sf[1].sf_elasticity[0].mean));
	near(sf[0].sf_elasticity[0].mean, -0.5, 1e-12);
	sensitivity_fini(&rg.sy);
	/* The base itself: there is nothing to compare with. */
	rig_init(&rg);
	rg.fake.fails_at = 200;
	sensitivity_solve(&rg.sp, &rg.sy);
	assert_true(rg.sy.sy_failed);
	assert_true(rg.sy.sy_stopped);
	sensitivity_fini(&rg.sy);
}

/* The first run up fails: that is not "not used". */
static void
test_failure_is_not_taken_for_unused(void **state)
{
	struct rig rg;

	(void)state;
	rig_init(&rg);
	rg.fake.fails_at = 220;
	sensitivity_solve(&rg.sp, &rg.sy);
	assert_true(rg.sy.sy_effects[1].sf_used);
	assert_true(isnan(rg.sy.sy_effects[1].sf_elasticity[0].mean));
	sensitivity_fini(&rg.sy);
}

static void
test_giving_up_stops_at_once(void **state)
{
	struct rig rg;

	(void)state;
	rig_init(&rg);
	rg.fake.calls = 100;
	sensitivity_solve(&rg.sp, &rg.sy);
	assert_true(rg.sy.sy_stopped);
	assert_int_equal(rg.fake.calls, 101);
	sensitivity_fini(&rg.sy);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elasticities_are_the_exponents),
		cmocka_unit_test(test_what_is_not_used_costs_one_run),
		cmocka_unit_test(test_ratios_have_the_difference),
		cmocka_unit_test(test_noise_has_an_interval),
		cmocka_unit_test(test_morris_is_of_logarithms),
		cmocka_unit_test(test_failed_runs_are_said),
		cmocka_unit_test(test_failure_is_not_taken_for_unused),
		cmocka_unit_test(test_giving_up_stops_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
