/*
 * connect(2): the local port, by DragonFly's rule; when the SYN is sent again.
 * No engine: nothing here waits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/peer/host.h"

#define ADDR 0x0a000102u
#define SERVER 0x0a000101u

static const struct cpu_marks marks = { SIM_NEVER, SIM_NEVER, NULL, NULL };
static const struct host_tool_ops tool;
static struct setup_peer peer;
static struct toeplitz tz;
static struct wire tx;
static struct flow flows[65536], *flowp = flows;
static struct stages stages;
static struct host *host;
static int64_t low_rtobase = 1;

static void
drop(void *arg, const struct pkt *p)
{
	(void)arg;
	(void)p;
}

static void
open_host(int threads, int tables, int first, int last, int tries, int seed)
{
	struct setup_host_sysctl *ctl = &peer.pe_sysctl;

	memset(&peer, 0, sizeof(peer));
#define SYSCTL(field, name, unit, dflt, min, max, help)
#define HOST_SYSCTL(field, name, unit, dflt, min, max, help) ctl->field = dflt;
#include "model/sysctl.def"
#undef SYSCTL
#undef HOST_SYSCTL
	ctl->netisr_ncpus = tables;
	ctl->portrange_first = first;
	ctl->portrange_last = last;
	ctl->porthash_trycount = tries;
	ctl->low_rtobase = low_rtobase;
	peer.pe_threads = threads;
	peer.pe_addresses = 1;
	peer.pe_intr_rate = 8000;
	toeplitz_init(&tz);
	wire_init(&tx, 10000000000, 5000, drop, NULL);
	host = host_create(&peer, &tool,
	    &(struct host_place){
		.hp_mss = PKT_MSS,
		.hp_toeplitz = &tz,
		.hp_flows = &flowp,
		.hp_tx = &tx,
		.hp_ip0 = ADDR,
		.hp_server = SERVER,
		.hp_marks = &marks,
		.hp_run = { (uint32_t)seed, 0 },
	    });
}

static void
close_host(void)
{
	host_destroy(host);
	wire_fini(&tx);
}

/* Returns: the port, or -1. */
static int
connect_port(int thread)
{
	struct host_conn *hc =
	    host_connect(host->h_cpus[thread], 0, NULL, &stages);

	return hc == NULL ? -1 : (int)flow_port(hc->hc_tp.t_flow);
}

static int
hash_of(int port)
{
	return (
	    int)(toeplitz_hash(&tz, ADDR, SERVER, (uint16_t)port, 80) & 127);
}

static void
test_ports_come_from_the_threads_table(void **state)
{
	(void)state;
	open_host(8, 8, 1024, 40000, 15, 1);
	for (int i = 0; i < 4000; i++) {
		int port = connect_port(i % 8);

		assert_in_range(port, 1024, 40000);
		assert_int_equal(port % 8, i % 8);
		assert_ptr_equal(
		    host->h_ports[0][port]->hc_cpu, host->h_cpus[i % 8]);
		assert_int_equal(
		    host->h_ports[0][port]->hc_tp.t_rss, hash_of(port));
	}
	close_host();
}

/*
 * 15 tries (the last takes what comes) for a hash of one's own CPU of 8. Were
 * the hashes of a table's ports independent, 1 - (7/8)^14 = 85 % would find
 * one; as the key repeats its pattern they are not, and 60 % do.
 */
static void
test_a_hash_of_the_own_cpu_is_preferred(void **state)
{
	int own = 0;

	(void)state;
	open_host(8, 8, 1024, 40000, 15, 1);
	for (int i = 0; i < 2000; i++)
		own += hash_of(connect_port(i % 8)) % 8 == i % 8;
	assert_in_range(own, 1200 - 70, 1200 + 70);
	close_host();

	own = 0;
	open_host(8, 8, 1024, 40000, 0, 1);
	for (int i = 0; i < 2000; i++)
		own += hash_of(connect_port(i % 8)) % 8 == i % 8;
	assert_in_range(own, 150, 350); /* one of 8 by chance */
	close_host();
}

