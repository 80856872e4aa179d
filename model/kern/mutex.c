#include "model/kern/mutex.h"

#include "model/trace.h"

static void mtx_take(struct thread *, struct mtx *);
static void mtx_spin(struct thread *, struct mtx *);
static void mtx_block(struct thread *, struct mtx *);
static void mtx_release(struct thread *, struct mtx *, bool sleep);
static void mtx_wake_spinning(struct mtx *);

void
mtx_init(struct mtx *mtx, const char *name)
{
	*mtx = (struct mtx){ .mtx_name = name, .mtx_line = -1 };
	TAILQ_INIT(&mtx->mtx_spinning);
	TAILQ_INIT(&mtx->mtx_blocked);
}

void
mtx_lock(struct thread *td, struct mtx *mtx)
{
	bool spun = false;

	SIM_ASSERT(mtx->mtx_owner != td);
	td_run(td, COST_mtx);
	while (mtx->mtx_owner != NULL) {
		mtx->mtx_contested = true;
		if (!mtx->mtx_owner->td_bsd.bt_oncpu ||
		    mtx->mtx_owner->td_state != TD_RUNNING) {
			mtx_block(td, mtx);
			continue;
		}
		if (!spun) {
			mtx->mtx_spins++;
			td->td_gd->gd_machine->m_bsd->bm_stats[td_cpu(td)->c_id]
			    .bs_mtx_spins++;
		}
		spun = true;
		SIM_TRACE(engine_now(), td_cpu(td)->c_where, TRACE_MTX_SPIN, 0,
		    mtx->mtx_owner->td_index, (int64_t)mtx->mtx_spins);
		mtx_spin(td, mtx);
	}
	mtx_take(td, mtx);
	if (mtx->mtx_line != td_cpu(td)->c_id) {
		bool first = mtx->mtx_line < 0;

		mtx->mtx_line = td_cpu(td)->c_id;
		if (!first)
			td_run(td, COST_mtx_line);
	}
}

static void
mtx_take(struct thread *td, struct mtx *mtx)
{
	mtx->mtx_owner = td;
	mtx->mtx_gets++;
	mtx->mtx_next_held = td->td_bsd.bt_held;
	td->td_bsd.bt_held = mtx;
}

/* Until it is released, or its owner stops; an interrupt may come. */
static void
mtx_spin(struct thread *td, struct mtx *mtx)
{
	struct bsd_thread *bt = &td->td_bsd;
	bool done;

	bt->bt_spin_until = SIM_NEVER;
	TAILQ_INSERT_TAIL(&mtx->mtx_spinning, td, td_bsd.bt_link);
	done = cpu_spin(bt->bt_cpu, COST_mtx, &bt->bt_spin_until);
	TAILQ_REMOVE(&mtx->mtx_spinning, td, td_bsd.bt_link);
	if (!done)
		td_run_ns(td, COST_mtx, 0);
}

static void
mtx_block(struct thread *td, struct mtx *mtx)
{
	struct thread *owner = mtx->mtx_owner;

	mtx->mtx_blocks++;
	td->td_gd->gd_machine->m_bsd->bm_stats[td_cpu(td)->c_id]
	    .bs_mtx_blocks++;
	td->td_bsd.bt_blocked = mtx;
	TAILQ_INSERT_TAIL(&mtx->mtx_blocked, td, td_bsd.bt_link);
	SIM_TRACE(engine_now(), td_cpu(td)->c_where, TRACE_MTX_BLOCK, 0,
	    owner->td_index, owner->td_bsd.bt_pri);
	/* propagate_priority() */
	while (owner != NULL && owner->td_bsd.bt_pri > td->td_bsd.bt_pri) {
		bsd_setpri(owner, td->td_bsd.bt_pri);
		owner = owner->td_bsd.bt_blocked != NULL
			    ? owner->td_bsd.bt_blocked->mtx_owner
			    : NULL;
	}
	td->td_state = TD_SLEEP;
	mi_switch(td->td_gd);
}

void
mtx_unlock(struct thread *td, struct mtx *mtx)
{
	mtx_release(td, mtx, false);
}

void
mtx_unlock_sleep(struct thread *td, struct mtx *mtx)
{
	mtx_release(td, mtx, true);
}

static void
mtx_release(struct thread *td, struct mtx *mtx, bool sleep)
{
	struct mtx **heldp = &td->td_bsd.bt_held;
	struct thread *first;

	SIM_ASSERT(mtx->mtx_owner == td);
	if (mtx->mtx_contested)
		td_run(td, COST_mtx_contested);
	if (!TAILQ_EMPTY(&mtx->mtx_blocked))
		td_run(td, COST_setrunqueue);
	/* All of the rest is at one instant. */
	mtx->mtx_contested = false;
	mtx->mtx_owner = NULL;
	while (*heldp != mtx)
		heldp = &(*heldp)->mtx_next_held;
	*heldp = mtx->mtx_next_held;
	mtx_wake_spinning(mtx);
	if (sleep)
		td->td_state = TD_SLEEP;
	if (td->td_bsd.bt_held == NULL)
		td->td_bsd.bt_pri = td->td_bsd.bt_pri_base;
	first = TAILQ_FIRST(&mtx->mtx_blocked);
	if (first == NULL)
		return;
	TAILQ_REMOVE(&mtx->mtx_blocked, first, td_bsd.bt_link);
	first->td_bsd.bt_blocked = NULL;
	mtx->mtx_contested = !TAILQ_EMPTY(&mtx->mtx_blocked);
	bsd_setrunqueue(td, first);
}

static void
mtx_wake_spinning(struct mtx *mtx)
{
	struct thread *td;

	TAILQ_FOREACH (td, &mtx->mtx_spinning, td_bsd.bt_link)
		cpu_spin_wake(
		    td->td_bsd.bt_cpu, &td->td_bsd.bt_spin_until, engine_now());
}

void
mtx_owner_stops(struct thread *td)
{
	for (struct mtx *mtx = td->td_bsd.bt_held; mtx != NULL;
	     mtx = mtx->mtx_next_held)
		mtx_wake_spinning(mtx);
}
