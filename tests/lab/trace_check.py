#!/usr/bin/env python3
"""trace_check.py FILE [EXPRESSION]...: is a trace in trace-event form whole?

It is JSON, in order of time; on each thread spans nest; each flow begins before
it ends, once each, on a span. Then each expression must be true: `d` is the
trace, `e` its events, `of(phase, category)` some of them. A timeline (of
sim/lab/timeline.h) is looked at likewise: `d` is all there is."""
import bisect
import json
import sys


def whole(test, *what):
    if not test:
        sys.exit(f"{sys.argv[1]}: {what}")


def ns(us):
    return round(us * 1000)


def check_order(events):
    times = [e["ts"] for e in events if e["ph"] != "M"]
    whole(times == sorted(times), "not in order of time")
    named = {(e["pid"], e.get("tid")) for e in events if e["ph"] == "M"}
    for e in events:
        where = (e["pid"], e.get("tid"))
        whole(where in named, "a place without a name", e)


def check_nesting(events):
    """Returns: by thread, spans that are in no other."""
    spans, open_spans = {}, {}
    for e in events:
        if e["ph"] != "X":
            continue
        where = e["tid"]
        start, end = ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])
        whole(end > start, "a span of no time", e)
        stack = open_spans.setdefault(where, [])
        while stack and stack[-1][1] <= start:
            stack.pop()
        whole(not stack or end <= stack[-1][1], "does not nest", e, stack)
        level = ("cost", "syscall").index(e["cat"]) \
            if e["cat"] in ("cost", "syscall") else 2
        whole(not stack or stack[-1][2] > level, "in its like", e, stack)
        whole(level != 1 or stack, "a system call of nobody", e)
        if not stack:
            spans.setdefault(where, []).append((start, end))
        stack.append((start, end, level))
    return spans


def on_span(spans, t):
    last = bisect.bisect_right(spans, (t, float("inf"))) - 1
    return last >= 0 and t <= spans[last][1]


def check_flows(events, spans):
    begun, ended = {}, set()
    for e in events:
        if e["ph"] not in "sf":
            continue
        whole(on_span(spans.get(e["tid"], []), ns(e["ts"])),
              "a flow beside all spans", e)
        if e["ph"] == "s":
            whole(e["id"] not in begun, "begins twice", e)
            begun[e["id"]] = e
        else:
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
    check_flows(e, check_nesting(e))


def of(phase, category=None):
    return [x for x in e if x["ph"] == phase
            and category in (None, x.get("cat"))]


for expression in sys.argv[2:]:
    whole(eval(expression), "is not true:", expression)
