"""The alien drives: one dictionary each. Everything in it can be set from a JSON file or by --set."""

import copy
import random


def zone(cylinders, sectors, track_skew, cylinder_skew, angle, spares):
    """Skews in sectors (fractions allowed), the angle of the zone's first sector in revolutions."""
    return {"cylinders": cylinders, "sectors": sectors, "track_skew": track_skew,
            "cylinder_skew": cylinder_skew, "angle": angle, "spares": spares}


MODERATE = {
    "vendor": "ALIEN", "product": "NAIVE 7K2", "revision": "A001", "serial": "XN0000001",
    "individual": 1,              # seeds what differs from drive to drive: defects, heads
    "rpm": 7203.7,
    "heads": 4,
    "order": "head-first",        # cylinder-serpentine, surface-serpentine
    "band": 40,                   # cylinders of one surface in a row, surface-serpentine only
    "sector_numbers": "first-block",  # index: counted from the index mark
    "spare_scheme": "zone",       # cylinder, track: `spares` of a zone are for each of them
    "zones": [
        zone(389, 402, 43.4, 59.7, 0.1234, 611),
        zone(512, 376, 40.6, 56.3, 0.7021, 540),
        zone(455, 351, 37.9, 52.1, 0.3380, 523),
        zone(288, 330, 35.7, 49.2, 0.9417, 377),
        zone(601, 297, 32.1, 44.5, 0.0660, 702),
        zone(417, 268, 29.2, 40.3, 0.5108, 455),
        zone(350, 240, 26.3, 36.1, 0.8299, 431),
    ],
    "slipped": 23,                # a number, or a list of [cylinder, head, sector]
    "remapped": 2,                # a number, or a list of LBNs
    "medium_errors": [],
    "retries": 12,                # revolutions before the drive gives up
    "arm": {
        "start_ms": 0.72, "root_ms": 0.158, "knee": 600, "linear_ms": 0.0019,
        "inward_factor": 1.02, "landing_ms": 0.06, "outer_settle_ms": 0.05,
        "switch_ms": 0.58, "switch_per_head_ms": 0.03, "switch_spread_ms": 0.06,
        "write_settle_ms": 0.21, "servo_wedges": 96,
    },
    "overhead": {
        "read_ms": 0.19, "hit_ms": 0.11, "write_ms": 0.23, "seek_ms": 0.14, "other_ms": 0.05,
        "step_ms": 0.013, "step_blocks": 16, "turnaround_ms": 0.04, "status_ms": 0.018,
        "translate_ms": 0.9,
    },
    "bus": {"block_us": 6.4, "buffer_blocks": 16},
    "cache": {
        "segments": 10, "segment_blocks": 320, "replacement": "clock",  # random, lru
        "read_ahead_blocks": 280, "read_ahead_ends_at": "cylinder",     # track, anywhere
        "read_ahead_multiple": 8, "read_ahead_drops_requested": False, "read_ahead_idle_ms": 0.3,
        "read_ahead_on_hit": True,
        "read_ahead_doubles_from": 0,  # blocks; twice as many behind each read that carries on
        "set_blocks": 0,               # data lie in one of two segments, which their place decides
        "forgets_ms": 0,               # without use
        "read_on_arrival": False, "write_on_arrival": False,
        "write_blocks": 512, "write_idle_ms": 0.8, "write_cache_default": False,
    },
    "queue": {"depth": 32, "policy": "arrival"},   # shortest-seek
    "wobble": {"ppm": 1.0, "seconds": 41.0},
    "recalibration": {"seconds": 60.0, "ms": 35.0},
    "slow_after_idle": {"seconds": 8.0, "ms": 6.0},
    "noise": {"positioning_us": 22.0, "slow_share": 0.008, "slow_mean_ms": 0.9,
              "host_median_us": 6.0, "host_spread": 0.6,
              "stall_share": 0.0, "stall_mean_us": 0.0},
    "scsi": {"force_reads": True, "force_writes": True,  # FUA
             "nominal_rpm": 0,                           # in VPD page B1h; 0: no such page
             "ata": False, "address_translation": True, "defect_list": True, "seek": True, "cache_page": True,
             "capacity_16": True, "saved_pages": False, "unit_attention": True},
}

