#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/hw/wire.h"
#include "sim/core/time.h"

#define GBPS 1000000000LL
#define LATENCY 5000
#define NRINGS 4
#define NGOT 20000

static struct wire wire;
static struct txring rings[NRINGS];
static struct pkt got[NGOT];
static int ngot;

static void
arrive(void *arg, const struct pkt *p)
{
	assert_ptr_equal(arg, &wire);
	assert_true(ngot < NGOT);
	got[ngot++] = *p;
}

static void
open_wire(int64_t bps, int nrings)
{
	wire_init(&wire, bps, LATENCY, arrive, &wire);
	for (int i = 0; i < nrings; i++)
		txring_init(&rings[i], &wire);
	ngot = 0;
}

static void
close_wire(void)
{
	for (int i = 0; i < wire.w_nrings; i++)
		txring_fini(&rings[i]);
	wire_fini(&wire);
}

/* p_seq carries the packet's number. */
static void
post(int ring, sim_ns t, int len, int flags, int nseg, uint32_t id)
{
	struct pkt p = { .p_time = t,
		.p_len = (uint16_t)len,
		.p_flags = (uint8_t)flags,
		.p_nseg = (uint8_t)nseg,
		.p_seq = id };

	wire_post(&rings[ring], &p);
}

/* Let the highest ring be the last that was served. */
static void
turn_is_ring_0(void)
{
	post(wire.w_nrings - 1, 1, 0, TH_ACK, 1, 0);
	wire_advance(&wire, 100);
	assert_int_equal(ngot, 1);
	ngot = 0;
}

/* Bytes: 90 of overhead a frame, 8 more for a SYN. */
static void
test_frame_takes_its_bytes(void **state)
{
	(void)state;
	open_wire(10 * GBPS, 1);
	post(0, 1000, 0, TH_ACK, 1, 0);	   /* 90 B: 72 ns */
	post(0, 5000, 1448, TH_ACK, 1, 1); /* 1538 B: 1230.4 ns */
	post(0, 9000, 4344, TH_ACK, 3, 2); /* 4614 B: 3691.2 ns */
	post(0, 20000, 0, TH_SYN, 1, 3);   /* 98 B: 78.4 ns */
	wire_advance(&wire, 20001);
	assert_int_equal(ngot, 4);
	assert_int_equal(got[0].p_time, 1000 + 72 + LATENCY);
	assert_int_equal(got[1].p_time, 5000 + 1230 + LATENCY);
	assert_int_equal(got[2].p_time, 9000 + 3691 + LATENCY);
	assert_int_equal(got[3].p_time, 20000 + 78 + LATENCY);
	assert_int_equal(wire.w_bytes, 90 + 1538 + 4614 + 98);
	assert_int_equal(wire.w_frames, 1 + 1 + 3 + 1);
	assert_int_equal(wire.w_packets, 4);
	close_wire();
}

/*
 * With w_split the frames of a segmented packet come as if each were a packet,
 * at the same times.
 */
static void
test_split_frames_come_one_by_one(void **state)
{
	(void)state;
	open_wire(10 * GBPS, 1);
	wire.w_split = true;
	post(0, 9000, 4344, TH_ACK | TH_PUSH, 3, 100);
	post(0, 9000, 1448, TH_ACK, 1, 4444);
	wire_advance(&wire, 20000);
	assert_int_equal(ngot, 4);
	/* 1538 B: 1230.4 ns each */
	assert_int_equal(got[0].p_time, 9000 + 1230 + LATENCY);
	assert_int_equal(got[1].p_time, 9000 + 2460 + LATENCY);
	assert_int_equal(got[2].p_time, 9000 + 3691 + LATENCY);
	assert_int_equal(got[3].p_time, 9000 + 4921 + LATENCY);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(got[i].p_len, 1448);
		assert_int_equal(got[i].p_nseg, 1);
		assert_int_equal(got[i].p_seq, 100 + 1448 * i);
		assert_int_equal(
		    got[i].p_flags, i < 2 ? TH_ACK : TH_ACK | TH_PUSH);
	}
	assert_int_equal(wire.w_frames, 4);
	assert_int_equal(wire.w_packets, 2);
	close_wire();
}

/* Back to back, fractions of a ns add up: the n-th ends at n * bits / rate. */
static void
test_fractions_add_up(void **state)
{
	static const struct {
		int64_t bps;
		int len;
	} cases[] = { { 10 * GBPS, 116 }, { 10 * GBPS, 1448 }, { 7 * GBPS, 0 },
		{ 3 * GBPS, 1 }, { 999999937, 17 }, { 100000000, 1448 } };

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		int64_t bits = (cases[c].len + 90) * 8;

		open_wire(cases[c].bps, 1);
		for (int i = 0; i < 10000; i++)
			post(0, 100, cases[c].len, TH_ACK, 1, (uint32_t)i);
		wire_advance(&wire, sim_s(1000));
		assert_int_equal(ngot, 10000);
		for (int i = 0; i < ngot; i++) {
			__int128 end = (__int128)(i + 1) * bits * 1000000000;

			assert_int_equal(got[i].p_seq, i);
			assert_int_equal(got[i].p_time - LATENCY - 100,
			    (int64_t)(end / cases[c].bps));
		}
		close_wire();
	}
}

