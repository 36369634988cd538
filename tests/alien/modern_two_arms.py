"""two-arms:N, two of the modern drives on one spindle behind one logical unit: an arm for the first blocks, one for
those behind. Each has surfaces, memory and a queue of its own. An arm that sets off while the other one works shakes,
and is on its track so much later."""

import copy
import math
import struct

from modern_drive import ModernDrive
from modern_mechanics import MS, Arm
from modern_target import ModernTarget
from modern_variants import designed
from target import Queue


def two_arms(number):
    """The configuration of two-arms:N: that of modern:N twice, with what differs between two of a kind."""
    config = designed(number)
    config["product"] = "TWO ARMS"
    config["interference_us"] = 30.0 + 37.0 * number % 150
    config["scsi"].update(ata=False, seek=False, force_reads=True, force_writes=True, ignores_force=False,
                          verify="media")
    config["queue"] = {"depth": 32, "policy": config["queue"]["policy"]}
    return config


class ShakenArm(Arm):
    def __init__(self, *given):
        super().__init__(*given)
        self.other, self.late = None, 0.0

    def move(self, head, cylinder, t, write=False):
        t = max(t, self.busy_until)
        if (head, cylinder) != (self.head, self.cylinder) and self.other.media_free > t:
            t += self.late
        return super().move(head, cylinder, t, write)


class TwoArmDrive:
    def __init__(self, config, seed=1, noise=True):
        self.config = config
        second = copy.deepcopy(config)
        second["serial"] += "B"
        second["individual"] += 1
        self.halves = [ModernDrive(config, seed, noise), ModernDrive(second, seed + 1000, noise)]
        spindle = self.halves[0].spindle
        for half, other in zip(self.halves, reversed(self.halves)):
            half.spindle = spindle
            half.arm = ShakenArm(half.config, half.disks, spindle, half.chance, noise)
            half.arm.other, half.arm.late = other, config["interference_us"] * 1e-3 * MS
        self.first_blocks = self.halves[0].disks.blocks
        self.platters = self
        self.blocks = sum(half.disks.blocks for half in self.halves)
        self.working = self.halves[0]

    def half_of(self, lbn):
        return 0 if lbn < self.first_blocks else 1

    def _parts(self, lbn, count):
        end = lbn + count
        for half, (begin, behind) in zip(self.halves, ((0, self.first_blocks), (self.first_blocks, self.blocks))):
            first, last = max(lbn, begin), min(end, behind)
            if first < last:
                self.working = half
                yield half, first - begin, last - first

    def read(self, lbn, count, now, from_media=False):
        return max(half.read(first, part, now, from_media) for half, first, part in self._parts(lbn, count))

    def verify(self, lbn, count, now):
        return max(half.verify(first, part, now) for half, first, part in self._parts(lbn, count))

    def write(self, lbn, count, now, to_media=False):
        return max(half.write(first, part, now, to_media) for half, first, part in self._parts(lbn, count))

    def seek(self, lbn, now):
        return max(half.seek(first, now) for half, first, _ in self._parts(lbn, 1))

    def synchronize(self, now):
        return max(half.synchronize(now) for half in self.halves)

    def other(self, now, ms):
        return self.halves[0].other(now, ms)

    def set_cache(self, *settings):
        return max(half.set_cache(*settings) for half in self.halves)

    def distance(self, lbn):
        for half, first, _ in self._parts(lbn, 1):
            return half.distance(first)
        return math.inf

    @property
    def arm(self):
        return self.working.arm

    @property
    def hit(self):
        return self.working.hit


def shared(name):
    def put(drive, value):
        for half in drive.halves:
            setattr(half, name, value)
    return property(lambda drive: getattr(drive.halves[0], name), put)


for setting in ("read_cache", "write_cache", "read_ahead"):
    setattr(TwoArmDrive, setting, shared(setting))


class TwoArmTarget(ModernTarget):
    def _vital_product_data(self, page):
        if page == 0xB9:
            ranges = ((0, self.drive.first_blocks), (self.drive.first_blocks, self.blocks - self.drive.first_blocks))
            body = bytes(60) + b"".join(
                struct.pack(">BB6xQQ8x", number, len(self.config["disk"]["surfaces"]), first, blocks)
                for number, (first, blocks) in enumerate(ranges))
            return struct.pack(">BBH", 0, page, len(body)) + body
        if page == 0x00:
            pages = super()._vital_product_data(page)[4:] + b"\xb9"
            return struct.pack(">BBH", 0, page, len(pages)) + pages
        return super()._vital_product_data(page)


class TwoQueues(Queue):
    """Each arm takes its next command when it is free; what needs no arm is the first's."""

    def __init__(self, target, log=None):
        super().__init__(target, log)
        self.free_of = [0, 0]

    def _half_of(self, request):
        on_blocks = request.cdb[0] in (0x08, 0x28, 0x88, 0x0A, 0x2A, 0x8A, 0x2F, 0x8F, 0x2B)
        return self.target.drive.half_of(self.target._extent(request.cdb)[0]) if on_blocks else 0

    def _next_start(self):
        starts = []
        for half in (0, 1):
            issued = [request.issue_ns for request in self.waiting if self._half_of(request) == half]
            if issued:
                starts.append((max(self.free_of[half], min(issued)), half))
        return min(starts)

    def _serve(self, start, half):
        everything = self.waiting
        self.waiting = [request for request in everything if self._half_of(request) == half]
        chosen, self.free = self._choose(start), self.free_of[half]
        self.waiting = everything
        self._execute(chosen, start)
        self.free_of[half] = self.free

    def reset(self, request):
        reply = super().reset(request)
        self.free_of = [self.free, self.free]
        return reply


def truth(drive):
    return {"form": "alien two arms truth 1", "period_ns": drive.halves[0].spindle.period,
            "ranges": [[0, drive.first_blocks], [drive.first_blocks, drive.blocks - drive.first_blocks]],
            "interference_us": drive.config["interference_us"]}
