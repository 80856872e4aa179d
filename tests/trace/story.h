#ifndef TESTS_TRACE_STORY_H
#define TESTS_TRACE_STORY_H

/*
 * A story: a scenario of this folder, run once as it is and once without
 * look-ahead (which must not change a letter), and what its trace tells.
 *
 * How to read the long form. Each line is one charge: the time at which it
 * begins, its CPU and thread, its ns, and the sum since the CPU was last idle.
 * A line's time is the time of the line before it on that CPU, and that line's
 * ns; what does not follow from this is said: "idle", with its length, and
 * "interrupted", after which the sum also holds what the interrupted charge
 * still has to run. Lines without a charge take no time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/kern/sched.h"
#include "model/model.h"
#include "model/trace.h"
#include "sim/lab/scenario.h"

#define STORY_CPUS 8
#define STORY_SETS 12
#define STORY_KIND(name) (1ull << TRACE_##name)
/* What only says again, or for a machine to read, what other kinds tell. */
#define STORY_PLAIN                                                        \
	(STORY_KIND(SYSCALL) | STORY_KIND(SYSRET) | STORY_KIND(MSG_SEND) | \
	    STORY_KIND(MSG_TAKE) | STORY_KIND(IPIQ_SEND) |                 \
	    STORY_KIND(IPIQ_TAKE) | STORY_KIND(WAKEUP) | STORY_KIND(SO_QLEN))
#define STORY_ALL (~STORY_PLAIN)
#define STORY_EVENTS (~STORY_PLAIN & ~STORY_KIND(COST))

struct story {
	const char *sy_file; /* under tests/trace/ */
	const char *sy_sets[STORY_SETS + 1];
	sim_ns sy_from, sy_to; /* window; who has a CPU is told from 0 on */
	uint64_t sy_kinds;     /* STORY_KIND bits to print */
	bool sy_server_only;
	bool sy_frames; /* and what passes the server's port (of one link) */
	/* After the trace; may be NULL. */
	void (*sy_end)(FILE *, const struct model *);
	/* Called every so often while it runs; may be NULL. */
	void (*sy_watch)(FILE *, const struct model *, sim_ns now);
	sim_ns sy_every;
};

struct story_cpu {
	sim_ns sc_end;	/* all that was charged is done */
	sim_ns sc_busy; /* since when the CPU is not idle */
	struct trace_who sc_who;
};

struct story_teller {
	FILE *te_out;
	const struct story *te_story;
	struct model *te_model;
	struct story_cpu te_cpus[STORY_CPUS];
	FILE *te_null;	  /* for what comes before the window */
	bool te_begun[2]; /* sequence numbers are told from the first on */
	uint32_t te_first[2];
};

static inline void
story_cpu_name(const struct model *md, int where, char *buf, size_t size)
{
	const struct model_cpu *mc = &md->md_cpus[where];
	const struct setup *su = md->md_setup;
	int peer = mc->mc_machine - su->su_nmachines;

	snprintf(buf, size, "%s.%d",
	    peer < 0 ? su->su_machines[mc->mc_machine].sm_name
		     : su->su_peers[peer].pe_name,
	    mc->mc_cpu->c_id);
}

static inline void
story_time(FILE *f, sim_ns t)
{
	fprintf(f, "%lld.%09lld", (long long)(t / 1000000000),
	    (long long)(t % 1000000000));
}

/* Of freebsd-2007, whose threads have names, the name. */
static inline const char *
story_who(const struct model *md, const struct trace_who *tw)
{
	const struct machine *m = &md->md_machines[0];

	if (m->m_bsd != NULL && tw->tw_thread == TRACE_TD_USER && !tw->tw_intr)
		return sched_thread_name(m, tw->tw_index);
	return trace_who_name(tw);
}

