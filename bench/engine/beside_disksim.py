#!/usr/bin/env python3
"""The engine and DiskSim on the same drive and the same requests, one after the other in one run:
requests a second of each, and the ratio. DiskSim is a program that you have built yourself.

    bench/engine/beside_disksim.py --disksim PROGRAM DRIVE.parv [--requests 100000]

The requests: two thirds reads, 2 to 64 blocks, anywhere, 40 to 80 ms apart, so that none waits. DiskSim
runs the .parv as it is, its time is what its process takes (user and system), reading the trace
and writing its statistics included; the median of --runs. The engine runs the model that platter
imports from the same file.
"""
import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile


def write_trace(path, blocks, requests):
    draw = random.Random(20261121)
    time_ms = 0.0
    with open(path, "w", encoding="ascii") as file:
        for _ in range(requests):
            time_ms += 40 + 40 * draw.random()
            size = draw.randrange(2, 65)
            lbn = draw.randrange(blocks - size)
            file.write(f"{time_ms:.6f} 0 {lbn} {size} {1 if draw.random() < 2 / 3 else 0}\n")


def cpu_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--disksim", required=True, help="the program")
    parser.add_argument("--build", default="build/release", help="where platter was built")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("parv")
    options = parser.parse_args()
    disksim = os.path.abspath(shutil.which(options.disksim) or options.disksim)
    build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model.json")
        trace = os.path.join(folder, "requests.trace")
        imported = subprocess.run([f"{build}/platter", "import", "disksim", options.parv, "-o", model],
                                  check=False, capture_output=True, text=True)
        if imported.returncode:
            sys.exit(imported.stderr)
        with open(model, encoding="utf-8") as file:
            blocks = json.load(file)["identity"]["blocks"]
        write_trace(trace, blocks, options.requests)
        command = [disksim, os.path.basename(options.parv), os.path.join(folder, "out.outv"),
                   "ascii", trace, "0"]
        where = os.path.dirname(os.path.abspath(options.parv))
        theirs = statistics.median(cpu_seconds(command, where) for _ in range(options.runs))
        report = subprocess.run(
            [f"{build}/engine_benchmark", f"--trace={trace}", "--benchmark_format=json", model],
            check=True, capture_output=True, text=True).stdout
        print(f"{options.parv}: {options.requests} requests")
        print(f"  DiskSim, as configured: {options.requests / theirs:12,.0f} a second")
        for run in json.loads(report)["benchmarks"]:
            speed = run["items_per_second"]
            print(f"  platter, {run['name'].rsplit('/', 1)[1]:13s}: {speed:12,.0f} a second, "
                  f"{speed * theirs / options.requests:,.0f} times as many")


if __name__ == "__main__":
    sys.exit(main())
