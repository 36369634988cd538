#!/usr/bin/env python3
"""A drive that misbehaves on purpose, for the tests of bad input.

    platter inspect "exec:python3 tests/alien/nonsense.py --fault backwards"

Each fault must end the tool with one clear sentence and an exit status of its own, never with a
crash, a hang or a model. FAULTS says what each does and which statuses (docs/exit-statuses.md) are
right answers; 0 is among them where a careful tool can do without what is wrong.
"""

import argparse
import os
import random
import struct
import sys

import target
import wire
from alien import add_drive_options, configuration
from drive import Drive
from target import BLOCK, Queue, Refused, Target

FINE, NO_DEVICE, PROTOCOL, DRIVE_ERROR, UNSUPPORTED = 0, 3, 7, 8, 9
BROKEN = {PROTOCOL}                                       # no other answer is right
USELESS = {NO_DEVICE, PROTOCOL, DRIVE_ERROR, UNSUPPORTED}  # no drive that one can work with
STRANGE = USELESS | {FINE}                                # depends on what is asked of it

FAULTS = {
    # The protocol is broken.
    "wrong-hello": ("says SCSIDRV1", BROKEN),
    "garbage-hello": ("says something else altogether", BROKEN),
    "no-hello": ("ends before it says anything", BROKEN),
    "hang-up": ("ends after some commands", BROKEN),
    "truncated": ("ends in the middle of a reply", BROKEN),
    "backwards": ("time runs backwards", BROKEN),
    "early": ("a command completes before it was issued", BROKEN),
    "badtag": ("answers a command that was never sent", BROKEN),
    "bad-status": ("a status byte that does not exist", BROKEN),
    "huge-length": ("a reply of 4 GiB is announced", BROKEN),
    "short-length": ("a reply too short for its own fields", BROKEN),
    "length-lies": ("data_length does not agree with length", BROKEN),
    "residual-lies": ("residual is larger than what was asked for", BROKEN),
    "no-completion": ("says that nothing is outstanding while a command is", BROKEN),
    # The protocol is kept, SCSI is not.
    "tape": ("a tape drive", {NO_DEVICE}),
    "garbage-inquiry": ("INQUIRY returns random bytes", USELESS),
    "short-inquiry": ("INQUIRY returns 4 bytes", USELESS),
    "capacity-zero": ("READ CAPACITY returns 0 bytes", USELESS),
    "block-size-zero": ("blocks of 0 bytes", USELESS),
    "not-ready": ("becoming ready, for ever", USELESS),
    "always-busy": ("BUSY, for ever", USELESS),
    "attention-for-ever": ("one unit attention after the other", USELESS),
    "garbage-sense": ("check conditions with random sense data", USELESS),
    "capacity-changes": ("another capacity at each question", STRANGE),
    "lba-lies": ("half of the blocks do not exist", STRANGE),
    "unreadable": ("every read is a medium error", STRANGE),
    "mode-garbage": ("mode pages of random bytes", STRANGE),
    "translation-garbage": ("translations are random", STRANGE),
    "translation-constant": ("every block is in one place", STRANGE),
    "defects-garbage": ("the defect list is random", STRANGE),
    "no-time": ("every command takes no time at all", STRANGE),
    "random-time": ("response times have nothing to do with a disk", STRANGE),
}
# No model may come of these.
NEVER_A_MODEL = set(FAULTS) - {"capacity-changes", "mode-garbage", "defects-garbage", "lba-lies"}


