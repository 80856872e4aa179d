#include "model/kern/token.h"

#include <string.h>

#include "model/kern/sched.h"
#include "model/trace.h"

static struct tokref *tokref_find(struct thread *, const struct tok *);
static bool token_take(struct globaldata *, struct thread *, struct tokref *);
static bool token_try(struct globaldata *, struct thread *, struct tokref *);
static bool token_spin(struct globaldata *, struct thread *, struct tokref *);
static void token_drop(struct globaldata *, struct tokref *);
static void token_wake(const struct globaldata *, struct tok *);
static bool spin_pass(struct globaldata *, struct tok *const *, int n);
static void spin_begin(struct globaldata *, struct tok *const *, int n);
static void spin_end(struct globaldata *);
static void spin_look(struct globaldata *);
static struct tok *spin_found(const struct globaldata *);

void
tok_init(struct machine *m, struct tok *tok, const char *desc, int index)
{
	memset(tok, 0, sizeof(*tok));
	tok->t_desc = desc;
	tok->t_index = index;
	tok->t_shared = m->m_shares;
	tok->t_id = m->m_ntoks;
	m->m_toks = sim_realloc(m->m_toks, m->m_ntoks + 1, sizeof(*m->m_toks));
	m->m_toks[m->m_ntoks++] = tok;
}

void
tok_reset(struct tok *tok, sim_ns now)
{
	tok->t_gets = tok->t_waits = tok->t_collisions = 0;
	tok->t_hold_ns = tok->t_hold_max = 0;
	tok->t_wait_ns = tok->t_wait_max = 0;
	if (tok->t_owner != NULL)
		tok->t_since = now;
}

static struct tokref *
tokref_find(struct thread *td, const struct tok *tok)
{
	for (int i = 0; i < td->td_ntoks; i++)
		if (td->td_toks[i].tr_tok == tok)
			return &td->td_toks[i];
	return NULL;
}

bool
lwkt_token_held(const struct globaldata *gd, const struct tok *tok)
{
	return !tok->t_shared || tok->t_owner == gd->gd_curthread;
}

static bool
token_take(struct globaldata *gd, struct thread *td, struct tokref *tr)
{
	struct tok *tok = tr->tr_tok;
	sim_ns wait = gd->gd_cpu.c_now - tr->tr_want;

	if (tok->t_owner != NULL)
		return false;
	tok->t_owner = td;
	tok->t_since = gd->gd_cpu.c_now;
	tok->t_gets++;
	tr->tr_held = true;
	if (tr->tr_missed) {
		tok->t_wait_ns += wait;
		tok->t_wait_max = sim_max(tok->t_wait_max, wait);
		tok->t_waits++;
	}
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_TOKEN_GET, 0,
	    tok->t_id, tr->tr_missed ? wait : 0);
	tr->tr_missed = false;
	return true;
}

/* The compare-and-swap is decided when it ends. */
static bool
token_try(struct globaldata *gd, struct thread *td, struct tokref *tr)
{
	gd_run(gd, COST_token);
	if (token_take(gd, td, tr))
		return true;
	tr->tr_missed = true;
	return false;
}

static bool
token_spin(struct globaldata *gd, struct thread *td, struct tokref *tr)
{
	int64_t tries = gd->gd_machine->m_sysctl->token_spin;

	if (token_try(gd, td, tr))
		return true;
	while (tries > 0)
		if (token_spin_wait(gd, &tr->tr_tok, 1, &tries) != NULL)
			return token_take(gd, td, tr);
	return false;
}

struct tok *
token_spin_wait(
    struct globaldata *gd, struct tok *const *toks, int n, int64_t *tries)
{
	struct spin *sp = &gd->gd_spin;
	const struct cpu *c = &gd->gd_cpu;
	struct tok *found = NULL;
	sim_ns last, tried;
	bool goes_on;

