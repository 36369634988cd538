"""DiskSim beside the models in `validate`: programs that pretend to be one, well and badly; what --check says of its
files. Where PLATTER_DISKSIM names a real one (Carnegie Mellon's 4.0), what that does."""

import json
import os
import re
import resource
import signal
import subprocess
import time
import unittest

from harness import BAD_INPUT, MISSING_PROGRAM, OK, PLATTER, SOME_FAILED, UNSUPPORTED, USAGE, PlatterTest

DRIVE = "virtual:hp-c2247?seed=1"
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
        done = self.validated("--disksim", self.pretender(), "--allow-writes", "all")
        rows = re.findall(r"^(random|mixed) +(\S+)", done.stdout, re.MULTILINE)
        self.assertEqual(rows, [(workload, name) for workload in ("random", "mixed")
                                for name in ("truth", "truth.disksim")])
        self.assertEqual(self.results(), sorted(f"{row}.{name}.csv" for row in ("random", "mixed") for name in
                                                ("drive", "truth", "truth.disksim")))
        compared = self.read_json("v/random.json")["comparisons"]
        self.assertEqual([one["model"].partition(" (")[2].rstrip(")") for one in compared],
                         ["", "DiskSim files, in DiskSim"])
        self.assertLess(abs(compared[1]["all"]["mean_ms"]["model"] - 5), 0.5)
        self.assertEqual(compared[1]["not_paired"], None)
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
            report = file.read()
        self.assertIn("DiskSim files, in DiskSim", report)
        side_by_side = re.findall(r"<th[^>]*>model</th>.*?</table>", report, re.DOTALL)
        self.assertEqual(len(side_by_side), 2)
        for table in side_by_side:
            self.assertEqual(re.findall(r"<tr><t[dh][^>]*>(truth[^<]*)<", table), ["truth", "truth.disksim"])

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
        self.fails(USAGE, "none of these is one", "validate", DRIVE, "truth.ptab", "-o", "v",
                   "--disksim", self.pretender())
        large = "virtual:modern-random-1"
        self.platter("truth", large, "-o", "large.json")
        self.fails(UNSUPPORTED, ["large.json", "--disksim"], "validate", large, "large.json", "-o", "v",
                   "--disksim", self.pretender())

    def ended_by_signal(self, lines):
        program = self.pretender(lines % f"open({self.path('pid')!r}, 'w').write(str(os.getpid())); time.sleep(1000)")
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

    def test_it_is_ended_by_a_signal_with_all_that_it_began(self):
        self.ended_by_signal(LATER + "%s")

    def test_and_while_it_is_tried(self):
        self.ended_by_signal("%s")


SPECS, MODEL, SEEK, PARV = "D.diskspecs", "D.model", "D.seek", "D.parv"


def value(name, text, file=SPECS):
    """Another value for a parameter, the first of its name."""
    return (file, rf"(\n\s*{re.escape(name)} = )[^,\n]+", rf"\g<1>{text}")


def gone(name, file=SPECS):
    return (file, rf"\n\s*{re.escape(name)} = [^,\n]+,", "")


