"""The components of examples/sst and examples/gem5, built with the few names of theirs that are used (or with SST itself,
where sst-config is installed): each request is complete when libplatter says."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
sys.path.insert(0, os.path.join(ROOT, "lib/python"))

import platter  # noqa: E402

PLATTER = os.environ["PLATTER_BINARY"]
LIBRARY = os.path.dirname(os.environ["PLATTER_LIBRARY"])
STRICT = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", os.path.join(ROOT, "lib")]
REQUESTS = 1000


def run(*command, **more):
    return subprocess.run(command, text=True, capture_output=True, check=False, timeout=200, **more)


class Simulators(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def table(self, drive):
        model, table = os.path.join(self.folder, "drive.json"), os.path.join(self.folder, "drive.ptab")
        for words in (("truth", drive, "-o", model), ("emit", "table", model, "-o", table)):
            self.assertEqual(run(PLATTER, *words).returncode, 0)
        return table

    def build(self, simulator):
        example, stubs = os.path.join(ROOT, "examples", simulator), os.path.join(HERE, "simulators", simulator)
        program, tree = os.path.join(self.folder, simulator), os.path.join(self.folder, "tree")
        if not os.path.exists(tree):  # as gem5 has it
            os.makedirs(os.path.join(tree, "dev"))
            os.symlink(os.path.join(ROOT, "examples/gem5"), os.path.join(tree, "dev/storage"))
        built = run("c++", *STRICT, "-I", stubs, "-I", example, "-I", tree, os.path.join(example, "platter_drive.cc"),
                    os.path.join(stubs, "serve.cc"), "-o", program, "-L", LIBRARY, "-l:libplatter.so.1", f"-Wl,-rpath,{LIBRARY}")
        self.assertEqual(built.returncode, 0, built.stderr)
        return program

    def test_sst_gives_each_request_back_when_the_drive_has_completed_it(self):
        table = self.table("virtual:quantum-atlas10k")
        draw = random.Random(1)
        blocks = platter.Table(table).info().blocks
        arrival, requests = 0, []
        for _ in range(REQUESTS):  # in bursts of more than the queue holds, too
            arrival += draw.choice((0, 1000, 5_000_000))
            requests.append((arrival, draw.randrange(blocks - 8), 8, draw.randrange(2)))
        done = run(self.build("sst"), table, input="".join("%d %d %d %d\n" % each for each in requests))
        self.assertEqual(done.returncode, 0, done.stderr)
        came = {int(line.split()[0]): int(line.split()[1]) for line in done.stdout.splitlines()}
        self.assertEqual(len(came), REQUESTS)

        expected, waiting, drive, now = {}, list(enumerate(requests)), platter.Engine(platter.Table(table)), 0
        held = []
        while len(expected) < REQUESTS:
            next_arrival = waiting[0][1][0] if waiting else None
            due = drive.next_completion_time() if drive.outstanding() else None
            if due is not None and (next_arrival is None or due < next_arrival):
                completion = drive.next_completion()
                now = completion.completion_ns
                expected[completion.tag] = now
            else:
                number, (now, *_) = waiting[0]
                held.append(waiting.pop(0))
            while held:
                number, (_, lbn, count, write) = held[0]
                request = platter.Request(lbn=lbn, blocks=count, tag=number, flags=platter.WRITE if write else 0)
                if drive.submit(request, now):
                    break
                held.pop(0)
        self.assertEqual(came, expected)

    def test_gem5_waits_as_long_as_the_drive_takes(self):
        table = self.table("virtual:modern-20tb")  # blocks of 4 KiB: sectors are 512 bytes all the same
        self.assertEqual(platter.Table(table).info().block_bytes, 4096)
        draw = random.Random(2)
        requests = [(8 * draw.randrange(10**9) + draw.choice((0, 3)), draw.choice((1, 8, 64)), draw.randrange(2))
                    for _ in range(REQUESTS)]
        done = run(self.build("gem5"), table, input="".join("%d %d %d\n" % each for each in requests))
        self.assertEqual(done.returncode, 0, done.stderr)
        drive, now, expected = platter.Engine(platter.Table(table)), 0, []
        for sector, sectors, write in requests:
            first = sector // 8
            request = platter.Request(lbn=first, blocks=(sector + sectors + 7) // 8 - first,
                                      flags=platter.WRITE if write else 0)
            now = drive.service(request, now).completion_ns
            expected.append(now)
        self.assertEqual([int(line) for line in done.stdout.split()], expected)

    def test_no_table(self):
        for simulator in ("sst", "gem5"):
            done = run(self.build(simulator), os.path.join(self.folder, "none.ptab"), input="")
            self.assertEqual(done.returncode, 1)
            self.assertIn("none.ptab", done.stderr)

    @unittest.skipUnless(shutil.which("sst-config"), "SST is not installed")
    def test_sst_itself_takes_the_component(self):
        flags = run("sst-config", "--ELEMENT_CXXFLAGS").stdout.split()
        built = run("c++", *flags, "-fsyntax-only", "-I", os.path.join(ROOT, "lib"),
                    os.path.join(ROOT, "examples/sst/platter_drive.cc"))
        self.assertEqual(built.returncode, 0, built.stderr)


if __name__ == "__main__":
    unittest.main()
