/*
 * Completions for shells, from the tables of the command line.
 */
#include <string.h>

#include "sim/lab/cli.h"

static void bash(FILE *);
static void zsh(FILE *);
static void fish(FILE *);

bool
completion_print(const char *shell, FILE *fp)
{
	if (strcmp(shell, "bash") == 0)
		bash(fp);
	else if (strcmp(shell, "zsh") == 0)
		zsh(fp);
	else if (strcmp(shell, "fish") == 0)
		fish(fp);
	else
		return false;
	return true;
}

int
cmd_completion(const struct cli_args *ca)
{
	if (completion_print(ca->ca_files[0], stdout))
		return EXIT_OK;
	return cli_usage("completion", "no shell '%s', want bash, zsh or fish",
	    ca->ca_files[0]);
}

static bool
wants_yaml(const struct cli_command *cc)
{
	return strcmp(cc->cc_files, "yaml") == 0;
}

static void
bash(FILE *fp)
{
	const struct cli_command *cc;
	const struct cli_option *co;

	fputs("_solab()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} "
	      "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	      "\tlocal words= files=\n\n"
	      "\tcase $prev in\n",
	    fp);
	for (co = cli_options; co->co_name != NULL; co++) {
		if (co->co_arg != NULL && co->co_file)
			fprintf(fp,
			    "\t--%s) COMPREPLY=($(compgen -f -- \"$cur\"))\n"
			    "\t\treturn ;;\n",
			    co->co_name);
		else if (co->co_arg != NULL)
			fprintf(fp, "\t--%s) return ;;\n", co->co_name);
	}
	fputs("\tesac\n\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\twords='", fp);
	for (cc = cli_commands; cc->cc_name != NULL; cc++)
		fprintf(fp, "%s ", cc->cc_name);
	fputs("--help --version'\n\telse\n"
	      "\t\tcase ${COMP_WORDS[1]} in\n",
	    fp);
	for (int i = 0; cli_commands[i].cc_name != NULL; i++) {
		cc = &cli_commands[i];
		fprintf(fp, "\t\t%s) words='", cc->cc_name);
		for (co = cli_options; co->co_name != NULL; co++) {
			if (cli_takes(i, co))
				fprintf(fp, "--%s ", co->co_name);
		}
		fprintf(fp, "%s' files=%s ;;\n",
		    wants_yaml(cc) ? "" : cc->cc_files,
		    wants_yaml(cc) ? "yes" : "");
	}
	fputs("\t\tesac\n\tfi\n"
	      "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	      "\tif [ -n \"$files\" ]; then\n"
	      "\t\tCOMPREPLY+=($(compgen -f -X '!*.yaml' -- \"$cur\") "
	      "$(compgen -d -S / -- \"$cur\"))\n"
	      "\t\tcompopt -o nospace 2>/dev/null\n"
	      "\tfi\n}\n"
	      "complete -F _solab solab\n",
	    fp);
}

/* A text inside '...[TEXT]...'. */
static void
zsh_text(const char *s, FILE *fp)
{
	for (; *s != '\0'; s++) {
		if (*s == '\'')
			fputs("'\\''", fp);
		else if (strchr("[]:\\", *s) != NULL)
			fprintf(fp, "\\%c", *s);
		else
			fputc(*s, fp);
	}
}

static void
zsh_option(const struct cli_option *co, FILE *fp)
{
	bool many = co->co_kind == CLI_SET || co->co_kind == CLI_LIST;

	fputs(" \\\n\t\t", fp);
	fprintf(fp, "'%s--%s%s[", many ? "*" : "", co->co_name,
	    co->co_arg != NULL ? "=" : "");
	zsh_text(co->co_help, fp);
	fputs("]", fp);
	if (co->co_arg != NULL)
		fprintf(fp, ":%s:%s", co->co_arg, co->co_file ? "_files" : "");
	fputs("'", fp);
}

static void
zsh(FILE *fp)
{
	fputs("#compdef solab\n\nlocal -a commands\ncommands=(\n", fp);
	for (const struct cli_command *cc = cli_commands; cc->cc_name != NULL;
	     cc++) {
		fprintf(fp, "\t'%s:", cc->cc_name);
		zsh_text(cc->cc_help, fp);
		fputs("'\n", fp);
	}
	fputs(")\nif (( CURRENT == 2 )); then\n"
	      "\t_describe command commands\n"
	      "\t_arguments --help --version\n"
	      "\treturn\nfi\n"
	      "local command=$words[2]\n"
	      "shift words\n(( CURRENT-- ))\n"
	      "case $command in\n",
	    fp);
	for (int i = 0; cli_commands[i].cc_name != NULL; i++) {
		const struct cli_command *cc = &cli_commands[i];

		fprintf(fp, "%s)\n\t_arguments", cc->cc_name);
		for (const struct cli_option *co = cli_options;
		     co->co_name != NULL; co++) {
			if (cli_takes(i, co))
				zsh_option(co, fp);
		}
		if (wants_yaml(cc))
			fputs(" \\\n\t\t'*:file:_files -g \"*.yaml\"'", fp);
		else if (cc->cc_files[0] != '\0')
			fprintf(fp, " \\\n\t\t':shell:(%s)'", cc->cc_files);
		fputs("\n\t;;\n", fp);
	}
	fputs("esac\n", fp);
}

static void
fish_text(const char *s, FILE *fp)
{
	fputc('\'', fp);
	for (; *s != '\0'; s++) {
		if (*s == '\'' || *s == '\\')
			fputc('\\', fp);
		fputc(*s, fp);
	}
	fputc('\'', fp);
}

static void
fish(FILE *fp)
{
	fputs("complete -c solab -f\n"
	      "complete -c solab -n __fish_use_subcommand -l help -d Help\n"
	      "complete -c solab -n __fish_use_subcommand -l version -d "
	      "Version\n",
	    fp);
	for (int i = 0; cli_commands[i].cc_name != NULL; i++) {
		const struct cli_command *cc = &cli_commands[i];

		fprintf(fp,
		    "complete -c solab -n __fish_use_subcommand -a %s "
		    "-d ",
		    cc->cc_name);
		fish_text(cc->cc_help, fp);
		fputc('\n', fp);
		if (cc->cc_files[0] != '\0')
			fprintf(fp,
			    "complete -c solab -n "
			    "'__fish_seen_subcommand_from %s' %s%s%s\n",
			    cc->cc_name,
			    wants_yaml(cc)
				? "-a '(__fish_complete_suffix .yaml)'"
				: "-a '",
			    wants_yaml(cc) ? "" : cc->cc_files,
			    wants_yaml(cc) ? "" : "'");
		for (const struct cli_option *co = cli_options;
		     co->co_name != NULL; co++) {
			if (!cli_takes(i, co))
				continue;
			fprintf(fp,
			    "complete -c solab -n "
			    "'__fish_seen_subcommand_from %s' -l %s",
			    cc->cc_name, co->co_name);
			if (co->co_short != 0)
				fprintf(fp, " -s %c", co->co_short);
			if (co->co_arg != NULL)
				fputs(co->co_file ? " -r -F" : " -x", fp);
			fputs(" -d ", fp);
			fish_text(co->co_help, fp);
			fputc('\n', fp);
		}
	}
}
