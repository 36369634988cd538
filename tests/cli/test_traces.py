"""Traces as a user has them: compressed, by pipe, of several devices, damaged; converted and checked."""

import bz2
import gzip
import io
import json
import lzma
import os
import resource
import shutil
import subprocess
import tarfile
import unittest
import zipfile

from harness import BAD_INPUT, HERE, OK, OUTPUT, PLATTER, USAGE, PlatterTest

GOLDEN = os.path.join(HERE, "..", "golden", "traces")
FORMATS = ("ascii", "hpl", "blktrace", "blkparse", "iolog2", "iolog3", "spc", "msr", "hfplayer")


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
            for suffix in ("", ".gz", ".zst", ".bz2", ".xz", ".lz4"):
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
        done = self.run_trace("convert", golden("blktrace_little.blktrace.0"), "--device-number", "8:16", "--to",
                                "ascii", "-o", self.path("out"))
        self.assertIn("passed over 1 discards", done.stderr)
        done = self.run_trace("convert", golden("blktrace_little.blktrace.0"), "--device-number", "8:17", "--to",
                                "ascii", "-o", self.path("none"), status=BAD_INPUT)
        self.assertIn("no request for device 8:17; it has devices 8:16", done.stderr)
        self.run_trace("stats", golden("msr.csv"), "--device-number", "sda", status=BAD_INPUT)

    def test_the_first_processor_may_have_been_idle(self):
        self.write("idle.blktrace.0", "")
        for processor in (0, 1):
            shutil.copy(golden(f"blktrace_little.blktrace.{processor}"), self.path(f"idle.blktrace.{processor + 1}"))
        busy, idle = (json.loads(self.run_trace("stats", name, "--device-number", "8:16", "--json").stdout)
                      for name in (golden("blktrace_little"), self.path("idle")))
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


class Front(TraceTest):
    """What stands in front of all readers, and what the names of outputs promise."""

    TEXT = b"1.0 0 12 4 1\n2.0 0 16 4 0\n"

    def write_bytes(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def test_compressed_marked_or_wide(self):
        for name, content in (("t.spc.bz2", bz2.compress(self.TEXT)), ("t.xz", lzma.compress(self.TEXT)),
                              ("mark", b"\xef\xbb\xbf" + self.TEXT), ("wide", self.TEXT.decode().encode("utf-16")),
                              ("packed", gzip.compress(self.TEXT.decode().encode("utf-16-le")))):
            with self.subTest(name):
                lint = json.loads(self.run_trace("lint", self.write_bytes(name, content), "--json").stdout)
                self.assertEqual((lint["format"], lint["requests"], lint["errors"]), ("ascii", 2, 0))

    def test_archives_of_files_are_named(self):
        packed, member = io.BytesIO(), tarfile.TarInfo("disk/a.trace")
        member.size = len(self.TEXT)
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            archive.addfile(member, io.BytesIO(self.TEXT))
        zipped = io.BytesIO()
        with zipfile.ZipFile(zipped, "w") as archive:
            archive.writestr("a.trace", self.TEXT)
        for name, content, kind in (("t.tgz", packed.getvalue(), "tar"), ("t.zip", zipped.getvalue(), "zip")):
            done = self.run_trace("stats", self.write_bytes(name, content), status=BAD_INPUT)
            self.assertIn(f"is a {kind} archive", done.stderr)
            self.assertIn("a.trace): extract it", done.stderr)
            self.assertIn("extract it", self.run_trace("lint", self.path(name), status=BAD_INPUT).stdout)

    def test_a_name_keeps_its_promise_or_is_refused(self):
        trace, before = self.write_bytes("t", self.TEXT), None
        for ending, magic in ((".gz", b"\x1f\x8b"), (".bz2", b"BZh"), (".XZ", b"\xfd7zXZ"), (".lz4", b"\x04\x22")):
            self.run_trace("convert", trace, "--to", "spc", "-o", self.path("o" + ending))
            with open(self.path("o" + ending), "rb") as file:
                self.assertTrue(file.read().startswith(magic), ending)
            self.run_trace("convert", trace, "--to", "spc", "-o", self.path("o" + ending))  # it is platter's
        before = self.files()
        for name in ("o.zip", "o.tar", "o.csv.Z", "o.7z", "o.tgz"):
            self.fails(USAGE, ("its name promises",), "trace", "convert", trace, "--to", "spc", "-o", name)
            self.fails(USAGE, ("its name promises",), "trace", "generate", "--workload", "mixed", "--blocks", "9999",
                       "-o", name)
        self.assertEqual(self.files(), before)

    def test_a_dash_is_a_stream_and_a_file_of_that_name_has_a_folder(self):
        done = subprocess.run([PLATTER, "trace", "convert", "-", "--to", "spc", "-o", "-"], input=self.TEXT,
                              capture_output=True, check=False, cwd=self.folder)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (OK, 2), done.stderr)
        self.assertFalse(os.path.exists(self.path("-")))
        self.write_bytes("t", self.TEXT)
        self.run_trace("convert", "t", "--to", "spc", "-o", "./-")
        self.assertEqual(json.loads(self.run_trace("lint", "./-", "--json").stdout)["requests"], 2)
        self.fails(USAGE, ("standard output",), "trace", "convert", "t", "--to", "spc", "--split-by", "device", "-o", "-")
        done = self.run_trace("generate", "--workload", "mixed", "--blocks", "99999", "--requests", "7", "-o", "-")
        self.assertEqual(len(done.stdout.splitlines()), 7)


