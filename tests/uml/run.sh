#!/bin/bash
# Boots Debian's user-mode Linux on the host's own files, read-only, with a script of this folder as
# process 1: the true SG_IO path of a stock kernel, as an ordinary process.
#   run.sh BUILD_DIRECTORY SCRIPT [PARAMETERS of the kernel's command line, which the script reads]
# Of the parameters, platter_drives=NAME,... are emulated drives (models.py) that the guest has as targets of a SCSI
# host, platter_speed=N times as fast, platter_options=WORD,... for platter emulate; what their log says is checked
# afterwards, unless the speed is a million.
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
[ "$script" != variants.sh ] || command -v sg_reset >/dev/null || skip "sg3-utils is not installed"
case "$script" in ublk*)
  [ -e "$build/../tools/ublk_drv-$(linux.uml --version).ko" ] ||
    skip "this kernel's module ublk_drv is not in build/tools (tests/uml/ublk_module.sh builds it)"
esac
if [ "$script" = held.sh ]; then
  for package in mdadm lvm2; do
    [ -e "$build/../tools/$package.done" ] || skip "$package is not in build/tools (scripts/unpack)"
  done
fi

scratch=$(mktemp -d)
emulator=
clean_up() { [ -z "$emulator" ] || kill -9 $emulator; rm -rf "$scratch"; }
trap clean_up EXIT

drives=() options=() speed=1
for parameter in "$@"; do
  case "$parameter" in
    platter_drives=*) IFS=, read -ra drives <<<"${parameter#*=}" ;;
    platter_speed=*) speed=${parameter#*=} ;;
    platter_options=*) IFS=, read -ra options <<<"${parameter#*=}" ;;
  esac
done
models=()
if [ ${#drives[@]} -gt 0 ]; then
  for program in sg_inq fio iscsi-test-cu python3; do
    command -v $program >/dev/null || skip "$program is not installed (packages sg3-utils fio libiscsi-bin python3)"
  done
  for drive in "${drives[@]}"; do
    "$here/models.py" "$build/platter" "$drive" "$scratch/$drive.json" || exit 1
    models+=("$scratch/$drive.json")
  done
  [ "$speed" = 1000000 ] || options+=(--log "$scratch/log")
  "$build/platter" emulate "${models[@]}" --vhost-user "$scratch/scsi" --speed "$speed" "${options[@]}" \
    >"$scratch/report" 2>"$scratch/said" &
  emulator=$!
  for _ in $(seq 200); do grep -q '^platter: ready' "$scratch/said" && break; sleep 0.05; done
  set -- "$@" "virtio_uml.device=$scratch/scsi:8"
fi
# The guest's memory is a file, best in /dev/shm if that has room (containers often give it 64 MB).
[ "$(df --output=avail -m /dev/shm 2>/dev/null | tail -n 1)" -gt 300 ] 2>/dev/null || export TMPDIR=$scratch
preload=
[ -e "$build/tests/libuml_ptrace_shim.so" ] && preload=$build/tests/libuml_ptrace_shim.so

env LD_PRELOAD="$preload" timeout -k 5 "$limit" \
  linux.uml mem=${PLATTER_UML_MEMORY:-256M} uml_dir="$scratch" rootfstype=hostfs rootflags=/ ro quiet \
  con=null con0=null,fd:1 con1=null ssl=null platter_build="$build" "$@" init="$here/$script" \
  </dev/null >"$scratch/console" 2>&1
status=$?
cat "$scratch/console"
if [ -n "$emulator" ]; then
  awk '/^Rss(Anon|Shmem)/ { kb += $2 } END { print "memory of the emulator, without the guest'"'"'s: " kb " kB" }' \
    /proc/$emulator/status
  kill $emulator; wait $emulator; ended=$?
  emulator=
  cat "$scratch/said" "$scratch/report"
  [ $ended -eq 0 ] || { echo "failed: the emulator ended with status $ended"; exit 1; }
  [ "$speed" = 1000000 ] || "$build/platter" emulate "${models[@]}" --check-log "$scratch/log" || exit 1
fi
# The kernel's own exit status says nothing; the guest's last line does.
if grep -q '^guest: all passed' "$scratch/console"; then exit 0; fi
[ $status -eq 124 ] && echo "failed: the guest did not end within $limit s"
exit 1
