#!/usr/bin/env python3
"""Two logical units, named together: those of drives of two arms are to be recognized as arms on one spindle, those of
drives of one arm and pairs of other drives are not.

    bench/units_of_one_drive.py [--binary platter] [--arms 30] [--others 100]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

REFUSED = 5


def units_of(drive, seed):
    return "+".join(f"virtual:{drive}?seed={seed}&lun={lun}" for lun in (0, 1))


def recognized(binary, folder, name):
    """None: refused, for they are of no one target."""
    done = subprocess.run([os.path.abspath(binary), "characterize", name, "--no-map", "-o", "model.json", "--force"],
                          capture_output=True, text=True, cwd=folder)
    if done.returncode == REFUSED and "logical units of one target" in done.stderr:
        return None
    if done.returncode not in (0, 13):
        sys.exit(f"{name}: status {done.returncode}\n{done.stderr}")
    with open(os.path.join(folder, "model.json"), encoding="utf-8") as file:
        arms = json.load(file).get("arms")
    return arms is not None and len(arms["ranges"]) == 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--arms", type=int, default=30)
    parser.add_argument("--others", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        two = [recognized(options.binary, folder, units_of("modern-2arms", seed)) for seed in range(1, options.arms + 1)]
        halves = [recognized(options.binary, folder, units_of(f"modern-random-{seed}", seed))
                  for seed in range(1, options.others + 1)]
        pairs = [recognized(options.binary, folder, f"virtual:modern-random-{seed}?seed=1+virtual:modern-random-{seed + 1}")
                 for seed in range(1, options.others // 10 + 1)]
    print(f"two arms, a unit each: recognized {two.count(True)} of {len(two)}")
    print(f"one arm, two units: recognized {halves.count(True)} of {len(halves)}")
    print(f"two drives: refused {pairs.count(None)} of {len(pairs)}")
    return 0 if all(two) and not any(halves) and pairs.count(None) == len(pairs) else 1


if __name__ == "__main__":
    sys.exit(main())
