#!/usr/bin/env python3
"""Prints what the documents promise, and which tests hold it.

A promise is a row of a table with a column `promise` in docs/*.md. A test says that it holds one by a comment in the
block directly above it (in a shell test: in the block at the file's top), for instance
`// holds: safety.md: Without --allow-writes`: the document, and the beginning of the promise, as much of it as no other
promise of the document begins with. What may stand below: TEST_CASE in C++; in Python a class of tests, a test, or a
row that begins with its name in a table of the class (STATES of tests/cli/test_hostile.py).

--check prints what is wrong, and ends with 1, where something is: a promise that no test holds, a comment that fits no
promise or several, one that stands above no test or above one that never runs."""

import ast
import collections
import fnmatch
import glob
import os
import re
import subprocess
import sys

MARKER = re.compile(r"\s*(?://|#)\s*holds(?=:| [\w-]+\.md)(.*)")
WHAT = re.compile(r": ([\w-]+\.md): (\S.*)")
TEST_CASE = re.compile(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)(?:,\s*("[^"]*"))?')
HEAD = """# What is promised, and which tests hold it

A promise is named by its beginning; its document has all of it, and where it ends. In the files of tests `holds:` stands
above each test that holds one.
"""
MOST_WORDS = 6  # of a promise, on the page

NONE = (None, None)
Promise = collections.namedtuple("Promise", "document text")
Holder = collections.namedtuple("Holder", "path line document beginning test")


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def tracked(root):
    """The project's own files that may have tests in them."""
    try:
        listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", root, "ls-files", "tests", "bench"], check=True,
                                text=True, capture_output=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError) as failure:
        sys.exit(f"which files are the project's cannot be told without git and a clone: {failure}")
    return [name for name in listed if name.endswith((".cpp", ".py", ".sh")) and os.path.exists(f"{root}/{name}")]


def cells(row):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip())[1:-1]]


def promises(root):
    found = []
    for path in sorted(glob.glob(os.path.join(root, "docs/*.md"))):
        document = os.path.basename(path)
        column = None
        for line, before in zip((lines := read(root, f"docs/{document}").split("\n")), ["", *lines]):
            if not line.startswith("|"):
                column = None
            elif not before.startswith("|"):
                column = cells(line).index("promise") if "promise" in cells(line) else None
            elif column is not None and not re.fullmatch(r"[|\s:-]+", line):
                found.append(Promise(document, "".join(cells(line)[column:column + 1])))
    return found


def cases_of_cpp(text):
    """{line: (name, why it never runs)} of each test of a C++ source, by the line where it begins."""
    cases = {}
    for case in TEST_CASE.finditer(text):
        name = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', case.group(1))).replace('\\"', '"')
        tags = (case.group(2) or "").replace("[.long]", "")  # run by ctest NAME_long
        hidden = "its tag keeps it from being run" if "[." in tags else None
        cases[text.count("\n", 0, case.start()) + 1] = (f'"{name}"', hidden)
    return cases


def why_skipped(node):
    always = any(ast.unparse(one).startswith("unittest.skip(") for one in node.decorator_list)
    return "it is always skipped" if always else None


def rows_of(one):
    """The line and the name of each row, where that is a table of the class."""
    if isinstance(one, ast.Assign) and isinstance(one.value, ast.Tuple):
        for row in one.value.elts:
            if isinstance(row, ast.Tuple) and row.elts and isinstance(row.elts[0], ast.Constant):
                yield row.lineno, row.elts[0].value


def cases_of_python(text):
    """As above. Decorators are the beginning of what they decorate."""
    cases = {}
    for node in ast.parse(text).body:
        if not isinstance(node, ast.ClassDef) or not node.bases:
            continue
        tests = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name.startswith("test")]
        why = why_skipped(node) or (None if tests else "no test is in it")
        cases[min([node.lineno, *(one.lineno for one in node.decorator_list)])] = (f"`{node.name}`", why)
        for one in tests:
            begins = min([one.lineno, *(each.lineno for each in one.decorator_list)])
            cases[begins] = (f"`{node.name}.{one.name}`", why or why_skipped(one))
        used = {each.attr for one in tests for each in ast.walk(one) if isinstance(each, ast.Attribute)}
        for one in node.body:
            for line, name in rows_of(one):
                unused = None if one.targets[0].id in used else f"no test asks {one.targets[0].id}"
                cases[line] = (f'`{node.name}`: "{name}"', why or unused)
    return cases


