#include "sim/core/hist.h"

#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"

typedef unsigned __int128 uint128;

static void hist_geometry(struct hist *);

void
hist_init(struct hist *h, int64_t lowest, int64_t highest, int digits)
{
	SIM_ASSERT(hist_geometry_ok(lowest, highest, digits));
	*h = (struct hist){
		.h_lowest = lowest,
		.h_highest = highest,
		.h_digits = digits,
	};
	hist_geometry(h);
	h->h_counts = sim_calloc((size_t)h->h_counts_len, sizeof(int64_t));
	hist_reset(h);
}

void
hist_fini(struct hist *h)
{
	sim_free(h->h_counts);
	*h = (struct hist){ 0 };
}

void
hist_reset(struct hist *h)
{
	memset(h->h_counts, 0, (size_t)h->h_counts_len * sizeof(int64_t));
	h->h_total = h->h_over = 0;
	h->h_min = INT64_MAX;
	h->h_max = 0;
	h->h_sum = h->h_sumsq = 0;
}

static int
hist_sub_bucket_magnitude(int digits)
{
	int64_t want = 2;
	int magnitude = 0;

	for (int i = 0; i < digits; i++)
		want *= 10;
	while ((INT64_C(1) << magnitude) < want)
		magnitude++;
	return magnitude;
}

static int
hist_log2(int64_t value)
{
	return 63 - __builtin_clzll((unsigned long long)value);
}

bool
hist_geometry_ok(int64_t lowest, int64_t highest, int digits)
{
	if (digits < 1 || digits > 5 || lowest < 1)
		return false;
	if (highest / 2 < lowest)
		return false;
	return hist_log2(lowest) + hist_sub_bucket_magnitude(digits) <= 62;
}

/*
 * HdrHistogram's layout. Bucket 0 holds sub_bucket_count counters one unit
 * wide; each further bucket covers twice the range, and as its lower half
 * would repeat the bucket before, only the upper half is stored.
 */
static void
hist_geometry(struct hist *h)
{
	const int magnitude = hist_sub_bucket_magnitude(h->h_digits);
	int64_t untrackable;

	h->h_unit_magnitude = hist_log2(h->h_lowest);
	h->h_sub_bucket_half_count_magnitude = magnitude - 1;
	h->h_sub_bucket_count = 1 << magnitude;
	h->h_sub_bucket_half_count = h->h_sub_bucket_count / 2;
	h->h_sub_bucket_mask = (int64_t)(h->h_sub_bucket_count - 1)
			       << h->h_unit_magnitude;

	untrackable = (int64_t)h->h_sub_bucket_count << h->h_unit_magnitude;
	h->h_bucket_count = 1;
	while (untrackable <= h->h_highest) {
		h->h_bucket_count++;
		if (untrackable > INT64_MAX / 2)
			break;
		untrackable <<= 1;
	}
	h->h_counts_len = (h->h_bucket_count + 1) * h->h_sub_bucket_half_count;
}

int
hist_index(const struct hist *h, int64_t value)
{
	const int half = h->h_sub_bucket_half_count_magnitude;
	const int bucket = hist_log2(value | h->h_sub_bucket_mask) - half -
			   h->h_unit_magnitude;
	const int sub = (int)(value >> (bucket + h->h_unit_magnitude));

	return (bucket << half) + sub;
}

/* log2 of the width of an index's range. */
static int
hist_index_shift(const struct hist *h, int index)
{
	int bucket = (index >> h->h_sub_bucket_half_count_magnitude) - 1;

	return (bucket > 0 ? bucket : 0) + h->h_unit_magnitude;
}

int64_t
hist_index_lowest(const struct hist *h, int index)
{
	const int bucket = (index >> h->h_sub_bucket_half_count_magnitude) - 1;
	int sub = index;

	if (bucket >= 0)
		sub -= bucket << h->h_sub_bucket_half_count_magnitude;
	return (int64_t)sub << hist_index_shift(h, index);
}

int64_t
hist_index_highest(const struct hist *h, int index)
{
	const int64_t width = INT64_C(1) << hist_index_shift(h, index);

	return hist_index_lowest(h, index) + (width - 1);
}

bool
hist_record(struct hist *h, int64_t value)
{
	SIM_ASSERT(value >= 0);
	if (SIM_UNLIKELY(value > h->h_highest)) {
		h->h_over++;
		return false;
	}
	h->h_counts[hist_index(h, value)]++;
	h->h_total++;
	if (value < h->h_min)
		h->h_min = value;
	if (value > h->h_max)
		h->h_max = value;
	h->h_sum += value;
	h->h_sumsq =
	    (__int128)((uint128)h->h_sumsq + (uint128)value * (uint128)value);
	return true;
}

void
hist_merge(struct hist *dst, const struct hist *src)
{
	SIM_ASSERT(dst->h_lowest == src->h_lowest);
	SIM_ASSERT(dst->h_highest == src->h_highest);
	SIM_ASSERT(dst->h_digits == src->h_digits);
	for (int i = 0; i < dst->h_counts_len; i++)
		dst->h_counts[i] += src->h_counts[i];
	dst->h_total += src->h_total;
	dst->h_over += src->h_over;
	if (src->h_min < dst->h_min)
		dst->h_min = src->h_min;
	if (src->h_max > dst->h_max)
		dst->h_max = src->h_max;
	dst->h_sum += src->h_sum;
	dst->h_sumsq =
	    (__int128)((uint128)dst->h_sumsq + (uint128)src->h_sumsq);
}

int64_t
hist_count(const struct hist *h)
{
	return h->h_total;
}

double
hist_mean(const struct hist *h)
{
	if (h->h_total == 0)
		return 0;
	return (double)((long double)h->h_sum / h->h_total);
}

/*
 * The squares are first taken about m, the integer part of the mean, in whole
 * numbers: intermediate terms may wrap, the result cannot, so nothing is lost
 * however small the deviation is beside the mean.
 */
double
hist_stdev(const struct hist *h)
{
	const int64_t n = h->h_total;
	long double ss;
	uint128 m, about_m, rest;

	if (n < 2)
		return 0;
	m = (uint128)h->h_sum / (uint128)n;
	rest = (uint128)h->h_sum - m * (uint128)n;
	about_m = (uint128)h->h_sumsq - 2 * m * (uint128)h->h_sum +
		  m * m * (uint128)n;
	ss = (long double)about_m - (long double)rest * rest / n;
	return ss > 0 ? (double)sqrtl(ss / (n - 1)) : 0;
}

int64_t
hist_min(const struct hist *h)
{
	return h->h_total != 0 ? h->h_min : 0;
}

int64_t
hist_max(const struct hist *h)
{
	return h->h_max;
}

/*
 * As in HdrHistogram: one ulp off the percentile, so that a product which is
 * a whole number but for rounding does not reach into the next sample.
 */
int64_t
hist_percentile(const struct hist *h, double percentile)
{
	const double p = fmin(fmax(nextafter(percentile, -INFINITY), 0), 100);
	int64_t want = (int64_t)ceil(p * (double)h->h_total / 100);
	int64_t seen = 0, value;

	SIM_ASSERT(percentile >= 0 && percentile <= 100);
	if (h->h_total == 0)
		return 0;
	if (percentile == 0)
		return h->h_min;
	if (want < 1)
		want = 1;
	for (int i = 0; i < h->h_counts_len; i++) {
		seen += h->h_counts[i];
		if (seen < want)
			continue;
		value = hist_index_highest(h, i);
		return value < h->h_max ? value : h->h_max;
	}
	return h->h_max;
}
