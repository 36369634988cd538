"""A model against the truth of its drive, in the figures that the tests bound and the tables show."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "alien"))

from compare_layout import circular, offset_between, read_layout  # noqa: E402,F401


class TrackErrors:
    """Two lists of (first LBN, sectors, cylinder, head, angle), ours and the truth's."""

    def __init__(self, ours, truth):
        found = {track[0]: track for track in ours}
        real = {track[0]: track for track in truth}
        common = [lbn for lbn in real if lbn in found]
        self.tracks = len(real)
        self.wrong = sum(found.get(lbn, ())[:4] != track[:4] for lbn, track in real.items()) + \
            sum(lbn not in real for lbn in found)
        pairs = [(found[lbn][4], real[lbn][4]) for lbn in common]
        offset = offset_between(pairs) if pairs else 0.0
        errors = [abs(circular(a - b - offset)) for a, b in pairs]
        self.angle_max = max(errors, default=0.5)
        self.angle_rms = (sum(e * e for e in errors) / len(errors)) ** 0.5 if errors else 0.5


class Differences:
    """What `platter diff MODEL TRUTH --json` says."""

    def __init__(self, told):
        self.by_path = {entry["path"]: entry for entry in told["differences"]}

    def error(self, path):
        """Model less truth; None where one of them has no such figure."""
        difference = self.by_path.get(path, {}).get("difference")
        return None if difference is None else -difference

    def relative(self, path):
        entry = self.by_path[path]
        return (entry["a"] - entry["b"]) / entry["b"]

    def seek_errors(self, distances=None):
        """At these distances; at all of both curves, those between measured ones, too, if None."""
        paths = [path for path in self.by_path if path.startswith("seek[")]
        if distances is not None:
            paths = [f"seek[{distance}]" for distance in distances]
        return [self.error(path) for path in paths if self.error(path) is not None]


def measured_distances(model):
    return [point["cylinders"] for point in model["seek"]["points"]]


def mean_seek(model):
    """The model's read seeks as [(cylinders, ms)]; of both directions the mean, where it has both."""
    inward = [(p["cylinders"], p["time_ms"]) for p in model["seek"]["points"]]
    if "outward_seek" not in model:
        return inward
    outward = [(p["cylinders"], p["time_ms"]) for p in model["outward_seek"]["points"]]
    means = []
    for distance in sorted({distance for distance, _ in inward + outward}):
        ways = between(inward, distance), between(outward, distance)
        if None not in ways:
            means.append((distance, sum(ways) / 2))
    return means


def between(points, distance):
    """Linear interpolation in [(distance, time)]; None beyond its ends."""
    for (low, t_low), (high, t_high) in zip(points, points[1:]):
        if low <= distance <= high:
            return t_low + (t_high - t_low) * (distance - low) / (high - low)
    return None


def mean_absolute(errors):
    return sum(map(abs, errors)) / len(errors)
