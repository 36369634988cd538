#!/usr/bin/env python3
"""What a run makes of a drive that is reset in silence, again and again: settings lost, and nobody told.

    bench/silent_resets.py [--binary PLATTER] [--trust-drive PROGRAM] [--drives NAME...] [--rates SHARE...] [--seed N]

Characterizes each drive (reads only) behind trust_drive, which puts its settings back to the saved ones at so large a
share of the commands, and holds the model against the drive without resets. A run is told where it ends with status 8
(a stage that could never be measured; with a model of what came before) or 13 (the model lacks what the run was for).
Else it must be right: fresh random and mixed requests within what the model's words allow. Overheads of any model that
is there, also of parts, must be within four of their errors. Status 1: a run is neither, or an overhead is not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import interval_coverage
from measuring import device, load, run

MOST = {"good": {"random": 2.0, "mixed": 5.0}, "fair": {"random": 10.0, "mixed": 10.0}}  # % (docs/metrics.md)
TOLD = (8, 13)
ERRORS = 4.0  # that an overhead may be off by; of some hundred figures none is by chance
DRIVES = ["quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp", "ibm-ultrastar18es", "hp-c2247", "cache-base"]


def characterized(options, drive, rate, seed, work):
    """(status, the model's file or None, resets)."""
    model, log = os.path.join(work, "model.json"), os.path.join(work, "log")
    plain = device(drive, seed).removeprefix("virtual:")
    of = (f"exec:{options.trust_drive} --store {work}/store.json --log {log} --seed {seed} --drive {plain} "
          f"--fault reset-silent:rate={rate},count=1000000")
    done = subprocess.run([options.binary, "characterize", of, "-o", model, "--seed", str(seed)], capture_output=True,
                          text=True, check=False, env=dict(os.environ, XDG_STATE_HOME=work))
    with open(log, encoding="utf-8") as lines:
        resets = sum("reset-silent" in line for line in lines)
    return done.returncode, model if os.path.exists(model) else None, resets


def overheads_off(model, truth):
    """By how many of its errors each is off."""
    if model["overheads"]["read_hit_after_read"].get("value") is None:
        return {}
    return {found.name: (found.value - found.truth) / found.error
            for found in interval_coverage.parameters(model, truth)
            if found.name.startswith("overheads.") and found.error}


def fresh(options, drive, seed, file, work):
    folder = os.path.join(work, "fresh")
    run(options.binary, "validate", device(drive, seed + 10_000), file, "-o", folder, "--requests", "3000", "--seed",
        str(seed + 777), "--force")
    return {name: load(folder, name + ".json")["all"]["demerit_percent"] for name in ("random", "mixed")}


def measured(options, drive, rate, seed):
    with tempfile.TemporaryDirectory() as work:
        status, file, resets = characterized(options, drive, rate, seed, work)
        cells, bad = [drive, f"{rate:g}", str(resets), str(status)], status not in (0, *TOLD)
        if file is None:
            return cells + ["no model", "-", "-", "-"], bad or status == 0
        truth = interval_coverage.true_of(options.binary, drive, work)
        off = overheads_off(load(file), truth)
        worst = max(off, key=lambda name: abs(off[name]), default=None)
        bad |= worst is not None and abs(off[worst]) > ERRORS
        words = json.loads(run(options.binary, "show", file, "--json"))["quality"]
        shown = {}
        if status == 0:
            shown = fresh(options, drive, seed, file, work)
            bad |= any(shown[name] > MOST.get(words[name], {}).get(name, 1e9) for name in shown)
        return cells + [words["all"], *(f"{shown[name]:.2f}" if shown else "-" for name in ("random", "mixed")),
                        "-" if worst is None else f"{worst.removeprefix('overheads.')} {off[worst]:+.1f}"], bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--trust-drive", default="build/release/trust_drive")
    parser.add_argument("--drives", nargs="*", default=DRIVES)
    parser.add_argument("--rates", nargs="*", type=float, default=[0.0005, 0.001, 0.002, 0.01])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.trust_drive = os.path.abspath(options.trust_drive)
    failed = 0
    print("| drive | rate | resets | status | word | random fresh % | mixed fresh % | worst overhead, errors off |\n"
          + "|---" * 8 + "|")
    for drive in options.drives:
        for rate in options.rates:
            cells, bad = measured(options, drive, rate, options.seed)
            failed += bad
            print("| " + " | ".join(cells) + " |" + (" !" if bad else ""), flush=True)
    print(f"{failed} neither told nor right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
