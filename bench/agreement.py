#!/usr/bin/env python3
"""One drive, and all ways in which its model goes to others: the model, its table, its DiskSim files in a DiskSim
that you have built yourself. Each drive of the catalogue, or those named, is validated once:

    bench/agreement.py --disksim PROGRAM [--drives NAME...] [--requests 2000]

A cell is the demerit in percent of the drive's mean and, behind the slash, the percentage of media accesses in phase.
The model is the drive's own (`platter truth`), so that what differs is the form alone, and what the drive does not
repeat. What DiskSim cannot hold has a reason in place of a figure.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

FORMS = ["d", "d.ptab", "d.disksim"]


def cell(metrics):
    phase = metrics["folded_phase_share"]
    return f"{metrics['demerit_percent']:.1f}" + ("" if phase is None else f" / {100 * phase:.1f}")


def compared(options, name, folder):
    """Rows of cells, one for each workload; and what was said instead of DiskSim's figures."""
    def platter(*arguments):
        return subprocess.run([options.platter, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    drive = f"virtual:{name}"
    for line in (("truth", drive, "-o", "d.json"), ("emit", "table", "d.json", "-o", "d.ptab")):
        made = platter(*line)
        if made.returncode:
            return [], made.stderr.strip()
    path = os.path.dirname(options.disksim) + ":" + os.environ["PATH"]
    done = subprocess.run([options.platter, "validate", drive, "d.json", "d.ptab", "--allow-writes", "all",
                           "--requests", str(options.requests), "-o", "v", "--progress", "none", "--json"],
                          cwd=folder, env=dict(os.environ, PATH=path), capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if "warning" in line or done.returncode]
    rows = []
    for workload in ("random", "mixed"):
        result = os.path.join(folder, "v", f"{workload}.json")
        if os.path.exists(result):
            with open(result, encoding="utf-8") as file:
                cells = [cell(one["all"]) for one in json.load(file)["comparisons"]]
            rows.append([workload, *cells, *["-"] * (len(FORMS) - len(cells))])
    return rows, said[0].split(": ", 2)[-1] if said else ""


def catalogue(program):
    told = subprocess.run([program, "devices", "--json"], capture_output=True, text=True, check=True).stdout
    return [drive["device"].removeprefix("virtual:") for drive in json.loads(told)["virtual"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--disksim", required=True, help="a program of the name disksim")
    parser.add_argument("--platter", default="build/release/platter")
    parser.add_argument("--drives", nargs="*", help="of the catalogue (else: all)")
    parser.add_argument("--requests", type=int, default=2000)
    options = parser.parse_args()
    options.platter, options.disksim = os.path.abspath(options.platter), os.path.abspath(options.disksim)
    if os.path.basename(options.disksim) != "disksim":
        parser.error("--disksim: the program must be called disksim, for it is found on PATH")
    print("| drive | workload | model | table | DiskSim | why not |\n|---|---|---|---|---|---|", flush=True)
    for name in options.drives or catalogue(options.platter):
        with tempfile.TemporaryDirectory() as folder:
            rows, said = compared(options, name, folder)
        for row in rows or [["-"] * (1 + len(FORMS))]:
            print("| " + " | ".join([name, *row, said]) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
