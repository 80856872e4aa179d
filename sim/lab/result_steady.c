#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/metric.h"

#define ENDS                                                             \
	10 /* a drift is told by the first and the last of so many parts \
	    */

static void slice_merge(struct slice *, const struct slice *);
static void judge(struct result *);
static int steady_cut(const struct result_series *, enum stat_steady *);
static double bias(const struct result *, bool latency);
static double part(const struct result *, int from, int to, bool latency);
static void text_short(const struct result *, char *, size_t);
static void text_drift(const struct result *, char *, size_t);

void
result_slices(struct result *rs, const struct model *md)
{
	const struct setup *su = md->md_setup;

	rs->rs_warmup_ns = su->su_run.sr_warmup;
	rs->rs_slice_ns = su->su_run.sr_slice;
	rs->rs_nslices = md->md_peers[0]->pp_result.pr_nslices;
	SIM_ASSERT(rs->rs_nslices <= RESULT_MAX_SLICES);
	for (int i = 0; i < rs->rs_nslices; i++)
		rs->rs_slices[i].rc_model = md->md_slices[i];
	for (int p = 0; p < su->su_npeers; p++) {
		const struct peer_result *pr = &md->md_peers[p]->pp_result;

		for (int i = 0; i < rs->rs_nslices; i++) {
			rs->rs_slices[i].rc_n += pr->pr_slices[i].ps_n;
			rs->rs_slices[i].rc_latency_ns +=
			    pr->pr_slices[i].ps_latency;
		}
	}
	judge(rs);
}

void
result_slices_merge(struct result *dst, const struct result *src)
{
	SIM_ASSERT(dst->rs_nslices == src->rs_nslices);
	dst->rs_warmup_ns = sim_max(dst->rs_warmup_ns, src->rs_warmup_ns);
	for (int i = 0; i < dst->rs_nslices; i++) {
		dst->rs_slices[i].rc_n += src->rs_slices[i].rc_n;
		dst->rs_slices[i].rc_latency_ns +=
		    src->rs_slices[i].rc_latency_ns;
		slice_merge(
		    &dst->rs_slices[i].rc_model, &src->rs_slices[i].rc_model);
	}
	judge(dst);
}

static void
slice_merge(struct slice *to, const struct slice *from)
{
	for (int i = 0; i < SLICE_NCOUNTERS; i++)
		to->sc_counters[i] += from->sc_counters[i];
	to->sc_qsum += from->sc_qsum;
	to->sc_qmax = sim_max(to->sc_qmax, from->sc_qmax);
	to->sc_tx_backlog += from->sc_tx_backlog;
	to->sc_conns += from->sc_conns;
	to->sc_token_wait_ns += from->sc_token_wait_ns;
	to->sc_busy_ns += from->sc_busy_ns;
	to->sc_netisr_ns += from->sc_netisr_ns;
	to->sc_intr_ns += from->sc_intr_ns;
	to->sc_busiest_ns += from->sc_busiest_ns;
}

void
result_latencies(const struct result *rs, struct result_series *re)
{
	re->re_n = 0;
	for (int i = 0; i < rs->rs_nslices; i++) {
		const struct result_slice *rc = &rs->rs_slices[i];

		if (rc->rc_n == 0)
			continue;
		re->re_slices[re->re_n] = i;
		re->re_values[re->re_n++] =
		    (double)rc->rc_latency_ns / (double)rc->rc_n;
	}
}

void
result_rates(const struct result *rs, struct result_series *re)
{
	const double seconds = (double)rs->rs_slice_ns * 1e-9 * rs->rs_reps;

	re->re_n = 0;
	for (int i = 0; i < rs->rs_nslices; i++) {
		/* A shorter one at the end. */
		if ((i + 1) * rs->rs_slice_ns * rs->rs_reps > rs->rs_measure_ns)
			break;
		re->re_slices[re->re_n] = i;
		re->re_values[re->re_n++] =
		    (double)rs->rs_slices[i].rc_n / seconds;
	}
}

