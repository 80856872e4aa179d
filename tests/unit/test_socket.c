/*
 * The limits of a listening socket at their boundaries: a SYN is processed
 * while so_qlen <= so_qlimit, a socket is refused when so_qlen is past
 * 3 * so_qlimit / 2. Nobody accepts.
 */
#include "tests/unit/rig.h"

#define QLIMIT 256

static struct rig rig;
static struct so_listen listener, *listenerp = &listener;

static void
start(sim_ns measure, int qlimit)
{
	rig_init(&rig);
	rig.rg_setup.su_run.sr_measure = measure;
	rig_open(&rig);
	rig_listen(&rig, &listenerp, qlimit);
}

static int64_t
stat_of(enum counter c)
{
	return model_counter(rig.rg_model, c);
}

/* The queue's accounts agree with one another. */
static void
check_queue(int qlen)
{
	const struct so *so;
	int n = 0;

	TAILQ_FOREACH (so, &listener.so_comp, so_list) {
		CHECK(so->so_state & SS_COMP);
		CHECK(so->so_head == &listener.sl_so);
		n++;
	}
	CHECK_EQ(n, qlen);
	CHECK_EQ(listener.so_qlen, qlen);
	CHECK_EQ(listener.sl_qmax, qlen);
	CHECK_EQ(listener.sl_completed, qlen);
	CHECK_EQ(stat_of(COUNTER_tcps_sc_completed), qlen);
	CHECK_EQ(tcp_kern_connections(rig.rg_gd), qlen);
}

static void
test_limits_as_predicates(void **state)
{
	struct so_listen head = { .so_qlimit = QLIMIT };

	(void)state;
	head.so_qlen = 256;
	assert_true(so_queue_open(&head));
	assert_false(so_queue_full(&head));
	head.so_qlen = 257;
	assert_false(so_queue_open(&head));
	assert_false(so_queue_full(&head));
	head.so_qlen = 384;
	assert_false(so_queue_full(&head));
	head.so_qlen = 385;
	assert_true(so_queue_full(&head));
	/* An odd limit: 3 * 5 / 2 is 7. */
	head.so_qlimit = 5;
	head.so_qlen = 7;
	assert_false(so_queue_full(&head));
	head.so_qlen = 8;
	assert_true(so_queue_full(&head));
	/* The smallest. */
	head.so_qlimit = 1;
	head.so_qlen = 1;
	assert_true(so_queue_open(&head));
	assert_false(so_queue_full(&head));
	head.so_qlen = 2;
	assert_false(so_queue_open(&head));
	assert_true(so_queue_full(&head));
}

/* One handshake after the other: 257 get in, every later SYN is dropped. */
static void
one_by_one(struct rig *rg)
{
	for (int i = 0; i < 300; i++) {
		rig_wait(rg, sim_ms(2 * i + 1));
		rig_syn(rg, 10000 + i);
		rig_wait(rg, sim_ms(2 * i + 2));
		CHECK_EQ(rig_ack_all(rg), i < 257 ? 1 : 0);
	}
}

static void
syns(void)
{
	start(sim_ms(700), QLIMIT);
	rig_run(&rig, one_by_one);
	check_queue(257);
	CHECK_EQ(listener.sl_syn_drops, 43);
	CHECK_EQ(listener.sl_refused, 0);
	CHECK_EQ(stat_of(COUNTER_tcps_listendrop), 0);
	CHECK_EQ(stat_of(COUNTER_rst_sent), 0);
	CHECK_EQ(stat_of(COUNTER_tcps_sc_added), 257);
	CHECK_EQ(rig.rg_gd->gd_syncache->sca_count, 0);
	rig_close(&rig);
}

/*
 * 400 SYNs first, then their third ACKs: 385 are taken, for the 385th finds
 * 384, which is not past 3/2; 15 are refused, without a segment.
 */
static void
all_at_once(struct rig *rg)
{
	int before;

	for (int i = 0; i < 400; i++) {
		rig_wait(rg, sim_us(20) * (i + 1));
		rig_syn(rg, 10000 + i);
	}
	rig_wait(rg, sim_ms(20));
	CHECK_EQ(rig_ack_all(rg), 400);
	before = rg->rg_ngot;
	rig_wait(rg, sim_ms(80));
	CHECK_EQ(rg->rg_ngot, before);
}

static void
third_acks(void)
{
	start(sim_ms(100), QLIMIT);
	rig_run(&rig, all_at_once);
	check_queue(385);
	CHECK_EQ(listener.sl_syn_drops, 0);
	CHECK_EQ(listener.sl_refused, 15);
	CHECK_EQ(stat_of(COUNTER_tcps_listendrop), 15);
	CHECK_EQ(stat_of(COUNTER_tcps_sc_aborted), 15);
	CHECK_EQ(rig.rg_gd->gd_syncache->sca_count, 0);
	rig_close(&rig);
}

