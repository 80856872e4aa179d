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

/* Returns: which value of an axis the point has; -1: its base value. */
int scenario_axis_index(const struct scenario *, int axis, int point);

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

/* scenario_cell.c */

/* Read `published:` and `fit:`. */
void scenario_cells_load(
    struct scenario *, const struct ynode *extended, struct diag *);

#endif
