#!/usr/bin/env python3
"""Compares `platter layout MODEL --all-tracks` with what an alien drive really is.

    platter layout model.json --all-tracks | compare_layout.py --truth truth.json

A line of the layout is: first LBN, sectors, cylinder, head, angle of the first sector. The angles
may all differ by one constant, for a drive's index mark cannot be seen from outside. Ends with
status 1 where the two differ by more than the bounds, 2 where the input is not to be understood.
"""

import argparse
import cmath
import json
import math
import sys


def read_layout(lines):
    """[(first LBN, sectors, cylinder, head, angle)]; lines that do not begin with a number are
    headings."""
    tracks = []
    for number, line in enumerate(lines, 1):
        words = line.replace(",", " ").split()
        if not words or not words[0].isdigit():
            continue
        try:
            first, sectors, cylinder, head = (int(word) for word in words[:4])
            angle = float(words[4])
        except (ValueError, IndexError):
            raise ValueError(f"line {number} of the layout is no track: {line.strip()!r}") from None
        tracks.append((first, sectors, cylinder, head, angle))
    if not tracks:
        raise ValueError("the layout has no tracks")
    return tracks


def circular(angle):
    """An angle's difference, in -0.5 to 0.5 revolutions."""
    return (angle + 0.5) % 1.0 - 0.5


def circular_mean(angles):
    total = sum(cmath.exp(2j * math.pi * angle) for angle in angles)
    return cmath.phase(total) / (2 * math.pi)


def offset_between(pairs):
    """The constant between two lists of angles: the circular mean, again without what lies far."""
    offset = circular_mean([ours - theirs for ours, theirs in pairs])
    near = [ours - theirs for ours, theirs in pairs if abs(circular(ours - theirs - offset)) < 0.05]
    return circular_mean(near) if near else offset


def compare(truth, layout):
    """Counts of what agrees, and the angles' errors after one offset."""
    real = {track[0]: track for track in truth["tracks"]}
    found = {track[0]: track for track in layout}
    common = sorted(real.keys() & found.keys())
    # `sectors` may count a track's blocks, with or without moved ones, or all of its places.
    sizes = [lbn for lbn in common if found[lbn][1] in real[lbn][1:4]]
    places = [lbn for lbn in common if found[lbn][2:4] == tuple(real[lbn][4:6])]
    result = {
        "tracks": len(real), "tracks_found": len(found),
        "first_lbn_agrees": len(common), "missing": len(real) - len(common),
        "invented": len(found) - len(common),
        "size_wrong": len(common) - len(sizes), "place_wrong": len(common) - len(places),
        "angle_max_rev": None, "angle_rms_rev": None, "offset_rev": None,
    }
    if common:
        offset = offset_between([(found[lbn][4], real[lbn][7]) for lbn in common])
        # Where the first sector holds no block, "its angle" may mean that sector or the first block.
        errors = [min(abs(circular(found[lbn][4] - angle - offset)) for angle in real[lbn][6:8])
                  for lbn in common]
        result["offset_rev"] = offset % 1.0
        result["angle_max_rev"] = max(errors)
        result["angle_rms_rev"] = math.sqrt(sum(e * e for e in errors) / len(errors))
        result["worst_lbn"] = common[errors.index(max(errors))]
    return result


def beyond(result, bounds):
    """One sentence for each bound that is broken."""
    sentences = []
    for name in ("missing", "invented", "size_wrong", "place_wrong"):
        if result[name] > bounds[name]:
            sentences.append(f"{name}: {result[name]} tracks, at most {bounds[name]} allowed")
    for name in ("angle_max_rev", "angle_rms_rev"):
        if result[name] is None or result[name] > bounds[name]:
            sentences.append(f"{name}: {result[name]}, at most {bounds[name]} allowed")
    return sentences


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("layout", nargs="?", help="a file; standard input without")
    parser.add_argument("--truth", required=True)
    parser.add_argument("--max-angle", type=float, default=0.01, help="revolutions")
    parser.add_argument("--rms-angle", type=float, default=0.003, help="revolutions")
    parser.add_argument("--wrong-tracks", type=int, default=0,
                        help="allowed of each kind: missing, invented, wrong size, wrong place")
    options = parser.parse_args()
    bounds = dict.fromkeys(("missing", "invented", "size_wrong", "place_wrong"),
                           options.wrong_tracks)
    bounds.update(angle_max_rev=options.max_angle, angle_rms_rev=options.rms_angle)
    try:
        with open(options.truth, encoding="utf-8") as file:
            truth = json.load(file)
        if options.layout:
            with open(options.layout, encoding="utf-8") as file:
                layout = read_layout(file)
        else:
            layout = read_layout(sys.stdin)
        result = compare(truth, layout)
    except (OSError, ValueError, KeyError) as error:
        print(f"compare_layout.py: {error}", file=sys.stderr)
        return 2
    for name, value in result.items():
        print(f"{name:20} {value if not isinstance(value, float) else format(value, '.6f')}")
    sentences = beyond(result, bounds)
    for sentence in sentences:
        print(f"beyond the bounds: {sentence}")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