	spin_begin(gd, toks, n);
	last = *tries > (SIM_NEVER - c->c_now) / sp->sp_period
		   ? SIM_NEVER
		   : sp->sp_origin + *tries * sp->sp_period;
	do {
		sp->sp_until = last;
		spin_look(gd);
		goes_on = cpu_spin(&gd->gd_cpu, COST_token_spin, &sp->sp_until);
		tried = c->c_now - sp->sp_origin;
		goes_on = goes_on || spin_pass(gd, toks, n);
		if (goes_on && tried > 0 && tried % sp->sp_period == 0)
			found = spin_found(gd);
	} while (goes_on && found == NULL && c->c_now < last);
	*tries -= tried / sp->sp_period;
	spin_end(gd);
	return found;
}

/*
 * Take an interrupt, or pass a mark, in between. Returns: it took no time and
 * woke nobody, as when a card had nothing; then the tries go on as they were.
 */
static bool
spin_pass(struct globaldata *gd, struct tok *const *toks, int n)
{
	sim_ns origin = gd->gd_spin.sp_origin, now = gd->gd_cpu.c_now;
	uint64_t queued = gd->gd_queued;

	spin_end(gd);
	cpu_run_ns(&gd->gd_cpu, COST_token_spin, 0);
	if (gd->gd_cpu.c_now != now || gd->gd_queued != queued)
		return false;
	spin_begin(gd, toks, n);
	gd->gd_spin.sp_origin = origin;
	return true;
}

static void
spin_begin(struct globaldata *gd, struct tok *const *toks, int n)
{
	struct spin *sp = &gd->gd_spin;
	const struct cpu *c = &gd->gd_cpu;
	sim_ns period = c->c_cost[COST_token] + c->c_cost[COST_token_spin];

	SIM_ASSERT(sp->sp_ntoks == 0 && n > 0 && n <= SPIN_MAX);
	period = period * c->c_scale / CPU_SCALE_ONE;
	sp->sp_period = period > 0 ? period : 1;
	sp->sp_origin = c->c_now;
	sp->sp_ntoks = n;
	for (int i = 0; i < n; i++) {
		sp->sp_toks[i] = toks[i];
		toks[i]->t_spinners[c->c_id / 64] |= 1ull << c->c_id % 64;
	}
}

/*
 * Others get what is free and is not taken here: perhaps nothing is, by a
 * thread that wants another one first.
 */
static void
spin_end(struct globaldata *gd)
{
	struct spin *sp = &gd->gd_spin;
	int id = gd->gd_cpu.c_id;

	for (int i = 0; i < sp->sp_ntoks; i++) {
		struct tok *tok = sp->sp_toks[i];

		tok->t_spinners[id / 64] &= ~(1ull << id % 64);
		if (tok->t_owner == NULL)
			token_wake(gd, tok);
	}
	sp->sp_ntoks = 0;
}

/* When this CPU tries next, after what `gd` does now. */
static sim_ns
spin_next(const struct globaldata *at, const struct globaldata *gd)
{
	const struct spin *sp = &at->gd_spin;
	sim_ns since = gd->gd_cpu.c_now - sp->sp_origin;
	sim_ns n = since / sp->sp_period;

	/* A try at this very instant comes after a lower CPU's doings. */
	if (n == 0 || since % sp->sp_period != 0 ||
	    at->gd_cpu.c_id <= gd->gd_cpu.c_id)
		n++;
	return sp->sp_origin + n * sp->sp_period;
}

/* Some may be free already: then there is nobody who would wake us. */
static void
spin_look(struct globaldata *gd)
{
	struct spin *sp = &gd->gd_spin;

	for (int i = 0; i < sp->sp_ntoks; i++)
		if (sp->sp_toks[i]->t_owner == NULL)
			sp->sp_until = sim_min(sp->sp_until, spin_next(gd, gd));
}

static struct tok *
spin_found(const struct globaldata *gd)
{
	const struct spin *sp = &gd->gd_spin;

	for (int i = 0; i < sp->sp_ntoks; i++)
		if (sp->sp_toks[i]->t_owner == NULL)
			return sp->sp_toks[i];
	return NULL;
}

