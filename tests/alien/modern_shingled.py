"""shingled:N, a modern drive whose tracks overlap. Sectors have homes in bands; what is written lies in a log on the
outermost tracks until its band is rewritten: read, written aside, written home. Eager drives do so when nobody has
asked for anything for a while, the next band upwards first; idle ones when the log or the list of what lies in it is
full."""

import random

from modern_drive import ModernDrive
from modern_mechanics import MS
from modern_variants import designed


def shingled(number):
    """The configuration of shingled:N: modern:N, and what is drawn besides."""
    config = designed(number)
    chance = random.Random(f"shingled {number}")
    config["product"] = "SHINGLED"
    config["scsi"].update(ata=False, seek=False, force_reads=True, force_writes=True, ignores_force=False,
                          verify="media")
    config["scsi"]["cache_page"] = {"write": True, "read": True, "ahead": True}
    config["queue"] = {"depth": 32, "policy": config["queue"]["policy"]}
    config["shingles"] = {"band_kib": 1024 * chance.randint(14, 40), "log_mb": chance.uniform(200, 700),
                          "entries": chance.randint(4000, 12000), "eager": chance.random() < 0.7,
                          "idle_ms": chance.uniform(300, 2500)}
    return config


class ShingledDrive:
    def __init__(self, config, seed=1, noise=True):
        self.config = config
        self.native = ModernDrive(config, seed, noise)
        shingles = config["shingles"]
        physical = config["disk"]["physical_bytes"]
        self.a_sector = self.native.disks.blocks_a_sector
        self.band = shingles["band_kib"] * 1024 // physical
        self.log = int(shingles["log_mb"] * 1e6) // physical
        self.shift = self.log + self.band  # the log, then room to write a band aside
        self.sectors = self.native.disks.sectors - self.shift
        self.blocks = self.sectors * self.a_sector
        self.platters = self
        self.where = {}     # sector -> its place in the log
        self.lists = {}     # dirty band -> entries in it
        self.head = self.entries = 0
        self.current, self.passes = None, 0
        self.swept_to = -1
        self.last = 0.0

    # Cleaning.

    def _home(self, sector):
        return sector + self.shift

    def _next_band(self):
        above = [band for band in self.lists if band > self.swept_to]
        return min(above) if above else min(self.lists)

    def _extent_of(self, band):
        first = band * self.band
        return first, min(first + self.band, self.sectors)

    def _one_pass(self, t):
        """A third of a band's cleaning; when it ends."""
        if self.current is None:
            self.current, self.passes = self._next_band(), 0
        native = self.native
        native.ahead = None
        first, end = self._extent_of(self.current)
        if self.passes == 0:
            t = native._read_media(self._home(first), self._home(end), t, False)
        else:
            to = self.log if self.passes == 1 else self._home(first)
            t = native._write_media(to * self.a_sector, (end - first) * self.a_sector, t, t)
        native.media_free = t
        self.passes += 1
        if self.passes == 3:
            for sector in [s for s in range(first, end) if s in self.where]:
                del self.where[sector]
            self.entries -= self.lists.pop(self.current)
            self.swept_to, self.current = self.current, None
        return t

    def _rest_until(self, now):
        if not self.config["shingles"]["eager"]:
            return
        t = max(self.last, self.native.media_free) + self.config["shingles"]["idle_ms"] * MS
        while self.lists and t < now:
            t = self._one_pass(t)

    def _make_room(self, sectors, now):
        while self.lists and (len(self.where) + sectors > self.log or
                              self.entries >= self.config["shingles"]["entries"]):
            now = self._one_pass(max(now, self.native.media_free))
        return now

    # What a target asks of a drive.

    def _done(self, t):
        self.last = t
        return t

    def _pieces(self, lbn, count):
        """(native LBN, blocks) of what lies together."""
        while count:
            sector, within = divmod(lbn, self.a_sector)
            place = self.where.get(sector, self._home(sector))
            blocks = self.a_sector - within
            while blocks < count:
                following = sector + (within + blocks) // self.a_sector
                if self.where.get(following, self._home(following)) != place + following - sector:
                    break
                blocks += self.a_sector
            blocks = min(blocks, count)
            yield place * self.a_sector + within, blocks
            lbn, count = lbn + blocks, count - blocks

    def read(self, lbn, count, now, from_media=False):
        self._rest_until(now)
        for native, blocks in self._pieces(lbn, count):
            now = self.native.read(native, blocks, now, from_media)
        return self._done(now)

    def verify(self, lbn, count, now):
        self._rest_until(now)
        for native, blocks in self._pieces(lbn, count):
            now = self.native.verify(native, blocks, now)
        return self._done(now)

    def write(self, lbn, count, now, to_media=False):
        self._rest_until(now)
        first, end = lbn // self.a_sector, (lbn + count - 1) // self.a_sector + 1
        now = self._make_room(end - first, now)
        if self.head + end - first > self.log:
            self.head = 0
        at = self.head * self.a_sector + lbn % self.a_sector
        for sector in range(first, end):
            self.where[sector] = self.head
            self.head += 1
        for band in range(first // self.band, (end - 1) // self.band + 1):
            self.lists[band] = self.lists.get(band, 0) + 1
            self.entries += 1
            if band == self.current:
                self.current = None
        return self._done(self.native.write(at, count, now, to_media))

    def seek(self, lbn, now):
        self._rest_until(now)
        return self._done(self.native.seek(next(self._pieces(lbn, 1))[0], now))

    def synchronize(self, now):
        return self.native.synchronize(now)

    def other(self, now, ms):
        return self.native.other(now, ms)

    def set_cache(self, *settings):
        return self.native.set_cache(*settings)

    def distance(self, lbn):
        return self.native.distance(next(self._pieces(lbn, 1))[0])


def of_the_native(name):
    def put(drive, value):
        setattr(drive.native, name, value)
    return property(lambda drive: getattr(drive.native, name), put)


for setting in ("read_cache", "write_cache", "read_ahead", "arm", "hit"):
    setattr(ShingledDrive, setting, of_the_native(setting))


def truth(drive):
    shingles = drive.config["shingles"]
    return {"form": "alien shingled truth 1", "band_blocks": drive.band * drive.a_sector,
            "media_cache_blocks": drive.log * drive.a_sector, "map_entries": shingles["entries"],
            "cleans_when_idle": shingles["eager"], "idle_threshold_ms": shingles["idle_ms"]}
