#!/usr/bin/python3
"""page.py FILE: how long a browser takes to load a page, in ms: the median of
seven, until all that is in view is drawn."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "browser"))
from browser import Browser  # noqa: E402

times = []
with Browser() as b:
    for _ in range(7):
        start = time.monotonic()
        b.open(sys.argv[1])
        b.script("return new Promise(r => requestAnimationFrame("
                 "() => setTimeout(r, 0)))")
        times.append(time.monotonic() - start)
print(f"{sorted(times)[3] * 1000:.0f}")
