#!/usr/bin/env python3
"""Runs that are interrupted at random moments and gone on with: what is measured twice, and whether the model is the
same within its errors.

    bench/resume.py --runs 100

Each run characterizes a served drive (tests/cli/served_drive.cpp) and is ended at a moment drawn from its whole drive
time: the program killed, the program interrupted (SIGINT), or the drive gone. The drive comes back with another phase
and at time 0, and `--resume` goes on. Where nothing was kept, before the layout, the run begins anew. Then:

- repeated: the drive's seconds of both sessions, less those of an uninterrupted run, as a share of these;
- `platter estimate` makes the model of the samples again, to the last byte;
- `platter diff` compares it with the uninterrupted run's and with the truth; beside it what two uninterrupted runs of
  different seeds differ by.
"""

import argparse
import collections
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile

BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../build/release")
DRIVES = ["hp-c2247", "seagate-cheetah9lp", "quantum-atlas10k", "cache-adaptive", "seeks-apart"]
WHATS = ["kill", "interrupt", "vanish"]
STATUS = {"kill": (-9,), "interrupt": (130,), "vanish": (7, 8)}  # 8: in the middle of a write


class Bench:
    def __init__(self, platter, served, drives, folder):
        self.program, self.served, self.folder = os.path.abspath(platter), os.path.abspath(served), folder
        self.drives = drives
        self.baselines = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def platter(self, *arguments, status=(0,)):
        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              env=dict(os.environ, XDG_STATE_HOME=self.path("state")), check=False)
        if done.returncode not in status:
            raise RuntimeError(f"{arguments}: status {done.returncode}: {done.stderr.strip()[-600:]}")
        return done

    def load(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def device(self, truth, *options):
        return "exec:" + shlex.join([self.served, truth, "--time", "time.txt", *map(str, options)])

    def drive_seconds(self):
        """Of each of the drive's programs since this was asked last."""
        with open(self.path("time.txt"), encoding="utf-8") as file:
            seconds = [float(line.split()[0]) for line in file]
        os.remove(self.path("time.txt"))
        return seconds

    def characterize(self, model, device, seed, writes, *more, status=(0,)):
        allowed = ["--allow-writes", f"0-{writes}"] if writes else []
        return self.platter("characterize", device, "-o", model, "--seed", seed, *allowed, *more, status=status)

    def differ(self, a, b):
        """Figures that both have, and which of them differ by more than their errors."""
        told = json.loads(self.platter("diff", a, b, "--json", status=(0, 12)).stdout)
        both = [figure for figure in told["differences"] if figure["a"] is not None and figure["b"] is not None]
        return len(both), [figure["path"] for figure in both if not figure["within_error"]]

    def baseline(self, drive, writing):
        """An undisturbed run, and a second one of another seed."""
        key = drive + ("-writes" if writing else "")
        if key not in self.baselines:
            truth = f"{key}.truth.json"
            self.platter("truth", f"virtual:{drive}?imperfections=default&seed=9", "-o", truth)
            writes = self.load(truth)["identity"]["blocks"] - 1 if writing else 0
            self.characterize(f"{key}.json", self.device(truth), 3, writes)
            (seconds,) = self.drive_seconds()
            self.characterize(f"{key}.other.json", self.device(truth, "--turned-for", 5_123_456_789), 4, writes)
            self.drive_seconds()
            self.baselines[key] = {"name": key, "truth": truth, "writes": writes, "seconds": seconds,
                                   "other": self.differ(f"{key}.json", f"{key}.other.json"),
                                   "wrong": self.differ(truth, f"{key}.json")}
        return self.baselines[key]

    def one(self, number):
        dice = random.Random(f"resume-{number}")
        base = self.baseline(self.drives[number % len(self.drives)], dice.random() < 0.5)
        what, at = WHATS[number % len(WHATS)], dice.uniform(0, base["seconds"])
        for name in os.listdir(self.folder):
            if name.startswith("run."):
                os.remove(self.path(name))
        again = self.device(base["truth"], "--turned-for", dice.randrange(10**9, 10**11))
        first = self.device(base["truth"], "--at", at, what)
        done = self.characterize("run.json", first, 3, base["writes"], status=(*STATUS[what], 0))
        samples = [name for name in os.listdir(self.folder) if name.startswith("run.") and name.endswith(".jsonl")]
        if done.returncode == 0:  # it ended before
            samples, verdict = ["run.samples.jsonl"], "finished"
        elif samples:
            self.characterize("run.json", again, 3, base["writes"], "--resume", samples[0])
            verdict = "resumed"
        else:
            for journal in self.journals():
                self.platter("restore", journal, "--device", again)
            self.characterize("run.json", again, 3, base["writes"])
            verdict = "begun anew"
        left = sorted(name for name in os.listdir(self.folder) if name.startswith("run."))
        if left != ["run.json", "run.samples.jsonl"] or self.journals():
            raise RuntimeError(f"run {number}: {left} and {self.journals()} are left")
        self.platter("estimate", "run.samples.jsonl", "-o", "run.again.json")
        with open(self.path("run.json"), "rb") as a, open(self.path("run.again.json"), "rb") as b:
            same = a.read() == b.read()
        seconds = self.drive_seconds()
        period, truth = self.load("run.json")["rotation"]["period"], self.load(base["truth"])["rotation"]
        period_ns = truth["numerator_ns"] / truth["denominator"]
        return {"period": (period["value"] - period_ns) / period["error"], "number": number, "drive": base["name"], "what": what, "at": at, "verdict": verdict,
                "repeated": (sum(seconds) - base["seconds"]) / base["seconds"], "same": same,
                "differ": self.differ(f"{base['name']}.json", "run.json"),
                "wrong": self.differ(base["truth"], "run.json")}

    def journals(self):
        folder = self.path("state/platter")
        return [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []


def share(pairs):
    """Of all figures, those that differ, in percent."""
    return 100 * sum(len(differ) for _, differ in pairs) / max(1, sum(count for count, _ in pairs))


def rms(values):
    return (sum(value ** 2 for value in values) / len(values)) ** 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--drives", nargs="+", default=DRIVES, help="of the catalogue")
    parser.add_argument("--most-repeated", type=float, default=0.10, help="on average, as a share")
    parser.add_argument("--binary", default=os.path.join(BUILD, "platter"))
    parser.add_argument("--served-drive", default=os.path.join(BUILD, "served_drive"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.binary, options.served_drive, options.drives, folder)
        runs = []
        for number in range(options.first, options.first + options.runs):
            run = bench.one(number)
            runs.append(run)
            print(f"{number:4} {run['drive']:26} {run['what']:9} at {run['at']:6.1f} s  {run['verdict']:10} "
                  f"repeated {100 * run['repeated']:6.1f} %  {len(run['differ'][1])} of {run['differ'][0]} differ "
                  f"{' '.join(run['differ'][1])} period {run['period']:+.1f}{'' if run['same'] else '  NOT THE SAME AGAIN'}", flush=True)
        bases = list(bench.baselines.values())
    repeated = [run["repeated"] for run in runs]
    print(f"\n{len(runs)} runs: {dict(collections.Counter(run['verdict'] for run in runs))}")
    print(f"repeated of the drive time: {100 * statistics.mean(repeated):.1f} % on average, "
          f"{100 * statistics.median(repeated):.1f} % in the median, {100 * max(repeated):.1f} % at most")
    print(f"figures that differ from the uninterrupted run's by more than their errors: "
          f"{share([run['differ'] for run in runs]):.2f} %; of two uninterrupted runs "
          f"{share([base['other'] for base in bases]):.2f} %")
    print(f"and from the truth: {share([run['wrong'] for run in runs]):.2f} %; of the uninterrupted ones "
          f"{share([base['wrong'] for base in bases]):.2f} %")
    print(f"the period's error in standard errors: {rms([run['period'] for run in runs]):.2f} RMS, "
          f" {max(abs(run['period']) for run in runs):.1f} at most")
    print(f"estimated again to the last byte: {sum(run['same'] for run in runs)} of {len(runs)}")
    return 0 if statistics.mean(repeated) < options.most_repeated and all(run["same"] for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
