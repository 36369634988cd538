"""modern:N, drives as they have been made since about 2001; N decides everything, the size first.

A drive is designed here as its maker would: so many gigabytes a surface give a track density, that and
the capacity the sectors of the outermost track; skews are what seek, switch and wedges need. The scheme of
every fifth N is the same: N % 5 says what reaches the media, N % 20 = 0 is a drive of 4 TB.
"""

import copy
import math
import random

GB_SIZES = (20, 40, 80, 160, 250, 320, 500, 640, 1000)
SURFACES = {20: (1, 2), 40: (1, 2, 4), 80: (1, 2, 3), 160: (2, 3, 4), 250: (1, 2, 3, 4), 320: (1, 2, 4),
            500: (1, 2, 3, 4, 5), 640: (2, 3, 4), 1000: (2, 3, 4, 6), 4000: (8, 10)}
WEDGES = (96, 108, 120, 144, 160, 192, 216, 240, 256, 288, 320, 360, 384)
SPEEDS = (5400, 5400, 5700, 5900, 5940, 7200, 7200, 7200)

# What takes no design. Names beside --set: scsi.verify is media, memory or none.
COMMON = {
    "vendor": "ALIEN", "product": "MODERN", "revision": "M001", "serial": "XM0000000", "individual": 0,
    "rpm": 7200.0,
    "disk": {},
    "flaws": {"singles": 0, "scratches": 0, "losses": 0, "left_out": 0},
    "spare": {"pools": 3, "tracks": 4, "moved": 10},
    "arm": {},
    "spindle": [],
    "overhead": {"read_us": 60.0, "hit_us": 45.0, "write_us": 70.0, "seek_us": 60.0, "other_us": 25.0,
                 "status_us": 12.0, "block_us": 1.1},
    "cache": {"sectors": 16384, "stretches": 65536, "ahead_sectors": 1024, "awaited_sectors": 1024,
              "keeps_what_passes": False, "write_cache_default": True},
    "queue": {"depth": 32, "policy": "arrival"},
    "noise": {"positioning_us": 40.0, "host_median_us": 6.0, "host_spread": 0.8,
              "stall_share": 0.002, "stall_mean_us": 400.0},
    "scsi": {"force_reads": True, "force_writes": True, "ignores_force": False, "verify": "media",
             "nominal_rpm": 7200, "ata": True, "address_translation": False, "defect_list": False,
             "seek": False, "cache_page": {"write": True, "read": False, "ahead": True},
             "capacity_16": True, "saved_pages": False, "unit_attention": True},
}


def blocks_of(gb, block_bytes):
    """IDEMA's rule for capacities; below 50 GB it gives a fair number, too."""
    if block_bytes == 512:
        return 97_696_368 + 1_953_504 * (gb - 50)
    return 12_212_046 + 244_188 * (gb - 50)


def designed(number):
    """The configuration of modern:N."""
    chance = random.Random(f"modern {number}")
    config = copy.deepcopy(COMMON)
    gb = 4000 if number % 20 == 0 else GB_SIZES[(number - 1) % len(GB_SIZES)]
    config.update(serial=f"XM{number:07d}"[:9], individual=5000 + number, product=f"MODERN {gb} GB")
    nominal = chance.choice(SPEEDS)
    config["rpm"] = nominal * (1 + chance.uniform(-0.004, 0.004))
    config["scsi"]["nominal_rpm"] = nominal
    config["disk"] = disk_of(chance, gb)
    design_mechanics(chance, config, 60e3 / config["rpm"])
    design_formats(config["disk"], chance)
    config["flaws"] = flaws_of(chance, config["disk"])
    config["spare"] = {"pools": chance.randint(1, 8), "tracks": chance.randint(1, 6),
                       "moved": chance.randint(0, 40)}
    config["spindle"] = [{"ppm": chance.uniform(0.5, 3), "seconds": chance.uniform(5, 12)},
                         {"ppm": chance.uniform(0.3, 2), "seconds": chance.uniform(40, 150)},
                         {"ppm": chance.uniform(1, 5), "seconds": chance.uniform(600, 2500)}]
    design_electronics(chance, config, number, gb)
    return config


