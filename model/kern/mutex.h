#ifndef MODEL_KERN_MUTEX_H
#define MODEL_KERN_MUTEX_H

/*
 * Adaptive mutexes of freebsd-2007. Who finds one taken marks it contested and
 * spins while the owner runs on another CPU; when it does not (it was
 * preempted, or blocks itself) he blocks, and lends it his priority. Releasing
 * a contested mutex takes longer, and wakes who blocks.
 *
 * The line of a mutex, and what it guards, lies in the cache of the CPU that
 * had it last: taking it elsewhere costs mtx_line.
 *
 * Kernel: _mtx_lock_sleep(), _mtx_unlock_sleep(), sys/kern/kern_mutex.c;
 *         sys/kern/subr_turnstile.c
 */
#include "model/kern/sched_4bsd.h"

struct mtx {
	const char *mtx_name;
	struct thread *mtx_owner;
	struct mtx *mtx_next_held;   /* of its owner */
	int mtx_line;		     /* CPU that had it last; -1: none */
	bool mtx_contested;	     /* MTX_CONTESTED */
	struct threadq mtx_spinning; /* by bt_link */
	struct threadq mtx_blocked;  /* by bt_link, in order of arrival */
	uint64_t mtx_gets, mtx_spins, mtx_blocks;
};

void mtx_init(struct mtx *, const char *name);

/*
 * Context: a thread. Time: runs mtx, mtx_line; spins, or sleeps.
 */
void mtx_lock(struct thread *, struct mtx *);

/* Time: runs mtx_contested, or none. In any order. */
void mtx_unlock(struct thread *, struct mtx *);

/*
 * Release, and be asleep (TD_SLEEP) from the same instant on: no wake-up is
 * lost. The caller switches. Time: as mtx_unlock().
 */
void mtx_unlock_sleep(struct thread *, struct mtx *);

/* A thread is about to lose its CPU: who spins for it looks again. */
void mtx_owner_stops(struct thread *);

#endif
