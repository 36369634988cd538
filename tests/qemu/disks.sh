#!/usr/bin/env bash
# Debian's kernel under QEMU (TCG, no KVM needed) with AHCI, USB and SCSI disks: inspect, settings that are changed and
# put back, VERIFY, runs that are refused, killed and stopped, through its libata, usb-storage, uas and virtio_scsi.
# Some disks are QEMU's own on image files; those whose serial number begins with TURNS are emulated drives behind it,
# over NBD, so that they turn. Nothing may be written to any of them. Two minutes.
#   disks.sh BUILD_DIRECTORY [KERNEL.deb]    without the package it is fetched: apt-get download linux-image-...-amd64
# Exit status: 0 passed, 1 failed, 77 skipped (something that it needs is missing).
set -euo pipefail
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
. "$here/image.sh"
need 'qemu-system-x86 busybox-static cpio kmod nbdkit python3' \
  qemu-system-x86_64 busybox cpio depmod nbdkit python3
[ -e "$build/nbdkit-platter-plugin.so" ] || skip "the plugin for nbdkit was not built"
work=$(mktemp -d)
emulator=
clean_up() { [ -z "$emulator" ] || kill -9 "$emulator" 2>/dev/null || true; rm -rf "$work"; }
trap clean_up EXIT

plain=(AHCI UAS SCSI SOLID) turning=(TURNS-AHCI TURNS-NONCQ TURNS-USB TURNS-SCSI)
unpack_kernel linux-image-amd64 ${2:+"$(realpath "$2")"}
fill_root "$here/disks_guest.sh" "$build/platter" "$build/tests/qemu_guest_tests"
add_modules sg sd_mod ahci xhci_pci usb-storage uas virtio_pci virtio_scsi
echo $((${#plain[@]} + ${#turning[@]})) >"$work/root/disks"
pack_root

# Eight disks of which every tenth block or so holds something.
"$here/disks.py" model "$build/platter" "$work/turning.json"
models=() contents=() drives=()
fill() { "$here/disks.py" fill "$1" "$2" && cp --sparse=always "$1" "$1.before"; }
for disk in "${plain[@]}"; do
  fill "$work/$disk" 16384
  drives+=(-drive "file=$work/$disk,format=raw,cache=none,aio=threads,if=none,id=$disk")
done
blocks=$("$here/disks.py" blocks "$work/turning.json")
for disk in "${turning[@]}"; do
  cp "$work/turning.json" "$work/$disk.json"
  fill "$work/$disk" "$blocks"
  models+=("$work/$disk.json") contents+=("$work/$disk")
  drives+=(-drive "driver=nbd,export=$disk,server.type=unix,server.path=$work/nbd,cache=none,if=none,id=$disk")
done
"$build/platter" emulate "${models[@]}" --nbd "$work/nbd" --contents "${contents[@]}" --log "$work/log" \
  >"$work/report" 2>"$work/said" &
emulator=$!
for _ in $(seq 200); do grep -q '^platter: ready' "$work/said" && break; sleep 0.05; done

disk() { echo "$1,drive=$2,serial=$2,rotation_rate=${3:-7200}"; }
boot "${PLATTER_QEMU_SECONDS:-600}" 'libata.force=3:noncq' -M q35 "${drives[@]}" \
  -device "$(disk ide-hd,bus=ide.0 AHCI)" -device "$(disk ide-hd,bus=ide.1 TURNS-AHCI)" \
  -device "$(disk ide-hd,bus=ide.2 TURNS-NONCQ)" \
  -device qemu-xhci -device usb-bot,id=bot -device "$(disk scsi-hd,bus=bot.0 TURNS-USB)" \
  -device usb-uas,id=uas -device "$(disk scsi-hd,bus=uas.0 UAS)" \
  -device virtio-scsi-pci,id=scsi -device "$(disk scsi-hd,bus=scsi.0 SCSI)" \
  -device "$(disk scsi-hd,bus=scsi.0 TURNS-SCSI)" -device "$(disk scsi-hd,bus=scsi.0 SOLID 1)"

kill "$emulator"
wait "$emulator" || { cat "$work/said"; echo "FAILED: the emulator"; exit 1; }
emulator=
cat "$work/report"
"$build/platter" emulate "${models[@]}" --check-log "$work/log"
for disk in "${plain[@]}" "${turning[@]}"; do
  cmp "$work/$disk" "$work/$disk.before" || { echo "FAILED: $disk was written to"; exit 1; }
done
"$here/disks.py" judge "$work/console" "$work/log"
