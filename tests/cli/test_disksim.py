"""DiskSim beside the models in `validate`: programs that pretend to be one, well and badly, and the real one where
PLATTER_DISKSIM names it."""

import os
import re
import signal
import subprocess
import time
import unittest

from harness import MISSING_PROGRAM, OK, PLATTER, SOME_FAILED, UNSUPPORTED, USAGE, PlatterTest

DRIVE = "virtual:hp-c2247"
REAL = os.environ.get("PLATTER_DISKSIM", "")

# Each request takes 5 ms. `bad` gets the lines of a good execution trace once there are more than two requests, or,
# where it begins with "always", at once.
PRETENDER = """#!/usr/bin/env python3
import os, signal, sys, time
requests = [line.split() for line in open(sys.argv[4])]
free, lines = 0, []
for when, device, lbn, blocks, flags in requests:
    free = max(free, float(when)) + 5
    lines.append(f"Request completion: simtime {free:.6f}, devno 0, blkno {lbn}, time 0.000000\\n")
print("simulating")
%s
open("executed", "w").writelines(lines)
"""
LATER = "if len(requests) > 2:\n    "

# Name: what it does, and what the sentence says.
BAD = {
    "exits": (LATER + "sys.exit('no such band')", "ended with status 1; it said: no such band"),
    "aborts, status 0": (LATER + "print('*** assertion failed'); sys.exit(0)", "wrote no execution trace; it said:"
                                                                             " *** assertion failed"),
    "crashes": (LATER + "os.kill(os.getpid(), signal.SIGSEGV)", "was ended by signal 11"),
    "stops in the middle": (LATER + "del lines[15:]", "answered 15 of 16 requests"),
    "loses one": (LATER + "del lines[7]", "answered 15 of 16 requests"),
    "answers twice": (LATER + "lines.append(lines[3])", "more often than it was asked for"),
    "a line cut off": (LATER + "lines[-1] = lines[9][:30]", "a completion that cannot be read (line 17 "),
    "not a number": (LATER + "lines[5] = lines[5].replace(lines[5].split()[3], 'nan,')", "at no time that there is"),
    "before it arrived": (LATER + "lines[9] = lines[9].replace(lines[9].split()[3], '0.5,')",
                          "before its request arrived"),
    "negative": (LATER + "lines[5] = lines[5].replace('simtime ', 'simtime -')", "at no time that there is"),
    "garbage": (LATER + "open('executed', 'wb').write(os.urandom(1 << 20).replace(b'\\n', b'')); sys.exit(0)",
                "wrote a line of more than 4096 letters"),
    "escapes": (LATER + "sys.exit('\\x1b[31mred')", "it said: \\u001b[31mred"),
    "a folder": (LATER + "os.mkdir('executed'); sys.exit(0)", "wrote no execution trace"),
    "writes 10 GB": (LATER + "block = bytes(1 << 20)\n    with open('big', 'wb') as big:\n"
                     "        for _ in range(10240): big.write(block)", ""),
}


@unittest.skipUnless(PLATTER, "PLATTER_BINARY names no program")
class Case(PlatterTest):
    def setUp(self):
        super().setUp()
        self.environment["TMPDIR"] = self.path("tmp")
        os.mkdir(self.path("tmp"))
        self.platter("truth", DRIVE, "-o", "truth.json")

    def pretender(self, lines="", name="pretender"):
        path = self.write(name, PRETENDER % lines)
        os.chmod(path, 0o755)
        return path

    def validated(self, *more, status=OK):
        done = self.run_platter("validate", DRIVE, "truth.json", "--requests", 20, "-o", "v", *more)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(os.listdir(self.path("tmp")), [])
        return done

    def results(self):
        return sorted(name for name in os.listdir(self.path("v")) if name.endswith(".csv"))


WITHOUT = ["mixed.drive.csv", "mixed.truth.csv", "random.drive.csv", "random.truth.csv"]
WITH = sorted(WITHOUT + ["mixed.truth.disksim.csv", "random.truth.disksim.csv"])


