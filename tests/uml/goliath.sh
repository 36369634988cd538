#!/bin/bash
# Process 1 of a guest: file systems on an emulated drive of 8 TB, most of whose contents are dropped: made, 10 GB
# unpacked into them, checked, and found again. For each a line with its figures. An hour or less:
#   tests/uml/run.sh BUILD goliath.sh platter_drives=large platter_speed=1000000 platter_options=--contents,generated
# platter_gigabytes=N unpacks less.
. "$(dirname "$0")/prologue.sh"
load virtio_scsi
load ext4
load xfs
wait_for test -b /dev/sda || { failed "no /dev/sda"; finish; }
gigabytes=$(sed -n 's/.*platter_gigabytes=\([0-9]*\).*/\1/p' /proc/cmdline)
mount -t tmpfs tmp /tmp

# A tar file of files of 1 KB to 64 MB, as a stream; no host has it.
cat >/run/stream.py <<'PYTHON'
import random, sys, tarfile
class Bytes:
    def __init__(self, number): self.line = (b"file %d " % number) * 64
    def read(self, n): return (self.line * (n // len(self.line) + 1))[:n]
left, number, r = int(sys.argv[1]) << 30, 0, random.Random(3)
with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as tar:
    while left > 0:
        entry = tarfile.TarInfo(f"tree/{number % 97}/{number % 31}/file{number}")
        entry.size = min(left, int(1024 * 65536 ** r.random()))
        tar.addfile(entry, Bytes(number))
        left -= entry.size
        number += 1
PYTHON

try() {  # try NAME MKFS... : a file system, from making it to finding all again
  local name=$1 check=$2; shift 2
  "$@" /dev/sda >/run/output 2>&1 || { failed "$*: $(tail -n 3 /run/output)"; return; }
  mount -t $name /dev/sda /mnt || { failed "$name is not mounted"; return; }
  python3 /run/stream.py ${gigabytes:-10} | tar -C /mnt -x || failed "untar on $name"
  (cd /mnt && find . | LC_ALL=C sort | md5sum; find . -type f | wc -l; du -s --apparent-size . | cut -f1) >/run/before
  umount /mnt
  $check /dev/sda >/run/output 2>&1 && passed "$name: $check finds nothing" || { failed "$name: $check"; tail -n 20 /run/output; }
  mount -t $name /dev/sda /mnt || { failed "$name is not mounted again"; return; }
  (cd /mnt && find . | LC_ALL=C sort | md5sum; find . -type f | wc -l; du -s --apparent-size . | cut -f1) >/run/after
  umount /mnt
  cmp -s /run/before /run/after && passed "$name: $(sed -n 2p /run/after) files, $(sed -n 3p /run/after) KB are found again" ||
    { failed "$name: find or du differ"; cat /run/before /run/after; }
}
try ext4 "fsck.ext4 -fn" mkfs.ext4 -q -F
try xfs "xfs_repair -n" mkfs.xfs -q -f
finish
