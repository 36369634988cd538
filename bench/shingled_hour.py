#!/usr/bin/env python3
"""An hour of random writes of 4 KiB on a shingled drive, and on the model that `characterize` made of it: the mean of each
minute, cleaning included.

    bench/shingled_hour.py [--binary platter] [--virtual 1-3] [--alien 1-3] [--rate 20] [--gigabytes 8]

Writes come in bursts of 5 to 40 s with rests of 1 to 40 s between them. The model's place of the media cache and of what
the drive did before is not known: means are compared, not requests. Prints for each drive how many minutes are within
5 %, and the worst."""

import csv
import os
import random
import sys
import tempfile

from shingled import ALIEN, Bench, options_of

HOUR_S = 3600


def trace(path, blocks, block_bytes, rate, seed):
    chance, now = random.Random(seed), 1.0
    with open(path, "w", encoding="ascii") as file:
        while now < HOUR_S:
            ends = now + chance.uniform(5, 40)
            while now < ends:
                lbn = chance.randrange(blocks // 8 - 1) * (4096 // block_bytes)
                file.write(f"0,{lbn},4096,w,{now:.6f}\n")
                now += chance.expovariate(rate)
            now = ends + chance.uniform(1, 40)


def minutes(path):
    means = {}
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        for row in rows:
            if row["part"] == "trace":
                means.setdefault(int(float(row["due_ns"] or row["issue_ns"]) // 60e9), []).append(
                    float(row["response_ns"]) / 1e6)
    return {minute: sum(times) / len(times) for minute, times in means.items()}


def hour(bench, name, drive, options):
    with tempfile.TemporaryDirectory() as folder:
        model, failed = bench.model_of(folder, drive)
        if model is None:
            return f"{name}: {failed}"
        block_bytes = model["identity"]["block_bytes"]
        blocks = int(options.gigabytes * 1e9) // block_bytes
        trace(os.path.join(folder, "hour.spc"), blocks, block_bytes, options.rate, 5)
        for on, result in ((drive, "drive.csv"), ("model.json", "model.csv")):
            writes = ["--allow-writes", "all"] if on == drive else []
            failed = bench.run(folder, "replay", "hour.spc", "--format", "spc", "--block-bytes", str(block_bytes), "--on",
                               on, "--caches", "off", "-o", result, *writes)
            if failed:
                return f"{name}: {failed}"
        of_drive, of_model = (minutes(os.path.join(folder, each)) for each in ("drive.csv", "model.csv"))
        off = {minute: 100 * (of_model[minute] / of_drive[minute] - 1) for minute in of_drive}
        within = sum(abs(each) <= 5 for each in off.values())
        worst = max(off, key=lambda minute: abs(off[minute]))
        whole = 100 * (sum(of_model.values()) / sum(of_drive.values()) - 1)
        return (f"{name}: {within} of {len(off)} minutes within 5 %, worst {off[worst]:+.1f} % (minute {worst}), all "
                f"{whole:+.2f} %; a minute's mean {min(of_drive.values()):.1f} to {max(of_drive.values()):.1f} ms")


def main():
    parser = options_of("1-3", __doc__)
    parser.add_argument("--rate", type=float, default=20)
    parser.add_argument("--gigabytes", type=float, default=8)
    options = parser.parse_args()
    bench = Bench(options.binary, "all")
    for number in options.virtual:
        print(hour(bench, f"virtual {number}", f"virtual:modern-smr-{number}?seed={number}", options), flush=True)
    for number in options.alien:
        drive = f"exec:{sys.executable} -B {ALIEN} --variant shingled:{number} --seed {number}"
        print(hour(bench, f"alien {number}", drive, options), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
