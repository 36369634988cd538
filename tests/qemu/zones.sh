#!/usr/bin/env bash
# An emulated host-managed drive and one of two arms under Debian's kernel in QEMU, over vhost-user: what the kernel, and
# blkzone, have of zones and ranges, zonefs, and f2fs through CUTS power cuts (20) that take what the drive's cache has
# not written: after each one fsck.f2fs and every file that was synchronized. The drives' log is checked at the end.
#   zones.sh BUILD_DIRECTORY [KERNEL.deb]    without the package it is fetched: apt-get download linux-image-...-amd64
# Exit status: 0 passed, 1 failed, 77 skipped (something that it needs is missing).
set -euo pipefail
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
. "$here/image.sh"
need 'qemu-system-x86 busybox-static cpio kmod util-linux f2fs-tools python3' \
  qemu-system-x86_64 busybox cpio depmod blkzone mkfs.f2fs fsck.f2fs python3
work=$(mktemp -d)
emulator= guest=
clean_up() {
  [ -z "$guest" ] || kill -9 "$guest" 2>/dev/null || true
  [ -z "$emulator" ] || kill -9 "$emulator" 2>/dev/null || true
  [ -n "${PLATTER_KEEP:-}" ] && echo "kept: $work" || rm -rf "$work"
}
trap clean_up EXIT
cuts=${CUTS:-20}

unpack_kernel linux-image-amd64 ${2:+"$(realpath "$2")"}
fill_root "$here/zones_guest.sh" blkzone mkfs.f2fs fsck.f2fs
add_modules sd_mod virtio_pci virtio_scsi zonefs f2fs crc32_generic crc32c_generic
"$here/zones.py" zonefs "$work/root/zonefs"
pack_root

"$build/platter" truth 'virtual:modern-500gb?zoned=empty&imperfections=none' -o "$work/zoned.json" >/dev/null
"$build/platter" truth 'virtual:modern-2arms?imperfections=none' -o "$work/arms.json" >/dev/null
read -r zones conventional <<<"$("$here/zones.py" count "$work/zoned.json")"
"$build/platter" emulate "$work/zoned.json" "$work/arms.json" --vhost-user "$work/scsi" --log "$work/log" --speed 10 \
  --contents "$work/zoned.img" "$work/arms.img" --write-cache-loss >"$work/report" 2>"$work/said" &
emulator=$!
for _ in $(seq 200); do grep -q '^platter: ready' "$work/said" && break; sleep 0.05; done

# begin MODE NEXT: a guest in the background, $guest; its console in $work/console. On a busy host TCG's early boot may
# hang: then once more.
begin() {
  local try
  for try in 1 2 3; do
    boot_guest "$@"
    wait_for 'Run /init' 120 && return
    end_guest
  done
}
boot_guest() {
  (cd "$work" && echo acknowledged | cpio --quiet -o -H newc | gzip -1) >"$work/more"
  cat "$work/initrd" "$work/more" >"$work/initrd.now"
  : >"$work/console"
  qemu-system-x86_64 ${PLATTER_QEMU_CPU:--accel tcg -cpu max} -m 512 -smp 1 -nodefaults -display none -serial "file:$work/console" \
    -no-reboot -kernel "$work/kernel/boot/vmlinuz-$version" -initrd "$work/initrd.now" \
    -append "console=ttyS0 panic=-1 no_timer_check zones=$1 count=$zones conventional=$conventional next=$2" \
    -object memory-backend-memfd,id=memory,size=512M,share=on -machine memory-backend=memory \
    -chardev "socket,id=scsi,path=$work/scsi" -device vhost-user-scsi-pci,chardev=scsi </dev/null 2>>"$work/qemu" &
  guest=$!
}
# wait_for PATTERN [SECONDS]: on the console.
wait_for() {
  for _ in $(seq $((${2:-${PLATTER_QEMU_SECONDS:-300}} * 10))); do
    grep -q "$1" "$work/console" && return
    kill -0 "$guest" 2>/dev/null || break
    sleep 0.1
  done
  grep -q "$1" "$work/console"
}
end_guest() { kill -9 "$guest" 2>/dev/null || true; wait "$guest" 2>/dev/null || true; guest=; }
checks() { tr -d '\r' <"$work/console" | grep -aE '^(ok|FAILED|not run|guest|range|kernel|fsck):? |sd [0-9].*([Zz]one|range)' || true; }

: >"$work/acknowledged"
begin look 0
wait_for 'guest: done' || { cat "$work/console" "$work/qemu" "$work/said"; echo "FAILED: the first guest"; exit 1; }
end_guest
checks
failed=$(tr -d '\r' <"$work/console" | grep -ac '^FAILED' || true)
next=1
for cut in $(seq "$cuts"); do
  begin write "$next"
  wait_for 'guest: writes' || { cat "$work/console" "$work/said"; echo "FAILED: the guest before cut $cut"; exit 1; }
  wait_for '^acknowledged' || { cat "$work/console"; echo "FAILED: the guest wrote nothing before cut $cut"; exit 1; }
  sleep "$("$here/zones.py" pause "$cut")"
  kill -USR2 "$emulator"
  end_guest
  bad=$(tr -d '\r' <"$work/console" | grep -acE '^FAILED' || true)
  [ "$bad" = 0 ] || checks
  failed=$((failed + bad))
  tr -d '\r' <"$work/console" | sed -n 's/^acknowledged \([0-9]* [0-9a-f]\{32\}\)$/\1/p' >>"$work/all"
  next=$(($(tail -n 1 "$work/all" | cut -d' ' -f1) + 2))
  # Older ones may have been removed behind the last one that was acknowledged.
  tail -n 25 "$work/all" >"$work/acknowledged"
  echo "cut $cut: $(wc -l <"$work/all") files synchronized so far, $failed checks failed"
done
begin write "$next"  # and once more, to look
wait_for 'guest: writes' || { cat "$work/console"; echo "FAILED: the last guest"; exit 1; }
end_guest
checks
failed=$((failed + $(tr -d '\r' <"$work/console" | grep -ac '^FAILED' || true)))

kill "$emulator"
wait "$emulator" || { cat "$work/said"; echo "FAILED: the emulator"; exit 1; }
emulator=
cat "$work/report"
"$build/platter" emulate "$work/zoned.json" "$work/arms.json" --check-log "$work/log"
[ "$failed" = 0 ] && [ "$(wc -l <"$work/all")" -ge "$cuts" ] && echo "$cuts power cuts: f2fs and all files are whole"
