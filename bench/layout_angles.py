#!/usr/bin/env python3
"""How well a characterized model tells angles: 10,000 random LBNs against what the drive really is.

    bench/layout_angles.py [--binary PLATTER] [--seeds FIRST-LAST] [--run-seed N] [--writes] [DRIVE...]

A DRIVE is a virtual drive's name or alien:VARIANT; without any, all of the catalogue and four aliens.
Each is characterized (default imperfections; reads only, but for --writes) with so many seeds of the
drive, which are the run's, too, where there is no --run-seed. One constant is taken out, for a drive's
index cannot be seen from outside. Prints one line for each run: the share of LBNs whose predicted angle
is within 1/500 of a revolution of the truth, the 50th and 99th percentile of the error, the same share
for differences of angle between LBNs of the outer and of the inner tenth, how far the mean errors of
the tenths of the drive lie apart, how many zones have lost their angles, and how many of the run's own
random requests were in phase. Status 1: a share of LBNs is below 99 %, or more than one zone of a drive
is lost.
"""

import argparse
import bisect
import cmath
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from measuring import run, wrapped

CATALOGUE = ["quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp", "ibm-ultrastar18es",
             "hp-c2247", "alien:moderate", "alien:serpentine", "alien:bands", "alien:old"]
BOUND = 1 / 500
LBNS = 10_000


def angles_of_model(platter, model, lbns):
    found = {}
    for start in range(0, len(lbns), 2000):
        part = [str(lbn) for lbn in lbns[start:start + 2000]]
        for place in json.loads(run(platter, "layout", model, "--json", "--lbn", *part))["places"]:
            found[place["lbn"]] = place["angle_rev"]
    return found


def angles_of_alien(truth, lbns):
    """Blocks of tracks with defects, and moved ones, are left out."""
    tracks = sorted(truth["tracks"])
    firsts = [track[0] for track in tracks]
    odd = {tuple(place[:2]) for place in truth["slipped"] + truth["grown"]}
    moved = {remap["lbn"] for remap in truth["remapped"]}
    found = {}
    for lbn in lbns:
        first, count, _, sectors, cylinder, head, _, angle = tracks[bisect.bisect(firsts, lbn) - 1]
        if lbn < first + count and lbn not in moved and (cylinder, head) not in odd:
            found[lbn] = (angle + (lbn - first) / sectors) % 1.0
    return found


def judge(found, truth, bound=BOUND):
    common = sorted(found.keys() & truth.keys())
    errors = [wrapped(found[lbn] - truth[lbn]) for lbn in common]
    constant = cmath.phase(sum(cmath.exp(2j * math.pi * error) for error in errors)) / (2 * math.pi)
    errors = [wrapped(error - constant) for error in errors]
    # The mean of most: what lies far does not move the constant.
    near = [error for error in errors if abs(error) < 0.02]
    centre = sum(near) / len(near) if near else 0.0
    errors = [wrapped(error - centre) for error in errors]
    size = len(errors) // 10
    tenths = [errors[i * size:(i + 1) * size] for i in range(10)]
    means = [sum(tenth) / size for tenth in tenths]
    absolute = sorted(abs(error) for error in errors)
    far = [abs(wrapped(a - b)) <= bound for a, b in zip(tenths[0], reversed(tenths[9]))]
    return {
        "lbns": len(errors),
        "within": sum(error <= bound for error in absolute) / len(errors),
        "p50": absolute[len(absolute) // 2], "p99": absolute[len(absolute) * 99 // 100],
        "far_within": sum(far) / len(far), "tenths_apart": max(means) - min(means),
    }


def lost_zones(model):
    return sum("angle_error_rev" not in zone for zone in model["layout"]["zones"])


def in_phase(model):
    shares = [one.get("folded_phase_share") for one in model["validity"].get("demerits", [])
              if one["workload"].startswith("random")]
    return shares[0] if shares else None


def characterized_or_in_part(platter, *words):
    done = subprocess.run([platter, "characterize", *words], capture_output=True, text=True)
    if done.returncode not in (0, 13):
        raise RuntimeError(done.stderr.strip().splitlines()[-1])


def measure(platter, drive, seed, options, work):
    model, truth_file = os.path.join(work, "model.json"), os.path.join(work, "truth.json")
    chance = random.Random(seed)
    if drive.startswith("alien:"):
        alien = os.path.join(os.path.dirname(__file__), "..", "tests", "alien", "alien.py")
        device = (f"exec:python3 -B {os.path.relpath(alien)} --variant {drive[6:]} --seed {seed} "
                  f"--truth {truth_file}")
    else:
        device = f"virtual:{drive}?imperfections=default&seed={seed}"
        run(platter, "truth", device, "-o", truth_file)
    run_seed = seed if options.run_seed is None else options.run_seed
    characterized_or_in_part(platter, device, "-o", model, "--seed", str(run_seed), "--journal", work,
                             *(["--allow-writes", "all"] if options.writes else []))
    with open(model, encoding="utf-8") as file:
        found = json.load(file)
    if not found["layout"].get("zones"):
        raise RuntimeError(f"no layout: {found['layout'].get('reason')}")
    if drive.startswith("alien:"):
        with open(truth_file, encoding="utf-8") as file:
            truth = json.load(file)
        lbns = [chance.randrange(truth["blocks"]) for _ in range(LBNS)]
        real = angles_of_alien(truth, lbns)
    else:
        lbns = [chance.randrange(found["identity"]["blocks"]) for _ in range(LBNS)]
        real = angles_of_model(platter, truth_file, lbns)
    result = judge(angles_of_model(platter, model, lbns), real)
    result["claimed"] = found["layout"].get("angle", {}).get("error")
    result["reason"] = found["layout"].get("angle", {}).get("reason", "")
    result["zones"], result["lost"] = len(found["layout"]["zones"]), lost_zones(found)
    result["phase"] = in_phase(found)
    result["drive_s"] = found["provenance"]["drive_seconds"]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--seeds", default="1-3")
    parser.add_argument("--run-seed", type=int)
    parser.add_argument("--writes", action="store_true")
    parser.add_argument("drives", nargs="*")
    options = parser.parse_args()
    failed = False
    print("| drive | seed | LBNs | within 1/500 % | p50 rev | p99 rev | far apart within % | "
          "tenths apart rev | claimed rev | zones lost | in phase % | drive s |")
    print("|---" * 12 + "|")
    first, last = (int(word) for word in options.seeds.split("-"))
    for drive in options.drives or CATALOGUE:
        for seed in range(first, last + 1):
            with tempfile.TemporaryDirectory() as work:
                try:
                    r = measure(options.binary, drive, seed, options, work)
                except RuntimeError as error:
                    print(f"| {drive} | {seed} | {error} |", flush=True)
                    failed = True
                    continue
            failed |= r["within"] < 0.99 or r["far_within"] < 0.99 or r["lost"] > 1
            claimed = "-" if r["claimed"] is None else f"{r['claimed']:.5f}"
            phase = "-" if r["phase"] is None else f"{100 * r['phase']:.1f}"
            print(f"| {drive} | {seed} | {r['lbns']} | {100 * r['within']:.2f} | {r['p50']:.5f} | "
                  f"{r['p99']:.5f} | {100 * r['far_within']:.2f} | {r['tenths_apart']:.5f} | "
                  f"{claimed}{' *' if r['reason'] else ''} | {r['lost']} of {r['zones']} | {phase} | "
                  f"{r['drive_s']:.0f} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
