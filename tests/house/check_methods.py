"""Holds docs/methods against the tree: a page has its parts, the code that it names is there, the index names each page,
`show --explain` names pages that there are, and every link of the documents leads somewhere, its anchor too. Prints what
is wrong, and ends with 1, where something is."""

import glob
import os
import re
import sys

METHODS = "docs/methods"
DOCUMENTS = ("*.md", "docs/*.md", "docs/methods/*.md", "tests/*/*.md")
PARTS = ("Equation", "What it (?:cannot tell|does not see)", "The paper, and where we differ", "Example", "Code")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def without_code(text):
    return re.sub(r"```.*?```|^    [^\n]*$|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text):
    """As GitHub makes them of headings."""
    found = set()
    for title in re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


def faults_of_links(root):
    faults = []
    for document in sorted(os.path.relpath(path, root) for pattern in DOCUMENTS
                           for path in glob.glob(os.path.join(root, pattern))):
        for target in LINK.findall(without_code(read(root, document))):
            path, _, anchor = target.partition("#")
            if ":" in path:
                continue
            goal = os.path.normpath(os.path.join(os.path.dirname(document), path)) if path else document
            if not os.path.exists(os.path.join(root, goal)):
                faults.append(f"{document}: there is no {target}")
            elif anchor and anchor not in anchors(read(root, goal)):
                faults.append(f"{document}: {goal} has no heading #{anchor}")
    return faults


def faults_of_code(root, page, text):
    table = re.search(r"^## Code\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \|$", table.group(1), re.MULTILINE) if table else []
    faults = [] if rows else [f"{page}: no code is named"]
    for path, names in rows:
        if not os.path.isfile(os.path.join(root, path)):
            faults.append(f"{page}: there is no {path}")
            continue
        words = set(re.findall(r"\w+", read(root, path)))
        named = re.findall(r"`(\w+)`", names)
        faults += [f"{page}: {path} names nothing"] if not named else []
        faults += [f"{page}: {path} has no {name}" for name in named if name not in words]
    return faults


def faults_of_pages(root):
    pages = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(root, METHODS, "*.md")))
    pages.remove("README")
    index = re.findall(r"\]\((\w[\w-]*)\.md\) \|$", read(root, f"{METHODS}/README.md"), re.MULTILINE)
    faults = [f"{METHODS}/README.md: the index lacks {page}" for page in pages if page not in index]
    for page in pages:
        path, text = f"{METHODS}/{page}.md", read(root, f"{METHODS}/{page}.md")
        for part in PARTS:
            if not re.search(rf"^## {part}$", text, re.MULTILINE):
                faults.append(f"{path}: it has no part '{part}'")
        if not re.search(r"^Accuracy: \[[^\]]*\]\(\.\./validation\.md#", text, re.MULTILINE):
            faults.append(f"{path}: it does not say where its accuracy is shown")
        faults += faults_of_code(root, path, text)
    return faults


def faults_of_explanations(root):
    table = re.search(r"kPages\[\] = \{(.*?)\};", read(root, "src/report/explanations.cpp"), re.DOTALL)
    named = re.findall(r'\{"[\w.]*", "([\w-]+)"\}', table.group(1)) if table else []
    if not named:
        return ["src/report/explanations.cpp: kPages names no page"]
    return [f"src/report/explanations.cpp: there is no {METHODS}/{page}.md" for page in sorted(set(named))
            if not os.path.isfile(os.path.join(root, METHODS, f"{page}.md"))]


def main(root):
    faults = faults_of_pages(root) + faults_of_explanations(root) + faults_of_links(root)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
