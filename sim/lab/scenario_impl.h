#ifndef SIM_LAB_SCENARIO_IMPL_H
#define SIM_LAB_SCENARIO_IMPL_H

/*
 * What the files scenario*.c share: a scenario is a tree until the last
 * moment. Overrides and sweep values are put into the tree, then siblings are
 * extended, then struct setup is filled from it.
 */
#include "sim/lab/scenario.h"

#define SCENARIO_MAX_STEPS 6

/* A key with the names of this scenario in place of its `*`. All [I]. */
struct scenario_path {
	const struct key *sp_key;
	const char *sp_steps[SCENARIO_MAX_STEPS]; /* from the root */
	int sp_nsteps;
	const char *sp_full; /* machines.server.sysctl.kern.ipc.somaxconn */
	const char *sp_name; /* without machines. or peers. */
	bool sp_inherited; /* its owner extends a sibling and does not say it */
};

/* scenario_tree.c */

/*
 * Read a file and what it extends; `hardware: NAME` becomes a map.
 * Returns: NULL after errors.
 */
struct ynode *scenario_tree_load(
    struct scenario *, const char *file, struct diag *);

/*
 * Replace every map that extends a sibling by the merged one. Changes root,
 * which must be the caller's own copy.
 */
void scenario_tree_extend(struct ypool *, struct ynode *root, struct diag *);

struct ynode *scenario_tree_get(
    const struct ynode *root, const char *const *steps, int n);

/* Makes the maps on the way. */
void scenario_tree_set(struct ypool *, struct ynode *root,
    const struct scenario_path *, struct ynode *val);

/* Make all settings of an axis' value. */
void scenario_tree_apply(
    struct ypool *, struct ynode *root, const struct scenario_value *);

/* Returns: a map's key where errors about its value belong. */
struct diag_span scenario_tree_at(
    const struct ynode *root, const char *const *steps, int n);

/* scenario_path.c */

/* List all paths of the scenario's names in sc_paths. */
void scenario_paths_make(struct scenario *, const struct ynode *extended);

/* Returns: the path that `text` means, or NULL after an error. */
const struct scenario_path *scenario_path_find(
    const struct scenario *, const char *text, struct diag_span, struct diag *);

/*
 * What `text` means: a path, or an axis of alternatives.
 * Returns: false after an error; else *sp or *ax, the other one NULL.
 */
bool scenario_param_find(const struct scenario *, const char *text,
    struct diag_span, const struct scenario_path **sp,
    const struct scenario_axis **ax, struct diag *);

/* Returns: a path that `text` means or may mean, or NULL. No error. */
const struct scenario_path *scenario_path_like(
    const struct scenario *, const char *text);

/*
 * The default of a path in a tree, which names its machine's kernel.
 * Returns: false when it has none, or the kernel lacks the sysctl.
 */
bool scenario_default(
    const struct ynode *root, const struct scenario_path *, struct key_value *);

/* Returns: the axis, other than `but`, that sets this path, or NULL. */
const struct scenario_axis *scenario_axis_of(const struct scenario *,
    const struct scenario_path *, const struct scenario_axis *but);

/* Returns: the alternative of this name, or NULL after an error. */
const struct scenario_value *scenario_alternative(
    const struct scenario_axis *, const struct ynode *name, struct diag *);

/* Returns: the shortest suffix that means this path, from pool. */
const char *scenario_path_short(
    struct scenario *, const struct scenario_path *);

/* scenario.c */

/* Returns: the tree of a point, overrides in, siblings extended. */
struct ynode *scenario_tree_point(
    const struct scenario *, struct ypool *, int point);

/* scenario_list.c */

/*
 * The value of a path that nobody wrote in a tree: its profile's, or the
 * default. Profiles must have been loaded.
 * Returns: false when the kernel lacks it.
 */
bool scenario_unwritten(const struct scenario *, const struct ynode *root,
    const struct scenario_path *, struct key_value *, enum scenario_origin *);

/* scenario_fill.c */

/* Fill *su from an extended tree. Errors go to diag. */
void scenario_fill(
    struct scenario *, const struct ynode *root, struct setup *, struct diag *);

