#!/usr/bin/env python3
"""Do seeks and head switches rest on the period that the rotation stage found? In a run's raw samples the times of the
rotation's reads are stretched by some parts in a million, nothing else, and the model is estimated again.

    bench/moved_period.py                                        # four drives by timing, one by translation
    bench/moved_period.py modern-1tb --seeds 1 2 --ppm 1 3

Prints for each drive and shift the largest move of a point of the seek curve and that of the head switch, in
microseconds and in stated errors of the run as it was. Exit status 1 where one moves by more than its error."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import zlib

from measuring import load

DRIVES = ["modern-500gb?page40h=no", "modern-1tb", "modern-5tb", "modern-random-3", "quantum-atlas10k"]


def line_of(payload, number):
    """As platter writes it: the line's number, its bytes before the check, the CRC-32 of all before that."""
    text = json.dumps(payload, separators=(",", ":"))[:-1]
    begin = f'{text},"line":[{number},{len(text.encode())}'
    return f'{begin},"{zlib.crc32(begin.encode()):08x}"]}}\n'


def stretched(samples, ppm, path):
    """The samples with the rotation's reads ppm slower, in the file `path`."""
    begun, moved = None, 0
    with open(samples, encoding="utf-8") as source, open(path, "w", encoding="utf-8") as target:
        for number, line in enumerate(source, 1):
            payload = json.loads(line)
            timing = payload.get("timing", {})
            if timing.get("experiment") != "rotation":
                target.write(line)
                continue
            del payload["line"]
            begun = timing["issued_ns"] if begun is None else begun
            for time in ("issued_ns", "completed_ns", "after_completed_ns"):
                if timing[time] > begun:
                    timing[time] += round((timing[time] - begun) * ppm * 1e-6)
            target.write(line_of(payload, number))
            moved += 1
    if not moved:
        raise RuntimeError(f"{samples} has no reads of the rotation")


def figures(model):
    """{name: (ms, error)} of what is measured by angles."""
    found = {f"{point['cylinders']} cylinders": (point["time_ms"], point.get("error_ms"))
             for point in model["seek"]["points"]}
    for name in ("head_switch", "write_settle"):
        figure = model.get(name) or {}
        if figure.get("value") is not None:
            found[name] = (figure["value"], figure.get("error"))
    return found


def moves(before, after):
    """(us, in stated errors, name) of the figure that moved by most of its errors; one that is lost moved beyond all."""
    most = (0.0, 0.0, "-")
    for name, (ms, error) in before.items():
        if name not in after:
            return (float("inf"), float("inf"), name)
        off = abs(after[name][0] - ms)
        if error and off / error > most[1]:
            most = (1e3 * off, off / error, name)
    return most


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drives", nargs="*")
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--ppm", type=float, nargs="+", default=[-3, -2, -1, -0.5, 0.5, 1, 2, 3])
    options = parser.parse_args()
    print("| drive | seed | ppm | period moved by, ppm | largest move, us | in its errors | of |")
    print("|---" * 7 + "|")
    failed = 0
    for drive in options.drives or DRIVES:
        for seed in options.seeds:
            with tempfile.TemporaryDirectory() as work:
                model, other, samples = (os.path.join(work, name) for name in
                                         ("m.json", "other.json", "other.samples.jsonl"))
                mark = "&" if "?" in drive else "?"
                subprocess.run([options.binary, "characterize", f"virtual:{drive}{mark}imperfections=default&seed={seed}",
                                "-o", model, "--seed", str(seed), "--journal", work], capture_output=True)
                first = load(model)
                period = first["rotation"]["numerator_ns"] / first["rotation"]["denominator"]
                for ppm in options.ppm:
                    stretched(os.path.join(work, "m.samples.jsonl"), ppm, samples)
                    subprocess.run([options.binary, "estimate", samples, "-o", other, "--force"], capture_output=True)
                    second = load(other)
                    off_us, errors, name = moves(figures(first), figures(second))
                    now = second["rotation"]["numerator_ns"] / second["rotation"]["denominator"]
                    bad = errors > 1
                    failed += bad
                    print(f"| {drive} | {seed} | {ppm:+g} | {1e6 * (now / period - 1):+.2f} | {off_us:.1f} | "
                          f"{errors:.2f} | {name} |{' !' if bad else ''}", flush=True)
    print(f"{failed} moved by more than their error")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
