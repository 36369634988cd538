#!/usr/bin/env python3
"""An hour of random writes of 4 KiB on a shingled drive, and on the model that `characterize` made of it: the mean of each
minute, cleaning included.

    bench/shingled_hour.py [--binary platter] [--virtual 1-3] [--alien 1-3] [--rate 20] [--gigabytes 8]

Writes come in bursts of 5 to 40 s with rests of 1 to 40 s between them; the model's platter stands as the drive's did.
Prints for each drive how many minutes are within 5 %, and the worst; the same of the drive itself with another seed of
its chances, which no model can do better than. The status is 1 where a minute is off by more than 5 %, and the drive
itself is not there, or all together are off by more than 2 %."""

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
    """Of each the mean response in ms. One at a time: where the one before was not done when a request came, its time
    counts from there, else a band that the model cleans a moment later makes all late that the drive got behind its own."""
    means, free_ns = {}, 0.0
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        for row in rows:
            if row["part"] == "trace":
                issue_ns = float(row["issue_ns"])
                done_ns = issue_ns + float(row["response_ns"])
                means.setdefault(int(float(row["due_ns"] or issue_ns) // 60e9), []).append(
                    (done_ns - max(issue_ns, free_ns)) / 1e6)
                free_ns = done_ns
    return {minute: sum(times) / len(times) for minute, times in means.items()}


def apart(of_drive, other):
    """(how far the other's minutes are off, in %; how far all of them are)"""
    off = {minute: 100 * (other[minute] / of_drive[minute] - 1) for minute in of_drive}
    return off, 100 * (sum(other.values()) / sum(of_drive.values()) - 1)


def root_mean_square(off):
    return (sum(each * each for each in off.values()) / len(off)) ** 0.5


def in_words(off, whole):
    within = sum(abs(each) <= 5 for each in off.values())
    worst = max(off, key=lambda minute: abs(off[minute]))
    return (f"{within} of {len(off)} minutes within 5 %, rms {root_mean_square(off):.1f} %, worst {off[worst]:+.1f} % "
            f"(minute {worst}), all {whole:+.2f} %")


def hour(bench, name, drive, again, options):
    """(is the model as near to the drive as the drive is to itself, a line)"""
    with tempfile.TemporaryDirectory() as folder:
        model, failed = bench.model_of(folder, drive)
        if model is None:
            return False, f"{name}: {failed}"
        block_bytes = model["identity"]["block_bytes"]
        blocks = int(options.gigabytes * 1e9) // block_bytes
        trace(os.path.join(folder, "hour.spc"), blocks, block_bytes, options.rate, 5)
        for on, result in ((drive, "drive.csv"), (again, "again.csv"), ("model.json", "model.csv")):
            # The platter's angle is the drive's: each write would wait another while.
            more = ["--phase-from", "drive.csv"] if on == "model.json" else ["--allow-writes", "all"]
            failed = bench.run(folder, "replay", "hour.spc", "--format", "spc", "--block-bytes", str(block_bytes), "--on",
                               on, "--caches", "off", "-o", result, *more)
            if failed:
                return False, f"{name}: {failed}"
        of_drive, itself, of_model = (minutes(os.path.join(folder, each)) for each in
                                      ("drive.csv", "again.csv", "model.csv"))
        of_model, itself = apart(of_drive, of_model), apart(of_drive, itself)
        good = abs(of_model[1]) <= 2 and all(abs(off) <= 5 or abs(itself[0][minute]) > 5
                                             for minute, off in of_model[0].items())
        return good, (f"{name}: the model {in_words(*of_model)}; the drive itself, with another seed, {in_words(*itself)}; a "
                      f"minute's mean {min(of_drive.values()):.1f} to {max(of_drive.values()):.1f} ms")


def main():
    parser = options_of("1-3", __doc__)
    parser.add_argument("--rate", type=float, default=20)
    parser.add_argument("--gigabytes", type=float, default=8)
    options = parser.parse_args()
    bench = Bench(options.binary, "all")
    good = True

    def told(*of):
        nonlocal good
        as_near, line = hour(bench, *of, options)
        good &= as_near
        print(line, flush=True)

    for number in options.virtual:
        drive = f"virtual:modern-smr-{number}?seed="
        told(f"virtual {number}", f"{drive}{number}", f"{drive}{number + 1000}")
    for number in options.alien:
        drive = f"exec:{sys.executable} -B {ALIEN} --variant shingled:{number} --seed "
        told(f"alien {number}", f"{drive}{number}", f"{drive}{number + 1000}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
