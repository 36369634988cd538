#!/usr/bin/env bash
# The kernel's stamps of commands (docs/characterize.md, Noise) on a stock kernel under QEMU, without KVM:
# platter characterizes a disk without rotation, once to where it sees that, once until it is killed, once
# until it is stopped, once beside a program that computes, and once without tracing. Half a minute;
# docs/validation.md has the figures.
# Usage: bench/kernel_stamps.sh KERNEL.deb    from: apt-get download linux-image-VERSION-cloud-amd64
# Needs a built program and the packages qemu-system-x86, busybox-static, cpio, kmod.
set -euo pipefail
[ $# -eq 1 ] || { sed -n '2,7s/^# //p' "$0" >&2; exit 2; }
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
  cat $tracing/trace_clock $tracing/tracing_on $tracing/current_tracer $tracing/events/enable
}
settings >/tmp/before
run() { exec platter characterize "$drive" --journal /tmp/journal -o "/tmp/$1.json" --force 2>"/tmp/$1.said"; }
is() { if [ "$2" = "$3" ]; then echo "ok: $1"; else echo "FAILED: $1: $2, not $3"; fi; }
# Until the warm-up is whole.
killed() {
  (run "$1") >/dev/null & pid=$!
  until grep -q '"stage":' "/tmp/$1.running.samples.jsonl" 2>/dev/null || ! kill -0 $pid; do usleep 20000; done
  kill -KILL $pid; wait $pid
}
# Of its samples.
model() {
  local samples="/tmp/$1.running.samples.jsonl"
  echo "$1: $(grep -c '"dispatched_ns"' "$samples") of $(grep -c '"round_trip"' "$samples") round trips stamped"
  grep '"round_trip"' "$samples" | sed 's/.*"issued_ns":\([0-9]*\),"completed_ns":\([0-9]*\).*/\1 \2/' |
    awk '{ printf "%d\n", $2 - $1 }' | sort -n | awk '{ t[NR] = $1 } END { print "median of all:", t[int((NR + 1) / 2)], "ns" }'
  platter estimate "$samples" -o "/tmp/$1.json" >/dev/null 2>&1
  platter show "/tmp/$1.json" | grep "above the kernel's dispatch"
}

uname -r
(run whole) >/dev/null; echo "status $?: $(tail -n 1 /tmp/whole.said | grep -o 'platter: .*')"
is 'nothing is left behind' "$(ls $tracing/instances)" ''
killed first
is 'a killed run leaves its instance' "$(ls $tracing/instances)" "platter-$pid"
model first
(run next) >/dev/null & pid=$!
until [ -d "$tracing/instances/platter-$pid" ] || ! kill -0 $pid; do usleep 20000; done
is 'the next one takes it away' "$(ls $tracing/instances)" "platter-$pid"
kill -TERM $pid; wait $pid; echo "status $?"
is 'a stopped run leaves none' "$(ls $tracing/instances)" ''
settings >/tmp/after
is 'no other setting was touched' "$(cat /tmp/after)" "$(cat /tmp/before)"
yes >/dev/null & busy=$!
killed busy
kill $busy
model busy
umount $tracing
killed untraced
model untraced
is 'nothing is said where there is no tracing' "$(grep -ci 'trac[ei]\|stamp' /tmp/untraced.said)" 0
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
