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
#define SAMPLES 20000

static uint32_t lcg_state;

static uint32_t
lcg(void)
{
	lcg_state = lcg_state * 1664525 + 1013904223;
	return lcg_state;
}

/* From nanoseconds to an hour, every magnitude alike. */
static void
fill_wide(struct hist *h, int64_t *x, int n)
{
	for (int i = 0; i < n; i++) {
		const uint64_t bits = (uint64_t)lcg() << 32 | lcg();

		x[i] = (int64_t)(bits >> (22 + lcg() % 42));
		if (x[i] > HOUR)
			x[i] = HOUR;
		assert_true(hist_record(h, x[i]));
	}
}

static int
compare_i64(const void *va, const void *vb)
{
	const int64_t a = *(const int64_t *)va, b = *(const int64_t *)vb;

	return (a > b) - (a < b);
}

static void
check_same(const struct hist *a, const struct hist *b)
{
	assert_int_equal(a->h_counts_len, b->h_counts_len);
	assert_memory_equal(a->h_counts, b->h_counts,
	    (size_t)a->h_counts_len * sizeof(*a->h_counts));
	assert_int_equal(a->h_total, b->h_total);
}

static void
test_geometry_is_hdrhistograms(void **state)
{
	struct hist h;

	(void)state;
	hist_init(&h, 1, HOUR, 3);
	assert_int_equal(h.h_sub_bucket_count, 2048);
	assert_int_equal(h.h_bucket_count, 32);
	assert_int_equal(h.h_counts_len, 33792);
	hist_fini(&h);
	hist_init(&h, 1000, HOUR, 2);
	assert_int_equal(h.h_unit_magnitude, 9);
	assert_int_equal(h.h_sub_bucket_count, 256);
	hist_fini(&h);
	hist_init(&h, 1, INT64_MAX, 5);
	assert_true(hist_record(&h, INT64_MAX));
	assert_int_equal(hist_percentile(&h, 100), INT64_MAX);
	hist_fini(&h);

	assert_false(hist_geometry_ok(0, 100, 3));
	assert_false(hist_geometry_ok(1, 1, 3));
	assert_false(hist_geometry_ok(1, 100, 0));
	assert_false(hist_geometry_ok(1, 100, 6));
	assert_false(hist_geometry_ok(INT64_C(1) << 61, INT64_MAX, 3));
	assert_false(hist_geometry_ok(-1, -2, 3));
}

/* The ranges of the indices cover 0..highest without gap or overlap. */
static void
check_indices(int64_t lowest, int digits)
{
	struct hist h;
	int64_t next = 0;

	hist_init(&h, lowest, HOUR, digits);
	for (int i = 0; i < h.h_counts_len; i++) {
		const int64_t low = hist_index_lowest(&h, i);
		const int64_t high = hist_index_highest(&h, i);

		assert_int_equal(low, next);
		assert_int_equal(hist_index(&h, low), i);
		assert_int_equal(hist_index(&h, high), i);
		if (low >= lowest)
			assert_true((double)(high - low) <=
				    fmax((double)low * pow(10, -digits),
					(double)lowest));
		next = high + 1;
	}
	assert_true(next > HOUR);
	hist_fini(&h);
}

static void
test_indices_partition_the_values(void **state)
{
	(void)state;
	check_indices(1, 1);
	check_indices(1, 3);
	check_indices(1, 4);
	check_indices(1000, 2);
	check_indices(1024, 3);
}

static void
test_percentiles_against_sorted_samples(void **state)
{
	int64_t *x = calloc(SAMPLES, sizeof(*x));
	struct hist h;

	(void)state;
	assert_non_null(x);
	lcg_state = 1;
	hist_init(&h, 1, HOUR, 3);
	fill_wide(&h, x, SAMPLES);
	qsort(x, SAMPLES, sizeof(*x), compare_i64);
	for (int i = 1; i <= SAMPLES; i++) {
		const double p = 100.0 * i / SAMPLES;
		const int64_t exact = x[i - 1];
		const int64_t got = hist_percentile(&h, p);

		/* Highest equivalent value: not below, 0.1 % above at most. */
		assert_true(got >= exact);
		assert_true(got - exact <= exact / 1000);
	}
	assert_int_equal(hist_percentile(&h, 0), x[0]);
	assert_int_equal(hist_percentile(&h, 100), x[SAMPLES - 1]);
	assert_int_equal(hist_min(&h), x[0]);
	assert_int_equal(hist_max(&h), x[SAMPLES - 1]);
	assert_int_equal(hist_count(&h), SAMPLES);
	hist_fini(&h);
	free(x);
}

