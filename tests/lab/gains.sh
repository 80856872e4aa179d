#!/usr/bin/env bash
# Ratios of two points, and what cost ranges say about them: text, JSON, exit
# codes. Few connections and one worker a core keep it short; what is simulated
# is compared with itself.
. "$SRCDIR/tests/try.sh"

mkdir "$tmp/hardware"
cp scenarios/soavailconn.yaml "$tmp"
cp scenarios/hardware/i7-3770.yaml "$tmp/hardware"
sed -e 's/^ngx_request: {cost: [^,]*/ngx_request: {cost: 10us, range: 1us..60us/' \
    -e 's/^sonewconn: {cost: [^,]*/sonewconn: {cost: 2us, range: 1500ns..3us/' \
    scenarios/hardware/e5-2620v2-2way.yaml >"$tmp/hardware/e5-2620v2-2way.yaml"

# scenario VALUE: one point against another, and one alone.
scenario()
{
	cat >"$tmp/gains.yaml" <<END
extends: soavailconn.yaml
run: {start: smooth, ramp: 20ms, warmup: 40ms, measure: 40ms, replications: 2}
peers: {client0: {connections: 200}}
sweep:
  load:
    light: {client0.request: 116B}
    heavy: {client0.request: 1000B}
  object: [1KiB, 8KiB]
ranges:
  request: [ngx_request]
  socket: [sonewconn]
published:
  - where: {load: heavy, object: 8KiB}
    throughput: {value: 250000 /s, tolerance: 100%}
  - where: {load: heavy, object: 8KiB}
    ratio_to: {object: 1KiB}
    throughput: {value: $1}
END
}

scenario '-20 %, tolerance: 100%'
try 0 reproduce "$tmp/gains.yaml"
has '^  over object=1KiB:$'
has '^ throughput gain +-20\.00 % +-[0-9.]+ % +[0-9.]+ % +[-+][0-9.]+pt 100\.00pt predicted ok$'
has '^cost ranges: not run \(--ranges\)$'
has '^2 of 2 cells inside their tolerance$'
gain=$(sed -nE 's/^ throughput gain +-20\.00 % +(-[0-9.]+) %.*/\1/p' "$tmp/out")

try 0 reproduce "$tmp/gains.yaml" --set load=heavy
has '^ throughput gain '
try 0 reproduce "$tmp/gains.yaml" --set load=light
lacks '^ throughput gain '

scenario "$gain %, tolerance: 0.01%"
try 0 reproduce "$tmp/gains.yaml" --ranges
has '^   request +-[0-9.]+ % +-[0-9.]+ % +[0-9]+ %$'
has '^   socket '
has '^   all \(the ends\) .* published (inside|OUTSIDE)$'
has '^   5-95 % range .* published inside$'
has "^   centre +$gain %\$"
has '^   dominant: request \([0-9]+ % of the variance\)$'
lacks '^cost ranges: not'

# Out of all ranges, however wide the tolerance.
scenario '400 %, tolerance: 1000%'
try 1 reproduce "$tmp/gains.yaml" --ranges
has ' predicted ok$'
has 'published OUTSIDE'
has '^1 published gain outside the cost ranges$'

# A cell that is judged by them needs no option.
scenario '400 %, within: ranges'
try 1 reproduce "$tmp/gains.yaml"
has ' ranges predicted MISS$'
lacks '^cost ranges: not'
try 1 reproduce "$tmp/gains.yaml" --json
has '"where": \{"load": "heavy", "server.processes.nginx.object": "8KiB"\}, "ratio_to": \{"load": "heavy", "server.processes.nginx.object": "1KiB"\}, "metric": "throughput_gain_pct", "published": 400\.0000, "simulated": -'
has '"tolerance_pct": null, "role": "predicted", "ok": false, "ranges": \{"judges": true, "centre_pct": '
has '"inside_p5_p95": false, "possible": false, "dominant": "request", "groups": \[\{"name": "request", "low_pct": -[0-9.]+, "high_pct": -[0-9.]+, "variance_share": [0-9.]+\}, \{"name": "socket"'
[ "$(wc -l <"$tmp/out")" = 2 ] || complain 'want two lines'
if command -v node >/dev/null; then
	node -e 'require("fs").readFileSync(0, "utf8").trimEnd().split("\n").forEach(JSON.parse)' \
	    <"$tmp/out" || complain 'not JSON'
elif command -v python3 >/dev/null; then
	python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' \
	    <"$tmp/out" || complain 'not JSON'
fi

# Of what is not published there are none.
scenario x
sed -i 's/{value: x}/unpublished/' "$tmp/gains.yaml"
try 0 reproduce "$tmp/gains.yaml"
has '^ throughput gain .* variant$'
lacks '^cost ranges: '
try 0 reproduce "$tmp/gains.yaml" --ranges
has '^cost ranges: none \(no published ratio_to here\)$'

# --ranges without ratios says that it does nothing.
sed -i '/ratio_to/,$d' "$tmp/gains.yaml"
sed -i '$d' "$tmp/gains.yaml"
try 0 reproduce "$tmp/gains.yaml" --ranges
has '^cost ranges: none \(no published ratio_to here\)$'

# Over a point where nothing was answered there is no gain.
scenario x
sed -i -e 's/heavy: {.*/heavy: {client0.loss: 100%, client1.loss: 100%}/' \
    -e '/^published:/,$d' "$tmp/gains.yaml"
cat >>"$tmp/gains.yaml" <<END
published:
  - where: {load: light}
    ratio_to: {load: heavy}
    throughput: {value: 5 %, tolerance: 1%}
END
try 1 reproduce "$tmp/gains.yaml" --reps 1
has '^ throughput gain +\+5\.00 % +- +- +1\.00pt predicted MISS$'

# Bad input: exit 2, before anything runs.
scenario '5 /s, tolerance: 1%'
try 2 reproduce "$tmp/gains.yaml" --ranges
sed -i 's/, range: 1us[^,]*//' "$tmp/hardware/e5-2620v2-2way.yaml"
scenario '5 %, tolerance: 1%'
try 2 reproduce "$tmp/gains.yaml"

exit $failed
