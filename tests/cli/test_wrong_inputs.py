"""Whatever a subcommand is given, it ends with a status of its own and one sentence: never with that of a defect."""

import json
import os
import unittest

from harness import PlatterTest

INTERNAL = 1
DRIVE = "virtual:hp-c2247?seed=1"
# Names that are no file, or none that can be read or written as one.
NAMES = ("", "/proc/self/mem", "/proc/self/environ", "/proc/nonesuch", "/proc", "/sys/x.json", "/dev/full", "/dev/fd/99",
         "folder", "loop", "empty", "nonesuch/x", "m.json/x", "a" * 300, "/" + "x/" * 3000, "..", "/", "--", "/proc/self/exe")
OUTPUTS = ("truth virtual:hp-c2247 -o", "emit table m.json -o", "emit disksim m.json -o", "report m.json -o",
           "replay t --on m.json -o", "trace convert t --to ascii -o", "publish m.json --registry", "show m.json --plots",
           "study run s.json -C", "plot cdf d.csv -o", "registry site --registry nonesuch --pictures -o", "calibrate m.json --with d.csv --most-replayed 0 -o")
INPUTS = ("show", "diff m.json", "trace lint", "replay t --on", "emit summary", "result show", "estimate -o e.json",
          "study plan --parts 2", "inspect", "import disksim", "restore", "fleet", "compare d.csv")
NUMBERS = ("-1", "1e400", "nan", "0x10", "99999999999999999999", "1.5", "", " ", "many")
NUMBERED = ("characterize virtual:hp-c2247 -o n.json --seed", "characterize virtual:hp-c2247?seed=1 -o n.json --jobs",
            "trace lint t --blocks", "layout m.json --lbn", "replay t --on m.json --limit", "registry prune --keep")
DRIVES = ("A+B", "+", "++", "virtual:hp-c2247+", "+virtual:hp-c2247", "virtual:hp-c2247+virtual:hp-c2247", "exec:true+exec:true",
          "virtual:hp-c2247?lun=0&seed=1+virtual:hp-c2247?lun=0&seed=1", "virtual:hp-c2247?lun=7", "virtual:hp-c2247?power=maybe",
          "virtual:modern-smr-", "virtual:modern-smr-0x5", "virtual:?seed=1", "virtual:hp-c2247?seed", "exec:", "exec:'",
          "exec:/bin/sh -c 'printf SCSIDRV2'", "/dev/null", "/dev/zero", "m.json", ".")
# Words that have a form of their own, and none of these has it.
WORDS = ("", ",", "=", "x=", "(", "5-2", "1..", "\u00e9", "\n", "%s%n")
WORDED = ("trace lint t --csv-columns", "trace lint t --line-regex", "trace lint t --format", "trace generate --for m.json -o g --workload",
          "trace generate --workload random --for m.json -o g --within", "derive m.json -o n.json --set",
          "characterize virtual:hp-c2247 -o n.json --allow-writes", "characterize virtual:hp-c2247 -o n.json --skip",
          "characterize virtual:hp-c2247 -o n.json --budget", "characterize virtual:hp-c2247 -o n.json --shingles",
          "characterize virtual:hp-c2247 --power --no-map -o n.json --budget", "emulate m.json --ublk --contents", "replay t --on m.json --host-queue", "replay t --on m.json --scheduler",
          "registry search --registry r --capacity", "registry search --registry r --date", "registry search --registry r --demerit",
          "show m.json --section", "show m.json --explain", "layout m.json --pbn", "plot cdf d.csv -o c.svg --labels",
          "validate virtual:hp-c2247 m.json -o v --disksim", "emulate m.json --contents", "registry remote add x", "publish m.json --force")


class Wrong(PlatterTest):
    def setUp(self):
        super().setUp()
        self.platter("truth", DRIVE, "-o", "m.json")
        self.platter("trace", "generate", "--workload", "random", "--requests", "40", "--reads-only", "--for", "m.json",
                     "-o", "t")
        self.platter("replay", "t", "--on", DRIVE, "-o", "d.csv")
        self.write("s.json", json.dumps({"schema": {"name": "platter-study", "version": "1.0"}, "models": ["m.json"],
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
                if name not in ("..", "/"):  # folders of others, which root may write
                    self.ends_well(*command.split(), name)

    def test_names_of_what_is_read(self):
        for command in INPUTS:
            for name in NAMES:
                self.ends_well(*command.split(), name)

    def test_drives(self):
        for drive in DRIVES:
            for more in ((), ("--power",), ("--shingles", "all")):
                self.ends_well("characterize", drive, "-o", "n.json", "--no-map", *more)

    def test_numbers(self):
        for command in NUMBERED:
            for number in NUMBERS:
                self.ends_well(*command.split(), number)

    def test_words_of_options(self):
        self.platter("publish", "m.json", "--registry", "r")
        self.environment["PATH"] = self.folder  # neither gnuplot nor nbdkit: nothing is drawn or served
        for command in WORDED:
            for word in WORDS:
                self.ends_well(*command.split(), word)


if __name__ == "__main__":
    unittest.main()
