#!/usr/bin/env python3
"""Writes the binary golden traces, word by word from the definitions of their formats."""
import struct

# Categories and actions of include/uapi/linux/blktrace_api.h.
READ, WRITE, FLUSH, SYNC, QUEUE, REQUEUE, ISSUE, COMPLETE, FS, PC, NOTIFY = (1 << n for n in range(16, 27))
DISCARD = 1 << 29
Q, M, R, D, C, P, CGROUP = 1, 2, 6, 7, 8, 9, 1 << 8
SDB = 8 << 20 | 16


def event(order, sequence, time, sector, size, action, cpu=0, error=0, data=b"", device=SDB):
    return struct.pack(order + "IIQQIIIIIHH", 0x65617407, sequence, time, sector, size, action, 1234,
                       device, cpu, error, len(data)) + data


def blktrace(order):
    """Two processors. Issued: a write in two completions, a read requeued and issued anew, a read that
    fails, one without completion; beside them a discard, a flush, a command and a message."""
    t = 5_000_000_000
    first = [
        event(order, 1, t - 10, 0, 0, NOTIFY, data=b"kworker\0", device=0),
        event(order, 2, t, 2048, 4096, Q | QUEUE | WRITE),
        event(order, 3, t + 1_000, 2048, 8192, D | ISSUE | WRITE | SYNC),
        event(order, 4, t + 2_000_000, 2048, 4096, C | COMPLETE | WRITE),
        event(order, 5, t + 3_000_000, 2056, 4096, C | COMPLETE | WRITE),
        event(order, 6, t + 4_000_000, 900, 512, D | ISSUE | READ | CGROUP, data=b"\0" * 8),
        event(order, 7, t + 4_100_000, 900, 512, R | REQUEUE | READ),
        event(order, 8, t + 4_200_000, 900, 512, D | ISSUE | READ),
        event(order, 9, t + 9_200_000, 900, 512, C | COMPLETE | READ),
        event(order, 10, t + 9_300_000, 5000, 4096, D | ISSUE | WRITE | DISCARD),
        event(order, 11, t + 9_400_000, 0, 0, D | ISSUE | WRITE | FLUSH),
    ]
    second = [
        event(order, 1, t + 1_500, 0, 0, P | QUEUE, cpu=1),
        event(order, 2, t + 3_500_000, 1 << 33, 1024, D | ISSUE | READ, cpu=1),
        event(order, 3, t + 9_000_000, 1 << 33, 1024, C | COMPLETE | READ, cpu=1, error=5),
        event(order, 4, t + 9_500_000, 0, 36, D | ISSUE | READ | PC, cpu=1, data=bytes([0x12, 0, 0, 0, 36, 0])),
        event(order, 5, t + 9_600_000, 77, 512, D | ISSUE | READ, cpu=1),
    ]
    return first, second


def hpl():
    header = ('$$TR_IOREC-1.3 (golden)\0\nversion = 1.3;\ntracedate = "Sat May 30 00:03:06 1992";\n'
              'disks = {\n 0 -> { description = "sectorsize = 9 }", sectorsize = 256,\n'
              '   adaptor = 1 -> { hp_ib, 1.2, 250 } },\n 1 -> { sectorsize = 1024 }\n};\n\f').encode()

    def record(kind, seconds, us, start, stop, size, sector, disk, flags, version=4):
        words = [seconds, us, start, stop, size, sector, 8 << 24 | disk << 8 | 7, 4, 1, flags, 0]
        words += [1] * (version == 4) + [0] * (kind == 4)
        return struct.pack(f">{2 + len(words)}I", 8 + 4 * len(words), version << 16 | kind, *words)
    return header + b"".join([
        record(1, 0, 35279, 85, 32924, 2048, 12256, 0, 0x1b),
        record(4, 0, 35300, 0, 0, 2048, 4, 0, 0),  # suspect
        record(1, 3, 999999, 10, 10, 1024, 4, 0, 0x100, version=1),
        record(1, 70, 0, 0, 500, 3072, 17, 0, 1),
    ])


def vscsi(version):
    """A read (10), a write (10) of 64 blocks that was issued before it, an INQUIRY, a read (16)."""
    def record(us, command, sector, size):
        if version == 1:
            return struct.pack("<IIIHHQQ", 9, size, 1, command, 1 << 8, sector, us)
        return struct.pack("<HHIIIQQQ", command, 2 << 8, 9, size, 1, sector, us, 4711)
    return (record(7_000_000_100, 0x28, 2048, 4096) + record(7_000_000_000, 0x2a, 64, 32768)
            + record(7_000_000_200, 0x12, 0, 36) + record(7_000_001_100, 0x88, 1 << 33, 512))


if __name__ == "__main__":
    for name, order in (("little", "<"), ("big", ">")):
        for cpu, events in enumerate(blktrace(order)):
            with open(f"blktrace_{name}.blktrace.{cpu}", "wb") as file:
                file.write(b"".join(events))
    with open("hpl.srt", "wb") as file:
        file.write(hpl())
    for version in (1, 2):
        with open(f"vscsi_{version}.bin", "wb") as file:
            file.write(vscsi(version))
