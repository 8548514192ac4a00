# %%
html = """<html><body><h1>Books</h1>
<ul id="list"><li class="book" data-price="12.5">Dune</li><li class="book" data-price="8">Emma</li></ul>
<table><tr><th>Name</th><th>Qty</th></tr><tr><td>Pen</td><td>3</td></tr><tr><td>Cup</td><td>1</td></tr></table>
<a href="/a.html">A</a> <a href="https://x.org/b">B</a></body></html>"""
# %%
from html.parser import HTMLParser


class BookParser(HTMLParser):
    def __init__(self):
        super().__init__()
        self.books = []
        self.links = []
        self._in = False

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "li":
            self._in = True
            self.books.append({"price": float(attrs["data-price"])})
        if tag == "a":
            self.links.append(attrs["href"])

    def handle_data(self, data):
        if self._in:
            self.books[-1]["title"] = data

    def handle_endtag(self, tag):
        if tag == "li":
            self._in = False
# %%
parser = BookParser()
# %%
parser.feed(html)
# %%
parser.books
# %%
from urllib.parse import urljoin, urlparse

[urljoin("https://shop.test/x/", link) for link in parser.links]
# %%
urlparse(parser.links[1])
# %%
import xml.etree.ElementTree as ET

root = ET.fromstring("<r><i k='1'>one</i><i k='2'>two</i></r>")
root
# %%
[(e.tag, e.attrib, e.text) for e in root]
# %%
new = ET.SubElement(root, "i", k="3")
new.text = "three"
# %%
ET.tostring(root)
# %%
import json

data = json.loads('{"items": [{"n": 1}, {"n": 2}]}')
print(json.dumps(data, indent=2))
# %%
import csv
import io

buf = io.StringIO()
w = csv.DictWriter(buf, fieldnames=["title", "price"])
w.writeheader()
# %%
for b in parser.books:
    w.writerow(b)
print(buf.getvalue())
# %%
reader = csv.DictReader(io.StringIO(buf.getvalue()))
# %%
for row in reader:
    print(row["title"], row["price"])
# %%
from IPython.display import HTML, display, Markdown

display(HTML("<b>done</b>"))
Markdown("**end**")
