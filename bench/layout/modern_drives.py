#!/usr/bin/env python3
"""Maps by timing alone in whole characterizations of virtual drives, each held against the truth.

    bench/layout/modern_drives.py [--binary PLATTER] [--drives NAME...] [--random FIRST COUNT] [--lbns N]
                                  [--witnesses] [-- OPTION...]

For each drive: `platter characterize` (OPTIONs such as --budget go to it), then N random LBNs (20,000) of model and
truth side by side by `platter layout`: shares with right sectors a track, angle within 1/32, 1/100, 1/200 of a
revolution after one common constant, first LBN of the track exact; the shares that the model states of itself, and
whether the truth refutes one: it lies outside the stated interval by more than chance does once in a thousand. Heads:
right, bounded (the model bounds or guesses them, with the truth among what it says) or WRONG; pairs: of LBNs some bands
apart, those that lie on one surface in both or in neither.

--witnesses: each drive twice, without address translation and with it (`?page40h=no`, `=yes`). WORSE is what has, by
translation, fewer sectors or angles right (by more than half a percent), less in phase (one percent), a random demerit
that is 0.3 % and two errors greater, or more than 1.1 times the drive time.

Status 1 if a share is refuted, heads are wrong, or a drive is worse with translation. Time: 5 to 20 s a drive of the
host, with --witnesses twice that.
"""

import argparse
import collections
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
    """Of each LBN: sectors of its track, first LBN of the track, angle, head."""
    found = []
    for first in range(0, len(lbns), 5000):
        part = [str(lbn) for lbn in lbns[first:first + 5000]]
        told = json.loads(run(binary, "layout", model, "--json", "--lbn", *part).stdout)
        rows = next(value for value in told.values() if isinstance(value, list))
        found += [(row["track_sectors"], row["track_first_lbn"], row["angle_rev"], row["head"]) for row in rows]
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


def told_heads(found, truth):
    """right, bounded or WRONG, and what the model says."""
    heads = found["layout"].get("heads", {})
    if heads.get("value") is not None:
        return ("right" if heads["value"] == truth else "WRONG") + f" {heads['value']:g}"
    guesses = [guess["value"] for guess in heads.get("guesses", [])]
    low, high = heads.get("at_least"), heads.get("at_most")
    within = (low is not None or high is not None) and (low or 1) <= truth <= (high or 256)
    said = "/".join(f"{value:g}" for value in guesses) or "unknown"
    return ("bounded" if truth in guesses or within else "WRONG") + f" {said} for {truth}"


def blocks_of_band(truth):
    """About: of the tracks side by side that most tracks of the layout lie in."""
    bands = collections.Counter()

    def add(node, times):
        times *= node.get("count", 1)
        for child in node.get("children", []):
            add(child, times)
        if not node.get("children"):
            bands[(node.get("count", 1), node["sectors"])] += times

    for zone in truth["layout"]["zones"]:
        add(zone, 1)
    (tracks, sectors), _ = bands.most_common(1)[0]
    return tracks * sectors


def near(lbns, blocks, band):
    """Another LBN for each, up to 70 bands away: all surfaces there and back, and more."""
    return [(lbn + random.randrange(70 * band)) % blocks for lbn in lbns]


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
    with open(truth, encoding="utf-8") as file:
        real = json.load(file)
    row["heads"] = told_heads(found, real["identity"]["heads"])
    others = near(drawn, blocks, blocks_of_band(real))
    our_others, their_others = places(binary, model, others), places(binary, truth, others)
    row["pairs"] = sum((a[3] == b[3]) == (c[3] == d[3])
                       for a, b, c, d in zip(ours, our_others, theirs, their_others)) / lbns
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
    row["demerits"] = [(d["workload"].split(",")[0], d["demerit_percent"], 100 * d["error_ms"] / d["drive_mean_ms"],
                        d["folded_phase_share"]) for d in demerits]
    return row


def worse(without, with_it):
    """What is worse with translation, in words."""
    found = []
    for what, of in (("sectors", lambda row: row["sectors"]), ("1/100", lambda row: row["within"][0.01])):
        if of(with_it) < of(without) - 0.005:
            found.append(f"{what} {100 * of(with_it):.2f} for {100 * of(without):.2f} %")
    if with_it["run_s"] > 1.1 * without["run_s"]:
        found.append(f"{with_it['run_s']:.0f} s for {without['run_s']:.0f}")
    demerits = [{kind: figures for kind, *figures in row["demerits"]} for row in (without, with_it)]
    if "random" in demerits[0]:
        percent, error, phase = demerits[1].get("random", (math.inf, 0, 0))
        others, others_error, others_phase = demerits[0]["random"]
        if percent > others + 0.3 + 2 * math.hypot(error, others_error):
            found.append(f"random demerit {percent:.2f} +- {error:.2f} for {others:.2f} +- {others_error:.2f} %")
        if phase < others_phase - 0.01:
            found.append(f"phase {100 * phase:.1f} for {100 * others_phase:.1f} %")
    return ", ".join(found)


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
    parser.add_argument("--witnesses", action="store_true")
    how = parser.parse_args(arguments)
    names = how.drives if how.drives is not None else [] if how.random else CATALOGUE
    if how.random:
        names = names + [f"modern-random-{n}" for n in range(how.random[0], how.random[0] + how.random[1])]
    if how.witnesses:
        names = [f"{name}?page40h={answer}" for name in names for answer in ("no", "yes")]
    random.seed(20261125)
    refuted, mapped, well, wrong_heads, all_worse, before = 0, 0, 0, 0, 0, None
    print(f"{'drive':<28} {'map s':>7} {'run s':>7} {'sectors':>8} {'1/32':>8} {'1/100':>8} {'1/200':>8} "
          f"{'first':>8} {'pairs':>8}  heads; demerits")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            row = judge(how.binary, name, options, how.lbns, folder)
        if "sectors" not in row:
            print(f"{name:<28} {row.get('map_s', 0):>7.0f} {row.get('run_s', 0):>7.0f} status {row['status']}: "
                  f"{row.get('why', '')[:150]}")
            all_worse += how.witnesses and name.endswith("yes")
            before = None
            continue
        mapped += 1
        shares = [row["sectors"], *row["within"].values(), row["first"], row["pairs"]]
        well += shares[0] > 0.995 and shares[2] > 0.97
        demerits = ", ".join(f"{kind} {percent:.1f} +- {error:.1f} % (phase {100 * phase:.1f} %)"
                             for kind, percent, error, phase in row["demerits"])
        print(f"{name:<28} {row['map_s']:>7.0f} {row['run_s']:>7.0f} "
              + " ".join(f"{100 * share:>8.3f}" for share in shares) + f"  {row['heads']}; {demerits}")
        wrong_heads += row["heads"].startswith("WRONG")
        for text in row["refuted"]:
            refuted += 1
            print(f"    REFUTED {text}")
        if how.witnesses and name.endswith("yes"):
            text = worse(before, row) if before else ""
            all_worse += bool(text)
            print(f"    {'WORSE: ' + text if text else 'as good as without translation'}")
        before = row
        sys.stdout.flush()
    print(f"{len(names)} drives, {mapped} with a map, {well} of them with sectors right for 99.5 % and within 1/100 "
          f"for 97 %; {refuted} stated shares refuted; {wrong_heads} with wrong heads; {all_worse} worse with translation")
    return 1 if refuted or wrong_heads or all_worse else 0


if __name__ == "__main__":
    sys.exit(main())
