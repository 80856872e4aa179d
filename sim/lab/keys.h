#ifndef SIM_LAB_KEYS_H
#define SIM_LAB_KEYS_H

/*
 * The table of all keys of a scenario. It validates, it fills struct setup, it
 * prints the JSON Schema and the reference.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/setup.h"
#include "sim/lab/diag.h"
#include "sim/lab/units.h"
#include "sim/lab/yaml.h"

/* The struct that a key's offset counts from. */
enum key_scope {
	KEY_OF_SETUP,	 /* struct setup */
	KEY_OF_MACHINE,	 /* struct setup_machine */
	KEY_OF_NIC,	 /* struct setup_nic */
	KEY_OF_PROCESS,	 /* struct setup_process */
	KEY_OF_PEER,	 /* struct setup_peer */
	KEY_OF_HARDWARE, /* struct setup_hardware */
};

enum key_type {
	KEY_TEXT,     /* any text */
	KEY_CHOICE,   /* one of k_choices */
	KEY_BOOL,     /* true or false */
	KEY_NUMBER,   /* a whole number without unit */
	KEY_REAL,     /* a decimal number without unit */
	KEY_QUANTITY, /* a number with a unit of k_unit */
	KEY_PROFILE,  /* the name of a hardware profile */
	KEY_LINK,     /* MACHINE.NICPORT */
};

/* How the value lies in the struct. */
enum key_store {
	STORE_NONE, /* needs more than one assignment: done by scenario.c */
	STORE_TEXT,
	STORE_INT, /* int and enums */
	STORE_UINT32,
	STORE_INT64,
	STORE_BOOL,
	STORE_DOUBLE,
	STORE_FRACTION, /* a double: percent / 100 */
};

struct key_choice {
	const char *kc_name; /* NULL ends the list */
	int kc_value;
};

/*
 * A key. `*` in its path stands for a name that the user gives; what follows
 * "sysctl." is one name with dots in it.
 */
struct key {
	const char *k_path;
	enum key_type k_type;
	enum unit_kind k_unit; /* KEY_QUANTITY */
	enum key_store k_store;
	enum key_scope k_scope;
	size_t k_offset;
	int64_t k_min, k_max;  /* of numbers, in base units */
	const char *k_default; /* as written in a file; NULL: must be given */
	const struct key_choice *k_choices; /* of a number: words beside it */
	const char *k_help;
	bool k_auto; /* `auto` is a value too: KEY_AUTO */
};

#define KEY_AUTO (-1)

extern const struct key keys[];
extern const size_t keys_n;

struct key_value {
	int64_t kv_int;	     /* numbers, quantities, choices, booleans */
	double kv_real;	     /* the same as a double, and reals */
	const char *kv_text; /* KEY_TEXT, KEY_PROFILE, KEY_LINK */
};

/* What a run yields, in the order of JSON and of summaries. */
enum metric {
	METRIC_THROUGHPUT,
	METRIC_LATENCY_MEAN,
	METRIC_LATENCY_STDEV,
	METRIC_LATENCY_P50,
	METRIC_LATENCY_P90,
	METRIC_LATENCY_P99,
	METRIC_LATENCY_P999,
	METRIC_LATENCY_MAX,
	METRIC_CYCLE_MEAN,
	METRIC_REQUESTS,
	METRIC_CLOCKED,
	METRIC_REQUEST_RATE,
	METRIC_LITTLES_LAW_ERROR,
	METRIC_GOODPUT,
	METRIC_RECEIVER_CPU,
	METRIC_SENDER_CPU,
	METRIC_RECEIVER_DEMAND,
	METRIC_SENDER_DEMAND,
	METRIC_RECEIVER_CPU_SAMPLED,
	METRIC_N
};

/* A metric; `published:` may name it. The table is indexed by enum metric. */
struct key_metric {
	const char *km_name;	/* latency_mean */
	const char *km_json;	/* latency_mean_ns */
	enum unit_kind km_unit; /* of km_json: 1/s, ns, bit/s, percent, none */
	const char *km_help;
};

extern const struct key_metric key_metrics[];
extern const size_t key_metrics_n;

/*
 * Returns: the key as users call it: the last part of its path, all that
 * follows "sysctl." or "hardware.".
 */
const char *key_name(const struct key *);

/* Returns: the key of exactly this pattern, or NULL. */
const struct key *key_find(const char *pattern);

/*
 * Read a node as a value of the key, unit and range included.
 * Returns: false after an error, which diag has.
 */
bool key_parse(const struct key *, const struct ynode *, struct key_value *,
    struct diag *);

/*
 * Read LOW..HIGH, both values of the key. Which one is larger is not looked at.
 * Returns: false after an error, which diag has.
 */
bool key_parse_range(const struct key *, const struct ynode *, struct ypool *,
    struct key_value *low, struct key_value *high, struct diag *);

/* The default of a key that has one. */
void key_default(const struct key *, struct key_value *);

/* Write into the struct of the key's scope. Texts are borrowed. */
void key_store(const struct key *, void *base, const struct key_value *);

bool key_equal(
    const struct key *, const struct key_value *, const struct key_value *);

/* Canonical text of a value. Returns: buf, cut to size. */
char *key_print(
    const struct key *, const struct key_value *, char *buf, size_t size);

/*
 * Whether the canonical text is a bare number or boolean in JSON: of the key's
 * values, but for words; of this one.
 */
bool key_is_bare(const struct key *);
bool key_text_is_bare(const struct key *, const char *text);

/* "1..64", "1Mbps..1Tbps", "fixed|poisson". Returns: buf. */
char *key_range(const struct key *, char *buf, size_t size);

/* JSON Schema, draft 2020-12, of a scenario file. */
void keys_schema(FILE *);

/* docs/scenario.md. */
void keys_markdown(FILE *);

#endif
