#ifndef SIM_LAB_SCENARIO_SWEEP_H
#define SIM_LAB_SCENARIO_SWEEP_H

/*
 * From `sweep:` and --set to the table of points. What is read makes axes,
 * which know their values and the entries to walk; then the walks are
 * multiplied, and `leave_out` takes points away.
 */
#include "sim/lab/scenario_impl.h"

/* scenario_range.c */

/* Whether values of the key may be given as a range. */
bool scenario_takes_ranges(const struct key *);

/* Whether it is meant as one, well-formed or not. */
bool scenario_is_range(const struct key *, const struct ynode *);

/*
 * The values of a range, 1..256*2 or 10us..50us+10us, up to its end.
 *
 * Owns:    *values and the nodes are the pool's.
 * Returns: how many; 0 after an error.
 */
int scenario_range(const struct key *, const struct ynode *, struct ypool *,
    struct ynode ***values, struct diag *);

/* scenario_axis.c */

/* Returns: a new axis, walked alone, no values; NULL after an error. */
struct scenario_axis *scenario_axis_add(struct scenario *,
    const struct scenario_path *, const char *name, struct diag_span,
    struct diag *);

/*
 * Returns: the axis that scenario_param_find() found, or that of the path that
 * it found; NULL when there is none.
 */
struct scenario_axis *scenario_axis_meant(struct scenario *,
    const struct scenario_path *, const struct scenario_axis *named);

/* Forget values and entries. */
void scenario_axis_clear(struct scenario_axis *);

/* Append entries: a value, a range, or an alternative by its name. */
void scenario_axis_load(
    struct scenario *, struct scenario_axis *, struct ynode *, struct diag *);

/* Returns: the index of one value, a new one or not; -1 after an error. */
int scenario_axis_read(
    struct scenario *, struct scenario_axis *, struct ynode *, struct diag *);
int scenario_axis_put(
    struct scenario *, struct scenario_axis *, const struct scenario_value *);

void scenario_axis_entry(struct scenario *, struct scenario_axis *, int index);

/* Whether both set the same paths to the same values, in any order. */
bool scenario_value_equal(
    const struct scenario_value *, const struct scenario_value *);

/* An error when an axis that is walked alone has a value twice. */
void scenario_axis_once(
    const struct scenario *, const struct scenario_axis *, struct diag *);

/* Returns: another axis of the same zip, or NULL. */
const struct scenario_axis *scenario_axis_zipped(
    const struct scenario *, const struct scenario_axis *);

/*
 * Find the base value: what the machine or peer says, or the first value; --set
 * says it all itself. What `points:` leaves out and nobody wrote is not known
 * before the base point is: see scenario_axis_default().
 */
void scenario_axis_base(struct scenario *, struct scenario_axis *,
    const struct ynode *extended, struct diag *);

/* Its base value from the base point's tree, if that is still not known. */
void scenario_axis_default(
    struct scenario *, struct scenario_axis *, const struct ynode *root);

/* scenario_sweep.c */

/* Read `sweep:`, but for `leave_out`. */
void scenario_sweep_load(
    struct scenario *, const struct ynode *sweep, struct diag *);

/* Returns: true after an error: an axis other than `but` sets this path. */
bool scenario_is_swept(const struct scenario *, const struct scenario_path *,
    const struct scenario_axis *but, struct diag_span, struct diag *);

/* scenario_walk.c */

/* Read `zip:` of a sweep (NULL: none). */
void scenario_zips_load(
    struct scenario *, const struct ynode *zips, struct diag *);

/* Read `points:` of a sweep. Its axes have `order` and what follows. */
void scenario_listed_load(
    struct scenario *, const struct ynode *list, int order, struct diag *);

/* scenario_set.c */

#define SCENARIO_COMMAND_LINE "<command line>" /* as a file of a diag */

void scenario_set_load(struct scenario *, const char *set, struct diag *);

/* After the last --set. `good`: all could be read. */
void scenario_sets_end(struct scenario *, bool good, struct diag *);

/* scenario_points.c */

#define SCENARIO_ANY (-2) /* of an axis, where -1 is the base value */

/*
 * Make the table of points, when axes and base values are known.
 * Returns: false after errors.
 */
bool scenario_points_make(struct scenario *, struct diag *);

/* Returns: whether anything is set from the command line. */
bool scenario_any_set(const struct scenario *);

/*
 * Returns: the first point that has these indices of values, one for each axis;
 * -1: none has. A base value that is among the values must have their index.
 */
int scenario_point_find(const struct scenario *, const int *want);

/* Returns: the entry of `leave_out` that left out such a point, or NULL. */
const struct ynode *scenario_left_out(const struct scenario *, const int *want);

/* Returns: "object=1KiB, soavailconn=0", from the scenario's pool. */
const char *scenario_want_text(struct scenario *, const int *want);

/* Returns: the value of an axis that the point has. */
const struct scenario_value *scenario_axis_value(
    const struct scenario *, int axis, int point);

#endif
