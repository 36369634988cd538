#!/usr/bin/env python3
"""An alien drive that writes down every command it was given, and lives on between runs.

--record FILE   a JSON line for each command that was executed: the CDB, and what matters of it
--state FILE    settings and contents, read at the start, written at the end
--signal NAME@N sends the program that runs it this signal at command N (at write N: NAME@wN); with
                a "+" before NAME to its whole process group, as a terminal does; "NAME,NAME": once more, a
                second later
--deny N        the Nth MODE SELECT that turns the read cache on is refused, and all behind it
"""

import argparse
import hashlib
import json
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "alien"))

import wire  # noqa: E402
from alien import add_drive_options, configuration  # noqa: E402
from drive import Drive  # noqa: E402
from target import BLOCK, INVALID_FIELD_IN_LIST, Queue, Refused, Target  # noqa: E402
from truth import truth  # noqa: E402

WRITES = (0x0A, 0x2A, 0x8A)
MODE_SELECTS = (0x15, 0x55)
PASS_THROUGHS = (0x85, 0xA1)


def filling(lbn):
    """What no other drive holds, unlike a pattern."""
    return hashlib.shake_128(lbn.to_bytes(8, "big")).digest(BLOCK)


class RecordedTarget(Target):
    def __init__(self, drive, options):
        super().__init__(drive)
        self.record = open(options.record, "w", encoding="utf-8") if options.record else None
        self.signal, _, at = (options.signal or "@0").partition("@")
        self.counts_writes_only = at.startswith("w")
        self.signal_in = int(at.lstrip("w"))
        self.deny_from, self.turned_on = options.deny, 0
        self.filled = []

    def execute(self, request, now):
        if request.cdb[0] in WRITES or not self.counts_writes_only:
            self.signal_in -= 1
            if self.signal_in == 0:
                self.send_signal()
        line = {"cdb": request.cdb.hex()}
        if request.cdb[0] in WRITES:
            lbn, count = self._extent(request.cdb)
            line.update(lbn=lbn, blocks=count,
                        same=request.data == self._contents(lbn, count))
        elif request.cdb[0] in MODE_SELECTS:
            line["data"] = request.data.hex()
        reply = super().execute(request, now)
        line["status"] = reply.status
        line["cache"] = self.cache()
        if self.record:
            self.record.write(json.dumps(line) + "\n")
            self.record.flush()
        return reply

    def _select_page(self, new, now):
        if new[0] & 0x3F == 0x08 and not new[2] & 0x01 and self.deny_from:
            self.turned_on += 1
            if self.turned_on >= self.deny_from:
                raise Refused(INVALID_FIELD_IN_LIST)
        return super()._select_page(new, now)

    def cache(self):
        cache = {"read": self.drive.read_cache, "write": self.drive.write_cache,
                 "read_ahead": self.drive.read_ahead}
        if self.scsi["ata"]:
            cache["power_level"] = self.power_level
        return cache

    def send_signal(self):
        program = os.getppid()
        for count, name in enumerate(self.signal.split(",")):
            if count > 0:
                time.sleep(1)
            number = signal.Signals["SIG" + name.lstrip("+")]
            if name.startswith("+"):
                os.killpg(os.getpgid(program), number)
            else:
                os.kill(program, number)

    def load(self, path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        cache = kept["cache"]
        self.drive.set_cache(cache["read"], cache["write"], cache["read_ahead"], 0.0)
        self.power_level = cache.get("power_level", self.power_level)
        self.fill(kept["filled"])
        self.stored.update((int(lbn), bytes.fromhex(data)) for lbn, data in kept["blocks"].items())

    def save(self, path):
        """Little and at once: a drive that takes long to end is killed."""
        changed = {lbn: data.hex() for lbn, data in self.stored.items()
                   if data != filling(lbn) or not any(low <= lbn <= high for low, high in self.filled)}
        kept = json.dumps({"cache": self.cache(), "filled": self.filled, "blocks": changed})
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(kept)
        os.replace(path + ".new", path)

    def fill(self, ranges):
        """Contents that a careless write would destroy."""
        self.filled = [list(limits) for limits in ranges]
        for first, last in self.filled:
            self.stored.update((lbn, filling(lbn)) for lbn in range(first, last + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_drive_options(parser)
    parser.add_argument("--record", metavar="FILE")
    parser.add_argument("--state", metavar="FILE")
    parser.add_argument("--signal", metavar="NAME@N")
    parser.add_argument("--deny", type=int, default=0, metavar="N")
    parser.add_argument("--truth", metavar="FILE")
    parser.add_argument("--fill", action="append", default=[], metavar="FIRST-LAST")
    options = parser.parse_args()
    drive = Drive(configuration(options), options.seed, not options.no_noise)
    if options.truth:
        with open(options.truth, "w", encoding="utf-8") as file:
            json.dump(truth(drive), file)
    target = RecordedTarget(drive, options)
    target.fill(tuple(map(int, text.split("-"))) for text in options.fill)
    if options.state and os.path.exists(options.state):
        target.load(options.state)
    try:
        wire.Session(Queue(target)).serve()
    except (wire.ProtocolError, BrokenPipeError):
        pass  # the tool was killed in the middle of a request
    if options.state:
        target.save(options.state)


if __name__ == "__main__":
    main()
