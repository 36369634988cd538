#!/usr/bin/env python3
"""What a run announces for drives that do not translate addresses, and what it takes: seconds of the drive's time.

    bench/layout/timed_map_times.py build/release/platter
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

DRIVES = ("hp-c2247", "seagate-barracuda4lp", "quantum-atlas10k", "seagate-cheetah9lp", "ibm-ultrastar18es",
          "serpentine-147gb", "modern-500gb", "modern-1tb", "modern-5tb", "modern-10heads", "modern-20tb")


def run_on(drive, options, work):
    output = os.path.join(work, "model.json")
    subprocess.run([os.path.abspath(options.binary), "characterize", f"virtual:{drive}?page40h=no", "-o", output, "--force",
                    "--seed", str(options.seed)], cwd=work, check=False, capture_output=True,
                   env=dict(os.environ, XDG_STATE_HOME=work))
    with open(output, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("drives", nargs="*", default=DRIVES)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| drive | GB | announced | took | took / announced | of that the map |\n|---|---|---|---|---|---|")
    for drive in options.drives:
        with tempfile.TemporaryDirectory() as work:
            model = run_on(drive, options, work)
        made = model["provenance"]
        announced = next(float(found[1]) for note in made["notes"]
                         if (found := re.match(r"expected drive time: about (\d+) s", note)))
        mapped = next(stage["drive_seconds"] for stage in made["stages"] if stage["name"] == "layout")
        gb = model["identity"]["blocks"] * model["identity"]["block_bytes"] / 1e9
        found = "" if model["layout"]["zones"] else ", none was found"
        print(f"| {drive} | {gb:.4g} | {announced:.0f} | {made['drive_seconds']:.0f} | "
              f"{made['drive_seconds'] / announced:.2f} | {mapped:.0f}{found} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