static void
test_percentile_of_few_samples(void **state)
{
	struct hist h;

	(void)state;
	hist_init(&h, 1, HOUR, 3);
	for (int i = 1; i <= 10; i++)
		hist_record(&h, i);
	/* 30 and 70 % of 10 are whole numbers but for rounding. */
	assert_int_equal(hist_percentile(&h, 30), 3);
	assert_int_equal(hist_percentile(&h, 70), 7);
	assert_int_equal(hist_percentile(&h, 70.01), 8);
	assert_int_equal(hist_percentile(&h, 99), 10);
	hist_fini(&h);
}

static void
test_empty_is_all_zero(void **state)
{
	struct hist h;

	(void)state;
	hist_init(&h, 1, HOUR, 3);
	hist_record(&h, 5);
	hist_reset(&h);
	assert_int_equal(hist_count(&h), 0);
	assert_int_equal(hist_min(&h), 0);
	assert_int_equal(hist_max(&h), 0);
	assert_int_equal(hist_percentile(&h, 50), 0);
	assert_true(hist_mean(&h) == 0 && hist_stdev(&h) == 0);
	hist_fini(&h);
}

static void
test_over_range_is_counted_not_recorded(void **state)
{
	struct hist h, other;

	(void)state;
	hist_init(&h, 1, 1000000, 3);
	hist_init(&other, 1, 1000000, 3);
	assert_true(hist_record(&h, 1000000));
	assert_false(hist_record(&h, 1000001));
	assert_false(hist_record(&h, INT64_MAX));
	assert_int_equal(hist_count(&h), 1);
	assert_int_equal(h.h_over, 2);
	assert_int_equal(hist_max(&h), 1000000);
	assert_true(hist_mean(&h) == 1000000);
	hist_merge(&other, &h);
	assert_int_equal(other.h_over, 2);
	hist_fini(&h);
	hist_fini(&other);
}

static void
test_merge_equals_recording_into_one(void **state)
{
	int64_t *x = calloc(SAMPLES, sizeof(*x));
	struct hist all, part[3];

	(void)state;
	assert_non_null(x);
	lcg_state = 2;
	hist_init(&all, 1, HOUR, 3);
	for (int i = 0; i < 3; i++)
		hist_init(&part[i], 1, HOUR, 3);
	fill_wide(&all, x, SAMPLES);
	for (int i = 0; i < SAMPLES; i++)
		hist_record(&part[i % 3], x[i]);
	hist_merge(&part[2], &part[0]);
	hist_merge(&part[2], &part[1]);
	check_same(&part[2], &all);
	assert_true(part[2].h_sum == all.h_sum);
	assert_true(part[2].h_sumsq == all.h_sumsq);
	assert_int_equal(hist_min(&part[2]), hist_min(&all));
	assert_int_equal(hist_max(&part[2]), hist_max(&all));
	for (int i = 0; i < 3; i++)
		hist_fini(&part[i]);
	hist_fini(&all);
	free(x);
}

/* Offsets that share a bucket, and whose squares leave a double no digits. */
static void
test_mean_and_stdev_come_from_exact_sums(void **state)
{
	const int64_t offsets[] = { 0, HOUR / 2, HOUR - 16 };
	struct hist h;

	(void)state;
	hist_init(&h, 1, HOUR, 3);
	for (int i = 0; i < 3; i++) {
		const double at = (double)offsets[i];

		hist_reset(&h);
		hist_record(&h, offsets[i] + 16);
		assert_true(hist_stdev(&h) == 0);
		hist_record(&h, offsets[i] + 4);
		hist_record(&h, offsets[i] + 7);
		hist_record(&h, offsets[i] + 13);
		assert_true(fabs(hist_mean(&h) - at - 10) < 1e-3);
		assert_true(fabs(hist_stdev(&h) - sqrt(30)) < 1e-12);
	}
	hist_reset(&h);
	for (int i = 0; i < 100000; i++)
		hist_record(&h, HOUR / 2);
	assert_true(hist_stdev(&h) == 0);
	hist_fini(&h);
}

