#include "sim/lab/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

#include "sim/core/alloc.h"

#define POOL_BLOCK ((size_t)32768)
#define MAX_KEYS 4096	 /* of a map: duplicates are found by comparing all */
#define MAX_ANCHORS 1000 /* likewise */

struct ypool_block {
	struct ypool_block *pb_next;
	size_t pb_used, pb_size;
	_Alignas(16) char pb_data[];
};

struct anchor {
	const char *an_name;
	struct ynode *an_node; /* NULL until its end was read */
	struct anchor *an_next;
};

struct composer {
	yaml_parser_t co_parser;
	const struct diag_file *co_file;
	struct ypool *co_pool;
	struct diag *co_diag;
	struct anchor *co_anchors;
	int co_nanchors;
	size_t co_nodes; /* built so far, aliases counted in full */
	bool co_failed;	 /* cannot go on */
};

static char *file_read(const char *path, size_t *size);
static struct ynode *compose_document(struct composer *);
static struct ynode *compose(struct composer *, yaml_event_t *, int depth);
static struct ynode *compose_alias(struct composer *, const yaml_event_t *);
static struct ynode *compose_scalar(struct composer *, const yaml_event_t *);
static struct ynode *compose_children(
    struct composer *, const yaml_event_t *, int depth);
static void compose_pair(
    struct composer *, struct ynode *map, yaml_event_t *, int depth);
static bool event_next(struct composer *, yaml_event_t *);
static void parser_error(struct composer *);
static struct anchor *anchor_add(
    struct composer *, const char *name, struct diag_span);
static bool count(struct composer *, struct diag_span, size_t weight);
static struct diag_span mark_span(
    const struct composer *, yaml_mark_t, yaml_mark_t);
static size_t chars(const char *s, size_t bytes);
static void push(
    struct ypool *, struct ynode *, struct ynode *key, struct ynode *val);

struct ynode *
ynode_load(
    const char *path, struct ypool *yp, struct diag *d, struct diag_span from)
{
	const struct diag_file *given = diag_given(d, path);
	struct diag_file *f;
	char *text;
	size_t size;

	if (given != NULL) {
		f = diag_add_file(d, path, given->df_text, given->df_size);
		return ynode_parse(f, yp, d);
	}
	errno = ENOENT;
	text = d->d_given == NULL ? file_read(path, &size) : NULL;
	if (text == NULL) {
		if (from.ds_file == NULL)
			from = diag_whole(diag_add_file(d, path, "", 0));
		diag_error(d, from, "cannot read '%s': %s", path,
		    errno == EFBIG ? "larger than 1 MiB" : strerror(errno));
		return NULL;
	}
	if (strncmp(text, "SQLite format 3", 15) == 0) {
		if (from.ds_file == NULL)
			from = diag_whole(diag_add_file(d, path, "", 0));
		diag_error(
		    d, from, "'%s' is a store of results, no scenario", path);
		sim_free(text);
		return NULL;
	}
	f = diag_add_file(d, path, text, size);
	sim_free(text);
	return ynode_parse(f, yp, d);
}

static char *
file_read(const char *path, size_t *size)
{
	size_t n = 0, space = YNODE_MAX_BYTES + 1;
	char *text;
	ssize_t got;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = sim_calloc(space, 1);
	do {
		got = read(fd, text + n, space - n);
		if (got > 0)
			n += got;
	} while ((got > 0 && n < space) || (got < 0 && errno == EINTR));
	if (got < 0 || n == space) {
		errno = got < 0 ? errno : EFBIG;
		sim_free(text);
		text = NULL;
	}
	int saved = errno;
	close(fd);
	errno = saved;
	*size = n;
	return text;
}

struct ynode *
ynode_parse(const struct diag_file *f, struct ypool *yp, struct diag *d)
{
	struct composer co = { .co_file = f, .co_pool = yp, .co_diag = d };
	struct ynode *root = NULL;
	int nerrors = d->d_nerrors;

	if (f->df_size >= 2 && (memcmp(f->df_text, "\xff\xfe", 2) == 0 ||
				   memcmp(f->df_text, "\xfe\xff", 2) == 0)) {
		diag_error(d, diag_place(f, 0), "UTF-16: save it as UTF-8");
		return NULL;
	}
	if (yaml_parser_initialize(&co.co_parser) == 0)
		abort();
	yaml_parser_set_encoding(&co.co_parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
	    &co.co_parser, (const unsigned char *)f->df_text, f->df_size);
	root = compose_document(&co);
	yaml_parser_delete(&co.co_parser);
	return d->d_nerrors == nerrors ? root : NULL;
}