class PassedOver(TraceTest):
    def test_each_with_its_first_place_and_losses_are_warnings(self):
        text = golden("ftrace_lost.txt")
        lint = json.loads(self.run_trace("lint", text, "--json").stdout)
        self.assertEqual(lint["requests"] + sum(each["count"] for each in lint["skipped"]), 9)
        flush = next(each for each in lint["skipped"] if each["what"] == "flushes")
        self.assertEqual((flush["count"], flush["line"], flush["of_the_format"]), (1, 9, False))
        said = [finding["finding"] for finding in lint["findings"] if finding.get("line") == 6]
        self.assertEqual(said, ["the tracer says that it lost 17 events here; requests are missing"])
        self.platter("truth", "virtual:seagate-barracuda4lp", "-o", "m.json")
        for words in (("trace", "stats", text), ("replay", text, "--on", "m.json", "-o", self.path("r.csv")),
                      ("trace", "convert", text, "--to", "ascii", "-o", self.path("o"))):
            done = self.run_platter(*words)
            self.assertEqual(done.returncode, OK, done.stderr)
            self.assertIn("line 6, column 1: the tracer says that it lost 17 events here", done.stderr)
            self.assertIn("passed over 1 flushes (the first in line 9", done.stderr)

    def test_a_trace_of_no_request_says_what_it_holds(self):
        text = self.write("t.csv", "when,what,at,long\n1,erase,0,512\n2,erase,0,512\n")
        done = self.run_trace("stats", text, "--csv-columns", "time:s,op,offset:bytes,size:bytes", status=BAD_INPUT)
        self.assertIn("holds no request: passed over 1 headers (the first in line 1, column 1), "
                      "2 operations that neither read nor write (the first in line 2, column 3)", done.stderr)

    def test_the_first_requests_are_shown_as_understood(self):
        done = self.run_trace("lint", golden("msr.csv"))
        self.assertEqual(len([line for line in done.stdout.splitlines() if line.startswith("  line ")]), 3)
        self.assertIn("a read of LBN 13700410, 48 blocks, at 0 ms, took 4.1286 ms, device 0", done.stdout)

    def test_what_is_not_recognized_is_told_with_a_command(self):
        text = self.write("my trace.csv", "time,op,offset,size\n0.5,R,0x1000,512\n0.6,W,0,512\n")
        done = self.run_trace("lint", text, status=BAD_INPUT)
        command = done.stdout.split("perhaps these are right: ")[1].splitlines()[0]
        self.assertIn("--csv-columns time:s,op,offset:bytes,size:bytes", command)
        said = subprocess.run(["bash", "-c", command.replace("platter", PLATTER, 1)], capture_output=True, text=True,
                              check=False, cwd=self.folder)
        self.assertIn("2 requests, 0 errors", said.stdout, said.stderr)

    def test_recordings_are_told_with_what_makes_text_of_them(self):
        for magic, command in ((b"PERFILE2", "perf script -i "), (b"\x17\x08\x44tracing", "trace-cmd report -i ")):
            with open(self.path("recorded"), "wb") as file:
                file.write(magic + bytes(100))
            self.assertIn(command, self.run_trace("stats", self.path("recorded"), status=BAD_INPUT).stderr)


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
        for name in ("ascii.trace", "validate.trace", "blkparse.txt", "blktrace_big.blktrace.1", "iolog2.log", "iolog3.log",
                     "spc.csv", "msr.csv", "hfplayer.csv"):
            with self.subTest(name):
                self.run_trace("lint", golden(name))


