#!/usr/bin/env python3
"""Virtual drives with power conditions, drawn at random and characterized with --power: how far are the wake times from
the truth, how long did they take, and does a replay of a trace with pauses show them in the model as in the drive?

    bench/wake_times.py [--binary platter] [--seeds 1 2 3 ...]
"""

import argparse
import csv
import json
import os
import sys
import tempfile

from measuring import InFolder

CONDITIONS = ("idle_a", "idle_b", "idle_c", "standby_y", "standby_z")
WITHIN_PERCENT, LONG_MS = 5, 100


class Bench(InFolder):
    def responses(self, on):
        self.run("replay", "pauses.trace", "--format", "ascii", "--on", on, "--caches", "off", "-o", "result.csv", "--force")
        with open(os.path.join(self.folder, "result.csv"), encoding="utf-8") as file:
            rows = csv.DictReader(line for line in file if not line.startswith("#"))
            return [float(row["response_ns"]) / 1e6 for row in rows if row["part"] == "trace"]

    def replayed(self, seed):
        """Behind each timer's time a read, and one that an awake drive answers: (% by which the model's wakes of more than
        a tenth of a second differ from the drive's, at most; how many there were)."""
        drive = f"virtual:cache-base?power=yes&seed={seed}"
        self.run("characterize", drive, "--power", "-o", "model.json", "--force")
        model = self.load("model.json")
        timers = model["identity"]["power_timers"]
        arrival_ms, lines = 0, []
        for number, pause_ms in enumerate([each["after_ms"] + 1000 for each in timers] * 2):
            for more_ms in (pause_ms, 30_000 if pause_ms > 60_000 else 300):
                arrival_ms += more_ms
                lines.append(f"{arrival_ms} 0 {(number + 1) * 7919 * 53 % 1_000_000} 8 1\n")
        with open(os.path.join(self.folder, "pauses.trace"), "w", encoding="utf-8") as file:
            file.writelines(lines)
        of_drive, of_model = self.responses(drive), self.responses("model.json")
        wakes = [(d, m) for d, m in list(zip(of_drive, of_model))[::2] if d > LONG_MS]
        if not wakes or max(of_drive[1::2]) > LONG_MS:
            sys.exit(f"{drive}: {of_drive} ms")
        return max(100 * abs(m / d - 1) for d, m in wakes), len(wakes)

    def one(self, seed):
        drive = f"virtual:modern-random-{seed}?power=yes&seed={seed}"
        self.run("characterize", drive, "--power", "--no-map", "-o", "model.json", "--force", good=(0, 13))
        self.run("truth", drive, "-o", "truth.json", "--force")
        model, truth = self.load("model.json"), self.load("truth.json")
        took = next(s["drive_seconds"] for s in model["provenance"]["stages"] if s["name"] == "power conditions")
        off = {}
        for name in CONDITIONS:
            is_there, found = truth["power"].get(name), model.get("power", {}).get(name, {})
            if is_there:
                value = found.get("value")
                off[name] = None if value is None else 100 * (value / is_there["value"] - 1)
            elif found:
                off[name] = None
        same = model["identity"].get("power_timers", []) == truth["identity"].get("power_timers", [])
        return off, took, same


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1, 11)))
    options = parser.parse_args()
    good = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.binary, folder)
        print("off by, %:" + "".join(f"{name:>11}" for name in CONDITIONS) + "   drive s  timers as they were")
        for seed in options.seeds:
            off, took, same = bench.one(seed)
            well = same and all(one is not None and abs(one) < WITHIN_PERCENT for one in off.values())
            good += well
            told = "".join(f"{off[name]:+11.2f}" if off.get(name) is not None else f"{'-' if name in off else '':>11}"
                           for name in CONDITIONS)
            print(f"seed {seed:4} {told} {took:9.1f}  {'yes' if same else 'no'}", flush=True)
        print(f"all within {WITHIN_PERCENT} %: {good} of {len(options.seeds)}")
        worst, wakes = bench.replayed(options.seeds[0])
        print(f"replay of a trace with pauses: the model's {wakes} wakes are within {worst:.2f} % of the drive's")
    return 0 if good == len(options.seeds) and worst < WITHIN_PERCENT else 1


if __name__ == "__main__":
    sys.exit(main())
