#!/usr/bin/env python3
"""How many runs lose the angles of a zone: hundreds of seeds of small drives, since what is lost in one of fifty no
quick test sees.

    bench/lost_angles.py [--binary PLATTER] [--drives NAME...] [--seeds FIRST-LAST] [--random FIRST COUNT]
                         [--jobs J] [--verbose]

Characterizes (reads only, default imperfections) each drive with each seed of noise, phase and run, and COUNT drives
that are drawn at random, from random-FIRST on, of at most 2,000,000 blocks. `alien:VARIANT` and `ata` (an alien that
takes no MODE SELECT of the caching page) have a tenth of the seeds. Prints for each drive how many runs there were; how
many ended with another status than 0 and 13; how many have no map; how many lost the angles of a zone; and how many
have no finding about the layout, but less than 99 % of 400 LBNs' angles are within 1/100 of a revolution. A line for each such run
says which. Status 1: one ended otherwise, lost a zone or is wrong. A run takes about half a second.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

from layout_angles import angles_of_alien, angles_of_model, judge, lost_zones
from measuring import ALIEN, load, run

DRIVES = ["cache-base", "spare-cylinder", "ata"]
MOST_BLOCKS = 2_000_000  # of a drive that is drawn at random
LBNS = 400
BOUND, WITHIN = 1 / 100, 0.99
PYTHON = {"ata": "--variant serpentine --set scsi.ata=true --set scsi.cache_page=false"}

KINDS = ["runs", "ended", "no map", "lost", "wrong"]
Result = collections.namedtuple("Result", "drive seed kind words")


def alien_options(drive):
    """Of a drive in Python; None: it is a virtual one."""
    return PYTHON.get(drive, f"--variant {drive[6:]}" if drive.startswith("alien:") else None)


def device(drive, seed):
    options = alien_options(drive)
    if options:
        return f"exec:python3 -B {ALIEN} {options} --seed {seed}"
    return f"virtual:{drive}?imperfections=default&seed={seed}"


def drawn(first, count, platter):
    """The names of so many small drives."""
    found, number = [], first
    while len(found) < count:
        name = f"random-{number}"
        if json.loads(run(platter, "inspect", device(name, 1), "--json"))["identity"]["blocks"] <= MOST_BLOCKS:
            found.append(name)
        number += 1
    return found


def truth_of(platter, drive, seed, lbns, work):
    """Angles by LBN: what noise and phase are does not matter."""
    file = os.path.join(work, "truth.json")
    if alien_options(drive):
        run("python3", "-B", ALIEN, *alien_options(drive).split(), "--seed", str(seed), "--truth", file, "--truth-only")
        return angles_of_alien(load(file), lbns)
    run(platter, "truth", device(drive, seed), "-o", file)
    return angles_of_model(platter, file, lbns)


def measured(platter, drive, seed):
    with tempfile.TemporaryDirectory() as work:
        file = os.path.join(work, "model.json")
        done = subprocess.run([platter, "characterize", device(drive, seed), "-o", file, "--seed", str(seed), "--journal",
                               work], capture_output=True, text=True, check=False,
                              env=dict(os.environ, XDG_STATE_HOME=work))
        said = (done.stderr.strip().splitlines() or [""])[-1]
        if done.returncode not in (0, 13) or not os.path.exists(file):
            return Result(drive, seed, "ended", f"status {done.returncode}: {said}")
        model = load(file)
        if not model["layout"].get("zones"):
            return Result(drive, seed, "no map", str(model["layout"].get("reason")))
        findings = model["provenance"].get("findings", [])
        notes = [finding["text"] for finding in findings if finding["code"].startswith("angles-")]
        told = any(part.split(".")[0] == "layout" for finding in findings for part in finding.get("touches", ["layout"]))
        chance = random.Random(seed)
        lbns = [chance.randrange(model["identity"]["blocks"]) for _ in range(LBNS)]
        if notes and lost_zones(model):
            return Result(drive, seed, "lost", "; ".join(notes))
        within = judge(angles_of_model(platter, file, lbns), truth_of(platter, drive, seed, lbns, work), BOUND)["within"]
        kind = "wrong" if not told and within < WITHIN else "good"
        return Result(drive, seed, kind, f"{100 * within:.1f} % of the angles are right")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drives", nargs="*", default=DRIVES)
    parser.add_argument("--seeds", default="1-200")
    parser.add_argument("--random", nargs=2, type=int, metavar=("FIRST", "COUNT"), default=(840001, 200))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="a line for each run")
    options = parser.parse_args()
    try:
        first, last = (int(word) for word in options.seeds.split("-"))
    except ValueError:
        parser.error(f"--seeds {options.seeds} is no range; give the first and the last, as 1-40")
    runs = [(drive, seed) for drive in options.drives
            for seed in range(first, first + ((last - first) // 10 if alien_options(drive) else last - first) + 1)]
    runs += [(drive, options.random[0]) for drive in drawn(*options.random, options.binary)]
    sums = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for one in pool.map(lambda each: measured(options.binary, *each), runs):
            sums[one.drive if one.drive in options.drives else "random"].update(["runs", one.kind])
            if one.kind != "good" or options.verbose:
                print(f"{one.drive}, seed {one.seed}: {one.kind}: {one.words}", flush=True)
    print("| drive | " + " | ".join(KINDS) + " |\n" + "|---" * (1 + len(KINDS)) + "|")
    for drive, count in sums.items():
        print(f"| {drive} | " + " | ".join(str(count[kind]) for kind in KINDS) + " |")
    return 1 if any(count[kind] for count in sums.values() for kind in ("ended", "lost", "wrong")) else 0


if __name__ == "__main__":
    sys.exit(main())
