"""A guest of a vhost-user SCSI host on a Unix socket: what the tests of emulated drives need of one, and ways to be a
bad one. Its memory is one file in memory; each of its queues is a ring in it."""

import mmap
import os
import select
import socket
import struct
import time

GET_FEATURES, SET_FEATURES, SET_MEM_TABLE = 1, 2, 5
SET_VRING_NUM, SET_VRING_ADDR, SET_VRING_BASE, GET_VRING_BASE = 8, 9, 10, 11
SET_VRING_KICK, SET_VRING_CALL, SET_VRING_ENABLE = 12, 13, 18
NEXT, WRITABLE, INDIRECT = 1, 2, 4  # flags of a descriptor
GOOD, TASK_SET_FULL = 0, 0x28
COMMANDS = 2  # the first queue of commands
ENTRIES = 1024
GUEST, USER = 0x100000, 0x7F0000000000  # where the memory begins for the guest, and for its front end
TABLE, USED, REQUEST, ANSWER, DATA = 0x8000, 0xA000, 0x6000, 0x7000, 0x10000
FEATURES = 1 << 28 | 1 << 30 | 1 << 32


def message(kind, payload=b""):
    return struct.pack("<III", kind, 1, len(payload)) + payload


class HungUp(Exception):
    """The server closed the connection."""


class Guest:
    """One queue of commands, at the beginning of the memory: descriptors, the available ring behind them."""

    def __init__(self, path, data=1 << 20, patience=20):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(patience)
        self.socket.connect(path)
        self.file = os.memfd_create("guest")
        self.bytes = DATA + data
        os.ftruncate(self.file, self.bytes)
        self.memory = mmap.mmap(self.file, self.bytes)
        self.kick = os.eventfd(0, os.EFD_NONBLOCK)
        self.call = os.eventfd(0, os.EFD_NONBLOCK)
        self.offered = self.seen = 0

    def close(self):
        self.socket.close()
        self.memory.close()
        for descriptor in (self.file, self.kick, self.call):
            os.close(descriptor)

    def say(self, kind, payload=b"", descriptors=()):
        try:
            socket.send_fds(self.socket, [message(kind, payload)], descriptors)
        except ConnectionError as error:
            raise HungUp from error

    def is_hung_up(self):
        """Without waiting for it."""
        try:
            return bool(select.select([self.socket], [], [], 0)[0]) and not self.socket.recv(1, socket.MSG_PEEK)
        except ConnectionError:
            return True

    def reply(self):
        data = b""
        while len(data) < 12 or len(data) < 12 + struct.unpack_from("<I", data, 8)[0]:
            try:
                part = self.socket.recv(4096)
            except ConnectionError:
                part = b""
            if not part:
                raise HungUp
            data += part
        return data[12:]

    def share_memory(self, regions=None):
        regions = [(GUEST, self.bytes, USER, 0)] if regions is None else regions
        self.say(SET_MEM_TABLE, struct.pack("<II", len(regions), 0) + b"".join(struct.pack("<4Q", *region)
                                                                               for region in regions),
                 [self.file] * len(regions))

    def begin(self, kick=None, call=None, regions=None, entries=ENTRIES):
        self.say(SET_FEATURES, struct.pack("<Q", FEATURES))
        self.share_memory(regions)
        self.say(SET_VRING_NUM, struct.pack("<II", COMMANDS, entries))
        self.say(SET_VRING_BASE, struct.pack("<II", COMMANDS, 0))
        self.say(SET_VRING_ADDR, struct.pack("<IIQQQQ", COMMANDS, 0, USER, USER + USED, USER + 0x4000, 0))
        self.say(SET_VRING_CALL, struct.pack("<Q", COMMANDS), [self.call if call is None else call])
        self.say(SET_VRING_KICK, struct.pack("<Q", COMMANDS), [self.kick if kick is None else kick])
        self.say(SET_VRING_ENABLE, struct.pack("<II", COMMANDS, 1))
        return self

    def meet(self):
        """What the server says has come behind all that was said before."""
        self.say(GET_FEATURES)
        return self.reply()

    def descriptor(self, at, address, size, flags, following=0):
        struct.pack_into("<QIHH", self.memory, at, address, size, flags, following)

    def request(self, cdb, out=0, into=0, piece=2**32):
        """The one request of the memory, as a table of descriptors; its data are the memory from DATA on, and what is
        read the same `piece` of it again and again."""
        head = bytes([1, 0, 0x40, 0, 0, 0, 0, 0]) + bytes(11) + cdb.ljust(32, b"\0")
        self.memory[REQUEST:REQUEST + len(head)] = head
        pieces = [(GUEST + REQUEST, len(head), 0)]
        if out:
            pieces.append((GUEST + DATA, out, 0))
        pieces.append((GUEST + ANSWER, 108, WRITABLE))
        for done in range(0, into, piece):
            pieces.append((GUEST + DATA, min(into - done, piece), WRITABLE))
        for i, (address, size, flags) in enumerate(pieces):
            last = i + 1 == len(pieces)
            self.descriptor(TABLE + 16 * i, address, size, flags | (0 if last else NEXT), i + 1)
        return len(pieces)

    def offer(self, cdb=b"", out=0, into=0, times=1, kick=None, piece=2**32):
        """That request so many times, each of them in a descriptor of its own."""
        pieces = self.request(cdb, out, into, piece)
        for i in range(times):
            self.descriptor(16 * ((self.offered + i) % ENTRIES), GUEST + TABLE, 16 * pieces, INDIRECT)
        self.put(times, kick)

    def put(self, times=1, kick=None, head=None):
        for _ in range(times):
            number = self.offered % ENTRIES if head is None else head
            struct.pack_into("<H", self.memory, 0x4000 + 4 + 2 * (self.offered % ENTRIES), number)
            self.offered += 1
        struct.pack_into("<H", self.memory, 0x4000 + 2, self.offered & 0xFFFF)
        try:
            os.write(self.kick if kick is None else kick, struct.pack("<Q", 1))
        except (BlockingIOError, BrokenPipeError):
            pass

    def answers(self):
        """How many there are that were not counted."""
        used = struct.unpack_from("<H", self.memory, USED + 2)[0]
        new = (used - self.seen) & 0xFFFF
        self.seen = used
        return new

    def do(self, cdb, out=0, into=0, patience=20):
        """As a kernel does it: again where the drive is full or has something to tell. Returns its status; where the
        host itself refuses, its response (virtio 1.2 clause 5.6.6.1), negative."""
        end = time.monotonic() + patience
        while True:
            self.offer(cdb, out, into)
            while not self.answers():
                if time.monotonic() > end:
                    raise TimeoutError("the drive does not answer")
                if self.is_hung_up():
                    raise HungUp
                time.sleep(0.001)
            status, response = self.memory[ANSWER + 10:ANSWER + 12]
            status = status or -response
            if status == GOOD or time.monotonic() > end:
                return status
            time.sleep(0.001)
