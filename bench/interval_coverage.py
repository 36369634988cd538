#!/usr/bin/env python3
"""Whether stated errors hold: how often a characterized parameter's 95 % interval holds the truth.

    bench/interval_coverage.py [--binary PLATTER] [--seeds N] [--first-seed S] [--jobs J]
                               [--drives NAME...] [--list] [--least SHARE] [--most-spread S]
                               [--grid-us US [--quirk-drive PROGRAM]] [--json FILE]

Characterizes each drive (names of virtual ones, random-N too, or alien:VARIANT) N times (writes allowed
everywhere, default imperfections), each time with another seed of noise and phase, and holds every
parameter against the truth of that drive. Where only a sum can be seen from outside, the same sum of the
truth is taken (docs/validation.md, Stated errors). Prints for each parameter n, how many intervals (value -+ 1.96 standard errors) held the truth,
and the mean and the root mean square of the errors in units of the stated standard error (0 and 1 where
all is well), then the same for each class and for all. A hundred seeds of a drive take two to five
minutes with two processors. --list names every parameter, also each single seek and angle. --least and
--most-spread make the exit status 1 where the intervals of a class of 30 or more hold the truth in a
smaller share, or where the RMS error in units of the stated one is not within 1/S and S: by more than
twice what the mean over models is unsure by, for one model's numbers err together. With --grid-us the
host sees completions at multiples of so much only (125 us: microframes of USB); an error of a time in ms
below grid / sqrt(12 n) then makes the status 1, too.
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import math
import os
import statistics
import sys
import tempfile

from measuring import characterized_device, device, is_alien, run, truth_of, wrapped

DRIVES = ["quantum-atlas10k", "seagate-cheetah9lp", "spare-cylinder"]
SIGMAS = 1.959964  # of a 95 % interval
MISSES = ["read_miss_after_read", "read_miss_after_write", "write_miss_after_read",
          "write_miss_after_write"]
HITS = ["read_hit_after_read", "read_hit_after_write", "write_hit_after_read",
        "write_hit_after_write"]
GRID = 300  # quantiles of each distribution
FEWEST = 30  # that a class is judged by
FIRST_TRACKS = 5  # of a zone, by which its angle is judged
REPETITIONS = 64  # about so many of what holds a node, by which its step is judged
LONGEST = 500  # repetitions in a row of a node, by which its step is judged

AT_ONCE = 4000  # blocks of one command line

Finding = collections.namedtuple("Finding", "kind name value error truth model", defaults=[None])
Track = collections.namedtuple("Track", "lbn blocks angle")  # first LBN, LBNs, angle of the first


def quantiles(of):
    return [of((i + 0.5) / GRID) for i in range(GRID)]


class Delays:
    """What host and positioning noise add to each time, in ms: what is seen is never without them.

    An MTBRC is the time that half of the accesses make, from issue to the mean completion. The host
    takes half of its delay before the drive has the command, half behind it. What it sees at multiples
    of a grid only comes half of that later.
    """

    def __init__(self, truth, grid_ms=0.0):
        noise = truth["imperfections"]
        normal = statistics.NormalDist()
        median, p99 = noise["host_delay_median_us"] / 1e3, noise["host_delay_p99_us"] / 1e3
        sigma = math.log(p99 / median) / normal.inv_cdf(0.99) if median > 0 else 0
        self.host = median + grid_ms / 2  # of all of it
        self.before = quantiles(lambda p: median / 2 * math.exp(sigma * normal.inv_cdf(p)))
        self.after = median / 2 * math.exp(sigma * sigma / 2) + grid_ms / 2
        self.positioning = quantiles(
            lambda p: noise["positioning_sigma_us"] / 1e3 * normal.inv_cdf(p))
        self.far = 0.0
        self.far = self.of_half(10.0) - 10.0

    def of_half(self, move, bus=0.0):
        """What half of the accesses make whose arm moves for `move` and whose data take `bus`."""
        if self.far and move + self.positioning[0] > bus and move > -self.positioning[0]:
            return move + self.far  # nothing is cut off
        ready = [max(move + p, 0.0, bus) for p in self.positioning]
        return self.after + statistics.median(b + r for b in self.before for r in ready)


def tracks_of(platter, file):
    """The tracks of a model, by cylinder and head."""
    tracks = {}
    for line in run(platter, "layout", file, "--all-tracks").splitlines():
        lbn, blocks, cylinder, head, angle = line.split()
        tracks[int(cylinder), int(head)] = Track(int(lbn), int(blocks), float(angle))
    return tracks


def places_of(platter, model, lbns):
    """Track and angle of blocks, by a model's layout."""
    places = {}
    with tempfile.TemporaryDirectory() as work:
        file = os.path.join(work, "model.json")
        with open(file, "w", encoding="utf-8") as text:
            json.dump(model, text)
        for i in range(0, len(lbns), AT_ONCE):
            asked = itertools.chain.from_iterable(("--lbn", str(lbn)) for lbn in lbns[i:i + AT_ONCE])
            for line in run(platter, "layout", file, *asked).splitlines()[1:]:
                lbn, cylinder, head, _, angle, *_ = line.split()
                places[int(lbn)] = (int(cylinder), int(head)), float(angle)
    return places


