#!/bin/bash
# Boots Debian's user-mode Linux on the host's own files, read-only, with guest.sh as process 1: the
# true SG_IO path of a stock kernel, as an ordinary process.   run.sh BUILD_DIRECTORY
# Exit status: 0 passed, 1 failed, 77 skipped (user-mode-linux or what the guest needs is missing).
set -u
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
limit=${PLATTER_UML_SECONDS:-150}
export PATH=$PATH:/usr/sbin:/sbin

for program in linux.uml modprobe mkfs.ext2 mkswap setpriv; do
  command -v $program >/dev/null ||
    { echo "skipped: $program is not installed (packages user-mode-linux kmod e2fsprogs util-linux)"; exit 77; }
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The guest's memory is a file, best in /dev/shm if that has room (containers often give it 64 MB).
[ "$(df --output=avail -m /dev/shm 2>/dev/null | tail -n 1)" -gt 300 ] 2>/dev/null || export TMPDIR=$scratch
preload=
[ -e "$build/tests/libuml_ptrace_shim.so" ] && preload=$build/tests/libuml_ptrace_shim.so

env LD_PRELOAD="$preload" timeout -k 5 "$limit" \
  linux.uml mem=256M uml_dir="$scratch" rootfstype=hostfs rootflags=/ ro quiet \
  con=null con0=null,fd:1 con1=null ssl=null platter_build="$build" init="$here/guest.sh" \
  </dev/null >"$scratch/console" 2>&1
status=$?
cat "$scratch/console"
# The kernel's own exit status says nothing; the guest's last line does.
if grep -q '^guest: all passed' "$scratch/console"; then exit 0; fi
[ $status -eq 124 ] && echo "failed: the guest did not end within $limit s"
exit 1