/* A wire that was idle starts anew: the old fraction is forgotten. */
static void
test_fraction_ends_with_the_burst(void **state)
{
	(void)state;
	open_wire(10 * GBPS, 1);
	post(0, 1000, 116, TH_ACK, 1, 0); /* 164.8 */
	post(0, 1165, 116, TH_ACK, 1, 1);
	post(0, 1200, 116, TH_ACK, 1, 2);
	wire_advance(&wire, sim_ms(1));
	assert_int_equal(got[0].p_time, 1164 + LATENCY);
	assert_int_equal(got[1].p_time, 1165 + 164 + LATENCY);
	assert_int_equal(got[2].p_time, 1165 + 329 + LATENCY);
	close_wire();
}

static void
test_free_wire_takes_the_earliest(void **state)
{
	(void)state;
	open_wire(10 * GBPS, 3);
	post(2, 100, 0, TH_ACK, 1, 20);
	post(0, 900, 0, TH_ACK, 1, 0);
	post(1, 500, 0, TH_ACK, 1, 10);
	wire_advance(&wire, sim_ms(1));
	assert_int_equal(got[0].p_seq, 20);
	assert_int_equal(got[1].p_seq, 10);
	assert_int_equal(got[2].p_seq, 0);
	/* At one time: the next in turn, ring 0 having been the last. */
	post(2, sim_ms(2), 0, TH_ACK, 1, 21);
	post(1, sim_ms(2), 0, TH_ACK, 1, 11);
	wire_advance(&wire, sim_ms(3));
	assert_int_equal(got[3].p_seq, 11);
	assert_int_equal(got[4].p_seq, 21);
	close_wire();
}

/* However many packets a ring has: one a turn; a ring without is passed. */
static void
test_busy_wire_serves_rings_in_turn(void **state)
{
	static const uint32_t want[] = { 0, 10, 20, 1, 11, 21, 2, 22, 3, 4 };

	(void)state;
	open_wire(10 * GBPS, 4);
	turn_is_ring_0();
	for (uint32_t i = 0; i < 5; i++)
		post(0, 100, 1448, TH_ACK, 1, i);
	for (uint32_t i = 0; i < 2; i++)
		post(1, 100, 1448, TH_ACK, 1, 10 + i);
	for (uint32_t i = 0; i < 3; i++)
		post(2, 100, 1448, TH_ACK, 1, 20 + i);
	wire_advance(&wire, sim_ms(1));
	assert_int_equal(ngot, 10);
	for (int i = 0; i < ngot; i++)
		assert_int_equal(got[i].p_seq, want[i]);
	close_wire();
}

/* A start at `upto` is not decided: somebody may still post before it. */
static void
test_only_strictly_older_starts_are_decided(void **state)
{
	(void)state;
	open_wire(10 * GBPS, 2);
	turn_is_ring_0();
	post(1, 100, 0, TH_ACK, 1, 10);
	wire_advance(&wire, 100);
	wire_advance(&wire, 99);
	assert_int_equal(ngot, 0);
	assert_int_equal(wire_known(&wire), 100 + LATENCY);
	post(0, 100, 0, TH_ACK, 1, 0);
	wire_advance(&wire, 101);
	assert_int_equal(ngot, 1);
	assert_int_equal(got[0].p_seq, 0);
	/* The other starts when the first has left, at 172. */
	wire_advance(&wire, 172);
	assert_int_equal(ngot, 1);
	wire_advance(&wire, 173);
	assert_int_equal(ngot, 2);
	assert_int_equal(got[1].p_time, 172 + 72 + LATENCY);
	close_wire();
}

struct posted {
	sim_ns po_time;
	int po_ring, po_len, po_nseg;
};

/* Post a list in order of time, and advance now and then (every = 0: never). */
static void
replay(const struct posted *po, int n, unsigned every, unsigned salt)
{
	open_wire(10 * GBPS, NRINGS);
	for (int i = 0; i < n; i++) {
		salt = salt * 1664525 + 1013904223;
		/* All before po_time is posted, nothing at it need be. */
		if (every != 0 && (salt >> 16) % every == 0)
			wire_advance(
			    &wire, po[i].po_time - (salt >> 8) % 3 * 50);
		post(po[i].po_ring, po[i].po_time, po[i].po_len, TH_ACK,
		    po[i].po_nseg, (uint32_t)i);
	}
	wire_advance(&wire, sim_s(1));
}

