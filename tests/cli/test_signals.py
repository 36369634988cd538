"""SIGINT, SIGTERM and SIGHUP at random moments of long work: obeyed within a second, nothing half-written."""

import json
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

from harness import INTERRUPTED, OK, PLATTER, PlatterTest

DRIVE = "virtual:hp-c2247?seed=2"
TICKS = os.sysconf("SC_CLK_TCK")
OBEYED_S = 1.0       # of the program's own processor time
PATIENCE_S = 120.0   # of a busy machine's clock
REQUESTS = 400_000


def processor_s(process):
    """What the program has used so far."""
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def state_of(process):
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0]


# holds: exit-statuses.md: SIGINT, SIGTERM
# holds: exit-statuses.md: Behind a failure
class Signals(PlatterTest):
    def setUp(self):
        super().setUp()
        self.random = random.Random(f"{self.id()} 1")
        self.temporary = self.path("tmp")
        os.mkdir(self.temporary)
        self.environment["TMPDIR"] = self.temporary

    def model(self):
        self.platter("truth", DRIVE, "-o", "m.json")

    def trace(self, requests=REQUESTS, *options):
        self.model()
        self.platter("trace", "generate", "--workload", "random", "--for", "m.json", "--requests", requests,
                     "-o", "t.trace", *options)

    def results(self):
        self.trace()
        self.platter("replay", "t.trace", "--on", "m.json", "-o", "a.csv.zst")
        self.platter("replay", "t.trace", "--on", "m.json", "--depth", 4, "-o", "b.csv.zst")

    def interrupted(self, latest_s, *arguments, partial=(), together=(), several=()):
        """A signal once the program has used so much processor time; what is left must be whole."""
        before = self.files()
        at_s = self.random.uniform(0, latest_s)
        number = self.random.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        with self.subTest(arguments=arguments, at_s=at_s, signal=number.name), \
                open(self.path("stderr"), "w+", encoding="utf-8") as errors:
            process = subprocess.Popen([PLATTER, *map(str, arguments)], cwd=self.folder, stderr=errors,
                                       stdout=subprocess.DEVNULL, env=self.environment)
            while processor_s(process.pid) < at_s and state_of(process.pid) != "Z":
                time.sleep(0.002)
            used_s, sent = processor_s(process.pid), time.monotonic()
            os.kill(process.pid, number)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            said = errors.read()
            os.remove(self.path("stderr"))
            # It may have come before the program could hear it, or just when it was done.
            if process.returncode in (OK, -number):
                self.remove_all_but(before)
                return
            self.assertEqual(process.returncode, INTERRUPTED, said)
            self.assertRegex(said.splitlines()[-1], r"\Aplatter: [^\n]*(stopped|interrupted)")
            self.assertLess(usage.ru_utime + usage.ru_stime - used_s, OBEYED_S)
            self.assertLess(time.monotonic() - sent, PATIENCE_S)
            new = set(self.files()) - set(before)
            if together and new >= set(together):
                new -= set(together)
            self.assertLessEqual(new, {*partial, *several, arguments[-1]})
            for name in new:
                (self.check_json if name in partial else self.check_whole)(name, arguments)
        self.remove_all_but(before)

    def remove_all_but(self, before):
        for name in set(self.files()) - set(before):
            os.remove(self.path(name))

    def check_json(self, name, _):
        with open(self.path(name), encoding="utf-8") as file:
            for text in [file.read()] if name.endswith(".json") else file:
                json.loads(text)

    def check_whole(self, name, arguments):
        """It was written already: as it is without a signal."""
        os.rename(self.path(name), self.path("kept"))
        self.platter(*arguments)
        self.assertEqual(*(pathlib.Path(self.path(each)).read_bytes() for each in (name, "kept")))
        os.remove(self.path("kept"))

    def test_traces(self):
        self.trace()
        self.interrupted(0.3, "trace", "generate", "--workload", "random", "--for", "m.json", "--requests",
                         50_000_000, "-o", "x.trace")
        self.interrupted(0.1, "trace", "stats", "t.trace")
        self.interrupted(0.1, "trace", "lint", "t.trace")
        self.interrupted(0.1, "trace", "convert", "t.trace", "--to", "msr", "-o", "x.csv.gz")

    def test_results_of_models(self):
        self.results()
        for output in ("x.csv", "x.csv.zst"):
            self.interrupted(0.15, "replay", "t.trace", "--on", "m.json", "-o", output)
        self.interrupted(0.3, "replay", "t.trace", "--on", "m.json", "--phase-from", "a.csv.zst", "-o", "x.csv")
        self.interrupted(0.05, "result", "show", "a.csv.zst")
        self.interrupted(0.1, "result", "export", "a.csv.zst", "-o", "x.csv")
        for _ in range(2):
            self.interrupted(0.6, "compare", "a.csv.zst", "b.csv.zst", "--plot", "x.svg")

    def test_replay_on_a_drive(self):
        self.trace(100_000)
        for latest_s in (0.1, 0.3, 0.8):
            self.interrupted(latest_s, "replay", "t.trace", "--on", DRIVE, "--allow-writes", "0-2054863",
                             "-o", "x.csv")
        self.interrupted(0.4, "validate", DRIVE, "m.json", "--requests", 100_000, "-o", "validation",
                         together=[f"validation/random.{end}" for end in ("trace", "drive.csv", "m.csv", "json", "svg")])

    def test_characterize(self):
        outputs = ("x.json", "x.samples.jsonl", "x.running.samples.jsonl")
        for drive, latest_s in ((DRIVE, 1.0), (DRIVE, 1.0), ("virtual:random-2", 3.0), ("virtual:random-4", 6.0)):
            self.interrupted(latest_s, "characterize", drive, "--allow-writes", "0-100000", "-o", "x.json",
                             partial=outputs)

    def test_calibration(self):
        self.trace(20_000)
        self.platter("replay", "t.trace", "--on", DRIVE, "--allow-writes", "0-2054863", "-o", "a.csv")
        self.interrupted(1.0, "calibrate", "m.json", "--with", "a.csv", "-o", "x.json")

    def test_what_is_made_of_models(self):
        self.model()
        self.interrupted(0.05, "emit", "disksim", "m.json", "--name", "d", "-o", "disksim",
                         together=[f"disksim/d.{end}" for end in ("diskspecs", "model", "parv", "seek", "statdefs")])
        self.interrupted(0.05, "emit", "table", "m.json", "-o", "x.ptab")
        self.interrupted(0.05, "layout", "m.json", "--all-tracks")
        self.interrupted(0.05, "show", "m.json", "--plots", "plots",
                         several=["plots/seeks.svg", "plots/zones.svg"])  # each is whole where it is there
        self.interrupted(0.05, "report", "m.json", "-o", "x.html")
        self.interrupted(0.02, "derive", "m.json", "--set", "rotation.rpm=x5", "-o", "fast.json")


if __name__ == "__main__":
    unittest.main()
