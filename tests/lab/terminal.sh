#!/usr/bin/env bash
# What a terminal gets: pictures in its characters, width and colours, and no
# control character of a name.
. "$SRCDIR/tests/try.sh"
unset LC_ALL LC_CTYPE LANG NO_COLOR
export TERM=xterm
short='--set run.ramp=20ms --warmup 50ms --measure 100ms --set client0.connections=200 --set client1.connections=200'
esc=$'\033'

# picture FILE: from the histogram on, without the carriage returns of a pty.
picture()
{
	tr -d '\r' <"$tmp/$1" | sed -n '/^ *from, ms/,$p'
}

# on_terminal COLUMNS: the run on a terminal of that width.
on_terminal()
{
	what="a terminal of $1 columns, $2"
	script -qec "stty cols $1; exec '$SOLAB' run soavailconn $short 2>'$tmp/err'" \
	    /dev/null </dev/null >"$tmp/out" || complain 'failed'
}

# A file or a pipe: the locale's characters, no colour, 80 columns.
# shellcheck disable=SC2086
try 0 run soavailconn $short
cp "$tmp/out" "$tmp/ascii"
has '^from, ms  latency of '
has 'slowest 1 %: '
has '###'
LC_ALL=C lacks '[^ -~]'
[ "$(picture out | wc -l)" -le 39 ] || complain 'more than 40 lines'
[ "$(picture out | wc -L)" -le 80 ] || complain 'wider than 80 columns'
export LC_ALL=C.UTF-8
# shellcheck disable=SC2086
try 0 run soavailconn $short
has '█'
has '░'
lacks "$esc"
lacks '##'
[ "$(picture out | wc -L)" -le 80 ] || complain 'wider than 80 columns'
# shellcheck disable=SC2086
TERM=dumb try 0 run soavailconn $short
cmp -s "$tmp/out" "$tmp/ascii" || complain 'TERM=dumb is not ASCII'

# A locale that is not installed has its name; numbers are those of C.
# shellcheck disable=SC2086
LC_ALL='' LANG=de_DE.UTF-8 try 0 run soavailconn $short
has '█'
LC_ALL=C diff <(sed 's/[█▏▎▍▌▋▊▉░┊#.:|-]//g; s/  *//g' "$tmp/out") \
    <(sed 's/[█▏▎▍▌▋▊▉░┊#.:|-]//g; s/  *//g' "$tmp/ascii") >/dev/null ||
    complain 'a locale changes more than characters of the picture'
# shellcheck disable=SC2086
LC_ALL='' LANG=de_DE.ISO-8859-1 try 0 run soavailconn $short
lacks '█'
# shellcheck disable=SC2086
try 0 run soavailconn $short --json
[ "$(wc -l <"$tmp/out")" = 1 ] || complain 'more than JSON'

# Colour when it is asked for, or on a terminal that wants it.
# shellcheck disable=SC2086
NO_COLOR=1 try 0 run soavailconn $short --color always
has "$esc\\[36m█*"
# shellcheck disable=SC2086
try 0 run soavailconn $short --color=never
lacks "$esc"
try 2 run soavailconn --color=blue
says "'blue', want auto, always or never"
if command -v script >/dev/null; then
	on_terminal 60 'colour'
	has "$esc\\[36m"
	sed "s/$esc\\[[0-9]*m//g" "$tmp/out" >"$tmp/plain"
	[ "$(picture plain | wc -L)" -le 60 ] || complain 'wider than 60'
	[ "$(picture plain | wc -L)" -gt 50 ] || complain 'not as wide as it could'
	on_terminal 200 'colour'
	sed "s/$esc\\[[0-9]*m//g" "$tmp/out" >"$tmp/plain"
	[ "$(picture plain | wc -L)" -le 80 ] || complain 'wider than 80'
	NO_COLOR=1 on_terminal 80 'NO_COLOR'
	lacks "$esc"
	NO_COLOR='' on_terminal 80 'NO_COLOR is empty'
	has "$esc\\[36m"
	TERM=dumb on_terminal 80 'dumb'
	lacks "$esc"
	lacks '█'
	on_terminal 10 'too narrow'
	lacks 'from, ms'
	has 'us a request'
fi

# Names that try to break out.
long=$(printf 'x%.0s' {1..1000})
name=$'b\033[31m\n\xff.yaml'
mkdir "$tmp/names"
sed "s|^title:.*|title: \"</script>'\\\\e]0;owned\\\\a\\\\x9b31m\\\\u202e\\\\\"😀 $long\"|" \
    scenarios/soavailconn.yaml >"$tmp/names/$name"
ln -s "$PWD/scenarios/hardware" "$tmp/names/hardware"
for command in "run $short" "sweep $short --set soavailconn=8,32 --set object=1KiB" "list "; do
	# shellcheck disable=SC2086
	try 0 ${command%% *} "$tmp/names/$name" ${command#* }
	LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$tmp/out" "$tmp/err" &&
	    complain 'a control character'
	grep -qP '[\x{80}-\x{9f}\x{202e}]' "$tmp/out" "$tmp/err" &&
	    complain 'a control character of Unicode'
done
# shellcheck disable=SC2086
try 0 run "$tmp/names/$name" $short
has '^b\\x1b\[31m\\x0a\\xff: </script>'\''\\x1b\]0;owned\\x07\\u009b31m\\u202e"😀 x{1000}$'
# shellcheck disable=SC2086
try 0 run "$tmp/names/$name" $short --json
has '^\{"scenario": "b\\u001b\[31m\\u000a\\ufffd", '
try 2 run "$tmp/names/no$name"
lacks "$esc"
says 'nob\\x1b\[31m\\x0a\\xff.yaml'
try 2 run soavailconn --set "$name=1"
says 'b\\x1b\[31m\\x0a\\xff\.yaml'
grep -q "$esc" "$tmp/err" && complain 'a control character'

exit $failed
