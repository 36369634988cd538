#!/usr/bin/env python3
"""Where the drive time of a run goes, and what its models are worth.

    bench/drive_time.py [--binary PLATTER] [--seeds N] [--first-seed S] [--most SECONDS] [--reads] [--judge]
                        [--parts] [DRIVE...] [-- OPTION...]

Characterizes each DRIVE (a virtual one's name; the catalogue's first five without) with N seeds of noise and
phase, writes allowed everywhere but for --reads, OPTIONs given to characterize. Prints the mean drive time of
a run and of each stage; with --parts also what the timed commands of each experiment in a stage took, from
the end of the command before (rests, and commands that are no samples, count with what follows them). With
--judge each model answers the workload random as its drive does (caches off, 5,000 requests): demerit, and
that of the drive against itself with another seed, in % of the mean, and the share in phase; and how far its
seeks are from the truth's over all distances and curves, in us. Status 1: a mean above --most, or a mean
demerit more than 0.3 % above that of the drive against itself.
"""

import argparse
import collections
import json
import os
import statistics
import sys
import tempfile

from measuring import device, everywhere, load, run, table

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "cli"))

import mechanics_bars  # noqa: E402

DRIVES = ["quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp", "ibm-ultrastar18es", "hp-c2247"]
ALLOWED = 0.3  # % of the mean


def parts_of(samples):
    """Seconds and commands by stage and experiment."""
    parts = collections.defaultdict(lambda: [0.0, 0])
    pending, last = collections.defaultdict(lambda: [0.0, 0]), None
    with open(samples, encoding="utf-8") as file:
        for line in file:
            if line.startswith('{"session"') or line.startswith('{"time_jump"'):
                last = None
            elif line.startswith('{"timing"'):
                timing = json.loads(line)["timing"]
                name = timing["experiment"] + (" (write)" if timing["write"] else "")
                begun = timing["issued_ns"] if last is None else last
                pending[name][0] += 1e-9 * (timing["completed_ns"] - begun)
                pending[name][1] += 1
                last = timing["completed_ns"]
            elif line.startswith('{"stage"'):
                stage = json.loads(line)["stage"]["name"]
                for name, (seconds, commands) in pending.items():
                    parts[stage, name][0] += seconds
                    parts[stage, name][1] += commands
                pending.clear()
                last = None
    return parts


def measured(options, drive, seed, work):
    """The model's provenance, its parts, and (demerit, floor, phase, mean and most of the seeks' errors)."""
    of, file = device(drive, seed), os.path.join(work, "model.json")
    writes = [] if options.reads else ["--allow-writes", everywhere(options.binary, of)]
    run(options.binary, "characterize", of, "-o", file, "--force", "--seed", str(seed), *writes, *options.more)
    judged = None
    if options.judge:
        truth = mechanics_bars.Truth(options.binary, drive, work)
        ours, floor, mean, phase, _ = mechanics_bars.workload(options.binary, drive, file, truth, seed + 1000, work)
        found = list(mechanics_bars.mechanics(load(file), truth))
        seeks = [max(each.size for each in found if each.bar == bar) for bar in ("seek mean", "seek most")]
        judged = 100 * ours / mean, 100 * floor / mean, 100 * phase, *seeks
    parts = parts_of(os.path.join(work, "model.samples.jsonl")) if options.parts else {}
    return load(file)["provenance"], parts, judged


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--most", type=float)
    parser.add_argument("--reads", action="store_true")
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("drives", nargs="*", metavar="DRIVE", default=DRIVES)
    own = sys.argv[1:sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    options = parser.parse_args(own)
    options.more = sys.argv[len(own) + 2:]
    good, rows, notes = True, [], []
    for drive in options.drives:
        stages, parts = collections.defaultdict(float), collections.defaultdict(lambda: [0.0, 0.0])
        all_s, judged = [], []
        with tempfile.TemporaryDirectory() as work:
            for seed in range(options.first_seed, options.first_seed + options.seeds):
                provenance, of_run, worth = measured(options, drive, seed, work)
                all_s.append(provenance["drive_seconds"])
                judged += [worth] if worth else []
                for stage in provenance["stages"]:
                    stages[stage["name"]] += stage["drive_seconds"] / options.seeds
                for key, (seconds, commands) in of_run.items():
                    parts[key][0] += seconds / options.seeds
                    parts[key][1] += commands / options.seeds
        mean_s = statistics.mean(all_s)
        good = good and (options.most is None or mean_s <= options.most)
        stages["between and behind the stages"] = mean_s - sum(stages.values())
        rows.append([drive, "all", f"{mean_s:.1f}", f"{min(all_s):.0f} to {max(all_s):.0f}"])
        for stage, seconds in stages.items():
            rows.append(["", stage, f"{seconds:.1f}", ""])
            rows += [["", f"- {name}", f"{took:.1f}", f"{commands:.0f} commands"]
                     for (of, name), (took, commands) in parts.items() if of == stage]
        if judged:
            demerit, floor, phase, seek, _ = (statistics.mean(column) for column in zip(*judged))
            good = good and demerit <= floor + ALLOWED
            notes.append(f"{drive}: random demerit {demerit:.2f} %, of the drive against itself {floor:.2f} %, "
                         f"in phase {phase:.1f} % (least {min(each[2] for each in judged):.1f} %), "
                         f"seeks {seek:.1f} us off, at most {max(each[4] for each in judged):.0f} us")
    print(table(["drive", "stage", "s", ""], rows))
    print("\n".join(notes))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
