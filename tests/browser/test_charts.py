"""Stages, CPUs, costs, queues, series, the timeline and the topology of the page
of `solab report`, in a headless Chromium: what they show is what the data says.

SHOTS=FOLDER keeps screenshots there, to be looked at."""
import csv
import json
import os
import re
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(__file__))
try:
    from browser import Browser, solab
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    from selenium.webdriver.common.keys import Keys
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SHOTS = os.environ.get("SHOTS")
DATA = re.compile(r'(<script type="application/json" id="data">)(.*?)'
                  r'(</script>)', re.S)
VIEW = "const v = document.querySelector('#timeline-0 .chart').view;"
# The colour of most of a row of a lane between two times.
MOST = VIEW + """
const [index, from, to] = arguments;
const at = v.drawn.find((d) => d.lane.index === index);
const canvas = v.layers.base.querySelector('canvas');
const x = Math.ceil(v.x(from)), w = Math.max(1, Math.floor(v.x(to)) - x);
const copy = new OffscreenCanvas(canvas.width, canvas.height)
    .getContext('2d', { willReadFrequently: true });
copy.drawImage(canvas, 0, 0);
const bytes = copy.getImageData(x, at.calls.y + at.calls.h - 3, w, 1).data;
const found = new Map();
for (let i = 0; i < bytes.length; i += 4) {
	const hex = '#' + [...bytes.slice(i, i + 3)].map((n) =>
	    n.toString(16).padStart(2, '0')).join('');
	found.set(hex, (found.get(hex) || 0) + 1);
}
return [...found].sort((a, b) => b[1] - a[1])[0][0];
"""


