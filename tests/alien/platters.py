"""Where the blocks are: a list of tracks, each with the list of what its sectors hold.

Nothing is compact or clever here. A track's sectors, in the order in which they pass under the
head, are a list of LBNs with None for a sector that holds no block (a spare, or a defect); the list
of a plain track is a `range`, which Python makes as cheap as its two ends.
"""

import bisect
import random


class Track:
    __slots__ = ("cylinder", "head", "zone", "sectors", "angle", "lbns", "index")

    def __init__(self, cylinder, head, zone, sectors, angle):
        self.cylinder = cylinder
        self.head = head
        self.zone = zone
        self.sectors = sectors  # how many pass in one revolution
        self.angle = angle      # revolutions, where sector 0 begins
        self.lbns = None        # one entry for each sector
        self.index = 0

    def angle_of(self, sector):
        return (self.angle + sector / self.sectors) % 1.0


def zone_order(zone, heads, order, first_cylinder, band):
    """(cylinder, head) of a zone's tracks as LBNs run through them."""
    cylinders = range(first_cylinder, first_cylinder + zone["cylinders"])
    if order == "head-first":
        for cylinder in cylinders:
            for head in range(heads):
                yield cylinder, head
    elif order == "cylinder-serpentine":
        for cylinder in cylinders:
            back = (cylinder - first_cylinder) % 2
            for head in (range(heads - 1, -1, -1) if back else range(heads)):
                yield cylinder, head
    elif order == "surface-serpentine":
        for start in range(0, len(cylinders), band):
            here = cylinders[start:start + band]
            for head in range(heads):
                for cylinder in (reversed(here) if head % 2 else here):
                    yield cylinder, head
    else:
        raise ValueError(f"order of tracks {order!r} is unknown")


