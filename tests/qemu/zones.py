#!/usr/bin/env python3
"""What zones.sh needs beside the guest.

zones.py zonefs FILE     a superblock of zonefs (Linux, fs/zonefs/zonefs.h; Debian 12 has no mkzonefs)
zones.py count MODEL     its zones, and how many of them are conventional
zones.py pause N         seconds before the N-th power cut
"""
import json
import random
import struct
import sys
import zlib

MAGIC, SIZE, CRC_AT = 0x5A4F4653, 4096, 4


def superblock():
    label, uuid = b"platter".ljust(64, b"\0"), bytes(range(1, 17))
    block = bytearray(struct.pack("<II64s16sQIII", MAGIC, 0, label, uuid, 0, 0, 0, 0).ljust(SIZE, b"\0"))
    # crc32(~0, all but the crc, which is 0), without the final complement
    struct.pack_into("<I", block, CRC_AT, zlib.crc32(bytes(block)) ^ 0xFFFFFFFF)
    return bytes(block)


def main():
    match sys.argv[1:]:
        case ["zonefs", path]:
            with open(path, "wb") as file:
                file.write(superblock())
        case ["count", path]:
            with open(path, encoding="utf-8") as text:
                runs = json.load(text)["identity"]["zone_runs"]
            print(sum(run["zones"] for run in runs),
                  sum(run["zones"] for run in runs if run["type"] == "conventional"))
        case ["pause", number]:
            print(f"{random.Random(int(number)).uniform(0.3, 3):.2f}")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
