#!/usr/bin/env python3
"""Whether stated errors hold on noisy hosts and noisy drives, or the run says what was too noisy.

    bench/noise.py [--binary PLATTER] [--drives NAME...] [--noises NAME...] [--seeds N] [--first-seed S]
                   [--json FILE]

Each drive gets each kind of noise in place of its default imperfections (NOISES below), and is characterized N times
with writes allowed everywhere. Each stated number is held against the truth as bench/interval_coverage.py does. Prints
for each noise the share of 95 % intervals that held the truth, by class and of all, how many runs said that something
was too noisy, and how long the runs took beside what was announced. All of it (9 noises, 3 drives, 5 seeds) takes
about a quarter of an hour.
"""

import argparse
import collections
import json
import os
import re
import statistics
import sys
import tempfile

import interval_coverage
from measuring import characterized_device, load, run

DRIVES = ["quantum-atlas10k", "seagate-cheetah9lp", "spare-cylinder"]


def host(median, p99):
    return {"host_delay_median_us": median, "host_delay_p99_us": p99}


def stalls(share):
    return {"slow_access_share": share, "slow_access_mean_ms": 1}


NOISES = {
    "default": {},
    "host 50/500": host(50, 500), "host 50/2000": host(50, 2000), "host 200/4000": host(200, 4000),
    "stalls 5 %": stalls(0.05), "stalls 20 %": stalls(0.2), "stalls 50 %": stalls(0.5),
    "positioning 300": {"positioning_sigma_us": 300},
    "wander 50 ppm": {"wobble_ppm": 50}, "wander 300 ppm": {"wobble_ppm": 300},
}
TOO_NOISY = re.compile(r"too noisy[^;]*")


def characterize(platter, file, seed, work):
    """Findings' model, its tracks, its sentences about noise; the error's sentence where there is none."""
    model = os.path.join(work, "found.json")
    try:
        found = characterized_device(platter, f"virtual:{file}?seed={seed}", seed, model)
        return found, interval_coverage.tracks_of(platter, model)
    except RuntimeError as error:
        return str(error), None


def announced_s(model):
    """What was said that the run would take: once the layout was known, and last."""
    notes = model["provenance"]["notes"]
    said = {which: float(re.search(r"about (\d+) s", note).group(1)) for note in notes if "expected drive time" in note
            for which in ("last", "layout" if "since the layout" in note else "other")}
    return said["layout"], said["last"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drives", nargs="*", default=DRIVES)
    parser.add_argument("--noises", nargs="*", default=list(NOISES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    everything = {}
    print("| noise | runs | n | held % | RMS error / stated | beyond 6 errors | too noisy | drive s | of announced after layout | of announced last | by class |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|")
    for noise in options.noises:
        findings, said, refused, seconds, ratios, since_layout = [], [], [], [], [], []
        for drive in options.drives:
            with tempfile.TemporaryDirectory() as work:
                file = os.path.join(work, "drive.json")
                run(options.binary, "truth", f"virtual:{drive}?imperfections=default", "-o", file)
                made = load(file)
                made["imperfections"].update(NOISES[noise])
                with open(file, "w", encoding="utf-8") as out:
                    json.dump(made, out)
                truth = interval_coverage.Truth(options.binary, file, work, itself=True)
                for seed in range(options.first_seed, options.first_seed + options.seeds):
                    found, ours = characterize(options.binary, file, seed, work)
                    if ours is None:
                        refused.append(found)
                        continue
                    texts = [finding["text"] for finding in found["provenance"].get("findings", [])]
                    noisy = [m.group(0) for text in texts for m in TOO_NOISY.finditer(text)]
                    said += noisy[:1]
                    seconds.append(found["provenance"]["drive_seconds"])
                    layout_s, last_s = announced_s(found)
                    since_layout.append(seconds[-1] / layout_s)
                    ratios.append(seconds[-1] / last_s)
                    findings += interval_coverage.parameters(found, truth)
                    findings += interval_coverage.angles(found, ours, truth)
        everything[noise] = [f._asdict() for f in findings]
        z = interval_coverage.in_stated(findings)
        classes = collections.defaultdict(list)
        for finding in findings:
            classes[finding.kind].append(finding)
        shares = ", ".join(f"{kind} {100 * interval_coverage.held_share(mine):.0f}" for kind, mine in classes.items())
        print(f"| {noise} | {len(seconds) + len(refused)} | {len(z)} | {100 * interval_coverage.held_share(findings):.1f} | "
              f"{statistics.mean(e * e for e in z) ** 0.5 if z else 0:.2f} | {sum(abs(e) > 6 for e in z)} | "
              f"{len(said) + len(refused)} | {statistics.mean(seconds) if seconds else 0:.0f} | "
              f"{min(since_layout, default=0):.2f} to {max(since_layout, default=0):.2f} | {min(ratios, default=0):.2f} to {max(ratios, default=0):.2f} | {shares} |", flush=True)
        for text in sorted(set(refused)):
            print(text, file=sys.stderr)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(everything, out)


if __name__ == "__main__":
    main()
