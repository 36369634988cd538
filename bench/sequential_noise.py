#!/usr/bin/env python3
"""What chance does to the demerit of 2000 reads in a row: of a drive against itself, and of a model against it.

The same trace is replayed on the virtual drive with so many pairs of noise seeds, and on the model, with other
delays of the host each time where the model tells them.

    bench/sequential_noise.py --drive cache-base --model cache-base.json
"""

import argparse
import json
import os
import statistics
import tempfile

from measuring import run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drive", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--seeds", type=int, default=16)
    options = parser.parse_args()
    floor, model = [], []
    with tempfile.TemporaryDirectory() as work:
        at = lambda name: os.path.join(work, name)
        run(options.binary, "trace", "generate", "--workload", "sequential", "--requests", "2000",
            "--for", options.model, "--seed", "1", "-o", at("trace"))
        for seed in range(1, options.seeds + 1):
            for name, noise in (("drive.csv", seed), ("again.csv", seed + 7001)):
                run(options.binary, "replay", at("trace"), "--on",
                    f"virtual:{options.drive}?imperfections=default&seed={noise}", "-o", at(name))
            run(options.binary, "replay", at("trace"), "--on", options.model, "--delay-seed", str(seed),
                "-o", at("model.csv"))
            for found, other in ((floor, "again.csv"), (model, "model.csv")):
                judged = json.loads(run(options.binary, "compare", at("drive.csv"), at(other), "--json"))
                found.append(judged["all"]["demerit_percent"])
    for name, found in (("drive against itself", floor), ("model", model)):
        print(f"{options.drive}, {name}: demerit {min(found):.1f} to {max(found):.1f} %, "
              f"median {statistics.median(found):.1f}")


if __name__ == "__main__":
    main()