# Each sample is made from the columns that the owners of its collection publish.
SAMPLES = {
    "systor17.csv": 4, "alibaba.csv": 3, "tencent.csv": 3, "k5.csv": 3, "cloudphysics.csv": 3,
    "vscsi_1.bin": 3, "vscsi_2.bin": 3, "fiu.txt": 3, "biosnoop.txt": 3, "ftrace.txt": 2,
    "mqsim.trace": 3, "xperf.csv": 2, "wpa.csv": 2, "fiolat.log": 2, "fiobw.log": 2, "blkreplay.load": 2,
    "iosnoop_perf.txt": 2, "iosnoop_dtrace.txt": 2, "biosnoop_bpftrace.txt": 2,
}
NAMED = {"tencent.csv": "tencent", "mqsim.trace": "mqsim"}  # what their files do not tell


class Collections(TraceTest):
    def options(self, name):
        return ("--format", NAMED[name]) if name in NAMED else ()

    def test_each_is_read_without_an_error(self):
        for name, count in SAMPLES.items():
            with self.subTest(name):
                lint = json.loads(self.run_trace("lint", golden(name), "--json", *self.options(name)).stdout)
                self.assertEqual((lint["errors"], lint["requests"]), (0, count))

    def test_each_replays_on_a_small_drive_and_on_a_large_one_whichever_way_it_is_fitted(self):
        for drive in ("seagate-barracuda4lp", "modern-500gb"):
            self.platter("truth", f"virtual:{drive}", "-o", f"{drive}.json")
            for name, count in SAMPLES.items():
                for fit in ("wrap", "scale", "compact"):
                    with self.subTest(f"{name} on {drive}, {fit}"):
                        said = json.loads(self.platter(
                            "replay", golden(name), "--on", f"{drive}.json", "-o", "r.csv", "--force", "--json", "--round",
                            "--fit", fit, *self.options(name)))
                        self.assertEqual(said["requests"], count)
                        self.assertEqual((said["fit"] or fit).split(":")[0], fit)

    def test_what_is_larger_than_the_drive_is_said_with_what_helps(self):
        self.platter("truth", "virtual:seagate-barracuda4lp", "-o", "m.json")
        done = self.fails(BAD_INPUT, ("past the end of the drive", "--fit wrap, scale or compact"), "replay",
                          golden("systor17.csv"), "--on", "m.json", "-o", "r.csv")
        self.assertFalse(os.path.exists(self.path("r.csv")), done)
        self.platter("replay", golden("systor17.csv"), "--on", "m.json", "-o", "r.csv", "--fit", "wrap")
        with open(self.path("r.csv"), encoding="utf-8") as file:
            self.assertIn("wrap: the 1755969245 blocks", file.readline())

    def test_the_standard_input_is_not_read_twice(self):
        self.platter("truth", "virtual:seagate-barracuda4lp", "-o", "m.json")
        self.fails(USAGE, ("--fit reads a trace twice",), "replay", "-", "--on", "m.json", "-o", "r.csv", "--fit", "wrap")


class NamedColumns(TraceTest):
    def test_any_csv(self):
        text = self.write("t.csv", "id;begin;kind;kib;at\n1;1000;r;4;8\n2;1500;w;8;16\n")
        columns = "-,time:us,op,size:kb,offset:sectors"
        lint = json.loads(self.run_trace("lint", text, "--csv-columns", columns, "--json").stdout)
        self.assertEqual((lint["errors"], lint["requests"], lint["format"]), (0, 2, "csv"))
        self.run_trace("convert", text, "--csv-columns", columns, "--to", "ascii", "-o", self.path("a"))
        with open(self.path("a"), encoding="ascii") as file:
            self.assertEqual([line.split() for line in file],
                             [["0.000000", "0", "8", "8", "1"], ["0.500000", "0", "16", "16", "0"]])

    def test_columns_that_are_wrong_or_not_wanted(self):
        text = self.write("t.csv", "1000,r,8,16\n")
        for columns, words in (("time:us,op,offset:bytes", "the column size is not named"),
                               ("time,op,offset:bytes,size:bytes", "write time:s"),
                               ("tiem:us,op,offset:bytes,size:bytes", 'no column "tiem"')):
            self.fails(USAGE, (words,), "trace", "stats", text, "--csv-columns", columns)
        self.fails(USAGE, ("--csv-columns",), "trace", "stats", text, "--format", "csv")
        self.fails(USAGE, ("columns of its own",), "trace", "stats", golden("k5.csv"), "--format", "k5", "--csv-columns",
                   "time:us,op,offset:bytes,size:bytes")
        self.fails(USAGE, (), "trace", "convert", golden("k5.csv"), "--to", "k5", "-o", self.path("o"))


