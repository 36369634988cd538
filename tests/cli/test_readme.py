"""The tour of README.md, typed literally."""

import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest

from harness import DIFFERS, OK, PLATTER, PlatterTest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What the tour has to end otherwise than well, as it says itself.
STATUS = {"platter diff drive.json truth.json": (OK, DIFFERS)}  # one figure in 370 differs by chance
# They need the installed library and its sources (tests/lib builds and runs both), a kernel with NBD
# (test_emulate.py serves the drive), a guest's kernel, which no test builds (tests/cosim has such runs),
# a system to install packages in (tests/packages), or an OCI registry (tests/registry).
LEFT_OUT = ("platter emulate drive.json --nbd", "modprobe nbd", "mkfs.ext4", "platter cosim",
            "cc examples/c/serve.c", "python3 examples/python/serve.py", "./quickstart", "./check",
            "platter registry remote", "platter registry push", "platter registry refresh", "platter registry pull lab/",
            "export PATH=", "scripts/package", "apt-get install")

# "Traces that one has", "other tools' parameters": the reader's own files.
TRACE = "".join(f"{128166372003061629 + 90000 * i},usr,0,{'Read' if i % 3 else 'Write'},"
                f"{4096 * (977 * i % 4001)},{4096 * (1 + i % 4)},{40000 + i}\n" for i in range(200))


def typed_lines(document):
    with open(os.path.join(ROOT, document), encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.startswith("    ")]
    return [line.partition("  #")[0].strip() for line in lines if not line.startswith(LEFT_OUT)]


@unittest.skipUnless(PLATTER, "PLATTER_BINARY names no program")
class Tour(PlatterTest):
    def shell(self, line):
        return subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, timeout=600, check=False)

    def own_files(self):
        """What the reader is said to have."""
        with tempfile.TemporaryDirectory() as place:
            self.assertEqual(self.shell(f"platter truth virtual:hp-c2247 -o {place}/t.json && "
                                        f"platter emit disksim {place}/t.json --name drive -o .").returncode, OK)
        self.write("usr_0.csv", TRACE)
        self.assertEqual(self.shell("gzip usr_0.csv").returncode, OK)

    def setUp(self):
        super().setUp()
        programs = self.path("state/bin")
        os.makedirs(programs)
        os.symlink(PLATTER, os.path.join(programs, "platter"))
        self.environment.update(PATH=programs + ":" + os.environ["PATH"],
                                XDG_DATA_HOME=self.path("state/data"))

    def type_lines(self, lines):
        self.assertTrue(all(shlex.split(line)[0] == "platter" for line in lines), lines)
        for line in lines:
            done = self.shell(line)
            self.assertIn(done.returncode, STATUS.get(line, (OK,)), f"{line}\n{done.stderr}")

    def test_every_line_does_what_it_says(self):
        self.own_files()
        lines = typed_lines("README.md")
        self.assertGreater(len(lines), 25)
        self.type_lines(lines)
        self.report_shows_drive_and_model()

    def report_shows_drive_and_model(self):
        with open(self.path("report.html"), encoding="utf-8") as file:
            page = file.read()
        comparison = self.read_json("validation/random.json")
        self.assertEqual(comparison["drive"], "virtual:quantum-atlas10k")
        for name in (comparison["drive"], comparison["model"]):
            self.assertRegex(page, re.escape(name))
        for workload in ("random", "mixed"):
            with open(self.path(f"validation/{workload}.drive.csv"), encoding="utf-8") as file:
                head = json.loads(file.readline()[2:])
            self.assertEqual(head["target"], "drive")
        self.assertNotEqual(comparison["all"]["demerit_ms"], 0)  # of two results, not of one with itself


if __name__ == "__main__":
    unittest.main()
