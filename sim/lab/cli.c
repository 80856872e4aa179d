#include "sim/lab/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/core/alloc.h"
#include "sim/core/engine.h"
#include "sim/lab/diag.h"
#include "sim/lab/run.h"
#include "sim/lab/store.h"
#include "sim/lab/units.h"

#define MAX_OPTIONS 64

static int dispatch(int argc, char **argv);
static int command_run(int command, int argc, char **argv);
static int parse(
    int command, int argc, char **argv, struct cli_args *, bool *done);
static bool names_known(int command, int argc, char **argv);
static bool option_take(
    int command, const struct cli_option *, char *arg, struct cli_args *);
static bool count_take(int command, const struct cli_option *, long least,
    long most, const char *arg, int *out);
static bool quantity_take(int command, const struct cli_option *,
    enum unit_kind, const char *arg, int64_t *out);
static char *command_text(int argc, char **argv);
static bool list_add(
    int command, const struct cli_option *, struct cli_list *, const char *arg);
static bool set_add(
    int command, struct cli_args *, const char *path, const char *value);
static void program_help(FILE *);
static void command_help(int command, FILE *);
static int version(void);
static void streams_open(void);
static bool stdout_ok(void);

int
cli_main(int argc, char **argv)
{
	int status;

	streams_open();
	setlocale(LC_ALL, "C");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, SIG_IGN); /* until there is progress to show */
	status = dispatch(argc, argv);
	if (!stdout_ok() && status == EXIT_OK)
		status = EXIT_FAILED;
	return status;
}

/*
 * A standard stream that was closed must not be taken by the next file that is
 * opened. What takes its place cannot be used, so that writing fails.
 */
static void
streams_open(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_WRONLY };

	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", modes[fd]) != fd)
			_exit(EXIT_FAILED);
	}
}

/* Did everything that was printed arrive? */
static bool
stdout_ok(void)
{
	int error = 0;

	errno = 0;
	if (fflush(stdout) != 0)
		error = errno;
	if (error == 0 && !ferror(stdout))
		return true;
	fprintf(stderr, "solab: standard output: %s\n",
	    error != 0 ? strerror(error) : "write error");
	return false;
}

static int
dispatch(int argc, char **argv)
{
	const char *names[32];
	const char *near;
	size_t n = 0;

	if (argc < 2) {
		program_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		program_help(stdout);
		return EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0)
		return version();
	for (; cli_commands[n].cc_name != NULL; n++) {
		names[n] = cli_commands[n].cc_name;
		if (strcmp(argv[1], names[n]) == 0)
			return command_run((int)n, argc - 1, argv + 1);
	}
	near = diag_nearest(argv[1], names, n);
	return cli_usage(NULL, "no %s '%s'%s%s%s",
	    argv[1][0] == '-' ? "option" : "command", argv[1],
	    near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int
command_run(int command, int argc, char **argv)
{
	const struct cli_command *cc = &cli_commands[command];
	char *text = command_text(argc, argv);
	struct cli_args ca = { .ca_command = text };
	bool done = false;
	int status;

	status = parse(command, argc, argv, &ca, &done);
	if (status == EXIT_OK && !done) {
		if (ca.ca_nfiles < cc->cc_min)
			status = cli_usage(
			    cc->cc_name, "what? want %s", cc->cc_args);
		else if (ca.ca_nfiles > cc->cc_max)
			status = cli_usage(cc->cc_name, "unexpected '%s'",
			    ca.ca_files[cc->cc_max]);
		else
			status = cc->cc_run(&ca);
	}
	for (int i = 0; i < ca.ca_nsets; i++)
		sim_free(ca.ca_sets[i]);
	sim_free(text);
	return status;
}

/* *done: --help or --version, and they were printed. */
static int
parse(int command, int argc, char **argv, struct cli_args *ca, bool *done)
{
	struct option longs[MAX_OPTIONS] = { 0 };
	char shorts[2 * MAX_OPTIONS + 2] = ":";
	size_t s = 1, n = 0;
	const struct cli_option *co;
	int c, index;

	/* A name may be another option with another command. */
	for (co = cli_options; co->co_name != NULL; co++) {
		if (!cli_takes(command, co))
			continue;
		longs[n].name = co->co_name;
		longs[n].has_arg = co->co_arg != NULL;
		longs[n++].val = 256 + (int)(co - cli_options);
		if (co->co_short != 0) {
			shorts[s++] = co->co_short;
			if (co->co_arg != NULL)
				shorts[s++] = ':';
		}
	}
	if (!names_known(command, argc, argv))
		return EXIT_USAGE;
	while ((c = getopt_long(argc, argv, shorts, longs, &index)) != -1) {
		co = c >= 256 ? &cli_options[c - 256] : cli_options;
		while (c < 256 && co->co_name != NULL && co->co_short != c)
			co++;
		if (c == ':')
			return cli_usage(cli_commands[command].cc_name,
			    "'%s' wants a value", argv[optind - 1]);
		if (c == '?' || co->co_name == NULL || !cli_takes(command, co))
			return cli_usage(cli_commands[command].cc_name,
			    "bad option '%s'", argv[optind - 1]);
		if (co->co_kind == CLI_HELP || co->co_kind == CLI_VERSION) {
			*done = true;
			if (co->co_kind == CLI_VERSION)
				return version();
			command_help(command, stdout);
			return EXIT_OK;
		}
		if (!option_take(command, co, optarg, ca))
			return EXIT_USAGE;
	}
	ca->ca_files = argv + optind;
	ca->ca_nfiles = argc - optind;
	return EXIT_OK;
}

/*
 * getopt_long() would take --js for --json, and then a new option could break
 * somebody's script. Only whole names are known here.
 */
static bool
names_known(int command, int argc, char **argv)
{
	const char *names[MAX_OPTIONS], *near;
	const struct cli_option *co, *found;
	size_t n = 0, len;

	for (co = cli_options; co->co_name != NULL; co++) {
		if (cli_takes(command, co))
			names[n++] = co->co_name;
	}
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], "--", 2) != 0) {
			for (co = cli_options; co->co_name != NULL; co++) {
				if (co->co_short != 0 && co->co_arg != NULL &&
				    argv[i][0] == '-' &&
				    argv[i][1] == co->co_short &&
				    argv[i][2] == '\0')
					i++;
			}
			continue;
		}
		len = strcspn(argv[i] + 2, "=");
		found = NULL;
		for (co = cli_options; co->co_name != NULL; co++) {
			if (cli_takes(command, co) &&
			    strlen(co->co_name) == len &&
			    strncmp(co->co_name, argv[i] + 2, len) == 0)
				found = co;
		}
		if (found == NULL) {
			near = diag_nearest(argv[i] + 2, names, n);
			cli_usage(cli_commands[command].cc_name,
			    "no option '%s'%s%s%s", argv[i],
			    near ? ", did you mean '--" : "", near ? near : "",
			    near ? "'?" : "");
			return false;
		}
		if (found->co_arg != NULL && argv[i][2 + len] == '\0')
			i++;
	}
	return true;
}

