#include "sim/lab/diag.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/lab/text.h"

#define SHOW_MAX 160   /* characters of a source line that are shown */
#define SHOW_BEFORE 60 /* of these before the caret, when it is cut */

static struct diag_file *file_make(
    const char *name, const char *text, size_t size);
static void files_free(struct diag_file *);
static bool said_before(
    const struct diag *, struct diag_span, const char *text);
static void add(
    struct diag *, enum diag_level, struct diag_span, const char *, va_list);
static void item_print(const struct diag_item *, FILE *);
static void source_print(struct diag_span, FILE *);
static void line_print(
    const char *s, const char *end, struct diag_span at, int skip, FILE *);
static void caret_print(
    const char *s, const char *end, struct diag_span at, int skip, FILE *);
static const char *line_find(
    const struct diag_file *, int line, const char **end);
static size_t edit_distance(const char *a, const char *b);

void
diag_init(struct diag *d)
{
	memset(d, 0, sizeof(*d));
	d->d_tail = &d->d_first;
}

void
diag_fini(struct diag *d)
{
	struct diag_item *di;

	while ((di = d->d_first) != NULL) {
		d->d_first = di->di_next;
		sim_free(di->di_text);
		sim_free(di);
	}
	files_free(d->d_files);
	files_free(d->d_given);
	diag_init(d);
}

static void
files_free(struct diag_file *files)
{
	struct diag_file *df;

	while ((df = files) != NULL) {
		files = df->df_next;
		sim_free(df->df_name);
		sim_free(df->df_text);
		sim_free(df);
	}
}

struct diag_file *
diag_add_file(struct diag *d, const char *name, const char *text, size_t size)
{
	struct diag_file *df = file_make(name, text, size);

	df->df_next = d->d_files;
	d->d_files = df;
	return df;
}

void
diag_give(struct diag *d, const char *name, const char *text, size_t size)
{
	struct diag_file *df = file_make(name, text, size);

	df->df_next = d->d_given;
	d->d_given = df;
}

const struct diag_file *
diag_given(const struct diag *d, const char *name)
{
	const struct diag_file *df = d->d_given;

	while (df != NULL && strcmp(df->df_name, name) != 0)
		df = df->df_next;
	return df;
}

bool
diag_has_file(const struct diag *d, const char *name)
{
	if (d->d_given != NULL)
		return diag_given(d, name) != NULL;
	return access(name, F_OK) == 0;
}

static struct diag_file *
file_make(const char *name, const char *text, size_t size)
{
	struct diag_file *df = sim_calloc(1, sizeof(*df));

	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		size -= 3;
	}
	df->df_name = sim_strdup(name);
	df->df_text = sim_calloc(size + 1, 1);
	if (size > 0)
		memcpy(df->df_text, text, size);
	df->df_size = size;
	return df;
}

void
diag_error(struct diag *d, struct diag_span at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(d, DIAG_ERROR, at, fmt, ap);
	va_end(ap);
}

void
diag_warning(struct diag *d, struct diag_span at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(d, DIAG_WARNING, at, fmt, ap);
	va_end(ap);
}

void
diag_note(struct diag *d, struct diag_span at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(d, DIAG_NOTE, at, fmt, ap);
	va_end(ap);
}

static void
add(struct diag *d, enum diag_level level, struct diag_span at, const char *fmt,
    va_list ap)
{
	struct diag_item *di;
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	if (level != DIAG_NOTE) {
		int *n = level == DIAG_ERROR ? &d->d_nerrors : &d->d_nwarnings;

		d->d_dropping = said_before(d, at, text);
		if (!d->d_dropping)
			d->d_dropping = ++*n > DIAG_MAX;
	}
	if (!d->d_dropping) {
		di = sim_calloc(1, sizeof(*di));
		di->di_level = level;
		di->di_at = at;
		di->di_text = sim_strdup(text);
		*d->d_tail = di;
		d->d_tail = &di->di_next;
	}
	free(text);
}

/* One line of a file may be inherited, and so be wrong, many times. */
static bool
said_before(const struct diag *d, struct diag_span at, const char *text)
{
	for (const struct diag_item *di = d->d_first; di != NULL;
	     di = di->di_next) {
		if (di->di_level != DIAG_NOTE &&
		    di->di_at.ds_file == at.ds_file &&
		    di->di_at.ds_line == at.ds_line &&
		    di->di_at.ds_col == at.ds_col &&
		    strcmp(di->di_text, text) == 0)
			return true;
	}
	return false;
}

struct diag_span
diag_place(const struct diag_file *f, size_t offset)
{
	struct diag_span at = { f, 1, 1, 1 };
	const char *s = f->df_text, *end = s + f->df_size;
	const char *stop = offset < f->df_size ? s + offset : end;
	uint32_t code;

	while (s < stop) {
		s += text_decode(s, end, &code);
		if (code == '\n') {
			at.ds_line++;
			at.ds_col = 1;
		} else {
			at.ds_col++;
		}
	}
	return at;
}

void
diag_print(const struct diag *d, FILE *fp)
{
	for (const struct diag_item *di = d->d_first; di != NULL;
	     di = di->di_next)
		item_print(di, fp);
	if (d->d_nerrors > DIAG_MAX)
		fprintf(
		    fp, "%d more errors not shown\n", d->d_nerrors - DIAG_MAX);
}

