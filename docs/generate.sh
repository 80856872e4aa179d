#!/bin/sh
# generate.sh SOLAB [--check]: the parts of the documentation that the program
# or the source knows better. Run by ./do docs from the root of the tree.
#
# In README.md and docs/*.md the text between these two lines is what a command
# prints, or a file, or of a file the lines whose times lie in A <= t < B:
#	<!-- output: solab ... -->	<!-- file: PATH -->	<!-- file: PATH A..B -->
#	<!-- end -->
# `output first N:` keeps N lines of it. `output timing:` (and `output timing
# first N:`) may differ from run to run, or takes minutes; --check, which changes
# nothing and fails where something would change, leaves it out. `output slow:`
# takes up to an hour and is left as it is unless SLOW=1, or SLOW=docs/PAGE.md for
# those of one page. --check leaves out
# the figures (docs/*.dot) too: what dot makes of them depends on the fonts. The
# screenshots of docs/reading-a-report.md are slow as well; --check tells whether
# what they show has been changed since.
#
# Commands run in a folder of their own that has scenarios/: stores that they
# make are there for later commands, and for the next time if WORK=FOLDER says
# which folder it is.
set -eu
solab=$1
check=${2-}
tmp=$(mktemp -d)
work=${WORK-$tmp/work}
mkdir -p "$work"
[ -e "$work/scenarios" ] || ln -s "$PWD/scenarios" "$work/scenarios"
trap 'rm -rf "$tmp"' EXIT
status=0

# Pages must not depend on who makes them.
LC_ALL=C.UTF-8 TERM=xterm
export LC_ALL TERM

main()
{
	"$solab" schema --markdown >"$tmp/new"
	update docs/scenario.md
	costs >"$tmp/new"
	update docs/costs.md
	kernel_map >"$tmp/new"
	update docs/kernel-map.md
	for name in soavailconn accept-predication soreceive; do
		"$solab" graph "scenarios/$name.yaml" >"$tmp/new"
		update "docs/graph-$name.dot"
	done
	[ "$check" = --check ] || figures
	for file in README.md docs/*.md; do
		if grep -Eq '^<!-- (output|file)' "$file" 2>/dev/null; then
			blocks "$file" >"$tmp/new"
			update "$file"
		fi
	done
	screenshots
	exit $status
}

# Of a report of the store that docs/reading-a-report.md makes.
screenshots()
{
	cat sim/lab/report/*.js sim/lab/report/*.css sim/lab/report/*.html \
	    docs/screenshots.py | sha256sum | cut -c 1-16 >"$tmp/new"
	case $check:${SLOW-} in
	--check:*)
		update docs/img/made-from
		;;
	:1 | :docs/reading-a-report.md)
		(cd "$work" && "$solab" report r.db \
		    --timeline object=1KiB,soavailconn=0@5s..5022ms \
		    --timeline object=1KiB,soavailconn=8@5s..5022ms)
		docs/screenshots.py "$work/r.html" docs/img
		update docs/img/made-from
		;;
	esac
}

# Put $tmp/new in a file's place, or (--check) show how it differs.
update()
{
	if [ "$check" = --check ]; then
		old=$1
		[ -e "$old" ] || old=/dev/null
		diff -u --label "$1" --label 'generated anew' "$old" "$tmp/new" ||
		    status=1
	elif ! cmp -s "$1" "$tmp/new"; then
		cp "$tmp/new" "$1"
		echo "$1"
	fi
}

costs()
{
	cat <<'END'
# Costs

What each step of the model costs on each machine, and how that is known.
Made by `./do docs` from `scenarios/hardware/`; a fitted value is written by
`solab fit` and names the published cells that it was fitted to.
END
	for profile in scenarios/hardware/*.yaml; do
		printf '\n## %s\n\n```text\n' "$(basename "$profile" .yaml)"
		"$solab" costs "$profile"
		printf '```\n'
	done
}

# A table from the `Kernel:` and `Differs:` lines of the headers.
kernel_map()
{
	cat <<'END'
# Kernel map

What stands for which part of DragonFly's kernel. Made by `./do docs` from the
`Kernel:` and `Differs:` lines of the headers in `model/`.

| here | in the kernel | differs |
|---|---|---|
END
	find model -name '*.h' | sort | xargs awk -f docs/kernel-map.awk
}

figures()
{
	if ! command -v dot >/dev/null; then
		echo 'docs: no dot (Debian: graphviz): figures left as they are' >&2
		return
	fi
	for figure in docs/*.dot; do
		dot -Tsvg "$figure" >"$tmp/new"
		update "${figure%.dot}.svg"
	done
}

blocks()
{
	skip=
	while IFS= read -r line; do
		case $line in
		'<!-- end -->') skip= ;;
		esac
		[ -n "$skip" ] || printf '%s\n' "$line"
		case $line in
		'<!-- output timing'*)
			[ "$check" = --check ] || block "$line"
			;;
		'<!-- output slow'*)
			case $check:${SLOW-} in
			:1 | ":$1") block "$line" ;;
			esac
			;;
		'<!-- output'*) block "$line" ;;
		'<!-- file: '*) file_block "$line" ;;
		esac
	done <"$1"
	[ -z "$skip" ] || die "$1: a block without <!-- end -->"
}

# A file, or the part of a trace that a window of time shows.
file_block()
{
	source=${1#*: }
	source=${source% -->}
	window=
	case $source in
	*' '*..*)
		window=${source#* }
		source=${source%% *}
		;;
	esac
	case $source in
	/* | *..* | *' '*) die "$source: not a path below the root" ;;
	esac
	[ -r "$source" ] || die "$source: cannot be read"
	if [ -n "$window" ]; then
		awk -v from="${window%..*}" -v to="${window#*..}" \
		    '$1 + 0 >= from + 0 && $1 + 0 < to + 0' "$source" >"$tmp/output"
	else
		cat "$source" >"$tmp/output"
	fi
	fenced "$source $window"
}

# The fenced output of a block's command; what was there is skipped.
block()
{
	command=${1#*: }
	command=${command% -->}
	lines=${1%%: *}
	case $lines in
	*' first '*) lines=${lines##* } ;;
	*) lines=1000000 ;;
	esac
	case $command in
	*[!A-Za-z0-9_./=,:~%\<\>\ -]*) die "$command: not a plain command" ;;
	'solab '*) ;;
	*) die "$command: not a command of solab" ;;
	esac
	# `reproduce` says 1 when a cell is out of its tolerance.
	# shellcheck disable=SC2086
	(cd "$work" && exec "$solab" ${command#solab }) \
	    >"$tmp/output" 2>"$tmp/errors" </dev/null || [ $? = 1 ] || {
		cat "$tmp/errors" >&2
		die "$command: failed"
	}
	head -n "$lines" "$tmp/output" >"$tmp/part"
	mv "$tmp/part" "$tmp/output"
	fenced "$command"
}

fenced()
{
	[ -s "$tmp/output" ] || die "$1: nothing"
	echo '```text'
	cat "$tmp/output"
	echo '```'
	skip=1
}

die()
{
	echo "docs: $*" >&2
	exit 1
}

main