static void
check_round_trip(const struct hist *h)
{
	struct hist back;
	uint8_t *bytes;
	const size_t len = hist_encode_compressed(h, &bytes);

	assert_int_equal(hist_decode_compressed(&back, bytes, len), 0);
	check_same(&back, h);
	assert_int_equal(back.h_lowest, h->h_lowest);
	assert_int_equal(back.h_highest, h->h_highest);
	assert_int_equal(back.h_digits, h->h_digits);
	assert_int_equal(
	    hist_min(&back), hist_index_lowest(h, hist_index(h, hist_min(h))));
	assert_int_equal(hist_max(&back),
	    h->h_total == 0
		? 0
		: hist_index_highest(h, hist_index(h, hist_max(h))));
	assert_true(
	    fabs(hist_mean(&back) - hist_mean(h)) <= hist_mean(h) / 1000);
	hist_fini(&back);
	for (size_t cut = 0; cut < len; cut += 1 + cut / 8)
		assert_int_equal(hist_decode_compressed(&back, bytes, cut), -1);
	free(bytes);
}

static void
test_encode_and_decode_round_trip(void **state)
{
	static int64_t x[SAMPLES];
	struct hist h;

	(void)state;
	lcg_state = 3;
	hist_init(&h, 1, HOUR, 3);
	check_round_trip(&h);
	hist_record(&h, 0);
	check_round_trip(&h);
	hist_record(&h, HOUR);
	check_round_trip(&h);
	fill_wide(&h, x, SAMPLES);
	check_round_trip(&h);
	/* Counters of every length that LEB128 words have, up to 2^60. */
	hist_reset(&h);
	for (int64_t i = 0; i < 61; i++) {
		h.h_counts[i * 30] = INT64_C(1) << i;
		h.h_total += INT64_C(1) << i;
		h.h_sum += (__int128)(i * 30) << i;
	}
	h.h_max = 1800;
	h.h_min = 0;
	check_round_trip(&h);
	hist_fini(&h);
	hist_init(&h, 1000, HOUR, 5);
	fill_wide(&h, x, 1000);
	check_round_trip(&h);
	hist_fini(&h);
}

/* Any damage is refused or decoded, never a crash; sanitizers watch. */
static void
test_damaged_bytes_do_no_harm(void **state)
{
	static int64_t x[200];
	struct hist h, back;
	uint8_t *bytes, *copy;
	size_t len;

	(void)state;
	lcg_state = 4;
	hist_init(&h, 1, HOUR, 2);
	fill_wide(&h, x, 200);
	len = hist_encode_compressed(&h, &bytes);
	copy = malloc(len);
	assert_non_null(copy);
	for (int i = 0; i < 5000; i++) {
		memcpy(copy, bytes, len);
		copy[lcg() % len] ^= (uint8_t)(1 + lcg() % 255);
		if (hist_decode_compressed(&back, copy, len) == 0)
			hist_fini(&back);
	}
	free(copy);
	free(bytes);
	hist_fini(&h);
	assert_int_equal(hist_log_read(&back, ""), -1);
	assert_int_equal(hist_log_read(&back, "0,1,2,"), -1);
	assert_int_equal(hist_log_read(&back, "0,1,2,AAAA*"), -1);
}

/* The samples of golden/hist.*, which hdr-histogram-js 3.0.1 wrote. */
static void
golden_samples(struct hist *h)
{
	hist_init(h, 1, HOUR, 3);
	lcg_state = 2017;
	for (int i = 0; i < 5000; i++) {
		const uint32_t x = lcg();
		int64_t value = x % 1000003;

		if (x >> 24 < 3)
			value += (x >> 8 & 15) * INT64_C(3000000000);
		hist_record(h, value);
	}
}

static char *
golden_text(const char *name)
{
	const char *root = getenv("SRCDIR");
	char path[4096], *text = calloc(1, 1 << 16);
	FILE *f;

	assert_non_null(text);
	snprintf(path, sizeof(path), "%s/tests/unit/golden/%s",
	    root != NULL ? root : ".", name);
	f = fopen(path, "r");
	if (f == NULL)
		fail_msg("%s: cannot be read", path);
	assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
	fclose(f);
	return text;
}

static void
test_golden_log_line_decodes_to_the_same(void **state)
{
	char *line = golden_text("hist.hlog");
	struct hist h, golden;

	(void)state;
	golden_samples(&h);
	assert_int_equal(hist_log_read(&golden, line), 0);
	assert_int_equal(golden.h_highest, HOUR);
	assert_int_equal(golden.h_digits, 3);
	check_same(&golden, &h);
	hist_fini(&golden);
	hist_fini(&h);
	free(line);
}