static struct ynode *
compose_document(struct composer *co)
{
	struct ynode *root = NULL;
	yaml_event_t ev;

	for (;;) {
		if (!event_next(co, &ev))
			return NULL;
		switch (ev.type) {
		case YAML_STREAM_START_EVENT:
		case YAML_DOCUMENT_END_EVENT:
			break;
		case YAML_DOCUMENT_START_EVENT:
			if (root == NULL)
				break;
			diag_error(co->co_diag,
			    mark_span(co, ev.start_mark, ev.end_mark),
			    "a second document: one file holds one");
			yaml_event_delete(&ev);
			return NULL;
		case YAML_STREAM_END_EVENT:
			yaml_event_delete(&ev);
			if (root == NULL)
				diag_error(co->co_diag, diag_whole(co->co_file),
				    "the file is empty");
			return root;
		default:
			root = compose(co, &ev, 0);
			if (co->co_failed) {
				yaml_event_delete(&ev);
				return NULL;
			}
			break;
		}
		yaml_event_delete(&ev);
	}
}

/* Returns: NULL only when it cannot go on. The caller deletes the event. */
static struct ynode *
compose(struct composer *co, yaml_event_t *ev, int depth)
{
	struct diag_span at = mark_span(co, ev->start_mark, ev->end_mark);
	const unsigned char *name = NULL, *tag = NULL;
	struct anchor *an = NULL;
	struct ynode *yn;

	if (ev->type == YAML_ALIAS_EVENT)
		return compose_alias(co, ev);
	if (ev->type == YAML_SCALAR_EVENT) {
		name = ev->data.scalar.anchor;
		tag = ev->data.scalar.tag;
	} else if (ev->type == YAML_MAPPING_START_EVENT) {
		name = ev->data.mapping_start.anchor;
		tag = ev->data.mapping_start.tag;
	} else {
		name = ev->data.sequence_start.anchor;
		tag = ev->data.sequence_start.tag;
	}
	if (tag != NULL)
		diag_error(
		    co->co_diag, at, "tags ('%s') have no use here", tag);
	if (depth >= YNODE_MAX_DEPTH) {
		diag_error(co->co_diag, at, "nested more than %d deep",
		    YNODE_MAX_DEPTH);
		co->co_failed = true;
		return NULL;
	}
	if (name != NULL)
		an = anchor_add(co, (const char *)name, at);
	if (ev->type == YAML_SCALAR_EVENT)
		yn = compose_scalar(co, ev);
	else
		yn = compose_children(co, ev, depth);
	if (an != NULL)
		an->an_node = yn;
	return yn;
}

static struct ynode *
compose_alias(struct composer *co, const yaml_event_t *ev)
{
	struct diag_span at = mark_span(co, ev->start_mark, ev->end_mark);
	const char *name = (const char *)ev->data.alias.anchor;
	struct anchor *an = co->co_anchors;

	while (an != NULL && strcmp(an->an_name, name) != 0)
		an = an->an_next;
	if (an == NULL)
		diag_error(co->co_diag, at, "unknown alias '*%s'", name);
	else if (an->an_node == NULL)
		diag_error(co->co_diag, at, "alias '*%s' inside itself", name);
	if (an == NULL || an->an_node == NULL)
		return ynode_scalar(co->co_pool, "", at);
	return count(co, at, an->an_node->yn_weight) ? an->an_node : NULL;
}

static struct ynode *
compose_scalar(struct composer *co, const yaml_event_t *ev)
{
	struct diag_span at = mark_span(co, ev->start_mark, ev->end_mark);
	const char *text = (const char *)ev->data.scalar.value;
	struct ynode *yn;

	if (!count(co, at, 1))
		return NULL;
	if (strlen(text) != ev->data.scalar.length)
		diag_error(co->co_diag, at, "a NUL character in a value");
	yn = ynode_scalar(co->co_pool, text, at);
	yn->yn_quoted = ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return yn;
}

static struct ynode *
compose_children(struct composer *co, const yaml_event_t *start, int depth)
{
	struct diag_span at = mark_span(co, start->start_mark, start->end_mark);
	bool map = start->type == YAML_MAPPING_START_EVENT;
	struct ynode *yn, *child;
	yaml_event_t ev;

	if (!count(co, at, 1))
		return NULL;
	yn = ypool_alloc(co->co_pool, sizeof(*yn));
	yn->yn_kind = map ? YNODE_MAP : YNODE_SEQ;
	yn->yn_at = at;
	yn->yn_weight = 1;
	while (event_next(co, &ev)) {
		if (ev.type == YAML_MAPPING_END_EVENT ||
		    ev.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&ev);
			return yn;
		}
		if (map) {
			compose_pair(co, yn, &ev, depth);
		} else {
			child = compose(co, &ev, depth + 1);
			if (child != NULL)
				push(co->co_pool, yn, NULL, child);
		}
		yaml_event_delete(&ev);
		if (co->co_failed)
			return NULL;
	}
	return NULL;
}

