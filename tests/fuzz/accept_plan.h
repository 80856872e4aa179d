#ifndef TESTS_FUZZ_ACCEPT_PLAN_H
#define TESTS_FUZZ_ACCEPT_PLAN_H

/*
 * A random sequence for fuzz_accept.c: a machine, its threads, and what each of
 * them, the interrupts of each CPU and the clients do. All of it follows from
 * one number; taking operations away leaves a sequence, so that one that fails
 * can be made short.
 */
#include <stdio.h>

#include "model/setup.h"
#include "sim/core/rng.h"

#define PLAN_CPUS 6
#define PLAN_THREADS 12
#define PLAN_OPS 400
#define PLAN_INTR 100	/* who: the interrupts of CPU 0 */
#define PLAN_CLIENT 200 /* who: a client */

enum op_kind {
	OP_ACCEPT,    /* accept(2) that waits */
	OP_ACCEPT_NB, /* ... that does not */
	OP_KEVENT,    /* kevent(2), and as many accept(2)s as it says */
	OP_UNWATCH,   /* EV_DELETE of the listener, and EV_ADD again */
	OP_CLOSE,     /* one of one's sockets */
	OP_RECV,
	OP_SEND,
	OP_WORK,
	OP_SIGNAL,  /* to thread arg */
	OP_CONNECT, /* a message to the protocol thread of CPU arg */
	/* Of clients, after a handshake. */
	OP_CALL_STAY,
	OP_CALL_RST,
	OP_CALL_FIN,
	OP_CALL_DATA,
	OP_CALL_DATA_FIN,
	OP_CALL_RST_EARLY, /* instead of the third ACK */
	OP_N
};

struct op {
	int op_who; /* a thread, PLAN_INTR + CPU, PLAN_CLIENT */
	enum op_kind op_kind;
	uint32_t op_arg;
	sim_ns op_time; /* OP_WORK: how long; else when, of a client's too */
	sim_ns op_then; /* clients: from the third ACK to what follows */
};

struct plan {
	uint32_t pl_seed;
	int pl_ncpus, pl_netisr_ncpus, pl_qlimit, pl_soavailconn, pl_token_spin;
	bool pl_2011, pl_pred_fast, pl_em, pl_polling, pl_tcp, pl_clear;
	int pl_intr_cpu;
	sim_ns pl_cost_max, pl_cost_unit, pl_span;
	int pl_nthreads;
	int pl_cpu[PLAN_THREADS];    /* of the threads */
	bool pl_watch[PLAN_THREADS]; /* have a kqueue with the listener */
	struct op pl_ops[PLAN_OPS];
	int pl_nops;
};

static inline bool
plan_chance(struct rng *r, int percent)
{
	return (int)rng_below(r, 100) < percent;
}

static inline void
plan_machine(struct plan *pl, struct rng *r)
{
	static const sim_ns units[] = { 1, 100, 500 };
	static const sim_ns most[] = { 0, 300, 1000, 3000 };

	pl->pl_ncpus = 1 + (int)rng_below(r, PLAN_CPUS);
	pl->pl_2011 = plan_chance(r, 50);
	pl->pl_pred_fast = plan_chance(r, 50);
	pl->pl_tcp = plan_chance(r, 40);
	pl->pl_clear = plan_chance(r, 20);
	pl->pl_polling = plan_chance(r, 50);
	pl->pl_qlimit = 1 + (int)rng_below(r, 8);
	pl->pl_soavailconn = (int)rng_below(r, 4);
	pl->pl_token_spin = (int)rng_below(r, 6);
	pl->pl_netisr_ncpus = 1 + (int)rng_below(r, (uint32_t)pl->pl_ncpus);
	pl->pl_intr_cpu = (int)rng_below(r, (uint32_t)pl->pl_ncpus);
	pl->pl_cost_unit = units[rng_below(r, 3)];
	pl->pl_cost_max = most[rng_below(r, 4)];
	pl->pl_span = sim_us(50) + sim_us(rng_below(r, 1500));
	/* CPUs must share: by the card, unless there is but one. */
	pl->pl_em = pl->pl_2011 ||
		    (pl->pl_ncpus > 1 && pl->pl_pred_fast &&
			pl->pl_netisr_ncpus == 1) ||
		    plan_chance(r, 40);
}

static inline struct op *
plan_add(struct plan *pl, int who, enum op_kind kind)
{
	struct op *op = &pl->pl_ops[pl->pl_nops++];

	*op = (struct op){ .op_who = who, .op_kind = kind };
	return op;
}

static inline void
plan_thread(struct plan *pl, struct rng *r, int t)
{
	static const enum op_kind kinds[] = { OP_ACCEPT, OP_ACCEPT, OP_ACCEPT,
		OP_ACCEPT_NB, OP_ACCEPT_NB, OP_CLOSE, OP_CLOSE, OP_RECV,
		OP_SEND, OP_WORK, OP_SIGNAL, OP_CONNECT };
	static const enum op_kind watch[] = { OP_KEVENT, OP_KEVENT, OP_KEVENT,
		OP_KEVENT, OP_ACCEPT_NB, OP_UNWATCH, OP_CLOSE, OP_WORK };
	int n = 2 + (int)rng_below(r, 20);

	pl->pl_cpu[t] = (int)rng_below(r, (uint32_t)pl->pl_ncpus);
	pl->pl_watch[t] = plan_chance(r, 35);
	while (n-- > 0 && pl->pl_nops < PLAN_OPS) {
		struct op *op = plan_add(pl, t,
		    pl->pl_watch[t] ? watch[rng_below(r, 8)]
				    : kinds[rng_below(r, 12)]);

		if (op->op_kind == OP_CONNECT && pl->pl_tcp)
			op->op_kind = OP_ACCEPT;
		op->op_arg = rng_u32(r);
		op->op_time = rng_below(r, 20) * 500;
	}
}

