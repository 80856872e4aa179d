#!/usr/bin/env bash
# --json prints JSON, one object a line, with the members that scripts rely on.
set -euo pipefail
cd "$SRCDIR"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
short='--set run.ramp=20ms --warmup 50ms --measure 100ms --set client0.connections=200 --set client1.connections=200'

if command -v node >/dev/null; then
	parse()
	{
		node -e '
		const lines = require("fs").readFileSync(0, "utf8").trimEnd().split("\n");
		const objects = lines.map((l) => JSON.parse(l));
		for (const o of objects) console.log(Object.keys(o).join(" "));
		const m = objects[0].metrics;
		if (m) console.log(Object.keys(m).join(" "));
		for (const t of objects[0].tokens || [])
			console.log(t.machine, t.token, Object.keys(t).slice(2).join(" "));'
	}
elif command -v python3 >/dev/null; then
	parse()
	{
		python3 -c '
import json, sys
objects = [json.loads(line) for line in sys.stdin]
for o in objects: print(*o)
if "metrics" in objects[0]: print(*objects[0]["metrics"])
for t in objects[0].get("tokens", []):
	print(t["machine"], t["token"], *list(t)[2:])'
	}
else
	echo 'neither node nor python3'
	exit 77
fi

# shellcheck disable=SC2086
"$SOLAB" run scenarios/soavailconn.yaml $short --reps 2 --json 2>/dev/null \
    >"$tmp/run"
parse <"$tmp/run" >"$tmp/keys"
diff - "$tmp/keys" <<'END'
scenario point rep seed warmup_ns measure_ns steady metrics stages counters cpus tokens run
scenario point rep seed warmup_ns measure_ns steady metrics stages counters cpus tokens run
throughput_rps latency_mean_ns latency_stdev_ns latency_p50_ns latency_p90_ns latency_p99_ns latency_p999_ns latency_max_ns cycle_mean_ns requests clocked request_rate_rps littles_law_error_pct goodput_bps receiver_cpu_pct sender_cpu_pct receiver_demand_ns_per_kib sender_demand_ns_per_kib receiver_cpu_sampled_pct
END

# CPUs that share follow their tokens; others have none to follow.
"$SOLAB" run scenarios/accept-predication.yaml --reps 1 --warmup 5ms --measure 20ms \
    --json 2>/dev/null | parse | tail -n +3 >"$tmp/keys"
diff - "$tmp/keys" <<'END'
server listener count gets waits collisions hold_mean_ns hold_max_ns wait_mean_ns wait_max_ns busiest_pct
server listener's knotes count gets waits collisions hold_mean_ns hold_max_ns wait_mean_ns wait_max_ns busiest_pct
server kqueue count gets waits collisions hold_mean_ns hold_max_ns wait_mean_ns wait_max_ns busiest_pct
END

# Stages add up to the cycle, within the rounding of their fourteen entries.
awk '{
	cycle = $0
	sub(/.*"cycle_mean_ns": /, "", cycle)
	sum = 0
	while (match($0, /"mean_ns": [0-9]+/)) {
		sum += substr($0, RSTART + 11, RLENGTH - 11)
		$0 = substr($0, RSTART + RLENGTH)
	}
	if (sum - cycle > 8 || cycle - sum > 8 || sum == 0) {
		print "stages " sum ", cycle " cycle + 0
		exit 1
	}
}' "$tmp/run"

# shellcheck disable=SC2086
"$SOLAB" reproduce scenarios/soavailconn.yaml $short --json 2>/dev/null \
    >"$tmp/cells" || [ $? = 1 ]
parse <"$tmp/cells" | sort -u >"$tmp/keys"
diff - "$tmp/keys" <<'END'
scenario where metric published simulated ci95 error_pct tolerance_pct role ok
END
[ "$(wc -l <"$tmp/cells")" = 24 ]

"$SOLAB" schema | if command -v node >/dev/null; then
	node -e 'JSON.parse(require("fs").readFileSync(0, "utf8"))'
else
	python3 -c 'import json, sys; json.load(sys.stdin)'
fi
