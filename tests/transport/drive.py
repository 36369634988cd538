"""A tiny, honest drive for the external drive protocol, version 2, and the words that hostile ones
are made of. 1000 sectors of 512 bytes; every command takes 1 ms, a READ 1 ms more for each block."""
import struct
import sys

SECTORS, SECTOR = 1000, 512
GOOD, CHECK, NONE = 0x00, 0x02, 0xFF
ILLEGAL = bytes([0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0])


def say(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def hear(count):
    data = sys.stdin.buffer.read(count)
    if len(data) < count:
        sys.exit(0)
    return data


class Request:
    def __init__(self):
        (length,) = struct.unpack("<I", hear(4))
        body = hear(length)
        (self.issue, self.tag, self.kind, self.more, self.lun, self.attribute, self.direction, cdb,
         self.transfer) = struct.unpack("<QIBBBBBBI", body[:22])
        self.cdb = body[22:22 + cdb]
        self.data = body[22 + cdb:]
        assert self.kind in (0, 1, 2, 3) and (self.kind == 0 or (cdb == 0 and not self.more))
        assert len(self.data) == (self.transfer if self.direction == 2 else 0)


def reply(complete, tag, status=GOOD, sense=b"", residual=0, data=b"", length=None, reserved=0,
          sense_length=None, data_length=None):
    body = struct.pack("<QIBBHII", complete, tag, status,
                       len(sense) if sense_length is None else sense_length, reserved, residual,
                       len(data) if data_length is None else data_length) + sense + data
    return struct.pack("<I", len(body) if length is None else length) + body


class Drive:
    def __init__(self):
        self.now = 0
        self.free = 0  # when the mechanics are free
        self.sectors = [bytes([i % 251]) * SECTOR for i in range(SECTORS)]
        self.queue = []  # (complete, tag, reply's other fields)

    def serve(self, request):
        """Executes the command; the drive does one at a time, in order."""
        cdb = request.cdb
        time, out, status, sense = 1_000_000, b"", GOOD, b""
        if cdb[0] in (0x28, 0x2A):
            lbn, blocks = struct.unpack(">I", cdb[2:6])[0], struct.unpack(">H", cdb[7:9])[0]
            if lbn + blocks > SECTORS:
                status, sense = CHECK, ILLEGAL
            elif cdb[0] == 0x28:
                out = b"".join(self.sectors[lbn:lbn + blocks])
                time += blocks * 1_000_000
            else:
                for i in range(blocks):
                    self.sectors[lbn + i] = request.data[i * SECTOR:(i + 1) * SECTOR]
        elif cdb[0] == 0x12:
            out = bytes([0, 0, 2, 2, 31, 0, 0, 0]) + b"PLATTER TINY DRIVE      0001"
        elif cdb[0] == 0x25:
            out = struct.pack(">II", SECTORS - 1, SECTOR)
        elif cdb[0] != 0x00:
            status, sense = CHECK, ILLEGAL
        out = out[:request.transfer] if request.direction == 1 else b""
        moved = len(request.data) if request.direction == 2 and status == GOOD else len(out)
        self.free = max(self.free, request.issue) + time
        self.queue.append((self.free, request.tag, dict(
            status=status, sense=sense, residual=request.transfer - moved, data=out)))

    def answer(self, complete, tag, **fields):
        self.now = complete
        say(reply(complete, tag, **fields))

    def handle(self, request):
        assert request.issue >= self.now or request.kind == 1, "time runs backwards"
        if request.kind == 0:
            self.serve(request)
            if request.more:
                return
        if request.kind == 2:
            self.queue.clear()
            self.free = request.issue
            self.answer(request.issue, request.tag)
        elif request.kind == 3 and not (self.queue and self.queue[0][0] <= request.issue):
            self.answer(request.issue, 0, status=NONE)
        elif not self.queue:
            self.answer(self.now, 0, status=NONE)
        else:
            complete, tag, fields = self.queue.pop(0)
            self.answer(complete, tag, **fields)

    def run(self):
        say(b"SCSIDRV2")
        while True:
            self.handle(Request())


if __name__ == "__main__":
    Drive().run()