class Pretenders(Case):
    def test_disksim_has_its_column(self):
        done = self.validated("--disksim", self.pretender(), "--forms", "--allow-writes", "all")
        rows = re.findall(r"^(random|mixed) +(\S+)", done.stdout, re.MULTILINE)
        self.assertEqual(rows, [(workload, name) for workload in ("random", "mixed")
                                for name in ("truth", "truth.ptab", "truth.small.ptab", "truth.disksim")])
        self.assertEqual(self.results(), sorted(f"{row}.{name}.csv" for row in ("random", "mixed") for name in
                                                ("drive", "truth", "truth.ptab", "truth.small.ptab", "truth.disksim")))
        compared = self.read_json("v/random.json")["comparisons"]
        self.assertEqual([one["model"].partition(" (")[2].rstrip(")") for one in compared],
                         ["", "table", "small table", "DiskSim files, in DiskSim"])
        self.assertLess(abs(compared[3]["all"]["mean_ms"]["model"] - 5), 0.5)
        self.assertEqual(compared[3]["not_paired"], None)
        with open(self.path("v/random.svg"), encoding="utf-8") as file:
            self.assertIn("DiskSim files, in DiskSim", file.read())

    def test_the_one_on_path_is_taken_and_named(self):
        os.mkdir(self.path("bin"))
        program = self.pretender(name="bin/disksim")
        self.environment["PATH"] = self.path("bin") + ":" + self.environment["PATH"]
        self.assertIn(f"{program} runs the models' DiskSim files", self.validated().stderr)
        self.assertEqual(self.results(), WITH)
        self.platter("report", "truth.json", "--results", "v", "-o", "report.html")
        with open(self.path("report.html"), encoding="utf-8") as file:
            self.assertIn("DiskSim files, in DiskSim", file.read())

    def test_none_is_none(self):
        os.mkdir(self.path("bin"))
        self.pretender("open('%s', 'w')" % self.path("ran"), "bin/disksim")
        self.environment["PATH"] = self.path("bin") + ":" + self.environment["PATH"]
        self.validated("--disksim", "none")
        self.assertEqual(self.results(), WITHOUT)
        self.assertNotIn("ran", self.files())

    def test_a_bad_one_that_was_named(self):
        for name, (lines, says) in BAD.items():
            with self.subTest(name):
                done = self.validated("--disksim", self.pretender(lines), "--force", status=SOME_FAILED)
                self.assertIn(says, done.stderr)
                self.assertIn("truth", done.stdout)
                self.assertEqual(self.results(), WITHOUT)

    def test_a_bad_one_on_path_is_a_warning(self):
        os.mkdir(self.path("bin"))
        self.environment["PATH"] = self.path("bin") + ":" + self.environment["PATH"]
        for lines in (BAD["crashes"][0], BAD["crashes"][0].removeprefix(LATER)):
            self.pretender(lines, "bin/disksim")
            done = self.validated()
            self.assertRegex(done.stderr, r"(?m)^platter: warning: .*was ended by signal 11")
            self.assertEqual(self.results(), WITHOUT)

    def test_what_is_wrong_at_once_is_known_before_the_drive_is_asked(self):
        def fails(status, words, *more):
            self.fails(status, words, "validate", DRIVE, "truth.json", "--requests", 20, "-o", "v", *more)
        fails(MISSING_PROGRAM, "no program ./nothing", "--disksim", "./nothing")
        fails(MISSING_PROGRAM, "no program nothing", "--disksim", "nothing")
        self.write("text", "no program")
        fails(MISSING_PROGRAM, ["cannot be started", "Permission denied"], "--disksim", "./text")
        fails(MISSING_PROGRAM, ["truth.json", "status 3"], "--disksim", self.pretender("sys.exit(3)"))
        self.platter("emit", "table", "truth.json", "-o", "truth.ptab")
        for option in (("--disksim", self.pretender()), ("--forms",)):
            self.fails(USAGE, "none of these is one", "validate", DRIVE, "truth.ptab", "-o", "v", *option)
        large = "virtual:modern-random-1"
        self.platter("truth", large, "-o", "large.json")
        self.fails(UNSUPPORTED, ["large.json", "--disksim"], "validate", large, "large.json", "-o", "v",
                   "--disksim", self.pretender())

    def test_it_is_ended_by_a_signal_with_all_that_it_began(self):
        program = self.pretender(LATER + f"open({self.path('pid')!r}, 'w').write(str(os.getpid()))\n"
                                 "    time.sleep(1000)")
        with subprocess.Popen([PLATTER, "validate", DRIVE, "truth.json", "--requests", "20", "-o", "v",
                               "--disksim", program], cwd=self.folder, env=self.environment,
                              stderr=subprocess.PIPE, text=True) as platter:
            while "pid" not in self.files() or not os.path.getsize(self.path("pid")):
                time.sleep(0.01)
            platter.send_signal(signal.SIGTERM)
            said = platter.communicate(timeout=60)[1]
        self.assertEqual(platter.returncode, 130, said)
        with open(self.path("pid"), encoding="ascii") as file:
            self.assertFalse(os.path.exists(f"/proc/{file.read()}"))
        self.assertEqual(os.listdir(self.path("tmp")), [])
        self.assertNotIn("v/random.truth.csv", self.files())


@unittest.skipUnless(REAL, "PLATTER_DISKSIM names no DiskSim")
class Real(Case):
    def test_it_agrees_with_the_model(self):
        done = self.run_platter("validate", DRIVE, "truth.json", "--requests", 1000, "-o", "v", "--allow-writes", "all",
                                "--disksim", REAL)
        self.assertEqual(done.returncode, OK, done.stderr)
        of = {workload: self.read_json(f"v/{workload}.json")["comparisons"][1]["all"]
              for workload in ("random", "mixed")}
        self.assertLess(of["random"]["demerit_percent"], 5)
        self.assertGreater(of["random"]["folded_phase_share"], 0.9)
        self.assertLess(of["mixed"]["demerit_percent"], 10)


if __name__ == "__main__":
    unittest.main()
