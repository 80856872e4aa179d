#ifndef SIM_CORE_HIST_H
#define SIM_CORE_HIST_H

/*
 * HdrHistogram (own implementation) over int64 values, with exact sums beside
 * the buckets: mean and deviation come from the sums, percentiles from the
 * buckets (3 significant digits: within 0.1 %).
 *
 * Interoperates with the HdrHistogram tools: V2 compressed log lines and
 * percentile (.hgrm) files.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hist {
	int64_t h_lowest;  /* lowest discernible value, >= 1 */
	int64_t h_highest; /* highest trackable value */
	int h_digits;	   /* significant decimal digits, 1..5 */
	int h_unit_magnitude;
	int h_sub_bucket_half_count_magnitude;
	int h_sub_bucket_count, h_sub_bucket_half_count;
	int64_t h_sub_bucket_mask;
	int h_bucket_count;
	int h_counts_len;
	int64_t *h_counts;
	int64_t h_total; /* samples inside the range */
	int64_t h_over;	 /* samples above h_highest: counted, not recorded */
	int64_t h_min, h_max; /* exact; of recorded samples */
	__int128 h_sum;	      /* exact */
	__int128 h_sumsq;     /* exact while it is below 2^127 */
};

/* Whether hist_init() takes these: digits 1..5, highest >= 2 * lowest, ... */
bool hist_geometry_ok(int64_t lowest, int64_t highest, int digits);

void hist_init(struct hist *, int64_t lowest, int64_t highest, int digits);
void hist_fini(struct hist *);
void hist_reset(struct hist *);

/* Record one value >= 0. Returns false (and counts h_over) when too large. */
bool hist_record(struct hist *, int64_t value);

/* Add src's samples to dst exactly; both must have the same geometry. */
void hist_merge(struct hist *dst, const struct hist *src);

int64_t hist_count(const struct hist *);
double hist_mean(const struct hist *);
double hist_stdev(const struct hist *); /* n-1; 0 when n < 2 */
int64_t hist_min(const struct hist *);	/* 0 when empty */
int64_t hist_max(const struct hist *);

/*
 * The value at or below which `percentile` (0..100) of the samples lie, as
 * HdrHistogram defines it (highest equivalent value; clipped to the max).
 */
int64_t hist_percentile(const struct hist *, double percentile);

/* Bucket geometry, for plots: index of a value, and the range of an index. */
int hist_index(const struct hist *, int64_t value);
int64_t hist_index_lowest(const struct hist *, int index);
int64_t hist_index_highest(const struct hist *, int index);

/*
 * HdrHistogram V2, compressed body.
 *
 * hist_encode_compressed: *out is malloc()ed and given to the caller; returns
 * its length. h_over and the exact sums are not part of the format.
 * hist_decode_compressed: initialises the histogram (hist_fini() it) from any
 * bytes; min, max and sums are as good as the buckets, as in HdrHistogram.
 * Returns 0, or -1 with nothing to free when the bytes are not such a body.
 */
size_t hist_encode_compressed(const struct hist *, uint8_t **out);
int hist_decode_compressed(struct hist *, const uint8_t *, size_t);

/*
 * One line of a V2 log (base64 of the compressed body); its maximum is divided
 * by scale. tag may be NULL; no comma, blank or control character in it.
 */
void hist_log_header(FILE *, double start_s);
void hist_log_line(FILE *, const struct hist *, const char *tag, double start_s,
    double length_s, double scale);

/* Bytes as base64, as in a log line. */
void hist_base64(FILE *, const uint8_t *, size_t);

/* The histogram of a log line, as hist_decode_compressed(). */
int hist_log_read(struct hist *, const char *line);

/*
 * Percentile file as HdrHistogram's outputPercentileDistribution writes it.
 * Differs: the footer's mean and deviation are the exact ones.
 */
void hist_hgrm(FILE *, const struct hist *, int ticks_per_half, double scale);

#endif