def why_unregistered(root, path):
    """Why no ctest runs the file, or None."""
    folder, name = os.path.split(path)

    def words_of(place):
        full = f"{place}/CMakeLists.txt"
        text = read(root, full) if os.path.exists(os.path.join(root, full)) else ""
        return re.sub(r"#.*", "", text)

    stem = os.path.splitext(name)[0]
    named = {name, stem, stem.removeprefix("test_"), stem.removesuffix("_test")} if name.endswith(".py") else {name}
    words = re.findall(r"[\w.*-]+", words_of(folder))  # some are patterns of names
    if any(fnmatch.fnmatchcase(one, word) for one in named for word in words):
        return None
    above, room = os.path.split(folder)
    if name.endswith(".cpp") and re.search(rf"platter_room_tests\({re.escape(room)}\s", words_of(above)):
        return None
    return f"no ctest of {folder}/CMakeLists.txt runs it"


def top_of(lines):
    """How many lines the comment at the top of a file has."""
    return next((number for number, line in enumerate(lines) if not line.startswith("#")), len(lines))


def holders_of(root, path, text):
    """The holders in a file, and what is wrong with those that are none."""
    holders, faults = [], []
    lines = text.split("\n")
    marked = [number for number, line in enumerate(lines, 1) if MARKER.match(line)]
    if not marked:
        return holders, faults
    cases = cases_of_cpp(text) if path.endswith(".cpp") else cases_of_python(text) if path.endswith(".py") else {}
    unregistered = why_unregistered(root, path)
    for number in marked:
        what = WHAT.fullmatch(MARKER.match(lines[number - 1]).group(1))
        below = next((other for other in range(number + 1, len(lines) + 1)
                      if not lines[other - 1].lstrip().startswith(("//", "#"))), 0)
        if path.endswith(".sh"):
            name, why = ("", None) if number <= top_of(lines) else NONE
        else:
            name, why = cases.get(below, NONE)
        why = "no test is below it" if name is None else why or unregistered
        if not what:
            faults.append(f"{path}:{number}: it does not say 'holds: DOCUMENT.md: PROMISE'")
        elif why:
            faults.append(f"{path}:{number}: {why}")
        else:
            holders.append(Holder(path, number, what.group(1), what.group(2).strip(), name))
    return holders, faults


def collected(root, names):
    """{promise: its holders}, and what is wrong."""
    held, faults = {promise: [] for promise in promises(root)}, []
    for path in sorted(names):
        text = read(root, path)
        holders, wrong = holders_of(root, path, text)
        faults += wrong
        for holder in holders:
            meant = [one for one in held if one.document == holder.document and one.text.startswith(holder.beginning)]
            if len(meant) == 1:
                held[meant[0]].append(holder)
            else:
                how_many = f"{len(meant)} promises begin" if meant else "no promise begins"
                faults.append(f"{path}:{holder.line}: {how_many} so in docs/{holder.document}: {holder.beginning}")
    faults += [f"docs/{one.document}: no test holds: {first_sentence(one.text)}" for one, by in held.items() if not by]
    return held, faults


def first_sentence(text):
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.match(r"(.*?)(?:\.(?=\s)|\.?$)", plain).group(1)


def beginning_of(text):
    words = first_sentence(text).split()
    return " ".join(words[:MOST_WORDS]) + (" ..." if len(words) > MOST_WORDS else "")


def page(held):
    text, document = HEAD, None
    for promise, holders in held.items():
        if promise.document != document:
            document = promise.document
            text += f"\n## [{document}]({document})\n\n| promise | held by, in `tests` |\n|---|---|\n"
        files = dict.fromkeys(f"`{one.path.removeprefix('tests/')}`" for one in holders)
        row = [beginning_of(promise.text), ", ".join(files)]
        text += "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n"
    return text


def main(root, how):
    names = tracked(root)
    if how == "--check":
        faults = collected(root, names)[1]
        for fault in faults:
            print(fault)
        return 1 if faults else 0
    sys.stdout.write(page(collected(root, names)[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."), "".join(sys.argv[1:])))
