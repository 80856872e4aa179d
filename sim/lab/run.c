#include "sim/lab/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/assert.h"
#include "sim/lab/progress.h"
#include "sim/lab/run_child.h"
#include "sim/lab/text.h"

#define MAX_JOBS RUN_MAX_JOBS
#define LOG_MAX 65536  /* of a child's stderr */
#define ERROR_MAX 4000 /* of it, in what is reported: its end */
#define ASK_AGAIN_NS 500000000LL
#define TICK_NS 1000000000LL

struct child {
	pid_t ch_pid;
	struct run_job *ch_job;
	int ch_fds[2]; /* frames, stderr; -1: at its end */
	char *ch_in;   /* frames not yet complete */
	size_t ch_nin;
	char *ch_log;
	size_t ch_nlog;
	sim_ns ch_now;
	int64_t ch_start;   /* wall */
	const char *ch_why; /* killed by us: the option that says so */
};

struct batch {
	const struct run_options *ba_ro;
	struct run_feed *ba_feed;
	struct child ba_children[MAX_JOBS];
	int ba_nchildren, ba_max;
	struct progress_state ba_state; /* of those that ended */
	struct progress ba_progress;
	int64_t ba_ticked; /* wall */
	int64_t ba_asked;  /* wall: when the feed told us to wait; 0: never */
	bool ba_stop;
};

/* Jobs of an array, as a feed. */
struct array {
	struct run_job *ar_jobs;
	int ar_n, ar_next;
};

static bool start_some(struct batch *);
static bool child_start(struct batch *, struct run_job *);
static void child_read(struct batch *, struct child *, int which);
static void child_frames(struct batch *, struct child *);
static void child_end(struct batch *, struct child *);
static void child_report(struct batch *, const struct child *, int status);
static char *child_error(const struct child *, int status);
static void child_forget(struct batch *, struct child *);
static void check_limits(struct batch *);
static int64_t resident_bytes(pid_t);
static void wait_some(struct batch *, const sigset_t *);
static void tick(struct batch *);
static void show(struct batch *, bool now);
static void kill_all(struct batch *);
static void signals_take(sigset_t *old, struct sigaction *);
static void signals_back(const sigset_t *old, const struct sigaction *);
static struct run_job *array_next(void *, bool *wait);
static bool array_done(void *, struct run_job *);

static volatile sig_atomic_t interrupted, asked;

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP };
static const int ask_signals[] = {
	SIGUSR1,
#ifdef SIGINFO
	SIGINFO,
#endif
};
#define NSTOP (sizeof(stop_signals) / sizeof(stop_signals[0]))
#define NASK (sizeof(ask_signals) / sizeof(ask_signals[0]))

enum run_status
run_fed(struct run_feed *rf, const struct run_options *ro)
{
	struct batch *ba = sim_calloc(1, sizeof(*ba));
	struct sigaction old[NSTOP + NASK];
	enum run_status status = RUN_DONE;
	sigset_t mask;

	ba->ba_ro = ro;
	ba->ba_feed = rf;
	ba->ba_max =
	    ro->ro_jobs > 0 ? ro->ro_jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (ba->ba_max > MAX_JOBS)
		ba->ba_max = MAX_JOBS;
	progress_init(&ba->ba_progress);
	signals_take(&mask, old);
	while (!interrupted && !ba->ba_stop && start_some(ba)) {
		wait_some(ba, &mask);
		check_limits(ba);
		tick(ba);
		show(ba, asked);
		asked = 0;
	}
	progress_clear(&ba->ba_progress);
	kill_all(ba);
	if (interrupted)
		status = RUN_INTERRUPTED;
	else if (ba->ba_stop || ba->ba_state.ps_failed > 0)
		status = RUN_FAILED;
	signals_back(&mask, old);
	sim_free(ba);
	return status;
}

enum run_status
run_jobs(struct run_job *jobs, int n, const struct run_options *ro)
{
	struct array ar = { jobs, n, 0 };
	struct run_feed rf = { array_next, array_done, NULL, &ar, n, 0 };

	for (int i = 0; i < n; i++)
		rf.rf_total += run_length(&jobs[i]);
	return run_fed(&rf, ro);
}

static struct run_job *
array_next(void *arg, bool *wait)
{
	struct array *ar = arg;

	*wait = false;
	return ar->ar_next < ar->ar_n ? &ar->ar_jobs[ar->ar_next++] : NULL;
}

/* What went wrong has been said. */
static bool
array_done(void *arg, struct run_job *rj)
{
	(void)arg;
	sim_free(rj->rj_error);
	rj->rj_error = NULL;
	return rj->rj_result != NULL;
}

