/*
 * What holds for every picture, whatever the result and the width: it fits,
 * what is something has a bar and what is nothing has none, bars are as long as
 * they should be, percentiles are marked once.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/alloc.h"
#include "sim/lab/picture_impl.h"

#define HOUR INT64_C(3600000000000)
#define MAX_LINES 64

static uint32_t lcg_state;

static uint32_t
lcg(uint32_t below)
{
	lcg_state = lcg_state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(lcg_state >> 8) * below >> 24);
}

/* A picture's lines; the text is freed with free(). */
struct drawn {
	char *dr_text;
	char *dr_lines[MAX_LINES];
	int dr_n;
};

static void
split(struct drawn *dr)
{
	char *rest = dr->dr_text, *line;

	while ((line = strsep(&rest, "\n")) != NULL && rest != NULL) {
		assert_true(dr->dr_n < MAX_LINES);
		dr->dr_lines[dr->dr_n++] = line;
	}
}

static struct drawn
draw(const struct result *rs, const struct picture *pi)
{
	struct drawn dr = { 0 };
	size_t size;
	FILE *fp = open_memstream(&dr.dr_text, &size);

	assert_non_null(fp);
	picture_result(fp, rs, pi);
	fclose(fp);
	split(&dr);
	return dr;
}

/* Characters; all of ours take one column. */
static int
columns(const char *s)
{
	int n = 0;

	for (; *s != '\0'; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static int
count(const char *s, const char *what)
{
	int n = 0;

	for (; (s = strstr(s, what)) != NULL; s += strlen(what))
		n++;
	return n;
}

/* Clusters of latencies, and stages of any size, many of them 0. */
static struct result *
random_result(uint32_t seed)
{
	struct result *rs = result_create();
	int clusters;

	lcg_state = seed;
	clusters = 1 + (int)lcg(5);
	for (int c = 0; c < clusters; c++) {
		int64_t centre = INT64_C(1) << lcg(41);
		int n = 1 + (int)lcg(300);

		for (int i = 0; i < n; i++) {
			int64_t ns = centre + centre * lcg(1000) / 2000;
			struct peer_bin *pb;

			hist_record(&rs->rs_latency, ns);
			pb = &rs->rs_bins[hist_index(&rs->rs_latency, ns) / 16];
			pb->pb_n++;
			for (int s = 0; s < STAGE_N; s++) {
				pb->pb_stage[s] += (seed >> s & 1) * lcg(ns);
				pb->pb_counted[s] +=
				    (seed >> (s + 3) & 1) * lcg(ns);
			}
			pb->pb_counted[0] += ns;
		}
	}
	return rs;
}

static void
test_it_fits(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 100; seed++) {
		struct result *rs = random_result(seed);
		struct picture pi = { .pi_utf8 = seed % 2 };

		for (pi.pi_width = 1; pi.pi_width <= PICTURE_WIDTH;
		     pi.pi_width++) {
			struct drawn dr = draw(rs, &pi);

			assert_true(dr.dr_n <= PICTURE_MAX_LINES);
			for (int i = 0; i < dr.dr_n; i++) {
				const char *line = dr.dr_lines[i];
				size_t len = strlen(line);

				if (columns(line) > pi.pi_width)
					fail_msg("seed %u, %d columns: %s",
					    seed, pi.pi_width, line);
				assert_false(len > 0 && line[len - 1] == ' ');
				if (pi.pi_width == PICTURE_WIDTH)
					assert_null(strchr(line, '\033'));
				for (size_t k = 0; k < len; k++)
					assert_true(pi.pi_utf8 ||
						    (line[k] & 0x80) == 0);
			}
			assert_true(dr.dr_n > 0 || pi.pi_width < 30);
			free(dr.dr_text);
		}
		sim_free(rs);
	}
}

/* The rows hold all requests, each where it belongs, and marks once. */
static void
test_rows_hold_all(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 300; seed++) {
		struct result *rs = random_result(seed);
		const struct hist *h = &rs->rs_latency;
		struct picture_rows rw;
		int64_t sum = 0, most = 0;
		int marks[PICTURE_NMARKS] = { 0 };

		picture_rows(&rw, h);
		assert_true(rw.rw_n >= 1 && rw.rw_n <= PICTURE_MAX_ROWS);
		for (int r = 0; r < rw.rw_n; r++) {
			const struct picture_row *row = &rw.rw_rows[r];
			int64_t to =
			    r + 1 < rw.rw_n ? row[1].ro_from : INT64_MAX;
			int64_t want = 0;

			assert_true(row->ro_from < to);
			for (int i = 0; i < h->h_counts_len; i++) {
				int64_t at = hist_index_highest(h, i);

				at = at < hist_max(h) ? at : hist_max(h);
				if (at >= row->ro_from && at < to)
					want += h->h_counts[i];
			}
			assert_int_equal(row->ro_count, want);
			assert_true(!row->ro_gap || want == 0);
			sum += row->ro_count;
			most = row->ro_count > most ? row->ro_count : most;
			for (int m = 0; m < PICTURE_NMARKS; m++) {
				int64_t at =
				    hist_percentile(h, picture_marks[m]);

				assert_int_equal(row->ro_marks[m],
				    at >= row->ro_from && at < to);
				marks[m] += row->ro_marks[m];
			}
		}
		assert_int_equal(sum, hist_count(h));
		assert_int_equal(rw.rw_most, most);
		for (int m = 0; m < PICTURE_NMARKS; m++)
			assert_int_equal(marks[m], 1);
		sim_free(rs);
	}
}

