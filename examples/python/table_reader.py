#!/usr/bin/env python3
"""Reads a table file (*.ptab, version 1) without any library: where blocks lie, and how long seeks take.

    table_reader.py FILE.ptab LBN...

Written from docs/table.md and its schema. Angles are fractions of a revolution times 2^64, times nanoseconds."""

import bisect
import collections
import itertools
import struct
import sys

# Of the cache, which is not read here.
PASSED_OVER = {"read_ahead_streams", "read_ahead_fixed_end", "segments_grow"}
TURN = 1 << 64
STRETCH = 1 << 31
TRACK, GROUP, TRACK_LIST, RUN_LIST, ZONE_LIST = range(5)

Node = collections.namedtuple("Node", "angle angle_step cylinder cylinder_step head head_step count sectors first items "
                              "kind")
ListedTrack = collections.namedtuple("ListedTrack", "angle sectors cylinder head")
RunList = collections.namedtuple("RunList", "first_jump first_cylinder first_course first_size")
Course = collections.namedtuple("Course", "angle_step count cylinder_step head head_step")
Stretch = collections.namedtuple("Stretch", "shift sequential period gap")
FORMS = {Node: "<QQiihhIIIIB3x", ListedTrack: "<QIih2x4x", RunList: "<IIII", Course: "<QIihh4x", Stretch: "<QQQQ"}

Place = collections.namedtuple("Place", "cylinder head sector sectors angle zone")
Run = collections.namedtuple("Run", "slot angle cylinder course sectors")


class FlatTable:
    """One of FlatBuffers' tables: its fields by their numbers."""

    def __init__(self, data, at):
        self.data = data
        back, = struct.unpack_from("<i", data, at)
        size, = struct.unpack_from("<H", data, at - back)
        offsets = struct.unpack_from(f"<{size // 2 - 2}H", data, at - back + 4)
        self.fields = {number: at + offset for number, offset in enumerate(offsets) if offset}

    def number(self, form, field, default=0):
        return struct.unpack_from("<" + form, self.data, self.fields[field])[0] if field in self.fields else default

    def follow(self, field):
        return self.fields[field] + self.number("I", field)

    def table(self, field):
        return FlatTable(self.data, self.follow(field))

    def bytes(self, field, size=1):
        if field not in self.fields:
            return b""
        at = self.follow(field)
        count, = struct.unpack_from("<I", self.data, at)
        return self.data[at + 4:at + 4 + count * size]

    def text(self, field):
        return self.bytes(field).decode()

    def texts(self, field):
        if field not in self.fields:
            return []
        at = self.follow(field)
        count, = struct.unpack_from("<I", self.data, at)
        places = [at + 4 + 4 * i for i in range(count)]
        begins = [place + struct.unpack_from("<I", self.data, place)[0] for place in places]
        return [self.data[begin + 4:begin + 4 + struct.unpack_from("<I", self.data, begin)[0]].decode()
                for begin in begins]

    def numbers(self, form, field):
        return [number for number, in struct.iter_unpack("<" + form, self.bytes(field, struct.calcsize(form)))]

    def structs(self, kind, field):
        return [kind._make(item) for item in struct.iter_unpack(FORMS[kind],
                                                                self.bytes(field, struct.calcsize(FORMS[kind])))]