sim_ns
run_length(const struct run_job *rj)
{
	const struct setup_run *sr = &rj->rj_setup->su_run;

	/* A pilot is as long as what it is for; its cut is not known yet. */
	return (sr->sr_warmup_auto ? sr->sr_measure : sr->sr_warmup) +
	       sr->sr_measure;
}

/* Returns: false when nothing runs and nothing will. */
static bool
start_some(struct batch *ba)
{
	struct run_job *rj;
	bool wait = false;

	if (ba->ba_asked != 0 && wall_ns() - ba->ba_asked < ASK_AGAIN_NS)
		return true;
	ba->ba_asked = 0;
	while (ba->ba_nchildren < ba->ba_max && !interrupted) {
		rj = ba->ba_feed->rf_next(ba->ba_feed->rf_arg, &wait);
		if (rj == NULL)
			break;
		rj->rj_result = NULL;
		rj->rj_error = NULL;
		if (!child_start(ba, rj)) {
			ba->ba_stop = true;
			return false;
		}
	}
	if (wait)
		ba->ba_asked = wall_ns();
	return wait || ba->ba_nchildren > 0;
}

/* Let the feed do what it does now and then. */
static void
tick(struct batch *ba)
{
	if (ba->ba_feed->rf_tick == NULL || wall_ns() - ba->ba_ticked < TICK_NS)
		return;
	ba->ba_ticked = wall_ns();
	if (!ba->ba_feed->rf_tick(ba->ba_feed->rf_arg))
		ba->ba_stop = true;
}

static void
on_signal(int sig)
{
	for (size_t i = 0; i < NSTOP; i++) {
		if (sig == stop_signals[i])
			interrupted = 1;
	}
	if (!interrupted)
		asked = 1;
}

/* Blocked but for the moments in which we wait. */
static void
signals_take(sigset_t *mask, struct sigaction *old)
{
	struct sigaction sa = { .sa_handler = on_signal };
	sigset_t set;

	interrupted = asked = 0;
	sigemptyset(&set);
	for (size_t i = 0; i < NSTOP; i++)
		sigaddset(&set, stop_signals[i]);
	for (size_t i = 0; i < NASK; i++)
		sigaddset(&set, ask_signals[i]);
	sigprocmask(SIG_BLOCK, &set, mask);
	for (size_t i = 0; i < NSTOP; i++)
		sigaction(stop_signals[i], &sa, &old[i]);
	for (size_t i = 0; i < NASK; i++)
		sigaction(ask_signals[i], &sa, &old[NSTOP + i]);
}

