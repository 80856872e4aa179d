/*
 * What HdrHistogram's own decoder in Java reads from our logs, against what we
 * read. golden/run.hlog is kept as data, so that it hangs on no model:
 *
 *	latency, cycle	`solab run soavailconn --hlog F --seed 7` with
 *start=smooth, ramp=20ms, warmup=50ms, measure=40ms and 2 x 40 connections,
 *once empty		hist_log_line() of a histogram without a sample one
 *60000000 zeros		750 times 0, 250 times 1000000
 *	over		36 s, 72 s, ... 7200 s: the second half is out of range
 *
 * golden/run.java is what a program of Debian's libhdrhistogram-java 2.1.11
 * printed of it once: for each histogram of HistogramLogReader its tag, its
 * interval in ms, count, mean, deviation, min, max, getValueAtPercentile() and
 * outputPercentileDistribution(System.out, 5, 1e6). It differs from ours:
 *
 *	deviation	divides by n, ours by n - 1
 *	percentiles	round the 12th decimal half up, ours half to even
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/hist.h"

#define HOUR INT64_C(3600000000000)
#define LINE_MAX_LEN 8192

/* One histogram: our log line, decoded, and Java's text behind its tag. */
struct pair {
	struct hist pr_hist;
	double pr_start_s, pr_length_s, pr_max_ms;
	FILE *pr_java;
};

static FILE *
golden_open(const char *name)
{
	const char *root = getenv("SRCDIR");
	char path[4096];
	FILE *fp;

	snprintf(path, sizeof(path), "%s/tests/unit/golden/%s",
	    root != NULL ? root : ".", name);
	fp = fopen(path, "r");
	if (fp == NULL)
		fail_msg("%s: cannot be read", path);
	return fp;
}

/* Read up to the line that begins with `text`; false at the end. */
static bool
line_seek(FILE *fp, const char *text, char *line)
{
	while (fgets(line, LINE_MAX_LEN, fp) != NULL) {
		if (strncmp(line, text, strlen(text)) == 0)
			return true;
	}
	return false;
}

static void
pair_open(struct pair *pr, const char *tag)
{
	char line[LINE_MAX_LEN], text[64];
	FILE *log = golden_open("run.hlog");

	snprintf(text, sizeof(text), "Tag=%s,", tag);
	assert_true(line_seek(log, text, line));
	fclose(log);
	assert_int_equal(sscanf(line + strlen(text), "%lf,%lf,%lf,",
			     &pr->pr_start_s, &pr->pr_length_s, &pr->pr_max_ms),
	    3);
	assert_int_equal(hist_log_read(&pr->pr_hist, line), 0);
	pr->pr_java = golden_open("run.java");
	snprintf(text, sizeof(text), "tag %s\n", tag);
	assert_true(line_seek(pr->pr_java, text, line));
}

static void
pair_close(struct pair *pr)
{
	fclose(pr->pr_java);
	hist_fini(&pr->pr_hist);
}

/* The next line's number; the line must be of that name. */
static double
java_value(struct pair *pr, const char *name)
{
	char line[LINE_MAX_LEN];

	assert_non_null(fgets(line, sizeof(line), pr->pr_java));
	assert_memory_equal(line, name, strlen(name));
	return strtod(line + strlen(name), NULL);
}

static bool
close_to(double got, double want)
{
	return fabs(got - want) <= 1e-9 * fabs(want);
}

/* Java's deviation from ours. */
static double
by_n(const struct hist *h)
{
	const double n = (double)hist_count(h);

	return n > 0 ? hist_stdev(h) * sqrt((n - 1) / n) : 0;
}

static void
check_numbers(const char *tag)
{
	char line[LINE_MAX_LEN];
	double percent, value, from, to;
	int checked = 0;
	struct pair pr;

	pair_open(&pr, tag);
	assert_non_null(fgets(line, sizeof(line), pr.pr_java));
	assert_int_equal(sscanf(line, "interval %lf %lf", &from, &to), 2);
	assert_true(close_to(from, pr.pr_start_s * 1e3));
	assert_true(close_to(to, (pr.pr_start_s + pr.pr_length_s) * 1e3));
	assert_true(hist_count(&pr.pr_hist) == java_value(&pr, "count "));
	assert_true(close_to(hist_mean(&pr.pr_hist), java_value(&pr, "mean ")));
	assert_true(close_to(by_n(&pr.pr_hist), java_value(&pr, "stdev ")));
	assert_true(hist_min(&pr.pr_hist) == java_value(&pr, "min "));
	value = java_value(&pr, "max ");
	assert_true(hist_max(&pr.pr_hist) == value);

	/* The log has the largest sample, its histogram the bucket's end. */
	assert_true(pr.pr_max_ms <= value * 1e-6 + 5e-4);
	assert_true(pr.pr_max_ms >= value * 1e-6 * 0.999);
	while (fgets(line, sizeof(line), pr.pr_java) != NULL &&
	       sscanf(line, "p%lf %lf", &percent, &value) == 2) {
		assert_true(hist_percentile(&pr.pr_hist, percent) == value);
		checked++;
	}
	assert_int_equal(checked, 10);
	pair_close(&pr);
}

