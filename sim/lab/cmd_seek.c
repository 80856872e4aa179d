/*
 * solab seek: the smallest or largest value that keeps a condition.
 */
#include <math.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/lab/lookup.h"
#include "sim/lab/parameter.h"
#include "sim/lab/records.h"
#include "sim/lab/seek_output.h"

#define MIN_REPS 3
#define MAX_REPS 12
#define QUANTITY_NEAR 0.01 /* 1 % of a quantity is near enough */
#define GEOMETRIC_FROM 8   /* times the low end */
#define MOST_SCANNED 64

static struct scenario *load_low(const struct cli_args *);
static int answer(const struct cli_args *, struct seek_question *);
static bool ask(
    const struct cli_args *, struct scenario *, struct seek_question *);
static bool reps_take(const struct cli_args *, struct seek_problem *);
static bool side_take(const char *text, struct seek_problem *);
static bool parameter_take(const struct cli_args *, struct scenario *,
    struct seek_question *, struct diag *);
static bool resolution_take(
    const char *text, struct seek_question *, struct diag *);
static int scanned(const struct seek_problem *);
static bool evaluate(void *arg, struct seek_want *, int n);
static int exit_status(
    const struct seek_question *, const struct seek_result *);

int
cmd_seek(const struct cli_args *ca)
{
	struct scenario *sc = load_low(ca);
	struct seek_question sq = { .sq_scenario = sc };
	int status = EXIT_USAGE;

	if (sc == NULL)
		return EXIT_USAGE;
	if (ask(ca, sc, &sq)) {
		status = EXIT_FAILED;
		if (variants_open(&sq.sq_variants, ca)) {
			status = answer(ca, &sq);
			variants_close(&sq.sq_variants);
		}
	}
	scenario_destroy(sc);
	return status;
}

/*
 * With the low end set: there are parameters, such as an open client's rate,
 * without which a scenario is not complete.
 */
static struct scenario *
load_low(const struct cli_args *ca)
{
	struct cli_args with = *ca;
	char *low = sim_strdup(ca->ca_files[1]);
	char *dots = strstr(low, "..");
	struct scenario *sc;

	if (dots != NULL && with.ca_nsets < CLI_MAX_SETS) {
		*dots = '\0';
		with.ca_sets[with.ca_nsets++] = low;
	}
	sc = lookup_load(ca->ca_files[0], &with);
	sim_free(low);
	return sc;
}

static int
answer(const struct cli_args *ca, struct seek_question *sq)
{
	struct seek_result se;
	int status;

	sq->sq_problem.sk_evaluate = evaluate;
	sq->sq_problem.sk_arg = sq;
	if (!ca->ca_json)
		seek_print_question(stdout, sq);
	seek_solve(&sq->sq_problem, &se);
	if (se.se_end != SEEK_STOPPED && ca->ca_json)
		seek_print_json(stdout, sq, &se);
	else if (se.se_end != SEEK_STOPPED)
		seek_print_text(stdout, sq, &se);
	status = exit_status(sq, &se);
	seek_fini(&se);
	return status;
}

static int
exit_status(const struct seek_question *sq, const struct seek_result *se)
{
	if (se->se_end == SEEK_STOPPED)
		return variants_exit(&sq->sq_variants, sq->sq_status);
	return se->se_end == SEEK_FOUND && !se->se_broken ? EXIT_OK
							  : EXIT_FAILED;
}

/* All that the command line says; false after errors, which were said. */
static bool
ask(const struct cli_args *ca, struct scenario *sc, struct seek_question *sq)
{
	struct seek_problem *sk = &sq->sq_problem;
	struct diag d;
	bool good;

	if (!reps_take(ca, sk) || !side_take(ca->ca_files[2], sk))
		return false;
	diag_init(&d);
	good = parameter_take(ca, sc, sq, &d);
	good &= seek_condition_parse(ca->ca_files[3], &sk->sk_condition, &d);
	diag_print(&d, stderr);
	diag_fini(&d);
	return good;
}

static bool
reps_take(const struct cli_args *ca, struct seek_problem *sk)
{
	sk->sk_min_reps = ca->ca_reps > 0 ? ca->ca_reps : MIN_REPS;
	sk->sk_max_reps = ca->ca_max_reps;
	if (ca->ca_max_reps == 0)
		sk->sk_max_reps =
		    sk->sk_min_reps > MAX_REPS ? sk->sk_min_reps : MAX_REPS;
	sk->sk_scan = ca->ca_scan;
	if (sk->sk_min_reps < 2)
		cli_usage("seek", "--reps: one run has no interval, want 2");
	else if (sk->sk_max_reps < sk->sk_min_reps)
		cli_usage("seek", "--max-reps: %d, want %d or more",
		    sk->sk_max_reps, sk->sk_min_reps);
	else if (sk->sk_scan == 1 || sk->sk_scan > MOST_SCANNED)
		cli_usage("seek", "--scan: %d, want 2..%d", sk->sk_scan,
		    MOST_SCANNED);
	else
		return true;
	return false;
}

