#ifndef SIM_LAB_HARDWARE_H
#define SIM_LAB_HARDWARE_H

/*
 * Hardware profiles: scenarios/hardware/NAME.yaml, what one real machine costs
 * and where each number comes from.
 *
 *	title: Xeon E5-2620 v2, two sockets
 *	role: server
 *	cpus: {value: 24, kind: datasheet, source: "..."}
 *	cache:
 *	  knee: {value: 450KiB, kind: guess, source: "..."}
 *	token: {cost: 18ns, range: 10ns..30ns, kind: measured, source: "..."}
 *	ngx_request: {cost: 30us, kind: fitted, source: "...", cells: [...]}
 *
 * `range` says between which values the true one plausibly lies; the value is
 * one of them. `ranges:` of a scenario needs it.
 */
#include <stdio.h>

#include "model/setup.h"
#include "sim/lab/diag.h"
#include "sim/lab/keys.h"
#include "sim/lab/yaml.h"

/* Whose costs a profile has: of machines (SERVER, FREEBSD) or of peers. */
enum hardware_role {
	HARDWARE_SERVER,  /* any DragonFly */
	HARDWARE_CLIENT,  /* tools but netperf */
	HARDWARE_FREEBSD, /* freebsd-2007 */
	HARDWARE_LINUX,	  /* netperf */
	HARDWARE_NROLES
};

enum hardware_kind {
	HARDWARE_MEASURED,
	HARDWARE_PAPER,
	HARDWARE_DATASHEET,
	HARDWARE_FITTED,
	HARDWARE_GUESS,
	HARDWARE_NKINDS
};

/* One line of the ledger. All members [I]. */
struct hardware_entry {
	const struct key *he_key;
	const char *he_name; /* "token", "cache.knee" */
	struct key_value he_value;
	bool he_ranged; /* he_low <= he_value <= he_high are known */
	struct key_value he_low, he_high;
	enum hardware_kind he_kind;
	const char *he_source;
	const char **he_cells; /* fitted: to these published cells */
	size_t he_ncells;
};

struct hardware {
	char *ha_name; /* e5-2620v2-2way */
	char *ha_file; /* path that it was read from */
	const char *ha_title;
	enum hardware_role ha_role;
	struct setup_hardware ha_setup;	   /* hw_name is ha_name */
	struct hardware_entry *ha_entries; /* in the order of the key table */
	size_t ha_nentries;
	struct hardware *ha_next; /* for the owner's list */
	struct ypool ha_pool;
};

/*
 * Load NAME.yaml from the first of the folders that has it.
 *
 * Owns:    gives the profile; hardware_destroy() frees it.
 * Returns: NULL after errors, which diag has. `from` is where it was named.
 */
struct hardware *hardware_load(const char *name, const char *const *dirs,
    size_t ndirs, struct diag_span from, struct diag *);
void hardware_destroy(struct hardware *);

/* Returns: what the profile says of a key, or NULL. */
const struct hardware_entry *hardware_entry(
    const struct hardware *, const struct key *);

/* The ledger: name, value, range, unit, kind, source, what it pays for;
 * aligned. */
void hardware_print(const struct hardware *, FILE *);

/* Whether it is the name of a cost that profiles of this role do not have. */
bool hardware_lacks(enum hardware_role, const char *name);

/* Returns: "server", ... */
const char *hardware_role_name(enum hardware_role);

/* Returns: "measured", ... */
const char *hardware_kind_name(enum hardware_kind);

#endif
