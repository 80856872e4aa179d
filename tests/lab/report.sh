#!/usr/bin/env bash
# solab report: the page of a store, what it holds, and what it refuses.
. tests/try.sh
command -v python3 >/dev/null || exit 77
small='--set client0.connections=60 --set client1.connections=60
    --set run.start=smooth --set run.ramp=5ms --warmup 10ms --measure 60ms'

# check PAGE EXPRESSION...
check()
{
	python3 tests/lab/report_check.py "$@" >"$tmp/out" 2>"$tmp/err" ||
	    complain "report_check.py"
}

# A scenario with a name that wants out.
long=$(printf 'x%.0s' {1..1000})
cat >"$tmp/evil.yaml" <<END
extends: $PWD/scenarios/soavailconn.yaml
title: "</script><script>alert('\\"\\\\')</script> <!-- 🐡 $long"
source: "<img src=x onerror=alert(1)>"
END
# shellcheck disable=SC2086
try 0 sweep "$tmp/evil.yaml" $small --set object=1KiB,16KiB \
    --set soavailconn=0,32,8 --reps 2 --db "$tmp/s.db"
cp "$tmp/s.db" "$tmp/<b>&'\"s.db"

try 0 report "$tmp/s.db"
silent_out()
{
	[ ! -s "$tmp/out" ] || complain 'it prints'
}
silent_out
check "$tmp/s.html" 'len(d["points"]) == 6' 'd["version"] == 1' \
    'd["scenarios"][0]["title"].startswith("</script><script>alert(\x27\"")' \
    'len(d["scenarios"][0]["title"]) > 1000 and "\U0001f421" in d["scenarios"][0]["title"]' \
    'd["scenarios"][0]["source"] == "<img src=x onerror=alert(1)>"' \
    '[a["numbers"] for a in d["axes"] if a["short"] == "soavailconn"] == [[0, 8, 32]]' \
    '[a["values"] for a in d["axes"] if a["short"] == "object"] == [["1KiB", "16KiB"]]' \
    'all(p["reps"] == 2 and p["failed"] == 0 for p in d["points"])' \
    'all(p["metrics"]["throughput_rps"][1] is not None for p in d["points"])'
# What adds up: bins to samples, stages to the cycle, the mean in its bins.
check "$tmp/s.html" \
    'all(sum(b[2] for b in p["latency"]["bins"]) == p["samples"] for p in d["points"])' \
    'all(abs(sum(s[2] for s in p["stages"]) - p["metrics"]["cycle_mean_ns"][0]) < 20 for p in d["points"])' \
    'all(abs(sum(s[2] for s in p["stages"] if s[1]) - p["metrics"]["latency_mean_ns"][0]) < 20 for p in d["points"])' \
    'all(sum(l[8] for l in p["listeners"]) == p["counters"]["sockets_accepted"][0] for p in d["points"])' \
    'all(sum(l[6] for l in p["listeners"]) == p["counters"].get("drop_syn_queue_full", [0])[0] for p in d["points"])' \
    'all(p["latency"]["q"] == sorted(p["latency"]["q"]) for p in d["points"])' \
    'all(p["latency"]["q"][d["percentiles"].index(50)] == p["metrics"]["latency_p50_ns"][0] for p in d["points"])' \
    'all([c[2] for c in p["costs"]] == sorted([c[2] for c in p["costs"]], reverse=True) for p in d["points"])'
# Every series is explained; a CPU is never more than busy.
check "$tmp/s.html" \
    'all(set(p["series"]) == set(d["series"]) - {"token_wait_ns"} for p in d["points"])' \
    'd["series"]["so_qlen"]["kind"] == "mean" and d["series"]["requests"]["kind"] == "sum"' \
    'all(s["unit"] and s["help"] for s in d["series"].values())' \
    'all(c[4] is not None and c[2] + 1e-4 > c[3] + c[4] for p in d["points"] for c in p["cpus"])'
# Published values of the points that the scenario's own sweep has.
check "$tmp/s.html" 'len(d["published"]) == 16' \
    '{q["metric"] for q in d["published"]} == {"throughput_rps", "latency_mean_ns", "latency_stdev_ns", "latency_p99_ns"}' \
    '[q["value"] for q in d["published"] if q["where"].count("=0") and "1KiB" in q["where"]][0] == 210279.88' \
    'all(q["simulated"] == [p for p in d["points"] if p["id"] == q["point"]][0]["metrics"][q["metric"]][0] for q in d["published"] if q["metric"] == "throughput_rps")'

# The same store and program, the same bytes.
cp "$tmp/s.html" "$tmp/first.html"
try 0 report "$tmp/s.db"
cmp "$tmp/s.html" "$tmp/first.html" || complain 'two pages of one store differ'

# Names of files are text too.
try 0 report "$tmp/<b>&'\"s.db" -o "$tmp/n.html"
check "$tmp/n.html" "title.endswith('/<b>&\\'\"s.db · solab')" \
    "d[\"store\"].endswith('<b>&\\'\"s.db')"

# Some points only.
try 0 report "$tmp/s.db" -o "$tmp/p.html" --point 2 \
    --point object=16KiB,soavailconn=8
check "$tmp/p.html" 'len(d["points"]) == 2'
try 2 report "$tmp/s.db" -o "$tmp/q.html" --point object=3KiB
says "no point is 'object=3KiB'"
[ ! -e "$tmp/q.html" ] || complain 'a page of a point that is not there'

# Gains of one point over another.
try 0 sweep scenarios/accept-predication.yaml --set case=other --reps 2 \
    --warmup 5ms --measure 30ms --db "$tmp/g.db"
