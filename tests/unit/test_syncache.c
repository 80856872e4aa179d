#include "tests/unit/rig.h"

#define NSYN 50

static struct rig rig;
static struct so_listen listener, *listenerp = &listener;
static struct syncache *sca;
static uint32_t iss[NSYN]; /* as the SYN|ACKs told */

static void
start(void)
{
	rig_open(&rig);
	rig_listen(&rig, &listenerp, 128);
	sca = rig.rg_gd->gd_syncache;
}

static void
init(sim_ns measure)
{
	rig_init(&rig);
	rig.rg_setup.su_run.sr_measure = measure;
	/* Few polls in long runs; ACKs of a ms later are not the point. */
	rig.rg_setup.su_machines[0].sm_sysctl.pollhz = 1000;
}

static int
half_open(void)
{
	int n = 0;

	for (int b = 0; b < rig.rg_m->m_sysctl->syncache_hashsize; b++) {
		const struct syncache_entry *sc;
		int len = 0;

		TAILQ_FOREACH (sc, &sca->sca_buckets[b], sc_hash) {
			CHECK_EQ(sc->sc_bucket, b);
			len++;
		}
		CHECK_EQ(sca->sca_length[b], len);
		n += len;
	}
	CHECK_EQ(sca->sca_count, n);
	CHECK_EQ(rig.rg_gd->gd_sc_pool.sp_inuse, n);
	return n;
}

/* n SYNs, 100 us apart, and note the answers. */
static void
flood(struct rig *rg, int n)
{
	const struct pkt *p;

	for (int i = 0; i < n; i++) {
		rig_wait(rg, sim_ms(1) + sim_us(100) * i);
		rig_syn(rg, i + 1);
	}
	rig_wait(rg, sim_ms(20));
	while ((p = rig_take(rg)) != NULL) {
		CHECK_EQ(p->p_flags, TH_SYN | TH_ACK);
		CHECK_EQ(p->p_ack, RIG_ISS + flow_port(p->p_flow) + 1);
		CHECK(p->p_prio);
		iss[flow_port(p->p_flow) - 1] = p->p_seq;
	}
	CHECK_EQ(rg->rg_ngot, n);
}

static void
ack(struct rig *rg, int i)
{
	rig_send(rg, TH_ACK, i + 1, RIG_ISS + (uint32_t)i + 2, iss[i] + 1, 0);
}

/* One bucket of 30: the 31st SYN pushes the oldest out. */
static void
bucket_script(struct rig *rg)
{
	const struct pkt *p;

	flood(rg, 33);
	ack(rg, 2); /* the last that was pushed out */
	rig_wait(rg, sim_ms(25));
	p = rig_take(rg);
	CHECK(p != NULL && p->p_flags == TH_RST);
	ack(rg, 3);
	ack(rg, 32);
	rig_wait(rg, sim_ms(30));
	CHECK(rig_take(rg) == NULL);
}

static void
bucket(void)
{
	init(sim_ms(50));
	rig.rg_setup.su_machines[0].sm_sysctl.syncache_hashsize = 1;
	start();
	rig_run(&rig, bucket_script);
	CHECK_EQ(sca->sca_stats.tcps_sc_added, 33);
	CHECK_EQ(sca->sca_stats.tcps_sc_bucketoverflow, 3);
	CHECK_EQ(sca->sca_stats.tcps_sc_cacheoverflow, 0);
	CHECK_EQ(sca->sca_stats.tcps_sc_completed, 2);
	CHECK_EQ(half_open(), 33 - 3 - 2);
	CHECK_EQ(listener.so_qlen, 2);
	rig_close(&rig);
}

/* A cache of 10: the 11th pushes one out, of whatever bucket. */
static void
cache_script(struct rig *rg)
{
	flood(rg, 25);
}

static void
cache(void)
{
	init(sim_ms(50));
	rig.rg_setup.su_machines[0].sm_sysctl.syncache_cachelimit = 10;
	start();
	rig_run(&rig, cache_script);
	CHECK_EQ(sca->sca_stats.tcps_sc_cacheoverflow, 15);
	CHECK_EQ(sca->sca_stats.tcps_sc_bucketoverflow, 0);
	CHECK_EQ(half_open(), 10);
	rig_close(&rig);
}

