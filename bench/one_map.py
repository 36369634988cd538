#!/usr/bin/env python3
"""What a run tells of its time while it maps by timing, and what its figures owe to the first reads of the rotation.

    bench/one_map.py announced [--binary PLATTER] [--drives N] [--first N] [-- OPTION...]
    bench/one_map.py period [--binary PLATTER] [--ppm PPM,...] [DRIVE...]

announced: characterizes virtual:modern-random-N (N drives from FIRST on, reads only) and prints the drive time told at
the beginning and when 5 % of the map were done, and what the run took. Status 1: taken and told at 5 % are apart by more
than 0.7 to 1.4.

period: in the raw samples of a run on each DRIVE (a virtual one's name) the times of the rotation's reads are stretched
by each PPM (-3 to 3 without), and the model is estimated again. Prints by how many of its stated errors the farthest
point of the seek curve and the head switch move. Status 1: one moves by more than its error.
"""

import argparse
import json
import os
import re
import sys
import tempfile
import zlib

from measuring import device, load, run

TOLD = re.compile(r"expected drive time(?P<since>[^:]*): about (?P<seconds>\d+) s")
LEAST, MOST = 0.7, 1.4


def announced(options):
    good = True
    print(f"{'drive':<20} {'at first':>9} {'at 5 %':>7} {'taken':>7} {'taken/told':>11}")
    for number in range(options.first, options.first + options.drives):
        with tempfile.TemporaryDirectory() as work:
            file = os.path.join(work, "model.json")
            run(options.binary, "characterize", f"virtual:modern-random-{number}", "-o", file, *options.more)
            provenance = load(file)["provenance"]
        told = [TOLD.match(note) for note in provenance["notes"] if isinstance(note, str)]
        told = [(match["since"], float(match["seconds"])) for match in told if match]
        of_map = [seconds for since, seconds in told if "of the map" in since]
        at_5 = of_map[-1] if of_map else told[0][1]
        share = provenance["drive_seconds"] / at_5
        good = good and LEAST <= share <= MOST
        print(f"{number:<20} {told[0][1]:>9.0f} {at_5:>7.0f} {provenance['drive_seconds']:>7.0f} {share:>11.2f}",
              flush=True)
    return good


def stretched(lines, ppm):
    """The lines of raw samples, with the rotation's reads so much farther apart, and their checks made anew."""
    first = None
    for number, line in enumerate(lines, 1):
        payload = line[:line.rindex(b',"line":[')]
        content = json.loads(payload + b"}")
        timing = content.get("timing")
        if timing and timing["experiment"] == "rotation":
            first = timing["issued_ns"] if first is None else first
            for time in ("issued_ns", "completed_ns", "after_completed_ns"):
                if timing[time] >= first:
                    timing[time] = first + round((timing[time] - first) * (1 + ppm * 1e-6))
            payload = json.dumps(content, separators=(",", ":")).encode()[:-1]
        head = payload + b',"line":[%d,%d' % (number, len(payload))
        yield head + b',"%08x"]}\n' % zlib.crc32(head)


def figures(model):
    """Value and error in ms, by name."""
    found = {f"{point['cylinders']} cylinders": (point["time_ms"], point.get("error_ms") or 0)
             for point in model["seek"]["points"]}
    switch = model.get("head_switch", {})
    if switch.get("value") is not None:
        found["head switch"] = switch["value"], switch["error"]
    return found


def period(options):
    good = True
    for drive in options.drives or ["quantum-atlas10k", "modern-500gb"]:
        with tempfile.TemporaryDirectory() as work:
            file, again = os.path.join(work, "model.json"), os.path.join(work, "again.json")
            run(options.binary, "characterize", device(drive, 1), "-o", file)
            before = figures(load(file))
            with open(os.path.join(work, "model.samples.jsonl"), "rb") as kept:
                lines = kept.read().splitlines()
            for ppm in (float(each) for each in options.ppm.split(",")):
                moved = os.path.join(work, "moved.samples.jsonl")
                with open(moved, "wb") as kept:
                    kept.writelines(stretched(lines, ppm))
                run(options.binary, "estimate", moved, "-o", again, "--force")
                after = figures(load(again))
                shifts = {name: abs(after[name][0] - value) / max(error, 1e-6)
                          for name, (value, error) in before.items() if name in after}
                lost = set(before) - set(after)
                worst = max(shifts, key=shifts.get)
                good = good and shifts[worst] <= 1 and not lost
                print(f"{drive:<20} {ppm:+.1f} ppm: {worst} moves by {shifts[worst]:.2f} of its error"
                      + (f"; {len(lost)} figures are lost" if lost else ""), flush=True)
    return good


def main():
    own = sys.argv[1:sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["announced", "period"])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drives", type=int, default=20, dest="count")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--ppm", default="-3,-1.5,-0.5,0.5,1.5,3")
    parser.add_argument("names", nargs="*", metavar="DRIVE")
    options = parser.parse_intermixed_args(own)
    options.more = sys.argv[len(own) + 2:]
    options.drives = options.count if options.what == "announced" else options.names
    return 0 if (announced if options.what == "announced" else period)(options) else 1


if __name__ == "__main__":
    sys.exit(main())