# (layout, what is broken, effect, what the finding says)
BROKEN = [
    ("g1", value("Max queue length", "-1"), "stops", "Max queue length"),
    ("g1", value("Max queue length", "0"), "never-answers", "takes no request"),
    ("g1", gone("Max queue length"), "never-answers", "takes no request"),
    ("g1", gone("Preseeking level"), "otherwise", 'lacks "Preseeking level"'),
    ("g1", value("Segment size (in blks)", "0"), "stops", "is not within 1 to the drive's"),
    ("g1", value("Segment size (in blks)", "7.5"), "stops", "must be a whole number"),
    ("g1", value("Segment size (in blks)", "1"), "stops", "segments of 1 block"),
    ("g1", value("Segment size (in blks)", "99999999"), "stops", "is not within 1 to the drive's"),
    ("g1", value("Number of buffer segments", "0"), "stops", "Number of buffer segments"),
    ("g1", value("Maximum number of write segments", "0"), "stops", "is not within 1 to the"),
    ("g1", value("Maximum number of write segments", "99"), "stops", "is not within 1 to the"),
    ("g1", value("Enable caching in buffer", "0"), "stops", "without"),
    ("g1", value("Preseeking level", "3"), "stops", "is not within 0 to 2"),
    ("g1", value("Fast write level", "3"), "stops", "is not within 0 to 2"),
    ("g1", value("Combine seq writes", "2"), "stops", "is not within 0 to 1"),
    ("g1", value("Read-ahead on idle hit", "2"), "stops", "is not within 0 to 1"),
    ("g1", value("Hold bus entire write xfer", "2"), "stops", "is not within 0 to 1"),
    ("g1", value("Minimum read-ahead (blks)", "99999"), "stops", "more than a segment"),
    ("g1", value("Bulk sector transfer time", "1e-3"), "stops", "must be a number"),
    ("g1", value("Bulk sector transfer time", ".5"), "stops", "must be a number"),
    ("g1", value("Time scale for overheads", "-1.0"), "otherwise", "takes it as it is"),
    ("g1", value("Per-request overhead time", "0.5"), "stops-64", "get no number"),
    ("g1", (SPECS, r"(\n\s*Print stats = )", r"\n  Foo bar = 1,\1"), "otherwise", 'no parameter "Foo bar"'),
    ("g1", (SPECS, r"\n\s*Scheduler = .*?\},", ""), "stops", 'lacks "Scheduler"'),
    ("g1", value("Cylinder mapping strategy", "7"), "stops", "none of 0 to 5"),
    ("g1", value("Cylinder mapping strategy", "6"), "stops", "an average that is 0"),
    ("g1", value("Scheduling priority scheme", "7"), "stops", "neither 0 nor 1"),
    ("g1", value("Scheduling policy", "99", PARV), "never-answers", "none of 1 to 28"),
    ("g1", value("Number of cylinders", "100", MODEL), "stops", "lie behind the last cylinder"),
    ("g1", value("Number of data surfaces", "0", MODEL), "stops", "Number of data surfaces"),
    ("g1", value("Block count", "99999999999", MODEL), "otherwise", "beyond 32 bits"),
    ("g1", value("Rotation speed (in rpms)", "0", MODEL), "never-answers", "does not turn"),
    ("g1", value("Rotation speed (in rpms)", "10000.0", MODEL), "stops", "must be a whole number"),
    ("g1", value("Access time type", "foo", MODEL), "stops", 'no "Access time type" foo'),
    ("g1", value("Seek type", "foo", MODEL), "stops", 'no "Seek type" foo'),
    ("g1", value("Seek type", "constant", MODEL), "stops", "never of that type"),
    ("g1", gone("Seek type", MODEL), "stops", 'has no "Seek type"'),
    ("g1", value("Seek type", "linear", MODEL), "never-answers", 'without "Average seek time"'),
    ("g1", value("Full seek curve", "nothing", MODEL), "stops", "no seek file nothing"),
    ("g1", (SEEK, r".*", ""), "otherwise", "has no point"),
    ("g1", (SEEK, r"\n.*", "\n"), "never-answers", "has one point"),
    ("g1", (SEEK, r"^1, [^\n]*\n", ""), "otherwise", "begins with"),
    ("g1", (SEEK, r"^(1, [^\n]*\n)([^\n]*\n)", r"\2\1"), "otherwise", "shorter distance"),
    ("g1", (SEEK, r"^1, [^\n]*\n", "1, -1.0\n"), "otherwise", "negative time"),
    ("g1", (SEEK, r"\n", "\nhello\n"), "otherwise", "leaves it out"),
    ("g1", value("LBN-to-PBN mapping scheme", "3", MODEL), "stops", "none of 0 to 2"),
    ("g1", value("Sparing scheme used", "11", MODEL), "stops", "none of 1 to 10"),
    ("g1", value("Sparing scheme used", "0", MODEL), "stops", "in no count of blocks"),
    ("g1", (MODEL, r"(Sparing scheme used = )\d+,(\s*Rangesize for sparing = )1", r"\g<1>8,\g<2>0"), "stops",
     "Rangesize"),
    ("g1", value("Skew units", "foo", MODEL), "stops", 'no "Skew units" foo'),
    ("g1", value("Blocks per track", "0", MODEL), "stops", '"Blocks per track" = 0'),
    ("g1", value("First cylinder number", "-1", MODEL), "otherwise", "are no zone"),
    ("g1", value("Number of spares", "99999999", MODEL), "stops", "holds 1 to 2^31 - 1"),
    ("g1", (MODEL, r"Zones = \[.*?\n    \]", "Zones = [ ]"), "stops", "the zones have 0 blocks"),
    ("g1", (MODEL, r"Zones = \[.*?\n    \]", "Zones = 5"), "stops", "must be a list"),
    ("g1", (MODEL, r"slips = \[[^]]*\]", "slips = [ -3 ]"), "otherwise", "no whole number from 0 on"),
    ("g1", (MODEL, r"slips = \[[^]]*\]", "slips = [ 900, 8 ]"), "otherwise", "needs them in order"),
    ("g1", (MODEL, r"slips = \[[^]]*\]", "slips = [ 99999999 ]"), "otherwise", "outside of the zone"),
    ("g1", (MODEL, r"slips = \[[^]]*\]", f"slips = [ {', '.join(map(str, range(6000)))} ]"), "never-answers",
     "has 6000 slips"),
    ("g1", (MODEL, r"defects = \[[^]]*\]", "defects = [ 500 ]"), "stops", "must be pairs"),
    ("g1", (MODEL, r"Sparing scheme used = 1(.*?)slips = \[[^]]*\],\s*defects = \[ \]",
            r"Sparing scheme used = 9\1slips = [ ], defects = [ 2200, 697000 ]"), "stops", "remapped blocks"),
    ("g1", (MODEL, r"dm_layout_g1 \{", "dm_layout_g9 {"), "stops", "no block of the type dm_layout_g9"),
    ("g1", value("Stripe unit", "99999999", PARV), "stops", "is more than the drive's"),
    ("g1", (PARV, r"instantiate \[ disk0 \] as D\n", ""), "stops", "instantiated as nothing"),
    ("g1", (PARV, r"as D\n", "as E\n"), "stops", "no block is called so"),
    ("g1", (PARV, r"topology.*?\n\]\n", ""), "stops", "no disksim_iodriver"),
    ("g1", (PARV, r"devices = \[ disk0 \]", "devices = [ disk7 ]"), "stops", "disk7 is not in the topology"),
    ("g1", (PARV, r"D\.statdefs", "nothing"), "stops", "no stat definition file nothing"),
    ("g1", (PARV, r"disksim_global Global \{.*?\n\}\n", ""), "stops", "there is no disksim_global Global"),
    ("g1", (PARV, r"disksim_pf Proc \{.*?\n\}\n", ""), "otherwise", "there is no disksim_pf Proc"),
    ("g1", (PARV, r"disksim_synthio Synthio \{.*?\n\}\n", ""), "otherwise", "there is no disksim_synthio Synthio"),
    ("g1", (PARV, r"(disksim_ctlr CONTROLLER \{\s*type = )1", r"\g<1>5"), "stops", "no controller of type 5"),
    ("g1", (PARV, r"(disksim_ctlr CONTROLLER \{\s*type = )1", r"\g<1>3"), "stops", 'needs a "Cache"'),
    ("g4", (MODEL, r"TP = \[\s*(\d+), (\d+), \d+", r"TP = [ \1, \2, 0"), "stops", "are no part of a track of 0"),
    ("g4", (MODEL, r"TP = \[\s*0,", "TP = [ 5,"), "stops", "begins with sector 5"),
    ("g4", (MODEL, r"TP = \[.*?\]", "TP = [ ]"), "stops", "pattern 0 of 0"),
    ("g4", (MODEL, r"TP = \[[^]]*\],", ""), "stops", 'lacks "TP"'),
    ("g4", (MODEL, r"TRACK, 0, 0", "TRACK, 99, 0"), "stops", "names pattern 99"),
    ("g4", (MODEL, r"TRACK, 0, 0", "TRAC, 0, 0"), "stops", "cut off"),
    ("g4", (MODEL, r"TRACK, 0, 0,", "TRACK, 0,"), "stops", "cut off"),
    ("g4", (MODEL, r"IDX = \[.*?Slips", "IDX = [ [ 0, 0, 0.0, 9, 1, 0.0, 9, 1, IDX, 0 ] ],\n Slips"), "stops",
     "16 indices or more"),
    ("g4", (MODEL, r"(IDX = \[\s*\[\s*0, 0, 0.0, )\d+", r"\g<1>0"), "stops", "divides by both"),
    ("g4", (MODEL, r"IDX = \[.*?Slips", "IDX = [ ],\n Slips"), "stops", "there is no root"),
    ("g4", (MODEL, r"IDX = \[", "IDX = [ 5,"), "stops", "a list of lists"),
    ("g4", (MODEL, r"Slips = \[[^]]*\]", "Slips = [ ]"), "stops", '"Slips" is empty'),
    ("g4", (MODEL, r"Slips = \[[^]]*\]", "Slips = [ 500, 1, 400, 1 ]"), "otherwise", "in order"),
    ("g4", (MODEL, r"Slips = \[[^]]*\]", "Slips = [ 500, 1000 ]"), "stops-there", "has places for"),
    ("g4", (MODEL, r"Remaps = \[[^]]*\]", "Remaps = [ 0, 1000000, 500, 0, 5, 72 ]"), "stops", "no width"),
    ("g4", value("Immediate buffer read", "1"), "stops-there", "on the last track"),
    ("g4", (SPECS, r"Segment size \(in blks\) = \d+(.*?Immediate buffer read = )0",
            r"Segment size (in blks) = 40\g<1>1"), "stops", "never sees the requested blocks again"),
]
# No block meets it: files that run have no finding.
HARMLESS = [
    ("g4", (MODEL, r"Remaps = \[[^]]*\]", "Remaps = [ 99999999, 100, 500, 0, 5, 72 ]")),
]
# 6,000 slips cost 2 ms a request; what lies outside of DiskSim's tables is chance.
SLOW_OR_CHANCE = ("has 6000 slips", "has one point")


