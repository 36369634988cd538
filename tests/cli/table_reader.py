"""A reader of table files (*.ptab) that knows only what docs/table.md says: no line is shared with
the program, and no library is needed. It maps blocks to places and angles, and back.
"""

import bisect
import collections
import struct

VERSION = 6
FIELDS = ("version platter identity provenance demerits note validity motion overheads bus cache "
          "queue totals nodes tracks run_lists courses sizes run_jumps run_cylinders run_courses "
          "run_sizes chunk_slots chunk_angles extents root_slots root_buckets root_zones piece_lbns "
          "piece_shifts piece_buckets stretches remaps seek_distances seek_lines seek_buckets "
          "written").split()
TURN = 1 << 64
STRETCH = 1 << 31
TRACK_LIST = 1 << 31
RUN_LIST = 1 << 30
RUNS_ARE_ZONES = 1 << 29
CHUNK = 8
PADDING = [TURN - 1] * 4

Totals = collections.namedtuple("Totals", "slots blocks tracks cylinders heads zones roots "
                                "root_shift piece_shift")
Node = collections.namedtuple("Node", "angle angle_step first_slot slots reciprocal cylinder "
                              "cylinder_step head head_step sectors first_child children")
RunList = collections.namedtuple("RunList", "first_jump first_cylinder first_course first_size "
                                 "first_chunk")
Course = collections.namedtuple("Course", "angle_step count cylinder_step head head_step reserved")
Size = collections.namedtuple("Size", "reciprocal sectors reserved")
Extent = collections.namedtuple("Extent", "cylinder_low cylinder_high head_low head_high count")
Track = collections.namedtuple("Track", "angle first_slot sectors cylinder head reserved")
Stretch = collections.namedtuple("Stretch", "shift sequential period reciprocal gap")
Remap = collections.namedtuple("Remap", "lbn slot")
SeekLine = collections.namedtuple("SeekLine", "time_ns slope")
Motion = collections.namedtuple("Motion", "numerator_ns denominator head_switch_ns write_settle_ns "
                                "inward_seek_ns seek_shift seek_curves")
Place = collections.namedtuple("Place", "cylinder head sector angle zone")
Run = collections.namedtuple("Run", "slot angle cylinder course size")

FORMS = {Totals: "<QQQIIIIII", Node: "<QQQQQiihhIII", Track: "<QIIihH", Extent: "<iihhI",
         RunList: "<IIIII", Course: "<QIihhI", Size: "<QII", Stretch: "<QQQQQ", Remap: "<QQ", SeekLine: "<qq", Motion: "<QQqqqII"}


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
        self.courses = envelope.structs(Course, "courses")
        self.sizes = envelope.structs(Size, "sizes")
        self.jumps = envelope.numbers("I", "run_jumps")
        self.run_cylinders = envelope.numbers("i", "run_cylinders")
        self.run_courses = envelope.numbers("H", "run_courses")
        self.run_sizes = envelope.numbers("H", "run_sizes")
        self.chunk_slots = envelope.numbers("I", "chunk_slots")
        self.chunk_angles = envelope.numbers("Q", "chunk_angles")
        self.lists = [self.runs(run_list, node.children & (RUNS_ARE_ZONES - 1)) for run_list, node in
                      zip(envelope.structs(RunList, "run_lists"),
                          (node for node in self.nodes if node.children & RUN_LIST))]
        self.root_zones = (envelope.numbers("I", "root_zones")
                           or list(range(self.totals.roots)))
        self.stretches = envelope.structs(Stretch, "stretches")
        self.shifts = envelope.numbers("I", "piece_shifts")
        self.lbn_of_remapped_slot = {r.slot: r.lbn for r in envelope.structs(Remap, "remaps")}
        self.lines = envelope.structs(SeekLine, "seek_lines")
        self.roots = Index(envelope.numbers("Q", "root_slots"),
                           envelope.numbers("I", "root_buckets"), self.totals.root_shift)
        self.pieces = Index(self.first_lbns(envelope.numbers("I", "piece_lbns")) + PADDING,
                            envelope.numbers("I", "piece_buckets"), self.totals.piece_shift)
        self.distances = Index(envelope.numbers("Q", "seek_distances"),
                               envelope.numbers("I", "seek_buckets"), self.motion.seek_shift)
        self.piece_slots = [self.sequential_slot(lbn) for lbn in self.pieces.keys]

    def first_lbns(self, lows):
        """From their low halves, whose padding ends the last piece."""
        lbns = [0]
        for before, low in zip(lows, lows[1:-3]):
            lbns.append(lbns[-1] + (low - before) % (1 << 32))
        if lows[0] or lows[-4:] != [self.totals.blocks % (1 << 32)] * 4:
            raise ValueError("an array without its padding")
        if lbns.pop() != self.totals.blocks:
            raise ValueError("pieces that do not end where the blocks do")
        return lbns

    def runs(self, run_list, count):
        """From the first on; where every eighth begins must be what the table says."""
        runs, slot, angle = [], 0, 0
        for j in range(count):
            chunk, rest = divmod(j, CHUNK)
            if not rest:
                at = run_list.first_chunk + chunk
                if (slot, angle) != (self.chunk_slots[at], self.chunk_angles[at]):
                    raise ValueError("a chunk that begins elsewhere")
            course = self.courses[self.run_courses[run_list.first_course + j]]
            size = self.sizes[self.run_sizes[run_list.first_size + j]]
            cylinder = self.run_cylinders[run_list.first_cylinder + j]
            runs.append(Run(slot, angle, cylinder, course, size))
            slot += course.count * size.sectors
            if j + 1 < count:
                jump = self.jumps[run_list.first_jump + j] << 32
                angle = (angle + course.count * course.angle_step + jump) % TURN
        return runs

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
        nodes = self.nodes[:self.totals.roots]
        index = self.roots.last_not_above(slot)
        zone = self.root_zones[index]
        rest, cylinder, head, angle = slot, 0, 0, 0
        while True:
            node = nodes[index]
            instance, rest = divmod(rest - node.first_slot, node.slots)
            cylinder += node.cylinder + instance * node.cylinder_step
            head += node.head + instance * node.head_step
            angle = (angle + node.angle + instance * node.angle_step) % TURN
            if not node.children:
                return Place(cylinder, head, rest, (angle + rest * node.reciprocal) % TURN, zone)
            if node.children & TRACK_LIST:
                tracks = self.tracks[node.first_child:node.first_child + node.children - TRACK_LIST]
                track = tracks[bisect.bisect_right([t.first_slot for t in tracks], rest) - 1]
                sector = rest - track.first_slot
                angle += track.angle + sector * ((TURN - 1) // track.sectors)
                return Place(cylinder + track.cylinder, head + track.head, sector, angle % TURN,
                             zone)
            if node.children & RUN_LIST:
                runs = self.lists[node.first_child]
                j = bisect.bisect_right([run.slot for run in runs], rest) - 1
                run, course = runs[j], runs[j].course
                i, sector = divmod(rest - run.slot, run.size.sectors)
                angle += run.angle + i * course.angle_step + sector * run.size.reciprocal
                return Place(cylinder + run.cylinder + i * course.cylinder_step,
                             head + course.head + i * course.head_step, sector, angle % TURN,
                             zone + (j if node.children & RUNS_ARE_ZONES else 0))
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
