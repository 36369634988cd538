#!/usr/bin/env python3
"""Whether the demerit that a model states of itself holds: against fresh requests on its drive.

    bench/stated_demerit.py [--binary PLATTER] [--drives NAME...] [--seeds N] [--first-seed S] [--requests N]
                            [--budgets SECONDS...] [--most-mixed PERCENT]

Characterizes each drive with each seed and budget (none without --budgets), and replays the workloads random and mixed
on the drive, with other noise and phase, and on the model (platter validate). Prints for each run its status, the word
for each workload, what the model states with its error and its floor, and what the fresh requests show; at the end in
which share of the runs they agree within two errors, which models that are more than 2 % above their floor do not say
so, and which words are better than what the fresh requests show. Status 1: a word is; or, with --most-mixed, the mixed
demerit of a run is more, is not stated, or not within two errors. A run takes about two seconds.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

from measuring import device, load, run

ABOVE = 2.0  # % of the mean
GOOD = {"random": 2.0, "mixed": 5.0}  # % of the mean, at most in the word "good" (docs/metrics.md)
INCOMPLETE = 13


def characterized(platter, of, seed, budget, file):
    """The status; RuntimeError where no model was written."""
    more = [] if budget is None else ["--budget", f"{budget:g}"]
    done = subprocess.run([platter, "characterize", of, "-o", file, "--seed", str(seed), *more],
                          capture_output=True, text=True, check=False,
                          env=dict(os.environ, XDG_STATE_HOME=os.path.dirname(file)))
    if done.returncode not in (0, INCOMPLETE) or not os.path.exists(file):
        said = done.stderr.strip().splitlines() or ["nothing was said"]
        raise RuntimeError(f"status {done.returncode}: {said[-1]}")
    return done.returncode


def fresh(platter, of, model, requests, seed, work):
    """Demerits in % by workload."""
    folder = os.path.join(work, "fresh")
    run(platter, "validate", of, model, "-o", folder, "--requests", str(requests), "--seed", str(seed), "--force")
    return {workload: load(folder, workload + ".json")["all"]["demerit_percent"] for workload in GOOD}


class Stated:
    """Of one workload: what the model says, and what is right, in % of the mean."""

    def __init__(self, model, word, workload, shown):
        self.workload, self.word, self.shown = workload, word, shown
        self.value = self.error = self.floor = math.nan
        for stated in model["validity"]["demerits"]:
            if stated["workload"].split(",")[0] == workload:
                percent = 100 / stated["drive_mean_ms"]
                self.value, self.error = stated["demerit_percent"], stated["error_ms"] * percent
                self.floor = stated["floor_ms"] * percent
        self.agrees = abs(shown - self.value) <= 2 * self.error
        codes = [finding["code"] for finding in model["provenance"].get("findings", [])]
        self.silent = shown > self.floor + ABOVE and f"{workload}-above-floor" not in codes
        self.flattered = word == "good" and shown > GOOD[workload]

    def cells(self):
        apart = (self.shown - self.value) / self.error if self.error else math.inf
        return [self.workload, self.word, *(f"{each:.2f}" for each in (self.value, self.error, self.floor, self.shown)),
                f"{apart:+.1f}"]


def measured(options, drive, seed, budget):
    """The status and what is stated of each workload."""
    with tempfile.TemporaryDirectory() as work:
        file = os.path.join(work, "model.json")
        status = characterized(options.binary, device(drive, seed), seed, budget, file)
        model = load(file)
        shown = fresh(options.binary, device(drive, seed + 10_000), file, options.requests, seed + 777, work)
        words = json.loads(run(options.binary, "show", file, "--json"))["quality"]
        return status, [Stated(model, words[name], name, shown[name]) for name in GOOD]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drives", nargs="*", default=["quantum-atlas10k", "seagate-cheetah9lp", "spare-cylinder"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--budgets", nargs="*", type=float, default=[None])
    parser.add_argument("--most-mixed", type=float)
    options = parser.parse_args()
    everything, failed, without = [], [], []
    print("| drive | seed | budget s | status | workload | word | stated % | error | floor | fresh % | errors apart |\n"
          + "|---" * 11 + "|")
    for drive in options.drives:
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            for budget in options.budgets:
                name = f"{drive} {seed}" + ("" if budget is None else f" {budget:g} s")
                try:
                    status, stated = measured(options, drive, seed, budget)
                except RuntimeError as error:
                    print(f"| {drive} | {seed} | {error} |", flush=True)
                    without.append(name)
                    continue
                for one in stated:
                    everything.append((name, one))
                    print("| " + " | ".join([drive, str(seed), "-" if budget is None else f"{budget:g}", str(status),
                                             *one.cells()]) + " |", flush=True)
                    if options.most_mixed and one.workload == "mixed" and not (one.agrees
                                                                               and one.shown <= options.most_mixed):
                        failed.append(name)
    for workload in GOOD:
        mine = [one for _, one in everything if one.workload == workload]
        agree = sum(one.agrees for one in mine)
        print(f"{workload}: {agree} of {len(mine)} within two errors ({100 * agree / max(1, len(mine)):.0f} %), "
              f"at most {max((one.shown for one in mine), default=0):.2f} % off")
    flattered = [(name, one.workload) for name, one in everything if one.flattered]
    print(f"more than {ABOVE:g} % above the floor and silent: "
          f"{[(name, one.workload) for name, one in everything if one.silent] or 'none'}")
    print(f"good, and not: {flattered or 'none'}\nwithout a model: {without or 'none'}")
    if options.most_mixed:
        print(f"mixed load more than {options.most_mixed:g} % off, or not as stated: {failed or 'none'}")
    return 1 if flattered or options.most_mixed and failed + without else 0


if __name__ == "__main__":
    sys.exit(main())
