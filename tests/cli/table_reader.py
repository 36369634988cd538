"""A reader of table files (*.ptab) that knows only what docs/table.md says: no line is shared with
the program, and no library is needed. It maps blocks to places and angles, and back.
"""

import bisect
import collections
import struct

VERSION = 5
FIELDS = ("version platter identity provenance demerits note validity motion overheads bus cache "
          "queue totals nodes tracks extents zone_slots zone_buckets piece_lbns piece_shifts "
          "piece_buckets stretches remaps seek_distances seek_lines seek_buckets written").split()
TURN = 1 << 64
STRETCH = 1 << 31
TRACK_LIST = 1 << 31
PADDING = [TURN - 1] * 4

Totals = collections.namedtuple("Totals", "slots blocks tracks cylinders heads zones zone_shift "
                                "piece_shift reserved")
Node = collections.namedtuple("Node", "angle angle_step first_slot slots reciprocal cylinder "
                              "cylinder_step head head_step sectors first_child children")
Extent = collections.namedtuple("Extent", "tracks cylinder_low cylinder_high head_low head_high "
                                "count reserved")
Track = collections.namedtuple("Track", "angle first_slot sectors cylinder head reserved")
Stretch = collections.namedtuple("Stretch", "shift sequential period reciprocal gap")
Remap = collections.namedtuple("Remap", "lbn slot")
SeekLine = collections.namedtuple("SeekLine", "time_ns slope")
Motion = collections.namedtuple("Motion", "numerator_ns denominator head_switch_ns write_settle_ns "
                                "inward_seek_ns seek_shift seek_curves")
Place = collections.namedtuple("Place", "cylinder head sector angle")

FORMS = {Totals: "<QQQIIIIII", Node: "<QQQQQiihhIII", Track: "<QIIihH", Extent: "<QiiiiII",
         Stretch: "<QQQQQ", Remap: "<QQ", SeekLine: "<qq", Motion: "<QQqqqII"}


class Envelope:
    """The FlatBuffers form: the root table's fields, by number."""

    def __init__(self, data):
        if data[4:8] != b"PTAB" or len(data) % 8:
            raise ValueError("no table file")
        self.data = data
        root, = struct.unpack_from("<I", data, 0)
        self.fields = self.table(root)

    def table(self, at):
        """Position of each field that is there, by number."""
        back, = struct.unpack_from("<i", self.data, at)
        size, = struct.unpack_from("<H", self.data, at - back)
        offsets = struct.unpack_from(f"<{size // 2 - 2}H", self.data, at - back + 4)
        return {number: at + offset for number, offset in enumerate(offsets) if offset}

    def follow(self, at):
        return at + struct.unpack_from("<I", self.data, at)[0]

    def string(self, at):
        at = self.follow(at)
        length, = struct.unpack_from("<I", self.data, at)
        return self.data[at + 4:at + 4 + length].decode()

    def struct(self, kind, name):
        return kind._make(struct.unpack_from(FORMS[kind], self.data, self.field(name)))

    def structs(self, kind, name):
        at = self.follow(self.field(name))
        count, = struct.unpack_from("<I", self.data, at)
        size = struct.calcsize(FORMS[kind])
        return [kind._make(item) for item in
                struct.iter_unpack(FORMS[kind], self.data[at + 4:at + 4 + count * size])]

    def numbers(self, form, name):
        at = self.follow(self.field(name))
        count, = struct.unpack_from("<I", self.data, at)
        return list(struct.unpack_from(f"<{count}{form}", self.data, at + 4))

    def field(self, name):
        return self.fields[FIELDS.index(name)]


class Index:
    """An ascending, padded array and the buckets over it."""

    def __init__(self, keys, buckets, shift):
        if keys[-4:] != PADDING:
            raise ValueError("an array without its padding")
        self.keys, self.buckets, self.shift = keys[:-4], buckets, shift

    def last_not_above(self, key):
        bucket = key >> self.shift
        low, high = self.buckets[bucket:bucket + 2]
        return bisect.bisect_right(self.keys, key, low, high) - 1


