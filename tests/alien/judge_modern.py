#!/usr/bin/env python3
"""Holds a model's layout against what a modern alien drive really is, at random LBNs.

    alien.py --variant modern:7 --truth truth.json --truth-only
    judge_modern.py --truth truth.json MODEL.json [--binary PLATTER] [--lbns N] [--seed S] [--json]

Prints the shares of LBNs for which the model has the right sectors a track, the right track, the right
first LBN of the track, and the right angle within 1/32, 1/100 and 1/200 of a revolution. One constant is
taken out of all angles, their circular median, for a drive's index cannot be seen from outside. Then
whether the truth refutes what the model states of itself (`layout.timed.shares`), and whether the row of
the drive's size is reached. Status 1: something stated is refuted. 2: the input is not to be understood.
"""

import argparse
import bisect
import json
import math
import os
import random
import statistics
import subprocess
import sys

ANGLES = {"within 1/32": 1 / 32, "within 1/100": 1 / 100, "within 1/200": 1 / 200}
SHARES = ("sectors", "track", "first LBN", *ANGLES)
AT_ONCE = 10_000     # blocks of one command line
REFUTED_BELOW = 1e-3  # a probability: what is stated would be seen so rarely, were the truth so

# From this many bytes on: name, seconds for rotation and map, the least shares.
ROWS = (
    (1e12, "5 TB", 600, {"sectors": 0.995, "within 1/32": 0.99, "within 1/100": 0.97, "first LBN": 0.75}),
    (2e11, "500 GB", 240, {"sectors": 0.997, "within 1/100": 0.99, "first LBN": 0.60}),
    (0, "147 GB", 600, {"sectors": 0.995, "track": 0.994, "within 1/32": 0.99}),
)


def circular(angle):
    """A difference of angles, in -0.5 to 0.5 revolutions."""
    return (angle + 0.5) % 1.0 - 0.5


def circular_median(angles):
    """The median, on the side of the circle where most of them lie."""
    bins = [0] * 64
    for angle in angles:
        bins[int(angle % 1.0 * 64) % 64] += 1
    fullest = max(range(64), key=lambda i: bins[i - 1] + bins[i] + bins[(i + 1) % 64])
    middle = (fullest + 0.5) / 64
    for _ in range(3):
        middle += statistics.median(circular(angle - middle) for angle in angles)
    return middle % 1.0


class Truth:
    """Places by the runs of `alien.py --truth`."""

    def __init__(self, truth):
        if truth.get("form") != "alien modern truth 1":
            raise ValueError("the truth is not of a modern alien drive")
        self.truth = truth
        self.blocks, self.ratio = truth["blocks"], truth["blocks_a_sector"]
        runs = truth["runs"]
        self.firsts = runs["first"]
        self.columns = list(zip(runs["first"], runs["tracks"], runs["sectors"], runs["angle"], runs["angle_step"]))
        self.holes = {i: holes for i, holes in truth["holes"]}
        self.moved = {number: place for number, *place in truth["moved"]}

    def place(self, lbn):
        """(blocks in a revolution, first LBN of the track, blocks that the track holds, angle)."""
        number, part = divmod(lbn, self.ratio)
        i = bisect.bisect_right(self.firsts, number) - 1
        first, _, sectors, angle, step = self.columns[i]
        holes = self.holes.get(i, ())
        if holes:
            held, sector = sectors - sum(count for _, count in holes), number - first
            for start, count in holes:
                sector += count if sector >= start else 0
        else:
            track, sector = divmod(number - first, sectors)
            first, held, angle = first + track * sectors, sectors, angle + track * step
        around = sectors
        if number in self.moved:
            around, angle, sector = self.moved[number]
        return (sectors * self.ratio, first * self.ratio, held * self.ratio,
                (angle + self._turned((sector + part / self.ratio) / around)) % 1.0)

    def _turned(self, share):
        """What turns by until so much of a track's data has begun: each wedge is a servo burst, then data."""
        wedges, burst = self.truth["wedges"], self.truth["burst_share"]
        whole = math.floor(share * wedges)
        return (whole + burst + (1 - burst) * (share * wedges - whole)) / wedges


