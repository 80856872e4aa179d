#include "model/hw/nic.h"
#include "sim/core/engine.h"
#include "tests/unit/check.h"

#define GAP 125000 /* ns: 8000/s */
#define LATENCY 5000
#define END 20000000

static void
arrive(struct nic_port *np, sim_ns t, int rss, uint32_t id)
{
	struct pkt p = {
		.p_time = t, .p_rss = (uint8_t)rss, .p_nseg = 1, .p_seq = id
	};

	nic_rx_arrive(np, &p);
}

/* Entry i of the table is ring i modulo the rings; 7 bits of hash count. */
static void
test_hash_picks_the_ring(void **state)
{
	struct nic_port np;

	(void)state;
	nic_port_init(&np, 24, 2048, 24);
	for (int rss = 0; rss < 256; rss++)
		arrive(&np, rss, rss, (uint32_t)rss);
	for (int ring = 0; ring < 24; ring++) {
		struct rxring *rr = &np.np_rxr[ring];
		uint32_t n = nic_rx_pending(rr, 1000);

		/* 128 values over 24 rings: eight get 6, sixteen get 5. */
		assert_int_equal(n, ring < 8 ? 12 : 10);
		while (n-- > 0)
			assert_int_equal(
			    (nic_rx_take(rr)->p_seq & 127) % 24, ring);
	}
	nic_port_fini(&np);
}

/* 16 rings for 24 protocol CPUs: those of CPUs 16..23 go to rings 0..7. */
static void
test_fewer_rings_than_cpus(void **state)
{
	struct nic_port np;

	(void)state;
	nic_port_init(&np, 16, 2048, 24);
	for (int rss = 0; rss < 128; rss++)
		arrive(&np, 1, rss, (uint32_t)rss);
	for (int ring = 0; ring < 16; ring++) {
		struct rxring *rr = &np.np_rxr[ring];

		for (uint32_t n = nic_rx_pending(rr, 1); n > 0; n--) {
			int cpu = (int)nic_rx_take(rr)->p_seq % 24;

			assert_int_equal(cpu < 16 ? cpu : cpu - 16, ring);
		}
	}
	nic_port_fini(&np);
}

static void
test_only_what_has_arrived_is_pending(void **state)
{
	struct nic_port np;
	struct rxring *rr = &np.np_rxr[0];

	(void)state;
	nic_port_init(&np, 1, 64, 1);
	arrive(&np, 100, 0, 0);
	arrive(&np, 200, 0, 1);
	assert_int_equal(nic_rx_pending(rr, 99), 0);
	assert_int_equal(nic_rx_pending(rr, 100), 1);
	assert_int_equal(nic_rx_pending(rr, 199), 1);
	assert_int_equal(nic_rx_pending(rr, 200), 2);
	nic_port_fini(&np);
}

/* 64 descriptors, 100 frames: the last 36 are gone, what comes later is not. */
static void
test_full_ring_drops_the_newest(void **state)
{
	struct nic_port np;
	struct rxring *rr = &np.np_rxr[0];

	(void)state;
	nic_port_init(&np, 1, 64, 1);
	for (uint32_t i = 0; i < 100; i++)
		arrive(&np, 1000 + i, 0, i);
	for (uint32_t i = 100; i < 110; i++)
		arrive(&np, 5000 + i, 0, i);
	assert_int_equal(nic_rx_pending(rr, 2000), 64);
	assert_int_equal(rr->rr_drops, 36);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(nic_rx_take(rr)->p_seq, i);
	assert_int_equal(nic_rx_pending(rr, 2000), 0);
	assert_int_equal(nic_rx_pending(rr, 9000), 10);
	for (uint32_t i = 100; i < 110; i++)
		assert_int_equal(nic_rx_take(rr)->p_seq, i);
	assert_int_equal(rr->rr_drops, 36);
	assert_int_equal(rr->rr_frames, 74);
	nic_port_fini(&np);
}

/* What a poll leaves in the ring holds its descriptors. */
static void
test_frames_left_by_a_poll_take_room(void **state)
{
	struct nic_port np;
	struct rxring *rr = &np.np_rxr[0];

	(void)state;
	nic_port_init(&np, 1, 64, 1);
	for (uint32_t i = 0; i < 60; i++)
		arrive(&np, 100, 0, i);
	assert_int_equal(nic_rx_pending(rr, 100), 60);
	for (int i = 0; i < 50; i++)
		nic_rx_take(rr);
	for (uint32_t i = 60; i < 130; i++)
		arrive(&np, 200, 0, i);
	assert_int_equal(nic_rx_pending(rr, 200), 64);
	assert_int_equal(rr->rr_drops, 16);
	assert_int_equal(nic_rx_take(rr)->p_seq, 50);
	nic_port_fini(&np);
}

static void
test_exactly_full_drops_nothing(void **state)
{
	struct nic_port np;

	(void)state;
	nic_port_init(&np, 1, 64, 1);
	for (uint32_t i = 0; i < 64; i++)
		arrive(&np, 100, 0, i);
	assert_int_equal(nic_rx_pending(&np.np_rxr[0], 100), 64);
	assert_int_equal(np.np_rxr[0].rr_drops, 0);
	nic_port_fini(&np);
}