/* In eighths of a column. */
static int
bar_eighths(const char *line)
{
	static const char *const parts[] = { "▏", "▎", "▍", "▌", "▋", "▊", "▉",
		"█" };
	int n = 0;

	for (int i = 0; i < 8; i++)
		n += (i + 1) * count(line, parts[i]);
	return n;
}

static void
test_bars_are_as_long_as_their_shares(void **state)
{
	const struct picture utf8 = { .pi_width = 80, .pi_utf8 = true };
	const struct picture ascii = { .pi_width = 80 };

	(void)state;
	for (uint32_t seed = 0; seed < 300; seed++) {
		struct result *rs = random_result(seed);
		struct drawn blocks, plain;
		struct picture_rows rw;
		int longest = 0, widest = 0;

		picture_rows(&rw, &rs->rs_latency);
		blocks = draw(rs, &utf8);
		plain = draw(rs, &ascii);
		for (int r = 0; r < rw.rw_n; r++) {
			int n = bar_eighths(blocks.dr_lines[r + 2]);

			longest = n > longest ? n : longest;
			n = count(plain.dr_lines[r + 2], "#");
			widest = n > widest ? n : widest;
		}
		assert_int_equal(longest, 8 * widest);
		assert_true(widest >= 40);
		for (int r = 0; r < rw.rw_n; r++) {
			double part =
			    (double)rw.rw_rows[r].ro_count / (double)rw.rw_most;
			int eighths = (int)lround(part * longest);
			int whole = (int)lround(part * widest);

			if (rw.rw_rows[r].ro_gap)
				continue;
			if (part > 0 && eighths == 0)
				eighths = 1;
			assert_int_equal(
			    bar_eighths(blocks.dr_lines[r + 2]), eighths);
			assert_int_equal(
			    count(plain.dr_lines[r + 2], "#"), whole);
			assert_int_equal(
			    strstr(plain.dr_lines[r + 2], "  .") != NULL,
			    part > 0 && whole == 0);
		}
		free(blocks.dr_text);
		free(plain.dr_text);
		sim_free(rs);
	}
}