def disk_of(chance, gb):
    surfaces = chance.choice(SURFACES[gb])
    kilotracks_an_inch = 57 * (gb / surfaces / 20) ** 0.55 * chance.uniform(0.9, 1.1)
    pitch_nm = 25.4e6 / (kilotracks_an_inch * 1e3)
    small = 40 <= gb <= 1000 and chance.random() < 0.25
    outer, inner = (31.6, chance.uniform(14, 15.5)) if small else (46.2, chance.uniform(20, 22.5))
    tracks = (outer - inner) * 1e6 / pitch_nm * surfaces
    wedges = chance.choice(WEDGES)
    block_bytes, physical = 512, 512
    if gb > 160:
        block_bytes, physical = chance.choice(((512, 512), (512, 4096)) if gb < 1000 else
                                              ((512, 4096), (4096, 4096)))
    head_first = tracks < 140_000 and surfaces > 1 and chance.random() < 0.5
    if head_first:
        order, band, spread = chance.choice(("FF", "FA")), 1, 0.0
    else:
        order = chance.choice(("FF", "FA", "AF", "AA"))
        least = max(12, tracks / 30_000)
        band = round(math.exp(chance.uniform(math.log(least), math.log(400))))
        spread = chance.choice((0.0, 0.01, 0.03))
    return {
        "blocks": blocks_of(gb, block_bytes), "block_bytes": block_bytes, "physical_bytes": physical,
        "outer_mm": outer, "inner_mm": inner, "wedges": wedges,
        "burst_share": chance.uniform(0.04, 0.09), "twist_rev": chance.uniform(-0.004, 0.004),
        "order": order, "band_mm": band * pitch_nm * 1e-6,
        "borders": "bands" if band == 1 else chance.choice(("anywhere", "bands")),
        "surfaces": [{"pitch_nm": pitch_nm * (1 + (chance.uniform(-spread, spread) if s else 0)),
                      "density": 1 + chance.uniform(-0.03, 0.03) * (band > 1),
                      "offset_um": chance.gauss(0, 4) if s else 0.0,
                      "index_rev": chance.uniform(-0.5, 0.5) / wedges if s else 0.0} for s in range(surfaces)],
        "sectors_per_mm": 0.0, "formats": [], "track_skew": 0, "head_skew": 0, "ring_skew": 0,
    }


def design_formats(disk, chance):
    """A list of formats, and the linear density at which the disks just hold the blocks."""
    needed = disk["blocks"] // (disk["physical_bytes"] // disk["block_bytes"])
    outer, inner = disk["outer_mm"], disk["inner_mm"]
    area = sum(s["density"] * math.pi * (outer ** 2 - inner ** 2) / (s["pitch_nm"] * 1e-6)
               for s in disk["surfaces"])  # mm of track
    step, even = chance.uniform(0.015, 0.045), chance.choice((1, 1, 2, 4))
    reserve = chance.uniform(1.002, 1.02)
    jitter = [chance.uniform(0.7, 1.3) for _ in range(200)]
    disk["sectors_per_mm"] = needed / area
    while True:
        disk["sectors_per_mm"] *= 1.004
        per_mm = disk["sectors_per_mm"] * 2 * math.pi
        formats, size, j = [], per_mm * outer * 0.985, 0  # the channel's frequency caps the outside
        while not formats or formats[-1] > per_mm * inner * 0.96:
            sectors = int(size) // even * even
            if not formats or sectors < formats[-1]:
                formats.append(sectors)
            size *= 1 - step * jitter[j % len(jitter)]
            j += 1
        disk["formats"] = formats
        if room(disk) > needed * reserve:
            return


def room(disk):
    """How many sectors the surfaces hold, to the last track."""
    from modern_disks import Surface
    return sum(Surface({"disk": disk}, number).sectors_in_all() for number in range(len(disk["surfaces"])))


