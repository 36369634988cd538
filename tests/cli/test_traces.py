"""Traces as a user has them: compressed, by pipe, of several devices, damaged; converted and checked."""

import gzip
import json
import os
import resource
import shutil
import subprocess
import unittest

from harness import BAD_INPUT, HERE, OK, OUTPUT, PLATTER, USAGE, PlatterTest

GOLDEN = os.path.join(HERE, "..", "golden", "traces")
FORMATS = ("ascii", "hpl", "blktrace", "blkparse", "iolog2", "iolog3", "spc", "msr", "etw")


def golden(name):
    return os.path.join(GOLDEN, name)


# Blanks at the end of the first line: platter made this file (docs/outputs.md).
MARK = b" \t \t \n"


class TraceTest(PlatterTest):
    def run_trace(self, *arguments, status=OK):
        done = self.run_platter("trace", *arguments)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stderr}")
        return done


class Convert(TraceTest):
    def test_there_and_back_through_every_format(self):
        lines = "".join(f"{i * 2}.500000 0 {i * 1000} {1 + i % 9} {i % 2:x}\n" for i in range(50))
        first = self.write("a", "0.000000 0 7 1 1\n" + lines)
        for name in FORMATS:
            for suffix in ("", ".gz", ".zst"):
                with self.subTest(name=name, suffix=suffix):
                    there, back = self.path("there" + suffix), self.path("back")
                    self.run_trace("convert", first, "--to", name, "-o", there)
                    self.run_trace("convert", there, "--from", name, "--to", "ascii", "-o", back)
                    with open(first, "rb") as a, open(back, "rb") as b:
                        self.assertEqual(a.read(), b.read().replace(MARK, b"\n"))

    def test_closed_and_open(self):
        closed = self.write("closed", "R Hit 12 4 1000 2000\nW Hit 99 8 500 0\n")
        self.run_trace("convert", closed, "--to", "msr", "-o", self.path("open"))
        with open(self.path("open"), encoding="ascii") as file:
            times = [int(line.split(",")[0]) for line in file]
        self.assertEqual(times[1] - times[0], 30000)  # 3 ms in units of 100 ns

    def test_standard_input(self):
        packed = gzip.compress(b"1.0 0 12 4 1\n")
        done = subprocess.run([PLATTER, "trace", "convert", "-", "--to", "spc", "-o", self.path("out")],
                              input=packed, capture_output=True, check=False)
        self.assertEqual(done.returncode, OK, done.stderr)
        with open(self.path("out"), encoding="ascii") as file:
            self.assertEqual(file.read(), "0,12,2048,R,0.001000000" + MARK.decode())

    def test_devices_and_what_is_passed_over(self):
        done = self.run_trace("convert", golden("little.blktrace.0"), "--device-number", "8:16", "--to",
                                "ascii", "-o", self.path("out"))
        self.assertIn("passed over 1 discards", done.stderr)
        done = self.run_trace("convert", golden("little.blktrace.0"), "--device-number", "8:17", "--to",
                                "ascii", "-o", self.path("none"), status=BAD_INPUT)
        self.assertIn("no request for device 8:17; it has devices 8:16", done.stderr)
        self.run_trace("stats", golden("msr.csv"), "--device-number", "sda", status=USAGE)

    def test_the_first_processor_may_have_been_idle(self):
        self.write("idle.blktrace.0", "")
        for processor in (0, 1):
            shutil.copy(golden(f"little.blktrace.{processor}"), self.path(f"idle.blktrace.{processor + 1}"))
        busy, idle = (json.loads(self.run_trace("stats", name, "--device-number", "8:16", "--json").stdout)
                      for name in (golden("little"), self.path("idle")))
        self.assertEqual(idle["requests"], busy["requests"])

    def test_blocks(self):
        self.run_trace("convert", golden("spc.csv"), "--block-bytes", "4096", "--to", "ascii", "-o",
                         self.path("out"), status=BAD_INPUT)
        self.run_trace("convert", golden("spc.csv"), "--block-bytes", "4096", "--round", "--to", "ascii",
                         "-o", self.path("out"))
        with open(self.path("out"), encoding="ascii") as file:
            self.assertEqual([line.split()[2:4] for line in file],
                             [["2617658", "2"], ["2617480", "1"], ["429536", "4"]])

    def test_nothing_is_half_written(self):
        bad = self.write("bad", "".join(f"{i} 0 1 1 1\n" for i in range(50000)) + "x\n")
        cut = self.write("cut.gz", gzip.compress(b"1.0 0 12 4 1\n")[:-4])
        before = self.files()
        for trace in (bad, cut, golden("ascii.trace.no")):
            self.run_trace("convert", trace, "--to", "msr", "-o", self.path("out.zst"), status=BAD_INPUT)
            self.assertEqual(self.files(), before)
        self.run_trace("convert", golden("hpl.srt"), "--device-number", "0", "--round", "--block-bytes",
                         "1000", "--to", "spc", "-o", self.path("out"), status=OUTPUT)
        self.assertEqual(self.files(), before)

    def test_memory_does_not_grow_with_the_trace(self):
        with open(self.path("long"), "w", encoding="ascii") as file:
            for i in range(400000):
                file.write(f"{i}.0 0 {i} 8 1\n")
        limit = 250 << 20  # of address space; the requests alone would take 22 MB, read twice over

        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        for name in ("validate", "blktrace"):
            done = subprocess.run([PLATTER, "trace", "convert", self.path("long"), "--to", name, "-o",
                                   self.path("out.zst")], preexec_fn=limited, capture_output=True, check=False)
            self.assertEqual(done.returncode, OK, done.stderr)


