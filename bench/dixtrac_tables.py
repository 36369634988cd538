#!/usr/bin/env python3
"""The tables 1 and 3 of the DIXtrac paper with our columns beside, as Markdown for docs/validation.md.

    bench/dixtrac_tables.py [--binary PLATTER] [--extractions N] [--traces N] [--first-seed S]

The paper's figures (Schindler and Ganger 1999, sections 6.1 and 6.2) are of real drives, ours of the
catalogue's virtual ones with default imperfections: the Cheetah is its 4LP and our 9LP, and the paper has
no figures of the Barracuda and the C2247, the catalogue no Atlas III. Like the paper: five
extractions of each drive, each with another seed of noise and phase, five traces of either workload for
each (5000 requests; random: caches off, mixed: as they are by default), the mean (and standard
deviation) of the times, the demerit of all runs together and the least and the most of the single ones.
"""

import argparse
import os
import statistics
import sys
import tempfile

from mechanics_bars import demerit, responses
from measuring import characterized, device, everywhere, run, table

STAGES = {"Layout extraction": (["layout", "angles"], [164.7, 50.1, 47.6]),
          "Complete seek curve": (["seeks"], [45.2, 33.3, 67.3]),
          "Other mechanical overheads": (["rotation", "head switch and write settle"], [35.8, 18.6, 16.6]),
          "Cache parameters": (["cache"], [25.6, 12.6, 12.3]),
          "Command process overheads": (["overheads"], [64.3, 12.7, 23]),
          "Warm-up, self-validation, queue": (["warm-up", "self-validation", "queue"], [None] * 3)}
TOTALS = [335.6, 127.4, 166.8]
PAPERS = ["Ultrastar 18ES", "Atlas 10K", "Cheetah 4LP"]
TRANSLATIONS = [36911, 26437, 5245]
# The drive of the catalogue, and where in the paper's lists it is.
DRIVES = {"Ultrastar 18ES": ("ibm-ultrastar18es", 0), "Atlas 10K": ("quantum-atlas10k", 1),
          "Cheetah 9LP": ("seagate-cheetah9lp", 2), "Barracuda 4LP": ("seagate-barracuda4lp", None),
          "C2247A": ("hp-c2247", None)}
# Overall, least and most demerit in ms, each with its percent of the mean response.
DEMERITS = {"mixed": [((0.20, 3.9), (0.17, 3.3), (0.27, 5.3)), ((0.30, 8.6), (0.27, 7.9), (0.34, 9.8)),
                      ((0.27, 4.9), (0.15, 2.7), (0.37, 6.7))],
            "random": [((0.07, 0.6), (0.06, 0.5), (0.14, 1.1)), ((0.19, 2.2), (0.05, 0.6), (0.30, 3.4)),
                       ((0.43, 3.5), (0.30, 2.4), (0.55, 4.4))]}
WORKLOADS = ["mixed", "random"]


def stage_seconds(model):
    seconds = {}
    for stage in model["provenance"]["stages"]:
        seconds[stage["name"]] = seconds.get(stage["name"], 0.0) + stage["drive_seconds"]
    return seconds


def validated(platter, drive, seed, file, work):
    """Response times in ms of the drive and of its model, by workload."""
    of = device(drive, seed)
    run(platter, "validate", of, file, "--seed", str(seed), "--allow-writes", everywhere(platter, of),
        "-o", work)
    model = os.path.basename(file).removesuffix(".json")
    return {workload: [[ns / 1e6 for ns in responses(os.path.join(work, f"{workload}.{who}.csv"))[1]]
                       for who in ("drive", model)] for workload in WORKLOADS}


def measured(platter, drive, options):
    """Drive seconds by stage of each extraction, total seconds, runs by workload, and translations of addresses."""
    stages, totals, translations, runs = [], [], [], {workload: [] for workload in WORKLOADS}
    for extraction in range(options.first_seed, options.first_seed + options.extractions):
        with tempfile.TemporaryDirectory() as work:
            file = os.path.join(work, "model.json")
            model = characterized(platter, drive, extraction, file)
            stages.append(stage_seconds(model))
            totals.append(model["provenance"]["drive_seconds"])
            translations.append(model["provenance"]["translations"])
            for trace in range(1, options.traces + 1):
                found = validated(platter, drive, 1000 * extraction + trace, file,
                                  os.path.join(work, "validation"))
                for workload, pair in found.items():
                    runs[workload].append(pair)
        print(f"\r{drive} {extraction} ", end="", file=sys.stderr, flush=True)
    return stages, totals, runs, translations


def mean_and_deviation(values):
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.1f} ({deviation:.1f})"


def demerits_of(runs):
    """Of all runs together, the least and the most; in ms and in percent of the drive's mean."""
    together = [[time for run_of in runs for time in run_of[side]] for side in (0, 1)]
    each = sorted((demerit(*one), 100 * demerit(*one) / statistics.mean(one[0])) for one in runs)
    overall = demerit(*together)
    return (overall, 100 * overall / statistics.mean(together[0])), each[0], each[-1]


def shown(figures):
    return f"{figures[0]:.2f} ms, {figures[1]:.1f} %" if figures else "-"


def print_times(found):
    heading = ["seconds"]
    for name, (_, number) in DRIVES.items():
        if number is not None:
            heading.append(f"DIXtrac, {PAPERS[number]}")
        heading.append(f"platter, {name}")
    rows = []
    for task, (ours, theirs) in STAGES.items():
        row = [task]
        for name, (_, number) in DRIVES.items():
            if number is not None:
                row.append("-" if theirs[number] is None else f"{theirs[number]:.1f}")
            row.append(mean_and_deviation([sum(stages.get(stage, 0.0) for stage in ours)
                                           for stages in found[name][0]]))
        rows.append(row)
    totals, share, translations = ["**Total**"], ["share of DIXtrac's %"], ["translations of addresses"]
    for name, (_, number) in DRIVES.items():
        if number is not None:
            totals.append(f"{TOTALS[number]:.1f}")
            share.append("")
            translations.append(f"{TRANSLATIONS[number]:,}")
        totals.append(mean_and_deviation(found[name][1]))
        share.append("-" if number is None else
                     f"{100 * statistics.mean(found[name][1]) / TOTALS[number]:.0f}")
        translations.append(f"{statistics.mean(found[name][3]):,.0f}")
    print(table(heading, rows + [totals, share, translations]))


def print_demerits(found):
    rows = []
    for name, (_, number) in DRIVES.items():
        for workload in WORKLOADS:
            ours = demerits_of(found[name][2][workload])
            theirs = (None,) * 3 if number is None else DEMERITS[workload][number]
            rows.append([name if number is None or PAPERS[number] == name
                         else f"{name} (DIXtrac: {PAPERS[number]})", workload] +
                        [shown(figures) for pair in zip(theirs, ours) for figures in pair])
    print(table(["drive", "workload", "overall: DIXtrac", "platter", "least: DIXtrac", "platter",
                 "most: DIXtrac", "platter"], rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--extractions", type=int, default=5)
    parser.add_argument("--traces", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    options = parser.parse_args()
    found = {name: measured(options.binary, drive, options) for name, (drive, _) in DRIVES.items()}
    print(file=sys.stderr)
    print_times(found)
    print_demerits(found)


if __name__ == "__main__":
    main()