/*
 * Whether a line of percentiles is Java's but for one unit in the last decimal
 * of the percentile. %.12f is 14 characters from column 13 on.
 */
static bool
same_but_for_a_tie(const char *got, const char *want)
{
	const size_t from = 13, len = 14;
	char g[16] = "", w[16] = "";

	if (strlen(got) != strlen(want) || strlen(got) < from + len ||
	    memcmp(got, want, from) != 0 ||
	    strcmp(got + from + len, want + from + len) != 0)
		return false;
	memcpy(g, got + from, len);
	memcpy(w, want + from, len);
	return fabs(strtod(g, NULL) - strtod(w, NULL)) < 1.5e-12;
}

/*
 * Our percentile file, line by line. `exact`: of the samples themselves, whose
 * mean and largest value the buckets do not know. Returns: the ties.
 */
static int
check_file(const char *tag, const struct hist *exact)
{
	char got[LINE_MAX_LEN], want[LINE_MAX_LEN];
	FILE *ours = tmpfile();
	double mean, stdev, n;
	int ties = 0, lines = 0;
	struct pair pr;

	assert_non_null(ours);
	pair_open(&pr, tag);
	assert_true(line_seek(pr.pr_java, "percentiles\n", want));
	hist_hgrm(ours, exact != NULL ? exact : &pr.pr_hist, 5, 1e6);
	rewind(ours);
	for (;; lines++) {
		assert_non_null(fgets(want, sizeof(want), pr.pr_java));
		if (strcmp(want, "end\n") == 0)
			break;
		assert_non_null(fgets(got, sizeof(got), ours));
		if (sscanf(want, "#[Mean = %lf, StdDeviation = %lf]", &mean,
			&stdev) == 2) {
			n = (double)hist_count(&pr.pr_hist);
			if (n > 1)
				stdev *= sqrt(n / (n - 1));
			assert_int_equal(
			    sscanf(got, "#[Mean = %lf, StdDeviation = %lf]",
				&mean, &n),
			    2);
			assert_true(fabs(n - stdev) <=
				    1e-3 + (exact != NULL ? 1e-3 * stdev : 0));
			if (exact != NULL)
				continue;
			assert_memory_equal(got, want,
			    strlen("#[Mean    =  "
				   "           ,"));
		} else if (exact != NULL && strncmp(want, "#[Max", 5) == 0) {
			assert_string_equal(
			    strchr(got, ','), strchr(want, ','));
		} else if (strcmp(got, want) != 0) {
			if (!same_but_for_a_tie(got, want))
				fail_msg("%s: got %swant %s", tag, got, want);
			ties++;
		}
	}
	assert_null(fgets(got, sizeof(got), ours));
	assert_true(lines >= 5);
	fclose(ours);
	pair_close(&pr);
	return ties;
}

static void
test_a_run_reads_as_java_reads_it(void **state)
{
	(void)state;
	check_numbers("latency");
	check_numbers("cycle");
	assert_true(check_file("latency", NULL) <= 2);
	assert_true(check_file("cycle", NULL) <= 2);
}

static void
test_ends_of_the_range_read_as_java_reads_them(void **state)
{
	(void)state;
	check_numbers("empty");
	check_numbers("one");
	check_numbers("zeros");
	check_numbers("over");
	assert_int_equal(check_file("empty", NULL), 0);
	assert_int_equal(check_file("one", NULL), 0);
	assert_int_equal(check_file("zeros", NULL), 0);
	assert_true(check_file("over", NULL) <= 2);
}

/* The log line of these samples is the golden one, and so is their file. */
static void
check_samples(const char *tag, const struct hist *h)
{
	struct pair pr;

	pair_open(&pr, tag);
	assert_int_equal(pr.pr_hist.h_total, h->h_total);
	assert_memory_equal(pr.pr_hist.h_counts, h->h_counts,
	    (size_t)h->h_counts_len * sizeof(*h->h_counts));
	assert_true(fabs(pr.pr_max_ms - (double)hist_max(h) * 1e-6) < 5.1e-4);
	pair_close(&pr);
	assert_true(check_file(tag, h) <= 2);
}

static void
test_samples_come_out_of_the_log(void **state)
{
	struct hist h;

	(void)state;
	hist_init(&h, 1, HOUR, 3);
	check_samples("empty", &h);
	hist_record(&h, 60000000);
	check_samples("one", &h);
	hist_reset(&h);
	for (int i = 0; i < 1000; i++)
		hist_record(&h, i % 4 == 0 ? 1000000 : 0);
	check_samples("zeros", &h);
	hist_reset(&h);
	for (int64_t i = 1; i <= 200; i++)
		hist_record(&h, i * (HOUR / 100));
	assert_int_equal(h.h_over, 100);
	check_samples("over", &h);
	hist_fini(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_run_reads_as_java_reads_it),
		cmocka_unit_test(
		    test_ends_of_the_range_read_as_java_reads_them),
		cmocka_unit_test(test_samples_come_out_of_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
