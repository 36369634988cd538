#!/usr/bin/env python3
"""Drives of today (tests/alien/today): sequential reads on the drive and on the model that was made of it.

    bench/streams_of_today.py [--binary PLATTER] [--today PROGRAM] [--drives N...] [--streams N...] [--mib N]
                              [--off PERCENT] [--json FILE]

Characterizes each drive by reads alone, replays reads of 64 KiB to 4 MiB in one stream and in three in turn, each read
sent as soon as the one before is complete, on the drive (with another noise) and on the model, and prints both rates in
MB/s. Status 1: a rate of one stream is more than PERCENT (10) off.

Time: a drive takes 10 to 20 s of processor.
"""

import argparse
import json
import os
import sys
import tempfile

from measuring import load, run, table

SIZES_KIB = (64, 256, 1024, 4096)
INCOMPLETE = 13


def rate(platter, trace, target, kib, requests):
    seconds = json.loads(run(*platter, "replay", trace, "--on", target, "-o", "r.csv", "--force", "--json"))["seconds"]
    return requests * kib * 1024 / seconds / 1e6


def measured(platter, today, number, streams, options):
    run("sh", "-c", f'"$@" || test $? = {INCOMPLETE}', "sh", *platter, "characterize",
        f"exec:{today} --drive {number} --seed 3", "-o", "m.json", "--force", "--seed", "3")
    cache = load("m.json")["cache"]
    found = {name: cache[name].get("value") for name in ("read_ahead", "read_ahead_max_blocks", "read_ahead_on_hit",
             "read_ahead_resumes", "read_ahead_streams", "almost_read_hits", "buffer_blocks", "segments_grow")}
    result = {"number": number, "found": found, "rates": {}}
    for count in streams:
        workload = ["sequential"] if count == 1 else ["streams", "--streams", str(count)]
        for kib in SIZES_KIB:
            requests = max(40, options.mib * 1024 // kib)
            run(*platter, "trace", "generate", "--workload", *workload, "--for", "m.json", "--requests", str(requests),
                "--request-kb", str(kib), "--reads-only", "-o", "t.trace", "--force")
            result["rates"][f"{count} x {kib} KiB"] = [
                rate(platter, "t.trace", target, kib, requests)
                for target in (f"exec:{today} --drive {number} --seed 77", "m.json")]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--today", default="build/release/today")
    parser.add_argument("--drives", type=int, nargs="+", default=range(1, 21))
    parser.add_argument("--streams", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--mib", type=int, default=64, help="read of each")
    parser.add_argument("--off", type=float, default=10)
    parser.add_argument("--json")
    options = parser.parse_args()
    today = os.path.abspath(options.today)
    with tempfile.TemporaryDirectory() as work:
        here = os.getcwd()
        os.chdir(work)
        platter = ["env", "XDG_STATE_HOME=" + work, os.path.join(here, options.binary)]
        results = [measured(platter, today, number, options.streams, options) for number in options.drives]
        os.chdir(here)
    print(table(["drive", *results[0]["rates"]],
                [[str(each["number"]), *(f"{drive:.1f} / {model:.1f}" for drive, model in each["rates"].values())]
                 for each in results]))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    wrong = [f"{each['number']} ({name})" for each in results for name, (drive, model) in each["rates"].items()
             if name.startswith("1 x") and abs(model / drive - 1) > options.off / 100]
    if wrong:
        sys.exit(f"more than {options.off:g} % off: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