static inline void
story_cost(struct story_teller *te, const struct sim_trace *st, uint64_t i,
    const char *cpu)
{
	const struct sim_trace_rec *tr = &st->st_recs[i];
	struct story_cpu *sc = &te->te_cpus[tr->tr_where];
	bool peer = tr->tr_where >= te->te_model->md_nserver_cpus;
	FILE *f = te->te_out;

	if (tr->tr_time > sc->sc_end) {
		story_time(f, tr->tr_time);
		fprintf(f, "  %-9s was idle for %lld\n", cpu,
		    (long long)(tr->tr_time - sc->sc_end));
		sc->sc_end = sc->sc_busy = tr->tr_time;
	} else if (tr->tr_time < sc->sc_end && tr->tr_a == COST_intr) {
		story_time(f, tr->tr_time);
		fprintf(f, "  %-9s interrupted, %lld still to run\n", cpu,
		    (long long)(sc->sc_end - tr->tr_time));
	}
	sc->sc_end += tr->tr_b;
	story_time(f, tr->tr_time);
	fprintf(f, "  %-9s %-7s %7lld %8lld  %s\n", cpu,
	    peer ? "wrk" : story_who(te->te_model, &sc->sc_who),
	    (long long)tr->tr_b, (long long)(sc->sc_end - sc->sc_busy),
	    cost_infos[tr->tr_a].ci_name);
}

/* SAF etc. */
static inline void
story_flags(FILE *f, int flags)
{
	static const char letters[] = "FSRPA";

	for (int i = 0; i < 5; i++)
		if (flags & 1 << i)
			fputc(letters[i], f);
}

static inline void
story_event(
    struct story_teller *te, const struct sim_trace_rec *tr, const char *cpu)
{
	const struct sim_trace_kind *tk = &trace_kinds[tr->tr_kind];
	FILE *f = te->te_out;