class LyingTarget(Target):
    """A target whose answers are changed according to the fault."""

    def __init__(self, drive, fault):
        super().__init__(drive)
        self.fault = fault
        self.lies = random.Random(5)
        if fault == "lba-lies":
            self.real_blocks, self.blocks = self.blocks, 2 * self.blocks

    def execute(self, request, now):
        reply = super().execute(request, now)
        if self.fault == "no-time":
            reply.complete_ns = int(now)
        elif self.fault == "random-time":
            reply.complete_ns = int(now) + self.lies.randrange(1000, 30_000_000)
        elif self.fault == "always-busy":
            reply.status, reply.sense, reply.data = 0x08, b"", b""
            reply.residual = request.transfer_length
        elif self.fault == "garbage-sense" and request.cdb[0] not in (0x12, 0x25, 0x9E):
            reply.status, reply.sense = 0x02, self.lies.randbytes(self.lies.choice((1, 7, 18, 96)))
            reply.residual, reply.data = request.transfer_length, b""
        return reply

    def _dispatch(self, request, now):
        opcode = request.cdb[0]
        if self.fault == "not-ready" and opcode not in (0x03, 0x12):
            raise Refused((0x2, 0x04, 0x01))
        if self.fault == "attention-for-ever":
            self.attention = target.POWER_ON
        if self.fault == "unreadable" and opcode in (0x08, 0x28, 0x88):
            raise Refused(target.MEDIUM_READ_ERROR, self._extent(request.cdb)[0])
        return super()._dispatch(request, now)

    def inquiry(self, request, now):
        data, t = super().inquiry(request, now)
        if self.fault == "garbage-inquiry":
            data = self.lies.randbytes(len(data))
        elif self.fault == "short-inquiry":
            data = data[:4]
        elif self.fault == "tape":
            data = b"\x01" + data[1:]
        return data, t

    def _capacity(self):
        if self.fault == "capacity-changes":
            return self.lies.randrange(1000, self.blocks), BLOCK
        return self.blocks - 1, 0 if self.fault == "block-size-zero" else BLOCK

    def read_capacity_10(self, request, now):
        if self.fault == "capacity-zero":
            return b"", None
        return struct.pack(">II", *self._capacity()), None

    def service_action_in(self, request, now):
        if self.fault == "capacity-zero":
            return b"", None
        return struct.pack(">QI20x", *self._capacity())[:target.be32(request.cdb, 10)], None

    def _checked_extent(self, cdb):
        lbn, count = super()._checked_extent(cdb)
        if self.fault == "lba-lies" and lbn + count > self.real_blocks:
            raise Refused(target.LBA_OUT_OF_RANGE, lbn)
        return lbn, count

    def mode_sense(self, request, now):
        data, t = super().mode_sense(request, now)
        if self.fault == "mode-garbage":
            data = self.lies.randbytes(len(data))
        return data, t

    def _from_address(self, address, form):
        if self.fault == "lba-lies" and form == 0 and target.be32(address, 0) >= self.real_blocks:
            raise Refused(target.LBA_OUT_OF_RANGE)
        if self.fault == "translation-garbage":
            track = self.lies.choice(self.drive.platters.tracks)
            return (track, self.lies.randrange(track.sectors)), self.lies.randrange(self.blocks)
        if self.fault == "translation-constant":
            return self.drive.platters.find(0), 0
        return super()._from_address(address, form)

    def read_defects(self, request, now):
        data, t = super().read_defects(request, now)
        if self.fault == "defects-garbage":
            data = self.lies.randbytes(min(target.be16(request.cdb, 7), 60_000))
        return data, t


class Tamper:
    """Changes the bytes of one reply, the one after `after` honest ones (and of all that follow)."""

    def __init__(self, fault, after):
        self.fault = fault
        self.left = after

    def __call__(self, frame, request, reply):
        if self.left > 0:
            self.left -= 1
            return frame
        fault = self.fault
        if fault == "hang-up":
            leave()
        if fault == "truncated":
            sys.stdout.buffer.write(frame[:len(frame) // 2])
            leave()
        if fault == "backwards":
            return self._with(frame, 4, "<Q", max(0, reply.complete_ns // 2))
        if fault == "early":
            return self._with(frame, 4, "<Q", max(0, request.issue_ns - 1))
        if fault == "badtag":
            return self._with(frame, 12, "<I", reply.tag ^ 0x5A5A5A5A)
        if fault == "bad-status":
            return self._with(frame, 16, "<B", 0x77)
        if fault == "huge-length":
            return self._with(frame, 0, "<I", 0xFFFFFFF0)
        if fault == "short-length":
            return self._with(frame[:4 + 10], 0, "<I", 10)
        if fault == "length-lies":
            return self._with(frame, 24, "<I", len(reply.data) + 512)
        if fault == "residual-lies":
            return self._with(frame, 20, "<I", request.transfer_length + 1)
        if fault == "no-completion":
            return wire.pack_reply(wire.Reply(reply.complete_ns))
        return frame

    @staticmethod
    def _with(frame, at, form, value):
        changed = bytearray(frame)
        struct.pack_into(form, changed, at, value)
        return bytes(changed)


def leave():
    sys.stdout.buffer.flush()
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_drive_options(parser)
    parser.add_argument("--fault", required=True, choices=sorted(FAULTS))
    parser.add_argument("--after", type=int, default=6, metavar="N",
                        help="protocol faults begin after so many replies")
    options = parser.parse_args()
    if options.fault in ("wrong-hello", "garbage-hello", "no-hello"):
        sys.stdout.buffer.write({"wrong-hello": b"SCSIDRV1", "garbage-hello": b"hello, world\n",
                                 "no-hello": b""}[options.fault])
        sys.stdout.buffer.flush()
        if options.fault != "no-hello":
            sys.stdin.buffer.read()
        return 0
    drive = Drive(configuration(options), options.seed, not options.no_noise)
    session = wire.Session(Queue(LyingTarget(drive, options.fault)))
    try:
        session.serve(change=Tamper(options.fault, options.after))
    except wire.ProtocolError as error:
        print(f"nonsense.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