class Lint(TraceTest):
    def test_findings_and_status(self):
        bad = self.write("bad", "1.0 0 12 4 1\nhello\n0.5 0 12 4 1\n2.0 0 95 9 1\n")
        done = self.run_trace("lint", bad, "--blocks", "100", status=BAD_INPUT)
        self.assertIn("bad, line 2, column 6: error: the line ends", done.stdout)
        self.assertIn("bad, line 3, column 1: error: the arrival time", done.stdout)
        self.assertIn("bad, line 4, column 7: error: LBN 95", done.stdout)
        self.assertIn("has 3 errors", done.stderr)

    def test_what_holds_nothing_is_called_by_its_name(self):
        done = self.run_platter("trace", "lint", "-", stdin=subprocess.DEVNULL)
        self.assertEqual(done.stdout, "the standard input: error: holds no request\n"
                                      "the standard input: 0 requests, 1 error, 0 warnings\n")
        self.fails(BAD_INPUT, "the standard input holds no request", "trace", "stats", "-",
                   stdin=subprocess.DEVNULL)

    def test_an_option_that_would_do_nothing_is_refused(self):
        self.fails(USAGE, ["--tables"], "trace", "stats", golden("spc.csv"), "--json", "--tables")
        self.fails(USAGE, ["--list"], "trace", "generate", "--workload", "mixed", "--blocks", "9999",
                   "-o", "t", "--json")
        self.fails(BAD_INPUT, ["--format"], "trace", "convert", golden("spc.csv"), "--format", "ascii",
                   "--to", "msr", "-o", "x")

    def test_json(self):
        done = self.run_trace("lint", golden("validate.trace"), "--json")
        said = json.loads(done.stdout)
        self.assertEqual(said["format"], "validate")
        self.assertEqual((said["requests"], said["errors"], said["warnings"]), (4, 0, 1))
        self.assertEqual(said["findings"][0]["line"], 4)
        self.assertEqual(said["findings"][0]["severity"], "warning")

    def test_the_golden_traces_have_no_errors(self):
        for name in ("ascii.trace", "validate.trace", "blkparse.txt", "big.blktrace.1", "fio2.log", "fio3.log",
                     "spc.csv", "msr.csv", "tracedmp.csv"):
            with self.subTest(name):
                self.run_trace("lint", golden(name))


if __name__ == "__main__":
    unittest.main()
