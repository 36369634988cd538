#!/usr/bin/env python3
"""Whether two runs on one drive agree: `platter diff` of their models, with other seeds of noise and phase.

    bench/two_runs.py [--binary PLATTER] [--drives NAME...] [--first-seed S] [--pairs N] [--reads | --writes]

Characterizes each drive twice, by reads only and with writes allowed everywhere, and compares the two models. Prints for
each pair how many figures are compared, how many of those with an error lie more than two errors apart (chance: 4.6 %),
and those that differ by more than `platter diff` allows (docs/model.md). Chance makes one of 370 figures differ, a curve
counting as one. Status 1: more differ than chance makes in 99 of 100 such campaigns, or a pair of models is not there.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from measuring import device

DRIVES = ["quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp", "ibm-ultrastar18es", "hp-c2247", "cache-base",
          "spare-cylinder", "spare-none", "head-density", "seeks-apart", "maxtor-atlas10k4"]
CHANCE = 1 / 370  # of a figure, to lie more than three errors apart
DIFFERS = 12


def characterized(platter, drive, seed, writes, file):
    done = subprocess.run([platter, "characterize", device(drive, seed), "-o", file, "--seed", str(seed),
                           *(["--allow-writes", "all"] if writes else [])], capture_output=True, text=True, check=False,
                          env=dict(os.environ, XDG_STATE_HOME=os.path.dirname(file)))
    if done.returncode:
        raise RuntimeError(f"status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}")


def differences(platter, drive, seeds, writes):
    with tempfile.TemporaryDirectory() as work:
        files = [os.path.join(work, f"{seed}.json") for seed in seeds]
        for seed, file in zip(seeds, files):
            characterized(platter, drive, seed, writes, file)
        done = subprocess.run([platter, "diff", *files, "--json"], capture_output=True, text=True, check=False)
        if done.returncode not in (0, DIFFERS):
            raise RuntimeError(f"diff: status {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)["differences"]


def most_by_chance(figures):
    """So many of them differ at most in 99 of 100 campaigns (Poisson)."""
    mean, most, term = figures * CHANCE, 0, math.exp(-figures * CHANCE)
    share = term
    while share < 0.99:
        most += 1
        term *= mean / most
        share += term
    return most


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drives", nargs="*", default=DRIVES)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=1)
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--reads", action="store_true", help="only the runs by reads")
    either.add_argument("--writes", action="store_true", help="only the runs with writes")
    options = parser.parse_args()
    kinds = [False] if options.reads else [True] if options.writes else [False, True]
    figures, differ, lacking = 0, 0, 0
    print("| drive | seeds | writes | figures | with an error | more than 2 errors apart % | differ |\n" + "|---" * 7 + "|")
    for drive in options.drives:
        for pair in range(options.pairs):
            first = options.first_seed + 2 * pair
            for writes in kinds:
                said = f"| {drive} | {first}, {first + 1} | {'yes' if writes else 'no'} |"
                try:
                    found = differences(options.binary, drive, (first, first + 1), writes)
                except RuntimeError as error:
                    print(f"{said} {error} |", flush=True)
                    lacking += 1
                    continue
                judged = [one for one in found if one.get("within_error") is not None]
                curves = {re.sub(r"\[\d+\]", "", one["path"]) for one in judged}
                errors = [one["in_errors"] for one in judged if one.get("in_errors") is not None]
                apart = {re.sub(r"\[\d+\]", "", one["path"]) for one in judged if not one["within_error"]}
                figures += len(curves)
                differ += len(apart)
                beyond = 100 * sum(each > 2 for each in errors) / max(1, len(errors))
                print(f"{said} {len(judged)} | {len(errors)} | {beyond:.1f} | {', '.join(sorted(apart)) or '-'} |", flush=True)
    most = most_by_chance(figures)
    print(f"{differ} of {figures} figures and curves differ, at most {most} would by chance; {lacking} pairs lack a model")
    return 1 if differ > most or lacking else 0


if __name__ == "__main__":
    sys.exit(main())