try 0 report "$tmp/g.db"
check "$tmp/g.html" 'len(d["published"]) == 3' \
    '[q["ratio_to"] for q in d["published"]] == [None, None, "soaccept_pred_fast=0"]' \
    'd["published"][2]["value"] == 5.32 and d["published"][2]["half"] is not None' \
    'len(d["points"][0]["tokens"]) == 3' \
    '[a["numbers"] for a in d["axes"] if a["short"] == "case"] == [None]'

# What CPUs do in a window: of the first point that ran, or of one that is named.
try 0 report "$tmp/g.db" --timeline 6ms..7ms \
    --timeline soaccept_pred_fast=1@6ms..7ms
check "$tmp/g.html" '[t["point"] for t in d["timelines"]] == [1, 2]' \
    'all((t["from_ns"], t["to_ns"]) == (6000000, 7000000) for t in d["timelines"])' \
    'all(t["cut"] == 0 for t in d["timelines"])' \
    '[len(c["costs"]) > 0 for c in d["timelines"][0]["cpus"][:5]] == [True] * 4 + [False]' \
    '"accept" in {t["syscalls"][x[2]] for t in d["timelines"][:1] for c in t["cpus"] for x in c["calls"]}' \
    'all(0 <= x[0] <= x[1] <= 1000000 for t in d["timelines"] for c in t["cpus"] for x in c["threads"] + c["calls"])' \
    'all(a[1] <= b[0] for t in d["timelines"] for c in t["cpus"] for a, b in zip(c["threads"], c["threads"][1:]))'
for window in 7ms..6ms 6ms 6..7 '' 6ms..; do
	try 2 report "$tmp/g.db" -o "$tmp/w.html" --timeline "$window"
	says 'want A..B or POINT@A..B'
done
try 2 report "$tmp/g.db" -o "$tmp/w.html" --timeline 30ms..36ms
says 'the window ends at 36ms, the run at 35ms'
for cpus in x 3..1 1.. -1 0..16 1..x; do
	try 2 report "$tmp/g.db" -o "$tmp/w.html" --timeline 6ms..7ms --cpus "$cpus"
	says '--cpus'
done
try 2 report "$tmp/g.db" -o "$tmp/w.html" --timeline 6ms..7ms --cpus 8
says 'no CPU 8, only 0 to 7'
try 2 report "$tmp/g.db" -o -
try 0 report "$tmp/g.db" -o "$tmp/c.html" --timeline 6ms..7ms --cpus 1..2
check "$tmp/c.html" '[len(c["costs"]) > 0 for c in d["timelines"][0]["cpus"][:4]] == [False, True, True, False]'
try 2 report "$tmp/g.db" -o "$tmp/w.html" --timeline soaccept_pred_fast=7@6ms..7ms
says 'no point is'
[ ! -e "$tmp/w.html" ] || complain 'a page with no such window'

# A store in which a run failed, and one in which there is nothing.
sqlite3 "$tmp/s.db" "UPDATE run SET state = 'failed', message = 'no </script> luck'
    WHERE point = 1 AND replication = 1; DELETE FROM run WHERE point = 2"
try 0 report "$tmp/s.db"
check "$tmp/s.html" 'd["points"][0]["failed"] == 1 and d["points"][0]["reps"] == 1' \
    'd["points"][0]["message"] == "no </script> luck"' \
    'd["points"][0]["metrics"]["throughput_rps"][1] is None' \
    'd["points"][1]["reps"] == 0 and d["points"][1]["metrics"] == {}'
# What is not UTF-8, in names of every kind and in the page's title.
cp "$tmp/g.db" "$tmp/u.db"
sqlite3 "$tmp/u.db" "UPDATE scenario SET name = CAST(x'41ff22c3' AS TEXT);
    UPDATE series SET name = CAST(x'41ff22c3' AS TEXT) WHERE name = 'so_qlen'"
try 0 report "$tmp/u.db"
check "$tmp/u.html" 'd["scenarios"][0]["name"] == "A\ufffd\"\ufffd"' \
    'title.startswith("A\ufffd\"\ufffd ")' \
    '"A\ufffd\"\ufffd" in d["points"][0]["series"]'
# Numbers that no run has: the picture of the topology still is one.
cp "$tmp/g.db" "$tmp/u.db"
sqlite3 "$tmp/u.db" "UPDATE run SET measure_ns = 0;
    UPDATE cpu SET busy = 9e999"
try 0 report "$tmp/u.db"
grep -q 'dot failed' "$tmp/err" && complain 'a picture that dot cannot read'
check "$tmp/u.html" 'not any("nan" in g["dot"] for g in d["graphs"])'
sqlite3 "$tmp/u.db" 'UPDATE run SET seed = -1'
try 1 report "$tmp/u.db" -o "$tmp/v.html"
says 'no run of seed 4294967295, replication 0 can be read'
[ ! -e "$tmp/v.html" ] || complain 'a page without a run that it has'
sqlite3 "$tmp/s.db" 'PRAGMA foreign_keys = OFF; DELETE FROM run; DELETE FROM point'
try 0 report "$tmp/s.db"
check "$tmp/s.html" 'd["points"] == [] and d["published"] == []'

# What it refuses.
try 2 report "$tmp/none.db"
says 'none.db'
[ ! -e "$tmp/none.html" ] || complain 'a page of no store'
try 2 report "$tmp/g.db" -o "$tmp/g.db"
says "is the store itself"
try 1 report "$tmp/g.db" -o "$tmp/nowhere/g.html"
says 'nowhere/g.html: No such file'
try 1 report "$tmp/g.db" -o /dev/full
says 'full'
try 2 report
exit $failed
