#!/bin/bash
# Process 1 of a guest: makes a file system on a drive (/dev/ubda), works in it, and logs every write in its order
# (/dev/ubdb, the device mapper's log-writes). Of the kernel's command line: platter_variant= which file system,
# platter_rounds= of work, platter_size= of a round.
. "$(dirname "$0")/prologue.sh"
parameter() { sed -n "s/.*platter_$1=\([^ ]*\).*/\1/p" /proc/cmdline; }
variant=$(parameter variant) rounds=$(parameter rounds) size=$(parameter size)
work="$(dirname "$0")/file_workload.py"

load dm-mod
load dm-log-writes
[ "$variant" = ext4-quota ] && load quota_v2
dmsetup create --noudevsync log --table "0 $(blockdev --getsz /dev/ubda) log-writes /dev/ubda /dev/ubdb" ||
  failed "no log of writes"
dmsetup mknodes
drive=/dev/mapper/log
mark() { dmsetup message log 0 mark "$1"; }

options=defaults
case "$variant" in
  ext4) mkfs.ext4 -q -E nodiscard -T default $drive ;;
  ext4-small-blocks) mkfs.ext4 -q -E nodiscard -T default -b 1024 -g 4096 $drive ;;
  ext4-no-journal) mkfs.ext4 -q -E nodiscard -T default -O ^has_journal $drive ;;
  ext4-data-journal) mkfs.ext4 -q -E nodiscard -T default $drive; options=data=journal ;;
  ext4-quota) mkfs.ext4 -q -E nodiscard -T default -O quota,project,orphan_file,fast_commit,mmp -I 256 $drive ;;
  ext4-meta-groups) mkfs.ext4 -q -E nodiscard -T default -O ^resize_inode,meta_bg,bigalloc -C 16384 $drive ;;
  ext3) mkfs.ext3 -q -E nodiscard -T default -g 2048 $drive ;;
  ext2) mkfs.ext2 -q -E nodiscard -T default $drive ;;
  xfs) mkfs.xfs -q -K $drive ;;
  xfs-small-blocks) mkfs.xfs -q -K -b size=1024 -i size=512 $drive ;;
  btrfs) mkfs.btrfs -q -K $drive ;;
  btrfs-mixed) mkfs.btrfs -q -K --mixed $drive ;;
  *) failed "there is no variant $variant" ;;
esac || failed "mkfs for $variant"
mkdir /run/tree
mount -o "$options" $drive /run/tree || { failed "mount"; dmesg | tail -n 5; }
mark made
for ((round = 0; round < rounds; ++round)); do
  python3 "$work" write /run/tree "$round" --size "$size" || failed "round $round"
  sync
  mark "round-$round"
done
umount /run/tree
mark unmounted
dmsetup remove log
finish