class Split(TraceTest):
    def test_a_file_for_each_device(self):
        text = self.write("t.csv", "".join(f"{i},R,{512 * i},512,vol{i % 3}\n" for i in range(30)))
        self.run_trace("convert", text, "--csv-columns", "time:ms,op,offset:bytes,size:bytes,device", "--split-by",
                       "device", "--to", "spc", "-o", self.path("out.spc.gz"))
        for device in range(3):
            stats = json.loads(self.run_trace("stats", self.path(f"out.vol{device}.spc.gz"), "--json").stdout)
            self.assertEqual(stats["requests"], 10)
        with gzip.open(self.path("out.vol1.spc.gz"), "rt") as file:
            self.assertTrue(file.readline().split(",")[4].startswith("0.001"))  # in the time of the whole trace

    def test_more_devices_than_a_shell_may_open_files(self):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        count = 1500 if limit[1] == resource.RLIM_INFINITY or limit[1] > 2000 else 100
        text = self.write("t.csv", "".join(f"{i},R,{512 * i},512,{i}\n" for i in range(count)))
        done = subprocess.run(
            ["bash", "-c", 'ulimit -Sn 256; exec "$@"', "bash", PLATTER, "trace", "convert", text, "--csv-columns",
             "time:ms,op,offset:bytes,size:bytes,device", "--split-by", "device", "--to", "ascii", "-o",
             self.path("many/out.trace")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, OUTPUT, done.stderr)  # the folder is not there
        os.mkdir(self.path("many"))
        done = subprocess.run(
            ["bash", "-c", 'ulimit -Sn 256; exec "$@"', "bash", PLATTER, "trace", "convert", text, "--csv-columns",
             "time:ms,op,offset:bytes,size:bytes,device", "--split-by", "device", "--to", "ascii", "-o",
             self.path("many/out.trace")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(len(os.listdir(self.path("many"))), count)

    def test_nothing_is_left_of_a_trace_that_is_damaged(self):
        text = self.write("t.csv", "0,R,0,512,a\n1,R,0,512,b\n2,R,0,x,a\n")
        self.run_trace("convert", text, "--csv-columns", "time:ms,op,offset:bytes,size:bytes,device", "--split-by",
                       "device", "--to", "ascii", "-o", self.path("out"), status=BAD_INPUT)
        self.assertEqual([name for name in os.listdir(self.path(".")) if name.startswith("out")], [])


TOOLS = os.path.join(os.path.dirname(PLATTER), "../tools/usr") if PLATTER else ""


class WhatToolsWrite(TraceTest):
    """Each format as its own tool writes it here; a tool that is not there is a skipped test."""

    def tool(self, name):
        path = shutil.which(name) or shutil.which(name, path=f"{TOOLS}/bin:{TOOLS}/sbin")
        if not path:
            self.skipTest(f"no {name} (./check unpacks it)")
        return path

    def test_blkparse(self):
        for endian in ("little", "big"):
            with self.subTest(endian):
                done = subprocess.run([self.tool("blkparse"), "-i", golden(f"blktrace_{endian}")], capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                printed = self.write("printed.txt", done.stdout)
                read = [json.loads(self.run_trace("stats", path, "--json").stdout)
                        for path in (printed, golden(f"blktrace_{endian}.blktrace.0"))]
                for member in ("requests", "reads", "blocks"):
                    self.assertEqual(read[0].get(member), read[1].get(member), member)

    def test_fio(self):
        done = subprocess.run(
            [self.tool("fio"), "--name=j", "--ioengine=sync", f"--filename={self.path('disk')}", "--size=1m", "--bs=4k",
             "--rw=randwrite", "--number_ios=50", f"--write_iolog={self.path('log')}"],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lint = json.loads(self.run_trace("lint", self.path("log"), "--json").stdout)
        self.assertEqual((lint["errors"], lint["requests"]), (0, 50))

    def test_biosnoop(self):
        """The program itself, with events in place of the kernel's."""
        program = self.tool("biosnoop-bpfcc")
        for options in ((), ("-Q",), ("-P",), ("-Q", "-P")):
            with self.subTest(options):
                done = subprocess.run(["python3", "-B", program, *options], capture_output=True, text=True, check=False,
                                      env={**os.environ, "PYTHONPATH": os.path.join(HERE, "bcc_events")})
                self.assertEqual(done.returncode, 0, done.stderr)
                printed = self.write("printed.txt", done.stdout)
                self.run_trace("convert", printed, "--device-number", "sda", "--to", "validate", "-o", self.path("v"))
                with open(self.path("v"), encoding="ascii") as file:
                    rows = [line.split() for line in file]
                self.assertEqual([(row[0], row[2], row[3]) for row in rows],
                                 [("R", "1048576", "2048"), ("W", "20856", "8"), ("R", "99", "1")])
                self.assertEqual([float(row[4]) for row in rows], [12500, 610, 250])
                self.run_trace("stats", printed, "--device-number", "<unknown>")

if __name__ == "__main__":
    unittest.main()
