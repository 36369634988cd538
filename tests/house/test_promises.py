"""What the table of promises is for: each thing that may be wrong with it, planted into a small tree, is found."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
sys.path.insert(0, HERE)

import promises  # noqa: E402

SAFETY = """# Safety

| promise | where it ends |
|---|---|
| No [sector](#x) is written. It is read. | here |
| No setting stays, `a \\| b` | |

| other | promise |
|---|---|
| 1 | A shell holds this. |

| no such column |
|---|
| No promise. |
"""
HOLDS = "holds" + ": safety.md: "  # in two pieces, lest it hold something here
CPP = f"""// A test.
// {HOLDS}No [sector]
// Of sectors.
TEST_CASE("nothing is "
          "written", "[room]") {{
}}
"""
PYTHON = f'''import unittest


class Settings(unittest.TestCase):
    # {HOLDS}No setting
    @each(ALL)
    def test_back(self):
        self.ask(self.STATES)

    STATES = (
        # {HOLDS}No setting
        ("half a page", 1),
        ("a page", 2),
    )
'''
SHELL = f"#!/bin/bash\n# {HOLDS}A shell\n\n# Below.\necho\n"
FILES = {
    "docs/safety.md": SAFETY,
    "tests/CMakeLists.txt": "platter_room_tests(room USES platter_room)\n",
    "tests/room/room_test.cpp": CPP,
    "tests/cli/CMakeLists.txt": "platter_cli_test(settings)\n",
    "tests/cli/test_settings.py": PYTHON,
    "tests/uml/CMakeLists.txt": "uml_test(uml_shell shell.sh)\n",
    "tests/uml/shell.sh": SHELL,
}
TABLE = """
## [safety.md](safety.md)

| promise | held by, in `tests` |
|---|---|
| No sector is written | `room/room_test.cpp` |
| No setting stays, `a \\| b` | `cli/test_settings.py` |
| A shell holds this | `uml/shell.sh` |
"""


class Planted(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = holder.name
        for path, text in FILES.items():
            self.write(path, text)
        self.names = [path for path in FILES if path.endswith((".cpp", ".py", ".sh"))]

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def plant(self, path, old, new):
        """What is found when `new` stands in the place of `old`."""
        text = promises.read(self.root, path)
        self.assertIn(old, text)
        self.write(path, text.replace(old, new, 1))
        return promises.collected(self.root, self.names)[1]

    def test_nothing_is_wrong_and_the_page_says_it(self):
        held, faults = promises.collected(self.root, self.names)
        self.assertEqual(faults, [])
        self.assertEqual(promises.page(held), promises.HEAD + TABLE)

    def test_a_promise_that_nothing_holds(self):
        self.assertEqual(self.plant("docs/safety.md", "| 1 |", "| Too few. |\n| 2 | Nobody holds this. |\n| 1 |"),
                         ["docs/safety.md: no test holds: ", "docs/safety.md: no test holds: Nobody holds this"])

    def test_a_holder_that_is_taken_away(self):
        self.assertEqual(self.plant("tests/room/room_test.cpp", f"// {HOLDS}No [sector]\n", ""),
                         ["docs/safety.md: no test holds: No sector is written"])

    def test_a_promise_that_is_not_there(self):
        self.assertEqual(self.plant("tests/uml/shell.sh", "A shell", "A shall"),
                         ["tests/uml/shell.sh:2: no promise begins so in docs/safety.md: A shall",
                          "docs/safety.md: no test holds: A shell holds this"])
        self.assertIn("tests/cli/test_settings.py:5: no promise begins so in docs/saftey.md: No setting",
                      self.plant("tests/cli/test_settings.py", "safety.md", "saftey.md"))

    def test_a_beginning_of_two_promises(self):
        self.assertIn("tests/room/room_test.cpp:2: 2 promises begin so in docs/safety.md: No",
                      self.plant("tests/room/room_test.cpp", "No [sector]", "No"))

    def test_what_does_not_say_what_is_held(self):
        for wrong in ("holds" + ": No [sector]", "holds" + " safety.md: No [sector]", "holds" + ":"):
            self.setUp()
            self.assertIn("tests/room/room_test.cpp:2: it does not say 'holds: DOCUMENT.md: PROMISE'",
                          self.plant("tests/room/room_test.cpp", HOLDS + "No [sector]", wrong))

    def test_a_test_that_is_gone(self):
        for path, old, new, line in (
                ("tests/room/room_test.cpp", "TEST_CASE(", "void nothing(", 2),
                ("tests/room/room_test.cpp", "TEST_CASE(", "\nTEST_CASE(", 2),
                ("tests/cli/test_settings.py", "test_back", "back", 5),
                ("tests/cli/test_settings.py", '("half a page", 1),\n', "", None),
                ("tests/cli/test_settings.py", "(unittest.TestCase)", "", 5),
                ("tests/uml/shell.sh", "#!/bin/bash", "#!/bin/bash\n\n", 4)):
            self.setUp()
            found = self.plant(path, old, new)
            if line is None:  # the row below holds it now
                self.assertEqual(found, [])
            else:
                self.assertIn(f"{path}:{line}: no test is below it", found)

    def test_a_test_that_never_runs(self):
        for path, old, new, why in (
                ("tests/room/room_test.cpp", '"[room]"', '"[.room]"', "its tag keeps it from being run"),
                ("tests/cli/test_settings.py", "@each(ALL)", '@unittest.skip("slow")', "it is always skipped"),
                ("tests/cli/test_settings.py", "class Settings", '@unittest.skip("slow")\nclass Settings',
                 "it is always skipped"),
                ("tests/cli/test_settings.py", "self.STATES", "self.OTHERS", "no test asks STATES"),
                ("tests/CMakeLists.txt", "platter", "# platter", "no ctest of tests/room/CMakeLists.txt runs it"),
                ("tests/cli/CMakeLists.txt", "(settings)", "(others)", "no ctest of tests/cli/CMakeLists.txt runs it"),
                ("tests/uml/CMakeLists.txt", "shell.sh", "", "no ctest of tests/uml/CMakeLists.txt runs it")):
            self.setUp()
            found = self.plant(path, old, new)
            self.assertTrue(any(fault.endswith(": " + why) for fault in found), (path, why, found))

    def test_a_file_that_a_pattern_of_cmake_names_runs(self):
        self.assertEqual(self.plant("tests/cli/CMakeLists.txt", "platter_cli_test(settings)", "file(GLOB all test_*.py)"), [])
        self.assertNotEqual(self.plant("tests/cli/CMakeLists.txt", "test_*.py", "test_*.cpp"), [])

    def test_a_class_holds_as_a_whole(self):
        held = self.plant("tests/cli/test_settings.py", "class Settings", f"# {HOLDS}A shell\nclass Settings")
        self.assertEqual(held, [])
        self.assertIn("| A shell holds this | `cli/test_settings.py`, `uml/shell.sh` |",
                      promises.page(promises.collected(self.root, self.names)[0]))

    def test_a_long_promise_is_named_by_its_beginning(self):
        words = ["[one](#x)"] + ["word"] * (promises.MOST_WORDS - 1)
        self.assertEqual(promises.beginning_of(" ".join(words) + ". Another."), " ".join(["one", *words[1:]]))
        self.assertEqual(promises.beginning_of(" ".join([*words, "more"]) + "."), " ".join(["one", *words[1:]]) + " ...")


class Program(unittest.TestCase):
    def test_it_prints_each_promise_of_the_project_with_a_file(self):
        printed = subprocess.run([sys.executable, "-B", os.path.join(HERE, "promises.py")], check=True, text=True,
                                 capture_output=True).stdout
        rows = [line for line in printed.splitlines() if line.startswith("| ") and line != "| promise | held by, in `tests` |"]
        self.assertEqual(len(rows), len(promises.promises(ROOT)))
        for row in rows:
            self.assertRegex(row, r"\| `[\w/.]+`(?:, `[\w/.]+`)* \|$")


if __name__ == "__main__":
    unittest.main()
