#!/usr/bin/env bash
# An emulated drive under a stock kernel in QEMU (TCG, no KVM needed), over vhost-user: what the kernel says of it,
# a file system, fio's verify, and platter inspect through SG_IO. The drives' log is checked afterwards. A minute.
#   run.sh BUILD_DIRECTORY [KERNEL.deb]    without the package it is fetched: apt-get download linux-image-...-cloud-amd64
# Exit status: 0 passed, 1 failed, 77 skipped (something that it needs is missing).
set -euo pipefail
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
PATH=$PATH:/usr/sbin:/sbin
skip() { echo "skipped: $*"; exit 77; }
for program in qemu-system-x86_64 busybox cpio depmod fio mkfs.ext4 fsck.ext4 sg_inq python3; do
  command -v $program >/dev/null ||
    skip "$program is not installed (packages qemu-system-x86 busybox-static cpio kmod fio e2fsprogs sg3-utils python3)"
done
work=$(mktemp -d)
emulator=
clean_up() { [ -z "$emulator" ] || kill -9 "$emulator" 2>/dev/null || true; rm -rf "$work"; }
trap clean_up EXIT

if [ $# -ge 2 ]; then
  package=$(realpath "$2")
else
  name=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*cloud-amd64\).*/\1/p' | head -n 1)
  (cd "$work" && apt-get download "$name" >/dev/null 2>&1) || skip "the kernel's package cannot be downloaded"
  package=$(echo "$work"/linux-image-*.deb)
fi
dpkg -x "$package" "$work/kernel"
version=$(basename "$work"/kernel/lib/modules/*)
depmod -b "$work/kernel" "$version"

mkdir -p "$work"/root/{bin,dev,proc,sys,tmp,mnt,modules,etc}
cp "$(command -v busybox)" "$work/root/bin/"
for program in "$build/platter" fio mkfs.ext4 fsck.ext4 sg_inq sg_readcap; do
  path=$(command -v "$program")
  cp "$path" "$work/root/bin/"
  ldd "$path" | grep -o '/[^ ]*' | while read -r library; do cp -L --parents "$library" "$work/root/"; done
done
for module in sg sd_mod virtio_pci virtio_scsi ext4 crc32c_generic; do  # in the order in which they are loaded
  modprobe -d "$work/kernel" -S "$version" --show-depends "$module" 2>/dev/null | sed -n 's/^insmod \([^ ]*\).*/\1/p'
done | awk '!seen[$0]++' | while read -r module; do
  cp "$module" "$work/root/modules/"
  basename "$module" >>"$work/root/modules/order"
done
cp "$here/guest.sh" "$work/root/init"
(cd "$work/root" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/initrd"

"$here/../uml/models.py" "$build/platter" spc4 "$work/spc4.json"
"$build/platter" emulate "$work/spc4.json" --vhost-user "$work/scsi" --log "$work/log" >"$work/report" 2>"$work/said" &
emulator=$!
for _ in $(seq 200); do grep -q '^platter: ready' "$work/said" && break; sleep 0.05; done

timeout "${PLATTER_QEMU_SECONDS:-600}" qemu-system-x86_64 -accel tcg -cpu max -m 768 -smp 1 -nographic -no-reboot \
  -object memory-backend-memfd,id=memory,size=768M,share=on -machine memory-backend=memory \
  -chardev "socket,id=scsi,path=$work/scsi" -device vhost-user-scsi-pci,chardev=scsi \
  -kernel "$work/kernel/boot/vmlinuz-$version" -initrd "$work/initrd" \
  -append 'console=ttyS0 quiet panic=-1' </dev/null | tr -d '\r' | tee "$work/console" || true

kill "$emulator"
wait "$emulator" || { cat "$work/said"; echo "FAILED: the emulator"; exit 1; }
emulator=
cat "$work/said" "$work/report"
"$build/platter" emulate "$work/spc4.json" --check-log "$work/log"
! grep -q FAILED "$work/console" && grep -q 'guest: done' "$work/console"
