#ifndef SIM_LAB_SERIES_H
#define SIM_LAB_SERIES_H

/*
 * The time series of a run: one table (sim/lab/series.def) that says what each
 * one is, and the values behind it, one a slice from the start of the
 * measurement. The last slice may be shorter than run.slice.
 *
 * Context: anywhere. Time: none.
 */
#include <stdio.h>

#include "sim/lab/result.h"

enum series {
#define SERIES(name, kind, unit, digits, help) SERIES_##name,
#include "sim/lab/series.def"
#undef SERIES
	SERIES_N
};

/* What a value says of its slice. */
enum series_kind {
	SERIES_SUM,  /* what came together: over the length it is a rate */
	SERIES_MEAN, /* over the time of the slice, or what ended in it */
	SERIES_MAX,
	SERIES_END, /* how it was at the end */
};

struct series_info {
	const char *si_name; /* drop_rx_ring */
	enum series_kind si_kind;
	const char *si_unit; /* "ns", "%", or what is counted */
	int si_digits;	     /* after the point, in JSON */
	const char *si_help;
};

/* Indexed by enum series, in the order of names. */
extern const struct series_info series_infos[SERIES_N];

/* "sum", "mean", "max", "end" */
const char *series_kind_name(enum series_kind);

/* Returns: the series of that name; SERIES_N: none. */
enum series series_find(const char *name);

/* Does the run have it? Only where CPUs share do they wait for tokens. */
bool series_has(enum series, const struct result *);

/*
 * Of a merged result the mean over its replications, of a SERIES_MAX the
 * largest. NAN: a mean of nothing.
 */
double series_value(enum series, const struct result *, int slice);

/* As a JSON number, by the series' name; null for NAN. */
void series_value_json(const char *name, double value, FILE *);

#endif