# What each of the others has that the moderate drive has not.
DIFFERENCES = {
    "moderate": {},
    "serpentine": {
        "product": "NAIVE 10K SERP", "serial": "XN0000002", "individual": 2,
        "rpm": 10021.0, "heads": 6, "order": "cylinder-serpentine", "spare_scheme": "cylinder",
        "zones": [
            zone(601, 340, 49.3, 66.9, 0.2511, 12),
            zone(397, 322, 46.8, 63.4, 0.9012, 12),
            zone(702, 290, 42.2, 57.0, 0.4477, 10),
            zone(503, 251, 36.4, 49.5, 0.6703, 9),
            zone(298, 226, 32.9, 44.6, 0.0358, 8),
        ],
        "slipped": 310, "remapped": 17,
        "arm": {"start_ms": 0.61, "root_ms": 0.121, "knee": 500, "linear_ms": 0.0013,
                "switch_ms": 0.49, "write_settle_ms": 0.15, "servo_wedges": 120},
        "overhead": {"read_ms": 0.12, "hit_ms": 0.07, "write_ms": 0.14, "translate_ms": 0.5},
        "bus": {"block_us": 3.2, "buffer_blocks": 32},
        "cache": {"segments": 16, "segment_blocks": 512, "replacement": "random",
                  "read_ahead_blocks": 400, "read_ahead_ends_at": "track",
                  "write_on_arrival": True, "write_cache_default": True},
        "queue": {"policy": "shortest-seek"},
    },
    "bands": {
        "product": "NAIVE 15K BAND", "serial": "XN0000003", "individual": 3,
        "rpm": 15013.4, "heads": 8, "order": "surface-serpentine", "band": 37,
        "sector_numbers": "index",
        "zones": [
            zone(411, 288, 49.1, 51.0, 0.3001, 900),
            zone(370, 270, 46.2, 47.9, 0.7544, 800),
            zone(523, 244, 41.7, 43.3, 0.1290, 950),
            zone(296, 219, 37.4, 38.9, 0.5873, 640),
        ],
        "slipped": 95, "remapped": 9,
        "arm": {"start_ms": 0.42, "root_ms": 0.098, "knee": 400, "linear_ms": 0.0010,
                "switch_ms": 0.43, "switch_per_head_ms": 0.012, "write_settle_ms": 0.11,
                "servo_wedges": 144},
        "overhead": {"read_ms": 0.08, "hit_ms": 0.05, "write_ms": 0.09, "translate_ms": 0.3},
        "bus": {"block_us": 1.6, "buffer_blocks": 64},
        "cache": {"segments": 24, "segment_blocks": 640, "replacement": "lru",
                  "read_ahead_blocks": 600, "read_ahead_ends_at": "anywhere",
                  "read_ahead_drops_requested": True,
                  "read_on_arrival": True, "write_on_arrival": True, "write_cache_default": True},
    },
    "old": {
        "vendor": "ALIEN", "product": "NAIVE 5400", "serial": "XN0000004", "individual": 4,
        "rpm": 5411.3, "heads": 3, "sector_numbers": "index", "spare_scheme": "track",
        "zones": [
            zone(377, 108, 12.6, 18.3, 0.4400, 2),
            zone(498, 92, 10.9, 15.6, 0.0915, 1),
            zone(309, 75, 8.8, 12.8, 0.7780, 1),
        ],
        "slipped": 18, "remapped": 3,
        "arm": {"start_ms": 1.2, "root_ms": 0.31, "knee": 350, "linear_ms": 0.0068,
                "switch_ms": 0.85, "switch_per_head_ms": 0.05, "write_settle_ms": 0.45,
                "servo_wedges": 54},
        "overhead": {"read_ms": 0.7, "hit_ms": 0.45, "write_ms": 0.8, "seek_ms": 0.5,
                     "step_ms": 0.05, "translate_ms": 2.5},
        "bus": {"block_us": 51.2, "buffer_blocks": 8},
        "cache": {"segments": 1, "segment_blocks": 96, "replacement": "lru",
                  "read_ahead_blocks": 96, "read_ahead_ends_at": "track",
                  "read_ahead_multiple": 1, "read_ahead_on_hit": False, "write_blocks": 64},
        "scsi": {"capacity_16": False},
    },
}


