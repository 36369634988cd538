#!/usr/bin/env python3
"""Virtual drives of two arms, characterized: are both found, how long do both maps take for the slower of each alone, how
far is the interference from the truth, and how far the model from the drive, one read at a time and eight at once over
both ranges, beside the same model with one arm.

    bench/several_arms.py [--binary platter] [--units] [--seeds 1 2 3 ...] [--requests 10000]

--units: each drive as two logical units that are named together.
"""

import argparse
import json
import os
import sys
import tempfile

from measuring import InFolder


class Bench(InFolder):
    def compared(self, drive, model, depth):
        """(mean of the model less the drive's, demerit), % of the drive's mean."""
        for on, name in ((drive, "drive.csv"), (model, "model.csv")):
            self.run("replay", "reads.trace", "--on", on, "--depth", str(depth), "--caches", "off", "-o", name,
                     "--force")
        told = json.loads(self.run("compare", "drive.csv", "model.csv", "--json", good=(0, 12)))["all"]
        mean = told["mean_ms"]
        return 100 * (mean["model"] / mean["drive"] - 1), told["demerit_percent"]

    def layout_s(self, drive, file):
        """The model's, and the drive time of its map."""
        self.run("characterize", drive, "-o", file, "--force", good=(0, 13))
        model = self.load(file)
        return model, sum(stage["drive_seconds"] for stage in model["provenance"]["stages"] if stage["name"] == "layout")

    def one(self, seed, requests, units):
        one = f"virtual:modern-2arms?seed={seed}"
        both = f"{one}&lun=0+{one}&lun=1" if units else one
        model, both_s = self.layout_s(both, "model.json")
        one_s = max(self.layout_s(f"{one}&lun={lun}", "half.json")[1] for lun in (0, 1))
        self.run("truth", one, "-o", "truth.json", "--force")
        truth = self.load("truth.json")["arms"]
        arms = model.pop("arms", None)
        with open(os.path.join(self.folder, "one.json"), "w", encoding="utf-8") as file:
            json.dump(model, file)
        self.run("trace", "generate", "--workload", "random/read/small", "--for", "truth.json",
                 "--requests", str(requests), "--seed", str(seed), "-o", "reads.trace", "--force")
        found = arms is not None and arms["ranges"] == truth["ranges"]
        off_us = 1e3 * (arms["interference"]["value"] - truth["interference"]["value"]) if found else None
        other = f"virtual:modern-2arms?seed={seed + 1000}"
        if units:
            other = f"{other}&lun=0+{other}&lun=1"
        compared = [self.compared(other, name, depth) for depth in (1, 8) for name in ("model.json", "one.json")]
        error_us = 1e3 * arms["interference"]["error"] if found else None
        return found, both_s / one_s, off_us, error_us, compared


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1, 11)))
    parser.add_argument("--units", action="store_true")
    parser.add_argument("--requests", type=int, default=10000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.binary, folder)
        print("seed  found  maps    interference            at depth 1: two arms      one arm     at depth 8: two arms      one arm")
        print("                     off by, us              mean, demerit, %                  mean, demerit, %")
        all_maps = []
        for seed in options.seeds:
            found, maps, off_us, error_us, compared = bench.one(seed, options.requests, options.units)
            all_maps.append(maps)
            figures = "  ".join(f"{mean:+8.2f} {demerit:7.2f}" for mean, demerit in compared)
            off = f"{off_us:+8.1f} +-{error_us:5.1f}" if found else "       -        "
            print(f"{seed:4}  {'yes' if found else 'no':5}  {maps:6.3f}  {off}  {figures}", flush=True)
        print(f"maps: {sum(all_maps) / len(all_maps):.3f} in the mean")


if __name__ == "__main__":
    main()
