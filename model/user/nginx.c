#include "model/user/nginx.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/kern/syscalls.h"

#define NGX_HEADER_BUFFER 1024 /* client_header_buffer_size */

/* A connection of a worker. */
struct ngx_connection {
	int c_fd;
	bool c_nodelay;	  /* TCP_NODELAY is set: once a connection */
	bool c_eof;	  /* pending_eof: the client has closed */
	bool c_writing;	  /* a change for EVFILT_WRITE may be queued */
	uint32_t c_got;	  /* bytes of the request so far */
	int64_t c_header; /* bytes of the response still to be sent */
	int64_t c_object;
};

struct ngx_worker {
	struct proc w_proc;
	struct kqueue w_kq;
	const struct setup_process *w_conf;
	struct globaldata *w_gd;
	struct thread *w_thread;
	struct so_listen *w_listen;
	char w_name[32];
	int w_lfd;
	struct sim_pool w_connections;
	struct kevent *w_events;  /* kqueue_events */
	struct kevent *w_changes; /* kqueue_changes, for the next kevent */
	int w_nchanges;
	struct rng w_work;
	struct ngx_stats w_stats;
};

static void worker_entry(struct thread *);
static void worker_pass(struct ngx_worker *);
static void ngx_change(
    struct ngx_worker *, int fd, int filter, int flags, void *);
static void ngx_event_accept(struct ngx_worker *, const struct kevent *);
static void ngx_http_read(
    struct ngx_worker *, struct ngx_connection *, const struct kevent *);
static void ngx_http_request(struct ngx_worker *, struct ngx_connection *);
static void ngx_http_send(struct ngx_worker *, struct ngx_connection *);
static void ngx_http_keepalive(struct ngx_worker *, struct ngx_connection *);
static void ngx_http_close(struct ngx_worker *, struct ngx_connection *);

struct ngx_worker *
ngx_worker_create(struct machine *m, struct globaldata *gd,
    const struct setup_process *sp, struct so_listen *head, int index,
    struct rng_run run)
{
	struct ngx_worker *w = sim_calloc(1, sizeof(*w));

	snprintf(w->w_name, sizeof(w->w_name), "nginx %d", index);
	w->w_conf = sp;
	w->w_gd = gd;
	w->w_listen = head;
	proc_init(&w->w_proc, gd);
	kqueue_init(&w->w_kq, gd, index);
	sim_pool_init(&w->w_connections, sizeof(struct ngx_connection), 256);
	w->w_events = sim_calloc(sp->sp_events, sizeof(*w->w_events));
	w->w_changes = sim_calloc(sp->sp_changes, sizeof(*w->w_changes));
	rng_init(&w->w_work, run, "nginx.work",
	    (uint64_t)m->m_index << 32 | (uint32_t)index);
	w->w_lfd = fd_alloc(&w->w_proc, &head->sl_so);
	w->w_thread = sched_thread_create(gd, w->w_name, worker_entry, w);
	w->w_proc.p_thread = w->w_thread;
	return w;
}

void
ngx_worker_destroy(struct ngx_worker *w)
{
	if (w == NULL)
		return;
	sched_thread_destroy(w->w_thread);
	proc_fini(&w->w_proc);
	sim_pool_fini(&w->w_connections, 1);
	sim_free(w->w_events);
	sim_free(w->w_changes);
	sim_free(w);
}

const struct ngx_stats *
ngx_worker_stats(const struct ngx_worker *w)
{
	return &w->w_stats;
}

struct thread *
ngx_worker_thread(struct ngx_worker *w)
{
	return w->w_thread;
}

const struct kqueue *
ngx_worker_kqueue(const struct ngx_worker *w)
{
	return &w->w_kq;
}

static void
worker_entry(struct thread *td)
{
	struct ngx_worker *w = td->td_arg;

	userexit(w->w_gd);
	/* Level-triggered: no EV_CLEAR. */
	ngx_change(w, w->w_lfd, EVFILT_READ, EV_ADD, NULL);
	for (;;)
		worker_pass(w);
}

/*
 * Tell the processor what an event will touch. All at once: one miss takes as
 * long as ten.
 */
static void
worker_prefetch(const struct ngx_worker *w, const struct kevent *ev)
{
	const char *so = (const char *)fd_so(&w->w_proc, ev->ident);

	__builtin_prefetch(ev->udata, 1);
	for (int b = 0; so != NULL && b < (int)sizeof(struct so) + 192; b += 64)
		__builtin_prefetch(so + b, 1);
}

/* One pass: submit all changes and wait, then handle the events in order. */
static void
worker_pass(struct ngx_worker *w)
{
	int nchanges = w->w_nchanges, n;

	w->w_nchanges = 0;
	n = sys_kevent(&w->w_proc, &w->w_kq, w->w_changes, nchanges,
	    w->w_events, w->w_conf->sp_events);
	w->w_stats.ng_passes++;
	gd_run(w->w_gd, COST_ngx_pass);
	for (int i = 0; i < n; i++) {
		const struct kevent *ev = &w->w_events[i];

		if (i == 0)
			worker_prefetch(w, ev);
		if (i + 1 < n)
			worker_prefetch(w, ev + 1);
		gd_run(w->w_gd, COST_ngx_event);
		SIM_ASSERT((ev->flags & EV_ERROR) == 0);
		if (ev->ident == w->w_lfd)
			ngx_event_accept(w, ev);
		else if (ev->filter == EVFILT_WRITE)
			ngx_http_send(w, ev->udata);
		else
			ngx_http_read(w, ev->udata, ev);
	}
}

