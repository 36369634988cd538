"""Where a modern drive's blocks are, from what its maker decides: pitches, densities, formats, wedges.

Track t of a surface lies at the radius outer - pitch * t, and each surface has its own pitch and density.
A track takes the largest format (sectors in a revolution) that its circumference holds, so every surface
has zone borders of its own. Tracks begin at servo wedges, whole wedges of skew apart. A band is what lies
between two radii on one surface; the sequence of sectors takes a band of each surface, then those of the
next ring. Inside, everything is in physical sectors, which may hold several blocks.

Nothing is stored by track: a Run is a stretch of like tracks, and an irregular track is a run of its own.
"""

import bisect
import collections
import math
import random

# `holes`: (first sector, how many) that hold nothing, in the order of sectors; of single tracks only.
Run = collections.namedtuple("Run", "first tracks sectors angle angle_step surface track step holes")

# A sector on the media. `cylinder` and `head` are what the log calls its track and surface.
Place = collections.namedtuple("Place", "head cylinder sector sectors angle")


class Surface:
    def __init__(self, config, number):
        disk = config["disk"]
        own = disk["surfaces"][number]
        self.pitch_mm = own["pitch_nm"] * 1e-6
        self.offset_mm = own["offset_um"] * 1e-3  # how far its head stands from head 0
        self.index_rev = own["index_rev"]         # where its wedge 0 is
        self.outer_mm = disk["outer_mm"]
        self.tracks = int((self.outer_mm - disk["inner_mm"]) / self.pitch_mm)
        self.zones = self._zones(disk, own)       # [(first track, sectors)], from the outside on
        self.zone_starts = [first for first, _ in self.zones]

    def radius_mm(self, track):
        return self.outer_mm - self.pitch_mm * track

    def _zones(self, disk, own):
        per_mm = disk["sectors_per_mm"] * own["density"] * 2 * math.pi  # of radius
        ring = disk["band_mm"]
        zones, first = [], 0
        for sectors, smaller in zip(disk["formats"], disk["formats"][1:] + [0]):
            # This format is too large from here on; the last one is taken to the end.
            radius = sectors / per_mm
            end = math.ceil((self.outer_mm - radius) / self.pitch_mm)
            if disk["borders"] == "bands":
                end = math.ceil(math.floor((self.outer_mm - radius) / ring) * ring / self.pitch_mm)
            end = self.tracks if smaller == 0 else min(self.tracks, end)
            if end > first:
                zones.append((first, sectors))
                first = end
        return zones

    def sectors_at(self, track):
        return self.zones[bisect.bisect_right(self.zone_starts, track) - 1][1]

    def sectors_in_all(self):
        ends = self.zone_starts[1:] + [self.tracks]
        return sum((end - first) * sectors for (first, sectors), end in zip(self.zones, ends))


def band_order(order, surfaces, ring):
    """[(surface, +1 inwards or -1 outwards)] of a ring: the first letter of `order` is the direction
    of bands, the second the order of surfaces; F as ever, A in turn."""
    numbers = range(surfaces - 1, -1, -1) if order[1] == "A" and ring % 2 else range(surfaces)
    return [(number, -1 if order[0] == "A" and turn % 2 else 1)
            for turn, number in enumerate(numbers)]


class Flaws:
    """What a surface's scan found: {track: holes}, or None for a track that is left out."""

    def __init__(self, config, surfaces):
        self.surfaces = surfaces
        self.chance = random.Random(f"flaws {config['individual']}")
        self.by_surface = [{} for _ in surfaces]
        counts = config["flaws"]
        for kind in ("singles", "scratches", "losses", "left_out"):
            for _ in range(counts[kind]):
                getattr(self, "_" + kind)()

    def _track(self):
        number = self.chance.randrange(len(self.surfaces))
        return number, self.chance.randrange(self.surfaces[number].tracks)

    def _hole(self, number, track, first, count):
        """One more hole in a track, which keeps a tenth of its sectors at least."""
        holes = self.by_surface[number].get(track, [])
        if holes is None:
            return
        sectors = self.surfaces[number].sectors_at(track)
        lost = set(range(max(0, first), min(sectors, first + count)))
        for start, length in holes:
            lost.update(range(start, start + length))
        if lost and len(lost) <= 0.9 * sectors:
            self.by_surface[number][track] = runs_of(sorted(lost))

    def _singles(self):
        number, track = self._track()
        self._hole(number, track, self.chance.randrange(self.surfaces[number].sectors_at(track)), 1)

    def _scratches(self):
        """Neighbouring tracks lose the same angle, which moves along the scratch."""
        number, track = self._track()
        angle, slope = self.chance.random(), self.chance.gauss(0, 0.002)
        count = self.chance.randint(1, 8)
        for t in range(track, min(track + self.chance.randint(1, 25), self.surfaces[number].tracks)):
            self._hole(number, t, int(angle % 1.0 * self.surfaces[number].sectors_at(t)), count)
            angle += slope

    def _losses(self):
        number, track = self._track()
        sectors = self.surfaces[number].sectors_at(track)
        count = int(sectors * self.chance.uniform(0.02, 0.9))
        self._hole(number, track, self.chance.randrange(sectors - count + 1), count)

    def _left_out(self):
        number, track = self._track()
        self.by_surface[number][track] = None


