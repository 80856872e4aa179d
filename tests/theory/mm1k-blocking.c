/*
 * M/M/1/K: Poisson arrivals at a server with room for K; who finds it full is
 * lost, a share B(K) = (1 - rho) rho^K / (1 - rho^(K + 1)) of all.
 *
 * Here a SYN is lost (the client does not retry) when it finds so_qlen >
 * so_qlimit, q. What is K? so_comp holds q + 1 at most; one request is in
 * service; and one more has been accepted and waits in nginx, because kevent(2)
 * (soavailconn 1) tells of the listener before the read of the connection
 * accepted the time before: "accept one, then serve one". So K = q + 3, but q +
 * 2 in the first service after the server was idle, when nobody was there to
 * be accepted. B lies between B(q + 3) and B(q + 2), and exactly where is told
 * by the chain below, whose states are: so_qlen, whether one waits in nginx,
 * whether one is served, and the handshakes under way, which so_qlen does not
 * know of yet (about 2 links long each, a small correction). PASTA: the share
 * lost is the share of time with so_qlen > q.
 */
#include "tests/theory/theory.h"

#define Q 2
#define MU 100.0
#define LINK 400e-6
#define HANDSHAKE (2 * LINK) /* s */
#define MAXC 8		     /* so_qlen */
#define MAXH 4		     /* handshakes under way */
#define FULL (3 * Q / 2)     /* sonewconn() refuses past this */

#define NSTATES (2 * 2 * (MAXC + 1) * (MAXH + 1))

struct state {
	int served, waits, c, h;
};

static int
index_of(struct state st)
{
	return ((st.served * 2 + st.waits) * (MAXC + 1) + st.c) * (MAXH + 1) +
	       st.h;
}

static struct state
state_of(int i)
{
	struct state st;

	st.h = i % (MAXH + 1);
	i /= MAXH + 1;
	st.c = i % (MAXC + 1);
	i /= MAXC + 1;
	st.waits = i % 2;
	st.served = i / 2;
	return st;
}

/* A third ACK: refused, served at once, or queued. */
static struct state
shaken(struct state st)
{
	st.h--;
	if (st.served && st.c <= FULL)
		st.c++;
	st.served = 1;
	return st;
}

/* The request in service is done: who is accepted, who is served next? */
static struct state
completed(struct state st)
{
	int left = st.waits + st.c;

	st.served = left > 0;
	st.waits = st.waits ? st.c > 0 : st.c > 1;
	st.c = left - st.served - st.waits;
	return st;
}

/* One step of the chain that jumps at `unit` times a second. */
static void
chain_step(const double *p, double *next, double lambda, double unit)
{
	memset(next, 0, NSTATES * sizeof(*next));
	for (int i = 0; i < NSTATES; i++) {
		struct state st = state_of(i), to = st;
		double x = p[i] / unit, stay = unit;

		if (st.c <= Q && st.h < MAXH) {
			to.h++;
			next[index_of(to)] += x * lambda;
			stay -= lambda;
		}
		if (st.h > 0) {
			next[index_of(shaken(st))] += x * st.h / HANDSHAKE;
			stay -= st.h / HANDSHAKE;
		}
		if (st.served) {
			next[index_of(completed(st))] += x * MU;
			stay -= MU;
		}
		next[i] += x * stay;
	}
}

static double
chain_blocking(double lambda)
{
	static double p[2][NSTATES];
	double unit = lambda + MU + MAXH / HANDSHAKE, lost = 0;

	p[0][0] = 1;
	for (int step = 0; step < 100000; step++)
		chain_step(p[step % 2], p[(step + 1) % 2], lambda, unit);
	for (int i = 0; i < NSTATES; i++)
		if (state_of(i).c > Q)
			lost += p[0][i];
	return lost;
}

static double
mm1k(double rho, int k)
{
	return (1 - rho) * pow(rho, k) / (1 - pow(rho, k + 1));
}

int
main(void)
{
	static struct measured me[THEORY_MAX_REPS];
	struct theory th = { { "tool=open", "connections=0", "client.rate=90/s",
				 "work=10ms", "latency=400us", "somaxconn=2",
				 "soavailconn=1", "net.inet.tcp.syn_retries=0",
				 "measure=30s" },
		16 };
	double x[THEORY_MAX_REPS], lambda = 90, rho = lambda / MU;
	double want = chain_blocking(lambda);
	double hi = mm1k(rho, Q + 2), lo = mm1k(rho, Q + 3);
	int bad = 0;

	theory_replicate(&th, me);
	for (int k = 0; k < th.th_reps; k++) {
		const int64_t *n = me[k].me_counters;

		x[k] = (double)n[COUNTER_drop_syn_queue_full] /
		       (double)n[COUNTER_syns];
		/* Nobody retries. */
		bad += n[COUNTER_client_syn_retries] != 0;
	}
	printf("lambda %g, mu %g: B(%d) %.5f, B(%d) %.5f\n", lambda, MU, Q + 3,
	    lo, Q + 2, hi);
	bad += theory_check("SYNs lost", x, th.th_reps, want, 0.1, 0);
	bad += !(lo < want && want < hi);
	return bad != 0;
}
