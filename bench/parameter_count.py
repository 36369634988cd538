#!/usr/bin/env python3
"""How many parameters a characterization measures that change a prediction.

    bench/parameter_count.py [--binary PLATTER] [--effects PARAMETER_EFFECTS] [--least N] [--each]
                             [--truths] [DRIVE...]

Characterizes each drive (names of virtual drives, or alien:VARIANT; the catalogue's five without), then
gives each key of the schema other values, one at a time, and predicts workloads of many kinds again
(parameter_effects, which cmake --build build/release --target parameter_effects makes). Keys of arrays,
zones and curve points count once. --truths does the same with what the virtual drives are, which tells
what the schema could hold. --least makes the status 1 where a model has fewer keys that change a
prediction.
"""

import argparse
import os
import subprocess
import sys
import tempfile

from measuring import characterized, truth_of

DRIVES = ["quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp", "ibm-ultrastar18es",
          "hp-c2247"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--effects")
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--truths", action="store_true")
    parser.add_argument("drives", nargs="*", default=DRIVES)
    options = parser.parse_args()
    effects = options.effects or os.path.join(os.path.dirname(options.binary), "parameter_effects")
    with tempfile.TemporaryDirectory() as work:
        files = []
        for drive in options.drives:
            files.append(os.path.join(work, drive))
            if options.truths:
                truth_of(options.binary, drive, files[-1])
            else:
                characterized(options.binary, drive, 1, files[-1])
        sys.exit(subprocess.run([effects, "--least", str(options.least), *files] +
                                ["--each"] * options.each).returncode)


if __name__ == "__main__":
    main()
