#!/usr/bin/env python3
"""Virtual drives of two arms, characterized: are both found, how far is the interference from the truth, and how far
the model from the drive, one read at a time and eight at once over both ranges, beside the same model with one arm.

    bench/several_arms.py [--binary platter] [--seeds 1 2 3 ...] [--requests 10000]
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

    def one(self, seed, requests):
        drive = f"virtual:modern-2arms?seed={seed}"
        self.run("characterize", drive, "-o", "model.json", "--force", good=(0, 13))
        model = self.load("model.json")
        self.run("truth", drive, "-o", "truth.json", "--force")
        truth = self.load("truth.json")["arms"]
        arms = model.pop("arms", None)
        with open(os.path.join(self.folder, "one.json"), "w", encoding="utf-8") as file:
            json.dump(model, file)
        self.run("trace", "generate", "--workload", "random/read/small", "--for", "truth.json",
                 "--requests", str(requests), "--seed", str(seed), "-o", "reads.trace", "--force")
        found = arms is not None and arms["ranges"] == truth["ranges"]
        off_us = 1e3 * (arms["interference"]["value"] - truth["interference"]["value"]) if found else None
        other = f"virtual:modern-2arms?seed={seed + 1000}"
        compared = [self.compared(other, name, depth) for depth in (1, 8) for name in ("model.json", "one.json")]
        return found, off_us, compared


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1, 11)))
    parser.add_argument("--requests", type=int, default=10000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.binary, folder)
        print("seed  found  interference   at depth 1: two arms      one arm     at depth 8: two arms      one arm")
        print("             off by, us     mean, demerit, %                  mean, demerit, %")
        for seed in options.seeds:
            found, off_us, compared = bench.one(seed, options.requests)
            figures = "  ".join(f"{mean:+8.2f} {demerit:7.2f}" for mean, demerit in compared)
            off = f"{off_us:+8.1f}" if found else "       -"
            print(f"{seed:4}  {'yes' if found else 'no':5}  {off}  {figures}", flush=True)


if __name__ == "__main__":
    main()
