#include "sim/lab/series.h"

#include <math.h>
#include <string.h>

#include "sim/core/assert.h"

const struct series_info series_infos[SERIES_N] = {
#define SERIES(name, kind, unit, digits, help) \
	[SERIES_##name] = { #name, SERIES_##kind, unit, digits, help },
#include "sim/lab/series.def"
#undef SERIES
};

static double pct(const struct result *, int slice, int64_t ns, int cpus);
static double length(const struct result *, int slice);
static double counted(const struct result *, const struct slice *, enum series);

const char *
series_kind_name(enum series_kind kind)
{
	static const char *const names[] = {
		[SERIES_SUM] = "sum",
		[SERIES_MEAN] = "mean",
		[SERIES_MAX] = "max",
		[SERIES_END] = "end",
	};

	return names[kind];
}

enum series
series_find(const char *name)
{
	for (int s = 0; s < SERIES_N; s++) {
		if (strcmp(series_infos[s].si_name, name) == 0)
			return (enum series)s;
	}
	return SERIES_N;
}

bool
series_has(enum series s, const struct result *rs)
{
	return s != SERIES_token_wait_ns || rs->rs_ntokens > 0;
}

double
series_value(enum series s, const struct result *rs, int slice)
{
	const struct result_slice *rc = &rs->rs_slices[slice];
	const struct slice *sc = &rc->rc_model;
	const int cpus = rs->rs_nserver_cpus;

	switch (s) {
	case SERIES_busy_max_pct:
		return pct(rs, slice, sc->sc_busiest_ns, cpus > 0);
	case SERIES_busy_pct:
		return pct(rs, slice, sc->sc_busy_ns, cpus);
	case SERIES_interrupt_pct:
		return pct(rs, slice, sc->sc_intr_ns, cpus);
	case SERIES_netisr_pct:
		return pct(rs, slice, sc->sc_netisr_ns, cpus);
	case SERIES_latency_mean_ns:
		return rc->rc_n > 0
			   ? (double)rc->rc_latency_ns / (double)rc->rc_n
			   : (double)NAN;
	case SERIES_so_qlen:
		return rs->rs_nlisteners > 0
			   ? (double)sc->sc_qsum / rs->rs_nlisteners /
				 length(rs, slice)
			   : (double)NAN;
	case SERIES_so_qlen_max:
		return (double)sc->sc_qmax;
	case SERIES_requests:
		return (double)rc->rc_n / rs->rs_reps;
	case SERIES_client_resets:
	case SERIES_client_syn_retries:
	case SERIES_connections:
	case SERIES_drop_ack_queue_full:
	case SERIES_drop_rx_ring:
	case SERIES_drop_syn_queue_full:
	case SERIES_drop_tx_queue:
	case SERIES_token_wait_ns:
	case SERIES_tx_backlog:
		return counted(rs, sc, s);
	case SERIES_N:
		break;
	}
	SIM_BUG("no series %d", (int)s);
}

static double
counted(const struct result *rs, const struct slice *sc, enum series s)
{
	const int64_t values[SERIES_N] = {
#define SLICE_COUNTER(name) [SERIES_##name] = sc->sc_counters[SLICE_##name],
#include "model/slice.def"
#undef SLICE_COUNTER
		[SERIES_connections] = sc->sc_conns,
		[SERIES_token_wait_ns] = sc->sc_token_wait_ns,
		[SERIES_tx_backlog] = sc->sc_tx_backlog,
	};

	return (double)values[s] / rs->rs_reps;
}

/* Of the time of so many CPUs. */
static double
pct(const struct result *rs, int slice, int64_t ns, int cpus)
{
	return cpus > 0 ? 100 * (double)ns / cpus / length(rs, slice)
			: (double)NAN;
}

/* ns, of all replications. */
static double
length(const struct result *rs, int slice)
{
	const int64_t from = slice * rs->rs_slice_ns;
	const int64_t end = rs->rs_measure_ns / rs->rs_reps;

	return (double)(sim_min(end, from + rs->rs_slice_ns) - from) *
	       rs->rs_reps;
}

void
series_value_json(const char *name, double value, FILE *fp)
{
	enum series s = series_find(name);

	if (!isfinite(value))
		fputs("null", fp);
	else if (s == SERIES_N)
		fprintf(fp, "%.17g", value);
	else
		fprintf(fp, "%.*f", series_infos[s].si_digits, value);
}
