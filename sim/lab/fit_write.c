#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/fit.h"
#include "sim/lab/yaml.h"

/* Where a value stands in the text: {...}, both braces included. */
struct place {
	const struct fit_value *pl_value;
	size_t pl_from, pl_to; /* bytes */
	const char *pl_key;    /* cost, or value */
};

static bool places_find(const char *file, const struct diag_file *,
    const struct ynode *root, const struct fit_value *, int n, struct place *);
static bool braces(const struct diag_file *, struct diag_span, struct place *);
static int place_compare(const void *, const void *);
static bool replace(
    const char *file, const struct diag_file *, const struct place *, int n);
static void text_print(FILE *, const char *text);
static bool complain(const char *file);

bool
fit_write(const char *file, const struct fit_value *values, int n)
{
	struct place places[FIT_MAX];
	struct ypool yp = { NULL };
	struct diag d;
	const struct ynode *root;
	bool ok = false;

	diag_init(&d);
	root = ynode_load(file, &yp, &d, diag_whole(NULL));
	if (root != NULL &&
	    places_find(file, root->yn_at.ds_file, root, values, n, places)) {
		qsort(places, n, sizeof(*places), place_compare);
		ok = replace(file, root->yn_at.ds_file, places, n);
	}
	diag_print(&d, stderr);
	diag_fini(&d);
	ypool_fini(&yp);
	return ok;
}

static bool
places_find(const char *file, const struct diag_file *df,
    const struct ynode *root, const struct fit_value *values, int n,
    struct place *places)
{
	for (int i = 0; i < n; i++) {
		const struct ynode *yn = root;
		char *path = sim_strdup(values[i].fv_name), *rest = path, *step;

		while (yn != NULL && (step = strsep(&rest, ".")) != NULL)
			yn = yn->yn_kind == YNODE_MAP
				 ? ynode_get(yn, step, NULL)
				 : NULL;
		sim_free(path);
		places[i].pl_value = &values[i];
		if (yn != NULL && yn->yn_kind == YNODE_MAP &&
		    braces(df, yn->yn_at, &places[i])) {
			places[i].pl_key =
			    ynode_get(yn, "cost", NULL) ? "cost" : "value";
			continue;
		}
		fprintf(stderr,
		    "solab: %s: %s: want one {cost: ..., kind: ...} here; "
		    "nothing was written\n",
		    file, values[i].fv_name);
		return false;
	}
	return true;
}

/* Find the bytes of a flow mapping that begins at a line and a column. */
static bool
braces(const struct diag_file *df, struct diag_span at, struct place *pl)
{
	const char *s = df->df_text, *end = s + df->df_size;
	char quote = 0;
	int depth = 0;

	for (int line = 1; line < at.ds_line && s < end; s++)
		line += *s == '\n';
	for (int col = 1; col < at.ds_col && s < end; col++) {
		s++;
		while (s < end && (*s & 0xc0) == 0x80)
			s++;
	}
	if (s >= end || *s != '{')
		return false;
	pl->pl_from = (size_t)(s - df->df_text);
	for (; s < end; s++) {
		if (quote == '"' && *s == '\\') {
			s++;
		} else if (quote != 0) {
			quote = *s == quote ? 0 : quote;
		} else if (*s == '"' || *s == '\'') {
			quote = *s;
		} else if (*s == '{') {
			depth++;
		} else if (*s == '}' && --depth == 0) {
			pl->pl_to = (size_t)(s - df->df_text) + 1;
			return true;
		}
	}
	return false;
}

static int
place_compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->pl_from > y->pl_from) - (x->pl_from < y->pl_from);
}

/* Copy with the new values to a file beside, then rename. */
static bool
replace(
    const char *file, const struct diag_file *df, const struct place *pl, int n)
{
	char *real = realpath(file, NULL), *tmp;
	size_t at = 0, size;
	struct stat st;
	FILE *fp;
	int fd;
	bool ok;

	if (real == NULL || stat(real, &st) != 0 || access(real, W_OK) != 0) {
		free(real);
		return complain(file);
	}
	size = strlen(real) + 8;
	tmp = sim_calloc(1, size);
	snprintf(tmp, size, "%s.XXXXXX", real);
	fd = mkstemp(tmp);
	fp = fd >= 0 ? fdopen(fd, "w") : NULL;
	ok = fp != NULL && fchmod(fd, st.st_mode & 07777) == 0;
	for (int i = 0; ok && i < n; i++) {
		const struct fit_value *fv = pl[i].pl_value;

		fwrite(df->df_text + at, 1, pl[i].pl_from - at, fp);
		fprintf(fp, "{%s: %s", pl[i].pl_key, fv->fv_text);
		if (fv->fv_range != NULL)
			fprintf(fp, ", range: %s", fv->fv_range);
		fputs(", kind: fitted, source: ", fp);
		text_print(fp, fv->fv_source);
		fputs(", cells: [", fp);
		text_print(fp, fv->fv_cell);
		fputs("]}", fp);
		at = pl[i].pl_to;
	}
	if (ok)
		fwrite(df->df_text + at, 1, df->df_size - at, fp);
	ok = ok && !ferror(fp) && fflush(fp) == 0 && fsync(fd) == 0;
	ok = (fp == NULL || fclose(fp) == 0) && ok;
	ok = ok && rename(tmp, real) == 0;
	if (!ok) {
		complain(file);
		if (fd >= 0)
			unlink(tmp);
	}
	sim_free(tmp);
	free(real);
	return ok;
}

/* In double quotes. */
static void
text_print(FILE *fp, const char *text)
{
	fputc('"', fp);
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', fp);
		fputc(*text, fp);
	}
	fputc('"', fp);
}

static bool
complain(const char *file)
{
	fprintf(stderr, "solab: %s: cannot write: %s\n", file, strerror(errno));
	return false;
}