/*
 * Nobody answers: the SYN|ACK goes again after 1, 1, 2, 4 s, in whole ticks
 * from the one in which it was last sent, and after 8 s more it is given up.
 */
static void
silent_script(struct rig *rg)
{
	rig_wait(rg, sim_ms(123)); /* polled at 124 ms, in tick 12 */
	rig_syn(rg, 77);
	rig_wait(rg, sim_ms(16110));
	CHECK_EQ(half_open(), 1);
	rig_wait(rg, sim_ms(16140));
	CHECK_EQ(half_open(), 0);
	/* Too late. */
	rig_send(rg, TH_ACK, 77, RIG_ISS + 78, rg->rg_got[0].p_seq + 1, 0);
}

static void
silent(void)
{
	static const int ticks[] = { 12, 112, 212, 412, 812 };

	init(sim_ms(16200));
	start();
	rig_run(&rig, silent_script);
	CHECK_EQ(rig.rg_ngot, 5 + 1);
	for (int i = 0; i < 5; i++) {
		const struct pkt *p = &rig.rg_got[i];

		CHECK_EQ(p->p_flags, TH_SYN | TH_ACK);
		CHECK_EQ(p->p_seq, rig.rg_got[0].p_seq);
		CHECK_EQ(p->p_ack, RIG_ISS + 78);
		CHECK_EQ(p->p_time / CALLOUT_TICK_NS, ticks[i]);
		/* Nothing costs anything here: on the tick, 78.4 ns, 5 us. */
		if (i > 0)
			CHECK_EQ(p->p_time % CALLOUT_TICK_NS, 5078);
	}
	CHECK_EQ(rig.rg_got[5].p_flags, TH_RST);
	CHECK_EQ(sca->sca_stats.tcps_sc_retransmitted, 4);
	CHECK_EQ(sca->sca_stats.tcps_sc_stale, 1);
	CHECK_EQ(sca->sca_stats.tcps_sc_completed, 0);
	rig_close(&rig);
}

/* An answer to the second SYN|ACK does as well, and stops the timer. */
static void
late_script(struct rig *rg)
{
	rig_wait(rg, sim_ms(1));
	rig_syn(rg, 77);
	rig_wait(rg, sim_ms(1500));
	CHECK_EQ(rig_ack_all(rg), 2); /* two SYN|ACKs, two equal ACKs */
	rig_wait(rg, sim_ms(5000));
	CHECK(rig_take(rg) == NULL);
}

static void
late(void)
{
	init(sim_ms(6000));
	start();
	rig_run(&rig, late_script);
	CHECK_EQ(sca->sca_stats.tcps_sc_retransmitted, 1);
	CHECK_EQ(sca->sca_stats.tcps_sc_completed, 1);
	CHECK_EQ(listener.so_qlen, 1);
	rig_close(&rig);
}

/* The same SYN again: the same SYN|ACK again, and no second entry. */
static void
dup_script(struct rig *rg)
{
	rig_wait(rg, sim_ms(1));
	rig_syn(rg, 77);
	rig_wait(rg, sim_ms(300));
	rig_syn(rg, 77);
	rig_wait(rg, sim_ms(310));
	CHECK_EQ(half_open(), 1);
	CHECK_EQ(rig_ack_all(rg), 2);
}

static void
duplicate(void)
{
	init(sim_ms(400));
	start();
	rig_run(&rig, dup_script);
	CHECK_EQ(rig.rg_got[0].p_seq, rig.rg_got[1].p_seq);
	CHECK_EQ(rig.rg_got[0].p_ack, rig.rg_got[1].p_ack);
	CHECK_EQ(sca->sca_stats.tcps_sc_added, 1);
	CHECK_EQ(sca->sca_stats.tcps_sc_dupsyn, 1);
	CHECK_EQ(sca->sca_stats.tcps_sc_completed, 1);
	CHECK_EQ(listener.so_qlen, 1);
	rig_close(&rig);
}