/* In order of time. */
static inline void
plan_interrupts(struct plan *pl, struct rng *r, int cpu)
{
	int n = (int)rng_below(r, 24);
	sim_ns t = 1;

	while (n-- > 0 && pl->pl_nops < PLAN_OPS) {
		bool signal = pl->pl_tcp || plan_chance(r, 30);
		struct op *op = plan_add(
		    pl, PLAN_INTR + cpu, signal ? OP_SIGNAL : OP_CONNECT);

		if (plan_chance(r, 60))
			t += rng_below(r, (uint32_t)(pl->pl_span / 500 / 6)) *
			     500;
		op->op_arg = rng_u32(r);
		op->op_time = t;
	}
}

static inline void
plan_clients(struct plan *pl, struct rng *r)
{
	int n = 5 + (int)rng_below(r, 60);

	while (n-- > 0 && pl->pl_nops < PLAN_OPS) {
		struct op *op = plan_add(pl, PLAN_CLIENT,
		    OP_CALL_STAY +
			(enum op_kind)rng_below(r, OP_N - OP_CALL_STAY));

		op->op_time = rng_below(r, (uint32_t)pl->pl_span);
		op->op_then = rng_below(r, 40) * 1000;
		if (plan_chance(r, 30))
			op->op_then *= 20;
	}
}

static inline void
plan_make(struct plan *pl, uint32_t seed)
{
	struct rng r;

	*pl = (struct plan){ .pl_seed = seed };
	rng_init(&r, (struct rng_run){ seed, 0 }, "fuzz.accept", 0);
	plan_machine(pl, &r);
	pl->pl_nthreads = 1 + (int)rng_below(&r, PLAN_THREADS);
	for (int t = 0; t < pl->pl_nthreads; t++)
		plan_thread(pl, &r, t);
	for (int i = 0; i < pl->pl_ncpus; i++)
		plan_interrupts(pl, &r, i);
	if (pl->pl_tcp)
		plan_clients(pl, &r);
}

/* Costs are the seed's too: whatever is taken away, they stay. */
static inline void
plan_costs(const struct plan *pl, sim_ns *cost)
{
	struct rng r;

	rng_init(&r, (struct rng_run){ pl->pl_seed, 0 }, "fuzz.accept.cost", 0);
	for (int i = 0; i < COST_N; i++) {
		uint32_t n = (uint32_t)(pl->pl_cost_max / pl->pl_cost_unit);
		uint32_t units = rng_below(&r, n + 1);

		cost[i] = plan_chance(&r, 30) ? 0 : units * pl->pl_cost_unit;
	}
}

static inline void
plan_print(FILE *f, const struct plan *pl)
{
	static const char *const names[OP_N] = { "accept", "accept nonblock",
		"kevent", "unwatch", "close", "recv", "send", "work", "signal",
		"connect", "call", "call, RST", "call, FIN", "call, data",
		"call, data, FIN", "call, RST instead of ACK" };

	fprintf(f,
	    "seed %u: dragonfly-%d, %d CPUs (%d of netisrs), "
	    "soaccept_pred_fast %d, %s%s to CPU %d, so_qlimit %d,\n"
	    "soavailconn %d, token_spin %d, costs to %lld by %lld ns%s%s\n",
	    pl->pl_seed, pl->pl_2011 ? 2011 : 2017, pl->pl_ncpus,
	    pl->pl_netisr_ncpus, pl->pl_pred_fast, pl->pl_em ? "em" : "ix",
	    !pl->pl_em && pl->pl_polling ? " polling" : "", pl->pl_intr_cpu,
	    pl->pl_qlimit, pl->pl_soavailconn, pl->pl_token_spin,
	    (long long)pl->pl_cost_max, (long long)pl->pl_cost_unit,
	    pl->pl_tcp ? ", TCP" : "", pl->pl_clear ? ", EV_CLEAR" : "");
	for (int t = 0; t < pl->pl_nthreads; t++)
		fprintf(f, "  thread %d on CPU %d%s\n", t, pl->pl_cpu[t],
		    pl->pl_watch[t] ? ", kqueue" : "");
	for (int i = 0; i < pl->pl_nops; i++) {
		const struct op *op = &pl->pl_ops[i];

		fprintf(f, "  %s %d: %s %u at or for %lld, then %lld\n",
		    op->op_who < PLAN_INTR     ? "thread"
		    : op->op_who < PLAN_CLIENT ? "interrupts of CPU"
					       : "client",
		    op->op_who < PLAN_INTR     ? op->op_who
		    : op->op_who < PLAN_CLIENT ? op->op_who - PLAN_INTR
					       : i,
		    names[op->op_kind], op->op_arg, (long long)op->op_time,
		    (long long)op->op_then);
	}
}

#endif
