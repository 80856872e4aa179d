/*
 * HdrHistogram's file formats. Numbers are big-endian.
 *
 *	compressed body	cookie, length, zlib stream of a body
 *	body		cookie, payload length, normalising offset (0), digits,
 *			lowest, highest, ratio (a double, 1.0), payload
 *	payload		the counters as ZigZag LEB128; -n stands for n zeros
 *
 * Offset and ratio say how the writer kept its counters; a reader of whole
 * numbers has no use for them, and hdr-histogram-js writes other values.
 */
#include "sim/core/hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"

#define V2_COOKIE (0x1c849303u | 0x10u)
#define V2_COMPRESSED_COOKIE (0x1c849304u | 0x10u)
#define V2_HEADER_BYTES 40
#define V2_WORD_BYTES                                           \
	9 /* the longest LEB128 word: the ninth byte has 8 bits \
	   */
#define V2_RATIO_ONE UINT64_C(0x3ff0000000000000)

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static uint8_t *
put_be(uint8_t *p, uint64_t value, int bytes)
{
	while (bytes-- > 0)
		*p++ = (uint8_t)(value >> 8 * bytes);
	return p;
}

static uint64_t
get_be(const uint8_t *p, int bytes)
{
	uint64_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | *p++;
	return value;
}

static uint8_t *
put_zigzag(uint8_t *p, int64_t value)
{
	uint64_t z = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);

	for (int i = 1; i < V2_WORD_BYTES && z > 0x7f; i++) {
		*p++ = (uint8_t)(z | 0x80);
		z >>= 7;
	}
	*p++ = (uint8_t)z;
	return p;
}

/* Returns the end of the word, NULL when it runs past `end`. */
static const uint8_t *
get_zigzag(const uint8_t *p, const uint8_t *end, int64_t *value)
{
	uint64_t z = 0;

	for (int i = 0; i < V2_WORD_BYTES && p < end; i++) {
		const uint64_t byte = *p++;
		const bool last = i == V2_WORD_BYTES - 1 || byte < 0x80;

		z |= (last ? byte : byte & 0x7f) << 7 * i;
		if (last) {
			*value = (int64_t)(z >> 1 ^ -(z & 1));
			return p;
		}
	}
	return NULL;
}

/* Counters from the first to that of the largest value; the rest is zero. */
static uint8_t *
put_counts(uint8_t *p, const struct hist *h)
{
	const int n = hist_index(h, h->h_max) + 1;

	for (int i = 0; i < n;) {
		int zeros = 0;

		while (i + zeros < n && h->h_counts[i + zeros] == 0)
			zeros++;
		if (zeros > 1) {
			p = put_zigzag(p, -zeros);
			i += zeros;
		} else {
			p = put_zigzag(p, h->h_counts[i++]);
		}
	}
	return p;
}

static size_t
encode_body(const struct hist *h, uint8_t **out)
{
	uint8_t *body, *p, *end;

	body = sim_calloc(
	    (size_t)h->h_counts_len * V2_WORD_BYTES + V2_HEADER_BYTES, 1);
	end = put_counts(body + V2_HEADER_BYTES, h);
	p = put_be(body, V2_COOKIE, 4);
	p = put_be(p, (uint64_t)(end - body) - V2_HEADER_BYTES, 4);
	p = put_be(p, 0, 4);
	p = put_be(p, (uint64_t)h->h_digits, 4);
	p = put_be(p, (uint64_t)h->h_lowest, 8);
	p = put_be(p, (uint64_t)h->h_highest, 8);
	put_be(p, V2_RATIO_ONE, 8);
	*out = body;
	return (size_t)(end - body);
}

size_t
hist_encode_compressed(const struct hist *h, uint8_t **out)
{
	uint8_t *body;
	const size_t body_len = encode_body(h, &body);
	uLongf len = compressBound(body_len);
	int error;

	*out = sim_calloc(len + 8, 1);
	error = compress(*out + 8, &len, body, body_len);
	SIM_ASSERT(error == Z_OK);
	put_be(put_be(*out, V2_COMPRESSED_COOKIE, 4), len, 4);
	sim_free(body);
	return len + 8;
}

