/*
 * --hgrm and --hlog: of several replications, the merged histograms; errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/core/alloc.h"
#include "sim/lab/hist_files.h"

/* Two replications: 3 ms twice and 5 ms; cycles are 10 times as long. */
static void
point_open(struct point *po)
{
	static const int64_t ms[2][2] = { { 3, 5 }, { 3, 0 } };

	*po = (struct point){ .po_reps = 2 };
	po->po_setup.su_run.sr_measure = sim_ms(250);
	po->po_results = sim_calloc(2, sizeof(*po->po_results));
	po->po_merged = result_create();
	for (int r = 0; r < 2; r++) {
		struct result *rs = result_create();

		rs->rs_reps = 1;
		rs->rs_warmup_ns = sim_ms(1500);
		for (int i = 0; i < 2 && ms[r][i] > 0; i++) {
			hist_record(&rs->rs_latency, sim_ms(ms[r][i]));
			hist_record(&rs->rs_cycle, sim_ms(10 * ms[r][i]));
		}
		result_merge(po->po_merged, rs);
		po->po_results[r] = rs;
	}
}

static void
point_close(struct point *po)
{
	for (int r = 0; r < 2; r++)
		sim_free(po->po_results[r]);
	sim_free(po->po_results);
	sim_free(po->po_merged);
}

static char *
temporary(char *path)
{
	int fd;

	strcpy(path, "/tmp/solab-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	return path;
}

static void
check_line(FILE *fp, const char *start, const struct hist *want)
{
	char line[8192];
	struct hist h;

	assert_non_null(fgets(line, sizeof(line), fp));
	assert_memory_equal(line, start, strlen(start));
	assert_int_equal(hist_log_read(&h, line), 0);
	assert_memory_equal(h.h_counts, want->h_counts,
	    (size_t)want->h_counts_len * sizeof(*h.h_counts));
	hist_fini(&h);
}

static void
test_replications_are_merged(void **state)
{
	char hgrm[32], hlog[32], line[8192];
	const struct cli_args ca = {
		.ca_hgrm = temporary(hgrm),
		.ca_hlog = temporary(hlog),
	};
	struct hist_files hf;
	struct point po;
	FILE *fp;

	(void)state;
	point_open(&po);
	assert_int_equal(hist_files_open(&hf, &ca), EXIT_OK);
	assert_int_equal(hist_files_write(&hf, &po), EXIT_OK);
	hist_files_close(&hf);

	fp = fopen(hlog, "r");
	assert_non_null(fp);
	for (int i = 0; i < 3; i++)
		assert_non_null(fgets(line, sizeof(line), fp));
	check_line(fp, "Tag=latency,1.500,0.250,5.000,HISTFAAA",
	    &po.po_merged->rs_latency);
	check_line(fp, "Tag=cycle,1.500,0.250,50.000,HISTFAAA",
	    &po.po_merged->rs_cycle);
	assert_null(fgets(line, sizeof(line), fp));
	fclose(fp);

	/* In ms, with the exact mean of the three. */
	fp = fopen(hgrm, "r");
	assert_non_null(fp);
	for (int i = 0; i < 3; i++)
		assert_non_null(fgets(line, sizeof(line), fp));
	assert_string_equal(
	    line, "       3.000 0.000000000000          2           1.00\n");
	while (strncmp(line, "#[Mean", 6) != 0)
		assert_non_null(fgets(line, sizeof(line), fp));
	assert_string_equal(
	    line, "#[Mean    =        3.667, StdDeviation   =        1.155]\n");
	fclose(fp);
	unlink(hgrm);
	unlink(hlog);
	point_close(&po);
}

static void
test_what_is_not_wanted_is_not_written(void **state)
{
	const struct cli_args ca = { .ca_nfiles = 0 };
	struct hist_files hf;
	struct point po;

	(void)state;
	point_open(&po);
	assert_int_equal(hist_files_open(&hf, &ca), EXIT_OK);
	assert_null(hf.hf_hgrm);
	assert_null(hf.hf_hlog);
	assert_int_equal(hist_files_write(&hf, &po), EXIT_OK);
	hist_files_close(&hf);
	point_close(&po);
}

/* The other file is whole, whichever cannot be written. */
static void
test_a_full_disk_fails_one_file(void **state)
{
	char good[32], line[8192];
	struct hist_files hf;
	struct point po;
	FILE *fp;

	(void)state;
	point_open(&po);
	for (int i = 0; i < 2; i++) {
		struct cli_args ca = { .ca_hgrm = temporary(good),
			.ca_hlog = "/dev/full" };
		int lines = 0;

		if (i == 1) {
			ca.ca_hgrm = "/dev/full";
			ca.ca_hlog = good;
		}
		assert_int_equal(hist_files_open(&hf, &ca), EXIT_OK);
		assert_int_equal(hist_files_write(&hf, &po), EXIT_FAILED);
		hist_files_close(&hf);
		fp = fopen(good, "r");
		assert_non_null(fp);
		while (fgets(line, sizeof(line), fp) != NULL)
			lines++;
		assert_true(lines >= 5);
		fclose(fp);
		unlink(good);
	}
	point_close(&po);
}

static void
test_no_folder_is_an_error_before_the_run(void **state)
{
	const struct cli_args ca = { .ca_hlog = "/nonexistent/f" };
	struct hist_files hf;

	(void)state;
	assert_int_equal(hist_files_open(&hf, &ca), EXIT_FAILED);
	assert_null(hf.hf_hgrm);
	assert_null(hf.hf_hlog);
}

static void
test_one_file_is_not_both(void **state)
{
	const struct cli_args ca = { .ca_hgrm = "/nonexistent/f",
		.ca_hlog = "/nonexistent/f" };
	struct hist_files hf;

	(void)state;
	assert_int_equal(hist_files_open(&hf, &ca), EXIT_USAGE);
	assert_null(hf.hf_hgrm);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replications_are_merged),
		cmocka_unit_test(test_what_is_not_wanted_is_not_written),
		cmocka_unit_test(test_a_full_disk_fails_one_file),
		cmocka_unit_test(test_no_folder_is_an_error_before_the_run),
		cmocka_unit_test(test_one_file_is_not_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
