#include "sim/lab/hist_files.h"

#include <errno.h>
#include <string.h>

#define NS_PER_MS 1e6
#define TICKS_PER_HALF 5 /* as HdrHistogram's own tools */

static bool file_open(FILE **, const char *file);
static void write_hlog(FILE *, const struct point *);
static bool file_done(FILE **, const char *file);

int
hist_files_open(struct hist_files *hf, const struct cli_args *ca)
{
	*hf = (struct hist_files){
		.hf_hgrm_name = ca->ca_hgrm,
		.hf_hlog_name = ca->ca_hlog,
	};
	if (ca->ca_hgrm != NULL && ca->ca_hlog != NULL &&
	    strcmp(ca->ca_hgrm, ca->ca_hlog) == 0)
		return cli_usage(
		    "run", "--hgrm and --hlog: '%s' is both", ca->ca_hgrm);
	if (file_open(&hf->hf_hgrm, ca->ca_hgrm) &&
	    file_open(&hf->hf_hlog, ca->ca_hlog))
		return EXIT_OK;
	hist_files_close(hf);
	return EXIT_FAILED;
}

static bool
file_open(FILE **fp, const char *file)
{
	if (file == NULL)
		return true;
	*fp = fopen(file, "we");
	if (*fp == NULL)
		fprintf(stderr, "solab: %s: %s\n", file, strerror(errno));
	return *fp != NULL;
}

int
hist_files_write(struct hist_files *hf, const struct point *po)
{
	const struct hist *latency = &po->po_merged->rs_latency;
	bool ok;

	if (hf->hf_hgrm != NULL)
		hist_hgrm(hf->hf_hgrm, latency, TICKS_PER_HALF, NS_PER_MS);
	if (hf->hf_hlog != NULL)
		write_hlog(hf->hf_hlog, po);
	ok = file_done(&hf->hf_hgrm, hf->hf_hgrm_name);
	return file_done(&hf->hf_hlog, hf->hf_hlog_name) && ok ? EXIT_OK
							       : EXIT_FAILED;
}

/*
 * HdrHistogram's writers divide an interval's maximum by 1e6 where values are
 * nanoseconds. Simulated time begins at 0 of the log's clock.
 */
static void
write_hlog(FILE *fp, const struct point *po)
{
	const struct setup_run *sr = &po->po_setup.su_run;
	double start = (double)po->po_results[0]->rs_warmup_ns * 1e-9;
	double length = (double)sr->sr_measure * 1e-9;

	hist_log_header(fp, 0);
	hist_log_line(fp, &po->po_merged->rs_latency, "latency", start, length,
	    NS_PER_MS);
	hist_log_line(
	    fp, &po->po_merged->rs_cycle, "cycle", start, length, NS_PER_MS);
}

/* Close one, if it is open. Returns: whether all of it was written. */
static bool
file_done(FILE **fp, const char *file)
{
	bool bad;

	if (*fp == NULL)
		return true;
	errno = 0;
	bad = fflush(*fp) != 0 || ferror(*fp);
	if (fclose(*fp) != 0)
		bad = true;
	*fp = NULL;
	if (bad)
		fprintf(stderr, "solab: %s: %s\n", file,
		    errno != 0 ? strerror(errno) : "write error");
	return !bad;
}

void
hist_files_close(struct hist_files *hf)
{
	if (hf->hf_hgrm != NULL)
		fclose(hf->hf_hgrm);
	if (hf->hf_hlog != NULL)
		fclose(hf->hf_hlog);
	hf->hf_hgrm = hf->hf_hlog = NULL;
}
