#!/bin/bash
# Process 1 of a guest: writes that fail below SG_IO. The run says so by its status, and by its own hand or by
# `platter restore` the drive holds what it held. platter_wait= of the kernel's command line: also commands that no
# answer comes to, each of which takes the whole time-out of a minute.
. "$(dirname "$0")/prologue.sh"
. "$(dirname "$0")/contents.sh"

load scsi_debug dev_size_mb=8 ndelay=100000 fake_rw=0
wait_for test -b /dev/sda -a -c /dev/sg0 || { failed "no /dev/sda"; finish; }
fill_drive 60
settings=/sys/bus/pseudo/drivers/scsi_debug
nodes=(/dev/sda /dev/sg0 "/dev/bsg/$(ls /dev/bsg)")

# fail_by NAME OPTS NTH...: every NTH command fails so; at least one of the runs must have met it in a write.
fail_by() {
  local name=$1 opts=$2 nth status depth writes=0 runs=0; shift 2
  for nth in "$@"; do
    echo "$opts" >$settings/opts
    echo "$nth" >$settings/every_nth
    depth=$(depth_of $runs)
    /run/platter replay /run/writes.trace --on "${nodes[runs % 3]}" --depth "$depth" "${how[@]}" \
      >/run/output 2>/run/errors
    status=$?
    echo 0 >$settings/every_nth
    echo 0 >$settings/opts
    runs=$((runs + 1))
    if grep -qi "platter: .*write" /run/errors && [ $status -ne 0 ]; then
      writes=$((writes + 1))
      echo "$name, every $nth, depth $depth: status $status, $(journals | wc -l) journals left: $(head -n 1 /run/errors)"
    fi
    [ $status -eq 0 ] && grep -q "did not carry out WRITE" /run/errors && failed "$name: status 0 though a write failed"
    put_right "$name, every $nth"
    [ "$name" = "no answer" ] && [ $writes -gt 0 ] && break  # each takes a minute
  done
  [ $writes -gt 0 ] && passed "$name: $writes of $runs runs ended by a write that failed, contents as before" ||
    failed "$name: no write has failed in $runs runs"
}

if grep -q platter_wait= /proc/cmdline; then
  fail_by "no answer" 0x80 65 75 45 55 85
else
  fail_by "transport error" 0x10 50 55 60 70 75 80
fi
finish