/* Refused: what comes next is answered by a reset that the peer believes. */
static void
then_data(struct rig *rg)
{
	const struct pkt *p;

	for (int i = 0; i < 4; i++) {
		rig_wait(rg, sim_ms(1) + i * 1000);
		rig_syn(rg, 100 + i);
	}
	rig_wait(rg, sim_ms(5));
	CHECK_EQ(rig_ack_all(rg), 4);
	rig_wait(rg, sim_ms(10));
	CHECK(rig_take(rg) == NULL);
	/* The fourth, which was refused like the third: its request. */
	rig_send(rg, TH_ACK | TH_PUSH, 103, RIG_ISS + 104, 4711, 116);
	rig_wait(rg, sim_ms(15));
	p = rig_take(rg);
	CHECK(p != NULL);
	if (p == NULL)
		return;
	CHECK_EQ(p->p_flags, TH_RST);
	CHECK_EQ(p->p_seq, 4711);
	CHECK_EQ(flow_port(p->p_flow), 103);
	CHECK(rig_take(rg) == NULL);
}

static void
refused_then_data(void)
{
	start(sim_ms(30), 1);
	/* so_qlimit 1: refused once so_qlen > 1, so two are taken. */
	rig_run(&rig, then_data);
	check_queue(2);
	CHECK_EQ(listener.sl_refused, 2);
	CHECK_EQ(stat_of(COUNTER_rst_sent), 1);
	rig_close(&rig);
}

/* net.inet.icmp.icmplim resets a second, then silence until the next. */
static void
strays(struct rig *rg)
{
	for (int i = 0; i < 300; i++) {
		rig_wait(rg, sim_ms(100) + i * 5000);
		rig_send(rg, TH_ACK, 1000 + i, 1, 2, 0);
	}
	rig_wait(rg, sim_ms(1100));
	rig_send(rg, TH_ACK, 1000, 1, 2, 0);
	rig_wait(rg, sim_ms(1200));
	/* A reset is not answered. */
	rig_send(rg, TH_RST, 1000, 1, 2, 0);
}

static void
resets_are_limited(void)
{
	start(sim_ms(1300), 1);
	rig_run(&rig, strays);
	CHECK_EQ(stat_of(COUNTER_rst_sent), 200 + 1);
	CHECK_EQ(stat_of(COUNTER_rst_limited), 100);
	CHECK_EQ(rig.rg_ngot, 201);
	rig_close(&rig);
}

/* A queued connection that is reset stays there, and is accepted as ended. */
static void
reset_while_queued(struct rig *rg)
{
	rig_wait(rg, sim_ms(1));
	rig_syn(rg, 500);
	rig_wait(rg, sim_ms(3));
	CHECK_EQ(rig_ack_all(rg), 1);
	rig_wait(rg, sim_ms(5));
	CHECK_EQ(listener.so_qlen, 1);
	rig_send(rg, TH_RST, 500, RIG_ISS + 501, 0, 0);
}

static void
closed_queued(void)
{
	struct so *so;

	start(sim_ms(10), QLIMIT);
	rig_run(&rig, reset_while_queued);
	CHECK_EQ(listener.so_qlen, 1);
	CHECK_EQ(listener.sl_closed, 1);
	so = TAILQ_FIRST(&listener.so_comp);
	CHECK(so->so_state & SS_PCBGONE);
	CHECK(so->so_state & SS_CANTRCVMORE);
	CHECK(flow_of(rig.rg_m, so->so_flow)->fl_pcb == NULL);
	rig_close(&rig);
}

static void
test_257_connections_get_in_by_syn(void **state)
{
	(void)state;
	check_forked(syns);
}

static void
test_385_connections_get_in_by_ack(void **state)
{
	(void)state;
	check_forked(third_acks);
}

static void
test_refused_peer_is_reset_by_its_data(void **state)
{
	(void)state;
	check_forked(refused_then_data);
}

static void
test_resets_are_limited(void **state)
{
	(void)state;
	check_forked(resets_are_limited);
}

static void
test_connection_may_end_on_the_queue(void **state)
{
	(void)state;
	check_forked(closed_queued);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits_as_predicates),
		cmocka_unit_test(test_257_connections_get_in_by_syn),
		cmocka_unit_test(test_385_connections_get_in_by_ack),
		cmocka_unit_test(test_refused_peer_is_reset_by_its_data),
		cmocka_unit_test(test_resets_are_limited),
		cmocka_unit_test(test_connection_may_end_on_the_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