def merge(base, changes):
    """`changes` over `base`, dictionary by dictionary; an unknown name is an error."""
    result = copy.deepcopy(base)
    for name, value in changes.items():
        if name not in base:
            raise ValueError(f"a drive has no {name!r}")
        if isinstance(base[name], dict):
            result[name] = merge(base[name], value)
        else:
            result[name] = copy.deepcopy(value)
    return result


def any_drive(seed):
    """A drive that nobody has seen: everything that may differ does, within reason."""
    chance = random.Random(f"drive {seed}")
    rpm = chance.choice((3600, 4500, 5400, 7200, 10000, 15000)) * chance.uniform(0.995, 1.005)
    period_ms = 60e3 / rpm
    heads = chance.randint(1, 16)
    start, switch = chance.uniform(0.4, 1.3), chance.uniform(0.3, 0.9)
    wedges = chance.choice((0, 60, 96, 150))
    wedge_ms = period_ms / wedges if wedges else 0
    order = chance.choice(("head-first", "cylinder-serpentine", "surface-serpentine"))
    scheme = chance.choice(("zone", "zone", "cylinder", "track"))
    if order == "surface-serpentine" and scheme == "cylinder":
        scheme = "zone"
    sectors = chance.randint(120, 600)
    zones = []
    for _ in range(chance.randint(2, 9)):
        spares = {"zone": chance.randint(50, 900), "cylinder": chance.randint(3, 20),
                  "track": chance.randint(2, 3)}[scheme]
        # Enough skew for the slowest switch and the shortest seek, and for landing on a wedge.
        zones.append(zone(
            chance.randint(60, 400), sectors,
            round((switch + 0.3 + wedge_ms + chance.uniform(0.1, 0.3)) / period_ms * sectors, 2),
            round((max(start * 1.4, switch) + 0.3 + wedge_ms + chance.uniform(0.1, 0.4)) /
                  period_ms * sectors, 2),
            round(chance.random(), 5), spares))
        sectors -= chance.randint(3, max(4, sectors // 8))
    return merge(MODERATE, {
        "product": "NAIVE RANDOM", "serial": f"XR{seed:07d}"[:9], "individual": 1000 + seed,
        "rpm": rpm, "heads": heads, "order": order, "band": chance.randint(5, 50),
        "spare_scheme": scheme, "zones": zones,
        "sector_numbers": chance.choice(("first-block", "index")),
        "slipped": chance.randint(0, 60), "remapped": chance.randint(0, 6),
        "arm": {"start_ms": start, "root_ms": chance.uniform(0.08, 0.25), "switch_ms": switch,
                "switch_per_head_ms": 0.3 / 16, "servo_wedges": wedges,
                "write_settle_ms": chance.uniform(0.05, 0.4)},
        "cache": {"segments": chance.randint(1, 32), "segment_blocks": chance.randint(96, 1024),
                  "replacement": chance.choice(("clock", "random", "lru")),
                  "read_ahead_blocks": chance.randint(60, 900),
                  "read_ahead_ends_at": chance.choice(("cylinder", "track", "anywhere")),
                  "read_on_arrival": chance.random() < 0.5,
                  "write_on_arrival": chance.random() < 0.5,
                  "write_cache_default": chance.random() < 0.5},
    })


def drive(name):
    """The configuration of a variant: one of DIFFERENCES, or random:SEED."""
    if name.startswith("random:"):
        return any_drive(int(name.partition(":")[2]))
    if name not in DIFFERENCES:
        raise ValueError(f"variant {name!r} is unknown: {', '.join(DIFFERENCES)} or random:SEED")
    return merge(MODERATE, DIFFERENCES[name])
