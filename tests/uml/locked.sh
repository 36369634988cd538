#!/bin/bash
# Process 1 of a guest: one run a drive, whichever of its nodes two runs name, also where the drive has no
# block device that could be held.
# holds: safety.md: There is one run a drive
# holds: safety.md: A drive without a block device
. "$(dirname "$0")/prologue.sh"
load scsi_debug dev_size_mb=8 ndelay=20000 add_host=2 per_host_store=1
wait_for test -b /dev/sda -a -b /dev/sdb -a -c /dev/sg1 || { failed "no drives"; finish; }

nodes=()
use_drive() { nodes=("/dev/$1" "/dev/$(ls /sys/block/$1/device/scsi_generic)" "/dev/bsg/$(ls /sys/block/$1/device/bsg)"); }

printf '%s\n' '0.0 0 100 8 0' '5.0 0 200 8 1' >/run/writes.trace
cat >/run/left.journal <<'END'
{"schema":{"name":"platter-journal","version":"2.0"},"platter":"0.1.0","device":"/dev/sda","vendor":"Linux","product":"scsi_debug","serial":"2000","blocks":16384,"block_bytes":512,"line":[1,179,"6f0848bc"]}
{"schema":{"name":"platter-journal","version":"2.0"},"platter":"0.1.0","device":"/dev/sda","vendor":"Linux","product":"scsi_debug","serial":"2000","blocks":16384,"block_bytes":512,"line":[2,179,"28a8326c"]}
END

echo '0.0 0 100 8 1' >/run/reads.trace

delay() { echo "$1" >/sys/bus/pseudo/drivers/scsi_debug/ndelay; }  # of each command, in ns
for i in {1..1000}; do echo "0.0 0 $((i * 8)) 8 1"; done >/run/long.trace
check_lock() {  # check_lock HOLDER NODES...
  local first=$1 node; shift
  delay 20000000
  /run/platter replay /run/long.trace --on "$first" -o /run/long.csv >/dev/null 2>&1 &
  local runner=$!
  wait_for grep -q "FLOCK.* $runner " /proc/locks || failed "nothing is locked by a run on $first"
  for node in "$@"; do
    expect 5 /run/platter replay /run/writes.trace --on "$node" -o /run/new.csv --allow-writes 0-1000
    grep -q "$node is in use: by another platter, process $runner;" /run/errors || failed "the process is not named"
    [ "$node" = "$first" ] || continue
    expect 5 /run/platter restore /run/left.journal --device "$node"
  done
  kill -9 $runner; wait $runner 2>/dev/null
  wait_for sh -c '! grep -q FLOCK /proc/locks' || failed "the lock outlives its process"
  delay 20000
}
use_drive sda
for node in "${nodes[@]}"; do check_lock "$node" "${nodes[@]}"; done
for node in "${nodes[@]}"; do expect 0 /run/platter inspect "$node"; done
# Without the sd driver.
echo 0:0:0:0 >/sys/bus/scsi/drivers/sd/unbind
[ -e /sys/block/sda ] && failed "sda is still there"
check_lock "${nodes[1]}" "${nodes[@]:1}"
check_lock "${nodes[2]}" "${nodes[@]:1}"
# Nobody can tell whether it is in use: it is read, and neither written to nor set.
for node in "${nodes[@]:1}"; do
  expect 0 /run/platter inspect "$node"
  grep -q "$node may be in use, and is only read" /run/errors || failed "no notice: $(</run/errors)"
  expect 5 /run/platter characterize "$node" -o /run/new.json
  grep -q "$node may be in use: .*--not-in-use $node" /run/errors || failed "not told why: $(</run/errors)"
  expect 5 /run/platter replay /run/writes.trace --on "$node" --allow-writes 0-1000 --not-in-use /dev/sg1
  expect 5 /run/platter replay /run/reads.trace --on "$node" --caches off
  expect 5 /run/platter restore /run/left.journal --device "$node"
  expect 0 /run/platter replay /run/reads.trace --on "$node"
  expect 0 /run/platter replay /run/writes.trace --on "$node" --allow-writes 0-1000 --not-in-use "$node"
  grep -q "may be in use" /run/errors && failed "told all the same: $(</run/errors)"
done
expect 0 /run/platter devices
grep -q "${nodes[1]} .* may be in use: Linux has no block device" /run/output || failed "devices: $(</run/output)"
# Another drive is another run.
delay 20000000
/run/platter replay /run/long.trace --on /dev/sg1 -o /run/long.csv >/dev/null 2>&1 &
wait_for grep -q "FLOCK.* $! " /proc/locks
expect 0 /run/platter inspect "${nodes[1]}"
finish