/* Exactly len bytes out of the stream, or -1. */
static int
inflate_exactly(z_stream *z, uint8_t *out, size_t len)
{
	int error = Z_OK;

	z->next_out = out;
	z->avail_out = (uInt)len;
	while (z->avail_out > 0 && error == Z_OK)
		error = inflate(z, Z_SYNC_FLUSH);
	return z->avail_out == 0 ? 0 : -1;
}

/* Account for n samples in counter i as if they had its middle value. */
static int
add_counts(struct hist *h, int i, int64_t n)
{
	const int64_t low = hist_index_lowest(h, i);
	const int64_t high = hist_index_highest(h, i);
	const int64_t middle = low + (high - low + 1) / 2;
	__int128 square;

	h->h_counts[i] = n;
	if (__builtin_add_overflow(h->h_total, n, &h->h_total) ||
	    __builtin_mul_overflow((__int128)middle * middle, n, &square) ||
	    __builtin_add_overflow(h->h_sumsq, square, &h->h_sumsq))
		return -1;
	h->h_sum += (__int128)middle * n;
	if (low < h->h_min)
		h->h_min = low;
	h->h_max = high;
	return 0;
}

static int
decode_counts(struct hist *h, const uint8_t *p, const uint8_t *end)
{
	int64_t n, i = 0;

	while (p < end) {
		p = get_zigzag(p, end, &n);
		if (p == NULL)
			return -1;
		if (n < 0) {
			if (n < i - h->h_counts_len)
				return -1;
			i -= n;
			continue;
		}
		if (i >= h->h_counts_len)
			return -1;
		if (n > 0 && add_counts(h, (int)i, n) != 0)
			return -1;
		i++;
	}
	return 0;
}

static int
decode_body(struct hist *h, z_stream *z)
{
	uint8_t head[V2_HEADER_BYTES], *payload;
	int64_t lowest, highest;
	uint64_t len;
	int digits, error;

	if (inflate_exactly(z, head, sizeof(head)) != 0)
		return -1;
	len = get_be(head + 4, 4);
	digits = (int)get_be(head + 12, 4);
	lowest = (int64_t)get_be(head + 16, 8);
	highest = (int64_t)get_be(head + 24, 8);
	if (get_be(head, 4) != V2_COOKIE ||
	    !hist_geometry_ok(lowest, highest, digits))
		return -1;

	hist_init(h, lowest, highest, digits);
	error = -1;
	payload = NULL;
	if (len > (uint64_t)h->h_counts_len * V2_WORD_BYTES)
		goto out;
	payload = sim_calloc(len, 1);
	if (inflate_exactly(z, payload, len) == 0)
		error = decode_counts(h, payload, payload + len);
out:
	sim_free(payload);
	if (error != 0)
		hist_fini(h);
	return error;
}

int
hist_decode_compressed(struct hist *h, const uint8_t *p, size_t len)
{
	z_stream z = { 0 };
	int error;

	if (len < 8 || get_be(p, 4) != V2_COMPRESSED_COOKIE ||
	    get_be(p + 4, 4) > len - 8)
		return -1;
	error = inflateInit(&z);
	SIM_ASSERT(error == Z_OK);
	z.next_in = (uint8_t *)(uintptr_t)(p + 8);
	z.avail_in = (uInt)get_be(p + 4, 4);
	error = decode_body(h, &z);
	inflateEnd(&z);
	return error;
}

void
hist_base64(FILE *f, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i += 3) {
		const size_t n = len - i < 3 ? len - i : 3;
		uint32_t word = 0;

		for (size_t j = 0; j < 3; j++)
			word = word << 8 | (j < n ? p[i + j] : 0u);
		for (size_t j = 0; j < 4; j++) {
			const uint32_t digit = word >> (18 - 6 * j) & 63;

			putc(j <= n ? base64_digits[digit] : '=', f);
		}
	}
}

