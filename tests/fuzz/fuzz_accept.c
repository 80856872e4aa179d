/*
 * accept(2) on a listener that CPUs share, against a queue and a counter:
 * random sequences of connections, accepts, closes and signals, with and
 * without look-ahead. No socket may be lost, given twice or out of order;
 * those who wait have theirs in the order of their waiting; nobody waits
 * beside a socket.
 *
 *	fuzz_accept [FIRST-SEED [NUMBER]]
 *
 * or ACCEPT_SEED and ACCEPT_RUNS in the environment. A sequence that fails is
 * made as short as it goes, and printed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/accept_run.h"

#define RUNS 150
#define RUNS_SLOW 20	 /* with thread contexts (sanitizers) */
#define CHILD_SECONDS 10 /* of CPU time */
#define SHRINK_RUNS 500

static struct report *reports[2]; /* with look-ahead, and without */

/* All threads have done what they had to, or wait where they may. */
static void
end_threads(void)
{
	int waiting = 0;

	for (int t = 0; t < ref.nthreads; t++) {
		const struct actor *ac = &run_actors[t];
		const struct thread *td = ac->ac_proc.p_thread;
		const struct kqueue *kq = &ac->ac_kq;
		bool waits = false;

		for (int i = 0; i < ref.nwait; i++)
			waits |= ref.wait[i].rw_thread->rt_td == td;
		waiting += waits;
		REF_CHECK(td->td_state == TD_SLEEP && td->td_ntoks <= 1,
		    "thread %d does not sleep, in %s", t, ac->ac_call);
		if (ac->ac_call == NULL)
			continue;
		if (strcmp(ac->ac_call, "kevent") == 0)
			REF_CHECK(kq->kq_sleeper == td && kq->kq_count == 0 &&
				      (ref.qlen == 0 || run_plan->pl_clear),
			    "thread %d sleeps in kevent: %d events, %d sockets",
			    t, kq->kq_count, ref.qlen);
		else
			REF_CHECK(waits && !td->td_signal,
			    "thread %d is stuck in %s", t, ac->ac_call);
	}
	REF_CHECK(waiting == ref.nwait, "somebody waits who is gone");
	REF_CHECK(ref.qlen == 0 || ref.nwait == 0,
	    "%d sockets, and %d wait for one", ref.qlen, ref.nwait);
}

static void
end_machine(void)
{
	const struct machine *m = ref.m;

	for (int i = 0; i < m->m_ntoks; i++)
		REF_CHECK(m->m_toks[i]->t_owner == NULL &&
			      m->m_toks[i]->t_spinners[0] == 0,
		    "%s %d is held at the end", m->m_toks[i]->t_desc,
		    m->m_toks[i]->t_index);
	for (int i = 0; i < m->m_ncpus; i++) {
		const struct globaldata *gd = m->m_gd[i];

		REF_CHECK((run_plan->pl_polling && !run_plan->pl_em) ||
			      (gd->gd_curthread == gd->gd_idle &&
				  TAILQ_EMPTY(&gd->gd_runq) &&
				  gd->gd_netisr.ni_port.mp_head == NULL),
		    "CPU %d is busy at the end", i);
		REF_CHECK(
		    gd->gd_ipiq == NULL || STAILQ_EMPTY(&gd->gd_ipiq->iq_queue),
		    "CPU %d has IPIs at the end", i);
		REF_CHECK(gd->gd_mbuf_pool.sp_inuse == 0, "mbufs are lost");
	}
}

/* Sockets that nobody but their descriptor, or the queue, knows. */
static size_t
so_gone(const struct so *so)
{
	return (so->so_state & SS_PCBGONE) != 0;
}

static size_t
so_knotes(const struct so *so)
{
	size_t n = 0;

	for (const struct knote *kn = so->so_note; kn != NULL; kn = kn->kn_next)
		n++;
	return n;
}

