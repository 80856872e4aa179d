#include "sim/lab/text.h"

#include <string.h>

#define ESCAPE_MAX 8 /* bytes of an escape, with its NUL */

static int next(const char *s, const char *end, char escape[ESCAPE_MAX]);

int
text_decode(const char *s, const char *end, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c = *s;
	int n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : 4;

	*code = n == 1 ? c : c & (0x7f >> n);
	if (n == 1)
		return 1;
	if (c < 0xc0 || c >= 0xf8 || end - s < n)
		goto bad;
	for (int i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			goto bad;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < least[n] || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code < 0xe000))
		goto bad;
	return n;
bad:
	*code = 0xfffd;
	return 1;
}

/*
 * Columns of a terminal. wcwidth() would ask the locale, and a message must
 * not depend on it.
 */
int
text_columns(uint32_t code)
{
	static const struct {
		uint32_t first, last;
		int columns;
	} ranges[] = {
		{ 0x300, 0x36f, 0 },
		{ 0x1100, 0x115f, 2 },
		{ 0x200b, 0x200f, 0 },
		{ 0x20d0, 0x20ff, 0 },
		{ 0x2e80, 0x303e, 2 },
		{ 0x3041, 0x33ff, 2 },
		{ 0x3400, 0x4dbf, 2 },
		{ 0x4e00, 0xa4cf, 2 },
		{ 0xac00, 0xd7a3, 2 },
		{ 0xf900, 0xfaff, 2 },
		{ 0xfe00, 0xfe0f, 0 },
		{ 0xfe30, 0xfe6f, 2 },
		{ 0xff00, 0xff60, 2 },
		{ 0xffe0, 0xffe6, 2 },
		{ 0x1f300, 0x1f64f, 2 },
		{ 0x1f900, 0x1f9ff, 2 },
		{ 0x20000, 0x3fffd, 2 },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (code >= ranges[i].first && code <= ranges[i].last)
			return ranges[i].columns;
	}
	return 1;
}

int
text_width(const char *s)
{
	const char *end = s + strlen(s);
	uint32_t code;
	int n = 0;

	while (s < end) {
		s += text_decode(s, end, &code);
		n += text_columns(code);
	}
	return n;
}

bool
text_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

void
text_print(FILE *fp, const char *s)
{
	const char *end = s + strlen(s);
	char escape[ESCAPE_MAX];

	while (s < end) {
		int n = next(s, end, escape);

		if (escape[0] != '\0')
			fputs(escape, fp);
		else
			fwrite(s, 1, (size_t)n, fp);
		s += n;
	}
}

char *
text_escape(const char *s, char *buf, size_t size)
{
	const char *end = s + strlen(s), *from;
	char escape[ESCAPE_MAX];
	size_t len = 0, more;
	int n;

	for (; s < end; s += n) {
		n = next(s, end, escape);
		from = escape[0] != '\0' ? escape : s;
		more = escape[0] != '\0' ? strlen(escape) : (size_t)n;
		if (len + more >= size)
			break;
		memcpy(buf + len, from, more);
		len += more;
	}
	buf[len] = '\0';
	return buf;
}

/* Returns: bytes of a character; how it is printed, if not as it is. */
static int
next(const char *s, const char *end, char escape[ESCAPE_MAX])
{
	uint32_t code;
	int n = text_decode(s, end, &code);

	escape[0] = '\0';
	if (code == 0xfffd && n == 1)
		snprintf(escape, ESCAPE_MAX, "\\x%02x", (unsigned char)*s);
	else if (text_is_control(code))
		snprintf(escape, ESCAPE_MAX,
		    code < 0x80 ? "\\x%02x" : "\\u%04x",
		    (unsigned)code & 0xffff);
	return n;
}
