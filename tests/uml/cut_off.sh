#!/bin/bash
# Process 1 of a guest: `platter replay` of writes through SG_IO is killed at random moments
# (platter_kills= of the kernel's command line says how often), and what the drive holds is compared.
. "$(dirname "$0")/prologue.sh"
. "$(dirname "$0")/contents.sh"
kills=$(sed -n 's/.*platter_kills=\([0-9]*\).*/\1/p' /proc/cmdline)
RANDOM=$seed

load scsi_debug dev_size_mb=8 ndelay=500000 fake_rw=0
wait_for test -b /dev/sda -a -c /dev/sg0 || { failed "no /dev/sda"; finish; }

fill_drive 600
started=$(date +%s%N)
expect 0 /run/platter replay /run/writes.trace --on /dev/sda --depth 1 "${how[@]}"
whole_ms=$((($(date +%s%N) - started) / 1000000))
[ -n "$(journals)" ] && failed "a run in order leaves a journal"
put_right "a whole run"

nodes=(/dev/sda /dev/sg0 "/dev/bsg/$(ls /dev/bsg)")
killed=0 journaled=0
for ((i = 0; i < kills; ++i)); do
  depth=$(depth_of $i)
  /run/platter replay /run/writes.trace --on "${nodes[i % 3]}" --depth "$depth" "${how[@]}" >/run/output 2>&1 &
  runner=$!
  # Every second time not before there is something to restore.
  if [ $((i % 2)) -eq 1 ]; then
    while [ -z "$(journals)" ] && kill -0 $runner 2>/dev/null; do sleep 0.01; done
    after_ms=$((RANDOM * whole_ms / 65536))
  else
    after_ms=$((RANDOM * whole_ms / 32768))
  fi
  sleep "$(printf '%d.%03d' $((after_ms / 1000)) $((after_ms % 1000)))"
  kill -9 $runner 2>/dev/null && killed=$((killed + 1))
  wait $runner 2>/dev/null
  [ -n "$(journals)" ] && journaled=$((journaled + 1))
  put_right "kill $i after $after_ms of $whole_ms ms"
  [ $failures -eq 0 ] && echo "kill $i, depth $depth: $journaled journals so far, contents as before"
done
[ $failures -eq 0 ] && passed "$killed of $kills runs killed, $journaled with a journal left: contents as before"
[ $journaled -gt 0 ] || failed "no kill left a journal: nothing was tried"
finish