/* A token is free: whose try comes first? */
static void
token_wake(const struct globaldata *gd, struct tok *tok)
{
	const struct machine *m = gd->gd_machine;
	struct globaldata *first = NULL;
	sim_ns when = SIM_NEVER;

	for (int w = 0; w < SETUP_MAX_CPUS / 64; w++)
		for (uint64_t b = tok->t_spinners[w]; b != 0; b &= b - 1) {
			struct globaldata *at =
			    m->m_gd[w * 64 + __builtin_ctzll(b)];
			sim_ns next = spin_next(at, gd);

			if (next < when) {
				when = next;
				first = at;
			}
		}
	if (first != NULL)
		cpu_spin_wake(&first->gd_cpu, &first->gd_spin.sp_until, when);
}

static void
token_drop(struct globaldata *gd, struct tokref *tr)
{
	struct tok *tok = tr->tr_tok;
	sim_ns hold = gd->gd_cpu.c_now - tok->t_since;

	tok->t_owner = NULL;
	tok->t_hold_ns += hold;
	tok->t_hold_max = sim_max(tok->t_hold_max, hold);
	tr->tr_held = false;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_TOKEN_REL, 0,
	    tok->t_id, hold);
	token_wake(gd, tok);
}

void
lwkt_gettoken_shared(struct globaldata *gd, struct tok *tok)
{
	struct thread *td = gd->gd_curthread;
	struct tokref *tr = tokref_find(td, tok);

	SIM_ASSERT(!gd->gd_cpu.c_masked);
	if (tr != NULL) {
		gd_run(gd, COST_token);
		tr->tr_count++;
		return;
	}
	SIM_ASSERT(td->td_ntoks < TOK_MAX);
	tr = &td->td_toks[td->td_ntoks++];
	*tr = (struct tokref){
		.tr_tok = tok, .tr_count = 1, .tr_want = gd->gd_cpu.c_now
	};
	if (token_spin(gd, td, tr))
		return;
	tok->t_collisions++;
	gd->gd_collisions++;
	SIM_TRACE(gd->gd_cpu.c_now, gd->gd_cpu.c_where, TRACE_TOKEN_COLLISION,
	    0, tok->t_id, (int64_t)tok->t_collisions);
	sched_token_wait(gd);
	SIM_ASSERT(tr->tr_held && tok->t_owner == td);
}

void
lwkt_reltoken_shared(struct globaldata *gd, struct tok *tok)
{
	struct thread *td = gd->gd_curthread;
	struct tokref *tr = tokref_find(td, tok);

	SIM_ASSERT(tr != NULL && tr->tr_held && tok->t_owner == td);
	if (--tr->tr_count > 0)
		return;
	token_drop(gd, tr);
	/* The last one taken is the first to go, as in the kernel. */
	SIM_ASSERT(tr == &td->td_toks[td->td_ntoks - 1]);
	td->td_ntoks--;
}

void
lwkt_relalltokens(struct globaldata *gd, struct thread *td)
{
	for (int i = td->td_ntoks; i-- > 0;) {
		if (!td->td_toks[i].tr_held)
			continue;
		token_drop(gd, &td->td_toks[i]);
		td->td_toks[i].tr_want = TOK_NOT_YET;
	}
}

struct tok *
lwkt_getalltokens(
    struct globaldata *gd, struct thread *td, const struct tok *ready)
{
	for (int i = 0; i < td->td_ntoks; i++) {
		struct tokref *tr = &td->td_toks[i];

		if (tr->tr_want == TOK_NOT_YET)
			tr->tr_want = gd->gd_cpu.c_now;
		if (tr->tr_tok == ready && token_take(gd, td, tr))
			continue;
		if (i + 1 == td->td_ntoks ? token_spin(gd, td, tr)
					  : token_try(gd, td, tr))
			continue;
		while (i-- > 0)
			token_drop(gd, &td->td_toks[i]);
		return tr->tr_tok;
	}
	return NULL;
}