/* Latency and rate are asked; what is worse for one is so for the run. */
static void
judge(struct result *rs)
{
	static const int badness[] = {
		[STAT_STEADY] = 0,
		[STAT_FEW_SLICES] = 1,
		[STAT_WARMUP_SHORT] = 2,
		[STAT_NO_STEADY_STATE] = 3,
	};
	struct result_series *re = sim_calloc(1, sizeof(*re));
	enum stat_steady latency, rate;
	int cut;

	result_latencies(rs, re);
	rs->rs_cut = steady_cut(re, &latency);
	result_rates(rs, re);
	cut = steady_cut(re, &rate);
	rs->rs_steady = badness[rate] > badness[latency] ? rate : latency;
	rs->rs_cut =
	    rs->rs_steady == STAT_WARMUP_SHORT ? sim_max(rs->rs_cut, cut) : 0;
	rs->rs_latency_bias = bias(rs, true);
	rs->rs_rate_bias = bias(rs, false);
	sim_free(re);
}

/* Returns: slices to cut. */
static int
steady_cut(const struct result_series *re, enum stat_steady *verdict)
{
	const struct stat_steadiness ss =
	    stat_steadiness(re->re_values, re->re_n);

	*verdict = ss.ss_verdict;
	return ss.ss_cut > 0 ? re->re_slices[ss.ss_cut] : 0;
}

/* Of what is reported (with late responses), not of the mean of slices. */
static double
bias(const struct result *rs, bool latency)
{
	double rest;

	if (rs->rs_cut == 0)
		return 0;
	rest = part(rs, rs->rs_cut, rs->rs_nslices, latency);
	return rest > 0 ? part(rs, 0, rs->rs_nslices, latency) / rest - 1 : 0;
}

/* The mean latency, ns, or the responses a second, of slices [from, to). */
static double
part(const struct result *rs, int from, int to, bool latency)
{
	const int64_t end = rs->rs_measure_ns / rs->rs_reps;
	const int64_t length =
	    sim_min(end, to * rs->rs_slice_ns) - from * rs->rs_slice_ns;
	double n = 0, sum = 0;

	for (int i = from; i < to; i++) {
		n += (double)rs->rs_slices[i].rc_n;
		sum += (double)rs->rs_slices[i].rc_latency_ns;
	}
	if (latency)
		return n > 0 ? sum / n : 0;
	return length > 0 ? n / ((double)length * 1e-9 * rs->rs_reps) : 0;
}

const char *
result_steady_name(const struct result *rs)
{
	switch (rs->rs_steady) {
	case STAT_STEADY:
		return "yes";
	case STAT_WARMUP_SHORT:
		return "warmup-short";
	case STAT_NO_STEADY_STATE:
		return "no-steady-state";
	case STAT_FEW_SLICES:
		break;
	}
	return "too-few-slices";
}

char *
result_steady_text(const struct result *rs, char *buf, size_t size)
{
	buf[0] = '\0';
	switch (rs->rs_steady) {
	case STAT_STEADY:
		break;
	case STAT_WARMUP_SHORT:
		text_short(rs, buf, size);
		break;
	case STAT_NO_STEADY_STATE:
		text_drift(rs, buf, size);
		break;
	case STAT_FEW_SLICES:
		snprintf(buf, size,
		    "slices are too few to tell whether it is steady: %d, want "
		    "%d",
		    rs->rs_nslices, STAT_MIN_SLICES);
		break;
	}
	return buf;
}

static const char *
moves(double bias)
{
	return bias > 0 ? "raise" : "lower";
}

static void
text_short(const struct result *rs, char *buf, size_t size)
{
	const int64_t cut = rs->rs_cut * rs->rs_slice_ns;
	char first[UNIT_TEXT_MAX], from[UNIT_TEXT_MAX];

	snprintf(buf, size,
	    "warm-up too short: the first %s %s the mean latency by %.2g %% "
	    "and %s the throughput by %.2g %%; take --warmup %s, or auto",
	    unit_print(UNIT_TIME, cut, first), moves(rs->rs_latency_bias),
	    100 * fabs(rs->rs_latency_bias), moves(rs->rs_rate_bias),
	    100 * fabs(rs->rs_rate_bias),
	    unit_print(UNIT_TIME, rs->rs_warmup_ns + cut, from));
}

static void
text_drift(const struct result *rs, char *buf, size_t size)
{
	const int n = rs->rs_nslices, few = n / ENDS;
	char a[METRIC_TEXT_MAX], b[METRIC_TEXT_MAX];

	snprintf(buf, size,
	    "no steady state: from the first tenth of the measurement to the "
	    "last the mean latency goes from %s to %s, the throughput "
	    "from %.0f to %.0f /s",
	    metric_time_text(part(rs, 0, few, true), a),
	    metric_time_text(part(rs, n - few, n, true), b),
	    part(rs, 0, few, false), part(rs, n - few, n, false));
}
