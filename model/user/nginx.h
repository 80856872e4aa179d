#ifndef MODEL_USER_NGINX_H
#define MODEL_USER_NGINX_H

/*
 * nginx 1.13: a worker process with its kqueue loop, serving one static file.
 *
 * What it does in order, and its system calls, are in docs/life-of-a-syn.md.
 * Differs: no timers (header timeout 60 s, keep-alive 75 s): a run is shorter,
 *          and a client that goes away sends a FIN or a RST; no access log.
 */
#include "model/kern/file.h"
#include "model/kern/sched.h"

struct ngx_worker;

struct ngx_stats {
	uint64_t ng_accepted, ng_requests, ng_closed, ng_eagain, ng_passes;
	uint64_t ng_reset; /* closed for an error of the connection */
	int ng_open;	   /* connections now */
};

/*
 * Worker `index` of a process, on this CPU, with its own listening socket.
 * Gives the worker; it starts running with the simulation.
 */
struct ngx_worker *ngx_worker_create(struct machine *, struct globaldata *,
    const struct setup_process *, struct so_listen *, int index,
    struct rng_run);
void ngx_worker_destroy(struct ngx_worker *);

const struct ngx_stats *ngx_worker_stats(const struct ngx_worker *);
struct thread *ngx_worker_thread(struct ngx_worker *);
const struct kqueue *ngx_worker_kqueue(const struct ngx_worker *);

#endif
