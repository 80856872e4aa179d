/*
 * Checksums, and what becomes of records that a trace may hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sim/lab/pcapng.h"

/* The example of RFC 1071, and a header whose checksum is known. */
static void
test_checksums(void **state)
{
	static const uint8_t rfc[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6,
		0xf7 };
	static const uint8_t ip[] = { 0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40,
		0x00, 0x40, 0x11, 0x00, 0x00, 0xc0, 0xa8, 0x00, 0x01, 0xc0,
		0xa8, 0x00, 0xc7 };
	static const uint8_t odd[] = { 0x01, 0x02, 0x03 };

	(void)state;
	assert_int_equal(
	    pcapng_checksum(pcapng_sum(rfc, sizeof(rfc), 0)), 0x220d);
	assert_int_equal(
	    pcapng_checksum(pcapng_sum(ip, sizeof(ip), 0)), 0xb861);
	assert_int_equal(
	    pcapng_checksum(pcapng_sum(odd, sizeof(odd), 0)), 0xfbfd);
	assert_int_equal(pcapng_checksum(0), 0xffff);
	assert_int_equal(pcapng_checksum(0xffff), 0);
	assert_int_equal(pcapng_checksum(0x1fffe), 0);
}

/* A packet goes through a record and comes back. */
static void
test_records_hold_packets(void **state)
{
	const struct pkt p = { .p_time = 5,
		.p_flow = 0x10002,
		.p_seq = UINT32_MAX,
		.p_ack = 0x80000001,
		.p_win = UINT32_MAX,
		.p_len = UINT16_MAX,
		.p_flags = TH_ACK | TH_FIN | TH_PUSH,
		.p_nseg = UINT8_MAX };

	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		const struct sim_trace_rec tr = { .tr_time = p.p_time,
			.tr_id = p.p_flow,
			.tr_a = trace_frame_numbers(&p),
			.tr_b = trace_frame_rest(&p, lost != 0) };
		const struct pkt q = trace_frame_pkt(&tr);

		assert_memory_equal(&p, &q, sizeof(p));
		assert_int_equal(trace_frame_lost(&tr), lost);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_checksums),
		cmocka_unit_test(test_records_hold_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
