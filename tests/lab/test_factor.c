/* What a sensitivity analysis moves, and how far. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/alloc.h"
#include "sim/lab/factor.h"

struct rig {
	struct scenario *sc;
	struct factors fs;
	struct diag d;
	bool made;
};

static void
rig_init(struct rig *rg, const char *file, const char *const *sets, int nsets,
    const char *const *params, int nparams, bool peers)
{
	const struct factor_options fo = {
		.fo_params = params,
		.fo_nparams = nparams,
		.fo_peers = peers,
		.fo_step = 0.1,
		.fo_spread = 2,
	};

	diag_init(&rg->d);
	rg->sc = scenario_load(file, sets, nsets, "scenarios/hardware", &rg->d);
	assert_non_null(rg->sc);
	rg->made = factors_make(rg->sc, &fo, &rg->fs, &rg->d);
}

static void
rig_fini(struct rig *rg)
{
	factors_fini(&rg->fs);
	scenario_destroy(rg->sc);
	diag_fini(&rg->d);
}

static const struct factor *
find(const struct rig *rg, const char *name)
{
	for (int i = 0; i < rg->fs.fs_n; i++) {
		if (strcmp(rg->fs.fs_list[i].fa_name, name) == 0)
			return &rg->fs.fs_list[i];
	}
	return NULL;
}

static const struct hardware *
profile(const struct rig *rg, const char *name)
{
	const struct hardware *ha = rg->sc->sc_hardware;

	while (ha != NULL && strcmp(ha->ha_name, name) != 0)
		ha = ha->ha_next;
	assert_non_null(ha);
	return ha;
}

/* Those that vary without anything else having to. */
static int
uncertain(const struct hardware *ha)
{
	int n = 0;

	for (size_t i = 0; i < ha->ha_nentries; i++) {
		const struct hardware_entry *he = &ha->ha_entries[i];

		n += (he->he_kind == HARDWARE_GUESS ||
			 he->he_kind == HARDWARE_FITTED) &&
		     (he->he_key->k_store == STORE_INT64 ||
			 he->he_key->k_store == STORE_DOUBLE);
	}
	return n;
}

static void
test_every_guessed_and_fitted_cost(void **state)
{
	const struct factor *fa;
	struct rig rg;

	(void)state;
	rig_init(
	    &rg, "scenarios/accept-predication.yaml", NULL, 0, NULL, 0, false);
	assert_true(rg.made);
	assert_int_equal(rg.fs.fs_n, uncertain(profile(&rg, "i7-2600")));
	assert_true(rg.fs.fs_n > 40);
	assert_int_equal(rg.fs.fs_nset, 0);
	for (int i = 0; i < rg.fs.fs_n; i++)
		assert_string_equal(rg.fs.fs_list[i].fa_profile, "i7-2600");
	fa = find(&rg, "ngx_request");
	assert_string_equal(factor_kind(fa), "fitted");
	assert_int_equal(fa->fa_npaths, 1);
	assert_string_equal(fa->fa_paths[0], "server.hardware.ngx_request");
	/* Paper and datasheet are no guesses. */
	assert_null(find(&rg, "syscall"));
	assert_null(find(&rg, "ipi_send"));
	assert_null(find(&rg, "cache.knee"));
	assert_null(find(&rg, "host_connect"));
	rig_fini(&rg);
}

static void
test_ranges_and_ends(void **state)
{
	const struct factor *fa;
	struct rig rg;

	(void)state;
	rig_init(
	    &rg, "scenarios/accept-predication.yaml", NULL, 0, NULL, 0, false);
	/* 400ns, range 192ns..640ns */
	fa = find(&rg, "lwkt_switch");
	assert_true(fa->fa_ranged && fa->fa_log && fa->fa_moves);
	assert_true(fa->fa_base == 400);
	assert_true(fa->fa_down == 364 && fa->fa_up == 440);
	assert_true(factor_at(fa, 0) == 192);
	assert_true(factor_at(fa, 1) == 640);
	assert_true(factor_at(fa, 0.5) == rint(sqrt(192 * 640.0)));
	/* 800ns without: half and double */
	fa = find(&rg, "intr");
	assert_false(fa->fa_ranged);
	assert_true(factor_at(fa, 0) == 400);
	assert_true(factor_at(fa, 1) == 1600);
	/* A real number, at least 1. */
	fa = find(&rg, "smt_idle_speed");
	assert_true(fabs(fa->fa_up - 1.76) < 1e-12);
	assert_true(fabs(fa->fa_down - 1.6 / 1.1) < 1e-12);
	assert_true(factor_at(fa, 0) == 1);
	assert_true(fabs(factor_at(fa, 1) - 3.2) < 1e-12);
	/* 0: nothing in proportion to it. */
	fa = find(&rg, "open_file");
	assert_false(fa->fa_moves);
	assert_true(fa->fa_low == 0 && fa->fa_high == 0);
	rig_fini(&rg);
}