def places_of_model(binary, model, lbns):
    """{LBN: place} as `platter layout` tells them."""
    found = {}
    for start in range(0, len(lbns), AT_ONCE):
        part = [str(lbn) for lbn in lbns[start:start + AT_ONCE]]
        done = subprocess.run([binary, "layout", model, "--json", "--lbn", *part],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(done.stderr.strip() or f"{binary} layout ended with {done.returncode}")
        for place in json.loads(done.stdout)["places"]:
            found[place["lbn"]] = place
    return found


def compare(truth, places):
    """How many of the LBNs are right in each respect, and the constant between the angles."""
    right = dict.fromkeys(SHARES, 0)
    differences = []
    for lbn, place in places.items():
        around, first, held, angle = truth.place(lbn)
        off = abs((place["track_first_lbn"] or 0) - first)
        right["sectors"] += place["track_sectors"] == around
        right["first LBN"] += off == 0
        right["track"] += off < held / 2
        differences.append(place["angle_rev"] - angle)
    constant = circular_median(differences)
    errors = sorted(abs(circular(difference - constant)) for difference in differences)
    for name, bound in ANGLES.items():
        right[name] = bisect.bisect_right(errors, bound)
    return {"lbns": len(places), "right": right, "constant_rev": constant,
            "median_error_rev": errors[len(errors) // 2], "p99_error_rev": errors[len(errors) * 99 // 100]}


# What a model states of itself.

def stated_shares(model):
    """[(name as in SHARES, share, low, high, blocks that it was counted on)] of the layout's `timed` part."""
    timed = model.get("layout", {}).get("timed") or {}
    stated = []
    for entry in timed.get("shares", ()):
        near = [name for name, bound in ANGLES.items() if abs(bound / entry["within_rev"] - 1) < 0.01]
        if not near:
            raise ValueError(f"a share within {entry['within_rev']} revolutions is stated, which nobody judges")
        stated.append((near[0], entry["share"], entry["low"], entry["high"], timed["blocks"]))
    return stated


def wilson(count, of, sigmas):
    """The interval of a share."""
    share, z2 = count / of, sigmas * sigmas
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = sigmas / (1 + z2 / of) * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def at_most(count, of, share):
    """The probability of so few or fewer, of a binomial distribution."""
    if share <= 0.0 or share >= 1.0:
        return 1.0 if share <= 0.0 or count >= of else 0.0
    logs = (math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) +
            k * math.log(share) + (of - k) * math.log1p(-share) for k in range(count + 1))
    return min(1.0, math.fsum(map(math.exp, logs)))


def probability(value, samples, low, high):
    """...of what is stated, two-sided, with the share in low..high that suits it best."""
    count = round(value * samples)
    if low <= value <= high:
        return 1.0
    if value < low:
        return min(1.0, 2 * at_most(count, samples, low))
    return min(1.0, 2 * at_most(samples - count, samples, 1 - high))


def held_against(stated, result):
    """One dictionary for each stated share: `outside` its interval is one in twenty by chance alone; one
    that is `refuted` is wrong."""
    judged = []
    for name, value, low, high, samples in stated:
        least, most = wilson(result["right"][name], result["lbns"], 3.29)
        outside = most < low or least > high
        refuted = outside and probability(value, samples, least, most) < REFUTED_BELOW
        judged.append({"name": name, "value": value, "low": low, "high": high, "samples": samples,
                       "truth": result["right"][name] / result["lbns"], "outside": outside, "refuted": refuted})
    return judged


def row_of(truth):
    """(name, seconds, least shares) of the drive's size."""
    size = truth.truth["blocks"] * truth.truth["block_bytes"]
    return next(row[1:] for row in ROWS if size >= row[0])


def missed(result, least):
    """Names of the shares that the row asks for and the model has not."""
    return [name for name, share in least.items() if result["right"][name] < share * result["lbns"]]


def map_seconds(model):
    """Drive time of all stages up to the map."""
    stages = {stage["name"]: stage["drive_seconds"] for stage in model["provenance"].get("stages", ())}
    return sum(stages.get(name, 0.0) for name in ("warm-up", "rotation", "layout"))


def judge(binary, model_path, truth_json, count, seed):
    """Everything that is judged of one model, as a dictionary."""
    truth = Truth(truth_json)
    with open(model_path, encoding="utf-8") as file:
        model = json.load(file)
    blocks = model["identity"]["blocks"]
    if blocks != truth.blocks:
        raise ValueError(f"the model has {blocks} blocks, the drive {truth.blocks}: they are not of one drive")
    if not model.get("layout", {}).get("zones"):
        raise ValueError(f"{model_path} has no layout: {model.get('layout', {}).get('reason', 'no reason is given')}")
    chance = random.Random(f"judge {seed}")
    lbns = sorted({chance.randrange(blocks) for _ in range(count)})
    result = compare(truth, places_of_model(binary, model_path, lbns))
    name, seconds, least = row_of(truth)
    result.update(stated=held_against(stated_shares(model), result), row=name, row_seconds=seconds,
                  map_seconds=map_seconds(model), missed=missed(result, least))
    return result


def print_result(result):
    for name in SHARES:
        low, high = wilson(result["right"][name], result["lbns"], 1.96)
        print(f"{name:14} {100 * result['right'][name] / result['lbns']:8.3f} %   "
              f"({100 * low:.3f} to {100 * high:.3f})")
    print(f"errors of angles: median {result['median_error_rev']:.5f}, 99 % {result['p99_error_rev']:.5f} "
          f"revolutions, constant {result['constant_rev']:.5f}, {result['lbns']} LBNs")
    for s in result["stated"]:
        word = "REFUTED" if s["refuted"] else "outside its interval" if s["outside"] else "holds"
        print(f"stated {s['name']}: {100 * s['value']:.2f} % ({100 * s['low']:.2f} to {100 * s['high']:.2f}), "
              f"truth {100 * s['truth']:.2f} %: {word}")
    if not result["stated"]:
        print("the model states no shares")
    late = result["map_seconds"] > result["row_seconds"]
    print(f"row {result['row']}: " + (f"missed by {', '.join(result['missed'])}" if result["missed"] else "reached") +
          f"; {result['map_seconds']:.0f} s of {result['row_seconds']} s" + (", too late" if late else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--truth", required=True)
    parser.add_argument("--binary", default=os.environ.get("PLATTER_BINARY") or "build/release/platter")
    parser.add_argument("--lbns", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        with open(options.truth, encoding="utf-8") as file:
            result = judge(options.binary, options.model, json.load(file), options.lbns, options.seed)
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"judge_modern.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(result))
    else:
        print_result(result)
    return 1 if any(s["refuted"] for s in result["stated"]) else 0


if __name__ == "__main__":
    sys.exit(main())
