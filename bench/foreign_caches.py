#!/usr/bin/env python3
"""Caches whose policies no model has: what a model says of them.

Alien drives (tests/alien), each also with policies of other kinds, and as a control drives of the catalogue,
which a model can explain, are characterized with writes allowed everywhere. Printed are, for each seed, the share of
answers to requests in random order that contradict the model, with its error and their number, and whether the
model says that it lacks the cache.

    bench/foreign_caches.py --seeds 2
    bench/foreign_caches.py --seeds 5 --drives alien:moderate alien:moderate,cache.forgets_ms=60 cache-fifo
"""

import argparse
import json
import os
import sys
import tempfile

from measuring import device, everywhere, is_alien, run, table

ALIENS = ["alien:moderate", "alien:serpentine", "alien:bands", "alien:old",
          "alien:moderate,cache.forgets_ms=60", "alien:moderate,cache.set_blocks=3000",
          "alien:moderate,cache.read_ahead_doubles_from=16"]
CONTROLS = ["quantum-atlas10k", "hp-c2247", "cache-fifo", "cache-random", "cache-adaptive", "cache-no-abort"]


def opened(drive, seed):
    name, *settings = drive.split(",")
    return device(name, seed) + "".join(f" --set {setting}" for setting in settings)


def said(platter, of, seed, work):
    """Share in percent, its error, answers (None, None, 0: not told), and whether a note says that the model lacks something."""
    file = os.path.join(work, "model.json")
    run(platter, "characterize", of, "-o", file, "--seed", str(seed), "--allow-writes", everywhere(platter, of),
        "--journal", work)
    with open(file, encoding="utf-8") as text:
        model = json.load(text)
    os.remove(file)
    share = model["cache"].get("unexplained_share") or {}
    silent = any(finding["code"] == "cache-unexplained" for finding in model["provenance"].get("findings", []))
    if share.get("value") is None:
        return None, None, 0, silent
    return 100 * share["value"], 100 * share["error"], share["samples"], silent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--drives", nargs="*", default=ALIENS + CONTROLS, metavar="DRIVE[,NAME=VALUE...]")
    options = parser.parse_args()
    rows = []
    for drive in options.drives:
        shares, told = [], 0
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            print(f"{drive} {seed}", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory() as work:
                share, error, answers, silent = said(options.binary, opened(drive, seed), seed, work)
            told += silent
            shares.append("not told" if share is None else f"{share:.1f} ± {error:.1f} of {answers}")
        rows.append([drive, "no" if is_alien(drive) else "yes", "; ".join(shares), f"{told} / {options.seeds}"])
    print(table(["drive", "a model can explain it", "unexplained %", "told so"], rows), end="")


if __name__ == "__main__":
    main()
