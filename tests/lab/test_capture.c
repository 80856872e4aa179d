/*
 * A capture of records made by hand, read back block by block.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/net/if.h"
#include "model/peer/peer.h"
#include "sim/core/alloc.h"
#include "sim/lab/pcapng.h"

#define NCPUS 3
#define PORTS 2
#define TOLD 40 /* frames of a test */

/* Two servers with a port and a client each. */
struct rig {
	struct setup su;
	struct model md;
	struct machine machines[PORTS];
	struct ifnet ifs[PORTS], *ifp[PORTS];
	struct peer peers[PORTS], *peerp[PORTS];
	struct host hosts[PORTS];
	struct wire wires[2 * PORTS], *wirep[2 * PORTS];
	struct sim_trace st;
};

/* A packet's block. */
struct told {
	uint32_t port, len, captured;
	sim_ns time;
	uint8_t flags; /* of its direction */
	const uint8_t *frame;
	char comment[100];
};

struct file {
	uint8_t *bytes;
	size_t size;
	char title[70000], names[PORTS][40];
	int nports, n;
	struct told told[TOLD];
};

static int
setup(void **state)
{
	static const uint32_t addresses[] = { 0x0a000101, 0x0a000101 };
	struct rig *rg = sim_calloc(1, sizeof(*rg));

	rg->su.su_title = "two servers";
	rg->su.su_nmachines = rg->su.su_npeers = PORTS;
	rg->md = (struct model){
		.md_setup = &rg->su,
		.md_machines = rg->machines,
		.md_peers = rg->peerp,
		.md_wires = rg->wirep,
		.md_nwires = 2 * PORTS,
		.md_ncpus = NCPUS,
	};
	for (int i = 0; i < PORTS; i++) {
		struct setup_machine *sm = &rg->su.su_machines[i];

		sm->sm_name = i == 0 ? "a" : "b";
		sm->sm_nnics = 1;
		sm->sm_nics[0] = (struct setup_nic){
			.sn_name = "em", .sn_ports = 1, .sn_bps = 1000000000
		};
		sm->sm_procs[0].sp_header = 254;
		sm->sm_procs[0].sp_object = 3000;
		sm->sm_sysctl.recvspace = 57344;
		rg->su.su_peers[i].pe_machine = i;
		rg->su.su_peers[i].pe_addresses = 1;
		rg->su.su_peers[i].pe_request = 62;
		rg->su.su_peers[i].pe_sysctl.recvspace = 57344;
		rg->ifs[i].if_addr = addresses[i];
		rg->ifp[i] = &rg->ifs[i];
		rg->machines[i].m_ifnets = &rg->ifp[i];
		rg->hosts[i].h_addr0 = i;
		rg->hosts[i].h_ip0 = addresses[i] + 1;
		rg->peers[i].pp_host = &rg->hosts[i];
		rg->peerp[i] = &rg->peers[i];
	}
	for (int i = 0; i < 2 * PORTS; i++) {
		rg->wires[i].w_bps = 1000000000;
		rg->wirep[i] = &rg->wires[i];
	}
	sim_trace_open(&rg->st, trace_kinds, 0, SIM_NEVER, 1000);
	*state = rg;
	return 0;
}

static int
teardown(void **state)
{
	struct rig *rg = *state;

	sim_trace_close(&rg->st);
	sim_free(rg);
	return 0;
}

/* A record of a packet; wires as in the model: 0 to the first server. */
static void
see(int wire, sim_ns t, struct pkt p, bool lost)
{
	p.p_nseg = p.p_nseg != 0 ? p.p_nseg : 1;
	SIM_TRACE(t, NCPUS + wire, TRACE_FRAME, p.p_flow,
	    trace_frame_numbers(&p), trace_frame_rest(&p, lost));
}

