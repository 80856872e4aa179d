#ifndef SIM_LAB_CLI_H
#define SIM_LAB_CLI_H

/*
 * The command line: one table of commands and one of options, from which
 * parsing, --help and the shells' completions are made.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EXIT_OK 0
#define EXIT_FAILED 1 /* a run failed, a cell is out, results unwritten */
#define EXIT_USAGE 2  /* bad usage or a bad scenario; nothing was run */
#define EXIT_SOME 3   /* some points of a sweep failed; the others are done */
#define EXIT_INTERRUPTED 130

#define CLI_MAX_SETS 64
#define CLI_MAX_LIST 16

/* Arguments of an option that may be given again. Texts are argv's. */
struct cli_list {
	const char *cl_texts[CLI_MAX_LIST];
	int cl_n;
};

/* What the options said. Texts are borrowed from argv but ca_sets. */
struct cli_args {
	char *ca_sets[CLI_MAX_SETS]; /* PATH=VALUE, for scenario_load() */
	int ca_nsets;
	int ca_jobs;	    /* 0: not said */
	int ca_evaluations; /* 0: not said */
	bool ca_json, ca_verbose, ca_exact, ca_dry_run, ca_markdown, ca_ranges;
	bool ca_resume, ca_list, ca_alone, ca_csv, ca_collect;
	int ca_max_reps, ca_rep;	 /* 0: not said */
	int ca_reps, ca_scan, ca_morris; /* likewise */
	const char *ca_resolution, *ca_step, *ca_factor;
	struct cli_list ca_params, ca_metrics, ca_ratios, ca_points,
	    ca_timelines;
	bool ca_peers;
	int64_t ca_time_ns, ca_memory_bytes; /* 0: not said */
	const char *ca_db, *ca_output, *ca_precision, *ca_shard, *ca_except;
	const char *ca_executor;
	struct cli_list ca_sbatch; /* options of sbatch */
	int ca_chunk;		   /* 0: not said */
	const char *ca_command;	   /* all of argv, as a shell would take it */
	const char *ca_trace, *ca_trace_window, *ca_hgrm, *ca_hlog;
	const char *ca_color;
	const char *ca_trace_connection, *ca_pcap, *ca_cpus;
	int64_t ca_trace_limit; /* bytes; 0: not said */
	char **ca_files;	/* the other arguments */
	int ca_nfiles;
};

struct cli_command {
	const char *cc_name;
	const char *cc_args;  /* as in the usage line */
	int cc_min, cc_max;   /* arguments beside options */
	const char *cc_files; /* what they are, for completion: "yaml", ... */
	int (*cc_run)(const struct cli_args *); /* returns the exit status */
	const char *cc_help;
};

enum cli_kind {
	CLI_FLAG,    /* bool at co_offset */
	CLI_TEXT,    /* const char * at co_offset */
	CLI_LIST,    /* struct cli_list at co_offset */
	CLI_COUNT,   /* int from 1 at co_offset */
	CLI_NUMBER,  /* int from 0 at co_offset, plus 1: 0 is not said */
	CLI_JOBS,    /* int from 1 to RUN_MAX_JOBS at co_offset */
	CLI_TIME,    /* int64_t ns at co_offset */
	CLI_SIZE,    /* int64_t bytes at co_offset */
	CLI_SET,     /* PATH=VALUE */
	CLI_RUN_KEY, /* VALUE of the path co_path */
	CLI_HELP,
	CLI_VERSION,
};

struct cli_option {
	const char *co_name;
	char co_short;	    /* 0: none */
	const char *co_arg; /* NULL: takes none */
	unsigned co_cmds;   /* bits: which commands */
	enum cli_kind co_kind;
	size_t co_offset;
	const char *co_path; /* CLI_RUN_KEY */
	bool co_file;	     /* the argument is a file's name */
	const char *co_help;
};

/* Ends with a NULL name. A command's bit is its place. */
extern const struct cli_command cli_commands[];
extern const struct cli_option cli_options[];

/* What a command's --help says before its options. */
struct cli_more {
	const char *cm_name; /* NULL ends the list */
	const char *cm_text;
};
extern const struct cli_more cli_more[];

static inline bool
cli_takes(int command, const struct cli_option *co)
{
	return (co->co_cmds & 1u << command) != 0;
}

int cli_main(int argc, char **argv);

/* Say it on stderr, with a pointer to --help. Returns: EXIT_USAGE. */
int cli_usage(const char *command, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A text as a shell takes it again, in quotes where it must be. */
void cli_quote(FILE *, const char *text);

/* Returns: false for an unknown shell. */
bool completion_print(const char *shell, FILE *);

/* Commands; see the table. */
int cmd_run(const struct cli_args *);
int cmd_sweep(const struct cli_args *);
int cmd_reproduce(const struct cli_args *);
int cmd_fit(const struct cli_args *);
int cmd_seek(const struct cli_args *);
int cmd_sensitivity(const struct cli_args *);
int cmd_export(const struct cli_args *);
int cmd_merge(const struct cli_args *);
int cmd_rerun(const struct cli_args *);
int cmd_compare(const struct cli_args *);
int cmd_report(const struct cli_args *);
int cmd_graph(const struct cli_args *);
int cmd_costs(const struct cli_args *);
int cmd_schema(const struct cli_args *);
int cmd_list(const struct cli_args *);
int cmd_completion(const struct cli_args *);

#endif
