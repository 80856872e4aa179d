/*
 * Two points side by side, from records that are made up here.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/rng.h"
#include "sim/lab/compare.h"

#define REPS 5
#define NMETRICS 6

static const char *const names[NMETRICS] = { "throughput_rps",
	"latency_mean_ns", "latency_p50_ns", "latency_p90_ns", "latency_p99_ns",
	"requests" };

/* A point with replications of one seed. */
struct made {
	struct record md_records[REPS], *md_list[REPS];
	struct record_metric md_metrics[REPS][NMETRICS];
	struct record_stage md_stages[REPS][3];
	struct record_hist md_hist[REPS];
};

/*
 * 1,000 responses a second of 10 ms; p50 8 ms, p90 20 ms, p99 40 ms. Noise of
 * replications that is shared (0.5 %), and some that is not (0.01 %).
 */
static void
make(struct made *md, uint64_t name)
{
	static const double values[NMETRICS] = { 1000, 10e6, 8e6, 20e6, 40e6,
		10000 };

	memset(md, 0, sizeof(*md));
	for (uint32_t r = 0; r < REPS; r++) {
		const struct rng_run run = { 1, r };
		struct record *rd = &md->md_records[r];
		struct rng own, shared;

		rng_init(&shared, run, "shared", 0);
		rng_init(&own, run, "own", name);
		for (int m = 0; m < NMETRICS; m++) {
			const double noise =
			    0.01 * (rng_uniform(&shared) - 0.5) +
			    0.0002 * (rng_uniform(&own) - 0.5);

			md->md_metrics[r][m] = (struct record_metric){ names[m],
				values[m] * (1 + noise) };
		}
		/* The same question as the throughput. */
		md->md_metrics[r][5].rm_value =
		    10 * md->md_metrics[r][0].rm_value;
		md->md_stages[r][0] =
		    (struct record_stage){ "service", false, 0, 0 };
		md->md_stages[r][1] = (struct record_stage){ "service", true,
			50e3 * (1 + 0.01 * rng_uniform(&own)), 0 };
		md->md_stages[r][2] =
		    (struct record_stage){ "client", true, 7e6, 0 };
		md->md_hist[r] = (struct record_hist){ .rh_name = "latency",
			.rh_samples = 10000 };
		rd->rd_seed = 1;
		rd->rd_rep = r;
		rd->rd_metrics = md->md_metrics[r];
		rd->rd_nmetrics = NMETRICS;
		rd->rd_stages = md->md_stages[r];
		rd->rd_nstages = 3;
		rd->rd_hists = &md->md_hist[r];
		rd->rd_nhists = 1;
		md->md_list[r] = rd;
	}
}

/* Multiply a metric of all replications. */
static void
scale(struct made *md, int metric, double by)
{
	for (int r = 0; r < REPS; r++)
		md->md_metrics[r][metric].rm_value *= by;
}

static void
compare(struct comparison *cm, struct made *a, struct made *b)
{
	compare_init(cm, a->md_list, REPS, b->md_list, REPS);
}

static enum compare_verdict
metric(const struct comparison *cm, const char *name)
{
	const struct compare_row *cr =
	    compare_row(cm, COMPARE_METRIC, name, false);

	assert_non_null(cr);
	return cr->cr_verdict;
}

static void
test_differences_are_told_from_noise(void **state)
{
	struct made a, b;
	struct comparison cm;
	const struct compare_row *cr;

	(void)state;
	make(&a, 0);
	make(&b, 1);
	scale(&b, 0, 1.01);
	scale(&b, 5, 1.01);
	compare(&cm, &a, &b);
	assert_int_equal(cm.cm_pairs, REPS);
	assert_int_equal(cm.cm_n, NMETRICS + 3 + 3);
	assert_int_equal(metric(&cm, "throughput_rps"), COMPARE_DIFFERENT);
	assert_int_equal(metric(&cm, "requests"), COMPARE_DIFFERENT);
	for (int m = 1; m < 5; m++)
		assert_int_equal(metric(&cm, names[m]), COMPARE_NOT_PROVEN);
	cr = compare_row(&cm, COMPARE_METRIC, "throughput_rps", false);
	assert_true(fabs(cr->cr_pairs.sp_ratio - 1.01) < 0.0005);
	/* What they share falls out. */
	assert_true(cr->cr_pairs.sp_corr > 0.99);
	assert_true(cr->cr_pairs.sp_unpaired > 10 * cr->cr_pairs.sp_diff.half);
	/* 5 metrics, 1 stage, 3 shapes; requests are no further question. */
	assert_int_equal(cm.cm_judged, 9);
	assert_true(fabs(cr->cr_holm - 9 * cr->cr_pairs.sp_p) < 1e-12);
	assert_int_equal(cm.cm_shape, COMPARE_SHAPE_ALIKE);
	compare_fini(&cm);
}

static void
test_what_does_not_vary_is_identical_or_constant(void **state)
{
	struct made a, b;
	struct comparison cm;

	(void)state;
	make(&a, 0);
	make(&b, 0);
	for (int r = 0; r < REPS; r++)
		b.md_stages[r][2].re_mean_ns = 8e6;
	compare(&cm, &a, &b);
	for (int m = 0; m < NMETRICS; m++)
		assert_int_equal(metric(&cm, names[m]), COMPARE_IDENTICAL);
	assert_int_equal(
	    compare_row(&cm, COMPARE_STAGE, "client", true)->cr_verdict,
	    COMPARE_CONSTANT);
	assert_null(compare_row(&cm, COMPARE_STAGE, "client", false));
	assert_int_equal(cm.cm_judged, 0);
	compare_fini(&cm);
}

