#!/usr/bin/env python3
"""How far the two pieces of the seek formula (Ruemmler and Wilkes 1994) are apart where they meet.

    bench/seek_joint.py [--binary PLATTER] [--random N]

Of every drive of the catalogue and N random ones (40: 20 random-1..., 20 modern-random-1...): the step at the joint as
a share of the time there, from `platter show --json`. The worst is printed. The status is 1 where one is above 1 %."""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BAR = 0.01


def step(fit):
    root = fit["a_ms"] + fit["b_ms"] * math.sqrt(fit["knee_cylinders"])
    line = fit["c_ms"] + fit["e_ms"] * fit["knee_cylinders"]
    return abs(root - line) / line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, "build", "release", "platter"))
    parser.add_argument("--random", type=int, default=40)
    options = parser.parse_args()

    def platter(*words):
        return subprocess.run([options.binary, *words], check=True, capture_output=True, text=True).stdout
    names = [drive["device"] for drive in json.loads(platter("devices", "--json"))["virtual"]]
    names += [f"virtual:{kind}-{i + 1}" for i in range(options.random // 2) for kind in ("random", "modern-random")]
    steps = []
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "m.json")
        for name in names:
            platter("truth", name, "-o", model, "--force")
            fit = json.loads(platter("show", model, "--json"))["seek"].get("fit")
            if fit:
                steps.append((step(fit), name))
    worst = sorted(steps, reverse=True)[:3]
    print(f"{len(steps)} of {len(names)} drives have a formula; the largest steps: "
          + ", ".join(f"{name} {100 * share:.4f} %" for share, name in worst))
    return 1 if not steps or worst[0][0] > BAR else 0


if __name__ == "__main__":
    sys.exit(main())