/* Queue a change for the next kevent; a full list is flushed at once. */
static void
ngx_change(struct ngx_worker *w, int fd, int filter, int flags, void *udata)
{
	if (w->w_nchanges == w->w_conf->sp_changes) {
		w->w_nchanges = 0;
		sys_kevent(&w->w_proc, &w->w_kq, w->w_changes,
		    w->w_conf->sp_changes, NULL, 0);
	}
	w->w_changes[w->w_nchanges++] = (struct kevent){
		.ident = fd,
		.filter = (int16_t)filter,
		.flags = (uint16_t)flags,
		.udata = udata,
	};
}

/* As many accepts as the kernel said, back to back. */
static void
ngx_event_accept(struct ngx_worker *w, const struct kevent *ev)
{
	for (int64_t available = ev->data; available > 0; available--) {
		struct ngx_connection *c;
		int fd = sys_accept(&w->w_proc, w->w_lfd, true);

		if (fd < 0) {
			w->w_stats.ng_eagain++;
			return;
		}
		gd_run(w->w_gd, COST_ngx_accept);
		c = sim_pool_get(&w->w_connections);
		memset(c, 0, sizeof(*c));
		c->c_fd = fd;
		w->w_stats.ng_accepted++;
		w->w_stats.ng_open++;
		ngx_change(w, fd, EVFILT_READ, EV_ADD | EV_CLEAR, c);
	}
}

/*
 * A read event: the end of the connection, or a part of a request. At end of
 * file without data there is no recv.
 */
static void
ngx_http_read(
    struct ngx_worker *w, struct ngx_connection *c, const struct kevent *ev)
{
	struct so *so = fd_so(&w->w_proc, c->c_fd);
	int64_t n;

	if ((ev->flags & EV_EOF) != 0 && ev->data == 0) {
		ngx_http_close(w, c);
		return;
	}
	c->c_eof |= (ev->flags & EV_EOF) != 0;
	/* A full buffer: there may be more, and no further event for it. */
	do {
		n = sys_recv(&w->w_proc, c->c_fd, NGX_HEADER_BUFFER);
		if (n == -EWOULDBLOCK)
			return;
		if (n <= 0) {
			if (n < 0)
				w->w_stats.ng_reset++;
			ngx_http_close(w, c);
			return;
		}
		c->c_got += (uint32_t)n;
	} while (n == NGX_HEADER_BUFFER && c->c_got < so->so_request);
	if (c->c_got >= so->so_request)
		ngx_http_request(w, c);
}

static void
ngx_http_request(struct ngx_worker *w, struct ngx_connection *c)
{
	const struct setup_process *sp = w->w_conf;
	sim_ns work = sp->sp_work;

	c->c_got = 0;
	w->w_stats.ng_requests++;
	gd_run(w->w_gd, COST_ngx_request);
	if (sp->sp_index)
		sys_stat(&w->w_proc);
	if (sp->sp_open_file_cache)
		gd_run(w->w_gd, COST_open_file);
	else
		sys_open_fstat(&w->w_proc);
	if (work > 0) {
		if (sp->sp_work_dist == DIST_EXPONENTIAL)
			work = rng_exponential(&w->w_work, work);
		cpu_run_ns(&w->w_gd->gd_cpu, COST_work, work);
	}
	c->c_header = sp->sp_header;
	c->c_object = sp->sp_object;
	ngx_http_send(w, c);
}

/* sendfile(2) until all is queued; when so_snd is full, wait for room. */
static void
ngx_http_send(struct ngx_worker *w, struct ngx_connection *c)
{
	int64_t n;

	/* A write event that comes after the end: ngx_http_empty_handler(). */
	if (c->c_header + c->c_object == 0)
		return;
	n = sys_sendfile(&w->w_proc, c->c_fd, c->c_header, c->c_object);
	if (n > 0) {
		int64_t head = n < c->c_header ? n : c->c_header;

		c->c_header -= head;
		c->c_object -= n - head;
	}
	if (c->c_header + c->c_object > 0) {
		c->c_writing = true;
		ngx_change(w, c->c_fd, EVFILT_WRITE, EV_ADD | EV_CLEAR, c);
		return;
	}
	if (w->w_conf->sp_access_log)
		sys_write_log(&w->w_proc);
	if (!w->w_conf->sp_open_file_cache)
		sys_close_file(&w->w_proc);
	if (w->w_conf->sp_keepalive && !c->c_eof)
		ngx_http_keepalive(w, c);
	else
		ngx_http_close(w, c);
}

static void
ngx_http_keepalive(struct ngx_worker *w, struct ngx_connection *c)
{
	if (c->c_nodelay)
		return;
	c->c_nodelay = true;
	sys_setsockopt_nodelay(&w->w_proc, c->c_fd);
}

/* Changes that are queued for the descriptor are taken back. */
static void
ngx_http_close(struct ngx_worker *w, struct ngx_connection *c)
{
	for (int i = w->w_nchanges; c->c_writing && i-- > 0;)
		if (w->w_changes[i].ident == c->c_fd)
			w->w_changes[i] = w->w_changes[--w->w_nchanges];
	gd_run(w->w_gd, COST_ngx_close);
	sys_close(&w->w_proc, c->c_fd);
	w->w_stats.ng_closed++;
	w->w_stats.ng_open--;
	sim_pool_put(&w->w_connections, c);
}
