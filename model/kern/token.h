#ifndef MODEL_KERN_TOKEN_H
#define MODEL_KERN_TOKEN_H

/*
 * Serialising tokens. A thread holds its tokens only while it runs: when it
 * gives up the CPU all of them are dropped, and taken again before it goes on.
 * So whatever a token protects must be looked at afresh after anything that may
 * sleep, the taking of another token included.
 *
 * A contended token is tried lwkt.token_spin times more; then the CPU goes to
 * another thread, or to idle, which tries again and again. There is no queue:
 * who tries first after the release has it, at one instant the CPU with the
 * lowest number. A try takes the costs token_spin and token. (A CPU that tries
 * does not step through its tries: who releases the token finds the one whose
 * try comes next, and wakes it for that. The outcome is the same.)
 *
 * Only tokens of what several CPUs use are followed (t_shared). To take another
 * one costs its time and no more. A token has its object for its own; the real
 * pool has 4001 tokens, so two of n objects that are in use share one with a
 * probability of about n^2 / 8002: 3 % for a listener and 15 kqueues.
 *
 * Kernel: sys/kern/lwkt_token.c
 * Differs: exclusive tokens only; no chance collisions in the pool; no order by
 *          address after lwkt.spin_loops failures.
 */
#include "model/kern/machine.h"

#define TOK_MAX 8	 /* distinct tokens of a thread */
#define TOK_NOT_YET (-1) /* tr_want: since the thread is to run again */

struct tok {
	const char *t_desc;	/* [I] what it protects, and the how manieth */
	int t_index;		/* [I] */
	int t_id;		/* [I] of its machine */
	struct thread *t_owner; /* NULL: free */
	bool t_shared;		/* [I] several CPUs use it */
	sim_ns t_since;		/* when the owner got it */
	uint64_t t_spinners[SETUP_MAX_CPUS / 64]; /* CPUs that try for it */
	/* Since the last reset. */
	uint64_t t_gets;       /* taken, not counting recursion */
	uint64_t t_waits;      /* ... not by the first try */
	uint64_t t_collisions; /* times that a CPU was given up for it */
	sim_ns t_hold_ns, t_hold_max;
	sim_ns t_wait_ns, t_wait_max; /* from the first try until taken */
};

/* What a thread holds, or wants back. */
struct tokref {
	struct tok *tr_tok;
	int tr_count;	/* recursion */
	sim_ns tr_want; /* since when it wants it */
	bool tr_held;
	bool tr_missed; /* a try has failed */
};

/* Enters it into m_toks. Shared where the machine's CPUs share (m_shares). */
void tok_init(struct machine *, struct tok *, const char *desc, int index);
void tok_reset(struct tok *, sim_ns now);

/*
 * Take a token for the current thread.
 *
 * Context: a thread, not an interrupt. Time: runs token; may sleep, in which
 *          case all tokens of the thread were dropped meanwhile.
 * Kernel:  lwkt_gettoken()
 */
void lwkt_gettoken_shared(struct globaldata *, struct tok *);
void lwkt_reltoken_shared(struct globaldata *, struct tok *);

static inline void
lwkt_gettoken(struct globaldata *gd, struct tok *tok)
{
	if (SIM_LIKELY(!tok->t_shared))
		gd_run(gd, COST_token);
	else
		lwkt_gettoken_shared(gd, tok);
}

static inline void
lwkt_reltoken(struct globaldata *gd, struct tok *tok)
{
	if (SIM_UNLIKELY(tok->t_shared))
		lwkt_reltoken_shared(gd, tok);
}

/* Does the current thread hold it? Always true of one that is not shared. */
bool lwkt_token_held(const struct globaldata *, const struct tok *);

/*
 * For the scheduler: drop all tokens of a thread that gives up the CPU; take
 * them for one that is to have it, `ready` (or NULL) at once if it is free. The
 * latter runs token and token_spin; it returns NULL, or the token that is held:
 * then none is taken.
 */
void lwkt_relalltokens(struct globaldata *, struct thread *);
struct tok *lwkt_getalltokens(
    struct globaldata *, struct thread *, const struct tok *ready);

/*
 * Try for one of these tokens until it is free, or an interrupt came, or
 * *tries are used up (it is counted down).
 *
 * Context: a thread, in the kernel. Time: runs token_spin.
 * Returns: the free one, to be taken before time goes on; or NULL.
 */
struct tok *token_spin_wait(
    struct globaldata *, struct tok *const *, int n, int64_t *tries);

#endif