static bool
side_take(const char *text, struct seek_problem *sk)
{
	sk->sk_largest = strcmp(text, "largest") == 0;
	if (sk->sk_largest || strcmp(text, "smallest") == 0)
		return true;
	cli_usage("seek", "'%s', want smallest or largest", text);
	return false;
}

static bool
parameter_take(const struct cli_args *ca, struct scenario *sc,
    struct seek_question *sq, struct diag *d)
{
	struct seek_problem *sk = &sq->sq_problem;
	struct parameter *pm = &sq->sq_parameter;
	char unit[UNIT_TEXT_MAX];

	if (!parameter_parse(sc, "", ca->ca_files[1], pm, d))
		return false;
	if (pm->pm_low != rint(pm->pm_low) ||
	    pm->pm_high != rint(pm->pm_high) ||
	    pm->pm_key->k_type == KEY_REAL) {
		diag_error(d, diag_whole(NULL),
		    "%s: values between any two are not sought; want whole "
		    "numbers of %s",
		    pm->pm_path, unit_print(pm->pm_key->k_unit, 1, unit));
		return false;
	}
	sk->sk_low = llround(pm->pm_low);
	sk->sk_high = llround(pm->pm_high);
	sk->sk_step = 1;
	sk->sk_round = pm->pm_key->k_unit == UNIT_SIZE ? 2 : 10;
	sk->sk_geometric =
	    sk->sk_low >= 1 && sk->sk_high / sk->sk_low >= GEOMETRIC_FROM;
	if (pm->pm_key->k_type == KEY_QUANTITY)
		sk->sk_near = QUANTITY_NEAR;
	if (ca->ca_resolution != NULL &&
	    !resolution_take(ca->ca_resolution, sq, d))
		return false;
	if (sk->sk_scan == 0)
		sk->sk_scan = scanned(sk);
	return true;
}

/* A value of the parameter's unit, or a percentage of the value. */
static bool
resolution_take(const char *text, struct seek_question *sq, struct diag *d)
{
	struct seek_problem *sk = &sq->sq_problem;
	const enum unit_kind unit = sq->sq_parameter.pm_key->k_unit;
	const bool share =
	    unit != UNIT_PERCENT && text[strlen(text) - 1] == '%';
	struct unit_error ue;
	struct quantity q;

	if (!unit_parse(share ? UNIT_PERCENT : unit, text, &q, &ue)) {
		diag_error(d, diag_whole(NULL), "--resolution: %s", ue.ue_text);
		return false;
	}
	if (share ? q.q_real < 0 || q.q_real >= 100
		  : !q.q_whole || q.q_int < 1) {
		diag_error(d, diag_whole(NULL), "--resolution: '%s', want %s",
		    text,
		    share ? "0%..100%"
			  : "a whole number of base units, from 1");
		return false;
	}
	sk->sk_near = share ? q.q_real / 100 : 0;
	sk->sk_step = share ? 1 : q.q_int;
	return true;
}

/* A value each time that it doubles, or quarters of the range. */
static int
scanned(const struct seek_problem *sk)
{
	const double doublings = log2((double)sk->sk_high / (double)sk->sk_low);

	if (!sk->sk_geometric)
		return 5;
	return doublings < 8 ? (int)ceil(doublings) + 1 : 9;
}

static bool
evaluate(void *arg, struct seek_want *sw, int n)
{
	struct seek_question *sq = arg;
	const struct parameter *pm = &sq->sq_parameter;
	struct variant *va = sim_calloc(n, sizeof(*va));
	char **sets = sim_calloc(n, sizeof(char *));

	for (int i = 0; i < n; i++) {
		sets[i] = parameter_set(
		    pm->pm_key, pm->pm_path, (double)sw[i].sw_value);
		va[i] = (struct variant){
			.va_sets = &sets[i],
			.va_nsets = 1,
			.va_from = sw[i].sw_from,
			.va_to = sw[i].sw_to,
		};
	}
	sq->sq_status = variants_run(&sq->sq_variants, va, n);
	for (int i = 0; i < n && sq->sq_status == RUN_DONE; i++) {
		for (int r = 0; r < sw[i].sw_to - sw[i].sw_from; r++) {
			struct record *rd = va[i].va_records[r];

			sw[i].sw_y[r] = variant_metric(
			    rd, sq->sq_problem.sk_condition.sn_metric);
			if (rd != NULL && !records_steady(&rd, 1))
				sw[i].sw_unsteady = true;
		}
	}
	variants_fini(va, n);
	for (int i = 0; i < n; i++)
		sim_free(sets[i]);
	sim_free(sets);
	sim_free(va);
	return sq->sq_status == RUN_DONE;
}
