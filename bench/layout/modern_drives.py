#!/usr/bin/env python3
"""Maps by timing alone in whole characterizations of virtual drives, each held against the truth.

    bench/layout/modern_drives.py [--binary PLATTER] [--drives NAME...] [--random FIRST COUNT] [--lbns N]
                                  [-- OPTION...]

For each drive: `platter characterize` (OPTIONs such as --budget go to it), then N random LBNs (20,000) of model and
truth side by side by `platter layout`: shares with right sectors a track, angle within 1/32, 1/100, 1/200 of a
revolution after one common constant, first LBN of the track exact; the shares that the model states of itself, and
whether the truth refutes one: it lies outside the stated interval by more than chance does once in a thousand. Status
1 if one is refuted. Time: 5 to 20 s a drive of the host.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PLATTER = os.path.join(HERE, "../../build/release/platter")
CATALOGUE = ["modern-500gb", "modern-500gb-usb", "modern-1tb", "modern-5tb", "modern-10heads", "modern-20tb",
             "modern-20tb-slips", "sas-147gb"]


def run(*arguments, may_fail=False):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"{' '.join(arguments[:4])}: status {done.returncode}: {done.stderr.strip()}")
    return done


def places(binary, model, lbns):
    """Of each LBN: sectors of its track, first LBN of the track, angle."""
    found = []
    for first in range(0, len(lbns), 5000):
        part = [str(lbn) for lbn in lbns[first:first + 5000]]
        told = json.loads(run(binary, "layout", model, "--json", "--lbn", *part).stdout)
        rows = next(value for value in told.values() if isinstance(value, list))
        found += [(row["track_sectors"], row["track_first_lbn"], row["angle_rev"]) for row in rows]
    return found


def ahead(rev):
    return (rev + 0.5) % 1 - 0.5


def common(offs):
    """The median of the angles about the one that most of them are near."""
    best = max(offs[::max(1, len(offs) // 200)], key=lambda at: sum(abs(ahead(off - at)) < 0.01 for off in offs))
    near = sorted(ahead(off - best) for off in offs if abs(ahead(off - best)) < 0.01)
    return best + near[len(near) // 2]


def chance_of_one_share(right, of, others_right, of_others):
    """That two samples of one share differ as much as these, or more: Fisher's exact test, two-sided."""
    both, everything = right + others_right, of + of_others

    def logarithm(count):
        parts = (count, both - count, of - count, of_others - both + count)
        return -sum(math.lgamma(part + 1) for part in parts)

    total = sum(math.lgamma(part + 1) for part in (both, everything - both, of, of_others)) - math.lgamma(everything + 1)
    possible = range(max(0, both - of_others), min(of, both) + 1)
    seen = logarithm(right)
    return sum(math.exp(logarithm(count) + total) for count in possible if logarithm(count) <= seen + 1e-9)


def judge(binary, name, options, lbns, folder):
    model, truth = os.path.join(folder, "model.json"), os.path.join(folder, "truth.json")
    run(binary, "truth", f"virtual:{name}", "-o", truth, "--force")
    done = run(binary, "characterize", f"virtual:{name}", "-o", model, "--force", *options, may_fail=True)
    if done.returncode not in (0, 13):
        return {"name": name, "status": done.returncode, "why": done.stderr.strip().splitlines()[-1]}
    with open(model, encoding="utf-8") as file:
        found = json.load(file)
    stages = {stage["name"]: stage["drive_seconds"] for stage in found["provenance"]["stages"]}
    row = {"name": name, "status": done.returncode, "map_s": stages.get("layout", 0) + stages.get("rotation", 0),
           "run_s": found["provenance"]["drive_seconds"], "refuted": []}
    if not found["layout"]["zones"]:
        row["why"] = found["layout"].get("reason", "no layout")
        return row
    blocks = found["identity"]["blocks"]
    drawn = [random.randrange(blocks) for _ in range(lbns)]
    ours, theirs = places(binary, model, drawn), places(binary, truth, drawn)
    offs = [a[2] - b[2] for a, b in zip(ours, theirs)]
    at = common(offs)
    # Where a sector ends is what is seen: of a track of another length that is elsewhere than where it begins.
    within = {rev: sum(abs(ahead(off - at)) < rev for off in offs) / lbns for rev in (1 / 32, 0.01, 0.005)}
    row.update(sectors=sum(a[0] == b[0] for a, b in zip(ours, theirs)) / lbns,
               first=sum(a[1] == b[1] for a, b in zip(ours, theirs)) / lbns, within=within)
    timed = found["layout"].get("timed", {"shares": [], "blocks": 0})
    for stated in timed["shares"]:
        truly = within[min(within, key=lambda rev: abs(rev - stated["within_rev"]))]
        outside = not stated["low"] <= truly <= stated["high"]
        count = round(stated["share"] * timed["blocks"])
        if outside and chance_of_one_share(count, timed["blocks"], round(truly * lbns), lbns) < 1e-3:
            row["refuted"].append(f"1/{1 / stated['within_rev']:.0f}: stated {stated['share']:.4f}, truly {truly:.4f}")
    demerits = found.get("validity", {}).get("demerits", [])
    row["demerits"] = [(d["workload"].split(",")[0], d["demerit_percent"], d.get("floor_ms"), d["drive_mean_ms"],
                        d["folded_phase_share"]) for d in demerits]
    return row


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        options = arguments[arguments.index("--") + 1:]
        arguments = arguments[:arguments.index("--")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=PLATTER)
    parser.add_argument("--drives", nargs="*", default=None)
    parser.add_argument("--random", nargs=2, type=int, default=None, metavar=("FIRST", "COUNT"))
    parser.add_argument("--lbns", type=int, default=20000)
    how = parser.parse_args(arguments)
    names = how.drives if how.drives is not None else [] if how.random else CATALOGUE
    if how.random:
        names = names + [f"modern-random-{n}" for n in range(how.random[0], how.random[0] + how.random[1])]
    random.seed(20261125)
    refuted, mapped, well = 0, 0, 0
    print(f"{'drive':<28} {'map s':>7} {'run s':>7} {'sectors':>8} {'1/32':>8} {'1/100':>8} {'1/200':>8} "
          f"{'first':>8}  demerits")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            row = judge(how.binary, name, options, how.lbns, folder)
        if "sectors" not in row:
            print(f"{name:<28} {row.get('map_s', 0):>7.0f} {row.get('run_s', 0):>7.0f} status {row['status']}: "
                  f"{row.get('why', '')[:150]}")
            continue
        mapped += 1
        shares = [row["sectors"], *row["within"].values(), row["first"]]
        well += shares[0] > 0.995 and shares[2] > 0.97
        demerits = ", ".join(f"{kind} {percent:.1f} % (phase {100 * phase:.1f} %)"
                             for kind, percent, _, _, phase in row["demerits"])
        print(f"{name:<28} {row['map_s']:>7.0f} {row['run_s']:>7.0f} "
              + " ".join(f"{100 * share:>8.3f}" for share in shares) + f"  {demerits}")
        for text in row["refuted"]:
            refuted += 1
            print(f"    REFUTED {text}")
        sys.stdout.flush()
    print(f"{len(names)} drives, {mapped} with a map, {well} of them with sectors right for 99.5 % and within 1/100 "
          f"for 97 %; {refuted} stated shares refuted")
    return 1 if refuted else 0


if __name__ == "__main__":
    sys.exit(main())