def runs_of(numbers):
    """Ascending numbers as [(first, how many in a row)]."""
    runs = []
    for number in numbers:
        if runs and sum(runs[-1]) == number:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((number, 1))
    return runs


def sector_of_rank(holes, rank):
    """The sector of a track that holds the track's block number `rank`."""
    for first, count in holes:
        if rank < first:
            break
        rank += count
    return rank


def rank_of_sector(holes, sector):
    """How many blocks a track holds in front of a sector."""
    return sector - sum(min(count, sector - first) for first, count in holes if first < sector)


class Disks:
    def __init__(self, config):
        disk = config["disk"]
        self.config = config
        self.order = disk["order"]
        self.wedges = disk["wedges"]
        self.burst = disk["burst_share"]
        self.blocks_a_sector = disk["physical_bytes"] // disk["block_bytes"]
        self.blocks = disk["blocks"]
        self.sectors = -(-self.blocks // self.blocks_a_sector)
        self.surfaces = [Surface(config, number) for number in range(len(disk["surfaces"]))]
        self.heads = len(self.surfaces)
        self.runs = []
        self.bands = self.rings = 0
        flaws = Flaws(config, self.surfaces).by_surface
        self.pools = self._reserve_pools(flaws)  # [(ring, surface, tracks)]
        self._lay(flaws)
        self.firsts = [run.first for run in self.runs]
        self.moved = {}                          # sector number: Place
        self._move_sectors()
        self.moved_numbers = sorted(self.moved)

    # Spare areas: whole tracks at the end of a band, here and there.

    def _tracks_of_band(self, ring, number):
        width, pitch = self.config["disk"]["band_mm"], self.surfaces[number].pitch_mm
        # Rounded, for a width of so many pitches is to give so many tracks.
        first, end = (math.ceil(round(edge * width / pitch, 6)) for edge in (ring, ring + 1))
        return range(first, min(end, self.surfaces[number].tracks))

    def _reserve_pools(self, flaws):
        spare = self.config["spare"]
        width = self.config["disk"]["band_mm"]
        rings = int((self.surfaces[0].outer_mm - self.config["disk"]["inner_mm"]) / width)
        pools = []
        for number in range(spare["pools"]):
            ring, surface = int((number + 0.5) / spare["pools"] * rings), number % self.heads
            tracks = list(self._tracks_of_band(ring, surface))[-spare["tracks"]:]
            for track in tracks:
                flaws[surface][track] = None
            if tracks:
                pools.append((ring, surface, tracks))
        return pools

    # The sequence.

    def _lay(self, flaws):
        disk = self.config["disk"]
        irregular = [sorted(found) for found in flaws]
        borders = [surface.zone_starts for surface in self.surfaces]
        self.sector, wedge, ring = 0, 0, 0
        while self.sector < self.sectors:
            for turn, (number, step) in enumerate(band_order(self.order, self.heads, ring)):
                tracks = self._tracks_of_band(ring, number)
                if not tracks:
                    continue
                if self.runs:
                    wedge += disk["head_skew"] if turn else disk["ring_skew"]
                self._lay_band(number, tracks, step, wedge, flaws[number], irregular[number],
                               borders[number])
                self.bands += 1
                wedge = (wedge + disk["track_skew"] * (len(tracks) - 1)) % self.wedges
            ring += 1
            if self._tracks_of_band(ring, 0).start >= self.surfaces[0].tracks:
                break
        self.rings = ring
        if self.sector < self.sectors:
            raise ValueError(f"the disks have room for {self.sector} sectors, not for {self.sectors}")

    def _lay_band(self, number, tracks, step, wedge, flaws, irregular, borders):
        """A run for each stretch of like tracks, from the band's first in sequence to its last."""
        cuts = {tracks.start, tracks.stop}
        cuts.update(borders[bisect.bisect_left(borders, tracks.start):
                            bisect.bisect_left(borders, tracks.stop)])
        for track in irregular[bisect.bisect_left(irregular, tracks.start):
                               bisect.bisect_left(irregular, tracks.stop)]:
            cuts.update((track, track + 1))
        cuts = sorted(cuts)
        stretches = list(zip(cuts, cuts[1:]))
        for low, high in stretches if step == 1 else reversed(stretches):
            holes = flaws.get(low, ()) if high - low == 1 else ()
            if holes is None:
                continue
            first = low if step == 1 else high - 1
            at = wedge + self.config["disk"]["track_skew"] * abs(first - (tracks[0] if step == 1 else tracks[-1]))
            self._lay_run(number, first, high - low, step, at, tuple(holes))

    def _lay_run(self, number, track, tracks, step, wedge, holes):
        disk, surface = self.config["disk"], self.surfaces[number]
        sectors = surface.sectors_at(track)
        # Wedges were not written on a perfect radius: wedge 0 turns a little on the way inwards.
        twist = disk["twist_rev"] / surface.tracks
        self.runs.append(Run(self.sector, tracks, sectors,
                             (wedge / self.wedges + surface.index_rev + twist * track) % 1.0,
                             disk["track_skew"] / self.wedges + twist * step, number, track, step, holes))
        self.sector += tracks * sectors - sum(count for _, count in holes)

    # Where a sector is.

    def run_of(self, number):
        return self.runs[bisect.bisect_right(self.firsts, number) - 1]

    def home(self, number):
        """(run, track of the run, rank on the track) of a sector by the sequence alone."""
        run = self.runs[bisect.bisect_right(self.firsts, number) - 1]
        if run.holes:
            return run, 0, number - run.first
        track, rank = divmod(number - run.first, run.sectors)
        return run, track, rank

    def place(self, number):
        """Where a sector really is."""
        if number in self.moved:
            return self.moved[number]
        run, k, rank = self.home(number)
        sector = sector_of_rank(run.holes, rank) if run.holes else rank
        return Place(run.surface, run.track + run.step * k, sector, run.sectors,
                     (run.angle + run.angle_step * k) % 1.0)

    def find(self, lbn):
        """As the older alien's platters say it: (track, sector)."""
        place = self.place(lbn // self.blocks_a_sector)
        return place, place.sector

    def begins(self, sector, sectors):
        """Which part of a revolution behind the track's beginning a sector begins: where a wedge
        begins the servo burst passes first."""
        whole, part = divmod(sector * self.wedges / sectors, 1.0)
        return (whole + self.burst + (1 - self.burst) * part) / self.wedges

    def ends(self, sector, sectors):
        """...and ends, in front of the burst."""
        at = (sector + 1) * self.wedges / sectors
        whole = math.ceil(at - 1e-9) - 1
        return (whole + self.burst + (1 - self.burst) * (at - whole)) / self.wedges

    # Sectors that failed in use, and live in a spare area.

    def _move_sectors(self):
        chance = random.Random(f"moved {self.config['individual']}")
        used = [0] * len(self.pools)
        for _ in range(self.config["spare"]["moved"] if self.pools else 0):
            number = chance.randrange(self.sectors)
            home = self.place(number)
            nearest = min(range(len(self.pools)), key=lambda i: abs(
                self.surfaces[home.head].radius_mm(home.cylinder) -
                self.surfaces[self.pools[i][1]].radius_mm(self.pools[i][2][0])))
            spare = self._spare(self.pools[nearest], used[nearest])
            if spare and number not in self.moved:
                self.moved[number] = spare
                used[nearest] += 1

    def _spare(self, pool, used):
        _, number, tracks = pool
        surface = self.surfaces[number]
        for track in tracks:
            sectors = surface.sectors_at(track)
            if used < sectors:
                return Place(number, track, used, sectors, surface.index_rev % 1.0)
            used -= sectors
        return None
