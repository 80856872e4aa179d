/*
 * All commands and options, in the order of --help.
 */
#include "sim/lab/cli.h"

enum {
	RUN = 1 << 0,
	SWEEP = 1 << 1,
	REPRODUCE = 1 << 2,
	FIT = 1 << 3,
	COSTS = 1 << 4,
	LIST = 1 << 5,
	SCHEMA = 1 << 6,
	COMPLETION = 1 << 7,
	RUNS = RUN | SWEEP | REPRODUCE | FIT,
	ALL = RUNS | COSTS | LIST | SCHEMA | COMPLETION,
};

#define AT(m) offsetof(struct cli_args, m)

/* clang-format off */
const struct cli_command cli_commands[] = {
	{ "run", "FILE", 1, 1, "yaml", cmd_run,
	    "Run one point of a scenario and print its summary." },
	{ "sweep", "FILE", 1, 1, "yaml", cmd_sweep,
	    "Run every point of a scenario, and print a line for each." },
	{ "reproduce", "[FILE...]", 0, 64, "yaml", cmd_reproduce,
	    "Print every published value beside the simulated one." },
	{ "fit", "FILE", 1, 1, "yaml", cmd_fit,
	    "Fit costs to published values, and write them to the profile." },
	{ "costs", "HARDWARE", 1, 1, "yaml", cmd_costs,
	    "Print every cost of a hardware profile with its source." },
	{ "list", "[FILE]", 0, 1, "yaml", cmd_list,
	    "List scenarios, or the parameters and points of one." },
	{ "schema", "", 0, 0, "", cmd_schema,
	    "Print the JSON Schema of scenario files." },
	{ "completion", "bash|zsh|fish", 1, 1, "bash zsh fish", cmd_completion,
	    "Print a shell's completion of solab." },
	{ NULL, NULL, 0, 0, NULL, NULL, NULL },
};

const struct cli_option cli_options[] = {
	{ "set", 0, "PATH=VALUE", RUNS | LIST, CLI_SET, 0, NULL, false,
	    "set a parameter; a unique suffix of its path is enough" },
	{ "seed", 0, "N", RUNS, CLI_RUN_KEY, 0, "run.seed", false,
	    "seed of the random numbers" },
	{ "reps", 0, "N", RUNS, CLI_RUN_KEY, 0, "run.replications", false,
	    "number of replications" },
	{ "warmup", 0, "T", RUNS, CLI_RUN_KEY, 0, "run.warmup", false,
	    "simulated time that is not measured (5s, 500ms)" },
	{ "measure", 0, "T", RUNS, CLI_RUN_KEY, 0, "run.measure", false,
	    "simulated time that is measured" },
	{ "jobs", 'j', "N", RUNS, CLI_COUNT, AT(ca_jobs), NULL, false,
	    "run so many at once (default: one a CPU)" },
	{ "trace", 0, "F", RUN, CLI_TEXT, AT(ca_trace), NULL, true,
	    "write what happens to a file, to the nanosecond" },
	{ "trace-window", 0, "A..B", RUN, CLI_TEXT, AT(ca_trace_window), NULL, false,
	    "trace only between these simulated times" },
	{ "hgrm", 0, "F", RUN, CLI_TEXT, AT(ca_hgrm), NULL, true,
	    "write the latencies as an HdrHistogram percentile file, in ms" },
	{ "no-lookahead", 0, NULL, RUN | SWEEP, CLI_FLAG, AT(ca_exact), NULL, false,
	    "let no CPU's clock run ahead: slow, the results are the same" },
	{ "evaluations", 0, "N", FIT, CLI_COUNT, AT(ca_evaluations), NULL, false,
	    "give up after so many evaluations (default 40)" },
	{ "dry-run", 'n', NULL, FIT, CLI_FLAG, AT(ca_dry_run), NULL, false,
	    "print what was found, write nothing" },
	{ "ranges", 0, NULL, REPRODUCE, CLI_FLAG, AT(ca_ranges), NULL, false,
	    "move the costs of `ranges:` to their ends, for every ratio" },
	{ "json", 0, NULL, RUN | SWEEP | REPRODUCE, CLI_FLAG, AT(ca_json), NULL, false,
	    "print JSON, one object a line, and nothing else" },
	{ "verbose", 'v', NULL, RUN, CLI_FLAG, AT(ca_verbose), NULL, false,
	    "print every listener, peer and counter" },
	{ "markdown", 0, NULL, SCHEMA, CLI_FLAG, AT(ca_markdown), NULL, false,
	    "print the reference of scenario files instead" },
	{ "help", 'h', NULL, ALL, CLI_HELP, 0, NULL, false,
	    "say what the program, or the command before it, takes" },
	{ "version", 0, NULL, ALL, CLI_VERSION, 0, NULL, false,
	    "print the version, and that of SimGrid" },
	{ NULL, 0, NULL, 0, CLI_FLAG, 0, NULL, false, NULL },
};
/* clang-format on */