/* Whether it is one for what the user names: up to 32 letters, digits, - _. */
bool scenario_name_ok(const char *);

/* scenario_check.c */

/* What holds between several keys, and what is not modelled yet. */
void scenario_check(
    const struct setup *, const struct ynode *root, struct diag *);

struct checker {
	const struct ynode *ck_root;
	struct diag *ck_d;
	const struct setup *ck_su;
};

/*
 * Where a message about a key belongs: at its value, or at its owner. NULL
 * ends the path.
 */
struct diag_span check_at_machine(const struct checker *, const char *machine,
    const char *sub, const char *name, const char *key);
struct diag_span check_at_peer(
    const struct checker *, const char *peer, const char *sub, const char *key);

/* scenario_check_receive.c: what the receive path of 2007 goes with. */

void check_receive_machine(struct checker *, const struct setup_machine *);
void check_receive_peer(struct checker *, const struct setup_peer *);

/* Return: false after an error that makes others pointless. */
bool check_receive_nic(
    struct checker *, const struct setup_machine *, const struct setup_nic *);
bool check_receive_process(struct checker *, const struct setup_machine *,
    const struct setup_process *);

/* scenario_where.c */

#define SCENARIO_MAX_WHERE 16

/*
 * A point by its parameters, {PATH: VALUE, ...}: first axes of alternatives,
 * then paths in the order of their list.
 */
struct scenario_where {
	int wh_n;
	struct scenario_where_pair {
		const struct scenario_axis *wp_axis; /* NULL: wp_path */
		const struct scenario_path *wp_path;
		struct key_value wp_value; /* of wp_path */
		const struct ynode *wp_val;
		const char *wp_text;
		size_t wp_order;
	} wh_pairs[2 * SCENARIO_MAX_WHERE];
	int wh_point;	     /* of the sweep, once found; -1: none has it */
	const char *wh_text; /* "object=1KiB, soavailconn=0" */
};

/*
 * Read `where:`. No map (NULL) is an empty one. `word` is for messages.
 * Returns: false after errors.
 */
bool scenario_where_load(struct scenario *, const struct ynode *map,
    const char *word, struct scenario_where *, struct diag *);

/*
 * Read `ratio_to:`, which is laid on `where`. wh_text is what differs from it.
 * Returns: false after errors.
 */
bool scenario_where_other(struct scenario *, const struct ynode *map,
    const struct scenario_where *where, struct scenario_where *, struct diag *);

/*
 * The indices of the values that it names, one for each axis, SCENARIO_ANY for
 * those that it does not name. used[i]: whether pair i is about an axis.
 * Returns: a pair whose value is not on its axis, or NULL.
 */
const struct scenario_where_pair *scenario_where_want(const struct scenario *,
    const struct scenario_where *, int *want, bool *used);

/*
 * Find the point of the sweep. With --set the matrix is another one, and a cell
 * may have no place in it; without, that is an error. `word` is for messages.
 */
void scenario_where_find(struct scenario *, struct scenario_where *,
    const char *word, struct diag_span at, struct diag *);

/* Returns: its parameters, from the scenario's pool. */
struct scenario_param *scenario_where_params(
    struct scenario *, const struct scenario_where *);

/* scenario_cell.c */

/* Read `published:` and `fit:`. `ranges:` must have been read. */
void scenario_cells_load(struct scenario *, struct diag *);

/* An unknown key: words end with NULL; with `metrics` these are meant too. */
void scenario_unknown_word(const struct ynode *key, const char *const *words,
    bool metrics, struct diag *);

/* scenario_fit.c */

/* Read an entry of `fit:`. */
void scenario_fit_load(
    struct scenario *, const struct ynode *entry, struct diag *);

/* Returns: the profile of the machine or peer of a path, at the base point. */
const char *scenario_profile_of(
    const struct scenario *, const struct scenario_path *);

/*
 * Walk over machines and peers with this profile; *i is 0 at first.
 * Returns: the next one's hardware, or NULL.
 */
struct setup_hardware *scenario_next_hardware(
    const char *profile, struct setup *, int *i);

/* scenario_group.c */

/* Read `ranges:`. */
void scenario_groups_load(struct scenario *, struct diag *);

#endif
