#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/net/toeplitz.h"

#define KEY_BYTES 40
#define TUPLE_BYTES 12 /* addresses and ports of TCP over IPv4 */

static struct toeplitz tz;

/* The definition, bit by bit, as a card computes it. */
static uint32_t
toeplitz_plain(const uint8_t *input)
{
	uint8_t key[KEY_BYTES];
	uint32_t hash = 0, window;

	for (int i = 0; i < KEY_BYTES; i++)
		key[i] = i % 2 == 0 ? 0x6d : 0x5a;
	window = (uint32_t)key[0] << 24 | key[1] << 16 | key[2] << 8 | key[3];
	for (int bit = 0; bit < TUPLE_BYTES * 8; bit++) {
		int next = bit + 32;

		if (input[bit / 8] & 0x80 >> bit % 8)
			hash ^= window;
		window = window << 1 | (key[next / 8] >> (7 - next % 8) & 1);
	}
	return hash;
}

static void
put(uint8_t *p, uint32_t v, int bytes)
{
	while (bytes-- > 0)
		*p++ = (uint8_t)(v >> 8 * bytes);
}

static uint32_t
plain(uint32_t a, uint32_t b, uint16_t pa, uint16_t pb)
{
	uint8_t in[TUPLE_BYTES];

	put(in, a, 4);
	put(in + 4, b, 4);
	put(in + 8, pa, 2);
	put(in + 10, pb, 2);
	return toeplitz_plain(in);
}

static uint32_t
r32(void)
{
	return (uint32_t)rand() << 17 ^ (uint32_t)rand();
}

static void
test_equals_the_definition(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 100000; i++) {
		uint32_t a = r32(), b = r32();
		uint16_t pa = (uint16_t)r32(), pb = (uint16_t)r32();

		assert_int_equal(
		    toeplitz_hash(&tz, a, b, pa, pb), plain(a, b, pa, pb));
	}
	assert_int_equal(toeplitz_hash(&tz, 0, 0, 0, 0), 0);
}

static void
test_both_ends_compute_the_same(void **state)
{
	(void)state;
	srand(2);
	for (int i = 0; i < 10000; i++) {
		uint32_t a = r32(), b = r32();
		uint16_t pa = (uint16_t)r32(), pb = (uint16_t)r32();

		assert_int_equal(toeplitz_hash(&tz, a, b, pa, pb),
		    toeplitz_hash(&tz, b, a, pb, pa));
	}
}

/* 38,977 ports of a client over 128 values: 304.5 each, within one or two. */
static void
test_each_value_owns_its_share_of_a_clients_ports(void **state)
{
	(void)state;
	for (uint32_t client = 2; client < 40; client++) {
		int owns[128] = { 0 };

		for (int port = 1024; port <= 40000; port++)
			owns[toeplitz_hash(&tz, 0x0a000100 + client, 0x0a000101,
				 (uint16_t)port, 80) &
			     127]++;
		for (int v = 0; v < 128; v++)
			assert_in_range(owns[v], 304, 306);
	}
}

static int
setup(void **state)
{
	(void)state;
	toeplitz_init(&tz);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_the_definition),
		cmocka_unit_test(test_both_ends_compute_the_same),
		cmocka_unit_test(
		    test_each_value_owns_its_share_of_a_clients_ports),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