static void
test_outcome_hangs_not_on_who_advances_when(void **state)
{
	static struct posted po[5000];
	static struct pkt first[5000];
	sim_ns t = 10;
	int n = 5000, nfirst;

	(void)state;
	srand(7);
	for (int i = 0; i < n; i++) {
		/* Many at the same time; bursts and gaps. */
		if (rand() % 3 != 0)
			t += rand() % 40 == 0 ? rand() % 50000 : rand() % 1500;
		po[i] = (struct posted){ t, rand() % NRINGS,
			rand() % 2 ? 1448 : rand() % 200, 1 };
		if (rand() % 20 == 0) {
			po[i].po_nseg = 1 + rand() % 8;
			po[i].po_len = po[i].po_nseg * 1448;
		}
	}
	replay(po, n, 0, 0);
	assert_int_equal(ngot, n);
	memcpy(first, got, sizeof(first));
	nfirst = ngot;
	close_wire();
	for (unsigned k = 1; k < 60; k++) {
		replay(po, n, 1 + k % 7, k);
		assert_int_equal(ngot, nfirst);
		assert_memory_equal(got, first, sizeof(first));
		close_wire();
	}
}

static void
test_order_within_a_ring_is_kept(void **state)
{
	uint32_t next[NRINGS] = { 0 };

	(void)state;
	open_wire(10 * GBPS, NRINGS);
	srand(3);
	for (uint32_t i = 0; i < 4000; i++)
		post((int)(i % NRINGS), i * 300, rand() % 1449, TH_ACK, 1,
		    i / NRINGS | i % NRINGS << 24);
	wire_advance(&wire, sim_s(1));
	assert_int_equal(ngot, 4000);
	for (int i = 0; i < ngot; i++) {
		assert_int_equal(
		    got[i].p_seq & 0xffffff, next[got[i].p_seq >> 24]++);
		assert_true(i == 0 || got[i].p_time > got[i - 1].p_time);
	}
	close_wire();
}

/* What is lost takes its time on the wire. Expected: 2500, sd 43. */
static void
test_loss(void **state)
{
	struct rng_run run = { 1, 0 };

	(void)state;
	open_wire(10 * GBPS, 1);
	wire_set_loss(&wire, 0.25, run, 3);
	for (uint32_t i = 0; i < 10000; i++)
		post(0, 100, 1448, TH_ACK, 1, i);
	wire_advance(&wire, sim_s(1));
	assert_int_equal(ngot + (int64_t)wire.w_lost_packets, 10000);
	assert_int_equal(wire.w_lost_frames, wire.w_lost_packets);
	assert_in_range(wire.w_lost_packets, 2500 - 150, 2500 + 150);
	for (int i = 0; i < ngot; i++)
		assert_int_equal(got[i].p_time,
		    100 + LATENCY + (got[i].p_seq + 1) * 12304LL / 10);
	assert_int_equal(wire.w_frames, 10000);
	close_wire();
}

static void
test_descriptors_are_free_when_the_frame_has_left(void **state)
{
	const struct pkt *p;

	(void)state;
	open_wire(10 * GBPS, 1);
	post(0, 1000, 0, TH_ACK, 1, 0); /* leaves at 1072 */
	post(0, 1000, 0, TH_ACK, 1, 1); /* leaves at 1144 */
	assert_null(txring_reclaim(&rings[0], 1500));
	wire_advance(&wire, 1001);
	assert_null(txring_reclaim(&rings[0], 1071));
	p = txring_reclaim(&rings[0], 1072);
	assert_non_null(p);
	assert_int_equal(p->p_seq, 0);
	assert_null(txring_reclaim(&rings[0], 2000));
	wire_advance(&wire, 1500);
	assert_null(txring_reclaim(&rings[0], 1143));
	assert_int_equal(txring_reclaim(&rings[0], 1144)->p_seq, 1);
	assert_null(txring_reclaim(&rings[0], 9999));
	close_wire();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_takes_its_bytes),
		cmocka_unit_test(test_split_frames_come_one_by_one),
		cmocka_unit_test(test_fractions_add_up),
		cmocka_unit_test(test_fraction_ends_with_the_burst),
		cmocka_unit_test(test_free_wire_takes_the_earliest),
		cmocka_unit_test(test_busy_wire_serves_rings_in_turn),
		cmocka_unit_test(test_only_strictly_older_starts_are_decided),
		cmocka_unit_test(test_outcome_hangs_not_on_who_advances_when),
		cmocka_unit_test(test_order_within_a_ring_is_kept),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(
		    test_descriptors_are_free_when_the_frame_has_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
