"""The page of `solab report` in a headless Chromium: what it asks for, what it
draws, and that clicks and keys do what they should.

SHOTS=FOLDER keeps screenshots there, to be looked at."""
import csv
import os
import shutil
import sqlite3
import sys
import tempfile
import time
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
# What runs for a short time with few connections, at 54 points.
SMALL = ["--set", "client0.connections=100", "--set",
         "client1.connections=100", "--set", "run.start=smooth", "--set",
         "run.ramp=5ms", "--warmup", "10ms", "--measure", "200ms"]
EVIL = "</script><script>window.broken = 1</script> \"'<b>\U0001f421 " + \
    "x" * 1000


def make_pages(folder):
    """The page of a sweep with a name that wants out, and one of tokens."""
    scenario = os.path.join(folder, "evil.yaml")
    with open(scenario, "w", encoding="utf-8") as file:
        title = EVIL.replace("\\", "\\\\").replace('"', '\\"')
        file.write(f"extends: {os.getcwd()}/scenarios/soavailconn.yaml\n"
                   f'title: "{title}"\n')
    sweep = os.path.join(folder, "sweep")
    solab("sweep", scenario, *SMALL, "--set", "object=1KiB,16KiB", "--set",
          "soavailconn=0..26+1", "--reps", "2", "--db", f"{sweep}.db")
    solab("report", f"{sweep}.db")
    tokens = os.path.join(folder, "tokens")
    solab("sweep", "scenarios/accept-predication.yaml", "--set", "case=other",
          "--reps", "2", "--warmup", "5ms", "--measure", "40ms", "--db",
          f"{tokens}.db")
    solab("report", f"{tokens}.db", "--timeline",
          "soaccept_pred_fast=0@6ms..8ms")
    return f"{sweep}.html", f"{tokens}.html"


