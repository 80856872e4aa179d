/*
 * soreceive() and its stream variants: what a call takes, and when space comes
 * free.
 */
#include "tests/unit/bsd.h"

#define LEN 1000 /* of an mbuf; copied in as many ns */
#define SPACES 8

static struct bsd_so so;
static uint64_t marks[64];
static struct uio_target target = { marks, 64, 0 };
static uint32_t got[2], space[SPACES];
static sim_ns began, returned, space_at[SPACES];
static int nspace;
static bool space_locked[SPACES];

static void
no_rcvd(struct thread *td, struct bsd_so *of)
{
	(void)td;
	(void)of;
}

static void
note_space(struct bsd_so *of, uint32_t len)
{
	if (nspace >= SPACES)
		return;
	space_locked[nspace] = of->so_rcv.sb_mtx.mtx_owner != NULL;
	space_at[nspace] = engine_now();
	space[nspace++] = len;
}

static const struct bsd_usrreqs reqs = { no_rcvd, note_space };

static void
append(int n)
{
	for (int i = 0; i < n; i++)
		sb_append(&so.so_rcv,
		    &(struct sb_mbuf){ .m_len = LEN, .m_size = 2304 });
}

static void
input_entry(struct thread *td)
{
	bsd_until(td, BSD_START + 500);
	mtx_lock(td, &so.so_rcv.sb_mtx);
	append(1);
	mtx_unlock(td, &so.so_rcv.sb_mtx);
	bsd_done(td);
}

static void
reader_entry(struct thread *td)
{
	bsd_until(td, BSD_START);
	began = bsd_time(td);
	got[0] = soreceive(td, &so, &target, 10 * LEN);
	returned = bsd_time(td);
	if (so.so_rcv.sb_cc > 0)
		got[1] = soreceive(td, &so, &target, 10 * LEN);
	bsd_done(td);
}

/* Two mbufs are there; a third one comes during the copy of the first. */
static void
receive(enum setup_soreceive variant)
{
	bsd_init();
	rig.rg_setup.su_machines[0].sm_soreceive = variant;
	bsd_open();
	so.so_machine = rig.rg_m;
	so.so_proto = &reqs;
	sb_init(&so.so_rcv, 65536, 1 << 20);
	append(2);
	bsd_thread(PUSER, 0, input_entry);
	bsd_thread(PUSER, 1, reader_entry);
	bsd_run();
	CHECK_EQ(so.so_rcv.sb_cc, 0);
	CHECK_EQ(so.so_rcv.sb_mbcnt, 0);
	CHECK_EQ(so.so_inhand, 0);
	for (int i = 0; i < nspace; i++)
		CHECK(space_locked[i]);
	so_bsd_fini(&so);
}

/* It reads the live chain, and gives space back mbuf by mbuf. */
static void
generic(void)
{
	receive(SORECEIVE_GENERIC);
	CHECK_EQ(got[0], 3 * LEN);
	CHECK_EQ(nspace, 3);
	CHECK_EQ(space[0], LEN);
	/* Copied, locked again; the input has had the lock meanwhile. */
	CHECK_EQ(space_at[0], began + C_RECV + C_MTX + LEN + C_MTX + C_LINE);
	CHECK_EQ(space_at[1] - space_at[0], C_FREE + LEN + C_MTX);
	CHECK_EQ(space_at[2] - space_at[1], C_FREE + LEN + C_MTX);
}

/* What was there is cut off at once, and that is all that it takes. */
static void
stream_2007(void)
{
	receive(SORECEIVE_STREAM_2007);
	CHECK_EQ(got[0], 2 * LEN);
	CHECK_EQ(got[1], LEN);
	CHECK_EQ(space_at[0], began + C_RECV + C_MTX);
	CHECK_EQ(space_at[1], space_at[0]);
	/* Copied and freed without the lock; then sbunlock(). */
	CHECK_EQ(returned, space_at[0] + 2 * (LEN + C_FREE) + C_MTX + C_LINE);
}

/* Copied where it is; space comes at the end. */
static void
stream_2009(void)
{
	receive(SORECEIVE_STREAM_2009);
	CHECK_EQ(got[0], 2 * LEN);
	CHECK_EQ(got[1], LEN);
	CHECK_EQ(
	    space_at[0], began + C_RECV + C_MTX + 2 * LEN + C_MTX + C_LINE);
	CHECK_EQ(space_at[1], space_at[0] + C_FREE);
}

/* 2304 of a frame's 1448 bytes count: the mbufs run out first. */
static void
mbufs_limit_space(void **state)
{
	struct sockbuf sb;

	(void)state;
	sb_init(&sb, 196608, 262144);
	assert_int_equal(sb.sb_mbmax, 262144);
	for (int i = 0; i < 113; i++)
		sb_append(
		    &sb, &(struct sb_mbuf){ .m_len = 1448, .m_size = 2304 });
	assert_int_equal(sb.sb_cc, 113 * 1448);
	assert_int_equal(sb_mbspace(&sb), 262144 - 113 * 2304);
	assert_true(sb_mbspace(&sb) < 2304);
	sim_free(sb.sb_chain);
	sb_init(&sb, 65536, 1 << 30);
	assert_int_equal(sb.sb_mbmax, 8 * 65536);
}

#define CASE(name)                            \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		check_forked(name);           \
	}
CASE(generic)
CASE(stream_2007)
CASE(stream_2009)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generic),
		cmocka_unit_test(test_stream_2007),
		cmocka_unit_test(test_stream_2009),
		cmocka_unit_test(mbufs_limit_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