class Table:
    def __init__(self, data):
        if data[4:8] != b"PTAB":
            raise ValueError("no table file")
        drive = FlatTable(data, struct.unpack_from("<I", data, 0)[0])
        if drive.number("H", 1) != 1 or set(drive.texts(4)) - PASSED_OVER:
            raise ValueError("a table that this reader does not know")
        self.drive = drive
        self.name = drive.table(5).text(0)
        self.model_sha256 = drive.table(6).text(3)
        self.motion, self.overheads, self.cache = drive.table(9), drive.table(11), drive.table(13)
        self.read_seeks(drive.table(10))
        self.read_layout(drive.table(15))
        self.blocks = drive.table(5).number("Q", 5) or self.first_lbns[-1]

    # ---- where blocks lie

    def read_layout(self, layout):
        self.nodes = layout.structs(Node, 1)
        self.roots = layout.number("I", 0)
        self.tracks = layout.structs(ListedTrack, 2)
        courses, sizes = layout.structs(Course, 4), layout.numbers("I", 5)
        jumps, cylinders = layout.numbers("I", 6), layout.numbers("i", 7)
        run_courses, run_sizes = layout.numbers("H", 8), layout.numbers("H", 9)

        def runs(where, count):
            slot = angle = 0
            for j in range(count):
                course, sectors = courses[run_courses[where.first_course + j]], sizes[run_sizes[where.first_size + j]]
                yield Run(slot, angle, cylinders[where.first_cylinder + j], course, sectors)
                slot += course.count * sectors
                if j + 1 < count:
                    angle += course.count * course.angle_step + (jumps[where.first_jump + j] << 32)

        listed = (node.items for node in self.nodes if node.kind in (RUN_LIST, ZONE_LIST))
        self.lists = [list(runs(where, count)) for where, count in zip(layout.structs(RunList, 3), listed)]
        self.first_lbns = [0, *itertools.accumulate(layout.numbers("I", 10))]
        self.shifts, self.stretches = layout.numbers("I", 11), layout.structs(Stretch, 12)
        self.slots = [0] * len(self.nodes)  # of one instance of each node
        self.starts = [[]] * len(self.nodes)  # of what a node holds, from its instance's first slot
        for number in reversed(range(len(self.nodes))):
            self.starts[number] = starts = [0, *itertools.accumulate(self.sizes_in(self.nodes[number]))]
            self.slots[number] = starts[-1]
        held = (self.slots[r] * self.nodes[r].count for r in range(self.roots))
        zones = (node.items if node.kind == ZONE_LIST else 1 for node in self.nodes[:self.roots])
        self.root_starts = [0, *itertools.accumulate(held)]
        self.root_zones = [0, *itertools.accumulate(zones)]
        self.piece_slots = [first + self.as_stretch(piece).sequential for piece, first in enumerate(self.first_lbns[:-1])]
        self.remapped = {self.slot(first): first for piece, first in enumerate(self.first_lbns[:-1])
                         if self.as_stretch(piece).shift != self.as_stretch(piece).sequential}

    def sizes_in(self, node):
        if node.kind == TRACK:
            return [node.sectors]
        if node.kind == GROUP:
            return [self.slots[n] * self.nodes[n].count for n in range(node.first, node.first + node.items)]
        if node.kind == TRACK_LIST:
            return [track.sectors for track in self.tracks[node.first:node.first + node.items]]
        return [run.course.count * run.sectors for run in self.lists[node.first]]

    def as_stretch(self, piece):
        shift = self.shifts[piece]
        return Stretch(shift, shift, 0, 0) if shift < STRETCH else self.stretches[shift - STRETCH]

    def slot(self, lbn):
        """The physical sector of a block, in layout order."""
        piece = bisect.bisect_right(self.first_lbns, lbn) - 1
        stretch = self.as_stretch(piece)
        steps = (lbn - self.first_lbns[piece]) // stretch.period if stretch.period else 0
        return (lbn + stretch.shift + steps * stretch.gap) % TURN

    def lbn(self, slot):
        """The block in a sector, or None."""
        if slot in self.remapped:
            return self.remapped[slot]
        piece = bisect.bisect_right(self.piece_slots, slot) - 1
        if piece < 0:
            return None
        stretch, into = self.as_stretch(piece), slot - self.piece_slots[piece]
        if stretch.period:
            step, rest = divmod(into, stretch.period + stretch.gap)
            if rest >= stretch.period:
                return None
            into = step * stretch.period + rest
        lbn = self.first_lbns[piece] + into
        return lbn if lbn < self.first_lbns[piece + 1] and self.slot(lbn) == slot else None

    def place(self, slot):
        number = bisect.bisect_right(self.root_starts, slot) - 1
        zone, rest = self.root_zones[number], slot - self.root_starts[number]
        cylinder = head = angle = 0
        while True:
            node, starts = self.nodes[number], self.starts[number]
            i, rest = divmod(rest, self.slots[number])
            cylinder += node.cylinder + i * node.cylinder_step
            head += node.head + i * node.head_step
            angle += node.angle + i * node.angle_step
            item = bisect.bisect_right(starts, rest) - 1
            rest -= starts[item]
            if node.kind == GROUP:
                number = node.first + item
                continue
            if node.kind == TRACK:
                sectors = node.sectors
            elif node.kind == TRACK_LIST:
                track = self.tracks[node.first + item]
                sectors, cylinder, head, angle = (track.sectors, cylinder + track.cylinder, head + track.head,
                                                  angle + track.angle)
            else:
                run = self.lists[node.first][item]
                i, rest = divmod(rest, run.sectors)
                sectors, zone = run.sectors, zone + (item if node.kind == ZONE_LIST else 0)
                cylinder += run.cylinder + i * run.course.cylinder_step
                head += run.course.head + i * run.course.head_step
                angle += run.angle + i * run.course.angle_step
            return Place(cylinder, head, rest, sectors, (angle + rest * ((TURN - 1) // sectors)) % TURN, zone)

    # ---- how long seeks take

    def read_seeks(self, seek):
        self.curves = seek.number("I", 0, 1)
        self.distances, times = seek.numbers("Q", 1), seek.numbers("q", 2)
        points = len(self.distances)
        self.times_ns = [times[curve * points:(curve + 1) * points] for curve in range(self.curves)]

    def seek_ns(self, cylinders, outward=False, write=False):
        """Of writes with the settle in it, where the table has four curves."""
        if cylinders == 0:
            return 0
        times = self.times_ns[outward + 2 * write if self.curves == 4 else 0]
        point = max(0, bisect.bisect_right(self.distances, cylinders) - 1)
        low = min(point, len(times) - 2)  # the last line goes on
        run, rise = self.distances[low + 1] - self.distances[low], (times[low + 1] - times[low]) << 24
        slope = (abs(rise) + run // 2) // run * (-1 if rise < 0 else 1)
        return max(0, times[point] + ((slope * (cylinders - self.distances[point]) + (1 << 23)) >> 24))


def main(path, *lbns):
    with open(path, "rb") as file:
        table = Table(file.read())
    print(f"{table.name}: {table.blocks} blocks")
    before = 0
    for lbn in map(int, lbns):
        place = table.place(table.slot(lbn))
        seek_ns = table.seek_ns(abs(place.cylinder - before))
        print(f"{lbn}: cylinder {place.cylinder}, head {place.head}, sector {place.sector} of {place.sectors}, "
              f"angle {place.angle / TURN:.9f}, seek {seek_ns} ns")
        before = place.cylinder


if __name__ == "__main__":
    main(*sys.argv[1:])