class Platters:
    def __init__(self, config):
        self.heads = config["heads"]
        self.numbering = config["sector_numbers"]  # "first-block" or "index"
        self.tracks = []
        self.remaps = {}         # lbn -> (track, sector) where it really is
        self.defects = []        # (track, sector): slipped over
        self.grown = []          # (track, sector): its block was moved
        self._lay_tracks(config)
        self.at = {(track.cylinder, track.head): track for track in self.tracks}
        self.cylinders = max(track.cylinder for track in self.tracks) + 1
        self._find_slips(config)
        self._number_blocks(config)
        self.used = [track for track in self.tracks if self._first_lbn(track) is not None]
        self.first_lbns = [self._first_lbn(track) for track in self.used]
        self._move_blocks(config)

    def _lay_tracks(self, config):
        cylinder = 0
        for number, zone in enumerate(config["zones"]):
            angle, before = zone["angle"], None
            for c, h in zone_order(zone, self.heads, config["order"], cylinder, config["band"]):
                if before is not None:
                    skew = zone["track_skew"] if c == before else zone["cylinder_skew"]
                    angle = (angle + skew / zone["sectors"]) % 1.0
                self.tracks.append(Track(c, h, number, zone["sectors"], angle))
                before = c
            cylinder += zone["cylinders"]
        for index, track in enumerate(self.tracks):
            track.index = index

    def _find_slips(self, config):
        given = config["slipped"]
        if isinstance(given, int):
            chance = random.Random(f"slips {config['individual']}")
            places = set()
            room = self._spares_by_unit(config)
            if sum(max(0, spares - 1) for spares in room.values()) < given:
                raise ValueError("more slipped sectors than spares")
            while len(places) < given:
                track = chance.choice(self.tracks)
                place = (track.index, chance.randrange(track.sectors))
                unit = self._unit(track, config)
                if place not in places and room[unit] > 1:
                    room[unit] -= 1
                    places.add(place)
            places = sorted(places)
        else:
            places = sorted((self.at[c, h].index, s) for c, h, s in given)
        self.defects = [(self.tracks[i], s) for i, s in places]

    @staticmethod
    def _unit(track, config):
        """Tracks that share spare sectors have the same unit."""
        scheme = config["spare_scheme"]
        if scheme == "zone":
            return track.zone
        if scheme == "cylinder":
            return track.cylinder
        if scheme == "track":
            return track.index
        raise ValueError(f"spare scheme {scheme!r} is unknown")

    def _spares_by_unit(self, config):
        return {self._unit(track, config): config["zones"][track.zone]["spares"]
                for track in self.tracks}

    def _number_blocks(self, config):
        bad = {}
        for track, sector in self.defects:
            bad.setdefault(track.index, set()).add(sector)
        left = self._spares_by_unit(config)
        for unit in left:
            left[unit] = -left[unit]
        for track in self.tracks:
            left[self._unit(track, config)] += track.sectors
        lbn = 0
        for track in self.tracks:
            unit = self._unit(track, config)
            if track.index not in bad and left[unit] >= track.sectors:
                track.lbns = range(lbn, lbn + track.sectors)
                lbn += track.sectors
                left[unit] -= track.sectors
                continue
            track.lbns = []
            for sector in range(track.sectors):
                if sector in bad.get(track.index, ()) or left[unit] == 0:
                    track.lbns.append(None)
                else:
                    track.lbns.append(lbn)
                    lbn += 1
                    left[unit] -= 1
        if any(left.values()):
            raise ValueError("more slipped sectors than spares")
        self.blocks = lbn

    def _move_blocks(self, config):
        given = config["remapped"]
        if not isinstance(given, int):
            for lbn in given:
                if not self._move_block(lbn, config):
                    raise ValueError(f"no spare sector is left for block {lbn}")
            return
        chance = random.Random(f"remaps {config['individual']}")
        for _ in range(100 * given):
            lbn = chance.randrange(self.blocks)
            if len(self.remaps) < given and lbn not in self.remaps:
                self._move_block(lbn, config)
        if len(self.remaps) < given:
            raise ValueError("more remapped blocks than spares")

    def _move_block(self, lbn, config):
        track, home = self.find(lbn)
        spare = self._free_spare(track, config)
        if spare is None:
            return False
        track.lbns = list(track.lbns)
        track.lbns[home] = None
        self.grown.append((track, home))
        there, sector = spare
        there.lbns = list(there.lbns)
        there.lbns[sector] = lbn
        self.remaps[lbn] = spare
        return True

    def _free_spare(self, track, config):
        defective = {(t.index, s) for t, s in self.defects + self.grown}
        unit = self._unit(track, config)
        for other in self.tracks:
            if isinstance(other.lbns, range) or self._unit(other, config) != unit:
                continue
            for sector, lbn in enumerate(other.lbns):
                if lbn is None and (other.index, sector) not in defective:
                    return other, sector
        return None

    @staticmethod
    def _first_lbn(track):
        return next((lbn for lbn in track.lbns if lbn is not None), None)

    def sequence_of(self, track):
        """(first LBN, number of LBNs, sector of the first) of the blocks that are in sequence."""
        own = [(sector, lbn) for sector, lbn in enumerate(track.lbns)
               if lbn is not None and self.remaps.get(lbn) != (track, sector)]
        if not own:
            return None
        return own[0][1], len(own), own[0][0]

    def find(self, lbn):
        """(track, sector) of a block."""
        if lbn in self.remaps:
            return self.remaps[lbn]
        track = self.used[bisect.bisect_right(self.first_lbns, lbn) - 1]
        if isinstance(track.lbns, range):
            return track, lbn - track.lbns.start
        return track, track.lbns.index(lbn)

    def number_of(self, track, sector):
        """The sector number that the firmware tells the world."""
        return (sector + self._first_number(track)) % track.sectors

    def sector_of(self, track, number):
        """The way back."""
        return (number - self._first_number(track)) % track.sectors

    def _first_number(self, track):
        if self.numbering == "first-block":
            return 0
        # An angle of whole sectors may have come out a little less.
        return int(track.angle * track.sectors + 1e-6)

    def last_of_cylinder(self, lbn):
        """The last block before the sequence leaves the cylinder of `lbn`."""
        at = bisect.bisect_right(self.first_lbns, lbn) - 1
        cylinder = self.used[at].cylinder
        while at + 1 < len(self.used) and self.used[at + 1].cylinder == cylinder:
            at += 1
        return (self.first_lbns[at + 1] if at + 1 < len(self.used) else self.blocks) - 1

    def last_of_track(self, lbn):
        at = bisect.bisect_right(self.first_lbns, lbn)
        return (self.first_lbns[at] if at < len(self.used) else self.blocks) - 1
