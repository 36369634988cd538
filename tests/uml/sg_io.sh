#!/bin/bash
# Process 1 of a guest: commands, errors and times through the three kinds of nodes of one drive.
. "$(dirname "$0")/prologue.sh"

load scsi_debug dev_size_mb=64 ndelay=200000

wait_for test -b /dev/sda -a -c /dev/sg0 || { failed "no /dev/sda"; finish; }

# Sector n holds the n-th letter. Without processes of their own, which are slow to start here.
printf -v zeros '%0512d' 0
for letter in {A..Z}; do printf %s "${zeros//0/$letter}"; done >/run/pattern
dd if=/run/pattern of=/dev/sda bs=512 conv=fsync status=none

expect 0 /run/platter devices
grep -q scsi_debug /run/output && passed "devices shows the drive" || failed "devices: $(cat /run/output)"
expect 0 /run/platter inspect /dev/sg0 --json
tr -d ' \n' </run/output | grep -q '^{"schema":{"name":"platter-inspection"' &&
  grep -q '"product": "scsi_debug"' /run/output &&
  passed "inspect writes JSON, schema first" || failed "inspect --json: $(head -n 20 /run/output)"
expect 0 /run/platter inspect /dev/sda
cat /run/output

for device in /dev/sg0 /dev/sda "/dev/bsg/$(ls /dev/bsg)"; do
  if PLATTER_TEST_DEVICE=$device timeout 60 "$build/tests/uml_guest_tests" '~[depth]' >/run/output 2>&1; then
    passed "$device: $(tail -n 2 /run/output | head -n 1) $(grep -o 'medians.*' /run/output | tail -n 1)"
  else
    failed "$device"
    cat /run/output
  fi
done

expect 3 /run/platter inspect /dev/sg9
expect 3 /run/platter inspect /dev/null
expect 2 /run/platter inspect nonsense
chmod 600 /dev/sg0 /dev/sda
expect 4 setpriv --reuid 65534 --regid 65534 --clear-groups /run/platter inspect /dev/sg0
expect 4 setpriv --reuid 65534 --regid 65534 --clear-groups /run/platter inspect /dev/sda

finish
