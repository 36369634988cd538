#!/bin/bash
# Process 1 of a guest: an emulated drive of today (target 0) and one of 1991 (target 1) as the kernel, sg3-utils, fio
# and platter itself see them, through SG_IO.
. "$(dirname "$0")/prologue.sh"

load virtio_scsi
wait_for test -b /dev/sda -a -b /dev/sdb -a -c /dev/sg1 || { failed "no drives"; dmesg | tail -n 30; finish; }
dmesg | grep -E 'sd |scsi ' | grep -iE 'fail|error|invalid|asked|assuming|unsupported|sense' |
  grep -v -e 'Power-on or device reset' -e 'Mode Sense: ' >/run/complaints
[ -s /run/complaints ] && failed "the kernel complains: $(cat /run/complaints)" || passed "the kernel sees the drives"

answers() {  # answers COMMAND...: ends with 0
  if "$@" >/run/output 2>/run/errors </dev/null; then passed "$(head -n 1 /run/output | head -c 60) [$*]"
  else failed "status $?: $*"; head -n 5 /run/output /run/errors; fi
}
lacks() {  # lacks COMMAND...: the drive has no such command (5/20/00), which sg3-utils tell by status 9
  "$@" >/run/output 2>/run/errors </dev/null
  local status=$?
  [ $status -eq 9 ] && passed "5/20/00: $*" || { failed "status $status: $*"; head -n 5 /run/output /run/errors; }
}

d=/dev/sg0
answers sg_inq $d
for page in 0x00 0x80 0x83 0xb0 0xb1; do answers sg_vpd --page=$page $d; done
answers sg_readcap $d
answers sg_readcap --16 $d
answers sg_modes -a $d
answers sg_requests $d
answers sg_turs $d
answers sg_senddiag -l $d
answers sg_senddiag -t $d
answers sg_reassign -g $d
answers sg_seek --lba=123456 $d
answers sg_sync $d
answers sg_sync --16 $d
answers sg_luns $d
answers sg_opcodes $d
answers sg_logs -a $d
answers sg_verify --lba=1000 --count=64 $d
answers sg_verify --16 --lba=1000 --count=64 $d
answers sg_start --stop $d
answers sg_start --start $d
printf 'written by a test' | dd of=/run/block bs=512 count=1 conv=sync status=none
answers sg_write_same --in=/run/block --lba=5000 --num=100 --xferlen=512 $d
answers sg_write_same --16 --in=/run/block --lba=5100 --num=100 --xferlen=512 $d
for size in 10 12 16; do
  answers sg_dd if=$d of=/run/read bs=512 skip=5000 count=200 bpt=50 cdbsz=$size
  [ "$(tail -c +51201 /run/read | head -c 17)" = "written by a test" ] || failed "sg_dd cdbsz=$size reads something else"
done
sg_wr_mode --page=8 $d >/run/page 2>/run/errors && passed "sg_wr_mode reads the caching page" || failed "sg_wr_mode: $(cat /run/errors)"
answers sg_wr_mode --page=8 --mask=00,00,04 --contents=08,12,00 $d
answers sg_wr_mode --page=8 --mask=00,00,04 --contents=08,12,04 $d
answers sg_reset -d $d
answers sg_turs -n 2 $d
lacks sg_unmap --force --lba=0 --num=1 $d
lacks sg_read_long --lba=0 $d
lacks sg_read_buffer --length=4 $d
lacks sg_persist --in --read-keys $d
lacks sg_timestamp $d
lacks sg_ident $d

# What sg3-utils show agrees with inspect.
for d in /dev/sg0 /dev/sg1; do
  expect 0 /run/platter inspect $d --json
  cp /run/output /run/inspected
  sg_inq $d >/run/inq 2>&1
  sg_readcap $d >/run/cap 2>&1
  : >/run/modes
  for page in 0x03 0x04 0x08; do sg_modes --raw --dbd --page=$page $d 2>/dev/null | od -An -v -tx1 | tr -d ' \n' >>/run/modes; echo >>/run/modes; done
  sg_vpd --page=0 --raw $d 2>/dev/null | od -An -v -tx1 >/run/vpd
  "$(dirname "$0")/agrees.py" /run/inspected /run/inq /run/cap /run/modes /run/vpd >/run/output 2>&1 &&
    passed "$d: $(tail -n 1 /run/output)" || { failed "$d: sg3-utils and inspect differ"; cat /run/output; }
done

# Data, at depth, on both drives at once.
fio --direct=1 --ioengine=libaio --iodepth=32 --rw=randrw --bs=4k --size=8m --verify=crc32c --verify_fatal=1 \
  --do_verify=1 --randseed=7 --name=a --filename=/dev/sda --name=b --filename=/dev/sdb >/run/output 2>&1 &&
  passed "fio verifies what it wrote" || { failed "fio"; tail -n 20 /run/output; }
mkfs.ext4 -q /dev/sda 40000 && mount /dev/sda /mnt && cp -r /etc/ssl /mnt/ && umount /mnt &&
  fsck.ext4 -fn /dev/sda >/run/output 2>&1 && passed "ext4" || { failed "ext4"; cat /run/output; }
finish