	story_time(f, tr->tr_time);
	fprintf(f, "  %-9s ", cpu);
	if (te->te_story->sy_kinds & STORY_KIND(COST))
		fprintf(f, "%-6s %7s %8s  ", "", "", "");
	fprintf(f, "* %s: ", tk->tk_name);
	if (tr->tr_kind == TRACE_RX || tr->tr_kind == TRACE_TX) {
		story_flags(f, (int)tr->tr_a);
		fprintf(f, " len %lld", (long long)tr->tr_b);
	} else {
		/* The formats are the model's own. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		fprintf(
		    f, tk->tk_format, (long long)tr->tr_a, (long long)tr->tr_b);
#pragma GCC diagnostic pop
	}
	if (tr->tr_id != 0)
		fprintf(f, " (client port %u)", flow_port(tr->tr_id));
	fputc('\n', f);
}

/* A frame at the server's port, or what became of it there. */
static inline void
story_frame(struct story_teller *te, const struct sim_trace_rec *tr)
{
	const struct model *md = te->te_model;
	int dir = (tr->tr_where - md->md_ncpus) % 2;
	struct pkt p = trace_frame_pkt(tr);
	FILE *f = te->te_out;

	story_time(f, tr->tr_time);
	fprintf(f, "  %-9s ", dir == 0 ? "<- wire" : "-> wire");
	if (tr->tr_kind == TRACE_RING_DROP) {
		fprintf(f, "dropped: %lld of %lld descriptors taken\n",
		    (long long)tr->tr_a, (long long)tr->tr_b);
		return;
	}
	for (int d = 0; d < 2; d++) {
		uint32_t seq = d == dir ? p.p_seq : p.p_ack;

		if (!te->te_begun[d] && (d == dir || (p.p_flags & TH_ACK)))
			te->te_first[d] = seq - (d != dir);
		te->te_begun[d] |= d == dir || (p.p_flags & TH_ACK);
	}
	story_flags(f, p.p_flags);
	fprintf(f, " seq %u", p.p_seq - te->te_first[dir]);
	if (p.p_flags & TH_ACK)
		fprintf(f, " ack %u", p.p_ack - te->te_first[!dir]);
	fprintf(f, " win %u len %u%s\n", p.p_win, p.p_len,
	    trace_frame_lost(tr) ? " LOST" : "");
}

static inline void
story_trace(struct story_teller *te, struct sim_trace *st)
{
	FILE *out = te->te_out;

	sim_trace_sort(st);
	SIM_ASSERT(st->st_lost == 0);
	te->te_null = fopen("/dev/null", "w");
	for (uint64_t i = 0; i < st->st_n; i++) {
		const struct sim_trace_rec *tr = &st->st_recs[i];
		char cpu[32];

		if (tr->tr_kind == TRACE_FRAME ||
		    tr->tr_kind == TRACE_RING_DROP) {
			te->te_out = tr->tr_time < te->te_story->sy_from
					 ? te->te_null
					 : out;
			story_frame(te, tr);
			continue;
		}
		SIM_ASSERT(tr->tr_where < STORY_CPUS);
		if (trace_who_next(&te->te_cpus[tr->tr_where].sc_who, tr))
			continue;
		if ((te->te_story->sy_kinds & 1ull << tr->tr_kind) == 0)
			continue;
		if (te->te_story->sy_server_only &&
		    tr->tr_where >= te->te_model->md_nserver_cpus)
			continue;
		story_cpu_name(te->te_model, tr->tr_where, cpu, sizeof(cpu));
		te->te_out =
		    tr->tr_time < te->te_story->sy_from ? te->te_null : out;
		if (tr->tr_kind == TRACE_COST)
			story_cost(te, st, i, cpu);
		else
			story_event(te, tr, cpu);
	}
	fclose(te->te_null);
	te->te_out = out;
}

/* An actor that looks at the model now and then. */
static inline void
story_watch(void *arg)
{
	const struct story_teller *te = arg;
	const struct story *sy = te->te_story;

	for (sim_ns t = sy->sy_every; t < te->te_model->md_end;
	     t += sy->sy_every) {
		engine_wait_until(t);
		sy->sy_watch(te->te_out, te->te_model, t);
	}
}

/* Run a story and write what it tells. */
static inline void
story_tell(const struct story *sy, FILE *out, bool exact)
{
	struct story_teller te = { .te_out = out, .te_story = sy };
	struct model_options mo = { .mo_exact = exact };
	struct sim_trace st;
	struct scenario *sc;
	static struct setup su;
	struct diag d;
	char path[256];
	int nsets = 0;

	while (nsets < STORY_SETS && sy->sy_sets[nsets] != NULL)
		nsets++;
	snprintf(path, sizeof(path), "tests/trace/%s", sy->sy_file);
	diag_init(&d);
	sc = scenario_load(path, sy->sy_sets, nsets, "tests/trace", &d);
	if (sc == NULL) {
		diag_print(&d, stderr);
		exit(2);
	}
	scenario_point(sc, SCENARIO_BASE, &su);
	/* CPUs look when they are made whether they are traced. */
	sim_trace_open(&st, trace_kinds, 0, sy->sy_to, 1000000);
	if (!sy->sy_frames)
		st.st_wanted &=
		    ~(1ull << TRACE_FRAME | 1ull << TRACE_RING_DROP);
	te.te_model = model_create(&su, &mo);
	if (sy->sy_watch != NULL)
		engine_actor_create("watch", 0, story_watch, &te);
	model_run(te.te_model);
	story_trace(&te, &st);
	if (sy->sy_end != NULL)
		sy->sy_end(out, te.te_model);
	sim_trace_close(&st);
	model_destroy(te.te_model);
	scenario_destroy(sc);
	diag_fini(&d);
}

/* The same in a process of its own: one engine each. Gives the text. */
static inline char *
story_fork(const struct story *sy, bool exact)
{
	size_t len = 0, cap = 0;
	char *text = NULL;
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	fflush(NULL);
	if (pipe(fds) != 0 || (pid = fork()) < 0)
		exit(2);
	if (pid == 0) {
		FILE *out = fdopen(fds[1], "w");

		close(fds[0]);
		story_tell(sy, out, exact);
		exit(fclose(out) != 0);
	}
	close(fds[1]);
	do {
		if (cap - len < 65536)
			text = sim_realloc(text, cap += 1 << 20, 1);
		n = read(fds[0], text + len, 65536 - 1);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	text[len] = '\0';
	close(fds[0]);
	waitpid(pid, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "the run failed\n%s", text);
		exit(1);
	}
	return text;
}

/* Print a story; end the program when look-ahead changes it. */
static inline void
story_print(const struct story *sy)
{
	char *text = story_fork(sy, false), *exact = story_fork(sy, true);

	fputs(text, stdout);
	if (strcmp(text, exact) != 0) {
		printf("WITHOUT LOOK-AHEAD:\n%s", exact);
		exit(1);
	}
	sim_free(text);
	sim_free(exact);
}

/* A counter of the measured time, by its name. */
static inline void
story_counter(FILE *f, const struct model *md, enum counter c)
{
	fprintf(f, "%-26s %lld\n", counter_infos[c].cn_name,
	    (long long)model_counter(md, c));
}

#endif
