#!/usr/bin/env python3
"""A study that is killed (SIGKILL) at random moments and gone on with, beside one that is left alone: the same table to
the byte, no point computed twice but those in flight, no temporary file left. Then what is missing of it (nothing), and
of an enlarged one (the new trace's points), and what the study costs beside its replays.

    bench/study/kill.py --platter build/release/platter [--points 1000] [--kills 100] [--jobs 2] [--seed 1]
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

SCHEDULERS, CACHES, DEPTHS = ["fcfs", "sstf", "look", "c-look", "sptf"], ["default", "off"], [1, 2, 4, 8, 16]


def study_of(traces, models):
    return {"schema": {"name": "platter-study", "version": "1.0"}, "name": "killed", "models": models, "traces": traces,
            "options": {"scheduler": SCHEDULERS, "caches": CACHES, "depth": DEPTHS}}


class Bench:
    def __init__(self, folder, platter, points, requests):
        self.folder, self.platter = folder, os.path.abspath(platter)
        self.run("truth", "virtual:quantum-atlas10k", "-o", "atlas.json")
        self.run("truth", "virtual:hp-c2247", "-o", "c2247.json")
        models = ["atlas.json", "c2247.json"]
        each = len(SCHEDULERS) * len(CACHES) * len(DEPTHS) * len(models)
        assert points % each == 0, f"points are a multiple of {each}"
        self.traces = [{"workload": "random", "requests": requests, "seed": seed, "rate": 50}
                       for seed in range(1, points // each + 2)]
        self.models, self.points = models, points
        self.write("study.json", study_of(self.traces[:-1], models))
        self.write("larger.json", study_of(self.traces, models))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, document):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(document, file)

    def run(self, *words):
        done = subprocess.run([self.platter, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{words}: status {done.returncode}: {done.stderr}")
        return done

    def study(self, name, folder, jobs):
        """What it says, the wall clock's seconds and the processors' seconds of it and its processes."""
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        told = json.loads(self.run("study", "run", name, "-C", folder, "--jobs", str(jobs), "--json").stdout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return told, time.monotonic() - began, used

    def begin(self, folder, jobs):
        return subprocess.Popen([self.platter, "study", "run", "study.json", "-C", folder, "--jobs", str(jobs),
                                 "--progress", "none"], cwd=self.folder, stderr=subprocess.PIPE)

    def files(self, folder):
        return {os.path.join(base, name): os.stat(os.path.join(base, name)).st_ino
                for base, _, names in os.walk(self.path(folder)) for name in names}

    def stored(self, folder):
        return {path: inode for path, inode in self.files(folder).items()
                if "/points/" in path and path.endswith(".json")}

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()


def expect(good, what):
    if not good:
        raise SystemExit(f"NOT SO: {what}")
    print(what, flush=True)


def killed_runs(bench, options, whole_s):
    """Kills until so many have hit a run that was at work; then lets it end."""
    chance = random.Random(options.seed)
    kills, seen, replaced, unfinished = 0, {}, 0, 0
    while kills < options.kills:
        run = bench.begin("killed", options.jobs)
        time.sleep(chance.uniform(0, 2 * whole_s / options.kills))
        run.kill()
        kills += run.wait() == -9
        run.stderr.close()
        # Its processes end by themselves: each by a signal that it has asked for.
        unfinished = max(unfinished, sum(path.endswith(".part") for path in bench.files("killed")))
        now = bench.stored("killed")
        replaced += sum(now.get(path) != inode for path, inode in seen.items())
        seen = now
        if len(now) == options.points:
            break
    return kills, replaced, unfinished


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platter", required=True)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--requests", type=int, default=20000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, options.platter, options.points, options.requests)
        told, whole_s, used_s = bench.study("study.json", "alone", options.jobs)
        expect(told["computed"] == options.points, f"{options.points} points in {whole_s:.1f} s, {options.jobs} jobs")
        print(f"processor time: {used_s:.2f} s, the replays {told['replay_s']:.2f} s, beside them "
              f"{100 * (used_s / told['replay_s'] - 1):.2f} %")
        kills, replaced, unfinished = killed_runs(bench, options, whole_s)
        before = len(bench.stored("killed"))
        expect(kills >= min(options.kills, options.points // 20) or kills == options.kills,
               f"{kills} kills; {before} points were there then")
        told, _, _ = bench.study("study.json", "killed", options.jobs)
        expect(told["computed"] == options.points - before, f"{told['computed']} points were missing and were computed")
        expect(replaced == 0, "no point that was there was computed again")
        for table in ("table.csv", "table.jsonl"):
            expect(bench.content("killed/" + table) == bench.content("alone/" + table), f"{table} is the same")
        names = {kind: {os.path.relpath(path, bench.path(kind)) for path in bench.files(kind)}
                 for kind in ("killed", "alone")}
        expect(names["killed"] == names["alone"], f"no other file is left (at most {unfinished} lay there after a kill)")
        told, again_s, _ = bench.study("study.json", "killed", options.jobs)
        expect(told["computed"] == 0 and again_s < 2, f"with nothing missing: {again_s:.2f} s")
        told, _, _ = bench.study("larger.json", "killed", options.jobs)
        new = options.points // (len(bench.traces) - 1)
        expect(told["computed"] == new, f"with one trace more: its {new} points")
    return 0


if __name__ == "__main__":
    sys.exit(main())