def design_mechanics(chance, config, period_ms):
    """The arm, and as many wedges of skew as it needs for nearly always being in time."""
    disk = config["disk"]
    config["arm"] = arm = {
        "g": chance.uniform(60, 150), "mm_per_ms": chance.uniform(1.8, 3.2),
        "outward_factor": chance.uniform(0.98, 1.03), "settle_ms": chance.uniform(0.45, 1.1),
        "switch_ms": chance.uniform(0.15, 0.7), "write_settle_ms": chance.uniform(0.05, 0.3),
        "overshoot_share": chance.uniform(0.001, 0.006), "overshoot_ms": chance.uniform(0.6, 1.5),
    }
    config["noise"]["positioning_us"] = sigma_us = chance.uniform(20, 60)

    def wedges(ms):
        return math.ceil((ms + 3 * sigma_us / 1e3) / period_ms * disk["wedges"]) + 2

    def travel(mm):
        return 1.03 * 2 * math.sqrt(mm / (arm["g"] * 9.81e-3)) + arm["settle_ms"]

    offsets = [surface["offset_um"] * 1e-3 for surface in disk["surfaces"]]
    apart = max(offsets) - min(offsets) + 2 * disk["surfaces"][0]["pitch_nm"] * 1e-6
    disk["track_skew"] = wedges(travel(disk["surfaces"][0]["pitch_nm"] * 1.1e-6))
    disk["head_skew"] = wedges(travel(disk["band_mm"] * (disk["order"][0] == "F") + apart) + arm["switch_ms"])
    disk["ring_skew"] = wedges(travel(disk["band_mm"] + apart) + arm["switch_ms"])


def flaws_of(chance, disk):
    """In numbers for a million tracks; 400 irregular ones are much, 12 slips in a million sectors too."""
    tracks = sum((disk["outer_mm"] - disk["inner_mm"]) / (s["pitch_nm"] * 1e-6) for s in disk["surfaces"]) / 1e6
    irregular = math.exp(chance.uniform(math.log(40), math.log(430))) * tracks
    singles = math.exp(chance.uniform(math.log(100), math.log(6000))) * tracks
    return {"singles": round(singles), "scratches": round(0.05 * irregular + chance.randint(0, 8)),
            "losses": round(0.2 * irregular), "left_out": round(0.1 * irregular)}


def design_electronics(chance, config, number, gb):
    scsi, noise, disk = config["scsi"], config["noise"], config["disk"]
    megabytes = 8 if gb < 80 else 16 if gb < 320 else 64 if gb < 4000 else 256
    a_track = disk["formats"][0]
    config["cache"].update(sectors=megabytes * 2 ** 20 // disk["physical_bytes"],
                           stretches=chance.choice((48, 512, 65536)),
                           ahead_sectors=round(a_track * chance.uniform(0.3, 3)),
                           awaited_sectors=round(a_track * 0.5),
                           keeps_what_passes=chance.random() < 0.5)
    for name in ("read_us", "hit_us", "write_us", "seek_us", "other_us", "status_us"):
        config["overhead"][name] *= chance.uniform(0.7, 2.0)
    noise.update(host_median_us=chance.uniform(3, 12), host_spread=chance.uniform(0.5, 0.99),
                 stall_share=chance.uniform(0, 0.002), stall_mean_us=chance.uniform(250, 1500))
    scsi["ata"] = chance.random() < 0.7
    scsi["seek"] = not scsi["ata"] and chance.random() < 0.7
    config["queue"] = {"depth": chance.choice((1, 32)), "policy": chance.choice(("arrival", "shortest"))}
    # 0, 2: FUA is obeyed. 1, 3: refused, VERIFY reads the media. 4: neither does.
    reaches = number % 5
    scsi["cache_page"] = {"write": True, "ahead": reaches != 4 or chance.random() < 0.5,
                          "read": not scsi["ata"] and reaches in (0, 2) and chance.random() < 0.5}
    if reaches in (1, 3):
        scsi.update(force_reads=False, force_writes=False)
    elif reaches == 4:
        scsi.update(verify=chance.choice(("memory", "none")))
        refused = chance.random() < 0.5
        scsi.update(force_reads=not refused, force_writes=not refused, ignores_force=not refused)
