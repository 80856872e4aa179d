#include "model/net/toeplitz.h"

#define TOEPLITZ_KEY 0x6d5a6d5a6d5a6d5aull

/*
 * The general rule: for each set bit i of the input (from the left), the 32
 * bits of the key from bit i on. The key repeats every 16 bits.
 */
static uint32_t
toeplitz_bits(uint16_t w)
{
	uint32_t hash = 0;

	for (int i = 0; i < 16; i++)
		if (w & 0x8000 >> i)
			hash ^= (uint32_t)(TOEPLITZ_KEY >> (32 - i));
	return hash;
}

void
toeplitz_init(struct toeplitz *tz)
{
	for (int i = 0; i < 256; i++) {
		tz->tz_high[i] = toeplitz_bits((uint16_t)(i << 8));
		tz->tz_low[i] = toeplitz_bits((uint16_t)i);
	}
}
