#!/bin/busybox sh
# Process 1 of the guest: everything that a check prints goes to the console.
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev; mount -t tmpfs none /tmp
ln -s /proc/mounts /etc/mtab
while read -r module; do insmod "/modules/$module"; done </modules/order
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/sda ] && break; sleep 1; done
ok() { if "$@" >/tmp/out 2>/tmp/err; then echo "ok: $*"; else echo "FAILED: $*"; head -n 20 /tmp/out /tmp/err; fi; }

uname -r
dmesg | grep -E 'sd [0-9]|scsi [0-9]'
complaints=$(dmesg | grep -E 'sd [0-9]|scsi [0-9]' | grep -iE 'fail|error|invalid|asking|assuming|unsupported' |
  grep -v 'Power-on or device reset')
[ -z "$complaints" ] && echo 'ok: no complaint' || echo "FAILED: $complaints"
ok sg_inq /dev/sg0
ok sg_readcap --16 /dev/sg0
ok platter inspect /dev/sg0
grep -E 'serial|capacity|address translation' /tmp/out
ok mkfs.ext4 -q /dev/sda 65536
ok mount -t ext4 /dev/sda /mnt
ok cp -r /modules /mnt
ok umount /mnt
ok fsck.ext4 -fn /dev/sda
ok fio --name=v --filename=/dev/sda --direct=1 --ioengine=libaio --iodepth=32 --rw=randrw --bs=4k --size=4m \
  --verify=crc32c --verify_fatal=1 --do_verify=1
echo 'guest: done'
poweroff -f