class Table:
    def __init__(self, data):
        envelope = Envelope(data)
        self.version, = struct.unpack_from("<I", data, envelope.field("version"))
        if self.version != VERSION:
            raise ValueError(f"a table of version {self.version}")
        identity = envelope.table(envelope.follow(envelope.field("identity")))
        self.name = envelope.string(identity[0])
        self.blocks, = struct.unpack_from("<Q", data, identity[5])
        provenance = envelope.table(envelope.follow(envelope.field("provenance")))
        self.model_sha256 = envelope.string(provenance[3])
        self.totals = envelope.struct(Totals, "totals")
        self.motion = envelope.struct(Motion, "motion")
        self.nodes = envelope.structs(Node, "nodes")
        self.tracks = envelope.structs(Track, "tracks")
        self.extents = envelope.structs(Extent, "extents")
        self.stretches = envelope.structs(Stretch, "stretches")
        self.shifts = envelope.numbers("I", "piece_shifts")
        self.lbn_of_remapped_slot = {r.slot: r.lbn for r in envelope.structs(Remap, "remaps")}
        self.lines = envelope.structs(SeekLine, "seek_lines")
        self.zones = Index(envelope.numbers("Q", "zone_slots"),
                           envelope.numbers("I", "zone_buckets"), self.totals.zone_shift)
        self.pieces = Index(envelope.numbers("Q", "piece_lbns"),
                            envelope.numbers("I", "piece_buckets"), self.totals.piece_shift)
        self.distances = Index(envelope.numbers("Q", "seek_distances"),
                               envelope.numbers("I", "seek_buckets"), self.motion.seek_shift)
        self.piece_slots = [self.sequential_slot(lbn) for lbn in self.pieces.keys]

    def stretch(self, piece):
        """Every piece as a stretch."""
        shift = self.shifts[piece]
        if shift < STRETCH:
            return Stretch(shift, shift, 0, 0, 0)
        return self.stretches[shift - STRETCH]

    def steps(self, lbn):
        piece = self.pieces.last_not_above(lbn)
        stretch = self.stretch(piece)
        into = lbn - self.pieces.keys[piece]
        return stretch, into // stretch.period if stretch.period else 0

    def slot(self, lbn):
        stretch, steps = self.steps(lbn)
        return (lbn + stretch.shift + steps * stretch.gap) % TURN

    def sequential_slot(self, lbn):
        stretch, steps = self.steps(lbn)
        return (lbn + stretch.sequential + steps * stretch.gap) % TURN

    def lbn(self, slot):
        """The block in a slot, or None."""
        if slot in self.lbn_of_remapped_slot:
            return self.lbn_of_remapped_slot[slot]
        piece = bisect.bisect_right(self.piece_slots, slot) - 1
        if piece < 0:
            return None
        stretch = self.stretch(piece)
        into = slot - self.piece_slots[piece]
        if stretch.period:
            step, rest = divmod(into, stretch.period + stretch.gap)
            if rest >= stretch.period:
                return None
            into = step * stretch.period + rest
        lbn = self.pieces.keys[piece] + into
        end = self.pieces.keys[piece + 1] if piece + 1 < len(self.shifts) else self.totals.blocks
        return None if lbn >= end or self.slot(lbn) != slot else lbn

    def place(self, slot):
        nodes = self.nodes[:self.totals.zones]
        index = self.zones.last_not_above(slot)
        rest, cylinder, head, angle = slot, 0, 0, 0
        while True:
            node = nodes[index]
            instance, rest = divmod(rest - node.first_slot, node.slots)
            cylinder += node.cylinder + instance * node.cylinder_step
            head += node.head + instance * node.head_step
            angle = (angle + node.angle + instance * node.angle_step) % TURN
            if node.sectors:
                return Place(cylinder, head, rest, (angle + rest * node.reciprocal) % TURN)
            if node.children >= TRACK_LIST:
                tracks = self.tracks[node.first_child:node.first_child + node.children - TRACK_LIST]
                track = tracks[bisect.bisect_right([t.first_slot for t in tracks], rest) - 1]
                sector = rest - track.first_slot
                angle += track.angle + sector * ((TURN - 1) // track.sectors)
                return Place(cylinder + track.cylinder, head + track.head, sector, angle % TURN)
            nodes = self.nodes[node.first_child:node.first_child + node.children]
            index = bisect.bisect_right([child.first_slot for child in nodes], rest) - 1

    def seek_ns(self, cylinders, outward=False, write=False):
        """Of writes with the settle in it, where the table has four curves."""
        if cylinders == 0:
            return 0
        point = max(0, self.distances.last_not_above(min(cylinders, self.distances.keys[-1])))
        curve = outward + 2 * write if self.motion.seek_curves == 4 else 0
        line = self.lines[curve * len(self.distances.keys) + point]
        along = cylinders - self.distances.keys[point]
        return max(0, line.time_ns + ((line.slope * along + (1 << 23)) >> 24))
