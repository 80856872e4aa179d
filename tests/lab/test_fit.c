/*
 * The solver behind `solab fit`, on problems whose answer is known, and the
 * editing of a profile.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/lab/fit.h"

struct known {
	int n;
	double slope[4][4], answer[4], bend, noise;
	int calls, stop_at;
};

/* Noise that is a function of the place, as with one seed. */
static double
wobble(const double *x, int n, int i)
{
	double sum = i;

	for (int k = 0; k < n; k++)
		sum += 1e4 * (k + 1) * x[k];
	return sin(sum * 12.9898);
}

static bool
known_evaluate(void *arg, int m, double (*x)[FIT_MAX], double (*r)[FIT_MAX])
{
	struct known *kn = arg;

	kn->calls += m;
	if (kn->stop_at > 0 && kn->calls >= kn->stop_at)
		return false;
	for (int p = 0; p < m; p++)
		for (int i = 0; i < kn->n; i++) {
			r[p][i] = kn->noise * wobble(x[p], kn->n, i);
			for (int k = 0; k < kn->n; k++) {
				double d = x[p][k] - kn->answer[k];

				r[p][i] +=
				    kn->slope[i][k] * (d + kn->bend * d * d);
			}
		}
	return true;
}

/* The slopes of the listen-queue experiment: next to parallel. */
static struct known
listen_queue(void)
{
	return (struct known){
		.n = 4,
		.slope = {
			{ -0.149, -0.204, -0.106, 0.057 },
			{ -0.108, -0.257, -0.079, 0.065 },
			{ -0.116, -0.179, -0.172, 0.031 },
			{ -0.098, -0.399, -0.371, 0.251 },
		},
		.answer = { log(22000), log(7000), log(6500), log(300e3) },
	};
}

static struct fit_solution
solve(struct known *kn, double enough, int max)
{
	const double start[] = { log(15000), log(8500), log(10000),
		log(460e3) };
	struct fit_problem fp = {
		.fp_n = kn->n,
		.fp_max_evaluations = max,
		.fp_evaluate = known_evaluate,
		.fp_arg = kn,
	};
	struct fit_solution fs = { 0 };

	for (int k = 0; k < kn->n; k++) {
		fp.fp_low[k] = log(1000);
		fp.fp_high[k] = k < 3 ? log(60000) : log(2e6);
		fp.fp_enough[k] = enough;
		fs.fs_x[k] = start[k];
	}
	fit_solve(&fp, &fs);
	return fs;
}

static void
test_straight_lines_take_a_few_steps(void **state)
{
	struct known kn = listen_queue();
	struct fit_solution fs = solve(&kn, 0.001, 40);

	(void)state;
	assert_true(fs.fs_met);
	assert_true(fs.fs_evaluations <= 10);
	assert_int_equal(fs.fs_evaluations, kn.calls);
	assert_true(fabs(fs.fs_slope[0][1] + 0.204) < 1e-6);
}

static void
test_bent_and_noisy_is_met(void **state)
{
	struct known kn = listen_queue();
	struct fit_solution fs;

	(void)state;
	kn.bend = 0.2;
	kn.noise = 0.0005;
	fs = solve(&kn, 0.00125, 40);
	assert_true(fs.fs_met);
	assert_true(fs.fs_evaluations <= 25);
}

static void
test_one_cost(void **state)
{
	struct known kn = { .n = 1,
		.slope = { { -0.5 } },
		.answer = { log(30000) },
		.bend = 0.1 };
	struct fit_solution fs = solve(&kn, 1e-4, 40);

	(void)state;
	assert_true(fs.fs_met);
	assert_true(fabs(fs.fs_x[0] - log(30000)) < 1e-3);
}

static void
test_unreachable_ends_and_stays_in_bounds(void **state)
{
	struct known kn = { .n = 2,
		.slope = { { -0.5, 0 }, { 0, -0.5 } },
		.answer = { log(1e6), log(9000) } };
	struct fit_solution fs = solve(&kn, 1e-3, 40);

	(void)state;
	assert_false(fs.fs_met);
	assert_false(fs.fs_stopped);
	assert_true(fs.fs_x[0] <= log(60000) + 1e-9);
	assert_true(fs.fs_x[0] > log(59000));
	assert_true(fabs(fs.fs_x[1] - log(9000)) < 0.01);
	assert_true(fs.fs_evaluations <= 40);
}