static void
test_pairs_are_of_one_seed_and_replication(void **state)
{
	struct made a, b;
	struct comparison cm;

	(void)state;
	make(&a, 0);
	make(&b, 1);
	/* B has 7, 1, 2, 3 and 4 of another seed. */
	b.md_records[0].rd_rep = 7;
	b.md_records[4].rd_seed = 2;
	compare(&cm, &a, &b);
	assert_int_equal(cm.cm_pairs, 3);
	assert_true(cm.cm_n > 0);
	compare_fini(&cm);
	b.md_records[3].rd_seed = 2;
	compare(&cm, &a, &b);
	assert_int_equal(cm.cm_pairs, 2);
	assert_int_equal(cm.cm_n, 0);
	compare_fini(&cm);
	compare_init(&cm, a.md_list, 0, b.md_list, REPS);
	assert_int_equal(cm.cm_pairs, 0);
	compare_fini(&cm);
}

static void
test_shape_changes_though_the_mean_does_not(void **state)
{
	struct made a, b;
	struct comparison cm;

	(void)state;
	make(&a, 0);
	make(&b, 1);
	scale(&b, 2, 0.98);
	scale(&b, 4, 1.05);
	compare(&cm, &a, &b);
	assert_int_equal(metric(&cm, "latency_mean_ns"), COMPARE_NOT_PROVEN);
	assert_int_equal(metric(&cm, "latency_p99_ns"), COMPARE_DIFFERENT);
	assert_int_equal(cm.cm_shape, COMPARE_SHAPE_CHANGED);
	compare_fini(&cm);
}

static void
test_shape_moves_or_changes_with_the_mean(void **state)
{
	struct made a, b;
	struct comparison cm;

	(void)state;
	make(&a, 0);
	make(&b, 1);
	for (int m = 1; m < 5; m++)
		scale(&b, m, 1.5);
	compare(&cm, &a, &b);
	assert_int_equal(cm.cm_shape, COMPARE_SHAPE_MOVED);
	compare_fini(&cm);
	/* All go up, but the slowest by less. */
	scale(&b, 4, 1.2 / 1.5);
	compare(&cm, &a, &b);
	assert_int_equal(metric(&cm, "latency_p99_ns"), COMPARE_DIFFERENT);
	assert_int_equal(
	    compare_row(&cm, COMPARE_SHAPE, "latency_p99_ns", false)
		->cr_verdict,
	    COMPARE_DIFFERENT);
	assert_int_equal(cm.cm_shape, COMPARE_SHAPE_CHANGED);
	compare_fini(&cm);
}

static void
test_missing_and_few(void **state)
{
	struct made a, b;
	struct comparison cm;

	(void)state;
	make(&a, 0);
	make(&b, 1);
	b.md_metrics[2][0].rm_value = NAN;
	b.md_metrics[3][1].rm_name = "another";
	b.md_hist[1].rh_samples = 9999;
	compare(&cm, &a, &b);
	assert_int_equal(metric(&cm, "throughput_rps"), COMPARE_MISSING);
	assert_int_equal(metric(&cm, "latency_mean_ns"), COMPARE_MISSING);
	assert_int_equal(
	    compare_row(&cm, COMPARE_SHAPE, "latency_p50_ns", false)
		->cr_verdict,
	    COMPARE_MISSING);
	assert_true(compare_row(&cm, COMPARE_METRIC, "latency_p90_ns", false)
			->cr_wants == 0);
	assert_true(compare_row(&cm, COMPARE_METRIC, "latency_p99_ns", false)
			->cr_wants == 10000);
	compare_fini(&cm);
}

static bool
says(const char *text, const char *line)
{
	if (strstr(text, line) != NULL)
		return true;
	fprintf(stderr, "no '%s' in:\n%s", line, text);
	return false;
}

static void
test_text_has_the_words(void **state)
{
	struct made a, b;
	struct comparison cm;
	size_t size;
	char *text;
	FILE *fp;

	(void)state;
	make(&a, 0);
	make(&b, 1);
	scale(&b, 0, 1.01);
	scale(&b, 4, 1.05);
	for (int r = 0; r < REPS; r++) {
		b.md_hist[r].rh_samples = 9000;
		b.md_stages[r][2].re_mean_ns = 8e6;
	}
	compare(&cm, &a, &b);
	fp = open_memstream(&text, &size);
	compare_text(fp, &cm);
	fclose(fp);
	assert_true(
	    says(text, "\nDifference at 95.0% confidence\n  throughput, /s "));
	assert_true(says(text,
	    "\nNo difference proven at 95.0% confidence\n  latency_mean, ms "));
	assert_true(says(text, "\n  latency_p99, ms* "));
	assert_true(says(text, "\n  p99 / mean* "));
	assert_true(says(text,
	    "\nConstant difference: the same in all replications\n  client on, "
	    "ms                  7.000      8.000  +1.000 +- 0.000       1.143 "
	    "(1.143..1.143)\n"));
	assert_true(
	    says(text, "\nShape of the latency: changed: p99 +5.0 %, mean "));
	assert_true(says(text, "(not proven)\n"));
	assert_true(says(text,
	    "\n* too few samples: of 10000 that it wants, a replication has "
	    "less.\n"));
	/* A stage that is not there has no line. */
	assert_null(strstr(text, "service off"));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_in_range(strlen(line), 1, 100);
	free(text);
	compare_fini(&cm);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_differences_are_told_from_noise),
		cmocka_unit_test(
		    test_what_does_not_vary_is_identical_or_constant),
		cmocka_unit_test(test_pairs_are_of_one_seed_and_replication),
		cmocka_unit_test(test_shape_changes_though_the_mean_does_not),
		cmocka_unit_test(test_shape_moves_or_changes_with_the_mean),
		cmocka_unit_test(test_missing_and_few),
		cmocka_unit_test(test_text_has_the_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
