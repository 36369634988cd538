#!/usr/bin/env python3
"""How long `platter replay` takes for a million requests in a DiskSim ASCII file: reading, serving,
statistics and the result's file included, on one core; docs/performance.md has the figures.

    replay_million.py [--platter PROGRAM] [--requests N] [--runs N] [--core N]
"""

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time

WAYS = [("caches on", ["-o", "r.pres"]), ("caches off", ["--caches", "off", "-o", "r.pres"]),
        ("caches on, result in CSV", ["-o", "r.csv"]),
        ("depth 8, sptf", ["--depth", "8", "--scheduler", "sptf", "-o", "r.pres"])]


def timed(command, folder):
    """Wall and processor seconds, largest memory in MiB so far."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return (wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
            after.ru_maxrss / 1024)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platter", default="build/release/platter")
    parser.add_argument("--requests", type=int, default=1000000)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--core", default="0")
    arguments = parser.parse_args()
    platter = os.path.abspath(arguments.platter)
    with tempfile.TemporaryDirectory() as folder:
        for words in (["truth", "virtual:quantum-atlas10k", "-o", "m.json"],
                      ["trace", "generate", "--workload", "random", "--for", "m.json",
                       "--requests", str(arguments.requests), "-o", "t.trace"]):
            subprocess.run([platter, *words], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        print(f"{arguments.requests} requests, {os.path.getsize(os.path.join(folder, 't.trace'))} "
              f"bytes, medians of {arguments.runs} runs on one core")
        for name, options in WAYS:
            command = ["taskset", "-c", arguments.core, platter, "replay", "t.trace", "--on",
                       "m.json", *options]
            runs = [timed(command, folder) for _ in range(arguments.runs)]
            wall, processor = (statistics.median(run[i] for run in runs) for i in (0, 1))
            size = os.path.getsize(os.path.join(folder, options[-1]))
            print(f"{name}: {wall:.2f} s, of the processor {processor:.2f} s (fastest "
                  f"{min(run[0] for run in runs):.2f} s), at most {runs[-1][2]:.0f} MiB, result "
                  f"{size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
