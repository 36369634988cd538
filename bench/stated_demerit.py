#!/usr/bin/env python3
"""Whether the demerit that a model states of itself holds: against fresh requests on its drive.

    bench/stated_demerit.py [--binary PLATTER] [--drives NAME...] [--seeds N] [--first-seed S] [--requests N]

Characterizes each drive with each seed, and replays the workloads random and mixed on the drive, with other noise and
phase, and on the model (platter validate). Prints for each run what the model states, with its error and its floor, and
what the fresh requests show; at the end in which share of the runs they agree within two errors, and which models that
are more than 2 % above their floor do not say so. A run takes about five seconds.
"""

import argparse
import math
import os
import sys
import tempfile

from measuring import device, load, run

ABOVE = 2.0  # % of the mean


def fresh(platter, of, model, requests, seed, work):
    """Demerits in % by workload."""
    folder = os.path.join(work, "fresh")
    run(platter, "validate", of, model, "-o", folder, "--requests", str(requests), "--seed", str(seed), "--force")
    return {workload: load(folder, workload + ".json")["all"]["demerit_percent"]
            for workload in ("random", "mixed")}


def found_in(model):
    return [finding["code"] for finding in model["provenance"].get("findings", [])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drives", nargs="*", default=["quantum-atlas10k", "seagate-cheetah9lp", "spare-cylinder"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=5000)
    options = parser.parse_args()
    agree, all_of, silent = {}, {}, []
    print("| drive | seed | workload | stated % | error | floor | fresh % | errors apart |\n|---|---|---|---|---|---|---|---|")
    for drive in options.drives:
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            with tempfile.TemporaryDirectory() as work:
                model = os.path.join(work, "model.json")
                try:
                    run(options.binary, "characterize", device(drive, seed), "-o", model, "--seed", str(seed))
                except RuntimeError as error:
                    print(f"| {drive} | {seed} | {error} |", flush=True)
                    continue
                stated_model = load(model)
                shown = fresh(options.binary, device(drive, seed + 10_000), model, options.requests, seed + 777, work)
                for stated in stated_model["validity"]["demerits"]:
                    workload = stated["workload"].split(",")[0]
                    percent = 100 / stated["drive_mean_ms"]
                    error, floor = stated["error_ms"] * percent, stated["floor_ms"] * percent
                    apart = (shown[workload] - stated["demerit_percent"]) / error if error else math.inf
                    all_of[workload] = all_of.get(workload, 0) + 1
                    agree[workload] = agree.get(workload, 0) + (abs(apart) <= 2)
                    if shown[workload] > floor + ABOVE and f"{workload}-above-floor" not in found_in(stated_model):
                        silent.append((drive, seed, workload))
                    print(f"| {drive} | {seed} | {workload} | {stated['demerit_percent']:.2f} | {error:.2f} | {floor:.2f} | "
                          f"{shown[workload]:.2f} | {apart:+.1f} |", flush=True)
    for workload, count in all_of.items():
        print(f"{workload}: {agree[workload]} of {count} within two errors ({100 * agree[workload] / count:.0f} %)")
    print(f"more than {ABOVE} % above the floor and silent: {silent or 'none'}")


if __name__ == "__main__":
    sys.exit(main())
