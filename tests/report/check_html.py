"""Exit status 0 if the file is a page as `platter report` promises it: well-formed as XML and HTML5, ids unique,
nothing that is fetched, run or submitted. Else the reason on standard output."""
import re
import sys
import xml.etree.ElementTree
from html.parser import HTMLParser

VOID = {"meta", "br", "hr"}
ALLOWED = set("""html head b meta title style body main header footer article nav ul li a h1 h2 h3 h4 p dl dt dd div small
    table thead tbody tr th td figure figcaption svg g defs desc path rect circle use text tspan polygon polyline
    filter feflood fecomposite""".split())


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.targets = [], [], []

    def handle_starttag(self, tag, attributes):
        self.element(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.element(tag, attributes)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> at {self.getpos()} closes nothing"

    def element(self, tag, attributes):
        assert tag in ALLOWED, f"<{tag}> at {self.getpos()}"
        for name, value in attributes:
            assert not name.startswith("on") and name not in ("src", "srcset", "action", "data", "xlink:href"), name
            if name == "id":
                self.ids.append(value)
            if name == "href":
                assert value.startswith("#"), value
                self.targets.append(value[1:])
            assert not re.search(r"url\((?!#)", value or ""), value


text = open(sys.argv[1], encoding="utf-8").read()
try:
    assert text.startswith("<!DOCTYPE html>\n")
    xml.etree.ElementTree.fromstring(text)
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, f"not closed: {page.open}"
    assert len(page.ids) == len(set(page.ids)), "ids that are not unique"
    assert set(page.targets) <= set(page.ids), set(page.targets) - set(page.ids)
    style = text[text.index("<style>"):text.index("</style>")]
    assert not re.search(r"url\(|@import|</?[a-z]+ ", style), "the style sheet refers to something"
    assert not re.search(r"https?:", text), "an address"
except (AssertionError, xml.etree.ElementTree.ParseError) as error:
    print(error)
    sys.exit(1)
