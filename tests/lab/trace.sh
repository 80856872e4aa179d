#!/usr/bin/env bash
# Traces of solab run: forms, windows, one connection, limits. (What they tell
# is in tests/trace.)
. tests/try.sh
command -v python3 >/dev/null || exit 77
two='accept-predication --warmup 2ms --measure 3ms --reps 1'

# check FILE EXPRESSION...
check()
{
	what="trace_check.py $*"
	python3 tests/lab/trace_check.py "$@" >"$tmp/out" 2>"$tmp/err" ||
	    complain "not whole"
}

quiet()
{
	grep -q warning "$tmp/err" && complain 'a warning'
}

# bytes FILE: its size
bytes()
{
	wc -c <"$tmp/$1"
}

# The golden ones are well-formed.
check tests/trace/trace-events.txt 'len(of("s")) == 12' 'len(of("C")) == 2'
check tests/trace/timeline.txt 'len(d["messages"]) == 12' \
    'd["counters"][0]["points"] == [[154326, 1], [190018, 0]]' \
    '[c["peer"] for c in d["cpus"]] == [False, False, True]'

# A window, in both forms; the same without look-ahead.
for form in json txt; do
	for mode in '' --no-lookahead; do
		# shellcheck disable=SC2086
		try 0 run $two $mode --trace "$tmp/w$mode.$form" \
		    --trace-window 2ms..3ms
		quiet
	done
	cmp "$tmp/w.$form" "$tmp/w--no-lookahead.$form" ||
	    complain 'differs without look-ahead'
done
check "$tmp/w.json" \
    'd["otherData"]["from_ns"] == 2000000' \
    'd["otherData"]["to_ns"] == 3000000' \
    'all(2000 <= x["ts"] <= 3000 for x in e if x["ph"] != "M")' \
    'all(x["end"] <= 3000 for x in of("X"))' \
    '{x["args"]["name"] for x in of("M")} >= {"server", "client", "CPU 7"}' \
    '{x["name"] for x in of("X", "syscall")} >= {"accept(2)", "recv(2)", "kevent(2)"}' \
    '{x["name"] for x in of("X", "user")} == {"nginx 0", "httperf"}' \
    'any(x["name"] == "em0 rx 2" for x in of("X", "ithread"))' \
    '{x["name"] for x in of("C")} == {"so_qlen #0"}' \
    'any(x["args"]["text"].startswith("soaccept_predicate: so_qlen ") for x in of("i", "accept"))'
# Drops are seen.
try 0 run soavailconn --set run.start=burst --warmup 10ms --measure 5ms \
    --reps 1 --trace "$tmp/drops.json" --trace-window 0ms..10ms
check "$tmp/drops.json" 'len(of("i", "drop")) > 100' \
    'all(" SYN dropped: so_qlen 2" in x["args"]["text"] and " > so_qlimit 256" in x["args"]["text"] for x in of("i", "drop"))' \
    'all(x["s"] == "p" for x in of("i", "drop"))' \
    'max(x["args"]["connections"] for x in of("C")) >= 257' \
    'len({x["name"] for x in of("C")}) == 24'

# A window that begins later knows who has the CPUs: without a switch since.
try 0 run soavailconn --set run.start=burst --warmup 10ms --measure 5ms \
    --reps 1 --trace "$tmp/later.txt" --trace-window 5ms..5005us
awk '$2 ~ /^server/ && $3 ~ /^[a-z]/ && !seen[$2]++ { print $3 }' \
    "$tmp/later.txt" >"$tmp/out"
[ "$(grep -cE 'user|netisr' "$tmp/out")" -gt 20 ] || complain 'who has the CPUs?'

# One connection: what it met, and who had the CPUs.
client=$(grep -o 'accept(2): returns .*' "$tmp/w.txt" |
    sed -n '3s/.*client \([0-9:]*\).*/\1/p')
for form in json txt; do
	# shellcheck disable=SC2086
	try 0 run $two --trace "$tmp/c.$form" --trace-connection "$client"
	quiet
done
[ "$(grep -vc "(client $client)" "$tmp/c.txt")" = 0 ] ||
    complain 'of others too'
for text in 'ix_rxeof: S ' sonewconn 'accept(2): returns' 'recv(2): fd'; do
	grep -qF "$text" "$tmp/c.txt" || complain "no $text of the connection"
done
check "$tmp/c.json" 'of("X", "netisr") and not of("X", "cost")' \
    "all('($client)'.replace('(', '(client ') in x['args']['text'] for x in of('i') if x['cat'] != 'wakeup')" \
    "all(x['args']['client'] == '$client' for x in of('X', 'syscall'))"
