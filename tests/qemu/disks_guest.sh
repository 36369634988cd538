#!/bin/busybox sh
# Process 1 of the guest of disks.sh: what platter says and does of each disk goes to the console, in parts that
# disks.py judges: "@ NAME SERIAL", what was printed, "@error" and a line for each of errors, "@status N".
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev; mount -t tmpfs none /tmp
ln -s /proc/mounts /etc/mtab
while read -r module; do
  insmod "/modules/$module" $([ "$module" = libata.ko ] && sed -n 's/.*libata.force=\([^ ]*\).*/force=\1/p' /proc/cmdline)
done </modules/order
tries=0
until [ "$(ls -d /sys/class/scsi_generic/sg*/device/block/* 2>/dev/null | wc -l)" = "$(cat /disks)" ]; do
  tries=$((tries + 1)); [ $tries -lt 300 ] || { echo 'no disks'; break; }
  usleep 100000
done
dmesg -r >/tmp/boot

part() {
  local name=$1 serial=$2 status
  shift 2
  echo "@ $name $serial"
  "$@" >/tmp/out 2>/tmp/err </dev/null
  status=$?
  cat /tmp/out
  sed 's/^/@error /' /tmp/err
  echo "@status $status"
}

# The host's driver by the name of its device: uas gives itself none.
driver_of() {
  local path=$(readlink -f "/sys/class/scsi_generic/$1/device")
  while [ "$path" != / ]; do
    path=$(dirname "$path")
    case "$(basename "$(readlink "$path/driver")")" in
      ahci | usb-storage | uas | virtio_scsi) basename "$(readlink "$path/driver")"; return ;;
    esac
  done
}
kernel_says() { echo "driver $2"; echo "queue $(cat "/sys/class/scsi_generic/$1/device/queue_depth")"; }

run() { platter characterize "$1" --journal /tmp/journal -o "/tmp/$2.json"; }

# begin DEVICE SG DRIVER STAGE: a run, let go on until that stage is over and the write cache of an ATA disk is off;
# $pid. The kernel looks at the cache anew after each change of it, and platter may need two.
begin() {
  local type=$(ls /sys/class/scsi_generic/"$2"/device/scsi_disk/*/cache_type)
  platter characterize "$1" --journal /tmp/journal -o "/tmp/$2.json" >/dev/null 2>/tmp/said </dev/null &
  pid=$!
  while kill -0 $pid 2>/dev/null; do
    usleep 100000
    grep -q "\"stage\":{\"name\":\"$4\"" "/tmp/$2.running.samples.jsonl" 2>/dev/null || continue
    [ "$3" = ahci ] && ! grep -q 'write through' "$type" && continue
    usleep 500000
    [ "$3" = ahci ] && ! grep -q 'write through' "$type" || return
  done
}

end() { kill "-$1" $pid; wait $pid; status=$?; tail -n 1 /tmp/said >&2; return $status; }

inspect() { part "$1" "$2" platter inspect "$3" --json; }
journals() { ls /tmp/journal/*.journal 2>/dev/null; }

for node in /sys/class/scsi_generic/sg*; do
  sg=$(basename "$node")
  device=/dev/$sg driver=$(driver_of "$sg")
  serial=$(platter inspect "$device" --json | sed -n 's/.*"serial": "\(.*\)",/\1/p')
  part kernel "$serial" kernel_says "$sg" "$driver"
  inspect before "$serial" "$device"
  case "$serial" in *NONCQ*) fua=no ;; *) fua=yes ;; esac
  part tests "$serial" env PLATTER_TEST_DEVICE="$device" PLATTER_TEST_FUA=$fua qemu_guest_tests
  case "$serial" in
    TURNS*)
      begin "$device" "$sg" "$driver" warm-up
      part killed "$serial" end KILL
      part journal_of_killed "$serial" journals
      inspect while_killed "$serial" "$device"
      # Of a SCSI disk nothing could be changed, and the next run would be right to go on.
      [ "$driver" = ahci ] && part next_run "$serial" run "$device" "$sg-next"
      part restore "$serial" platter restore "$(journals)"
      part journal_restored "$serial" journals
      inspect restored "$serial" "$device"
      rm /tmp/$sg.*
      begin "$device" "$sg" "$driver" $([ "$serial" = TURNS-AHCI ] && echo rotation || echo warm-up)
      cp "/tmp/$sg.running.samples.jsonl" /tmp/samples.jsonl
      part stopped "$serial" end TERM
      [ "$serial" = TURNS-AHCI ] && part rotation "$serial" platter estimate /tmp/samples.jsonl -o /tmp/estimate.json &&
        part model "$serial" cat /tmp/estimate.json ;;
    *) part characterize "$serial" run "$device" "$sg" ;;
  esac
  part journal_after "$serial" journals
  inspect after "$serial" "$device"
done
part boot kernel cat /tmp/boot
part said kernel sh -c 'dmesg -r | tail -n +$(($(wc -l </tmp/boot) + 1))'
poweroff -f