static void
signals_back(const sigset_t *mask, const struct sigaction *old)
{
	for (size_t i = 0; i < NSTOP; i++)
		sigaction(stop_signals[i], &old[i], NULL);
	for (size_t i = 0; i < NASK; i++)
		sigaction(ask_signals[i], &old[NSTOP + i], NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/*
 * The parent decides when a child stops, and a child does not outlive it. Keys
 * of the terminal reach both, so the child ignores them.
 */
static void
child_main(const struct batch *ba, const struct run_job *rj, pid_t parent,
    int out, int err)
{
	for (size_t i = 0; i < NSTOP; i++)
		signal(stop_signals[i], SIG_IGN);
	for (size_t i = 0; i < NASK; i++)
		signal(ask_signals[i], SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1); /* it died before that */
	dup2(err, STDERR_FILENO);
	setvbuf(stderr, NULL, _IOLBF, 0);
	run_child(rj, ba->ba_ro, out);
}

/* Returns: false after an error. */
static bool
child_start(struct batch *ba, struct run_job *rj)
{
	struct child *ch = &ba->ba_children[ba->ba_nchildren];
	pid_t parent = getpid();
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC) != 0) {
		fprintf(stderr, "solab: pipe: %s\n", strerror(errno));
		return false;
	}
	if (pipe2(err, O_CLOEXEC) != 0) {
		fprintf(stderr, "solab: pipe: %s\n", strerror(errno));
		close(out[0]);
		close(out[1]);
		return false;
	}
	fflush(NULL);
	*ch = (struct child){
		.ch_job = rj,
		.ch_fds = { out[0], err[0] },
		.ch_start = wall_ns(),
	};
	ch->ch_pid = fork();
	if (ch->ch_pid == 0)
		child_main(ba, rj, parent, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	if (ch->ch_pid < 0) {
		fprintf(stderr, "solab: fork: %s\n", strerror(errno));
		close(out[0]);
		close(err[0]);
		return false;
	}
	ch->ch_in =
	    sim_calloc(1, sizeof(struct run_frame) + sizeof(struct result) + 1);
	ch->ch_log = sim_calloc(1, LOG_MAX + 1);
	ba->ba_nchildren++;
	return true;
}

static void
wait_some(struct batch *ba, const sigset_t *mask)
{
	const struct timespec tick = { .tv_nsec = 200000000 };
	struct pollfd fds[2 * MAX_JOBS];
	int n = 0;

	for (int i = 0; i < ba->ba_nchildren; i++)
		for (int k = 0; k < 2; k++)
			fds[n++] = (struct pollfd){
				.fd = ba->ba_children[i].ch_fds[k],
				.events = POLLIN,
			};
	if (ppoll(fds, n, &tick, mask) <= 0)
		return;
	/* From the end: a child that ends is replaced by the last one. */
	for (int i = ba->ba_nchildren - 1; i >= 0; i--) {
		struct child *ch = &ba->ba_children[i];

		for (int k = 0; k < 2; k++) {
			if (fds[2 * i + k].revents != 0)
				child_read(ba, ch, k);
		}
		if (ch->ch_fds[0] < 0 && ch->ch_fds[1] < 0)
			child_end(ba, ch);
	}
}

static void
child_read(struct batch *ba, struct child *ch, int which)
{
	const size_t room = sizeof(struct run_frame) + sizeof(struct result);
	char spill[4096], *at = spill;
	size_t size = sizeof(spill);
	ssize_t n;

	if (which == 0) {
		at = ch->ch_in + ch->ch_nin;
		size = room - ch->ch_nin;
	} else if (ch->ch_nlog < LOG_MAX) {
		at = ch->ch_log + ch->ch_nlog;
		size = LOG_MAX - ch->ch_nlog;
	}
	n = read(ch->ch_fds[which], at, size);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(ch->ch_fds[which]);
		ch->ch_fds[which] = -1;
	} else if (which == 0) {
		ch->ch_nin += (size_t)n;
		child_frames(ba, ch);
	} else if (at != spill) {
		ch->ch_nlog += (size_t)n;
	}
}

/* Take what is complete. */
static void
child_frames(struct batch *ba, struct child *ch)
{
	struct run_frame rf;
	size_t whole;

	(void)ba;
	while (ch->ch_nin >= sizeof(rf)) {
		memcpy(&rf, ch->ch_in, sizeof(rf));
		whole = sizeof(rf) + rf.rf_size;
		if (ch->ch_nin < whole)
			return;
		if (rf.rf_kind == RUN_FRAME_RESULT) {
			SIM_ASSERT(rf.rf_size <= sizeof(struct result));
			ch->ch_job->rj_result =
			    sim_calloc(1, sizeof(struct result));
			memcpy(ch->ch_job->rj_result, ch->ch_in + sizeof(rf),
			    rf.rf_size);
			SIM_ASSERT(
			    rf.rf_size == result_size(ch->ch_job->rj_result));
			result_relocate(ch->ch_job->rj_result);
		} else {
			SIM_ASSERT(rf.rf_size == sizeof(ch->ch_now));
			memcpy(&ch->ch_now, ch->ch_in + sizeof(rf),
			    sizeof(ch->ch_now));
		}
		ch->ch_nin -= whole;
		memmove(ch->ch_in, ch->ch_in + whole, ch->ch_nin);
	}
}

static void
child_end(struct batch *ba, struct child *ch)
{
	struct run_job *rj = ch->ch_job;
	int status;

	while (waitpid(ch->ch_pid, &status, 0) < 0 && errno == EINTR)
		;
	ba->ba_state.ps_done_ns += run_length(rj);
	if (status != 0 || rj->rj_result == NULL) {
		child_report(ba, ch, status);
		sim_free(rj->rj_result);
		rj->rj_result = NULL;
		rj->rj_error = child_error(ch, status);
		ba->ba_state.ps_failed++;
	} else {
		ba->ba_state.ps_done++;
		if (ch->ch_nlog > 0) {
			progress_clear(&ba->ba_progress);
			fwrite(ch->ch_log, 1, ch->ch_nlog, stderr);
		}
	}
	child_forget(ba, ch);
	if (!ba->ba_feed->rf_done(ba->ba_feed->rf_arg, rj))
		ba->ba_stop = true;
}

/* How it ended, in words. */
static void
child_how(const struct child *ch, int status, FILE *fp)
{
	double now = (double)ch->ch_now * 1e-9;

	if (ch->ch_why != NULL)
		fprintf(fp, "%s, at %.3f s of simulated time", ch->ch_why, now);
	else if (WIFSIGNALED(status))
		fprintf(fp, "killed by signal %d (%s), at %.3f s",
		    WTERMSIG(status), strsignal(WTERMSIG(status)), now);
	else
		fprintf(fp, "exit status %d", WEXITSTATUS(status));
}

