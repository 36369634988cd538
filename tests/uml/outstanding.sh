#!/bin/bash
# Process 1 of a guest: several commands outstanding through the three kinds of nodes of one drive; traces replayed
# at depth; runs that end, and drives that vanish, with commands in flight. platter_figures= of the kernel's command
# line: the times of docs/performance.md, and nothing else.
. "$(dirname "$0")/prologue.sh"

load scsi_debug dev_size_mb=64 ndelay=200000 statistics=1
wait_for test -b /dev/sda -a -c /dev/sg0 || { failed "no /dev/sda"; finish; }
printf -v zeros '%0512d' 0
for letter in {A..Z}; do printf %s "${zeros//0/$letter}"; done >/run/pattern
dd if=/run/pattern of=/dev/sda bs=512 conv=fsync status=none
settings=/sys/bus/pseudo/drivers/scsi_debug
nodes=(/dev/sg0 /dev/sda "/dev/bsg/$(ls /dev/bsg)")

if grep -q platter_figures= /proc/cmdline; then
  for device in "${nodes[@]}"; do
    PLATTER_TEST_DEVICE=$device "$build/tests/uml_guest_tests" '[.figures]' | grep beyond || failed "$device"
  done
  finish
fi

for device in "${nodes[@]}"; do
  if PLATTER_TEST_DEVICE=$device timeout 60 "$build/tests/uml_guest_tests" '[depth]' >/run/output 2>&1; then
    passed "$device: $(tail -n 2 /run/output | head -n 1)"
    grep -h -A1 'warning:' /run/output | grep -v -e warning: -e --
  else
    failed "$device"
    cat /run/output
  fi
done

# ---- Traces at depth, by the program. Each command takes 20 ms, so that in turn they take at least
# 20 ms each.
for ((i = 1; i <= 64; ++i)); do echo "0.0 0 $((i * 613)) 8 1"; done >/run/reads.trace
replay=(/run/platter replay /run/reads.trace --reference-reads 0 -o /run/new.csv --force --on)
# Of a result, from the first issue to the last completion, in ms.
took() {
  awk -F, '$1 == "trace" { if (!begin || $6 < begin) begin = $6; if ($6 + $7 > end) end = $6 + $7 }
    END { printf "%d", (end - begin) / 1000000 }' /run/new.csv
}
says() { grep -q "$1" "$2" && passed "it says: $(grep -h "$1" "$2" | cut -c1-150 | head -n 1)" ||
  { failed "not said: $1"; head -n 5 "$2"; }; }

echo 20000000 >$settings/ndelay
for node in "${nodes[@]}"; do
  for attempt in 1 2 3; do  # something else may have had the processor; three times in a row it had not
    expect 0 "${replay[@]}" "$node" --depth 16
    ms=$(took)
    [ "$ms" -ge 640 ] || break
  done
  [ "$ms" -ge 80 ] && [ "$ms" -lt 640 ] && passed "$node: 64 reads of 20 ms, 16 at once, took $ms ms" ||
    failed "$node: 64 reads of 20 ms, 16 at once, took $ms ms"
done
expect 0 "${replay[@]}" /dev/sg0 --depth 100
says "takes at most 64 at once, not 100" /run/errors
echo 1 >/sys/block/sda/device/queue_depth
expect 0 "${replay[@]}" /dev/sg0 --depth 2 --limit 16
says "takes at most 1 at once, not 2" /run/errors
ms=$(took)
[ "$ms" -ge 320 ] && passed "one at a time took $ms ms" || failed "one at a time took $ms ms"
echo 64 >/sys/block/sda/device/queue_depth

# ---- Ended with commands in flight: by a signal in order, by SIGKILL at once; nobody is left behind.
for ((i = 1; i <= 8000; ++i)); do echo "0.0 0 $((i * 16)) 8 1"; done >/run/reads.trace
for node in "${nodes[@]}"; do
  for signal in INT KILL; do
    "${replay[@]}" "$node" --depth 32 >/run/output 2>&1 &
    runner=$!
    wait_for grep -q "FLOCK.* $runner " /proc/locks
    sleep 0.4
    kill -$signal $runner
    wait $runner 2>/dev/null
    status=$?
    [ $signal = INT ] && wanted=130 || wanted=137
    [ $status -eq $wanted ] && passed "$node: SIG$signal with 32 reads in flight ended it" ||
      failed "$node: status $status, not $wanted, by SIG$signal: $(head -n 3 /run/output)"
  done
  expect 0 "${replay[@]}" "$node" --depth 32 --limit 32
done

# ---- The drive vanishes with commands in flight: an error, and no process that hangs.
for i in 0 1 2; do
  nodes=("/dev/$(ls /sys/class/scsi_generic)" "/dev/$(ls /sys/bus/scsi/devices/0:0:0:0/block)" "/dev/bsg/$(ls /dev/bsg)")
  node=${nodes[i]}
  "${replay[@]}" "$node" --depth 32 >/run/output 2>&1 &
  runner=$!
  wait_for grep -q "FLOCK.* $runner " /proc/locks
  sleep 0.3
  echo 1 >/sys/bus/scsi/devices/0:0:0:0/delete
  wait $runner
  status=$?
  [ $status -eq 8 ] && grep -q "$node" /run/output && passed "$node vanished: $(grep platter: /run/output | head -n 1)" ||
    failed "status $status when $node vanished: $(head -n 3 /run/output)"
  echo "- - -" >/sys/class/scsi_host/host0/scan
  wait_for test -e /sys/bus/scsi/devices/0:0:0:0/block
done

finish
