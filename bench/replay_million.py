#!/usr/bin/env python3
"""How long `platter replay` takes for a million requests: reading, serving and statistics included, on one core;
docs/performance.md has the figures.

    replay_million.py [--platter PROGRAM] [--requests N] [--runs N] [--core N]
    replay_million.py --against PROGRAM [--platter PROGRAM] [--requests N] [--runs N] [--core N]

Without --against: wall and processor seconds of a DiskSim ASCII file. With it: the processor time of both programs, run
by turns, and the median of the ratios of runs that followed one another; of the other program with a result's file, which
older ones cannot do without, of this one without.
"""

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time

WAYS = [("caches on", []), ("caches on, result", ["-o", "r.csv"]),
        ("caches off", ["--caches", "off"]), ("caches on, result in zstd", ["-o", "r.csv.zst"]),
        ("depth 8, sptf", ["--depth", "8", "--scheduler", "sptf"])]
FORMATS = [("ascii", "t.trace"), ("ascii, gzip", "t.trace.gz"), ("msr, gzip", "t.msr.gz"), ("msr, zstd", "t.msr.zst"),
           ("blktrace, gzip", "t.blktrace.gz"), ("blktrace, zstd", "t.blktrace.zst")]


def timed(command, folder):
    """Wall and processor seconds, largest memory in MiB so far."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return (wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
            after.ru_maxrss / 1024)


def make(platter, folder, requests, names):
    def run(*words):
        subprocess.run([platter, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    run("truth", "virtual:quantum-atlas10k", "-o", "m.json")
    run("trace", "generate", "--workload", "random", "--for", "m.json", "--requests", str(requests), "-o", "t.trace")
    for name in names:
        if name != "t.trace":
            run("trace", "convert", "t.trace", "--to", {"trace": "ascii"}.get(name.split(".")[1], name.split(".")[1]),
                "-o", name)


def alone(platter, folder, arguments):
    print(f"{arguments.requests} requests, {os.path.getsize(os.path.join(folder, 't.trace'))} "
          f"bytes, medians of {arguments.runs} runs on one core")
    for name, options in WAYS:
        command = ["taskset", "-c", arguments.core, platter, "replay", "t.trace", "--on", "m.json", "--force", *options]
        runs = [timed(command, folder) for _ in range(arguments.runs)]
        wall, processor = (statistics.median(run[i] for run in runs) for i in (0, 1))
        result = f", result {os.path.getsize(os.path.join(folder, options[1])) / 1e6:.1f} MB" if "-o" in options else ""
        print(f"{name}: {wall:.2f} s, of the processor {processor:.2f} s (fastest "
              f"{min(run[0] for run in runs):.2f} s), at most {runs[-1][2]:.0f} MiB{result}", flush=True)


def compared(platter, folder, arguments):
    print(f"{arguments.requests} requests, processor seconds on one core, {arguments.runs} pairs of runs")
    for name, trace in FORMATS:
        on_core = ["taskset", "-c", arguments.core]
        words = ["replay", trace, "--on", "m.json"]
        pairs = [(timed([*on_core, arguments.against, *words, "-o", "r.csv", "--force"], folder)[1],
                  timed([*on_core, platter, *words], folder)[1]) for _ in range(arguments.runs)]
        theirs, ours = (statistics.median(pair[i] for pair in pairs) for i in (0, 1))
        ratio = statistics.median(ours / theirs for theirs, ours in pairs)
        print(f"{name}: {theirs:.3f} s, this program {ours:.3f} s, median of the ratios {ratio:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platter", default="build/release/platter")
    parser.add_argument("--against", metavar="PROGRAM", help="another platter")
    parser.add_argument("--requests", type=int, default=1000000)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--core", default="0")
    arguments = parser.parse_args()
    platter = os.path.abspath(arguments.platter)
    if arguments.against:
        arguments.against = os.path.abspath(arguments.against)
    with tempfile.TemporaryDirectory() as folder:
        make(platter, folder, arguments.requests, [trace for _, trace in FORMATS] if arguments.against else [])
        (compared if arguments.against else alone)(platter, folder, arguments)


if __name__ == "__main__":
    main()
