#include <string.h>

#include "sim/lab/graph.h"
#include "sim/lab/text.h"

/* Characters: dot takes no string of 16 KiB, entities of 5 bytes included. */
#define TOOLTIP_MAX 3000

static void character(FILE *, uint32_t code, const char *s, int n, bool twice);

/*
 * In labels dot knows escapes (\N, \n) and entities (&lt;): a backslash and an
 * ampersand are written so that they stay what they are. In tooltips it looks
 * for escapes twice.
 */
static void
put(FILE *fp, const char *text, int most, bool twice)
{
	const char *end = text + strlen(text);
	uint32_t code;
	int n;

	for (int i = 0; text < end; i++, text += n) {
		if (most > 0 && i >= most) {
			fputs("\xe2\x80\xa6", fp);
			return;
		}
		n = text_decode(text, end, &code);
		character(fp, code, text, n, twice);
	}
}

/* What XML has not, or nobody sees, becomes a blank. */
static void
character(FILE *fp, uint32_t code, const char *s, int n, bool twice)
{
	switch (code) {
	case '"':
		fputs("\\\"", fp);
		return;
	case '\\':
		fputs(twice ? "\\\\\\\\" : "\\\\", fp);
		return;
	case '&':
		fputs("&amp;", fp);
		return;
	case '<':
		fputs("&lt;", fp);
		return;
	case '>':
		fputs("&gt;", fp);
		return;
	default:
		break;
	}
	if (text_is_control(code) || (code & 0xfffe) == 0xfffe)
		fputc(' ', fp);
	else if (code == 0xfffd)
		fputs("\xef\xbf\xbd", fp); /* not UTF-8 */
	else
		fwrite(s, 1, (size_t)n, fp);
}

void
graph_text(FILE *fp, const char *text, int most)
{
	put(fp, text, most, false);
}

void
graph_quote(FILE *fp, const char *text, int most)
{
	fputc('"', fp);
	put(fp, text, most, false);
	fputc('"', fp);
}

void
graph_tooltip(FILE *fp, const char *text)
{
	fputs("tooltip=\"", fp);
	put(fp, text, TOOLTIP_MAX, true);
	fputc('"', fp);
}
