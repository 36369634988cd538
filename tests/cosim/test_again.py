"""The same run again: byte for byte the same log, on a busy machine too. Long."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import unittest

from guest import GuestTest

RUNS = 5
BUSY_RUNS = 2  # of these, the last ones: beside loops that take all processors

SG_IO = """
import ctypes, fcntl, os, random, struct
libc = ctypes.CDLL(None)
class Header(ctypes.Structure):
    _fields_ = [("interface", ctypes.c_int), ("direction", ctypes.c_int), ("cdb_length", ctypes.c_ubyte),
                ("sense_length", ctypes.c_ubyte), ("vectors", ctypes.c_ushort), ("length", ctypes.c_uint),
                ("data", ctypes.c_void_p), ("cdb", ctypes.c_void_p), ("sense", ctypes.c_void_p),
                ("timeout", ctypes.c_uint), ("flags", ctypes.c_uint), ("id", ctypes.c_int), ("user", ctypes.c_void_p),
                ("status", ctypes.c_ubyte), ("rest", ctypes.c_ubyte * 31)]
drive = os.open("/dev/sg0", os.O_RDWR)
data, sense = ctypes.create_string_buffer(4096), ctypes.create_string_buffer(64)
for i in range(3000):  # places that nobody seeded
    cdb = ctypes.create_string_buffer(struct.pack(">BBIBHB", 0x28, 0, random.randrange(17_000_000), 0, 8, 0), 10)
    header = Header(ord("S"), -3, 10, 64, 0, 4096, ctypes.addressof(data), ctypes.addressof(cdb),
                    ctypes.addressof(sense), 20000)
    fcntl.ioctl(drive, 0x2285, header)
    assert header.status == 0
"""
FIO = ("fio --name=mixed --ioengine=libaio --iodepth=8 --filename=/dev/sda --direct=1 --rw=randrw --bsrange=4k-64k "
       "--number_ios=2000 --randrepeat=0 --output=/dev/null")
EXT4 = ("mkfs.ext4 -q /dev/sda && mount -o sync /dev/sda /mnt && tar -C /mnt -xf files.tar && umount /mnt && "
        "fsck.ext4 -f -n /dev/sda && mount /dev/sda /mnt && tar -C /mnt -xf files.tar && rm -r /mnt/files && sleep 60")


@contextlib.contextmanager
def busy():
    """All processors, for as long."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


class Again(GuestTest):
    def digest(self, command):
        self.succeeds(*command, options=("--log", "log", "--date", "2031-01-01"))
        return hashlib.sha256(self.log()).hexdigest()

    def repeats(self, *command):
        digests = []
        for run in range(RUNS):
            with busy() if run >= RUNS - BUSY_RUNS else contextlib.nullcontext():
                digests.append(self.digest(command))
        self.assertEqual(len(set(digests)), 1, digests)
        print(f"{self.id()}: {RUNS} of {RUNS} the same; {self.report['commands']} commands, "
              f"{self.report['simulated_seconds']:.3f} s simulated")

    def test_requests_through_sg_io(self):
        self.repeats("python3", "-c", SG_IO)

    @unittest.skipUnless(shutil.which("fio"), "fio is not installed")
    def test_fio(self):
        self.repeats("sh", "-c", FIO)

    def test_a_file_system_made_filled_and_checked(self):
        os.mkdir(self.path("files"))
        for i in range(700):
            self.write(f"files/{i}", os.urandom(1000 + 37 * i))
        subprocess.run(["tar", "-cf", "files.tar", "files"], cwd=self.folder, check=True)
        self.repeats("sh", "-c", EXT4)


class TheHost(GuestTest):
    """What would tell one run from another is not there to see."""

    def test_two_runs_see_the_same(self):
        ask = ("sh", "-c", "cat /proc/meminfo /proc/cmdline /proc/self/maps /proc/interrupts /proc/stat /proc/cpuinfo; "
               "head -c 64 /dev/urandom; date +%s.%N; ps ax")
        first = self.cosim(*ask, options=("--date", "2031-01-01")).stdout
        with busy():
            self.assertEqual(self.cosim(*ask, options=("--date", "2031-01-01")).stdout, first)