static bool
option_take(
    int command, const struct cli_option *co, char *arg, struct cli_args *ca)
{
	char *at = (char *)ca + co->co_offset;

	switch (co->co_kind) {
	case CLI_FLAG:
		*(bool *)at = true;
		return true;
	case CLI_TEXT:
		*(const char **)at = arg;
		return true;
	case CLI_LIST:
		return list_add(command, co, (struct cli_list *)at, arg);
	case CLI_COUNT:
		return count_take(command, co, 1, 1000000, arg, (int *)at);
	case CLI_NUMBER:
		if (!count_take(command, co, 0, 1000000, arg, (int *)at))
			return false;
		++*(int *)at;
		return true;
	case CLI_JOBS:
		return count_take(command, co, 1, RUN_MAX_JOBS, arg, (int *)at);
	case CLI_TIME:
		return quantity_take(
		    command, co, UNIT_TIME, arg, (int64_t *)at);
	case CLI_SIZE:
		return quantity_take(
		    command, co, UNIT_SIZE, arg, (int64_t *)at);
	case CLI_SET:
		return set_add(command, ca, NULL, arg);
	case CLI_RUN_KEY:
		if (strchr(arg, ',') == NULL)
			return set_add(command, ca, co->co_path, arg);
		cli_usage(cli_commands[command].cc_name,
		    "--%s: '%s', want one value", co->co_name, arg);
		return false;
	case CLI_HELP:
	case CLI_VERSION:
		break;
	}
	return false;
}

static bool
count_take(int command, const struct cli_option *co, long least, long most,
    const char *arg, int *out)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(arg, &end, 10);
	if (errno != 0 || end == arg || *end != '\0' || n < least || n > most) {
		cli_usage(cli_commands[command].cc_name,
		    "--%s: '%s', want a number from %ld to %ld", co->co_name,
		    arg, least, most);
		return false;
	}
	*out = (int)n;
	return true;
}

static bool
quantity_take(int command, const struct cli_option *co, enum unit_kind unit,
    const char *arg, int64_t *out)
{
	struct unit_error ue;
	struct quantity q;

	if (!unit_parse(unit, arg, &q, &ue)) {
		cli_usage(cli_commands[command].cc_name, "--%s: '%s': %s",
		    co->co_name, arg, ue.ue_text);
		return false;
	}
	if (!q.q_whole || q.q_int < 1) {
		cli_usage(cli_commands[command].cc_name,
		    "--%s: '%s', want more than 0", co->co_name, arg);
		return false;
	}
	*out = q.q_int;
	return true;
}

