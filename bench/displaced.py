#!/usr/bin/env python3
"""A shingled drive that was written to before: which of the extents that lie in its media cache are found by reads alone,
and what is taken for one that is none.

    bench/displaced.py [--binary platter] [--drive modern-20tb] [--extents 100] [--seeds 1]

Extents of 1 to 200 MB lie anywhere, and stay: the drive does not clean when it is idle. The status is 1 where less than
95 % of those above 10 MB are found, or anything else is."""

import argparse
import json
import os
import random
import sys
import tempfile

from measuring import InFolder

LEAST, MOST, LARGE = 1e6, 200e6, 10e6


def parameter(value, unit=""):
    return {"value": value, "unit": unit}


def written_to(model, extents, seed):
    """The extents, and the drive that has them: the model is changed."""
    chance = random.Random(seed)
    bytes_of, unit = model["identity"]["block_bytes"], model["identity"]["physical_block_bytes"]
    align, blocks = unit // bytes_of, model["identity"]["blocks"]
    taken = []
    while len(taken) < extents:
        length = int(LEAST * (MOST / LEAST) ** chance.random()) // unit * align
        first = chance.randrange((blocks - length) // align) * align
        if all(first + 2 * length < other["first"] or first > other["last"] + 2 * length for other in taken):
            taken.append({"first": first, "last": first + length - 1})
    taken.sort(key=lambda extent: extent["first"])
    all_of = sum(extent["last"] + 1 - extent["first"] for extent in taken)
    model["shingling"] = {
        "kind": "drive-managed", "method": "invented", "band_blocks": parameter((30 << 20) // bytes_of, "blocks"),
        "media_cache_blocks": parameter(2 * all_of, "blocks"), "map_entries": parameter(100000),
        "cleans_when_idle": parameter(0), "idle_threshold": parameter(1200, "ms"),
        "band_cleaning": parameter(700, "ms"),
        "displaced": taken}
    model["firmware"]["zoned"] = 2
    return taken


class Bench(InFolder):
    def one(self, drive, extents, seed):
        """(large ones found, large ones, others found, others, false ones, bytes by which ends are off, drive time in s)"""
        self.run("truth", f"virtual:{drive}", "-o", "truth.json", "--force")
        model = self.load("truth.json")
        truth = written_to(model, extents, seed)
        with open(os.path.join(self.folder, "drive.json"), "w", encoding="utf-8") as file:
            json.dump(model, file)
        self.run("characterize", f"virtual:drive.json?seed={seed}", "-o", "model.json", "--force", "--shingles", "bands",
                 good=(0, 13))
        measured = self.load("model.json")
        found = measured["shingling"].get("displaced", [])
        bytes_of = model["identity"]["block_bytes"]
        size = lambda extent: (extent["last"] + 1 - extent["first"]) * bytes_of  # noqa: E731
        met = lambda a, b: a["first"] <= b["last"] and b["first"] <= a["last"]  # noqa: E731
        large = [each for each in truth if size(each) > LARGE]
        small = [each for each in truth if size(each) <= LARGE]
        seen = lambda some: sum(any(met(each, one) for one in found) for each in some)  # noqa: E731
        false = [one for one in found if not any(met(each, one) for each in truth)]
        off = [max(abs(one["first"] - each["first"]), abs(one["last"] - each["last"])) * bytes_of
               for one in found for each in truth if met(each, one)]
        return (seen(large), len(large), seen(small), len(small), len(false), max(off, default=0),
                measured["provenance"]["drive_seconds"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drive", default="modern-20tb")
    parser.add_argument("--extents", type=int, default=100)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for seed in options.seeds:
            found, large, small_found, small, false, off, took_s = Bench(options.binary, folder).one(
                options.drive, options.extents, seed)
            print(f"seed {seed}: above 10 MB {found} of {large} found, others {small_found} of {small}, {false} false; ends "
                  f"off by {off / 1e3:.0f} kB at most; {took_s:.0f} s in all", flush=True)
            good &= found >= 0.95 * large and false == 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
