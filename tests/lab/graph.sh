#!/usr/bin/env bash
# solab graph: pictures of scenarios and of points of a store, and what it
# refuses.
. tests/try.sh
command -v dot >/dev/null || exit 77
small='--set client0.connections=60 --set client1.connections=60
    --set run.start=smooth --set run.ramp=5ms --warmup 10ms --measure 60ms'

# DOT by itself; dot reads it, and draws what is in it.
try 0 graph scenarios/soavailconn.yaml
has 'label="CPU 0.nnetisr 0"'
has 'm0_c0 -> m0_s0_0'
dot -Tplain <"$tmp/out" >"$tmp/plain" 2>"$tmp/err" || complain 'dot refuses it'
[ ! -s "$tmp/err" ] || complain 'dot warns'
cp "$tmp/out" "$tmp/first"
try 0 graph scenarios/soavailconn.yaml -o "$tmp/g.dot"
cmp "$tmp/first" "$tmp/g.dot" || complain 'a file is unlike standard output'

# Accept by message: only where the kernel does so.
try 0 graph scenarios/accept-predication.yaml --set soaccept_pred_fast=0
has 'accept.2.: a message'
try 0 graph scenarios/accept-predication.yaml --set soaccept_pred_fast=1
lacks 'a message",'

# The picture holds nothing that a strict policy would refuse.
for scenario in soavailconn accept-predication accept-matrix-30k; do
	try 0 graph scenarios/$scenario.yaml -o "$tmp/$scenario.svg"
	grep -q '<svg' "$tmp/$scenario.svg" || complain 'no picture'
	grep -nE ' style=|<script|<image|href="[^"]' "$tmp/$scenario.svg" &&
	    complain 'it needs more than shapes'
done

# Names are text.
cat >"$tmp/evil.yaml" <<END
extends: $PWD/scenarios/soavailconn.yaml
title: "</script> \\"x\\" \\\\N \\\\ <b>&lt; 🐡"
END
try 0 graph "$tmp/evil.yaml" -o "$tmp/e.svg"
grep -qF '&lt;/script&gt; &quot;x&quot; \N \ &lt;b&gt;&amp;lt; 🐡' "$tmp/e.svg" ||
    complain 'the title is not as it was'
# shellcheck disable=SC2046
sed 's/^title:.*/title: '"$(printf 'y%.0s' {1..1000})"'/' "$tmp/evil.yaml" >"$tmp/long.yaml"
try 0 graph "$tmp/long.yaml"
has 'y{90}…'

# Loads.
# shellcheck disable=SC2086
try 0 sweep scenarios/soavailconn.yaml $small --set object=1KiB \
    --set soavailconn=0,8 --db "$tmp/s.db"
try 0 graph scenarios/soavailconn.yaml --db "$tmp/s.db" --point soavailconn=8
has '% busy, netisr'
has 'so_comp 0.n[0-9]+ of 256, at most'
# shellcheck disable=SC2086
try 0 graph scenarios/soavailconn.yaml $small --set object=1KiB \
    --set soavailconn=0 --db "$tmp/s.db"
has '% busy, netisr'
try 2 graph scenarios/soavailconn.yaml --db "$tmp/s.db"
says 'choose with --point'
says 'soavailconn=8'
try 2 graph scenarios/soavailconn.yaml --db "$tmp/s.db" --point soavailconn=9
says 'no point is'
try 2 graph scenarios/soavailconn.yaml --db "$tmp/none.db"
try 2 graph scenarios/soavailconn.yaml --point 1
says '--point without --db'
try 2 graph scenarios/soavailconn.yaml -o "$tmp/g.png"
says 'want a name that ends in .svg or .dot'
[ ! -e "$tmp/g.png" ] || complain 'it wrote something'
try 1 graph scenarios/soavailconn.yaml -o "$tmp/nowhere/g.dot"
says 'No such file'
try 2 graph scenarios/none.yaml

# Without dot: a word, and the source all the same.
what='no dot'
PATH=$tmp "$SOLAB" graph scenarios/soavailconn.yaml -o "$tmp/n.svg" \
    >"$tmp/out" 2>"$tmp/err" </dev/null
[ $? = 1 ] || complain 'status'
says 'no dot to draw with'
[ ! -e "$tmp/n.svg" ] || complain 'it wrote something'
PATH=$tmp "$SOLAB" report "$tmp/s.db" -o "$tmp/n.html" >"$tmp/out" 2>"$tmp/err" ||
    complain 'no report without dot'
grep -q '"svg":null' "$tmp/n.html" || complain 'a picture without dot'
exit $failed