/* Up to the first character that is no digit; returns the bytes written. */
static size_t
base64_read(const char *s, uint8_t *out)
{
	uint32_t word = 0;
	size_t len = 0;
	const char *digit;

	for (int bits = 0; *s != '\0'; s++) {
		digit = strchr(base64_digits, *s);
		if (digit == NULL)
			break;
		word = word << 6 | (uint32_t)(digit - base64_digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			out[len++] = (uint8_t)(word >> bits);
		}
	}
	return len;
}

void
hist_log_header(FILE *f, double start_s)
{
	const time_t start = (time_t)start_s;
	char date[64] = "";
	struct tm tm;

	if (gmtime_r(&start, &tm) != NULL)
		strftime(date, sizeof(date), "%a %b %d %H:%M:%S UTC %Y", &tm);
	fprintf(f, "#[Histogram log format version 1.3]\n");
	fprintf(
	    f, "#[StartTime: %.3f (seconds since epoch), %s]\n", start_s, date);
	fprintf(f, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
		   "\"Interval_Compressed_Histogram\"\n");
}

void
hist_log_line(FILE *f, const struct hist *h, const char *tag, double start_s,
    double length_s, double scale)
{
	uint8_t *body;
	size_t len;

	if (tag != NULL) {
		SIM_ASSERT(*tag != '\0');
		for (const char *s = tag; *s != '\0'; s++)
			SIM_ASSERT((unsigned char)*s > ' ' && *s != ',');
		fprintf(f, "Tag=%s,", tag);
	}
	len = hist_encode_compressed(h, &body);
	fprintf(f, "%.3f,%.3f,%.3f,", start_s, length_s,
	    (double)hist_max(h) / scale);
	hist_base64(f, body, len);
	putc('\n', f);
	free(body);
}

int
hist_log_read(struct hist *h, const char *line)
{
	const char *text = strrchr(line, ',');
	uint8_t *body;
	int error;

	if (text == NULL)
		return -1;
	body = sim_calloc(strlen(text), 1);
	error = hist_decode_compressed(h, body, base64_read(text + 1, body));
	sim_free(body);
	return error;
}

/*
 * The percentiles go up in steps that halve with each halving of the distance
 * to 100 %, ticks_per_half steps to a half; a line is printed for the first
 * counter that reaches the step.
 */
void
hist_hgrm(FILE *f, const struct hist *h, int ticks_per_half, double scale)
{
	int64_t seen = 0, highest = 0;
	double level = 0, halves;

	SIM_ASSERT(ticks_per_half > 0 && scale > 0);
	fprintf(f, "%12s %14s %10s %14s\n\n", "Value", "Percentile",
	    "TotalCount", "1/(1-Percentile)");
	for (int i = 0; i < h->h_counts_len && seen < h->h_total; i++) {
		if (h->h_counts[i] == 0)
			continue;
		seen += h->h_counts[i];
		highest = hist_index_highest(h, i);
		/* One counter may reach several steps, and has a line each. */
		while (100.0 * (double)seen / (double)h->h_total >= level) {
			fprintf(f, "%12.*f %2.12f %10lld %14.2f\n", h->h_digits,
			    (double)highest / scale, level / 100,
			    (long long)seen, 1 / (1 - level / 100));
			halves = floor(log2(100 / (100 - level))) + 1;
			level += 100 / (ticks_per_half * exp2(halves));
			if (seen == h->h_total)
				break;
		}
	}
	if (h->h_total > 0)
		fprintf(f, "%12.*f %2.12f %10lld\n", h->h_digits,
		    (double)highest / scale, 1.0, (long long)h->h_total);
	fprintf(f, "#[Mean    = %12.*f, StdDeviation   = %12.*f]\n",
	    h->h_digits, hist_mean(h) / scale, h->h_digits,
	    hist_stdev(h) / scale);
	fprintf(f, "#[Max     = %12.*f, Total count    = %12lld]\n",
	    h->h_digits, (double)hist_max(h) / scale, (long long)h->h_total);
	fprintf(f, "#[Buckets = %12d, SubBuckets     = %12d]\n",
	    h->h_bucket_count, h->h_sub_bucket_count);
}
