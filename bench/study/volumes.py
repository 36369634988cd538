#!/usr/bin/env python3
"""What a cloud's trace costs: a trace of many volumes, a million requests in the form of Microsoft Research Cambridge, on
five models and five schedulers, a point for each volume. States the time on this machine, and from the processors' time
the core-hours for 20 billion requests.

    bench/study/volumes.py --platter build/release/platter [--requests 1000000] [--volumes 36] [--jobs 2]
"""

import argparse
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

MODELS = ["quantum-atlas10k", "seagate-cheetah9lp", "ibm-ultrastar18es", "seagate-barracuda4lp", "maxtor-atlas10k4"]
SCHEDULERS = ["fcfs", "sstf", "look", "c-look", "sptf"]
CLOUD = 20e9


def write_trace(path, requests, volumes, chance):
    """Volumes that are used unequally (Zipf), half of their requests sequential, 8 KiB and 64 KiB, 1,000 a second."""
    weights = [1 / (number + 1) for number in range(volumes)]
    ends, ticks = [0] * volumes, 128166372003061629
    with gzip.open(path, "wt", compresslevel=1) as file:
        for volume in chance.choices(range(volumes), weights, k=requests):
            ticks += int(chance.expovariate(1000) * 1e7)
            if chance.random() < 0.5:
                ends[volume] = chance.randrange(2 * 2**30 // 4096) * 4096
            length = chance.choice((8192, 8192, 8192, 65536))
            kind = "Read" if chance.random() < 0.6 else "Write"
            file.write(f"{ticks},srv,{volume},{kind},{ends[volume]},{length},1000\n")
            ends[volume] += length


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platter", required=True)
    parser.add_argument("--requests", type=int, default=1000000)
    parser.add_argument("--volumes", type=int, default=36)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    platter = os.path.abspath(options.platter)
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            subprocess.run([platter, "truth", "virtual:" + name, "-o", name + ".json"], cwd=folder, check=True,
                           capture_output=True)
        write_trace(os.path.join(folder, "volumes.csv.gz"), options.requests, options.volumes, random.Random(1))
        study = {"schema": {"name": "platter-study", "version": "1.0"}, "models": [name + ".json" for name in MODELS],
                 "traces": [{"file": "volumes.csv.gz", "format": "msr", "split_by": "device", "fit": "wrap"}],
                 "options": {"scheduler": SCHEDULERS, "depth": 16}}
        with open(os.path.join(folder, "study.json"), "w", encoding="utf-8") as file:
            json.dump(study, file)
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([platter, "study", "run", "study.json", "-C", "results", "--jobs", str(options.jobs), "--json"],
                              cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(done.stderr)
        wall_s, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        told = json.loads(done.stdout)
        used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        replays = options.requests * len(MODELS) * len(SCHEDULERS)
        print(f"{told['points']} points, {replays:,} requests replayed: {wall_s:.1f} s by {options.jobs} jobs")
        print(f"processor time {used_s:.1f} s, of which the replays {told['replay_s']:.1f} s: "
              f"{1e9 * used_s / replays:.0f} ns a request on a model")
        print(f"20 billion requests on {len(MODELS)} models and {len(SCHEDULERS)} schedulers: "
              f"{CLOUD * len(MODELS) * len(SCHEDULERS) * used_s / replays / 3600:.0f} core-hours")
        print(f"largest process: {after.ru_maxrss / 1024:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
