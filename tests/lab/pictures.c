/*
 * The pictures at the end of `solab run`, as they are drawn: pictures.txt is
 * read by people when it changes.
 */
#include <stdio.h>

#include "sim/core/alloc.h"
#include "sim/lab/picture.h"

#define HOUR INT64_C(3600000000000)

static const struct picture blocks = { .pi_width = 80, .pi_utf8 = true };
static const struct picture ascii = { .pi_width = 80 };

static void
many(struct hist *h, int64_t value, int64_t n)
{
	hist_record(h, value);
	h->h_counts[hist_index(h, value)] += n - 1;
	h->h_total += n - 1;
}

static void
draw_latency(const char *title, const struct hist *h, struct picture pi)
{
	printf("\n== %s, %d columns, %s", title, pi.pi_width,
	    pi.pi_utf8 ? "UTF-8" : "ASCII");
	puts(pi.pi_colour ? ", colour" : "");
	if (!picture_latency(stdout, h, &pi))
		puts("(nothing)");
}

/* So many requests: latency in ms, and what each stage takes, off and on. */
static void
requests(struct result *rs, int64_t n, double ms, const double (*us)[2])
{
	int64_t ns = (int64_t)(ms * 1e6);
	struct peer_bin *pb =
	    &rs->rs_bins[hist_index(&rs->rs_latency, ns) / 16];

	many(&rs->rs_latency, ns, n);
	pb->pb_n += n;
	for (int s = 0; s < STAGE_N; s++) {
		pb->pb_stage[s] += (int64_t)(us[s][0] * 1e3) * n;
		pb->pb_counted[s] += (int64_t)(us[s][1] * 1e3) * n;
	}
}

static void
draw_result(const char *title, const struct result *rs, struct picture pi)
{
	printf("\n== %s, %d columns, %s", title, pi.pi_width,
	    pi.pi_utf8 ? "UTF-8" : "ASCII");
	puts(pi.pi_colour ? ", colour" : "");
	picture_result(stdout, rs, &pi);
}

static void
latencies(void)
{
	struct picture narrow = ascii;
	struct hist h;

	hist_init(&h, 1, HOUR, 3);
	draw_latency("no request", &h, blocks);
	hist_record(&h, 1234567);
	draw_latency("one request of 1.234567 ms", &h, blocks);
	hist_reset(&h);
	many(&h, sim_ms(60), 1000);
	draw_latency("all equal, 60 ms", &h, blocks);
	hist_reset(&h);
	many(&h, 0, 5);
	draw_latency("all 0", &h, ascii);
	many(&h, 700, 5);
	many(&h, 3, 1);
	draw_latency("zeros, 3 ns and 700 ns", &h, ascii);

	/* One in ten waits for a retry after 1 s. */
	hist_reset(&h);
	for (int i = 0; i < 900; i++)
		hist_record(&h, sim_ms(55) + i * sim_us(11));
	for (int i = 0; i < 100; i++)
		hist_record(&h, sim_ms(1050) + i * sim_us(110));
	draw_latency("60 ms and 1 s", &h, blocks);
	draw_latency("60 ms and 1 s", &h, ascii);
	narrow.pi_width = 40;
	draw_latency("60 ms and 1 s", &h, narrow);
	narrow.pi_width = 20;
	draw_latency("60 ms and 1 s", &h, narrow);
	narrow.pi_width = 17;
	draw_latency("60 ms and 1 s", &h, narrow);

	/* A bell from 44 to 80 ms, and one that is out of range. */
	hist_reset(&h);
	for (int64_t i = 0; i <= 36; i++)
		many(&h, sim_ms(44 + i),
		    (i + 1) * (i + 1) * (37 - i) * (37 - i));
	hist_record(&h, HOUR + 1);
	draw_latency("a bell", &h, blocks);
	hist_fini(&h);

	hist_init(&h, 1, INT64_MAX, 3);
	many(&h, INT64_C(1234567890123456), INT64_C(1000000000000000));
	many(&h, INT64_C(9876543210987654), INT64_C(9000000000000000));
	draw_latency("16 digits", &h, blocks);
	many(&h, 1, 1);
	many(&h, 1000, 1);
	many(&h, 1000000, 1);
	many(&h, INT64_MAX, 1);
	draw_latency("everything", &h, ascii);
	hist_fini(&h);
}

static void
results(void)
{
	static const double quick[STAGE_N][2] = { { 20000, 0 }, { 250, 50 },
		{ 10, 17000 }, { 0, 15000 }, { 0, 49 }, { 0, 5 }, { 0, 110 } };
	static const double slow[STAGE_N][2] = { { 1040000, 0 }, { 350, 140 },
		{ 8, 26500 }, { 0, 45600 }, { 0, 50 }, { 0, 5 }, { 0, 111 } };
	static const double one[STAGE_N][2] = { { 0.001, 0 }, { 0, 0 },
		{ 0, 99900 }, { 0.01, 25 }, { 0, 50 }, { 0, 24 }, { 0, 0 } };
	struct result *rs = result_create();
	struct picture colour = blocks, narrow = blocks;

	draw_result("no request", rs, blocks);
	requests(rs, 99, 32.214, quick);
	requests(rs, 1, 72.406, slow);
	draw_result("a retry", rs, blocks);
	draw_result("a retry", rs, ascii);
	colour.pi_colour = true;
	draw_result("a retry", rs, colour);
	narrow.pi_width = 48;
	draw_result("a retry", rs, narrow);
	narrow.pi_width = 29;
	draw_result("a retry", rs, narrow);
	sim_free(rs);
	rs = result_create();
	requests(rs, 1, 100, one);
	draw_result("one request, one stage of 99.9 %", rs, blocks);
	draw_result("one request, one stage of 99.9 %", rs, ascii);
	sim_free(rs);
}

int
main(void)
{
	latencies();
	results();
	return 0;
}
