#!/bin/bash
# Boots Debian's user-mode Linux on the host's own files, read-only, with a script of this folder as
# process 1: the true SG_IO path of a stock kernel, as an ordinary process.
#   run.sh BUILD_DIRECTORY SCRIPT [PARAMETERS of the kernel's command line, which the script reads]
# Exit status: 0 passed, 1 failed, 77 skipped (user-mode-linux or what the guest needs is missing).
set -u
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
script=$2
shift 2
limit=${PLATTER_UML_SECONDS:-650}
export PATH=$PATH:/usr/sbin:/sbin

skip() { echo "skipped: $*"; exit 77; }
for program in linux.uml modprobe mkfs.ext2 mkswap setpriv; do
  command -v $program >/dev/null ||
    skip "$program is not installed (packages user-mode-linux kmod e2fsprogs util-linux)"
done
if [ "$script" = held.sh ]; then
  for package in mdadm lvm2; do
    [ -e "$build/../tools/$package.done" ] || skip "$package is not in build/tools (scripts/unpack)"
  done
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The guest's memory is a file, best in /dev/shm if that has room (containers often give it 64 MB).
[ "$(df --output=avail -m /dev/shm 2>/dev/null | tail -n 1)" -gt 300 ] 2>/dev/null || export TMPDIR=$scratch
preload=
[ -e "$build/tests/libuml_ptrace_shim.so" ] && preload=$build/tests/libuml_ptrace_shim.so

env LD_PRELOAD="$preload" timeout -k 5 "$limit" \
  linux.uml mem=256M uml_dir="$scratch" rootfstype=hostfs rootflags=/ ro quiet \
  con=null con0=null,fd:1 con1=null ssl=null platter_build="$build" "$@" init="$here/$script" \
  </dev/null >"$scratch/console" 2>&1
status=$?
cat "$scratch/console"
# The kernel's own exit status says nothing; the guest's last line does.
if grep -q '^guest: all passed' "$scratch/console"; then exit 0; fi
[ $status -eq 124 ] && echo "failed: the guest did not end within $limit s"
exit 1
