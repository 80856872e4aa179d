#include "sim/lab/run_pilot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"

static void pilot_process(const struct run_job *, const struct run_options *,
    void (*progress)(sim_ns now, sim_ns end, void *), void *arg, int fd)
    __attribute__((noreturn));
static bool report_read(int fd, struct pilot_report *);
static int series_cut(const struct result_series *, int nslices);

struct pilot *
pilot_run(const struct run_job *rj, const struct run_options *ro,
    void (*progress)(sim_ns now, sim_ns end, void *), void *arg)
{
	const pid_t parent = getpid();
	struct pilot_report pr = { 0 };
	struct pilot *pi;
	int fds[2], status = 0;
	bool ok;
	pid_t pid;

	fflush(NULL);
	if (pipe2(fds, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		fprintf(stderr, "solab: pilot: %s\n", strerror(errno));
		return NULL;
	}
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1); /* it died before that */
		pilot_process(rj, ro, progress, arg, fds[1]);
	}
	close(fds[1]);
	ok = report_read(fds[0], &pr);
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		fprintf(stderr, "solab: pilot: killed by signal %d (%s)\n",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (status != 0 || !ok)
		fprintf(stderr, "solab: pilot: exit status %d\n",
		    WEXITSTATUS(status));
	if (status != 0 || !ok)
		return NULL;
	pi = sim_calloc(1, sizeof(*pi));
	pi->pi_setup = *rj->rj_setup;
	pi->pi_setup.su_run.sr_warmup_auto = false;
	pi->pi_setup.su_run.sr_warmup = pr.pr_cut;
	pi->pi_report = pr;
	return pi;
}

static void
pilot_process(const struct run_job *rj, const struct run_options *ro,
    void (*progress)(sim_ns now, sim_ns end, void *), void *arg, int fd)
{
	struct setup *su = sim_calloc(1, sizeof(*su));
	const struct run_job job = {
		.rj_setup = su,
		.rj_rep = rj->rj_rep | PILOT_REP,
		.rj_label = rj->rj_label,
	};
	struct result *rs = result_create();
	struct pilot_report pr;
	struct model *md;
	int64_t wall;

	*su = *rj->rj_setup;
	su->su_run.sr_warmup_auto = false;
	su->su_run.sr_warmup = 0;
	md = run_here(&job, ro, progress, arg, &wall);
	result_extract(rs, md, wall);
	model_destroy(md);
	pr = (struct pilot_report){
		.pr_cut = pilot_cut(rs),
		.pr_simulated_ns = rs->rs_simulated_ns,
		.pr_wall_ns = wall,
		.pr_engine_calls = rs->rs_engine_calls,
		.pr_events = rs->rs_events,
		.pr_peak_bytes = rs->rs_peak_bytes,
	};
	fflush(stderr);
	/* Less than a pipe takes at once. */
	_exit(write(fd, &pr, sizeof(pr)) == sizeof(pr) ? 0 : 1);
}

static bool
report_read(int fd, struct pilot_report *pr)
{
	char *p = (char *)pr;
	size_t got = 0;
	ssize_t n;

	while (got < sizeof(*pr)) {
		n = read(fd, p + got, sizeof(*pr) - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	return true;
}

void
pilot_account(const struct pilot *pi, struct result *rs)
{
	const struct pilot_report *pr = &pi->pi_report;

	rs->rs_simulated_ns += pr->pr_simulated_ns;
	rs->rs_wall_ns += pr->pr_wall_ns;
	rs->rs_engine_calls += pr->pr_engine_calls;
	rs->rs_events += pr->pr_events;
	rs->rs_peak_bytes = sim_max(rs->rs_peak_bytes, pr->pr_peak_bytes);
}

sim_ns
pilot_cut(const struct result *rs)
{
	struct result_series *re = sim_calloc(1, sizeof(*re));
	int latency, rate;

	result_latencies(rs, re);
	latency = series_cut(re, rs->rs_nslices);
	result_rates(rs, re);
	rate = series_cut(re, rs->rs_nslices);
	sim_free(re);
	return (latency > rate ? latency : rate) * rs->rs_slice_ns;
}

/* Returns: slices to cut, up to the middle. */
static int
series_cut(const struct result_series *re, int nslices)
{
	int cut;

	if (re->re_n < STAT_MIN_SLICES)
		return 0;
	cut = re->re_slices[abs(stat_mser5(re->re_values, re->re_n, NULL))];
	return cut < nslices / 2 ? cut : nslices / 2;
}
