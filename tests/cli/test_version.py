"""`platter --version`: the version, the commit, and the libraries that run."""

import ctypes
import os
import re
import subprocess
import unittest

from harness import PLATTER, PlatterTest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def runs(library, function):
    """The version of a shared library, from itself."""
    call = getattr(ctypes.CDLL(library), function)
    call.restype = ctypes.c_char_p
    return call().decode()


@unittest.skipUnless(PLATTER, "PLATTER_BINARY names no program")
class Version(PlatterTest):
    def setUp(self):
        super().setUp()
        first, *self.lines = self.platter("--version").splitlines()
        self.told = re.fullmatch(r"platter (\d+\.\d+\.\d+)(?: \(commit ([0-9a-f]{7,40})\))?", first)
        self.assertTrue(self.told, first)

    def test_a_citation_has_the_version_in_both_forms(self):
        version = self.told.group(1)
        self.assertIn(f"version = {{{version}}}", self.platter("--cite"))
        with open(os.path.join(ROOT, "CITATION.cff"), encoding="utf-8") as file:
            self.assertIn(f"\nversion: {version}\n", file.read())

    def test_the_version_has_its_changes(self):
        with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
            self.assertRegex(file.read(), rf"\n## \[{re.escape(self.told.group(1))}\] - \d{{4}}-\d\d-\d\d\n")

    def test_the_soname_is_of_the_major_version_everywhere(self):
        major = self.told.group(1).partition(".")[0]
        named = {"Containerfile": r"libplatter(\d+)_", "docs/packages.md": r"libplatter(?:\.so\.)?(\d+)`",
                 "docs/library.md": r"libplatter\.so\.(\d+)", "lib/python/platter.py": r"libplatter\.so\.(\d+)",
                 "lib/libplatter.map": r"^PLATTER_(\d+)", "examples/python/serve.py": r"libplatter\.so\.(\d+)",
                 "lib/platter.h": r'such as "(\d+)\.\d+\.\d+"', "tests/packages/test_packages.py": r'"libplatter(\d+)"',
                 "tests/lib/test_installed.py": r"libplatter\.so\.(\d+)"}
        for path, pattern in named.items():
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                self.assertEqual(set(re.findall(pattern, file.read(), re.M)), {major}, path)

    @unittest.skipUnless(os.path.exists(os.path.join(ROOT, ".git")), "this is no clone")
    def test_the_commit_is_one_of_the_clone(self):
        self.assertIsNotNone(self.told.group(2))
        kind = subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, "cat-file", "-t", self.told.group(2)],
                              text=True, capture_output=True, check=False)
        self.assertEqual(kind.stdout, "commit\n")

    def test_the_libraries_are_those_that_run(self):
        versions = dict(line.split(maxsplit=1) for line in self.lines)
        self.assertEqual(versions["SQLite"], runs("libsqlite3.so.0", "sqlite3_libversion"))
        self.assertEqual(versions["zlib"], runs("libz.so.1", "zlibVersion"))
        self.assertEqual(versions["zstd"], runs("libzstd.so.1", "ZSTD_versionString"))
        self.assertEqual("libarchive " + versions["libarchive"], runs("libarchive.so.13", "archive_version_string"))
        self.assertEqual(len(versions), 11)
        for name, version in versions.items():
            self.assertRegex(version, r"\A\d+\.\d+", name)


if __name__ == "__main__":
    unittest.main()
