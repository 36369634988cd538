#!/bin/bash
# Process 1 of a guest: drives that somebody uses. Whatever holds the whole drive or one of its partitions,
# every command that measures or writes is refused (status 5) through each node of the drive, the sentence
# names the holder, and nothing is sent to the drive. mdadm and lvm2 are those that ./check unpacks into
# build/tools.
# holds: safety.md: A drive that is mounted
. "$(dirname "$0")/prologue.sh"
tools=$(dirname "$build")/tools
export PATH=$PATH:$tools/sbin:$tools/usr/sbin
export LD_LIBRARY_PATH=$tools/usr/lib/x86_64-linux-gnu:$tools/lib/x86_64-linux-gnu
export DM_DISABLE_UDEV=1 LVM_SUPPRESS_FD_WARNINGS=1 LVM_SYSTEM_DIR=/run/lvm
mkdir -p /run/lvm /run/mounted
for module in raid1 raid456 dm-mod loop; do load $module; done
load scsi_debug dev_size_mb=32 ndelay=20000 add_host=2 per_host_store=1 num_parts=2 statistics=1
wait_for test -b /dev/sda2 -a -b /dev/sdb -a -c /dev/sg1 || { failed "no drives"; finish; }

nodes=()
use_drive() { nodes=("/dev/$1" "/dev/$(ls /sys/block/$1/device/scsi_generic)" "/dev/bsg/$(ls /sys/block/$1/device/bsg)"); }

printf '%s\n' '0.0 0 100 8 0' '5.0 0 200 8 1' >/run/writes.trace
/run/platter truth virtual:hp-c2247 -o /run/drive.json
cat >/run/left.journal <<'END'
{"schema":{"name":"platter-journal","version":"2.0"},"platter":"0.1.0","device":"/dev/sda","vendor":"Linux","product":"scsi_debug","serial":"2000","blocks":65536,"block_bytes":512,"line":[1,179,"0c0d7da3"]}
{"schema":{"name":"platter-journal","version":"2.0"},"platter":"0.1.0","device":"/dev/sda","vendor":"Linux","product":"scsi_debug","serial":"2000","blocks":65536,"block_bytes":512,"line":[2,179,"4bad0773"]}
END

commands_sent() { sed -n 's/^cmnd_count=\([0-9]*\),.*/\1/p' /proc/scsi/scsi_debug/0; }

# ask COMMAND NODE: that is refused, and the sentence names the holder.
ask() {
  local command=$1 node=$2 sentence=$3 status
  case $command in
    characterize) set -- "$node" -o /run/new.json --allow-writes 0-1000 ;;
    replay) set -- /run/writes.trace --on "$node" -o /run/new.csv --allow-writes 0-1000 ;;
    validate) set -- "$node" /run/drive.json --allow-writes 0-1000 -o /run/validation ;;
    restore) set -- /run/left.journal --device "$node" ;;
  esac
  /run/platter $command "$@" >/run/output 2>/run/errors
  status=$?
  asked=$((asked + 1))
  if [ $status -eq 5 ] && [ "$(</run/errors)" = "platter: $node is in use: $sentence; only a drive that nobody uses is measured" ]
  then refusals=$((refusals + 1))
  else failed "status $status: platter $command $*: $(head -n 3 /run/errors)"; fi
}

# refused SENTENCE: each command on one node, and one command on each other node, both in turn; with `all` behind it
# each on each. What file systems and arrays write by themselves is waited for first.
turn=0
refused() {
  local sentence=$1 which=${2:-some} node command before=-1 after asked=0 refusals=0 i
  sync
  after=$(commands_sent)
  while [ "$before" != "$after" ]; do sleep 0.3; before=$after; after=$(commands_sent); done
  local commands=(characterize replay validate restore)
  turn=$((turn + 1))
  for i in 0 1 2; do
    node=${nodes[(turn + i) % 3]}
    if [ $i -eq 0 ] || [ "$which" = all ]; then
      for command in "${commands[@]}"; do ask $command "$node" "$sentence"; done
    else
      ask "${commands[(turn + i) % 4]}" "$node" "$sentence"
    fi
  done
  after=$(commands_sent)
  [ "$before" = "$after" ] || failed "$((after - before)) commands reached the drives ($sentence)"
  [ -e /run/left.journal ] || failed "the journal is gone"
  passed "$refusals of $asked refused: $(</run/errors)"
}

