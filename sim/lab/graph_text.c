#include <string.h>

#include "sim/lab/graph.h"

/*
 * In labels dot knows escapes (\N, \n) and entities (&lt;): a backslash and an
 * ampersand are written so that they stay what they are. What is no character
 * to be seen becomes a blank.
 */
static void
byte(FILE *fp, unsigned char c)
{
	switch (c) {
	case '"':
		fputs("\\\"", fp);
		break;
	case '\\':
		fputs("\\\\", fp);
		break;
	case '&':
		fputs("&amp;", fp);
		break;
	case '<':
		fputs("&lt;", fp);
		break;
	case '>':
		fputs("&gt;", fp);
		break;
	default:
		fputc(c < ' ' || c == 0x7f ? ' ' : c, fp);
	}
}

/* Whether a byte goes on with a character of UTF-8. */
static bool
goes_on(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

void
graph_text(FILE *fp, const char *text, int most)
{
	int n = 0;

	for (; *text != '\0'; text++) {
		if (!goes_on((unsigned char)*text) && most > 0 && n++ >= most) {
			fputs("\xe2\x80\xa6", fp);
			return;
		}
		byte(fp, (unsigned char)*text);
	}
}

void
graph_quote(FILE *fp, const char *text, int most)
{
	fputc('"', fp);
	graph_text(fp, text, most);
	fputc('"', fp);
}