class Truth:
    def __init__(self, platter, device, work, itself=False, grid_ms=0.0):
        """Of a device; with `itself` of a model file that is what the drive is."""
        file = device if itself else os.path.join(work, "truth.json")
        if not itself:
            run(platter, "truth", device, "-o", file)
        with open(file, encoding="utf-8") as text:
            self.model = json.load(text)
        self.platter = platter
        overheads = self.model["overheads"]
        bus = self.model["bus"]
        self.plain = not overheads.get("extra_write_disconnect", {}).get("value")
        self.read_bus = bus["block_transfer"]["value"]
        self.write_bus = bus.get("write_block_transfer", {}).get("value", self.read_bus)
        # What a drive does beside the eight: the same for all accesses of a kind.
        other = lambda name: (overheads.get(name) or {}).get("value") or 0.0
        common = other("per_request")
        read_hit = other("data_preparation") + other("read_completion")
        read_miss = read_hit + other("first_reselect")
        writing = other("first_reselect") + other("write_completion")
        self.delays = Delays(self.model, grid_ms)
        # What a read on the track where the heads are waits for beside the overhead: SEEK commands that
        # move nothing are not disturbed by positioning noise, reads are.
        self.still = {True: self.delays.far, False: self.delays.of_half(0.0)}
        self.write_still = self.delays.of_half(0.0, self.write_bus)
        switch = self.model["head_switch"].get("value")
        self.values = {True: {}, False: {}}
        for by_commands, values in self.values.items():
            for name in HITS + MISSES:
                write = name.startswith("write")
                seen = (self.delays.host if name in HITS else self.write_still - self.write_bus
                        if write else self.still[by_commands])
                values["overheads." + name] = overheads[name]["value"] + common + seen + (
                    writing if write else read_hit if name in HITS else read_miss)
            if switch is not None:
                values["head_switch"] = self.moved(switch, by_commands)
            values["bus.block_transfer"] = self.read_bus

        self.period_ns = self.model["rotation"]["numerator_ns"] / self.model["rotation"]["denominator"]

    def values_like(self, found):
        """What a model's numbers should be, from what the drive is and by how they were measured."""
        by_commands = found["seek"].get("method", "").startswith("SEEK commands")
        over_cylinder = "next cylinder" in (found["write_settle"].get("method") or "")
        settle = self.model["write_settle"].get("value")
        step = self.seek(1) if over_cylinder else self.model["head_switch"].get("value")
        # Behind seeks writes settle by the distance where the drive has such a curve.
        if over_cylinder and (curve := self.model.get("write_seek")):
            settle = curve["points"][0]["time_ms"] - step
        values = dict(self.values[by_commands])
        if found["bus"]["block_transfer"].get("value") is None:  # then it is in what a read takes
            for name in ("read_miss_after_read", "read_miss_after_write"):
                values["overheads." + name] += self.read_bus
        if settle is None or step is None:
            return values
        settled = self.delays.of_half(step + settle, self.write_bus)
        return values | {
            "write_settle": (settled - self.write_still - self.moved(step, by_commands)
                             + self.write_bus)}

    def offsets(self, found, tracks):
        """What a model's tracks are off by, as far as they are tracks of the drive: by their middle blocks, with
        which most of them lie, whatever slip the drive tells nobody of."""
        middle = {track: lbn + blocks // 2 for track, (lbn, blocks, _) in tracks.items()}
        ours, truth = (places_of(self.platter, model, list(middle.values())) for model in (found, self.model))
        return {track: wrapped(ours[lbn][1] - truth[lbn][1]) for track, lbn in middle.items()
                if truth[lbn][0] == track}

    def moved(self, ms, by_commands):
        return self.delays.of_half(ms) - self.still[by_commands]

    def seek(self, distance):
        points = [(0, 0.0)] + [(p["cylinders"], p["time_ms"]) for p in self.model["seek"]["points"]]
        for (d0, t0), (d1, t1) in zip(points, points[1:]):
            if distance <= d1:
                return t0 + (t1 - t0) * (distance - d0) / (d1 - d0)
        (d0, t0), (d1, t1) = points[-2:]
        return t1 + (t1 - t0) * (distance - d1) / (d1 - d0)


class AlienTruth:
    """Of tests/alien, in its own form; its commands cost what our eight overheads have no place for."""

    plain = True

    def __init__(self, platter, drive, work):
        self.file = truth_of(platter, drive, os.path.join(work, "truth.json"))
        self.period_ns = self.file["period_ns"]
        self.tracks = {(track[4], track[5]): track[7] for track in self.file["tracks"]}
        self.points = [(0, 0.0)] + [(p["cylinders"], p["mean_ms"]) for p in self.file["seek"]]
        noise = self.file["noise"]
        median_us = 2 * noise["host_median_us"]  # once on the way in, once on the way out
        self.delays = Delays({"imperfections": {
            "host_delay_median_us": median_us, "positioning_sigma_us": noise["positioning_us"],
            "host_delay_p99_us": median_us * math.exp(noise["host_spread"] *
                                                      statistics.NormalDist().inv_cdf(0.99))}})
        self.still = {True: self.delays.far, False: self.delays.of_half(0.0)}

    def values_like(self, found):
        by_commands = found["seek"].get("method", "").startswith("SEEK commands")
        overhead = self.file["overhead"]  # a part of it is for each so many blocks
        values = {"write_settle": self.file["write_settle_mean_ms"],
                  "bus.block_transfer": self.file["bus"]["block_us"] / 1e3 +
                  overhead["step_ms"] / overhead["step_blocks"]}
        # Timed between heads beside each other, as runs of blocks switch; one head has none.
        if (switch_ms := self.file["head_switch_neighbours_mean_ms"]) is not None:
            values["head_switch"] = self.moved(switch_ms, by_commands)
        return values

    def offsets(self, _, tracks):
        """What a model's tracks are off by, by their first blocks."""
        return {track: wrapped(angle - self.tracks[track]) for track, (_, _, angle) in tracks.items()
                if track in self.tracks}

    def moved(self, ms, by_commands):
        return self.delays.of_half(ms) - self.still[by_commands]

    def seek(self, distance):
        """None past the longest that the truth lists."""
        for (d0, t0), (d1, t1) in zip(self.points, self.points[1:]):
            if distance <= d1:
                return t0 + (t1 - t0) * (distance - d0) / (d1 - d0)
        return None


def true_of(platter, drive, work, grid_ms=0.0):
    if is_alien(drive):
        return AlienTruth(platter, drive, work)
    return Truth(platter, device(drive, 1), work, grid_ms=grid_ms)


def with_per_request(overheads, name):
    """Both together, as one response shows them; the error of the one is in that of the other."""
    parameter, common = overheads.get(name, {}), overheads.get("per_request") or {}
    if parameter.get("value") is None or common.get("value") is None:
        return parameter
    error = parameter.get("error")
    return {"value": parameter["value"] + common["value"],
            "error": error and math.sqrt(max(0, error ** 2 - (common.get("error") or 0) ** 2))}


def parameters(found, truth):
    by_commands = found["seek"].get("method", "").startswith("SEEK commands")
    period = found["rotation"]["period"]
    yield Finding("rotation", "rotation.period", period["value"], period["error"], truth.period_ns)
    values = truth.values_like(found)
    single = {"head_switch": found["head_switch"], "write_settle": found["write_settle"],
              "bus.block_transfer": found["bus"]["block_transfer"]}
    for name in HITS + MISSES:
        single["overheads." + name] = with_per_request(found["overheads"], name)
    for name, parameter in single.items():
        # A drive that disconnects once more for some writes has other unknowns than these.
        if not truth.plain and "write" in name:
            continue
        if parameter.get("value") is not None and name in values:
            kind = ("head switch" if name == "head_switch" else "write settle"
                    if name == "write_settle" else "bus" if name.startswith("bus") else
                    "hit overheads" if "hit" in name else "miss overheads")
            yield Finding(kind, name, parameter["value"], parameter.get("error"),
                          values[name])
    if isinstance(truth, AlienTruth) and "outward_seek" in found:
        return  # of aliens the mean of both ways is known
    for point in found["seek"]["points"]:
        move = truth.seek(point["cylinders"])
        if move is not None:
            yield Finding("seek", f"seek {point['cylinders']}", point["time_ms"],
                          point.get("error_ms"), truth.moved(move, by_commands))


def angles(found, ours, truth):
    """Where zones begin, one constant taken out for all, and the steps within them. A slip that the drive tells nobody
    of moves some blocks of one track: a number of many tracks is held against most of them."""
    zones = found["layout"]["zones"]
    first = [list(itertools.islice((t for t in tracks(zone, 0, 0) if t in ours), FIRST_TRACKS)) for zone in zones]
    nodes = [node for number, zone in enumerate(zones) for node in steps(zone, f"zone {number} step", [(0, 0)])]
    wanted = {*itertools.chain.from_iterable(first)}
    wanted.update(track for _, _, _, pairs in nodes for pair in pairs for track in pair)
    off = truth.offsets(found, {track: ours[track] for track in sorted(wanted) if track in ours})
    for name, step, error, pairs in nodes:
        misses = [wrapped(off[b] - off[a]) for a, b in pairs if a in off and b in off]
        if misses:
            yield Finding("skews", name, step, error, step - statistics.median(misses))
    yield from beginnings([(number, [off[t] for t in first[number] if t in off], zone["angle_error_rev"])
                           for number, zone in enumerate(zones) if zone.get("angle_error_rev")])


def beginnings(measured):
    """Of zones, by what their tracks are off by and their errors."""
    zones = [(number, off[0] + statistics.median(wrapped(o - off[0]) for o in off), error)
             for number, off, error in measured if off]
    if len(zones) < 2:
        return
    # Weighted mean around the circle, from near the first.
    near = zones[0][1]
    weight = sum(error ** -2 for _, _, error in zones)
    constant = near + sum(wrapped(off - near) * error ** -2 for _, off, error in zones) / weight
    for number, off, error in zones:
        left = error ** 2 - 1 / weight  # the constant holds a share of its own error
        if left > 0.02 * error ** 2:
            yield Finding("zone angles", f"zone {number} angle", wrapped(off - constant),
                          math.sqrt(left), 0.0)


def places(node, cylinder, head):
    """Where each repetition of a node begins."""
    cylinder, head = cylinder + node.get("cylinder", 0), head + node.get("head", 0)
    for i in range(node.get("count", 1)):
        yield cylinder + i * node.get("cylinder_step", 0), head + i * node.get("head_step", 0)


def tracks(node, cylinder, head):
    """The tracks of a node, in the order of their blocks."""
    for place in places(node, cylinder, head):
        yield from tracks_at(node, place)


def tracks_at(node, place):
    """Those of one repetition."""
    if not node.get("children"):
        yield place
    for child in node.get("children", []):
        yield from tracks(child, *place)


def steps(node, name, parents):
    """Of each node that repeats its name, step, error, and pairs of tracks that are a step apart, from some
    REPETITIONS of what holds it."""
    error = node.get("angle_step_error_rev")
    repetitions = [list(places(node, *parent)) for parent in parents]
    pairs = []
    for places_of_one in repetitions if error else []:
        first = [next(tracks_at(node, place)) for place in places_of_one[:LONGEST]]
        pairs += zip(first, first[1:])
    if pairs:
        yield name, node.get("angle_step_rev", 0.0), error, pairs
    inner = list(itertools.chain.from_iterable(repetitions))
    inner = inner[::max(1, len(inner) // REPETITIONS)]
    for number, child in enumerate(node.get("children", [])):
        yield from steps(child, f"{name}.{number}", inner)


class Path:
    """Between a drive and the host: completions are seen at multiples of a grid, or at once."""

    def __init__(self, grid_us=0.0, quirk_drive=""):
        self.grid_ms, self.quirk_drive = grid_us / 1e3, quirk_drive

    def to(self, drive, seed, work):
        if not self.grid_ms:
            return device(drive, seed)
        table = os.path.join(work, "grid.json")
        with open(table, "w", encoding="utf-8") as file:
            json.dump({"replies": [], "grid_us": 1e3 * self.grid_ms}, file)
        return f"exec:{self.quirk_drive} --table {table} {device(drive, seed)}"

    def least_ms(self, samples):
        """The standard error of a mean of so many times that were rounded to the grid."""
        return self.grid_ms / math.sqrt(12 * max(1, samples))


def below_grid(node, path, name=""):
    """The times of a model whose errors are below what the grid leaves open."""
    if isinstance(node, list):
        for number, child in enumerate(node):
            yield from below_grid(child, path, f"{name}.{number}")
    elif isinstance(node, dict):
        error = node.get("error_ms", node.get("error") if node.get("unit") == "ms" else None)
        if error is not None and "samples" in node and error < 0.999 * path.least_ms(node["samples"]):
            yield f"{name}: {error:.3g} ms of {node['samples']} samples"
        for key, child in node.items():
            yield from below_grid(child, path, f"{name}.{key}" if name else key)


def characterize(platter, drive, seed, path):
    """The model of a run and its tracks; None where it ended without one, or without a layout."""
    with tempfile.TemporaryDirectory() as work:
        file = os.path.join(work, "model.json")
        try:
            found = characterized_device(platter, path.to(drive, seed, work), seed, file)
            return (found, tracks_of(platter, file)) if found["layout"]["zones"] else None
        except RuntimeError as error:
            print(error, file=sys.stderr)
            return None


def characterize_all(platter, drives, seeds, jobs, path=Path()):
    """Findings by drive, the drive's seconds, and what is below the path's grid. The truth of a drive is the same for all seeds but for its phase."""
    result = collections.defaultdict(list)
    seconds = collections.defaultdict(list)
    below = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, tempfile.TemporaryDirectory() as work:
        for drive in drives:
            truth = true_of(platter, drive, work, path.grid_ms)
            models = pool.map(lambda seed: characterize(platter, drive, seed, path), seeds)
            for seed, model in zip(seeds, models):
                if model is not None:
                    found, ours = model
                    seconds[drive].append(found["provenance"]["drive_seconds"])
                    below += [f"{drive}, seed {seed}: {what}" for what in below_grid(found, path)]
                    result[drive] += [f._replace(model=(drive, seed))
                                      for f in itertools.chain(parameters(found, truth), angles(found, ours, truth))]
                print(f"\r{drive} {seed} ", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    return result, seconds, below


def in_stated(findings):
    """Errors in units of the stated ones."""
    return [(f.value - f.truth) / f.error for f in findings if f.error]


def line(name, findings):
    z = in_stated(findings)
    without = len(findings) - len(z)
    if not z:
        return f"| {name} | {len(findings)} | no error is stated | | | |"
    held = sum(abs(e) <= SIGMAS for e in z)
    return (f"| {name} | {len(z)} | {held} | {100 * held / len(z):.1f} | {statistics.mean(z):+.2f} | "
            f"{math.sqrt(statistics.mean(e * e for e in z)):.2f} |"
            + (f" {without} without an error" if without else ""))


def held_share(findings):
    z = in_stated(findings)
    return sum(abs(e) <= SIGMAS for e in z) / max(len(z), 1)


def mean_over_models(findings, of):
    """Mean of `of` (of an error in units of the stated one), and its standard error: models are independent of each
    other, the numbers of one are not."""
    by_model = [[of(e) for e in in_stated(mine)] for mine in table(findings, lambda f: f.model).values()]
    by_model = [values for values in by_model if values]
    count, mean = sum(map(len, by_model)), sum(map(sum, by_model)) / sum(map(len, by_model))
    if len(by_model) < 2:
        return mean, math.inf
    squares = sum(sum(value - mean for value in values) ** 2 for values in by_model)
    return mean, math.sqrt(squares * len(by_model) / (len(by_model) - 1)) / count


def is_honest(findings, least, most_spread):
    share, share_error = mean_over_models(findings, lambda e: abs(e) <= SIGMAS)
    square, square_error = mean_over_models(findings, lambda e: e * e)
    return (share + 2 * share_error >= least and square - 2 * square_error <= most_spread ** 2
            and square + 2 * square_error >= 1 / most_spread ** 2)


def table(findings, key):
    groups = collections.defaultdict(list)
    for finding in findings:
        groups[key(finding)].append(finding)
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="build/release/platter")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--drives", nargs="*", default=DRIVES)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("--most-spread", type=float, default=math.inf)
    parser.add_argument("--json")
    parser.add_argument("--grid-us", type=float, default=0.0)
    parser.add_argument("--quirk-drive", default="build/release/quirk_drive")
    options = parser.parse_args()
    if options.grid_us and any(map(is_alien, options.drives)):
        parser.error("--grid-us: only virtual drives are seen on a grid")
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    path = Path(options.grid_us, os.path.abspath(options.quirk_drive))
    found, seconds, under = characterize_all(options.binary, options.drives, seeds, options.jobs, path)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({drive: [f._asdict() for f in all_of] for drive, all_of in found.items()}, file)
    head = "| n | held | % | mean error / stated | RMS error / stated |\n|---|---|---|---|---|---|"
    many = ("seek", "zone angles", "skews")
    failed = bool(under)
    for drive, findings in found.items():
        print(f"\n{drive}, {len(seconds[drive])} models of {len(seeds)} seeds, {statistics.mean(seconds[drive]):.0f} s of the drive's "
              f"time each\n\n| parameter {head}")
        for name, mine in table(findings, lambda f: f.kind if f.kind in many else f.name).items():
            print(line(name, mine))
        singles = table([f for f in findings if f.kind in many], lambda f: f.name)
        often = {name: mine for name, mine in singles.items() if len(mine) >= 0.5 * len(seeds)}
        if often:
            worst = min(often, key=lambda name: held_share(often[name]))
            below = sum(held_share(mine) < 0.84 for mine in often.values())
            print(line(f"worst of {len(often)} single ones, {worst}", often[worst]))
            print(f"\n{below} of the {len(often)} seeks, angles and skews that at least half of the "
                  "seeds have are held in fewer than 84 %")
        if options.list:
            print(f"\n| parameter {head}")
            for name, mine in singles.items():
                print(line(name, mine))
    everything = [f for findings in found.values() for f in findings]
    print(f"\n| class, all drives {head}")
    for kind, mine in [*table(everything, lambda f: f.kind).items(), ("all", everything)]:
        print(line(kind, mine))
        if len(in_stated(mine)) >= FEWEST and not is_honest(mine, options.least, options.most_spread):
            print(f"the stated errors of {kind} do not hold", file=sys.stderr)
            failed = True
    if path.grid_ms:
        print(f"\nerrors below grid / sqrt(12 n): {len(under)}")
    for what in under[:20]:
        print(f"below the grid: {what}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
