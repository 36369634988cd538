#!/bin/bash
# Process 1 of a guest: mounts images of file systems, as a power cut left them, so that the kernel mends them; looks
# for the files of the last round that was synchronized (file_workload.py); and has the file system checked.
# platter_images= of the kernel's command line is a folder with the images and a file `list`: lines of an image's
# name, its kind of file system, the round, the size of rounds, and `kept` if the bytes below keep/ have to be there.
. "$(dirname "$0")/prologue.sh"
folder=$(sed -n 's/.*platter_images=\([^ ]*\).*/\1/p' /proc/cmdline)
work="$(dirname "$0")/file_workload.py"
load loop
mkdir /run/images /run/tree
mount -t hostfs none /run/images -o "$folder" || failed "no folder of images"

check_with() {
  case "$1" in
    xfs) xfs_repair -n "$2" ;;
    btrfs) btrfs check "$2" ;;
    *) e2fsck -fn "$2" ;;
  esac
}

while read -r image kind round size kept; do
  device=$(losetup --find --show "/run/images/$image") || { failed "$image: no loop device"; continue; }
  before=$failures
  # Without a journal there is nothing that mends but the checker.
  case "$kind" in ext2 | ext4-no-journal) e2fsck -fy "$device" >/run/output 2>&1 ;; esac
  if mount -t "${kind%%-*}" "$device" /run/tree 2>/run/errors; then
    if [ "$round" -ge 0 ]; then
      python3 "$work" check /run/tree "$round" --size "$size" ${kept:+--kept} >/run/output 2>&1 ||
        { failed "$image: of round $round: $(head -n 3 /run/output | tr '\n' ';')"; }
    fi
    umount /run/tree
  else
    failed "$image does not mount: $(</run/errors) $(dmesg | tail -n 2 | tr '\n' ';')"
  fi
  check_with "${kind%%-*}" "$device" >/run/output 2>&1 || failed "$image is not clean: $(head -n 5 /run/output | tr '\n' ';')"
  losetup -d "$device"
  [ $failures -eq $before ] && passed "$image, round $round"
done </run/images/list
finish
