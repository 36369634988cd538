#!/usr/bin/env python3
"""The study of study.py by snakemake 7 and examples/study/Snakefile, two jobs at a time: one job is killed, then
snakemake itself with all that it runs; run once more it is complete, and its table is that of a local run.

    bench/slurm/snakemake_study.py --platter build/release/platter [--requests 60000]
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from cluster import kill_marked, marked
from study import PARTS, POINTS, Bench, expect

SNAKEFILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/study/Snakefile")
MARK = "PLATTER_SNAKEMAKE_STUDY"


class Snakemake:
    def __init__(self, bench):
        self.bench = bench
        self.environment = dict(os.environ, HOME=bench.folder)
        self.environment[MARK] = bench.folder
        self.words = ["snakemake", "-s", os.path.abspath(SNAKEFILE), "--cores", "2", "--nolock", "--rerun-incomplete",
                      "--config", "study=study.json", "folder=snaked", f"parts={PARTS}", "least=0",
                      f"platter={bench.program}"]

    def begin(self):
        log = open(self.bench.path("snakemake.log"), "ab")  # pylint: disable=consider-using-with
        return subprocess.Popen(self.words, cwd=self.bench.folder, env=self.environment, stdout=log, stderr=log)

    def wait_for(self, points, run):
        while len(self.bench.stored("snaked")) < points:
            if run.poll() is not None:
                with open(self.bench.path("snakemake.log"), encoding="utf-8") as file:
                    raise SystemExit(file.read())
            time.sleep(0.02)

    def jobs(self):
        """The programs that compute parts."""
        found = []
        for pid in marked(f"{MARK}={self.bench.folder}"):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if words[0].decode() == self.bench.program and words[1:3] == [b"study", b"run"]:
                found.append(pid)
        return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platter", required=True)
    parser.add_argument("--requests", type=int, default=60000)
    options = parser.parse_args()
    if not shutil.which("snakemake"):
        print("no snakemake on PATH", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, options.platter, options.requests)
        bench.platter("study", "run", "study.json", "-C", "local", "--jobs", "2")
        snakemake = Snakemake(bench)
        run = snakemake.begin()
        snakemake.wait_for(POINTS // 20, run)
        job = snakemake.jobs()[0]
        os.kill(job, signal.SIGKILL)
        print(f"a job killed at {len(bench.stored('snaked'))} points", flush=True)
        snakemake.wait_for(POINTS // 3, run)
        kill_marked(f"{MARK}={folder}")
        run.wait()
        before = bench.stored("snaked")
        print(f"snakemake killed with its jobs at {len(before)} points", flush=True)
        status = snakemake.begin().wait()
        with open(bench.path("snakemake.log"), encoding="utf-8") as file:
            log = file.read()
        expect(status == 0, f"run once more, it ends with status {status}" + ("" if status == 0 else "\n" + log))
        after = bench.stored("snaked")
        expect(len(after) == POINTS, f"{POINTS} points are there")
        expect(all(after[name] == which for name, which in before.items()), "none that was there was computed again")
        expect(not bench.unfinished("snaked"), "no temporary file is left")
        bench.same_tables("snaked", "local")
    return 0


if __name__ == "__main__":
    sys.exit(main())
