# A stock kernel of Debian's and an initial RAM disk with what a guest needs of this machine's programs. Sourced, with
# $work a folder of its own.
PATH=$PATH:/usr/sbin:/sbin
skip() { echo "skipped: $*"; exit 77; }

# need PACKAGES PROGRAM...: or the test is skipped.
need() {
  local packages=$1 program
  shift
  for program in "$@"; do
    command -v "$program" >/dev/null || skip "$program is not installed (packages $packages)"
  done
}

# unpack_kernel META_PACKAGE [FILE.deb]: the kernel that it depends on, into $work/kernel; sets $version.
unpack_kernel() {
  local package=${2:-} name
  if [ -z "$package" ]; then
    name=$(apt-cache depends "$1" 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
    (cd "$work" && apt-get download "$name" >/dev/null 2>&1) || skip "the kernel's package cannot be downloaded"
    package=$(echo "$work"/linux-image-*.deb)
  fi
  dpkg -x "$package" "$work/kernel"
  [ -e "$work/kernel/lib" ] || ln -s usr/lib "$work/kernel/lib"  # as of Debian 13
  version=$(basename "$work"/kernel/lib/modules/*)
  depmod -b "$work/kernel" "$version"
}

# fill_root INIT PROGRAM...: process 1, and programs with their libraries.
fill_root() {
  local program path
  mkdir -p "$work"/root/{bin,dev,proc,sys,tmp,mnt,modules,etc}
  cp "$(command -v busybox)" "$work/root/bin/"
  cp "$1" "$work/root/init"
  shift
  for program in "$@"; do
    path=$(command -v "$program")
    cp "$path" "$work/root/bin/"
    ldd "$path" | grep -o '/[^ ]*' | while read -r library; do cp -L --parents "$library" "$work/root/"; done
  done
}

# add_modules MODULE...: with what they need, and the order in which they are loaded.
add_modules() {
  local module
  for module in "$@"; do
    modprobe -d "$work/kernel" -S "$version" --show-depends "$module" 2>/dev/null | sed -n 's/^insmod \([^ ]*\).*/\1/p'
  done | awk '!seen[$0]++' | while read -r module; do
    cp "$module" "$work/root/modules/"
    [ "${module%.xz}" = "$module" ] || xz -d "$work/root/modules/$(basename "$module")"
    basename "${module%.xz}" >>"$work/root/modules/order"
  done
}

pack_root() { (cd "$work/root" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/initrd"; }

# boot SECONDS KERNEL_PARAMETERS DEVICE...: what it says is printed, and kept in $work/console. Before all ordinary
# processes, where that is allowed: a guest that waits for its turn sees disks that do not turn evenly.
boot() {
  local seconds=$1 parameters=$2 first=
  shift 2
  chrt --fifo 10 true 2>/dev/null && first='chrt --fifo 10'
  timeout "$seconds" $first qemu-system-x86_64 -accel tcg -cpu max -m 768 -smp 1 -nodefaults -display none -serial stdio \
    -no-reboot -kernel "$work/kernel/boot/vmlinuz-$version" -initrd "$work/initrd" \
    -append "console=ttyS0 quiet panic=-1 $parameters" "$@" </dev/null | tr -d '\r' | tee "$work/console" || true
}