hold_by_program() {
  python3 -c '
import os, sys, time
held = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
open("/run/ready", "w").close()
time.sleep(600)' "$1" &
  holder=$!
  wait_for test -e /run/ready
}

# Where we do not see it: in a mount namespace of its own.
hold_elsewhere() {
  unshare --mount sh -c 'mount -t ext2 -o ro "$1" /run/mounted && touch /run/ready && exec sleep 600' - "$1" &
  holder=$!
  wait_for test -e /run/ready
}

let_go() { kill $holder; wait $holder 2>/dev/null; rm -f /run/ready; }

lvm_quietly() {
  local command=$1; shift
  lvm "$command" --config 'devices { dir="/dev" scan=["/dev"] use_devicesfile=0 obtain_device_list_from_udev=0 external_device_info_source="none" }
    activation { udev_sync=0 udev_rules=0 monitoring=0 } global { locking_dir="/run/lvm" use_lvmpolld=0 event_activation=0 }
    backup { backup=0 archive=0 }' "$@" >/run/output 2>&1 || { failed "lvm $command"; cat /run/output; }
}

array() {  # array NAME LEVEL DEVICES...
  local name=$1 level=$2; shift 2
  mdadm --create "/dev/$name" --run --force --assume-clean --metadata=1.2 --level="$level" --raid-devices=$# "$@" \
    >/run/output 2>&1 || { failed "mdadm $level"; cat /run/output; }
}

end_array() {
  mdadm --stop "/dev/$1" 2>/dev/null || failed "the array $1 does not stop"
  mdadm --zero-superblock "$2" 2>/dev/null
}

# check_holders TARGET WHICH OTHER: WHICH is how the sentence names the target, OTHER a second member.
check_holders() {
  local target=$1 which=$2 other=$3
  mkfs.ext2 -q "$target" && mount -t ext2 -o ro "$target" /run/mounted || failed "no file system on $target"
  refused "$which is mounted on /run/mounted" all
  umount /run/mounted

  hold_elsewhere "$target"
  refused "$which is mounted on /run/mounted for process $holder (sleep)"
  let_go

  mkswap -q "$target" >/dev/null && swapon "$target" || failed "no swap on $target"
  refused "$which is used for swap"
  swapoff "$target"

  array md0 1 "$target" missing
  refused "$which is part of md0 (raid1)"
  end_array md0 "$target"

  array md1 5 "$target" "$other" missing
  refused "$which is part of md1 (raid5)"
  end_array md1 "$target"

  echo 0 1000 linear "$target" 0 | dmsetup create straight || failed "dmsetup"
  refused "$which is part of the device-mapper volume straight (dm-0)"
  dmsetup remove straight

  lvm_quietly pvcreate -f -y "$target"
  lvm_quietly vgcreate some-volumes "$target"
  lvm_quietly lvcreate -y -Wn -Zn -l 2 -n home some-volumes
  mknod /dev/home b "$(cut -d: -f1 /sys/block/dm-0/dev)" "$(cut -d: -f2 /sys/block/dm-0/dev)"
  refused "$which is part of the logical volume some-volumes/home (dm-0)"
  mkfs.ext2 -q /dev/home && mount -t ext2 -o ro /dev/home /run/mounted || failed "no file system on LVM"
  refused "$which is part of the logical volume some-volumes/home (dm-0), which is mounted on /run/mounted"
  umount /run/mounted
  rm /dev/home
  lvm_quietly vgremove -f -y some-volumes
  lvm_quietly pvremove -f -y "$target"

  losetup /dev/loop0 "$target" || failed "losetup"
  refused "$which is behind loop0"
  losetup -d /dev/loop0

  hold_by_program "$target"
  refused "by another program (opened exclusively); process $holder (python3) has it open"
  let_go
}

use_drive sda
check_holders /dev/sda1 sda1 /dev/sdb1
use_drive sdb
dd if=/dev/zero of=/dev/sdb bs=1M count=1 conv=fsync status=none
blockdev --rereadpt /dev/sdb
check_holders /dev/sdb it /dev/sda2

# Nobody has them any more.
for node in /dev/sda /dev/sg0 /dev/sdb /dev/sg1; do expect 0 /run/platter inspect $node; done

finish
