#!/bin/bash
# Process 1 of a guest: platter inspect through SG_IO on drives that the kernel's scsi_debug plays: with unit
# attentions, a sector that cannot be read, blocks of 4096 bytes, zones. One after the other, as one module.
. "$(dirname "$0")/prologue.sh"

drive() { load scsi_debug dev_size_mb=16 ndelay=20000 "$@"; wait_for test -c /dev/sg0 || failed "no drive: $*"; }
gone() { rmmod scsi_debug || failed "scsi_debug does not go"; wait_for test ! -e /dev/sg0; }
shows() { grep -q -- "$1" /run/output && passed "$1" || { failed "inspect does not show: $1"; cat /run/output; }; }

drive
sg_reset -d /dev/sg0  # the next command is told of it
expect 0 /run/platter inspect /dev/sg0
shows 'capacity  .*32768 blocks of 512 bytes'
gone

drive opts=2 medium_error_start=4660 medium_error_count=3
expect 0 /run/platter inspect /dev/sg0
echo '0.0 0 4656 8 1' >/run/one.trace
expect 8 /run/platter replay /run/one.trace --on /dev/sg0 -o /run/one.csv --force
grep -q 'at LBN 4656: Medium Error: Unrecovered read error \[3/11/00\]' /run/errors && passed "its sentence" ||
  failed "the sentence: $(cat /run/errors)"
gone

drive sector_size=4096 physblk_exp=0
expect 0 /run/platter inspect /dev/sg0
shows '4096 blocks of 4096 bytes'
gone

drive sector_size=512 physblk_exp=3
expect 0 /run/platter inspect /dev/sg0
shows 'physical block  .*4096 bytes'
gone

for model in host-managed host-aware; do
  drive zbc=$model zone_size_mb=4
  expect 0 /run/platter inspect /dev/sg0
  shows 'VPD pages .* B6h'
  shows 'zones  .*4 of 8192 blocks: 1 conventional; 3 sequential-'
  gone
done
finish