/*
 * Up to the base64 of the cookie; their body has a 1 for offset and for ratio,
 * which are 0 and 1.0 in Java's and C's.
 */
static void
test_log_line_looks_like_the_golden_one(void **state)
{
	char *line = golden_text("hist.hlog"), *got = NULL;
	struct hist h, back;
	size_t len;
	FILE *f;

	(void)state;
	golden_samples(&h);
	f = open_memstream(&got, &len);
	assert_non_null(f);
	hist_log_line(f, &h, "latency", 1.5, 2, 1000);
	fclose(f);
	assert_memory_equal(got, line,
	    strlen("Tag=latency,1.500,2.000,") +
		strlen("45000625.897,HISTFAAA"));
	assert_int_equal(got[len - 1], '\n');
	assert_int_equal(hist_log_read(&back, got), 0);
	check_same(&back, &h);
	hist_fini(&back);
	hist_fini(&h);
	free(got);
	free(line);
}

static void
test_log_header(void **state)
{
	char *got = NULL;
	size_t len;
	FILE *f = open_memstream(&got, &len);

	(void)state;
	assert_non_null(f);
	hist_log_header(f, 0);
	fclose(f);
	assert_string_equal(got,
	    "#[Histogram log format version 1.3]\n"
	    "#[StartTime: 0.000 (seconds since epoch), "
	    "Thu Jan 01 00:00:00 UTC 1970]\n"
	    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
	    "\"Interval_Compressed_Histogram\"\n");
	free(got);
}

static void
test_percentile_file_equals_the_golden_one(void **state)
{
	char *want = golden_text("hist.hgrm"), *got = NULL;
	char *w, *g, *w_rest, *g_rest;
	struct hist h;
	size_t len;
	FILE *f;

	(void)state;
	golden_samples(&h);
	f = open_memstream(&got, &len);
	assert_non_null(f);
	hist_hgrm(f, &h, 5, 1000);
	fclose(f);
	w = strtok_r(want, "\n", &w_rest);
	g = strtok_r(got, "\n", &g_rest);
	while (w != NULL && g != NULL) {
		/* Theirs is of the buckets, ours of the samples. */
		if (strncmp(w, "#[Mean", 6) != 0)
			assert_string_equal(g, w);
		w = strtok_r(NULL, "\n", &w_rest);
		g = strtok_r(NULL, "\n", &g_rest);
	}
	assert_null(w);
	assert_null(g);
	hist_fini(&h);
	free(want);
	free(got);
}

static void
test_quantiles_equal_the_golden_ones(void **state)
{
	char *text = golden_text("hist.quantiles"), *line, *rest;
	struct hist h;
	int checked = 0;

	(void)state;
	golden_samples(&h);
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		const double value = strtod(strchr(line, ' '), NULL);
		char *end;
		const double p = strtod(line, &end);

		if (end != line) {
			const int64_t want = (int64_t)value;

			/* Theirs may be above the largest sample. */
			assert_int_equal(hist_percentile(&h, p),
			    want < hist_max(&h) ? want : hist_max(&h));
			checked++;
		} else if (strncmp(line, "count", 5) == 0) {
			assert_int_equal(hist_count(&h), (int64_t)value);
		} else if (strncmp(line, "mean", 4) == 0) {
			assert_true(fabs(hist_mean(&h) / value - 1) < 1e-3);
		} else {
			assert_true(fabs(hist_stdev(&h) / value - 1) < 1e-3);
		}
	}
	assert_int_equal(checked, 10);
	hist_fini(&h);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_geometry_is_hdrhistograms),
		cmocka_unit_test(test_indices_partition_the_values),
		cmocka_unit_test(test_percentiles_against_sorted_samples),
		cmocka_unit_test(test_percentile_of_few_samples),
		cmocka_unit_test(test_empty_is_all_zero),
		cmocka_unit_test(test_over_range_is_counted_not_recorded),
		cmocka_unit_test(test_merge_equals_recording_into_one),
		cmocka_unit_test(test_mean_and_stdev_come_from_exact_sums),
		cmocka_unit_test(test_encode_and_decode_round_trip),
		cmocka_unit_test(test_damaged_bytes_do_no_harm),
		cmocka_unit_test(test_golden_log_line_decodes_to_the_same),
		cmocka_unit_test(test_log_line_looks_like_the_golden_one),
		cmocka_unit_test(test_log_header),
		cmocka_unit_test(test_percentile_file_equals_the_golden_one),
		cmocka_unit_test(test_quantiles_equal_the_golden_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