static void
test_giving_up_is_reported(void **state)
{
	struct known kn = listen_queue();
	struct fit_solution fs;

	(void)state;
	kn.stop_at = 6;
	fs = solve(&kn, 1e-3, 40);
	assert_true(fs.fs_stopped);
	assert_int_equal(fs.fs_evaluations, 5);
}

static char dir[] = "/tmp/solab-fit-XXXXXX";
static char path[64];

static void
put(const char *text)
{
	FILE *fp = fopen(path, "w");

	assert_non_null(fp);
	fputs(text, fp);
	assert_int_equal(fclose(fp), 0);
}

static void
want(const char *text)
{
	char buf[4096];
	FILE *fp = fopen(path, "r");
	size_t n;

	assert_non_null(fp);
	n = fread(buf, 1, sizeof(buf) - 1, fp);
	buf[n] = '\0';
	fclose(fp);
	assert_string_equal(buf, text);
}

static const struct fit_value two[] = {
	{ "ngx_request", "15200ns", "solab fit x", "throughput at \"a\"=1",
	    "9us..20us" },
	{ "cache.knee", "1KiB", "solab fit x", "mean at a=2", NULL },
};

static void
test_write_changes_only_the_values(void **state)
{
	(void)state;
	put("# a comment\n"
	    "cache:   # caf\xc3\xa9\n"
	    "  knee: {value: 2KiB, kind: guess, source: \"a } in quotes\"} # "
	    "k\n"
	    "  touch: {value: 1KiB, kind: guess, source: s}\n"
	    "ngx_request: {cost: 1ns,\n"
	    "   kind: guess, source: 'it''s {', cells: [{a: b}]}   # n\n"
	    "ngx_close: {cost: 1ns, kind: guess, source: s}");
	assert_true(fit_write(path, two, 2));
	want("# a comment\n"
	     "cache:   # caf\xc3\xa9\n"
	     "  knee: {value: 1KiB, kind: fitted, source: \"solab fit x\", "
	     "cells: [\"mean at a=2\"]} # k\n"
	     "  touch: {value: 1KiB, kind: guess, source: s}\n"
	     "ngx_request: {cost: 15200ns, range: 9us..20us, kind: fitted, "
	     "source: \"solab fit "
	     "x\", cells: [\"throughput at \\\"a\\\"=1\"]}   # n\n"
	     "ngx_close: {cost: 1ns, kind: guess, source: s}");
}

static void
test_write_in_a_flow_section(void **state)
{
	(void)state;
	put("cache: {knee: {value: 2KiB}, touch: {value: 1B}}\n"
	    "ngx_request: {cost: 1ns}\n");
	assert_true(fit_write(path, two, 2));
	want("cache: {knee: {value: 1KiB, kind: fitted, source: "
	     "\"solab fit x\", cells: [\"mean at a=2\"]}, touch: {value: 1B}}\n"
	     "ngx_request: {cost: 15200ns, range: 9us..20us, kind: fitted, "
	     "source: \"solab fit "
	     "x\", cells: [\"throughput at \\\"a\\\"=1\"]}\n");
}

static void
test_write_refuses_what_it_cannot_edit(void **state)
{
	const char *block = "cache: {knee: {value: 2KiB}}\n"
			    "ngx_request:\n  cost: 1ns\n";

	(void)state;
	put(block);
	assert_false(fit_write(path, two, 2));
	want(block);
	assert_false(fit_write("/nonexistent/x.yaml", two, 2));
}

static int
setup(void **state)
{
	(void)state;
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/x.yaml", dir);
	/* What is said about the refusals is not for the log. */
	return freopen("/dev/null", "w", stderr) != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straight_lines_take_a_few_steps),
		cmocka_unit_test(test_bent_and_noisy_is_met),
		cmocka_unit_test(test_one_cost),
		cmocka_unit_test(test_unreachable_ends_and_stays_in_bounds),
		cmocka_unit_test(test_giving_up_is_reported),
		cmocka_unit_test(test_write_changes_only_the_values),
		cmocka_unit_test(test_write_in_a_flow_section),
		cmocka_unit_test(test_write_refuses_what_it_cannot_edit),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
