#!/usr/bin/env python3
"""Records every write of a real kernel at work on a file system, in its order, for replay_writes and the tests.

    bench/emulators/record_writes.py --build build/release --variant ext4 -o ext4.writes.zst

A guest of user-mode Linux makes the file system, works in it (tests/uml/file_workload.py) and logs what it writes with
the device mapper's log-writes. The log that is kept ends where the last entry ends, and is packed with zstd.
tests/golden/writes holds such logs, of three rounds.
"""
import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LOG_BYTES = 6 << 30  # a sparse file


def end_of(log):
    """Of the last entry, in bytes."""
    _, _, entries, sector = struct.unpack("<QQQI", log.read(28))
    at = sector
    for _ in range(entries):
        log.seek(at)
        _, sectors, flags, mark = struct.unpack("<QQQQ", log.read(32))
        at += sector
        if flags & 8:  # a mark, whose name is in its own sector where it fits
            at += 0 if mark <= sector - 32 else sector
        elif not flags & 4:
            at += sectors * sector
    return at


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--variant", required=True, help="as in tests/uml/write_stream.sh")
    parser.add_argument("--megabytes", type=int, default=600, help="of the drive")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=1, help="of a round")
    parser.add_argument("-o", type=pathlib.Path, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.o.resolve().parent) as folder:
        drive, log = pathlib.Path(folder) / "drive", pathlib.Path(folder) / "log"
        for path, size in ((drive, given.megabytes << 20), (log, LOG_BYTES)):
            with open(path, "wb") as file:
                file.truncate(size)
        done = subprocess.run([ROOT / "tests/uml/run.sh", given.build, "write_stream.sh", f"ubd0={drive}", f"ubd1={log}",
                               f"platter_variant={given.variant}", f"platter_rounds={given.rounds}",
                               f"platter_size={given.size}"], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"record_writes: the guest failed:\n{done.stdout[-2000:]}")
        with open(log, "r+b") as file:
            file.truncate(end_of(file))
        subprocess.run(["zstd", "-19", "--long", "-q", "-f", "-o", given.o, log], check=True)


if __name__ == "__main__":
    main()
