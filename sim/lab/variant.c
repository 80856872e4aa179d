#include "sim/lab/variant.h"

#include <math.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/lookup.h"
#include "sim/lab/sweep.h"

static struct scenario *load(const struct variants *, const struct variant *);
static bool records_read(
    struct store *, const struct trial *, struct variant *);

bool
variants_open(struct variants *vs, const struct cli_args *ca)
{
	*vs = (struct variants){
		.vs_args = ca,
		.vs_experiment = {
			.ex_store = experiment_store(ca, false),
			.ex_options = experiment_options(ca, NULL),
		},
	};
	/* Many small batches: their progress is for who watches. */
	vs->vs_experiment.ex_options.ro_quiet = !isatty(STDERR_FILENO);
	return vs->vs_experiment.ex_store != NULL;
}

void
variants_close(struct variants *vs)
{
	store_close(vs->vs_experiment.ex_store);
}

enum run_status
variants_run(struct variants *vs, struct variant *va, int n)
{
	struct experiment *ex = &vs->vs_experiment;
	struct trial *tr = sim_calloc(n, sizeof(*tr));
	enum run_status status = RUN_DONE;

	for (int i = 0; i < n && !vs->vs_refused; i++) {
		tr[i].tr_sc = load(vs, &va[i]);
		tr[i].tr_point = SCENARIO_BASE;
		tr[i].tr_reps = va[i].va_to;
		vs->vs_refused = tr[i].tr_sc == NULL;
	}
	if (vs->vs_refused) {
		status = RUN_FAILED;
	} else if (n > 0) {
		ex->ex_options.ro_scenario = tr[0].tr_sc->sc_name;
		status = experiment_run(ex, tr, n);
		if (status == RUN_FAILED && !ex->ex_broken)
			status = RUN_DONE;
	}
	for (int i = 0; i < n && status == RUN_DONE; i++) {
		if (!records_read(ex->ex_store, &tr[i], &va[i]))
			status = RUN_FAILED;
	}
	for (int i = 0; i < n; i++) {
		scenario_destroy(tr[i].tr_sc);
		trial_fini(&tr[i]);
	}
	sim_free(tr);
	return status;
}

void
variants_fini(struct variant *va, int n)
{
	for (int i = 0; i < n; i++) {
		for (int r = va[i].va_from;
		     va[i].va_records != NULL && r < va[i].va_to; r++)
			record_destroy(va[i].va_records[r - va[i].va_from]);
		sim_free(va[i].va_records);
		va[i].va_records = NULL;
	}
}

/* Returns: NULL after errors, which were said. */
static struct scenario *
load(const struct variants *vs, const struct variant *va)
{
	const struct cli_args *ca = vs->vs_args;
	const int n = ca->ca_nsets + va->va_nsets;
	const char **sets = sim_calloc((size_t)n + 1, sizeof(*sets));
	char *path = lookup_scenario(ca->ca_files[0]);
	struct scenario *sc;
	struct diag d;

	for (int i = 0; i < n; i++)
		sets[i] = i < ca->ca_nsets ? ca->ca_sets[i]
					   : va->va_sets[i - ca->ca_nsets];
	diag_init(&d);
	sc = scenario_load(path, sets, n, lookup_hardware_dir(), &d);
	diag_print(&d, stderr);
	diag_fini(&d);
	sim_free(path);
	sim_free(sets);
	return sc;
}

static bool
records_read(struct store *st, const struct trial *tr, struct variant *va)
{
	int state;

	va->va_records = sim_calloc(
	    (size_t)(va->va_to - va->va_from) + 1, sizeof(struct record *));
	for (int r = va->va_from; r < va->va_to; r++) {
		struct record **rd = &va->va_records[r - va->va_from];

		state = store_state(st, tr->tr_id, tr->tr_seed, (uint32_t)r);
		if (state == STORE_DONE)
			*rd =
			    store_get(st, tr->tr_id, tr->tr_seed, (uint32_t)r);
		if (state < 0 || (state == STORE_DONE && *rd == NULL))
			return false;
	}
	return true;
}

double
variant_metric(const struct record *rd, enum metric m)
{
	if (rd == NULL)
		return NAN;
	if (key_metrics[m].km_unit == UNIT_TIME &&
	    record_metric(rd, key_metrics[METRIC_REQUESTS].km_json) == 0)
		return INFINITY;
	return record_metric(rd, key_metrics[m].km_json);
}

int
variants_exit(const struct variants *vs, enum run_status status)
{
	if (status == RUN_INTERRUPTED)
		return EXIT_INTERRUPTED;
	return vs->vs_refused ? EXIT_USAGE : EXIT_FAILED;
}
