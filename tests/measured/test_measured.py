#!/usr/bin/env python3
"""Replays the traces that were measured on five real drives, and holds the figures against those of
the table in docs/validation.md. Usage: test_measured.py SOURCE_DIR; PLATTER_BINARY names the program,
PLATTER_DATA the folder of the traces (else ../shared/data beside the sources)."""

import os
import subprocess
import sys

SKIPPED = 77
TOLERANCE = 0.10  # of the recorded demerit


def rows(text):
    """{(drive, class): cells} of the lines of our engine in the table of measured traces."""
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) > 10 and cells[1] == "platter":
            found[cells[0], cells[2]] = cells
    return found


def complaints(recorded, now):
    if len(recorded) != 15:
        yield f"docs/validation.md has {len(recorded)} lines of the engine, not 5 drives of 3 classes"
    for key, cells in recorded.items():
        if key not in now:
            yield f"{key}: not in the table of this run"
            continue
        for column, name in ((3, "n"), (4, "the drive's mean")):
            if now[key][column] != cells[column]:
                yield f"{key}: {name} was {cells[column]}, is {now[key][column]}"
        before, after = float(cells[5]), float(now[key][5])
        if abs(after - before) > TOLERANCE * before:
            yield f"{key}: the demerit was {before} ms, is {after} ms"
        for column, name in ((10, "hits agreed"), (12, "phase, re-anchored")):
            if cells[column] != "-" and abs(float(now[key][column]) - float(cells[column])) > 1:
                yield f"{key}: {name} was {cells[column]} %, is {now[key][column]} %"


def main():
    source = sys.argv[1]
    data = os.environ.get("PLATTER_DATA") or os.path.join(source, "..", "shared", "data")
    if not os.path.isdir(os.path.join(data, "quantum-atlas10k")):
        print(f"skipped: no measured traces in {data}; PLATTER_DATA names their folder")
        return SKIPPED
    with open(os.path.join(source, "docs", "validation.md"), encoding="utf-8") as file:
        recorded = rows(file.read())
    run = subprocess.run([os.path.join(source, "bench", "measured_traces.sh"), data],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        print(run.stderr)
        return 1
    wrong = list(complaints(recorded, rows(run.stdout)))
    print("\n".join(wrong) or f"{len(recorded)} lines of docs/validation.md hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
