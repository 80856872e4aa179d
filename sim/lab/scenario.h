#ifndef SIM_LAB_SCENARIO_H
#define SIM_LAB_SCENARIO_H

/*
 * A scenario: what a file, what it extends, its hardware profiles and the
 * command line say, checked and resolved to struct setup. Everything that a
 * user can get wrong is found by scenario_load(), at every point of the sweep;
 * nothing fails later.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/setup.h"
#include "sim/lab/diag.h"
#include "sim/lab/hardware.h"
#include "sim/lab/keys.h"

#define SCENARIO_BASE (-1) /* the point of `solab run` */
#define SCENARIO_MAX_POINTS 20000
#define SCENARIO_MAX_AXES 192 /* every cost may be set */
#define SCENARIO_MAX_GROUPS 16

/* A value of a parameter at one point. */
struct scenario_param {
	const char *pa_path;  /* server.processes.nginx.object, or an axis */
	const char *pa_short; /* shortest unique suffix: object */
	const char *pa_value; /* canonical: 1KiB */
	bool pa_bare;	      /* needs no quotes in JSON */
};

/* Who decided a value. */
enum scenario_origin {
	SCENARIO_FROM_AXIS,    /* the sweep, or --set */
	SCENARIO_FROM_FILE,    /* the scenario, or one that it extends */
	SCENARIO_FROM_DEFAULT, /* the kernel's, or the key table's */
	SCENARIO_FROM_PROFILE, /* of the hardware */
};

/* One of all parameters of a point. */
struct scenario_resolved {
	const char *sv_path;  /* server.hardware.token, server.hardware */
	const char *sv_value; /* canonical; equal exactly if the values are */
	enum scenario_origin sv_from;
	bool sv_bare; /* needs no quotes in JSON */
};

/* A parameter and what an axis sets it to. All [I]. */
struct scenario_setting {
	const struct scenario_path *se_path; /* see scenario_impl.h */
	struct key_value se_value;
	struct ynode *se_node; /* as written; NULL: a default, not set */
};

/* What an axis sets at a point. All [I]. */
struct scenario_value {
	const char *va_text; /* canonical: 1KiB; or an alternative's name */
	struct scenario_setting *va_settings;
	int va_n; /* 1, but for alternatives */
};

/*
 * A swept or set parameter, or alternatives: names for several settings made
 * together. Axes of one ax_walk are walked together, entry by entry: those of a
 * zip, and the parameters of `points:`; any other is walked alone. The last
 * walk varies fastest. All [I].
 */
struct scenario_axis {
	const struct scenario_path *ax_path; /* NULL: alternatives */
	const char *ax_name;  /* server.processes.nginx.object, or a word */
	const char *ax_short; /* object */
	struct scenario_value *ax_values; /* each once */
	int ax_n;
	int ax_base; /* index of the base value, -1: not among the values */
	struct scenario_value ax_base_value;
	struct scenario_value *ax_all; /* alternatives that --set may select */
	int ax_nall;
	int *ax_entries; /* indices in ax_values; -1: the base value */
	int ax_nentries;
	int ax_walk;
	bool ax_listed;		      /* a parameter of `points:` */
	bool ax_set;		      /* from the command line */
	int ax_order;		      /* of axes in the file */
	const struct ynode *ax_twice; /* a value that was there before */
	struct diag_span ax_at;
};

/*
 * A published number; or a ratio of two points, a gain in percent:
 * 100 * (at ce_point / at ce_ratio_point - 1). All [I].
 */
struct scenario_cell {
	int ce_point;	      /* of the sweep; -1: not in this matrix (--set) */
	const char *ce_where; /* "object=1KiB, soavailconn=0" */
	struct scenario_param *ce_params; /* the same */
	int ce_nparams;
	const char *ce_ratio; /* what the other point has instead; NULL: none */
	int ce_ratio_point;
	struct scenario_param *ce_ratio_params; /* all of the other point's */
	int ce_nratio_params;
	const struct key_metric *ce_metric;
	double ce_value;	 /* in the metric's unit: 1/s or ns; percent */
	double ce_tolerance_pct; /* percent of the value; points of a percent */
	bool ce_by_ranges;	 /* `within: ranges` in place of a tolerance */
	bool ce_unpublished;	 /* printed beside the others: no value */
	bool ce_fitted;
	const char
	    *ce_missed; /* known reason to be out of tolerance, or NULL */
};

/* A cost to be fitted. All [I]. */
struct scenario_fit {
	const struct key *fi_key;
	const char *fi_path;	/* server.hardware.ngx_request */
	const char *fi_profile; /* e5-2620v2-2way */
	const char *fi_cost;	/* ngx_request */
	int64_t fi_min, fi_max; /* in the key's base unit */
	int fi_cell;		/* index in sc_cells */
};

