"""Planted: a module that nothing runs, a name that two tests have, a subcommand that is on no list."""

import io
import os
import sys
import tempfile
import unittest

import registered

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import not_run  # noqa: E402
import unittests  # noqa: E402


class Registered(unittest.TestCase):
    def test_a_module_by_name_and_a_program_by_its_file(self):
        tests = [("a", ["python3", "unittests.py", "test_a"], "/s/tests/a"), ("b", ["python3", "/s/tests/b/b_test.py"], "")]
        self.assertEqual(registered.problems(["/s/tests/a/test_a.py", "/s/tests/b/b_test.py"], tests), [])
        self.assertEqual(registered.problems(["/s/tests/a/test_b.py"], tests), ["/s/tests/a/test_b.py: no test runs it"])

    def test_one_name_twice(self):
        self.assertEqual(registered.problems([], [("a", [], ""), ("a", [], "")]), ["a: 2 tests have this name"])

    def test_a_subcommand_that_is_not_on_its_list_or_never_added(self):
        listed = "void add_show(CLI::App& app);\nvoid add_gone(CLI::App& app);\n"
        file = ("namespace {\nvoid add_inner(CLI::App& app) {\n}\n}  // namespace\n"
                "void add_%s(CLI::App& app) {\n  app.add_subcommand();\n}\n")
        sources = {"show.cpp": file % "show", "new.cpp": file % "new", "main.cpp": "add_show(app);\nadd_new(app);\n"}
        self.assertEqual(registered.subcommand_problems(listed, sources),
                         ["new.cpp: add_new() is not in src/cli/subcommands.h",
                          "src/cli/subcommands.h: no file has add_gone()"])
        sources = {"show.cpp": file % "show", "main.cpp": ""}
        self.assertEqual(registered.subcommand_problems(listed.splitlines()[0], sources),
                         ["show.cpp: add_show() is called 0 times, so its subcommand is there 0 times"])

    def test_a_program_of_bench_that_no_list_names(self):
        self.assertEqual(registered.bench_problems(["bench/a.py", "bench/b.py"], ["run bench/a.py", "bench/bb.py"]),
                         ["bench/b.py: no campaign, test or page names it"])


class NotRun(unittest.TestCase):
    def run_modules(self, text):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "test_planted.py"), "w", encoding="utf-8") as file:
                file.write("import unittest\n\n\nclass Planted(unittest.TestCase):\n" + text)
            sys.path.insert(0, folder)
            sys.modules.pop("test_planted", None)
            try:
                suite = unittest.defaultTestLoader.loadTestsFromName("test_planted")
                return unittests.status_of(unittest.TextTestRunner(stream=io.StringIO()).run(suite))
            finally:
                sys.path.remove(folder)

    def test_all_skipped_is_no_pass(self):
        skipped = "    @unittest.skip('no program')\n    def test_{}(self):\n        pass\n"
        passes = "    def test_{}(self):\n        pass\n"
        self.assertEqual(self.run_modules(skipped.format("a") + skipped.format("b")), unittests.SKIPPED)
        self.assertEqual(self.run_modules(skipped.format("a") + passes.format("b")), 0)
        self.assertEqual(self.run_modules(skipped.format("a") + "    def test_b(self):\n        self.fail()\n"), 1)

    def test_what_a_run_left_out_is_told(self):
        root = not_run.xml.fromstring(
            '<testsuite><testcase name="a" status="run"><system-out>x\nnot run: t.A.b: no qemu\n</system-out></testcase>'
            '<testcase name="b" status="notrun"><skipped/><system-out>no kernel</system-out></testcase>'
            '<testcase name="c" status="run"><system-out>ok</system-out></testcase></testsuite>')
        self.assertEqual(not_run.not_run(root), ["of a: t.A.b: no qemu", "b, all of it: no kernel"])