static void
compose_pair(
    struct composer *co, struct ynode *map, yaml_event_t *kev, int depth)
{
	struct ynode *key, *val, *first;
	yaml_event_t ev;

	key = compose(co, kev, depth + 1);
	if (key == NULL || !event_next(co, &ev))
		return;
	val = compose(co, &ev, depth + 1);
	yaml_event_delete(&ev);
	if (val == NULL)
		return;
	if (key->yn_kind != YNODE_SCALAR) {
		diag_error(co->co_diag, key->yn_at, "a key must be a name");
	} else if (strcmp(key->yn_text, "<<") == 0 && !key->yn_quoted) {
		diag_error(co->co_diag, key->yn_at,
		    "'<<' does not merge here: use 'extends: NAME'");
	} else if (ynode_get(map, key->yn_text, &first) != NULL) {
		diag_error(co->co_diag, key->yn_at, "duplicate key '%s'",
		    key->yn_text);
		diag_note(co->co_diag, first->yn_at, "first defined here");
	} else if (map->yn_n == MAX_KEYS) {
		diag_error(co->co_diag, key->yn_at,
		    "more than %d keys in a map", MAX_KEYS);
		co->co_failed = true;
	} else {
		push(co->co_pool, map, key, val);
	}
}

static bool
event_next(struct composer *co, yaml_event_t *ev)
{
	if (co->co_failed)
		return false;
	if (yaml_parser_parse(&co->co_parser, ev) != 0)
		return true;
	co->co_failed = true;
	parser_error(co);
	return false;
}

static void
parser_error(struct composer *co)
{
	yaml_parser_t *p = &co->co_parser;
	struct diag_span at;

	if (p->error == YAML_MEMORY_ERROR)
		abort();
	/* The reader's problem_mark says 1:1 whatever happened. */
	if (p->error == YAML_READER_ERROR)
		at = diag_place(co->co_file, p->problem_offset);
	else
		at = mark_span(co, p->problem_mark, p->problem_mark);
	diag_error(co->co_diag, at, "%s", p->problem);
	if (p->error != YAML_READER_ERROR && p->context != NULL)
		diag_note(co->co_diag,
		    mark_span(co, p->context_mark, p->context_mark), "%s",
		    p->context);
}

static struct anchor *
anchor_add(struct composer *co, const char *name, struct diag_span at)
{
	struct anchor *an = ypool_alloc(co->co_pool, sizeof(*an));

	an->an_name = ypool_strdup(co->co_pool, name);
	an->an_next = co->co_anchors;
	co->co_anchors = an;
	if (++co->co_nanchors > MAX_ANCHORS && !co->co_failed) {
		diag_error(
		    co->co_diag, at, "more than %d anchors", MAX_ANCHORS);
		co->co_failed = true;
	}
	return an;
}

static bool
count(struct composer *co, struct diag_span at, size_t weight)
{
	co->co_nodes += weight;
	if (co->co_nodes <= YNODE_MAX_NODES)
		return true;
	if (!co->co_failed)
		diag_error(co->co_diag, at,
		    "more than %d nodes, with aliases written out",
		    YNODE_MAX_NODES);
	co->co_failed = true;
	return false;
}

static struct diag_span
mark_span(const struct composer *co, yaml_mark_t start, yaml_mark_t end)
{
	struct diag_span at = { co->co_file, start.line + 1, start.column + 1,
		1 };

	if (end.line == start.line && end.column > start.column)
		at.ds_width = end.column - start.column;
	return at;
}

void
ypool_fini(struct ypool *yp)
{
	struct ypool_block *pb;

	while ((pb = yp->yp_blocks) != NULL) {
		yp->yp_blocks = pb->pb_next;
		sim_free(pb);
	}
}

void *
ypool_alloc(struct ypool *yp, size_t size)
{
	struct ypool_block *pb = yp->yp_blocks;
	size_t space;
	void *p;

	size = (size + 15) & ~(size_t)15;
	if (pb == NULL || pb->pb_size - pb->pb_used < size) {
		space = size > POOL_BLOCK ? size : POOL_BLOCK;
		pb = sim_calloc(1, sizeof(*pb) + space);
		pb->pb_size = space;
		pb->pb_next = yp->yp_blocks;
		yp->yp_blocks = pb;
	}
	p = pb->pb_data + pb->pb_used;
	pb->pb_used += size;
	return p;
}

char *
ypool_strdup(struct ypool *yp, const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(ypool_alloc(yp, n), s, n);
}

