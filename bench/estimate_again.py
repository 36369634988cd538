#!/usr/bin/env python3
"""Is a model the same, to the last byte, when it is estimated again from the run's raw samples?

    bench/estimate_again.py                    # every drive of the catalogue and 20 random ones
    bench/estimate_again.py hp-c2247 random-7  # these

Characterizes each virtual drive, with writes wherever they may be told apart, makes the model again by
`platter estimate`, and compares the two files. Exit status 1 where one differs."""

import argparse
import filecmp
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drives", nargs="*")
    parser.add_argument("--binary", default=os.path.join(HERE, "../build/release/platter"))
    parser.add_argument("--random", type=int, default=20, help="how many random drives besides the catalogue's")
    options = parser.parse_args()

    def run(*words, folder="."):
        return subprocess.run([os.path.abspath(options.binary), *words], cwd=folder, capture_output=True, text=True)

    listed = [entry["device"].split(":")[1] for entry in json.loads(run("devices", "--json").stdout)["virtual"]]
    drives = options.drives or listed + [f"random-{n}" for n in range(1, options.random + 1)]
    verdicts = {"same": 0, "other": 0, "no model": 0}
    for drive in drives:
        with tempfile.TemporaryDirectory() as folder:
            # A journal of its own, and so a clean folder, for each.
            measured = run("characterize", f"virtual:{drive}", "--allow-writes", "0-50000", "--seed", "3", "--journal",
                           folder, "-o", "m.json", folder=folder)
            if not os.path.exists(os.path.join(folder, "m.samples.jsonl")):
                verdict = "no model"
            else:
                again = run("estimate", "m.samples.jsonl", "-o", "again.json", folder=folder)
                whole = measured.returncode in (0, 13) and again.returncode == measured.returncode
                verdict = "same" if whole and filecmp.cmp(os.path.join(folder, "m.json"), os.path.join(
                    folder, "again.json"), shallow=False) else "other"
            verdicts[verdict] += 1
            said = "" if verdict == "same" else f" (status {measured.returncode}) {measured.stderr.strip()[:150]}"
            print(f"{drive:32}{verdict}{said}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()))
    return 1 if verdicts["other"] else 0


if __name__ == "__main__":
    sys.exit(main())