def change(path, name, edit):
    """A page beside another, with other data."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    data = json.loads(DATA.search(text).group(2))
    edit(data)
    text = DATA.sub(lambda m: m.group(1) + json.dumps(data)
                    .replace("</", "<\\/") + m.group(3), text)
    path = os.path.join(os.path.dirname(path), name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Charts(unittest.TestCase):
    """One browser for all cases; each opens a page anew."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        base = os.path.join(cls.folder.name, "charts")
        solab("sweep", "scenarios/soavailconn.yaml", "--set",
              "object=1KiB", "--set", "soavailconn=0,1", "--set",
              "start=smooth", "--set", "ramp=100ms", "--warmup", "200ms",
              "--measure", "200ms", "--reps", "1", "--db", f"{base}.db")
        # Long enough for a batch of accepts, of as many as the queue holds.
        solab("report", f"{base}.db", "--timeline",
              "soavailconn=0@300ms..312ms")
        cls.page = f"{base}.html"
        with open(cls.page, encoding="utf-8") as file:
            cls.data = json.loads(DATA.search(file.read()).group(2))
        cls.timeline = cls.data["timelines"][0]
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.driver.quit()
        cls.folder.cleanup()

    def setUp(self):
        self.b = self.browser
        self.b.resize(1280, 900)
        self.b.dark(False)
        self.b.open(self.page)
        self.b.collect()
        self.b.requests.clear()

    def tearDown(self):
        self.b.collect()
        self.assertEqual(self.b.requests, [])
        self.assertEqual(self.b.complaints, [])

    def shot(self, name):
        if SHOTS:
            self.b.screenshot(os.path.join(SHOTS, f"charts-{name}.png"))

    def csv(self, css):
        file = self.b.download(self.b.find(
            f"{css} .tools button:last-of-type").click)
        with open(file, encoding="utf-8", newline="") as f:
            return list(csv.reader(f))

    def open_timeline(self):
        self.b.show("#timeline")
        self.b.drawn("#timeline-0 canvas")

    def window(self):
        return self.b.script(VIEW + "return [v.from, v.to]")

    def frame(self):
        """Let what was asked for be drawn."""
        self.b.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() =>"
            "requestAnimationFrame(() => done()))")

    def longest(self):
        """Of the data: lane, from, to and accepts of the longest run."""
        calls = self.timeline["syscalls"]
        ends = {calls.index(c) for c in ("recv", "sendfile", "close")}
        best = (None, 0, 0, 0)
        for index, cpu in enumerate(self.timeline["cpus"]):
            accepts = [m[0] for m in self.timeline["marks"]
                       if m[1] == index and m[3] == "accept"]
            run = None
            for start, end, call in cpu["calls"] + [[0, 0, min(ends)]]:
                if call == calls.index("accept"):
                    run = [run[0] if run else start, end]
                elif call in ends and run:
                    n = sum(run[0] <= t <= run[1] for t in accepts)
                    best = max(best, (index, *run, n), key=lambda b: b[3])
                    run = None
        return best

    def test_every_canvas_is_drawn(self):
        for section, canvas in (
                ("stages", "#stage-bars canvas"),
                ("series", "#series-so_qlen canvas"),
                ("cpu", "#cpu-bars canvas"), ("costs", "#cost-bars canvas"),
                ("listeners", "#listener-bars canvas"),
                ("timeline", "#timeline-0 .map canvas"),
                ("timeline", "#timeline-0 .stack canvas")):
            for dark in (False, True):
                with self.subTest(canvas, dark=dark):
                    self.b.dark(dark)
                    self.b.show(f"#{section}")
                    self.assertGreater(max(self.b.drawn(canvas)), 500)
                    self.shot(f"{section}-{'dark' if dark else 'light'}")

    def test_batch_of_accepts_is_seen(self):
        lane, start, end, n = self.longest()
        self.assertGreater(n, 100)
        self.open_timeline()
        self.shot("batch")
        accept, close = self.b.script(
            "return ['accept', 'close'].map(solab.meaning)")
        self.assertEqual(self.b.script(MOST, lane, start, end), accept)
        # After it, what was accepted the time before is closed.
        self.assertEqual(self.b.script(MOST, lane, end + 50_000,
                                       end + 500_000), close)
        cpu = self.timeline["cpus"][lane]
        self.b.wait("return document.querySelector('#timeline-0')"
                    f".textContent.includes('accepts: {n} on "
                    f"{cpu['machine']}.{cpu['cpu']}')")
        [x for x in self.b.find_all("#timeline-0 .tools button")
         if x.text == "longest accept run"][0].click()
        low, high = self.window()
        self.assertLess(low, start)
        self.assertGreater(high, end)

    def test_timeline_zooms(self):
        self.open_timeline()
        whole = self.timeline["to_ns"] - self.timeline["from_ns"]
        self.assertEqual(self.window(), [0, whole])
        stack = self.b.find("#timeline-0 .stack")
        ActionChains(self.b.driver).move_to_element_with_offset(
            stack, 0, 0).click_and_hold().move_by_offset(
                200, 0).release().perform()
        scale = self.b.script(VIEW + "return [v.left, v.width]")
        middle = stack.size["width"] / 2 - scale[0]
        share = whole / (scale[1] - scale[0])
        low, high = self.window()
        self.assertAlmostEqual(low, middle * share, delta=3 * share)
        self.assertAlmostEqual(high - low, 200 * share, delta=3 * share)
        self.frame()
        self.shot("zoomed")
        chart = self.b.find("#timeline-0 .chart")
        chart.send_keys("+")
        self.assertLess(self.window()[1] - self.window()[0], high - low)
        before = self.window()
        chart.send_keys(Keys.ARROW_LEFT)
        self.assertLess(self.window()[0], before[0])
        chart.send_keys("0")
        self.assertEqual(self.window(), [0, whole])
        self.b.find_all("#timeline-0 .tools button")[1].click()
        self.assertEqual(self.window()[1] - self.window()[0], whole / 2)

    def test_timeline_moves(self):
        self.open_timeline()
        self.b.script(VIEW + "v.look(2000000, 4000000)")
        self.frame()
        stack = self.b.find("#timeline-0 .stack")
        scale = self.b.script(VIEW + "return v.scale")
        ActionChains(self.b.driver).key_down(Keys.SHIFT) \
            .move_to_element_with_offset(stack, 0, 0).click_and_hold() \
            .move_by_offset(-100, 0).release().key_up(Keys.SHIFT).perform()
        low, high = self.window()
        self.assertAlmostEqual(low, 2_000_000 + 100 / scale, delta=2 / scale)
        self.assertAlmostEqual(high - low, 2_000_000)
        # The wheel, once it was clicked; the strip that is the whole window.
        ActionChains(self.b.driver).scroll_from_origin(
            ScrollOrigin.from_element(stack), 0, -100).perform()
        self.b.wait(VIEW + f"return v.to - v.from < {high - low}")
        strip = self.b.find("#timeline-0 .map")
        ActionChains(self.b.driver).move_to_element_with_offset(
            strip, strip.size["width"] // 2 - 2, 0).click().perform()
        self.assertEqual(self.window()[1], self.timeline["to_ns"] -
                         self.timeline["from_ns"])

    def test_lanes_become_lower_and_taller(self):
        self.open_timeline()
        height = VIEW + "return v.drawn.map((d) => d.h)"
        before = self.b.script(height)
        chart = self.b.find("#timeline-0 .chart")
        chart.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
        self.frame()
        after = self.b.script(height)
        self.assertLess(after[0], before[0])
        self.assertEqual(after[1:], before[1:])
        chart.send_keys(Keys.ENTER)
        self.frame()
        self.assertEqual(self.b.script(height), before)

    def test_hover_says_what_runs(self):
        cpu = self.timeline["cpus"][1]
        start, end, call = next(c for c in cpu["calls"]
                                if c[1] - c[0] > 5_000 and c[0] > 100_000)
        self.open_timeline()
        self.b.script(VIEW + "v.look(...arguments)", start - 20_000,
                      end + 20_000)
        self.frame()
        x, y, w, h = self.b.script(VIEW + """
            const at = v.drawn[1], { width, height } =
                v.layers.stack.getBoundingClientRect();
            return [v.x(arguments[0]), at.calls.y + 3, width, height]""",
                                   (start + end) / 2)
        ActionChains(self.b.driver).move_to_element_with_offset(
            self.b.find("#timeline-0 .stack"), round(x - w / 2),
            round(y - h / 2)).perform()
        text = self.b.find(".tip").text
        name = self.timeline["syscalls"][call]
        self.assertIn(f"{name}(): {(end - start) / 1000:.4g} µs", text)
        self.assertIn(f"+{start / 1000:,.3f}".rstrip("0"), text)
        self.assertIn("so_qlen server #1", text)

    def test_csv_is_the_visible_window(self):
        self.open_timeline()
        low, high = 2_000_000, 2_100_000
        self.b.script(VIEW + "v.look(...arguments)", low, high)
        rows = self.csv("#timeline-0")
        start = self.timeline["from_ns"]
        expect = [[str(start + a), str(start + b),
                   self.timeline["syscalls"][c]]
                  for cpu in self.timeline["cpus"] if not cpu["peer"]
                  for a, b, c in cpu["calls"] if b > low and a < high]
        self.assertGreater(len(expect), 10)
        self.assertEqual([r[3:] for r in rows if r[2] == "calls"], expect)
        self.assertIn("so_qlen server #0", {r[2] for r in rows})

    def test_search_fades_the_rest(self):
        lane, start, end, _ = self.longest()
        self.open_timeline()
        find = self.b.find("#timeline-0 input[type=search]")
        find.send_keys("sendfile")
        self.frame()
        self.assertEqual(self.b.script(MOST, lane, start, end),
                         self.b.script("return solab.meaning('faint')"))
        self.b.script(VIEW + "v.look(0, 200000)")
        find.send_keys(Keys.ENTER)
        low, high = self.window()
        t = self.timeline
        # Costs have it in their names too.
        middles = [c[0] + c[1] for cpu in t["cpus"] for c in cpu["calls"]
                   if "sendfile" in t["syscalls"][c[2]]] + \
                  [2 * c[0] + c[1] for cpu in t["cpus"] for c in cpu["costs"]
                   if "sendfile" in t["costs"][c[2]]]
        self.assertEqual(min(m for m in middles if m > 200_001), low + high)

    def test_table_of_shares(self):
        self.open_timeline()
        self.b.find("#timeline-0 .numbers summary").click()
        self.b.wait("return document.querySelector('#timeline-0 td')")
        rows = [[d.text for d in r.find_elements("css selector", "td")]
                for r in self.b.find_all("#timeline-0 tbody tr")]
        accept = self.timeline["syscalls"].index("accept")
        ns = sum(c[1] - c[0] for cpu in self.timeline["cpus"]
                 for c in cpu["calls"] if c[2] == accept)
        self.assertIn(f"{ns:,}", [r[3] for r in rows
                                  if r[:2] == ["system call", "accept"]])

    def test_stages_in_percent(self):
        self.b.show("#stages")
        self.b.drawn("#stage-bars canvas")
        rows = self.csv("#stage-bars")
        for point in self.data["points"]:
            for which, column in (("all requests", 2), ("slowest 1 %", 3)):
                bar = [r for r in rows
                       if r[0] == point["label"] and r[1] == which]
                self.assertEqual(sum(float(r[4]) for r in bar), sum(
                    s[column] for s in point["stages"]))
                self.assertAlmostEqual(sum(float(r[5]) for r in bar), 100)
        width = ("return document.querySelector('#stage-bars .chart').things"
                 f".slice(0, {len(rows) // 4}).reduce((sum, t) => "
                 "Math.max(sum, t.x + t.w), 0)")
        before = self.b.script(width)
        self.b.find_all("#stage-bars select")[1].send_keys("percent")
        self.assertGreaterEqual(self.b.script(width), before)
        self.shot("stages-percent")

    def test_keys_walk_over_a_canvas(self):
        self.b.show("#cpu")
        self.b.drawn("#cpu-bars canvas")
        chart = self.b.find("#cpu-bars .chart")
        chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertIn("server, CPU 1:", self.b.find(".tip").text)
        spoken = self.b.script("return document.querySelector("
                               "'#cpu-bars .spoken').textContent")
        netisr = self.data["points"][0]["cpus"][1][3]
        self.assertIn(f"protocol threads: {100 * netisr:.1f} %", spoken)
        chart.send_keys(Keys.ESCAPE)
        self.assertFalse(self.b.find("#cpu-bars .ring").is_displayed())

    def test_costs_against_the_baseline(self):
        self.b.find("#legend .pin").click()
        self.b.show("#costs")
        self.b.drawn("#cost-bars canvas")
        one, two = ({c[1]: c[2] for c in p["costs"] if c[0] == "server"}
                    for p in self.data["points"])
        by = 100 * (two["cache_miss"] / one["cache_miss"] - 1)
        lines = self.b.script(
            "return document.querySelector('#cost-bars .chart').things"
            ".map((t) => t.lines.join(' '))")
        found = [x for x in lines if "cache_miss" in x and "baseline" in x]
        self.assertEqual(len(found), 1)
        self.assertIn(f"(−{abs(by):.1f} %)", found[0])
        rows = self.csv("#cost-bars")
        self.assertAlmostEqual(sum(float(r[1]) for r in rows[1:]),
                               sum(one.values()), places=3)

    def test_series_move_together(self):
        self.b.show("#series")
        self.b.drawn("#series-requests canvas")
        plot = self.b.find("#series-requests .plot")
        ActionChains(self.b.driver).move_to_element(plot).perform()
        row = ("return document.querySelector('#series-{} .chart')"
               ".graph.getSelection()")
        there = self.b.script(row.format("so_qlen"))
        self.assertGreater(there, 0)
        self.assertEqual(there, self.b.script(row.format("requests")))
        readout = self.b.find("#series-requests .readout").text
        self.assertRegex(readout, r"^0\.\d+ s\n")
        self.assertNotIn("null", readout)
        plot.send_keys("+")
        at = ("return document.querySelector('#series-{} .chart')"
              ".graph.xAxisRange()")
        self.assertEqual(self.b.script(at.format("so_qlen")),
                         self.b.script(at.format("requests")))

    def test_topology_is_only_a_picture(self):
        def edit(data):
            data["graphs"][0]["svg"] = (
                '<svg xmlns="http://www.w3.org/2000/svg" width="90pt" '
                'height="40pt"><script>window.broken = 1</script>'
                '<a href="javascript:window.broken=1"><text y="20">a &lt;b'
                '</text></a><foreignObject/><image href="http://x/"/></svg>')
            data["graphs"][1]["svg"] = None
        self.b.open(change(self.page, "graph.html", edit))
        self.b.show("#graph")
        self.b.wait("return document.querySelector('#topology svg')")
        self.assertEqual(self.b.find("#topology svg text").text, "a <b")
        self.assertEqual(self.b.find_all(
            "#topology svg script, #topology svg image, #topology svg "
            "foreignObject, #topology svg [href]"), [])
        self.assertIsNone(self.b.script("return window.broken || null"))
        self.b.find("#topology select").send_keys(Keys.ARROW_DOWN)
        self.b.wait("return document.querySelector('#topology .chart')"
                    ".textContent.includes('no dot')")

    def test_what_is_missing_is_no_error(self):
        def edit(data):
            one, two = data["points"]
            for key in ("stages", "cpus", "costs", "listeners"):
                one[key] = []
            one["series"] = {}
            two["stages"] = [["service", True, None, None]]
            two["cpus"] = [["server", 0, None, None, None]]
            two["costs"] = [["server", "accept", None]]
            two["listeners"] = [["server", 0, 0] + [None] * 6]
            two["series"] = {"requests": [None, 3, None]}
            first = data["timelines"][0]
            first["cpus"][0]["calls"][:0] = [[0, 0, 0], [5, 5, 1]]
            first["cpus"][1]["threads"] = []
            first["marks"].append([5, 999, "nowhere", "drop"])
            first["messages"].append([1, 999, 2, 3, ""])
            first["counters"].append({"name": "so_qlen server #0",
                                      "points": []})
            data["timelines"].append({
                **first, "cpus": [], "marks": [], "messages": [],
                "counters": [], "cut": 7})
        self.b.open(change(self.page, "odd.html", edit))
        for section in ("stages", "series", "cpu", "costs", "listeners",
                        "timeline"):
            self.b.show(f"#{section}")
        self.assertIn("Nothing happened", self.b.find("#timeline-1").text)
        self.b.find("#legend .tools button:last-child").click()
        self.b.wait("return document.querySelector('#stage-bars')"
                    ".textContent.includes('No point is selected')")

    def test_many_spans_stay_fluid(self):
        def edit(data):
            t = data["timelines"][0]
            t["to_ns"] = t["from_ns"] + 200_000 * 500
            for cpu in t["cpus"][:4]:
                cpu["threads"] = [[i * 2000, i * 2000 + 2000, 1 + i % 2, ""]
                                  for i in range(50_000)]
                cpu["calls"] = [[i * 2000, i * 2000 + 900, i % 3]
                                for i in range(50_000)]
        self.b.open(change(self.page, "many.html", edit))
        self.open_timeline()
        ms = self.b.script(VIEW + """
            return Math.min(...[1, 2, 3, 4, 5].map(() => {
                const start = performance.now();
                v.draw();
                return performance.now() - start;
            }))""")
        self.assertLess(ms, 250)

    def test_paper_is_light_and_fine(self):
        self.b.dark(True)
        self.b.show("#stages")
        self.b.drawn("#stage-bars canvas")
        width = ("return document.querySelector('#stage-bars canvas').width /"
                 "parseFloat(document.querySelector('#stage-bars canvas')"
                 ".style.width)")
        self.b.script("window.dispatchEvent(new Event('beforeprint'))")
        self.assertFalse(self.b.script("return solab.isDark()"))
        self.assertEqual(self.b.script(width), 3)
        self.b.script("window.dispatchEvent(new Event('afterprint'))")
        self.assertTrue(self.b.script("return solab.isDark()"))
        self.assertEqual(self.b.script(width), 1)

    def test_phone(self):
        self.b.resize(390, 844)
        self.b.open(self.page)
        for section in ("stages", "cpu", "costs", "listeners", "timeline",
                        "graph"):
            self.b.show(f"#{section}")
            time.sleep(0.2)
            self.shot(f"phone-{section}")
        self.assertLessEqual(self.b.script(
            "return document.documentElement.scrollWidth"), 390)


if __name__ == "__main__":
    unittest.main()