/* A reset in sequence ends it; one out of sequence does not. */
static void
rst_script(struct rig *rg)
{
	const struct pkt *p;

	flood(rg, 2);
	rig_send(rg, TH_RST, 1, RIG_ISS + 2, 0, 0);
	rig_send(rg, TH_RST, 2, RIG_ISS + 9, 0, 0);
	rig_wait(rg, sim_ms(30));
	CHECK_EQ(half_open(), 1);
	CHECK(rig_take(rg) == NULL);
	ack(rg, 0);
	ack(rg, 1);
	rig_wait(rg, sim_ms(40));
	p = rig_take(rg);
	CHECK(p != NULL && p->p_flags == TH_RST);
	CHECK(p != NULL && flow_port(p->p_flow) == 1);
	CHECK(rig_take(rg) == NULL);
}

static void
reset(void)
{
	init(sim_ms(50));
	start();
	rig_run(&rig, rst_script);
	CHECK_EQ(sca->sca_stats.tcps_sc_reset, 1);
	CHECK_EQ(sca->sca_stats.tcps_sc_completed, 1);
	rig_close(&rig);
}

/* An ACK of something else is answered by a reset; the entry stays. */
static void
wrong_ack_script(struct rig *rg)
{
	const struct pkt *p;

	flood(rg, 1);
	rig_send(rg, TH_ACK, 1, RIG_ISS + 2, iss[0] + 2, 0);
	rig_wait(rg, sim_ms(30));
	p = rig_take(rg);
	CHECK(p != NULL && p->p_flags == TH_RST && p->p_seq == iss[0] + 2);
	CHECK_EQ(half_open(), 1);
	ack(rg, 0);
}

static void
wrong_ack(void)
{
	init(sim_ms(50));
	start();
	rig_run(&rig, wrong_ack_script);
	CHECK_EQ(sca->sca_stats.tcps_sc_completed, 1);
	CHECK_EQ(listener.so_qlen, 1);
	rig_close(&rig);
}

/* A SYN that nobody listens for is reset and counted. */
static void
nobody_script(struct rig *rg)
{
	rig_wait(rg, sim_ms(1));
	rig_syn(rg, 5);
}

static void
nobody(void)
{
	init(sim_ms(50));
	start();
	rig.rg_m->m_pcbinfo->ipi_ngroup = 0;
	rig_run(&rig, nobody_script);
	CHECK_EQ(rig.rg_ngot, 1);
	CHECK_EQ(rig.rg_got[0].p_flags, TH_RST | TH_ACK);
	CHECK_EQ(rig.rg_got[0].p_ack, RIG_ISS + 6);
	CHECK_EQ(model_counter(rig.rg_model, COUNTER_tcps_badsyn), 1);
	rig_close(&rig);
}

#define TEST(name, child)                     \
	static void test_##name(void **state) \
	{                                     \
		(void)state;                  \
		check_forked(child);          \
	}

TEST(full_bucket_drops_its_oldest, bucket)
TEST(full_cache_drops_one, cache)
TEST(retransmits_after_1_1_2_4_and_gives_up_after_8, silent)
TEST(late_answer_completes, late)
TEST(dup_syn_is_answered_again, duplicate)
TEST(reset_in_sequence_ends_it, reset)
TEST(wrong_ack_is_reset, wrong_ack)
TEST(nobody_listens, nobody)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_bucket_drops_its_oldest),
		cmocka_unit_test(test_full_cache_drops_one),
		cmocka_unit_test(
		    test_retransmits_after_1_1_2_4_and_gives_up_after_8),
		cmocka_unit_test(test_late_answer_completes),
		cmocka_unit_test(test_dup_syn_is_answered_again),
		cmocka_unit_test(test_reset_in_sequence_ends_it),
		cmocka_unit_test(test_wrong_ack_is_reset),
		cmocka_unit_test(test_nobody_listens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
