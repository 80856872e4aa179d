#ifndef MODEL_NET_TOEPLITZ_H
#define MODEL_NET_TOEPLITZ_H

/*
 * The Toeplitz hash with DragonFly's key, one 16-bit pattern (0x6d5a) over and
 * over. Such a key makes the hash symmetric in addresses and ports, and linear
 * in the exclusive or of all its 16-bit words.
 *
 * Kernel: toeplitz_piecemeal_addr(), _port(), sys/net/toeplitz2.h
 */
#include <stdint.h>

/* Hashes of the words w << 8 and w. */
struct toeplitz {
	uint32_t tz_high[256], tz_low[256];
};

void toeplitz_init(struct toeplitz *);

/* Hash of one 16-bit word. */
static inline uint32_t
toeplitz_word(const struct toeplitz *tz, uint16_t w)
{
	return tz->tz_high[w >> 8] ^ tz->tz_low[w & 0xff];
}

/* Hash of an IPv4 four-tuple, addresses and ports in host order. */
static inline uint32_t
toeplitz_hash(
    const struct toeplitz *tz, uint32_t a, uint32_t b, uint16_t pa, uint16_t pb)
{
	return toeplitz_word(
	    tz, a >> 16 ^ (a & 0xffff) ^ b >> 16 ^ (b & 0xffff) ^ pa ^ pb);
}

#endif
