#ifndef SIM_LAB_UNITS_H
#define SIM_LAB_UNITS_H

/*
 * Quantities as people write them: a decimal number, an optional blank, a unit
 * from a closed list. Parsed exactly, whatever the locale; no exponents, no
 * hexadecimal, no inf, no nan.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unit_kind {
	UNIT_NONE,	/* a plain number */
	UNIT_TIME,	/* ns us ms s min h, in ns */
	UNIT_SIZE,	/* B KB KiB MB MiB GB GiB, in bytes */
	UNIT_RATE,	/* bps kbps Mbps Gbps Tbps, in bit/s */
	UNIT_FREQUENCY, /* /s k/s, in 1/s */
	UNIT_PERCENT,	/* %, in percent */
	UNIT_NKINDS
};

#define UNIT_TEXT_MAX 40 /* bytes of a printed quantity, with its NUL */

struct quantity {
	int64_t q_int; /* in the base unit; valid when q_whole */
	double q_real; /* the same, rounded once */
	bool q_whole;  /* a whole number of base units */
};

/* What was wrong with a text, and where in it. */
struct unit_error {
	char ue_text[160];
	size_t ue_at;	 /* byte offset in the text */
	size_t ue_width; /* bytes */
};

/* Returns: whether text is a quantity of this kind; *ue is set when not. */
bool unit_parse(enum unit_kind kind, const char *text, struct quantity *q,
    struct unit_error *ue);

/*
 * Print in the largest unit that gives a whole number ("8KiB", "100ms").
 * unit_parse() of the result gives the value back.
 * Returns: buf, of at least UNIT_TEXT_MAX bytes.
 */
char *unit_print(enum unit_kind kind, int64_t value, char *buf);

/*
 * The same for a value that need not be whole: nine decimals at most, or as
 * many as it takes to read the same value back.
 */
char *unit_print_real(enum unit_kind kind, double value, char *buf);

/* Returns: "time", "size", ... */
const char *unit_kind_name(enum unit_kind);

/* Returns: the units of a kind with a blank between them: "ns us ms s min h".
 */
const char *unit_list(enum unit_kind);

#endif
