#include "model/kern/sockbuf.h"

#include <string.h>

#include "model/trace.h"

#define SB_EFFICIENCY 8 /* sb_efficiency: mbmax over hiwat */

typedef uint32_t soreceive_fn(
    struct thread *, struct bsd_so *, struct uio_target *, uint32_t len);

static void sb_grow(struct sockbuf *);
static struct sb_mbuf *sb_first(const struct sockbuf *);
static void sb_take(struct bsd_so *, uint32_t n);
static bool sbwait(struct thread *, struct bsd_so *);
static soreceive_fn soreceive_generic, soreceive_cut, soreceive_drop;
static uint32_t so_cut(struct bsd_so *, uint32_t want);
static void uiomove(struct thread *, struct uio_target *, uint32_t n);
static void so_copied(struct thread *, struct bsd_so *, const struct sb_mbuf *);

void
sb_init(struct sockbuf *sb, uint32_t hiwat, int64_t sb_max)
{
	*sb = (struct sockbuf){ .sb_hiwat = hiwat };
	mtx_init(&sb->sb_mtx, "so_rcv");
	sb->sb_mbmax = (uint32_t)sim_min(
	    (int64_t)hiwat * SB_EFFICIENCY, sim_min(sb_max, UINT32_MAX));
}

void
so_bsd_fini(struct bsd_so *so)
{
	sim_free(so->so_rcv.sb_chain);
	sim_free(so->so_cut);
}

static struct sb_mbuf *
sb_first(const struct sockbuf *sb)
{
	return &sb->sb_chain[sb->sb_head & sb->sb_mask];
}

void
sb_append(struct sockbuf *sb, const struct sb_mbuf *m)
{
	if (sb->sb_chain == NULL || sb->sb_tail - sb->sb_head > sb->sb_mask)
		sb_grow(sb);
	sb->sb_chain[sb->sb_tail++ & sb->sb_mask] = *m;
	sb->sb_cc += m->m_len;
	sb->sb_mbcnt += m->m_size;
}

static void
sb_grow(struct sockbuf *sb)
{
	uint32_t cap = sb->sb_chain == NULL ? 64 : 2 * (sb->sb_mask + 1);
	struct sb_mbuf *chain = sim_calloc(cap, sizeof(*chain));

	for (uint32_t i = sb->sb_head; i != sb->sb_tail; i++)
		chain[i & (cap - 1)] = sb->sb_chain[i & sb->sb_mask];
	sim_free(sb->sb_chain);
	sb->sb_chain = chain;
	sb->sb_mask = cap - 1;
}

/* n bytes of the first mbuf are taken: it is freed, or trimmed. */
static void
sb_take(struct bsd_so *so, uint32_t n)
{
	struct sockbuf *sb = &so->so_rcv;
	struct sb_mbuf *m = sb_first(sb);

	sb->sb_cc -= n;
	m->m_len -= n;
	if (m->m_len == 0) {
		sb->sb_mbcnt -= m->m_size;
		sb->sb_head++;
	}
	so->so_proto->pru_space(so, n);
}

uint32_t
soreceive(
    struct thread *td, struct bsd_so *so, struct uio_target *ut, uint32_t len)
{
	static soreceive_fn *const variants[] = {
		[SORECEIVE_GENERIC] = soreceive_generic,
		[SORECEIVE_STREAM_2007] = soreceive_cut,
		[SORECEIVE_STREAM_2009] = soreceive_drop,
	};
	struct mtx *mtx = &so->so_rcv.sb_mtx;
	uint32_t got;

	td->td_gd->gd_syscalls++;
	so->so_calls++;
	td_run(td, COST_soreceive);
	mtx_lock(td, mtx);
	if (!sbwait(td, so)) {
		mtx_unlock(td, mtx);
		return 0;
	}
	got = variants[so->so_machine->m_setup->sm_soreceive](td, so, ut, len);
	SIM_TRACE(td_cpu(td)->c_now, td_cpu(td)->c_where, TRACE_SORECEIVE, 0,
	    got, so->so_rcv.sb_cc);
	so->so_proto->pru_rcvd(td, so);
	/* sbunlock() */
	mtx_lock(td, mtx);
	mtx_unlock(td, mtx);
	return got;
}

/* Returns: whether there is data; there is none at the end of the stream. */
static bool
sbwait(struct thread *td, struct bsd_so *so)
{
	struct sockbuf *sb = &so->so_rcv;

	while (sb->sb_cc == 0) {
		if (sb->sb_cantrcvmore)
			return false;
		sb->sb_waiter = td;
		SIM_TRACE(td_cpu(td)->c_now, td_cpu(td)->c_where, TRACE_SBWAIT,
		    0, td->td_index, sb->sb_hiwat - sb->sb_cc);
		bsd_msleep(td, &sb->sb_mtx, PSOCK);
	}
	return true;
}

/*
 * An mbuf at a time of the live chain: unlocked for the copy, freed under the
 * lock. What is appended meanwhile is taken too.
 */
static uint32_t
soreceive_generic(
    struct thread *td, struct bsd_so *so, struct uio_target *ut, uint32_t len)
{
	struct sockbuf *sb = &so->so_rcv;
	uint32_t got = 0, n;