static void
child_report(struct batch *ba, const struct child *ch, int status)
{
	const struct run_job *rj = ch->ch_job;

	progress_clear(&ba->ba_progress);
	fwrite(ch->ch_log, 1, ch->ch_nlog, stderr);
	if (ch->ch_nlog > 0 && ch->ch_log[ch->ch_nlog - 1] != '\n')
		fputc('\n', stderr);
	fputs("solab: run failed: ", stderr);
	text_print(stderr, ba->ba_ro->ro_scenario);
	fputs(", ", stderr);
	text_print(stderr, rj->rj_label);
	fprintf(stderr, ", seed %u, replication %u: ",
	    (unsigned)rj->rj_setup->su_run.sr_seed, (unsigned)rj->rj_rep);
	child_how(ch, status, stderr);
	fputc('\n', stderr);
}

/* Gives the end of what it wrote, and how it ended. */
static char *
child_error(const struct child *ch, int status)
{
	size_t from = ch->ch_nlog > ERROR_MAX ? ch->ch_nlog - ERROR_MAX : 0;
	char *text, *copy;
	size_t n;
	FILE *fp = open_memstream(&text, &n);

	if (fp == NULL)
		SIM_BUG("open_memstream: %s", strerror(errno));
	child_how(ch, status, fp);
	if (ch->ch_nlog > from)
		fprintf(
		    fp, "\n%.*s", (int)(ch->ch_nlog - from), ch->ch_log + from);
	fclose(fp);
	copy = sim_strdup(text);
	free(text);
	return copy;
}

/* Kill those that took too long, or too much memory. */
static void
check_limits(struct batch *ba)
{
	const struct run_options *ro = ba->ba_ro;

	for (int i = 0; i < ba->ba_nchildren; i++) {
		struct child *ch = &ba->ba_children[i];

		if (ch->ch_why != NULL)
			continue;
		if (ro->ro_time_ns > 0 &&
		    wall_ns() - ch->ch_start > ro->ro_time_ns)
			ch->ch_why = "took longer than --time-limit";
		else if (ro->ro_memory_bytes > 0 &&
			 resident_bytes(ch->ch_pid) > ro->ro_memory_bytes)
			ch->ch_why = "took more memory than --memory-limit";
		if (ch->ch_why != NULL)
			kill(ch->ch_pid, SIGKILL);
	}
}

/* With its pilot, if it has one. 0: cannot be told. */
static int64_t
resident_bytes(pid_t pid)
{
	char path[64];
	long long pages = 0;
	int64_t pilot = 0;
	int child;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
	    (int)pid);
	fp = fopen(path, "re");
	if (fp != NULL) {
		if (fscanf(fp, "%d", &child) == 1)
			pilot = resident_bytes(child);
		fclose(fp);
	}
	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	fp = fopen(path, "re");
	if (fp == NULL)
		return pilot;
	if (fscanf(fp, "%*d %lld", &pages) != 1)
		pages = 0;
	fclose(fp);
	return pilot + pages * sysconf(_SC_PAGESIZE);
}

static void
child_forget(struct batch *ba, struct child *ch)
{
	for (int k = 0; k < 2; k++) {
		if (ch->ch_fds[k] >= 0)
			close(ch->ch_fds[k]);
	}
	sim_free(ch->ch_in);
	sim_free(ch->ch_log);
	*ch = ba->ba_children[--ba->ba_nchildren];
}

static void
kill_all(struct batch *ba)
{
	while (ba->ba_nchildren > 0) {
		struct child *ch = &ba->ba_children[ba->ba_nchildren - 1];

		kill(ch->ch_pid, SIGKILL);
		while (waitpid(ch->ch_pid, NULL, 0) < 0 && errno == EINTR)
			;
		child_forget(ba, ch);
	}
}

static void
show(struct batch *ba, bool now)
{
	struct progress_state ps = ba->ba_state;

	if (!now && ba->ba_ro->ro_quiet)
		return;
	ps.ps_running = ba->ba_nchildren;
	ps.ps_runs = ba->ba_feed->rf_runs;
	ps.ps_total_ns = ba->ba_feed->rf_total;
	for (int i = 0; i < ba->ba_nchildren; i++)
		ps.ps_done_ns += ba->ba_children[i].ch_now;
	progress_update(&ba->ba_progress, &ps, now);
}