static uint32_t
word(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static uint32_t
net(const uint8_t *at, int n)
{
	uint32_t v = 0;

	for (int i = 0; i < n; i++)
		v = v << 8 | at[i];
	return v;
}

/*
 * The value of an option, as a text too; NULL when it is not there. Asserts
 * that the list ends where its block does.
 */
static const uint8_t *
option(const uint8_t *at, const uint8_t *end, uint32_t type, char *text)
{
	const uint8_t *found = NULL;

	for (;;) {
		uint32_t head, n;

		assert_true(at + 4 <= end);
		head = word(at);
		n = head >> 16;
		at += 4;
		if ((head & 0xffff) == 0) {
			assert_int_equal(n, 0);
			assert_ptr_equal(at, end);
			return found;
		}
		if ((head & 0xffff) == type) {
			assert_null(found);
			found = at;
			if (text != NULL) {
				memcpy(text, at, n);
				text[n] = '\0';
			}
		}
		for (uint32_t i = n; i % 4 != 0; i++)
			assert_int_equal(at[i], 0);
		at += (n + 3) & ~3u;
	}
}

static void
read_interface(struct file *fl, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *value;

	assert_int_equal(word(at), 1); /* Ethernet */
	assert_int_equal(word(at + 4), 0);
	assert_in_range(fl->nports, 0, PORTS - 1);
	assert_non_null(option(at + 8, end, 2, fl->names[fl->nports++]));
	value = option(at + 8, end, 8, NULL);
	assert_non_null(value);
	assert_int_equal(word(value), 1000000000);
	assert_int_equal(word(value + 4), 0);
	value = option(at + 8, end, 9, NULL);
	assert_non_null(value);
	assert_int_equal(*value, 9);
}

static void
read_packet(struct file *fl, const uint8_t *at, const uint8_t *end)
{
	struct told *to = &fl->told[fl->n];
	const uint8_t *options, *value;

	assert_in_range(fl->n++, 0, TOLD - 1);
	to->port = word(at);
	to->time = (sim_ns)((uint64_t)word(at + 4) << 32 | word(at + 8));
	to->captured = word(at + 12);
	to->len = word(at + 16);
	to->frame = at + 20;
	options = at + 20 + ((to->captured + 3) & ~3u);
	value = option(options, end, 2, NULL);
	assert_non_null(value);
	to->flags = *value;
	option(options, end, 1, to->comment);
}

static struct file *
capture(struct rig *rg)
{
	struct file *fl = sim_calloc(1, sizeof(*fl));
	char *bytes;
	FILE *fp = open_memstream(&bytes, &fl->size);
	const uint8_t *at, *end;

	assert_true(pcapng_write(fp, "x", &rg->st, &rg->md));
	assert_int_equal(fclose(fp), 0);
	fl->bytes = (uint8_t *)bytes;
	end = fl->bytes + fl->size;
	for (at = fl->bytes; at < end; at += word(at + 4)) {
		uint32_t type = word(at), size = word(at + 4);
		const uint8_t *body = at + 8, *after = at + size - 4;

		assert_true(size % 4 == 0 && size >= 12 && at + size <= end);
		assert_int_equal(word(after), size);
		assert_true((type == 0x0a0d0d0a) == (at == fl->bytes));
		if (type == 1)
			read_interface(fl, body, after);
		else if (type == 6)
			read_packet(fl, body, after);
		else {
			assert_int_equal(word(body), 0x1a2b3c4d);
			assert_int_equal(word(body + 4), 1);
			option(body + 16, after, 1, fl->title);
		}
	}
	return fl;
}

static void
done(struct file *fl)
{
	free(fl->bytes);
	sim_free(fl);
}

/* Both checksums, over what the frame says is there. */
static void
check_sums(const struct told *to)
{
	const uint8_t *ip = to->frame + 14;
	uint32_t len = net(ip + 2, 2) - 20;

	assert_int_equal(to->captured, to->len);
	assert_int_equal(to->len, 34 + len);
	assert_int_equal(pcapng_checksum(pcapng_sum(ip, 20, 0)), 0);
	assert_int_equal(pcapng_checksum(pcapng_sum(
			     ip + 12, 8, pcapng_sum(ip + 20, len, 6 + len))),
	    0);
}

/* An odd length and none, in and out, of both servers. */
static void
test_frames(void **state)
{
	struct rig *rg = *state;
	struct file *fl;

	see(0, 5,
	    (struct pkt){ .p_flow = 1025,
		.p_flags = TH_SYN,
		.p_seq = 0xfffffffe,
		.p_win = 57344 },
	    false);
	see(3, 6,
	    (struct pkt){ .p_flow = flow_make(1, 1026),
		.p_flags = TH_ACK | TH_PUSH,
		.p_seq = 7,
		.p_ack = 9,
		.p_win = 57001,
		.p_len = 101 },
	    false);
	see(0, 1ll << 40,
	    (struct pkt){ .p_flow = 1025,
		.p_flags = TH_ACK,
		.p_seq = UINT32_MAX,
		.p_ack = 1,
		.p_len = 62 },
	    false);
	fl = capture(rg);
	assert_int_equal(fl->nports, PORTS);
	assert_string_equal(fl->names[0], "a.em0");
	assert_string_equal(fl->names[1], "b.em0");
	assert_string_equal(fl->title, "two servers");
	assert_int_equal(fl->n, 3);
	for (int i = 0; i < fl->n; i++)
		check_sums(&fl->told[i]);

	assert_int_equal(fl->told[0].port, 0);
	assert_int_equal(fl->told[0].time, 5);
	assert_int_equal(fl->told[0].flags, 1);
	assert_int_equal(fl->told[0].len, 74);
	assert_int_equal(net(fl->told[0].frame + 26, 4), 0x0a000102);
	assert_int_equal(net(fl->told[0].frame + 30, 4), 0x0a000101);
	assert_int_equal(net(fl->told[0].frame + 34, 4), 1025 << 16 | 80);
	assert_int_equal(net(fl->told[0].frame + 38, 4), 0xfffffffe);
	assert_int_equal(
	    net(fl->told[0].frame + 46, 4), 10u << 28 | TH_SYN << 16 | 57344);

	assert_int_equal(fl->told[1].port, 1);
	assert_int_equal(fl->told[1].flags, 2);
	assert_int_equal(fl->told[1].len, 66 + 101);
	assert_int_equal(net(fl->told[1].frame + 26, 4), 0x0a010101);
	assert_int_equal(net(fl->told[1].frame + 30, 4), 0x0a010102);
	assert_int_equal(net(fl->told[1].frame + 42, 4), 9);
	assert_int_equal(net(fl->told[1].frame + 48, 2), 57001);

	assert_int_equal(fl->told[2].time, 1ll << 40);
	assert_memory_equal(fl->told[2].frame + 66, "GET /", 5);
	assert_memory_equal(
	    fl->told[2].frame + 66 + 49, " HTTP/1.1\r\n\r\n", 13);
	for (int i = 0; i < fl->n; i++)
		assert_string_equal(fl->told[i].comment, "");
	done(fl);
}

/* 1538 bytes of the wire a frame, the last one is shorter. */
static void
test_segments_follow_the_link(void **state)
{
	struct rig *rg = *state;
	struct file *fl;

	see(1, 1000000,
	    (struct pkt){ .p_flow = 1025,
		.p_flags = TH_ACK | TH_PUSH | TH_FIN,
		.p_seq = 1,
		.p_len = 3254,
		.p_nseg = 3 },
	    false);
	fl = capture(rg);
	assert_int_equal(fl->n, 3);
	for (int i = 0; i < fl->n; i++) {
		check_sums(&fl->told[i]);
		assert_int_equal(net(fl->told[i].frame + 38, 4), 1 + i * 1448);
		assert_int_equal(fl->told[i].len, 66 + (i < 2 ? 1448 : 358));
		assert_int_equal(fl->told[i].frame[47],
		    i < 2 ? TH_ACK : TH_ACK | TH_PUSH | TH_FIN);
	}
	assert_int_equal(fl->told[2].time, 1000000);
	assert_int_equal(fl->told[1].time, 1000000 - 448 * 8);
	assert_int_equal(fl->told[0].time, 1000000 - (448 + 1538) * 8);
	/* All of a response in one packet: it is known what it says. */
	assert_memory_equal(fl->told[0].frame + 66, "HTTP/1.1 200 OK\r\n", 17);
	assert_memory_equal(fl->told[0].frame + 66 + 250, "\r\n\r\nx", 5);
	done(fl);
}

static void
drop(sim_ns t, int where, int kind, uint32_t flow, int64_t n, int64_t m)
{
	SIM_TRACE(t, where, kind, flow, n, m);
}

/* Each at the frame that met it, on whatever CPU it was written down. */
static void
test_ends(void **state)
{
	static const char *const want[] = {
		"listen queue full: so_qlen 257 > 256",
		"SYN sent again; no receive descriptor: 64 of 64 taken",
		"SYN sent again",
		"",
		"no receive descriptor: 64 of 64 taken",
		"third ACK refused: so_qlen 385 > 3/2 of 256",
		"third ACK refused: so_qlen 386 > 3/2 of 256",
		"",
		"lost on the link; reset: the third ACK was refused",
	};
	struct rig *rg = *state;
	const struct pkt syn = { .p_flow = 1025, .p_flags = TH_SYN };
	const struct pkt ack = {
		.p_flow = 1025, .p_seq = 1, .p_flags = TH_ACK
	};
	struct pkt other = ack;
	struct file *fl;

	other.p_flow = 1026;
	see(0, 10, syn, false);
	see(0, 20, syn, false);
	drop(20, NCPUS, TRACE_RING_DROP, 1025, 64, 64);
	drop(25, 0, TRACE_SYN_DROP, 1025, 257, 256);
	see(0, 30, syn, false);
	see(0, 35, syn, true); /* never arrives */
	see(1, 40,
	    (struct pkt){
		.p_flow = 1025, .p_flags = TH_SYN | TH_ACK, .p_ack = 1 },
	    false);
	see(0, 50, ack, false);
	drop(50, NCPUS, TRACE_RING_DROP, 1025, 64, 64);
	see(0, 60, ack, false);
	see(0, 70, ack, false);
	see(0, 75, other, false);
	drop(80, 2, TRACE_REFUSED, 1025, 385, 256);
	drop(81, 1, TRACE_REFUSED, 1025, 386, 256);
	drop(82, 1, TRACE_REFUSED, 1027, 386, 256); /* not in the window */
	drop(82, 1, TRACE_SYN_DROP, 1027, 386, 256);
	see(1, 90, (struct pkt){ .p_flow = 1025, .p_flags = TH_RST }, true);
	fl = capture(rg);
	assert_int_equal(fl->n, sizeof(want) / sizeof(want[0]));
	for (int i = 0; i < fl->n; i++)
		assert_string_equal(fl->told[i].comment, want[i]);
	done(fl);
}

/* Timestamps echo what arrived. */
static void
test_echoes(void **state)
{
	static const uint32_t want[][2] = { { 2, 0 }, { 3, 2 }, { 4, 3 },
		{ 5, 4 }, { 6, 3 } };
	struct rig *rg = *state;
	const struct pkt p = { .p_flow = 1025, .p_flags = TH_ACK };
	struct file *fl;

	see(0, 1000000, (struct pkt){ .p_flow = 1025, .p_flags = TH_SYN },
	    false);
	see(1, 2000000,
	    (struct pkt){ .p_flow = 1025, .p_flags = TH_SYN | TH_ACK }, false);
	see(0, 3000000, p, false);
	see(1, 4000000, p, true);
	see(0, 5000000, p, false);
	fl = capture(rg);
	assert_int_equal(fl->n, 5);
	for (int i = 0; i < fl->n; i++) {
		const uint8_t *tcp = fl->told[i].frame + 34;
		const uint8_t *at = tcp + (tcp[12] >> 4) * 4 - 8;

		assert_int_equal(at[-1], 10);
		assert_int_equal(net(at, 4), want[i][0]);
		assert_int_equal(net(at + 4, 4), want[i][1]);
	}
	done(fl);
}

/* Windows larger than 64 KB: the same scale, whatever the trace has. */
static void
test_scale(void **state)
{
	struct rig *rg = *state;
	struct file *fl;

	rg->su.su_peers[1].pe_sysctl.recvspace = 300000;
	see(0, 5,
	    (struct pkt){ .p_flow = 1025, .p_flags = TH_SYN, .p_win = 65535 },
	    false);
	see(0, 6,
	    (struct pkt){ .p_flow = 1025, .p_flags = TH_ACK, .p_win = 300000 },
	    false);
	see(0, 7, (struct pkt){ .p_flow = 1025, .p_flags = TH_ACK, .p_win = 3 },
	    false);
	see(0, 8, (struct pkt){ .p_flow = 1025, .p_flags = TH_ACK }, false);
	fl = capture(rg);
	assert_int_equal(fl->n, 4);
	assert_memory_equal(fl->told[0].frame + 54, "\2\4\5\264\1\3\3\3", 8);
	assert_int_equal(net(fl->told[0].frame + 48, 2), 65535);
	assert_int_equal(net(fl->told[1].frame + 48, 2), 300000 >> 3);
	assert_int_equal(net(fl->told[2].frame + 48, 2), 1);
	assert_int_equal(net(fl->told[3].frame + 48, 2), 0);
	done(fl);
}

/* An option holds 65535 bytes, of whole characters. */
static void
test_titles(void **state)
{
	static const char odd[] = "</script>\"'\\\n\xf0\x9f\x90\xa1";
	static char much[80000];
	struct rig *rg = *state;
	struct file *fl;

	rg->su.su_title = odd;
	fl = capture(rg);
	assert_string_equal(fl->title, odd);
	done(fl);

	for (size_t i = 0; i + 4 < sizeof(much); i += 4)
		memcpy(much + i, "\xf0\x9f\x90\xa1", 4);
	rg->su.su_title = much;
	fl = capture(rg);
	assert_int_equal(strlen(fl->title), 65532);
	assert_memory_equal(fl->title, much, 65532);
	done(fl);

	rg->su.su_title = NULL;
	fl = capture(rg);
	assert_string_equal(fl->title, "");
	done(fl);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frames, setup, teardown),
		cmocka_unit_test_setup_teardown(
		    test_segments_follow_the_link, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(test_echoes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scale, setup, teardown),
		cmocka_unit_test_setup_teardown(test_titles, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
