#!/usr/bin/env python3
"""Sequential reads of the catalogue's drives of today, beside the rate of their media from track to track.

    bench/sequential_rates.py [--binary PLATTER] [--drives NAME...] [--mib N] [--streams N] [--json FILE]

Each drive's truth is replayed without imperfections: reads of 64 KiB to 4 MiB, one behind the other, each sent as soon
as the one before is complete (dd with O_DIRECT); and 128 KiB with two outstanding (a file system's read-ahead, as
`hdparm -t` has it). The media rate is that of the tracks that were read: their blocks by the angle from the first
block of each to the first one of the next. Prints a line for each drive. Status 1: a rate is under 95 % of the media's.

Time: 20 s of processor.
"""

import argparse
import csv
import json
import os
import sys
import tempfile

from measuring import load, run, table

SIZES_KIB = (64, 128, 256, 512, 1024, 2048, 4096)
LEAST = 0.95
NAMES = ("modern-500gb", "modern-1tb", "modern-5tb", "modern-10heads", "modern-20tb", "modern-20tb-slips")


def media_rate(platter, model, blocks):
    """Bytes a second of the whole tracks among the first so many blocks."""
    truth = load(model)
    period = truth["rotation"]["numerator_ns"] / truth["rotation"]["denominator"] * 1e-9
    tracks, lbn = [], 0
    while lbn < blocks:
        place = json.loads(run(platter, "layout", model, "--lbn", str(lbn), "--json"))["places"][0]
        tracks.append(place)
        lbn = place["track_last_lbn"] + 1
    turned = read = 0
    for one, following in zip(tracks, tracks[1:]):
        on = one["track_last_lbn"] - one["track_first_lbn"] + 1
        share = on / one["track_sectors"]
        ahead = following["angle_rev"] - one["angle_rev"]
        turned += share + (ahead - share) % 1
        read += on
    return read * truth["identity"]["block_bytes"] / (turned * period)


def rate(platter, model, kib, options, depth):
    requests = max(32, options.mib * 1024 // kib)
    workload = ["streams", "--streams", str(options.streams)] if options.streams > 1 else ["sequential"]
    run(platter, "trace", "generate", "--workload", *workload, "--for", model, "--requests", str(requests),
        "--request-kb", str(kib), "--reads-only", "-o", "s.trace", "--force")
    run(platter, "replay", "s.trace", "--on", model, "--depth", str(depth), "-o", "s.csv", "--force")
    with open("s.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(line for line in file if not line.startswith("#")) if row["part"] == "trace"]
    ends = sorted(int(row["issue_ns"]) + int(row["response_ns"]) for row in rows)
    return (len(ends) - 1) * kib * 1024 / (ends[-1] - ends[0]) * 1e9  # behind the way to the first block


def measured(platter, name, options):
    model = "truth.json"
    run(platter, "truth", "virtual:" + name, "-o", model, "--force")
    block_bytes = load(model)["identity"]["block_bytes"]
    result = {"drive": name, "media": media_rate(platter, model, options.mib * 2**20 // block_bytes),
              "rates": {str(kib): rate(platter, model, kib, options, 1) for kib in SIZES_KIB}}
    result["rates"]["128 x 2"] = rate(platter, model, 128, options, 2)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drives", nargs="+", default=NAMES)
    parser.add_argument("--mib", type=int, default=64, help="read of each")
    parser.add_argument("--streams", type=int, default=1, help="in turn; no rate is demanded of several")
    parser.add_argument("--json")
    options = parser.parse_args()
    platter = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory() as work:
        here = os.getcwd()
        os.chdir(work)
        results = [measured(platter, name, options) for name in options.drives]
        os.chdir(here)
    columns = [f"{kib} KiB" if kib.isdigit() else "128 KiB x 2" for kib in results[0]["rates"]]
    print(table(["drive", "media MB/s", *columns],
                [[each["drive"], f"{each['media'] / 1e6:.1f}", *(f"{one / 1e6:.1f}" for one in each["rates"].values())]
                 for each in results]))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    slow = [each["drive"] for each in results if min(each["rates"].values()) < LEAST * each["media"]]
    if options.streams == 1 and slow:
        sys.exit(f"under {100 * LEAST:.0f} % of the media's rate: {', '.join(slow)}")


if __name__ == "__main__":
    main()