class Page(unittest.TestCase):
    """One browser for all cases; each opens the page anew."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.sweep, cls.tokens = make_pages(cls.folder.name)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.driver.quit()
        cls.folder.cleanup()

    def setUp(self):
        self.b = self.browser
        self.b.resize(1280, 900)
        self.b.dark(False)
        self.b.open(self.sweep)
        self.b.collect()
        self.b.requests.clear()

    def tearDown(self):
        self.b.collect()
        self.assertEqual(self.b.requests, [])
        self.assertEqual(self.b.complaints, [])

    def shot(self, name):
        if SHOTS:
            self.b.screenshot(os.path.join(SHOTS, f"{name}.png"))

    def test_names_of_parameters_are_no_html(self):
        """On axes too: as labels, and as the values of ticks."""
        db = os.path.join(self.folder.name, "names.db")
        shutil.copy(self.sweep.replace(".html", ".db"), db)
        name = "<img src=x onerror=alert(1)>"
        with sqlite3.connect(db) as store:
            store.execute("UPDATE axis SET short = ?1 || short, "
                          "value = ?1 || value", (name,))
        store.close()
        solab("report", db)
        self.b.open(db.replace(".db", ".html"))
        self.b.show("#sweep")
        self.drawn("#sweep canvas")
        self.assertIn(name, self.b.find("#sweep .dygraph-xlabel").text)
        self.assertEqual(self.b.find_all("img"), [])

    def drawn(self, css):
        return self.b.drawn(css)

    def curves(self):
        return self.b.script(
            "return document.querySelector('#latency-percentile .chart')"
            ".spec.curves.length")

    def csv(self, css):
        button = self.b.find(f"{css} .tools button:last-of-type")
        file = self.b.download(button.click)
        with open(file, encoding="utf-8", newline="") as f:
            return list(csv.reader(f))

    def test_it_is_small(self):
        self.assertLess(os.path.getsize(self.sweep), 3_000_000)

    def test_names_stay_text(self):
        self.assertIsNone(self.b.script("return window.broken || null"))
        self.assertEqual(self.b.find("h1").text, EVIL)
        self.assertEqual(self.b.find_all("h1 b"), [])

    def test_every_chart_is_drawn(self):
        for section, canvas in (
                ("latency", "#latency-percentile canvas"),
                ("latency", "#latency-cdf canvas"),
                ("latency", "#latency-ccdf canvas"),
                ("latency", "#latency-histogram canvas"),
                ("stages", "#stage-bars canvas"),
                ("sweep", "#sweep-curves canvas"),
                ("heat", "#heat-map canvas"),
                ("series", "#series-requests canvas"),
                ("cpu", "#cpu-bars canvas"),
                ("costs", "#cost-bars canvas"),
                ("listeners", "#listener-bars canvas")):
            with self.subTest(canvas):
                self.b.show(f"#{section}")
                self.assertGreater(max(self.drawn(canvas)), 500)
                self.shot(f"chart-{section}")

    def test_sections_wait_until_they_are_near(self):
        self.assertEqual(self.b.find_all("#listener-bars"), [])
        self.b.show("#listeners")
        self.b.wait("return document.querySelector('#listener-bars canvas')")

    def test_legend_toggles(self):
        self.b.show("#latency")
        self.drawn("#latency-percentile canvas")
        before = self.curves()
        box = self.b.find("#legend tbody input:not(:checked)")
        box.click()
        self.b.wait("return document.querySelector('#latency-percentile "
                    f".chart').spec.curves.length === {before + 1}")
        box.click()
        self.b.wait("return document.querySelector('#latency-percentile "
                    f".chart').spec.curves.length === {before}")

    def test_forty_curves_are_the_most(self):
        self.b.show("#latency")
        self.drawn("#latency-percentile canvas")
        self.b.find("#legend .tools button").click()
        self.b.wait("return document.querySelector('#latency-percentile "
                    ".chart').spec.curves.length === 40")
        self.assertIn("40 of 54", self.b.find("#legend .note").text)
        self.b.find("#legend .tools button:last-child").click()
        self.b.wait("return document.querySelector('#latency-percentile "
                    ".plot').textContent.includes('No point is selected')")

    def test_a_point_is_found(self):
        self.b.find("#find").send_keys("object=16KiB soavailconn=7")
        rows = self.b.script("return [...document.querySelectorAll("
                             "'#legend tbody tr')].filter(r => !r.hidden)"
                             ".map(r => r.point.name)")
        self.assertEqual(rows, ["object=16KiB soavailconn=7"])

    def test_baseline(self):
        self.b.find("#legend .pin").click()
        self.assertEqual(
            self.b.find("#legend .pin").get_attribute("aria-pressed"), "true")
        self.b.show("#latency")
        self.drawn("#latency-percentile canvas")
        bold = self.b.script(
            "return document.querySelector('#latency-percentile .chart')"
            ".spec.curves.filter(c => c.bold).length")
        self.assertEqual(bold, 1)
        self.b.show("#counters")
        heads = self.b.wait("return document.querySelector("
                            "'#counters-table .unit') && [...document"
                            ".querySelectorAll('#counters-table th')]"
                            ".map(th => th.textContent)")
        self.assertEqual([t.endswith("baseline") for t in heads],
                         [False, True] + [False] * (len(heads) - 2))
        self.assertRegex(self.b.find("#counters-table tbody").text,
                         r"[+−]\d+(\.\d+)? %")

    def test_zoom_by_dragging_and_by_keys(self):
        self.b.show("#latency")
        self.drawn("#latency-percentile canvas")
        graph = ("document.querySelector('#latency-percentile .chart')"
                 ".graph")
        plot = self.b.find("#latency-percentile .plot")
        ActionChains(self.b.driver).move_to_element_with_offset(
            plot, -200, 0).click_and_hold().move_by_offset(
                200, 0).release().perform()
        self.assertTrue(self.b.script(f"return {graph}.isZoomed()"))
        self.shot("zoomed")
        ActionChains(self.b.driver).double_click(plot).perform()
        self.assertFalse(self.b.script(f"return {graph}.isZoomed()"))
        plot.send_keys("+")
        low, high = self.b.script(f"return {graph}.xAxisRange()")
        whole = self.b.script(f"return {graph}.xAxisExtremes()")
        self.assertLess(high - low, whole[1] - whole[0])
        plot.send_keys("0")
        self.assertFalse(self.b.script(f"return {graph}.isZoomed()"))

    def test_hover_reads_out(self):
        self.b.show("#latency")
        self.drawn("#latency-percentile canvas")
        ActionChains(self.b.driver).move_to_element(
            self.b.find("#latency-percentile .plot")).perform()
        text = self.b.find("#latency-percentile .readout").text
        self.assertRegex(text, r"9+(\.\d+)? %")
        self.assertRegex(text, r"soavailconn=\d+ \d+(\.\d+)? (ms|µs)")

    def test_csv_is_what_is_drawn(self):
        self.b.show("#latency")
        self.drawn("#latency-percentile canvas")
        rows = self.csv("#latency-percentile")
        self.assertEqual(rows[0], ["point", "1/(1-percentile)", "ns"])
        shown = self.b.script(
            "return document.querySelector('#latency-percentile .chart')"
            ".spec.curves.flatMap(c => c.points.map(([x, y]) => "
            "[c.name, String(x), String(y)]))")
        self.assertEqual(rows[1:], shown)
        self.b.show("#stages")
        self.drawn("#stage-bars canvas")
        rows = self.csv("#stage-bars")
        data = self.b.script(
            "return solab.selected()[0].stages.filter(s => s[2] > 0)"
            ".reduce((sum, s) => sum + s[2], 0)")
        first = [float(r[4]) for r in rows[1:]
                 if r[0] == rows[1][0] and r[1] == "all requests"]
        self.assertAlmostEqual(sum(first), data, delta=1)

    def test_summary_sorts_and_toggles(self):
        headings = self.b.find_all("#summary-table th button")
        throughput = [x for x in headings if x.text == "throughput"][0]
        values = ("const i = [...document.querySelectorAll('#summary-table "
                  "th')].findIndex(th => th.textContent.startsWith("
                  "'throughput'));"
                  "return [...document.querySelectorAll('#summary-table "
                  "tbody tr')].map(tr => parseFloat(tr.children[i]"
                  ".textContent.replaceAll(',', '')))")
        throughput.click()
        shown = self.b.script(values)
        self.assertEqual(shown, sorted(shown))
        self.assertEqual(len(shown), 54)
        throughput.click()
        self.assertEqual(self.b.script(values), shown[::-1])
        before = self.b.script("return solab.selected().length")
        self.b.find("#summary-table tbody tr.off").click()
        self.b.wait(f"return solab.selected().length === {before + 1}")

    def test_phone(self):
        self.b.resize(390, 844)
        self.b.open(self.sweep)
        for section in ("summary", "latency", "stages", "heat", "series"):
            self.b.show(f"#{section}")
            self.shot(f"phone-{section}")
        width = self.b.script("return document.documentElement.scrollWidth")
        self.assertLessEqual(width, 390)

    def test_dark_and_light(self):
        colour = ("return getComputedStyle(document.body).backgroundColor")
        light = self.b.script(colour)
        self.b.dark(True)
        self.assertNotEqual(self.b.script(colour), light)
        self.b.find("header .tools button").click()
        self.assertEqual(self.b.script(colour), light)
        self.b.find("header .tools button").click()
        self.b.show("#stages")
        self.shot("dark")

    def test_print(self):
        import base64
        pdf = base64.b64decode(self.b.driver.execute_cdp_cmd(
            "Page.printToPDF", {})["data"])
        self.assertGreater(len(pdf), 50_000)
        self.assertEqual(self.b.find_all(".body.waiting"), [])

    def test_keyboard_reaches_everything(self):
        self.b.find("header .tools button").send_keys(Keys.TAB)
        seen = set()
        for _ in range(20):
            seen.add(self.b.script("return document.activeElement.tagName"))
            self.b.driver.switch_to.active_element.send_keys(Keys.TAB)
        self.assertTrue({"A", "SUMMARY", "INPUT"} <= seen or
                        {"A", "INPUT"} <= seen, seen)

    def test_tokens_and_timeline(self):
        self.b.open(self.tokens)
        self.b.show("#tokens")
        self.assertGreater(self.drawn("#tokens-bars canvas")[0], 500)
        self.b.find("#tokens-bars summary").click()
        self.b.wait("return document.querySelectorAll('#tokens-bars tbody "
                    "tr').length === 6")
        self.b.show("#timeline")
        before = self.drawn("#timeline-0 canvas")
        self.assertGreater(before[0], 2000)
        self.shot("timeline")
        view = "document.querySelector('#timeline-0 .chart').view"
        whole = self.b.script(f"return {view}.to - {view}.from")
        self.assertEqual(whole, 2_000_000)
        buttons = self.b.find_all("#timeline-0 .tools button")
        [x for x in buttons if x.text == "+"][0].click()
        self.assertEqual(self.b.script(f"return {view}.to - {view}.from"),
                         whole / 2)
        self.assertNotEqual(self.drawn("#timeline-0 canvas"), before)
        self.shot("timeline-zoomed")
        rows = self.csv("#timeline-0")
        self.assertEqual(rows[0], ["machine", "cpu", "row", "from_ns",
                                   "to_ns", "what"])
        self.assertIn("accept", {r[5] for r in rows if r[2] == "calls"})
        self.b.show("#published")
        self.b.wait("return document.querySelectorAll('#published-table "
                    "tbody tr').length === 3")

    def test_graph_is_embedded(self):
        self.b.open(self.tokens)
        self.b.show("#graph")
        self.b.wait("return document.querySelector('#topology svg text')")
        self.assertEqual(
            self.b.find_all("#topology svg [style], #topology script"), [])
        self.shot("graph")


if __name__ == "__main__":
    unittest.main()