/* A cost that is moved, and how far. All [I]. */
struct scenario_group_cost {
	const struct key *gc_key;
	const char *gc_path;	/* server.hardware.ipi_send */
	const char *gc_profile; /* i7-2600 */
	struct key_value gc_low, gc_high;
};

/* Costs of `ranges:` that are moved together. All [I]. */
struct scenario_group {
	const char *gr_name;
	struct scenario_group_cost *gr_costs;
	int gr_n;
};

/* A file that the scenario was read from. All [I]. */
struct scenario_source {
	const char *so_file; /* its name, as it was opened */
	const char *so_text;
	size_t so_size;
};

struct scenario {
	char *sc_file;	       /* as given */
	char *sc_name;	       /* its last part without .yaml */
	struct setup sc_setup; /* the base point */
	struct scenario_axis sc_axes[SCENARIO_MAX_AXES];
	int sc_naxes;
	struct scenario_cell *sc_cells;
	int sc_ncells;
	struct scenario_fit *sc_fits;
	int sc_nfits;
	struct scenario_group *sc_groups; /* `ranges:` */
	int sc_ngroups;
	struct hardware *sc_hardware;	    /* all profiles in use */
	struct scenario_source *sc_sources; /* in the order of reading */
	int sc_nsources;
	char *sc_hardware_dir; /* as given; NULL: none */

	/* private to sim/lab/scenario*.c */
	struct ypool sc_pool;
	struct ynode
	    *sc_tree; /* merged files, `extends` of siblings still in */
	struct scenario_path *sc_paths; /* all that can be set */
	size_t sc_npaths;
	int sc_nwalks;
	short *sc_points; /* by point and axis: as in ax_entries */
	int sc_npoints;
	struct scenario_leave *sc_leaves; /* `leave_out:` */
	int sc_nleaves;
};

/*
 * Load a scenario with overrides `PATH=VALUE` (or `PATH=V1,V2,...`, ranges such
 * as 1..256*2 among them, which makes or replaces an axis of the sweep; one
 * value makes an axis of one). PATH is a full path, with or without `machines.`
 * or `peers.`, a unique suffix, or the name of an axis of alternatives, of
 * which it selects some. What is set leaves `points:`, and a zip unless it has
 * as many values as that. Profiles are looked for in hardware/ beside the file,
 * then beside the file that names them, then in hardware_dir itself (NULL:
 * none).
 *
 * Owns:    gives the scenario. It needs nothing of diag afterwards.
 * Returns: NULL after errors, which diag has.
 */
struct scenario *scenario_load(const char *file, const char *const *sets,
    int nsets, const char *hardware_dir, struct diag *);

void scenario_destroy(struct scenario *);

/* Returns: points of the sweep, those left out not counted; at least 1. */
int scenario_npoints(const struct scenario *);

/*
 * Resolve point i (or SCENARIO_BASE). Strings in *out are the scenario's.
 * Time: about 0.1 ms of real time.
 */
void scenario_point(struct scenario *, int i, struct setup *out);

/*
 * The parameters of point i in the order of sc_axes.
 * Returns: how many; params has room for SCENARIO_MAX_AXES.
 */
int scenario_params(
    const struct scenario *, int i, struct scenario_param *params);

/*
 * "object=1KiB soavailconn=0", or "base"; as --set takes it, quotes included.
 * Returns: buf, cut to size.
 */
char *scenario_point_label(
    const struct scenario *, int i, char *buf, size_t size);

/*
 * All parameters that make up point i (or SCENARIO_BASE), defaults and costs
 * too, always in the same order: what a simulation depends on but seed and
 * replication. Two points with the same struct setup have the same list. Left
 * out: run.seed, run.replications, title and source, sysctls that the kernel
 * lacks.
 *
 * Owns:    *out and its texts are the pool's.
 * Returns: how many.
 */
int scenario_resolved(
    struct scenario *, int i, struct ypool *, struct scenario_resolved **out);

/* The points of the sweep, one a line: number from 1, label. */
void scenario_print_points(struct scenario *, FILE *);

/* What can be set, with values at the base point; not the profiles' costs. */
void scenario_print_params(struct scenario *, FILE *);

/* Set a fitted cost in every machine and peer that uses its profile. */
void scenario_fit_set(
    const struct scenario *, int fit, struct setup *, int64_t value);
int64_t scenario_fit_get(
    const struct scenario *, int fit, const struct setup *);

/*
 * Set the costs of a group to their low or their high ends, in every machine
 * and peer that uses their profiles.
 */
void scenario_group_set(
    const struct scenario *, int group, bool high, struct setup *);

/* Returns: rings that the card and the sysctls give, net.netisr.ncpus in use.
 */
int setup_netisr_ncpus(const struct setup_machine *);

/* Returns: receive rings that the kernel makes on this card. */
int setup_rx_rings(const struct setup_machine *, const struct setup_nic *);

#endif
