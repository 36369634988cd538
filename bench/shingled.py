#!/usr/bin/env python3
"""Shingled drives that platter's virtual ones and the alien are, and conventional ones, characterized with writes: which
are recognized, is the policy of cleaning told, how far are bands and media cache from the truth, does all come home.

    bench/shingled.py [--binary platter] [--virtual 1-20] [--alien 1-20] [--conventional 1-100] [--shingles all] [--jobs 2]

Of virtual drives, modern-smr-N; of the alien, tests/alien, shingled:N; of conventional ones, random-N and, where N is a
multiple of 5, modern-random-N. The status is 1 where one is taken for what it is not."""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ALIEN = os.path.join(ROOT, "tests/alien/alien.py")


def numbers(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1) if text else []


class Bench:
    def __init__(self, binary, shingles):
        self.binary, self.shingles = os.path.abspath(binary), shingles

    def run(self, folder, *words, good=(0,)):
        done = subprocess.run([self.binary, *words], capture_output=True, text=True, cwd=folder,
                              env=dict(os.environ, HOME=folder, XDG_STATE_HOME=folder))
        return done.stderr.strip() if done.returncode not in good else None

    def model_of(self, folder, drive):
        failed = self.run(folder, "characterize", drive, "-o", "model.json", "--allow-writes", "all", "--shingles",
                          self.shingles, "--journal", folder, good=(0, 13))
        if not os.path.exists(os.path.join(folder, "model.json")):
            return None, failed or "the run ended well, and left none"
        with open(os.path.join(folder, "model.json"), encoding="utf-8") as file:
            return json.load(file), failed

    def virtual(self, number):
        drive = f"virtual:modern-smr-{number}?seed={number}"
        with tempfile.TemporaryDirectory() as folder:
            self.run(folder, "truth", drive, "-o", "truth.json")
            with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
                truth = json.load(file)["shingling"]
            truth = {name: truth[name]["value"] for name in ("band_blocks", "media_cache_blocks", "map_entries",
                                                              "cleans_when_idle", "idle_threshold", "band_cleaning")}
            return (f"virtual {number}", truth, *self.model_of(folder, drive))

    def alien(self, number):
        with tempfile.TemporaryDirectory() as folder:
            drive = f"exec:{sys.executable} -B {ALIEN} --variant shingled:{number} --seed {number} --truth truth.json"
            model, failed = self.model_of(folder, drive)
            if model is None:
                return f"alien {number}", None, None, failed
            with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
                truth = json.load(file)
            truth["cleans_when_idle"] = int(truth["cleans_when_idle"])
            truth["idle_threshold"] = truth["idle_threshold_ms"]
            return f"alien {number}", truth, model, failed

    def conventional(self, number):
        drive = f"virtual:{'modern-' if number % 5 == 0 else ''}random-{number}?seed={number}"
        with tempfile.TemporaryDirectory() as folder:
            return (drive, None, *self.model_of(folder, drive))


def off_by(found, truth, name):
    value = (found.get(name) or {}).get("value")
    return None if value is None or name not in truth else 100 * (value / truth[name] - 1)


def judged(name, truth, model, failed):
    """(is it taken for what it is, is the policy told, a line)"""
    if model is None:
        return None, None, f"{name:12} no model: {failed}"
    found = model.get("shingling")
    recognized = bool(found) and found.get("method", "").startswith("blocks")
    if truth is None:
        return not recognized, None, f"{name:12} {'TAKEN FOR SHINGLED' if recognized else 'conventional'}"
    if not recognized:
        return False, None, f"{name:12} not recognized; {failed or ''}"
    policy = found["cleans_when_idle"].get("value") == truth["cleans_when_idle"]
    off = {key: off_by(found, truth, key) for key in ("band_blocks", "media_cache_blocks", "map_entries",
                                                     "idle_threshold", "band_cleaning")}
    away = [each["text"] for each in model["provenance"].get("findings", [])
            if each["code"] == "blocks-move" and "rewrote" in each["text"]]
    figures = "  ".join(f"{key} {value:+.2f} %" if value is not None else f"{key} -" for key, value in off.items())
    return True, policy, (f"{name:12} recognized, {'idle' if truth['cleans_when_idle'] else 'lazy'}"
                          f" {'told' if policy else 'NOT TOLD'}  {figures}"
                          f"  {'all home' if not away else 'away'}  {model['provenance']['drive_seconds']:.0f} s")


def options_of(drives, description):
    """What every bench on these drives is asked; so many drives of each kind, unless told otherwise."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--virtual", type=numbers, default=numbers(drives))
    parser.add_argument("--alien", type=numbers, default=numbers(drives))
    return parser


def main():
    parser = options_of("1-20", __doc__)
    parser.add_argument("--conventional", type=numbers, default=numbers("1-100"))
    parser.add_argument("--shingles", default="all")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    bench = Bench(options.binary, options.shingles)
    right, told, all_of = {}, {}, {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = [(kind, pool.submit(getattr(bench, kind), number))
                 for kind in ("virtual", "alien", "conventional") for number in getattr(options, kind)]
        for kind, task in tasks:
            taken, policy, line = judged(*task.result())
            all_of[kind] = all_of.get(kind, 0) + 1
            right[kind] = right.get(kind, 0) + bool(taken)
            told[kind] = told.get(kind, 0) + bool(policy)
            print(line, flush=True)
    for kind, count in all_of.items():
        policy = f", policy told of {told[kind]}" if kind != "conventional" else ""
        print(f"all {kind}: {right[kind]} of {count} right{policy}")
    return 0 if right == all_of else 1


if __name__ == "__main__":
    sys.exit(main())
