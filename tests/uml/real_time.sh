#!/bin/bash
# Process 1 of a guest: random reads of 4 KiB, one outstanding, for the figures of docs/validation.md; the emulator's
# report behind it has the device's side. Two minutes. tests/uml/run.sh BUILD real_time.sh platter_drives=spc
. "$(dirname "$0")/prologue.sh"
load virtio_scsi
wait_for test -b /dev/sda || { failed "no /dev/sda"; finish; }
fio --name=reads --filename=/dev/sda --direct=1 --ioengine=psync --rw=randread --bs=4k --number_ios=20000 --randseed=3 \
  --norandommap >/run/output 2>&1 && passed "20,000 reads" || failed "fio"
grep -E 'lat \(|IOPS|50.00th|99.00th' /run/output
finish
