#!/usr/bin/env python3
"""What a run makes of time that does not go on evenly: hosts that sleep, clocks that step, processes that
stand still, spindles that drift.

    bench/uneven_time.py [--binary PLATTER] [--seeds FIRST-LAST] [--kinds KIND,...] [DRIVE...]

Each DRIVE (a virtual one's name; without any, five of the catalogue) is characterized (reads only) with
default imperfections and each kind: sleep (2 to 8 s each 12 to 38 s), step (the clock, by 1 ms each 5 to
15 s), stop (the process, for 1 to 5 s each 10 to 30 s), recalibration (400 ms of the drive's own each 20 s),
drift (6 to 9 ppm within the run). Prints for each: by how many of its stated errors the rotation is off (of a
drift the worse of begin and end), the RMS error of the angles in revolutions, the demerit of 1,000 random
requests of the model and of the truth on the same drive with an even time, and the codes of the findings
about time. Status 1: rotation off by three errors (a drift two), angles by 0.001, a demerit by 0.3 % more
than the truth's, or another word than the right one. The demerit of a drift is not judged: the drive that is
predicted has warmed up since, and turns by another period than any within the run.
"""

import argparse
import json
import math
import os
import random
import sys
import tempfile

from layout_angles import angles_of_model
from measuring import load, run, wrapped

DRIVES = ["quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp", "ibm-ultrastar18es", "hp-c2247"]
DRIFT_PPM = 6
KINDS = {
    "sleep": ({"host_sleep_every_s": 25, "host_sleep_s": 5}, "host-slept"),
    "step": ({"clock_step_every_s": 10, "clock_step_ms": 1}, "clock-stepped"),
    "stop": ({"host_stop_every_s": 20, "host_stop_s": 3}, "host-stopped"),
    "recalibration": ({"recalibration_period_s": 20, "recalibration_ms": 400}, "drive-pauses"),
    "drift": ({"warm_up_ppm": 4 * DRIFT_PPM, "warm_up_s": 120}, "spindle-drifts"),
}
WORDS = {word for _, word in KINDS.values()} | {"spindle-noisy"}
LBNS = 2000


def rms_of_angles(platter, model, truth, seed):
    chance = random.Random(seed)
    lbns = [chance.randrange(load(model)["identity"]["blocks"]) for _ in range(LBNS)]
    found, real = angles_of_model(platter, model, lbns), angles_of_model(platter, truth, lbns)
    first = lbns[0]
    off = [wrapped(found[lbn] - real[lbn] - found[first] + real[first]) for lbn in lbns]
    mean = sum(off) / len(off)
    return math.sqrt(sum((each - mean) ** 2 for each in off) / len(off))


def errors_of_rotation(model, imperfections, truth):
    period = model["rotation"]["period"]
    exact = truth["rotation"]["numerator_ns"] / truth["rotation"]["denominator"]
    ends = [1.0]
    if imperfections.get("warm_up_s"):
        ends = [1 - imperfections["warm_up_ppm"] * 1e-6 * math.exp(-time / imperfections["warm_up_s"])
                for time in (0, model["provenance"]["drive_seconds"])]
    return max(abs(exact * end - period["value"]) / period["error"] for end in ends)


def demerits(platter, even, models, work, seed):
    shown = json.loads(run(platter, "validate", even, *models, "-o", os.path.join(work, "validation"),
                           "--requests", "1000", "--seed", str(seed), "--json"))["comparisons"]
    return [100 * c["all"]["demerit_ms"] / c["all"]["mean_ms"]["drive"]
            for c in shown if c["trace"].startswith("random")]


def measure(platter, drive, kind, seed, work):
    truth, device, model = (os.path.join(work, name) for name in ("truth.json", "uneven.json", "model.json"))
    even = f"virtual:{drive}?imperfections=default&seed={seed}"
    run(platter, "truth", even, "-o", truth)
    real = load(truth)
    changed, word = KINDS[kind]
    real["imperfections"] = {**real["imperfections"], **changed}
    with open(device, "w", encoding="utf-8") as file:
        json.dump(real, file)
    run(platter, "characterize", f"virtual:{device}", "-o", model, "--seed", str(seed), "--journal", work)
    found = load(model)
    words = sorted(WORDS & {finding["code"] for finding in found["provenance"]["findings"]})
    ours, floor = demerits(platter, even, [model, truth], work, seed)
    return {"rotation": errors_of_rotation(found, changed, real), "rms": rms_of_angles(platter, model, truth, seed),
            "ours": ours, "floor": floor, "words": words, "right": words == [word],
            "most": 2 if kind == "drift" else 3, "drive_s": found["provenance"]["drive_seconds"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--seeds", default="1-4")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("drives", nargs="*")
    options = parser.parse_args()
    first, last = (int(word) for word in options.seeds.split("-"))
    print("| drive | time | seed | rotation errors | angles RMS rev | demerit % | truth's % | words | drive s |")
    print("|---" * 9 + "|")
    failed = 0
    for kind in options.kinds.split(","):
        for drive in options.drives or DRIVES:
            for seed in range(first, last + 1):
                with tempfile.TemporaryDirectory() as work:
                    try:
                        r = measure(options.binary, drive, kind, seed, work)
                    except RuntimeError as error:
                        print(f"| {drive} | {kind} | {seed} | {error} |", flush=True)
                        failed += 1
                        continue
                bad = (r["rotation"] > r["most"] or r["rms"] > 0.001 or not r["right"] or
                       (kind != "drift" and r["ours"] > r["floor"] + 0.3))
                failed += bad
                print(f"| {drive} | {kind} | {seed} | {r['rotation']:.2f} | {r['rms']:.5f} | {r['ours']:.2f} | "
                      f"{r['floor']:.2f} | {', '.join(r['words'])} | {r['drive_s']:.0f} |{' !' if bad else ''}",
                      flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