static void
end_balance(void)
{
	size_t sos = 0, knotes = so_knotes(&run_listener.sl_so), want = 0;
	int open = 0, closed = 0, freed = 0, files = 0, given = 0;
	const struct so *so;

	TAILQ_FOREACH (so, &run_listener.so_comp, so_list)
		want += so_gone(so);
	for (int t = 0; t < ref.nthreads; t++) {
		const struct actor *ac = &run_actors[t];

		open += ac->ac_nfds;
		files += ac->ac_proc.p_nfiles - ac->ac_proc.p_nfree - 1;
		for (int i = 0; i < ac->ac_nfds; i++) {
			so = fd_so(&ac->ac_proc, ac->ac_fds[i]);
			want += so_gone(so);
			knotes += so_knotes(so);
		}
	}
	for (int i = 0; i < 65536; i++) {
		REF_CHECK(ref.taken[i] == ref.given[i], "%d is lost", i);
		given += ref.given[i];
		want += run_rig.rg_flows[i].fl_pcb != NULL;
	}
	for (int i = 0; i < PLAN_OPS; i++) {
		closed += run_made[i].ma_closed;
		freed += run_made[i].ma_freed;
	}
	for (int i = 0; i < ref.m->m_ncpus; i++) {
		sos += ref.m->m_gd[i]->gd_so_pool.sp_inuse;
		knotes -= ref.m->m_gd[i]->gd_knote_pool.sp_inuse;
	}
	REF_CHECK(open == files, "%d sockets, %d descriptors", open, files);
	REF_CHECK(sos == want, "%zu sockets, want %zu", sos, want);
	REF_CHECK(knotes == 0, "%zd knotes are lost", -(ssize_t)knotes);
	REF_CHECK(
	    run_plan->pl_tcp || (given == open + closed && freed == closed),
	    "%d given, %d open, %d closed, %d freed", given, open, closed,
	    freed);
	REF_CHECK(ref.report->re_completed == given + ref.qlen &&
		      run_listener.sl_accepted == (uint64_t)given &&
		      run_listener.sl_completed ==
			  run_listener.sl_accepted + (uint64_t)ref.qlen,
	    "%d completed, %d given, %d queued", ref.report->re_completed,
	    given, ref.qlen);
}

static void
child(const struct plan *pl, bool exact, bool quiet)
{
	struct sim_trace st;

	if (quiet && freopen("/dev/null", "w", stderr) == NULL)
		exit(2);
	setrlimit(RLIMIT_CPU, &(struct rlimit){ CHILD_SECONDS, CHILD_SECONDS });
	run_plan = pl;
	ref.report = reports[exact];
	run_setup(pl, &run_rig);
	run_rig.rg_exact = exact;
	sim_trace_open(&st, trace_kinds, 0, SIM_NEVER, 0);
	rig_open(&run_rig);
	run_start(pl, &run_rig);
	rig_run(&run_rig, pl->pl_tcp ? run_clients : NULL);
	end_threads();
	end_machine();
	end_balance();
	for (int t = 0; t < pl->pl_nthreads; t++) {
		sched_thread_destroy(run_actors[t].ac_proc.p_thread);
		proc_fini(&run_actors[t].ac_proc);
	}
	sim_trace_close(&st);
	rig_close(&run_rig);
	exit(0);
}

/* Run in a process of its own. Returns: all is well. */
static bool
run_once(const struct plan *pl, bool exact, bool quiet)
{
	struct report *re = reports[exact];
	int status;
	pid_t pid;

	memset(re, 0, offsetof(struct report, re_recs));
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		abort();
	if (pid == 0)
		child(pl, exact, quiet);
	waitpid(pid, &status, 0);
	if (status != 0 && re->re_failures++ == 0)
		snprintf(re->re_text, sizeof(re->re_text),
		    "the run ends with status %x", (unsigned)status);
	return re->re_failures == 0;
}