/* The start is random, evenly over the range. */
static void
test_start_is_random(void **state)
{
	int tenth[10] = { 0 };

	(void)state;
	for (int seed = 0; seed < 400; seed++) {
		int port;

		open_host(1, 8, 1024, 40000, 15, seed);
		port = connect_port(0);
		tenth[(port - 1024) * 10 / (40000 - 1024 + 1)]++;
		close_host();
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(tenth[i], 40 - 25, 40 + 25);
}

/*
 * From the start it steps through the table and round: with one port free
 * anywhere every search finds it.
 */
static void
test_search_wraps_to_the_only_free_port(void **state)
{
	(void)state;
	for (int tries = 0; tries <= 15; tries += 5) {
		struct host_conn *hc;

		open_host(1, 1, 2000, 2063, tries, 1);
		for (int i = 0; i < 64; i++)
			assert_in_range(connect_port(0), 2000, 2063);
		assert_int_equal(connect_port(0), -1);
		for (int round = 0; round < 200; round++) {
			int gone = 2000 + round * 37 % 64;

			hc = host->h_ports[0][gone];
			assert_true(host_close(hc->hc_cpu, &hc));
			assert_null(host->h_ports[0][gone]);
			assert_int_equal(connect_port(0), gone);
		}
		close_host();
	}
}

/* A full table is EADDRNOTAVAIL, counted; other threads have theirs still. */
static void
test_full_table_is_eaddrnotavail(void **state)
{
	(void)state;
	open_host(8, 8, 1024, 1024 + 8 * 50 - 1, 15, 1);
	for (int i = 0; i < 50; i++)
		assert_true(connect_port(3) >= 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(connect_port(3), -1);
	assert_int_equal(host->h_cpus[3]->ho_stats.hs_connects, 55);
	assert_int_equal(host->h_cpus[3]->ho_stats.hs_connect_errors, 5);
	for (int i = 0; i < 50; i++)
		assert_true(connect_port(4) >= 0);
	close_host();
}

/* With fewer threads than tables a thread goes on to its other tables. */
static void
test_a_thread_uses_all_its_tables(void **state)
{
	bool seen[65536] = { false };
	int n = 0, port;

	(void)state;
	open_host(2, 8, 1024, 1024 + 8 * 20 - 1, 15, 1);
	while ((port = connect_port(1)) >= 0) {
		assert_false(seen[port]);
		seen[port] = true;
		assert_int_equal(port % 2, 1);
		/* Its own CPU's table first. */
		if (n < 20)
			assert_int_equal(port % 8, 1);
		n++;
	}
	assert_int_equal(n, 4 * 20);
	close_host();
}

/* Bounds that are no multiples of the step. */
static void
test_odd_ranges_are_used_to_the_last_port(void **state)
{
	(void)state;
	for (int first = 1024; first < 1040; first++)
		for (int len = 17; len < 60; len += 7) {
			int n = 0, last = first + len - 1;

			open_host(8, 8, first, last, 15, first + len);
			for (int t = 0; t < 8; t++) {
				int port;

				while ((port = connect_port(t)) >= 0) {
					assert_in_range(port, first, last);
					assert_int_equal(port % 8, t);
					n++;
				}
			}
			assert_int_equal(n, len);
			close_host();
		}
}

/* Ticks of 10 ms from a SYN that nobody answers to the second one. */
static int
ticks_to_the_second_syn(int low)
{
	int ticks = 0;

	low_rtobase = low;
	open_host(1, 1, 1024, 5000, 15, 1);
	low_rtobase = 1;
	connect_port(0);
	while (host->h_cpus[0]->ho_stats.hs_syn_retries == 0 && ticks < 1000) {
		callwheel_tick(&host->h_cpus[0]->ho_wheel);
		ticks++;
	}
	close_host();
	return ticks;
}

static void
test_syn_is_sent_again(void **state)
{
	(void)state;
	assert_int_equal(ticks_to_the_second_syn(1), 100);
	assert_int_equal(ticks_to_the_second_syn(0), 300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ports_come_from_the_threads_table),
		cmocka_unit_test(test_a_hash_of_the_own_cpu_is_preferred),
		cmocka_unit_test(test_start_is_random),
		cmocka_unit_test(test_search_wraps_to_the_only_free_port),
		cmocka_unit_test(test_full_table_is_eaddrnotavail),
		cmocka_unit_test(test_a_thread_uses_all_its_tables),
		cmocka_unit_test(test_odd_ranges_are_used_to_the_last_port),
		cmocka_unit_test(test_syn_is_sent_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
