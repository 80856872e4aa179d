# Sourced by tests/lab/*.sh: run the program, and complain of what it prints.
# shellcheck shell=bash
set -u
cd "$SRCDIR" || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

complain()
{
	echo "$what: $1"
	cat "$tmp/out" "$tmp/err"
	failed=1
}

# try STATUS ARGS...: the exit status; output is in $tmp/out and $tmp/err.
try()
{
	want=$1
	shift
	"$SOLAB" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	what="solab $*"
	[ $got = "$want" ] || complain "status $got, want $want"
}

# has PATTERN, lacks PATTERN: standard output; says PATTERN: standard error.
has()
{
	grep -qE -- "$1" "$tmp/out" || complain "lacks: $1"
}

lacks()
{
	grep -qE -- "$1" "$tmp/out" && complain "has: $1"
}

says()
{
	grep -qE -- "$1" "$tmp/err" || complain "does not say: $1"
}
