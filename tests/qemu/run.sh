#!/usr/bin/env bash
# An emulated drive under a stock kernel in QEMU (TCG, no KVM needed), over vhost-user: what the kernel says of it,
# a file system, fio's verify, and platter inspect through SG_IO. The drives' log is checked afterwards. A minute.
#   run.sh BUILD_DIRECTORY [KERNEL.deb]    without the package it is fetched: apt-get download linux-image-...-cloud-amd64
# Exit status: 0 passed, 1 failed, 77 skipped (something that it needs is missing).
set -euo pipefail
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
. "$here/image.sh"
need 'qemu-system-x86 busybox-static cpio kmod fio e2fsprogs sg3-utils python3' \
  qemu-system-x86_64 busybox cpio depmod fio mkfs.ext4 fsck.ext4 sg_inq python3
work=$(mktemp -d)
emulator=
clean_up() { [ -z "$emulator" ] || kill -9 "$emulator" 2>/dev/null || true; rm -rf "$work"; }
trap clean_up EXIT

unpack_kernel linux-image-cloud-amd64 ${2:+"$(realpath "$2")"}
fill_root "$here/guest.sh" "$build/platter" fio mkfs.ext4 fsck.ext4 sg_inq sg_readcap
add_modules sg sd_mod virtio_pci virtio_scsi ext4 crc32c_generic
pack_root

"$here/../uml/models.py" "$build/platter" spc4 "$work/spc4.json"
"$build/platter" emulate "$work/spc4.json" --vhost-user "$work/scsi" --log "$work/log" >"$work/report" 2>"$work/said" &
emulator=$!
for _ in $(seq 200); do grep -q '^platter: ready' "$work/said" && break; sleep 0.05; done

boot "${PLATTER_QEMU_SECONDS:-600}" '' \
  -object memory-backend-memfd,id=memory,size=768M,share=on -machine memory-backend=memory \
  -chardev "socket,id=scsi,path=$work/scsi" -device vhost-user-scsi-pci,chardev=scsi

kill "$emulator"
wait "$emulator" || { cat "$work/said"; echo "FAILED: the emulator"; exit 1; }
emulator=
cat "$work/said" "$work/report"
"$build/platter" emulate "$work/spc4.json" --check-log "$work/log"
! grep -q FAILED "$work/console" && grep -q 'guest: done' "$work/console"
