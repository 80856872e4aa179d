#include "sim/lab/report.h"

#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/hist.h"
#include "sim/lab/report_impl.h"
#include "sim/lab/text.h"

struct asset {
	const char *as_name;
	const unsigned char *as_bytes;
	size_t as_size;
};
#include "sim/lab/report_assets.inc"

#define NASSETS ((int)(sizeof(assets) / sizeof(*assets)))

static bool fill(FILE *, const struct report_data *, const char *name);
static void policy(FILE *);
static void hash(FILE *, const struct asset *, int n);
static void title(FILE *, const struct report_data *);
static void html_text(FILE *, const char *);
static void scripts(FILE *);
static void styles(FILE *);
static bool has_suffix(const struct asset *, const char *suffix);
static void raw(FILE *, const struct asset *);

/* The template with every @NAME@ filled in. It has no other @. */
bool
report_write(FILE *fp, const struct report *rp)
{
	const struct asset *page = NULL;
	struct report_data rd;
	bool ok = report_data_init(&rd, rp), name = false;
	char *text, *save, *part;

	for (int i = 0; i < NASSETS; i++)
		if (has_suffix(&assets[i], ".html"))
			page = &assets[i];
	SIM_ASSERT(page != NULL);
	text = sim_calloc(1, page->as_size + 1);
	memcpy(text, page->as_bytes, page->as_size);
	for (part = strtok_r(text, "@", &save); part != NULL && ok;
	     part = strtok_r(NULL, "@", &save), name = !name) {
		if (name)
			ok = fill(fp, &rd, part);
		else
			fputs(part, fp);
	}
	sim_free(text);
	report_data_fini(&rd);
	return ok;
}

static bool
fill(FILE *fp, const struct report_data *rd, const char *name)
{
	if (strcmp(name, "CSP") == 0)
		policy(fp);
	else if (strcmp(name, "TITLE") == 0)
		title(fp, rd);
	else if (strcmp(name, "STYLE") == 0)
		styles(fp);
	else if (strcmp(name, "DATA") == 0)
		return report_json(fp, rd);
	else if (strcmp(name, "SCRIPTS") == 0)
		scripts(fp);
	else
		SIM_BUG("the page has a @%s@", name);
	return true;
}

/*
 * By hashes: what somebody else brought into the page would not run. The style
 * is one element of several files.
 */
static void
policy(FILE *fp)
{
	struct asset css[NASSETS];
	int n = 0;

	fputs("default-src 'none'; base-uri 'none'; form-action 'none'; "
	      "img-src data:; script-src",
	    fp);
	for (int i = 0; i < NASSETS; i++) {
		if (has_suffix(&assets[i], ".js"))
			hash(fp, &assets[i], 1);
		else if (has_suffix(&assets[i], ".css"))
			css[n++] = assets[i];
	}
	fputs("; style-src", fp);
	hash(fp, css, n);
}

/*  'sha256-...' of n assets together. */
static void
hash(FILE *fp, const struct asset *as, int n)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA256_CTX ctx;

	SHA256Init(&ctx);
	for (int i = 0; i < n; i++)
		SHA256Update(&ctx, as[i].as_bytes, as[i].as_size);
	SHA256Final(digest, &ctx);
	fputs(" 'sha256-", fp);
	hist_base64(fp, digest, sizeof(digest));
	fputc('\'', fp);
}

/* Of the first scenario: most stores have one. */
static void
title(FILE *fp, const struct report_data *rd)
{
	const char *name =
	    rd->rd_npoints > 0 ? rd->rd_points[0].rt_point->sp_scenario : NULL;

	if (name != NULL) {
		html_text(fp, name);
		fputs(" \xc2\xb7 ", fp);
	}
	html_text(fp, rd->rd_report->rp_name);
	fputs(" \xc2\xb7 solab", fp);
}

static void
html_text(FILE *fp, const char *s)
{
	const char *end = s + strlen(s);
	uint32_t code;
	int n;

	for (; s < end; s += n) {
		n = text_decode(s, end, &code);
		if (strchr("<>&\"'", *s) != NULL || code == 0xfffd)
			fprintf(fp, "&#%u;", (unsigned)code);
		else if (code >= ' ')
			fwrite(s, 1, (size_t)n, fp);
	}
}

static void
scripts(FILE *fp)
{
	for (int i = 0; i < NASSETS; i++) {
		if (!has_suffix(&assets[i], ".js"))
			continue;
		fputs("<script>", fp);
		raw(fp, &assets[i]);
		fputs("</script>\n", fp);
	}
}

static void
styles(FILE *fp)
{
	for (int i = 0; i < NASSETS; i++)
		if (has_suffix(&assets[i], ".css"))
			raw(fp, &assets[i]);
}

static bool
has_suffix(const struct asset *as, const char *suffix)
{
	size_t n = strlen(as->as_name), k = strlen(suffix);

	return n > k && strcmp(as->as_name + n - k, suffix) == 0;
}

static void
raw(FILE *fp, const struct asset *as)
{
	fwrite(as->as_bytes, 1, as->as_size, fp);
}