static void
item_print(const struct diag_item *di, FILE *fp)
{
	static const char *const names[] = {
		[DIAG_ERROR] = "error",
		[DIAG_WARNING] = "warning",
		[DIAG_NOTE] = "note",
	};
	struct diag_span at = di->di_at;

	if (at.ds_file != NULL) {
		text_print(fp, at.ds_file->df_name);
		fputc(':', fp);
		if (at.ds_line > 0)
			fprintf(fp, "%d:%d:", at.ds_line, at.ds_col);
		fputc(' ', fp);
	}
	fprintf(fp, "%s: ", names[di->di_level]);
	text_print(fp, di->di_text);
	fputc('\n', fp);
	if (at.ds_file != NULL && at.ds_line > 0)
		source_print(at, fp);
}

static void
source_print(struct diag_span at, FILE *fp)
{
	const char *end, *s = line_find(at.ds_file, at.ds_line, &end), *p;
	int n = 0, skip = 0;
	uint32_t code;

	if (s == NULL)
		return;
	for (p = s; p < end; n++)
		p += text_decode(p, end, &code);
	if (n > SHOW_MAX && at.ds_col > SHOW_BEFORE)
		skip = at.ds_col - SHOW_BEFORE;
	for (int i = 0; i < skip && s < end; i++)
		s += text_decode(s, end, &code);
	line_print(s, end, at, skip, fp);
	caret_print(s, end, at, skip, fp);
}

static void
line_print(
    const char *s, const char *end, struct diag_span at, int skip, FILE *fp)
{
	int shown = 0, len;
	uint32_t code;

	fprintf(fp, "%5d | %s", at.ds_line, skip > 0 ? "..." : "");
	for (; s < end && shown < SHOW_MAX; s += len, shown++) {
		len = text_decode(s, end, &code);
		if (code == 0xfffd)
			fputs("\xef\xbf\xbd", fp);
		else if (text_is_control(code) && code != '\t')
			fputc('?', fp);
		else
			fwrite(s, 1, len, fp);
	}
	fprintf(fp, "%s\n", s < end ? "..." : "");
}

/* Tabs stay tabs, so that the caret is under its character anywhere. */
static void
caret_print(
    const char *s, const char *end, struct diag_span at, int skip, FILE *fp)
{
	int col = skip + 1, cells;
	uint32_t code;

	fprintf(fp, "      | %s", skip > 0 ? "   " : "");
	for (; col < at.ds_col; col++) {
		cells = 1;
		code = ' ';
		if (s < end) {
			s += text_decode(s, end, &code);
			cells = text_columns(code);
		}
		for (; cells > 0; cells--)
			fputc(code == '\t' ? '\t' : ' ', fp);
	}
	fputc('^', fp);
	for (bool first = true;
	     s < end && col < at.ds_col + at.ds_width && col < skip + SHOW_MAX;
	     col++, first = false) {
		s += text_decode(s, end, &code);
		cells = text_columns(code) - (first ? 1 : 0);
		for (; cells > 0; cells--)
			fputc('~', fp);
	}
	fputc('\n', fp);
}

static const char *
line_find(const struct diag_file *f, int line, const char **end)
{
	const char *s = f->df_text, *stop = s + f->df_size, *nl;

	for (; line > 1; line--) {
		nl = memchr(s, '\n', stop - s);
		if (nl == NULL)
			return NULL;
		s = nl + 1;
	}
	nl = memchr(s, '\n', stop - s);
	*end = nl != NULL ? nl : stop;
	if (*end > s && (*end)[-1] == '\r')
		(*end)--;
	return s;
}

const char *
diag_nearest(const char *word, const char *const *candidates, size_t n)
{
	size_t len = strlen(word), best = len < 6 ? len / 3 + 1 : 3, d;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		d = edit_distance(word, candidates[i]);
		if (d <= best && d < len && (found == NULL || d < best)) {
			best = d;
			found = candidates[i];
		}
	}
	for (size_t i = 0; i < n && found == NULL && len >= 3; i++) {
		if (strncmp(word, candidates[i], len) == 0)
			found = candidates[i];
	}
	return found;
}

/* Levenshtein's, with a swap of neighbours as one step. */
static size_t
edit_distance(const char *a, const char *b)
{
	enum { MAX = 100 };
	size_t la = strlen(a), lb = strlen(b), d[3][MAX + 1], *t;
	size_t *prev2 = d[0], *prev = d[1], *cur = d[2];

	if (la > MAX || lb > MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= lb; j++)
		prev[j] = j;
	for (size_t i = 1; i <= la; i++) {
		cur[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t v = prev[j - 1] + (a[i - 1] != b[j - 1]);

			v = prev[j] + 1 < v ? prev[j] + 1 : v;
			v = cur[j - 1] + 1 < v ? cur[j - 1] + 1 : v;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && prev2[j - 2] + 1 < v)
				v = prev2[j - 2] + 1;
			cur[j] = v;
		}
		t = prev2;
		prev2 = prev;
		prev = cur;
		cur = t;
	}
	return prev[lb];
}
