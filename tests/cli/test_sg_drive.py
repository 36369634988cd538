"""What bench/dixtrac.py leads a program's /dev/sg0 by: a drive in its own time, for one program after the other."""

import ctypes
import os
import subprocess
import sys
import unittest

from harness import PLATTER, SERVED_DRIVE, PlatterTest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))

import dixtrac  # noqa: E402

SG_DRIVE = os.environ.get("PLATTER_SG_DRIVE", "")
FROM_DRIVE, TO_DRIVE = -3, -2


class Header(ctypes.Structure):
    """sg_io_hdr of <scsi/sg.h>."""
    _fields_ = [("interface_id", ctypes.c_int), ("dxfer_direction", ctypes.c_int), ("cmd_len", ctypes.c_ubyte),
                ("mx_sb_len", ctypes.c_ubyte), ("iovec_count", ctypes.c_ushort), ("dxfer_len", ctypes.c_uint),
                ("dxferp", ctypes.c_void_p), ("cmdp", ctypes.c_void_p), ("sbp", ctypes.c_void_p),
                ("timeout", ctypes.c_uint), ("flags", ctypes.c_uint), ("pack_id", ctypes.c_int),
                ("usr_ptr", ctypes.c_void_p), ("status", ctypes.c_ubyte), ("masked_status", ctypes.c_ubyte),
                ("msg_status", ctypes.c_ubyte), ("sb_len_wr", ctypes.c_ubyte), ("host_status", ctypes.c_ushort),
                ("driver_status", ctypes.c_ushort), ("resid", ctypes.c_int), ("duration", ctypes.c_uint),
                ("info", ctypes.c_uint)]


class Host:
    """In a program that the drive was preloaded into."""

    def __init__(self):
        self.library = ctypes.CDLL(None)
        self.device = os.open("/dev/sg0", os.O_RDWR)

    def now_us(self):
        words = (ctypes.c_long * 2)()
        self.library.gettimeofday(words, None)
        return words[0] * 1000000 + words[1]

    def send(self, cdb, direction, data, pack_id):
        held = ctypes.create_string_buffer(bytes(cdb), len(cdb)), ctypes.create_string_buffer(data, len(data)), \
            ctypes.create_string_buffer(32)
        header = Header(interface_id=ord("S"), dxfer_direction=direction, cmd_len=len(cdb), mx_sb_len=32,
                        dxfer_len=len(data), cmdp=ctypes.addressof(held[0]), dxferp=ctypes.addressof(held[1]),
                        sbp=ctypes.addressof(held[2]), pack_id=pack_id)
        assert os.write(self.device, bytes(header)) == ctypes.sizeof(header)
        return held  # what the header points to lives as long

    def done(self):
        return Header.from_buffer_copy(os.read(self.device, ctypes.sizeof(Header)))

    def command(self, cdb, direction, data):
        held = self.send(cdb, direction, data, 1)
        return self.done(), held[1].raw

    def read(self, lbn):
        header, data = self.command([0x28, 0, 0, 0, 0, lbn, 0, 0, 1, 0], FROM_DRIVE, bytes(512))
        assert header.status == 0
        return data

    def write(self, lbn, data):
        header, _ = self.command([0x2A, 0, 0, 0, 0, lbn, 0, 0, 1, 0], TO_DRIVE, data)
        assert header.status == 0


def first_program():
    host = Host()
    inquiry = host.command([0x12, 0, 0, 0, 36, 0], FROM_DRIVE, bytes(36))[1]
    assert inquiry[8:15] == b"QUANTUM", inquiry
    assert host.read(5) == bytes([0, 0, 0, 0, 0, 0, 0, 5]) + bytes(504)  # past the unit attention
    begin = host.now_us()
    host.library.usleep(20000)
    assert 20000 <= host.now_us() - begin < 20010
    begin = host.now_us()
    host.read(200)
    assert 100 < host.now_us() - begin < 50000  # the drive's time, whatever the host's
    host.write(6, host.read(6))
    host.write(7, b"new" * 170 + bytes(2))
    refused, _ = host.command([0x28, 0, 0xFF, 0, 0, 0, 0, 0, 1, 0], FROM_DRIVE, bytes(512))
    assert refused.status == 2 and refused.sb_len_wr >= 14
    kept = [host.send([0x28, 0, 0, 0, 0, lbn, 0, 0, 1, 0], FROM_DRIVE, bytes(512), lbn) for lbn in (30, 31)]
    assert {host.done().pack_id, host.done().pack_id} == {30, 31} and kept[1][1].raw[7] == 31


def second_program():
    host = Host()
    assert host.read(7) == b"new" * 170 + bytes(2)


@unittest.skipUnless(PLATTER and SERVED_DRIVE and SG_DRIVE, "PLATTER_SG_DRIVE names no library")
class SgDrive(PlatterTest):
    def test_two_programs_on_one_drive(self):
        self.platter("truth", "virtual:quantum-atlas10k?seed=3", "-o", "truth.json")
        served = dixtrac.Served(SERVED_DRIVE, self.path("truth.json"), self.path(""))
        stages = self.path("stages")
        for program in ("first_program", "second_program"):
            done = subprocess.run([sys.executable, "-B", os.path.abspath(__file__), program], check=False,
                                  capture_output=True, text=True, env=os.environ | {
                                      "LD_PRELOAD": SG_DRIVE, "SG_REQUESTS": served.requests,
                                      "SG_REPLIES": served.replies, "SG_ACCOUNT": stages})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        asked = served.end()
        self.assertEqual((asked["blocks_written"], asked["blocks_changed"]), (2, 1))
        with open(stages, encoding="ascii") as lines:
            (_, begin, end), (_, again, _) = map(str.split, lines)
        self.assertLess(int(begin) + 20000000, int(end))
        self.assertLessEqual(int(end) - 10000, int(again))


if __name__ == "__main__" and len(sys.argv) > 1:
    {"first_program": first_program, "second_program": second_program}[sys.argv[1]]()