void
cli_quote(FILE *fp, const char *text)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "_-+=.,:/%@^";

	if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
		fputs(text, fp);
		return;
	}
	fputc('\'', fp);
	for (; *text != '\0'; text++)
		fprintf(fp, *text == '\'' ? "'\\''" : "%c", *text);
	fputc('\'', fp);
}

/* As a shell would take it again. Gives it. */
static char *
command_text(int argc, char **argv)
{
	char *text, *copy;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	fputs("solab", fp);
	for (int i = 0; i < argc; i++) {
		fputc(' ', fp);
		cli_quote(fp, argv[i]);
	}
	fclose(fp);
	copy = sim_strdup(text);
	free(text);
	return copy;
}

static bool
list_add(int command, const struct cli_option *co, struct cli_list *cl,
    const char *arg)
{
	if (cl->cl_n == CLI_MAX_LIST) {
		cli_usage(cli_commands[command].cc_name,
		    "--%s: more than %d of them", co->co_name, CLI_MAX_LIST);
		return false;
	}
	cl->cl_texts[cl->cl_n++] = arg;
	return true;
}

static bool
set_add(int command, struct cli_args *ca, const char *path, const char *value)
{
	size_t size = strlen(value) + (path != NULL ? strlen(path) : 0) + 2;
	char *set;

	if (ca->ca_nsets == CLI_MAX_SETS) {
		cli_usage(cli_commands[command].cc_name,
		    "more than %d parameters set", CLI_MAX_SETS);
		return false;
	}
	set = sim_calloc(1, size);
	snprintf(set, size, "%s%s%s", path != NULL ? path : "",
	    path != NULL ? "=" : "", value);
	ca->ca_sets[ca->ca_nsets++] = set;
	return true;
}

int
cli_usage(const char *command, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "solab%s%s: ", command != NULL ? " " : "",
	    command != NULL ? command : "");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nTry 'solab %s%s--help'.\n",
	    command != NULL ? command : "", command != NULL ? " " : "");
	return EXIT_USAGE;
}

static int
version(void)
{
	printf("solab %s (model %s, SimGrid %s, SQLite %s)\n", SOLAB_VERSION,
	    store_model_version(), engine_version(), store_sqlite_version());
	return EXIT_OK;
}

static void
program_help(FILE *fp)
{
	fputs("usage: solab COMMAND [OPTIONS] [ARGUMENTS]\n\n"
	      "A laboratory for the BSD socket layer: simulates a kernel from "
	      "the network card\nto accept(2), kevent(2) and recv(2), and says "
	      "how long requests took and where\nthe time went.\n\n",
	    fp);
	for (const struct cli_command *cc = cli_commands; cc->cc_name != NULL;
	     cc++)
		fprintf(fp, "  %-11s %-14s  %s\n", cc->cc_name,
		    strlen(cc->cc_args) > 14 ? "FILE ..." : cc->cc_args,
		    cc->cc_help);
	fputs(
	    "\n  -h, --help                  say this; 'solab COMMAND --help' "
	    "says more\n"
	    "      --version               print the version, and that of "
	    "SimGrid\n\n"
	    "Exit status: 0 all went well; 1 a run failed, a value is out of "
	    "its tolerance, or\nresults could not be written; 2 bad usage or "
	    "a bad scenario; 3 some runs of a\nsweep failed; 130 "
	    "interrupted.\n",
	    fp);
}

static void
command_help(int command, FILE *fp)
{
	const struct cli_command *cc = &cli_commands[command];
	char name[40];

	fprintf(fp, "usage: solab %s [OPTIONS]%s%s\n\n%s\n\n", cc->cc_name,
	    cc->cc_args[0] != '\0' ? " " : "", cc->cc_args, cc->cc_help);
	for (const struct cli_more *cm = cli_more; cm->cm_name != NULL; cm++) {
		if (strcmp(cm->cm_name, cc->cc_name) == 0)
			fprintf(fp, "%s\n\n", cm->cm_text);
	}
	for (const struct cli_option *co = cli_options; co->co_name != NULL;
	     co++) {
		if (!cli_takes(command, co))
			continue;
		snprintf(name, sizeof(name), "--%s%s%s", co->co_name,
		    co->co_arg != NULL ? " " : "",
		    co->co_arg != NULL ? co->co_arg : "");
		fprintf(fp, "  %c%c%c %-22s  %s\n", co->co_short ? '-' : ' ',
		    co->co_short ? co->co_short : ' ', co->co_short ? ',' : ' ',
		    name, co->co_help);
	}
}
