#!/bin/busybox sh
# Process 1 of a guest of zones.sh. The kernel's command line says which: zones=look (what the kernel has of the drives,
# zonefs, a new f2fs) or zones=write (f2fs as the power cut left it, its files, and writes until the power goes).
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev; mount -t tmpfs none /tmp
ln -s /proc/mounts /etc/mtab
while read -r module; do insmod "/modules/$module"; done </modules/order
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/sda ] && [ -b /dev/sdb ] && break; sleep 1; done
Z=sda A=sdb  # they come in any order
[ "$(cat /sys/block/sda/queue/zoned)" = none ] && Z=sdb A=sda
said() { cat /tmp/out /tmp/err | tail -n 5 | tr '\n' ' '; }
ok() { if "$@" >/tmp/out 2>/tmp/err; then echo "ok: $*"; else echo "FAILED: $*: $(said)"; dmesg | tail -n 4; fi; }
fails() { if "$@" >/tmp/out 2>/tmp/err; then echo "FAILED: taken: $*"; else echo "ok: refused: $*"; fi; }
is() { if [ "$2" = "$3" ]; then echo "ok: $1 is $2"; else echo "FAILED: $1 is '$2', not '$3'"; fi; }
count() { blkzone report /dev/$Z | grep -c "$1"; }
write_at() { dd if=/dev/zero of=/dev/$Z bs=4096 seek=$1 count=1 oflag=direct conv=notrunc; }

look() {
  echo "kernel $(uname -r)"
  dmesg | grep -E 'sd [0-9].*(zone|Zoned|range)'
  is 'the zoned model' "$(cat /sys/block/$Z/queue/zoned)" host-managed
  is 'zones in sysfs' "$(cat /sys/block/$Z/queue/nr_zones)" "$zones"
  is 'zones in blkzone report' "$(count 'start:')" "$zones"
  is 'empty zones' "$(count '(em)')" $((zones - conventional))
  is 'conventional zones' "$(count '(nw)')" "$conventional"
  is 'ranges of the drive of two arms' "$(ls -d /sys/block/$A/queue/independent_access_ranges/[0-9]* | wc -l)" 2
  for range in /sys/block/$A/queue/independent_access_ranges/[0-9]*; do
    echo "range from sector $(cat "$range/sector"), $(cat "$range/nr_sectors") sectors"
  done
  local zone=$(cat /sys/block/$Z/queue/chunk_sectors)  # sectors of 512 bytes
  local first=$((conventional * zone / 8))              # blocks of 4096 bytes
  ok write_at $first
  fails write_at $first  # below the pointer
  fails write_at $((first + 2))
  blkzone report /dev/$Z >/dev/null  # by which newer kernels know the pointer again (block/blk-zoned.c)
  ok write_at $((first + 1))
  is 'zones opened by writes' "$(count '(oi)')" 1
  ok blkzone finish -o $((conventional * zone)) -c 1 /dev/$Z
  is 'full zones' "$(count '(fu)')" 1
  ok blkzone open -o $(((conventional + 1) * zone)) -c 1 /dev/$Z
  is 'zones that were opened' "$(count '(oe)')" 1
  ok blkzone close -o $(((conventional + 1) * zone)) -c 1 /dev/$Z
  ok blkzone reset /dev/$Z
  is 'empty zones after a reset' "$(count '(em)')" $((zones - conventional))

  ok dd if=/zonefs of=/dev/$Z bs=4096 count=1 oflag=direct
  ok dd if=/dev/urandom of=/tmp/some bs=4096 count=3
  ok dd if=/tmp/some of=/dev/$Z bs=4096 seek=$first oflag=direct conv=notrunc
  ok mount -t zonefs /dev/$Z /mnt
  is 'files of zonefs' "$(ls /mnt/seq | wc -l)" $((zones - conventional))
  ok cmp /mnt/seq/0 /tmp/some
  # Linux 6.1.192 tells a zone append's end for its beginning (block/blk-mq.c, req_bio_endio), and zonefs fails it.
  case $(uname -r) in
    6.1.*) echo 'not run: direct writes to zonefs: this kernel fails them' ;;
    *)
      ok dd if=/tmp/some of=/mnt/seq/1 bs=4096 oflag=direct conv=notrunc
      ok dd if=/tmp/some of=/mnt/seq/1 bs=4096 seek=3 oflag=direct conv=notrunc
      cat /tmp/some /tmp/some >/tmp/twice
      ok cmp /mnt/seq/1 /tmp/twice
      fails dd if=/tmp/some of=/mnt/seq/1 bs=4096 seek=3 oflag=direct conv=notrunc
      ok truncate -s 0 /mnt/seq/1 ;;
  esac
  ok truncate -s 0 /mnt/seq/0
  is 'empty zones after zonefs reset one' "$(count '(em)')" $((zones - conventional))
  ok umount /mnt
  ok blkzone reset /dev/$Z

  ok mkfs.f2fs -q -m -f /dev/$Z
  ok mount -t f2fs /dev/$Z /mnt
  ok mkdir /mnt/files
  ok umount /mnt
  ok sync
  echo 'guest: done'
}

# Files that were synchronized before a power cut are there as they were.
check_files() {
  local number sum
  while read -r number sum; do
    is "file $number" "$(md5sum <"/mnt/files/$number" 2>&1 | cut -d' ' -f1)" "$sum"
  done </acknowledged
}

write_until_the_end() {
  local number=$1
  while :; do
    dd if=/dev/urandom of=/mnt/files/$number bs=4096 count=$((number * 37 % 300 + 1)) conv=fsync 2>/dev/null || break
    echo "acknowledged $number $(md5sum <"/mnt/files/$number" | cut -d' ' -f1)"
    rm -f /mnt/files/$((number - 30))
    number=$((number + 1))
  done
}

after_a_cut() {
  is 'zones that are open' "$(count '(o[ie])')" 0
  ok mount -t f2fs /dev/$Z /mnt
  check_files
  ok umount /mnt
  ok fsck.f2fs -f /dev/$Z
  grep -iE 'fail|mismatch|inconsisten' /tmp/out | grep -v '\[Ok' | sed 's/^/fsck: /'
  ok mount -t f2fs /dev/$Z /mnt
  echo 'guest: writes'
  write_until_the_end "$next"
}

for word in $(cat /proc/cmdline); do
  case $word in zones=*|count=*|conventional=*|next=*) export "${word%%=*}=${word#*=}" ;; esac
done
mode=$zones zones=$count
[ "$mode" = look ] && look || after_a_cut
poweroff -f