class Files(Case):
    """One thing broken in files that run: what --check says, and what a real DiskSim does."""

    def setUp(self):
        super().setUp()
        for layout in ("g1", "g4"):
            self.platter("emit", "disksim", "truth.json", "-o", layout, "--name", "D", "--layout", layout)
            text = self.text(f"{layout}/{SPECS}")
            self.write(f"{layout}/{SPECS}", re.sub("(Max queue length) = [0-9]+", r"\1 = 1", text))
            text = self.text(f"{layout}/{PARV}")
            self.write(f"{layout}/{PARV}", re.sub(r"(disksim_global \w+ \{)", r"\1\n  Detailed execution trace = x,", text))
        blocks = self.read_json("truth.json")["identity"]["blocks"]
        lbns = [i * 7919 * 512 % (blocks - 64) for i in range(200)] + [i * 977 % 2000 for i in range(200)] + [
            blocks - 60 * i for i in range(1, 20)]
        self.requests = len(lbns)
        self.write("t", "".join(f"{20 * i if i < 200 else 2 * i + 9000}.0 0 {lbn} {1 + i % 60} {i % 2}\n"
                                for i, lbn in enumerate(lbns)) + "900000.0 0 0 1 1\n")

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def broken(self, layout, file, pattern, replacement):
        subprocess.run(["cp", "-r", self.path(layout), self.path("broken")], check=True)
        before = self.text(f"broken/{file}")
        after = re.sub(pattern, replacement, before, count=1, flags=re.DOTALL)
        self.assertNotEqual(before, after)
        self.write(f"broken/{file}", after)

    def check(self, folder):
        done = self.run_platter("import", "disksim", f"{folder}/{PARV}", "--check", "--json")
        answer = json.loads(done.stdout)
        self.assertEqual(done.returncode, OK if answer["runs"] else BAD_INPUT, done.stderr)
        return answer["findings"]

    def answered(self, folder):
        """By the real DiskSim, within 5 s of processor time."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
        subprocess.run([REAL, PARV, "report", "ascii", self.path("t"), "0"], cwd=self.path(folder), preexec_fn=limit,
                       capture_output=True, check=False)
        if not os.path.exists(self.path(f"{folder}/x")):
            return 0
        with open(self.path(f"{folder}/x"), encoding="latin-1") as file:
            return sum(line.startswith("Request completion") for line in file)

    def test_what_is_emitted_runs_and_stops_at_the_drives_end_alone(self):
        for layout in ("g1", "g4"):
            self.assertLessEqual({one["effect"] for one in self.check(layout)}, {"stops-there", "otherwise"})
            if REAL:
                self.assertGreaterEqual(self.answered(layout), self.requests)

    def test_each_rule(self):
        for layout, change, effect, says in BROKEN:
            with self.subTest(change=change, layout=layout):
                self.broken(layout, *change)
                findings = self.check("broken")
                self.assertTrue([one for one in findings if one["effect"] == effect and says in one["what"]], findings)
                if REAL and says not in SLOW_OR_CHANCE and effect != "stops-there":
                    fails = effect in ("stops", "never-answers")
                    (self.assertLess if fails else self.assertGreaterEqual)(self.answered("broken"), self.requests)
            subprocess.run(["rm", "-r", self.path("broken")], check=True)

    def test_what_is_emitted_and_cannot_run_is_warned_of_once_a_kind(self):
        self.platter("truth", "virtual:spare-zone", "-o", "remaps.json")
        done = self.run_platter("emit", "disksim", "remaps.json", "-o", "r", "--name", "D", "--layout", "g1")
        self.assertEqual(done.returncode, OK, done.stderr)
        [line] = re.findall(r"(?m)^platter: warning: D.model:.*remapped blocks.*$", done.stderr)
        blocks = len(self.read_json("remaps.json")["layout"]["remaps"])
        self.assertIn(f"{blocks} blocks are remapped", line)

    def test_what_no_block_meets_is_harmless(self):
        for layout, change in HARMLESS:
            self.broken(layout, *change)
            self.assertLessEqual({one["effect"] for one in self.check("broken")}, {"stops-there", "otherwise"})
            subprocess.run(["rm", "-r", self.path("broken")], check=True)

    def test_a_trace_is_asked_about_what_it_meets(self):
        """Blocks from 5000 on are remapped: a trace in front of them runs, one that reaches them stops."""
        self.broken("g4", MODEL, r"Remaps = \[[^]]*\]", "Remaps = [ 5000, 100, 500, 0, 5, 72 ]")
        self.write("near", "0.0 0 100 8 1\n50.0 0 4990 10 0\n")
        self.write("far", "0.0 0 100 8 1\n50.0 0 4990 11 0\n")
        line = ("import", "disksim", "broken/D.parv", "--check")
        self.fails(BAD_INPUT, "would stop", *line)
        self.platter(*line, "--trace", "near")
        done = self.fails(BAD_INPUT, "would stop", *line, "--trace", "far")
        self.assertIn("1 requests come, or read on, to blocks that are remapped", done.stdout)
        self.fails(USAGE, "--check", "import", "disksim", "g1/D.parv", "--trace", "near")

    def test_each_program_has_its_deeds(self):
        self.broken("g1", *value("Per-request overhead time", "0.5"))
        self.assertIn("stops-64", {one["effect"] for one in self.check("broken")})
        self.fails(BAD_INPUT, "would stop", "import", "disksim", "broken/D.parv", "--check", "--program", "wd64")

    def test_people_get_lines_and_a_sentence(self):
        self.broken("g1", *value("Max queue length", "0"))
        done = self.run_platter("import", "disksim", "broken/D.diskspecs", "--check")
        self.assertRegex(done.stdout, r"(?m)^D\.diskspecs:\d+: DiskSim does not get through: .*\(disksim_iodriver.c, .*\)$")
        self.assert_one_sentence(done, BAD_INPUT, "broken/D.diskspecs")
        self.assertEqual(self.platter("import", "disksim", "g1/D.model", "--check"), "")
        self.fails(USAGE, "--check", "import", "disksim", "g1/D.parv", "--check", "-o", "x.json")


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
