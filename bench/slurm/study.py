#!/usr/bin/env python3
"""A study on a loopback Slurm of two nodes, of one processor each: 400 points in 20 parts. One slurmd is killed with its
steps, one task is killed, the script is run once more; what comes of it is held against the table of a local run.

    bench/slurm/study.py --platter build/release/platter [--requests 60000]
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from cluster import Cluster, missing

POINTS, PARTS = 400, 20


def study_of(requests):
    return {"schema": {"name": "platter-study", "version": "1.0"}, "name": "on slurm", "models": ["atlas.json", "c2247.json"],
            "traces": [{"workload": "random", "requests": requests, "seed": seed, "rate": 50} for seed in range(1, 5)],
            "options": {"scheduler": ["fcfs", "sstf", "look", "c-look", "sptf"], "depth": [1, 2, 4, 8, 16],
                        "caches": ["default", "off"]}}


class Bench:
    def __init__(self, folder, platter, requests):
        self.folder, self.program = folder, os.path.abspath(platter)
        self.platter("truth", "virtual:quantum-atlas10k", "-o", "atlas.json")
        self.platter("truth", "virtual:hp-c2247", "-o", "c2247.json")
        with open(self.path("study.json"), "w", encoding="utf-8") as file:
            json.dump(study_of(requests), file)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def platter(self, *words, status=0):
        done = subprocess.run([self.program, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != status:
            raise SystemExit(f"{words}: status {done.returncode}: {done.stderr}")
        return done.stdout

    def stored(self, folder):
        """{a point's file: which one it is}"""
        return {name: os.stat(os.path.join(base, name)).st_ino for base, _, names in os.walk(self.path(folder, "points"))
                for name in names if name.endswith(".json")}

    def unfinished(self, folder):
        return [name for _, _, names in os.walk(self.path(folder)) for name in names if name.endswith(".part")]

    def same_tables(self, one, other):
        for name in ("table.csv", "table.jsonl"):
            with open(self.path(one, name), "rb") as file, open(self.path(other, name), "rb") as second:
                expect(file.read() == second.read(), f"{name} is the same")


def expect(good, what):
    if not good:
        raise SystemExit(f"NOT SO: {what}")
    print(what, flush=True)


def kill_a_task(cluster):
    """One task's program, as the kernel kills one that takes too much: the first that has begun."""
    tasks = []
    cluster.until(lambda: tasks.extend(name for name in cluster.running() if cluster.job_processes(name)) or tasks,
                  "a task to kill")
    for process in cluster.job_processes(tasks[0]):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass  # went with its parent
    return tasks[0]


def on_slurm(bench, cluster):
    stored = lambda: len(bench.stored("shared"))
    began = time.monotonic()
    jobs = cluster.run("sh", "study.sh", cwd=bench.folder).stdout.split()
    cluster.until(lambda: stored() > POINTS // 20, "some points")
    print(f"task {kill_a_task(cluster)} killed at {stored()} points", flush=True)
    cluster.until(lambda: stored() > POINTS // 4 and len(cluster.running()) == 2, "a quarter of the points")
    before = bench.stored("shared")
    cluster.kill_node("n1")
    print(f"slurmd of n1 killed with its steps at {len(before)} points", flush=True)
    cluster.until(lambda: cluster.node_state("n1").startswith("DOWN"), "n1 is given up", 120)
    cluster.start_node("n1")
    cluster.wait_for_all(500)
    with open(bench.path("on_slurm-table.log"), encoding="utf-8") as file:
        collected = file.read()
    print(f"{time.monotonic() - began:.0f} s; the job that collects ({jobs[-1]}) said:\n  "
          + "\n  ".join(collected.strip().splitlines()[-3:]), flush=True)
    expect(("points are missing" in collected) == (stored() < POINTS), f"{stored()} points are there, and it says so")
    return before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platter", required=True)
    parser.add_argument("--requests", type=int, default=60000)
    options = parser.parse_args()
    if missing():
        print(missing(), file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, options.platter, options.requests)
        bench.platter("study", "run", "study.json", "-C", "local", "--jobs", "2")
        expect(len(bench.stored("local")) == POINTS, f"{POINTS} points computed here")
        script = bench.platter("study", "slurm", "study.json", "-C", "shared", "--parts", str(PARTS), "--least", "0")
        with open(bench.path("study.sh"), "w", encoding="utf-8") as file:
            file.write(script)
        with Cluster(nodes=2, cpus=1) as cluster:
            before = on_slurm(bench, cluster)
            first = bench.stored("shared")
            os.remove(bench.path("on_slurm-table.log"))
            cluster.run("sh", "study.sh", cwd=bench.folder)
            cluster.wait_for_all(500)
        after = bench.stored("shared")
        expect(len(after) == POINTS, f"run once more it is complete: {POINTS - len(first)} points were missing")
        expect(all(after[name] == which for found in (before, first) for name, which in found.items()),
               "no point that was there was computed again")
        expect(not bench.unfinished("shared"), "no temporary file is left")
        bench.same_tables("shared", "local")
    return 0


if __name__ == "__main__":
    sys.exit(main())
