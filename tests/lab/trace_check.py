#!/usr/bin/env python3
"""trace_check.py FILE [EXPRESSION]...: is a trace in trace-event form whole?

It is JSON, in order of time; on each thread spans nest; each flow begins before
it ends, once each, on a span. Then each expression must be true: `d` is the
trace, `e` its events, `of(phase, category)` some of them (of phase X: spans).
A timeline (of sim/lab/timeline.h) is looked at likewise: `d` is all there is."""
import json
import sys


def whole(test, *what):
    if not test:
        sys.exit(f"{sys.argv[1]}: {what}")


def check_order(events):
    times = [e["ts"] for e in events if e["ph"] != "M"]
    whole(times == sorted(times), "not in order of time")
    named = {(e["pid"], e.get("tid")) for e in events if e["ph"] == "M"}
    for e in events:
        where = (e["pid"], e.get("tid"))
        whole(where in named, "a place without a name", e)


def level(e):
    return ("cost", "syscall").index(e["cat"]) \
        if e["cat"] in ("cost", "syscall") else 2


def check_nesting(events):
    """What begins last ends first, and flows are on what has begun. Returns:
    the spans, as their beginnings with an `end`."""
    spans, begun = [], {}
    for e in events:
        stack = begun.setdefault(e.get("tid"), [])
        if e["ph"] == "B":
            whole(not stack or level(stack[-1]) > level(e), "within", e)
            whole(level(e) == 2 or stack, "of nobody", e)
            stack.append(e)
        elif e["ph"] == "E":
            whole(stack, "ends nothing", e)
            b = stack.pop()
            whole(e["ts"] > b["ts"], "takes no time", b)
            whole(e["name"] == b["name"] and e.get("args") == b.get("args"),
                  "ends another", e, b)
            spans.append({**b, "end": e["ts"]})
        elif e["ph"] in "sf":
            whole(stack, "a flow beside all spans", e)
    whole(not any(begun.values()), "do not end", begun)
    return spans


def check_flows(events):
    begun, ended = {}, set()
    for e in events:
        if e["ph"] == "s":
            whole(e["id"] not in begun, "begins twice", e)
            begun[e["id"]] = e
        elif e["ph"] == "f":
            whole(e["id"] in begun and e["id"] not in ended, "ends", e)
            whole(e["name"] == begun[e["id"]]["name"], "other names", e)
            ended.add(e["id"])
    whole(set(begun) == ended, "do not end", set(begun) - ended)


def check_timeline(d):
    for c in d["cpus"]:
        at = 0
        for start, end, kind, name in c["threads"]:
            whole(start == at and end > start, "threads", c["cpu"], start)
            whole(kind in range(5) and isinstance(name, str), "kind", kind)
            at = end
        whole(at == d["to_ns"] - d["from_ns"], "threads end", c["cpu"], at)
        for spans in ([s, s + n] for s, n, _ in c["costs"]), c["calls"]:
            at = 0
            for start, end, *_ in spans:
                whole(at <= start < end, "spans", c["cpu"], start)
                at = end
    for sent, a, taken, b, _ in d["messages"]:
        whole(sent <= taken and max(a, b) < len(d["cpus"]), "message", sent)
    for t in [m[0] for m in d["marks"]]:
        whole(0 <= t < d["to_ns"] - d["from_ns"], "mark", t)


with open(sys.argv[1], encoding="utf-8") as f:
    d = json.load(f)
if "cpus" in d:
    check_timeline(d)
    e = []
else:
    e = d["traceEvents"]
    check_order(e)
    check_flows(e)
    spans = check_nesting(e)


def of(phase, category=None):
    return [x for x in (spans if phase == "X" else e)
            if (phase == "X" or x["ph"] == phase)
            and category in (None, x.get("cat"))]


for expression in sys.argv[2:]:
    whole(eval(expression), "is not true:", expression)
