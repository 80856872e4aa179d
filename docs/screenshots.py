#!/usr/bin/python3
"""screenshots.py PAGE FOLDER: the pictures of docs/reading-a-report.md, by the
browser of the tests."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests",
                                "browser"))
from browser import Browser  # noqa: E402


def main():
    page, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with Browser(1180, 900) as b:
        b.open(page)
        for name, section, panel in (
                ("latency", "#latency", "#latency-percentile"),
                ("stages", "#stages", "#stage-bars"),
                ("sweep", "#sweep", "#sweep-curves"),
                ("series", "#series", "#series-drop_syn_queue_full"),
                ("listeners", "#listeners", "#listener-bars"),
                ("timeline", "#timeline", "#timeline-0"),
                ("timeline-limit", "#timeline", "#timeline-1")):
            b.show(section)
            b.wait(f"return document.querySelector({panel!r}) !== null")
            b.show(panel)
            time.sleep(0.5)
            b.screenshot(os.path.join(folder, f"{name}.png"), panel)
        b.script("scrollTo(0, 0)")
        time.sleep(0.3)
        b.screenshot(os.path.join(folder, "page.png"))
        b.resize(390, 844)
        b.open(page)
        b.show("#latency")
        time.sleep(0.5)
        b.screenshot(os.path.join(folder, "phone.png"))
        b.collect()
        if b.requests or b.complaints:
            sys.exit(f"screenshots: {b.requests} {b.complaints}")


main()
