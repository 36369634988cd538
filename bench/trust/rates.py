#!/usr/bin/env python3
"""Characterizations of a drive that fails at a rate: what they take, and whether their numbers are right.

    bench/trust/rates.py [--binary PLATTER] [--drive-program TRUST_DRIVE] [--runs N] [--first N] [--only N]
                         [--rates P...] [--kinds KIND...] [--unreadable BLOCKS] [--json FILE]

Run N gets one kind of fault (KINDS), at one rate a command, on one of three drives; writes are allowed in a range. Each
stated number of its model is held against the truth of the drive. A run is a finding where it hangs (more than three
times the commands, the drive time or the processor time of the same run without faults, at 1e-3 and less), dies, or
where a number is more than six of its errors off. 400 runs take about a quarter of an hour.
"""

import argparse
import collections
import json
import os
import random
import resource
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]

import interval_coverage  # noqa: E402
from drives import Folder, Programs  # noqa: E402
from measuring import load, run  # noqa: E402

DRIVES = ["cache-base", "quantum-atlas10k", "spare-cylinder"]
RATES = [1e-3, 1e-4, 1e-3, 1e-2]  # half of the runs at the one that the bars speak of
KINDS = ["busy", "task-set-full", "unit-attention", "reset", "reset-silent", "parameters-changed", "read-medium-once",
         "read-hardware", "read-aborted", "read-recovered", "write-aborted", "write-medium", "short-transfer",
         "wrong-residual", "not-ready", "no-sense", "reservation", "select-fails"]
RANGES = [(100_000, 160_000)]
FAR = 6


def plan_of(number, options):
    return {"number": number, "kind": options.kinds[number % len(options.kinds)],
            "rate": options.rates[number // len(options.kinds) % len(options.rates)],
            "drive": DRIVES[(number + number // len(options.kinds)) % len(DRIVES)], "seed": number + 1}


class Attack:
    def __init__(self, options):
        self.programs = Programs(options.binary, options.drive_program)
        self.platter, self.unreadable = options.binary, options.unreadable
        self.truths, self.quiet = {}, {}

    def characterize(self, plan, faults):
        """Status, model or None, its tracks, what it took and what was said."""
        with tempfile.TemporaryDirectory() as path:
            build = ["--drive", f"{plan['drive']}?imperfections=default&seed={plan['seed']}", "--seed", str(plan["seed"])]
            folder = Folder(self.programs, path, build, RANGES)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            status = folder.job("characterize", faults)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = {"processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                    "commands": folder.counts().get("any", 0)}
            file = os.path.join(path, "drive.json")
            if not os.path.exists(file):
                return status, None, None, took, folder.texts[-1]
            model = load(file)
            took["drive"] = model["provenance"]["drive_seconds"]
            tracks = interval_coverage.tracks_of(self.platter, file) if model["layout"]["zones"] else {}
            return status, model, tracks, took, folder.texts[-1]

    def truth_of(self, drive):
        if drive not in self.truths:
            with tempfile.TemporaryDirectory() as work:
                self.truths[drive] = interval_coverage.Truth(self.platter, f"virtual:{drive}?imperfections=default", work)
        return self.truths[drive]

    def undisturbed(self, plan):
        drive = plan["drive"]
        if drive not in self.quiet:
            self.quiet[drive] = self.characterize(plan | {"seed": 1}, [])[3]
        return self.quiet[drive]

    def run(self, plan):
        faults = [f"{plan['kind']}:rate={plan['rate']},count=0"]
        dice = random.Random(plan["number"])
        faults += [f"read-medium:lbn={dice.randrange(1_000_000)},count=0" for _ in range(self.unreadable)]
        status, model, tracks, took, said = self.characterize(plan, faults)
        quiet = self.undisturbed(plan)
        times = {what: took[what] / quiet[what] for what in took}
        record = plan | {"status": status, "times": times, "said": said[-300:], "findings": []}
        if status == "hangs" or (plan["rate"] <= 1e-3 and max(times.values()) > 3):
            record["findings"].append("hangs" if status == "hangs" else
                                      "takes " + ", ".join(f"{t:.1f} times the {w}" for w, t in times.items()))
        if status != "hangs" and status < 0:
            record["findings"].append(f"dies by signal {-status}")
        if model is None:
            record["model"] = "none"
            return record
        record["model"] = "complete" if model["provenance"].get("complete", True) else "partial"
        record["notes"] = model["provenance"]["notes"]
        truth = self.truth_of(plan["drive"])
        if not tracks or model["seek"].get("points") is None:
            return record
        found = [*interval_coverage.parameters(model, truth), *interval_coverage.angles(model, tracks, truth)]
        apart = [(f.name, (f.value - f.truth) / f.error) for f in found if f.error]
        record["held"] = [sum(abs(z) <= interval_coverage.SIGMAS for _, z in apart), len(apart)]
        record["findings"] += [f"{name} is {z:+.1f} errors off" for name, z in apart if abs(z) > FAR]
        return record


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drive-program", default="build/release/trust_drive")
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--rates", type=float, nargs="*", default=RATES)
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    parser.add_argument("--unreadable", type=int, default=0)
    parser.add_argument("--json")
    options = parser.parse_args()
    attack, records = Attack(options), []
    numbers = [options.only] if options.only is not None else range(options.first, options.first + options.runs)
    for number in numbers:
        record = attack.run(plan_of(number, options))
        records.append(record)
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        if record["findings"] or record["model"] != "complete" or options.only is not None:
            times = ", ".join(f"{w} x{t:.2f}" for w, t in record["times"].items())
            print(f"{number}: {record['kind']} at {record['rate']:g} on {record['drive']}: status {record['status']}, model "
                  f"{record['model']}, {times}; {'; '.join(record['findings']) or record['said'].strip()[-200:]}", flush=True)
    print("\n| rate | runs | complete | partial | none | findings | held % | most commands | most drive time | most processor time |\n"
          "|---|---|---|---|---|---|---|---|---|---|")
    for rate in sorted({r["rate"] for r in records}):
        mine = [r for r in records if r["rate"] == rate]
        models = collections.Counter(r["model"] for r in mine)
        held = [r["held"] for r in mine if "held" in r]
        share = 100 * sum(h for h, _ in held) / max(1, sum(n for _, n in held))
        most = [max(r["times"].get(what, 0) for r in mine) for what in ("commands", "drive", "processor")]
        print(f"| {rate:g} | {len(mine)} | {models['complete']} | {models['partial']} | {models['none']} | "
              f"{sum(bool(r['findings']) for r in mine)} | {share:.1f} | " + " | ".join(f"{m:.2f}" for m in most) + " |")


if __name__ == "__main__":
    main()
