#!/usr/bin/env python3
"""The tables of docs/validation.md, from what measured_traces.sh or characterize_all.sh collected.

    tables.py measured FOLDER  |  tables.py calibrated FOLDER  |  tables.py characterized FOLDER DRIVE...
"""

import json
import os
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests")
sys.path[:0] = [os.path.join(TESTS, "cli"), os.path.join(TESTS, "alien")]

import compare_layout  # noqa: E402
from judge import (Differences, TrackErrors, between, mean_absolute, mean_seek,  # noqa: E402
                   measured_distances, read_layout)

DRIVES = {"atlas10k": "Atlas 10K", "cheetah9LP": "Cheetah 9LP", "ibm18es": "Ultrastar 18ES",
          "barracuda": "Barracuda 4LP", "hp_c2247a": "C2247A"}


def load(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


def lines(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read().splitlines()


def number(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def percent(share):
    return "-" if share is None else f"{100 * share:.1f}"


def table(heading, rows):
    print("| " + " | ".join(heading) + " |")
    print("|" + "---|" * len(heading))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def measured_row(drive, source, name, figures, free=None):
    paired = figures["paired"]
    return [drive, source, name, str(figures["n"]), number(figures["mean_ms"]["drive"], 3),
            number(figures["demerit_ms"], 4), number(figures["demerit_percent"], 1)] + \
        [number(paired[key], 3) for key in ("bias_ms", "mae_ms", "rms_ms")] + \
        [percent(figures["hits_agreed_share"]),
         percent(free["folded_phase_share"]) if free else "-",
         percent(figures["folded_phase_share_reanchored"])]


def measured(folder):
    heading = ["drive", "source", "class", "n", "drive's mean", "demerit ms",
               "demerit %", "bias", "mean abs.", "RMS", "hits agreed %",
               "phase, once %", "phase, re-anchored %"]
    rows, halves = [], []
    for name, drive in DRIVES.items():
        for source, title in (("ours", "platter"), ("disksim", "DiskSim")):
            if not os.path.exists(os.path.join(folder, f"{name}.{source}")):
                continue
            comparison = load(folder, f"{name}.{source}")
            free = load(folder, f"{name}.free") if source == "ours" else {}
            rows += [measured_row(drive, title, kind, comparison[kind], free.get(kind))
                     for kind in ("all", "read", "write")]
            hits = load(folder, f"{name}.{source}.2ms")["all"]["hits_agreed_share"]
            both = [load(folder, f"{name}.{source}.{half}")["all"] for half in ("first", "second")]
            halves.append([drive, title, f"{100 * hits:.2f}"] + [
                cell for half in both for cell in (number(half["demerit_ms"], 4),
                                                   number(half["demerit_percent"], 2))])
    table(heading, rows)
    table(["drive", "source", "hits agreed at 2 ms, by response %", "first half: demerit ms",
           "%", "second half: demerit ms", "%"], halves)


def against_virtual(folder, drive):
    """Period in ppm, wrong tracks, angles in rev, seek errors, head switch and settle errors in ms."""
    model = load(folder, f"{drive}.json")
    differences = Differences(load(folder, f"{drive}.diff"))
    layout = TrackErrors(read_layout(lines(folder, f"{drive}.tracks")),
                         read_layout(lines(folder, f"{drive}.truth-tracks")))
    return (1e6 * differences.relative("rotation.period"), layout.wrong, layout.angle_max,
            layout.angle_rms, differences.seek_errors(measured_distances(model)),
            differences.seek_errors(), differences.error("head_switch"),
            differences.error("write_settle"))


def against_alien(folder, drive):
    model, truth = load(folder, f"{drive}.json"), load(folder, f"{drive}.truth")
    layout = compare_layout.compare(truth, read_layout(lines(folder, f"{drive}.tracks")))
    wrong = sum(layout[kind] for kind in ("missing", "invented", "size_wrong", "place_wrong"))
    real = [(p["cylinders"], p["mean_ms"]) for p in truth["seek"]]
    ours = mean_seek(model)
    seeks = [time - between(real, distance) for distance, time in ours
             if between(real, distance) is not None]
    everywhere = [between(ours, distance) - time for distance, time in real
                  if between(ours, distance) is not None]

    def error(name, true):
        value = model[name]["value"]
        return None if value is None or true is None else value - true
    return (1e6 * (model["rotation"]["period"]["value"] / truth["period_ns"] - 1), wrong,
            layout["angle_max_rev"], layout["angle_rms_rev"], seeks, everywhere,
            error("head_switch", truth["head_switch_neighbours_mean_ms"]),
            error("write_settle", truth["write_settle_mean_ms"]))


def stage_table(folder, drives):
    """Drive seconds of each stage; a stage that was run twice counts together."""
    seconds = {}
    for drive in drives:
        for stage in load(folder, f"{drive}.json")["provenance"]["stages"]:
            of_drive = seconds.setdefault(stage["name"], {})
            of_drive[drive] = of_drive.get(drive, 0) + stage["drive_seconds"]
    table(["drive"] + list(seconds),
          [[drive] + [number(of.get(drive), 1) for of in seconds.values()] for drive in drives])


def characterized(folder, drives):
    runs, truths, proofs = [], [], []
    for drive in drives:
        provenance = load(folder, f"{drive}.json")["provenance"]
        runs.append([drive, number(provenance["drive_seconds"], 0),
                     number(provenance["wall_seconds"], 1), str(provenance["commands"]),
                     str(provenance["translations"]), number(provenance["bytes_written"] / 1e6, 2)])
        against = against_alien if drive.startswith("alien:") else against_virtual
        period, wrong, angle_max, angle_rms, seeks, everywhere, switch, settle = \
            against(folder, drive)
        truths.append([drive, number(period, 3), str(wrong), number(angle_max, 5),
                       number(angle_rms, 5), number(mean_absolute(seeks), 4),
                       number(max(map(abs, seeks)), 3), number(mean_absolute(everywhere), 4),
                       number(max(map(abs, everywhere)), 3), number(switch, 3), number(settle, 3)])
        row = [drive]
        for comparison, workload in zip(load(folder, f"{drive}.validated")["comparisons"],
                                        ("random", "mixed")):
            floor = load(folder, f"{drive}.{workload}.floor")["all"]
            figures = comparison["all"]
            row += [number(figures["demerit_ms"], 3), number(figures["demerit_percent"], 2),
                    f"{floor['demerit_ms']:.3f} / {floor['demerit_percent']:.2f}",
                    percent(figures["folded_phase_share"]), percent(figures["hits_agreed_share"])]
        proofs.append(row)
    table(["drive", "drive seconds", "wall seconds", "commands", "translations", "MB written"], runs)
    stage_table(folder, drives)
    table(["drive", "period ppm", "tracks wrong", "angle max rev", "angle RMS rev", "seek mean ms",
           "seek max ms", "all distances mean ms", "all distances max ms", "head switch ms", "write settle ms"], truths)
    table(["drive"] + [f"{workload} {figure}" for workload in ("random", "mixed")
                       for figure in ("demerit ms", "%", "floor ms / %", "phase %",
                                      "hits agreed %")], proofs)


def calibrated(folder):
    rows = []
    for name, drive in DRIVES.items():
        judge = load(folder, f"{name}.calibration")["judge"]
        before, after = judge["before"]["own_time"]["all"], judge["after"]["own_time"]["all"]
        replayed = load(folder, f"{name}.replayed")["all"]["demerit_ms"]
        behind = load(folder, f"{name}.behind")["all"]["demerit_ms"]
        theirs = os.path.join(folder, f"{name}.disksim")
        disksim = load(theirs)["all"]["demerit_ms"] if os.path.exists(theirs) else None
        theirs_time = judge["after"]["drives_time"]["all"]
        rows.append([drive, number(disksim, 4), number(disksim and disksim * 2 / 3, 4),
                     number(before["demerit_ms"], 4), number(after["demerit_ms"], 4),
                     number(replayed, 4), number(behind, 4), number(theirs_time["demerit_ms"], 4),
                     number(before["paired"]["mae_ms"], 3), number(after["paired"]["mae_ms"], 3),
                     percent(before["hits_agreed_share"]), percent(after["hits_agreed_share"]),
                     percent(before["folded_phase_share_reanchored"]),
                     percent(after["folded_phase_share_reanchored"])])
    table(["drive", "DiskSim", "2/3 of it", "before", "calibrated", "replayed", "think times behind",
           "in the drive's time", "mean abs. before", "after", "hits % before", "after",
           "phase % before", "after"], rows)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "measured":
        measured(sys.argv[2])
    elif len(sys.argv) == 3 and sys.argv[1] == "calibrated":
        calibrated(sys.argv[2])
    elif len(sys.argv) > 3 and sys.argv[1] == "characterized":
        characterized(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__)
