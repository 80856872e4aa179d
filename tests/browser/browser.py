"""A headless Chromium for the tests and the documentation's screenshots.

What a page asks the network for, and what its console says, is collected: a
report must do neither."""
import json
import os
import subprocess
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

# How many pixels of each canvas are not those of an empty one.
PIXELS = """
const drawn = (canvas) => {
	const { width, height } = canvas;
	if (width === 0 || height === 0)
		return 0;
	const copy = new OffscreenCanvas(width, height)
	    .getContext('2d', { willReadFrequently: true });
	copy.drawImage(canvas, 0, 0);
	const bytes = copy.getImageData(0, 0, width, height).data;
	let n = 0;
	for (let i = 3; i < bytes.length; i += 4)
		n += bytes[i] > 0;
	return n;
};
return [...document.querySelectorAll(arguments[0])].map(drawn);
"""


def solab(*args):
    """Run the program that is tested; it must succeed."""
    subprocess.run([os.environ["SOLAB"], *args], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Browser:
    """One window. Close it: `with Browser(...) as b`."""

    def __init__(self, width=1280, height=900, dark=False, downloads=None):
        self.downloads = downloads or tempfile.mkdtemp()
        options = Options()
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu",
                     "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--force-device-scale-factor=1", "--lang=en-US",
                     "--disable-background-networking", "--no-first-run"):
            options.add_argument(flag)
        options.add_experimental_option("prefs", {
            "download.default_directory": self.downloads,
            "download.prompt_for_download": False,
        })
        options.set_capability("goog:loggingPrefs",
                               {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(
            options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.resize(width, height)
        self.dark(dark)
        self.requests = []
        self.complaints = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def resize(self, width, height):
        """The size of the page, as a phone or a desktop has it."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1,
            "mobile": width < 600})

    def dark(self, on):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme",
                          "value": "dark" if on else "light"}]})

    def open(self, path):
        """Open a file; returns the seconds until it was loaded."""
        start = time.monotonic()
        self.driver.get("file://" + os.path.abspath(path))
        return time.monotonic() - start

    def script(self, text, *args):
        return self.driver.execute_script(text, *args)

    def find(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def find_all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def wait(self, condition, seconds=10, what=None):
        """Until the script's value is true; returns it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.script(condition)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"never so: {what or condition}")

    def show(self, css):
        """Scroll there, as a reader would, and let it be drawn."""
        self.script("document.querySelector(arguments[0])"
                    ".scrollIntoView({block: 'start'})", css)
        time.sleep(0.3)

    def drawn(self, css):
        """The pixels of canvases, once they are there."""
        self.wait(f"return document.querySelector({css!r}) !== null")
        time.sleep(0.2)
        return self.script(PIXELS, css)

    def collect(self):
        """Take what was logged until now."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            url = message["params"]["request"]["url"]
            if not url.startswith(("file:", "data:", "blob:")):
                self.requests.append(url)
        for entry in self.driver.get_log("browser"):
            self.complaints.append(entry["message"])

    def screenshot(self, file, css=None):
        """Of the window, or of one element, as PNG."""
        if css is None:
            return self.driver.save_screenshot(file)
        return self.find(css).screenshot(file)

    def download(self, click, seconds=10):
        """Do something that downloads a file; returns where it is."""
        before = set(os.listdir(self.downloads))
        click()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            new = [f for f in set(os.listdir(self.downloads)) - before
                   if not f.endswith(".crdownload") and f[0] != "."]
            if new:
                return os.path.join(self.downloads, new[0])
            time.sleep(0.05)
        raise AssertionError("nothing was downloaded")
