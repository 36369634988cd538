#!/usr/bin/env python3
"""What a run that maps by timing tells of its time.

    bench/announced.py [--binary PLATTER] [--drives N] [--first N] [-- OPTION...]

Characterizes virtual:modern-random-N (N drives from FIRST on, reads only) and prints the drive time told at the
beginning and when 5 % of the map were done, and what the run took. Status 1: taken and told at 5 % are apart by more
than 0.7 to 1.4.
"""

import argparse
import re
import sys
import tempfile

from measuring import InFolder

TOLD = re.compile(r"expected drive time(?P<since>[^:]*): about (?P<seconds>\d+) s")
LEAST, MOST = 0.7, 1.4


def share_of_map(since):
    """In percent; 0: it was told by something else."""
    match = re.search(r"since (\d+) % of the map", since)
    return int(match[1]) if match else 0


def announced(options):
    good = True
    print(f"{'drive':<20} {'at first':>9} {'at 5 %':>7} {'taken':>7} {'taken/told':>11}")
    for number in range(options.first, options.first + options.drives):
        with tempfile.TemporaryDirectory() as work:
            bench = InFolder(options.binary, work)
            bench.run("characterize", f"virtual:modern-random-{number}?seed={number}", "-o", "model.json", *options.more,
                      good=(0, 13))  # 13: the map's time ended
            provenance = bench.load("model.json")["provenance"]
        told = [TOLD.match(note) for note in provenance["notes"] if isinstance(note, str)]
        told = [(match["since"], float(match["seconds"])) for match in told if match]
        of_map = [seconds for since, seconds in told if share_of_map(since) >= 5]
        at_5 = of_map[0] if of_map else told[0][1]
        share = provenance["drive_seconds"] / at_5
        good = good and LEAST <= share <= MOST
        print(f"{number:<20} {told[0][1]:>9.0f} {at_5:>7.0f} {provenance['drive_seconds']:>7.0f} {share:>11.2f}",
              flush=True)
    return good


def main():
    own = sys.argv[1:sys.argv.index("--")] if "--" in sys.argv else sys.argv[1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--drives", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    options = parser.parse_args(own)
    options.more = sys.argv[len(own) + 2:]
    return 0 if announced(options) else 1


if __name__ == "__main__":
    sys.exit(main())