	for (; got < len && sb->sb_cc > 0; got += n) {
		struct sb_mbuf m = *sb_first(sb);

		n = m.m_len < len - got ? m.m_len : len - got;
		td_run(td, COST_soreceive_mbuf);
		mtx_unlock(td, &sb->sb_mtx);
		uiomove(td, ut, n);
		so_copied(td, so, &m);
		mtx_lock(td, &sb->sb_mtx);
		sb_take(so, n);
		if (n == m.m_len)
			td_run(td, COST_m_free);
	}
	mtx_unlock(td, &sb->sb_mtx);
	return got;
}

/*
 * March 2007: what there is, is cut off under the lock; the window opens before
 * the copy, and nothing is freed under the lock.
 */
static uint32_t
soreceive_cut(
    struct thread *td, struct bsd_so *so, struct uio_target *ut, uint32_t len)
{
	struct sockbuf *sb = &so->so_rcv;
	uint32_t n = so_cut(so, sb->sb_cc < len ? sb->sb_cc : len), got = 0;

	mtx_unlock(td, &sb->sb_mtx);
	for (uint32_t i = 0; i < n; i++) {
		uiomove(td, ut, so->so_cut[i].m_len);
		so_copied(td, so, &so->so_cut[i]);
		if (so->so_cut[i].m_size > 0)
			td_run(td, COST_m_free);
		so->so_inhand -= so->so_cut[i].m_size;
		got += so->so_cut[i].m_len;
	}
	return got;
}

/* Move `want` bytes into so_cut. Returns: mbufs. */
static uint32_t
so_cut(struct bsd_so *so, uint32_t want)
{
	struct sockbuf *sb = &so->so_rcv;
	uint32_t most = sb->sb_tail - sb->sb_head, i = 0;

	if (most > so->so_ncut) {
		sim_free(so->so_cut);
		so->so_cut = sim_calloc(2 * most, sizeof(*so->so_cut));
		so->so_ncut = 2 * most;
	}
	for (; want > 0; i++) {
		struct sb_mbuf *cut = &so->so_cut[i];

		*cut = *sb_first(sb);
		if (cut->m_len > want) {
			cut->m_len = want;
			cut->m_size = 0; /* it stays with the rest */
		}
		so->so_inhand += cut->m_size;
		want -= cut->m_len;
		sb_take(so, cut->m_len);
	}
	return i;
}

/* As it was committed: copied where it is, then dropped under the lock. */
static uint32_t
soreceive_drop(
    struct thread *td, struct bsd_so *so, struct uio_target *ut, uint32_t len)
{
	struct sockbuf *sb = &so->so_rcv;
	uint32_t want = sb->sb_cc < len ? sb->sb_cc : len, got, n, i;

	mtx_unlock(td, &sb->sb_mtx);
	for (got = 0, i = sb->sb_head; got < want; got += n, i++) {
		struct sb_mbuf m = sb->sb_chain[i & sb->sb_mask];

		n = m.m_len < want - got ? m.m_len : want - got;
		uiomove(td, ut, n);
		so_copied(td, so, &m);
	}
	mtx_lock(td, &sb->sb_mtx);
	for (got = 0; got < want; got += n) {
		bool whole = sb_first(sb)->m_len <= want - got;

		n = whole ? sb_first(sb)->m_len : want - got;
		sb_take(so, n);
		if (whole)
			td_run(td, COST_m_free);
	}
	mtx_unlock(td, &sb->sb_mtx);
	return got;
}

/*
 * Copy to the process. What of the target has left the cache since it was last
 * written costs uiomove_miss more; it is all gone when another CPU wrote it. A
 * mark is the CPU's c_touched then, and the CPU.
 */
static void
uiomove(struct thread *td, struct uio_target *ut, uint32_t n)
{
	struct cpu *c = td->td_bsd.bt_cpu;
	const struct lru *lr = &td->td_gd->gd_machine->m_lru;
	uint64_t missing = 0, mine = (uint64_t)c->c_id;
	uint32_t pieces = (n + UIO_PIECE - 1) / UIO_PIECE;

	for (uint32_t i = 0; i < pieces; i++) {
		uint64_t *mark = &ut->ut_marks[ut->ut_next];

		c->c_touched += 2 * UIO_PIECE; /* read and written */
		if (*mark % SETUP_MAX_CPUS == mine)
			missing +=
			    lru_left(lr, c->c_touched - *mark / SETUP_MAX_CPUS);
		else
			missing += 65536;
		*mark = c->c_touched * SETUP_MAX_CPUS + mine;
		ut->ut_next = (ut->ut_next + 1) % ut->ut_pieces;
	}
	td_run_bytes(td, COST_uiomove, n);
	missing = n * missing / pieces / 65536;
	if (missing > 0)
		td_run_bytes(td, COST_uiomove_miss, (int64_t)missing);
}

static void
so_copied(struct thread *td, struct bsd_so *so, const struct sb_mbuf *m)
{
	if (so->so_account != NULL)
		so->so_account(so->so_account_arg, m, td_cpu(td)->c_now);
}
