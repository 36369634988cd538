"""A file that platter takes for a guest's kernel, as far as it looks before it starts it."""

import struct


def fake_kernel(function="time_travel_ndelay"):
    """An ELF file with that function alone, as text: no byte is above 127."""
    names = b"\0" + function.encode() + b"\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 2, 0, 1, 0x1000, 0)
    sections = [(0, 0, 0, 0), (2, 64, len(symbols), 2), (3, 64 + len(symbols), len(names), 0)]
    table = b"".join(struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, where, size, link, 0, 1, 24)
                     for kind, where, size, link in sections)
    at = 256
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x1000, 0, at, 0, 64, 0, 0, 64, 3, 2)
    return ((head + symbols + names).ljust(at, b"\0") + table).decode("ascii")
