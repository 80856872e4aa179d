#include "sim/lab/run_child.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "model/net/pkt.h"
#include "model/trace.h"
#include "sim/core/alloc.h"
#include "sim/lab/progress.h"
#include "sim/lab/run_pilot.h"
#include "sim/lab/units.h"

#define REPORT_NS 100000000LL /* real time between two reports */

struct sender {
	int fd;
	int64_t last; /* wall */
	sim_ns base;  /* of the pilot: simulated before */
	sim_ns span;  /* what the run counts as, when that is not its length */
};

static bool send_frame(int fd, enum run_frame_kind, const void *, size_t);
static void send_progress(sim_ns now, sim_ns end, void *);
static void trace_begin(const struct run_trace *, const struct setup_run *);
static bool trace_end(const struct run_trace *, const struct model *);
static void trace_seek(const struct run_trace *);
static bool trace_write(const struct run_trace *, const struct run_trace_file *,
    const struct model *);
static bool trace_write_once(const struct run_trace_file *, struct sim_trace *,
    const struct model *, int64_t *bytes);
static void trace_warn(const struct run_trace *, const struct run_trace_file *,
    const struct sim_trace *);
static void where(char *, int);

static struct sim_trace trace;

void
run_child(const struct run_job *rj, const struct run_options *ro, int fd)
{
	struct sender sd = { .fd = fd, .last = wall_ns() };
	struct run_job job = *rj;
	struct pilot *pi = NULL;
	struct result *rs;
	struct model *md;
	int64_t wall;
	bool ok = true;

	if (rj->rj_setup->su_run.sr_warmup_auto) {
		pi = pilot_run(rj, ro, send_progress, &sd);
		if (pi == NULL) {
			fflush(stderr);
			_exit(1);
		}
		job.rj_setup = &pi->pi_setup;
		sd.base = sd.span = rj->rj_setup->su_run.sr_measure;
	}
	md = run_here(&job, ro, send_progress, &sd, &wall);
	rs = result_create();
	result_extract(rs, md, wall);
	if (pi != NULL)
		pilot_account(pi, rs);
	if (rj->rj_trace != NULL)
		ok = trace_end(rj->rj_trace, md);
	model_destroy(md);
	sim_bug_set_context(NULL);
	ok = ok && send_frame(fd, RUN_FRAME_RESULT, rs, result_size(rs));
	sim_free(rs);
	sim_free(pi);
	fflush(stderr);
	_exit(ok ? 0 : 1);
}

struct model *
run_here(const struct run_job *rj, const struct run_options *ro,
    void (*progress)(sim_ns now, sim_ns end, void *), void *arg, int64_t *wall)
{
	const struct model_options mo = {
		.mo_exact = ro->ro_exact,
		.mo_rep = rj->rj_rep,
		.mo_progress = progress,
		.mo_progress_arg = arg,
	};
	const struct sim_bug_context bc = {
		.bc_seed = rj->rj_setup->su_run.sr_seed,
		.bc_scenario = ro->ro_scenario,
		.bc_where = where,
	};
	struct model *md;
	int64_t start = wall_ns();

	sim_bug_set_context(&bc);
	if (rj->rj_trace != NULL)
		trace_begin(rj->rj_trace, &rj->rj_setup->su_run);
	md = model_create(rj->rj_setup, &mo);
	model_run(md);
	*wall = wall_ns() - start;
	return md;
}

static void
where(char *buf, int len)
{
	sim_ns now = engine_now();

	snprintf(buf, len, "at %lld.%09lld s, in %s",
	    (long long)(now / 1000000000), (long long)(now % 1000000000),
	    engine_actor_name());
}

/* What a CPU that runs ahead would do after the end does not happen. */
static void
trace_begin(const struct run_trace *rt, const struct setup_run *sr)
{
	sim_ns end = sim_min(rt->rt_to, sr->sr_warmup + sr->sr_measure);

	sim_trace_open(&trace, trace_kinds, rt->rt_from, end, rt->rt_limit);
	trace.st_wanted = rt->rt_kinds | TRACE_STATES;
	trace.st_states = TRACE_STATES;
	/* Of one connection it would stay, and be of all. */
	if (rt->rt_only == 0)
		trace.st_states |= 1ull << TRACE_SO_QLEN;
	trace.st_only = rt->rt_only;
	trace.st_place = rt->rt_cpu;
	trace.st_nplaces = rt->rt_ncpus;
	trace.st_bytes = rt->rt_bytes;
}

