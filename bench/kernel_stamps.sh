#!/usr/bin/env bash
# The kernel's stamps of commands (docs/characterize.md, Noise) on a stock kernel under QEMU, without KVM:
# platter characterizes a disk whose reads take a turn each, once to its end, once until it is killed, and
# once after that. docs/validation.md has the figures.
# Usage: bench/kernel_stamps.sh KERNEL.deb    from: apt-get download linux-image-VERSION-cloud-amd64
# Needs a built program and the packages qemu-system-x86, busybox-static, cpio, kmod.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
package=$(realpath "$1")
cd "$(dirname "$0")/.."
platter=$(realpath "${PLATTER_BINARY:-build/release/platter}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$PATH:/usr/sbin:/sbin

dpkg -x "$package" "$work/kernel"
version=$(basename "$work"/kernel/lib/modules/*)
depmod -b "$work/kernel" "$version"
mkdir -p "$work"/root/{bin,dev,proc,sys,tmp,modules}
cp "$(command -v busybox)" "$platter" "$work/root/bin/"
ldd "$platter" | grep -o '/[^ ]*' | while read -r library; do cp -L --parents "$library" "$work/root/"; done
# In the order in which they are loaded.
for module in sg sd_mod virtio_pci virtio_scsi; do
  modprobe -d "$work/kernel" -S "$version" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
done | awk '!seen[$0]++' | while read -r module; do
  cp "$module" "$work/root/modules/"
  basename "$module" >>"$work/root/modules/order"
done

cat >"$work/root/init" <<'GUEST'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev
mount -t tracefs none /sys/kernel/tracing
while read -r module; do insmod "/modules/$module"; done </modules/order
sleep 2
for entry in /sys/class/scsi_device/*/device; do
  [ "$(cut -c1-4 "$entry/vendor")" = QEMU ] && drive=/dev/$(ls "$entry/scsi_generic")
done
tracing=/sys/kernel/tracing
settings() {
  cat $tracing/trace_clock $tracing/tracing_on $tracing/events/scsi/enable $tracing/buffer_size_kb
}
settings >/tmp/before
run() { platter characterize "$drive" --journal /tmp/journal -o "/tmp/$1.json" --force; }
is() { if [ "$2" = "$3" ]; then echo "ok: $1"; else echo "FAILED: $1: $2, not $3"; fi; }
stamps() { echo "$1: $(grep -c '"dispatched_ns"' "$2") of $(grep -c '"round_trip"' "$2") round trips stamped"; }

uname -r
run whole; echo "status $?"
ls /tmp
[ -e /tmp/whole.json ] && stamps whole /tmp/whole.samples.jsonl && platter show /tmp/whole.json | grep '^host\|too noisy\|noisy:'
[ -e /tmp/whole.json ] && grep -A7 '"kernel_share": {' /tmp/whole.json
is 'nothing is left behind' "$(ls $tracing/instances)" ''

run killed & pid=$!
while [ ! -d "$tracing/instances/platter-$pid" ] && kill -0 $pid; do usleep 20000; done
kill -KILL $pid; wait $pid
is 'a killed run leaves its instance' "$(ls $tracing/instances)" "platter-$pid"
run stopped & pid=$!
while [ ! -d "$tracing/instances/platter-$pid" ] && kill -0 $pid; do usleep 20000; done
is 'the next one takes it away' "$(ls $tracing/instances)" "platter-$pid"
kill -TERM $pid; wait $pid; echo "status $?"
is 'a stopped run leaves none' "$(ls $tracing/instances)" ''
settings >/tmp/after
is 'no other setting was touched' "$(cat /tmp/after)" "$(cat /tmp/before)"
rm -f /tmp/*.json*
umount $tracing
run untraced 2>&1 | grep -ci 'trac'
[ -e /tmp/untraced.json ] && grep -c '"kernel_share": {' /tmp/untraced.json
echo 'guest: done'
poweroff -f
GUEST
chmod +x "$work/root/init"
(cd "$work/root" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/initrd"

timeout "${LIMIT:-900}" qemu-system-x86_64 -accel tcg -cpu max -m 768 -smp 1 -nographic -no-reboot \
  -kernel "$work/kernel/boot/vmlinuz-$version" -initrd "$work/initrd" \
  -append 'console=ttyS0 quiet panic=-1' -device virtio-scsi-pci \
  -drive "driver=null-co,size=1G,read-zeroes=on,latency-ns=${TURN_ns:-8333333},if=none,id=disk" \
  -device scsi-hd,drive=disk,serial=K1,rotation_rate=7200 </dev/null | tr -d '\r' | tee "$work/console"
! grep -q FAILED "$work/console" && grep -q 'guest: done' "$work/console"