/* The same to the last record? */
static bool
run_compare(void)
{
	struct sim_trace st[2] = { 0 };
	uint64_t i = 0;

	for (int e = 0; e < 2; e++) {
		st[e].st_recs = reports[e]->re_recs;
		st[e].st_n = reports[e]->re_n;
		sim_trace_sort(&st[e]);
		for (i = 0; i < st[e].st_n; i++)
			st[e].st_recs[i].tr_order = 0;
	}
	for (i = 0; i < st[0].st_n && i < st[1].st_n; i++)
		if (memcmp(&st[0].st_recs[i], &st[1].st_recs[i],
			sizeof(struct sim_trace_rec)) != 0)
			break;
	if (i == st[0].st_n && i == st[1].st_n)
		return true;
	snprintf(reports[0]->re_text, sizeof(reports[0]->re_text),
	    "look-ahead: %llu records, without %llu, the first other at %lld",
	    (unsigned long long)st[0].st_n, (unsigned long long)st[1].st_n,
	    (long long)st[0].st_recs[i].tr_time);
	return false;
}

static bool
plan_holds(const struct plan *pl, bool quiet)
{
	if (!run_once(pl, false, quiet))
		return false;
	if (run_once(pl, true, quiet))
		return run_compare();
	memcpy(reports[0]->re_text, reports[1]->re_text,
	    sizeof(reports[0]->re_text));
	return false;
}

/* Take out what is not needed for it to fail: halves first, then less. */
static void
plan_shrink(struct plan *pl)
{
	struct plan *less = sim_calloc(1, sizeof(*less));
	int runs = 0;

	for (int n = pl->pl_nops / 2; n > 0; n /= 2)
		for (int i = 0; i + n <= pl->pl_nops && runs++ < SHRINK_RUNS;) {
			*less = *pl;
			memmove(&less->pl_ops[i], &less->pl_ops[i + n],
			    sizeof(less->pl_ops[0]) *
				(size_t)(pl->pl_nops - i - n));
			less->pl_nops -= n;
			if (plan_holds(less, true))
				i += n;
			else
				*pl = *less;
		}
	sim_free(less);
}

/* Seeds that failed once. */
static const uint32_t fixed[] = { 1001, 1003, 1005, 1014, 5092, 14217 };

static long
argument(int argc, char **argv, int i, const char *name, long dflt)
{
	const char *value = argc > i ? argv[i] : getenv(name);

	return value == NULL ? dflt : strtol(value, NULL, 0);
}

int
main(int argc, char **argv)
{
	struct plan *pl = sim_calloc(1, sizeof(*pl));
	uint32_t seed = (uint32_t)argument(argc, argv, 1, "ACCEPT_SEED", 1);
	long n = argument(argc, argv, 2, "ACCEPT_RUNS",
	    getenv("SIM_FACTORY") != NULL ? RUNS_SLOW : RUNS);
	long nfixed = argc > 1 ? 0 : (long)(sizeof(fixed) / sizeof(fixed[0]));
	long sums[5] = { 0 };

	for (int e = 0; e < 2; e++)
		reports[e] =
		    mmap(NULL, sizeof(struct report), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (long i = 0; i < nfixed + n; i++) {
		const struct report *re = reports[0];

		plan_make(
		    pl, i < nfixed ? fixed[i] : seed + (uint32_t)(i - nfixed));
		if (!plan_holds(pl, true)) {
			fprintf(
			    stderr, "seed %u: %s\n", pl->pl_seed, re->re_text);
			plan_shrink(pl);
			plan_holds(pl, false);
			plan_print(stderr, pl);
			fprintf(stderr, "%s\n", re->re_text);
			return 1;
		}
		sums[0] += re->re_completed;
		sums[1] += re->re_accepted;
		sums[2] += re->re_waited;
		sums[3] += re->re_aborted;
		sums[4] += re->re_refused;
	}
	printf("%ld sequences: %ld sockets, %ld accepted, %ld waits, %ld ended "
	       "by a signal, %ld refused\n",
	    nfixed + n, sums[0], sums[1], sums[2], sums[3], sums[4]);
	sim_free(pl);
	return 0;
}
