#ifndef SIM_LAB_YAML_H
#define SIM_LAB_YAML_H

/*
 * A YAML file as a tree whose nodes know where they were written. Scalars stay
 * text: what a text means is for the key table to say, so there is no Norway
 * problem. Aliases share nodes; the tree is never changed in place except by
 * who owns it alone.
 */
#include <stdbool.h>
#include <stddef.h>

#include "sim/lab/diag.h"

#define YNODE_MAX_DEPTH 64
#define YNODE_MAX_NODES 1000000 /* of a file, aliases counted in full */
#define YNODE_MAX_BYTES (1024 * 1024)

enum ynode_kind { YNODE_SCALAR, YNODE_MAP, YNODE_SEQ };

struct ynode {
	enum ynode_kind yn_kind;
	bool yn_quoted;		/* a scalar in quotes or as a block */
	struct diag_span yn_at; /* of collections: their first character */
	const char *yn_text;	/* scalars only */
	struct ynode **yn_keys; /* maps only, all scalars */
	struct ynode **yn_vals; /* maps and sequences */
	size_t yn_n, yn_space;
	size_t yn_weight; /* nodes, aliases counted in full */
};

/* Memory of nodes and their texts, freed all at once. */
struct ypool {
	struct ypool_block *yp_blocks;
};

void ypool_fini(struct ypool *);
void *ypool_alloc(struct ypool *, size_t size);
char *ypool_strdup(struct ypool *, const char *);
char *ypool_printf(struct ypool *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Read and parse a file.
 *
 * Owns:    the pool owns the tree, the diag the file's text.
 * Returns: NULL after an error, which diag has. `from` is the place that asked
 *          for the file, used when it cannot be read.
 */
struct ynode *ynode_load(
    const char *path, struct ypool *, struct diag *, struct diag_span from);

/* Parse a text that diag has already. */
struct ynode *ynode_parse(
    const struct diag_file *, struct ypool *, struct diag *);

/* Returns: the value of a key, or NULL. *key is its node when key != NULL. */
struct ynode *ynode_get(
    const struct ynode *map, const char *name, struct ynode **key);

struct ynode *ynode_scalar(struct ypool *, const char *text, struct diag_span);
struct ynode *ynode_map(struct ypool *, struct diag_span);

/* Replace the value of a key or append it. The map must be the caller's own. */
void ynode_put(
    struct ypool *, struct ynode *map, struct ynode *key, struct ynode *val);

/* A deep copy: aliases become copies. Bounded by YNODE_MAX_NODES. */
struct ynode *ynode_clone(struct ypool *, const struct ynode *);

/*
 * Returns: `over` laid on `base`, a new tree: maps merge deeply, everything
 * else is replaced.
 */
struct ynode *ynode_merge(
    struct ypool *, const struct ynode *base, const struct ynode *over);

/*
 * Returns: where a part of a plain scalar's text was written, by bytes; of a
 * quoted one, where all of it was.
 */
struct diag_span ynode_part(const struct ynode *, size_t at, size_t width);

/* Returns: "a map", "a list" or "a value". */
const char *ynode_kind_name(const struct ynode *);

#endif
