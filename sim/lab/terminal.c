#include "sim/lab/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int width(void);
static bool utf8(void);
static bool name_says_utf8(void);
static bool is_dumb(void);

bool
terminal_picture(const char *when, struct picture *pi)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	*pi = (struct picture){
		.pi_width = width(),
		.pi_utf8 = !is_dumb() && utf8(),
	};
	if (when == NULL || strcmp(when, "auto") == 0)
		pi->pi_colour = isatty(STDOUT_FILENO) && term != NULL &&
				!is_dumb() && (no == NULL || *no == '\0');
	else if (strcmp(when, "always") == 0)
		pi->pi_colour = true;
	else
		return strcmp(when, "never") == 0;
	return true;
}

static int
width(void)
{
	struct winsize ws;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0 &&
	    ws.ws_col < PICTURE_WIDTH)
		return ws.ws_col;
	return PICTURE_WIDTH;
}

/* The program's own locale stays C. */
static bool
utf8(void)
{
	locale_t lc = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool yes;

	if (lc == (locale_t)0)
		return name_says_utf8();
	yes = strcmp(nl_langinfo_l(CODESET, lc), "UTF-8") == 0;
	freelocale(lc);
	return yes;
}

/* The user's terminal may know a locale that this machine has not. */
static bool
name_says_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value == NULL || *value == '\0')
			continue;
		value = strrchr(value, '.');
		return value != NULL && (strcasecmp(value, ".UTF-8") == 0 ||
					    strcasecmp(value, ".utf8") == 0);
	}
	return false;
}

static bool
is_dumb(void)
{
	const char *term = getenv("TERM");

	return term != NULL && strcmp(term, "dumb") == 0;
}
