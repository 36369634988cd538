#!/usr/bin/env python3
"""Seeds of the fuzz target `file-systems`: what mkfs leaves on a drive of 320 MB, without its zeros.

    tests/fuzz/file_systems_seeds.py tests/fuzz/corpus/file-systems
"""

import os
import re
import struct
import subprocess
import sys
import tempfile

BYTES, PAGE = 81920 * 4096, 4096
UUID = "11111111-2222-3333-4444-555555555555"
MAKERS = {
    "ext4": ["mkfs.ext4", "-q", "-U", UUID, "-E", f"hash_seed={UUID},lazy_itable_init=1", "-J", "size=4"],
    "ext2": ["mkfs.ext4", "-q", "-U", UUID, "-O", "^has_journal,^extent,^64bit,^metadata_csum", "-E", f"hash_seed={UUID}", "-b", "1024",
             "-N", "64"],
    "xfs": ["mkfs.xfs", "-q", "-m", f"uuid={UUID}"],
    "btrfs": ["mkfs.btrfs", "-q", "-U", UUID],
}


def pieces(image):
    """(page, place in it, bytes) of all that is no zero."""
    with open(image, "rb") as file:
        end = os.fstat(file.fileno()).st_size
        at = 0
        while at < end:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA) // PAGE * PAGE
            except OSError:
                return
            file.seek(at)
            page = file.read(PAGE)
            for found in re.finditer(rb"[^\0](?:\0{0,12}[^\0])*", page):
                yield at // PAGE, found.start(), found.group()
            at += PAGE


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, command in MAKERS.items():
        with tempfile.TemporaryDirectory() as work:
            image = os.path.join(work, "image")
            with open(image, "wb") as file:
                file.truncate(BYTES)
            subprocess.run([*command, image], check=True,
                           env=dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin"))
            with open(os.path.join(folder, name), "wb") as file:
                for page, place, its in pieces(image):
                    file.write(struct.pack("<I", page)[:3] + struct.pack("<HH", place, len(its)) + its)


if __name__ == "__main__":
    main()
