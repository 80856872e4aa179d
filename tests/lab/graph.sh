#!/usr/bin/env bash
# solab graph: pictures of scenarios and of points of a store, and what it
# refuses.
. tests/try.sh
command -v dot >/dev/null || exit 77
small='--set client0.connections=60 --set client1.connections=60
    --set run.start=smooth --set run.ramp=5ms --warmup 10ms --measure 60ms'

# DOT by itself; dot reads it, and draws what is in it.
try 0 graph scenarios/soavailconn.yaml
has 'label="CPU 0, netisr 0"'
has 'label="... 21 CPUs, 2 to 22"'
has 'm0_c0 -> m0_s0_0'
dot -Tplain <"$tmp/out" >"$tmp/plain" 2>"$tmp/err" || complain 'dot refuses it'
[ ! -s "$tmp/err" ] || complain 'dot warns'
cp "$tmp/out" "$tmp/first"
try 0 graph scenarios/soavailconn.yaml -o "$tmp/g.dot"
cmp "$tmp/first" "$tmp/g.dot" || complain 'a file is unlike standard output'

# Accept by message: only where the kernel does so. Messages of the interrupted
# CPU, and who else there is of a shared socket.
try 0 graph scenarios/accept-predication.yaml --set soaccept_pred_fast=0
has 'accept.2.: a message'
has 'm0_w0_0 -> m0_c0 .color="#b03020", dir=both'
has 'm0_c2 -> m0_c7 .color="#b07020"'
has 'interrupts CPU 2'
try 0 graph scenarios/accept-predication.yaml --set soaccept_pred_fast=1
lacks 'accept.2.: a message'
lacks 'm0_w0_0 -> m0_c0 '
try 0 graph scenarios/accept-matrix-30k.yaml --set listener=shared
has '... 21 workers, 2 to 22'
has 'm0_c2 -> m0_s0_0'
has 'm0_s0_0 -> m0_w0_2'

# Nodes of a column lie in the order of their numbers. (y grows upwards.)
ordered()
{
	try 0 graph "$@"
	dot -Tplain <"$tmp/out" >"$tmp/plain"
	for column in m0_n0_p m0_n0_r m0_c m0_s0_ m0_w0_ p; do
		awk -v c="$column" '$1 == "node" && $2 ~ "^" c "[0-9]+$" {
		    print substr($2, length(c) + 1), $4 }' "$tmp/plain" |
		    sort -n | awk 'NR > 1 && $2 >= y { bad = 1 } { y = $2 }
			END { exit bad || NR == 0 }' ||
		    complain "$column: not in order"
	done
	awk '$1 == "graph" && ($3 > 14 || $4 > 10) { exit 1 }' "$tmp/plain" ||
	    complain "too large: $(head -1 "$tmp/plain")"
}
ordered scenarios/soavailconn.yaml
ordered scenarios/accept-predication.yaml --set soaccept_pred_fast=0
ordered scenarios/accept-matrix-30k.yaml --set listener=shared
ordered scenarios/accept-matrix-30k.yaml --set listener=reuseport --set workers=8
ordered scenarios/soavailconn.yaml --set ix.model=82599 --set ix.polling=false
ordered scenarios/soavailconn.yaml --set server.sysctl.net.netisr.ncpus=4 \
    --set workers=96
# Two cards: their ports one below the other, and so their rings.
cat >"$tmp/two.yaml" <<END
extends: $PWD/scenarios/soavailconn.yaml
machines: {server: {nics: {iy: {model: 82599, ports: 2, rate: 10Gbps, latency: 5us}}}}
peers:
  client2: {extends: client0, link: server.iy0}
  client3: {extends: client0, link: server.iy1}
END
ordered "$tmp/two.yaml"
has 'label="iy: TX ring 23.nof each port"'
has 'm0_n1_r7 -> m0_c7 .dir=both'
has 'm0_n1_r23 -> m0_c23 .dir=back'
has 'm0_c7 -> m0_c23 .color'
awk '$1 == "node" { y[$2] = $4 } END { exit y["m0_n0_r23"] <= y["m0_n1_r0"] }' \
    "$tmp/plain" || complain 'rings are not card by card'

# The picture holds nothing that a strict policy would refuse.
for scenario in soavailconn accept-predication accept-matrix-30k; do
	try 0 graph scenarios/$scenario.yaml -o "$tmp/$scenario.svg"
	grep -q '<svg' "$tmp/$scenario.svg" || complain 'no picture'
	grep -q 'font-family="Helvetica,Arial,sans-serif"' "$tmp/$scenario.svg" ||
	    complain 'fonts'
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
has '% busy.nnetisr [0-9]+ %'
has '[0-9]+ requests/s; [0-9.]+ Gbit/s of data sent'
has 'legend .*TABLE'
has 'so_comp 0.n[0-9]+ of 256, at most'
# shellcheck disable=SC2086
try 0 graph scenarios/soavailconn.yaml $small --set object=1KiB \
    --set soavailconn=0 --db "$tmp/s.db"
has '% busy.nnetisr'
ordered scenarios/soavailconn.yaml --db "$tmp/s.db" --point soavailconn=8
try 2 graph scenarios/accept-predication.yaml --db "$tmp/s.db" --point 1
says 'point 1 is of soavailconn, not of accept-predication'
try 2 graph scenarios/soavailconn.yaml --db "$tmp/s.db" --point 1 --set workers=2
says 'no --set'
try 2 graph scenarios/soavailconn.yaml --db "$tmp/s.db"
says 'choose with --point'
grep -q 'another version' "$tmp/err" && complain 'it is this version'
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
"$SOLAB" graph scenarios/soavailconn.yaml >/dev/full 2>"$tmp/err"
[ $? = 1 ] || complain 'status of a full disk'
says 'standard output: No space left'
try 2 graph scenarios/none.yaml
try 2 graph "$tmp/s.db"
says 'a store of results, no scenario|larger than 1 MiB'

# The same point, of another version of the model, is not this one.
cp "$tmp/s.db" "$tmp/old.db"
sqlite3 "$tmp/old.db" "UPDATE point SET model = 'x', key = 'x' || key;" ||
    complain 'the store cannot be changed'
# shellcheck disable=SC2086
try 2 graph scenarios/soavailconn.yaml $small --set object=1KiB \
    --set soavailconn=0 --db "$tmp/old.db"
says 'soavailconn=0.* .of another version of the model.'

# dot that fails, or prints nothing.
mkdir "$tmp/bin"
for does in 'exit 3' 'exit 0' 'kill -9 $$'; do
	what="dot: $does"
	printf '#!/bin/sh\n%s\n' "$does" >"$tmp/bin/dot"
	chmod +x "$tmp/bin/dot"
	PATH=$tmp/bin:$PATH "$SOLAB" graph scenarios/soavailconn.yaml \
	    -o "$tmp/f.svg" >"$tmp/out" 2>"$tmp/err" </dev/null
	[ $? = 1 ] || complain 'status'
	says 'solab: dot (failed|printed nothing)'
	[ ! -e "$tmp/f.svg" ] || complain 'it wrote something'
done

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