/*
 * Interrupts: a CPU that has nothing to do but its vector, and packets that
 * another actor posts when the engine is there.
 */

static sim_ns costs[COST_N];
static sim_ns raised[1000];
static uint32_t taken_at[1000];
static int nraised;
static struct cpu cpu;
static struct wire wire;
static struct txring far;
static struct pktq ring;
static struct nic_vector vector;
static const sim_ns *posts;
static int nposts;

static sim_ns
pass(struct cpu *c, sim_ns mark, void *arg)
{
	(void)c;
	(void)mark;
	(void)arg;
	return END;
}

static const struct cpu_marks marks = { 1, END, pass, NULL };

static void
queue(void *arg, const struct pkt *p)
{
	pktq_push(arg, p);
}

static void
intr(struct nic_vector *nv)
{
	sim_ns now = nv->nv_cpu->c_now;

	raised[nraised] = now;
	while (pktq_len(nv->nv_q) != 0 && pktq_first(nv->nv_q)->p_time <= now) {
		taken_at[nraised]++;
		nv->nv_q->pq_head++;
	}
	nraised++;
}

static void
cpu_actor(void *arg)
{
	(void)arg;
	for (;;)
		cpu_idle(&cpu);
}

static void
far_actor(void *arg)
{
	(void)arg;
	for (int i = 0; i < nposts; i++) {
		struct pkt p = { .p_time = posts[i], .p_nseg = 1 };

		engine_wait_until(posts[i]);
		wire_post(&far, &p);
	}
}

static void
run(const sim_ns *times, int n, bool exact)
{
	posts = times;
	nposts = n;
	engine_open(&(struct engine_platform){ .ep_nhosts = 1 });
	wire_init(&wire, 10000000000, LATENCY, queue, &ring);
	txring_init(&far, &wire);
	cpu_init(&cpu, 0, 0, costs, &marks, exact);
	nic_vector_init(&vector, &cpu, &ring, &wire, GAP, intr, NULL);
	engine_actor_create("cpu", 0, cpu_actor, NULL);
	engine_actor_create("far", 0, far_actor, NULL);
	engine_run(END + 1);
	engine_close();
	txring_fini(&far);
	pktq_fini(&ring);
}

/* The first at once; then no two closer than 125 us, however many come. */
static void
spacing(void)
{
	static sim_ns times[2000];

	for (int i = 0; i < 2000; i++)
		times[i] = 100000 + i * 1000;
	run(times, 2000, false);
	CHECK_EQ(raised[0], 100000 + 72 + LATENCY);
	/* The last frame arrives at 2,104,072: the 17th is the last raise. */
	CHECK_EQ(nraised, 17);
	for (int i = 1; i < nraised; i++) {
		CHECK_EQ(raised[i] - raised[i - 1], GAP);
		CHECK_EQ(taken_at[i], i < 16 ? 125 : 2000 - 1 - 15 * 125);
	}
	CHECK_EQ(taken_at[0], 1);
	CHECK_EQ(vector.nv_count, 17);
}

/* A frame that comes later than that is not kept waiting; ns by ns. */
static void
alone(void)
{
	static const sim_ns times[] = { 10000, 200000, 340003, 465002, 465003,
		900000 };

	run(times, 6, false);
	CHECK_EQ(nraised, 6);
	CHECK_EQ(raised[0], 10000 + 72 + LATENCY);
	CHECK_EQ(raised[1], 200000 + 72 + LATENCY);
	CHECK_EQ(raised[2], 340003 + 72 + LATENCY);
	CHECK_EQ(raised[3], 465003 + 72 + LATENCY); /* 125 us after the last */
	CHECK_EQ(taken_at[3], 1); /* the other needs 72 ns more */
	CHECK_EQ(raised[4], 465003 + 72 + LATENCY + GAP);
	CHECK_EQ(raised[5], 900000 + 72 + LATENCY);
}

/* Without look-ahead the same. */
static void
alone_exact(void)
{
	static const sim_ns times[] = { 10000, 200000, 340003, 465002, 465003,
		900000 };

	run(times, 6, true);
	CHECK_EQ(nraised, 6);
	CHECK_EQ(raised[3], 465003 + 72 + LATENCY);
	CHECK_EQ(raised[4], 465003 + 72 + LATENCY + GAP);
	CHECK_EQ(raised[5], 900000 + 72 + LATENCY);
}

static void
test_interrupts_keep_their_distance(void **state)
{
	(void)state;
	check_forked(spacing);
}

static void
test_a_lone_frame_interrupts_on_arrival(void **state)
{
	(void)state;
	check_forked(alone);
	check_forked(alone_exact);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash_picks_the_ring),
		cmocka_unit_test(test_fewer_rings_than_cpus),
		cmocka_unit_test(test_only_what_has_arrived_is_pending),
		cmocka_unit_test(test_full_ring_drops_the_newest),
		cmocka_unit_test(test_frames_left_by_a_poll_take_room),
		cmocka_unit_test(test_exactly_full_drops_nothing),
		cmocka_unit_test(test_interrupts_keep_their_distance),
		cmocka_unit_test(test_a_lone_frame_interrupts_on_arrival),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
