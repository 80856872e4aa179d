#ifndef TESTS_LAB_GRAPH_RIG_H
#define TESTS_LAB_GRAPH_RIG_H

/*
 * Pictures of scenarios, for tests of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "sim/lab/graph.h"
#include "sim/lab/scenario.h"

/* The picture, for free(). */
static inline char *
picture_of(const struct setup *su, struct record *const *rds, int n)
{
	char *out;
	size_t size;
	FILE *fp = open_memstream(&out, &size);

	graph_dot(fp, su, rds, n);
	fclose(fp);
	return out;
}

/* Gives the scenario, and its base point. */
static inline struct scenario *
base_point(
    const char *file, const char *const *sets, int nsets, struct setup *su)
{
	struct diag d;
	struct scenario *sc;

	diag_init(&d);
	sc = scenario_load(file, sets, nsets, NULL, &d);
	diag_print(&d, stderr);
	diag_fini(&d);
	assert_non_null(sc);
	scenario_point(sc, SCENARIO_BASE, su);
	return sc;
}

#endif
