"""What an alien drive really is, in a plain form of its own."""

import random
import statistics

from mechanics import MS


def mean_seek(drive, distance, positions=60):
    """Mean and extremes over positions and directions, the wait for a servo wedge included."""
    arm = drive.arm
    chance = random.Random(distance)
    span = drive.platters.cylinders - distance
    wedge = drive.spindle.period / arm.wedges / 2 if arm.wedges else 0.0
    times = []
    for _ in range(positions):
        low = chance.randrange(span)
        times += [arm.seek_time(low, low + distance), arm.seek_time(low + distance, low)]
    return {"cylinders": distance, "mean_ms": (statistics.mean(times) + wedge) / MS,
            "min_ms": min(times) / MS, "max_ms": (max(times) + 2 * wedge) / MS}


def distances(cylinders):
    """Every short one, ever fewer of the long ones."""
    distance = 1
    while distance < cylinders:
        yield distance
        distance = max(distance + 1, int(distance * 1.08))


def place(drive, track, sector):
    return [track.cylinder, track.head, sector, drive.platters.number_of(track, sector)]


def truth(drive):
    platters, arm, config = drive.platters, drive.arm, drive.config
    wedge_ms = drive.spindle.period / arm.wedges / 2 / MS if arm.wedges else 0.0
    pairs = [arm.switch[a][b] / MS for a in range(platters.heads) for b in range(platters.heads)
             if a != b]
    neighbours = [arm.switch[a][a + 1] / MS for a in range(platters.heads - 1)] + \
        [arm.switch[a + 1][a] / MS for a in range(platters.heads - 1)]
    tracks = []
    for track in platters.tracks:
        sequence = platters.sequence_of(track)
        if sequence:
            first, count, sector = sequence
            held = track.sectors - list(track.lbns).count(None) \
                if not isinstance(track.lbns, range) else track.sectors
            tracks.append([first, count, held, track.sectors, track.cylinder, track.head,
                           track.angle, track.angle_of(sector)])
    return {
        "form": "alien truth 1",
        "vendor": config["vendor"], "product": config["product"], "serial": config["serial"],
        "blocks": platters.blocks, "cylinders": platters.cylinders, "heads": platters.heads,
        "period_ns": drive.spindle.period,
        "track_fields": ["first LBN", "LBNs in sequence", "LBNs, moved ones too", "sectors",
                         "cylinder", "head", "angle of its first sector",
                         "angle of its first LBN"],
        "tracks": tracks,
        "place_fields": ["cylinder", "head", "sector from the first", "sector as translated"],
        "slipped": [place(drive, *p) for p in platters.defects],
        "grown": [place(drive, *p) for p in platters.grown],
        "remapped": [{"lbn": lbn, "place": place(drive, *p)}
                     for lbn, p in sorted(platters.remaps.items())],
        "seek": [mean_seek(drive, d) for d in distances(platters.cylinders)],
        "head_switch_mean_ms": statistics.mean(pairs) + wedge_ms if pairs else None,
        "head_switch_neighbours_mean_ms":
            statistics.mean(neighbours) + wedge_ms if neighbours else None,
        "write_settle_mean_ms": config["arm"]["write_settle_ms"] * 1.1,
        "overhead": config["overhead"], "bus": config["bus"], "cache": config["cache"],
        "queue": config["queue"],
        "noise": drive.noise, "wobble": config["wobble"] if drive.noise else None,
        "recalibration": config["recalibration"] if drive.noise else None,
        "slow_after_idle": config["slow_after_idle"],
    }
