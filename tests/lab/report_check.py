#!/usr/bin/env python3
"""report_check.py PAGE [EXPRESSION]...: is the page of `solab report` whole?

Its data is JSON, each script's hash is in its policy and nothing else is
allowed, nothing in it refers to the network. Then each expression over the data
`d` must be true."""
import base64
import hashlib
import html.parser
import json
import sys


class Page(html.parser.HTMLParser):
    """The elements that matter, with their texts."""

    def __init__(self):
        super().__init__()
        self.texts = {"script": [], "style": [], "title": []}
        self.policy = self.open = None
        self.refused = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        for name in attrs:
            if name.startswith("on") or name in ("src", "href", "style"):
                self.refused.append(f"<{tag} {name}>")
        if tag in self.texts:
            self.open = tag
            self.texts[tag].append([attrs.get("type"), ""])

    def handle_endtag(self, tag):
        if tag == self.open:
            self.open = None

    def handle_data(self, data):
        if self.open:
            self.texts[self.open][-1][1] += data


def complain(text):
    print(text)
    complain.failed = 1


complain.failed = 0


def source(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def check_policy(page):
    rules = {}
    for rule in page.policy.split("; "):
        name, *sources = rule.split(" ")
        rules[name] = sources
    scripts = [t for kind, t in page.texts["script"] if kind is None]
    want = {
        "default-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "img-src": ["data:"],
        "script-src": [source(t) for t in scripts],
        "style-src": [source(t) for _, t in page.texts["style"]],
    }
    if rules != want:
        complain(f"policy {rules}\nwant   {want}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    page = Page()
    page.feed(text)
    check_policy(page)
    for what in page.refused:
        complain(f"the page has {what}")
    data = [t for kind, t in page.texts["script"] if kind == "application/json"]
    if len(data) != 1 or "<" in data[0]:
        complain("its data is not one script of JSON without `<`")
    d = json.loads(data[0])
    for expression in sys.argv[2:]:
        try:
            ok = eval(expression, {"d": d, "title": page.texts["title"][0][1]})
        except (KeyError, IndexError, TypeError) as error:
            ok = error
        if ok is not True:
            complain(f"not so: {expression}: {ok}")
    sys.exit(complain.failed)


main()