/* Two clients have one profile: one factor, both paths. */
static void
test_peers_share_a_factor(void **state)
{
	const struct factor *fa;
	char *sets[4];
	struct rig rg;

	(void)state;
	rig_init(&rg, "scenarios/soavailconn.yaml", NULL, 0, NULL, 0, true);
	fa = find(&rg, "host_connect");
	assert_non_null(fa);
	assert_string_equal(fa->fa_profile, "i7-3770");
	assert_int_equal(fa->fa_npaths, 2);
	assert_int_equal(factor_sets(fa, 1500, sets), 2);
	assert_string_equal(sets[0], "client0.hardware.host_connect=1500ns");
	assert_string_equal(sets[1], "client1.hardware.host_connect=1500ns");
	sim_free(sets[0]);
	sim_free(sets[1]);
	rig_fini(&rg);
}

/* What is set by hand is no guess any more. */
static void
test_set_costs_are_left_out(void **state)
{
	static const char *const sets[] = { "server.hardware.intr=2us" };
	struct rig rg;

	(void)state;
	rig_init(
	    &rg, "scenarios/accept-predication.yaml", sets, 1, NULL, 0, false);
	assert_null(find(&rg, "intr"));
	assert_int_equal(rg.fs.fs_nset, 1);
	assert_string_equal(rg.fs.fs_set[0], "server.hardware.intr");
	rig_fini(&rg);
}

static void
test_parameters_are_named(void **state)
{
	static const char *const params[] = { "somaxconn=64..1024",
		"server.hardware.intr=1us..3us" };
	const struct factor *fa;
	struct rig rg;
	int n = 0;

	(void)state;
	rig_init(&rg, "scenarios/accept-predication.yaml", NULL, 0, params, 2,
	    false);
	assert_true(rg.made);
	fa = &rg.fs.fs_list[0];
	assert_string_equal(fa->fa_name, "somaxconn");
	assert_string_equal(factor_kind(fa), "param");
	assert_string_equal(
	    fa->fa_paths[0], "server.sysctl.kern.ipc.somaxconn");
	assert_true(fa->fa_base == 128);
	assert_true(fa->fa_low == 64 && fa->fa_high == 1024);
	assert_true(fa->fa_down == 116 && fa->fa_up == 141);
	/* A cost that is named is moved once, in the range that was given. */
	for (int i = 0; i < rg.fs.fs_n; i++)
		n += strcmp(rg.fs.fs_list[i].fa_paths[0],
			 "server.hardware.intr") == 0;
	assert_int_equal(n, 1);
	assert_true(rg.fs.fs_list[1].fa_base == 800);
	assert_true(rg.fs.fs_list[1].fa_high == 3000);
	rig_fini(&rg);
}

static void
test_bad_parameters_are_explained(void **state)
{
	static const struct {
		const char *param, *words;
		int col, width;
	} bad[] = {
		{ "somaxconn", "want PATH=LOW..HIGH, as in soavailconn=1..256",
		    9, 9 },
		{ "=1..2", "want PATH=LOW..HIGH, as in soavailconn=1..256", 9,
		    5 },
		{ "somaxcon=1..2",
		    "unknown parameter 'somaxcon', did you mean 'somaxconn'?",
		    9, 8 },
		{ "nginx.reuseport=0..1",
		    "server.processes.nginx.reuseport: want a number or a "
		    "quantity",
		    9, 15 },
		{ "somaxconn=5", "range: want LOW..HIGH, as in 1..2", 19, 1 },
		{ "somaxconn=9..5", "9..5, want LOW below HIGH", 19, 4 },
		{ "object=1..2KiB",
		    "object: '1' has no unit (size: B KB KiB "
		    "MB MiB GB GiB)",
		    16, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rig rg;

		rig_init(&rg, "scenarios/accept-predication.yaml", NULL, 0,
		    &bad[i].param, 1, false);
		assert_false(rg.made);
		assert_int_equal(rg.d.d_nerrors, 1);
		assert_string_equal(rg.d.d_first->di_text, bad[i].words);
		assert_int_equal(rg.d.d_first->di_at.ds_col, bad[i].col);
		assert_int_equal(rg.d.d_first->di_at.ds_width, bad[i].width);
		rig_fini(&rg);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_guessed_and_fitted_cost),
		cmocka_unit_test(test_ranges_and_ends),
		cmocka_unit_test(test_peers_share_a_factor),
		cmocka_unit_test(test_set_costs_are_left_out),
		cmocka_unit_test(test_parameters_are_named),
		cmocka_unit_test(test_bad_parameters_are_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