char *
ypool_printf(struct ypool *yp, const char *fmt, ...)
{
	va_list ap;
	char *text, *s;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	va_end(ap);
	s = ypool_strdup(yp, text);
	free(text);
	return s;
}

struct ynode *
ynode_get(const struct ynode *map, const char *name, struct ynode **key)
{
	if (map == NULL || map->yn_kind != YNODE_MAP)
		return NULL;
	for (size_t i = 0; i < map->yn_n; i++) {
		if (strcmp(map->yn_keys[i]->yn_text, name) == 0) {
			if (key != NULL)
				*key = map->yn_keys[i];
			return map->yn_vals[i];
		}
	}
	return NULL;
}

struct ynode *
ynode_scalar(struct ypool *yp, const char *text, struct diag_span at)
{
	struct ynode *yn = ypool_alloc(yp, sizeof(*yn));

	yn->yn_kind = YNODE_SCALAR;
	yn->yn_at = at;
	yn->yn_text = ypool_strdup(yp, text);
	yn->yn_weight = 1;
	return yn;
}

struct ynode *
ynode_map(struct ypool *yp, struct diag_span at)
{
	struct ynode *yn = ypool_alloc(yp, sizeof(*yn));

	yn->yn_kind = YNODE_MAP;
	yn->yn_at = at;
	yn->yn_weight = 1;
	return yn;
}

void
ynode_put(
    struct ypool *yp, struct ynode *map, struct ynode *key, struct ynode *val)
{
	for (size_t i = 0; i < map->yn_n; i++) {
		if (strcmp(map->yn_keys[i]->yn_text, key->yn_text) == 0) {
			map->yn_keys[i] = key;
			map->yn_vals[i] = val;
			return;
		}
	}
	push(yp, map, key, val);
}

static void
push(struct ypool *yp, struct ynode *yn, struct ynode *key, struct ynode *val)
{
	if (yn->yn_n == yn->yn_space) {
		size_t space = yn->yn_space > 0 ? 2 * yn->yn_space : 4;
		struct ynode **p = ypool_alloc(yp, 2 * space * sizeof(*p));

		if (yn->yn_n > 0) {
			memcpy(p, yn->yn_keys, yn->yn_n * sizeof(*p));
			memcpy(p + space, yn->yn_vals, yn->yn_n * sizeof(*p));
		}
		yn->yn_keys = p;
		yn->yn_vals = p + space;
		yn->yn_space = space;
	}
	yn->yn_keys[yn->yn_n] = key;
	yn->yn_vals[yn->yn_n++] = val;
	yn->yn_weight += val->yn_weight + (key != NULL ? 1 : 0);
}

struct ynode *
ynode_clone(struct ypool *yp, const struct ynode *yn)
{
	struct ynode *copy = ypool_alloc(yp, sizeof(*copy));

	*copy = *yn;
	if (yn->yn_kind == YNODE_SCALAR)
		return copy;
	copy->yn_n = copy->yn_space = 0;
	copy->yn_weight = 1;
	for (size_t i = 0; i < yn->yn_n; i++)
		push(yp, copy, yn->yn_keys[i], ynode_clone(yp, yn->yn_vals[i]));
	return copy;
}

struct ynode *
ynode_merge(
    struct ypool *yp, const struct ynode *base, const struct ynode *over)
{
	struct ynode *out, *old;

	if (base->yn_kind != YNODE_MAP || over->yn_kind != YNODE_MAP)
		return ynode_clone(yp, over);
	out = ynode_clone(yp, base);
	out->yn_at = over->yn_at;
	for (size_t i = 0; i < over->yn_n; i++) {
		old = ynode_get(out, over->yn_keys[i]->yn_text, NULL);
		ynode_put(yp, out, over->yn_keys[i],
		    old != NULL ? ynode_merge(yp, old, over->yn_vals[i])
				: ynode_clone(yp, over->yn_vals[i]));
	}
	return out;
}

struct diag_span
ynode_part(const struct ynode *yn, size_t at, size_t width)
{
	struct diag_span span = yn->yn_at;
	size_t skip = chars(yn->yn_text, at);

	if (yn->yn_quoted)
		return span;
	span.ds_col += (int)skip;
	span.ds_width = (int)chars(yn->yn_text + at, width);
	if (span.ds_width == 0)
		span.ds_width = 1;
	return span;
}

static size_t
chars(const char *s, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes && s[i] != '\0'; i++)
		n += (s[i] & 0xc0) != 0x80;
	return n;
}

const char *
ynode_kind_name(const struct ynode *yn)
{
	switch (yn->yn_kind) {
	case YNODE_SCALAR:
		return "a value";
	case YNODE_MAP:
		return "a map";
	case YNODE_SEQ:
		return "a list";
	}
	return "nothing";
}
