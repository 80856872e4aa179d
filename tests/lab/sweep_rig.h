#ifndef TESTS_LAB_SWEEP_RIG_H
#define TESTS_LAB_SWEEP_RIG_H

/*
 * Sweeps, and the points or the messages that come of them.
 */
#include "tests/lab/rig.h"

#define SETS_MAX 4

/* base with another `sweep:`, and nothing published unless it says so. */
static inline void
sweep_write(const char *sweep)
{
	size_t n = (size_t)(strstr(base, "sweep:\n") - base);
	char text[4000];

	snprintf(text, sizeof(text), "%.*ssweep:\n%s", (int)n, base, sweep);
	file_write("x.yaml", text);
}

/* --set by --set, with '|' between them. */
static inline struct scenario *
load_split(const char *sets)
{
	const char *list[SETS_MAX];
	struct scenario *sc;
	char *copy, *save;
	int n = 0;

	copy = sim_strdup(sets);
	for (char *s = strtok_r(copy, "|", &save); s != NULL;
	     s = strtok_r(NULL, "|", &save))
		list[n++] = s;
	sc = load_sets("x.yaml", list, n);
	sim_free(copy);
	return sc;
}

/* Gives the labels of all points with "; " between them. */
static inline char *
labels(struct scenario *sc)
{
	char label[300], *text;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	for (int i = 0; i < scenario_npoints(sc); i++)
		fprintf(fp, "%s%s", i > 0 ? "; " : "",
		    scenario_point_label(sc, i, label, sizeof(label)));
	fclose(fp);
	return text;
}

struct row {
	const char *sweep, *sets, *want;
};

/* Points, or the message when there are none. */
static inline void
rows_check(const struct row *rows, size_t n)
{
	struct scenario *sc;
	int failed = 0;
	char *got;

	for (size_t i = 0; i < n; i++) {
		sweep_write(rows[i].sweep);
		sc = load_split(rows[i].sets);
		got = sc != NULL ? labels(sc) : strdup(messages);
		if (strcmp(got, rows[i].want) != 0) {
			print_error("%s%s:\n  got  %s\n  want %s\n",
			    rows[i].sweep, rows[i].sets, got, rows[i].want);
			failed++;
		}
		free(got);
		scenario_destroy(sc);
	}
	assert_int_equal(failed, 0);
}

#define ROWS_CHECK(rows) rows_check(rows, sizeof(rows) / sizeof((rows)[0]))

/* Two axes, and a grid. */
#define TWO "  object: [1KiB, 8KiB]\n  workers: [4, 8]\n"
#define GRID "  object: [1KiB, 8KiB]\n  soavailconn: [0, 1, 2]\n"

#endif
