#ifndef SIM_LAB_TEXT_H
#define SIM_LAB_TEXT_H

/*
 * Characters of texts that others wrote, UTF-8 or not: how a terminal gets
 * them. Nothing here asks the locale.
 *
 * Context: anywhere. Time: none.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Returns: bytes of the character at s. What is not UTF-8 is one byte long and
 * U+FFFD.
 */
int text_decode(const char *s, const char *end, uint32_t *code);

/* Columns of a character, and of a text, on a terminal. */
int text_columns(uint32_t code);
int text_width(const char *);

/* Whether it steers a terminal, or turns the direction of what follows. */
bool text_is_control(uint32_t code);

/*
 * Print a text for people. What steers a terminal, and what is not UTF-8, is
 * printed as \x1b or \u202e.
 */
void text_print(FILE *, const char *);

/* The same, cut to size at a whole character. Returns: buf. */
char *text_escape(const char *, char *buf, size_t size);

#endif
