#ifndef SIM_LAB_TERMINAL_H
#define SIM_LAB_TERMINAL_H

/*
 * What standard output can show: the only place that asks the environment for
 * it. Numbers are printed in the C locale, whatever this says.
 *
 *	width	the terminal's, at most 80; 80 for a file or a pipe
 *	UTF-8	the locale's character set (LC_ALL, LC_CTYPE, LANG), but not
 *		with TERM=dumb
 *	colour	--color; auto: a terminal, without TERM=dumb, and without a
 *		NO_COLOR that is not empty
 */
#include "sim/lab/picture.h"

/*
 * `when` is auto, always, never, or NULL for auto. Returns: false for another
 * word.
 */
bool terminal_picture(const char *when, struct picture *);

#endif
