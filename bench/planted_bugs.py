#!/usr/bin/env python3
"""Plants small bugs in a copy of the sources, one after the other, and checks that the tests see them.

    planted_bugs.py [WORD...]     only the bugs whose room or file has one of the words
    planted_bugs.py --texts       plants none, but checks that each still has its place, and that
                                  every room of docs/architecture.md with C++ sources has two

planted_bugs.json lists them: a text that occurs once in a file, what takes its place, and the test
(of ctest) that must fail. A bug that is not seen is a test that is missing.
"""

import collections
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LEAST_OF_A_ROOM = 2
NOT_COPIED = shutil.ignore_patterns(".git", "build", "quickstart-results")


def planted_in(content, bug):
    """A file's content with the bug in it; None where the bug's text does not occur exactly once."""
    if content.count(bug["search"]) != 1:
        return None
    return content.replace(bug["search"], bug["replace"])


def lost_places(bugs):
    lost = []
    for bug in bugs:
        path = os.path.join(ROOT, bug["file"])
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if planted_in(file.read(), bug) is not None:
                    continue
        lost.append(f"{bug['file']} does not have the text exactly once that the planted bug "
                    f"\"{bug['what']}\" replaces; bring bench/planted_bugs.json up to date")
    return lost


def rooms_with_sources():
    """Of the table in docs/architecture.md, without what has no line of its own there (tests/, bench/)."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "house"))
    from check_includes import ARCHITECTURE, read_table  # pylint: disable=import-outside-toplevel
    with open(os.path.join(ROOT, ARCHITECTURE), encoding="utf-8") as file:
        rooms, _ = read_table(file.read())
    return [room for room in rooms if glob.glob(os.path.join(ROOT, room, "*.cpp"))]


def short_of_bugs(rooms, bugs):
    """A room's bugs are those in its own files, not in those of a room below it."""
    number = collections.Counter(os.path.dirname(bug["file"]) for bug in bugs)
    return [f"{room} has {number[room]} planted bugs; add to bench/planted_bugs.json, for each room has "
            f"{LEAST_OF_A_ROOM} at least" for room in rooms if number[room] < LEAST_OF_A_ROOM]


class Tree:
    """The copy, and its build."""

    def __init__(self, folder):
        self.source, self.build = os.path.join(folder, "source"), os.path.join(folder, "build")
        shutil.copytree(ROOT, self.source, ignore=NOT_COPIED)
        self.run("cmake", "-S", self.source, "-B", self.build, "-G", "Ninja",
                 "-DCMAKE_CXX_FLAGS=-O1")

    @staticmethod
    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")

    def build_test(self, test):
        self.run("cmake", "--build", self.build, "--target",
                 "platter" if test.startswith("cli_") else f"test_{test}")

    def passes(self, test):
        done = subprocess.run(["ctest", "--test-dir", self.build, "-R", f"^{test}$",
                               "--no-tests=error"], capture_output=True, text=True, check=False)
        return done.returncode == 0

    def replace(self, bug):
        """The file's old content."""
        with open(os.path.join(self.source, bug["file"]), encoding="utf-8") as file:
            content = file.read()
        self.write(bug, planted_in(content, bug))
        return content

    def write(self, bug, content):
        with open(os.path.join(self.source, bug["file"]), "w", encoding="utf-8") as file:
            file.write(content)


def verdict(tree, bug):
    content = tree.replace(bug)
    try:
        tree.build_test(bug["room"])
        return "NOT SEEN" if tree.passes(bug["room"]) else "seen"
    finally:
        tree.write(bug, content)


def main():
    with open(os.path.join(ROOT, "bench", "planted_bugs.json"), encoding="utf-8") as file:
        bugs = json.load(file)
    lost = lost_places(bugs) + short_of_bugs(rooms_with_sources(), bugs)
    if lost or sys.argv[1:] == ["--texts"]:
        sys.exit("\n".join(lost) or 0)
    words = sys.argv[1:]
    bugs = [bug for bug in bugs
            if not words or any(word in bug["room"] + " " + bug["file"] for word in words)]
    if not bugs:
        sys.exit(f"planted_bugs.py: no bug has {' or '.join(words)} in its room or file")
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        for room in sorted({bug["room"] for bug in bugs}):
            tree.build_test(room)
            if not tree.passes(room):
                sys.exit(f"planted_bugs.py: {room} fails without any planted bug; mend that first")
        for bug in bugs:
            began = time.monotonic()
            seen = verdict(tree, bug)
            missed += seen != "seen"
            print(f"{seen:9} {time.monotonic() - began:4.0f} s  {bug['room']}: {bug['what']}",
                  flush=True)
    print(f"{len(bugs) - missed} of {len(bugs)} planted bugs are seen")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
