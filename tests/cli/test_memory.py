"""Traces and results of any length: ten times as long takes no more memory."""

import os
import re
import subprocess
import unittest

from harness import PLATTER, PlatterTest

SHORT, LONG = 200_000, 2_000_000
# What is sorted in memory, of two results and their errors, and what is read at a time.
SORTING_KB = 64 * 1024
LITTLE_KB = 4 * 1024


class Memory(PlatterTest):
    def peak_kb(self, *arguments):
        with subprocess.Popen([PLATTER, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=self.environment) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, arguments)
        return usage.ru_maxrss

    def assert_flat(self, more_kb, arguments):
        short, long = (self.peak_kb(*(re.sub("N", str(count), str(each)) for each in arguments))
                       for count in (SHORT, LONG))
        with self.subTest(arguments):
            self.assertLessEqual(long, short + more_kb)

    def test_ten_times_as_long(self):
        self.platter("truth", "virtual:hp-c2247", "-o", "m.json")
        for more_kb, *arguments in (
                (LITTLE_KB, "trace", "generate", "--workload", "random", "--for", "m.json", "--requests", "N",
                 "-o", "tN.gz"),
                (LITTLE_KB, "trace", "stats", "tN.gz"),
                (LITTLE_KB, "trace", "lint", "tN.gz"),
                (LITTLE_KB, "trace", "convert", "tN.gz", "--to", "ascii", "-o", "cN.gz"),
                (LITTLE_KB, "replay", "tN.gz", "--on", "m.json"),
                (LITTLE_KB, "replay", "tN.gz", "--on", "m.json", "-o", "aN.csv.zst"),
                (LITTLE_KB, "replay", "tN.gz", "--on", "m.json", "--phase-from", "aN.csv.zst", "-o", "bN.csv.zst"),
                (LITTLE_KB, "result", "show", "aN.csv.zst"),
                (SORTING_KB, "compare", "aN.csv.zst", "bN.csv.zst")):
            self.assert_flat(more_kb, arguments)


if __name__ == "__main__":
    unittest.main()
