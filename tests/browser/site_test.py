"""The pages of a registry as a browser has them, of 6 models and of 10,000: accessible at three widths, light and dark; a
first page that is soon there; and search, order and two models side by side without a server. PLATTER_SHOTS names a folder
for pictures of all of it."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import accessibility
from browser import CHROMIUM, Browser

PLATTER = os.environ["PLATTER_BINARY"]
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SHOTS = os.environ.get("PLATTER_SHOTS")
WIDTHS, THEMES = (320, 800, 1280), ("light", "dark")
MOST_BYTES = 300_000  # of the first page
MOST_SHOWN = 200      # rows


def run(*arguments):
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def site_of_six(folder):
    for drive in ("quantum-atlas10k", "seagate-cheetah9lp", "hp-c2247", "modern-500gb", "modern-20tb"):
        run(PLATTER, "truth", "virtual:" + drive, "-o", f"{folder}/{drive}.json")
    run(PLATTER, "characterize", "virtual:cache-base?seed=1", "--progress", "none", "-o", f"{folder}/cache-base.json")
    run(PLATTER, "publish", *sorted(path for path in glob.glob(f"{folder}/*.json")), "--registry", f"{folder}/registry")
    run(PLATTER, "registry", "site", "--registry", f"{folder}/registry", "-o", f"{folder}/site")
    return f"{folder}/site"


def site_of_many(folder):
    run(sys.executable, f"{ROOT}/bench/registry/make_folder.py", "10000", f"{folder}/many")
    run(PLATTER, "registry", "site", "--registry", f"{folder}/many", "-o", f"{folder}/pages")
    return f"{folder}/pages"


def entries_of(site):
    """[page, reference, name, gigabytes, rpm, quality, date, latest, standing] of each."""
    with open(f"{site}/entries.js", encoding="utf-8") as file:
        return json.loads(re.search(r"entriesAre\((.*)\);", file.read(), re.DOTALL).group(1))


def looked_at(browser, site, page, name):
    bad = []
    for width in WIDTHS:
        for theme in THEMES:
            browser.said.clear()
            browser.form(width, theme)
            browser.open(f"{site}/{page}")
            if page.startswith("compare"):
                browser.until("document.querySelector('td') !== null")
            bad += [f"{name}, {width} px, {theme}: {what}" for what in sorted(set(accessibility.wrong_with(browser)))]
            if SHOTS:
                browser.picture(f"{SHOTS}/{name}-{width}-{theme}.png")
    return bad


def shown(browser):
    return browser.run("[...document.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")


def typed(browser, words):
    """How many models are found, as the page says it."""
    browser.run(f"(() => {{ const words = document.getElementById('words'); words.value = {json.dumps(words)};"
                "words.dispatchEvent(new Event('input')); })()")
    browser.until("typeof rows !== 'undefined' && rows !== null")
    return int(browser.run("document.getElementById('said').textContent").split()[0])


def searched(browser, site):
    entries = [entry for entry in entries_of(site) if entry[7]]
    browser.form(1280, "light")
    browser.open(f"{site}/index.html")
    bad = []
    for words in (entries[0][2].lower(), "7200", "no such drive", ""):
        expected = [entry for entry in entries
                    if all(word in " ".join(map(str, (entry[2], entry[1], entry[4], entry[6]))).lower() for word in words.split())]
        found = typed(browser, words)
        if found != len(expected):
            bad.append(f"{site}: {found} models are found by '{words}', not {len(expected)}")
        if len(shown(browser)) != min(found, MOST_SHOWN):
            bad.append(f"{site}: {len(shown(browser))} rows are shown of {found}")
    for click, order in ((1, min), (2, max)):
        browser.run("document.querySelector('button[data-column=\"3\"]').click()")
        first = shown(browser)[0][1]
        sizes = {entry[1]: entry[3] for entry in entries}
        if sizes[first] != order(sizes.values()):
            bad.append(f"{site}: by capacity, after {click} clicks, {first} stands first")
    browser.run("[...document.querySelectorAll('tbody input')].slice(0, 2).forEach(box => box.click())")
    if browser.run("document.getElementById('beside').hidden"):
        bad.append(f"{site}: two chosen models cannot be compared")
    return bad + [f"{site}: the console says {each}" for each in browser.said]


def main():
    if not CHROMIUM:
        print("no chromium: skipped (./check --long installs it)")
        sys.exit(77)
    bad = []
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        six, many = site_of_six(folder), site_of_many(folder)
        models = sorted(os.path.relpath(path, six) for path in glob.glob(f"{six}/models/*.html"))
        names = [os.path.basename(model)[:-5] for model in models]
        bad += looked_at(browser, six, "index.html", "list")
        bad += looked_at(browser, six, "compare.html#" + ",".join(names[:2]), "beside")
        for model, name in zip(models, names):
            bad += looked_at(browser, six, model, name)
        bad += looked_at(browser, many, "index.html", "many")
        for site in (six, many):
            bad += searched(browser, site)
        size = os.path.getsize(f"{many}/index.html")
        if size > MOST_BYTES or len(entries_of(many)) != 10000:
            bad.append(f"the first page has {size} bytes for {len(entries_of(many))} entries")
    print("\n".join(bad[:60]) or f"{len(models) + 3} pages are accessible; the first of 10,000 models has {size} bytes")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
