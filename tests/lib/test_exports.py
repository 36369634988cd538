"""The shared library exports what its header declares, and nothing else; the archive needs nothing
of ours beside itself."""

import glob
import os
import re
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.environ.get("PLATTER_LIBRARY", "")
ARCHIVE = os.environ.get("PLATTER_ARCHIVE", "")


def symbols(*arguments):
    """Names as nm tells them, without versions."""
    listing = subprocess.run(["nm", *arguments], text=True, check=True, capture_output=True).stdout
    return {fields[-1].partition("@")[0] for fields in map(str.split, listing.splitlines())
            if len(fields) >= 2 and not fields[-1].endswith(":")}


@unittest.skipUnless(LIBRARY and ARCHIVE, "PLATTER_LIBRARY and PLATTER_ARCHIVE name no libraries")
class Exports(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(HERE, "../../lib/platter.h"), encoding="utf-8") as file:
            header = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        self.declared = set(re.findall(r"^PLATTER_API [^;(]*?\b(platter_\w+)\(", header,
                                       re.MULTILINE))
        self.assertGreater(len(self.declared), 30)

    def test_the_shared_library(self):
        nodes = set(self.exports_of_map())
        self.assertEqual(symbols("-D", "--defined-only", LIBRARY) - nodes, self.declared)

    def exports_of_map(self):
        """{node of libplatter.map: its functions}"""
        with open(os.path.join(HERE, "../../lib/libplatter.map"), encoding="utf-8") as file:
            nodes = re.findall(r"^(PLATTER_[\d.]+) \{(.*?)\}", file.read(), re.MULTILINE | re.DOTALL)
        return {node: set(re.findall(r"\bplatter_\w+(?=;)", text)) for node, text in nodes}

    def test_versions_of_symbols(self):
        """What a program of version 1.0 asks for is in that node; what comes later gets one of its own."""
        nodes = self.exports_of_map()
        self.assertEqual(set().union(*nodes.values()), self.declared)
        self.assertEqual(sum(map(len, nodes.values())), len(self.declared))
        self.assertEqual(len(nodes["PLATTER_1"]), 48)
        listing = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", LIBRARY], text=True,
                                 check=True, capture_output=True).stdout
        found = dict(re.findall(r"\b(platter_\w+)@@(PLATTER_[\d.]+)", listing))
        self.assertEqual(found, {name: node for node, names in nodes.items() for name in names})

    def test_the_archive(self):
        defined = symbols("--defined-only", ARCHIVE)
        self.assertEqual(self.declared - defined, set())
        lacking = {name for name in symbols("--undefined-only", ARCHIVE) - defined
                   if "platter" in name or ("fmt" in name and not name.startswith("_ZSt"))}
        self.assertEqual(lacking, set())

    def test_every_function_is_tried(self):
        tests = ""
        for path in glob.glob(os.path.join(HERE, "*.cpp")) + [os.path.join(HERE, "tables.h")]:
            with open(path, encoding="utf-8") as file:
                tests += file.read()
        self.assertEqual({name for name in self.declared if name + "(" not in tests}, set())


if __name__ == "__main__":
    unittest.main()
