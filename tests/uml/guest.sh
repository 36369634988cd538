#!/bin/bash
# Process 1 of the guest. The kernel's command line names the build directory (platter_build=).
# Everything that a check prints goes to the console; the last line says whether all passed.
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mountpoint -q /dev || mount -t devtmpfs dev /dev
mount -t tmpfs run /run
build=$(sed -n 's/.*platter_build=\([^ ]*\).*/\1/p' /proc/cmdline)
failures=0

passed() { echo "ok: $*"; }
failed() { echo "FAILED: $*"; failures=$((failures + 1)); }

# expect STATUS COMMAND...: the exit status is the one that the documentation promises.
expect() {
  local wanted=$1; shift
  "$@" >/run/output 2>/run/errors
  local status=$?
  if [ $status -eq "$wanted" ]; then
    passed "status $wanted: ${*##*/} ($(head -c 200 /run/errors | head -n 1))"
  else
    failed "status $status, not $wanted: $*"
    head -n 20 /run/output /run/errors
  fi
}

load() { modprobe -d /run/modules "$@" || failed "module $1 does not load"; }

finish() {
  [ $failures -eq 0 ] && echo "guest: all passed" || echo "guest: $failures failed"
  "$build/tests/uml_power_off"
}

# The modules belong to the package, not to /lib/modules of the host.
mkdir -p /run/modules/lib
ln -s /usr/lib/uml/modules /run/modules/lib/modules
load sg
load sd_mod
load scsi_debug dev_size_mb=64 ndelay=200000

for i in $(seq 50); do [ -b /dev/sda ] && [ -c /dev/sg0 ] && break; sleep 0.1; done
[ -b /dev/sda ] || { failed "no /dev/sda"; finish; }

# Where nobody may look into the build directory, nobody can still run this copy.
install -m 755 "$build/platter" /run/platter

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
  if PLATTER_TEST_DEVICE=$device timeout 60 "$build/tests/uml_guest_tests" >/run/output 2>&1; then
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

# In use: mounted, swap, or held by someone who has it open exclusively.
mkfs.ext2 -q /dev/sda && mkdir /run/mounted && mount -t ext2 /dev/sda /run/mounted ||
  failed "no file system to mount"
expect 5 /run/platter inspect /dev/sda
grep -q /run/mounted /run/errors || failed "the mount point is not named"
expect 5 /run/platter inspect /dev/sg0
expect 5 /run/platter inspect "/dev/bsg/$(ls /dev/bsg)"
umount /run/mounted
mkswap -q /dev/sda >/dev/null && swapon /dev/sda || failed "no swap"
expect 5 /run/platter inspect /dev/sg0
grep -q swap /run/errors || failed "swap is not named"
swapoff /dev/sda
python3 -c '
import os, time
held = os.open("/dev/sda", os.O_RDONLY | os.O_EXCL)
open("/run/held", "w").close()
time.sleep(30)' &
for i in $(seq 100); do [ -e /run/held ] && break; sleep 0.1; done
expect 5 /run/platter inspect /dev/sg0
kill $!; wait $! 2>/dev/null
expect 0 /run/platter inspect /dev/sg0
finish
