"""Pages of `solab report` whose data is at an edge: one point, none, a run that
failed, equal and zero values, long names, more points than a table has rows.

SHOTS=FOLDER keeps screenshots there, to be looked at."""
import copy
import json
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
try:
    from browser import Browser, solab
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SHOTS = os.environ.get("SHOTS")
DATA = re.compile(r'(<script type="application/json" id="data">)(.*?)'
                  r"(</script>)", re.S)
EVIL = "</script><script>window.broken = 1</script> \"'<b>\U0001f421 " + \
    "x" * 1000
SPEC = "document.querySelector('#{} .chart').spec"
GRAPH = "document.querySelector('#{} .chart').graph"
POINTS = 20_000


class Odd(unittest.TestCase):
    """One real page; each case changes its data."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        base = os.path.join(cls.folder.name, "odd")
        solab("sweep", "scenarios/soavailconn.yaml", "--set",
              "client0.connections=60", "--set", "client1.connections=60",
              "--set", "run.start=smooth", "--set", "run.ramp=5ms",
              "--warmup", "10ms", "--measure", "60ms", "--set",
              "object=1KiB,16KiB", "--set", "soavailconn=0,8,32", "--reps",
              "2", "--db", f"{base}.db")
        solab("report", f"{base}.db")
        with open(f"{base}.html", encoding="utf-8") as file:
            cls.text = file.read()
        cls.data = json.loads(DATA.search(cls.text).group(2))
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.driver.quit()
        cls.folder.cleanup()

    def setUp(self):
        self.b = self.browser
        self.b.resize(1280, 900)
        self.b.dark(False)
        self.b.collect()
        self.b.requests.clear()
        self.b.complaints.clear()
        self.d = copy.deepcopy(self.data)

    def tearDown(self):
        self.b.collect()
        self.assertEqual(self.b.requests, [])
        self.assertEqual(self.b.complaints, [])
        self.assertIsNone(self.b.script("return window.broken || null"))

    def keep(self, n):
        """Only the first points."""
        self.d["points"] = self.d["points"][:n]
        known = {p["id"] for p in self.d["points"]}
        self.d["published"] = [q for q in self.d["published"]
                               if q["point"] in known]

    def open(self):
        """The page of the changed data, with all of its sections drawn."""
        path = os.path.join(self.folder.name, f"{self.id()}.html")
        data = json.dumps(self.d).replace("<", "\\u003c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(DATA.sub(lambda m: m[1] + data + m[3], self.text))
        self.b.open(path)
        ids = self.b.script("return [...document.querySelectorAll("
                            "'section')].map(s => s.id)")
        for section in ids:
            self.b.show(f"#{section}")
            if SHOTS:
                self.b.screenshot(os.path.join(
                    SHOTS, f"{self._testMethodName}-{section}.png"))
        self.assertEqual(self.b.find_all(".body.waiting"), [])
        self.assertLessEqual(self.b.script(
            "return document.documentElement.scrollWidth"), 1280)
        return ids

    def curves(self, panel):
        return self.b.script(f"return {SPEC.format(panel)}.curves.length")

    def text_of(self, css):
        return self.b.script("return document.querySelector(arguments[0])"
                             ".textContent", css)

    def test_no_point(self):
        self.d.update(points=[], published=[], axes=[], graphs=[])
        self.assertEqual(self.open(), ["summary", "provenance"])
        self.assertIn("no point", self.text_of("#summary"))

    def test_one_point_of_one_replication(self):
        self.keep(1)
        self.d["published"] = []
        point = self.d["points"][0]
        point["reps"] = 1
        point["metrics"] = {m: [v[0], None]
                            for m, v in point["metrics"].items()}
        ids = self.open()
        self.assertNotIn("sweep", ids)
        self.assertNotIn("heat", ids)
        self.assertNotIn("published", ids)
        self.assertEqual(self.curves("latency-percentile"), 1)
        self.assertEqual(self.b.find_all("#summary-table .half"), [])

    def test_failed_runs_are_told(self):
        gone, part = self.d["points"][0], self.d["points"][1]
        for key in set(gone) - {"id", "scenario", "label", "at", "key",
                                "model"}:
            del gone[key]
        gone.update(reps=0, failed=2, message=EVIL, samples=0, metrics={})
        part.update(failed=1, message="killed by <b>", samples=0,
                    latency={"q": [], "bins": []},
                    cycle={"q": [], "bins": []})
        part["metrics"] = {m: [None, None] for m in part["metrics"]}
        self.d["published"] = []
        self.open()
        table = self.text_of("#summary-table table")
        self.assertIn("2 failed", table)
        self.assertIn("1 failed", table)
        signs = self.text_of("#summary-table .signs")
        self.assertIn(EVIL, signs)
        self.assertIn("killed by <b>", signs)
        # What has no run cannot be drawn; what has no samples is told.
        self.assertEqual(self.curves("latency-percentile"), 4)
        self.assertFalse(self.b.find(f"#pick-{gone['id']}").is_enabled())
        self.assertIn("1 selected point has no distribution",
                      self.text_of("#latency .warn"))

    def test_all_values_equal(self):
        same = {"q": [1000] * 20, "bins": [[990, 1010, 5]]}
        for point in self.d["points"]:
            point["metrics"] = {m: [5, 0] for m in point["metrics"]}
            point.update(latency=same, cycle=same)
        self.open()
        # One edge: all percentiles at one place, none lost.
        rows = self.b.script(f"const g = {GRAPH.format('latency-ccdf')};"
                             "return [g.numRows(), g.xAxisRange()]")
        self.assertEqual(rows[0], 20)
        self.assertLess(rows[1][0], 3)
        self.assertGreater(rows[1][1], 3)

    def test_zeros_have_no_place_on_logarithmic_axes(self):
        none = {"q": [0] * 20, "bins": [[0, 1, 5]]}
        for point in self.d["points"]:
            point["metrics"] = {m: [0, 0] for m in point["metrics"]}
            point.update(latency=none, cycle=none)
        self.d["published"] = []
        self.open()
        self.assertEqual(self.text_of("#latency-ccdf .plot"),
                         "What there is has no place on a logarithmic axis.")
        self.assertEqual(self.b.script(
            f"return {GRAPH.format('latency-percentile')}.numRows()"), 20)

    def test_names_that_want_out(self):
        for axis in self.d["axes"]:
            axis["short"] = EVIL
            axis["values"] = [EVIL + v for v in axis["values"]]
        for point in self.d["points"]:
            point.update(label=EVIL, failed=1, message=EVIL)
        for cell in self.d["published"]:
            cell.update(where=EVIL, ok=False, missed=EVIL)
        self.d["scenarios"][0].update(name=EVIL, title=EVIL, source=EVIL)
        self.d["sessions"][0]["command"] = EVIL
        self.d["store"] = EVIL
        self.open()
        self.assertEqual(self.b.find_all("main b:not(.readout b)"), [])
        self.assertIn(EVIL, self.text_of("#published-table"))
        self.assertIn(EVIL, self.text_of("#provenance"))
        # The values differ at their ends only, and are told apart.
        names = self.b.script("return solab.data.points.map(p => p.name)")
        self.assertEqual(len(set(names)), len(names))
        self.b.resize(390, 844)
        self.b.script("scrollTo(0, 0)")
        self.assertLessEqual(self.b.script(
            "return document.documentElement.scrollWidth"), 390)

    def test_values_that_want_out(self):
        values = ["<img src=x onerror='window.broken = 1'>", "&lt;", "<b>"]
        for axis in self.d["axes"]:
            axis.update(short="<i>", values=values[:len(axis["values"])])
        self.open()
        self.assertEqual(self.b.find_all(
            "main .plot img, main .plot b, main .plot i"), [])
        shown = self.b.script(
            "return [...document.querySelectorAll('#sweep-curves "
            ".dygraph-axis-label-x, #sweep-curves .dygraph-xlabel')]"
            ".map(e => e.textContent)")
        self.assertLessEqual({"<i>", *values[:2]}, set(shown))

    def test_twenty_thousand_points(self):
        few = self.d["points"]
        self.d["axes"] = [
            {"path": "a", "short": "a", "numbers": list(range(100)),
             "values": [str(i) for i in range(100)]},
            {"path": "b", "short": "b", "numbers": list(range(200)),
             "values": [f"{i}ms" for i in range(200)]}]
        self.d["published"] = []
        heavy = {"latency", "cycle", "stages", "counters", "cpus", "costs",
                 "tokens", "listeners", "series"}
        self.d["points"] = [
            {**{k: v for k, v in few[i % 6].items()
                if i < 6 or k not in heavy}, "id": i + 1,
             "at": [i // 200, i % 200],
             "label": f"a={i // 200} b={i % 200}ms"}
            for i in range(POINTS)]
        self.open()
        self.assertIn("8 of 20,000 points", self.text_of("#legend .note"))
        self.assertEqual(
            len(self.b.find_all("#summary-table tbody tr")), 200)
        self.assertEqual(
            self.text_of("#summary-table .chart > div > button"),
            "19,800 more rows: show 1,000")
        # The last one is found, though the legend had no row for it.
        self.b.show("#summary")
        self.b.find("#find").send_keys("a=99 b=199ms")
        rows = self.b.find_all("#legend tbody tr")
        self.assertEqual(len(rows), 1)
        rows[0].find_element("css selector", "input").click()
        self.b.wait("return solab.selected().some(p => p.id === 20000)")
        self.b.show("#latency")
        self.assertIn("have no distribution", self.text_of("#latency .warn"))

    def test_a_word_that_is_whole_is_not_a_beginning(self):
        """A search for soavailconn=8 does not find soavailconn=80."""
        for point in self.d["points"]:
            point["label"] = point["label"].replace("conn=32", "conn=80")
        self.open()
        found = ("return solab.data.points.filter(p => solab.matches(p, "
                 "arguments[0])).map(p => p.label)")
        whole = self.b.script(found, "soavailconn=8")
        self.assertEqual(len(whole), 2)
        self.assertTrue(all("soavailconn=8" in x.split() for x in whole))
        self.assertEqual(len(self.b.script(found, "soavailconn=80")), 2)
        self.assertEqual(len(self.b.script(found, "16KIB conn=8")), 2)

    def test_zero_stands_apart(self):
        """No line joins "no limit" with the least of the limits."""
        for axis in self.d["axes"]:
            if axis["short"] == "soavailconn":
                axis.update(values=["0", "1", "256"], numbers=[0, 1, 256])
        self.open()
        xs = self.b.script(f"return {SPEC.format('sweep-curves')}.x.ticks")
        at = {text: x for x, text in xs}
        self.assertEqual(at["1"], 0)
        self.assertAlmostEqual(at["256"], 2.408, places=3)
        self.assertLess(at["0"], 0)
        gaps = self.b.script(
            f"return {SPEC.format('sweep-curves')}.curves.map(c => "
            "c.points.filter(p => Number.isNaN(p[1])).map(p => p[0]))")
        for gap in gaps:
            self.assertEqual(len(gap), 1)
            self.assertTrue(at["0"] < gap[0] < 0)

    def test_marks_are_inside(self):
        """A published value far above the curves is seen all the same."""
        first = self.d["points"][0]
        self.d["published"] = [{
            "point": first["id"], "metric": "latency_p99_ns",
            "where": "there", "ratio_to": None, "value": 9e9,
            "simulated": 1, "half": None, "error_pct": -99.9,
            "tolerance_pct": 5, "role": "predicted", "ok": False,
            "missed": None}]
        self.open()
        low, high = self.b.script(
            f"return {GRAPH.format('latency-percentile')}.yAxisRange()")
        self.assertLessEqual(low, 0)
        self.assertGreater(high, 9e9)
        marks = self.b.script(
            f"return {SPEC.format('latency-percentile')}.marks")
        self.assertEqual([(m["x"], m["y"]) for m in marks], [(100, 9e9)])
        self.assertIn("MISS", self.text_of("#published-table tbody"))
        self.assertIn("1 missed", self.text_of("#published-table h3"))

    def test_hover_reads_all_curves(self):
        """Between its own points too: the curves have different ones."""
        self.open()
        self.b.show("#latency-cdf")
        plot = self.b.find("#latency-cdf .plot")
        ActionChains(self.b.driver).move_to_element(plot).perform()
        items = self.b.find_all("#latency-cdf .readout .item")
        at = self.b.script(
            "const c = document.querySelector('#latency-cdf .chart');"
            "const x = c.graph.getValue(c.graph.getSelection(), 0);"
            "return c.spec.curves.filter(l => l.points[0][0] <= x && "
            "l.points[l.points.length - 1][0] >= x).length")
        self.assertGreater(at, 1)
        self.assertEqual(len(items), at)

    def test_values_are_read_by_keys(self):
        self.open()
        self.b.show("#latency-percentile")
        plot = self.b.find("#latency-percentile .plot")
        at = ("const g = " + GRAPH.format("latency-percentile") + ";"
              "return [g.getValue(g.getSelection(), 0), "
              "g.getHighlightSeries()]")
        read = "#latency-percentile .readout"
        plot.send_keys(Keys.SHIFT, Keys.ARROW_RIGHT)
        first = self.b.script(at)
        self.assertIn(" %", self.text_of(f"{read} .at"))
        self.assertEqual(len(self.b.find_all(f"{read} .item.near")), 1)
        plot.send_keys(Keys.SHIFT, Keys.ARROW_RIGHT)
        second = self.b.script(at)
        self.assertGreater(second[0], first[0])
        plot.send_keys(Keys.SHIFT, Keys.ARROW_LEFT)
        self.assertLess(self.b.script(at)[0], second[0])
        plot.send_keys(Keys.SHIFT, Keys.ARROW_UP)
        self.assertNotEqual(self.b.script(at)[1], first[1])

    def test_scale_of_the_percentiles(self):
        for point in self.d["points"]:
            point["latency"]["q"] = [1000 + 10 * i for i in range(20)]
        self.d["published"] = []
        self.open()
        self.b.show("#latency")
        ranges = {}
        for value in ("zero", "part", "log"):
            self.b.script(
                "const s = document.querySelector('#latency-percentile "
                f"option[value={value}]').parentElement; s.value = '{value}';"
                "s.dispatchEvent(new Event('change'))")
            ranges[value] = self.b.script(
                f"return {GRAPH.format('latency-percentile')}.yAxisRange()")
        self.assertLessEqual(ranges["zero"][0], 0)
        self.assertTrue(900 < ranges["part"][0] <= 1000)
        self.assertTrue(900 < 10 ** ranges["log"][0] <= 1000)
        for value, top in (("zero", 1190), ("part", 1190), ("log", 3.0755)):
            self.assertGreaterEqual(ranges[value][1], top)

    def test_paper(self):
        """Light, as wide as a sheet, everything drawn; and back again."""
        self.b.dark(True)
        self.open()
        state = ("return [getComputedStyle(document.body).backgroundColor, "
                 "document.querySelector('#latency-percentile canvas')"
                 ".getBoundingClientRect().width]")
        before = self.b.script(state)
        self.b.script("dispatchEvent(new Event('beforeprint'))")
        colour, width = self.b.script(state)
        self.assertEqual(colour, "rgb(255, 255, 255)")
        self.assertLessEqual(width, 700)
        self.assertEqual(self.b.find_all("nav")[0].is_displayed(), False)
        self.b.script("dispatchEvent(new Event('afterprint'))")
        self.b.show("#latency")
        self.assertEqual(self.b.script(state), before)

    def test_rows_by_keyboard(self):
        self.open()
        self.b.show("#summary")
        box = self.b.find("#summary-table tbody input")
        before = box.is_selected()
        box.send_keys(Keys.SPACE)
        first = self.d["points"][0]["id"]
        self.b.wait(f"return document.querySelector('#pick-{first}').checked"
                    f" !== {str(before).lower()}")
        self.assertEqual(box.is_selected(), not before)
        self.assertEqual(self.b.script(
            f"return solab.selected().some(p => p.id === {first})"),
                         not before)
        # It still has the focus.
        self.assertTrue(self.b.script(
            "return document.activeElement === arguments[0]", box))

    def test_map_swaps_its_axes(self):
        self.open()
        self.b.show("#heat-map")
        down, across = self.b.find_all("#heat-map select")[1:3]
        value = "return arguments[0].value"
        a, c = self.b.script(value, down), self.b.script(value, across)
        self.assertNotEqual(a, c)
        down.send_keys(Keys.END if self.b.script(
            "return arguments[0].lastChild.value", down) == c else Keys.HOME)
        self.b.wait("return document.querySelectorAll('#heat-map select')[1]"
                    f".value === {c!r}")
        self.assertEqual(self.b.script(value, across), a)


if __name__ == "__main__":
    unittest.main()
