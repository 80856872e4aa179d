#include "sim/lab/ranges.h"

#include <math.h>

#include "sim/core/assert.h"

#define Z_95 1.645 /* of a normal distribution, as sums tend to have */

void
ranges_add_up(struct ranges *rn)
{
	double var = 0, half;

	SIM_ASSERT(rn->rn_n >= 0 && rn->rn_n <= RANGES_MAX);
	rn->rn_dominant = -1;
	for (int i = 0; i < rn->rn_n; i++) {
		struct ranges_group *rx = &rn->rn_groups[i];
		double width = rx->rx_high - rx->rx_low;

		var += width * width / 12;
	}
	for (int i = 0; i < rn->rn_n; i++) {
		struct ranges_group *rx = &rn->rn_groups[i];
		double width = rx->rx_high - rx->rx_low;

		rx->rx_share = var > 0 ? width * width / 12 / var : 0;
		if (rx->rx_share > 0 &&
		    (rn->rn_dominant < 0 ||
			rx->rx_share > rn->rn_groups[rn->rn_dominant].rx_share))
			rn->rn_dominant = i;
	}
	half = Z_95 * sqrt(var);
	rn->rn_p5 = rn->rn_centre - half;
	rn->rn_p95 = rn->rn_centre + half;
}

bool
ranges_likely(const struct ranges *rn, double value)
{
	return value >= rn->rn_p5 && value <= rn->rn_p95;
}

bool
ranges_possible(const struct ranges *rn, double value)
{
	return ranges_likely(rn, value) ||
	       (value >= fmin(rn->rn_all_low, rn->rn_all_high) &&
		   value <= fmax(rn->rn_all_low, rn->rn_all_high));
}
