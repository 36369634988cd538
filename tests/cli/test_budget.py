"""No document of 4 MB costs more than 5 s of processor time and 1 GB: a sample of bench/budget/attack.py, and that its
table has every subcommand and every format of traces."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from harness import HERE, PLATTER, leaves

BENCH = os.path.join(os.path.dirname(os.path.dirname(HERE)), "bench")
sys.path[:0] = [os.path.join(BENCH, "trust"), os.path.join(BENCH, "budget")]
import attack  # noqa: E402
import bombs  # noqa: E402
import documents  # noqa: E402


@unittest.skipUnless(PLATTER, "PLATTER_BINARY names no program")
class Budget(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.made = documents.Documents(PLATTER, cls.holder.name)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def test_every_subcommand_is_attacked(self):
        commands = {" ".join(command.split()[:3]) + " " for _, _, commands in self.made.all.values()
                    for command in commands}
        for leaf in leaves():
            with self.subTest(leaf):
                attacked = any(command.startswith(leaf + " ") for command in commands)
                self.assertNotEqual(attacked, leaf in documents.WITHOUT_DOCUMENTS,
                                    "which of bench/trust/documents.py's documents does it take?")

    def test_every_kind_has_bombs_and_is_in_the_sample(self):
        sampled = {kind for kind, _, _ in attack.QUICK}
        for kind in self.made.all:
            with self.subTest(kind):
                self.assertTrue(next(iter(bombs.of_kind(kind, self.made))))
                self.assertTrue(kind in sampled or kind.startswith("trace-"))

    def test_the_document_has_the_code_s_other_numbers(self):
        root = os.path.dirname(BENCH)

        def constant(path, name):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                value = re.search(r"\b" + name + r" *= *([^,;]*)[,;]", file.read()).group(1)
            value = re.sub(r"std::uint64_t\{(\d+)\}|'", r"\1", value)
            return eval(value, {"__builtins__": {}})  # pylint: disable=eval-used

        with open(os.path.join(root, "docs/limits.md"), encoding="utf-8") as file:
            said = " ".join(file.read().split())
        limit = "emulator/file_systems/reading_limit.h"
        most = constant(limit, "kMost")
        for text in (f"expand to {constant('src/trace/compression.cpp', 'kMostTimes')} times its size, and "
                     f"{constant('src/trace/compression.cpp', 'kExpandedFreely') >> 20} MiB at least",
                     f"at most {most * constant(limit, 'kBytes') >> 30} GiB of blocks, "
                     f"{most // constant(limit, 'kExtent'):,} extents or {most // constant(limit, 'kEntry'):,} names",
                     f"{constant('src/model/validate.h', 'kMostTracks'):,} tracks",
                     f"{constant('src/model/validate.h', 'kMostNodes'):,} nodes",
                     f"{constant('src/model/validate.h', 'kDeepestLayout')} levels"):
            self.assertIn(text, said)

    def test_every_trace_format_has_a_document(self):
        said = subprocess.run([PLATTER, "trace", "lint", "--help"], capture_output=True, text=True, check=True).stdout
        listed = re.search(r"--format NAME.*?\[one of ([^\]]*)\]", said, re.DOTALL).group(1)
        named = set("".join(listed.split()).split(","))
        self.assertEqual({kind[6:] for kind in self.made.all if kind.startswith("trace-")} - set(documents.COMPRESSED), named)

    def test_a_thousand_million_points_are_refused_before_they_are_made(self):
        content = dict(bombs.of_kind("study", self.made))["points-10^9"]
        judged = attack.attack(PLATTER, self.made, "study", content, "study plan FILE -C s --parts 3")
        self.assertEqual((judged.wrong, judged.status), ("", 6), judged.sentence)
        self.assertLess(judged.seconds, 0.1)

    def test_the_sample(self):
        findings = []
        for kind, name, content, command in attack.attacks(self.made, list(self.made.all), "", "", True):
            judged = attack.attack(PLATTER, self.made, kind, content, command)
            if judged.wrong:
                findings.append(f"{kind} {name}: platter {command}: {judged.wrong}")
        self.assertEqual(findings, [])


if __name__ == "__main__":
    unittest.main()
