#!/usr/bin/env python3
"""How far two maps by timing of one virtual drive agree, made with different seeds of the run and of the noise.

    bench/layout/agreement.py [--binary PLATTER] [--lbns N] DRIVE... [-- OPTION...]

For each drive: two runs of `platter characterize` (OPTIONs such as --budget go to both), then N random LBNs (20,000)
that neither map guesses: the shares for which both have the same first LBN and as many sectors of its track. Time: 5
to 20 s a run of the host.
"""

import argparse
import json
import os
import random
import sys
import tempfile

import modern_drives


def measured(binary, drive, seed, options, path):
    modern_drives.run(binary, "characterize", f"virtual:{drive}?page40h=no", "--seed", str(seed), "-o", path, "--force",
                      *options, may_fail=True)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def guessed(model):
    stretches = model["layout"].get("timed", {}).get("stretches", [])
    return [(s["first_lbn"], s["last_lbn"]) for s in stretches if s["standing"] == "guessed"]


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=modern_drives.PLATTER)
    parser.add_argument("--lbns", type=int, default=20000)
    parser.add_argument("drives", nargs="+")
    arguments = parser.parse_args(arguments)
    print(f"{'drive':24} {'LBNs':>7} {'first LBN same %':>17} {'sectors same %':>15}")
    with tempfile.TemporaryDirectory() as folder:
        for drive in arguments.drives:
            paths = [os.path.join(folder, f"{seed}.json") for seed in (1, 2)]
            models = [measured(arguments.binary, drive, seed, options, path) for seed, path in zip((1, 2), paths)]
            unknown = [stretch for model in models for stretch in guessed(model)]
            drawn = [random.randrange(models[0]["identity"]["blocks"]) for _ in range(arguments.lbns)]
            drawn = [lbn for lbn in drawn if not any(first <= lbn <= last for first, last in unknown)]
            a, b = (modern_drives.places(arguments.binary, path, drawn) for path in paths)
            same = [100 * sum(x[i] == y[i] for x, y in zip(a, b)) / len(drawn) for i in (1, 0)]
            print(f"{drive:24} {len(drawn):7} {same[0]:17.3f} {same[1]:15.3f}", flush=True)


if __name__ == "__main__":
    main()