# shellcheck disable=SC2086
try 0 run $two --trace "$tmp/c.txt" --trace-connection 65535:1
says 'warning: the trace has nothing of connection 65535:1'
[ "$(bytes c.txt)" = 0 ] || complain 'something'

# A limit cuts at an instant, and says where; with the rest it is the whole.
# shellcheck disable=SC2086
try 0 run $two --trace "$tmp/all.txt"
quiet
for mode in '' --no-lookahead; do
	# shellcheck disable=SC2086
	try 0 run $two $mode --trace "$tmp/a$mode.txt" --trace-limit 200KB
	says 'a.*txt is cut at 0.00[0-9]* s: [0-9]* records more did not fit; --trace-window [0-9]*ns..5ms has the rest'
done
cmp "$tmp/a.txt" "$tmp/a--no-lookahead.txt" ||
    complain 'is cut elsewhere without look-ahead'
[ "$(bytes a.txt)" -le 200000 ] && [ "$(bytes a.txt)" -gt 150000 ] ||
    complain "$(bytes a.txt) bytes"
tail -1 "$tmp/a.txt" | grep -q 'the trace is cut here' ||
    complain 'the file does not say that it is cut'
sed '$d' "$tmp/a.txt" >"$tmp/head"
head -n "$(wc -l <"$tmp/head")" "$tmp/all.txt" | cmp - "$tmp/head" ||
    complain 'not the beginning of the whole'
cut=$(sed -n '$s/ .*//p' "$tmp/a.txt")
next=$(sed -n "$(($(wc -l <"$tmp/head") + 1))s/ .*//p" "$tmp/all.txt")
[ "$cut" = "$next" ] || complain "cut at $cut, but next is $next"
for mode in '' --no-lookahead; do
	# shellcheck disable=SC2086
	try 0 run $two $mode --trace "$tmp/a$mode.json" --trace-limit 300KB
	says 'a.*json is cut at'
done
cmp "$tmp/a.json" "$tmp/a--no-lookahead.json" ||
    complain 'is cut elsewhere without look-ahead'
[ "$(bytes a.json)" -le 300000 ] || complain "$(bytes a.json) bytes"
check "$tmp/a.json" 'd["otherData"]["lost_records"] > 0' 'len(of("s")) > 10' \
    'd["otherData"]["to_ns"] < 5000000' \
    'max(x["end"] for x in of("X")) == d["otherData"]["to_ns"] / 1000'

# A pipe cannot be written twice: it gets all that memory held.
# shellcheck disable=SC2086
"$SOLAB" run $two --trace /dev/stderr --trace-limit 200KB 2>&1 >/dev/null |
    grep -q 'the trace is cut here' || complain 'nothing through a pipe'

# Names that want out.
long=$(printf 'x%.0s' {1..1000})
cat >"$tmp/evil.yaml" <<END
extends: $PWD/scenarios/accept-predication.yaml
title: "</script>\\"\\\\ 🐡 $long"
END
try 0 run "$tmp/evil.yaml" --warmup 1ms --measure 1ms --reps 1 \
    --trace "$tmp/evil.json"
check "$tmp/evil.json" \
    'd["otherData"]["title"] == "</script>\"\\ \U0001f421 " + 1000 * "x"'

# What is refused.
for bad in 7 7: :80 a:80 1:0 1:65536 65536:1 -1:80 ' 1:80' 1:80x 1:2:3 ''; do
	# shellcheck disable=SC2086
	try 2 run $two --trace "$tmp/bad" --trace-connection "$bad"
	says "want the ADDR:PORT of a client"
	[ ! -e "$tmp/bad" ] || complain 'a file'
done
for bad in 0 5 -1KB 3ms 1.5B; do
	# shellcheck disable=SC2086
	try 2 run $two --trace "$tmp/bad" --trace-limit "$bad"
	[ ! -e "$tmp/bad" ] || complain 'a file'
done
for bad in 1ms 1ms.. ..2ms 2ms..1ms 1ms..1ms 1..2 1KB..2KB 0.5ns..2ns; do
	# shellcheck disable=SC2086
	try 2 run $two --trace "$tmp/bad" --trace-window "$bad"
	says 'want A..B'
	[ ! -e "$tmp/bad" ] || complain 'a file'
done
for alone in '--trace-window 1ms..2ms' '--trace-connection 0:1' \
    '--trace-limit 1MB'; do
	# shellcheck disable=SC2086
	try 2 run $two $alone
	says 'without --trace'
done
# shellcheck disable=SC2086
try 1 run $two --trace /dev/full --trace-limit 100KB
says '/dev/full'

exit $failed
