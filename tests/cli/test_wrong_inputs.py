"""Whatever a subcommand is given, it ends with a status of its own and one sentence: never with that of a defect."""

import json
import os
import unittest

from harness import PlatterTest

INTERNAL = 1
DRIVE = "virtual:hp-c2247"
# Names that are no file, or none that can be read or written as one.
NAMES = ("", "/proc/self/mem", "/proc/self/environ", "/proc/nonesuch", "/proc", "/sys/x.json", "/dev/full", "/dev/fd/99",
         "folder", "loop", "empty", "nonesuch/x", "m.json/x", "a" * 300, "/" + "x/" * 3000, "..", "/", "--", "/proc/self/exe")
OUTPUTS = ("truth virtual:hp-c2247 -o", "emit table m.json -o", "emit disksim m.json -o", "report m.json -o",
           "replay t --on m.json -o", "trace convert t --to ascii -o", "publish m.json --registry", "show m.json --plots",
           "study run s.json -C", "calibrate m.json --with d.csv --most-replayed 0 -o")
INPUTS = ("show", "diff m.json", "trace lint", "replay t --on", "emit summary", "result show", "estimate -o e.json",
          "study plan --parts 2", "inspect", "import disksim", "restore", "fleet", "compare d.csv")
NUMBERS = ("-1", "1e400", "nan", "0x10", "99999999999999999999", "1.5", "", " ", "many")
NUMBERED = ("characterize virtual:hp-c2247 -o n.json --seed", "characterize virtual:hp-c2247 -o n.json --jobs",
            "trace lint t --blocks", "layout m.json --lbn", "replay t --on m.json --limit", "registry prune --keep")


class Wrong(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", DRIVE, "-o", "m.json")
        self.platter("trace", "generate", "--workload", "random", "--requests", "40", "--reads-only", "--for", "m.json",
                     "-o", "t")
        self.platter("replay", "t", "--on", DRIVE, "-o", "d.csv")
        self.write("s.json", json.dumps({"schema": "platter-study", "schema_version": "1.0", "models": ["m.json"],
                                         "traces": ["t"]}))
        self.write("empty", "")
        os.mkdir(self.path("folder"))
        os.symlink("loop", self.path("loop"))
        self.environment.update(XDG_DATA_HOME=self.path("data"), XDG_CACHE_HOME=self.path("cache"))

    def ends_well(self, *arguments):
        with self.subTest(arguments=[word[:60] for word in arguments]):
            done = self.run_platter(*arguments, stdin=-3)  # DEVNULL
            self.assertGreaterEqual(done.returncode, 0, done.stderr)
            self.assertNotEqual(done.returncode, INTERNAL, done.stderr)
            if done.returncode not in (0, 12):
                said = [line for line in done.stderr.splitlines() if line.startswith("platter: ")]
                self.assertEqual(done.stderr.splitlines()[-1:], said[-1:])

    def test_names_where_results_go(self):
        for command in OUTPUTS:
            for name in NAMES:
                self.ends_well(*command.split(), name)

    def test_names_of_what_is_read(self):
        for command in INPUTS:
            for name in NAMES:
                self.ends_well(*command.split(), name)

    def test_numbers(self):
        for command in NUMBERED:
            for number in NUMBERS:
                self.ends_well(*command.split(), number)


if __name__ == "__main__":
    unittest.main()
