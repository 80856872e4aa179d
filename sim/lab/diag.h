#ifndef SIM_LAB_DIAG_H
#define SIM_LAB_DIAG_H

/*
 * Messages about what the user wrote: place, words, source line, caret. They
 * are collected, so that all errors of a scenario are seen at once.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define DIAG_MAX 20 /* errors kept; the rest is only counted */

/* A text that spans point into. Lives as long as its diag. */
struct diag_file {
	char *df_name;	/* [I] as printed before the line number */
	char *df_text;	/* [I] ends with a NUL; may hold others */
	size_t df_size; /* [I] bytes without that NUL */
	struct diag_file *df_next;
};

/* Columns and width count characters, not bytes. */
struct diag_span {
	const struct diag_file *ds_file; /* NULL: no place at all */
	int ds_line;			 /* from 1; 0: the file as a whole */
	int ds_col;			 /* from 1 */
	int ds_width;			 /* at least 1: caret, then tildes */
};

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag_item {
	enum diag_level di_level;
	struct diag_span di_at;
	char *di_text;
	struct diag_item *di_next;
};

struct diag {
	struct diag_item *d_first, **d_tail;
	struct diag_file *d_files;
	struct diag_file *d_given; /* see diag_give() */
	int d_nerrors;		   /* all, kept or not */
	int d_nwarnings;
	bool d_dropping; /* the last error was one too many */
};

void diag_init(struct diag *);
void diag_fini(struct diag *);

/*
 * Register a text. The diag copies name and text. A byte order mark at its
 * beginning is left out.
 */
struct diag_file *diag_add_file(
    struct diag *, const char *name, const char *text, size_t size);

/*
 * From now on files are read from what was given, by their names, and no other
 * file exists. The diag copies name and text.
 */
void diag_give(struct diag *, const char *name, const char *text, size_t size);

/* Returns: the given file of this name, or NULL. */
const struct diag_file *diag_given(const struct diag *, const char *name);

/* Whether a file can be read: a given one, or, when none was given, any. */
bool diag_has_file(const struct diag *, const char *name);

/* The same words about the same place are said once. */
void diag_error(struct diag *, struct diag_span, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag_warning(struct diag *, struct diag_span, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Belongs to the error or warning before it. */
void diag_note(struct diag *, struct diag_span, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns: the place of byte `offset` of the file, one character wide. */
struct diag_span diag_place(const struct diag_file *, size_t offset);

/* Returns: a span that names only the file (or nothing, for NULL). */
static inline struct diag_span
diag_whole(const struct diag_file *f)
{
	return (struct diag_span){ .ds_file = f };
}

/* Everything collected, in order, with source lines and carets. */
void diag_print(const struct diag *, FILE *);

/*
 * Returns: the candidate nearest to `word`, else one that begins with it, or
 * NULL when none is near enough to be a slip of the pen.
 */
const char *diag_nearest(
    const char *word, const char *const *candidates, size_t n);

#endif