static bool
trace_end(const struct run_trace *rt, const struct model *md)
{
	bool ok = true;

	sim_trace_sort(&trace);
	trace_seek(rt);
	for (int i = 0; i < rt->rt_n; i++)
		ok = trace_write(rt, &rt->rt_files[i], md) && ok;
	sim_trace_close(&trace);
	return ok;
}

/* A connection of which there is nothing may be a wrong one. */
static void
trace_seek(const struct run_trace *rt)
{
	if (rt->rt_only == 0)
		return;
	for (uint64_t i = 0; i < trace.st_n; i++)
		if (trace.st_recs[i].tr_id == rt->rt_only)
			return;
	fprintf(stderr,
	    "solab: warning: the trace has nothing of connection %u:%u\n",
	    flow_addr(rt->rt_only), flow_port(rt->rt_only));
}

/*
 * A file that has become too long is written again with fewer records: as many
 * as would have fitted if all took the same room, and a few less. One that
 * cannot be written again, a pipe, may be as long as it likes.
 */
static bool
trace_write(const struct run_trace *rt, const struct run_trace_file *rf,
    const struct model *md)
{
	struct sim_trace part = trace;
	int64_t bytes = 0;

	for (;;) {
		if (!trace_write_once(rf, &part, md, &bytes))
			return false;
		if (rt->rt_bytes == 0 || bytes <= rt->rt_bytes ||
		    part.st_n == 0)
			break;
		part = sim_trace_head(
		    &part, (uint64_t)((double)part.st_n * (double)rt->rt_bytes /
				      (double)bytes * 0.99));
		if (fseeko(rf->rf_fp, 0, SEEK_SET) != 0 ||
		    ftruncate(fileno(rf->rf_fp), 0) != 0) {
			fprintf(stderr, "solab: %s: %s\n", rf->rf_name,
			    strerror(errno));
			return false;
		}
	}
	if (part.st_lost > 0)
		trace_warn(rt, rf, &part);
	return true;
}

static bool
trace_write_once(const struct run_trace_file *rf, struct sim_trace *st,
    const struct model *md, int64_t *bytes)
{
	bool ok = rf->rf_write(rf->rf_fp, rf->rf_name, st, md);

	if (fflush(rf->rf_fp) != 0 || ferror(rf->rf_fp)) {
		fprintf(
		    stderr, "solab: %s: %s\n", rf->rf_name, strerror(errno));
		return false;
	}
	*bytes = ftello(rf->rf_fp); /* -1: a pipe */
	return ok;
}

static void
trace_warn(const struct run_trace *rt, const struct run_trace_file *rf,
    const struct sim_trace *st)
{
	char from[UNIT_TEXT_MAX], to[UNIT_TEXT_MAX], size[UNIT_TEXT_MAX];

	unit_print(UNIT_TIME, st->st_to, from);
	unit_print(UNIT_TIME, st->st_until, to);
	unit_print(UNIT_SIZE, rt->rt_bytes, size);
	fprintf(stderr,
	    "solab: warning: %s is cut at %lld.%09lld s: %llu records more did "
	    "not fit",
	    rf->rf_name, (long long)(st->st_to / 1000000000),
	    (long long)(st->st_to % 1000000000),
	    (unsigned long long)st->st_lost);
	if (rt->rt_bytes > 0)
		fprintf(stderr,
		    "; --trace-window %s..%s has the rest, or have a "
		    "--trace-limit above %s",
		    from, to, size);
	fputc('\n', stderr);
}

static void
send_progress(sim_ns now, sim_ns end, void *arg)
{
	struct sender *sd = arg;

	if (wall_ns() - sd->last < REPORT_NS)
		return;
	sd->last = wall_ns();
	if (sd->span > 0)
		now = sd->base +
		      (sim_ns)((double)now / (double)end * (double)sd->span);
	send_frame(sd->fd, RUN_FRAME_PROGRESS, &now, sizeof(now));
}

static bool
send_bytes(int fd, const void *bytes, size_t size)
{
	const char *p = bytes;
	ssize_t n;

	while (size > 0) {
		n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		p += n;
		size -= (size_t)n;
	}
	return true;
}

static bool
send_frame(int fd, enum run_frame_kind kind, const void *body, size_t size)
{
	struct run_frame rf = { kind, (uint32_t)size };

	return send_bytes(fd, &rf, sizeof(rf)) && send_bytes(fd, body, size);
}