/* Of one bar: its columns are those of its stages, which follow each other. */
static void
check_stack(char *const *lines, const struct result_stages *rg, int *length)
{
	int sum = 0;

	for (int s = 0; s < STAGE_N; s++) {
		const char *bar = lines[s] + 2 + 16 + 1;
		int off = count(bar, "-"), on = count(bar, "#");
		double total = rg->rg_total_ns[0] + rg->rg_total_ns[1];

		if (rg->rg_ns[s][0] + rg->rg_ns[s][1] > 0)
			assert_int_equal(strspn(bar, " "), sum);
		assert_int_equal(
		    off + count(bar, ":") > 0, rg->rg_ns[s][0] > 0);
		assert_int_equal(on + count(bar, "|") > 0, rg->rg_ns[s][1] > 0);
		sum += off + on;
		if (*length == 0)
			continue;
		assert_true(fabs(off - rg->rg_ns[s][0] / total * *length) < 1);
		assert_true(fabs(on - rg->rg_ns[s][1] / total * *length) < 1);
	}
	assert_true(*length == 0 || sum == *length);
	*length = sum;
}

static void
test_stages_add_up_to_the_bar(void **state)
{
	const struct picture ascii = { .pi_width = 80 };

	(void)state;
	for (uint32_t seed = 0; seed < 300; seed++) {
		struct result *rs = random_result(seed);
		struct result_stages all, slow;
		struct drawn dr = draw(rs, &ascii);
		int length = 0;

		result_stages(rs, 1, &all);
		result_stages(rs, 0.01, &slow);
		/* The first look says how long a bar is. */
		check_stack(dr.dr_lines + dr.dr_n - 15, &all, &length);
		assert_true(length >= 25);
		check_stack(dr.dr_lines + dr.dr_n - 15, &all, &length);
		check_stack(dr.dr_lines + dr.dr_n - 7, &slow, &length);
		free(dr.dr_text);
		sim_free(rs);
	}
}

static void
test_shares_are_not_rounded_to_nothing_or_all(void **state)
{
	char t[PICTURE_SHARE_MAX];

	(void)state;
	assert_string_equal(picture_share(0, 5, t), "0 %");
	assert_string_equal(picture_share(1, 1e9, t), "<0.01 %");
	assert_string_equal(picture_share(1, 10000, t), "0.01 %");
	assert_string_equal(picture_share(1, 3, t), "33.33 %");
	assert_string_equal(picture_share(1e9 - 1, 1e9, t), ">99.99 %");
	assert_string_equal(picture_share(7, 7, t), "100.00 %");
}

/* The scale that shows more: equal steps for a bell, ratios for a tail. */
static void
test_the_scale_follows_the_shape(void **state)
{
	struct picture_rows rw;
	struct hist h;

	(void)state;
	hist_init(&h, 1, HOUR, 3);
	lcg_state = 1;
	for (int i = 0; i < 10000; i++)
		hist_record(&h,
		    sim_ms(40) + sim_us(lcg(10000) + lcg(10000) + lcg(10000)));
	picture_rows(&rw, &h);
	assert_int_equal(rw.rw_step, sim_ms(2));
	assert_int_equal(rw.rw_rows[0].ro_from, sim_ms(40));
	hist_reset(&h);
	for (int i = 0; i < 10000; i++)
		hist_record(&h, (int64_t)(1e6 * pow(10, lcg(4000) * 1e-3)));
	picture_rows(&rw, &h);
	assert_int_equal(rw.rw_step, 0);
	assert_int_equal(rw.rw_rows[0].ro_from, sim_ms(1));
	assert_int_equal(rw.rw_rows[1].ro_from, sim_ms(2));
	hist_fini(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_fits),
		cmocka_unit_test(test_rows_hold_all),
		cmocka_unit_test(test_bars_are_as_long_as_their_shares),
		cmocka_unit_test(test_stages_add_up_to_the_bar),
		cmocka_unit_test(test_shares_are_not_rounded_to_nothing_or_all),
		cmocka_unit_test(test_the_scale_follows_the_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
